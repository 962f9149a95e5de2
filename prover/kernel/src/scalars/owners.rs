//! Owners: variables that alone lead to the arrays they hold, and to the arrays in these.
//!
//! In: a procedure, statement by statement. Out: which of its variables are owners up to there, and whether a loop looks at no cell of what
//! one owns but at this.
//!
//! Rule *Promotion* (`proofs/soundness.md`). An owner is assigned new arrays alone, and so are the cells of its array that hold arrays;
//! and nothing is done with them but to look at their cells and lengths, to compare them with null and to return them.

use super::locations::{Location, variable};
use crate::effects::cell_sort;
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type};
use smt::term::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// By a variable that leads to an array which an owner owns: that owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Owners(BTreeMap<LocalId, LocalId>);

impl Owners {
    /// The owners of a procedure before it does anything.
    pub(super) fn of(procedure: &Procedure) -> Self {
        let params: BTreeSet<LocalId> = procedure.param_ids().collect();
        let is_owner = |id: &LocalId| matches!(procedure.local(*id).ty, Type::Array(_)) && !params.contains(id);
        let all = (0u32..).map(LocalId).take(procedure.locals.len());
        Owners(all.filter(is_owner).map(|id| (id, id)).collect())
    }

    /// Leaves those that are still owners while this statement of the body runs, and behind it.
    pub(super) fn come_to(&mut self, stmt: &Stmt) {
        let mut shown = BTreeSet::new();
        stmt.walk(&mut |inner| shown_by(inner, &mut shown));
        if !faults::planted("kernel/scalars/owned-by-others") {
            self.0.retain(|_, owner| !shown.contains(owner));
        }
    }

    /// A new variable holds what this location does.
    pub(super) fn hold(&mut self, held: LocalId, location: Location) {
        if let Some(&owner) = location.object().and_then(|id| self.0.get(&id)) {
            self.0.insert(held, owner);
        }
    }

    /// Whether a location is a cell, of numbers or truth values, of what an owner owns, and the loop looks at no other cell of that.
    pub(super) fn own_alone(&self, location: Location, stmt: &Stmt) -> bool {
        let Location::Cell(array, _) = location else { return false };
        let Some(owner) = self.0.get(&array) else { return false };
        let is_other = |array: &Expr, index: &Expr| {
            cell_sort(&array.ty) != Sort::Ref
                && self.root(array) == Some(*owner)
                && Location::cell(array, index) != Some(location)
                && !faults::planted("kernel/scalars/other-cell")
        };
        let mut alone = true;
        stmt.walk(&mut |inner| {
            alone &= !inner
                .targets()
                .iter()
                .any(|target| matches!(target, Place::Index(array, index) if is_other(array, index)));
            let reads = |part: &Expr| matches!(&part.kind, ExprKind::Index(array, index) if is_other(array, index));
            alone &= !inner.exprs().into_iter().any(|e| e.any(&reads));
        });
        alone
    }

    /// Who owns the array that an expression is, if somebody does.
    fn root(&self, array: &Expr) -> Option<LocalId> {
        variable_of(array).and_then(|id| self.0.get(&id).copied())
    }
}

/// Adds the variables to whose arrays, or arrays in these, something else may lead after a statement.
fn shown_by(stmt: &Stmt, shown: &mut BTreeSet<LocalId>) {
    let makes = matches!(stmt.kind, StmtKind::Assign(_, Rhs::NewArray(..)));
    for target in stmt.targets() {
        match target {
            Place::Local(id) if !makes => {
                shown.insert(*id);
            }
            Place::Index(array, index) => {
                shown.extend(variable_of(array).filter(|_| cell_sort(&array.ty) == Sort::Ref && !makes));
                looked_at(array, shown);
                show(index, shown);
            }
            Place::Field(object, _) => show(object, shown),
            Place::Local(_) | Place::Global(_) => {}
        }
    }
    match &stmt.kind {
        // Nobody goes on with it here.
        StmtKind::Return(values) => {
            values.iter().filter(|value| variable(value).is_none()).for_each(|value| show(value, shown));
        }
        StmtKind::Assign(_, rhs) => rhs.expr().into_iter().for_each(|value| show(value, shown)),
        StmtKind::Call { args, .. } => args.iter().for_each(|arg| show(arg, shown)),
        _ => stmt.exprs().into_iter().for_each(|e| show(e, shown)),
    }
}

/// Adds the variables that an expression leads to more by than by looking at cells and lengths.
fn show(e: &Expr, shown: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Local(id) => {
            shown.insert(*id);
        }
        ExprKind::Index(array, index) => {
            shown.extend(variable_of(array).filter(|_| e.ty.is_reference()));
            looked_at(array, shown);
            show(index, shown);
        }
        ExprKind::Length(array) => looked_at(array, shown),
        ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) if b.kind == ExprKind::Null => looked_at(a, shown),
        _ => e.parts().into_iter().for_each(|part| show(part, shown)),
    }
}

/// The same of an array that is only looked at.
fn looked_at(array: &Expr, shown: &mut BTreeSet<LocalId>) {
    match &array.kind {
        ExprKind::Local(_) => {}
        ExprKind::Index(array, index) => {
            looked_at(array, shown);
            show(index, shown);
        }
        _ => show(array, shown),
    }
}

/// The variable through which an array is looked at.
fn variable_of(array: &Expr) -> Option<LocalId> {
    match &array.kind {
        ExprKind::Local(id) => Some(*id),
        ExprKind::Index(array, _) => variable_of(array),
        _ => None,
    }
}
