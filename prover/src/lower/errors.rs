//! Whether code may end the execution, and on what that depends.
//!
//! In: an expression or a block. Out: whether evaluating it can err; the variables that decide it; whether a block can be left
//! out because it does nothing that matters.

use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Rhs, StmtKind};
use lang_l::source::Span;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Whether evaluating an expression may end the execution.
pub(super) fn may_err(expr: &Expr) -> bool {
    expr.any(&|part| match &part.kind {
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Length(..) | ExprKind::Call(..) => true,
        ExprKind::Binary(BinOp::Div | BinOp::Rem, _, by) => {
            !faults::planted("lower/errors/division-safe")
                && !matches!(&by.kind, ExprKind::Int(value) if !value.is_zero())
        }
        _ => false,
    })
}

/// The variables that decide whether evaluating an expression ends the execution.
pub(super) fn decisive(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    if !may_err(expr) {
        return;
    }
    match &expr.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, left, right) => {
            if may_err(right) {
                left.collect_locals(found);
            }
            decisive(left, found);
            decisive(right, found);
        }
        ExprKind::Binary(BinOp::Div | BinOp::Rem, left, right) => {
            decisive(left, found);
            right.collect_locals(found);
        }
        ExprKind::Binary(_, left, right) => {
            decisive(left, found);
            decisive(right, found);
        }
        ExprKind::Unary(_, inner) => decisive(inner, found),
        _ => expr.collect_locals(found),
    }
}

/// Whether a block does nothing but give values to variables other than `live`, and errs only where `before`, which was evaluated
/// just before it, did.
pub(super) fn is_idle(block: &Block, live: &BTreeSet<LocalId>, before: &Expr) -> bool {
    let conditional =
        |e: &Expr| matches!(e.kind, ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, ..) | ExprKind::Cond(..));
    let (mut evaluated, mut erring, mut assigned) = (Vec::new(), Vec::new(), BTreeSet::new());
    if !before.any(&conditional) {
        may_err_in(before, &mut evaluated);
    }
    if !only_assigns(block, &mut assigned, &mut erring)
        || (!assigned.is_disjoint(live) && !faults::planted("lower/errors/idle-overwrites"))
    {
        return false;
    }
    let mut decide = BTreeSet::new();
    erring.iter().for_each(|part| part.collect_locals(&mut decide));
    assigned.is_disjoint(&decide) && erring.iter().all(|part| evaluated.contains(part))
}

/// Whether a block only assigns variables; which, and the expressions in it that may end the execution.
fn only_assigns(block: &Block, assigned: &mut BTreeSet<LocalId>, erring: &mut Vec<Expr>) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign(Place::Local(id), Rhs::Expr(e)) if !matches!(e.kind, ExprKind::Call(..)) => {
            assigned.insert(*id);
            may_err_in(e, erring);
            true
        }
        StmtKind::If(cond, then, els) => {
            may_err_in(cond, erring);
            only_assigns(then, assigned, erring) && only_assigns(els, assigned, erring)
        }
        _ => false,
    })
}

/// The parts of an expression whose evaluation may end the execution of themselves; without their places, to compare them.
fn may_err_in(expr: &Expr, found: &mut Vec<Expr>) {
    if !may_err(expr) {
        return;
    }
    let passes_on = match &expr.kind {
        ExprKind::Unary(..) => true,
        ExprKind::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Rem),
        _ => false,
    };
    if !passes_on {
        let mut bare = expr.clone();
        without_places(&mut bare);
        found.push(bare);
    }
    expr.parts().into_iter().for_each(|part| may_err_in(part, found));
}

fn without_places(expr: &mut Expr) {
    expr.span = Span::default();
    expr.parts_mut().into_iter().for_each(without_places);
}
