//! A loop with several results as several loops, where the other version has more loops.
//!
//! In: the procedures of one version, lowered. Out: a loop that only computes, of which several results are looked at, is called
//! once for each of them. What a call does not need it then loses ([`super::dead_parameters`]), so that two loops that somebody has
//! fused meet the parts of the one.
//!
//! Invariant (rule *Fission*, `proofs/soundness.md`): a loop that is so called leaves no trace but its results, so calling it again
//! gives them again, or errs or goes on for ever as before.

use super::draft::{Draft, fresh_local};
use super::worker::redirect;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Splits loops where another version has more of them.
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    let written = &draft.source.versions[draft.version];
    for own in draft.originals() {
        let loops_here = loops(written.procedure(own));
        if loops_here > 0 && draft.namesakes(own).any(|(_, theirs)| loops(theirs) > loops_here) {
            split(procedures, own);
        }
    }
}

/// How many loops there are in a procedure of the source.
fn loops(procedure: &Procedure) -> usize {
    let mut count = 0;
    if let Some(body) = &procedure.body {
        walk_stmts(body, &mut |stmt| count += usize::from(matches!(stmt.kind, StmtKind::While { .. })));
    }
    count
}

/// Splits the loops of a procedure, and those within them, that can be split; the loops made are added to the end.
fn split(procedures: &mut Vec<Procedure>, own: ProcId) {
    let computing = computing(procedures);
    let ids = (0u32..).map(ProcId).zip(procedures.iter());
    let concerned = ids.filter(|(id, code)| *id == own || code.origin.part_of() == Some(own));
    let ids: Vec<ProcId> = concerned.map(|(id, _)| id).collect();
    for id in ids {
        let Some(mut body) = procedures[id.index()].body.take() else { continue };
        split_in(&mut body, id, procedures, &computing);
        procedures[id.index()].body = Some(body);
    }
}

/// Whether a procedure is a loop that goes on with what is around it when it is done.
fn goes_on(procedure: &Procedure) -> bool {
    match procedure.origin {
        Origin::Source => false,
        Origin::Loop { returns, .. } => !returns,
        Origin::Worker { .. } => true,
    }
}

fn split_in(block: &mut Block, own: ProcId, procedures: &mut Vec<Procedure>, computing: &BTreeSet<ProcId>) {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.kind {
            StmtKind::If(_, then, els) => {
                split_in(then, own, procedures, computing);
                split_in(els, own, procedures, computing);
                stmts.push(stmt);
            }
            StmtKind::Call { targets, callee, args }
                if targets.len() > 1
                    && *callee != own
                    && computing.contains(callee)
                    && goes_on(&procedures[callee.index()]) =>
            {
                let (targets, args, span) = (std::mem::take(targets), std::mem::take(args), stmt.span);
                let callee = *callee;
                let mut moves = Vec::new();
                for (at, target) in targets.into_iter().enumerate() {
                    let part = if at == 0 { callee } else { copy(procedures, callee, at) };
                    let results = procedures[part.index()].result_ids().collect::<Vec<_>>();
                    let mut taken = Vec::new();
                    for (number, result) in results.into_iter().enumerate() {
                        let ty = procedures[part.index()].local(result).ty.clone();
                        let name = format!("part@{}.{at}.{number}", callee.0);
                        let id = fresh_local(&mut procedures[own.index()], name, ty.clone(), span);
                        taken.push(Place::Local(id));
                        if number == if faults::planted("lower/fission/wrong-part") { 0 } else { at } {
                            let value = Expr { kind: ExprKind::Local(id), ty, span };
                            let kind = StmtKind::Assign(target.clone(), Rhs::Expr(value));
                            moves.push(Stmt { kind, span });
                        }
                    }
                    stmts
                        .push(Stmt { kind: StmtKind::Call { targets: taken, callee: part, args: args.clone() }, span });
                }
                // The arguments of all calls are what they were.
                stmts.append(&mut moves);
            }
            _ => stmts.push(stmt),
        }
    }
    block.stmts = stmts;
}

/// A copy of a loop that calls itself.
fn copy(procedures: &mut Vec<Procedure>, of: ProcId, at: usize) -> ProcId {
    let id = ProcId(u32::try_from(procedures.len()).unwrap_or(u32::MAX));
    let mut made = procedures[of.index()].clone();
    made.name = format!("{}.{}", made.name, at + 1);
    if let Some(body) = &mut made.body {
        redirect(body, of, id);
    }
    procedures.push(made);
    id
}

/// The procedures that only compute: they store nothing, make nothing, and call only such; no contract is of theirs, no `assert`
/// and no `assume`, so that nothing is said twice.
fn computing(procedures: &[Procedure]) -> BTreeSet<ProcId> {
    let mut all: BTreeSet<ProcId> = (0u32..).map(ProcId).take(procedures.len()).collect();
    loop {
        let computes = |id: &ProcId| {
            let code = &procedures[id.index()];
            let plain = code.requires.is_empty() && code.modifies.is_none();
            plain && code.body.as_ref().is_some_and(|body| only_computes(body, &all))
        };
        let next: BTreeSet<ProcId> = all.iter().copied().filter(computes).collect();
        if next.len() == all.len() {
            return next;
        }
        all = next;
    }
}

fn only_computes(block: &Block, computing: &BTreeSet<ProcId>) -> bool {
    let local = |place: &Place| matches!(place, Place::Local(_));
    block.stmts.iter().all(|stmt| match stmt.as_call() {
        Some((targets, callee, _)) => targets.iter().all(local) && computing.contains(&callee),
        None => match &stmt.kind {
            StmtKind::Assign(place, Rhs::Expr(_)) => local(place) || faults::planted("lower/fission/writes-twice"),
            StmtKind::If(_, then, els) => only_computes(then, computing) && only_computes(els, computing),
            StmtKind::Return(_) => true,
            _ => false,
        },
    })
}
