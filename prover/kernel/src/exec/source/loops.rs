//! Loops of the source: one turn, and what comes after.
//!
//! In: a state at the head of a loop, or where one is come to. Out: the states in which control goes on, or the part returns.

use super::operands::{Partial, has_call};
use super::{Given, Simulation, Site};
use crate::exec::state::State;
use crate::exec::{ExecError, Executor, Flow};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, LocalId, ProcId, Procedure, Stmt, StmtKind, Type};
use lang_l::source::Span;
use smt::term::Term;

impl<'a> Executor<'a> {
    /// One turn of a loop, with its calls of the next.
    pub(super) fn turn(
        &mut self,
        state: State,
        number: usize,
        within: &'a Block,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let Some(own) = loop_of(within, number) else { return Err(ExecError::Unlike("there is no such loop")) };
        let StmtKind::While { cond, body, .. } = &own.kind else { return Err(ExecError::Unlike("this is no loop")) };
        let after = self.source.is_some_and(|source| source.own.site.to_end()) || has_call(cond);
        let (mut next, mut done) = (Vec::new(), Vec::new());
        if has_call(cond) {
            for Partial { mut state, done: operands } in self.hoisted(vec![state], &[cond])? {
                let Some(value) = operands.first().and_then(|cond| self.eval(&mut state, cond)) else {
                    done.extend(self.go_on(state, false)?);
                    continue;
                };
                let flows = self.branch(state, value, &mut |executor, state, entered| match entered {
                    true => Ok(vec![Flow::Next(state)]),
                    false => Ok(executor.past(state, code)?.into_iter().map(Flow::over).collect()),
                })?;
                split(flows, &mut next, &mut done);
            }
            let flows = self.statements(next, &body.stmts, code)?;
            next = Vec::new();
            split(flows, &mut next, &mut done);
        } else {
            let mut state = state;
            let Some(value) = self.eval(&mut state, cond) else { return self.go_on(state, false) };
            let flows = self.branch(state, value, &mut |executor, state, entered| match entered {
                true if after => executor.statements(vec![state], &body.stmts, code),
                true => {
                    let flows = executor.statements(vec![state], &body.stmts, code)?;
                    executor.and_again(flows)
                }
                false => executor.past(state, code),
            })?;
            split(flows, &mut next, &mut done);
        }
        let mut last = Vec::new();
        for state in next {
            last.extend(if after { self.again(state)? } else { vec![Flow::Return(state)] });
        }
        Ok(done.into_iter().chain(last).collect())
    }

    /// Goes on with the next turn where a turn has come to its end.
    fn and_again(&mut self, flows: Vec<Flow>) -> Result<Vec<Flow>, ExecError> {
        let (mut next, mut done) = (Vec::new(), Vec::new());
        split(flows, &mut next, &mut done);
        let mut last = Vec::new();
        for state in next {
            for flow in self.again(state)? {
                // The results are there; control has not left the turn yet, as its lowered form has not.
                let (Flow::Next(state) | Flow::Return(state)) = flow;
                last.push(Flow::Next(state));
            }
        }
        Ok(done.into_iter().chain(last).collect())
    }

    /// The next turn, from the end of a turn or from a `continue`.
    pub(in crate::exec) fn again(&mut self, mut state: State) -> Result<Vec<Flow>, ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let locals = state.locals.clone();
        let args =
            self.arguments(&mut state, (source.id, source.own), &|id: LocalId| locals.get(id.index()).copied())?;
        let span = self.code().procedure(source.id).span;
        let mut flows = Vec::new();
        for (mut state, results) in self.call_with(state, source.id, args, span)? {
            let results = results.into_iter().map(|value| self.arena.terms.simplify(value, &state.known));
            state.results = Some(results.collect());
            flows.push(Flow::Return(state));
        }
        Ok(flows)
    }

    /// Where the loop that is executed is left, but not by a `return`: its end, or the rest of the procedure.
    pub(in crate::exec) fn past(&mut self, mut state: State, code: &'a Procedure) -> Result<Vec<Flow>, ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let (Site::Loop { number, to_end, .. }, Some(body)) = (source.own.site, &code.body) else {
            return Err(ExecError::NotLowered);
        };
        if !to_end {
            self.leave(&mut state, None)?;
            return Ok(vec![Flow::Next(state)]);
        }
        let Some(rest) = loop_of(body, number).and_then(|own| rest_after(body, own)) else {
            return Err(ExecError::Unlike("a loop within another one has no rest"));
        };
        let (mut next, mut done) = (vec![state], Vec::new());
        for stmts in rest {
            let flows = self.statements(std::mem::take(&mut next), stmts, code)?;
            split(flows, &mut next, &mut done);
        }
        for mut state in next {
            let values = code.result_ids().map(|id| state.locals[id.index()]).collect();
            self.leave(&mut state, Some(values))?;
            done.push(Flow::Return(state));
        }
        Ok(done)
    }

    /// A loop that is come to.
    pub(in crate::exec) fn loop_call(
        &mut self,
        mut state: State,
        stmt: &Stmt,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let (Some(source), StmtKind::While { body, .. }, Some(whole)) = (self.source, &stmt.kind, &code.body) else {
            return Err(ExecError::NotLowered);
        };
        let stands_for = |of: &&(usize, &Simulation)| match of.1.site {
            Site::Loop { of, number, .. } => {
                of == source.own.site.procedure() && loop_of(whole, number).is_some_and(|own| std::ptr::eq(own, stmt))
            }
            Site::Procedure(_) => false,
        };
        let all = source.simulations.iter().enumerate();
        let all: Vec<(usize, &Simulation)> = all.filter_map(|(at, of)| Some((at, of.as_ref()?))).collect();
        let Some(&(id, of)) = all.iter().find(stands_for) else {
            return Err(ExecError::Unlike("a loop is come to that nothing stands for"));
        };
        let locals = state.locals.clone();
        let id = ProcId(u32::try_from(id).unwrap_or(u32::MAX));
        let args = self.arguments(&mut state, (id, of), &|id: LocalId| locals.get(id.index()).copied())?;
        let mut flows = Vec::new();
        for (state, given) in self.call_with(state, id, args, stmt.span)? {
            flows.extend(self.after_loop(state, of, &given, (body, code))?);
        }
        Ok(flows)
    }

    /// After a loop: its variables hold what it gave back, and where it was left by a `return`, so is what it is in.
    fn after_loop(
        &mut self,
        mut state: State,
        of: &Simulation,
        given: &[Term],
        (body, code): (&Block, &'a Procedure),
    ) -> Result<Vec<Flow>, ExecError> {
        let results: Vec<Option<Term>> =
            (0..code.results).map(|at| self.output(of, given, Given::Result(at))).collect();
        let results: Vec<Term> = results
            .into_iter()
            .zip(code.result_ids())
            .map(|(value, id)| self.or_arbitrary(value, &code.local(id).ty))
            .collect();
        for (at, local) in code.locals.iter().enumerate() {
            let id = LocalId(u32::try_from(at).unwrap_or(u32::MAX));
            match self.output(of, given, Given::Local(id)) {
                Some(value) if self.is_of(value, &local.ty) => state.locals.set(at, value),
                _ if body.assigns(id) => state.locals.set(at, self.arbitrary(&local.ty)),
                _ => continue,
            };
        }
        if of.site.to_end() {
            let results = results.into_iter().map(|value| self.arena.terms.simplify(value, &state.known)).collect();
            return self.returned(state, results, code);
        }
        if !body.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
            return Ok(vec![Flow::Next(state)]);
        }
        let Some(left) = self.output(of, given, Given::Returned).filter(|left| self.is_of(*left, &Type::Bool)) else {
            return Err(ExecError::Unlike("nothing says whether a loop was left by a return"));
        };
        let left = self.arena.terms.simplify(left, &state.known);
        self.branch(state, left, &mut |executor, state, returns| match returns {
            true => {
                let known = state.known.clone();
                let results = results.iter().map(|&value| executor.arena.terms.simplify(value, &known)).collect();
                executor.returned(state, results, code)
            }
            false => Ok(vec![Flow::Next(state)]),
        })
    }
}

/// The place of a loop of a procedure, by its number in the order of the source.
pub fn loop_at(body: &Block, number: usize) -> Option<Span> {
    loop_of(body, number).map(|own| own.span)
}

/// The invariants of a loop of a procedure, by its number in the order of the source.
pub fn invariants_of(body: &Block, number: usize) -> Option<&[Expr]> {
    match &loop_of(body, number)?.kind {
        StmtKind::While { invariants, .. } => Some(invariants),
        _ => None,
    }
}

/// A loop of a procedure, by its number in the order of the source.
fn loop_of(body: &Block, number: usize) -> Option<&Stmt> {
    let mut loops = Vec::new();
    walk_stmts(body, &mut |stmt| {
        if let StmtKind::While { .. } = stmt.kind {
            loops.push(stmt);
        }
    });
    loops.get(number.checked_sub(1)?).copied()
}

/// What follows a statement to the end of a body, block by block from the innermost; `None` where it is in a loop, or not there.
fn rest_after<'b>(body: &'b Block, own: &Stmt) -> Option<Vec<&'b [Stmt]>> {
    body.stmts.iter().enumerate().find_map(|(at, stmt)| {
        let mut rest = match &stmt.kind {
            _ if std::ptr::eq(own, stmt) => Vec::new(),
            StmtKind::If(_, then, els) => rest_after(then, own).or_else(|| rest_after(els, own))?,
            _ => return None,
        };
        rest.push(&body.stmts[at + 1..]);
        Some(rest)
    })
}

/// States in which control goes on, and those in which it does not.
fn split(flows: Vec<Flow>, next: &mut Vec<State>, done: &mut Vec<Flow>) {
    for flow in flows {
        match flow {
            Flow::Next(state) => next.push(state),
            Flow::Return(_) => done.push(flow),
        }
    }
}
