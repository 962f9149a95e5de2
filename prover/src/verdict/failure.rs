//! What a breakdown of the solver costs.
//!
//! In: a verdict, and the solver's failures. Out: the verdict that is left.
//!
//! Invariant: only proofs are lost, and only those of the pair over which the solver broke down; what was seen in a run stays.

use crate::goal::{Pair, Program, task};
use crate::verdict::{Reason, Verdict};
use lang_l::hir::{Expr, ProcId};
use smt::solve::{Solver, SolverFailure, Task};

/// The verdict on a pair in the light of what became of the solver; says so where that is why the pair is unknown.
pub fn account(
    verdict: Verdict,
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    solver: &Solver,
) -> Verdict {
    let own = solver.failures().get(&task(pair, when));
    let procedure = |version: usize, id: ProcId| program.unit.procedure(version, id);
    match (verdict, own) {
        (verdict @ (Verdict::NotEquivalent(_) | Verdict::ContractViolation(_)), _) => verdict,
        (_, Some(SolverFailure(cause))) => Verdict::Unknown(Reason {
            what: cause.clone(),
            places: [vec![procedure(0, pair.0).name_span], vec![procedure(1, pair.1).name_span]],
            hint: "run it again, with more `--memory` if that is what it lacked; other pairs are not concerned".into(),
        }),
        (Verdict::Unknown(reason), None) => {
            let below = solver.failures().iter().find(|(task, _)| rests_on(program, pair, **task));
            let what = match below {
                Some((task, SolverFailure(cause))) => format!("{}; {cause} over {}", reason.what, name(program, *task)),
                None => reason.what,
            };
            Verdict::Unknown(Reason { what, ..reason })
        }
        (verdict, None) => verdict,
    }
}

/// Whether a proof of the pair could have used what a task was to find out.
fn rests_on(program: &Program<'_>, pair: Pair, task: Task) -> bool {
    let runs = |version: usize, callee: ProcId| {
        let own = [pair.0, pair.1][version];
        own == callee || program.effects[version][own.index()].callees.contains(&callee)
    };
    match task {
        Task::Alone { version, procedure } => runs(version, procedure),
        Task::Pair { left, right, .. } => runs(0, left) && runs(1, right),
    }
}

fn name(program: &Program<'_>, task: Task) -> String {
    let name = |version: usize, id: ProcId| &program.unit.procedure(version, id).name;
    match task {
        Task::Alone { version, procedure } => {
            format!("{} in {}", name(version, procedure), program.unit.versions()[version].title())
        }
        Task::Pair { left, right, .. } => format!("the pair of {} and {}", name(0, left), name(1, right)),
    }
}
