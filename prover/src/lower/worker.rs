//! Recursion in its own procedure, where the other version has a loop.
//!
//! In: a lowered procedure that calls itself. Out: a procedure that does its work under the name `p@self` and calls itself; the
//! procedure under the old name only calls that one.
//!
//! A procedure that is asked about has to keep its parameters, and its calls of itself hand on all of them; a loop takes what it
//! needs. The worker is internal, so it comes down to what it needs too.
//!
//! Invariant: a call of either does what a call of the procedure did. There is no contract that one of them would lack.

use super::calls::hoist;
use super::draft::Draft;
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};

/// Gives a worker to every procedure that recurs where another version has a loop.
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    for own in draft.originals() {
        let worker = ProcId(u32::try_from(procedures.len()).unwrap_or(u32::MAX));
        let procedure = &mut procedures[own.index()];
        if fits(procedure, own) && draft.namesakes(own).any(|(id, theirs)| loops(id, theirs)) {
            let made = split(procedure, own, worker);
            procedures.push(made);
        }
    }
}

/// Whether a procedure of the source has a loop, and does not call itself.
fn loops(id: ProcId, procedure: &Procedure) -> bool {
    let mut procedure = procedure.clone();
    hoist(&mut procedure);
    let has_loop = |body: &Block| body.any(&|stmt| matches!(stmt.kind, StmtKind::While { .. }));
    !calls_itself(&procedure, id) && procedure.body.as_ref().is_some_and(has_loop)
}

/// Whether a procedure of the source calls itself, and has no loop.
pub(super) fn recurs(id: ProcId, procedure: &Procedure) -> bool {
    let mut procedure = procedure.clone();
    hoist(&mut procedure);
    let has_loop = |body: &Block| body.any(&|stmt| matches!(stmt.kind, StmtKind::While { .. }));
    calls_itself(&procedure, id) && !procedure.body.as_ref().is_some_and(has_loop)
}

/// Whether a procedure calls itself, and has no contract that speaks of each of its calls.
fn fits(procedure: &Procedure, own: ProcId) -> bool {
    (!procedure.has_contract() || faults::planted("lower/worker/contract-lost")) && calls_itself(procedure, own)
}

/// Whether a procedure calls itself in its own body.
pub(super) fn calls_itself(procedure: &Procedure, own: ProcId) -> bool {
    procedure
        .body
        .as_ref()
        .is_some_and(|body| body.any(&|stmt| stmt.as_call().is_some_and(|(_, callee, _)| callee == own)))
}

/// Makes a procedure call its worker, which gets the id `worker`; returns the worker.
fn split(procedure: &mut Procedure, own: ProcId, worker: ProcId) -> Procedure {
    let mut made = procedure.clone();
    made.name = format!("{}@self", procedure.name);
    made.origin = Origin::Worker { of: own };
    if let Some(body) = &mut made.body {
        redirect(body, own, worker);
    }
    let span = procedure.name_span;
    let local = |id: LocalId| Expr { kind: ExprKind::Local(id), ty: procedure.local(id).ty.clone(), span };
    let mut args: Vec<Expr> = procedure.param_ids().map(local).collect();
    if faults::planted("lower/worker/arguments-crossed")
        && args.first().map(|arg| &arg.ty) == args.last().map(|arg| &arg.ty)
    {
        args.reverse();
    }
    let targets = procedure.result_ids().map(Place::Local).collect();
    let call = Stmt { kind: StmtKind::Call { targets, callee: worker, args }, span };
    procedure.body = Some(Block { stmts: vec![call], span });
    made
}

/// Has the calls of one procedure in a block call another.
pub(super) fn redirect(block: &mut Block, from: ProcId, to: ProcId) {
    walk_stmts_mut(block, &mut |stmt| match &mut stmt.kind {
        StmtKind::Call { callee, .. }
        | StmtKind::Assign(_, Rhs::Expr(Expr { kind: ExprKind::Call(callee, _), .. }))
            if *callee == from =>
        {
            *callee = to;
        }
        _ => {}
    });
}
