//! Equal from some stores by what is required there: loops know what their procedure requires, and nothing of a condition.
//!
//! In: a pair of one name that does not recur, and a condition. Out: whether the two are proved to be equal in the program in which
//! both require it, and in which there is nothing but them and what they run.
//!
//! Rule *Equal kind*: from a store with the condition each does what it does in the program as it is. Nobody calls the two, so what
//! they require is checked nowhere.
//!
//! Invariant: a proof is one that the kernel agrees to, at the full level, of a pair of which there is something to say.

use super::client::{part, prove};
use crate::goal::{Pair, Program};
use lang_l::Loaded;
use lang_l::hir::{Expr, ExprKind};
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
    let is_bound = |part: &Expr| match part.kind {
        ExprKind::Local(id) => id.index() >= left.params,
        ExprKind::Quant { .. } => true,
        _ => false,
    };
    if *name != right.name || !has_loops || sides.iter().any(|(own, _)| *own) || condition.any(&is_bound) {
        return false;
    }
    let roots = BTreeSet::from([name.clone()]);
    let mut small = part::part(unit, &roots);
    let mut names = BTreeSet::new();
    for procedure in small.versions.iter_mut().flat_map(|version| &mut version.procedures) {
        if procedure.name == *name {
            procedure.requires.push(condition.clone());
        } else {
            names.insert(procedure.name.clone());
        }
    }
    let found = prove::prove(&small, &BTreeSet::new(), [&names, &roots], solver);
    found.get(name).is_some_and(prove::Found::is_equal)
}
