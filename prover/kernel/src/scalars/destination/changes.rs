//! What a procedure may change of what there was when it was called.
//!
//! In: a procedure. Out: the fields and the globals, those of all that it comes to call included.
//!
//! A variable that is assigned nothing but new objects holds none that there was.

use super::super::locations::variable;
use crate::effects::direct_callees;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{FieldId, GlobalId, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Version};
use std::collections::BTreeSet;

/// Fields of objects, and globals.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) fields: BTreeSet<FieldId>,
    pub(super) globals: BTreeSet<GlobalId>,
}

impl Changes {
    /// What a procedure may change; `None` where it calls one without a body.
    pub(super) fn of(version: &Version, id: ProcId) -> Option<Changes> {
        let mut found = Changes::default();
        let (mut reached, mut open) = (BTreeSet::from([id]), vec![id]);
        while let Some(next) = open.pop() {
            let own = version.procedure(next);
            let body = own.body.as_ref()?;
            open.extend(direct_callees(own).into_iter().filter(|callee| reached.insert(*callee)));
            walk_stmts(body, &mut |stmt| stmt.targets().iter().for_each(|target| found.target(target, own)));
        }
        Some(found)
    }

    fn target(&mut self, target: &Place, own: &Procedure) {
        match target {
            Place::Field(base, field) => {
                if !variable(base).is_some_and(|id| is_always_new(own, id)) {
                    self.fields.insert(*field);
                }
            }
            Place::Global(id) => {
                self.globals.insert(*id);
            }
            // No cell is looked at where this is asked.
            Place::Index(..) | Place::Local(_) => {}
        }
    }
}

/// Whether all that a variable is assigned are new objects, and nothing is handed to it.
fn is_always_new(own: &Procedure, id: LocalId) -> bool {
    let makes = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign(Place::Local(to), Rhs::New(_)) if *to == id);
    let assigns = |stmt: &Stmt| stmt.targets().contains(&Place::Local(id));
    let other = |stmt: &Stmt| assigns(stmt) && !makes(stmt);
    id.index() >= own.params && own.body.as_ref().is_some_and(|body| !body.any(&other))
}
