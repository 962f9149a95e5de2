//! Questions to the solver about stores on entry.
//!
//! In: what is assumed of all stores, facts, a goal. Out: whether the goal follows; or the truth of atoms in some store.
//!
//! Invariant: the number of questions about one condition is bounded, and so is that of the questions which the solver leaves
//! undecided: those cost most, and where there are many the condition is too hard to be written. Beyond it nothing follows from
//! anything.

use crate::budget::diff::{MAX_QUESTIONS, MAX_UNDECIDED, SHARE};
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::Term;

/// Asks questions, all under what is assumed of every store.
pub(super) struct Asker<'a> {
    /// The terms.
    pub(super) arena: &'a mut Arena,
    /// Who answers.
    pub(super) solver: &'a mut Solver,
    /// What holds of every store that is looked at.
    pub(super) assumed: Vec<Term>,
    left: usize,
    undecided: usize,
}

impl<'a> Asker<'a> {
    /// Nothing asked yet.
    pub(super) fn new(arena: &'a mut Arena, solver: &'a mut Solver, assumed: Vec<Term>) -> Self {
        Asker { arena, solver, assumed, left: MAX_QUESTIONS, undecided: 0 }
    }

    fn obligation(&self, facts: &[Term], goal: Term) -> Obligation {
        let assumptions = self.assumed.iter().chain(facts).copied().collect();
        Obligation { assumptions, goal, tag: Purpose::NoDifference.into() }
    }

    /// Whether the goal follows from the facts.
    pub(super) fn follows(&mut self, facts: &[Term], goal: Term) -> bool {
        if self.arena.terms.is_true(goal) || facts.contains(&goal) {
            return true;
        }
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        let obligation = self.obligation(facts, goal);
        let answer = self.solver.with_share(SHARE, |solver| solver.prove(self.arena, &obligation));
        if matches!(answer, Answer::Unknown(_)) {
            self.leave_undecided();
        }
        answer == Answer::Holds
    }

    /// Counts a question that the solver did not decide.
    fn leave_undecided(&mut self) {
        self.undecided += 1;
        if self.undecided == MAX_UNDECIDED {
            self.left = 0;
        }
    }

    /// Whether no store satisfies the facts.
    pub(super) fn impossible(&mut self, facts: &[Term]) -> bool {
        let never = self.arena.terms.bool(false);
        self.follows(facts, never)
    }

    /// The truth of some atoms in a store that satisfies the facts, if one is found.
    pub(super) fn store(&mut self, facts: &[Term], atoms: &[Term]) -> Option<Vec<bool>> {
        self.left = self.left.checked_sub(1)?;
        let never = self.arena.terms.bool(false);
        let obligation = self.obligation(facts, never);
        let values = self.solver.with_share(SHARE, |solver| solver.model(self.arena, &obligation, atoms));
        if values.is_none() {
            self.leave_undecided();
        }
        Some(values?.iter().map(|value| value == "1").collect())
    }
}
