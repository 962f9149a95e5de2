//! A pair, path by path: every outcome of one version related to every outcome of the other that it can meet.
//!
//! In: a pair, the claims that calls may rest on, and which calls are executed in place. Out: a [`PairProof`].
//! Pairs of paths take the place of the paper's product procedure (section 3).

use super::Engine;
use crate::acceleration::accelerated;
use crate::budget::goal::MAX_INLINE_DEPTH;
use crate::budget::relate::MAX_ATTEMPTS;
use crate::goal::{
    Claim, Goal, InliningPlan, PairProof, PathsEvidence, Program, ProofEvidence, Rule, assumptions, begins_run,
    inlinable,
};
use crate::lower::is_loop;
use crate::relate::Searcher;
use kernel::exec::AtOnce;
use kernel::exec::state::Outcome;
use kernel::exec::{ExecError, Executor, Limits, execute};
use kernel::rejection::{Rejection, reject};
use kernel::relate;
use kernel::relate::{Claims, Level, Relater};
use lang_l::hir::ProcId;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::Ending;
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

/// The same, with all iterations of a loop taken at once where that can be said.
static ACCELERATION: Rule = Rule {
    name: "acceleration",
    sentence: "proved path by path, with all iterations of a loop taken at once",
    argument: "Acceleration",
    share: 1,
};

/// Rule *Paths*.
pub(crate) struct Paths;

impl Engine for Paths {
    fn rule(&self) -> &'static Rule {
        &PATHS
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.is_defined()
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        prove(goal, &PATHS, &InliningPlan::of([BTreeSet::new(), BTreeSet::new()], [0, 0]), solver)
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        confirm(goal, claim, solver)
    }
}

/// Rule *Inlining*.
pub(crate) struct Inlining;

impl Engine for Inlining {
    fn rule(&self) -> &'static Rule {
        &INLINING
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        let inline = in_place(goal).inline;
        (0..2).any(|version| goal.effects(version).callees.iter().any(|callee| inline[version].contains(callee)))
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        prove(goal, &INLINING, &in_place(goal), solver)
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        confirm(goal, claim, solver)
    }
}

/// Rule *Acceleration*.
pub(crate) struct Acceleration;

impl Engine for Acceleration {
    fn rule(&self) -> &'static Rule {
        &ACCELERATION
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        let is_looping = |version: usize| {
            let code = &goal.program.unit.versions()[version];
            goal.effects(version).callees.iter().any(|callee| is_loop(code.procedure(*callee)))
        };
        !goal.is_loop() && (is_looping(0) || is_looping(1))
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        prove(goal, &ACCELERATION, &InliningPlan { accelerate: true, ..in_place(goal) }, solver)
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        confirm(goal, claim, solver)
    }
}

/// The plan by which all calls that do not recur are executed in place.
pub(super) fn in_place(goal: &Goal<'_>) -> InliningPlan {
    InliningPlan::of([0, 1].map(|version| inlinable(goal.program, version, goal.claims)), [MAX_INLINE_DEPTH; 2])
}

/// Relates every outcome of one version with every outcome of the other.
pub(super) fn prove(goal: &Goal<'_>, rule: &'static Rule, plan: &InliningPlan, solver: &mut Solver) -> PairProof {
    let program = goal.program;
    let unit = program.unit;
    let mut arena = unit.arena();
    let both = match outcomes(goal, plan, &mut arena) {
        Ok(both) => both,
        Err((version, error)) => {
            let what = format!("{} {error}", unit.versions()[version].title());
            let (a, b) = goal.code();
            let mut places = [Vec::new(), Vec::new()];
            places[version].push(if version == 0 { a.name_span } else { b.name_span });
            return PairProof::failed(rule, what, places);
        }
    };
    let relater = Relater {
        unit: unit.as_unit(),
        effects: [&program.effects[0], &program.effects[1]],
        arena: &mut arena,
        solver,
        claims: goal.claims,
        used: Claims::new(),
        relations: BTreeMap::new(),
    };
    let mut searcher = Searcher::new(relater, MAX_ATTEMPTS);
    let mut proof = PairProof::trivial(Some(Level::Full), rule, Claims::new());
    let mut relations: Relations = Some(BTreeMap::new());
    for meeting in meetings(&both) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        match searcher.relate(left, right) {
            Ok(related) => {
                proof.note(searcher.relater.arena, &related.relation, left, right);
                keep(&mut relations, meeting.numbers(), related.evidence);
            }
            Err(failed_goal) => {
                proof.level = meeting.termination.then_some(Level::Partial);
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
pub(super) type Relations = Option<BTreeMap<(usize, usize), relate::RelationEvidence>>;

/// Keeps how two outcomes were related, unless they contradict each other in plain sight.
pub(super) fn keep(relations: &mut Relations, numbers: (usize, usize), evidence: Option<relate::RelationEvidence>) {
    match (relations.as_mut(), evidence) {
        (Some(all), Some(evidence)) if !evidence.is_plain() => {
            all.insert(numbers, evidence);
        }
        (_, Some(_)) => {}
        (_, None) => *relations = None,
    }
}

/// All outcomes of both procedures, from one store; else the version that is too large, and how.
fn outcomes(goal: &Goal<'_>, plan: &InliningPlan, arena: &mut Arena) -> Result<[Vec<Outcome>; 2], (usize, ExecError)> {
    let (program, pair) = (goal.program, goal.pair);
    let (assumed, _) = assumptions(program, pair, goal.when, arena);
    let mut both = [Vec::new(), Vec::new()];
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let effects = &program.effects[version];
        let limits = Limits {
            inline: plan.inline[version].clone(),
            inline_depth: plan.depths[version],
            inline_at: plan.only_at,
            at_once: plan.accelerate.then_some(accelerated as AtOnce),
            whole_run: begins_run(program, pair),
            ..Limits::default()
        };
        let executed = match plan.outcomes {
            None => execute(program.unit.as_unit(), version, effects, &limits, arena, (id, &assumed)),
            Some(outcomes) => {
                Executor::new(program.unit.as_unit(), version, effects, Limits { outcomes, ..limits }, arena)
                    .run(id, &assumed)
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
    fn numbers(&self) -> (usize, usize) {
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

/// Whether a search could have executed calls in place like this.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check_plan(program: &Program<'_>, plan: &InliningPlan, accelerate: bool) -> Result<(), Rejection> {
    let executable = |version: usize| {
        let procedures = &program.unit.versions()[version].procedures;
        let has_body = |id: &ProcId| procedures.get(id.index()).is_some_and(|procedure| procedure.body.is_some());
        plan.inline[version].iter().all(has_body)
    };
    if !(0..2).all(executable) {
        return reject("a procedure without a body is executed in place");
    }
    if !plan.is_bounded() || plan.accelerate != accelerate {
        return reject("calls are executed in place too deep, or by another rule");
    }
    Ok(())
}

/// Makes a proof by paths anew, as its evidence says.
///
/// # Errors
/// When the evidence does not show what is claimed.
pub(super) fn confirm(goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
    let ProofEvidence::Paths(evidence) = &claim.evidence else {
        return reject("the evidence is not one of paths");
    };
    let program = goal.program;
    if !goal.is_defined() {
        return reject("an external procedure has no paths");
    }
    check_plan(program, &evidence.plan, claim.rule == &ACCELERATION)?;
    let mut arena = program.unit.arena();
    let Ok(both) = outcomes(goal, &evidence.plan, &mut arena) else {
        return reject("there are too many paths");
    };
    let mut relater = Relater {
        unit: program.unit.as_unit(),
        effects: [&program.effects[0], &program.effects[1]],
        arena: &mut arena,
        solver,
        claims: goal.claims,
        used: Claims::new(),
        relations: BTreeMap::new(),
    };
    let mut proof = PairProof::trivial(Some(claim.level), claim.rule, Claims::new());
    let plain = relate::RelationEvidence::default();
    let mut followed = 0;
    for meeting in meetings(&both).iter().filter(|meeting| claim.level == Level::Full || !meeting.termination) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        let said = evidence.relations.get(&meeting.numbers());
        followed += usize::from(said.is_some());
        let relation = relater.follow(left, right, said.unwrap_or(&plain))?;
        proof.note(relater.arena, &relation, left, right);
    }
    if followed < evidence.relations.len() {
        return reject("something is said of paths that need not be related");
    }
    proof.used = relater.used;
    Ok(proof)
}
