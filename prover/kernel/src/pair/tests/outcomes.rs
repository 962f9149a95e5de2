//! Two outcomes are alike where all is that a caller sees, and matched calls start alike; evidence that says more is refused.

use super::{Case, OTHER, RUN, paths};
use crate::exec::state::Outcome;
use crate::pair::PairEvidence;
use crate::pair::paths::Relations;
use crate::pair::plan::{InliningPlan, Run};
use crate::relate::{Cases, End, Leaf, Level, Match, RelationEvidence};
use smt::arena::Arena;
use smt::term::{AllocClass, Ending};
use std::collections::BTreeMap;

/// Which objects of version 1 are said to be which of version 0, by their numbers.
type Births<'b> = &'b [(usize, usize)];

/// A program with an external, of which it is claimed that it is itself.
fn case([a, b]: [&str; 2]) -> Case {
    let asks = "procedure ask(c: Cell, n: int) returns (r: int);";
    let text = format!("{CELLS} version 0 procedure run{a} {asks} version 1 procedure run{b} {asks}");
    Case::new(&text, &[(OTHER, Level::Full)])
}

/// All outcomes of both.
fn outcomes(case: &Case) -> [Vec<Outcome>; 2] {
    let plan = InliningPlan::of(Default::default(), [0, 0]);
    let run = Run { program: case.program(), pair: RUN, plan: &plan, own: None };
    run.outcomes(&[], &mut Arena::new(&case.unit)).expect("they are small")
}

fn bound(births: Births<'_>, [left, right]: [&Outcome; 2]) -> BTreeMap<AllocClass, AllocClass> {
    births.iter().map(|&(theirs, mine)| (right.news[theirs].0, left.news[mine].0)).collect()
}

/// That the two return alike, these objects being the same.
fn alike(case: &Case, births: Births<'_>) -> PairEvidence {
    let both = outcomes(case);
    let leaf = Leaf { calls: Vec::new(), end: End::Isomorphic(bound(births, [&both[0][0], &both[1][0]])) };
    said(Cases::Settled(leaf))
}

/// This, of the first outcome of each.
fn said(cases: Cases) -> PairEvidence {
    let related = RelationEvidence { repeats: Default::default(), cases };
    PairEvidence::Paths(paths(Relations::from([((0, 0), related)])))
}

/// That calls match which have these numbers, once these objects are the same.
fn matched(case: &Case, pairs: &[(usize, usize)], births: Births<'_>) -> PairEvidence {
    let both = outcomes(case);
    let mut relations = Relations::new();
    for (at, left) in both[0].iter().enumerate() {
        for (other, right) in both[1].iter().enumerate() {
            if left.ending == right.ending && left.ending != Ending::Normal {
                continue;
            }
            let there = |&&(mine, theirs): &&(usize, usize)| mine < left.calls.len() && theirs < right.calls.len();
            let allocs = bound(births, [left, right]);
            let step = |&(mine, theirs): &(usize, usize)| Match {
                left: left.calls[mine],
                right: right.calls[theirs],
                under: None,
                allocs: allocs.clone(),
            };
            let calls = pairs.iter().filter(there).map(step).collect();
            let returns = left.ending == Ending::Normal && right.ending == Ending::Normal;
            let end = if returns { End::Isomorphic(BTreeMap::new()) } else { End::Exclusive };
            let cases = Cases::Settled(Leaf { calls, end });
            relations.insert((at, other), RelationEvidence { repeats: Default::default(), cases });
        }
    }
    PairEvidence::Paths(paths(relations))
}

const CELLS: &str =
    "class Cell { value: int; rest: Cell; } class Other { value: int; } global g: Cell; global h: Cell; global k: int;";

#[test]
fn all_that_a_caller_sees_is_the_same() {
    let same = "(n: int) returns (r: ref) { x := new Cell(); x.value := n; r := x; g := x; h := new Cell(); k := n; }";
    let births: Births<'_> = &[(0, 0), (1, 1)];
    let shown = case([same, same]);
    assert!(shown.check_pair(RUN, &alike(&shown, births)).is_ok());
    let wrong: [(&str, &str, Births<'_>); 6] = [
        ("k := n;", "k := n + 1;", births),
        ("h := new Cell();", "y := new Cell();", births),
        ("x.value := n;", "x.value := n + 1;", births),
        ("x := new Cell(); x.value", "x := new Other(); g := new Cell(); x.value", &[(0, 0), (1, 1), (2, 1)]),
        ("h := new Cell();", "h := new Cell(); h.rest := x;", births),
        ("g := x;", "g := x; x.rest := x;", births),
    ];
    for (text, other, births) in wrong {
        let other = same.replace(text, other).replace("x.value := n; r := x; g := x;", "x.value := n; r := x;");
        let differ = case([same, &other]);
        assert!(differ.check_pair(RUN, &alike(&differ, births)).is_err(), "{other}");
    }
    // Nor is it without objects that correspond.
    assert!(shown.check_pair(RUN, &alike(&shown, &[(0, 0)])).is_err());
}

#[test]
fn objects_correspond_once_and_are_of_one_class_and_length() {
    let wrong: [([&str; 2], Births<'_>); 4] = [
        (["() { g := new Cell(); h := g; }", "() { g := new Cell(); h := new Cell(); }"], &[(0, 0), (1, 0)]),
        (["() returns (r: ref) { r := new Cell(); }", "() returns (r: ref) { r := new Other(); }"], &[(0, 0)]),
        (["() returns (r: int[]) { r := new int[2]; }", "() returns (r: int[]) { r := new int[3]; }"], &[(0, 0)]),
        (
            ["() returns (r: int[]) { r := new int[2]; }", "() returns (r: int[]) { r := new int[2]; r[1] := 1; }"],
            &[(0, 0)],
        ),
    ];
    for (versions, births) in wrong {
        let differ = case(versions);
        assert!(differ.check_pair(RUN, &alike(&differ, births)).is_err(), "{versions:?}");
    }
}

#[test]
fn calls_that_match_start_alike() {
    let check = |versions: [&str; 2], pairs: &[(usize, usize)], births: Births<'_>| {
        let case = case(versions);
        case.check_pair(RUN, &matched(&case, pairs, births))
    };
    let calls = |value: i64, number: &str| {
        format!("(n: int) returns (r: int) {{ x := new Cell(); x.value := {value}; r := ask(x, {number}); }}")
    };
    let same = calls(1, "n");
    assert!(check([&same, &same], &[(0, 0)], &[(0, 0)]).is_ok());
    for other in [calls(2, "n"), calls(1, "n + 1")] {
        assert!(check([&same, &other], &[(0, 0)], &[(0, 0)]).is_err(), "{other}");
    }
    // It may do another thing when it is asked again.
    let once = "(n: int) returns (r: int) { r := ask(null, n); }";
    let twice = "(n: int) returns (r: int) { x := ask(null, n); r := ask(null, n); }";
    assert!(check([once, twice], &[(0, 0), (0, 1)], &[]).is_err());
}

/// Of a split both sides are looked at: where one holds the two are alike.
#[test]
fn both_sides_of_a_split_are_looked_at() {
    let check = |more: i64| {
        let own = format!("(n: int) returns (r: int) {{ r := n > 5 ? 1 : {more}; }}");
        let case = case([&own, "(n: int) returns (r: int) { r := 1; }"]);
        let leaf = || Box::new(Cases::Settled(Leaf { calls: Vec::new(), end: End::Isomorphic(BTreeMap::new()) }));
        let condition = "(<=0 (+ 6 (* -1 (param 0 int))))".to_string();
        case.check_pair(RUN, &said(Cases::Split { version: 0, condition, holds: leaf(), fails: leaf() }))
    };
    assert!(check(1).is_ok());
    assert!(check(0).is_err());
}
