//! Lies out of thin air: evidence of the right shape about the paths that a pair really has.
//!
//! In: a pair that is known to differ. Out: a claim about it, which matches calls and births by chance, in order more often than not.

use super::Lie;
use super::pieces::{place, turns};
use kernel::effects::is_loop;
use kernel::exec::state::Outcome;
use kernel::pair::loops::{Frame, LoopRelation, LoopsEvidence, parameters, results};
use kernel::pair::paths::{PathsEvidence, Relations, assumptions, meetings};
use kernel::pair::plan::{InliningPlan, Run};
use kernel::pair::{Both, Goal, PairEvidence};
use kernel::relate::{Apart, Atom, CallRelation, Cases, Claims, End, Fact, Leaf, Level, Match, Part, RelationEvidence};
use lang_l::hir::{Local, ProcId, Type};
use lang_l::random::Random;
use prover::findings::Findings;
use prover::goal::Pair;
use smt::arena::Arena;
use smt::term::{AllocClass, Ending};
use std::collections::{BTreeMap, BTreeSet};

/// The kinds, with their names in tables.
pub(super) const KINDS: &[(&str, Lie)] = &[
    ("paths related by chance", |subject, story, random| {
        let pair = random.pick(&subject.known)?.pair;
        let plan = plan(&subject.own, random);
        let relations = {
            let program = both(&subject.own);
            plan.check(program).ok()?;
            let mut arena = Arena::new(program.unit);
            let (assumed, _) = assumptions(program, pair, None, &mut arena);
            let run = Run { program, pair, plan: &plan, own: None };
            let both = run.outcomes(&assumed, &mut arena).ok()?;
            by_chance(&both, &mut Chance { random, sure: false })
        };
        story.claims.insert(pair, (Level::Full, PairEvidence::Paths(PathsEvidence { plan, relations })));
        Some(())
    }),
    ("loops related by chance", |subject, story, random| {
        let pair = random.pick(&subject.known)?.pair;
        let evidence = loops(&subject.own, pair, &mut Chance { random, sure: false })?;
        story.claims.insert(pair, (Level::Full, PairEvidence::Loops(evidence)));
        Some(())
    }),
];

/// How what is guessed is chosen.
struct Chance<'r> {
    random: &'r mut Random,
    /// All goes in order, as it does where the two are the same text.
    sure: bool,
}

impl Chance<'_> {
    fn shuffles(&mut self) -> bool {
        !self.sure && self.random.percent(20)
    }

    fn mostly(&mut self, percent: usize) -> bool {
        self.sure || self.random.percent(percent)
    }

    fn facts(&mut self) -> usize {
        if self.sure { 0 } else { self.random.below(3) }
    }
}

/// Evidence by which all goes in order; of two that are the same text it is mostly right.
pub(super) fn in_order(findings: &Findings, pair: Pair) -> Option<PairEvidence> {
    let chance = &mut Chance { random: &mut Random::new(0), sure: true };
    if let Some(evidence) = loops(findings, pair, chance) {
        return Some(PairEvidence::Loops(evidence));
    }
    let (program, plan) = (both(findings), InliningPlan::of(Default::default(), [0, 0]));
    if program.code(pair).iter().any(|code| code.body.is_none()) {
        return None;
    }
    let mut arena = Arena::new(program.unit);
    let (assumed, _) = assumptions(program, pair, None, &mut arena);
    let run = Run { program, pair, plan: &plan, own: None };
    let relations = by_chance(&run.outcomes(&assumed, &mut arena).ok()?, chance);
    Some(PairEvidence::Paths(PathsEvidence { plan, relations }))
}

pub(super) fn both(story: &Findings) -> Both<'_> {
    // Nothing is guessed of what was written.
    let unit = &story.lowered;
    Both { unit, written: unit, effects: [&story.effects[0], &story.effects[1]] }
}

fn plan(story: &Findings, random: &mut Random) -> InliningPlan {
    let with_body = |version: usize| -> BTreeSet<ProcId> {
        let all = (0u32..).map(ProcId).zip(&story.lowered.versions[version].procedures);
        all.filter(|(_, code)| code.body.is_some()).map(|(id, _)| id).collect()
    };
    match random.below(4) {
        0 => InliningPlan::of(Default::default(), [0, 0]),
        1 => {
            let (told_apart, by_first_test) = ([0, 1].map(with_body), random.percent(40));
            InliningPlan { told_apart, by_first_test, ..InliningPlan::of(Default::default(), [0, 0]) }
        }
        2 => InliningPlan::of([0, 1].map(with_body), [1 + random.below(2), 1 + random.below(2)]),
        _ => InliningPlan::of([0, 1].map(with_body), [random.below(2), random.below(2)]),
    }
}

/// How outcomes are related that must be.
fn by_chance(both: &[Vec<Outcome>; 2], chance: &mut Chance<'_>) -> Relations {
    let mut relations = Relations::new();
    for meeting in meetings(both) {
        let said = leaf(&both[0][meeting.left], &both[1][meeting.right], chance);
        let cases = Cases::Settled(said);
        relations.insert(meeting.numbers(), RelationEvidence { repeats: Default::default(), cases });
    }
    relations
}

fn leaf(left: &Outcome, right: &Outcome, chance: &mut Chance<'_>) -> Leaf {
    let (mut lefts, mut rights) = (left.news.clone(), right.news.clone());
    if chance.shuffles() {
        chance.random.shuffle(&mut lefts);
        chance.random.shuffle(&mut rights);
    }
    let births: BTreeMap<AllocClass, AllocClass> = rights.iter().zip(&lefts).map(|(b, a)| (b.0, a.0)).collect();
    let mut ours = right.calls.clone();
    if chance.shuffles() {
        chance.random.shuffle(&mut ours);
    }
    let mut calls: Vec<Match> = left
        .calls
        .iter()
        .zip(ours)
        .map(|(&left, right)| Match {
            left,
            right,
            under: None,
            allocs: if chance.mostly(70) { births.clone() } else { BTreeMap::new() },
        })
        .collect();
    if !chance.mostly(90) {
        calls.pop();
    }
    let normal = left.ending == Ending::Normal && right.ending == Ending::Normal;
    let end = match (normal, chance.mostly(90)) {
        (true, true) => End::Isomorphic(births),
        (_, true) => End::Exclusive,
        (_, false) => End::Contradiction,
    };
    Leaf { calls, end }
}

/// Relations between the loops of a pair, in order, and what they lead to.
fn loops(story: &Findings, pair: Pair, chance: &mut Chance<'_>) -> Option<LoopsEvidence> {
    let program = both(story);
    let of = |version: usize, id: ProcId| -> Vec<ProcId> {
        let run = story.effects[version][id.index()].callees.iter().copied();
        run.filter(|id| is_loop(story.lowered.procedure(version, *id))).collect()
    };
    let mut rights = of(1, pair.1);
    if chance.shuffles() {
        chance.random.shuffle(&mut rights);
    }
    let own: Vec<LoopRelation> =
        of(0, pair.0).into_iter().zip(rights).map(|pair| relation(story, pair, chance)).collect();
    if own.is_empty() {
        return None;
    }
    let (plan, claims) = (InliningPlan::of(Default::default(), [0, 0]), Claims::new());
    let goal = Goal { program, pair, when: None, claims: &claims };
    let frame = Frame { goal, level: Level::Full, plan: &plan, loops: &own };
    let effects = frame.effects();
    let numbered = Both { effects: [&effects[0], &effects[1]], ..program };
    let mut said = Vec::new();
    for target in frame.targets() {
        let both = frame.outcomes(numbered, target, &mut Arena::new(program.unit))?;
        said.push(by_chance(&both, chance));
    }
    let mut said = said.into_iter();
    let whole = PathsEvidence { plan: plan.clone(), relations: said.next()? };
    Some(LoopsEvidence { whole, loops: own.iter().cloned().zip(said).collect() })
}

fn relation(story: &Findings, pair: Pair, chance: &mut Chance<'_>) -> LoopRelation {
    let [left, right] = both(story).code(pair);
    let there = |place: &Apart| {
        let Some(own) = [left, right].get(place.version).copied() else { return false };
        let is_there = match place.of {
            Part::Field(field) => (field as usize) < story.lowered.fields.len(),
            Part::Cell { before, after } => {
                before < own.params && after.is_none_or(|after| after < own.params + own.results)
            }
        };
        place.parameter < own.params && is_there
    };
    let entry = CallRelation {
        equal: partners(parameters(left), parameters(right), chance),
        facts: (0..chance.facts()).filter_map(|_| fact([left, right].map(parameters), chance.random)).collect(),
        apart: (0..chance.facts() / 2).map(|_| place(chance.random)).filter(there).collect(),
        exit: (0..chance.facts()).filter_map(|_| fact([left, right].map(parameters), chance.random)).collect(),
        compared: !chance.sure && chance.random.percent(20),
    };
    // More turns are refused at once; what they would lead to is not looked at.
    let mut turns = turns(chance.random);
    turns.first.iter_mut().chain(&mut turns.more).for_each(|turns| *turns %= 3);
    // Results of calls that are compared are not given one name.
    let together = if entry.compared { Vec::new() } else { partners(results(left), results(right), chance) };
    LoopRelation { pair, entry, results: together, turns }
}

/// Something about a number of each version.
fn fact(parameters: [&[Local]; 2], random: &mut Random) -> Option<Fact> {
    let mut number = |version: usize| {
        let all = (0..parameters[version].len()).filter(|&at| parameters[version][at].ty == Type::Int);
        let parameter = *random.pick(&all.collect::<Vec<_>>())?;
        Some(Atom { version, parameter, steps: Vec::new() })
    };
    let (one, other) = (number(0)?, number(1)?);
    Some(match random.below(3) {
        0 => Fact::AtMost(one, other, 0),
        1 => Fact::AtMost(other, one, 0),
        _ => Fact::Equal(one, other, [0, 1, -1][random.below(3)]),
    })
}

/// Variables of one type, each with one that has no partner yet.
fn partners(lefts: &[Local], rights: &[Local], chance: &mut Chance<'_>) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, left) in lefts.iter().enumerate() {
        let free = |other: &usize| rights[*other].ty == left.ty && found.iter().all(|(_, taken)| taken != other);
        let same_name = (0..rights.len()).filter(free).find(|other| rights[*other].name == left.name);
        let any = same_name.or_else(|| (0..rights.len()).find(free));
        if let Some(other) = any.filter(|_| chance.mostly(90)) {
            found.push((at, other));
        }
    }
    found
}
