//! `ape verify`: compares two versions, and reports.
//!
//! 1. [`programs`]: which programs there are to compare.
//! 2. [`dump`]: what a stage makes of them, where that was asked for; then all ends here.
//! 3. Each is verified, perhaps with a [`certificate`](certificates), and cvc5 is asked for a second opinion.
//! 4. The report is printed, and the certificates are written.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output, and with `--format html` nothing but one page.

pub(super) mod certificates;
pub(super) mod page;
pub(super) mod pairs;
pub(super) mod programs;

mod dump;

use super::watch::{self, Lines, Roots, Round};
use crate::args::{self, ReportFormat, Stage, VerifyArgs};
use crate::files::load;
use crate::machine::threads::{self, workers};
use crate::machine::{limits, terminal};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use programs::Chosen;
use prover::diff::brief;
use prover::report::several::{self, Part};
use prover::report::text::{Detail, USUAL_WIDTH};
use prover::report::{self, Subject};
use prover::verdict::Report;
use prover::verify::{self, Config};
use smt::solve::cvc5::Cvc5;
use smt::solve::{self, CrossCheck, QueryBudget, Shared, SolverFailure};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, process};

/// No question may take longer than such a part of a file's time, so that one over which the solver hangs leaves some for
/// what is not decided yet.
const QUESTIONS: u32 = 3;

/// Compares the versions. The status says how bad the worst verdict is.
pub(crate) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Status, Failure> {
    if args.dump == Some(Stage::Ast) {
        let paths: Vec<&Path> = args.files.iter().map(AsRef::as_ref).collect();
        load::at_most_one_is_standard_input(paths.iter().copied())?;
        if args.git.is_some() {
            return Err(Failure::Usage("--dump ast is of files as they are, and not of revisions".into()));
        }
        dump::trees(&paths, out)?;
        return Ok(Status::Success);
    }
    let choose = |paths: &[&Path]| match &args.git {
        Some(revisions) => programs::of_revisions(revisions, paths, &args.procedures),
        None => programs::chosen(paths, &args.procedures),
    };
    if args.watch {
        return watched(args, choose, out);
    }
    let (backend, chosen) = match programs::begin(&args.files, args.memory, choose)? {
        Ok(begun) => begun,
        Err(status) => return Ok(status),
    };
    let round = Round::only();
    let run = Run { args, backend, chosen, round: &round };
    match args.dump {
        Some(stage) => dump::programs(&run, stage, out).map(|()| Status::Success),
        None => run.compare(&mut Kept::default(), out),
    }
}

/// Compares the versions, and again whenever they have changed.
fn watched<C>(args: &VerifyArgs, choose: C, out: &mut impl Write) -> Result<Status, Failure>
where
    C: Fn(&[&Path]) -> Result<Chosen, Vec<Failure>>,
{
    let lines = match args.format {
        ReportFormat::Text => Lines::Output,
        ReportFormat::Json => Lines::Error,
        ReportFormat::Html => {
            return Err(Failure::Usage("with --watch there is no one page: ask for text or JSON".into()));
        }
    };
    let roots = Roots::files(&args.files)?;
    let backend = solvers::start(args.memory)?;
    let mut kept = Kept::default();
    watch::repeat(&|| roots.clone(), lines, out, |round, out| match programs::legal(&args.files, &choose) {
        Ok(chosen) => Run { args, backend: backend.clone(), chosen, round }.compare(&mut kept, out),
        Err(status) => Ok(status),
    })
}

/// What was found in the round before of each program, by its texts.
type Kept = BTreeMap<Vec<String>, Report>;

/// What is to be done: the arguments, who answers questions, the programs, and until when.
struct Run<'a> {
    args: &'a VerifyArgs,
    backend: Shared,
    chosen: Chosen,
    round: &'a Round,
}

impl Run<'_> {
    /// Verifies what is not kept, reports, and writes the certificates that are wanted.
    fn compare(&self, kept: &mut Kept, out: &mut impl Write) -> Result<Status, Failure> {
        let second = if self.args.cross_check { Some(solvers::second_solver()?) } else { None };
        let directories = certificates::directories(self.args, &self.chosen)?;
        let verified = self.each(|program, config| {
            let report = kept.get(&texts(program)).cloned().unwrap_or_else(|| self.verified(program, config));
            let made = self.args.certificate.is_some().then(|| certificates::make(program, &report));
            (report, made)
        })?;
        let (mut reports, made): (Vec<_>, Vec<_>) = verified.into_iter().unzip();
        if self.args.watch {
            let whole = self.chosen.programs.iter().zip(&reports).filter(|(_, report)| report.stopped.is_none());
            kept.extend(whole.map(|(program, report)| (texts(program), report.clone())));
            kept.retain(|texts, _| self.chosen.programs.iter().any(|program| self::texts(program) == *texts));
        }
        if self.round.is_overtaken() {
            return Ok(Status::Undecided);
        }
        if let Some(cvc5) = second {
            for report in &mut reports {
                report.cross_check = Some(agreeing(&cvc5, report)?);
            }
        }
        self.report(&reports, out)?;
        for (directory, made) in directories.iter().zip(made.into_iter().flatten()) {
            certificates::save(directory, &made?)?;
        }
        Ok(status(several::overall(&reports), self.args.partial))
    }

    /// The report on a program; for people with a word on which stores differ.
    fn verified(&self, program: &Loaded, config: &Config) -> Report {
        let mut report = verify::verify(&program.unit, config);
        if self.args.format == ReportFormat::Text && self.args.strategy == args::Strategy::Default {
            brief::note(program, &mut report, config);
        }
        report
    }

    /// Does something with each program, several at once, under the bounds of the arguments.
    fn each<T: Send>(&self, work: impl Fn(&Loaded, &Config) -> T + Sync) -> Result<Vec<T>, Failure> {
        let (jobs, programs) = (self.args.jobs, &self.chosen.programs);
        let at_once = workers(jobs, programs.len());
        let done = threads::each(jobs, programs, |program| work(program, &self.config(at_once)));
        done.map_err(Failure::Thread)
    }

    /// What the arguments ask for, of a program that is begun now and is one of so many at work.
    fn config(&self, at_once: usize) -> Config {
        let args = self.args;
        let limit = Duration::from_secs(args.timeout);
        let strategy = match args.strategy {
            args::Strategy::Default => verify::Strategy::Default,
            args::Strategy::Paper => verify::Strategy::Paper,
        };
        Config {
            procedures: args.procedures.clone(),
            budget: QueryBudget { clock: limit / QUESTIONS, ..QueryBudget::default() },
            strategy,
            stop: limits::stop_under(&self.round.stop, limit, args.memory, at_once),
            explain: args.explain,
            backend: self.backend.clone(),
            ..Config::default()
        }
    }

    /// Prints what was found of the programs.
    fn report(&self, reports: &[Report], out: &mut impl Write) -> Result<(), Failure> {
        let programs = self.chosen.programs.iter();
        let parts: Vec<Part<'_>> = programs
            .zip(reports)
            .map(|(program, report)| {
                let Loaded { unit, sources } = program;
                Part { file: programs::name(program), subject: Subject { unit, sources, report } }
            })
            .collect();
        let detail = Detail { explain: self.args.explain, width: terminal::width().unwrap_or(USUAL_WIDTH) };
        match (self.args.format, parts.as_slice()) {
            (ReportFormat::Text, [Part { subject, .. }]) if !self.chosen.several => {
                write!(out, "{}", report::text::report(*subject, detail))?
            }
            (ReportFormat::Json, [Part { subject, .. }]) if !self.chosen.several => {
                out.write_all(format!("{:#}\n", report::json::report(*subject)).as_bytes())?
            }
            (ReportFormat::Text, parts) => write!(out, "{}", several::text(parts, detail))?,
            (ReportFormat::Html, parts) => write!(out, "{}", page::page(parts))?,
            (ReportFormat::Json, parts) => out.write_all(format!("{:#}\n", several::json(parts)).as_bytes())?,
        }
        Ok(())
    }
}

/// The texts of a program, each after its name.
fn texts(program: &Loaded) -> Vec<String> {
    program.sources.iter().flat_map(|(_, source)| [source.name.clone(), source.text.to_string()]).collect()
}

/// What cvc5 says of all that was proved. That it disagrees is an internal error; the query is kept, and no verdict is given.
fn agreeing(cvc5: &Cvc5, report: &Report) -> Result<CrossCheck, Failure> {
    let check = solve::cross_check(cvc5, &report.queries).map_err(|SolverFailure(cause)| Failure::Solver(cause))?;
    let Some(query) = check.disagreed.first() else { return Ok(check) };
    let path = env::temp_dir().join(format!("ape-disagreement-{}.smt2", process::id()));
    fs::write(&path, &query.smt2).map_err(|error| Failure::write(&path, error))?;
    let what = format!("{} does not agree that {}; see {}", check.solver, query.tag, path.display());
    Err(Failure::Internal(what))
}

fn status(overall: &str, partial_counts: bool) -> Status {
    match overall {
        "none" => Status::NothingSelected,
        "equivalent" => Status::Success,
        "partially-equivalent" if partial_counts => Status::Success,
        "partially-equivalent" | "unknown" => Status::Undecided,
        _ => Status::Failed,
    }
}
