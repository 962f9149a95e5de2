//! Conditions that say what does not hold, as a person would write them: `num > 2` for `!(num <= 2)`.
//!
//! In: the text of a condition. Out: one that holds in the same stores, and errs in the same, in which nothing but what has no opposite
//! stands behind a `!`.
//!
//! Invariant: `&&` and `||` look at their right side in the same stores as before: of `!(a && b)` and of `!a || !b` it is those in
//! which `a` holds.

use super::proof;
use kernel::pair::Pair;
use lang_l::Loaded;
use lang_l::ast::BinOp;
use lang_l::hir::print::expr_text;
use lang_l::hir::{Expr, ExprKind, Type, UnOp};

/// The condition, in the words of version 0; as it is where it cannot be read.
pub(super) fn plain(source: &Loaded, pair: Pair, text: String) -> String {
    let Some(condition) = proof::read(source, pair, None, &text) else { return text };
    let version = &source.unit.versions[0];
    let plain = expr_text(&source.unit, version, version.procedure(pair.0), &pushed(&condition, true));
    // Of variables that are bound under one name some would get another.
    if proof::read(source, pair, None, &plain).is_some() { plain } else { text }
}

/// The same as the condition, or as its opposite, with each `!` as far inside as it goes.
pub(super) fn pushed(condition: &Expr, holds: bool) -> Expr {
    let binary = |op, a: Expr, b: Expr| of(condition, ExprKind::Binary(op, Box::new(a), Box::new(b)));
    match &condition.kind {
        ExprKind::Unary(UnOp::Not, inner) => pushed(inner, !holds),
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let op = match (op, holds) {
                (BinOp::And, true) | (BinOp::Or, false) => BinOp::And,
                _ => BinOp::Or,
            };
            binary(op, pushed(a, holds), pushed(b, holds))
        }
        ExprKind::Binary(BinOp::Implies, a, b) if !holds => binary(BinOp::And, pushed(a, true), pushed(b, false)),
        ExprKind::Quant { forall, var, body } => {
            let ranged = if *forall || holds { None } else { ranged(body) };
            let body = Box::new(ranged.unwrap_or_else(|| pushed(body, holds)));
            of(condition, ExprKind::Quant { forall: *forall == holds, var: *var, body })
        }
        _ if holds => condition.clone(),
        kind => {
            let turned = match kind {
                ExprKind::Binary(op, a, b) => opposite(*op).map(|op| ExprKind::Binary(op, a.clone(), b.clone())),
                _ => None,
            };
            of(condition, turned.unwrap_or_else(|| ExprKind::Unary(UnOp::Not, Box::new(condition.clone()))))
        }
    }
}

/// The opposite of a conjunction, as what follows from all that stands before the first cell or field: a range, and what holds in it.
fn ranged(body: &Expr) -> Option<Expr> {
    let looks = |part: &&Expr| part.any(&|one| matches!(one.kind, ExprKind::Field(..) | ExprKind::Index(..)));
    let parts = body.conjuncts();
    let (range, look) = parts.split_at(parts.iter().position(looks)?);
    let joined = |op, parts: Vec<Expr>| {
        parts.into_iter().reduce(|all, next| of(body, ExprKind::Binary(op, Box::new(all), Box::new(next))))
    };
    let range = joined(BinOp::And, range.iter().copied().cloned().collect())?;
    let then = joined(BinOp::Or, look.iter().map(|part| pushed(part, false)).collect())?;
    Some(of(body, ExprKind::Binary(BinOp::Implies, Box::new(range), Box::new(then))))
}

fn of(condition: &Expr, kind: ExprKind) -> Expr {
    Expr { kind, ty: Type::Bool, span: condition.span }
}

/// The comparison that holds where this one does not.
fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}
