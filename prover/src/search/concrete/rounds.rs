//! In which order inputs are made up, and when to give up.
//!
//! In: hints, a budget, and what to do with an input. Out: the first thing that came of it.
//!
//! Invariant: deterministic; ends when the budget is used or nothing is left to try.

use super::Hint;
use super::choices::Choices;
use super::integers::integers;
use super::lazy::Lazy;
use crate::budget::concrete::{
    InputBounds, LEAST_RUNS, MAX_RUNS_NEAR_HINT, MAX_SEEDED, NEAR_HINTS, ROUNDS, SearchBudget,
};
use lang_l::heap::{Input, Store};
use lang_l::hir::{Procedure, Unit};
use lang_l::interp::Behaviour;
use num_bigint::BigInt;
use smt::stop;

/// A search with what it has used of its budget.
pub(super) struct Rounds<'u> {
    unit: &'u Unit,
    procedure: &'u Procedure,
    integers: Vec<BigInt>,
    externals: Vec<Behaviour>,
    /// The input with nothing set.
    nothing: Input,
    budget: SearchBudget,
    inputs: u64,
    steps: u64,
}

/// Runs on what is made of an input; what came of it, if anything did. Adds to the steps what it ran.
pub(super) type Attempt<'a, T> = dyn FnMut(Input, &mut Lazy<'_>, &mut u64) -> Option<T> + 'a;

/// One series of runs.
#[derive(Clone, Copy)]
struct Series<'i> {
    /// What is set from the start.
    base: &'i Input,
    bounds: InputBounds,
    externals: Behaviour,
    /// The most runs.
    most: u64,
}

/// How far a series got.
enum Progress<T> {
    Found(T),
    /// Every way was taken.
    All,
    /// The share was used before that.
    Some,
}

impl<'u> Rounds<'u> {
    /// For inputs of this procedure.
    pub(super) fn new(unit: &'u Unit, procedure: &'u Procedure, budget: SearchBudget) -> Self {
        let procedures = || unit.versions.iter().flat_map(|version| &version.procedures);
        let externals = match procedures().any(|procedure| procedure.body.is_none()) {
            true => {
                [Behaviour::Skip, Behaviour::Error].into_iter().chain((0..MAX_SEEDED).map(Behaviour::Seeded)).collect()
            }
            false => vec![Behaviour::Skip],
        };
        let nothing = Input { arguments: vec![None; procedure.params], store: Store::default() };
        Rounds { unit, procedure, integers: integers(unit), externals, nothing, budget, inputs: 0, steps: 0 }
    }

    /// Makes up inputs until `attempt` finds something or the budget is used.
    pub(super) fn explore<T>(&mut self, hints: &[Hint], attempt: &mut Attempt<'_, T>) -> Option<T> {
        for (hint, externals) in hints {
            if !hint.fits(self.unit, self.procedure) {
                continue;
            }
            let bounds = InputBounds { objects: hint.store.heap.len() + 1, ..NEAR_HINTS };
            let series = Series { base: hint, bounds, externals: *externals, most: MAX_RUNS_NEAR_HINT };
            if let Some(found) = self.both_ways(series, 0, attempt) {
                return Some(found);
            }
        }
        let nothing = self.nothing.clone();
        for (round, bounds) in ROUNDS.into_iter().enumerate() {
            // Each round may use as much as all before it together, and half of that goes to ways drawn at random.
            let share = self.budget.inputs >> (ROUNDS.len() - round);
            let most = (share / 2 / self.externals.len() as u64).max(LEAST_RUNS);
            for (at, externals) in self.externals.clone().into_iter().enumerate() {
                let seed = (round * self.externals.len() + at) as u64;
                let series = Series { base: &nothing, bounds, externals, most };
                if let Some(found) = self.both_ways(series, seed, attempt) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Takes ways in order and then, unless these were all, at random.
    fn both_ways<T>(&mut self, series: Series<'_>, seed: u64, attempt: &mut Attempt<'_, T>) -> Option<T> {
        for choices in [Choices::default(), Choices::random(seed)] {
            match self.take_ways(series, choices, attempt) {
                Progress::Found(found) => return Some(found),
                Progress::All => break,
                Progress::Some => {}
            }
        }
        None
    }

    fn take_ways<T>(&mut self, series: Series<'_>, mut choices: Choices, attempt: &mut Attempt<'_, T>) -> Progress<T> {
        for _ in 0..series.most {
            if self.inputs >= self.budget.inputs || self.steps >= self.budget.steps || stop::fired().is_some() {
                return Progress::Some;
            }
            self.inputs += 1;
            let mut environment = Lazy::new(&mut choices, series.bounds, &self.integers, series.externals);
            if let Some(found) = attempt(series.base.clone(), &mut environment, &mut self.steps) {
                return Progress::Found(found);
            }
            if !choices.next_run() {
                return Progress::All;
            }
        }
        Progress::Some
    }
}
