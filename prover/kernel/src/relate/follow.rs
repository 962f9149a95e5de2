//! Following evidence: what a search found is checked again, without trying anything else.
//!
//! In: two outcomes and the [`RelationEvidence`] that relates them. Out: their [`Relation`], or where the evidence is wrong.
//!
//! Every step is the one that the search takes, and asks the solver the same: that calls start alike, that paths exclude
//! each other, that final stores are equal. What the search tries and drops is left out.
//!
//! Invariant: believes nothing of what it is told. Names must be those of the two executions, alignments injective and of
//! one class, matched calls claimed, conditions of one side only; and all questions to the solver must be answered by yes.

use super::evidence::{Cases, End, Leaf, RelationEvidence, Repeat};
use super::same_class;
use super::{Correspondence, Relater, Relation, condition};
use crate::bounds::relate::MAX_SPLITS;
use crate::exec::state::Outcome;
use crate::rejection::{Rejection, reject};
use smt::term::{AllocClass, CallId, Ending};
use std::collections::BTreeMap;

impl Relater<'_> {
    /// Relates two outcomes as the evidence says.
    ///
    /// # Errors
    /// Where it does not show what it should.
    pub fn follow(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        evidence: &RelationEvidence,
    ) -> Result<Relation, Rejection> {
        let left = self.follow_repeats(left, 0, &evidence.repeats[0])?;
        let right = self.follow_repeats(right, 1, &evidence.repeats[1])?;
        self.follow_cases(&left, &right, &evidence.cases, MAX_SPLITS)
    }

    /// The outcome with what repeated calls have in common added to its path.
    fn follow_repeats(&mut self, outcome: &Outcome, version: usize, repeats: &[Repeat]) -> Result<Outcome, Rejection> {
        let mut enriched = outcome.clone();
        for repeat in repeats {
            let position = |call: CallId| outcome.calls.iter().position(|&other| other == call);
            let (Some(earlier), Some(later)) = (position(repeat.earlier), position(repeat.later)) else {
                return reject("a repeated call is not on the path");
            };
            let [first, second] = [repeat.earlier, repeat.later].map(|call| self.arena.record(call).callee);
            if earlier >= later || first != second || self.effects[version][first.index()].non_local {
                return reject("two calls cannot be a call and its repetition");
            }
            let mut swap = Correspondence::default();
            for (&theirs, &mine) in &repeat.swap {
                self.bind_births(&mut swap, &BTreeMap::from([(theirs, mine), (mine, theirs)]), outcome, outcome)?;
            }
            if !self.swapped_alike(&enriched, &swap) {
                return reject("two arrays are to correspond that may be of different lengths");
            }
            for &(alloc, _) in &outcome.news {
                // All others stay as they are; where that is not possible they are swapped already.
                let _ = swap.bind(alloc, alloc);
            }
            let calls = (repeat.earlier, repeat.later);
            let Some(region) = self.start_alike(&enriched, &enriched, &swap, calls, [version, version]) else {
                return reject("a call does not start as the one it is said to repeat");
            };
            let effects = self.isomorphic_ends(version, calls, &swap, &region);
            enriched.path.extend(effects);
        }
        Ok(enriched)
    }

    fn follow_cases(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        cases: &Cases,
        depth: usize,
    ) -> Result<Relation, Rejection> {
        let (version, text, sides) = match cases {
            Cases::Settled(leaf) => return self.follow_leaf(left, right, leaf),
            Cases::Split { version, condition, holds, fails } => (*version, condition, [holds, fails]),
        };
        let Some(outcome) = [left, right].get(version).copied().filter(|_| depth > 0) else {
            return reject("there are too many cases, or cases of no version");
        };
        let Some(condition) = condition::read(self.arena, outcome, text) else {
            return reject(format!("`{text}` is no condition on this path"));
        };
        if !self.speaks_of(condition, outcome) {
            return reject(format!("`{text}` speaks of more than one execution"));
        }
        let mut found = Relation::Exclusive;
        for (cases, positive) in sides.into_iter().zip([true, faults::planted("kernel/relate/split-one-side")]) {
            let condition = if positive { condition } else { self.arena.terms.not(condition) };
            let (mut left, mut right) = (left.clone(), right.clone());
            [&mut left, &mut right][version].path.push(condition);
            if let relation @ Relation::Isomorphic(_) = self.follow_cases(&left, &right, cases, depth - 1)? {
                found = relation;
            }
        }
        Ok(found)
    }

    fn follow_leaf(&mut self, left: &Outcome, right: &Outcome, leaf: &Leaf) -> Result<Relation, Rejection> {
        let mut alignment = Correspondence::default();
        for step in &leaf.calls {
            let (mine, theirs) = (step.left, step.right);
            let there = left.calls.contains(&mine) && right.calls.contains(&theirs);
            let compared = there && self.compares([mine, theirs].map(|call| self.arena.record(call)));
            let free = alignment.is_open(theirs, mine, compared) || faults::planted("kernel/relate/matched-twice");
            if !there || !free {
                return reject("a matched call is not on its path, or is matched twice");
            }
            let anything = faults::planted("kernel/relate/unclaimed").then_some(super::Level::Full);
            let claimed = match step.under {
                None => self.claim(left, right, mine, theirs),
                Some(at) => self.conditional_claim(left, right, (mine, theirs), at),
            };
            let Some(level) = claimed.or(anything) else {
                return reject("two calls are matched whose callees are not claimed to be equivalent");
            };
            self.follow_births(&mut alignment, &step.allocs, left, right)?;
            if self.start_alike(left, right, &alignment, (mine, theirs), [0, 1]).is_none() {
                return reject("two matched calls do not start alike");
            }
            match step.under {
                None => self.use_claim(mine, theirs, level),
                Some(at) if self.satisfies((left, right), &alignment, mine, at) => {
                    self.used.needs_conditional(at, level);
                }
                Some(_) => return reject("a call does not satisfy the condition of the claim that it rests on"),
            }
            alignment.add(theirs, mine, compared);
        }
        match &leaf.end {
            End::Contradiction => {
                match self.opposed(left, right) || self.align(left, right, &alignment).contradictory {
                    true => Ok(Relation::Exclusive),
                    false => reject("two paths do not contradict each other in plain sight"),
                }
            }
            End::Exclusive => {
                let aligned = self.align(left, right, &alignment);
                match faults::planted("kernel/relate/exclusive") || self.excluded(left, right, &aligned) {
                    true => Ok(Relation::Exclusive),
                    false => reject("two paths do not exclude each other"),
                }
            }
            End::Isomorphic(allocs) => {
                if left.ending != Ending::Normal || right.ending != Ending::Normal {
                    return reject("final stores are compared of executions that do not return");
                }
                self.follow_births(&mut alignment, allocs, left, right)?;
                let ended = self.equal_at_end(left, right, alignment);
                let found = ended.map_err(|failed_goal| Rejection(failed_goal.what))?;
                match self.ends_related(left, right, &found) {
                    true => Ok(Relation::Isomorphic(found)),
                    false => reject("two loops do not end as their relation says"),
                }
            }
        }
    }

    /// Binds allocations; only of the two outcomes, of one class, and arrays only of one length.
    fn follow_births(
        &mut self,
        alignment: &mut Correspondence,
        allocs: &BTreeMap<AllocClass, AllocClass>,
        left: &Outcome,
        right: &Outcome,
    ) -> Result<(), Rejection> {
        let before = alignment.clone();
        self.bind_births(alignment, allocs, left, right)?;
        match self.lengths_alike(left, right, &before, alignment) {
            true => Ok(()),
            false => reject("two arrays are to correspond that may be of different lengths"),
        }
    }

    /// The same, whatever the lengths of arrays are.
    fn bind_births(
        &self,
        alignment: &mut Correspondence,
        allocs: &BTreeMap<AllocClass, AllocClass>,
        left: &Outcome,
        right: &Outcome,
    ) -> Result<(), Rejection> {
        let made = |outcome: &Outcome, alloc: AllocClass| outcome.news.iter().any(|(own, _)| *own == alloc);
        for (&theirs, &mine) in allocs {
            let there = made(left, mine) && made(right, theirs);
            if !there
                || !(faults::planted("kernel/relate/same-class") || same_class(self.arena, mine, theirs))
                || !alignment.bind(theirs, mine)
            {
                return reject("two allocations cannot correspond");
            }
        }
        Ok(())
    }
}
