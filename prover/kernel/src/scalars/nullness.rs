//! Which variables are not null, and which cells are there, as the text says so; and a walk to the loops of a procedure with what is
//! known there.
//!
//! In: statements and expressions. Out: what is there behind them, or where they are true.
//!
//! Invariant: what is found holds whenever a run comes there; that more holds is no harm.

use super::locations::{Index, Location, variable};
use crate::bounds::scalars::MAX_CELLS;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Rhs, Stmt, StmtKind, UnOp};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;
use std::mem;

/// What is there: to read it is no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum There {
    /// The object that a variable refers to.
    Object(LocalId),
    /// A cell.
    Cell(Location),
}

impl There {
    /// What must be there for a location to be read; nothing for a global.
    pub(super) fn needed(location: Location) -> Option<Self> {
        match location {
            Location::Field(object, _) => Some(There::Object(object)),
            Location::Cell(..) => Some(There::Cell(location)),
            Location::Global(_) => None,
        }
    }

    /// Whether it is still there once these variables have other values.
    pub(super) fn outlives(self, assigned: &BTreeSet<LocalId>) -> bool {
        match self {
            There::Object(id) => !assigned.contains(&id),
            There::Cell(location) => location.variables().all(|id| !assigned.contains(&id)),
        }
    }
}

/// What stands in place of a loop, where this is there, whatever the loop assigns.
type Instead<'r> = dyn FnMut(Stmt, &mut BTreeSet<There>) -> Vec<Stmt> + 'r;

/// Replaces the loops of a block that are in no other loop, where this is there. What is known behind the block is known then.
pub(super) fn replace_loops(block: &mut Block, known: &mut BTreeSet<There>, instead: &mut Instead<'_>) {
    for mut stmt in mem::take(&mut block.stmts) {
        match &mut stmt.kind {
            StmtKind::While { .. } => {
                forget(known, &stmt);
                block.stmts.extend(instead(stmt, known));
                continue;
            }
            StmtKind::If(condition, then, els) => {
                surely_read(condition, known);
                let mut holds = known.clone();
                not_null(condition, &mut holds);
                replace_loops(then, &mut holds, instead);
                replace_loops(els, &mut known.clone(), instead);
                forget(known, &stmt);
            }
            StmtKind::Assign(Place::Local(id), Rhs::New(_)) => {
                let id = *id;
                forget(known, &stmt);
                known.insert(There::Object(id));
            }
            StmtKind::Assign(Place::Local(id), Rhs::NewArray(_, length)) => {
                let cells = cells_of(*id, length);
                surely_come_to(&stmt, known);
                forget(known, &stmt);
                known.extend(cells);
            }
            _ => {
                surely_come_to(&stmt, known);
                forget(known, &stmt);
            }
        }
        block.stmts.push(stmt);
    }
}

/// The cells of a new array of this length that a variable holds, where that is a number; the first ones, where it is a large one.
fn cells_of(array: LocalId, length: &Expr) -> Vec<There> {
    let length = match &length.kind {
        ExprKind::Int(number) => number.to_usize().unwrap_or(0),
        _ => 0,
    };
    let cell = |at: u32| There::Cell(Location::Cell(array, Index::At(at)));
    (0u32..).take(length.min(MAX_CELLS)).map(cell).collect()
}

/// What a statement assigns may be null after it.
pub(super) fn forget(known: &mut BTreeSet<There>, stmt: &Stmt) {
    let assigned = stmt.assigned();
    known.retain(|one| one.outlives(&assigned));
}

/// Adds what is there after a statement without blocks, since it reads or writes a field of it, or the cell.
pub(super) fn surely_come_to(stmt: &Stmt, found: &mut BTreeSet<There>) {
    stmt.exprs().into_iter().for_each(|e| surely_read(e, found));
    found.extend(stmt.targets().iter().filter_map(|target| match target {
        Place::Field(object, _) => variable(object).map(There::Object),
        Place::Index(array, index) => Location::cell(array, index).map(There::Cell),
        _ => None,
    }));
}

/// Adds what is there where an expression has a value, since a field of it is read for that, or the cell.
pub(super) fn surely_read(e: &Expr, found: &mut BTreeSet<There>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, first, _) | ExprKind::Cond(first, ..) => {
            surely_read(first, found)
        }
        ExprKind::Old(_) | ExprKind::Quant { .. } => {}
        ExprKind::Field(base, _) => {
            found.extend(variable(base).map(There::Object));
            surely_read(base, found);
        }
        ExprKind::Index(array, index) => {
            found.extend(Location::cell(array, index).map(There::Cell));
            [array, index].into_iter().for_each(|part| surely_read(part, found));
        }
        _ => e.parts().into_iter().for_each(|part| surely_read(part, found)),
    }
}

/// Adds the variables that are not null where an expression is true, since it says so.
pub(super) fn not_null(e: &Expr, found: &mut BTreeSet<There>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => [a, b].into_iter().for_each(|part| not_null(part, found)),
        ExprKind::Binary(BinOp::Ne, a, b) => found.extend(compared_to_null(a, b).map(There::Object)),
        ExprKind::Unary(UnOp::Not, part) => not_null_else(part, found),
        _ => {}
    }
}

/// Adds the variables that are not null where an expression is false.
pub(super) fn not_null_else(e: &Expr, found: &mut BTreeSet<There>) {
    match &e.kind {
        ExprKind::Binary(BinOp::Or, a, b) => [a, b].into_iter().for_each(|part| not_null_else(part, found)),
        ExprKind::Binary(BinOp::Eq, a, b) => found.extend(compared_to_null(a, b).map(There::Object)),
        ExprKind::Unary(UnOp::Not, part) => not_null(part, found),
        _ => {}
    }
}

/// The variable that is compared to null.
pub(super) fn compared_to_null(a: &Expr, b: &Expr) -> Option<LocalId> {
    let with = |one: &Expr, other: &Expr| variable(one).filter(|_| other.kind == ExprKind::Null);
    with(a, b).or_else(|| with(b, a))
}
