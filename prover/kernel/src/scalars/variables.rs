//! New variables of a procedure.
//!
//! In: its variables. Out: one more, which is known by its name and place as all are; or the same in another order.

use lang_l::hir::{Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, Type};
use lang_l::source::Span;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A new variable, with another name if there is one of this name and place.
pub(super) fn added(locals: &mut Vec<Local>, mut one: Local) -> LocalId {
    while locals.iter().any(|own| own.name == one.name && own.span == one.span) {
        one.name.push('\'');
    }
    locals.push(one);
    LocalId(u32::try_from(locals.len() - 1).unwrap_or(u32::MAX))
}

/// What a variable or a part of this type has at first.
pub(super) fn default(ty: Type, span: Span) -> Rhs {
    let kind = match ty {
        Type::Int => ExprKind::Int(BigInt::ZERO),
        Type::Bool => ExprKind::Bool(false),
        Type::Ref | Type::Class(_) | Type::Array(_) => ExprKind::Null,
    };
    Rhs::Expr(Expr { kind, ty, span })
}

/// A procedure with its variables in this order, in which each is once. Which of them are parameters and results is for the caller to say.
pub(super) fn arranged(mut made: Procedure, order: &[LocalId]) -> Procedure {
    let numbers: BTreeMap<LocalId, LocalId> = order.iter().copied().zip((0u32..).map(LocalId)).collect();
    made.locals = order.iter().map(|id| made.locals[id.index()].clone()).collect();
    let renamed = |id: LocalId| numbers.get(&id).copied().unwrap_or(id);
    made.body.iter_mut().flat_map(|body| &mut body.stmts).for_each(|stmt| rename(stmt, &renamed));
    made
}

/// Puts variables in place of others in a statement, and in those within it.
pub(super) fn rename(stmt: &mut Stmt, now: &dyn Fn(LocalId) -> LocalId) {
    for target in stmt.targets_mut() {
        if let Place::Local(id) = target {
            *id = now(*id);
        }
    }
    for e in stmt.exprs_mut() {
        e.walk_mut(&mut |part| {
            if let ExprKind::Local(id) = &mut part.kind {
                *id = now(*id);
            }
        });
    }
    for block in stmt.blocks_mut() {
        block.stmts.iter_mut().for_each(|stmt| rename(stmt, now));
    }
}
