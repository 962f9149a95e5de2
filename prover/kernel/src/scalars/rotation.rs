//! Rotation: a loop before which stands what each turn ends with begins its turns with that, where another version writes it like this.
//!
//! In: a program. Out: `while (true) { R if (c) { B } else { break; } }` in place of `R while (c) { B R }`.
//!
//! Rule *Rotation* (`proofs/soundness.md`). Both execute the same statements in the same order.
//! Invariant: the loop has another place than it had, as its head is another: what is known of a run at the one is not said of the other.

use crate::effects::callees_of;
use lang_l::hir::same::same_stmts;
use lang_l::hir::{Block, Expr, ExprKind, Procedure, Stmt, StmtKind, Type, Unit};
use lang_l::source::Span;
use std::mem;

/// Rotates such loops in all procedures of which another version has more loops that only a statement within them leaves.
pub(super) fn rotate(unit: &mut Unit) {
    let written = unit.clone();
    for (version, own) in unit.versions.iter_mut().enumerate() {
        let others = written.versions.iter().enumerate().filter(|(other, _)| *other != version);
        let others: Vec<_> = others.map(|(_, other)| other).collect();
        for procedure in &mut own.procedures {
            let of_others = others.iter().filter_map(|other| Some(other.procedure(other.find(&procedure.name)?)));
            if of_others.map(endless_loops).max() > Some(endless_loops(procedure)) {
                let code = procedure.clone();
                procedure.body.iter_mut().for_each(|body| rotate_in(body, &code));
            }
        }
    }
}

/// How many loops of a procedure have `true` for their condition.
fn endless_loops(procedure: &Procedure) -> usize {
    let mut found = 0;
    procedure.body.iter().flat_map(|body| &body.stmts).for_each(|stmt| {
        stmt.walk(&mut |inner| {
            let endless = |cond: &Expr| cond.kind == ExprKind::Bool(true);
            found += usize::from(matches!(&inner.kind, StmtKind::While { cond, .. } if endless(cond)));
        });
    });
    found
}

fn rotate_in(block: &mut Block, code: &Procedure) {
    for mut stmt in mem::take(&mut block.stmts) {
        stmt.blocks_mut().into_iter().for_each(|inner| rotate_in(inner, code));
        let again = again(&block.stmts, &stmt, code);
        if again > 0 {
            let first = block.stmts.len() - again;
            let span = Span { start: block.stmts[first].span.start, ..stmt.span };
            block.stmts.truncate(first);
            stmt = rotated(stmt, again, span);
        }
        block.stmts.push(stmt);
    }
}

/// With how many statements that stand before a loop, a call among them, each turn of it ends as well, and does not go on without them.
fn again(before: &[Stmt], stmt: &Stmt, code: &Procedure) -> usize {
    let StmtKind::While { invariants, body, .. } = &stmt.kind else { return 0 };
    let skips = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Continue);
    if !invariants.is_empty() || body.any(&skips) && !faults::planted("kernel/scalars/continued") {
        return 0;
    }
    let same = |(mine, theirs): &(&Stmt, &Stmt)| {
        is_straight(mine) && same_stmts(code, std::slice::from_ref(mine), std::slice::from_ref(theirs))
    };
    let found = before.iter().rev().zip(body.stmts.iter().rev()).take_while(same).count();
    // What no call is in is known of the heap at the head that is written as well.
    let calls = |stmt: &Stmt| !callees_of(stmt).is_empty();
    if before[before.len() - found..].iter().any(calls) { found } else { 0 }
}

/// Whether a statement, and what is within it, is an assignment, a call or a branch.
fn is_straight(stmt: &Stmt) -> bool {
    let plain = matches!(stmt.kind, StmtKind::Assign(..) | StmtKind::Call { .. } | StmtKind::If(..));
    plain && stmt.blocks().into_iter().all(|inner| inner.stmts.iter().all(is_straight))
}

/// A loop whose turns end with so many statements, with them at the beginning, at this place.
fn rotated(stmt: Stmt, again: usize, span: Span) -> Stmt {
    let StmtKind::While { cond, invariants, mut body } = stmt.kind else { return stmt };
    let mut stmts = body.stmts.split_off(body.stmts.len() - again);
    let leave = Block { stmts: vec![Stmt { kind: StmtKind::Break, span: stmt.span }], span: stmt.span };
    let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond.span };
    let turn = Block { span: body.span, ..body };
    stmts.push(Stmt { span: turn.span, kind: StmtKind::If(cond, turn, leave) });
    let body = Block { span: stmt.span, stmts };
    Stmt { kind: StmtKind::While { cond: always, invariants, body }, span }
}
