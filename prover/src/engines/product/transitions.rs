//! The paths from one cut point of a flow graph to the next, as terms.
//!
//! In: a [`Flow`]. Out: a [`Side`]: its cut points (entry, ends, heads of loops), the variables that matter at each, and from
//! each the [`Transition`]s to the next.
//!
//! Invariant: from every state at a cut point exactly one transition can be made, for the guards of its transitions exclude each other
//! and cover all states; a transition is finite.

use super::flow::{At, Flow, Instr, Value, Var};
use crate::budget::product::MAX_TRANSITIONS;
use crate::goal::Program;
use kernel::exec::{ContractView, Executor, Freshness, Limits};
use lang_l::hir::{Expr, ExprKind, GlobalId, ProcId};
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

/// A path from a cut point to the next.
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

/// A path from a cut point that has not come to the next.
#[derive(Clone)]
struct Path {
    at: At,
    values: Vec<Term>,
    /// What was assumed on it.
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
                let mut executor = Executor::new(program.unit.as_unit(), version, facts, Limits::default(), arena);
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
        (inputs, mut store): (&[(Term, BigInt)], Option<RandomStore>),
    ) -> Option<(usize, Vec<BigInt>)> {
        let mut values: HashMap<Term, BigInt> = inputs.iter().cloned().collect();
        values.extend(self.variables[cut].iter().copied().zip(state.iter().cloned()));
        for (number, transition) in self.transitions[cut].iter().enumerate() {
            if !arena.terms.evaluate(transition.guard, &mut values, &mut store)?.is_zero() {
                return Some((number, arena.terms.evaluate_all(&transition.values, &mut values, &mut store)?));
            }
        }
        None
    }

    /// The values of all variables at a cut point.
    fn values(&self, arena: &mut Arena, from: Cut) -> Vec<Term> {
        let value = |var: Var| {
            let number = |at: usize| u32::try_from(at).unwrap_or(0);
            let sort = self.flow.vars[var].0;
            if from != ENTRY {
                return self.variable(arena, var);
            }
            if var < self.flow.globals() {
                return arena.terms.app(Func::Global(number(var)), &[], sort);
            }
            match self.flow.params.iter().position(|&param| param == var) {
                Some(at) => arena.terms.app(Func::Param(number(at)), &[], sort),
                None => arena.terms.default_of(sort),
            }
        };
        (0..self.flow.vars.len()).map(value).collect()
    }

    /// The transitions from a cut point.
    fn explore(&self, executor: &mut Executor<'_>, from: Cut) -> Option<Vec<Transition>> {
        let values = self.values(executor.arena, from);
        let start = Path { at: self.places[from], values, path: Vec::new(), known: PathFacts::new() };
        let mut search = Exploration { side: self, executor, work: Vec::new(), transitions: Vec::new() };
        if from == ENTRY {
            search.arrive(start)?;
        } else {
            // The loop whose head this is has been entered.
            search.step(start)?;
        }
        while let Some(path) = search.work.pop() {
            if search.transitions.len() + search.work.len() > MAX_TRANSITIONS {
                return None;
            }
            search.arrive(path)?;
        }
        Some(search.transitions)
    }

    /// The locals of a frame, and the globals, as an expression sees them.
    fn view(&self, arena: &Arena, path: &Path, base: Var) -> ContractView {
        ContractView {
            locals: path.values[base..].iter().copied().collect(),
            globals: path.values[..self.flow.globals()].iter().copied().collect(),
            heap: arena.heaps.initial(),
            entry: None,
            freshness: Freshness::Unknown,
            existing: None,
            at_entry: false,
        }
    }
}

/// The paths from a cut point, as they are found.
struct Exploration<'e, 'x, 'u> {
    side: &'e Side<'u>,
    executor: &'e mut Executor<'x>,
    /// Those that have not come to a cut point.
    work: Vec<Path>,
    transitions: Vec<Transition>,
}

impl Exploration<'_, '_, '_> {
    /// Goes on from a place, unless it is the head of a loop, where the path ends.
    fn arrive(&mut self, path: Path) -> Option<()> {
        match self.side.flow.loops.iter().position(|&at| at == path.at) {
            Some(number) => {
                self.end(path, FIRST_HEAD + number);
                Some(())
            }
            None => self.step(path),
        }
    }

    /// Executes the instruction at which a path is; `None` where it cannot be looked at.
    fn step(&mut self, path: Path) -> Option<()> {
        match &self.side.flow.instrs[path.at] {
            Instr::Exit => self.end(path, EXIT),
            Instr::Head(next) => self.work.push(Path { at: *next, ..path }),
            Instr::Assign(moves, next) => self.assign(path, moves, *next)?,
            Instr::Branch(base, cond, then, els) => self.branch(path, (*base, cond), [*els, *then])?,
            Instr::Assert(base, cond, next) => self.check(path, (*base, cond), *next, ERROR)?,
            Instr::Assume(base, cond, next) => self.check(path, (*base, cond), *next, BLOCKED)?,
        }
        Some(())
    }

    /// The transition that a path has become.
    fn end(&mut self, path: Path, to: Cut) {
        let guard = self.executor.arena.terms.and(&path.path);
        let values = self.side.live[to].iter().map(|&var| path.values[var]).collect();
        self.transitions.push(Transition { to, guard, values });
    }

    fn assign(&mut self, mut path: Path, moves: &[(Var, Value<'_>)], next: At) -> Option<()> {
        let mut values = path.values.clone();
        for (to, value) in moves {
            values[*to] = match value {
                Value::Copy(var) => path.values[*var],
                Value::Default(sort) => self.executor.arena.terms.default_of(*sort),
                Value::Of(base, expr) => {
                    let Some(value) = self.evaluate(&mut path, (*base, expr))? else { return Some(()) };
                    self.executor.arena.terms.simplify(value, &path.known)
                }
            };
        }
        self.work.push(Path { at: next, values, ..path });
        Some(())
    }

    fn branch(&mut self, mut path: Path, cond: (Var, &Expr), next: [At; 2]) -> Option<()> {
        let Some(cond) = self.evaluate(&mut path, cond)? else { return Some(()) };
        for (holds, at) in [false, true].into_iter().zip(next) {
            let mut path = Path { at, ..path.clone() };
            let condition = if holds { cond } else { self.executor.arena.terms.not(cond) };
            if assume(self.executor.arena, &mut path, condition) {
                self.work.push(path);
            }
        }
        Some(())
    }

    /// Goes on where a condition holds, and ends at `otherwise` where it does not.
    fn check(&mut self, mut path: Path, cond: (Var, &Expr), next: At, otherwise: Cut) -> Option<()> {
        // Neither has a value that a run could look at.
        if cond.1.mentions_entry() || cond.1.any(&|part| matches!(part.kind, ExprKind::Quant { .. })) {
            return None;
        }
        let Some(holds) = self.evaluate(&mut path, cond)? else { return Some(()) };
        if self.require(&mut path, holds, otherwise) {
            self.work.push(Path { at: next, ..path });
        }
        Some(())
    }

    /// The value of an expression, where it has one: the inner `None` when it never has. The outer one when it cannot be said.
    fn evaluate(&mut self, path: &mut Path, (base, expr): (Var, &Expr)) -> Option<Option<Term>> {
        let view = self.side.view(self.executor.arena, path, base);
        let (value, ok) = self.executor.value(&view, expr)?;
        Some(self.require(path, ok, ERROR).then_some(value))
    }

    /// Splits off the transition that is made unless `ok`; whether any path is left.
    fn require(&mut self, path: &mut Path, ok: Term, otherwise: Cut) -> bool {
        let mut bad = path.clone();
        let failed = self.executor.arena.terms.not(ok);
        if assume(self.executor.arena, &mut bad, failed) {
            self.end(bad, otherwise);
        }
        assume(self.executor.arena, path, ok)
    }
}

/// Adds a condition; false when it contradicts the path outright.
fn assume(arena: &mut Arena, path: &mut Path, condition: Term) -> bool {
    let terms = &mut arena.terms;
    let condition = terms.simplify(condition, &path.known);
    if terms.is_true(condition) {
        return true;
    }
    path.path.push(condition);
    path.known.assume(terms, condition)
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
