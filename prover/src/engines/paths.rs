//! A pair, path by path: every outcome of one version related to every outcome of the other that it can meet.
//!
//! In: a pair, the claims that calls may rest on, and which calls are executed in place. Out: a [`PairProof`].
//! Pairs of paths take the place of the paper's product procedure (section 3).

use super::Engine;
use crate::budget::relate::MAX_ATTEMPTS;
use crate::goal::{Goal, PairProof, ProofEvidence, Rule, assumptions, inlinable};
use crate::relate::Searcher;
use kernel::bounds::pair::MAX_INLINE_DEPTH;
use kernel::pair::PairEvidence;
use kernel::pair::paths::{PathPair, PathsEvidence, Relations, meetings};
use kernel::pair::plan::{InliningPlan, Run};
use kernel::relate::{Level, RelationEvidence, Uses};
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};

/// Path by path, each call taken by its summary.
pub(super) static PATHS: Rule = Rule {
    name: "paths",
    sentence: "proved path by path, each call by what its pair guarantees",
    argument: "Paths",
    share: 1,
};

/// The same, with calls of procedures that do not recur executed in place.
static INLINING: Rule = Rule {
    name: "inlining",
    sentence: "proved path by path, with calls that do not recur executed in place",
    argument: "Inline",
    share: 1,
};

/// Rule *Paths*.
pub(crate) struct Paths;

impl Engine for Paths {
    fn rule(&self) -> &'static Rule {
        &PATHS
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Paths(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.is_defined()
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        prove(goal, &PATHS, &InliningPlan::of([BTreeSet::new(), BTreeSet::new()], [0, 0]), solver)
    }
}

/// Rule *Inlining*.
pub(crate) struct Inlining;

impl Engine for Inlining {
    fn rule(&self) -> &'static Rule {
        &INLINING
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Paths(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        let inline = in_place(goal).inline;
        (0..2).any(|version| goal.effects(version).callees.iter().any(|callee| inline[version].contains(callee)))
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        prove(goal, &INLINING, &in_place(goal), solver)
    }
}

/// The plan by which all calls that do not recur are executed in place.
pub(super) fn in_place(goal: &Goal<'_>) -> InliningPlan {
    InliningPlan::of([0, 1].map(|version| inlinable(goal.program, version, goal.claims)), [MAX_INLINE_DEPTH; 2])
}

/// Relates every outcome of one version with every outcome of the other.
pub(super) fn prove(goal: &Goal<'_>, rule: &'static Rule, plan: &InliningPlan, solver: &mut Solver) -> PairProof {
    let (program, unit) = (goal.program.both(), goal.program.unit);
    let mut arena = unit.arena();
    let assumed = assumptions(goal.program, goal.pair, goal.when, &mut arena);
    let run = Run { program, pair: goal.pair, plan, own: None };
    let both = match run.outcomes(&assumed, &mut arena) {
        Ok(both) => both,
        Err((version, error)) => {
            let what = format!("{} {error}", unit.versions()[version].title());
            let (a, b) = goal.code();
            let mut places = [Vec::new(), Vec::new()];
            places[version].push(if version == 0 { a.name_span } else { b.name_span });
            return PairProof::failed(rule, what, places);
        }
    };
    let relater = program.relater(&mut arena, solver, goal.claims);
    let mut searcher = Searcher::new(relater, MAX_ATTEMPTS);
    let mut proof = PairProof::trivial(Some(Level::Full), rule, Uses::new());
    let mut relations: Written = Some(BTreeMap::new());
    for meeting in meetings(&both) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        match searcher.relate(left, right) {
            Ok(related) => {
                proof.matches.note(searcher.relater.arena, &related.relation, left, right);
                keep(&mut relations, meeting.numbers(), related.evidence);
            }
            Err(_) if faults::planted("engines/paths/unrelated-skipped") => {}
            Err(failed_goal) => {
                let most = if faults::planted("engines/paths/endless-skipped") { Level::Full } else { Level::Partial };
                proof.level = meeting.termination.then_some(most);
                proof.failed_goal = Some(failed_goal);
                break;
            }
        }
    }
    proof.used = searcher.relater.used;
    if proof.level == Some(Level::Partial)
        && let Some(relations) = &mut relations
    {
        // What was found before termination failed says nothing.
        let partial: BTreeSet<(usize, usize)> =
            meetings(&both).iter().filter(|meeting| !meeting.termination).map(PathPair::numbers).collect();
        relations.retain(|numbers, _| partial.contains(numbers));
    }
    proof.evidence = relations
        .filter(|_| proof.level.is_some())
        .map(|relations| ProofEvidence::Paths(PathsEvidence { plan: plan.clone(), relations }));
    proof
}

/// How outcomes are related, by their numbers; `None` where something of it cannot be written down.
pub(super) type Written = Option<Relations>;

/// Keeps how two outcomes were related, unless they contradict each other in plain sight.
pub(super) fn keep(relations: &mut Written, numbers: (usize, usize), evidence: Option<RelationEvidence>) {
    let numbers = if faults::planted("engines/paths/numbers-crossed") { (numbers.1, numbers.0) } else { numbers };
    match (relations.as_mut(), evidence) {
        (Some(all), Some(evidence)) if !evidence.is_plain() => {
            all.insert(numbers, evidence);
        }
        (_, Some(_)) => {}
        (_, None) => *relations = None,
    }
}
