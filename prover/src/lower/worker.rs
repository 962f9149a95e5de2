//! Recursion in its own procedure, where the other version has a loop.
//!
//! In: a lowered procedure that calls itself. Out: a procedure that does its work under the name `p@self` and calls itself; the
//! procedure under the old name only calls that one.
//!
//! A procedure that is asked about has to keep its parameters, and its calls of itself hand on all of them; a loop takes what it
//! needs. The worker is internal, so it comes down to what it needs too.
//!
//! Invariant: a call of either does what a call of the procedure did. There is no contract that one of them would lack.

use super::visit::as_call;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};

/// Whether a procedure calls itself, and has no contract that speaks of each of its calls.
pub(super) fn fits(procedure: &Procedure, own: ProcId) -> bool {
    let plain = procedure.requires.is_empty() && procedure.ensures.is_empty() && procedure.modifies.is_none();
    plain && calls_itself(procedure, own)
}

/// Whether a procedure calls itself in its own body.
pub(super) fn calls_itself(procedure: &Procedure, own: ProcId) -> bool {
    procedure.body.as_ref().is_some_and(|body| calls(body, own))
}

fn calls(block: &Block, own: ProcId) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::If(_, then, els) => calls(then, own) || calls(els, own),
        StmtKind::While { body, .. } => calls(body, own),
        _ => as_call(stmt).is_some_and(|(_, callee, _)| callee == own),
    })
}

/// Makes a procedure call its worker, which gets the id `worker`; returns the worker.
pub(super) fn split(procedure: &mut Procedure, own: ProcId, worker: ProcId) -> Procedure {
    let mut made = procedure.clone();
    made.name = format!("{}@self", procedure.name);
    if let Some(body) = &mut made.body {
        redirect(body, own, worker);
    }
    let span = procedure.name_span;
    let local = |id: LocalId| Expr { kind: ExprKind::Local(id), ty: procedure.local(id).ty.clone(), span };
    let args = procedure.param_ids().map(local).collect();
    let targets = procedure.result_ids().map(Place::Local).collect();
    let call = Stmt { kind: StmtKind::Call { targets, callee: worker, args }, span };
    procedure.body = Some(Block { stmts: vec![call], span });
    made
}

/// Has the calls of one procedure in a block call another.
pub(super) fn redirect(block: &mut Block, from: ProcId, to: ProcId) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Call { callee, .. }
            | StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Call(callee, _), .. }))
                if *callee == from =>
            {
                *callee = to;
            }
            StmtKind::If(_, then, els) => {
                redirect(then, from, to);
                redirect(els, from, to);
            }
            StmtKind::While { body, .. } => redirect(body, from, to),
            _ => {}
        }
    }
}
