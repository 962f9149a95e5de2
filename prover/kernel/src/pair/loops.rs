//! Rule *Relation*: path by path, with loops of the two versions run in step under relations of their variables.
//!
//! In: a pair, the relations of its loops, and how outcomes of the pair and of the loops are related. Out: the claims that were
//! used; or where the evidence is wrong.
//!
//! Invariant: each relation is assumed on entry of its loops, and of every matched call of these it is shown. Symbols of variables
//! that do not correspond are kept apart, by numbers of their own.

use super::facts::{are_partners, is_typed};
use super::paths::{PathsEvidence, Relations, assumptions, follow};
use super::plan::{InliningPlan, Run};
use super::{Both, Goal, Note, Pair};
use crate::bounds::pair::{APART, MAX_FACTS};
use crate::effects::{Effects, is_loop};
use crate::exec::state::Outcome;
use crate::exec::{Executor, on_entry};
use crate::rejection::{Rejection, reject};
use crate::relate::{CallRelation, Claims, Given, Level, Relater};
use lang_l::hir::{Local, Procedure};
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// What relates two loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopRelation {
    /// The loops.
    pub pair: Pair,
    /// What holds of their parameters on entry.
    pub entry: CallRelation,
    /// The results that are equal: of version 0, of version 1.
    pub results: Vec<(usize, usize)>,
}

/// What a proof by relations between loops did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopsEvidence {
    /// The pair itself.
    pub whole: PathsEvidence,
    /// Its pairs of loops, each with how their outcomes were related.
    pub loops: Vec<(LoopRelation, Relations)>,
}

/// What is to be related: the pair itself, or a pair of its loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The pair.
    Whole,
    /// The loops of this number.
    Loops(usize),
}

/// A pair whose loops are related.
#[derive(Clone, Copy)]
pub struct Frame<'f> {
    /// The pair.
    pub goal: Goal<'f>,
    /// What is to be shown of the pair, and is claimed of its loops.
    pub level: Level,
    /// Which calls are executed in place.
    pub plan: &'f InliningPlan,
    /// The relations.
    pub loops: &'f [LoopRelation],
}

/// Makes a proof by relations between loops anew, as its evidence says.
pub(super) fn check(
    (goal, level): (&Goal<'_>, Level),
    evidence: &LoopsEvidence,
    solver: &mut Solver,
    note: Note<'_>,
) -> Result<Claims, Rejection> {
    let loops: Vec<LoopRelation> = evidence.loops.iter().map(|(relation, _)| relation.clone()).collect();
    let frame = Frame { goal: *goal, level, plan: &evidence.whole.plan, loops: &loops };
    frame.check()?;
    let all = [&evidence.whole.relations].into_iter().chain(evidence.loops.iter().map(|(_, relations)| relations));
    let mut used = Claims::new();
    for (target, relations) in frame.targets().into_iter().zip(all) {
        for (pair, level) in frame.follow(target, relations, solver, &mut *note)? {
            // What one target needs in part another may need in full.
            let needed = used.entry(pair).or_insert(level);
            *needed = level.max(*needed);
        }
    }
    used.retain(|pair, _| loops.iter().all(|own| own.pair != *pair));
    Ok(used)
}

impl Frame<'_> {
    /// The pair itself, and all its loops.
    pub fn targets(&self) -> Vec<Target> {
        [Target::Whole].into_iter().chain((0..self.loops.len()).map(Target::Loops)).collect()
    }

    /// The effects of version 1, in which calls of loops share only those results with their partners that correspond.
    pub fn effects(&self) -> Vec<Effects> {
        let mut effects = self.goal.program.effects[1].to_vec();
        for own in self.loops {
            effects[own.pair.1.index()].result_numbers = Some(own.result_numbers(self.goal.program));
        }
        effects
    }

    /// What may be assumed of calls.
    pub fn claims(&self) -> Claims {
        let mut claims = self.goal.claims.clone();
        claims.retain(|&(p, q), _| self.loops.iter().all(|own| own.pair.0 != p && own.pair.1 != q));
        claims.extend(self.loops.iter().map(|own| (own.pair, self.level)));
        claims
    }

    /// Who relates outcomes under the relations.
    pub fn relater<'r>(
        &self,
        program: Both<'r>,
        arena: &'r mut Arena,
        solver: &'r mut Solver,
        claims: &'r Claims,
    ) -> Relater<'r> {
        let relations = self.loops.iter().map(|own| (own.pair, own.entry.clone())).collect();
        Relater { relations, ..program.relater(arena, solver, claims) }
    }

    /// All outcomes of both sides of a target; `None` where there are too many.
    pub fn outcomes(&self, program: Both<'_>, target: Target, arena: &mut Arena) -> Option<[Vec<Outcome>; 2]> {
        let (pair, parameter_numbers) = match target {
            Target::Whole => (self.goal.pair, None),
            Target::Loops(at) => (self.loops[at].pair, Some(self.loops[at].parameter_numbers(program))),
        };
        let run = Run { program, pair, plan: self.plan, parameter_numbers };
        let assumed = match target {
            Target::Whole => assumptions(program, pair, self.goal.when, arena).0,
            Target::Loops(at) => related_entry(&run, &self.loops[at], arena),
        };
        run.outcomes(&assumed, arena).ok()
    }

    /// Whether the relations and the plan are such that a proof may rest on them.
    fn check(&self) -> Result<(), Rejection> {
        let (goal, program) = (&self.goal, self.goal.program);
        if !goal.is_defined() || !program.begins_run(goal.pair) {
            return reject("loops are related of procedures alone that have a body");
        }
        if !assumptions(program, goal.pair, goal.when, &mut Arena::new(program.unit)).1 {
            return reject("the condition of the pair cannot be said in terms");
        }
        self.plan.check(program)?;
        for version in 0..2 {
            let own: BTreeSet<_> = self.loops.iter().map(|own| [own.pair.0, own.pair.1][version]).collect();
            if own.len() < self.loops.len() {
                return reject("a loop is related to two others");
            }
        }
        self.loops.iter().try_for_each(|own| own.check(program))
    }

    /// Relates the outcomes of a target, as the evidence says; the claims that were used.
    fn follow(
        &self,
        target: Target,
        relations: &Relations,
        solver: &mut Solver,
        note: Note<'_>,
    ) -> Result<Claims, Rejection> {
        let (effects, claims) = (self.effects(), self.claims());
        let Both { unit, effects: [first, _] } = self.goal.program;
        let program = Both { unit, effects: [first, &effects] };
        let mut arena = Arena::new(unit);
        let Some(mut both) = self.outcomes(program, target, &mut arena) else {
            return reject("there are too many paths");
        };
        if let Target::Loops(at) = target {
            for (version, outcomes) in both.iter_mut().enumerate() {
                outcomes.iter_mut().for_each(|own| *own = self.loops[at].corresponding(version, own, &|_| true));
            }
        }
        let mut relater = self.relater(program, &mut arena, solver, &claims);
        match target {
            Target::Whole => follow(&mut relater, &both, self.level, relations, note)?,
            Target::Loops(_) => follow(&mut relater, &both, self.level, relations, &mut |_, _, _, _| {})?,
        }
        Ok(relater.used)
    }
}

/// What holds on entry of two matched loops: what does of each alone, and their relation.
fn related_entry(run: &Run<'_>, own: &LoopRelation, arena: &mut Arena) -> Vec<Term> {
    let mut assumed = Vec::new();
    let mut parameters: [Vec<Term>; 2] = Default::default();
    for (version, id) in [own.pair.0, own.pair.1].into_iter().enumerate() {
        let Both { unit, effects } = run.program;
        let mut executor = Executor::new(unit, version, effects[version], run.limits(version), arena);
        let (view, conditions, _) = on_entry(&mut executor, id);
        assumed.extend(conditions);
        parameters[version] = view.locals.iter().take(unit.procedure(version, id).params).copied().collect();
    }
    let heap = arena.heaps.initial();
    let given = Given { arguments: [&parameters[0], &parameters[1]], heaps: [heap, heap] };
    assumed.extend(own.entry.facts.iter().map(|fact| fact.term(arena, given)));
    assumed
}

impl LoopRelation {
    /// Whether each reference that one loop hands out is one that the other does: another could be to an object that only one of the
    /// two has.
    pub fn shares_references(&self, program: Both<'_>) -> bool {
        (program.code(self.pair).into_iter().enumerate()).all(|(version, code)| {
            let matched = |at: usize| self.results.iter().any(|&(a, b)| [a, b][version] == at);
            results(code).iter().enumerate().all(|(at, local)| !local.ty.is_reference() || matched(at))
        })
    }

    /// An outcome of one version with those results alone that correspond and are wanted, in the order of the relation.
    pub fn corresponding(&self, version: usize, outcome: &Outcome, wanted: &dyn Fn(usize) -> bool) -> Outcome {
        let numbers = self.results.iter().enumerate().filter(|(at, _)| wanted(*at)).map(|(_, &(a, b))| [a, b][version]);
        let results = numbers.filter_map(|at| outcome.results.get(at).copied()).collect();
        Outcome { results, ..outcome.clone() }
    }

    /// The numbers of the parameters of version 1: those that are equal have those of version 0.
    fn parameter_numbers(&self, program: Both<'_>) -> Vec<u32> {
        numbers(&self.entry.equal, program.code(self.pair)[1].params)
    }

    /// The same of the results.
    fn result_numbers(&self, program: Both<'_>) -> Vec<u32> {
        numbers(&self.results, program.code(self.pair)[1].results)
    }

    /// Whether the two are loops that can be matched under this relation.
    fn check(&self, program: Both<'_>) -> Result<(), Rejection> {
        if !program.has(self.pair) || !program.claimable(self.pair) {
            return reject("a loop is related that is not there, or that looks at more than it is given");
        }
        let [left, right] = program.code(self.pair);
        let few = |code: &Procedure| code.params.max(code.results) < APART as usize;
        if ![left, right].into_iter().all(|code| is_loop(code) && code.body.is_some() && few(code)) {
            return reject("a procedure is related that is no loop");
        }
        let fits = are_partners(&self.entry.equal, [left, right].map(parameters))
            && are_partners(&self.results, [left, right].map(results));
        if !fits {
            return reject("variables of two loops are related that cannot be equal");
        }
        if !self.shares_references(program) {
            return reject("a loop hands out a reference that the other one does not");
        }
        let facts = &self.entry.facts;
        if facts.len() > MAX_FACTS || !facts.iter().all(|fact| is_typed(program, self.pair, fact)) {
            return reject("something is said of two loops that has no meaning");
        }
        Ok(())
    }
}

fn numbers(partners: &[(usize, usize)], count: usize) -> Vec<u32> {
    let of: BTreeMap<usize, usize> = partners.iter().map(|&(mine, theirs)| (theirs, mine)).collect();
    let number = |at: usize| u32::try_from(of.get(&at).copied().unwrap_or(at)).unwrap_or(u32::MAX);
    (0..count).map(|at| if of.contains_key(&at) { number(at) } else { APART.saturating_add(number(at)) }).collect()
}

/// The parameters of a procedure.
pub fn parameters(code: &Procedure) -> &[Local] {
    &code.locals[..code.params]
}

/// Its results.
pub fn results(code: &Procedure) -> &[Local] {
    &code.locals[code.params..code.params + code.results]
}
