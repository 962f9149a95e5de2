//! What recursion gives back that calls itself with what it gave back.
//!
//! In: a procedure. Out: whether it is such; and how its results may be bounded by what it was given. Without that nobody could
//! say why it ends: the second call of `f(f(n + 11))` is given what the first one gave back.
//!
//! Invariant: nothing here is believed; what does not follow is dropped by who asks.

use super::conditions::Build;
use crate::budget::loop_invariants::MAX_CANDIDATES;
use lang_l::ast::BinOp;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, StmtKind, Type};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;

/// Whether a procedure calls itself with what a call of itself has given back.
pub(super) fn is_nested(code: &Procedure, id: ProcId) -> bool {
    let Some(body) = &code.body else { return false };
    let own = calls(body, &|callee| callee == id);
    let given_back: BTreeSet<LocalId> = own.iter().flat_map(|(targets, _)| targets.iter().copied()).collect();
    let mut among = false;
    for arg in own.iter().flat_map(|(_, args)| *args) {
        arg.walk(&mut |part| among |= matches!(part.kind, ExprKind::Local(id) if given_back.contains(&id)));
    }
    among
}

/// That a result is no less, or no more, than a parameter and one of the numbers of the text.
pub(super) fn candidates(code: &Procedure) -> Vec<Expr> {
    let build = Build { code };
    let is_number = |id: &LocalId| code.local(*id).ty == Type::Int;
    let mut found = Vec::new();
    for result in code.result_ids().filter(is_number) {
        for param in code.param_ids().filter(is_number) {
            for number in numbers(code) {
                let other = build.sum(vec![(build.local(param), BigInt::one()), (build.number(number), BigInt::one())]);
                let compare = |op| build.compare(op, build.local(result), other.clone());
                found.extend([BinOp::Ge, BinOp::Le].map(compare));
            }
        }
    }
    found.truncate(MAX_CANDIDATES);
    found
}

/// 0, and the numbers of a text with both signs.
fn numbers(code: &Procedure) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::from([BigInt::default()]);
    if let Some(body) = &code.body {
        walk_stmts(body, &mut |stmt| {
            for expr in stmt.exprs() {
                expr.walk(&mut |part| {
                    if let ExprKind::Int(number) = &part.kind {
                        found.extend([number.clone(), -number]);
                    }
                });
            }
        });
    }
    found
}

/// The calls of a procedure to some callees: the variables to which the results go, and what each is given.
pub(super) fn calls<'b>(body: &'b Block, wanted: &dyn Fn(ProcId) -> bool) -> Vec<(Vec<LocalId>, &'b [Expr])> {
    let mut found = Vec::new();
    walk_stmts(body, &mut |stmt| {
        let local = |target: &Place| if let Place::Local(id) = target { Some(*id) } else { None };
        match &stmt.kind {
            StmtKind::Call { targets, callee, args } if wanted(*callee) => {
                found.push((targets.iter().filter_map(local).collect(), args.as_slice()));
            }
            StmtKind::Assign(target, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) if wanted(*callee) => {
                found.push((local(target).into_iter().collect(), args.as_slice()));
            }
            _ => {}
        }
    });
    found
}
