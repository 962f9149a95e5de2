//! The search for what relates two outcomes: one path of each version, from the same store, must end alike.
//!
//! In: an outcome of each version whose path conditions may hold together. Out: a [`Relation`] (what corresponds to what,
//! or that the two exclude each other) with the [`RelationEvidence`] for it, or a [`FailedGoal`] that says what could not be shown.
//!
//! The work is done in stages. Match a call of one side with a call of the other, where arguments and reachable regions are
//! provably equal; give the second the names of the first; go on. At the end follow both heaps from their roots in lock step
//! to find which `new` corresponds to which, and compare. Where the correspondence depends on an open alias, split on it.
//!
//! Invariant: what is found is checked, step by step, by [`kernel::relate`].

mod enumerate;
mod repeat;
mod unify;
mod walk;

use crate::chc::houdini;
use crate::goal::Pair;
use kernel::bounds::relate::MAX_SPLITS;
use kernel::effects::is_loop;
use kernel::exec::state::Outcome;
use kernel::relate::{
    Cases, Correspondence, End, FailedGoal, Leaf, Level, Match, Relater, Relation, RelationEvidence, RenamedOutcome,
    Repeat, places, write_condition,
};
use smt::arena::CallRecord;
use smt::obligation::{Obligation, Purpose, Tag};
use smt::term::{AllocClass, CallId, Ending, Term};
use std::collections::{BTreeMap, BTreeSet};
use walk::{Sides, Splits};

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

/// What corresponds once two more calls do, and the number of the claim under a condition that says so, if it is one.
type Matched = (Correspondence, Option<usize>);

/// Which partner is tried first for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one nearest the same position: most calls correspond in order.
    Nearest,
    /// The last one.
    LastFirst,
}

/// Searches for what relates outcomes of two procedures.
pub struct Searcher<'a> {
    /// Who checks what is found.
    pub relater: Relater<'a>,
    /// How many more attempts to match two calls may be made.
    pub attempts: usize,
    /// Which partner is tried first for a call.
    pub order: Order,
    /// What was found not to hold of the relation between two callees: which variables are not equal, and which facts fail.
    pub refuted: BTreeMap<Pair, [BTreeSet<usize>; 2]>,
    /// Which facts were found not to hold at the ends, where the outcomes are those of loops that a relation is about.
    pub refuted_at_ends: BTreeSet<usize>,
}

impl<'a> Searcher<'a> {
    /// A search that makes at most so many attempts to match two calls.
    pub fn new(relater: Relater<'a>, attempts: usize) -> Self {
        Searcher {
            relater,
            attempts,
            order: Order::Nearest,
            refuted: BTreeMap::new(),
            refuted_at_ends: BTreeSet::new(),
        }
    }

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
        for positive in [true, faults::planted("relate/split-one-side")] {
            let condition = if positive { condition } else { self.relater.arena.terms.not(condition) };
            let (mut left, mut right) = (left.clone(), right.clone());
            [&mut left, &mut right][side].path.push(condition);
            let (relation, cases) = self.split(&left, &right, depth - 1)?;
            sides.push(cases.map(Box::new));
            if let Relation::Isomorphic(_) = relation {
                found = relation;
            }
        }
        let (fails, holds) = (sides.pop().flatten(), sides.pop().flatten());
        let cases = match (write_condition(self.relater.arena, condition), holds, fails) {
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
        if self.relater.opposed(left, right) {
            return Ok((Relation::Exclusive, Some(Leaf { calls: Vec::new(), end: End::Contradiction })));
        }
        let mut alignment = Correspondence::default();
        let mut aligned = self.relater.align(left, right, &alignment);
        let mut matches = Some(Vec::new());
        while !aligned.contradictory
            && let Some((better, under)) =
                self.match_next_call(Sides { left, right, current: &aligned, alignment: &alignment }, splits)
        {
            matches = matches.zip(match_between(&alignment, &better, under)).map(|(mut all, next)| {
                all.push(next);
                all
            });
            alignment = better;
            aligned = self.relater.align(left, right, &alignment);
        }
        let leaf = |end| matches.clone().map(|calls| Leaf { calls, end });
        let isomorphic = |found: Correspondence| {
            let leaf = leaf(End::Isomorphic(births_between(&alignment, &found)));
            (Relation::Isomorphic(found), leaf)
        };
        if aligned.contradictory {
            return Ok((Relation::Exclusive, leaf(End::Contradiction)));
        }
        let both = left.ending == Ending::Normal && right.ending == Ending::Normal;
        let failed_goal = if both || faults::planted("relate/endings-alike") {
            match self.isomorphic(Sides { left, right, current: &aligned, alignment: &alignment }, splits) {
                Ok(found) => {
                    self.weaken_ends(left, right, &found);
                    return Ok(isomorphic(found));
                }
                Err(failed_goal) => failed_goal,
            }
        } else {
            self.ending_gap(left, right)
        };
        if faults::planted("relate/excluded-unasked") || self.relater.excluded(left, right, &aligned) {
            return Ok((Relation::Exclusive, leaf(End::Exclusive)));
        }
        if left.ending == Ending::Normal && right.ending == Ending::Normal && splits.is_empty() {
            let found = self.enumerated(left, right, &alignment).ok_or(failed_goal)?;
            self.weaken_ends(left, right, &found);
            return Ok(isomorphic(found));
        }
        Err(failed_goal)
    }

    /// Finds one more pair of calls that provably do the same; the alignment with them. `None` when there is none.
    ///
    /// Calls of the same arguments come first, all of them: nothing has to be asked about these, while a solver takes long to
    /// say of two others that they differ.
    fn match_next_call(&mut self, sides: Sides<'_>, splits: &mut Splits) -> Option<Matched> {
        [true, false].into_iter().find_map(|plain| self.match_one_of(sides, plain, splits))
    }

    /// The same, of the calls whose arguments are the same in plain sight, or of the others.
    fn match_one_of(&mut self, sides: Sides<'_>, plain: bool, splits: &mut Splits) -> Option<Matched> {
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
            candidates.retain(|&(_, mine)| self.same_arguments(sides, mine, theirs) == plain);
            match self.order {
                Order::Nearest => candidates.sort_by_key(|(index, _)| index.abs_diff(at)),
                Order::LastFirst => candidates.reverse(),
            }
            for (_, mine) in candidates {
                let compared = self.compares(mine, theirs);
                let taken_twice = !compared && faults::planted("relate/call-taken-twice");
                if !(taken_twice || alignment.is_open(theirs, mine, compared)) || self.attempts == 0 {
                    continue;
                }
                let claimed = self.claimed(left, right, (mine, theirs));
                if claimed.is_empty() {
                    continue;
                }
                self.attempts -= 1;
                let Some(better) = self.match_calls(sides, (mine, theirs), splits) else { continue };
                if let Some(under) = self.claim_that_holds(sides, (mine, theirs), &better, claimed) {
                    return Some((better, under));
                }
            }
        }
        None
    }

    /// The claims that may say of two calls that they do the same, each with the level that it takes: the one from all stores, and
    /// the numbers of those under conditions.
    fn claimed(
        &self,
        left: &Outcome,
        right: &Outcome,
        (mine, theirs): (CallId, CallId),
    ) -> Vec<(Option<usize>, Level)> {
        let always = self.relater.claim(left, right, mine, theirs).map(|level| (None, level));
        let conditional = (0..self.relater.claims.conditional.len()).filter_map(|at| {
            let level = self.relater.conditional_claim(left, right, (mine, theirs), at)?;
            Some((Some(at), level))
        });
        always.into_iter().chain(conditional).collect()
    }

    /// The first of the claims about two calls that start alike which speaks of the store from which they do; it is used.
    fn claim_that_holds(
        &mut self,
        Sides { left, right, .. }: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        matched: &Correspondence,
        claimed: Vec<(Option<usize>, Level)>,
    ) -> Option<Option<usize>> {
        let mut before = matched.clone();
        before.calls.remove(&theirs);
        before.compared.remove(&(theirs, mine));
        for (under, level) in claimed {
            match under {
                None => self.relater.use_claim(mine, theirs, level),
                Some(at)
                    if faults::planted("relate/condition-unasked")
                        || self.relater.satisfies((left, right), &before, mine, at) =>
                {
                    self.relater.used.needs_conditional(at, level);
                }
                Some(_) => continue,
            }
            return Some(under);
        }
        None
    }

    /// Whether two calls are compared alone, and keep their names.
    fn compares(&self, mine: CallId, theirs: CallId) -> bool {
        self.relater.compares([mine, theirs].map(|call| self.relater.arena.record(call)))
    }

    /// Whether two calls have the same arguments in plain sight.
    fn same_arguments(&self, sides: Sides<'_>, mine: CallId, theirs: CallId) -> bool {
        let theirs = sides.current.renaming.call(theirs);
        self.relater.arena.record(mine).args == self.relater.arena.record(theirs).args
    }

    fn ending_gap(&self, left: &Outcome, right: &Outcome) -> FailedGoal {
        let word = |outcome: &Outcome| match outcome.ending {
            Ending::Normal => "returns".to_string(),
            Ending::Error => match outcome.faults.first() {
                Some(fault) => format!("errs ({})", fault.message),
                None => format!("errs in a {}", if self.ends_in_loop(outcome) { "loop" } else { "call" }),
            },
            // Without a call nothing goes on.
            Ending::Diverges if outcome.calls.is_empty() => "is blocked by an `assume`".to_string(),
            Ending::Diverges => "may run for ever".to_string(),
        };
        FailedGoal {
            what: format!(
                "{} {} where {} {}, and these could not be shown to exclude each other",
                self.relater.unit.versions[0].title(),
                word(left),
                self.relater.unit.versions[1].title(),
                word(right)
            ),
            places: [self.relater.places(left), self.relater.places(right)],
        }
    }

    /// Whether the last call of an outcome is one of a loop of the source.
    fn ends_in_loop(&self, outcome: &Outcome) -> bool {
        let last = outcome.calls.last().map(|&call| self.relater.arena.record(call));
        last.is_some_and(|record| is_loop(self.relater.unit.procedure(record.version, record.callee)))
    }

    /// Notes what the relation of two loops says that does not hold of two ends.
    fn weaken_ends(&mut self, left: &Outcome, right: &Outcome, found: &Correspondence) {
        let (aligned, said) = self.relater.said_at_ends(left, right, found);
        let open: Vec<usize> = (0..said.len()).filter(|at| !self.refuted_at_ends.contains(at)).collect();
        if !said.is_empty() && !self.relater.holds(&aligned, &said, Purpose::StoresEqual.into()) {
            let goals: Vec<Term> = open.iter().map(|&at| said[at]).collect();
            let failing = self.failing(&aligned, &goals, &Purpose::StoresEqual.into());
            self.refuted_at_ends.extend(failing.into_iter().map(|at| open[at]));
        }
    }

    /// Notes what does not hold of the relation between two calls that are matched.
    fn weaken(&mut self, aligned: &RenamedOutcome, records: [&CallRecord; 2], versions: [usize; 2]) {
        let said = self.relater.said_of(records, versions);
        let tag = Purpose::CallsRelated(records[0].call, records[1].call).between(places(records, versions));
        let whole = said.concat();
        if whole.is_empty() || self.relater.holds(aligned, &whole, tag.clone()) {
            return;
        }
        let pair = (records[0].callee, records[1].callee);
        let known = self.refuted.get(&pair).cloned().unwrap_or_default();
        let places = (0..2).flat_map(|part| (0..said[part].len()).map(move |at| (part, at)));
        let open: Vec<(usize, usize)> = places.filter(|(part, at)| !known[*part].contains(at)).collect();
        let goals: Vec<Term> = open.iter().map(|&(part, at)| said[part][at]).collect();
        let failing = self.failing(aligned, &goals, &tag);
        let refuted = self.refuted.entry(pair).or_default();
        for (part, at) in failing.into_iter().map(|at| open[at]) {
            refuted[part].insert(at);
        }
    }

    /// The positions of the goals that do not follow from both path conditions.
    fn failing(&mut self, aligned: &RenamedOutcome, goals: &[Term], tag: &Tag) -> BTreeSet<usize> {
        let Relater { arena, solver, .. } = &mut self.relater;
        let (mut positions, mut open) = (Vec::new(), Vec::new());
        for (at, &goal) in goals.iter().enumerate() {
            let goal = arena.terms.simplify(goal, &aligned.known);
            let arranged = arena.terms.arranged(goal);
            if !arena.terms.is_true(arranged) {
                positions.push(at);
                open.push(goal);
            }
        }
        let failing = houdini::unproved(&open, |goals| {
            let goal = arena.terms.and(goals);
            let obligation = Obligation { assumptions: aligned.assumptions.clone(), goal, tag: tag.clone() };
            solver.prove_all(arena, &obligation, goals)
        });
        failing.into_iter().map(|at| positions[at]).collect()
    }
}

/// What makes the second alignment of the first; `None` when that is no single match.
fn match_between(before: &Correspondence, after: &Correspondence, under: Option<usize>) -> Option<Match> {
    let named = after.calls.iter().filter(|(theirs, _)| !before.calls.contains_key(theirs));
    let mut calls = named.map(|(&theirs, &mine)| (theirs, mine)).chain(&after.compared - &before.compared);
    let (right, left) = calls.next()?;
    let left = if faults::planted("relate/matches-crossed") {
        before.calls.values().next().copied().unwrap_or(left)
    } else {
        left
    };
    calls.next().is_none().then(|| Match { left, right, under, allocs: births_between(before, after) })
}

/// The allocation pairs that are in the second alignment and not in the first.
fn births_between(before: &Correspondence, after: &Correspondence) -> BTreeMap<AllocClass, AllocClass> {
    let new = after.allocs.iter().filter(|(theirs, _)| !before.allocs.contains_key(theirs));
    let new = new.take(if faults::planted("relate/births-one") { 1 } else { usize::MAX });
    let mut born: BTreeMap<AllocClass, AllocClass> = new.map(|(&theirs, &mine)| (theirs, mine)).collect();
    if faults::planted("relate/births-crossed") && born.len() > 1 {
        let mine: Vec<AllocClass> = born.values().copied().rev().collect();
        born.values_mut().zip(mine).for_each(|(old, new)| *old = new);
    }
    born
}
