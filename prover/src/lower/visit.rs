//! Going through code: the statements, expressions and places of a block, to be read or to be changed.
//!
//! In: code of a procedure. Out: its parts, one by one. Passes use this instead of a `match` of their own where they treat
//! all forms of statements alike.
//!
//! Invariant: every expression that is evaluated is visited, also those within the places that are assigned.

use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The blocks directly within a statement.
pub(super) fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If(_, then, els) => vec![then, els],
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The blocks directly within a statement, to be changed.
pub(super) fn blocks_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If(_, then, els) => vec![then, els],
        StmtKind::While { body, .. } => vec![body],
        _ => Vec::new(),
    }
}

/// The expressions directly within a statement, those in the places it assigns first.
pub(super) fn exprs(stmt: &Stmt) -> Vec<&Expr> {
    let mut found: Vec<&Expr> = places(stmt).iter().flat_map(exprs_of_place).collect();
    match &stmt.kind {
        StmtKind::Assign(_, Rhs::Expr(e) | Rhs::NewArray(_, e))
        | StmtKind::If(e, ..)
        | StmtKind::Assert(e)
        | StmtKind::Assume(e) => found.push(e),
        StmtKind::Call { args: all, .. } | StmtKind::Return(all) => found.extend(all),
        StmtKind::While { cond, invariants, .. } => found.extend([cond].into_iter().chain(invariants)),
        StmtKind::Assign(_, Rhs::New(_)) | StmtKind::Break | StmtKind::Continue => {}
    }
    found
}

/// The expressions directly within a statement, to be changed.
pub(super) fn exprs_mut(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Assign(place, rhs) => {
            let mut found = exprs_of_place_mut(place);
            if let Rhs::Expr(e) | Rhs::NewArray(_, e) = rhs {
                found.push(e);
            }
            found
        }
        StmtKind::Call { targets, args, .. } => targets.iter_mut().flat_map(exprs_of_place_mut).chain(args).collect(),
        StmtKind::If(e, ..) | StmtKind::Assert(e) | StmtKind::Assume(e) => vec![e],
        StmtKind::While { cond, invariants, .. } => [cond].into_iter().chain(invariants).collect(),
        StmtKind::Return(values) => values.iter_mut().collect(),
        StmtKind::Break | StmtKind::Continue => Vec::new(),
    }
}

/// The places that a statement assigns.
pub(super) fn places(stmt: &Stmt) -> &[Place] {
    match &stmt.kind {
        StmtKind::Assign(place, _) => std::slice::from_ref(place),
        StmtKind::Call { targets, .. } => targets,
        _ => &[],
    }
}

/// The places that a statement assigns, to be changed.
pub(super) fn places_mut(stmt: &mut Stmt) -> &mut [Place] {
    match &mut stmt.kind {
        StmtKind::Assign(place, _) => std::slice::from_mut(place),
        StmtKind::Call { targets, .. } => targets,
        _ => &mut [],
    }
}

/// The expressions directly within a place.
fn exprs_of_place(place: &Place) -> Vec<&Expr> {
    match place {
        Place::Local(_) | Place::Global(_) => Vec::new(),
        Place::Field(object, _) => vec![object],
        Place::Index(array, index) => vec![array, index],
    }
}

fn exprs_of_place_mut(place: &mut Place) -> Vec<&mut Expr> {
    match place {
        Place::Local(_) | Place::Global(_) => Vec::new(),
        Place::Field(object, _) => vec![object],
        Place::Index(array, index) => vec![array, index],
    }
}

/// The conditions and places of a procedure's contract.
pub(super) fn contract(procedure: &Procedure) -> impl Iterator<Item = &Expr> {
    let places = procedure.modifies.iter().flat_map(|modifies| &modifies.places);
    procedure.requires.iter().chain(&procedure.ensures).chain(places)
}

/// Shows every statement of a block, those within others too, in the order of the text.
pub(super) fn every_stmt<'b>(block: &'b Block, see: &mut dyn FnMut(&'b Stmt)) {
    for stmt in &block.stmts {
        see(stmt);
        blocks(stmt).into_iter().for_each(|block| every_stmt(block, see));
    }
}

/// Hands over every statement of a block to be changed, those within others too.
pub(super) fn every_stmt_mut(block: &mut Block, change: &mut dyn FnMut(&mut Stmt)) {
    for stmt in &mut block.stmts {
        change(stmt);
        blocks_mut(stmt).into_iter().for_each(|block| every_stmt_mut(block, change));
    }
}

/// Whether the test holds for a statement of a block, or for one within it.
pub(super) fn any_stmt(block: &Block, test: &dyn Fn(&Stmt) -> bool) -> bool {
    block.stmts.iter().any(|stmt| test(stmt) || blocks(stmt).into_iter().any(|block| any_stmt(block, test)))
}

/// Shows every expression of a procedure with all its parts, the contract's included.
pub(super) fn every_expr(procedure: &Procedure, see: &mut dyn FnMut(&Expr)) {
    contract(procedure).for_each(|expr| every_part(expr, see));
    if let Some(body) = &procedure.body {
        every_expr_of(body, see);
    }
}

/// Shows every expression of a block with all its parts.
pub(super) fn every_expr_of(block: &Block, see: &mut dyn FnMut(&Expr)) {
    every_stmt(block, &mut |stmt| exprs(stmt).into_iter().for_each(|expr| every_part(expr, see)));
}

/// Shows an expression and all its parts.
pub(super) fn every_part<'e>(expr: &'e Expr, see: &mut dyn FnMut(&'e Expr)) {
    see(expr);
    expr.parts().into_iter().for_each(|part| every_part(part, see));
}

/// Shows every call of a block: the callee and the arguments.
pub(super) fn every_call(block: &Block, see: &mut dyn FnMut(ProcId, &[Expr])) {
    every_stmt(block, &mut |stmt| {
        if let Some((_, callee, args)) = as_call(stmt) {
            see(callee, args);
        }
    });
}

/// Whether a block calls a procedure.
pub(super) fn calls(block: &Block, callee: ProcId) -> bool {
    any_stmt(block, &|stmt| as_call(stmt).is_some_and(|(_, called, _)| called == callee))
}

/// Whether a block assigns a variable.
pub(super) fn assigns(block: &Block, id: LocalId) -> bool {
    any_stmt(block, &|stmt| places(stmt).contains(&Place::Local(id)))
}

/// The call a statement is: its targets, the callee, the arguments. After lowering no other statement holds a call.
pub(super) fn as_call(stmt: &Stmt) -> Option<(&[Place], ProcId, &[Expr])> {
    match &stmt.kind {
        StmtKind::Call { targets, callee, args } => Some((targets, *callee, args)),
        StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
            Some((std::slice::from_ref(place), *callee, args))
        }
        _ => None,
    }
}

/// All variables that an expression mentions, those it binds included.
pub(super) fn mentioned(expr: &Expr, found: &mut BTreeSet<LocalId>) {
    if let ExprKind::Local(id) = expr.kind {
        found.insert(id);
    }
    expr.parts().into_iter().for_each(|part| mentioned(part, found));
}

/// Puts the variable `to[i]` in place of variable `i`, everywhere in the procedure but in its list of variables.
pub(super) fn rename(procedure: &mut Procedure, to: &[LocalId]) {
    let places = procedure.modifies.iter_mut().flat_map(|modifies| &mut modifies.places);
    procedure.requires.iter_mut().chain(&mut procedure.ensures).chain(places).for_each(|e| rename_expr(e, to));
    let Some(body) = &mut procedure.body else { return };
    every_stmt_mut(body, &mut |stmt| {
        for place in places_mut(stmt) {
            if let Place::Local(id) = place {
                *id = to[id.index()];
            }
        }
        exprs_mut(stmt).into_iter().for_each(|e| rename_expr(e, to));
    });
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
