//! Two outcomes are alike where all is that a caller sees, and matched calls start alike; evidence that says more is refused.

use super::{Case, OTHER, RUN, paths};
use crate::exec::state::Outcome;
use crate::pair::PairEvidence;
use crate::pair::paths::Relations;
use crate::pair::plan::{InliningPlan, Run};
use crate::relate::{Cases, End, Leaf, Level, Match, RelationEvidence, Repeat};
use lang_l::hir::{Expr, ExprKind, FieldId, ProcId};
use smt::arena::Arena;
use smt::solve::{QueryBudget, Solver};
use smt::term::{AllocClass, Ending, Func, Selector, Sort, Term};
use std::collections::BTreeMap;

/// Which objects of version 1 are said to be which of version 0, by their numbers.
type Births<'b> = &'b [(usize, usize)];

/// A program with an external, of which it is claimed that it is itself.
fn case(versions: [&str; 2]) -> Case {
    case_of("procedure ask(c: Cell, n: int) returns (r: int);", versions)
}

/// A program that calls another procedure, of which it is claimed that it is itself.
fn case_of(callee: &str, [a, b]: [&str; 2]) -> Case {
    let text = format!("{CELLS} version 0 procedure run{a} {callee} version 1 procedure run{b} {callee}");
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

/// Whoever has the array says how long it is: by one name two arrays of two lengths contradict each other, and all would follow.
#[test]
fn lengths_are_shown_before_arrays_have_one_name() {
    let look = "procedure look(a: int[], n: int) returns (r: int[]) ensures r != null && r.length == a.length; ensures r == a;";
    let check = |lengths: [&str; 2]| {
        let [one, other] = lengths.map(|length| {
            format!("(n: int) returns (r: int[]) {{ m := new int[{length}]; y := look(m, n); r := m; }}")
        });
        let case = case_of(look, [&one, &other]);
        case.check_pair(RUN, &matched(&case, &[(0, 0)], &[(0, 0)]))
    };
    assert!(check(["2", "2"]).is_ok());
    assert!(check(["2", "3"]).is_err());
}

/// A call repeats another one where what the two are given is alike, and arrays of two lengths are not.
#[test]
fn arrays_that_swap_their_names_are_of_one_length() {
    let look = "procedure look(a: int[], n: int) returns (r: int) { if (n > 0) { r := look(a, n - 1); } else { r := a.length; } }";
    let check = |length: &str| {
        let own = |result: &str| {
            format!(
                "(n: int) returns (r: int) {{ a := new int[2]; b := new int[{length}]; x := look(a, n); y := look(b, n); r := {result}; }}"
            )
        };
        let case = case_of(look, [&own("x - y"), &own("0")]);
        let mut evidence = matched(&case, &[(0, 0), (1, 1)], &[(0, 0), (1, 1)]);
        let both = outcomes(&case);
        if let PairEvidence::Paths(paths) = &mut evidence {
            for ((left, _), related) in &mut paths.relations {
                let own = &both[0][*left];
                if let [earlier, later] = own.calls[..] {
                    let swap = BTreeMap::from([(own.news[1].0, own.news[0].0)]);
                    related.repeats[0] = vec![Repeat { earlier, later, swap }];
                }
            }
        }
        case.check_pair(RUN, &evidence)
    };
    assert!(check("2").is_ok());
    assert!(check("3").is_err());
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

/// What is said of the number of a sum or a fold is said of all its numbers: it is no case of its own.
#[test]
fn nothing_is_told_apart_within_a_sum() {
    let case = case(["(n: int) returns (r: int) { r := n; }"; 2]);
    let both = outcomes(&case);
    let mut arena = Arena::new(&case.unit);
    let conditions = [Func::Param(0), Func::Bound(1 << 20, 0)].map(|of| {
        let (number, zero) = (arena.terms.app(of, &[], Sort::Int), arena.terms.int(0));
        arena.terms.le(number, zero)
    });
    let (mut solver, program) = (Solver::new(QueryBudget::default()), case.program());
    let mut relater = program.relater(&mut arena, &mut solver, &case.claims);
    assert_eq!(conditions.map(|condition| relater.speaks_of(condition, &both[0][0])), [true, false]);
}

/// Of an object that a call does not come to the symbol for what it leaves there stands for nothing.
#[test]
fn nothing_is_told_apart_by_what_a_call_leaves_where_it_may_not_come() {
    let own = "(c: Cell, d: Cell) returns (r: int) { if (c != null) { put(c, 1); } }";
    let case = case_of("procedure put(c: Cell, n: int) { c.rest := c; c.value := n; }", [own; 2]);
    let (mut arena, plan) = (Arena::new(&case.unit), InliningPlan::of(Default::default(), [0, 0]));
    let run = Run { program: case.program(), pair: RUN, plan: &plan, own: None };
    let [mine, _] = run.outcomes(&[], &mut arena).expect("they are small");
    let calls = |outcome: &&Outcome| !outcome.calls.is_empty() && outcome.ending == Ending::Normal;
    let outcome = mine.iter().find(calls).expect("it calls and returns");
    let (call, null, zero) = (outcome.calls[0], arena.terms.null(), arena.terms.int(0));
    let left = |arena: &mut Arena, name: &str, param: u32| {
        let field = case.unit.fields.iter().position(|field| field.name == name).expect("a cell has it");
        let selector = Selector::Field(FieldId(u32::try_from(field).expect("there are few")));
        let sort = arena.heaps.sort(selector);
        let object = arena.terms.app(Func::Param(param), &[], Sort::Ref);
        let after = arena.terms.app(Func::Effect(call, selector), &[object], sort);
        let whole = arena.heaps.read(&mut arena.terms, outcome.heap, selector, object, None);
        [after, whole].map(|value| arena.terms.eq(value, if sort == Sort::Ref { null } else { zero }))
    };
    let rests = [left(&mut arena, "rest", 0), left(&mut arena, "rest", 1)].concat();
    let values = left(&mut arena, "value", 1);
    let global = arena.terms.app(Func::GlobalAfter(call, 0), &[], Sort::Int);
    let unwritten = arena.terms.le(global, zero);
    let (mut solver, program) = (Solver::new(QueryBudget::default()), case.program());
    let mut relater = program.relater(&mut arena, &mut solver, &case.claims);
    let mut told = |conditions: &[Term]| -> Vec<bool> {
        conditions.iter().map(|&condition| relater.speaks_of(condition, outcome)).collect()
    };
    assert_eq!(told(&rests), [true, true, false, true]);
    assert_eq!(told(&values), [false, true]);
    assert_eq!(told(&[unwritten]), [false]);
}

/// A chain of three objects. What can be reached cannot be read off the terms: a solver has to say that the fourth object is not
/// what is given back.
#[test]
fn what_can_be_reached_in_two_steps_is_compared() {
    let chain = |value: i64| {
        format!(
            "(n: int) returns (r: Cell) {{ z := new Cell(); a := new Cell(); b := new Cell(); c := new Cell(); \
             c.value := {value}; b.rest := c; a.rest := b; r := n * n < 0 ? z : a; }}"
        )
    };
    let births: Births<'_> = &[(1, 1), (2, 2), (3, 3)];
    let own = case([&chain(1), &chain(1)]);
    assert!(own.check_pair(RUN, &alike(&own, births)).is_ok());
    let other = case([&chain(1), &chain(2)]);
    let why = other.refused(&alike(&other, births));
    assert_eq!(why, "the final heaps could not be shown equal where they can be reached");
}

/// Two calls make two objects, and one call makes one.
#[test]
fn a_call_is_matched_once() {
    let makes = "procedure make(c: Cell, n: int) returns (r: Cell) { r := new Cell(); }";
    let once = "(n: int) returns (r: int) { x := make(null, n); r := 0; }";
    let twice = |same: i64, different: i64| {
        format!(
            "(n: int) returns (r: int) {{ x := make(null, n); y := make(null, n); r := x == y ? {same} : {different}; }}"
        )
    };
    let case = |versions: [&str; 2]| {
        let mut case = case_of(makes, versions);
        case.effects.iter_mut().for_each(|effects| effects[1].errs_only_if_null = Some(Vec::new()));
        case
    };
    let own = case([&twice(0, 1), &twice(0, 1)]);
    assert!(own.check_pair(RUN, &matched(&own, &[(0, 0), (1, 1)], &[])).is_ok());
    let other = case([once, &twice(0, 1)]);
    for twice in [[(0, 0), (0, 1)], [(0, 1), (0, 0)]] {
        let why = other.refused(&matched(&other, &twice, &[]));
        assert_eq!(why, "a matched call is not on its path, or is matched twice");
    }
    let back = case([&twice(0, 1), once]);
    let why = back.refused(&matched(&back, &[(0, 0), (1, 0)], &[]));
    assert_eq!(why, "a matched call is not on its path, or is matched twice");
}

/// What a quantifier ranges over can be said on entry of a procedure, and not after a call that may have made objects.
const FILLS: &str = "procedure fill(c: Cell, n: int) ensures ((forall b: Cell :: b == b) ? c : null) == c; { if (c != null) { c.value := 2; } }";

/// A place that could not be said was left out, and so the call was taken to leave it alone.
#[test]
fn what_a_call_modifies_is_not_known_where_a_place_cannot_be_said() {
    let asks = |result: &str| {
        format!(
            "(c: Cell, n: int) returns (r: int) {{ if (c != null) {{ fill(c, n); c.value := 1; fill(c, n); r := {result}; \
             c.value := 0; }} }}"
        )
    };
    let check = |results: [&str; 2], modifies: fn(&Case, usize) -> Vec<Expr>| {
        let mut case = case_of(FILLS, [&asks(results[0]), &asks(results[1])]);
        for version in 0..2 {
            let places = modifies(&case, version);
            case.effects[version][1].modifies = Some(places);
            case.effects[version][1].errs_only_if_null = Some(Vec::new());
        }
        case.check_pair(RUN, &PairEvidence::Paths(paths(case.in_order())))
    };
    let place = |case: &Case, version: usize| match &case.unit.procedure(version, ProcId(1)).ensures[0].kind {
        ExprKind::Binary(_, place, _) => vec![(**place).clone()],
        _ => unreachable!("it is an equality"),
    };
    assert!(check(["c.value", "c.value"], place).is_ok());
    let why = check(["c.value", "1"], place);
    assert_eq!(why, Err("the results or globals could not be shown equal".to_string()));
    // Where it were to modify nothing, it would leave the cell alone.
    assert!(check(["c.value", "1"], |_, _| Vec::new()).is_ok());
}
