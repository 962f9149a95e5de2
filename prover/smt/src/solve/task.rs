//! What questions are asked for.

use lang_l::hir::ProcId;
use lang_l::source::Span;

/// A part of the work that stands or falls alone: when the solver breaks down, this is what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// A look at one procedure without the other version; of procedures that call each other, at all from one on.
    Alone {
        /// The version it is of.
        version: usize,
        /// The procedure.
        procedure: ProcId,
    },
    /// The proof of a pair.
    Pair {
        /// The procedure of version 0.
        left: ProcId,
        /// The procedure of version 1.
        right: ProcId,
        /// Where the condition stands under which they are compared, if there is one.
        when: Option<Span>,
    },
}

impl Task {
    /// Whether the two may be done in one process: each pair has one of its own, and so has all of a version alone.
    pub(super) fn shares_process(self, other: Task) -> bool {
        match (self, other) {
            (Task::Alone { version, .. }, Task::Alone { version: others, .. }) => version == others,
            _ => self == other,
        }
    }
}
