//! A helper as a loop, where calls of itself are the last thing that it does.
//!
//! In: a helper with the body B. Out: `while (true) { B break; }`, where in place of each call of itself the variables get what such a call
//! begins with, and the loop goes on; and in place of each `return` the results are assigned, and the loop is left.
//!
//! Rule *Tail calls* (`proofs/soundness.md`). A turn is an activation of the helper.

#[cfg(test)]
mod tests;

use super::locations::variable;
use super::variables::{added, default};
use crate::effects::callees_of;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use std::collections::BTreeSet;
use std::mem;

/// A helper as a loop; `None` where it does not call itself, calls itself elsewhere as well, or returns from a loop.
pub(super) fn as_loop(id: ProcId, helper: &Procedure) -> Option<Procedure> {
    let mut made = helper.clone();
    let mut body = made.body.take()?;
    let span = body.span;
    let results: Vec<LocalId> = helper.result_ids().collect();
    let assigned = body.stmts.iter().flat_map(Stmt::assigned).collect();
    let mut turns = Turns { id, helper, results: &results, assigned, locals: &mut made.locals, calls: 0 };
    turns.block(&mut body, true)?;
    let recurs = body.stmts.iter().any(|stmt| callees_of(stmt).contains(&id));
    if turns.calls == 0 || recurs {
        return None;
    }
    body.stmts.push(Stmt { kind: StmtKind::Break, span });
    let cond = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span };
    let start = body.stmts.first().map_or(span.start, |first| first.span.start);
    let place = Span { start, ..span };
    let looped = Stmt { kind: StmtKind::While { cond, invariants: Vec::new(), body }, span: place };
    made.body = Some(Block { stmts: vec![looped], span });
    Some(made)
}

/// What activations of a helper become.
struct Turns<'h> {
    id: ProcId,
    helper: &'h Procedure,
    results: &'h [LocalId],
    /// The variables that its body assigns, by more than a `return`.
    assigned: BTreeSet<LocalId>,
    locals: &'h mut Vec<Local>,
    /// How many calls of itself go on with the loop now.
    calls: usize,
}

impl Turns<'_> {
    /// Replaces calls and returns in a block, with which the helper ends where it is the last one; `None` where a loop returns, or a result
    /// is assigned before it is looked at.
    fn block(&mut self, block: &mut Block, is_last: bool) -> Option<()> {
        let count = block.stmts.len();
        for (at, mut stmt) in mem::take(&mut block.stmts).into_iter().enumerate() {
            let is_last = is_last && at + 1 == count;
            if let Some(args) = self.tail_call(&stmt, is_last) {
                let args = args.to_vec();
                self.calls += 1;
                block.stmts.extend(self.begin_anew(args, stmt.span));
                continue;
            }
            match &mut stmt.kind {
                StmtKind::Return(values) => {
                    block.stmts.extend(self.leave(mem::take(values), stmt.span)?);
                    continue;
                }
                StmtKind::While { body, .. } => {
                    let returns = body.any(&|inner| matches!(inner.kind, StmtKind::Return(_)));
                    (!returns).then_some(())?;
                }
                StmtKind::If(_, then, els) => {
                    self.block(then, is_last)?;
                    self.block(els, is_last)?;
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
        Some(())
    }

    /// The arguments of a call of the helper by itself, if a statement does no more than to give back what that call does.
    fn tail_call<'s>(&self, stmt: &'s Stmt, is_last: bool) -> Option<&'s [Expr]> {
        if let StmtKind::Return(values) = &stmt.kind {
            return match &values[..] {
                [Expr { kind: ExprKind::Call(callee, args), .. }] if *callee == self.id => Some(args),
                _ => None,
            };
        }
        let (targets, callee, args) = stmt.as_call()?;
        let given_back = targets.iter().eq(self.results.iter().map(|&id| Place::Local(id)).collect::<Vec<_>>().iter());
        let is_tail = callee == self.id && given_back && (is_last || faults::planted("kernel/scalars/calls-on"));
        is_tail.then_some(args)
    }

    /// The variables get what an activation with these arguments begins with, and the loop goes on.
    fn begin_anew(&mut self, args: Vec<Expr>, span: Span) -> Vec<Stmt> {
        let mut done = handed(self.helper, args, span, self.locals);
        let own = (0u32..).map(LocalId).zip(&self.helper.locals).skip(self.helper.params);
        let anew = own.filter(|(id, _)| self.assigned.contains(id) && !faults::planted("kernel/scalars/not-anew"));
        done.extend(anew.map(|(id, own)| assignment(id, default(own.ty.clone(), span), span)));
        done.push(Stmt { kind: StmtKind::Continue, span });
        done
    }

    /// The results get what is returned, and the loop is left; `None` where a value looks at a result that was assigned before.
    fn leave(&self, values: Vec<Expr>, span: Span) -> Option<Vec<Stmt>> {
        let looks_back = |value: &Expr| self.results.iter().any(|&id| value.mentions(id));
        if values.len() > 1 && values.iter().any(looks_back) {
            return None;
        }
        let given = self.results.iter().zip(values);
        let mut done: Vec<Stmt> = given.map(|(&id, value)| assignment(id, Rhs::Expr(value), span)).collect();
        done.push(Stmt { kind: StmtKind::Break, span });
        Some(done)
    }
}

/// Has the parameters of a procedure hold these arguments, which are evaluated before any of them is assigned.
pub(super) fn handed(of: &Procedure, args: Vec<Expr>, span: Span, locals: &mut Vec<Local>) -> Vec<Stmt> {
    let given = of.param_ids().zip(args).filter(|(id, arg)| variable(arg) != Some(*id));
    let given: Vec<(LocalId, Expr)> = given.collect();
    let one_by_one = given.len() < 2 || faults::planted("kernel/scalars/one-by-one");
    let (mut first, mut then) = (Vec::new(), Vec::new());
    for (id, arg) in given {
        if one_by_one {
            first.push(assignment(id, Rhs::Expr(arg), span));
            continue;
        }
        let own = of.local(id);
        let next = added(locals, Local { name: format!("{}.next", own.name), span, ..own.clone() });
        let value = Expr { kind: ExprKind::Local(next), ty: own.ty.clone(), span };
        first.push(assignment(next, Rhs::Expr(arg), span));
        then.push(assignment(id, Rhs::Expr(value), span));
    }
    first.extend(then);
    first
}

fn assignment(id: LocalId, value: Rhs, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(Place::Local(id), value), span }
}
