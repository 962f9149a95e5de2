//! The part of a program that some procedures run.
//!
//! In: a program in two versions, and names. Out: a program with the procedures of these names and all that they may call.
//!
//! Invariant: a procedure of the part does what it does in the whole; places in the source stay what they are.

use kernel::effects::direct_callees;
use lang_l::hir::same::same_code;
use lang_l::hir::visit::walk_stmts_mut;
use lang_l::hir::{Block, Equiv, Expr, ExprKind, ProcId, Procedure, StmtKind, Unit, Version};
use std::collections::{BTreeMap, BTreeSet};

/// Names of procedures.
pub(crate) type Names = BTreeSet<String>;

/// The part that the procedures of these names run, in both versions.
pub(crate) fn part(unit: &Unit, roots: &Names) -> Unit {
    let kept: Vec<_> = unit.versions.iter().map(|version| reached(version, roots)).collect();
    Unit { equivs: Vec::new(), ..restricted(unit, &kept) }
}

/// The program with these procedures of each version alone, which call no others. Pairs of procedures that are there stay.
pub fn restricted(unit: &Unit, kept: &[BTreeSet<ProcId>]) -> Unit {
    let to = |kept: &BTreeSet<ProcId>| -> BTreeMap<ProcId, ProcId> {
        kept.iter().copied().zip((0u32..).map(ProcId)).collect()
    };
    let moves: Vec<_> = kept.iter().map(to).collect();
    let versions = unit.versions.iter().zip(kept).zip(&moves).map(|((version, kept), to)| {
        let procedures = kept.iter().map(|&id| moved(version.procedure(id), to)).collect();
        Version { label: version.label.clone(), procedures }
    });
    let equivs = unit.equivs.iter().filter_map(|equiv| {
        let (left, right) = (*moves.first()?.get(&equiv.left)?, *moves.get(1)?.get(&equiv.right)?);
        Some(Equiv { left, right, ..equiv.clone() })
    });
    Unit {
        classes: unit.classes.clone(),
        fields: unit.fields.clone(),
        globals: unit.globals.clone(),
        versions: versions.collect(),
        equivs: equivs.collect(),
    }
}

/// The procedures of these names, and all that they may call.
fn reached(version: &Version, roots: &Names) -> BTreeSet<ProcId> {
    reached_from(version, roots.iter().filter_map(|name| version.find(name)))
}

/// These procedures, and all that they may call.
pub(crate) fn reached_from(version: &Version, roots: impl IntoIterator<Item = ProcId>) -> BTreeSet<ProcId> {
    let mut work: Vec<ProcId> = roots.into_iter().collect();
    let mut found = BTreeSet::new();
    while let Some(next) = work.pop() {
        if found.insert(next) {
            work.extend(direct_callees(version.procedure(next)));
        }
    }
    found
}

/// The names of all procedures that one of this name may call, in either version, itself included only where it recurs.
pub(crate) fn callees(unit: &Unit, name: &str) -> Names {
    let of = |version: &Version| {
        let own = version.find(name).map(|id| direct_callees(version.procedure(id))).unwrap_or_default();
        let roots = own.iter().map(|&id| version.procedure(id).name.clone()).collect();
        reached(version, &roots).into_iter().map(|id| version.procedure(id).name.clone()).collect::<Vec<_>>()
    };
    unit.versions.iter().flat_map(of).collect()
}

/// Whether a procedure, with all that it may call, has no loop, no recursion, and no code that is not there.
pub(crate) fn is_straight(version: &Version, id: ProcId) -> bool {
    reached_from(version, [id]).into_iter().all(|one| {
        let procedure = version.procedure(one);
        let loops = |body: &Block| body.any(&|stmt| matches!(stmt.kind, StmtKind::While { .. }));
        let recurs = || reached_from(version, direct_callees(procedure)).contains(&one);
        procedure.body.as_ref().is_some_and(|body| !loops(body)) && !recurs()
    })
}

/// The same procedure, calling what its callees have become.
fn moved(procedure: &Procedure, to: &BTreeMap<ProcId, ProcId>) -> Procedure {
    let mut procedure = procedure.clone();
    if let Some(body) = &mut procedure.body {
        retarget(body, &|callee| to.get(&callee).copied().unwrap_or(callee));
    }
    procedure
}

/// Changes what is called.
fn retarget(body: &mut Block, to: &impl Fn(ProcId) -> ProcId) {
    let within = |expr: &mut Expr| {
        expr.walk_mut(&mut |part| {
            if let ExprKind::Call(callee, _) = &mut part.kind {
                *callee = to(*callee);
            }
        });
    };
    walk_stmts_mut(body, &mut |stmt| {
        if let StmtKind::Call { callee, .. } = &mut stmt.kind {
            *callee = to(*callee);
        }
        stmt.exprs_mut().into_iter().for_each(within);
    });
}

/// Whether the procedures of this name are the same code in both versions, calling procedures of the same names.
pub(crate) fn is_same_code(unit: &Unit, name: &str) -> bool {
    let [old, new] = [&unit.versions[0], &unit.versions[1]];
    let (Some(left), Some(right)) = (old.find(name), new.find(name)) else { return false };
    same_code(old.procedure(left), new.procedure(right), |p, q| old.procedure(p).name == new.procedure(q).name)
}

#[cfg(test)]
mod tests {
    use super::{Names, callees, is_same_code, part};

    #[test]
    fn a_part_has_what_it_runs_and_no_more() {
        let text = "procedure other() { } procedure top(n: int) returns (r: int) { r := mid(n) + 1; }
            procedure mid(n: int) returns (r: int) { low(); r := n; }
            version a procedure low() { } version b procedure aside() { } procedure low() { aside(); }";
        let unit = lang_l::load([("a.l", text)]).expect("it is legal").unit;
        let names = |unit: &lang_l::hir::Unit, version: usize| {
            unit.versions[version].procedures.iter().map(|p| p.name.clone()).collect::<Vec<_>>()
        };
        let small = part(&unit, &Names::from(["mid".to_string()]));
        assert_eq!([names(&small, 0), names(&small, 1)], [vec!["mid", "low"], vec!["mid", "aside", "low"]]);
        assert!(is_same_code(&small, "mid") && !is_same_code(&small, "low"));
        assert_eq!(callees(&unit, "top"), ["aside", "low", "mid"].map(String::from).into());
    }
}
