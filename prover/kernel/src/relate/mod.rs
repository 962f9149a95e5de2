//! Relating outcomes, as evidence says: one path of each version, from the same store, must end alike.
//!
//! In: an outcome of each version whose path conditions may hold together, and the [`RelationEvidence`] that relates them.
//! Out: a [`Relation`]: what corresponds to what, or that the two exclude each other; or where the evidence is wrong.
//!
//! Invariant: a [`Correspondence`] is injective on objects and on calls together (`proofs/soundness.md`, rule *Match*).
//! Calls enter it only when their regions were proved equal.

mod agree;
mod align;
mod condition;
mod ends;
mod evidence;
mod follow;
mod relation;
mod repeat;

pub use crate::fact::{Atom, Fact, Given, Step};
pub use align::{Correspondence, RenamedOutcome, places, same_class};
pub use condition::write as write_condition;
pub use ends::EndRelation;
pub use evidence::{Cases, End, Leaf, Match, RelationEvidence, Repeat};
pub use relation::{Apart, CallRelation};

use crate::effects::Effects;
use crate::exec::state::Outcome;
use lang_l::hir::{ProcId, Unit};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending};
use std::collections::BTreeMap;

/// How much is claimed of a pair of procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// If both end, they end alike.
    Partial,
    /// And they end from the same stores.
    Full,
}

/// The claims that hold by hypothesis: for callee of version 0 and callee of version 1.
pub type Claims = BTreeMap<(ProcId, ProcId), Level>;

/// Why a pair of outcomes is no threat.
#[derive(Clone, Debug)]
pub enum Relation {
    /// The two path conditions exclude each other, given what the calls have in common.
    Exclusive,
    /// The final stores are isomorphic; this corresponds to that.
    Isomorphic(Correspondence),
}

/// What could not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedGoal {
    /// In words.
    pub what: String,
    /// Places in version 0 and version 1 it has to do with.
    pub places: [Vec<Span>; 2],
}

/// Relates outcomes of two procedures.
pub struct Relater<'a> {
    /// The program.
    pub unit: &'a Unit,
    /// Effects of version 0 and of version 1.
    pub effects: [&'a [Effects]; 2],
    /// Terms, heaps, calls of both executions.
    pub arena: &'a mut Arena,
    /// The solver.
    pub solver: &'a mut Solver,
    /// What may be assumed of callees.
    pub claims: &'a Claims,
    /// Claims used so far, at the level used.
    pub used: Claims,
    /// What relates the arguments of callees that are not called alike.
    pub relations: BTreeMap<(ProcId, ProcId), CallRelation>,
    /// How the outcomes must end, where they are those of loops that a relation is about.
    pub end: Option<EndRelation>,
}

impl Relater<'_> {
    /// Whether the solver finds that the two paths cannot be taken from one store.
    pub fn excluded(&mut self, left: &Outcome, right: &Outcome, aligned: &RenamedOutcome) -> bool {
        let goal = self.arena.terms.bool(false);
        let tag = Purpose::PathsExclusive.between([left, right].map(|outcome| self.places(outcome)));
        let obligation = Obligation { assumptions: aligned.assumptions.clone(), goal, tag };
        self.solver.prove(self.arena, &obligation) == Answer::Holds
    }

    /// The level at which the callees of two calls must be claimed equal for the calls to be matched; `None` when that is
    /// not claimed.
    ///
    /// Rule *Diverge*: that an endless call has an endless partner takes mutual termination; all else takes partial
    /// equivalence.
    pub fn claim(&self, left: &Outcome, right: &Outcome, mine: CallId, theirs: CallId) -> Option<Level> {
        let pair = (self.arena.record(mine).callee, self.arena.record(theirs).callee);
        let claimed = *self.claims.get(&pair)?;
        let endless =
            |outcome: &Outcome, call| outcome.ending == Ending::Diverges && outcome.calls.last() == Some(&call);
        let needed = if endless(left, mine) || endless(right, theirs) { Level::Full } else { Level::Partial };
        (claimed >= needed).then_some(needed)
    }

    /// Notes that the claim about the callees of two calls was used.
    pub fn use_claim(&mut self, mine: CallId, theirs: CallId, level: Level) {
        let pair = (self.arena.record(mine).callee, self.arena.record(theirs).callee);
        let used = self.used.entry(pair).or_insert(level);
        *used = (*used).max(level);
    }

    /// Where an outcome that is not normal comes from.
    pub fn places(&self, outcome: &Outcome) -> Vec<Span> {
        match outcome.ending {
            Ending::Normal => Vec::new(),
            _ if !outcome.faults.is_empty() => outcome.faults.iter().map(|fault| fault.span).collect(),
            _ => outcome.calls.last().map(|&call| self.arena.record(call).span).into_iter().collect(),
        }
    }
}
