//! The search for relations under which loops run in step.
//!
//! In: a pair and its loops, each with all that might relate them. Out: a proof under what is left of it.
//!
//! Invariant: a proof counts only when nothing was taken out of any relation while it was made.

use super::super::paths::{Written, keep};
use super::super::relational;
use super::RELATION;
use super::couple::{self, Couple};
use crate::budget::loops::{MAX_ATTEMPTS, MAX_ROUNDS};
use crate::goal::{Goal, LoopsEvidence, Pair, PairProof, Program, ProofEvidence, inlinable};
use crate::relate::{RelationProof, Searcher};
use kernel::bounds::pair::MAX_INLINE_DEPTH;
use kernel::exec::state::Outcome;
use kernel::pair::Both;
use kernel::pair::loops::{Frame, LoopRelation, Target};
use kernel::pair::paths::{PathsEvidence, meetings};
use kernel::pair::plan::InliningPlan;
use kernel::relate::{Claims, Level, Relation, Uses};
use lang_l::hir::ProcId;
use smt::solve::Solver;
use smt::term::Ending;
use std::collections::{BTreeMap, BTreeSet};

/// What a proof fails by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// That the two end from the same stores.
    Ends,
    /// More than that.
    Everything,
}

/// By what a proof fails, and at which pair of loops; `None` where it is around them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failure {
    pub(super) missing: Missing,
    pub(super) at: Option<usize>,
}

/// Which calls of helpers are executed in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum InPlace {
    /// Those of helpers of which nothing is claimed; the others are matched.
    Unclaimed,
    /// Those of all helpers that do not recur: one version may make more calls than the other.
    All,
}

/// A search for relations between loops under which a pair is proved.
pub(super) struct Search<'g> {
    goal: &'g Goal<'g>,
    /// What is to be proved of the pair, and is claimed of its loops.
    level: Level,
    couples: Vec<Couple>,
    /// Which calls are executed in place.
    plan: InliningPlan,
    /// What is found in the present round.
    proof: PairProof,
    /// The same of each target.
    relations: Vec<Written>,
}

impl<'g> Search<'g> {
    /// A search that begins with all that might hold.
    pub(super) fn new(goal: &'g Goal<'g>, level: Level, in_place: InPlace, couples: Vec<Couple>) -> Self {
        let plan = InliningPlan::of([BTreeSet::new(), BTreeSet::new()], [MAX_INLINE_DEPTH; 2]);
        let proof = PairProof::trivial(None, &RELATION, Uses::new());
        let mut search = Search { goal, level, couples, plan, proof, relations: Vec::new() };
        let claims = search.frame(&search.loops()).claims();
        search.plan.inline = [0, 1].map(|version| match in_place {
            InPlace::Unclaimed => unclaimed(goal.program, version, &claims),
            InPlace::All => inlinable(goal.program, version, &claims),
        });
        search
    }

    /// The proof; where no relation leads to one, whether less might be proved so, and where it fails.
    pub(super) fn run(mut self, solver: &mut Solver) -> Result<PairProof, Failure> {
        let everything = |at| Failure { missing: Missing::Everything, at };
        for _ in 0..MAX_ROUNDS {
            let mut weakened = false;
            self.start();
            for target in self.frame(&self.loops()).targets() {
                let at = match target {
                    Target::Whole => None,
                    Target::Loops(at) => Some(at),
                };
                self.relate(target, solver).map_err(|missing| Failure { missing, at })?;
                for couple in &mut self.couples {
                    weakened |= couple.weaken();
                }
                let unsound = self.couples.iter().position(|couple| !couple.is_sound(self.goal.program));
                if unsound.is_some() {
                    return Err(everything(unsound));
                }
            }
            if !weakened {
                let one_thing = self.frame(&self.loops()).leave_one_thing().is_ok();
                return if one_thing { Ok(self.finish()) } else { Err(everything(None)) };
            }
        }
        Err(everything(None))
    }

    /// The relations as they are.
    fn loops(&self) -> Vec<LoopRelation> {
        self.couples.iter().map(|couple| couple.relation.clone()).collect()
    }

    /// What is to be shown under them, as the kernel has it.
    fn frame<'f>(&'f self, loops: &'f [LoopRelation]) -> Frame<'f> {
        Frame { goal: self.goal.as_checked(), level: self.level, plan: &self.plan, loops }
    }

    /// Begins a round.
    fn start(&mut self) {
        self.proof = relational::proof(self.goal, &RELATION, self.level, None);
        self.relations.clear();
    }

    /// The proof that the last round has made.
    fn finish(mut self) -> PairProof {
        let program = self.goal.program;
        let loops = self.loops();
        let own: BTreeSet<Pair> = loops.iter().map(|own| own.pair).collect();
        self.proof.used.always.retain(|pair, _| !own.contains(pair));
        self.proof.relations_of_loops = couple::words(program, &loops);
        let relations: Option<Vec<_>> = self.relations.into_iter().collect();
        self.proof.evidence = relations.and_then(|relations| {
            let mut relations = relations.into_iter();
            let whole = PathsEvidence { plan: self.plan, relations: relations.next()? };
            let loops = loops.iter().zip(relations).map(|(own, relations)| couple::tell(program, own, relations));
            Some(ProofEvidence::Loops(LoopsEvidence { whole, loops: loops.collect() }))
        });
        self.proof
    }

    /// Relates all outcomes of a target, under the relations as they are; what does not hold of them is noted.
    fn relate(&mut self, target: Target, solver: &mut Solver) -> Result<(), Missing> {
        let loops = self.loops();
        let goal = self.goal;
        let plan = self.plan.clone();
        let frame = Frame { goal: goal.as_checked(), level: self.level, plan: &plan, loops: &loops };
        let (effects, claims) = (frame.effects(), frame.claims());
        let program = Both { effects: [&effects[0], &effects[1]], ..frame.goal.program };
        let mut arena = goal.program.unit.arena();
        let both = frame.outcomes(program, target, &mut arena).ok_or(Missing::Everything)?;
        let end = frame.end(program, target, &mut arena);
        let mut searcher = Searcher::new(frame.relater(program, &mut arena, solver, &claims), MAX_ATTEMPTS);
        searcher.relater.end = end;
        let mut found: Written = Some(BTreeMap::new());
        for meeting in meetings(&both).into_iter().filter(|meeting| self.level == Level::Full || !meeting.termination) {
            let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
            let missing = if meeting.termination { Missing::Ends } else { Missing::Everything };
            let related = match target {
                Target::Whole => {
                    let related = searcher.relate(left, right).map_err(|_| missing)?;
                    self.proof.matches.note(searcher.relater.arena, &related.relation, left, right);
                    related
                }
                Target::Loops(at) => {
                    relate_results(&mut searcher, &mut self.couples[at], left, right).ok_or(missing)?
                }
            };
            keep(&mut found, meeting.numbers(), related.evidence);
        }
        let (used, refuted, at_ends) = (searcher.relater.used, searcher.refuted, searcher.refuted_at_ends);
        if let Target::Loops(at) = target {
            self.couples[at].refute_at_ends(&at_ends);
        }
        self.proof.used.merge(used);
        self.relations.push(found);
        for couple in &mut self.couples {
            if let Some(refuted) = refuted.get(&couple.relation.pair) {
                couple.refute(refuted);
            }
        }
        Ok(())
    }
}

/// Whether a pair calls helpers that may be executed in place or matched.
pub(super) fn has_claimed_helpers(goal: &Goal<'_>) -> bool {
    (0..2).any(|version| {
        let claimed = goal.claims.always.iter().filter(|(_, level)| **level == Level::Full);
        let mut claimed = claimed.map(|(&(p, q), _)| [p, q][version]);
        let (inlinable, callees) = (inlinable(goal.program, version, goal.claims), &goal.effects(version).callees);
        claimed.any(|id| inlinable.contains(&id) && callees.contains(&id))
    })
}

/// The procedures of which nothing is claimed and that do not recur.
fn unclaimed(program: &Program<'_>, version: usize, claims: &Claims) -> BTreeSet<ProcId> {
    let mut inline = inlinable(program, version, claims);
    for (&(p, q), _) in claims.always.iter().filter(|(_, level)| **level == Level::Full) {
        inline.remove(&[p, q][version]);
    }
    inline
}

/// Relates two outcomes of matched loops by those results that correspond. Those that are no references need not be equal, and
/// those that are not are noted. `None` when the outcomes cannot be related even so.
fn relate_results(
    searcher: &mut Searcher<'_>,
    couple: &mut Couple,
    left: &Outcome,
    right: &Outcome,
) -> Option<RelationProof> {
    let mut relate = |wanted: &dyn Fn(usize) -> bool| {
        if let Some(end) = &mut searcher.relater.end {
            end.results = couple.results(wanted);
        }
        searcher.relate(left, right).ok()
    };
    if let Some(related) = relate(&|_| true) {
        return Some(related);
    }
    if left.ending != Ending::Normal || right.ending != Ending::Normal {
        return None;
    }
    let related = relate(&|at| couple.is_reference(at))?;
    if let Relation::Exclusive = related.relation {
        return Some(related);
    }
    let mut unequal = BTreeSet::new();
    for at in (0..couple.relation.results.len()).filter(|&at| !couple.is_reference(at)) {
        if relate(&|other| other == at || couple.is_reference(other)).is_none() {
            unequal.insert(at);
        }
    }
    // Each of them alone may hold, and not all of them together, where they do by different correspondences.
    let found = (!unequal.is_empty()).then_some(related);
    couple.unequal.extend(unequal);
    found
}
