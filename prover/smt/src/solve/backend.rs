//! What decides queries: the seam behind [`Solver`](super::Solver).
//!
//! In: a [`Question`], text alone. Out: an [`Answer`], or the cause why none will come.
//!
//! To add a backend: implement [`Backend`], and give it to [`Solver::with_backend`](super::Solver::with_backend), or for a
//! whole run to `prover::verify::Config::backend`.
//!
//! Invariant: an answer depends on the question alone, not on what was asked before, nor by whom.

use super::{Answer, Task};
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::time::Duration;

/// A text to be decided, with bounds.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The text; every assertion starts a line.
    pub smt2: &'q str,
    /// How it is to be treated.
    pub logic: Logic,
    /// Z3 resource units.
    pub rlimit: u32,
    /// The safety net: after this long the work is interrupted, and the answer says so.
    pub clock: Duration,
    /// Where the solver's own choices start.
    pub seed: u32,
    /// What it is asked for, if that is known; the answer does not depend on it.
    pub task: Option<Task>,
}

/// How a text is to be treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Logic {
    /// It has no quantifiers; that it holds is `unsat`.
    QuantifierFree,
    /// The same; and where it fails the answer is to hold a model.
    Model,
    /// Quantifiers are instantiated by their triggers, and in no other way; that it holds is `unsat`.
    ByTriggers,
}

/// Why a question got no answer, and the task it was asked for should get none either: not a limit of the method, but
/// a solver that died, hung or ran out of memory. In words that follow "because".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolverFailure(pub String);

/// Something that decides questions; from several threads at once.
pub trait Backend: Debug + Send + Sync {
    /// Decides a question.
    ///
    /// # Errors
    /// The cause, when whatever does the work broke down over it.
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure>;

    /// Is told that nothing more will be asked for this task soon.
    fn done(&self, _task: Task) {}
}
