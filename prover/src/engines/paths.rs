//! A pair, path by path: every outcome of one version related to every outcome of the other that it can meet.
//!
//! In: a pair, the claims that calls may rest on, and which calls are executed in place. Out: a [`PairProof`]. Source: the path
//! pairs of the design notes in place of the product procedure of the paper, section 3.

use crate::exec::state::Outcome;
use crate::exec::{ExecError, Executor, Limits, execute};
use crate::goal::InliningPlan;
use crate::goal::{Evidence, Method, Pair, PairProof, PathsEvidence, Program, assumptions, begins_run};
use crate::relate::{Claims, Level, Order, Relater};
use lang_l::hir::Expr;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::Ending;
use std::collections::{BTreeMap, BTreeSet};

/// Relates every outcome of one version with every outcome of the other.
pub(super) fn prove(
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    claims: &Claims,
    solver: &mut Solver,
    plan: &InliningPlan,
) -> PairProof {
    let unit = program.unit;
    let mut arena = Arena::new(unit);
    let both = match outcomes(program, (pair, when), plan, &mut arena) {
        Ok(both) => both,
        Err((version, error)) => {
            let what = format!("{} {error}", unit.versions[version].title());
            let (a, b) = program.code(pair);
            let mut places = [Vec::new(), Vec::new()];
            places[version].push(if version == 0 { a.name_span } else { b.name_span });
            return PairProof::failed(plan.method, what, places);
        }
    };
    let mut relater = Relater {
        unit,
        effects: [&program.effects[0], &program.effects[1]],
        arena: &mut arena,
        solver,
        claims,
        used: Claims::new(),
        attempts: 20_000,
        order: Order::Nearest,
    };
    let mut proof = PairProof::trivial(Some(Level::Full), plan.method, Claims::new());
    let mut relations = Some(BTreeMap::new());
    for meeting in meetings(&both) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        match relater.relate(left, right) {
            Ok(related) => {
                proof.note(relater.arena, &related.relation, left, right);
                relations = relations.zip(related.evidence).map(|(mut all, evidence)| {
                    if !evidence.is_plain() {
                        all.insert((meeting.left, meeting.right), evidence);
                    }
                    all
                });
            }
            Err(failed_goal) => {
                proof.level = meeting.termination.then_some(Level::Partial);
                proof.failed_goal = Some(failed_goal);
                break;
            }
        }
    }
    proof.used = relater.used;
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
        .map(|relations| Evidence::Paths(PathsEvidence { plan: plan.clone(), relations }));
    proof
}

/// All outcomes of both procedures, from one store; else the version that is too large, and how.
pub(super) fn outcomes(
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    plan: &InliningPlan,
    arena: &mut Arena,
) -> Result<[Vec<Outcome>; 2], (usize, ExecError)> {
    let (assumed, _) = assumptions(program, pair, when, arena);
    let mut both = [Vec::new(), Vec::new()];
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let effects = &program.effects[version];
        let limits = Limits {
            inline: plan.inline[version].clone(),
            inline_depth: plan.depths[version],
            inline_at: plan.only_at,
            turns: plan.method == Method::Turns,
            whole_run: begins_run(program, pair),
            ..Limits::default()
        };
        let executed = match plan.outcomes {
            None => execute(program.unit, version, effects, &limits, arena, (id, &assumed)),
            Some(outcomes) => {
                Executor::new(program.unit, version, effects, Limits { outcomes, ..limits }, arena).run(id, &assumed)
            }
        };
        both[version] = executed.map_err(|error| (version, error))?.outcomes;
    }
    Ok(both)
}

/// Two outcomes that must be related, by their numbers.
pub(super) struct PathPair {
    pub(super) left: usize,
    pub(super) right: usize,
    /// One of the two never ends, so that it is mutual termination that takes it.
    pub(super) termination: bool,
}

impl PathPair {
    pub(super) fn numbers(&self) -> (usize, usize) {
        (self.left, self.right)
    }
}

/// What must be related; for partial equivalence first: pairs of ways to end.
pub(super) fn meetings(both: &[Vec<Outcome>; 2]) -> Vec<PathPair> {
    let mut found = Vec::new();
    for termination in [false, true] {
        for (at, left) in both[0].iter().enumerate() {
            for (other, right) in both[1].iter().enumerate() {
                let endless = left.ending == Ending::Diverges || right.ending == Ending::Diverges;
                let alike = left.ending == right.ending && left.ending != Ending::Normal;
                if !alike && endless == termination {
                    found.push(PathPair { left: at, right: other, termination });
                }
            }
        }
    }
    found
}
