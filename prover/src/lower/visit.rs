//! Small questions about statements and expressions, and the renaming of variables in them.
//!
//! In: code of a procedure. Out: whether it can err, what it reads, or the same code over other variables.

use super::is_loop;
use super::loops::SpokenOf;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Procedure, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use num_traits::Zero;
use std::collections::BTreeSet;

/// Whether evaluating an expression may end the execution.
pub(super) fn may_err(expr: &Expr) -> bool {
    expr.any(&|part| match &part.kind {
        ExprKind::Field(..) | ExprKind::Index(..) | ExprKind::Length(..) | ExprKind::Call(..) => true,
        ExprKind::Binary(BinOp::Div | BinOp::Rem, _, by) => {
            !matches!(&by.kind, ExprKind::Int(value) if !value.is_zero())
        }
        _ => false,
    })
}

/// The variables on whose values it hangs whether evaluating an expression ends the execution.
pub(super) fn decisive(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    if !may_err(expr) {
        return;
    }
    match &expr.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, left, right) => {
            if may_err(right) {
                mentioned(left, found);
            }
            decisive(left, found);
            decisive(right, found);
        }
        ExprKind::Binary(BinOp::Div | BinOp::Rem, left, right) => {
            decisive(left, found);
            mentioned(right, found);
        }
        ExprKind::Binary(_, left, right) => {
            decisive(left, found);
            decisive(right, found);
        }
        ExprKind::Unary(_, inner) => decisive(inner, found),
        _ => mentioned(expr, found),
    }
}

/// Whether a block does nothing but give values to variables other than `live`, and errs only where `before`, which was evaluated
/// just before it, did.
pub(super) fn is_idle(block: &Block, live: &BTreeSet<LocalId>, before: &Expr) -> bool {
    let conditional =
        |e: &Expr| matches!(e.kind, ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, ..) | ExprKind::Cond(..));
    let (mut evaluated, mut erring, mut assigned) = (Vec::new(), Vec::new(), BTreeSet::new());
    if !before.any(&conditional) {
        may_err_in(before, &mut evaluated);
    }
    if !only_assigns(block, &mut assigned, &mut erring) || !assigned.is_disjoint(live) {
        return false;
    }
    let mut decide = BTreeSet::new();
    erring.iter().for_each(|part| mentioned(part, &mut decide));
    assigned.is_disjoint(&decide) && erring.iter().all(|part| evaluated.contains(part))
}

/// Whether a block only assigns variables; which, and the expressions in it that may end the execution.
fn only_assigns(block: &Block, assigned: &mut BTreeSet<LocalId>, erring: &mut Vec<Expr>) -> bool {
    block.stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign(Place::Local(id), Rhs::Expr(e)) if !matches!(e.kind, ExprKind::Call(..)) => {
            assigned.insert(*id);
            may_err_in(e, erring);
            true
        }
        StmtKind::If(cond, then, els) => {
            may_err_in(cond, erring);
            only_assigns(then, assigned, erring) && only_assigns(els, assigned, erring)
        }
        _ => false,
    })
}

/// The parts of an expression whose evaluation may end the execution of themselves; without their places, to compare them.
fn may_err_in(expr: &Expr, found: &mut Vec<Expr>) {
    if !may_err(expr) {
        return;
    }
    let passes_on = match &expr.kind {
        ExprKind::Unary(..) => true,
        ExprKind::Binary(op, ..) => !matches!(op, BinOp::Div | BinOp::Rem),
        _ => false,
    };
    if !passes_on {
        let mut bare = expr.clone();
        without_places(&mut bare);
        found.push(bare);
    }
    expr.parts().into_iter().for_each(|part| may_err_in(part, found));
}

fn without_places(expr: &mut Expr) {
    expr.span = Span::default();
    parts_mut(expr).into_iter().for_each(without_places);
}

/// All variables that an expression mentions, those it binds included.
pub(super) fn mentioned(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    if let ExprKind::Local(id) = expr.kind {
        found.insert(id);
    }
    expr.parts().into_iter().for_each(|part| mentioned(part, found));
}

/// The variables that contracts of the procedure speak of, or its assertions under `old`: what these mean hangs on the
/// procedure's entry and exit, so they stay as they are. What a loop ensures nobody wrote; it gives way, but where some loop
/// of the procedure has invariants that speak of the variable.
pub(super) fn pinned(procedure: &Procedure, spoken_of: &SpokenOf) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    let places = procedure.modifies.iter().flat_map(|modifies| &modifies.places);
    let ensures: &[Expr] = if is_loop(procedure) { &[] } else { &procedure.ensures };
    procedure.requires.iter().chain(ensures).chain(places).for_each(|e| mentioned(e, &mut found));
    if let Some(body) = &procedure.body {
        olds_in(body, &mut found);
    }
    if let Some((around, _)) = procedure.name.split_once('@') {
        let kept = |id: &LocalId| spoken_of.get(around).is_some_and(|kept| kept.contains(&procedure.local(*id).name));
        found.extend(procedure.result_ids().filter(kept));
    }
    found
}

fn olds_in(block: &Block, found: &mut BTreeSet<LocalId>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Assert(e) | StmtKind::Assume(e) => olds(e, found),
            StmtKind::If(_, then, els) => {
                olds_in(then, found);
                olds_in(els, found);
            }
            StmtKind::While { invariants, body, .. } => {
                invariants.iter().for_each(|invariant| olds(invariant, found));
                olds_in(body, found);
            }
            _ => {}
        }
    }
}

fn olds(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    if let ExprKind::Old(inner) = &expr.kind {
        mentioned(inner, found);
    }
    expr.parts().into_iter().for_each(|part| olds(part, found));
}

/// Whether a block assigns a variable.
pub(super) fn assigns(block: &Block, id: LocalId) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign(place, _) => *place == Place::Local(id),
        StmtKind::Call { targets, .. } => targets.contains(&Place::Local(id)),
        StmtKind::If(_, then, els) => assigns(then, id) || assigns(els, id),
        StmtKind::While { body, .. } => assigns(body, id),
        _ => false,
    })
}

/// The call a statement is: its targets, the callee, the arguments. After lowering no other statement holds a call.
pub(super) fn as_call(stmt: &Stmt) -> Option<(&[Place], lang_l::hir::ProcId, &[Expr])> {
    match &stmt.kind {
        StmtKind::Call { targets, callee, args } => Some((targets, *callee, args)),
        StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
            Some((std::slice::from_ref(place), *callee, args))
        }
        _ => None,
    }
}

/// Puts the variable `to[i]` in place of variable `i`, everywhere in the procedure but in its list of variables.
pub(super) fn rename(procedure: &mut Procedure, to: &[LocalId]) {
    let places = procedure.modifies.iter_mut().flat_map(|modifies| &mut modifies.places);
    procedure.requires.iter_mut().chain(&mut procedure.ensures).chain(places).for_each(|e| rename_expr(e, to));
    if let Some(body) = &mut procedure.body {
        rename_block(body, to);
    }
}

fn rename_block(block: &mut Block, to: &[LocalId]) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Assign(place, rhs) => {
                rename_place(place, to);
                match rhs {
                    Rhs::Expr(e) | Rhs::NewArray(_, e) => rename_expr(e, to),
                    Rhs::New(_) => {}
                }
            }
            StmtKind::Call { targets, args, .. } => {
                targets.iter_mut().for_each(|place| rename_place(place, to));
                args.iter_mut().for_each(|arg| rename_expr(arg, to));
            }
            StmtKind::If(cond, then, els) => {
                rename_expr(cond, to);
                rename_block(then, to);
                rename_block(els, to);
            }
            StmtKind::While { cond, invariants, body } => {
                rename_expr(cond, to);
                invariants.iter_mut().for_each(|invariant| rename_expr(invariant, to));
                rename_block(body, to);
            }
            StmtKind::Return(values) => values.iter_mut().for_each(|value| rename_expr(value, to)),
            StmtKind::Assert(e) | StmtKind::Assume(e) => rename_expr(e, to),
            StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

fn rename_place(place: &mut Place, to: &[LocalId]) {
    match place {
        Place::Local(id) => *id = to[id.index()],
        Place::Global(_) => {}
        Place::Field(object, _) => rename_expr(object, to),
        Place::Index(array, index) => {
            rename_expr(array, to);
            rename_expr(index, to);
        }
    }
}

fn rename_expr(expr: &mut Expr, to: &[LocalId]) {
    match &mut expr.kind {
        ExprKind::Local(id) => *id = to[id.index()],
        ExprKind::Quant { var, .. } => *var = to[var.index()],
        _ => {}
    }
    parts_mut(expr).into_iter().for_each(|part| rename_expr(part, to));
}

/// Puts an expression without parts in place of a variable that is not bound here.
pub(super) fn replace(expr: &mut Expr, id: LocalId, by: &ExprKind) {
    if expr.kind == ExprKind::Local(id) {
        expr.kind = by.clone();
    }
    parts_mut(expr).into_iter().for_each(|part| replace(part, id, by));
}

/// The parts of an expression, to be changed.
pub(super) fn parts_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => Vec::new(),
        ExprKind::Field(e, _)
        | ExprKind::Length(e)
        | ExprKind::Unary(_, e)
        | ExprKind::Old(e)
        | ExprKind::Fresh(e)
        | ExprKind::Quant { body: e, .. } => vec![e],
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Reach(a, b) => vec![a, b],
        ExprKind::Cond(a, b, c) => vec![a, b, c],
        ExprKind::Call(_, args) => args.iter_mut().collect(),
    }
}

/// Whether a condition speaks of the entry store, by `old` or `fresh`.
pub fn mentions_entry(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Old(_) | ExprKind::Fresh(_)))
}
