//! Contracts of one version: checked, and only then trusted.
//!
//! In: a lowered program and its effects. Out: a [`Clause`] with a status for each `requires` (at its calls), `ensures`,
//! `modifies`, invariant and `assert`; and effects that say which contracts callers may rely on.
//!
//! Rule *Contracts*: all contracts of a version are assumed of its calls and checked for its bodies, by induction over call
//! depth. What fails is withdrawn, and what was checked with its help is checked again.

use crate::chc::houdini::{self, Look};
use crate::lower::{Lowered, is_loop};
use kernel::alone::clauses::{Clause, ClauseKey, ClauseKind, Status, check_procedure, too_large};
use kernel::effects::Effects;
use lang_l::hir::{ProcId, Procedure};
use smt::solve::{Solver, Task};
use std::collections::BTreeSet;

/// What became of the contracts of one version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContractEvidence {
    /// The procedures whose `ensures` may be assumed after a call.
    pub ensures: BTreeSet<ProcId>,
    /// The procedures of which it is known what they may modify.
    pub modifies: BTreeSet<ProcId>,
    /// The clauses that were not proved, those of loops that the lowering made up included.
    pub unproved: BTreeSet<ClauseKey>,
}

/// Checks all contracts of one version; withdraws from `effects` what could not be proved.
pub fn check(
    unit: &Lowered,
    version: usize,
    effects: &mut [Effects],
    solver: &mut Solver,
) -> (Vec<Clause>, ContractEvidence) {
    let procedures = &unit.versions()[version].procedures;
    for (own, code) in effects.iter_mut().zip(procedures) {
        own.trust_ensures = !code.ensures.is_empty();
        // What was inferred is at least as good as what is declared, if it was inferred at all.
        if own.modifies.is_none() {
            own.modifies = code.modifies.as_ref().map(|modifies| modifies.places.clone());
        }
        if faults::planted("analysis/contracts/modifies-place-dropped")
            && let Some(places) = &mut own.modifies
        {
            places.retain(|place| matches!(place.kind, lang_l::hir::ExprKind::Local(_)));
        }
    }
    let bodies: Vec<(ProcId, &Procedure)> =
        (0u32..).map(ProcId).zip(procedures).filter(|(_, code)| code.body.is_some()).collect();
    let mut clauses = vec![Vec::new(); bodies.len()];
    houdini::all_hold(bodies.len(), usize::MAX, |at| {
        let (id, code) = bodies[at];
        let task = Task::Alone { version, procedure: id };
        let found = solver.unless_too_large(|solver| {
            solver.at(task, |solver| check_procedure(unit.as_unit(), version, effects, solver, id, &BTreeSet::new()))
        });
        let found = found.unwrap_or_else(|| too_large(unit.as_unit(), version, effects, solver, id));
        let mut found = found;
        for clause in found.iter_mut().filter(|clause| {
            faults::planted("analysis/contracts/requires-unchecked") && clause.kind == ClauseKind::Requires
        }) {
            clause.status = Status::Holds;
        }
        let failed = |kind| failed(&found, kind);
        let own = &mut effects[id.index()];
        let ensures = failed(ClauseKind::Ensures) && own.trust_ensures;
        let modifies = failed(ClauseKind::Modifies) && own.modifies.is_some() && own.modifies == declared(code);
        if ensures && !faults::planted("analysis/contracts/ensures-kept") {
            own.trust_ensures = false;
        }
        if modifies && !faults::planted("analysis/contracts/modifies-kept") {
            own.modifies = None;
        }
        clauses[at] = found;
        Look::weakened(ensures || modifies)
    });
    let clauses: Vec<Clause> = clauses.into_iter().flatten().collect();
    let trusted = trusted(effects, &clauses);
    (written(procedures, clauses), trusted)
}

/// Says of the contracts of one version which may be trusted, as was found before. Nobody has checked it.
pub fn fill(unit: &Lowered, version: usize, effects: &mut [Effects], found: &ContractEvidence) {
    let procedures = &unit.versions()[version].procedures;
    for ((own, code), id) in effects.iter_mut().zip(procedures).zip((0u32..).map(ProcId)) {
        // The contract of an external is its definition; nobody has to prove it.
        let external = code.body.is_none();
        own.trust_ensures = !code.ensures.is_empty() && (external || found.ensures.contains(&id));
        let modifies = own.modifies.take().or_else(|| declared(code));
        own.modifies = modifies.filter(|_| external || found.modifies.contains(&id));
    }
}

fn failed(clauses: &[Clause], kind: ClauseKind) -> bool {
    clauses.iter().any(|clause| clause.kind == kind && clause.status != Status::Holds)
}

/// The clauses that somebody wrote: what a loop's procedure ensures is the lowering's idea.
fn written(procedures: &[Procedure], mut clauses: Vec<Clause>) -> Vec<Clause> {
    clauses.retain(|c| c.kind != ClauseKind::Ensures || !is_loop(&procedures[c.procedure.index()]));
    clauses
}

fn trusted(effects: &[Effects], clauses: &[Clause]) -> ContractEvidence {
    let those = |holds: &dyn Fn(&Effects) -> bool| {
        (0u32..).map(ProcId).zip(effects).filter(|(_, own)| holds(own)).map(|(id, _)| id).collect()
    };
    let unproved = clauses.iter().filter(|clause| clause.status != Status::Holds);
    ContractEvidence {
        ensures: those(&|own| own.trust_ensures),
        modifies: those(&|own| own.modifies.is_some()),
        unproved: unproved.map(|clause| (clause.within, clause.procedure, clause.kind, clause.span.start)).collect(),
    }
}

fn declared(code: &Procedure) -> Option<Vec<lang_l::hir::Expr>> {
    code.modifies.as_ref().map(|modifies| modifies.places.clone())
}
