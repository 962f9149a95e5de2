//! What is known of each procedure without looking at the other version.
//!
//! In: a lowered program. Out: an [`Analysis`]: the effects of every procedure, and which contracts hold.

mod conditions;
mod conserved;
mod helpers;
mod only_if;
mod settled;

pub mod loop_invariants;

pub mod inference;

pub mod ranking;

pub mod contracts;

use crate::lower::Lowered;
use contracts::ContractEvidence;
use inference::InferredEffects;
use kernel::alone::clauses::Clause;
use kernel::alone::measures::Ranking;
use kernel::effects::{self, Effects};
use kernel::rejection::Rejection;
use smt::solve::Solver;
use smt::stop;

/// What was found of the procedures of one version, each alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisEvidence {
    /// What each may modify, and when it can err.
    pub inferred: Vec<InferredEffects>,
    /// Why recursion ends, where it was shown to.
    pub rankings: Vec<Ranking>,
    /// Which contracts may be trusted, and which clauses were not proved.
    pub trusted: ContractEvidence,
}

/// What is known of each procedure without looking at the other version.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The effects of both versions.
    pub effects: [Vec<Effects>; 2],
    /// Their contracts.
    pub clauses: Vec<Clause>,
    /// How that was found.
    pub evidence: [AnalysisEvidence; 2],
}

/// Looks at both versions of a lowered program, each alone; at once when called on a thread of a pool.
pub fn analyse(lowered: &Lowered, solver: &mut Solver) -> Analysis {
    let of = |version: usize, mut solver: Solver| {
        // Perhaps on another thread, where nobody catches a stop.
        let found = solver.attempt(|solver| {
            let mut known = effects::syntactic(lowered.as_unit(), version);
            inference::infer(lowered, version, &mut known, solver);
            let inferred = inference::inferred(lowered, version, &known);
            let rankings = ranking::rank(lowered, version, &mut known, solver);
            if faults::planted("analysis/ranking/blocked") {
                known.iter_mut().for_each(|own| own.terminates |= !own.may_block && !own.callees.is_empty());
            }
            let (clauses, trusted) = contracts::check(lowered, version, &mut known, solver);
            (known, clauses, AnalysisEvidence { inferred, rankings, trusted })
        });
        (found, solver)
    };
    let (first, second) = (solver.fork(), solver.fork());
    // Elsewhere the caller chose the stack it needs; a pool of our own would have a small one.
    let on_pool = rayon::current_thread_index().is_some();
    let (left, right) =
        if on_pool { rayon::join(|| of(0, first), || of(1, second)) } else { (of(0, first), of(1, second)) };
    let ((left, first), (right, second)) = (left, right);
    // In the order of the versions, whichever was ready first.
    solver.absorb(first);
    solver.absorb(second);
    let [(left, mut clauses, evidence), (right, more, other_evidence)] =
        [left, right].map(|found| found.unwrap_or_else(|stopped| stop::resume(stopped)));
    clauses.extend(more);
    Analysis { effects: [left, right], clauses, evidence: [evidence, other_evidence] }
}

/// What evidence says of both versions of a lowered program, each alone. Nobody has checked it: that is for the kernel.
///
/// # Errors
/// When something of it cannot be said.
pub fn told(lowered: &Lowered, evidence: &[AnalysisEvidence; 2]) -> Result<[Vec<Effects>; 2], Rejection> {
    let mut effects: [Vec<Effects>; 2] = Default::default();
    for (version, AnalysisEvidence { inferred, rankings, trusted }) in evidence.iter().enumerate() {
        let mut known = effects::syntactic(lowered.as_unit(), version);
        inference::fill(lowered, version, &mut known, inferred)?;
        contracts::fill(lowered, version, &mut known, trusted);
        for id in rankings.iter().flat_map(|ranking| &ranking.component) {
            known[id.index()].terminates = true;
        }
        effects[version] = known;
    }
    Ok(effects)
}
