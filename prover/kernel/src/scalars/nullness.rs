//! Which variables are not null, as the text says so.
//!
//! In: statements and expressions. Out: variables that are not null behind them, or where they are true.
//!
//! Invariant: what is found holds whenever a run comes there; that more holds is no harm.

use super::locations::variable;
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Place, Rhs, Stmt, StmtKind, UnOp};
use std::collections::BTreeSet;

/// What is known behind a statement without blocks, of what was in front of it.
pub(super) fn pass(stmt: &Stmt, known: &mut BTreeSet<LocalId>) {
    surely_come_to(stmt, known);
    forget(known, stmt);
    if let StmtKind::Assign(Place::Local(id), Rhs::New(_)) = stmt.kind {
        known.insert(id);
    }
}

/// What is known where a condition holds, and where it does not. What is known by then of variables that it reads fields of is added to
/// what was known.
pub(super) fn in_branches(condition: &Expr, known: &mut BTreeSet<LocalId>) -> [BTreeSet<LocalId>; 2] {
    surely_read(condition, known);
    let mut holds = known.clone();
    not_null(condition, &mut holds);
    [holds, known.clone()]
}

/// What a statement assigns may be null after it.
pub(super) fn forget(known: &mut BTreeSet<LocalId>, stmt: &Stmt) {
    let assigned = stmt.assigned();
    known.retain(|id| !assigned.contains(id));
}

/// Adds the variables that are not null after a statement without blocks, since it reads or writes a field of what they refer to.
pub(super) fn surely_come_to(stmt: &Stmt, found: &mut BTreeSet<LocalId>) {
    stmt.exprs().into_iter().for_each(|e| surely_read(e, found));
    found.extend(stmt.targets().iter().filter_map(|target| match target {
        Place::Field(object, _) => variable(object),
        _ => None,
    }));
}

/// Adds the variables that are not null where an expression has a value, since a field of what they refer to is read for it.
pub(super) fn surely_read(e: &Expr, found: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, first, _) | ExprKind::Cond(first, ..) => {
            surely_read(first, found)
        }
        ExprKind::Old(_) | ExprKind::Quant { .. } => {}
        ExprKind::Field(base, _) => {
            found.extend(variable(base));
            surely_read(base, found);
        }
        _ => e.parts().into_iter().for_each(|part| surely_read(part, found)),
    }
}

/// Adds the variables that are not null where an expression is true, since it says so.
pub(super) fn not_null(e: &Expr, found: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => [a, b].into_iter().for_each(|part| not_null(part, found)),
        ExprKind::Binary(BinOp::Ne, a, b) => found.extend(compared_to_null(a, b)),
        ExprKind::Unary(UnOp::Not, part) => {
            if let ExprKind::Binary(BinOp::Eq, a, b) = &part.kind {
                found.extend(compared_to_null(a, b));
            }
        }
        _ => {}
    }
}

/// The variable that is compared to null.
fn compared_to_null(a: &Expr, b: &Expr) -> Option<LocalId> {
    let with = |one: &Expr, other: &Expr| variable(one).filter(|_| other.kind == ExprKind::Null);
    with(a, b).or_else(|| with(b, a))
}
