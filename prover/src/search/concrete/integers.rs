//! Which integers are worth trying as inputs of a program.
//!
//! In: a program. Out: its constants, their neighbours, and some that are good for every program, the likeliest first.

use lang_l::hir::{Block, Expr, ExprKind, Place, Rhs, Stmt, StmtKind, Unit};
use lang_l::interp::operands;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Integers that matter to no program in particular.
const EVERYWHERE: [i64; 5] = [0, 1, -1, 2, 3];
/// Larger ones, tried last.
const LARGE: [i64; 4] = [7, -7, 10, 1_000_003];

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
    block.stmts.iter().for_each(|stmt| in_stmt(stmt, found));
}

fn in_stmt(stmt: &Stmt, found: &mut Vec<BigInt>) {
    match &stmt.kind {
        StmtKind::Assign(place, rhs) => {
            match place {
                Place::Local(_) | Place::Global(_) => {}
                Place::Field(object, _) => in_expr(object, found),
                Place::Index(object, index) => {
                    in_expr(object, found);
                    in_expr(index, found);
                }
            }
            match rhs {
                Rhs::Expr(e) | Rhs::NewArray(_, e) => in_expr(e, found),
                Rhs::New(_) => {}
            }
        }
        StmtKind::Call { args, .. } | StmtKind::Return(args) => args.iter().for_each(|e| in_expr(e, found)),
        StmtKind::If(cond, then, els) => {
            in_expr(cond, found);
            in_block(then, found);
            in_block(els, found);
        }
        StmtKind::While { cond, invariants, body } => {
            in_expr(cond, found);
            invariants.iter().for_each(|e| in_expr(e, found));
            in_block(body, found);
        }
        StmtKind::Assert(e) | StmtKind::Assume(e) => in_expr(e, found),
        StmtKind::Break | StmtKind::Continue => {}
    }
}

fn in_expr(e: &Expr, found: &mut Vec<BigInt>) {
    if let ExprKind::Int(n) = &e.kind {
        found.push(n.clone());
    }
    operands(e).into_iter().for_each(|operand| in_expr(operand, found));
}
