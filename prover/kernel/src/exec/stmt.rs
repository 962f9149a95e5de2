//! Statements: from a state to the states in which control goes on or returns.
//!
//! In: statements of a lowered program. Out: [`Flow`]s; the ways to err and to be blocked are split off as outcomes.

use super::expr::Translation;
use super::source::has_call;
use super::{Check, ExecError, Executor, Flow, cell_sort};
use crate::exec::state::{Fault, State};
use lang_l::hir::{Block, Expr, ExprKind, Place, Procedure, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use smt::stop;
use smt::term::{Ending, Kind, Selector, Term};

/// How to go on where a condition holds, and where it does not.
type Side<'s, 'a> = &'s mut dyn FnMut(&mut Executor<'a>, State, bool) -> Result<Vec<Flow>, ExecError>;

impl<'a> Executor<'a> {
    /// Executes a block.
    ///
    /// # Errors
    /// When there are too many paths or calls, or there is a loop.
    pub fn block(&mut self, state: State, block: &Block, code: &'a Procedure) -> Result<Vec<Flow>, ExecError> {
        self.statements(vec![state], &block.stmts, code)
    }

    /// Executes statements one after the other, each in all states that come to it.
    pub(super) fn statements(
        &mut self,
        states: Vec<State>,
        stmts: &[Stmt],
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let mut live = states;
        let mut done = Vec::new();
        for stmt in stmts {
            let mut next = Vec::new();
            for flow in self.in_all(live, stmt, code)? {
                match flow {
                    Flow::Next(state) => next.push(state),
                    Flow::Return(_) => done.push(flow),
                }
            }
            live = next;
            self.check_size(live.len() + done.len())?;
        }
        done.extend(live.into_iter().map(Flow::Next));
        Ok(done)
    }

    fn in_all(&mut self, states: Vec<State>, stmt: &Stmt, code: &'a Procedure) -> Result<Vec<Flow>, ExecError> {
        let calls = matches!(stmt.kind, StmtKind::Call { .. }) || stmt.exprs().into_iter().any(has_call);
        if self.source.is_some() && calls && !matches!(stmt.kind, StmtKind::While { .. }) {
            return self.with_calls(states, stmt, code);
        }
        let mut flows = Vec::new();
        for state in states {
            flows.extend(self.statement(state, stmt, code)?);
        }
        Ok(flows)
    }

    pub(super) fn statement(
        &mut self,
        mut state: State,
        stmt: &Stmt,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        stop::check();
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
                self.sides(state, cond, [then, els], code)
            }
            StmtKind::Return(values) => {
                let mut results = Vec::with_capacity(values.len());
                for value in values {
                    let Some(value) = self.eval(&mut state, value) else { return self.go_on(state, false) };
                    results.push(value);
                }
                self.returned(state, results, code)
            }
            StmtKind::Assert(condition) => self.assert(state, condition, stmt.span, code),
            StmtKind::Assume(condition) => self.assume(state, condition, stmt.span, code),
            StmtKind::While { .. } => self.loop_call(state, stmt, code),
            StmtKind::Break => Ok(self.past(state, code)?.into_iter().map(Flow::over).collect()),
            StmtKind::Continue => self.again(state),
        }
    }

    fn assert(
        &mut self,
        mut state: State,
        condition: &Expr,
        span: Span,
        code: &Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let said = self.contract_here(&state, condition, code);
        let value = said.map(|Translation { value, definedness }| {
            let all: Vec<Term> = definedness.into_iter().map(|(ok, _)| ok).chain([value]).collect();
            self.arena.terms.and(&all)
        });
        let path = state.path.iter().copied().collect();
        let check = Check { path, condition: value, calls: state.calls.iter().copied().collect(), span };
        self.found.asserts.push(check);
        // A condition that terms cannot say is one that may fail.
        let value = match value {
            Some(value) => value,
            None => self.unknown_bool(),
        };
        let alive = self.require(&mut state, value, "assertion failed", span);
        self.go_on(state, alive)
    }

    fn assume(
        &mut self,
        mut state: State,
        condition: &Expr,
        span: Span,
        code: &Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        // What it takes to have a value is no assumption: without it there is an error.
        let (value, definedness) = match self.contract_here(&state, condition, code) {
            Some(Translation { value, definedness }) => (value, definedness),
            None => {
                let fault = Fault { message: "an assumption that may have no value", span };
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

    pub(super) fn unknown_bool(&mut self) -> Term {
        let arbitrary = self.arena.terms.skolem_int();
        let zero = self.arena.terms.int(0);
        self.arena.terms.eq(arbitrary, zero)
    }

    pub(super) fn go_on(&mut self, mut state: State, alive: bool) -> Result<Vec<Flow>, ExecError> {
        if alive {
            return Ok(vec![Flow::Next(state)]);
        }
        self.flush(&mut state)?;
        Ok(Vec::new())
    }

    /// One block or the other.
    pub(super) fn sides(
        &mut self,
        state: State,
        cond: Term,
        [then, els]: [&Block; 2],
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        self.branch(state, cond, &mut |executor, state, holds| {
            executor.block(state, if holds { then } else { els }, code)
        })
    }

    /// Goes on in one way where a condition holds, and in another where it does not.
    pub(super) fn branch(&mut self, mut state: State, cond: Term, on: Side<'_, 'a>) -> Result<Vec<Flow>, ExecError> {
        if let Some(value) = self.arena.terms.as_bool(cond) {
            return on(self, state, value);
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
        for (at, side) in [true, false].into_iter().enumerate() {
            let Some(state) = starts[at].take() else {
                sides.push(Vec::new());
                continue;
            };
            // What the other side has led to, or will, counts while recursion goes deeper on this one.
            self.pending = before + sides.first().map_or(usize::from(starts[1].is_some()), Vec::len);
            self.check_size(1)?;
            sides.push(on(self, state, side)?);
        }
        self.pending = before;
        if self.limits.join
            && let ([Flow::Next(left)], [Flow::Next(right)]) = (sides[0].as_slice(), sides[1].as_slice())
            && left.calls == right.calls
            && left.results.is_some() == right.results.is_some()
        {
            let (mut left, mut right) = (left.clone(), right.clone());
            self.flush(&mut left)?;
            self.flush(&mut right)?;
            return Ok(vec![Flow::Next(self.join(&fork, cond, &left, &right))]);
        }
        Ok(sides.into_iter().flatten().collect())
    }

    /// Rule *Join*: one state that is `left` where `cond` holds and `right` where not. Each branch has made no call.
    pub fn join(&mut self, fork: &State, cond: Term, left: &State, right: &State) -> State {
        let terms = &mut self.arena.terms;
        let choose = |terms: &mut smt::term::Terms, a: &im::Vector<Term>, b: &im::Vector<Term>| -> im::Vector<Term> {
            a.iter().zip(b.iter()).map(|(&a, &b)| terms.ite(cond, a, b)).collect()
        };
        let mut joined = fork.clone();
        joined.locals = choose(terms, &left.locals, &right.locals);
        joined.globals = choose(terms, &left.globals, &right.globals);
        joined.results = left
            .results
            .as_ref()
            .zip(right.results.as_ref())
            .map(|(left, right)| left.iter().zip(right).map(|(&a, &b)| terms.ite(cond, a, b)).collect());
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
