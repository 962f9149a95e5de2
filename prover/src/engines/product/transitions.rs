//! The ways from one cut point of a flow graph to the next, as terms.
//!
//! In: a [`Flow`]. Out: a [`Side`]: its cut points (entry, ends, heads of loops), the variables that matter at each, and from
//! each the [`Transition`]s to the next.
//!
//! Invariant: from every state at a cut point exactly one transition can be made, for the guards of its transitions exclude each other
//! and cover all states; a transition is finite.

use super::flow::{At, Flow, Instr, Value, Var};
use crate::exec::{ContractView, Executor, Freshness, Limits};
use crate::goal::Program;
use crate::lower::visit::mentions_entry;
use lang_l::hir::{ExprKind, GlobalId, ProcId};
use num_bigint::BigInt;
use num_traits::Zero;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::random_stores::RandomStore;
use smt::term::{Func, PathFacts, Term};
use std::collections::BTreeSet;

/// The number of a cut point.
pub(super) type Cut = usize;
/// Where both versions begin; nothing but the inputs is there yet.
pub(super) const ENTRY: Cut = 0;
/// It returned; the variables are the outputs.
pub(super) const EXIT: Cut = 1;
/// It ended in error.
pub(super) const ERROR: Cut = 2;
/// An `assume` failed.
pub(super) const BLOCKED: Cut = 3;
const FIRST_HEAD: Cut = 4;

/// The variables of the sides are numbered from here on, so that they are not the inputs, nor those of the other.
const SHIFT: [u32; 2] = [1 << 20, 1 << 21];
/// More ways from one cut point than this are not worth starting with.
const MAX_LEAPS: usize = 40;

/// A way from a cut point to the next.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    pub(super) to: Cut,
    /// When it is taken, over the variables at the start and the inputs.
    pub(super) guard: Term,
    /// What the variables at the end get, over the same.
    pub(super) values: Vec<Term>,
}

/// One version.
#[derive(Clone, Debug)]
pub(super) struct Side<'u> {
    flow: Flow<'u>,
    version: usize,
    places: Vec<At>,
    /// By cut point: the variables that matter there.
    pub(super) live: Vec<Vec<Var>>,
    /// By cut point: the terms these are.
    pub(super) variables: Vec<Vec<Term>>,
    /// By cut point.
    pub(super) transitions: Vec<Vec<Transition>>,
}

/// A state on the way.
#[derive(Clone)]
struct Way {
    at: At,
    values: Vec<Term>,
    path: Vec<Term>,
    known: PathFacts,
}

impl<'u> Side<'u> {
    /// The cut points and transitions of a procedure; `None` when its graph cannot be had, or there are too many.
    pub(super) fn of(
        program: &'u Program<'u>,
        arena: &mut Arena,
        version: usize,
        procedure: ProcId,
        globals: &[GlobalId],
    ) -> Option<Side<'u>> {
        let flow = Flow::of(program.unit, version, procedure, globals)?;
        let mut places = vec![flow.start, 0, 0, 0];
        places.extend(&flow.loops);
        let lives = lives(&flow);
        let mut live: Vec<Vec<Var>> = places.iter().map(|&at| lives[at].iter().copied().collect()).collect();
        live[ENTRY] = Vec::new();
        live[EXIT].clone_from(&flow.outputs);
        live[ERROR] = Vec::new();
        live[BLOCKED] = Vec::new();
        let mut side = Side { flow, version, places, live, variables: Vec::new(), transitions: Vec::new() };
        for cut in 0..side.live.len() {
            let terms = side.live[cut].iter().map(|&var| side.variable(arena, var)).collect();
            side.variables.push(terms);
        }
        for cut in 0..side.places.len() {
            let transitions = if matches!(cut, EXIT | ERROR | BLOCKED) {
                Vec::new()
            } else {
                let facts = &program.effects[version];
                let mut executor = Executor::new(program.unit, version, facts, Limits::default(), arena);
                side.explore(&mut executor, cut)?
            };
            side.transitions.push(transitions);
        }
        Some(side)
    }

    /// Whether there are loops.
    pub(super) fn loops(&self) -> bool {
        !self.flow.loops.is_empty()
    }

    /// Whether this is a head of a loop.
    pub(super) fn is_head(cut: Cut) -> bool {
        cut >= FIRST_HEAD
    }

    /// The name of a variable, for people and to guess what corresponds to it.
    pub(super) fn name(&self, var: Var) -> &str {
        &self.flow.vars[var].1
    }

    /// The names of the variables that change in loops.
    pub(super) fn changing(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for from in (0..self.live.len()).filter(|&cut| Side::is_head(cut)) {
            let before: BTreeSet<(&str, Term)> =
                self.live[from].iter().map(|&var| self.name(var)).zip(self.variables[from].iter().copied()).collect();
            for transition in self.transitions[from].iter().filter(|transition| Side::is_head(transition.to)) {
                let after =
                    self.live[transition.to].iter().map(|&var| self.name(var)).zip(transition.values.iter().copied());
                let moved = after.filter(|it| !before.contains(it)).map(|(name, _)| name);
                names.extend(moved.filter(|name| before.iter().any(|(other, _)| other == name)));
            }
        }
        names
    }

    fn variable(&self, arena: &mut Arena, var: Var) -> Term {
        let number = SHIFT[self.version] + u32::try_from(var).unwrap_or(0);
        arena.terms.app(Func::Param(number), &[], self.flow.vars[var].0)
    }

    /// Runs from a state at a cut point: the transition taken, and the state it leads to.
    pub(super) fn run(
        &self,
        arena: &Arena,
        cut: Cut,
        state: &[BigInt],
        (inputs, store): (&[(Term, BigInt)], Option<RandomStore>),
    ) -> Option<(usize, Vec<BigInt>)> {
        let mut values: HashMap<Term, BigInt> = inputs.iter().cloned().collect();
        values.extend(self.variables[cut].iter().copied().zip(state.iter().cloned()));
        for (number, transition) in self.transitions[cut].iter().enumerate() {
            if !arena.terms.evaluate(transition.guard, &mut values, store)?.is_zero() {
                let state = transition.values.iter().map(|&value| arena.terms.evaluate(value, &mut values, store));
                return Some((number, state.collect::<Option<_>>()?));
            }
        }
        None
    }

    fn explore(&self, executor: &mut Executor<'_>, from: Cut) -> Option<Vec<Transition>> {
        let mut values = Vec::with_capacity(self.flow.vars.len());
        for var in 0..self.flow.vars.len() {
            let value = if from != ENTRY {
                self.variable(executor.arena, var)
            } else if var < self.flow.globals() {
                let number = u32::try_from(var).unwrap_or(0);
                executor.arena.terms.app(Func::Global(number), &[], self.flow.vars[var].0)
            } else if let Some(at) = self.flow.params.iter().position(|&param| param == var) {
                let number = u32::try_from(at).unwrap_or(0);
                executor.arena.terms.app(Func::Param(number), &[], self.flow.vars[var].0)
            } else {
                executor.arena.terms.default_of(self.flow.vars[var].0)
            };
            values.push(value);
        }
        let start = Way { at: self.places[from], values, path: Vec::new(), known: PathFacts::new() };
        let mut work = vec![start];
        let mut transitions = Vec::new();
        let mut begun = false;
        while let Some(mut way) = work.pop() {
            if transitions.len() + work.len() > MAX_LEAPS {
                return None;
            }
            let head = self.flow.loops.contains(&way.at) && (begun || from == ENTRY);
            begun = true;
            if head {
                let cut = FIRST_HEAD + self.flow.loops.iter().position(|&at| at == way.at)?;
                transitions.push(self.transition(executor, way, cut));
                continue;
            }
            match &self.flow.instrs[way.at] {
                Instr::Exit => transitions.push(self.transition(executor, way, EXIT)),
                Instr::Head(next) => {
                    way.at = *next;
                    work.push(way);
                }
                Instr::Assign(moves, next) => {
                    let mut got = Vec::with_capacity(moves.len());
                    let mut alive = true;
                    for (to, value) in moves {
                        let value = match value {
                            Value::Copy(var) => way.values[*var],
                            Value::Default(sort) => executor.arena.terms.default_of(*sort),
                            Value::Of(base, expr) => {
                                let (value, ok) = executor.value(&self.view(executor, &way, *base), expr)?;
                                alive = self.require(executor, &mut way, ok, ERROR, &mut transitions);
                                if !alive {
                                    break;
                                }
                                executor.arena.terms.simplify(value, &way.known)
                            }
                        };
                        got.push((*to, value));
                    }
                    if alive {
                        for (to, value) in got {
                            way.values[to] = value;
                        }
                        way.at = *next;
                        work.push(way);
                    }
                }
                Instr::Branch(base, cond, then, els) => {
                    let (cond, ok) = executor.value(&self.view(executor, &way, *base), cond)?;
                    if !self.require(executor, &mut way, ok, ERROR, &mut transitions) {
                        continue;
                    }
                    for (side, next) in [(false, *els), (true, *then)] {
                        let mut way = Way { at: next, ..way.clone() };
                        let holds = if side { cond } else { executor.arena.terms.not(cond) };
                        if assume(executor, &mut way, holds) {
                            work.push(way);
                        }
                    }
                }
                Instr::Assert(base, cond, next) | Instr::Assume(base, cond, next) => {
                    // Neither has a value that a run could look at.
                    if mentions_entry(cond) || cond.any(&|part| matches!(part.kind, ExprKind::Quant { .. })) {
                        return None;
                    }
                    let (holds, ok) = executor.value(&self.view(executor, &way, *base), cond)?;
                    let assert = matches!(self.flow.instrs[way.at], Instr::Assert(..));
                    let otherwise = if assert { ERROR } else { BLOCKED };
                    if self.require(executor, &mut way, ok, ERROR, &mut transitions)
                        && self.require(executor, &mut way, holds, otherwise, &mut transitions)
                    {
                        way.at = *next;
                        work.push(way);
                    }
                }
            }
        }
        Some(transitions)
    }

    fn transition(&self, executor: &mut Executor<'_>, way: Way, to: Cut) -> Transition {
        let guard = executor.arena.terms.and(&way.path);
        Transition { to, guard, values: self.live[to].iter().map(|&var| way.values[var]).collect() }
    }

    /// Splits off the transition that is made unless `ok`; whether any way is left.
    fn require(
        &self,
        executor: &mut Executor<'_>,
        way: &mut Way,
        ok: Term,
        otherwise: Cut,
        transitions: &mut Vec<Transition>,
    ) -> bool {
        let mut bad = way.clone();
        let failed = executor.arena.terms.not(ok);
        if assume(executor, &mut bad, failed) {
            transitions.push(self.transition(executor, bad, otherwise));
        }
        assume(executor, way, ok)
    }

    /// The locals of a frame, and the globals, as an expression sees them.
    fn view(&self, executor: &Executor<'_>, way: &Way, base: Var) -> ContractView {
        ContractView {
            locals: way.values[base..].iter().copied().collect(),
            globals: way.values[..self.flow.globals()].iter().copied().collect(),
            heap: executor.arena.heaps.initial(),
            entry: None,
            freshness: Freshness::Unknown,
            existing: None,
            at_entry: false,
        }
    }
}

/// Adds a condition; false when it contradicts the path outright.
fn assume(executor: &mut Executor<'_>, way: &mut Way, condition: Term) -> bool {
    let terms = &mut executor.arena.terms;
    let condition = terms.simplify(condition, &way.known);
    if terms.is_true(condition) {
        return true;
    }
    way.path.push(condition);
    way.known.assume(terms, condition)
}

/// For each instruction, the variables whose values before it matter.
fn lives(flow: &Flow<'_>) -> Vec<BTreeSet<Var>> {
    let mut lives: Vec<BTreeSet<Var>> = vec![BTreeSet::new(); flow.instrs.len()];
    loop {
        let mut changed = false;
        // Instructions are built from the end, so most of what follows one has a smaller number.
        for (at, instr) in flow.instrs.iter().enumerate() {
            let mut live: BTreeSet<Var> =
                instr.next().into_iter().flat_map(|next| lives[next].iter().copied().collect::<Vec<_>>()).collect();
            if let Instr::Assign(moves, _) = instr {
                moves.iter().for_each(|(to, _)| {
                    live.remove(to);
                });
            }
            live.extend(flow.reads(instr));
            if live != lives[at] {
                lives[at] = live;
                changed = true;
            }
        }
        if !changed {
            return lives;
        }
    }
}
