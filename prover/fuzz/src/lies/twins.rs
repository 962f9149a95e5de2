//! Evidence about twins: summaries that are true of two versions of one text.
//!
//! In: what is found of a program whose versions do the same. Out: evidence by summaries, for liars to tamper with.

use super::guess::both;
use kernel::bounds::pair::MAX_INLINE_DEPTH;
use kernel::pair::plan::InliningPlan;
use kernel::pair::summaries::{Formula, Polynomial, SummariesEvidence, Summary, globals_of, sorts};
use kernel::pair::{Goal, Pair, PairEvidence};
use kernel::relate::Claims;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use prover::findings::Findings;
use smt::term::Sort;
use std::collections::BTreeSet;

/// Two versions of one text, as summaries have them: calls that get the same give the same back. `None` where that cannot be said.
pub(super) fn of_twins(findings: &Findings, pair: Pair) -> Option<PairEvidence> {
    let program = both(findings);
    let callees = &program.effects[0][pair.0.index()].callees;
    let [mine, theirs] = [0, 1].map(|version| &findings.lowered.versions[version].procedures);
    let is_twin = |id: &ProcId| {
        let [a, b] = [mine, theirs].map(|own| own.get(id.index()).map(|code| (&code.name, code.params, code.results)));
        a.is_some() && a == b
    };
    if !callees.iter().chain([&pair.0]).all(is_twin) {
        return None;
    }
    let recursive = |id: &ProcId| program.effects[0][id.index()].recursive(*id);
    let goal = Goal { program, pair, when: None, claims: &Claims::new() };
    let globals = globals_of(&goal);
    let mut summaries = Vec::new();
    for &id in callees.iter().filter(|id| recursive(id)) {
        let told = Summary::of_calls([Some(id), Some(id)], Vec::new(), Vec::new());
        let both = sorts(&goal, &globals, &told.of);
        let inputs = globals.len() + program.unit.procedure(0, id).params;
        let outputs = globals.len() + program.unit.procedure(0, id).results;
        let same = |first: usize, count: usize| -> Vec<Formula> {
            let pairs = (first..first + count).map(|at| (at, at + count));
            pairs.map(|(mine, theirs)| equal(mine, theirs, &both[1])).collect()
        };
        summaries.push(Summary { before: same(0, inputs), after: same(2 * inputs, outputs), ..told });
    }
    let inline: BTreeSet<ProcId> = callees.iter().copied().filter(|id| !recursive(id)).collect();
    let plan = InliningPlan::of([inline.clone(), inline], [MAX_INLINE_DEPTH; 2]);
    let is_pure = program.effects[0][pair.0.index()].writes.is_empty();
    let found = is_pure && !summaries.is_empty();
    found.then_some(PairEvidence::Summaries(SummariesEvidence { plan, summaries, exact: BTreeSet::new() }))
}

fn equal(mine: usize, theirs: usize, sorts: &[Sort]) -> Formula {
    match sorts.get(mine) {
        Some(Sort::Ref) => Formula::Same(mine, theirs),
        _ => {
            let parts = vec![(BigInt::from(1), vec![mine]), (BigInt::from(-1), vec![theirs])];
            Formula::Zero(Polynomial { parts })
        }
    }
}
