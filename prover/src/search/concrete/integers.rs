//! Which integers are worth trying as inputs of a program.
//!
//! In: a program. Out: its constants, their neighbours, and some that are good for every program, the likeliest first.

use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, StmtKind, Unit};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Integers that matter to no program in particular.
const EVERYWHERE: [i64; 5] = [0, 1, -1, 2, 3];
/// Larger ones, tried last: loops then make some turns more.
const LARGE: [i64; 7] = [7, -7, 10, 12, 20, 33, 1_000_003];

/// The integers, without repetition.
pub(super) fn integers(unit: &Unit) -> Vec<BigInt> {
    let mut constants = Vec::new();
    for procedure in unit.versions.iter().flat_map(|version| &version.procedures) {
        for e in procedure.requires.iter().chain(&procedure.ensures) {
            in_expr(e, &mut constants);
        }
        if let Some(body) = &procedure.body {
            in_block(body, &mut constants);
        }
    }
    for when in unit.equivs.iter().filter_map(|equiv| equiv.when.as_ref()) {
        in_expr(when, &mut constants);
    }
    let near = |distance: i64| constants.iter().map(move |n| n + distance);
    let negative = constants.iter().map(|n| -n);
    let all = EVERYWHERE.map(BigInt::from).into_iter().take(2).chain(near(0)).chain(EVERYWHERE.map(BigInt::from));
    let all = all.chain(near(1)).chain(near(-1)).chain(negative).chain(LARGE.map(BigInt::from));
    // A large program has many.
    let mut known = BTreeSet::new();
    all.filter(|n| known.insert(n.clone())).collect()
}

fn in_block(block: &Block, found: &mut Vec<BigInt>) {
    walk_stmts(block, &mut |stmt| {
        // Of a loop the condition is likelier to matter than the invariants, which are evaluated before it.
        if let StmtKind::While { cond, .. } = &stmt.kind {
            in_expr(cond, found);
        }
        stmt.exprs().into_iter().for_each(|e| in_expr(e, found));
    });
}

fn in_expr(e: &Expr, found: &mut Vec<BigInt>) {
    e.walk(&mut |part| {
        if let ExprKind::Int(n) = &part.kind {
            found.push(n.clone());
        }
    });
}
