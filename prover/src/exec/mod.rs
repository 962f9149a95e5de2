//! Symbolic execution: a procedure of a lowered program to all its outcomes.
//!
//! In: a program without loops and with calls only as statements ([`crate::lower`]), and [`Effects`] about every procedure.
//! Out: [`Outcome`]s whose path conditions cover every initial store; each is a path, with the calls made on it.
//!
//! Invariant: no solver here; paths are dropped only when their condition is false by the simplifier alone.

mod acceleration;
mod call;
mod entry;
mod expr;
pub mod state;

use crate::effects::cell_sort;
pub use entry::on_entry;
use expr::Translation;
pub use expr::{ContractView, Freshness, before_call, existing};

use crate::effects::Effects;
use crate::exec::state::{Fault, Outcome, State};
use crate::lower::Lowered;
use lang_l::hir::{Block, ExprKind, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Version};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::term::{Ending, Func, Kind, Selector, Sort, Term};
use std::collections::BTreeSet;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// More outcomes than this are too many.
    pub outcomes: usize,
    /// More calls than this are too many, on all paths together: calls in place that make calls in place multiply.
    pub calls: usize,
    /// More work with terms than this is too much.
    pub work: u64,
    /// Procedures whose calls are executed in place, as deep as `inline_depth`.
    pub inline: BTreeSet<ProcId>,
    /// How many inlined calls may be nested.
    pub inline_depth: usize,
    /// When given, only calls at this place are executed in place.
    pub inline_at: Option<Span>,
    /// Join the states after an `if` into one, so that paths do not multiply.
    pub join: bool,
    /// Take all turns of a loop at once where that can be said (rule *Turns*).
    pub turns: bool,
    /// Note at calls what is said to hold on entry of the callee.
    pub entries: bool,
    /// The run begins where the execution does: what is old then existed when the run began, so that quantifiers see it.
    pub whole_run: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            outcomes: 600,
            calls: 4_000,
            work: 4_000_000,
            inline: BTreeSet::new(),
            inline_depth: 0,
            inline_at: None,
            join: false,
            turns: false,
            entries: false,
            whole_run: false,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
    /// More outcomes than this limit.
    #[error("has more than {0} paths")]
    TooManyPaths(usize),
    /// More calls than this limit.
    #[error("makes more than {0} calls")]
    TooManyCalls(usize),
    /// More work than the limit.
    #[error("leads to terms that are too large")]
    TooLarge,
}

/// What an execution found.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// All ways to end.
    pub outcomes: Vec<Outcome>,
    /// Pre-conditions of callees that must hold.
    pub calls: Vec<CheckedCall>,
    /// What is said to hold on entry of callees, where that was asked for: conditions as in their `Effects::entry`.
    pub entries: Vec<CheckedCall>,
    /// Assertions that must hold.
    pub asserts: Vec<Check>,
}

/// Something that must hold at a place.
#[derive(Clone, Debug)]
pub struct Check {
    /// The path to it.
    pub path: Vec<Term>,
    /// The condition; `None` when it has a form that terms cannot say.
    pub condition: Option<Term>,
    /// The calls made before it.
    pub calls: Vec<smt::term::CallId>,
    /// Where.
    pub span: Span,
}

/// A callee's pre-condition at a call.
#[derive(Clone, Debug)]
pub struct CheckedCall {
    /// The callee.
    pub callee: ProcId,
    /// Which of its `requires`, or of its conditions on entry.
    pub clause: usize,
    /// What must hold there.
    pub check: Check,
}

/// All outcomes of a procedure, path by path; where these are too many, with branches joined.
///
/// # Errors
/// When there are too many outcomes even so, or too many calls.
pub fn execute(
    unit: &Lowered,
    version: usize,
    effects: &[Effects],
    limits: &Limits,
    arena: &mut Arena,
    (procedure, assumed): (ProcId, &[Term]),
) -> Result<Execution, ExecError> {
    let paths = Executor::new(unit, version, effects, limits.clone(), arena).run(procedure, assumed);
    match paths {
        Err(ExecError::TooManyPaths(_)) if !limits.join => {
            let limits = Limits { join: true, ..limits.clone() };
            Executor::new(unit, version, effects, limits, arena).run(procedure, assumed)
        }
        done => done,
    }
}

/// Runs procedures of one version.
pub struct Executor<'a> {
    /// The program.
    pub unit: &'a Lowered,
    /// Which version.
    pub version: usize,
    /// What is known of its procedures.
    pub effects: &'a [Effects],
    /// How far to go.
    pub limits: Limits,
    /// Terms, heaps, calls.
    pub arena: &'a mut Arena,
    found: Execution,
    /// How many calls were made.
    calls: usize,
    /// How much was done with terms before.
    started: u64,
    depth: usize,
    /// How many states are still to be executed, or were put by, at the branches around the present one.
    pending: usize,
    /// In how many turns of loops, taken as one of many, this is.
    turn_depth: u32,
}

/// Whether control goes on after a statement.
enum Flow {
    Next(State),
    Return(State),
}

impl<'a> Executor<'a> {
    /// An executor for `version` of `unit`.
    pub fn new(
        unit: &'a Lowered,
        version: usize,
        effects: &'a [Effects],
        limits: Limits,
        arena: &'a mut Arena,
    ) -> Self {
        let started = arena.terms.work();
        Executor {
            unit,
            version,
            effects,
            limits,
            arena,
            found: Execution::default(),
            calls: 0,
            started,
            depth: 0,
            pending: 0,
            turn_depth: 0,
        }
    }

    fn code(&self) -> &'a Version {
        &self.unit.versions[self.version]
    }

    /// All outcomes of the body of `procedure` from an arbitrary store, with the n-th parameter [`Func::Param`] n.
    ///
    /// `assumed` holds on entry (the pre-conditions). An external procedure has no body and no outcomes.
    ///
    /// # Errors
    /// When there are more outcomes or calls than the limits.
    pub fn run(mut self, procedure: ProcId, assumed: &[Term]) -> Result<Execution, ExecError> {
        let code = self.code().procedure(procedure);
        let mut state = self.entry(code);
        for &condition in assumed {
            if !state.assume(&mut self.arena.terms, condition) {
                return Ok(self.found);
            }
        }
        let ends = self.body(state, procedure)?;
        for mut state in ends {
            self.flush(&mut state)?;
            let results = code.result_ids().map(|id| state.locals[id.index()]).collect();
            self.finish(&state, Ending::Normal, state.path.iter().copied().collect(), results, Vec::new())?;
        }
        Ok(self.found)
    }

    /// The state on entry: parameters and globals arbitrary, all else at its default.
    pub fn entry(&mut self, code: &Procedure) -> State {
        let terms = &mut self.arena.terms;
        let locals = code
            .locals
            .iter()
            .zip(0u32..)
            .map(|(local, at)| {
                let sort = Sort::from(&local.ty);
                if (at as usize) < code.params { terms.app(Func::Param(at), &[], sort) } else { terms.default_of(sort) }
            })
            .collect();
        let globals = self
            .unit
            .globals
            .iter()
            .zip(0u32..)
            .map(|(global, at)| terms.app(Func::Global(at), &[], Sort::from(&global.ty)))
            .collect();
        State {
            locals,
            globals,
            heap: self.arena.heaps.initial(),
            path: im::Vector::new(),
            known: smt::term::PathFacts::new(),
            calls: im::Vector::new(),
            news: im::Vector::new(),
            pending: im::Vector::new(),
            unflushed: 0,
        }
    }

    /// Runs the body of a procedure whose parameters are set; the states in which it returns.
    fn body(&mut self, state: State, procedure: ProcId) -> Result<Vec<State>, ExecError> {
        let code = self.code().procedure(procedure);
        let Some(block) = &code.body else { return Ok(Vec::new()) };
        let flows = self.block(state, block, code)?;
        Ok(flows
            .into_iter()
            .map(|flow| match flow {
                Flow::Next(state) | Flow::Return(state) => state,
            })
            .collect())
    }

    fn block(&mut self, state: State, block: &Block, code: &Procedure) -> Result<Vec<Flow>, ExecError> {
        let mut live = vec![state];
        let mut done = Vec::new();
        for stmt in &block.stmts {
            let mut next = Vec::new();
            for state in live {
                for flow in self.stmt(state, stmt, code)? {
                    match flow {
                        Flow::Next(state) => next.push(state),
                        Flow::Return(_) => done.push(flow),
                    }
                }
            }
            live = next;
            self.check_size(live.len() + done.len())?;
        }
        done.extend(live.into_iter().map(Flow::Next));
        Ok(done)
    }

    fn check_size(&self, states: usize) -> Result<(), ExecError> {
        if self.arena.terms.work() - self.started > self.limits.work {
            return Err(ExecError::TooLarge);
        }
        let outcomes = states + self.found.outcomes.len() + self.pending;
        if outcomes > self.limits.outcomes { Err(ExecError::TooManyPaths(self.limits.outcomes)) } else { Ok(()) }
    }

    fn stmt(&mut self, mut state: State, stmt: &Stmt, code: &Procedure) -> Result<Vec<Flow>, ExecError> {
        match &stmt.kind {
            StmtKind::Assign(place, Rhs::Expr(call)) if matches!(call.kind, ExprKind::Call(..)) => {
                let ExprKind::Call(callee, args) = &call.kind else { return Ok(Vec::new()) };
                self.call(state, std::slice::from_ref(place), *callee, args, stmt.span)
            }
            StmtKind::Assign(place, rhs) => {
                let alive = self.assign(&mut state, place, rhs, stmt.span);
                self.go_on(state, alive)
            }
            StmtKind::Call { targets, callee, args } => self.call(state, targets, *callee, args, stmt.span),
            StmtKind::If(cond, then, els) => {
                let Some(cond) = self.eval(&mut state, cond) else { return self.go_on(state, false) };
                self.branch(state, cond, then, els, code)
            }
            StmtKind::Return(values) => {
                let mut results = Vec::with_capacity(values.len());
                for value in values {
                    let Some(value) = self.eval(&mut state, value) else { return self.go_on(state, false) };
                    results.push(value);
                }
                for (id, value) in code.result_ids().zip(results) {
                    state.locals.set(id.index(), value);
                }
                Ok(vec![Flow::Return(state)])
            }
            StmtKind::Assert(condition) => {
                let said = self.contract_here(&state, condition, code);
                let value = said.map(|Translation { value, definedness }| {
                    let all: Vec<Term> = definedness.into_iter().map(|(ok, _)| ok).chain([value]).collect();
                    self.arena.terms.and(&all)
                });
                let path = state.path.iter().copied().collect();
                let check =
                    Check { path, condition: value, calls: state.calls.iter().copied().collect(), span: stmt.span };
                self.found.asserts.push(check);
                // A condition that terms cannot say is one that may fail.
                let value = match value {
                    Some(value) => value,
                    None => self.unknown_bool(),
                };
                let alive = self.require(&mut state, value, "assertion failed", stmt.span);
                self.go_on(state, alive)
            }
            StmtKind::Assume(condition) => {
                // What it takes to have a value is no assumption: without it there is an error.
                let (value, definedness) = match self.contract_here(&state, condition, code) {
                    Some(Translation { value, definedness }) => (value, definedness),
                    None => {
                        let fault = Fault { message: "an assumption that may have no value", span: stmt.span };
                        (self.unknown_bool(), vec![(self.unknown_bool(), fault)])
                    }
                };
                for (ok, fault) in definedness {
                    if !self.require(&mut state, ok, fault.message, fault.span) {
                        return self.go_on(state, false);
                    }
                }
                self.flush(&mut state)?;
                let value = self.arena.terms.simplify(value, &state.known);
                let blocked = self.arena.terms.not(value);
                let mut stuck = state.clone();
                if stuck.assume(&mut self.arena.terms, blocked) {
                    let path = stuck.path.iter().copied().collect();
                    self.finish(&stuck, Ending::Diverges, path, Vec::new(), Vec::new())?;
                }
                let alive = state.assume(&mut self.arena.terms, value);
                self.go_on(state, alive)
            }
            // The lowering has made procedures of the loops.
            StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue => Ok(vec![Flow::Next(state)]),
        }
    }

    fn unknown_bool(&mut self) -> Term {
        let arbitrary = self.arena.terms.skolem_int();
        let zero = self.arena.terms.int(0);
        self.arena.terms.eq(arbitrary, zero)
    }

    fn go_on(&mut self, mut state: State, alive: bool) -> Result<Vec<Flow>, ExecError> {
        if alive {
            return Ok(vec![Flow::Next(state)]);
        }
        self.flush(&mut state)?;
        Ok(Vec::new())
    }

    fn branch(
        &mut self,
        mut state: State,
        cond: Term,
        then: &Block,
        els: &Block,
        code: &Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        if let Some(value) = self.arena.terms.as_bool(cond) {
            return self.block(state, if value { then } else { els }, code);
        }
        self.flush(&mut state)?;
        let fork = state.clone();
        let mut starts = Vec::new();
        for side in [true, false] {
            let mut state = fork.clone();
            let condition = if side { cond } else { self.arena.terms.not(cond) };
            starts.push(state.assume(&mut self.arena.terms, condition).then_some(state));
        }
        let mut sides = Vec::new();
        let before = self.pending;
        for (at, block) in [then, els].into_iter().enumerate() {
            let Some(state) = starts[at].take() else {
                sides.push(Vec::new());
                continue;
            };
            // What the other side has led to, or will, counts while recursion goes deeper on this one.
            self.pending = before + sides.first().map_or(usize::from(starts[1].is_some()), Vec::len);
            self.check_size(1)?;
            sides.push(self.block(state, block, code)?);
        }
        self.pending = before;
        if self.limits.join
            && let ([Flow::Next(left)], [Flow::Next(right)]) = (sides[0].as_slice(), sides[1].as_slice())
            && left.calls == right.calls
        {
            let (mut left, mut right) = (left.clone(), right.clone());
            self.flush(&mut left)?;
            self.flush(&mut right)?;
            return Ok(vec![Flow::Next(self.join(&fork, cond, &left, &right))]);
        }
        Ok(sides.into_iter().flatten().collect())
    }

    /// Rule *Join*: one state that is `left` where `cond` holds and `right` where not. Each branch has made no call.
    fn join(&mut self, fork: &State, cond: Term, left: &State, right: &State) -> State {
        let terms = &mut self.arena.terms;
        let choose = |terms: &mut smt::term::Terms, a: &im::Vector<Term>, b: &im::Vector<Term>| -> im::Vector<Term> {
            a.iter().zip(b.iter()).map(|(&a, &b)| terms.ite(cond, a, b)).collect()
        };
        let mut joined = fork.clone();
        joined.locals = choose(terms, &left.locals, &right.locals);
        joined.globals = choose(terms, &left.globals, &right.globals);
        joined.heap = self.arena.heaps.join(cond, left.heap, right.heap);
        let mut sides = Vec::new();
        for side in [left, right] {
            let extra: Vec<Term> = side.path.iter().skip(fork.path.len()).copied().collect();
            sides.push(terms.and(&extra));
        }
        let either = terms.or(&sides);
        // It cannot contradict the path: one of the branches is taken.
        let _ = joined.assume(terms, either);
        joined.calls = left.calls.clone();
        joined.news = left.news.iter().chain(right.news.iter().skip(fork.news.len())).copied().collect();
        joined
    }

    fn assign(&mut self, state: &mut State, place: &Place, rhs: &Rhs, span: Span) -> bool {
        // L's order: the place's object and index, then the right side, then the store with its checks.
        let (mut object, mut index) = (None, None);
        match place {
            Place::Field(base, _) => {
                object = self.eval(state, base);
                if object.is_none() {
                    return false;
                }
            }
            Place::Index(base, at) => {
                object = self.eval(state, base);
                index = object.and_then(|_| self.eval(state, at));
                if index.is_none() {
                    return false;
                }
            }
            Place::Local(_) | Place::Global(_) => {}
        }
        let Some(value) = self.rhs(state, rhs, span) else { return false };
        match (place, object) {
            (Place::Local(id), _) => {
                state.locals.set(id.index(), value);
            }
            (Place::Global(id), _) => {
                state.globals.set(id.index(), value);
            }
            (Place::Field(_, field), Some(object)) => {
                if !self.require_object(state, object, span) {
                    return false;
                }
                state.heap = self.arena.heaps.store(state.heap, Selector::Field(*field), object, None, value);
            }
            (Place::Index(base, _), Some(object)) => {
                let Some(at) = index else { return false };
                if !self.require_object(state, object, span) || !self.require_index(state, object, at, span) {
                    return false;
                }
                let selector = Selector::Cell(cell_sort(&base.ty));
                state.heap = self.arena.heaps.store(state.heap, selector, object, Some(at), value);
            }
            (Place::Field(..) | Place::Index(..), None) => return false,
        }
        true
    }

    fn rhs(&mut self, state: &mut State, rhs: &Rhs, span: Span) -> Option<Term> {
        match rhs {
            Rhs::Expr(expr) => self.eval(state, expr),
            Rhs::New(class) => Some(self.allocate(state, Kind::Object(*class), span)),
            Rhs::NewArray(element, length) => {
                let length = self.eval(state, length)?;
                let zero = self.arena.terms.int(0);
                let enough = self.arena.terms.le(zero, length);
                if !self.require(state, enough, "negative array size", span) {
                    return None;
                }
                Some(self.allocate(state, Kind::Array(element.clone(), length), span))
            }
        }
    }

    fn allocate(&mut self, state: &mut State, kind: Kind, span: Span) -> Term {
        let (alloc, object) = self.arena.terms.new_object(kind);
        state.news.push_back((alloc, span));
        object
    }

    /// Turns the ways to err gathered since the last fork into one outcome.
    fn flush(&mut self, state: &mut State) -> Result<(), ExecError> {
        if state.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut state.pending);
        let conditions: Vec<Term> = pending.iter().map(|(condition, _)| *condition).collect();
        let any = self.arena.terms.or(&conditions);
        // What was assumed since the last flush is just that none of these happened.
        let base = state.path.len() - state.unflushed;
        state.unflushed = 0;
        let mut path: Vec<Term> = state.path.iter().take(base).copied().collect();
        path.push(any);
        let faults = pending.into_iter().map(|(_, fault)| fault).collect();
        self.finish(state, Ending::Error, path, Vec::new(), faults)
    }

    fn finish(
        &mut self,
        state: &State,
        ending: Ending,
        path: Vec<Term>,
        results: Vec<Term>,
        faults: Vec<Fault>,
    ) -> Result<(), ExecError> {
        self.found.outcomes.push(Outcome {
            ending,
            path,
            calls: state.calls.iter().copied().collect(),
            news: state.news.iter().copied().collect(),
            heap: state.heap,
            globals: state.globals.iter().copied().collect(),
            results,
            faults,
        });
        self.check_size(0)
    }

    /// Splits off the error that happens unless `ok`; false when nothing goes on.
    fn require(&mut self, state: &mut State, ok: Term, message: &'static str, span: Span) -> bool {
        let ok = self.arena.terms.simplify(ok, &state.known);
        if self.arena.terms.is_true(ok) {
            return true;
        }
        let bad = self.arena.terms.not(ok);
        state.pending.push_back((bad, Fault { message, span }));
        let before = state.path.len();
        let alive = state.assume(&mut self.arena.terms, ok);
        state.unflushed += state.path.len() - before;
        alive
    }

    fn require_object(&mut self, state: &mut State, object: Term, span: Span) -> bool {
        let null = self.arena.terms.null();
        let is_null = self.arena.terms.eq(object, null);
        let ok = self.arena.terms.not(is_null);
        self.require(state, ok, "null dereference", span)
    }

    fn require_index(&mut self, state: &mut State, array: Term, index: Term, span: Span) -> bool {
        let length = self.arena.heaps.length(&mut self.arena.terms, array);
        let zero = self.arena.terms.int(0);
        let low = self.arena.terms.le(zero, index);
        let high = self.arena.terms.lt(index, length);
        let ok = self.arena.terms.and(&[low, high]);
        self.require(state, ok, "index out of bounds", span)
    }
}
