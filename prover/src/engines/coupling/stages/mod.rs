//! Loops that follow one another, against others: a loop that was split, unrolled, stopped early, peeled or fused.
//!
//! In: a pair as `Coupling` takes it. Out: whether summaries of several calls prove it.
//!
//! A loop of one version may do what several of the other do, one after the other. So a summary here is about the calls at work in both
//! versions and those that come after them; or about several at work, side by side. Runs say what they have in common (`walk`); what does not follow is dropped
//! (`houdini`); the kernel has the last word (rule *Summary*).
//!
//! Invariant: the runs only propose.

mod walk;

use super::runs::{Activation, Simulator};
use super::steps::{Call, Step, Steps};
use super::{COUPLING, applies, both_end, sorts, summarised};
use crate::budget::coupling::{MAX_NEAR, MAX_ROUNDS, MAX_STAGE_QUERIES, MAX_UNDECIDED_QUOTIENTS};
use crate::chc::asking::Asking;
use crate::chc::houdini::{self, Look};
use crate::chc::polynomial::{Equation, Polynomial, fit};
use crate::chc::templates::{self, Fact, Templates};
use crate::engines::{Engine, relational};
use crate::goal::{Goal, Pair, PairProof, Rule, assumptions};
use kernel::pair::PairEvidence;
use kernel::pair::summaries::{Slot, SummariesEvidence, Summary};
use kernel::relate::Level;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use smt::obligation::Purpose;
use smt::solve::Solver;
use smt::term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use walk::{Key, Manner, Move, Order, Rows, Turn, Walk, moves};

/// How many turns each side makes at a time (as variables of one name say, where nothing is said), in which orders, and what is
/// looked for.
const STAGE_ATTEMPTS: [StageAttempt; 11] = [
    (None, IN_TURN, LookedFor::Little),
    (Some([2, 1]), IN_TURN, LookedFor::Quotients),
    (Some([1, 2]), IN_TURN, LookedFor::Quotients),
    (Some([1, 1]), IN_TURN, LookedFor::Quotients),
    (Some([1, 1]), &[Order::Beside], LookedFor::Little),
    (Some([2, 1]), IN_TURN, LookedFor::Little),
    (Some([1, 2]), IN_TURN, LookedFor::Little),
    (None, IN_TURN, LookedFor::Bounds),
    (None, IN_TURN, LookedFor::Squares),
    (Some([3, 1]), IN_TURN, LookedFor::Little),
    (Some([1, 3]), IN_TURN, LookedFor::Little),
];

/// A pace, orders, and what is looked for.
type StageAttempt = (Option<[usize; 2]>, &'static [Order], LookedFor);

/// One stage of a side after the other.
const IN_TURN: &[Order] = &[Order::Waiting, Order::First];

/// Rule *Couple*, for loops that follow one another.
pub(crate) struct Stages;

impl Engine for Stages {
    fn rule(&self) -> &'static Rule {
        &COUPLING
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Summaries(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.reached.is_none() && !goal.is_loop() && applies(goal.program, goal.pair)
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let Some(evidence) = prove(goal, solver) else { return relational::nothing(goal, &COUPLING) };
        let mut at = |level| summarised(goal, &COUPLING, Some((level, evidence.clone())), solver);
        let proof = at(Level::Full);
        if proof.level.is_some() { proof } else { at(Level::Partial) }
    }
}

/// The summaries that prove a pair, if some are found.
fn prove(goal: &Goal<'_>, solver: &mut Solver) -> Option<SummariesEvidence> {
    let mut steps = Steps::of(goal.program, goal.pair, [0, 0])?;
    if steps.all_recursive().is_empty() {
        return None;
    }
    let near = steps.compared_with(MAX_NEAR);
    let mut runs = Simulator::runs(&steps, goal.pair, &near);
    let assumed = assumptions(goal.program, goal.pair, goal.when, steps.arena());
    runs.retain(|[left, _]| satisfies(&steps, &assumed, left));
    let mut tried = BTreeSet::new();
    let pairs = !both_end(goal.program, goal.pair);
    let attempts =
        STAGE_ATTEMPTS.iter().flat_map(|own| own.1.iter().map(|&order| (Manner { pace: own.0, order, pairs }, own.2)));
    let divides = !steps.divisors().is_empty();
    let wanted = |own: &(Manner, LookedFor)| divides || own.1 != LookedFor::Quotients;
    attempts.into_iter().filter(wanted).find_map(|(manner, looked_for)| {
        let walk = Walk::through(&steps, &runs, manner)?;
        // With one stage on each side there is nothing beside it.
        let order = if manner.order == Order::Beside && walk.is_plain() { Order::First } else { manner.order };
        if !tried.insert((walk.paces.clone(), order, looked_for)) {
            return None;
        }
        let facts = observed(&mut steps, &walk, (manner.order, looked_for));
        let with = |solver: &mut Solver| {
            let search = Search {
                steps: &mut steps,
                solver,
                pair: goal.pair,
                assumed: &assumed,
                manner,
                walk: &walk,
                facts,
                queries: MAX_STAGE_QUERIES,
            };
            search.prove()
        };
        match looked_for {
            // What is divided is often left undecided, which is not to cost the others their turn.
            LookedFor::Quotients => solver.with_patience(MAX_UNDECIDED_QUOTIENTS, with),
            LookedFor::Little | LookedFor::Bounds | LookedFor::Squares => with(solver),
        }
    })
}

/// Whether a run began as is assumed, as far as that can be seen without its heap.
fn satisfies(steps: &Steps<'_>, assumed: &[Term], run: &[(ProcId, Activation)]) -> bool {
    let Some((id, whole)) = run.first() else { return true };
    let inputs = steps.inputs_ref(0, *id).iter().copied().zip(whole.input.iter().cloned());
    let mut values = inputs.collect();
    let truth = |&fact: &Term| steps.terms_ref().evaluate(fact, &mut values, &mut ());
    assumed.iter().filter_map(truth).all(|truth| !truth.is_zero())
}

/// What is looked for, besides linear equations, remainders and bounds on what the program itself compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LookedFor {
    /// Nothing.
    Little,
    /// Bounds on sums and differences of any two variables, and what is 0 together.
    Bounds,
    /// Equations of the second degree.
    Squares,
    /// Bounds on what is divided.
    Quotients,
}

/// What is said of the calls of a key.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// Over what goes in, and lengths.
    before: Vec<Fact>,
    /// Over what goes in, what comes out, and lengths: how calls begin that come after others.
    given: Vec<Fact>,
    /// Over the same.
    after: Vec<Fact>,
}

/// The part of what is said of some calls that is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Before,
    Given,
    After,
}

impl Facts {
    fn part(&mut self, part: Part) -> &mut Vec<Fact> {
        match part {
            Part::Before => &mut self.before,
            Part::Given => &mut self.given,
            Part::After => &mut self.after,
        }
    }
}

/// What the rows of each key have in common.
fn observed(steps: &mut Steps<'_>, walk: &Walk, looked_for: (Order, LookedFor)) -> BTreeMap<Key, Facts> {
    walk.rows.iter().map(|(key, rows)| (key.clone(), common(steps, (key, rows), looked_for))).collect()
}

fn common(steps: &mut Steps<'_>, (key, rows): (&Key, &Rows), (order, looked_for): (Order, LookedFor)) -> Facts {
    let calls = wholes(steps, key);
    let columns = [steps.with_lengths(inputs(&calls)), steps.with_lengths(all(&calls))];
    let [of_inputs, of_all] = columns.clone().map(|columns| sorts(steps, &columns));
    let beside = |one: &[Vec<BigInt>]| -> Vec<Vec<BigInt>> {
        one.iter().zip(&rows.lengths).map(|(row, lengths)| [&row[..], lengths].concat()).collect()
    };
    let going_in = beside(&rows.inputs);
    let whole: Vec<Vec<BigInt>> = rows.inputs.iter().zip(&rows.outputs).map(|(a, b)| [&a[..], b].concat()).collect();
    let whole = beside(&whole);
    let of: Vec<(usize, ProcId)> = (0..2).flat_map(|at| key[at].first().map(|&id| (at, id))).collect();
    let templates = match looked_for {
        LookedFor::Squares => steps.templates(&of, &columns[0], 2),
        LookedFor::Quotients => steps.templates_of_quotients(&of, &columns[0]),
        LookedFor::Little | LookedFor::Bounds => steps.templates(&of, &columns[0], 1),
    };
    let mut before = templates::common(&going_in, &of_inputs, &templates);
    before.retain(|fact| looked_for == LookedFor::Bounds || is_worth_it(fact, &templates));
    let (count, first) = (calls.iter().map(|call| call.input.len()).sum::<usize>(), at_work(key, order));
    let out = count + calls.iter().map(|call| call.output.len()).sum::<usize>();
    if calls.len() == 1 && looked_for == LookedFor::Bounds {
        before.extend(extremes(&going_in, &of_inputs, 0..count));
    }
    let after = of_outputs(&whole, &of_all, (count..out, calls.len()), looked_for);
    // Where a call begins that comes later, in terms of all that is known by then.
    let mut later = BTreeSet::new();
    let mut start = 0;
    for (at, call) in calls.iter().enumerate() {
        if !first.contains(&at) {
            later.extend(start..start + call.input.len());
        }
        start += call.input.len();
    }
    let given = match order {
        // What goes into one call may depend on what comes out of another: what of it does not is told by the search.
        Order::Beside if calls.len() > 2 => after.clone(),
        _ => equal_columns(&whole, &of_all, &|one, other| later.contains(&one) && one != other && other < out),
    };
    Facts { before, given, after }
}

/// What rows have in common, in the columns of what comes out of so many calls. Bounds on what comes out are many, and seldom needed
/// but where one side goes on alone.
fn of_outputs(
    rows: &[Vec<BigInt>],
    sorts: &[Sort],
    (outputs, calls): (Range<usize>, usize),
    looked_for: LookedFor,
) -> Vec<Fact> {
    let mut facts: Vec<Fact> = fit(rows, sorts, 1).into_iter().map(Fact::Equation).collect();
    facts
        .extend(equal_columns(rows, sorts, &|one, other| outputs.contains(&one) && one < other && other < outputs.end));
    if looked_for == LookedFor::Bounds {
        facts.extend(if calls > 1 { zero_together(rows, sorts, outputs) } else { extremes(rows, sorts, outputs) });
    }
    facts
}

/// Whether a fact is one to ask about: bounds on two variables are many, and only those that the program looks at are.
fn is_worth_it(fact: &Fact, templates: &Templates) -> bool {
    let Fact::AtMostZero(sum) = fact else { return true };
    let shape = sum.clone().without_constant();
    let negated = shape.times(&BigInt::from(-1));
    let divided = shape.parts.iter().any(|(factor, _)| templates.divisors.contains(&factor.abs()));
    divided || shape.parts.len() < 2 || [shape, negated].iter().any(|shape| templates.conditions.contains(shape))
}

/// The positions of the first calls of both versions.
fn first(key: &Key) -> BTreeSet<usize> {
    let second = key[0].len();
    [(!key[0].is_empty()).then_some(0), (!key[1].is_empty()).then_some(second)].into_iter().flatten().collect()
}

/// The positions of the calls at work.
fn at_work(key: &Key, order: Order) -> BTreeSet<usize> {
    if order == Order::Beside { (0..slots(key).len()).collect() } else { first(key) }
}

/// The calls of a key, with their versions.
fn slots(key: &Key) -> Vec<(usize, ProcId)> {
    (0..2).flat_map(|version| key[version].iter().map(move |&id| (version, id))).collect()
}

/// That columns are equal which are so in all rows.
fn equal_columns(rows: &[Vec<BigInt>], sorts: &[Sort], wanted: &dyn Fn(usize, usize) -> bool) -> Vec<Fact> {
    let mut found = Vec::new();
    for one in 0..sorts.len() {
        for other in 0..sorts.len() {
            let fits = wanted(one, other) && sorts[one] == sorts[other];
            if fits && rows.iter().all(|row| row[one] == row[other]) {
                found.push(Fact::Equation(Equation::same(one, other)));
            }
        }
    }
    found
}

/// Which of two values among some columns are 0 only where the other is, or where it is not: so a count and a flag say the same of
/// whether there is any.
fn zero_together(rows: &[Vec<BigInt>], sorts: &[Sort], columns: Range<usize>) -> Vec<Fact> {
    let numbers: Vec<usize> = columns.filter(|&at| sorts[at] != Sort::Ref).collect();
    let mixed = |at: usize| rows.iter().any(|row| row[at].is_zero()) && rows.iter().any(|row| !row[at].is_zero());
    let mut found = Vec::new();
    for (number, &one) in numbers.iter().enumerate().filter(|(_, one)| mixed(**one)) {
        for &other in numbers[number + 1..].iter().filter(|other| mixed(**other)) {
            for said in [(true, true), (true, false), (false, true), (false, false)] {
                let holds = |row: &Vec<BigInt>| row[one].is_zero() == said.0 || row[other].is_zero() == said.1;
                if rows.iter().all(holds) {
                    found.push(Fact::OneOf(vec![Fact::IsZero(one, said.0), Fact::IsZero(other, said.1)]));
                }
            }
        }
    }
    found
}

/// The smallest and the greatest number of each of some columns.
fn extremes(rows: &[Vec<BigInt>], sorts: &[Sort], columns: Range<usize>) -> Vec<Fact> {
    let mut found = Vec::new();
    for at in columns.filter(|&at| sorts[at] == Sort::Int) {
        let values = || rows.iter().map(|row| &row[at]);
        let (Some(least), Some(most)) = (values().min(), values().max()) else { continue };
        let bound =
            |sign: i32, by: BigInt| Polynomial { parts: vec![(BigInt::from(sign), vec![at]), (by, Vec::new())] };
        found.extend([bound(-1, least.clone()), bound(1, -most)].map(Fact::AtMostZero));
    }
    found
}

/// The calls of a key as wholes: the first over the variables that paths are over.
fn wholes(steps: &mut Steps<'_>, key: &Key) -> Vec<Call> {
    let first = first(key);
    slots(key)
        .into_iter()
        .enumerate()
        .map(|(n, (version, id))| match first.contains(&n) {
            true => steps.whole(version, id),
            false => steps.another(n, version, id),
        })
        .collect()
}

fn inputs(calls: &[Call]) -> Vec<Term> {
    calls.iter().flat_map(|call| call.input.iter().copied()).collect()
}

fn all(calls: &[Call]) -> Vec<Term> {
    inputs(calls).into_iter().chain(calls.iter().flat_map(|call| call.output.iter().copied())).collect()
}

/// What is known on two paths of the procedures themselves, and the calls on these.
type Start = (Vec<Term>, Key, Vec<Call>);

/// One way a side can take: a path, whether it leaves its stage on it, and the call by which it goes on.
#[derive(Clone)]
struct Way {
    step: Step,
    turn: Turn,
    next: Option<Call>,
}

struct Search<'a, 'p> {
    steps: &'a mut Steps<'p>,
    solver: &'a mut Solver,
    pair: Pair,
    /// What holds where both start.
    assumed: &'a [Term],
    manner: Manner,
    walk: &'a Walk,
    facts: BTreeMap<Key, Facts>,
    /// How many more queries may be asked.
    queries: usize,
}

impl Search<'_, '_> {
    /// Drops what does not follow; the summaries that are left, if they are enough.
    fn prove(mut self) -> Option<SummariesEvidence> {
        let start = self.start()?;
        let outputs = self.steps.equal_outputs(self.pair);
        if !self.may_do(&start, outputs) {
            return None;
        }
        let keys: Vec<Key> = self.facts.keys().cloned().collect();
        let inductive = houdini::all_hold(start.len() + keys.len(), MAX_ROUNDS, |at| match start.get(at) {
            Some((known, key, calls)) => Look::weakened(self.begins(known, key, calls).is_none()),
            None => match self.look(&keys[at - start.len()]) {
                Look::Weakened if !self.may_do(&start, outputs) => Look::Hopeless,
                look => look,
            },
        });
        let enough = inductive
            && start.iter().all(|(known, key, calls)| {
                self.begins(known, key, calls).is_some_and(|known| self.follows(&known, &[outputs]))
            });
        if enough { Some(self.told()) } else { None }
    }

    /// Whether what is said now would be enough. Facts only grow fewer: what all of them do not show is not shown.
    fn may_do(&mut self, start: &[Start], outputs: Term) -> bool {
        start.iter().all(|(known, key, calls)| {
            let known = [&known[..], &self.terms(key, calls, Part::After)].concat();
            self.follows(&known, &[outputs])
        })
    }

    /// The two procedures, from equal inputs.
    fn start(&mut self) -> Option<Vec<Start>> {
        let equal = [&self.steps.equal_inputs(self.pair), self.assumed].concat();
        let ids = [self.pair.0, self.pair.1];
        let sides = [0, 1].map(|version| self.root(version, ids[version]));
        let mut found = Vec::new();
        for (left, mine) in &sides[0] {
            for (right, theirs) in &sides[1] {
                let known: Vec<Term> = equal.iter().chain(left).chain(right).copied().collect();
                let key = [mine, theirs].map(|calls| calls.iter().map(|call| call.callee).collect());
                found.push((known, key, [&mine[..], theirs].concat()));
            }
        }
        (!found.is_empty()).then_some(found)
    }

    /// The paths of a procedure of the pair, each with its calls that recur; one that recurs is a call itself.
    fn root(&mut self, version: usize, id: ProcId) -> Vec<(Vec<Term>, Vec<Call>)> {
        if self.steps.recursive(version, id) {
            return vec![(Vec::new(), vec![self.steps.whole(version, id)])];
        }
        let paths = self.steps.steps(version, id);
        let mut found = Vec::new();
        for step in paths {
            let mut known = step.path.clone();
            known.extend(self.steps.output_is(version, id, &step));
            let calls = step.calls.iter().filter(|call| self.steps.recursive(version, call.callee)).cloned().collect();
            found.push((known, calls));
        }
        found
    }

    /// Drops what the start of calls does not satisfy; what is known of their end, `None` when something was dropped.
    fn begins(&mut self, known: &[Term], key: &Key, calls: &[Call]) -> Option<Vec<Term>> {
        let dropped = [Part::Before, Part::Given].map(|part| self.drop_unproved(key, calls, known, part));
        (dropped == [false, false]).then(|| [known, &self.terms(key, calls, Part::After)].concat())
    }

    /// Drops what the calls of a key do not give, and what those after them are not given.
    fn look(&mut self, key: &Key) -> Look {
        let wholes = wholes(self.steps, key);
        let (at_work, first, pace) = (at_work(key, self.manner.order), first(key), self.walk.pace(key));
        let mut together: Vec<Vec<Option<Way>>> = vec![Vec::new()];
        for (n, (version, id)) in slots(key).into_iter().enumerate() {
            let own: Vec<Option<Way>> = match at_work.contains(&n) {
                false => vec![None],
                true => {
                    let apart = (!first.contains(&n)).then_some(n);
                    let Some(ways) = self.ways((version, id), pace[version], apart) else { return Look::Hopeless };
                    ways.into_iter().map(Some).collect()
                }
            };
            let with_each = |before: &Vec<_>| {
                own.iter().map(|way| [&before[..], std::slice::from_ref(way)].concat()).collect::<Vec<_>>()
            };
            together = together.iter().flat_map(with_each).collect();
        }
        let mut weakened = false;
        for ways in &together {
            weakened |= self.ways_together(key, &wholes, ways);
        }
        if self.queries == 0 { Look::Hopeless } else { Look::weakened(weakened) }
    }

    /// What becomes of each call of a key.
    fn moves(&self, key: &Key, ways: &[Option<Way>]) -> Vec<Move> {
        let turn = |at: usize| ways.get(at).and_then(Option::as_ref).map_or(Turn::Over, |way| way.turn);
        if self.manner.order == Order::Beside {
            return (0..ways.len()).map(|at| if turn(at) == Turn::On { Move::Go } else { Move::Leave }).collect();
        }
        let second = key[0].len();
        let turns = [
            if key[0].is_empty() { Turn::Over } else { turn(0) },
            if key[1].is_empty() { Turn::Over } else { turn(second) },
        ];
        let of_sides = moves(turns, [second, key[1].len()], self.manner.order == Order::Waiting);
        let of_slot = |at: usize| match at {
            0 if second > 0 => of_sides[0],
            _ if at == second => of_sides[1],
            _ => Move::Stay,
        };
        (0..ways.len()).map(of_slot).collect()
    }

    /// Whether something was dropped.
    fn ways_together(&mut self, key: &Key, wholes: &[Call], ways: &[Option<Way>]) -> bool {
        let mut known = self.terms(key, wholes, Part::Before);
        known.extend(self.terms(key, wholes, Part::Given));
        let mut next_key = Key::default();
        let mut next_calls = Vec::new();
        let moves = self.moves(key, ways);
        for (at, (version, id)) in slots(key).into_iter().enumerate() {
            if let Some(way) = &ways[at] {
                known.extend(&way.step.path);
                let outputs = wholes[at].output.iter().zip(&way.step.output);
                known.extend(outputs.map(|(&whole, &own)| self.steps.terms().eq(whole, own)).collect::<Vec<_>>());
            }
            let next = match (moves[at], &ways[at]) {
                (Move::Go, Some(Way { next: Some(next), .. })) => next,
                (Move::Leave, _) => continue,
                _ => &wholes[at],
            };
            next_key[version].push(id);
            next_calls.push(next.clone());
        }
        if !next_calls.is_empty() {
            match self.begins(&known, &next_key, &next_calls) {
                Some(more) => known = more,
                None => return true,
            }
        }
        self.drop_unproved(key, wholes, &known, Part::After)
    }

    /// The ways through some turns of a stage; over the variables of the call with that number, where there is one.
    fn ways(&mut self, (version, id): (usize, ProcId), turns: usize, apart: Option<usize>) -> Option<Vec<Way>> {
        let goes_on = |step: &Step| step.calls.iter().rev().find(|call| call.callee == id).cloned();
        let at_once: Vec<Vec<Term>> = self
            .steps
            .steps(version, id)
            .iter()
            .filter(|step| goes_on(step).is_none())
            .map(|step| step.path.clone())
            .collect();
        let ways = self.steps.deeper(version, id, turns)?.into_iter().map(|step| {
            let at_once = at_once.contains(&step.path);
            let step = match apart {
                Some(n) => self.steps.apart(n, version, &step),
                None => step,
            };
            let next = goes_on(&step);
            let turn = match &next {
                Some(_) => Turn::On,
                None if at_once => Turn::AtOnce,
                None => Turn::Within,
            };
            Way { step, turn, next }
        });
        Some(ways.collect())
    }

    /// What is said of some calls.
    fn terms(&mut self, key: &Key, calls: &[Call], part: Part) -> Vec<Term> {
        let Some(facts) = self.facts.get_mut(key).map(|facts| facts.part(part).clone()) else { return Vec::new() };
        let values = if part == Part::Before { inputs(calls) } else { all(calls) };
        let values = self.steps.with_lengths(values);
        facts.iter().map(|fact| fact.term(self.steps.terms(), &values)).collect()
    }

    /// Drops what does not follow of what is said of some calls; whether anything did not.
    fn drop_unproved(&mut self, key: &Key, calls: &[Call], known: &[Term], part: Part) -> bool {
        let goals = self.terms(key, calls, part);
        let failed = self.asking().unproved(known, &goals);
        self.facts.get_mut(key).is_some_and(|facts| houdini::remove(facts.part(part), &failed))
    }

    fn follows(&mut self, known: &[Term], goals: &[Term]) -> bool {
        self.asking().unproved(known, goals).is_empty()
    }

    fn asking(&mut self) -> Asking<'_> {
        Asking {
            solver: self.solver,
            arena: self.steps.arena(),
            queries: &mut self.queries,
            purpose: &Purpose::SummaryInductive,
            exact: false,
        }
    }

    /// What is left, as the kernel has it.
    fn told(mut self) -> SummariesEvidence {
        let mut summaries = Vec::new();
        for (key, facts) in std::mem::take(&mut self.facts) {
            let calls = wholes(self.steps, &key);
            let columns = [self.steps.with_lengths(inputs(&calls)), self.steps.with_lengths(all(&calls))];
            let [inputs, all] = columns.map(|columns| sorts(self.steps, &columns));
            let told = |facts: &[Fact], sorts: &[Sort]| facts.iter().map(|fact| fact.told(sorts)).collect();
            let pace = self.walk.pace(&key);
            let beside = self.manner.order == Order::Beside;
            let slots = |version: usize| {
                let turns = |at: usize| if at == 0 || beside { pace[version] } else { 0 };
                key[version].iter().enumerate().map(|(at, &callee)| Slot { callee, turns: turns(at) }).collect()
            };
            let (before, given) = (told(&facts.before, &inputs), told(&facts.given, &all));
            summaries.push(Summary { of: [slots(0), slots(1)], before, given, after: told(&facts.after, &all) });
        }
        SummariesEvidence { plan: self.steps.plan(self.pair), summaries, exact: BTreeSet::new() }
    }
}
