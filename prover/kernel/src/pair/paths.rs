//! Rule *Path by path*: every outcome of one version is related to every outcome of the other that it can meet.
//!
//! In: a pair and [`PathsEvidence`]. Out: the claims that were used; or where the evidence is wrong.
//!
//! Invariant: all outcomes that can meet are looked at. Those of which the evidence says nothing must contradict each other in
//! plain sight.

use super::plan::{InliningPlan, Run};
use super::{Both, Goal, Matches, Pair};
use crate::exec::state::Outcome;
use crate::exec::{Executor, Limits, on_entry};
use crate::rejection::{Rejection, reject};
use crate::relate::{Level, Relater, RelationEvidence, Uses};
use lang_l::hir::Expr;
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::{Ending, Term};
use std::collections::BTreeMap;

/// How outcomes were related, by their numbers; those that are not named contradict each other in plain sight.
pub type Relations = BTreeMap<(usize, usize), RelationEvidence>;

/// What a proof by paths did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathsEvidence {
    /// How the two were executed.
    pub plan: InliningPlan,
    /// How outcomes were related.
    pub relations: Relations,
}

/// Makes a proof by paths anew, as its evidence says. The kernel itself takes no loops at once.
///
/// # Errors
/// When the evidence does not show what is claimed.
pub fn check(
    (goal, level): (&Goal<'_>, Level),
    evidence: &PathsEvidence,
    solver: &mut Solver,
    matches: &mut Matches,
) -> Result<Uses, Rejection> {
    let (program, pair) = (goal.program, goal.pair);
    if !goal.is_defined() {
        return reject("an external procedure has no paths");
    }
    evidence.plan.check_of_paths(program, solver)?;
    let mut arena = Arena::new(program.unit);
    let (assumed, sayable) = assumptions(program, pair, goal.when, &mut arena);
    if !sayable {
        return reject("the condition of the pair cannot be said in terms");
    }
    let run = Run { program, pair, plan: &evidence.plan, own: None };
    let Ok(both) = run.outcomes(&assumed, &mut arena) else {
        return reject("there are too many paths");
    };
    let mut relater = program.relater(&mut arena, solver, goal.claims);
    follow(&mut relater, &both, level, &evidence.relations, matches)?;
    Ok(relater.used)
}

/// What both versions assume on entry, in terms; and whether the condition of the pair, if there is one, is among these.
///
/// A `requires` that cannot be said is left out: less is assumed then.
pub fn assumptions(program: Both<'_>, pair: Pair, when: Option<&Expr>, arena: &mut Arena) -> (Vec<Term>, bool) {
    let mut assumed = Vec::new();
    let mut sayable = true;
    for (version, id) in [pair.0, pair.1].into_iter().enumerate() {
        let limits = Limits { whole_run: program.begins_run(pair), ..Limits::default() };
        let mut executor = Executor::new(program.unit, version, program.effects[version], limits, arena);
        let (view, requires, _) = on_entry(&mut executor, id);
        assumed.extend(requires);
        if let (0, Some(when)) = (version, when) {
            let condition = executor.contract(&view, when);
            sayable = condition.is_some();
            assumed.extend(condition);
        }
    }
    (assumed, sayable)
}

/// Relates all outcomes that can meet, as evidence says.
pub(super) fn follow(
    relater: &mut Relater<'_>,
    both: &[Vec<Outcome>; 2],
    level: Level,
    relations: &Relations,
    matches: &mut Matches,
) -> Result<(), Rejection> {
    let plain = RelationEvidence::default();
    let mut followed = 0;
    for meeting in meetings(both).iter().filter(|meeting| level == Level::Full || !meeting.termination) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        let said = relations.get(&meeting.numbers());
        followed += usize::from(said.is_some());
        let relation = relater.follow(left, right, said.unwrap_or(&plain))?;
        matches.note(relater.arena, &relation, left, right);
    }
    if followed < relations.len() {
        return reject("something is said of paths that need not be related");
    }
    Ok(())
}

/// Two outcomes that must be related, by their numbers.
pub struct PathPair {
    /// That of version 0.
    pub left: usize,
    /// That of version 1.
    pub right: usize,
    /// One of the two never ends, so that it is mutual termination that takes it.
    pub termination: bool,
}

impl PathPair {
    /// The two numbers.
    pub fn numbers(&self) -> (usize, usize) {
        (self.left, self.right)
    }
}

/// What must be related; for partial equivalence first: pairs of ways to end.
pub fn meetings(both: &[Vec<Outcome>; 2]) -> Vec<PathPair> {
    let mut found = Vec::new();
    for termination in [false, true] {
        for (at, left) in both[0].iter().enumerate() {
            for (other, right) in both[1].iter().enumerate() {
                let endless = left.ending == Ending::Diverges || right.ending == Ending::Diverges;
                let alike = left.ending == right.ending && left.ending != Ending::Normal
                    || faults::planted("kernel/pair/errors-unrelated")
                        && (left.ending == Ending::Error || right.ending == Ending::Error);
                if !alike && endless == termination && !(endless && faults::planted("kernel/pair/endless-unrelated")) {
                    found.push(PathPair { left: at, right: other, termination });
                }
            }
        }
    }
    found
}
