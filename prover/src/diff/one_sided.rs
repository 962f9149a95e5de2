//! Conditions by tests that one version alone makes, of what stays as it was given: a flag, a mode, a fast path.
//!
//! In: a pair with loops. Out: texts of conditions under which the two may be equal: that such a test fails, that it holds, and that all of
//! them fail.
//!
//! Invariant: claims nothing; a condition is believed once it was proved ([`proof`](super::proof)).

use crate::budget::diff::MAX_ONE_SIDED;
use crate::goal::Pair;
use lang_l::hir::print::expr_text;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Procedure, Stmt, Type, UnOp, Unit};
use std::collections::BTreeSet;

/// The conditions, in which parameters have the names of version 0.
pub(super) fn conditions(unit: &Unit, pair: Pair) -> Vec<String> {
    let code = [unit.procedure(0, pair.0), unit.procedure(1, pair.1)];
    let loops = |code: &Procedure| code.body.as_ref().is_some_and(|body| body.any(&Stmt::is_while));
    if !code.iter().any(|own| loops(own)) {
        return Vec::new();
    }
    let given: BTreeSet<LocalId> = code[0].param_ids().filter(|&id| !code.iter().any(|own| assigns(own, id))).collect();
    let told = |e: &Expr| expr_text(unit, &unit.versions[0], code[0], e);
    let all = code.map(|own| tests(own, &given));
    let mut alone: Vec<&Expr> = Vec::new();
    for (own, other) in [(&all[0], &all[1]), (&all[1], &all[0])] {
        let known: BTreeSet<String> = other.iter().map(|test| told(test)).collect();
        for test in own.iter().filter(|test| !known.contains(&told(test))) {
            if !alone.iter().any(|one| told(one) == told(test)) {
                alone.push(test);
            }
        }
    }
    alone.truncate(MAX_ONE_SIDED);
    let guarded = |test: &Expr| {
        let mut parts: Vec<String> = bases(test).into_iter().map(|base| format!("{} != null", told(base))).collect();
        parts.push(told(test));
        parts.join(" && ")
    };
    let fails: Vec<String> = alone.iter().map(|test| guarded(&negated(test))).collect();
    let holds = alone.iter().map(|test| guarded(test));
    let mut found = fails.clone();
    found.extend((fails.len() > 1).then(|| fails.join(" && ")));
    found.extend(holds);
    found
}

fn assigns(code: &Procedure, id: LocalId) -> bool {
    code.body.as_ref().is_some_and(|body| body.assigns(id))
}

/// The tests of a procedure that speak of these variables alone, of their fields, and of literals.
fn tests<'c>(code: &'c Procedure, given: &BTreeSet<LocalId>) -> Vec<&'c Expr> {
    let mut found = Vec::new();
    let is_plain = |part: &Expr| match &part.kind {
        ExprKind::Local(id) => given.contains(id),
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Field(..) | ExprKind::Binary(..) => true,
        ExprKind::Unary(..) => true,
        _ => false,
    };
    let is_test = |part: &Expr| match &part.kind {
        ExprKind::Binary(op, ..) => is_comparison(*op),
        ExprKind::Local(_) | ExprKind::Field(..) => part.ty == Type::Bool,
        _ => false,
    };
    if let Some(body) = &code.body {
        walk_stmts(body, &mut |stmt| {
            for e in stmt.exprs() {
                e.walk(&mut |part| {
                    if is_test(part) && !part.any(&|inner| !is_plain(inner)) && part.any(&|inner| is_local(inner)) {
                        found.push(part);
                    }
                });
            }
        });
    }
    found
}

fn is_local(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Local(_))
}

fn is_comparison(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

/// That a test fails.
fn negated(test: &Expr) -> Expr {
    let kind = match &test.kind {
        ExprKind::Binary(op, a, b) => {
            let op = match op {
                BinOp::Eq => BinOp::Ne,
                BinOp::Ne => BinOp::Eq,
                BinOp::Lt => BinOp::Ge,
                BinOp::Le => BinOp::Gt,
                BinOp::Gt => BinOp::Le,
                BinOp::Ge => BinOp::Lt,
                other => *other,
            };
            ExprKind::Binary(op, a.clone(), b.clone())
        }
        _ => ExprKind::Unary(UnOp::Not, Box::new(test.clone())),
    };
    Expr { kind, ty: test.ty.clone(), span: test.span }
}

/// What a test reads fields of, the nearest first.
fn bases(test: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    test.walk(&mut |part| {
        if let ExprKind::Field(base, _) = &part.kind {
            found.push(&**base);
        }
    });
    found.reverse();
    found
}
