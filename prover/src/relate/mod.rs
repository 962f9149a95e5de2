//! Relating outcomes: one path of each version, from the same store, must end alike.
//!
//! In: an outcome of each version whose path conditions may hold together. Out: a [`Relation`] (what corresponds to what,
//! or that the two exclude each other) with the [`RelationEvidence`] for it, or a [`FailedGoal`] that says what could not be shown.
//!
//! The work is done in stages. Match a call of one side with a call of the other, where arguments and reachable regions are
//! provably equal; give the second the names of the first; go on. At the end follow both heaps from their roots in lock step
//! to find which `new` corresponds to which, and compare. Where the correspondence depends on an open alias, split on it.
//!
//! Invariant: a [`Correspondence`] is injective on objects and on calls together (`proofs/soundness.md`, rule *Match*).
//! Calls enter it only when their regions were proved equal.

mod agree;
mod align;
mod condition;
mod enumerate;
mod evidence;
mod follow;
mod relation;
mod repeat;
mod unify;

pub use align::Correspondence;
pub use evidence::{Cases, End, Leaf, Match, RelationEvidence, Repeat};
pub use relation::{Atom, CallRelation, Fact, Given, Step};

use crate::budget::relate::MAX_SPLITS;
use crate::effects::Effects;
use crate::exec::state::Outcome;
use crate::lower::Lowered;
use agree::{RenamedOutcome, Sides, Splits};
use evidence::births_between;
use lang_l::hir::ProcId;
use lang_l::source::Span;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending, Term};
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

/// A relation, with what the search did to find it.
#[derive(Clone, Debug)]
pub struct RelationProof {
    /// The relation.
    pub relation: Relation,
    /// How it was found; `None` when a condition on the way is too big to be kept.
    pub evidence: Option<RelationEvidence>,
}

impl RelationProof {
    fn new(relation: Relation, cases: Option<Cases>, repeats: [Vec<Repeat>; 2]) -> Self {
        RelationProof { relation, evidence: cases.map(|cases| RelationEvidence { repeats, cases }) }
    }
}

/// What could not be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedGoal {
    /// In words.
    pub what: String,
    /// Places in version 0 and version 1 it has to do with.
    pub places: [Vec<Span>; 2],
}

/// Which partner is tried first for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one nearest the same position: most calls correspond in order.
    Nearest,
    /// The last one.
    LastFirst,
}

/// Relates outcomes of two procedures.
pub struct Relater<'a> {
    /// The lowered program.
    pub unit: &'a Lowered,
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
    /// How many more attempts to match two calls may be made.
    pub attempts: usize,
    /// Which partner is tried first for a call.
    pub order: Order,
    /// What relates the arguments of callees that are not called alike.
    pub relations: BTreeMap<(ProcId, ProcId), CallRelation>,
}

impl Relater<'_> {
    /// Relates two outcomes.
    ///
    /// # Errors
    /// What is missing when they could not be related.
    pub fn relate(&mut self, left: &Outcome, right: &Outcome) -> Result<RelationProof, FailedGoal> {
        let failed_goal = match self.split(left, right, MAX_SPLITS) {
            Ok((relation, cases)) => return Ok(RelationProof::new(relation, cases, [Vec::new(), Vec::new()])),
            Err(failed_goal) => failed_goal,
        };
        let ((more_left, repeats_left), (more_right, repeats_right)) =
            (self.with_repeats(left, 0), self.with_repeats(right, 1));
        if repeats_left.is_empty() && repeats_right.is_empty() {
            return Err(failed_goal);
        }
        let (left, right) = (&more_left, &more_right);
        // Of calls that do the same the last is as good a partner as the first, and its effects are the fresher ones.
        self.order = Order::LastFirst;
        let found = self.split(left, right, MAX_SPLITS);
        self.order = Order::Nearest;
        let (relation, cases) = found.or_else(|_| self.split(left, right, MAX_SPLITS))?;
        Ok(RelationProof::new(relation, cases, [repeats_left, repeats_right]))
    }

    fn split(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        depth: usize,
    ) -> Result<(Relation, Option<Cases>), FailedGoal> {
        let mut splits = Vec::new();
        let failed_goal = match self.attempt(left, right, &mut splits) {
            Ok((relation, leaf)) => return Ok((relation, leaf.map(Cases::Settled))),
            Err(failed_goal) => failed_goal,
        };
        if depth == 0 {
            return Err(failed_goal);
        }
        let Some((side, condition)) = splits.into_iter().next() else { return Err(failed_goal) };
        let mut found = Relation::Exclusive;
        let mut sides = Vec::new();
        for positive in [true, false] {
            let condition = if positive { condition } else { self.arena.terms.not(condition) };
            let (mut left, mut right) = (left.clone(), right.clone());
            [&mut left, &mut right][side].path.push(condition);
            let (relation, cases) = self.split(&left, &right, depth - 1)?;
            sides.push(cases.map(Box::new));
            if let Relation::Isomorphic(_) = relation {
                found = relation;
            }
        }
        let (fails, holds) = (sides.pop().flatten(), sides.pop().flatten());
        let cases = match (condition::write(self.arena, condition), holds, fails) {
            (Some(condition), Some(holds), Some(fails)) => {
                Some(Cases::Split { version: side, condition, holds, fails })
            }
            _ => None,
        };
        Ok((found, cases))
    }

    /// One attempt without splitting; `splits` receives conditions (and the side whose terms they are) that would help.
    fn attempt(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        splits: &mut Vec<(usize, Term)>,
    ) -> Result<(Relation, Option<Leaf>), FailedGoal> {
        let mut alignment = Correspondence::default();
        let mut aligned = self.align(left, right, &alignment);
        let mut matches = Some(Vec::new());
        while !aligned.contradictory
            && let Some(better) =
                self.match_next_call(Sides { left, right, current: &aligned, alignment: &alignment }, splits)
        {
            matches = matches.zip(Match::between(&alignment, &better)).map(|(mut all, next)| {
                all.push(next);
                all
            });
            alignment = better;
            aligned = self.align(left, right, &alignment);
        }
        let leaf = |end| matches.clone().map(|calls| Leaf { calls, end });
        let isomorphic = |found: Correspondence| {
            let leaf = leaf(End::Isomorphic(births_between(&alignment, &found)));
            (Relation::Isomorphic(found), leaf)
        };
        if aligned.contradictory {
            return Ok((Relation::Exclusive, leaf(End::Contradiction)));
        }
        let failed_goal = if left.ending == Ending::Normal && right.ending == Ending::Normal {
            match self.isomorphic(Sides { left, right, current: &aligned, alignment: &alignment }, splits) {
                Ok(found) => return Ok(isomorphic(found)),
                Err(failed_goal) => failed_goal,
            }
        } else {
            self.ending_gap(left, right)
        };
        if self.excluded(left, right, &aligned) {
            return Ok((Relation::Exclusive, leaf(End::Exclusive)));
        }
        if left.ending == Ending::Normal && right.ending == Ending::Normal && splits.is_empty() {
            return self.enumerated(left, right, &alignment).map(isomorphic).ok_or(failed_goal);
        }
        Err(failed_goal)
    }

    /// Whether the solver finds that the two paths cannot be taken from one store.
    fn excluded(&mut self, left: &Outcome, right: &Outcome, aligned: &RenamedOutcome) -> bool {
        let goal = self.arena.terms.bool(false);
        let tag = Purpose::PathsExclusive.between([left, right].map(|outcome| self.places(outcome)));
        let obligation = Obligation { assumptions: aligned.assumptions.clone(), goal, tag };
        self.solver.prove(self.arena, &obligation) == Answer::Holds
    }

    /// Finds one more pair of calls that provably do the same; the alignment with them. `None` when there is none.
    fn match_next_call(&mut self, sides: Sides<'_>, splits: &mut Splits) -> Option<Correspondence> {
        let Sides { left, right, alignment, .. } = sides;
        let mut open: Vec<(usize, CallId)> = right.calls.iter().copied().enumerate().collect();
        if self.order == Order::LastFirst {
            // On both sides, so that it does not matter which version is the left one.
            open.reverse();
        }
        for (at, theirs) in open {
            if alignment.calls.contains_key(&theirs) {
                continue;
            }
            let mut candidates: Vec<(usize, CallId)> = left.calls.iter().copied().enumerate().collect();
            match self.order {
                Order::Nearest => candidates.sort_by_key(|(index, _)| index.abs_diff(at)),
                Order::LastFirst => candidates.reverse(),
            }
            for (_, mine) in candidates {
                if alignment.calls.values().any(|&taken| taken == mine) || self.attempts == 0 {
                    continue;
                }
                let Some(level) = self.claim(left, right, mine, theirs) else { continue };
                self.attempts -= 1;
                if let Some(better) = self.match_calls(sides, (mine, theirs), splits) {
                    self.use_claim(mine, theirs, level);
                    return Some(better);
                }
            }
        }
        None
    }

    /// The level at which the callees of two calls must be claimed equal for the calls to be matched; `None` when that is
    /// not claimed.
    ///
    /// Rule *Diverge*: that an endless call has an endless partner takes mutual termination; all else takes partial
    /// equivalence.
    fn claim(&self, left: &Outcome, right: &Outcome, mine: CallId, theirs: CallId) -> Option<Level> {
        let pair = (self.arena.record(mine).callee, self.arena.record(theirs).callee);
        let claimed = *self.claims.get(&pair)?;
        let endless =
            |outcome: &Outcome, call| outcome.ending == Ending::Diverges && outcome.calls.last() == Some(&call);
        let needed = if endless(left, mine) || endless(right, theirs) { Level::Full } else { Level::Partial };
        (claimed >= needed).then_some(needed)
    }

    /// Notes that the claim about the callees of two calls was used.
    fn use_claim(&mut self, mine: CallId, theirs: CallId, level: Level) {
        let pair = (self.arena.record(mine).callee, self.arena.record(theirs).callee);
        let used = self.used.entry(pair).or_insert(level);
        *used = (*used).max(level);
    }

    fn ending_gap(&self, left: &Outcome, right: &Outcome) -> FailedGoal {
        let word = |outcome: &Outcome| match outcome.ending {
            Ending::Normal => "returns".to_string(),
            Ending::Error => match outcome.faults.first() {
                Some(fault) => format!("errs ({})", fault.message),
                None => "errs in a call".to_string(),
            },
            Ending::Diverges => "may run for ever".to_string(),
        };
        FailedGoal {
            what: format!(
                "{} {} where {} {}, and these could not be shown to exclude each other",
                self.unit.versions()[0].title(),
                word(left),
                self.unit.versions()[1].title(),
                word(right)
            ),
            places: [self.places(left), self.places(right)],
        }
    }

    /// Where an outcome that is not normal comes from.
    fn places(&self, outcome: &Outcome) -> Vec<Span> {
        match outcome.ending {
            Ending::Normal => Vec::new(),
            _ if !outcome.faults.is_empty() => outcome.faults.iter().map(|fault| fault.span).collect(),
            _ => outcome.calls.last().map(|&call| self.arena.record(call).span).into_iter().collect(),
        }
    }
}
