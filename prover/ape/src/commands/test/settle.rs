//! What is found of one case.
//!
//! In: a case. Out: its [`Outcome`]: each pair from the cache, where what it proves is what is expected; else verified afresh, with
//! all others of its part that are not known.

use super::baseline::Baseline;
use super::cache::{self, Cache, Claims};
use super::expectation::{self, Judgement, Word, judge};
use super::filter::{Facts, Filter};
use super::find::Case;
use super::outcome::{LeftOut, Outcome, PairOutcome, Place};
use super::part::{Part, parts};
use super::program::{self, Expected, Program};
use super::since::Since;
use crate::commands::verify::pairs::Pair;
use crate::status::Failure;
use lang_l::Loaded;
use lang_l::hir::ProcId;
use prover::report::Subject;
use prover::report::text::{Detail, pair_text};
use prover::verdict::{PairReport, Report, Verdict};
use prover::verify::{self, Config};
use smt::stop::Stop;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What all cases are looked at with.
pub(super) struct Bench<'a> {
    /// Which pairs are wanted.
    pub(super) filter: &'a Filter,
    /// Only pairs that have changed since, if that is wanted.
    pub(super) since: Option<&'a Since>,
    /// What is expected of pairs whose files do not say it.
    pub(super) baseline: &'a Baseline,
    /// Where results are kept, if they are.
    pub(super) cache: Option<&'a Cache>,
    /// What this run is about to prove, where others are to know of it.
    pub(super) claims: Option<&'a Claims>,
    /// The bounds of a case that is begun now.
    pub(super) config: &'a (dyn Fn() -> Config + Sync),
    /// Ends the run.
    pub(super) stop: &'a Stop,
    /// How reports are laid out.
    pub(super) detail: Detail,
    /// Whether expectations of pairs that are not there are mended, and so no failure.
    pub(super) bless: bool,
}

/// A case that was looked at, with what blessing it needs.
pub(super) struct Settled {
    /// What came of it.
    pub(super) outcome: Outcome,
    /// Its program, where it was read.
    pub(super) program: Option<Program>,
    /// Which pairs of the program the outcome speaks of.
    pub(super) selected: Vec<usize>,
}

impl Bench<'_> {
    /// Looks at a case.
    pub(super) fn settle(&self, case: &Case) -> Settled {
        let start = Instant::now();
        let mut settled =
            if self.stop.reason().is_some() { left_out(case, LeftOut::Interrupted) } else { self.opened(case) };
        settled.outcome.time = start.elapsed();
        settled
    }

    fn opened(&self, case: &Case) -> Settled {
        match program::open(case, self.baseline).and_then(|program| self.of_pairs_that_are_there(program)) {
            Err(failure) => Settled { outcome: outcome_of(case, Err(failure)), program: None, selected: Vec::new() },
            Ok(None) => left_out(case, LeftOut::Single),
            Ok(Some(program)) => {
                let selected = self.selected(case, &program);
                if selected.is_empty() {
                    // Expectations of pairs that are not there are still to be mended.
                    return Settled { program: Some(program), ..left_out(case, LeftOut::Filtered) };
                }
                let pairs = self.pairs(&program, &selected);
                if let Some(claims) = self.claims {
                    claims.release(&name(&program, &selected));
                }
                let sources = cache::digest(&program.loaded);
                let outcome = Outcome { sources, ..outcome_of(case, Ok(pairs)) };
                Settled { outcome, program: Some(program), selected }
            }
        }
    }

    /// Under which name a run claims a case; `None` where nothing is to be found of it.
    pub(super) fn name(&self, case: &Case) -> Option<String> {
        let program = program::open(case, self.baseline).ok().flatten()?;
        let selected = self.selected(case, &program);
        (!selected.is_empty()).then(|| name(&program, &selected))
    }

    /// Refuses a program of which something is expected that it does not have, unless that is about to be mended.
    fn of_pairs_that_are_there(&self, program: Option<Program>) -> Result<Option<Program>, Failure> {
        match program.as_ref().and_then(|program| program.of_nothing.first()) {
            Some((place, expectation)) if !self.bless => Err(Failure::Usage(format!(
                "{}:{}: a verdict is expected of {}, and there is no such pair",
                place.file, place.line, expectation.pair
            ))),
            _ => Ok(program),
        }
    }

    /// The pairs that the filter takes.
    fn selected(&self, case: &Case, program: &Program) -> Vec<usize> {
        let changed = |at: usize| {
            let key = || &program.pairs[at].of.key;
            self.filter.needs_cache() && !self.cache.is_some_and(|cache| cache.has(key()))
        };
        let new = self.since.map(|since| since.changed(case, program));
        let is_new = |at: usize| new.as_ref().is_none_or(|new| new.get(at).copied().unwrap_or(true));
        let takes = |at: usize, pair: &Expected| {
            let expected = pair.expectation.as_ref().map_or(&[][..], |expectation| &expectation.verdicts);
            let label = expectation::label(&pair.of.asked);
            let procedures = [pair.of.asked.left.as_str(), pair.of.asked.right.as_str()];
            let facts = Facts { label: &label, procedures, file: &case.name, expected, changed: changed(at) };
            pair.counts() && self.filter.holds(&facts)
        };
        program
            .pairs
            .iter()
            .enumerate()
            .filter(|(at, pair)| is_new(*at) && takes(*at, pair))
            .map(|(at, _)| at)
            .collect()
    }

    /// What is found of the selected pairs, in their order. What is not as expected is verified afresh: it is told in full, and not
    /// even a forged cache can hide what is expected.
    fn pairs(&self, program: &Program, selected: &[usize]) -> Vec<PairOutcome> {
        let mut found: BTreeMap<String, PairOutcome> = BTreeMap::new();
        for part in of_pairs(program, selected.iter().copied()) {
            found.extend(self.kept(program, &part));
            let is_missing = |at: &usize| !found.contains_key(&program.pairs[*at].of.key);
            let missing: Vec<usize> =
                part.pairs.iter().filter_map(|pair| program.at(&pair.key)).filter(is_missing).collect();
            for part in of_pairs(program, missing) {
                found.extend(self.verified(program, &part));
            }
        }
        // One pair may be asked for twice.
        selected.iter().filter_map(|&at| found.get(&program.pairs[at].of.key).cloned()).collect()
    }

    /// The pairs of a part that the cache knows to be as is expected, or better.
    fn kept(&self, program: &Program, part: &Part) -> Vec<(String, PairOutcome)> {
        let Some(cache) = self.cache else { return Vec::new() };
        let known = cache.get(part);
        let of = |pair: &Pair| {
            let (known, at) = (known.get(&pair.key)?, program.at(&pair.key)?);
            let new = outcome(program, &program.pairs[at], known.word, known.why.clone());
            (new.judgement != Judgement::Worse).then(|| (pair.key.clone(), PairOutcome { cached: true, ..new }))
        };
        part.pairs.iter().filter_map(of).collect()
    }

    /// The pairs of a part, verified together, and kept for the next run.
    fn verified(&self, program: &Program, part: &Part) -> Vec<(String, PairOutcome)> {
        let names = part.pairs.iter().flat_map(|pair| [pair.asked.left.clone(), pair.asked.right.clone()]);
        let report = verify::verify(&part.program.unit, &Config { procedures: names.collect(), ..(self.config)() });
        if let Some(cache) = self.cache {
            cache.put(part, &report);
        }
        let of = |pair: &Pair| {
            let told = self.told(program, &program.pairs[program.at(&pair.key)?], (part, &report));
            Some((pair.key.clone(), told))
        };
        part.pairs.iter().filter_map(of).collect()
    }

    /// What a report says of a pair.
    fn told(&self, program: &Program, expected: &Expected, (part, report): (&Part, &Report)) -> PairOutcome {
        let asked = &expected.of.asked;
        let is = |of: &&PairReport| (&of.left, &of.right, &of.when) == (&asked.left, &asked.right, &asked.when);
        let Some(pair) = report.pairs.iter().find(is) else {
            return outcome(program, expected, Word::Unknown, "nothing was said of it".to_string());
        };
        let word = Word::read(pair.verdict.word()).unwrap_or(Word::Unknown);
        let mut outcome = outcome(program, expected, word, why(pair));
        outcome.cut_short = word == Word::Unknown && report.stopped.is_some();
        if outcome.judgement == Judgement::Worse {
            let (unit, sources) = (&part.program.unit, &program.loaded.sources);
            outcome.detail = pair_text(Subject { unit, sources, report }, pair, self.detail);
        }
        outcome
    }
}

/// The parts of a program that some of its pairs depend on.
fn of_pairs(program: &Program, selected: impl IntoIterator<Item = usize>) -> Vec<Part> {
    parts(&program.loaded, selected.into_iter().map(|at| program.pairs[at].of.clone()))
}

/// What is claimed by who verifies some pairs of a program.
fn name(program: &Program, selected: &[usize]) -> String {
    Cache::name(selected.iter().map(|&at| &program.pairs[at].of.key))
}

/// In one line how a verdict came about, in the words of a replay.
fn why(pair: &PairReport) -> String {
    match &pair.verdict {
        Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof) => proof.rule.name.to_string(),
        Verdict::NotEquivalent(witness) => format!("both were run: {}", witness.contrast().sentence()),
        Verdict::ContractViolation(witness) => format!("a run violates a contract: {}", witness.violation().message),
        Verdict::Unknown(reason) => reason.what.clone(),
    }
}

fn outcome(program: &Program, pair: &Expected, found: Word, why: String) -> PairOutcome {
    let expected = pair.expectation.as_ref().map(|expectation| expectation.verdicts.clone()).unwrap_or_default();
    let (left, right) = pair.of.asked.pair;
    PairOutcome {
        label: expectation::label(&pair.of.asked),
        found,
        why,
        judgement: judge(&expected, found),
        expected,
        cut_short: false,
        cached: false,
        places: [place(&program.loaded, 0, left), place(&program.loaded, 1, right)],
        detail: String::new(),
    }
}

fn place(loaded: &Loaded, version: usize, procedure: ProcId) -> Place {
    let span = loaded.unit.versions[version].procedure(procedure).name_span;
    Place {
        file: loaded.sources.get(span.file).name.clone(),
        line: loaded.sources.line(span),
        column: loaded.sources.column(span),
    }
}

fn left_out(case: &Case, why: LeftOut) -> Settled {
    let outcome = Outcome { left_out: Some(why), ..outcome_of(case, Ok(Vec::new())) };
    Settled { outcome, program: None, selected: Vec::new() }
}

fn outcome_of(case: &Case, result: Result<Vec<PairOutcome>, Failure>) -> Outcome {
    let (file, sources) = (case.name.clone(), String::new());
    Outcome { file, sources, result, left_out: None, time: Duration::ZERO }
}
