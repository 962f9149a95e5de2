//! What was tried of a pair: under which conditions its versions were to be equal, and runs that say where they are not.
//!
//! In: a condition. Out: whether the two are proved to be equal wherever it holds.
//!
//! Invariant: what a run refutes is not asked. It could not be proved, and to find that out takes longer.

use super::{Condition, Look, Task};
use crate::budget::concrete::SEARCH;
use crate::budget::learned::{MAX_SAMPLES, SAMPLES};
use crate::diff::{proof, twin};
use crate::goal::PairProof;
use crate::lower::is_loop;
use crate::search::concrete::{self, Meeting, Sample};
use crate::search::witness::RunPair;
use crate::verdict::comparison::Comparison;
use lang_l::hir::{Expr, ExprKind, ProcId, Unit};
use lang_l::interp::{Job, Outcome, Sequential, holds};
use smt::solve::Solver;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// Whether the two are equal where a condition holds, with the proof if it is one of the program as it is.
type Found = Option<Option<PairProof>>;

/// What was tried, whatever the plan.
#[derive(Clone, Debug, Default)]
pub(super) struct Tried {
    found: BTreeMap<String, Found>,
    samples: OnceCell<Vec<Sample>>,
}

impl Tried {
    /// Runs of both versions, where the paths of the pair may not be all that there is.
    pub(super) fn samples(&self, task: Task<'_>, comparison: &Comparison<'_>) -> &[Sample] {
        self.samples.get_or_init(|| {
            let (left, right) = comparison.pair;
            let pair = RunPair { unit: &task.source.unit, left, right, when: None };
            if may_help(task, comparison) { concrete::samples(&pair, MAX_SAMPLES, SAMPLES) } else { Vec::new() }
        })
    }
}

/// Whether the paths of the pair may not be all that there is, and all that it runs can be run.
pub(super) fn may_help(task: Task<'_>, comparison: &Comparison<'_>) -> bool {
    let (left, right) = comparison.pair;
    let goes_on = |(version, id): (usize, ProcId)| {
        let effects = &task.program.effects[version];
        let code = |id| task.program.unit.procedure(version, id);
        effects[id.index()].callees.iter().any(|&one| is_loop(code(one)) || effects[one.index()].recursive(one))
    };
    let is_there = |(version, id): (usize, ProcId)| {
        task.program.effects[version][id.index()]
            .callees
            .iter()
            .all(|&one| task.program.unit.procedure(version, one).body.is_some())
    };
    let both = [(0, left), (1, right)];
    both.into_iter().any(goes_on) && both.into_iter().all(is_there)
}

/// Whether a condition holds where the runs of a sample begin.
pub(super) fn holds_in(unit: &Unit, procedure: ProcId, condition: &Expr, sample: &Sample) -> bool {
    let job = Job { unit, version: 0, procedure, limits: SEARCH };
    holds(&job, condition, sample.input.clone(), &mut Sequential::after(&sample.input)).0
}

impl Look<'_> {
    /// Whether the two are proved to be equal where the condition holds.
    pub(super) fn proved(&mut self, condition: &Condition, solver: &mut Solver) -> Found {
        if let Some(found) = self.tried.found.get(&condition.text) {
            return found.clone();
        }
        let found = if self.is_refuted(condition) { None } else { self.proved_anew(condition, solver) };
        self.tried.found.insert(condition.text.clone(), found.clone());
        found
    }

    /// Whether a run shows that the two are not equal wherever the condition holds.
    fn is_refuted(&self, condition: &Condition) -> bool {
        let (unit, procedure) = (&self.task.source.unit, self.comparison.pair.0);
        let partial = self.task.manner.partial;
        self.tried.samples(self.task, self.comparison).iter().any(|sample| {
            // A run that was only stopped may end after all.
            let never_ends = |outcome: &Outcome| matches!(outcome, Outcome::Diverged(_));
            let refutes = match sample.meeting {
                Meeting::Equal => false,
                Meeting::Differ => true,
                Meeting::OneEnds => !partial && sample.outcomes.iter().any(never_ends),
            };
            refutes && holds_in(unit, procedure, &condition.expr, sample)
        })
    }

    fn proved_anew(&self, condition: &Condition, solver: &mut Solver) -> Found {
        let question = self.question();
        let proof = proof::equal(question, self.task.known, Some(&condition.expr), solver);
        if proof.is_some() {
            return Some(proof);
        }
        // What always holds is no help in the program in which it is required.
        let is_help = !matches!(condition.expr.kind, ExprKind::Bool(true));
        (is_help && twin::equal(&self.task.source.unit, question.pair, &condition.expr, solver)).then_some(None)
    }
}
