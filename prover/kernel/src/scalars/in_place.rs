//! The body of a helper in place of a call.
//!
//! In: a helper, and a call of it. Out: statements that do what the call does.
//!
//! Rule *In place* (`proofs/soundness.md`). What the helper is given goes into new variables, and so does all that it has of its own. Where
//! it returns early, what would follow stands in the other branch; a loop that returns breaks off.

use super::locations::variable;
use super::returns::break_off;
use super::variables::{added, default, rename};
use crate::bounds::scalars::{MAX_HELPER, MAX_IN_PLACE, MAX_ROUNDS};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use std::collections::BTreeSet;
use std::mem;

/// A call whose results go to variables.
pub(super) struct Call<'c> {
    pub(super) targets: &'c [Place],
    pub(super) args: &'c [Expr],
    pub(super) span: Span,
}

/// A procedure with calls in place, as helpers call helpers round by round; `None` where there are none, or too many. What is told to do so
/// says how many it has put in place.
pub(super) fn in_rounds(
    procedure: &Procedure,
    mut put: impl FnMut(&mut Block, &mut Vec<Local>) -> usize,
) -> Option<Procedure> {
    let mut expanded = procedure.clone();
    for round in 0..MAX_ROUNDS {
        match put(expanded.body.as_mut()?, &mut expanded.locals) {
            0 => return (round > 0).then_some(expanded),
            1..=MAX_IN_PLACE => {}
            _ => return None,
        }
    }
    None
}

/// Whether a helper is short, has no contract, and checks nothing.
pub(super) fn is_plain(helper: &Procedure) -> bool {
    let Some(body) = helper.body.as_ref().filter(|_| has_no_contract(helper)) else { return false };
    let (mut all, mut count) = (true, 0);
    walk_stmts(body, &mut |stmt| {
        let checks = match &stmt.kind {
            StmtKind::Assert(_) | StmtKind::Assume(_) => true,
            StmtKind::While { invariants, .. } => !invariants.is_empty(),
            _ => false,
        };
        all &= !checks && stmt.exprs().into_iter().all(is_of_present);
        count += 1;
    });
    all && count <= MAX_HELPER
}

pub(super) fn has_no_contract(helper: &Procedure) -> bool {
    !helper.has_contract() || faults::planted("kernel/scalars/helper-contract")
}

/// Whether an expression speaks of the present store alone.
pub(super) fn is_of_present(e: &Expr) -> bool {
    let is_ordinary = |part: &Expr| {
        !matches!(part.kind, ExprKind::Old(_) | ExprKind::Fresh(_) | ExprKind::Reach(..) | ExprKind::Quant { .. })
    };
    !e.any(&|part| !is_ordinary(part))
}

/// Whether an expression is a variable or a literal: it never errs, and nothing that is called changes it.
pub(super) fn is_simple(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null)
}

/// The statements of a helper in place of a call; `None` where it returns in a way that cannot be put so. The caller has these variables.
pub(super) fn in_place(helper: &Procedure, call: &Call<'_>, locals: &mut Vec<Local>) -> Option<Vec<Stmt>> {
    let mut own = helper.locals.clone();
    let results: Vec<LocalId> = helper.result_ids().collect();
    let mut stmts = helper.body.clone()?.stmts;
    break_off_all(&mut stmts, &results, (&mut own, &mut 0));
    let mut stmts = at_the_end(stmts, &results)?;
    let assigned: BTreeSet<LocalId> = stmts.iter().flat_map(Stmt::assigned).collect();
    // A variable of the caller is assigned by nothing in the body.
    let is_it = |(id, arg): (LocalId, &Expr)| {
        let same = variable(arg).filter(|_| arg.ty == helper.local(id).ty);
        same.filter(|_| !assigned.contains(&id) || faults::planted("kernel/scalars/argument-assigned"))
    };
    let handed: Vec<Option<LocalId>> = helper.param_ids().zip(call.args).map(is_it).collect();
    let named = |own: &Local| Local { name: format!("{}.{}", helper.name, own.name), ..own.clone() };
    let moved: Vec<LocalId> = own.iter().map(|own| added(locals, named(own))).collect();
    let now = |id: LocalId| handed.get(id.index()).copied().flatten().unwrap_or(moved[id.index()]);
    stmts.iter_mut().for_each(|stmt| rename(stmt, &now));
    let assign = |id: LocalId, value: Rhs| assignment(Place::Local(now(id)), value, call.span);
    let copied = helper.param_ids().zip(call.args).filter(|(id, _)| handed[id.index()].is_none());
    let mut all: Vec<Stmt> = copied.map(|(id, arg)| assign(id, Rhs::Expr(arg.clone()))).collect();
    let rest = (0u32..).map(LocalId).zip(&helper.locals).skip(helper.params);
    all.extend(rest.map(|(id, own)| assign(id, default(own.ty.clone(), call.span))));
    all.extend(stmts);
    for (target, &result) in call.targets.iter().zip(&results) {
        let kind = ExprKind::Local(now(result));
        let value = Expr { kind, ty: own[result.index()].ty.clone(), span: call.span };
        all.push(assignment(target.clone(), Rhs::Expr(value), call.span));
    }
    Some(all)
}

fn assignment(target: Place, value: Rhs, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(target, value), span }
}

/// Has the loops break off that return.
fn break_off_all(stmts: &mut Vec<Stmt>, results: &[LocalId], (locals, number): (&mut Vec<Local>, &mut usize)) {
    for mut stmt in mem::take(stmts) {
        let is_loop = matches!(stmt.kind, StmtKind::While { .. });
        let around = if is_loop { break_off(&mut stmt, *number, results, locals) } else { None };
        if let Some(around) = around {
            *number += 1;
            stmts.extend(around.before);
            stmts.push(stmt);
            stmts.push(around.behind);
            continue;
        }
        for block in stmt.blocks_mut() {
            break_off_all(&mut block.stmts, results, (&mut *locals, &mut *number));
        }
        stmts.push(stmt);
    }
}

/// Some statements, no loop of which returns, with assignments to the results in place of what they return, in such a way that
/// nothing follows these; `None` where what follows would have to be there twice, or a value looks at a result that was assigned before.
fn at_the_end(stmts: Vec<Stmt>, results: &[LocalId]) -> Option<Vec<Stmt>> {
    let mut done = Vec::new();
    let mut rest = stmts.into_iter();
    while let Some(mut stmt) = rest.next() {
        match &mut stmt.kind {
            StmtKind::Return(values) => {
                let looks_back = |value: &Expr| results.iter().any(|&id| value.mentions(id));
                if values.len() > 1 && values.iter().any(looks_back) {
                    return None;
                }
                let given = results.iter().zip(mem::take(values));
                done.extend(given.map(|(&id, value)| assignment(Place::Local(id), Rhs::Expr(value), stmt.span)));
                if !faults::planted("kernel/scalars/helper-returns") {
                    return Some(done);
                }
            }
            StmtKind::If(_, then, els) if returns(&then.stmts) || returns(&els.stmts) => {
                let rest: Vec<Stmt> = rest.collect();
                let branches = [then, els];
                let going_on = branches.iter().filter(|branch| !always_returns(&branch.stmts)).count();
                if going_on > 1 && !rest.is_empty() {
                    return None;
                }
                for branch in branches {
                    let mut own = mem::take(&mut branch.stmts);
                    if !always_returns(&own) || faults::planted("kernel/scalars/helper-returns") {
                        own.extend(rest.iter().cloned());
                    }
                    branch.stmts = at_the_end(own, results)?;
                }
                done.push(stmt);
                return Some(done);
            }
            _ => done.push(stmt),
        }
    }
    Some(done)
}

fn returns(stmts: &[Stmt]) -> bool {
    let is_return = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Return(_));
    stmts.iter().any(|stmt| is_return(stmt) || stmt.blocks().into_iter().any(|block| returns(&block.stmts)))
}

/// Whether some statements come to a return, if they end.
fn always_returns(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(_, then, els) => always_returns(&then.stmts) && always_returns(&els.stmts),
        _ => false,
    })
}
