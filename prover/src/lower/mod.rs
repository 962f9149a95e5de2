//! Lowering: loops become procedures, calls become statements of their own.
//!
//! In: a checked program. Out: the same program without `while`, `break` and `continue`, in which a call is a statement
//! whose results go to locals, and every other expression is free of calls.
//!
//! A loop of `p` becomes a procedure `p@loopN` (N counts in source order) that takes the variables the loop uses and
//! that matter at its head, in the order of their first occurrence, runs one iteration and calls itself; it returns those
//! it assigns that matter afterwards, or of which an invariant in either version speaks. A
//! `return` within the loop is told to the caller by one more result. Source: the paper, section 3.1 ("we assume loops have
//! been encoded as recursive procedures").
//!
//! Where one version recurs and the other has a loop, the recursion gets a procedure `p@self` of its own ([`worker`]).
//! Where one version has more loops, a loop of the other with several results becomes several ([`fission`]).
//! A cell that is made for a recursive helper alone, which the other version lacks, becomes a parameter and a result ([`cells`]).
//! What neither version is asked about for its own sake, loops and helpers that the other version lacks, then loses the
//! parameters and results that do not matter ([`interface`]); the others stand in one order ([`order`]).
//!
//! Invariant: the order in which anything can err, call or allocate is that of the source.

mod calls;
mod cells;
mod fission;
mod interface;
mod live;
mod loops;
mod needed;
mod order;
mod tails;
mod values;
pub mod visit;
mod worker;

use lang_l::hir::{Local, LocalId, ProcId, Procedure, Type, Unit};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// Lowers every version.
pub fn lower(unit: &Unit) -> Unit {
    let spoken_of = loops::spoken_of(unit);
    let mut lowered = unit.clone();
    let mut internals: Vec<BTreeSet<ProcId>> = Vec::new();
    for (at, version) in lowered.versions.iter_mut().enumerate() {
        let originals = version.procedures.len();
        for own in 0..originals {
            let mut procedure = version.procedures[own].clone();
            calls::hoist(&mut procedure);
            let kept = spoken_of.get(&procedure.name).cloned().unwrap_or_default();
            let mut made = loops::extract(&mut procedure, version.procedures.len(), &kept);
            version.procedures[own] = procedure;
            version.procedures.append(&mut made);
        }
        for own in (0u32..).take(originals).map(ProcId) {
            let next = ProcId(u32::try_from(version.procedures.len()).unwrap_or(u32::MAX));
            let procedure = &mut version.procedures[own.index()];
            if worker::fits(procedure, own) && loops_elsewhere(unit, at, own) {
                let made = worker::split(procedure, own, next);
                version.procedures.push(made);
            }
        }
        for own in (0u32..).take(originals).map(ProcId) {
            if more_loops_elsewhere(unit, at, own) {
                fission::split(&mut version.procedures, own);
            }
        }
        let internal: BTreeSet<ProcId> =
            (0u32..).take(version.procedures.len()).map(ProcId).filter(|&id| !asked_about(unit, at, id)).collect();
        cells::dissolve(unit, &mut version.procedures, &internal, &spoken_of);
        interface::slim(&mut version.procedures, &internal, &spoken_of);
        internals.push(internal);
    }
    if let ([left, right], [mine, theirs]) = (&mut lowered.versions[..], &internals[..]) {
        order::order(&mut left.procedures, mine, &[]);
        order::order(&mut right.procedures, theirs, &left.procedures);
    }
    lowered
}

/// Whether another version has, instead of a procedure that calls itself, one of the same name that has a loop.
fn loops_elsewhere(unit: &Unit, version: usize, id: ProcId) -> bool {
    let own = &unit.versions[version].procedures[id.index()];
    (0..unit.versions.len()).filter(|&other| other != version).any(|other| {
        let Some(theirs) = unit.versions[other].find(&own.name) else { return false };
        let mut procedure = unit.versions[other].procedure(theirs).clone();
        calls::hoist(&mut procedure);
        !worker::calls_itself(&procedure, theirs) && procedure.body.as_ref().is_some_and(tails::has_loop)
    })
}

/// Whether another version has a procedure of the same name with more loops.
fn more_loops_elsewhere(unit: &Unit, version: usize, id: ProcId) -> bool {
    let loops = |procedure: &Procedure| procedure.body.as_ref().map_or(0, tails::loops);
    let own = &unit.versions[version].procedures[id.index()];
    (0..unit.versions.len()).filter(|&other| other != version).any(|other| {
        let theirs = unit.versions[other].find(&own.name);
        loops(own) > 0 && theirs.is_some_and(|theirs| loops(unit.versions[other].procedure(theirs)) > loops(own))
    })
}

/// Whether a procedure of the source may be compared for its own sake, or is known by its declaration alone. Loops have ids
/// beyond those of the source.
fn asked_about(unit: &Unit, version: usize, id: ProcId) -> bool {
    let Some(own) = unit.versions[version].procedures.get(id.index()) else { return false };
    let asked = |other: usize| {
        let of_that_name = unit.versions[other].find(&own.name);
        other != version
            && of_that_name.is_some_and(|theirs| same_signature(own, unit.versions[other].procedure(theirs)))
    };
    let named = unit.equivs.iter().any(|equiv| [equiv.left, equiv.right].get(version) == Some(&id));
    own.body.is_none() || named || unit.versions.len() < 2 || (0..unit.versions.len()).any(asked)
}

/// Whether two procedures can be called alike.
pub fn same_signature(a: &Procedure, b: &Procedure) -> bool {
    let types = |p: &Procedure| -> Vec<Type> {
        p.locals.iter().take(p.params + p.results).map(|local| local.ty.clone()).collect()
    };
    (a.params, a.results) == (b.params, b.results) && types(a) == types(b) && a.body.is_some() == b.body.is_some()
}

/// Whether this procedure was a loop, or recursion in place of one, by its name; source names hold no `@`.
pub fn is_loop(procedure: &Procedure) -> bool {
    procedure.name.contains('@')
}

/// A new variable of the procedure.
fn fresh_local(procedure: &mut Procedure, name: String, ty: Type, span: Span) -> LocalId {
    let id = LocalId(u32::try_from(procedure.locals.len()).unwrap_or(u32::MAX));
    procedure.locals.push(Local { name, ty, span });
    id
}
