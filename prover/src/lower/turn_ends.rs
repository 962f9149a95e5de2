//! A `continue` at the end of a branch becomes the end of that branch.
//!
//! In: the body of a loop. Out: the same, where `if (c) { A continue; } R` has become `if (c) { A } else { R }`, and a `continue` at the
//! very end is gone. So a turn ends in one place, and looks like one that was written with `else`.
//!
//! Invariant: the same statements are executed in the same order.

use crate::budget::lower::MAX_JOINED;
use lang_l::hir::{Block, Stmt, StmtKind};

/// Joins what can be joined in the body of a loop.
pub(super) fn join(body: Block) -> Block {
    Block { stmts: joined(body.stmts, MAX_JOINED), span: body.span }
}

/// So many branches that leave the turn are joined with what follows them; each makes the program one deeper.
fn joined(mut stmts: Vec<Stmt>, left: usize) -> Vec<Stmt> {
    if continues(&stmts) {
        stmts.pop();
    }
    let leaves = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, els) => continues(&then.stmts) || continues(&els.stmts),
        _ => false,
    };
    let Some(at) = stmts.iter().position(leaves).filter(|_| left > 0) else { return stmts };
    let rest = stmts.split_off(at + 1);
    if let Some(Stmt { kind: StmtKind::If(_, then, els), .. }) = stmts.last_mut() {
        for side in [then, els] {
            let mut own = std::mem::take(&mut side.stmts);
            if !continues(&own) {
                own.extend(rest.iter().cloned());
            }
            side.stmts = joined(own, left - 1);
        }
    }
    stmts
}

fn continues(stmts: &[Stmt]) -> bool {
    matches!(stmts.last(), Some(Stmt { kind: StmtKind::Continue, .. }))
}
