//! `ape test`: holds many pairs against what is expected of them.
//!
//! 1. [`settings`]: the arguments, and `ape.toml` where they are silent.
//! 2. [`find`]: the files that paths stand for; [`program`]: each read, with what is expected of its pairs.
//! 3. [`settle`]: what is found of each [`part`] of it, from the [`cache`] or afresh, several files at once. Where other runs share the
//!    cache, [`turns`] says which is next. Where files are watched, what was found of those that have not changed is [`kept`].
//! 4. [`report`]: the results as they come, in the order of the files; and in files, in other forms.
//! 5. [`bless`]: what was found written where it is expected, if that is wanted.
//!
//! [`merge`] makes one report of those that several runs have made. [`grade`] holds answers to exercises against a key instead.
//!
//! Invariant: one file that is not legal does not keep another from being tested; it makes the status 2.
//! Invariant: the results are the same, and in the same order, whatever the number of threads and whatever the cache holds.

mod baseline;
mod bless;
mod cache;
mod expectation;
mod filter;
pub(super) mod find;
pub(super) mod grade;
mod kept;
pub(super) mod merge;
mod outcome;
mod part;
mod program;
mod progress;
mod report;
mod settings;
mod settle;
mod since;
mod turns;

use super::watch::{self, Lines, Roots, Round, Texts};
use crate::args::test::{Partition, TestArgs, TestFormat};
use crate::files::replace::create_or_replace;
use crate::machine::threads::{self, workers};
use crate::machine::{limits, signals, terminal};
use crate::solvers;
use crate::status::{Failure, Status, complain};
use baseline::Baseline;
use bless::Blessed;
use cache::Cache;
use find::Case;
use kept::Kept;
use outcome::{Outcome, worse};
use progress::Progress;
use prover::Config;
use prover::report::count;
use prover::report::text::{Detail, USUAL_WIDTH};
use report::View;
use settings::Settings;
use settle::{Bench, Settled};
use since::Since;
use smt::solve::Shared;
use smt::stop::{Reason, Stop};
use std::io::Write;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use turns::Turns;

/// How far reports are indented below the line of their pair.
const INDENTED: usize = 5;
/// How many slow files are named on a terminal.
const SLOWEST: usize = 3;

/// Tests. The status says how bad the worst result is.
pub(crate) fn test(args: &TestArgs, out: &mut impl Write) -> Result<Status, Failure> {
    if let Some(key) = &args.seal {
        return grade::seal(args, key, out);
    }
    if args.grade {
        return grade::grade(args, out);
    }
    // What is wrong with the arguments is told at once, also where files are watched.
    let settings = Settings::of(args)?;
    if args.watch {
        return watched(args, out);
    }
    signals::stop_on_interrupt(limits::interruption()).map_err(Failure::Signals)?;
    once(args, &settings, &Round::only(), &mut Kept::default(), out)
}

/// Tests, and again whenever something has changed.
fn watched(args: &TestArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let lines = match args.format {
        TestFormat::Text => Lines::Output,
        TestFormat::JsonLines | TestFormat::Github => Lines::Error,
        TestFormat::Junit | TestFormat::Sarif | TestFormat::Markdown => {
            let what = "with --watch there is no one document: ask for text or lines, and for others with --report";
            return Err(Failure::Usage(what.into()));
        }
    };
    let roots = || {
        // What is wrong with the file is told by the run. Until it is mended nothing else counts.
        let Ok(settings) = Settings::of(args) else {
            return Roots { files: vec![settings::file(args)], folders: Vec::new() };
        };
        let Roots { mut files, folders } = find::roots(&settings.paths);
        files.extend(settings.files);
        Roots { files, folders }
    };
    let mut kept = Kept::default();
    watch::repeat(&roots, lines, out, |round, out| once(args, &Settings::of(args)?, round, &mut kept, out))
}

/// Tests all that is not kept from the round before.
fn once(
    args: &TestArgs,
    settings: &Settings,
    round: &Round,
    kept: &mut Kept,
    out: &mut impl Write,
) -> Result<Status, Failure> {
    let start = Instant::now();
    let baseline = Baseline::read(settings.baseline.as_deref(), args.bless)?;
    let cases = share(find::cases(&settings.paths)?, args.partition);
    let backend = solvers::start(settings.memory)?;
    let (outcomes, blessed, stop) = (Vec::new(), Blessed::default(), round.stop.until(None));
    let cache = settings.cache.as_ref().and_then(|place| Cache::open(place, settings.bounds()));
    let mut run = Run { args, settings, round, stop, baseline, cache, out, outcomes, blessed };
    let since = args.changed_since.as_deref();
    let since = since.map(|revision| Since::of(revision, &cases, settings.baseline.as_deref())).transpose()?;
    run.test(&cases, since.as_ref(), &backend, kept)?;
    let ended = if round.is_overtaken() { Ok(Status::Undecided) } else { run.end(start.elapsed()) };
    let outcomes = run.outcomes;
    kept.put(outcomes, &cases, |case| texts(settings, round, case));
    ended
}

/// The texts that the outcome of a case depends on.
fn texts(settings: &Settings, round: &Round, case: &Case) -> Texts {
    kept::texts(&round.texts, case.files.iter().chain(&settings.files))
}

/// One share of the cases: every n-th, so that shares are alike whatever the folders.
fn share(cases: Vec<Case>, partition: Option<Partition>) -> Vec<Case> {
    let Some(Partition { share, of }) = partition else { return cases };
    cases.into_iter().skip(share - 1).step_by(of).collect()
}

/// A run: what is asked of it, and what came of it so far.
struct Run<'a, W> {
    args: &'a TestArgs,
    settings: &'a Settings,
    round: &'a Round,
    /// Ends it: when the round ends, or when one failure was enough.
    stop: Stop,
    baseline: Baseline,
    /// Where results are kept, if they are.
    cache: Option<Cache>,
    out: &'a mut W,
    outcomes: Vec<Outcome>,
    /// What was blessed.
    blessed: Blessed,
}

impl<W: Write> Run<'_, W> {
    /// Tests all cases, and prints what came of each.
    fn test(&mut self, cases: &[Case], since: Option<&Since>, backend: &Shared, kept: &Kept) -> Result<(), Failure> {
        let (settings, round, stop) = (self.settings, self.round, self.stop.clone());
        let at_once = workers(settings.jobs, cases.len());
        let bounds = (settings.timeout, settings.memory);
        let config = || Config {
            stop: limits::stop_under(&stop, Duration::from_secs(bounds.0), bounds.1, at_once),
            ..solvers::config(bounds, at_once, backend)
        };
        let width = terminal::width().unwrap_or(USUAL_WIDTH).saturating_sub(INDENTED);
        let (baseline, cache) = (self.baseline.clone(), self.cache.take());
        // What is found while files are watched is of nobody's interest yet.
        let claims = cache.as_ref().filter(|_| !self.args.watch);
        let claims = claims.and_then(|cache| cache.claims(Duration::from_secs(bounds.0)));
        let bench = Bench {
            filter: &settings.filter,
            since,
            baseline: &baseline,
            cache: cache.as_ref(),
            claims: claims.as_ref(),
            config: &config,
            stop: &stop,
            detail: Detail { explain: false, width },
            bless: self.args.bless,
        };
        let progress = Progress::new(cases.len(), !self.args.quiet);
        let settle = |case: &Case| match kept.take(case, &texts(settings, round, case)) {
            Some(outcome) => (Settled { outcome, program: None, selected: Vec::new() }, true),
            None => (bench.settle(case), false),
        };
        let work = |case: &Case| progress.during(&case.name, || settle(case));
        let turns = Turns::new(cases.len(), at_once, claims.as_ref(), stop.clone());
        let name = |at: usize| cases.get(at).and_then(|case| bench.name(case));
        let ran = threads::beside(|| turns.look_ahead(name), || self.in_order(cases, &turns, work, &progress));
        progress.end();
        drop(claims);
        self.cache = cache;
        ran.map_err(Failure::Thread)?
    }

    /// Has all cases done, and prints what came of each in their order.
    fn in_order(
        &mut self,
        cases: &[Case],
        turns: &Turns<'_>,
        work: impl Fn(&Case) -> (Settled, bool) + Sync,
        progress: &Progress,
    ) -> Result<(), Failure> {
        let _ending = turns.ending();
        let mut done = Ok(());
        let mut rest = cases.iter();
        let ran = threads::in_order_of(
            self.settings.jobs,
            cases,
            || turns.next(),
            work,
            |(settled, is_old)| {
                let Some(case) = rest.next() else { return ControlFlow::Break(()) };
                if self.round.is_overtaken() {
                    self.outcomes.extend(is_old.then_some(settled.outcome));
                    return ControlFlow::Continue(());
                }
                match progress.aside(|| self.take(case, settled, is_old)) {
                    Ok(Status::Success) => ControlFlow::Continue(()),
                    Ok(_) if !self.settings.fail_fast => ControlFlow::Continue(()),
                    ended => {
                        done = ended.map(drop);
                        // What is still at work is not waited for.
                        self.stop.request(Reason::Interrupted);
                        turns.end();
                        ControlFlow::Break(())
                    }
                }
            },
        );
        ran.map_err(Failure::Thread).and(done)
    }

    /// Prints what came of a case, blesses it if that is wanted, and keeps it for the end. The status of this case comes back.
    fn take(&mut self, case: &Case, settled: Settled, is_old: bool) -> Result<Status, Failure> {
        if self.args.bless {
            let Blessed { lines, cut_short } = bless::bless(case, &settled, &mut self.baseline)?;
            self.blessed.lines += lines;
            self.blessed.cut_short.extend(cut_short);
        }
        let outcome = settled.outcome;
        let status = outcome.status(self.settings.partial);
        let has_been_told = is_old && status == Status::Success;
        if !self.args.quiet && !has_been_told {
            self.out.write_all(report::of_one(&outcome, &self.view()).as_bytes())?;
            self.out.flush()?;
        }
        if let Err(failure) = &outcome.result {
            failure.report();
        }
        self.outcomes.push(outcome);
        // What was just written is as expected from now on.
        Ok(if self.args.bless && self.outcomes.last().is_some_and(|outcome| outcome.result.is_ok()) {
            Status::Success
        } else {
            status
        })
    }

    fn view(&self) -> View {
        let TestArgs { format, failures_only, partition: share, .. } = *self.args;
        View { format, failures_only, partial: self.settings.partial, share, missing: 0 }
    }

    /// Prints what is told of all, writes the files that are wanted, and says how the run ends.
    fn end(&mut self, time: Duration) -> Result<Status, Failure> {
        let all = report::of_all(&self.outcomes, &self.view())?;
        if !self.args.quiet {
            self.out.write_all(all.as_bytes())?;
            self.out.flush()?;
        }
        for file in &self.args.reports {
            let text =
                report::whole(&self.outcomes, &View { format: file.format, failures_only: false, ..self.view() })?;
            create_or_replace(&file.path, &text).map_err(|error| Failure::write(&file.path, error))?;
        }
        if let Some(cache) = &self.cache {
            cache.tidy();
        }
        let usual = if terminal::error_width().is_some() && !self.args.quiet { SLOWEST } else { 0 };
        let slowest = self.args.slowest.unwrap_or(usual);
        if slowest > 0 {
            // That this may fail is no reason to fail.
            let _ = anstream::stderr().write_all(report::slowest(&self.outcomes, slowest, time).as_bytes());
        }
        if self.args.bless {
            self.baseline.write()?;
            if !self.args.quiet && self.args.format == TestFormat::Text {
                writeln!(self.out, "{} of what is expected written", count(self.blessed.lines, "line"))?;
            }
            for pair in &self.blessed.cut_short {
                complain(&format!("{pair} was not written down: the search was cut short"));
            }
        }
        Ok(self.status())
    }

    /// The worst of all. What was blessed is as expected, and fails no more.
    fn status(&self) -> Status {
        let of = |outcome: &Outcome| match &outcome.result {
            Ok(_) if self.args.bless && outcome.left_out.is_none() => Status::Success,
            _ => outcome.status(self.settings.partial),
        };
        let worst = self.outcomes.iter().map(of).fold(Status::Success, worse);
        let nothing = self.outcomes.iter().all(|outcome| outcome.pairs().is_empty());
        // Also what came of the file that was at work says nothing when the run was interrupted.
        let cut_short = !self.blessed.cut_short.is_empty() || self.stop.reason().is_some();
        let worst = if cut_short { worse(worst, Status::Undecided) } else { worst };
        if nothing { worse(worst, Status::NothingSelected) } else { worst }
    }
}
