//! Loops and recursion as a whole: an array that is filled or added up upwards in one version and downwards in the other, or by
//! recursion; the greatest of its cells, looked for from either end.
//!
//! In: a pair of procedures that call loops or recur. Out: a proof path by path in which each of these is one step: the cells that it
//! writes, and its results as sums, or as what becomes of a value in steps.
//!
//! Rule *Sweep* (`proofs/soundness.md`): what all turns do together is read off one of them, and shown by the kernel.
//!
//! Invariant: `turn` only proposes; what the kernel does not show of a loop is not said of it.

mod steps;
mod turn;

use super::{Engine, paths};
use crate::budget::sweep::SHARE;
use crate::goal::{Goal, PairProof, Rule};
use crate::lower::is_loop;
use kernel::effects::direct_callees;
use kernel::exec::sweep::Sweep;
use kernel::pair::plan::InliningPlan;
use kernel::pair::{Both, PairEvidence};
use lang_l::hir::ProcId;
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};
use turn::Proposed;

/// Path by path, with such loops taken as a whole.
static SWEEP: Rule = Rule {
    name: "sweep",
    sentence: "proved path by path, with loops and recursion taken as a whole: what all their turns write and add up",
    argument: "Sweep",
    share: 1,
};

/// Rule *Sweep*.
pub(crate) struct Swept {
    /// Whether it is the turn of loops that go the same way in both versions, and whose results are more than sums. Before it is, they are
    /// left to be run in step, which tells a reader what corresponds.
    pub(crate) in_step: bool,
}

impl Engine for Swept {
    fn rule(&self) -> &'static Rule {
        &SWEEP
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Paths(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.is_defined() && goal.reached.is_none() && (0..2).any(|version| loops(goal, version).next().is_some())
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let program = goal.program.both();
        let proposed = [0, 1].map(|version| {
            let of = |id: ProcId| (id, turn::proposed(program, version, id));
            loops(goal, version).map(of).collect::<Vec<(ProcId, Proposed)>>()
        });
        if go_in_step(goal, &proposed) != self.in_step {
            return super::relational::nothing(goal, &SWEEP);
        }
        let sweeps = [0, 1].map(|version| shown(program, version, &proposed[version], solver));
        if sweeps.iter().all(BTreeMap::is_empty) {
            return super::relational::nothing(goal, &SWEEP);
        }
        paths::prove(goal, &SWEEP, &InliningPlan { sweeps, ..paths::in_place(goal) }, solver)
    }
}

/// What calls itself, of all that a procedure comes to: loops but itself, and recursion that promises nothing.
fn loops<'g>(goal: &'g Goal<'_>, version: usize) -> impl Iterator<Item = ProcId> + 'g {
    let callees = goal.effects(version).callees.iter().copied();
    callees.filter(move |&id| {
        let code = goal.program.unit.procedure(version, id);
        let promises = !code.ensures.is_empty() || code.modifies.is_some();
        let recurs = || direct_callees(code).contains(&id) && !promises;
        if is_loop(code) { id != goal.id(version) } else { recurs() }
    })
}

/// Whether both versions have loops whose results are more than sums, and all of them go the same way.
fn go_in_step(goal: &Goal<'_>, proposed: &[Vec<(ProcId, Proposed)>; 2]) -> bool {
    let ways = [0, 1].map(|version| {
        let folded = proposed[version].iter().filter(|(_, own)| own.has_folds());
        let way =
            |(id, own): &(ProcId, Proposed)| own.up.filter(|_| is_loop(goal.program.unit.procedure(version, *id)));
        folded.map(way).collect::<BTreeSet<Option<bool>>>()
    });
    ways[0] == ways[1] && ways[0].len() == 1 && !ways[0].contains(&None)
}

/// What the kernel shows of what is proposed.
fn shown(
    program: Both<'_>,
    version: usize,
    proposed: &[(ProcId, Proposed)],
    solver: &mut Solver,
) -> BTreeMap<ProcId, Sweep> {
    let mut agreed = |id: ProcId, own: Sweep| {
        solver.with_share(SHARE, |solver| kernel::pair::sweep::with_exact(program, version, id, own, solver))
    };
    let mut first =
        |(id, own): &(ProcId, Proposed)| Some((*id, own.sweeps.iter().cloned().find_map(|sweep| agreed(*id, sweep))?));
    proposed.iter().filter_map(&mut first).collect()
}
