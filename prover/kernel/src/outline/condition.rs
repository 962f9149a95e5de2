//! Conditions as statements of their own.
//!
//! In: a procedure, and an `if` in it. Out: the procedure in which a new variable is given the condition right before the `if`, which
//! asks for the variable.
//!
//! Rule *Outlining*: the condition is what an `if` evaluates first, in the same store; nothing else reads the variable.

use super::range::{Range, block_at, block_mut};
use lang_l::hir::{Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type};
use std::mem;

/// Takes the condition out of the `if` that is the only statement of a range; the range is the assignment then. `None`, and nothing
/// done, where it is no `if`.
pub fn hoist(of: &mut Procedure, range: &Range) -> Option<()> {
    let fresh = LocalId(u32::try_from(of.locals.len()).ok()?);
    let here = block_at(of.body.as_ref()?, &range.way)?;
    let span = match &here.stmts.get(range.from)?.kind {
        StmtKind::If(cond, ..) if range.from == range.to => cond.span,
        _ => return None,
    };
    let stmts = &mut block_mut(of.body.as_mut()?, &range.way).stmts;
    let StmtKind::If(cond, ..) = &mut stmts[range.from].kind else { return None };
    let kept = Expr { kind: ExprKind::Local(fresh), ty: Type::Bool, span };
    let assigned = Rhs::Expr(mem::replace(cond, kept));
    stmts.insert(range.from, Stmt { kind: StmtKind::Assign(Place::Local(fresh), assigned), span });
    of.locals.push(Local { name: format!("(test {})", fresh.index()), ty: Type::Bool, span });
    Some(())
}
