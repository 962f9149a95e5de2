//! What is found of one case.
//!
//! In: a case. Out: its [`Outcome`]: from the cache, where what it proves is what is expected; else verified afresh.

use super::baseline::Baseline;
use super::cache::{self, Cache, Claims, Known};
use super::expectation::{self, Judgement, Word, judge};
use super::filter::{Facts, Filter};
use super::find::Case;
use super::outcome::{LeftOut, Outcome, PairOutcome, Place};
use super::program::{self, Expected, Program};
use super::since::Since;
use crate::status::Failure;
use lang_l::Loaded;
use lang_l::hir::ProcId;
use prover::report::Subject;
use prover::report::text::{Detail, pair_text};
use prover::verdict::{PairReport, Report, Verdict};
use prover::verify::{self, Asked, Config};
use smt::stop::Stop;
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
                let (pairs, cached) = self.pairs(&program, &selected);
                if let Some(claims) = self.claims {
                    claims.release(&Cache::name(&program.loaded));
                }
                let sources = cache::digest(&program.loaded);
                let outcome = Outcome { cached, sources, ..outcome_of(case, Ok(pairs)) };
                Settled { outcome, program: Some(program), selected }
            }
        }
    }

    /// Under which name the result of a case is kept; `None` where nothing is to be found of it.
    pub(super) fn name(&self, case: &Case) -> Option<String> {
        let program = program::open(case, self.baseline).ok().flatten()?;
        (!self.selected(case, &program).is_empty()).then(|| Cache::name(&program.loaded))
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
        let changed = self.filter.needs_cache() && !self.cache.is_some_and(|cache| cache.has(&program.loaded));
        let new = self.since.map(|since| since.changed(case, program));
        let is_new = |at: usize| new.as_ref().is_none_or(|new| new.get(at).copied().unwrap_or(true));
        let takes = |pair: &Expected| {
            let expected = pair.expectation.as_ref().map_or(&[][..], |expectation| &expectation.verdicts);
            let label = expectation::label(&pair.asked);
            let procedures = [pair.asked.left.as_str(), pair.asked.right.as_str()];
            let facts = Facts { label: &label, procedures, file: &case.name, expected, changed };
            pair.counts() && self.filter.holds(&facts)
        };
        program.pairs.iter().enumerate().filter(|(at, pair)| is_new(*at) && takes(pair)).map(|(at, _)| at).collect()
    }

    /// What is found of the selected pairs, and whether all of it came from the cache. What is not as expected is verified afresh:
    /// it is told in full, and not even a forged cache can hide what is expected.
    fn pairs(&self, program: &Program, selected: &[usize]) -> (Vec<PairOutcome>, bool) {
        let asked: Vec<&Asked> = program.pairs.iter().map(|pair| &pair.asked).collect();
        let kept = self.cache.and_then(|cache| cache.get(&program.loaded, &asked));
        if let Some(kept) = kept {
            let pairs: Vec<PairOutcome> =
                selected.iter().map(|&at| from_cache(program, &program.pairs[at], &kept[at])).collect();
            if pairs.iter().all(|pair| pair.judgement != Judgement::Worse) {
                return (pairs, true);
            }
        }
        let report = verify::verify(&program.loaded.unit, &(self.config)());
        if let Some(cache) = self.cache {
            cache.put(&program.loaded, &report);
        }
        (selected.iter().map(|&at| self.verified(program, &report, at)).collect(), false)
    }

    fn verified(&self, program: &Program, report: &Report, at: usize) -> PairOutcome {
        let expected = &program.pairs[at];
        let Some(pair) = report.pairs.get(at) else {
            return outcome(program, expected, Word::Unknown, "nothing was said of it".to_string());
        };
        let word = Word::read(pair.verdict.word()).unwrap_or(Word::Unknown);
        let mut outcome = outcome(program, expected, word, why(pair));
        outcome.cut_short = word == Word::Unknown && report.stopped.is_some();
        if outcome.judgement == Judgement::Worse {
            let Loaded { unit, sources } = &program.loaded;
            outcome.detail = pair_text(Subject { unit, sources, report }, pair, self.detail);
        }
        outcome
    }
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

fn from_cache(program: &Program, pair: &Expected, known: &Known) -> PairOutcome {
    outcome(program, pair, known.word, known.why.clone())
}

fn outcome(program: &Program, pair: &Expected, found: Word, why: String) -> PairOutcome {
    let expected = pair.expectation.as_ref().map(|expectation| expectation.verdicts.clone()).unwrap_or_default();
    let (left, right) = pair.asked.pair;
    PairOutcome {
        label: expectation::label(&pair.asked),
        found,
        why,
        judgement: judge(&expected, found),
        expected,
        cut_short: false,
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
    Outcome { file, sources, result, cached: false, left_out: None, time: Duration::ZERO }
}
