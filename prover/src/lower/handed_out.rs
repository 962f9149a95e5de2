//! Which references the loops of a version hand out to what follows them.
//!
//! In: the source. Out: for each loop the names of those that it assigns and that matter after it, and how many it returns.
//!
//! A reference that one version's loop hands out needs a partner. Where the other version returns from within its loop, nothing that
//! follows reads one: there the variable of the same name is handed out all the same.

use super::liveness::{Exits, Live, after_each, at_head};
use lang_l::hir::{Block, ExprKind, LocalId, Procedure, StmtKind, Unit};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// By version and procedure of the source: its loops, in the order of the source.
pub(super) type HandedOut = Vec<HashMap<String, Vec<References>>>;

/// The references that a loop hands out.
pub(super) struct References {
    /// The names of the variables.
    named: BTreeSet<String>,
    /// How many more there are since it returns.
    returned: usize,
}

impl References {
    fn count(&self) -> usize {
        self.named.len() + self.returned
    }
}

/// What the loops of each version hand out.
pub(super) fn handed_out(unit: &Unit) -> HandedOut {
    let of = |code: &Procedure| (code.name.clone(), Loops::of(code));
    unit.versions.iter().map(|version| version.procedures.iter().map(of).collect()).collect()
}

/// The names that the loop of this number, from 1, hands out in another version, if it hands out fewer itself.
pub(super) fn elsewhere(handed: &HandedOut, version: usize, name: &str, number: usize) -> BTreeSet<String> {
    let of = |version: usize| handed[version].get(name)?.get(number.checked_sub(1)?);
    let Some(own) = of(version) else { return BTreeSet::new() };
    let others = (0..handed.len()).filter_map(of).filter(|other| other.count() > own.count());
    others.flat_map(|other| &other.named).cloned().collect()
}

/// The loops of one procedure that were seen so far.
struct Loops<'a> {
    code: &'a Procedure,
    found: Vec<References>,
}

impl Loops<'_> {
    fn of(code: &Procedure) -> Vec<References> {
        let mut loops = Loops { code, found: Vec::new() };
        let exits = Exits::of(code);
        if let Some(body) = &code.body {
            loops.block(body, &exits.returned, &exits);
        }
        loops.found
    }

    fn block(&mut self, block: &Block, after: &Live, exits: &Exits) {
        for (stmt, after) in block.stmts.iter().zip(&after_each(block, after, exits)) {
            match &stmt.kind {
                StmtKind::While { cond, invariants, body } => {
                    let head = at_head(cond, invariants, body, after, exits);
                    // Nothing follows a loop that only a `return` leaves.
                    let is_left = !matches!(cond.kind, ExprKind::Bool(true)) || breaks(body);
                    let code = self.code;
                    let is_reference = |id: &LocalId| code.local(*id).ty.is_reference();
                    let given = after.iter().filter(|id| is_left && is_reference(id) && body.assigns(**id));
                    let named = given.map(|id| code.local(*id).name.clone()).collect();
                    let returns = body.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_)));
                    let returned = if returns { code.result_ids().filter(is_reference).count() } else { 0 };
                    self.found.push(References { named, returned });
                    self.block(body, &head, &exits.within(&head, after));
                }
                StmtKind::If(_, then, els) => {
                    self.block(then, after, exits);
                    self.block(els, after, exits);
                }
                _ => {}
            }
        }
    }
}

/// Whether a loop with this body has a `break` of its own.
fn breaks(body: &Block) -> bool {
    body.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If(_, then, els) => breaks(then) || breaks(els),
        _ => false,
    })
}
