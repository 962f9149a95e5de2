//! The search for relations under which loops run in step, and the check of those that are told.
//!
//! In: a pair and its loops, each with all that might relate them. Out: a proof under what is left of it.
//!
//! Invariant: a proof counts only when nothing was taken out of any relation while it was made.

use super::super::paths::{Relations, keep, meetings};
use super::super::relational;
use super::RELATION;
use super::couple::Couple;
use crate::budget::goal::MAX_INLINE_DEPTH;
use crate::budget::loops::{MAX_ATTEMPTS, MAX_ROUNDS};
use crate::goal::{
    Goal, InliningPlan, LoopsEvidence, Pair, PairProof, PathsEvidence, Program, ProofEvidence, assumptions, begins_run,
    inlinable,
};
use crate::relate::{RelationProof, Searcher};
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute, on_entry};
use kernel::relate::{Claims, Given, Level, Relater, Relation, RelationEvidence};
use lang_l::hir::ProcId;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::{Ending, Term};
use std::collections::{BTreeMap, BTreeSet};

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
    relations: Vec<Relations>,
}

/// What is to be related: the pair itself, or a pair of its loops.
#[derive(Clone, Copy)]
enum Target {
    Whole,
    Loops(usize),
}

impl<'g> Search<'g> {
    /// A search that begins with all that might hold.
    pub(super) fn new(goal: &'g Goal<'g>, level: Level, couples: Vec<Couple>) -> Self {
        let plan = InliningPlan::of([BTreeSet::new(), BTreeSet::new()], [MAX_INLINE_DEPTH; 2]);
        let proof = PairProof::trivial(None, &RELATION, Claims::new());
        let mut search = Search { goal, level, couples, plan, proof, relations: Vec::new() };
        let claims = search.claims();
        search.plan.inline = [0, 1].map(|version| unclaimed(goal.program, version, &claims));
        search
    }

    /// The proof; `None` where no relation leads to one.
    pub(super) fn run(mut self, solver: &mut Solver) -> Option<PairProof> {
        for _ in 0..MAX_ROUNDS {
            let mut weakened = false;
            self.start();
            for target in self.targets() {
                self.relate(target, None, solver)?;
                for couple in &mut self.couples {
                    weakened |= couple.weaken();
                }
            }
            if !weakened {
                return Some(self.finish());
            }
        }
        None
    }

    /// The proof that evidence tells of, made without a search; `None` where it does not show what it should.
    pub(super) fn follow(
        goal: &'g Goal<'g>,
        level: Level,
        evidence: &LoopsEvidence,
        solver: &mut Solver,
    ) -> Option<PairProof> {
        let told = evidence.loops.iter().map(|told| Couple::told(goal.program, told)).collect::<Option<_>>()?;
        let mut search = Search::new(goal, level, told);
        search.plan = evidence.whole.plan.clone();
        search.start();
        let loops = evidence.loops.iter().map(|told| &told.relations);
        let all = [&evidence.whole.relations].into_iter().chain(loops);
        for (target, told) in search.targets().into_iter().zip(all) {
            search.relate(target, Some(told), solver)?;
            if search.couples.iter_mut().any(Couple::weaken) {
                return None;
            }
        }
        Some(search.finish())
    }

    fn targets(&self) -> Vec<Target> {
        [Target::Whole].into_iter().chain((0..self.couples.len()).map(Target::Loops)).collect()
    }

    /// Begins a round.
    fn start(&mut self) {
        self.proof = relational::proof(self.goal, &RELATION, self.level, None);
        self.relations.clear();
    }

    /// The proof that the last round has made.
    fn finish(mut self) -> PairProof {
        let own: BTreeSet<Pair> = self.couples.iter().map(|couple| couple.pair).collect();
        self.proof.used.retain(|pair, _| !own.contains(pair));
        self.proof.relations_of_loops =
            self.couples.iter().flat_map(|couple| couple.words(self.goal.program)).collect();
        let relations: Option<Vec<_>> = self.relations.into_iter().collect();
        self.proof.evidence = relations.and_then(|relations| {
            let mut relations = relations.into_iter();
            let whole = PathsEvidence { plan: self.plan, relations: relations.next()? };
            let loops = self.couples.iter().zip(relations).map(|(couple, own)| couple.tell(self.goal.program, own));
            Some(ProofEvidence::Loops(LoopsEvidence { whole, loops: loops.collect() }))
        });
        self.proof
    }

    /// The program, in which calls of loops of version 1 share only those results with their partners that correspond.
    fn program(&self) -> Program<'g> {
        let mut effects = self.goal.program.effects.clone();
        for couple in &self.couples {
            effects[1][couple.pair.1.index()].result_numbers = Some(couple.result_numbers());
        }
        Program { unit: self.goal.program.unit, effects }
    }

    /// What may be assumed of calls.
    fn claims(&self) -> Claims {
        let mut claims = self.goal.claims.clone();
        let coupled = |&(p, q): &Pair| self.couples.iter().any(|couple| couple.pair.0 == p || couple.pair.1 == q);
        claims.retain(|pair, _| !coupled(pair));
        claims.extend(self.couples.iter().map(|couple| (couple.pair, self.level)));
        claims
    }

    /// Relates all outcomes of a target, under the relations as they are; what does not hold of them is noted. Does as it is told,
    /// where it is. `None` where there is no proof even so.
    fn relate(
        &mut self,
        target: Target,
        told: Option<&BTreeMap<(usize, usize), RelationEvidence>>,
        solver: &mut Solver,
    ) -> Option<()> {
        let (program, claims) = (self.program(), self.claims());
        let mut arena = program.unit.arena();
        let both = self.outcomes(&program, target, &mut arena)?;
        let relater = Relater {
            unit: program.unit.as_unit(),
            effects: [&program.effects[0], &program.effects[1]],
            arena: &mut arena,
            solver,
            claims: &claims,
            used: Claims::new(),
            relations: self.couples.iter().map(|couple| (couple.pair, couple.relation.clone())).collect(),
        };
        let mut searcher = Searcher::new(relater, if told.is_some() { 0 } else { MAX_ATTEMPTS });
        let mut found: Relations = Some(BTreeMap::new());
        let plain = RelationEvidence::default();
        let level = self.level;
        for meeting in meetings(&both).into_iter().filter(|meeting| level == Level::Full || !meeting.termination) {
            let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
            let numbers = (meeting.left, meeting.right);
            let said = told.map(|told| told.get(&numbers).unwrap_or(&plain));
            let related = self.relate_outcomes(&mut searcher, target, (left, right), said)?;
            if let Target::Whole = target {
                self.proof.note(searcher.relater.arena, &related.relation, left, right);
            }
            keep(&mut found, numbers, related.evidence);
        }
        let (used, refuted) = (searcher.relater.used, searcher.refuted);
        // What is said of paths that need not be related would be said of nothing.
        if told.is_some_and(|told| found.as_ref() != Some(told)) {
            return None;
        }
        for (pair, level) in used {
            // What one target needs in part another may need in full.
            let needed = self.proof.used.entry(pair).or_insert(level);
            *needed = level.max(*needed);
        }
        self.relations.push(found);
        for couple in &mut self.couples {
            if let Some(refuted) = refuted.get(&couple.pair) {
                couple.refute(refuted);
            }
        }
        Some(())
    }

    /// Relates one outcome of each side, as it is told, where it is.
    fn relate_outcomes(
        &mut self,
        searcher: &mut Searcher<'_>,
        target: Target,
        (left, right): (&Outcome, &Outcome),
        said: Option<&RelationEvidence>,
    ) -> Option<RelationProof> {
        match (target, said) {
            (Target::Whole, None) => searcher.relate(left, right).ok(),
            (Target::Loops(at), None) => relate_results(searcher, &mut self.couples[at], left, right),
            (_, Some(said)) => {
                let (left, right) = match target {
                    Target::Whole => (left.clone(), right.clone()),
                    Target::Loops(at) => self.couples[at].corresponding(left, right, &|_| true),
                };
                let relation = searcher.relater.follow(&left, &right, said).ok()?;
                Some(RelationProof { relation, evidence: Some(said.clone()) })
            }
        }
    }

    /// All outcomes of both sides.
    fn outcomes(&self, program: &Program<'_>, target: Target, arena: &mut Arena) -> Option<[Vec<Outcome>; 2]> {
        let pair = match target {
            Target::Whole => self.goal.pair,
            Target::Loops(at) => self.couples[at].pair,
        };
        let limits = [0, 1].map(|version| Limits {
            inline: self.plan.inline[version].clone(),
            inline_depth: self.plan.depths[version],
            parameter_numbers: match target {
                Target::Loops(at) if version == 1 => Some(self.couples[at].parameter_numbers()),
                _ => None,
            },
            whole_run: begins_run(program, pair),
            ..Limits::default()
        });
        let assumed = match target {
            Target::Whole => assumptions(program, pair, self.goal.when, arena).0,
            Target::Loops(at) => self.related_entry(program, at, &limits, arena),
        };
        let [left, right] = [(0, pair.0), (1, pair.1)].map(|(version, id)| {
            let effects = &program.effects[version];
            execute(program.unit.as_unit(), version, effects, &limits[version], arena, (id, &assumed))
        });
        Some([left.ok()?.outcomes, right.ok()?.outcomes])
    }

    /// What holds on entry of two matched loops: what does of each alone, and their relation.
    fn related_entry(&self, program: &Program<'_>, at: usize, limits: &[Limits; 2], arena: &mut Arena) -> Vec<Term> {
        let couple = &self.couples[at];
        let mut assumed = Vec::new();
        let mut parameters: [Vec<Term>; 2] = Default::default();
        for (version, id) in [couple.pair.0, couple.pair.1].into_iter().enumerate() {
            let effects = &program.effects[version];
            let mut executor = Executor::new(program.unit.as_unit(), version, effects, limits[version].clone(), arena);
            let (view, conditions, _) = on_entry(&mut executor, id);
            assumed.extend(conditions);
            let count = program.unit.versions()[version].procedure(id).params;
            parameters[version] = view.locals.iter().take(count).copied().collect();
        }
        let heap = arena.heaps.initial();
        let given = Given { arguments: [&parameters[0], &parameters[1]], heaps: [heap, heap] };
        assumed.extend(couple.relation.facts.iter().map(|fact| fact.term(arena, given)));
        assumed
    }
}

/// The procedures that are executed in place: those without a partner that do not recur.
fn unclaimed(program: &Program<'_>, version: usize, claims: &Claims) -> BTreeSet<ProcId> {
    let mut inline = inlinable(program, version, claims);
    for (&(p, q), _) in claims.iter().filter(|(_, level)| **level == Level::Full) {
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
    let (mine, theirs) = couple.corresponding(left, right, &|_| true);
    if let Ok(related) = searcher.relate(&mine, &theirs) {
        return Some(related);
    }
    if left.ending != Ending::Normal || right.ending != Ending::Normal {
        return None;
    }
    let (mine, theirs) = couple.corresponding(left, right, &|at| couple.is_reference(at));
    let related = searcher.relate(&mine, &theirs).ok()?;
    if let Relation::Exclusive = related.relation {
        return Some(related);
    }
    let mut unequal = BTreeSet::new();
    for at in (0..couple.results.len()).filter(|&at| !couple.is_reference(at)) {
        let (mine, theirs) = couple.corresponding(left, right, &|other| other == at || couple.is_reference(other));
        if searcher.relate(&mine, &theirs).is_err() {
            unequal.insert(at);
        }
    }
    // Each of them alone may hold, and not all of them together, where they do by different correspondences.
    let found = (!unequal.is_empty()).then_some(related);
    couple.unequal.extend(unequal);
    found
}
