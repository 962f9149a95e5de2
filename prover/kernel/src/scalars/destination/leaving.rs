//! What is stored behind a loop, stored where the loop is left.
//!
//! In: a procedure. Out: the same with `while (true) { if (c) { B } else { R break; } }` in place of `while (c) { B } R`, and `R break;` in place of
//! each `break` of that loop. R goes up to the last statement that stores to the heap.
//!
//! Rule *Leaving* (`proofs/soundness.md`). Recursion that is told where to put its result puts it there at its end.

use crate::bounds::scalars::MAX_LEAVING;
use lang_l::hir::{Block, Expr, ExprKind, Place, Procedure, Stmt, StmtKind, Type};
use std::mem;

/// Has the first loop at the top of a body do at its end what is stored behind it.
pub(super) fn bring_in(own: &mut Procedure) {
    let Some(body) = &mut own.body else { return };
    let Some(at) = body.stmts.iter().position(|stmt| matches!(stmt.kind, StmtKind::While { .. })) else { return };
    let Some(count) = body.stmts[at + 1..].iter().rposition(stores).map(|last| last + 1) else { return };
    let rest = &body.stmts[at + 1..at + 1 + count];
    if count > MAX_LEAVING || !rest.iter().all(goes_through) {
        return;
    }
    let mut rest: Vec<Stmt> = body.stmts.drain(at + 1..at + 1 + count).collect();
    let span = body.stmts[at].span;
    rest.push(Stmt { kind: StmtKind::Break, span });
    let StmtKind::While { cond, body, .. } = &mut body.stmts[at].kind else { return };
    let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond.span };
    let mut turn = mem::take(body);
    put_before_breaks(&mut turn, &rest);
    let whole = StmtKind::If(mem::replace(cond, always), turn, Block { stmts: rest, span });
    *body = Block { stmts: vec![Stmt { kind: whole, span }], span };
}

/// Whether a statement stores to a field or a cell, or one within it.
fn stores(stmt: &Stmt) -> bool {
    let is_place = |place: &Place| matches!(place, Place::Field(..) | Place::Index(..));
    let mut found = false;
    stmt.walk(&mut |inner| found |= inner.targets().iter().any(is_place));
    found
}

/// Whether what follows a statement is done next, whatever it does, and it speaks of the present alone.
fn goes_through(stmt: &Stmt) -> bool {
    let mut all = true;
    stmt.walk(&mut |inner| {
        all &= matches!(inner.kind, StmtKind::Assign(..) | StmtKind::Call { .. } | StmtKind::If(..));
    });
    all
}

/// Puts statements, the last of which is a `break`, in place of those of a loop whose body this is.
fn put_before_breaks(block: &mut Block, rest: &[Stmt]) {
    for mut stmt in mem::take(&mut block.stmts) {
        match &mut stmt.kind {
            StmtKind::Break => {
                block.stmts.extend_from_slice(rest);
                continue;
            }
            StmtKind::If(_, then, els) => [then, els].into_iter().for_each(|inner| put_before_breaks(inner, rest)),
            _ => {}
        }
        block.stmts.push(stmt);
    }
}
