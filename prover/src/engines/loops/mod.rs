//! Loops that are not over the same variables: run in step, under a relation that is found.
//!
//! In: a pair of procedures with as many loops each, which may write the heap. Out: a proof, path by path, in which the calls of
//! loops are matched under a [`CallRelation`]. Some variables are equal. Others are related by facts such as
//! `n' == a.length` or `i' == i + 1`. Those that only one version has are free.
//!
//! The relation of a pair of loops begins with all that might hold. What does not hold of a call, from outside or of the next
//! turn, is taken out, until nothing is (Houdini: Flanagan and Leino, FME 2001). What is left is an invariant of the two
//! loops. At the heads of two matched loops both heaps are the same as far as either sees: RIE's idea, at cut points.
//!
//! Rule *Relation* (`proofs/soundness.md`).
//!
//! Invariant: a proof counts only when nothing was taken out of any relation while it was made.

mod couple;

use super::paths::meetings;
use super::{Engine, relational};
use crate::budget::goal::MAX_INLINE_DEPTH;
use crate::budget::loops::{MAX_ATTEMPTS, MAX_LOOPS, MAX_ROUNDS, MAX_WAYS};
use crate::exec::state::Outcome;
use crate::exec::{Executor, Limits, execute, on_entry};
use crate::goal::{Goal, Pair, PairProof, Program, Rule, assumptions, begins_run, inlinable};
use crate::lower::is_loop;
use crate::relate::{Claims, Given, Level, Order, Relater, Relation};
use couple::Couple;
use lang_l::hir::ProcId;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::{Ending, Term};
use std::collections::BTreeSet;
use std::slice;

/// Under a relation between loops.
static RELATION: Rule = Rule {
    name: "relation",
    sentence: "proved path by path, with loops run in step under a relation of their variables",
    argument: "Relation",
    // It asks many queries, of which most are easy.
    share: 20,
};

/// Rule *Relation*.
pub(crate) struct Loops;

impl Engine for Loops {
    fn rule(&self) -> &'static Rule {
        &RELATION
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.reached.is_none() && goal.is_defined() && !goal.is_loop() && !loop_pairs(goal).is_empty()
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let pairs = loop_pairs(goal);
        let found = [Level::Full, Level::Partial].into_iter().find_map(|level| {
            choices(goal, &pairs).into_iter().find_map(|couples| {
                Search { goal, level, couples, proof: PairProof::trivial(None, &RELATION, Claims::new()) }.run(solver)
            })
        });
        found.unwrap_or_else(|| relational::nothing(goal, &RELATION))
    }
}

/// The loops of the two sides, in the order of the source; none where these are not as many.
fn loop_pairs(goal: &Goal<'_>) -> Vec<Pair> {
    let [left, right] = [0, 1].map(|version| {
        let code = &goal.program.unit.versions()[version];
        let callees = goal.effects(version).callees.iter().copied();
        callees.filter(|callee| is_loop(code.procedure(*callee))).collect::<Vec<ProcId>>()
    });
    let pairs: Vec<Pair> = left.iter().copied().zip(right.iter().copied()).collect();
    let fits = left.len() == right.len() && pairs.len() <= MAX_LOOPS;
    if fits && pairs.iter().all(|&pair| goal.program.claimable(pair)) { pairs } else { Vec::new() }
}

/// The ways in which the variables of all loops may go together, the likelier ones first.
fn choices(goal: &Goal<'_>, pairs: &[Pair]) -> Vec<Vec<Couple>> {
    let mut all: Vec<Vec<Couple>> = vec![Vec::new()];
    for &pair in pairs {
        let own = Couple::all(goal.program, pair);
        all = all
            .iter()
            .flat_map(|before| own.iter().map(move |one| [before.as_slice(), slice::from_ref(one)].concat()))
            .collect();
        all.truncate(MAX_WAYS);
    }
    all
}

/// A search for relations between loops under which a pair is proved.
struct Search<'g> {
    goal: &'g Goal<'g>,
    /// What is to be proved of the pair, and is claimed of its loops.
    level: Level,
    couples: Vec<Couple>,
    /// What is found in the present round.
    proof: PairProof,
}

/// What is to be related: the pair itself, or a pair of its loops.
#[derive(Clone, Copy)]
enum Target {
    Whole,
    Loops(usize),
}

impl<'g> Search<'g> {
    /// The proof; `None` where no relation leads to one.
    fn run(mut self, solver: &mut Solver) -> Option<PairProof> {
        let targets: Vec<Target> =
            [Target::Whole].into_iter().chain((0..self.couples.len()).map(Target::Loops)).collect();
        for _ in 0..MAX_ROUNDS {
            self.proof = PairProof { evidence: None, ..relational::proof(self.goal, &RELATION, self.level, None) };
            let mut weakened = false;
            for &target in &targets {
                self.relate(target, solver)?;
                for couple in &mut self.couples {
                    weakened |= couple.weaken();
                }
            }
            if !weakened {
                let own: BTreeSet<Pair> = self.couples.iter().map(|couple| couple.pair).collect();
                self.proof.used.retain(|pair, _| !own.contains(pair));
                return Some(self.proof);
            }
        }
        None
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

    /// Relates all outcomes of a target, under the relations as they are; what does not hold of them is noted. `None` where
    /// there is no proof even so.
    fn relate(&mut self, target: Target, solver: &mut Solver) -> Option<()> {
        let (program, claims) = (self.program(), self.claims());
        let mut arena = program.unit.arena();
        let both = self.outcomes(&program, &claims, target, &mut arena)?;
        let mut relater = Relater {
            unit: program.unit,
            effects: [&program.effects[0], &program.effects[1]],
            arena: &mut arena,
            solver,
            claims: &claims,
            used: Claims::new(),
            attempts: MAX_ATTEMPTS,
            order: Order::Nearest,
            relations: self.couples.iter().map(|couple| (couple.pair, couple.relation.clone())).collect(),
        };
        let mut unequal = BTreeSet::new();
        for meeting in meetings(&both).into_iter().filter(|meeting| self.level == Level::Full || !meeting.termination) {
            let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
            let relation = match target {
                Target::Whole => {
                    let related = relater.relate(left, right).ok()?;
                    self.proof.note(relater.arena, &related.relation, left, right);
                    continue;
                }
                Target::Loops(at) => relate_results(&mut relater, &self.couples[at], left, right)?,
            };
            unequal.extend(relation);
        }
        self.proof.used.extend(relater.used);
        let relations = relater.relations;
        for couple in &mut self.couples {
            if let Some(relation) = relations.get(&couple.pair) {
                couple.relation.refuted.clone_from(&relation.refuted);
            }
        }
        if let Target::Loops(at) = target {
            self.couples[at].unequal.extend(unequal);
        }
        Some(())
    }

    /// All outcomes of both sides.
    fn outcomes(
        &self,
        program: &Program<'_>,
        claims: &Claims,
        target: Target,
        arena: &mut Arena,
    ) -> Option<[Vec<Outcome>; 2]> {
        let pair = match target {
            Target::Whole => self.goal.pair,
            Target::Loops(at) => self.couples[at].pair,
        };
        let limits = [0, 1].map(|version| Limits {
            inline: unclaimed(program, version, claims),
            inline_depth: MAX_INLINE_DEPTH,
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
            execute(program.unit, version, effects, &limits[version], arena, (id, &assumed))
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
            let mut executor = Executor::new(program.unit, version, effects, limits[version].clone(), arena);
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

/// Relates two outcomes of matched loops by those results that correspond; those that are no references need not be equal, and
/// those that are not are returned. `None` when the outcomes cannot be related even so.
fn relate_results(
    relater: &mut Relater<'_>,
    couple: &Couple,
    left: &Outcome,
    right: &Outcome,
) -> Option<BTreeSet<usize>> {
    let with = |kept: &dyn Fn(usize) -> bool| {
        let pairs = couple.results.iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, pair)| *pair);
        let (mine, theirs): (Vec<usize>, Vec<usize>) = pairs.unzip();
        let of = |outcome: &Outcome, numbers: &[usize]| Outcome {
            results: numbers.iter().filter_map(|&at| outcome.results.get(at).copied()).collect(),
            ..outcome.clone()
        };
        (of(left, &mine), of(right, &theirs))
    };
    let (all, others) = with(&|_| true);
    if relater.relate(&all, &others).is_ok() {
        return Some(BTreeSet::new());
    }
    if left.ending != Ending::Normal || right.ending != Ending::Normal {
        return None;
    }
    let (mine, theirs) = with(&|at| couple.is_reference(at));
    if let Relation::Exclusive = relater.relate(&mine, &theirs).ok()?.relation {
        return Some(BTreeSet::new());
    }
    let mut unequal = BTreeSet::new();
    for at in (0..couple.results.len()).filter(|&at| !couple.is_reference(at)) {
        let (mine, theirs) = with(&|other| other == at || couple.is_reference(other));
        if relater.relate(&mine, &theirs).is_err() {
            unequal.insert(at);
        }
    }
    // Each of them alone may hold, and not all of them together, where they do by different correspondences.
    (!unequal.is_empty()).then_some(unequal)
}
