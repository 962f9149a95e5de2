//! Relating outcomes, as evidence says: one path of each version, from the same store, must end alike.
//!
//! In: an outcome of each version whose path conditions may hold together, and the [`RelationEvidence`] that relates them.
//! Out: a [`Relation`]: what corresponds to what, or that the two exclude each other; or where the evidence is wrong.
//!
//! Invariant: a [`Correspondence`] is injective on objects and on calls together (`proofs/soundness.md`, rule *Match*).
//! Calls enter it only when their regions were proved equal.

mod agree;
mod align;
mod claims;
mod condition;
mod ends;
mod evidence;
mod follow;
mod lengths;
mod relation;
mod repeat;
mod split;

pub use crate::fact::{Atom, Fact, Given, Product, Step};
pub use align::{Correspondence, RenamedOutcome, places, same_class};
pub use claims::{Claims, ConditionalClaim, Level, Uses};
pub use condition::write as write_condition;
pub use ends::EndRelation;
pub use evidence::{Cases, End, Leaf, Match, RelationEvidence, Repeat};
pub use relation::{Apart, CallRelation, Part};

use crate::effects::Effects;
use crate::exec::state::Outcome;
use crate::exec::{Executor, Limits};
use lang_l::hir::{ProcId, Unit};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending};
use std::collections::BTreeMap;

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
    pub used: Uses,
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
        let claimed = *self.claims.always.get(&self.callees(mine, theirs))?;
        let needed = needed((left, mine), (right, theirs));
        (claimed >= needed).then_some(needed)
    }

    /// The same of a claim under a condition, known by its number.
    pub fn conditional_claim(
        &self,
        left: &Outcome,
        right: &Outcome,
        (mine, theirs): (CallId, CallId),
        at: usize,
    ) -> Option<Level> {
        let claim = self.claims.conditional.get(at).filter(|claim| claim.pair == self.callees(mine, theirs))?;
        let is_askable = claim.is_askable(self.unit.procedure(0, claim.pair.0));
        let needed = needed((left, mine), (right, theirs));
        (is_askable && claim.level >= Some(needed)).then_some(needed)
    }

    /// Whether the condition of a claim holds of the store from which a call of version 0 begins (rule *Condition*). What the call
    /// of version 1 is given is the same, as far as either looks at it.
    pub fn satisfies(
        &mut self,
        (left, right): (&Outcome, &Outcome),
        alignment: &Correspondence,
        call: CallId,
        at: usize,
    ) -> bool {
        let claims = self.claims;
        let Some(claim) = claims.conditional.get(at) else { return false };
        let Some(condition) = &claim.condition else { return true };
        let record = self.arena.record(call).clone();
        let mut executor = Executor::new(self.unit, 0, self.effects[0], Limits::default(), self.arena);
        let Some(holds) = executor.condition_at(&record, condition) else { return false };
        let aligned = self.align(left, right, alignment);
        let tag = Purpose::ConditionHolds(call).within(0, vec![record.span]);
        self.holds(&aligned, &[holds], tag) || faults::planted("kernel/relate/condition-unshown")
    }

    /// The callees of two calls.
    fn callees(&self, mine: CallId, theirs: CallId) -> (ProcId, ProcId) {
        (self.arena.record(mine).callee, self.arena.record(theirs).callee)
    }

    /// Notes that the claim about the callees of two calls was used.
    pub fn use_claim(&mut self, mine: CallId, theirs: CallId, level: Level) {
        self.used.needs(self.callees(mine, theirs), level);
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

/// The level at which the callees of two calls must be claimed equal for the calls to be matched.
fn needed(left: (&Outcome, CallId), right: (&Outcome, CallId)) -> Level {
    let endless =
        |(outcome, call): (&Outcome, CallId)| outcome.ending == Ending::Diverges && outcome.calls.last() == Some(&call);
    if endless(left) || endless(right) { Level::Full } else { Level::Partial }
}
