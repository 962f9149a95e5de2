//! Calls within expressions of the source: taken out as they are met, in the order of evaluation.
//!
//! In: states, and a statement with calls among its operands. Out: the states after it. All states take one step after the other
//! together, as they do in the lowered program.

use super::assigned;
use crate::exec::state::State;
use crate::exec::{ExecError, Executor, Flow};
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp};
use lang_l::source::Span;
use smt::term::Term;

/// A state on the way through the operands of a statement, with those that are free of calls by now.
pub(super) struct Partial {
    pub(super) state: State,
    pub(super) done: Vec<Expr>,
}

impl<'a> Executor<'a> {
    /// A statement with calls among its operands, in several states at once: first all operands, then the statement.
    pub(in crate::exec) fn with_calls(
        &mut self,
        states: Vec<State>,
        stmt: &Stmt,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        if let StmtKind::Assign(place @ (Place::Local(_) | Place::Global(_)), Rhs::Expr(value)) = &stmt.kind
            && let ExprKind::Call(callee, args) = &value.kind
        {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.call_statement(states, (std::slice::from_ref(place), *callee, &operands), stmt.span);
        }
        if let StmtKind::Call { targets, callee, args } = &stmt.kind {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.call_statement(states, (targets, *callee, &operands), stmt.span);
        }
        let mut flows = Vec::new();
        for Partial { mut state, done } in self.hoisted(states, &stmt.exprs())? {
            if let (StmtKind::If(_, then, els), [cond]) = (&stmt.kind, &done[..]) {
                let Some(cond) = self.eval(&mut state, cond) else {
                    flows.extend(self.go_on(state, false)?);
                    continue;
                };
                flows.extend(self.sides(state, cond, [then, els], code)?);
                continue;
            }
            let mut plain = stmt.clone();
            for (operand, value) in plain.exprs_mut().into_iter().zip(done) {
                *operand = value;
            }
            flows.extend(self.statement(state, &plain, code)?);
        }
        Ok(flows)
    }

    fn call_statement(
        &mut self,
        states: Vec<State>,
        (targets, callee, operands): (&[Place], ProcId, &[&Expr]),
        span: Span,
    ) -> Result<Vec<Flow>, ExecError> {
        let mut flows = Vec::new();
        for Partial { state, done } in self.hoisted(states, operands)? {
            for (state, results) in self.call_of_source(state, callee, &done, span)? {
                flows.push(Flow::Next(assigned(state, targets, results)));
            }
        }
        Ok(flows)
    }

    /// Takes the calls out of operands that are evaluated one after the other.
    pub(super) fn hoisted(&mut self, states: Vec<State>, operands: &[&Expr]) -> Result<Vec<Partial>, ExecError> {
        let parts = states.into_iter().map(|state| Partial { state, done: Vec::new() }).collect();
        self.hoist_all(parts, operands)
    }

    fn hoist_all(&mut self, mut parts: Vec<Partial>, operands: &[&Expr]) -> Result<Vec<Partial>, ExecError> {
        let last = operands.iter().rposition(|operand| has_call(operand));
        for (at, operand) in operands.iter().enumerate() {
            parts = self.hoist(parts, operand)?;
            let literal = matches!(operand.kind, ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null);
            if last.is_some_and(|last| at < last) && !literal {
                parts = self.saved(parts)?;
            }
        }
        Ok(parts)
    }

    /// The last operand, evaluated now.
    fn saved(&mut self, parts: Vec<Partial>) -> Result<Vec<Partial>, ExecError> {
        let mut kept = Vec::new();
        for Partial { mut state, mut done } in parts {
            let Some(operand) = done.pop() else { continue };
            match self.eval(&mut state, &operand) {
                Some(value) => {
                    done.push(temporary(&mut state, value, &operand));
                    kept.push(Partial { state, done });
                }
                None => {
                    self.go_on(state, false)?;
                }
            }
        }
        Ok(kept)
    }

    /// Takes the calls out of one more operand, which goes to the end of those that are done.
    fn hoist(&mut self, mut parts: Vec<Partial>, expr: &Expr) -> Result<Vec<Partial>, ExecError> {
        if !has_call(expr) {
            parts.iter_mut().for_each(|part| part.done.push(expr.clone()));
            return Ok(parts);
        }
        match &expr.kind {
            ExprKind::Call(callee, args) => {
                let operands: Vec<&Expr> = args.iter().collect();
                let parts = self.hoist_all(parts, &operands)?;
                let mut ends = Vec::new();
                for Partial { state, mut done } in parts {
                    let args = done.split_off(done.len() - operands.len());
                    for (mut state, results) in self.call_of_source(state, *callee, &args, expr.span)? {
                        let mut done = done.clone();
                        let Some(&value) = results.first() else { return Err(ExecError::NotLowered) };
                        done.push(temporary(&mut state, value, expr));
                        ends.push(Partial { state, done });
                    }
                }
                Ok(ends)
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b) if has_call(b) => {
                let literal = |value| Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span: expr.span };
                let (parts, sides) = (self.hoist(parts, a)?, [b.as_ref().clone(), literal(*op != BinOp::And)]);
                let [with, without] = sides;
                let sides = if *op == BinOp::Or { [without, with] } else { [with, without] };
                self.choose(parts, &sides, *op == BinOp::Implies, expr)
            }
            ExprKind::Cond(cond, then, els) if has_call(then) || has_call(els) => {
                let parts = self.hoist(parts, cond)?;
                self.choose(parts, &[then.as_ref().clone(), els.as_ref().clone()], false, expr)
            }
            _ => {
                let operands: Vec<&Expr> = match &expr.kind {
                    ExprKind::Cond(cond, ..) => vec![cond],
                    _ => expr.parts(),
                };
                let mut parts = self.hoist_all(parts, &operands)?;
                for part in &mut parts {
                    let own = part.done.split_off(part.done.len() - operands.len());
                    let mut whole = expr.clone();
                    for (operand, value) in whole.parts_mut().into_iter().zip(own) {
                        *operand = value;
                    }
                    part.done.push(whole);
                }
                Ok(parts)
            }
        }
    }

    /// One of two operands, as the last one that is done says.
    fn choose(
        &mut self,
        parts: Vec<Partial>,
        sides: &[Expr; 2],
        negated: bool,
        whole: &Expr,
    ) -> Result<Vec<Partial>, ExecError> {
        let mut ends = Vec::new();
        for Partial { mut state, mut done } in parts {
            let Some(mut cond) = done.pop() else { continue };
            let sides = if negated {
                // The lowered form asks for the contrary, with a literal where it holds.
                cond = Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(cond)), ty: Type::Bool, span: whole.span };
                [&sides[1], &sides[0]]
            } else {
                [&sides[0], &sides[1]]
            };
            let Some(cond) = self.eval(&mut state, &cond) else {
                self.go_on(state, false)?;
                continue;
            };
            let mut found = Vec::new();
            self.branch(state, cond, &mut |executor, state, holds| {
                let start = Partial { state, done: done.clone() };
                let parts = executor.hoist(vec![start], sides[usize::from(!holds)])?;
                found.extend(executor.saved(parts)?);
                Ok(Vec::new())
            })?;
            ends.extend(found);
        }
        Ok(ends)
    }
}

/// A new variable that holds a value.
fn temporary(state: &mut State, value: Term, like: &Expr) -> Expr {
    let id = LocalId(u32::try_from(state.locals.len()).unwrap_or(u32::MAX));
    state.locals.push_back(value);
    Expr { kind: ExprKind::Local(id), ty: like.ty.clone(), span: like.span }
}

/// Whether there is a call in an expression.
pub(in crate::exec) fn has_call(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Call(..)))
}
