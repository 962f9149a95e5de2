//! Stores of all sorts, and what both versions do from each: what conditions are learned from.
//!
//! In: a pair and a budget. Out: [`Sample`]s, each of another store.
//!
//! Invariant: deterministic; nothing in the store of a sample is unset.
//! Invariant: claims nothing: a run that was stopped is taken for one that never ends.

use super::{Lazy, Rounds, SearchBudget};
use crate::budget::concrete::{SEARCH, SOON};
use crate::search::witness::{RunPair, compare};
use lang_l::heap::Input;
use lang_l::interp::{Job, Outcome, Run, Sequential, holds, run};
use lang_l::store_json::completed;

/// How two runs from one store compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// They do the same.
    Equal,
    /// Both end, and differ.
    Differ,
    /// One ends, and the other seems not to.
    OneEnds,
}

/// A store, and what both did from it.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What both started from.
    pub input: Input,
    /// How each ended.
    pub outcomes: [Outcome; 2],
    /// How that compares.
    pub meeting: Meeting,
}

/// As many samples of a pair as there is budget for, at most `most`.
pub fn samples(pair: &RunPair<'_>, most: usize, budget: SearchBudget) -> Vec<Sample> {
    let mut found: Vec<Sample> = Vec::new();
    let mut attempt = |base: Input, environment: &mut Lazy<'_>, steps: &mut u64| {
        let job = |version, procedure| Job { unit: pair.unit, version, procedure, limits: SEARCH };
        let mut input = base;
        if let Some(when) = pair.when {
            let (holds, read) = holds(&job(0, pair.left), when, input, environment);
            if !holds {
                return None;
            }
            input = read;
        }
        let first = run(&job(0, pair.left), input, environment);
        let second = run(&job(1, pair.right), first.input, environment);
        // They are run again from the whole store.
        *steps += 2 * (first.work + second.work);
        found.extend(sample(pair, &second.input).filter(|new| found.iter().all(|known| known.input != new.input)));
        (found.len() >= most).then_some(())
    };
    let _full = Rounds::new(pair.unit, pair.left_procedure(), budget).explore(&[], &mut attempt);
    found
}

/// What both do from one store; `None` where that is no store they can be run from, or a contract fails.
pub fn sample(pair: &RunPair<'_>, input: &Input) -> Option<Sample> {
    let input = completed(pair.unit, pair.left_procedure(), input);
    if !input.fits(pair.unit, pair.left_procedure()) {
        return None;
    }
    let runs = [(0, pair.left), (1, pair.right)].map(|(version, procedure)| {
        let job = Job { unit: pair.unit, version, procedure, limits: SEARCH };
        run(&job, input.clone(), &mut Sequential::after(&input))
    });
    let meeting = meeting(pair, &input, [&runs[0], &runs[1]])?;
    Some(Sample { input, outcomes: runs.map(|run| run.outcome), meeting })
}

/// How the two compare; `None` where that cannot be seen.
fn meeting(pair: &RunPair<'_>, input: &Input, [left, right]: [&Run; 2]) -> Option<Meeting> {
    let repeats = |run: &Run| matches!(run.outcome, Outcome::Diverged(_));
    let goes_on = |run: &Run| matches!(run.outcome, Outcome::Diverged(_) | Outcome::OutOfBudget(_));
    let ends = |run: &Run| matches!(run.outcome, Outcome::Normal(_) | Outcome::Error(_));
    // Of two that take long one is not stopped much earlier than the other.
    let ends_soon = |run: &Run| ends(run) && run.work < SEARCH.steps / SOON;
    match (left, right) {
        _ if repeats(left) && repeats(right) => Some(Meeting::Equal),
        _ if goes_on(left) && ends_soon(right) || goes_on(right) && ends_soon(left) => Some(Meeting::OneEnds),
        _ if ends(left) && ends(right) => {
            let contrast = compare(pair.unit, input, &left.outcome, &right.outcome);
            Some(if contrast.is_some() { Meeting::Differ } else { Meeting::Equal })
        }
        _ => None,
    }
}
