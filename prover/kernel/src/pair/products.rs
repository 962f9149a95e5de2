//! Questions in which products of variables occur.
//!
//! Most follows where nothing is known of products but that equal factors make equal ones: the question is then *linear*, and soon
//! answered. For some it takes all that is true of products. Evidence names these by number, in the order in which they are asked, so
//! that a proof made anew asks just what was answered by yes.
//!
//! Invariant: of a question one of the two forms is asked, unless an engine wants to know which.

use smt::arena::Arena;
use smt::obligation::{Obligation, linearised};
use smt::solve::{Answer, Solver};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The questions about products in one proof.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// How many there were.
    count: Cell<usize>,
    /// Those for which all is known of products.
    exact: RefCell<BTreeSet<usize>>,
    /// Whether those that fail without become such.
    tries: bool,
}

impl Asked {
    /// As evidence has it.
    pub(super) fn of(exact: &BTreeSet<usize>) -> Self {
        Asked { exact: exact.clone().into(), ..Asked::default() }
    }

    /// Finds out which questions need all that is true of products.
    pub(super) fn trying() -> Self {
        Asked { tries: true, ..Asked::default() }
    }

    /// The questions that need it.
    pub(super) fn exact(self) -> BTreeSet<usize> {
        self.exact.into_inner()
    }

    /// Whether the obligation is met.
    pub(super) fn holds(&self, obligation: &Obligation, arena: &mut Arena, solver: &mut Solver) -> bool {
        let linear = linearised(arena, obligation);
        let mut asked = |question| solver.prove(arena, question) == Answer::Holds;
        let Some(linear) = linear else { return asked(obligation) };
        let number = self.count.replace(self.count.get() + 1);
        if self.exact.borrow().contains(&number) {
            return asked(obligation);
        }
        if asked(&linear) {
            return true;
        }
        let closer = self.tries && asked(obligation);
        if closer {
            self.exact.borrow_mut().insert(number);
        }
        closer
    }
}
