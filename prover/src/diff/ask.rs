//! Questions to the solver about stores on entry.
//!
//! In: what is assumed of all stores, facts, a goal. Out: whether the goal follows; or the truth of tests in some store.
//!
//! Method: what follows in plain sight is not asked, nor what some store refutes that was found before: most questions about one pair
//! are of the same few tests.
//!
//! Invariant: the number of questions about one condition is bounded. So is that of the questions about one pair which the solver leaves
//! undecided: those cost most, and where there are many the conditions are too hard to be written. Beyond it nothing follows from
//! anything that is not in plain sight.

use super::sight::{Store, follows_in_sight, truth};
use crate::budget::diff::{FINISH_SHARE, MAX_QUESTIONS, MAX_STORES, MAX_UNDECIDED, SHARE};
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Failing, Solver};
use smt::term::Term;

/// What the questions about one pair taught.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// Stores, by the truth of tests.
    stores: Vec<Store>,
    /// How many questions were not decided.
    undecided: usize,
}

/// What there is where something is looked for.
#[derive(Clone, Debug)]
pub(super) enum Sought {
    /// A store, by the truth of the tests that were asked for.
    Store(Vec<bool>),
    /// No store.
    Nothing,
    /// Nobody knows.
    Open,
}

/// Asks questions, all under what is assumed of every store.
pub(super) struct Asker<'a> {
    /// The terms.
    pub(super) arena: &'a mut Arena,
    solver: &'a mut Solver,
    assumed: &'a [Term],
    memory: &'a mut Memory,
    left: usize,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet of the condition at hand, for stores of which something is assumed.
    pub(super) fn new(
        arena: &'a mut Arena,
        solver: &'a mut Solver,
        assumed: &'a [Term],
        memory: &'a mut Memory,
    ) -> Self {
        Asker { arena, solver, assumed, memory, left: MAX_QUESTIONS }
    }

    fn obligation(&self, facts: &[Term], goal: Term) -> Obligation {
        let assumptions = self.assumed.iter().chain(facts).copied().collect();
        Obligation { assumptions, goal, tag: Purpose::NoDifference.into() }
    }

    /// Whether the goal follows from the facts.
    pub(super) fn follows(&mut self, facts: &[Term], goal: Term) -> bool {
        self.follows_with(SHARE, facts, goal)
    }

    /// The same where only the wording turns on it: with less of the budget.
    pub(super) fn clearly_follows(&mut self, facts: &[Term], goal: Term) -> bool {
        self.follows_with(FINISH_SHARE, facts, goal)
    }

    fn follows_with(&mut self, share: u32, facts: &[Term], goal: Term) -> bool {
        if self.is_in_sight(facts, goal) {
            return true;
        }
        if self.is_refuted(facts, goal) || !self.may_ask() {
            return false;
        }
        let obligation = self.obligation(facts, goal);
        let answer = self.solver.with_share(share, |solver| solver.prove(self.arena, &obligation));
        if matches!(answer, Answer::Unknown(_)) {
            self.memory.undecided += 1;
        }
        answer == Answer::Holds
    }

    /// Whether the goal follows from the facts by what each says of numbers, and by the form of the goal.
    pub(super) fn is_in_sight(&mut self, facts: &[Term], goal: Term) -> bool {
        let all: Vec<Term> = self.assumed.iter().chain(facts).copied().collect();
        facts.contains(&goal) || follows_in_sight(&mut self.arena.terms, &all, goal)
    }

    /// Whether the facts hold in a store that was found before, and the goal does not.
    fn is_refuted(&self, facts: &[Term], goal: Term) -> bool {
        let terms = &self.arena.terms;
        let holds = |store: &Store| facts.iter().all(|&fact| truth(terms, fact, store) == Some(true));
        self.memory.stores.iter().any(|store| holds(store) && truth(terms, goal, store) == Some(false))
    }

    /// Counts a question, if one more may be asked.
    fn may_ask(&mut self) -> bool {
        let may = self.left > 0 && self.memory.undecided < MAX_UNDECIDED;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// Whether no store satisfies the facts.
    pub(super) fn impossible(&mut self, facts: &[Term]) -> bool {
        let never = self.arena.terms.bool(false);
        self.follows(facts, never)
    }

    /// A store that satisfies the facts, by the truth of some tests.
    pub(super) fn store(&mut self, facts: &[Term], tests: &[Term]) -> Sought {
        let never = self.arena.terms.bool(false);
        if self.is_in_sight(facts, never) {
            return Sought::Nothing;
        }
        if let Some(known) = self.known_store(facts, tests) {
            return Sought::Store(known);
        }
        if !self.may_ask() {
            return Sought::Open;
        }
        let obligation = self.obligation(facts, never);
        match self.solver.with_share(SHARE, |solver| solver.failing(self.arena, &obligation, tests)) {
            Failing::At(values) => {
                let values: Vec<bool> = values.iter().map(|value| value == "1").collect();
                if self.memory.stores.len() < MAX_STORES {
                    self.memory.stores.push(tests.iter().copied().zip(values.iter().copied()).collect());
                }
                Sought::Store(values)
            }
            Failing::Nowhere => Sought::Nothing,
            Failing::Open => {
                self.memory.undecided += 1;
                Sought::Open
            }
        }
    }

    /// A store that was found before.
    fn known_store(&self, facts: &[Term], tests: &[Term]) -> Option<Vec<bool>> {
        let terms = &self.arena.terms;
        let holds = |store: &&Store| facts.iter().all(|&fact| truth(terms, fact, store) == Some(true));
        let mut fitting = self.memory.stores.iter().filter(holds);
        fitting.find_map(|store| tests.iter().map(|&test| truth(terms, test, store)).collect())
    }
}
