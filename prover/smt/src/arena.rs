//! The arena of one proof: its terms, its heaps and its calls.
//!
//! Invariant: ids are indexes into the arena that made them, and mean nothing elsewhere.

use crate::heap::{HeapId, Heaps};
use crate::term::{CallId, Term, Terms};
use lang_l::hir::{ProcId, Unit};
use lang_l::source::Span;

/// The terms, heaps and calls of one proof.
#[derive(Debug)]
pub struct Arena {
    /// The terms.
    pub terms: Terms,
    /// The heaps.
    pub heaps: Heaps,
    calls: Vec<CallRecord>,
}

impl Arena {
    /// An empty arena for the objects of `unit`.
    pub fn new(unit: &Unit) -> Self {
        let mut terms = Terms::new();
        terms.of_program(unit);
        Arena { terms, heaps: Heaps::new(unit), calls: Vec::new() }
    }

    /// What is known of a call.
    pub fn record(&self, call: CallId) -> &CallRecord {
        &self.calls[call.0 as usize]
    }

    /// Keeps what is known of a call that [`Terms::new_call`] has just made.
    pub fn keep(&mut self, record: CallRecord) {
        self.calls.push(record);
    }
}

/// A dynamic call.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// Its identity.
    pub call: CallId,
    /// Which version calls.
    pub version: usize,
    /// The procedure called, of that version.
    pub callee: ProcId,
    /// The arguments.
    pub args: Vec<Term>,
    /// All globals before it.
    pub globals: Vec<Term>,
    /// The heap before it.
    pub heap: HeapId,
    /// Where it stands.
    pub span: Span,
}
