//! An operator that may leave out an operand, as a branch statement in front.
//!
//! In: `a && b`, `a || b`, `a ==> b`, or `c ? a : b`. Out: `if (a) { v := b; } else { v := false; }`, with a new variable v, and so on.
//!
//! Rule *In place* (`proofs/soundness.md`). A call in `b` can then be put in place: it is what a statement evaluates first.

use super::variables::added;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, Local, Place, Rhs, Stmt, StmtKind};
use std::mem;

/// The operands that an operator may leave out: all but the first of such a one, and none of others.
pub(super) fn optional_operands(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, _, b) => vec![b],
        ExprKind::Cond(_, a, b) => vec![a, b],
        _ => Vec::new(),
    }
}

/// The branch in front, and the variable in place of the expression; `None` for another one.
pub(super) fn as_branch(e: &mut Expr, locals: &mut Vec<Local>) -> Option<Stmt> {
    let (ty, span) = (e.ty.clone(), e.span);
    let literal = |value: bool| Expr { kind: ExprKind::Bool(value), ty: ty.clone(), span };
    let (tested, then, els) = match mem::replace(&mut e.kind, ExprKind::Null) {
        ExprKind::Binary(BinOp::And, a, b) => (*a, *b, literal(false)),
        ExprKind::Binary(BinOp::Or, a, b) => (*a, literal(true), *b),
        ExprKind::Binary(BinOp::Implies, a, b) => (*a, *b, literal(true)),
        ExprKind::Cond(c, a, b) => (*c, *a, *b),
        other => {
            e.kind = other;
            return None;
        }
    };
    let value = added(locals, Local { name: "test".to_owned(), ty, span });
    e.kind = ExprKind::Local(value);
    let block = |given: Expr| {
        let kind = StmtKind::Assign(Place::Local(value), Rhs::Expr(given));
        Block { stmts: vec![Stmt { kind, span }], span }
    };
    Some(Stmt { kind: StmtKind::If(tested, block(then), block(els)), span })
}
