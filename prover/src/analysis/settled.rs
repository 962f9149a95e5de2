//! What a loop gives back once something holds that no turn undoes.
//!
//! In: the procedure of a loop. Out: what may be said of its results: where a flag is set that is never taken back, or where a number is
//! less or more than one that it is compared with, a boolean that the loop gives back is settled.
//!
//! So a loop that notes in a flag what it has seen, and goes on to its end, is told from one that returns at once.
//!
//! Invariant: nothing here is believed; what does not follow is dropped by who asks.

use super::conditions::Build;
use crate::budget::loop_invariants::MAX_SETTLING;
use lang_l::ast::BinOp;
use lang_l::hir::visit::{walk_exprs, walk_stmts};
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, Procedure, Rhs, StmtKind, Type};
use num_bigint::BigInt;

/// What may be said of a loop whenever it has returned.
pub(super) fn candidates(code: &Procedure) -> Vec<Expr> {
    let build = Build { code };
    let given: Vec<LocalId> = code.result_ids().filter(|&id| code.local(id).ty == Type::Bool).collect();
    let Some(body) = code.body.as_ref().filter(|_| !given.is_empty()) else { return Vec::new() };
    let flags = code.param_ids().filter_map(|id| Some(build.flag(id, only_set_to(body, (id, code))?)));
    let mut settling: Vec<Expr> = flags.collect();
    for (id, number) in compared(body, code) {
        settling
            .extend([BinOp::Lt, BinOp::Gt].map(|op| build.compare(op, build.local(id), build.number(number.clone()))));
    }
    settling.truncate(MAX_SETTLING);
    let ends: Vec<Expr> = given.iter().flat_map(|&id| [true, false].map(|value| build.flag(id, value))).collect();
    let settled = |holds: &Expr| ends.iter().map(|end| build.implies(holds.clone(), end.clone())).collect::<Vec<_>>();
    settling.iter().flat_map(settled).collect()
}

/// The one value that a flag is set to; `None` where it is no flag, or is set to more, or never.
fn only_set_to(body: &Block, (id, code): (LocalId, &Procedure)) -> Option<bool> {
    let mut set_to = Vec::new();
    walk_stmts(body, &mut |stmt| {
        if stmt.targets().contains(&Place::Local(id)) {
            set_to.push(match &stmt.kind {
                StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Bool(value), .. })) => Some(*value),
                _ => None,
            });
        }
    });
    let first = set_to.first().copied().flatten().filter(|_| code.local(id).ty == Type::Bool);
    first.filter(|value| set_to.iter().all(|other| *other == Some(*value)))
}

/// The numbers that a loop is given, with those that it compares them with.
fn compared(body: &Block, code: &Procedure) -> Vec<(LocalId, BigInt)> {
    let mut found = Vec::new();
    walk_exprs(body, &mut |part| {
        if let ExprKind::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, b) =
            &part.kind
            && let (ExprKind::Local(id), ExprKind::Int(number)) = (&a.kind, &b.kind)
            && id.index() < code.params
            && body.assigns(*id)
        {
            let one = (*id, number.clone());
            if !found.contains(&one) {
                found.push(one);
            }
        }
    });
    found
}
