//! Both versions path by path, and what becomes of each pair of paths that one store can take.
//!
//! In: a pair, its condition, and a plan: which calls are executed in place. Out: [`Meeting`]s, each with the condition under
//! which the two paths are taken together and its [`Kind`].
//!
//! Invariant: the conditions of all meetings together cover every store that satisfies what is assumed.
//! Invariant: what is `Equal` was related by the rule *Paths*; what differs does by [`outputs`](super::outputs).

use super::acceleration::accelerated;
use super::atoms::of_entry;
use super::endless;
use super::outputs::{self, Output};
use crate::budget::diff::{MAX_CALLS, MAX_MEETINGS, MAX_WORK, PATHS_SHARE};
use crate::budget::relate::MAX_ATTEMPTS;
use crate::goal::{Pair, Program};
use crate::relate::Searcher;
use kernel::exec::state::Outcome;
use kernel::exec::{AtOnce, Executor, Limits};
use kernel::relate::{Claims, ConditionalClaim, Relater, Uses};
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Ending, PathFacts, Term};
use std::collections::{BTreeMap, BTreeSet};

/// How both versions are executed.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Whose calls are executed in place, in each version.
    pub(super) inline: [BTreeSet<ProcId>; 2],
    /// How deep.
    pub(super) depth: usize,
    /// More outcomes of one version than this are too many.
    pub(super) outcomes: usize,
    /// Whether loops are taken at once where that can be said.
    pub(super) accelerate: bool,
    /// Whether closed forms say what recursion gives back; then, by which numbers remainders are taken.
    pub(super) forms: Option<Vec<BigInt>>,
    /// Whether calls of the pair itself that go no further are executed in place, for each version; where something is said of that,
    /// such as are known to go no further always are.
    pub(super) apart: Option<[bool; 2]>,
}

/// What two paths from one store come to.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// The same.
    Equal,
    /// The same where this holds; elsewhere nothing is known.
    EqualWhere(Term),
    /// They differ where this holds, and are the same elsewhere.
    Differ(Term),
    /// They differ where this holds; elsewhere nothing is known.
    Partly(Term),
    /// One of them is said not to end, or may not.
    OneEnds,
    /// Nothing is known.
    Open,
}

/// Two paths that one store can take.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// The paths, by their numbers.
    pub(super) paths: [usize; 2],
    /// When both are taken.
    pub(super) when: Vec<Term>,
    /// What they come to.
    pub(super) kind: Kind,
    /// What can be seen of them, where both return.
    pub(super) outputs: Vec<Output>,
}

/// The paths of both versions, and how they meet.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    /// The outcomes of each version.
    pub(super) outcomes: [Vec<Outcome>; 2],
    /// The pairs that one store can take.
    pub(super) pairs: Vec<Meeting>,
}

impl Meetings {
    /// Counts a run that does not end as equal to any.
    pub(super) fn count_endless_as_equal(&mut self) {
        for meeting in &mut self.pairs {
            let mut endings = (0..2).map(|side| self.outcomes[side][meeting.paths[side]].ending);
            if endings.any(|ending| ending == Ending::Diverges) {
                (meeting.kind, meeting.outputs) = (Kind::Equal, Vec::new());
            }
        }
    }
}

/// What is compared.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    /// The program.
    pub(super) program: &'q Program<'q>,
    /// The pair.
    pub(super) pair: Pair,
    /// What is proved of all pairs.
    pub(super) claims: &'q Claims,
}

/// All outcomes of both versions under a plan; `None` when they are too many.
pub(super) fn outcomes(
    question: Question<'_>,
    plan: &Plan,
    assumed: &[Term],
    arena: &mut Arena,
) -> Option<[Vec<Outcome>; 2]> {
    let Question { program, pair, .. } = question;
    let mut both = [Vec::new(), Vec::new()];
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let apart = plan.apart.is_some_and(|apart| apart[version]);
        let limits = Limits {
            told_apart: apart.then_some(id).into_iter().collect(),
            known_ends: plan.apart.is_some(),
            outcomes: plan.outcomes,
            calls: MAX_CALLS,
            work: MAX_WORK,
            inline: plan.inline[version].clone(),
            inline_depth: plan.depth,
            at_once: plan.accelerate.then_some(accelerated as AtOnce),
            whole_run: program.both().begins_run(pair),
            ..Limits::default()
        };
        let effects = &program.effects[version];
        both[version] =
            Executor::new(program.unit.as_unit(), version, effects, limits, arena).run(id, assumed).ok()?.outcomes;
    }
    Some(both)
}

/// How the outcomes of both versions meet; `None` when they do in too many ways.
pub(super) fn meetings(
    question: Question<'_>,
    outcomes: [Vec<Outcome>; 2],
    arena: &mut Arena,
    solver: &mut Solver,
) -> Option<Meetings> {
    let mut outcomes = outcomes;
    let own = [question.pair.0, question.pair.1];
    for (version, all) in outcomes.iter_mut().enumerate() {
        let of = (version, own[version]);
        *all = endless::told_apart(question.program, of, std::mem::take(all), arena, solver);
    }
    let possible = outcomes.map(|all| possible(all, arena, solver));
    let mut found = Meetings { outcomes: possible, pairs: Vec::new() };
    for at in 0..found.outcomes[0].len() {
        let mut along = Along::after(&found.outcomes[0][at].path, arena);
        for other in 0..found.outcomes[1].len() {
            let sides = [&found.outcomes[0][at], &found.outcomes[1][other]];
            let Some(when) = along.together(arena, sides) else { continue };
            if let Some((when, kind, outputs)) = meeting(question, sides, when, (arena, solver)) {
                found.pairs.push(Meeting { paths: [at, other], when, kind, outputs });
            }
            if found.pairs.len() > MAX_MEETINGS {
                return None;
            }
        }
    }
    Some(found)
}

/// The outcomes that some store may come to.
fn possible(outcomes: Vec<Outcome>, arena: &mut Arena, solver: &mut Solver) -> Vec<Outcome> {
    let many = outcomes.len() > 1;
    outcomes.into_iter().filter(|outcome| !many || !excluded(&outcome.path, arena, solver)).collect()
}

/// Whether no store satisfies all of these.
fn excluded(conditions: &[Term], arena: &mut Arena, solver: &mut Solver) -> bool {
    let goal = arena.terms.bool(false);
    let obligation = Obligation { assumptions: conditions.to_vec(), goal, tag: Purpose::PathsExclusive.into() };
    solver.with_share(PATHS_SHARE, |solver| solver.prove(arena, &obligation)) == Answer::Holds
}

/// What is known along the paths of one version, taken from stores from which the other takes a certain one. Paths that follow one
/// another begin alike, and what is known there is found out once.
struct Along {
    path: Vec<Term>,
    /// Before each condition of the path, and at its end; `None` behind a contradiction in plain sight.
    known: Vec<Option<PathFacts>>,
}

impl Along {
    fn after(other: &[Term], arena: &mut Arena) -> Self {
        let mut known = PathFacts::new();
        let possible = other.iter().all(|&condition| known.assume(&mut arena.terms, condition));
        Along { path: Vec::new(), known: vec![possible.then_some(known)] }
    }

    /// Both path conditions together; `None` where they contradict each other in plain sight.
    fn together(&mut self, arena: &mut Arena, [left, right]: [&Outcome; 2]) -> Option<Vec<Term>> {
        let shared = self.path.iter().zip(&right.path).take_while(|(one, other)| one == other).count();
        self.known.truncate(shared + 1);
        for &condition in &right.path[shared..] {
            let before = self.known.last().cloned().flatten();
            self.known.push(before.and_then(|mut known| known.assume(&mut arena.terms, condition).then_some(known)));
        }
        self.path.clone_from(&right.path);
        self.known.last()?.as_ref()?;
        let mut all: Vec<Term> = Vec::new();
        for &condition in left.path.iter().chain(&right.path) {
            if !all.contains(&condition) {
                all.push(condition);
            }
        }
        Some(all)
    }
}

/// What two outcomes come to; `None` where no store can take both.
fn meeting(
    question: Question<'_>,
    sides: [&Outcome; 2],
    when: Vec<Term>,
    (arena, solver): (&mut Arena, &mut Solver),
) -> Option<(Vec<Term>, Kind, Vec<Output>)> {
    let [left, right] = sides;
    let calls = !left.calls.is_empty() || !right.calls.is_empty();
    let endings = (left.ending, right.ending);
    if !calls {
        if excluded(&when, arena, solver) {
            return None;
        }
        match endings {
            (Ending::Diverges, Ending::Diverges) | (Ending::Error, Ending::Error) => {
                return Some((when, Kind::Equal, Vec::new()));
            }
            (Ending::Diverges, _) | (_, Ending::Diverges) => return Some((when, Kind::OneEnds, Vec::new())),
            (Ending::Normal, Ending::Normal) => {}
            _ => {
                let always = arena.terms.bool(true);
                return Some((when, Kind::Differ(always), Vec::new()));
            }
        }
    }
    // Errors of the two are alike, and so are endless runs, whatever else is not known.
    if left.ending == right.ending && left.ending != Ending::Normal || related(question, sides, arena, solver) {
        return Some((when, Kind::Equal, Vec::new()));
    }
    if let Some(condition) = callees_equal(question, sides, arena) {
        let mut narrowed = left.clone();
        narrowed.path.push(condition);
        if related(question, [&narrowed, right], arena, solver) {
            return Some((when, Kind::EqualWhere(condition), Vec::new()));
        }
    }
    if endings != (Ending::Normal, Ending::Normal) {
        let endless = left.ending == Ending::Diverges || right.ending == Ending::Diverges;
        let always = arena.terms.bool(true);
        return Some((when, if endless { Kind::OneEnds } else { Kind::Differ(always) }, Vec::new()));
    }
    let outputs = outputs::outputs(arena, question.program.unit, left, right);
    let ways: Vec<Term> = outputs.iter().map(|output| output.differ).collect();
    let differ = arena.terms.or(&ways);
    let mut known = PathFacts::new();
    let consistent = when.iter().all(|&condition| known.assume(&mut arena.terms, condition));
    let differ = if consistent { arena.terms.simplify(differ, &known) } else { differ };
    let kind = remainder(question, sides, differ, arena, solver);
    Some((when, kind, outputs))
}

/// What two paths come to that return and differ where this holds.
fn remainder(
    question: Question<'_>,
    [left, right]: [&Outcome; 2],
    differ: Term,
    arena: &mut Arena,
    solver: &mut Solver,
) -> Kind {
    if arena.terms.is_false(differ) {
        return Kind::Open;
    }
    if !of_entry(arena, differ) {
        return Kind::Partly(differ);
    }
    if arena.terms.is_true(differ) {
        return Kind::Differ(differ);
    }
    let elsewhere = arena.terms.not(differ);
    let mut narrowed = left.clone();
    narrowed.path.push(elsewhere);
    if related(question, [&narrowed, right], arena, solver) { Kind::Differ(differ) } else { Kind::Partly(differ) }
}

/// That all calls are of the kind from which their callees are known to be equal, where that can be said of the store on entry.
fn callees_equal(question: Question<'_>, [left, right]: [&Outcome; 2], arena: &mut Arena) -> Option<Term> {
    let Question { program, claims, .. } = question;
    let callees: BTreeSet<ProcId> = right.calls.iter().map(|&call| arena.record(call).callee).collect();
    let mut all = Vec::new();
    for &call in &left.calls {
        let record = arena.record(call).clone();
        let own = |claim: &&ConditionalClaim| {
            let code = program.unit.procedure(0, claim.pair.0);
            let fits = claim.pair.0 == record.callee && callees.contains(&claim.pair.1);
            fits && claim.level.is_some() && claim.is_askable(code)
        };
        let ways = claims.conditional.iter().filter(own).filter_map(|claim| claim.condition.as_ref());
        let mut conditions = Vec::new();
        for condition in ways {
            let limits = Limits::default();
            let mut executor = Executor::new(program.unit.as_unit(), 0, &program.effects[0], limits, arena);
            conditions.push(executor.condition_at(&record, condition)?);
        }
        if !conditions.is_empty() {
            all.push(arena.terms.or(&conditions));
        }
    }
    let condition = arena.terms.and(&all);
    (!all.is_empty() && of_entry(arena, condition)).then_some(condition)
}

/// Whether two outcomes end alike, or exclude each other.
fn related(question: Question<'_>, [left, right]: [&Outcome; 2], arena: &mut Arena, solver: &mut Solver) -> bool {
    let Question { program, claims, .. } = question;
    let relater = Relater {
        unit: program.unit.as_unit(),
        effects: [&program.effects[0], &program.effects[1]],
        arena,
        solver,
        claims,
        used: Uses::new(),
        relations: BTreeMap::new(),
        end: None,
    };
    Searcher::new(relater, MAX_ATTEMPTS).relate(left, right).is_ok()
}
