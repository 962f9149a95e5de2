//! Which calls of a client some run reaches.
//!
//! In: a client and one of its calls. Out: whether a run reaches it, where that is known.
//!
//! Two copies of the client are compared: at the call the one fails and the other goes on for ever. They are equivalent if, and only
//! if, no run comes there.
//!
//! Invariant: that no run reaches a call is proved, and that one does was seen.

use crate::search::concrete;
use crate::search::witness::RunPair;
use crate::verify::boundaries::part::{Names, part};
use crate::verify::boundaries::prove::{Found, prove};
use crate::verify::boundaries::sites::Site;
use kernel::outline::range::block_mut;
use lang_l::hir::{Block, Expr, ExprKind, ProcId, Stmt, StmtKind, Type, Unit};
use smt::solve::Solver;

/// Whether some run of the client reaches the call, in either version; `None` where it is not known.
pub(super) fn reached(unit: &Unit, client: &str, site: &Site, solver: &mut Solver) -> Option<bool> {
    let old = reached_in(unit, 0, client, site, solver);
    if old == Some(true) {
        return old;
    }
    let new = reached_in(unit, 1, client, site, solver);
    if new == Some(true) { new } else { old.and(new) }
}

fn reached_in(unit: &Unit, version: usize, client: &str, site: &Site, solver: &mut Solver) -> Option<bool> {
    let mut unit = Unit { versions: vec![unit.versions[version].clone(); 2], ..unit.clone() };
    let id = unit.versions[0].find(client)?;
    for version in 0..2 {
        let body = unit.versions[version].procedures[id.index()].body.as_mut()?;
        let here = block_mut(body, &site.way);
        here.stmts.insert(site.at, mark(version, site));
    }
    let roots = Names::from([client.to_string()]);
    let small = part(&unit, &roots);
    let both = small.versions[0].find(client)?;
    if seen(&small, both) {
        return Some(true).filter(|_| !site.lazy);
    }
    let found = prove(&small, &Names::new(), [&Names::new(), &Names::new()], solver);
    found.get(client).is_some_and(Found::is_equal).then_some(false)
}

fn seen(unit: &Unit, id: ProcId) -> bool {
    let run = RunPair { unit, left: id, right: id, when: None };
    concrete::differs(&run, concrete::SearchBudget::QUICK)
}

/// What happens at the call: a failure in the first copy, no end in the second.
fn mark(version: usize, site: &Site) -> Stmt {
    let span = site.span;
    let truth = |value: bool| Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span };
    let body = Block { stmts: Vec::new(), span };
    let kind = match version {
        0 => StmtKind::Assert(truth(false)),
        _ => StmtKind::While { cond: truth(true), invariants: Vec::new(), body },
    };
    Stmt { kind, span }
}
