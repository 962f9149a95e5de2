//! Locations of the store that a loop may keep in a variable while it runs: a field of what one variable refers to, or a global.
//!
//! In: a loop. Out: the locations that it writes, or a location as it is looked at, and the loop with a variable in its place.
//!
//! Rule *Promotion* (`proofs/soundness.md`).

use crate::effects::{Effects, callees_of};
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, GlobalId, Local, LocalId, Place, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// A location of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Location {
    /// A field of what a variable refers to.
    Field(LocalId, FieldId),
    /// A global.
    Global(GlobalId),
}

/// What kind of location, in whatever procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// This field of whatever object.
    Field(FieldId),
    /// This global.
    Global(GlobalId),
}

impl Location {
    /// What kind it is.
    pub(super) fn kind(self) -> Kind {
        match self {
            Location::Field(_, field) => Kind::Field(field),
            Location::Global(global) => Kind::Global(global),
        }
    }

    /// The variable through which it is looked at, if there is one.
    pub(super) fn object(self) -> Option<LocalId> {
        match self {
            Location::Field(object, _) => Some(object),
            Location::Global(_) => None,
        }
    }

    /// Those that a loop writes.
    pub(super) fn written(stmt: &Stmt) -> BTreeSet<Location> {
        let mut found = BTreeSet::new();
        stmt.walk(&mut |inner| {
            found.extend(inner.targets().iter().filter_map(|target| match target {
                Place::Field(object, field) => Some(Location::Field(variable(object)?, *field)),
                Place::Global(global) => Some(Location::Global(*global)),
                _ => None,
            }));
        });
        found
    }

    /// The globals that a loop reads and neither writes nor has written by what it calls; none of which it speaks under `old`.
    pub(super) fn only_read(stmt: &Stmt, effects: &[Effects]) -> BTreeSet<GlobalId> {
        let (mut read, mut others) = (BTreeSet::new(), BTreeSet::new());
        for callee in callees_of(stmt).into_iter().filter(|_| !faults::planted("kernel/scalars/written-by-call")) {
            others.extend(&effects[callee.index()].written_globals);
        }
        stmt.walk(&mut |inner| {
            others.extend(inner.targets().iter().filter_map(|target| match target {
                Place::Global(global) => Some(*global),
                _ => None,
            }));
            for e in inner.exprs() {
                globals(e, &mut read);
                e.walk(&mut |part| {
                    if let ExprKind::Old(of) = &part.kind {
                        globals(of, &mut others);
                    }
                });
            }
        });
        read.difference(&others).copied().collect()
    }

    /// Whether all that a loop does with the location it does by its name: with a field of any object through this variable, which it
    /// does not assign. And whether it shows the store to nobody else.
    pub(super) fn is_looked_at_alone(self, stmt: &Stmt) -> bool {
        let mut alone = self.object().is_none_or(|object| !stmt.assigned().contains(&object));
        let through = |base: &Expr, own: FieldId| match self {
            Location::Field(object, field) => own != field || variable(base) == Some(object),
            Location::Global(_) => true,
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
        let is_field =
            |base: &Expr, own: FieldId| variable(base).is_some_and(|base| Location::Field(base, own) == self);
        walk_stmts_mut(&mut block, &mut |stmt| {
            for target in stmt.targets_mut() {
                let is_it = match &*target {
                    Place::Field(base, own) => is_field(base, *own),
                    Place::Global(global) => Location::Global(*global) == self,
                    Place::Local(_) | Place::Index(..) => false,
                };
                if is_it {
                    *target = Place::Local(held);
                }
            }
            for e in stmt.exprs_mut() {
                e.walk_mut(&mut |e| {
                    let is_it = match &e.kind {
                        ExprKind::Field(base, own) => is_field(base, *own),
                        ExprKind::Global(global) => Location::Global(*global) == self,
                        _ => false,
                    };
                    if is_it {
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
        let (read, place) = match self {
            Location::Field(object, field) => {
                let object = of(ExprKind::Local(object), &locals[object.index()].ty);
                (ExprKind::Field(Box::new(object.clone()), field), Place::Field(object, field))
            }
            Location::Global(global) => (ExprKind::Global(global), Place::Global(global)),
        };
        let assign = |place: Place, value: Expr| Stmt { kind: StmtKind::Assign(place, Rhs::Expr(value)), span };
        [assign(Place::Local(held), of(read, ty)), assign(place, of(ExprKind::Local(held), ty))]
    }
}

/// Adds the globals that an expression reads.
fn globals(e: &Expr, found: &mut BTreeSet<GlobalId>) {
    e.walk(&mut |part| {
        if let ExprKind::Global(global) = part.kind {
            found.insert(global);
        }
    });
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
