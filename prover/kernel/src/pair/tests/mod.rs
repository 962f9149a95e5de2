//! Evidence that is wrong is refused, whatever is wrong with it, and evidence that is right is not.

mod each;
mod facts;
mod holes;
mod outcomes;
mod relations;
mod summaries;
mod sweeps;

use super::loops::{Frame, LoopRelation, LoopsEvidence};
use super::paths::{PathPair, PathsEvidence, Relations, meetings};
use super::plan::{InliningPlan, Run, Turns};
use super::summaries::{Formula, Polynomial, Slot, SummariesEvidence, Summary};
use super::{Both, Goal, Pair, PairEvidence, check};
use crate::effects::{Effects, syntactic};
use crate::exec::state::Outcome;
use crate::relate::{
    Apart, Atom, CallRelation, Cases, Claims, End, Fact, Leaf, Level, Match, Part, RelationEvidence, Repeat, Step, Uses,
};
use lang_l::hir::{FieldId, Origin, ProcId, Unit};
use num_bigint::BigInt;
use smt::arena::Arena;
use smt::solve::{QueryBudget, Solver};
use smt::term::Ending;
use std::collections::{BTreeMap, BTreeSet};

/// Version 1 counts from one. Of each version `run` is procedure 0, and `count` is procedure 1: its loop.
const COUNTS: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(cell: Cell, n: int) returns (r: int) { r := count(0, n, cell); }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { r := i; if (i < n) { r := count(i + 1, n, c); } }
    version 1
    procedure run(cell: Cell, n: int) returns (r: int) { r := count(1, n, cell); }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { r := i - 1; if (i < n + 1) { r := count(i + 1, n, c); } }";

const CALLS: &str = "
    version 0
    procedure run(n: int) returns (r: int) { r := ask(n); }
    procedure ask(n: int) returns (r: int);
    version 1
    procedure run(n: int) returns (r: int) { r := ask(n + 0); }
    procedure ask(n: int) returns (r: int);";

const RUN: Pair = (ProcId(0), ProcId(0));
const OTHER: Pair = (ProcId(1), ProcId(1));

struct Case {
    unit: Unit,
    effects: [Vec<Effects>; 2],
    claims: Claims,
}

impl Case {
    fn new(text: &str, claims: &[(Pair, Level)]) -> Case {
        let unit = lang_l::load([("pair.l", text)]).expect("a legal program").unit;
        let effects = [0, 1].map(|version| syntactic(&unit, version));
        Case { unit, effects, claims: claims.iter().copied().collect() }
    }

    /// The program whose `count` is a loop.
    fn counts() -> Case {
        Case::loops(COUNTS)
    }

    /// A program whose procedure 1 is a loop of procedure 0.
    fn loops(text: &str) -> Case {
        let mut case = Case::new(text, &[]);
        for (version, effects) in case.unit.versions.iter_mut().zip(&mut case.effects) {
            let own = &mut version.procedures[1];
            own.origin = Origin::Loop { of: ProcId(0), number: 1, returns: false };
            effects[1].modifies = own.modifies.as_ref().map(|own| own.places.clone());
        }
        case
    }

    fn program(&self) -> Both<'_> {
        Both { unit: &self.unit, written: &self.unit, effects: [&self.effects[0], &self.effects[1]] }
    }

    /// What is said of [`RUN`] where calls match in order.
    fn in_order(&self) -> Relations {
        let (program, plan) = (self.program(), InliningPlan::of(Default::default(), [0, 0]));
        let run = Run { program, pair: RUN, plan: &plan, own: None };
        in_order(&run.outcomes(&[], &mut Arena::new(&self.unit)).expect("they are small"))
    }

    /// A proof by this relation of the loops, with what is said of the outcomes of the pair and of the loops.
    fn related(&self, own: LoopRelation, said: fn(&[Vec<Outcome>; 2]) -> Relations) -> PairEvidence {
        self.all_related(vec![own], said)
    }

    /// The same by several relations.
    fn all_related(&self, loops: Vec<LoopRelation>, said: fn(&[Vec<Outcome>; 2]) -> Relations) -> PairEvidence {
        let goal = Goal { program: self.program(), pair: RUN, when: None, claims: &self.claims };
        let plan = paths(Relations::new()).plan;
        let frame = Frame { goal, level: Level::Full, plan: &plan, loops: &loops };
        let effects = frame.effects();
        let program = Both { effects: [&effects[0], &effects[1]], ..self.program() };
        let outcomes = |target| frame.outcomes(program, target, &mut Arena::new(&self.unit)).expect("they are small");
        let mut all = frame.targets().into_iter().map(|target| said(&outcomes(target)));
        let whole = paths(all.next().expect("the pair is one of them"));
        PairEvidence::Loops(LoopsEvidence { whole, loops: loops.iter().cloned().zip(all).collect() })
    }

    /// All that is claimed, as it is where a proof rests on it.
    fn all(&self) -> Uses {
        Uses { always: self.claims.always.clone(), ..Uses::new() }
    }

    fn check_pair(&self, pair: Pair, evidence: &PairEvidence) -> Result<Uses, String> {
        let goal = Goal { program: self.program(), pair, when: None, claims: &self.claims };
        let mut solver = Solver::new(QueryBudget::default());
        let shown = check(&goal, Level::Full, evidence, &mut solver);
        shown.map(|(used, _)| used).map_err(|refused| refused.0)
    }

    fn refused(&self, evidence: &PairEvidence) -> String {
        self.check_pair(RUN, evidence).expect_err("this shows nothing")
    }
}

/// No calls in place, and these relations.
fn paths(relations: Relations) -> PathsEvidence {
    PathsEvidence { plan: InliningPlan::of(Default::default(), [0, 0]), relations }
}

/// What is said of outcomes whose calls match in order.
fn in_order(both: &[Vec<Outcome>; 2]) -> Relations {
    let said = |meeting: &PathPair| {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        let calls = left.calls.iter().zip(&right.calls);
        let calls = calls.map(|(&left, &right)| Match { left, right, under: None, allocs: BTreeMap::new() }).collect();
        let returns =
            left.ending == Ending::Normal && right.ending == Ending::Normal && left.calls.len() == right.calls.len();
        let end = if returns { End::Isomorphic(BTreeMap::new()) } else { End::Exclusive };
        RelationEvidence { repeats: Default::default(), cases: Cases::Settled(Leaf { calls, end }) }
    };
    meetings(both).iter().map(|meeting| (meeting.numbers(), said(meeting))).collect()
}

fn atom(version: usize, parameter: usize) -> Atom {
    Atom { version, parameter, steps: Vec::new() }
}

/// A relation of the loops of [`COUNTS`].
fn relation(entry: CallRelation, results: Vec<(usize, usize)>) -> PairEvidence {
    let own = LoopRelation { pair: OTHER, entry, results, turns: Turns::default() };
    PairEvidence::Loops(LoopsEvidence { whole: paths(Relations::new()), loops: vec![(own, Relations::new())] })
}

fn with_fact(fact: Fact) -> PairEvidence {
    relation(CallRelation { equal: vec![(1, 1), (2, 2)], facts: vec![fact], ..CallRelation::default() }, Vec::new())
}

#[test]
fn calls_match_by_claims_alone() {
    let case = Case::new(CALLS, &[(OTHER, Level::Full)]);
    let said = PairEvidence::Paths(paths(case.in_order()));
    assert_eq!(case.check_pair(RUN, &said), Ok(case.all()));
    let mut far = Case::new(CALLS, &[(OTHER, Level::Full)]);
    far.effects[1][1].non_local = true;
    for case in [Case::new(CALLS, &[]), far] {
        let why = case.refused(&said);
        assert!(why.contains("not claimed"), "{why}");
        assert!(case.refused(&PairEvidence::Paths(paths(Relations::new()))).contains("contradict"));
        assert_eq!(case.refused(&PairEvidence::SameCode), "the two are not the same code over equivalent callees");
    }
}

#[test]
fn nothing_is_said_of_paths_that_are_not_there() {
    let case = Case::new(CALLS, &[(OTHER, Level::Full)]);
    let mut more = case.in_order();
    more.insert((40, 40), RelationEvidence::default());
    assert!(case.refused(&PairEvidence::Paths(paths(more))).contains("need not be related"));
}

#[test]
fn an_external_is_itself_and_nothing_else() {
    let case = Case::new(CALLS, &[]);
    assert_eq!(case.check_pair(OTHER, &PairEvidence::External), Ok(Uses::new()));
    assert!(case.check_pair(RUN, &PairEvidence::External).is_err());
    assert!(case.check_pair(OTHER, &PairEvidence::Paths(paths(Relations::new()))).is_err());
    assert!(case.check_pair((ProcId(0), ProcId(1)), &PairEvidence::External).is_err());
    assert!(case.check_pair((ProcId(0), ProcId(7)), &PairEvidence::External).is_err());
}

#[test]
fn the_same_code_is_no_better_than_its_callees() {
    let text = CALLS.replace(" + 0", "");
    let full = Case::new(&text, &[(OTHER, Level::Full)]);
    assert_eq!(full.check_pair(RUN, &PairEvidence::SameCode), Ok(full.all()));
    let partial = Case::new(&text, &[(OTHER, Level::Partial)]);
    assert_eq!(partial.refused(&PairEvidence::SameCode), "less was proved than is claimed");
}

#[test]
fn a_plan_executes_what_has_a_body_and_not_too_deep() {
    let case = Case::new(CALLS, &[]);
    let plan = |inline: u32, depth: usize, outcomes| InliningPlan {
        outcomes,
        ..InliningPlan::of([[ProcId(inline)].into(), Default::default()], [depth, 0])
    };
    for wrong in [plan(1, 1, None), plan(9, 1, None), plan(0, 9, None), plan(0, 65, Some(6)), plan(0, 9, Some(25))] {
        let why = case.refused(&PairEvidence::Paths(PathsEvidence { plan: wrong, relations: Relations::new() }));
        assert!(why.contains("in place"), "{why}");
    }
}

#[test]
fn calls_are_told_apart_by_a_plan_of_paths_alone() {
    let PairEvidence::Loops(mut evidence) = with_fact(Fact::Equal(atom(1, 0), atom(0, 0), 1)) else { unreachable!() };
    evidence.whole.plan.told_apart[0].insert(ProcId(1));
    let why = Case::counts().refused(&PairEvidence::Loops(evidence));
    assert!(why.contains("told apart by paths alone"), "{why}");
}

#[test]
fn loops_and_helpers_run_in_step_under_what_relates_them() {
    for case in [Case::counts(), Case::new(COUNTS, &[])] {
        run_in_step(&case);
    }
}

fn run_in_step(case: &Case) {
    let said = |facts: Vec<Fact>| {
        let entry = CallRelation { equal: vec![(1, 1), (2, 2)], facts, ..CallRelation::default() };
        case.related(LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() }, in_order)
    };
    let ahead = |by: i64| Fact::Equal(atom(1, 0), atom(0, 0), by);
    assert_eq!(case.check_pair(RUN, &said(vec![ahead(1)])), Ok(Uses::new()));
    for wrong in [vec![], vec![ahead(0)], vec![ahead(2)], vec![Fact::AtMost(atom(0, 0), atom(1, 0), 0)]] {
        assert!(case.check_pair(RUN, &said(wrong.clone())).is_err(), "{wrong:?}");
    }
}

#[test]
fn variables_go_together_once_and_by_type() {
    let case = Case::counts();
    for equal in [vec![(0, 2)], vec![(0, 3)], vec![(7, 0)], vec![(0, 0), (0, 1)], vec![(0, 1), (1, 1)]] {
        let entry = CallRelation { equal, ..CallRelation::default() };
        let why = case.refused(&relation(entry, Vec::new()));
        assert!(why.contains("cannot be equal"), "{why}");
    }
    for results in [vec![(0, 1)], vec![(0, 0), (0, 0)]] {
        let why = case.refused(&relation(CallRelation::default(), results));
        assert!(why.contains("cannot be equal"), "{why}");
    }
}

#[test]
fn what_holds_at_ends_is_shown_of_all_ends() {
    let case = Case::counts();
    let result = |version: usize| atom(version, case.program().code(OTHER)[version].params);
    let equal = vec![(1, 1), (2, 2)];
    let entry = |exit: Vec<Fact>| CallRelation { equal: equal.clone(), exit, ..CallRelation::default() };
    let why = |exit: Vec<Fact>| case.refused(&relation(entry(exit), Vec::new()));
    assert!(!why(vec![Fact::Equal(result(0), result(1), 0)]).contains("has no meaning"));
    for wrong in [Fact::Equal(atom(0, 9), result(1), 0), Fact::AtLeast(atom(1, 2), 0), Fact::NotNull(result(0))] {
        assert!(why(vec![wrong.clone()]).contains("has no meaning"), "{wrong:?}");
    }
    // On entry there are no results.
    let early =
        CallRelation { equal: equal.clone(), facts: vec![Fact::AtLeast(result(0), 0)], ..CallRelation::default() };
    assert!(case.refused(&relation(early, Vec::new())).contains("has no meaning"));
}

#[test]
fn heaps_differ_where_there_is_a_number_to_differ_by() {
    let case = Case::counts();
    let places = [(0, 0, 0), (0, 2, 9), (2, 2, 0), (1, 9, 0), (0, 2, 1)];
    for (version, parameter, field) in places {
        let entry = CallRelation {
            equal: vec![(1, 1), (2, 2)],
            apart: vec![Apart { version, parameter, of: Part::Field(field) }],
            ..CallRelation::default()
        };
        let why = case.refused(&relation(entry, Vec::new()));
        assert!(why.contains("differ where they cannot"), "{version} {parameter} {field}: {why}");
    }
}

#[test]
fn few_turns_are_executed_in_place() {
    let case = Case::counts();
    let PairEvidence::Loops(mut evidence) = with_fact(Fact::Equal(atom(1, 0), atom(0, 0), 1)) else { unreachable!() };
    evidence.loops[0].0.turns = Turns { first: [0, 5], ..Turns::default() };
    assert!(case.refused(&PairEvidence::Loops(evidence)).contains("too many turns"));
}

/// Both call `count` twice, and give back different sums.
const TWICE: &str = "
    version 0
    procedure run(n: int) returns (r: int) requires n >= 1; { x := count(n); y := count(n - 1); r := x + y; }
    procedure count(n: int) returns (r: int) { if (n > 0) { r := count(n - 1); } }
    version 1
    procedure run(n: int) returns (r: int) requires n >= 1; { x := count(n); y := count(n - 1); r := x + y + 1; }
    procedure count(n: int) returns (r: int) { if (n > 0) { r := count(n - 1); } }";

/// What does not hold of two calls is not told of a call and one within it, which only looks as if it were smaller.
#[test]
fn a_summary_of_several_calls_is_told_of_calls_that_do_not_overlap() {
    let mut case = Case::new(TWICE, &[]);
    for own in case.effects.iter_mut().flatten() {
        own.errs_only_if_null = Some(Vec::new());
        own.terminates = true;
    }
    let sum = |parts: &[(i64, Vec<usize>)]| Polynomial {
        parts: parts.iter().map(|(factor, of)| (BigInt::from(*factor), of.clone())).collect(),
    };
    // Of the results of calls with arguments from 1 on, the second one smaller by 1.
    let before = vec![
        Formula::Zero(sum(&[(1, vec![0]), (-1, vec![1]), (-1, vec![])])),
        Formula::AtMostZero(sum(&[(1, vec![]), (-1, vec![0])])),
    ];
    let said = |turns: [usize; 2], after: Formula| {
        let slots = turns.map(|turns| Slot { callee: ProcId(1), turns }).to_vec();
        let summary =
            Summary { of: [slots, Vec::new()], before: before.clone(), given: Vec::new(), after: vec![after] };
        let plan = InliningPlan::of(Default::default(), [0, 0]);
        PairEvidence::Summaries(SummariesEvidence { plan, summaries: vec![summary], exact: BTreeSet::new() })
    };
    for turns in [[0, 0], [1, 0], [0, 1], [1, 1], [2, 1]] {
        // They never both return.
        let why = case.refused(&said(turns, Formula::Any(Vec::new())));
        assert!(why.contains("does not follow from those of the calls within"), "{turns:?}: {why}");
    }
    // Both give back 0: that is no difference, and no proof either.
    let why = case.refused(&said([1, 1], Formula::Zero(sum(&[(1, vec![2]), (-1, vec![3])]))));
    assert!(why.contains("follow") || why.contains("end alike"), "{why}");
    for wrong in [[99, 1], [1, 99]] {
        assert_eq!(case.refused(&said(wrong, Formula::Any(Vec::new()))), "a summary has no meaning");
    }
}

/// The loops do different things, and neither looks at `value`. That they are called with other values there says nothing of them.
const UNSEEN: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(cell: Cell, n: int) returns (r: int) { if (cell != null) { cell.value := 3; r := count(0, n, cell); cell.value := 0; } }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { r := 0; if (i < n) { r := count(i + 1, n, c); } }
    version 1
    procedure run(cell: Cell, n: int) returns (r: int) { if (cell != null) { cell.value := 5; r := count(0, n, cell); cell.value := 0; } }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { r := 1; if (i < n) { r := count(i + 1, n, c); } }";

#[test]
fn facts_read_what_the_loops_look_at_alone() {
    let case = Case::loops(UNSEEN);
    let value = |version: usize| Atom { version, parameter: 2, steps: vec![Step::Field(FieldId(0))] };
    let facts = vec![Fact::NotNull(atom(0, 2)), Fact::AtMost(value(0), value(1), -1)];
    let entry = CallRelation { equal: vec![(0, 0), (1, 1), (2, 2)], facts, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    case.refused(&case.related(own, in_order));
}

/// The first loop leaves two values in the cell, the second one twice the same. Only the first program looks at them.
const REPEATED: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(cell: Cell, n: int) returns (r: int) {
        if (cell != null) {
            cell.value := 1; x := count(0, n, cell); a := cell.value;
            cell.value := 2; x := count(0, n, cell); b := cell.value;
            cell.value := 0; if (a != b) { r := 1; }
        }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) modifies {c};
    { if (i < n) { c.value := c.value + 1; r := count(i + 1, n, c); } }
    version 1
    procedure run(cell: Cell, n: int) returns (r: int) {
        if (cell != null) {
            cell.value := 5; x := count(0, n, cell);
            cell.value := 5; x := count(0, n, cell);
            cell.value := 0;
        }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) modifies {c};
    { if (i < n) { c.value := 7; r := count(i + 1, n, c); } }";

/// What is said of outcomes whose calls match in order, where the second call of version 1 repeats the first.
fn repeated(both: &[Vec<Outcome>; 2]) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        if let [earlier, later] = right.calls[..] {
            own.repeats[1] = vec![Repeat { earlier, later, swap: BTreeMap::new() }];
        }
        if let Cases::Settled(leaf) = &mut own.cases
            && left.results != right.results
            && right.calls.len() == 2
        {
            leaf.end = End::Exclusive;
        }
    }
    said
}

#[test]
fn a_repeated_call_says_nothing_of_places_that_only_one_version_knows() {
    let case = Case::loops(REPEATED);
    let apart = vec![Apart { version: 0, parameter: 2, of: Part::Field(0) }];
    let entry = CallRelation { equal: vec![(0, 0), (1, 1), (2, 2)], apart, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    case.refused(&case.related(own, repeated));
}

/// One loop is called once, the other twice, and these give back other numbers. So one call can be matched with either.
const EITHER: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(n: int) returns (r: int) { x := count(0, n); r := 0; }
    procedure count(i: int, n: int) returns (r: int) { if (i < n) { r := count(i + 1, n); } }
    version 1
    procedure run(n: int) returns (r: int) { x := count(0, n, 5); y := count(0, n, 7); r := 1; }
    procedure count(i: int, n: int, k: int) returns (r: int) { r := k; if (i < n) { r := count(i + 1, n, k); } }";

/// What is said of outcomes whose calls match in order; but what the second result of the call is decides with which it matches.
fn either(both: &[Vec<Outcome>; 2]) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        let matched = |at: usize| {
            let calls =
                vec![Match { left: left.calls[0], right: right.calls[at], under: None, allocs: BTreeMap::new() }];
            Box::new(Cases::Settled(Leaf { calls, end: End::Exclusive }))
        };
        if left.calls.len() == 1 && right.calls.len() == 2 {
            let both_return = left.ending == Ending::Normal && right.ending == Ending::Normal;
            own.cases = if both_return {
                let condition = format!("(=0 (+ -7 (result {} {} int)))", left.calls[0].0, 1 << 16);
                Cases::Split { version: 0, condition, holds: matched(0), fails: matched(1) }
            } else {
                *matched(usize::from(left.ending == Ending::Normal))
            };
        }
    }
    said
}

#[test]
fn cases_are_told_apart_by_what_a_version_knows_itself() {
    let case = Case::loops(EITHER);
    let exit = vec![Fact::Equal(atom(1, 3), atom(1, 2), 0)];
    let entry = CallRelation { equal: vec![(0, 0), (1, 1)], exit, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: Vec::new(), turns: Turns::default() };
    case.refused(&case.related(own, either));
}

/// The same, but with the second result in a field that the other loop writes: each of two calls can be matched with the one.
const EITHER_PLACE: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(cell: Cell, n: int) returns (r: int) {
        if (cell != null) {
            cell.value := 5; x := count(0, n, cell); a := cell.value;
            cell.value := 7; x := count(0, n, cell); b := cell.value;
            cell.value := 0;
            if (a == 5) { if (b == 7) { r := 1; } }
        }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) modifies {c};
    { if (i < n) { c.value := c.value; r := count(i + 1, n, c); } }
    version 1
    procedure run(cell: Cell, n: int) returns (r: int) {
        if (cell != null) { cell.value := 5; x := count(0, n, cell); cell.value := 0; }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) modifies {c};
    { if (i < n) { c.value := 9; r := count(i + 1, n, c); } }";

fn either_place(both: &[Vec<Outcome>; 2]) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        let matched = |at: usize, end: End| {
            let calls =
                vec![Match { left: left.calls[at], right: right.calls[0], under: None, allocs: BTreeMap::new() }];
            Box::new(Cases::Settled(Leaf { calls, end }))
        };
        if left.calls.len() != 2 || right.calls.len() != 1 {
            continue;
        }
        let both_return = left.ending == Ending::Normal && right.ending == Ending::Normal;
        own.cases = match both_return {
            true if left.results != right.results => {
                let condition = format!("(=0 (+ -7 (effect {} field 0 (param 0 ref))))", right.calls[0].0);
                Cases::Split {
                    version: 1,
                    condition,
                    holds: matched(0, End::Exclusive),
                    fails: matched(1, End::Exclusive),
                }
            }
            true => *matched(0, End::Isomorphic(BTreeMap::new())),
            false => {
                *matched(usize::from(left.ending != Ending::Normal && right.ending == Ending::Normal), End::Exclusive)
            }
        };
    }
    said
}

#[test]
fn cases_are_not_told_apart_by_what_the_other_version_leaves_at_a_place() {
    let case = Case::loops(EITHER_PLACE);
    let apart = vec![Apart { version: 0, parameter: 2, of: Part::Field(0) }];
    let entry = CallRelation { equal: vec![(0, 0), (1, 1), (2, 2)], apart, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    case.refused(&case.related(own, either_place));
}

/// Only the first loop is told of the first cell, by its second call alone.
const EITHER_REGION: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(cell: Cell, other: Cell, n: int) returns (r: int) {
        if (cell != null) { x := count(0, n, null); x := count(0, n, cell); }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { if (i < n) { r := count(i + 1, n, c); } }
    version 1
    procedure run(cell: Cell, other: Cell, n: int) returns (r: int) {
        if (cell != null) { x := count(0, n, other); r := 1; }
    }
    procedure count(i: int, n: int, c: Cell) returns (r: int) { if (i < n) { r := count(i + 1, n, c); } }";

fn either_region(both: &[Vec<Outcome>; 2]) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        let matched = |at: usize| {
            let calls =
                vec![Match { left: left.calls[at], right: right.calls[0], under: None, allocs: BTreeMap::new() }];
            Box::new(Cases::Settled(Leaf { calls, end: End::Exclusive }))
        };
        if left.calls.len() == 2 && right.calls.len() == 1 {
            own.cases = if left.ending == Ending::Normal && right.ending == Ending::Normal {
                let condition = format!("(within {} (param 0 ref))", right.calls[0].0);
                Cases::Split { version: 1, condition, holds: matched(0), fails: matched(1) }
            } else {
                *matched(usize::from(right.ending == Ending::Normal))
            };
        }
    }
    said
}

#[test]
fn cases_are_not_told_apart_by_what_a_related_call_is_told_of() {
    let case = Case::loops(EITHER_REGION);
    let entry = CallRelation { equal: vec![(0, 0), (1, 1)], ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    case.refused(&case.related(own, either_region));
}
