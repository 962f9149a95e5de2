//! Questions about what follows, bounded in number.
//!
//! In: what is known, and goals. Out: which of them do not follow.
//!
//! Products are first taken for functions of which little is known: most follows without a look into them. A model in which some
//! goals fail tells of all these at once.
//!
//! Invariant: what is not asked, or not decided, does not follow.

use super::houdini;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose, linearised_with};
use smt::solve::{Solver, Together};
use smt::term::Term;
use std::collections::BTreeSet;

/// Who asks.
pub(crate) struct Asking<'a> {
    /// Who answers.
    pub(crate) solver: &'a mut Solver,
    /// What terms are of.
    pub(crate) arena: &'a mut Arena,
    /// How many more questions may be asked.
    pub(crate) queries: &'a mut usize,
    /// What they are for.
    pub(crate) purpose: &'a Purpose,
    /// Whether products are looked into where that helps.
    pub(crate) exact: bool,
}

impl Asking<'_> {
    /// Whether a goal follows.
    pub(crate) fn follows(&mut self, known: &[Term], goal: Term) -> bool {
        self.unproved(known, &[goal]).is_empty()
    }

    /// The positions of the goals that do not follow.
    pub(crate) fn unproved(&mut self, known: &[Term], goals: &[Term]) -> BTreeSet<usize> {
        let mut has_products = false;
        let failed = houdini::unproved(goals, |goals| {
            let obligation = self.obligation(known, goals);
            match linearised_with(self.arena, &obligation, goals) {
                Some((linear, goals)) => {
                    has_products = true;
                    self.ask(&linear, &goals)
                }
                None => self.ask(&obligation, goals),
            }
        });
        if !self.exact || !has_products {
            return failed;
        }
        let positions: Vec<usize> = failed.into_iter().collect();
        let open: Vec<Term> = positions.iter().map(|&at| goals[at]).collect();
        let failed = houdini::unproved(&open, |goals| {
            let obligation = self.obligation(known, goals);
            self.ask(&obligation, goals)
        });
        failed.into_iter().map(|at| positions[at]).collect()
    }

    fn obligation(&mut self, known: &[Term], goals: &[Term]) -> Obligation {
        let goal = self.arena.terms.and(goals);
        Obligation { assumptions: known.to_vec(), goal, tag: self.purpose.clone().into() }
    }

    fn ask(&mut self, obligation: &Obligation, goals: &[Term]) -> Together {
        let Some(left) = self.queries.checked_sub(1) else { return Together::Open };
        *self.queries = left;
        self.solver.prove_all(self.arena, obligation, goals)
    }
}
