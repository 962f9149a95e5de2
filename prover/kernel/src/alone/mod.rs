//! What is said of each procedure alone, checked: footprints, errors, ends, and contracts.
//!
//! In: a version, and the [`Effects`] of all its procedures. Out: that all of it is so, with the [`Clause`]s of its contracts;
//! or what is not.
//!
//! Rule *Infer* (`proofs/soundness.md`): everything that is said is assumed of calls and checked for bodies, by induction
//! over call depth. It stands or falls together.
//!
//! Invariant: a fact that cannot be said in terms is refused.

pub mod clauses;
mod facts;
pub mod measures;

pub use facts::unchanged_or_allowed;

use crate::effects::{Effects, Returned, syntactic};
use crate::rejection::{Rejection, reject};
use clauses::{Clause, ClauseKey, ClauseKind, Status};
use lang_l::hir::{ProcId, Unit};
use measures::Ranking;
use smt::solve::{Solver, Task};
use std::collections::BTreeSet;

/// What is said of the procedures of one version.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    /// The program, without loops.
    pub unit: &'a Unit,
    /// The version.
    pub version: usize,
    /// What is said of each procedure.
    pub effects: &'a [Effects],
    /// Why recursion ends that is said to, callees first.
    pub rankings: &'a [Ranking],
    /// The clauses of its contracts of which it is not said that they hold.
    pub unclaimed: &'a BTreeSet<ClauseKey>,
}

/// Checks all that is said of a version; the clauses of its contracts, proved or not.
///
/// # Errors
/// What is not so.
pub fn check(said: Said<'_>, solver: &mut Solver) -> Result<Vec<Clause>, Rejection> {
    bounds(said)?;
    ends(said, solver)?;
    let mut all = Vec::new();
    let procedures = &said.unit.versions[said.version].procedures;
    for (id, _) in (0u32..).map(ProcId).zip(procedures).filter(|(_, code)| code.body.is_some()) {
        let task = Task::Alone { version: said.version, procedure: id };
        let clauses = solver.at(task, |solver| {
            facts::check(said, id, solver)?;
            Ok(clauses::check_procedure(said.unit, said.version, said.effects, solver, id, said.unclaimed))
        })?;
        trusted(said, id, &clauses)?;
        all.extend(clauses);
    }
    Ok(all)
}

/// What is read off the text is what the text says.
fn bounds(said: Said<'_>) -> Result<(), Rejection> {
    let read = syntactic(said.unit, said.version);
    if read.len() != said.effects.len() {
        return reject("something is said of procedures that there are not");
    }
    for ((own, read), code) in said.effects.iter().zip(&read).zip(&said.unit.versions[said.version].procedures) {
        let same = (&own.writes, &own.accesses, &own.globals, &own.written_globals, &own.callees)
            == (&read.writes, &read.accesses, &read.globals, &read.written_globals, &read.callees)
            && (own.may_block, own.non_local, own.speaks_of_entry)
                == (read.may_block, read.non_local, read.speaks_of_entry);
        if !(same || faults::planted("kernel/alone/footprint")) || own.returned != Returned::default() {
            return reject(format!("the footprint of {} is not what its text says", code.name));
        }
        // How one comes to a place that is named has to be the same in both versions.
        let seen = own.modifies.iter().flatten().all(|place| own.looks_at(said.unit, place));
        if !seen && !faults::planted("kernel/pair/named-unseen") {
            return reject(format!("{} is said to modify what it does not look at", code.name));
        }
        // What an external does is what its contract says.
        let unchecked = own.errs_only_if_null.is_some() || !own.errs_if_null.is_empty() || own.terminates;
        let told = own.modifies != read.modifies
            || !own.entry.is_empty()
            || !own.exit.is_empty()
            || !own.changes_only_if.is_empty();
        if code.body.is_none() && (unchecked || told) && !faults::planted("kernel/alone/external-contract") {
            return reject(format!("more is said of {} than its contract does", code.name));
        }
    }
    Ok(())
}

/// Every procedure that is said to end does.
fn ends(said: Said<'_>, solver: &mut Solver) -> Result<(), Rejection> {
    let mut known: Vec<Effects> = said.effects.to_vec();
    for (own, read) in known.iter_mut().zip(syntactic(said.unit, said.version)) {
        own.terminates = read.terminates;
    }
    measures::check(said.unit, said.version, &mut known, solver, said.rankings)?;
    let shown = known.iter().zip(said.effects).all(|(known, own)| known.terminates || !own.terminates);
    if shown { Ok(()) } else { reject("a procedure is said to end without a reason") }
}

/// The contracts of a procedure on which its callers rely are proved.
fn trusted(said: Said<'_>, id: ProcId, clauses: &[Clause]) -> Result<(), Rejection> {
    let code = said.unit.procedure(said.version, id);
    let own = &said.effects[id.index()];
    let fails = |kind| {
        clauses.iter().any(|clause| clause.procedure == id && clause.kind == kind && clause.status != Status::Holds)
    };
    let declared = code.modifies.as_ref().map(|modifies| &modifies.places);
    let relies = own.modifies.is_some() && own.modifies.as_ref() == declared;
    if (own.trust_ensures && fails(ClauseKind::Ensures) && !faults::planted("kernel/alone/ensures"))
        || (relies && fails(ClauseKind::Modifies))
    {
        return reject(format!("a contract of {} is relied upon that is not proved", code.name));
    }
    Ok(())
}
