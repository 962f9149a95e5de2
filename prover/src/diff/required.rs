//! Equal from some stores by what is required there: loops know what their procedure requires, and nothing of a condition.
//!
//! In: a pair of one name that does not recur, and a condition. Out: whether the two are proved to be equal in the program in which
//! both require it, and in which there is nothing but them and what they run. What speaks of many cells is also tried as an
//! invariant of their loops, which the kernel checks as any other.
//!
//! Rule *Equal kind*: from a store with the condition each does what it does in the program as it is. Nobody calls the two, so what
//! they require is checked nowhere.
//!
//! Invariant: a proof is one that the kernel agrees to, at the full level, of a pair of which there is something to say.

use super::client::{part, prove};
use crate::goal::{Pair, Program};
use lang_l::Loaded;
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Expr, ExprKind, LocalId, Procedure, StmtKind};
use smt::solve::Solver;
use std::collections::BTreeSet;

/// Whether the two are proved to be equal where the condition holds.
pub(super) fn equal(source: &Loaded, program: &Program<'_>, pair: Pair, condition: &Expr, solver: &mut Solver) -> bool {
    let unit = &source.unit;
    let (left, right) = (unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1));
    let name = &left.name;
    let recurs = |version: usize| {
        let id = [pair.0, pair.1][version];
        let effects = &program.effects[version];
        let callees = &effects[id.index()].callees;
        (callees.contains(&id), callees.iter().any(|callee| effects[callee.index()].recursive(*callee)))
    };
    let sides = [recurs(0), recurs(1)];
    let has_loops = sides.iter().any(|(_, below)| *below);
    let bound = last(left);
    let is_foreign = |part: &Expr| match part.kind {
        ExprKind::Local(id) | ExprKind::Quant { var: id, .. } => id.index() >= left.params && id != bound,
        _ => false,
    };
    if *name != right.name || !has_loops || sides.iter().any(|(own, _)| *own) || condition.any(&is_foreign) {
        return false;
    }
    let roots = BTreeSet::from([name.clone()]);
    let quantified = condition.any(&|part| matches!(part.kind, ExprKind::Quant { .. }));
    let ways = if quantified { &[false, true][..] } else { &[false] };
    ways.iter().any(|&in_loops| {
        let mut small = part::part(unit, &roots);
        let mut names = BTreeSet::new();
        for procedure in small.versions.iter_mut().flat_map(|version| &mut version.procedures) {
            if procedure.name == *name {
                require(procedure, condition, bound, in_loops);
            } else {
                names.insert(procedure.name.clone());
            }
        }
        let found = prove::prove(&small, &BTreeSet::new(), [&names, &roots], solver);
        found.get(name).is_some_and(prove::Found::is_equal)
    })
}

/// The variable of a procedure that conditions bind.
fn last(procedure: &Procedure) -> LocalId {
    LocalId(u32::try_from(procedure.locals.len()).unwrap_or(u32::MAX).saturating_sub(1))
}

/// Has a procedure require a condition, and its loops keep it if that is asked for: what they know of the heap is what they keep.
fn require(procedure: &mut Procedure, condition: &Expr, bound: LocalId, in_loops: bool) {
    let own = last(procedure);
    let mut condition = condition.clone();
    condition.walk_mut(&mut |part| match &mut part.kind {
        ExprKind::Local(id) | ExprKind::Quant { var: id, .. } if *id == bound => *id = own,
        _ => {}
    });
    if let Some(body) = procedure.body.as_mut().filter(|_| in_loops) {
        walk_stmts_mut(body, &mut |stmt| {
            if let StmtKind::While { invariants, .. } = &mut stmt.kind {
                invariants.push(condition.clone());
            }
        });
    }
    procedure.requires.push(condition);
}
