//! Locations of the store that a loop may keep in a variable while it runs: a field or cell of what one variable refers to, or a global.
//!
//! In: a loop. Out: the locations that it writes, or only reads, a location as it is looked at, and the loop with a variable in its place.
//!
//! Rule *Promotion* (`proofs/soundness.md`).

use crate::effects::{Effects, callees_of, cell_sort};
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, GlobalId, Local, LocalId, Place, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use num_traits::ToPrimitive;
use smt::term::{Selector, Sort};
use std::collections::BTreeSet;

/// A location of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    /// A field of what a variable refers to.
    Field(LocalId, FieldId),
    /// A cell of the array that a variable refers to.
    Cell(LocalId, Index),
    /// A global.
    Global(GlobalId),
}

/// Which cell of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Index {
    /// The one at this number.
    At(u32),
    /// The one whose number a variable holds.
    In(LocalId),
}

impl Index {
    fn of(e: &Expr) -> Option<Self> {
        match &e.kind {
            ExprKind::Int(number) => number.to_u32().map(Index::At),
            ExprKind::Local(id) => Some(Index::In(*id)),
            _ => None,
        }
    }
}

/// What kind of location, in whatever procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// This field of whatever object.
    Field(FieldId),
    /// This global.
    Global(GlobalId),
    /// A cell that holds such values, of an array to which one variable alone leads.
    Cell(Sort),
    /// A field or cell that is only read.
    Read(Selector),
}

impl Location {
    /// The location that is read, if it is one.
    pub(super) fn of(e: &Expr) -> Option<Self> {
        match &e.kind {
            ExprKind::Field(base, field) => Some(Location::Field(variable(base)?, *field)),
            ExprKind::Index(array, index) => Location::cell(array, index),
            ExprKind::Global(global) => Some(Location::Global(*global)),
            _ => None,
        }
    }

    /// This cell of this array, where variables and numbers say which.
    pub(super) fn cell(array: &Expr, index: &Expr) -> Option<Self> {
        Some(Location::Cell(variable(array)?, Index::of(index)?))
    }

    /// The variable through which it is looked at, if there is one.
    pub(super) fn object(self) -> Option<LocalId> {
        match self {
            Location::Field(object, _) | Location::Cell(object, _) => Some(object),
            Location::Global(_) => None,
        }
    }

    /// The variables that say which location it is.
    pub(super) fn variables(self) -> impl Iterator<Item = LocalId> {
        let index = match self {
            Location::Cell(_, Index::In(index)) => Some(index),
            _ => None,
        };
        self.object().into_iter().chain(index)
    }

    /// Those that a loop writes.
    pub(super) fn written(stmt: &Stmt) -> BTreeSet<Location> {
        let mut found = BTreeSet::new();
        stmt.walk(&mut |inner| {
            found.extend(inner.targets().iter().filter_map(|target| match target {
                Place::Field(object, field) => Some(Location::Field(variable(object)?, *field)),
                Place::Index(array, index) => Location::cell(array, index),
                Place::Global(global) => Some(Location::Global(*global)),
                Place::Local(_) => None,
            }));
        });
        found
    }

    /// The locations that a loop reads, always the same ones, and neither writes nor has written by what it calls; none of such a kind of
    /// which it speaks under `old`.
    pub(super) fn only_read(stmt: &Stmt, effects: &[Effects]) -> BTreeSet<(Location, Kind)> {
        let (mut read, mut others, mut moving) = (BTreeSet::new(), BTreeSet::new(), stmt.assigned());
        for callee in callees_of(stmt).into_iter().filter(|_| !faults::planted("kernel/scalars/written-by-call")) {
            let theirs = &effects[callee.index()];
            others.extend(theirs.written_globals.iter().map(|&global| Kind::Global(global)));
            others.extend(theirs.writes.iter().map(|&selector| Kind::Read(selector)));
        }
        stmt.walk(&mut |inner| {
            others.extend(inner.targets().iter().filter_map(|target| match target {
                Place::Local(_) => None,
                Place::Field(_, field) => Some(Kind::Read(Selector::Field(*field))),
                Place::Index(array, _) => Some(Kind::Read(Selector::Cell(cell_sort(&array.ty)))),
                Place::Global(global) => Some(Kind::Global(*global)),
            }));
            for e in inner.exprs() {
                e.walk(&mut |part| match &part.kind {
                    // What is read of a variable that ranges over many is many locations.
                    ExprKind::Quant { var, .. } => moving.extend([*var]),
                    ExprKind::Old(of) => of.walk(&mut |part| others.extend(kind_of_read(part))),
                    _ => read.extend(Location::of(part).zip(kind_of_read(part))),
                });
            }
        });
        let is_fixed = |location: Location| location.variables().all(|id| !moving.contains(&id));
        read.retain(|(location, kind)| !others.contains(kind) && is_fixed(*location));
        read
    }

    /// Whether all that a loop does with the location it does by its name: with a field of any object through this variable, which it
    /// does not assign. And whether it shows the store to nobody else. What other cells it looks at is not asked here.
    pub(super) fn is_looked_at_alone(self, stmt: &Stmt) -> bool {
        let assigned = stmt.assigned();
        let mut alone = self.variables().all(|id| !assigned.contains(&id));
        let through = |base: &Expr, own: FieldId| match self {
            Location::Field(object, field) => own != field || variable(base) == Some(object),
            Location::Cell(..) | Location::Global(_) => true,
        };
        stmt.walk(&mut |inner| {
            let place = |target: &Place| !matches!(target, Place::Field(base, own) if !through(base, *own));
            let read = |part: &Expr| match &part.kind {
                ExprKind::Field(base, own) => !through(base, *own),
                ExprKind::Call(..) | ExprKind::Old(_) | ExprKind::Reach(..) => true,
                _ => false,
            };
            alone &= !matches!(inner.kind, StmtKind::Call { .. })
                && inner.targets().iter().all(place)
                && !inner.exprs().into_iter().any(|e| e.any(&read));
        });
        alone
    }

    /// A loop with a variable in its place.
    pub(super) fn replaced(self, stmt: Stmt, held: LocalId) -> Stmt {
        let mut block = Block { span: stmt.span, stmts: vec![stmt] };
        walk_stmts_mut(&mut block, &mut |stmt| {
            for target in stmt.targets_mut() {
                let is_it = match &*target {
                    Place::Field(base, own) => variable(base).is_some_and(|base| Location::Field(base, *own) == self),
                    Place::Global(global) => Location::Global(*global) == self,
                    Place::Index(array, index) => Location::cell(array, index) == Some(self),
                    Place::Local(_) => false,
                };
                if is_it {
                    *target = Place::Local(held);
                }
            }
            for e in stmt.exprs_mut() {
                e.walk_mut(&mut |e| {
                    if Location::of(e) == Some(self) {
                        e.kind = ExprKind::Local(held);
                    }
                });
            }
        });
        block.stmts.remove(0)
    }

    /// `h := l` and `l := h`, for a location of this type.
    pub(super) fn moves(self, held: LocalId, ty: &Type, locals: &[Local], span: Span) -> [Stmt; 2] {
        let of = |kind: ExprKind, ty: &Type| Expr { kind, ty: ty.clone(), span };
        let local = |id: LocalId| of(ExprKind::Local(id), &locals[id.index()].ty);
        let (read, place) = match self {
            Location::Field(object, field) => {
                (ExprKind::Field(Box::new(local(object)), field), Place::Field(local(object), field))
            }
            Location::Cell(array, index) => {
                let index = match index {
                    Index::At(number) => of(ExprKind::Int(number.into()), &Type::Int),
                    Index::In(index) => local(index),
                };
                let read = ExprKind::Index(Box::new(local(array)), Box::new(index.clone()));
                (read, Place::Index(local(array), index))
            }
            Location::Global(global) => (ExprKind::Global(global), Place::Global(global)),
        };
        let assign = |place: Place, value: Expr| Stmt { kind: StmtKind::Assign(place, Rhs::Expr(value)), span };
        [assign(Place::Local(held), of(read, ty)), assign(place, of(ExprKind::Local(held), ty))]
    }
}

/// What kind of location is read, where one is that may only be read.
fn kind_of_read(e: &Expr) -> Option<Kind> {
    match &e.kind {
        ExprKind::Field(_, field) => Some(Kind::Read(Selector::Field(*field))),
        ExprKind::Index(array, _) => Some(Kind::Read(Selector::Cell(cell_sort(&array.ty)))),
        ExprKind::Global(global) => Some(Kind::Global(*global)),
        _ => None,
    }
}

/// The variable that an expression is.
pub(super) fn variable(e: &Expr) -> Option<LocalId> {
    match e.kind {
        ExprKind::Local(id) => Some(id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::syntactic;

    /// That a call looks at it keeps it from being promoted for the sake of proofs; that one writes it, for soundness.
    #[test]
    fn a_global_that_a_call_may_write_is_not_only_read() {
        let only_read = |call: &str| {
            let text = format!(
                "global g: int; procedure tell(); procedure set() {{ g := 1; }} procedure get() returns (r: int) {{ r := g; }}
                 version 0 procedure p(n: int) {{ while (n > g) {{ {call} n := n - 1; }} }}
                 version 1 procedure p(n: int) {{ }}"
            );
            let unit = lang_l::load([("pair.l", text.as_str())]).expect("a legal program").unit;
            let body = unit.versions[0].procedures.last().and_then(|code| code.body.as_ref());
            let found = Location::only_read(&body.expect("it has a body").stmts[0], &syntactic(&unit, 0));
            found.len()
        };
        for (call, count) in [
            ("", 1),
            ("n := get();", 1),
            ("n := n - get();", 1),
            ("set();", 0),
            ("tell();", 0),
            ("g := n;", 0),
            ("assert old(g) == n;", 0),
        ] {
            assert_eq!(only_read(call), count, "{call}");
        }
    }
}
