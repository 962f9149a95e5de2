//! What relates two loops is shown where they are called, and so is that both versions have all that the loops can reach.

use super::{Case, OTHER, RUN, atom, in_order, with_fact};
use crate::exec::state::Outcome;
use crate::pair::PairEvidence;
use crate::pair::loops::LoopRelation;
use crate::pair::paths::Relations;
use crate::pair::plan::Turns;
use crate::relate::{Atom, CallRelation, Cases, ConditionalClaim, End, Fact, Level, Match, Step, Uses};
use lang_l::hir::{FieldId, ProcId};
use smt::term::Ending;
use std::collections::BTreeMap;

/// The same loop, from numbers of its own and in steps of its own.
fn counting(start: i64, bound: &str, step: i64) -> String {
    super::COUNTS.replace("count(1, n, cell)", &format!("count({start}, {bound}, cell)")).replace(
        "if (i < n + 1) { r := count(i + 1, n, c); }",
        &format!("if (i < n + 1) {{ r := count(i + {step}, n, c); }}"),
    )
}

#[test]
fn what_relates_loops_holds_where_they_are_called() {
    let why = |text: &str| {
        let case = Case::loops(text);
        let facts = vec![Fact::Equal(atom(1, 0), atom(0, 0), 1)];
        let entry = CallRelation { equal: vec![(1, 1), (2, 2)], facts, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
        case.check_pair(RUN, &case.related(own, in_order))
    };
    assert_eq!(why(&counting(1, "n", 1)), Ok(Uses::new()));
    // Of the first call it does not hold; nor that the bounds are equal; nor does it hold of the next turn.
    for wrong in [counting(2, "n", 1), counting(1, "n + 1", 1), counting(1, "n", 2)] {
        assert_eq!(why(&wrong), Err("two matched calls do not start alike".to_string()), "{wrong}");
    }
}

/// Both loops look into a list that their version has made. The second cell of the two lists is the same object.
const LISTS: &str = "
    class Cell { value: int; rest: Cell; }
    version 0
    procedure run(n: int) returns (r: int) {
        a := new Cell(); a.value := 1; x := new Cell(); x.rest := a; r := look(0, n, x);
    }
    procedure look(i: int, n: int, c: Cell) returns (r: int) { r := c.rest.value; if (i < n) { r := look(i + 1, n, c); } }
    version 1
    procedure run(n: int) returns (r: int) {
        a := new Cell(); a.value := OTHER; x := new Cell(); x.rest := a; r := look(0, n, x);
    }
    procedure look(i: int, n: int, c: Cell) returns (r: int) { r := c.rest.value; if (i < n) { r := look(i + 1, n, c); } }";

/// What is said of these outcomes.
type Saying = fn(&[Vec<Outcome>; 2]) -> Relations;

/// What is said of outcomes whose calls match in order, once the first so many objects are the same.
fn made(both: &[Vec<Outcome>; 2], count: usize) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        let allocs: BTreeMap<_, _> =
            left.news.iter().zip(&right.news).take(count).map(|(mine, theirs)| (theirs.0, mine.0)).collect();
        if let Cases::Settled(leaf) = &mut own.cases {
            leaf.calls.iter_mut().for_each(|step| step.allocs = allocs.clone());
        }
    }
    said
}

/// What the loops are given need not be the same. All the same both have it, and what it leads to is alike.
#[test]
fn what_related_loops_are_given_is_in_both_heaps() {
    let rest =
        |version: usize, steps: usize| Atom { version, parameter: 2, steps: vec![Step::Field(FieldId(1)); steps] };
    let check = |other: &str, said: Saying| {
        let case = Case::loops(&LISTS.replace("OTHER", other));
        let mut facts: Vec<Fact> =
            (0..2).flat_map(|version| (0..2).map(move |steps| Fact::NotNull(rest(version, steps)))).collect();
        facts.push(Fact::Equal(rest(0, 1), rest(1, 1), 0));
        let entry = CallRelation { equal: vec![(0, 0), (1, 1)], facts, ..CallRelation::default() };
        let evidence: PairEvidence =
            case.related(LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() }, said);
        case.check_pair(RUN, &evidence)
    };
    let [all, second]: [Saying; 2] = [|both| made(both, 2), |both| made(both, 1)];
    assert_eq!(check("1", all), Ok(Uses::new()));
    for (other, said) in [("2", all), ("2", second), ("1", second)] {
        assert_eq!(check(other, said), Err("two matched calls do not start alike".to_string()), "{other}");
    }
}

/// Version 1 gives back a reference that version 0 does not.
const GIVES: &str = "
    class Cell { value: int; }
    version 0
    procedure run(n: int) { count(n); }
    procedure count(n: int) { if (n > 0) { count(n - 1); } }
    version 1
    procedure run(n: int) { var c: Cell; c := count(n); }
    procedure count(n: int) returns (c: Cell) { if (n > 0) { c := count(n - 1); } else { c := GIVEN; } }";

#[test]
fn a_reference_that_one_loop_alone_gives_back_is_null_at_all_ends() {
    let check = |given: &str, exit: Vec<Fact>| {
        let case = Case::new(&GIVES.replace("c := GIVEN;", given), &[]);
        let entry = CallRelation { equal: vec![(0, 0)], exit, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results: Vec::new(), turns: Turns::default() };
        case.check_pair(RUN, &case.related(own, in_order))
    };
    let null = || vec![Fact::Null(atom(1, 1))];
    assert_eq!(check("c := null;", null()), Ok(Uses::new()));
    assert!(check("c := new Cell();", null()).is_err());
    let why = check("c := null;", Vec::new());
    assert_eq!(why, Err("a loop hands out a reference that the other one does not".to_string()));
}

/// The symbol of what the loop of version 1 gives back is one of the call of version 0, from whose region it then is.
#[test]
fn a_reference_that_version_1_alone_is_given_is_not_given_back() {
    const GIVEN: &str = "
        class Cell { v: int; }
        version 0
        procedure run(c: Cell, n: int) { count(c, n); }
        procedure count(c: Cell, n: int) { if (n > 0) { count(c, n - 1); } }
        version 1
        procedure run(c: Cell, n: int) { var d: Cell; d := count(c, n); }
        procedure count(c: Cell, n: int) returns (d: Cell) { d := c; if (n > 0) { d := count(c, n - 1); } }";
    let check = |equal: Vec<(usize, usize)>| {
        let exit = vec![Fact::Equal(atom(1, 2), atom(1, 0), 0)];
        let entry = CallRelation { equal, exit, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results: Vec::new(), turns: Turns::default() };
        let case = Case::new(GIVEN, &[]);
        case.check_pair(RUN, &case.related(own, in_order))
    };
    assert_eq!(check(vec![(0, 0), (1, 1)]), Ok(Uses::new()));
    assert_eq!(check(vec![(1, 1)]), Err("a loop hands out a reference that the other one does not".to_string()));
}

/// A fact on entry says nothing where there is nothing to read from; so it does not say where a reference is from.
#[test]
fn a_reference_is_not_read_from_null() {
    const WITHIN: &str = "
        class Cell { next: Cell; }
        version 0
        procedure run(n: int, y: Cell) returns (k: int) { count(n, null); }
        procedure count(n: int, x: Cell) { if (n > 0) { if (x != null) { x := x.next; } count(n - 1, x); } }
        version 1
        procedure run(n: int, y: Cell) returns (k: int) { var d: Cell; d := count(n, y); if (d != null) { k := 1; } }
        procedure count(n: int, y: Cell) returns (d: Cell) { d := y; if (n > 0) { d := count(n - 1, y); } }";
    let check = |more: Vec<Fact>| {
        let next = Atom { version: 0, parameter: 1, steps: vec![Step::Field(FieldId(0))] };
        let facts = [vec![Fact::Equal(atom(1, 1), next, 0)], more].concat();
        let exit = vec![Fact::Equal(atom(1, 2), atom(1, 1), 0)];
        let entry = CallRelation { equal: vec![(0, 0)], facts, exit, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results: Vec::new(), turns: Turns::default() };
        let case = Case::new(WITHIN, &[]);
        case.check_pair(RUN, &case.related(own, in_order)).expect_err("the second one gives back 1 for any object")
    };
    assert_eq!(check(Vec::new()), "a loop hands out a reference that the other one does not");
    assert_ne!(check(vec![Fact::NotNull(atom(0, 1))]), "a loop hands out a reference that the other one does not");
}

/// What calls of related loops share is what the relation says. A claim that says that they do the same would say more.
#[test]
fn related_loops_are_matched_by_no_other_claim() {
    let under = |both: &[Vec<Outcome>; 2]| {
        let mut said = in_order(both);
        for own in said.values_mut() {
            if let Cases::Settled(leaf) = &mut own.cases {
                leaf.calls.iter_mut().for_each(|step| step.under = Some(0));
            }
        }
        said
    };
    let mut case = Case::new(&counting(1, "n", 1), &[]);
    case.claims.conditional.push(ConditionalClaim { pair: OTHER, condition: None, level: Some(Level::Full) });
    let facts = vec![Fact::Equal(atom(1, 0), atom(0, 0), 1)];
    let entry = CallRelation { equal: vec![(1, 1), (2, 2)], facts, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    let why = case.check_pair(RUN, &case.related(own, under));
    assert!(why.as_ref().is_err_and(|why| why.contains("not claimed")), "{why:?}");
}

#[test]
fn what_calls_leave_is_said_once() {
    let PairEvidence::Loops(mut evidence) = with_fact(Fact::Equal(atom(1, 0), atom(0, 0), 1)) else { unreachable!() };
    evidence.loops.push(evidence.loops[0].clone());
    let why = Case::counts().refused(&PairEvidence::Loops(evidence.clone()));
    assert_eq!(why, "two loops are related twice");
    evidence.loops[1].0 = LoopRelation {
        pair: (ProcId(0), ProcId(1)),
        entry: CallRelation::default(),
        results: vec![(0, 0)],
        turns: Turns::default(),
    };
    let why = Case::counts().refused(&PairEvidence::Loops(evidence.clone()));
    assert_eq!(why, "what calls of a loop leave is said in two ways");
    evidence.loops[1].0.turns = Turns { more: [0, 1], ..Turns::default() };
    let why = Case::counts().refused(&PairEvidence::Loops(evidence.clone()));
    assert_eq!(why, "the turns of a loop are laid out in two ways");
    evidence.loops[1].0.turns = Turns::default();
    evidence.loops[1].0.results.clear();
    let why = Case::counts().refused(&PairEvidence::Loops(evidence));
    assert!(!why.contains("in two ways"), "{why}");
}

#[test]
fn what_is_related_is_local_and_promises_nothing() {
    let fact = || with_fact(Fact::Equal(atom(1, 0), atom(0, 0), 1));
    for contract in
        ["requires forall k: int :: k != n || k >= 0;", "requires reach(c, c);", "ensures r >= i;", "modifies {};"]
    {
        let promising = "count(i: int, n: int, c: Cell) returns (r: int) ";
        let case = Case::new(&super::COUNTS.replace(promising, &format!("{promising}{contract} ")), &[]);
        assert!(case.refused(&fact()).contains("speaks of more than a region, or of its end"), "{contract}");
    }
    let mut case = Case::counts();
    case.effects[0][1].non_local = true;
    assert!(case.refused(&fact()).contains("more than it is given"));
    let PairEvidence::Loops(mut evidence) = fact() else { unreachable!() };
    evidence.loops[0].0.pair = (ProcId(1), ProcId(5));
    assert!(Case::counts().refused(&PairEvidence::Loops(evidence)).contains("not there"));
}

/// A loop that adds up two numbers, against two loops for one each.
const SPLIT: &str = "
    class Cell { value: int; }
    version 0
    procedure run(n: int, c: Cell) returns (r: int, s: int) { r, s := both(0, n, 0, 0); }
    procedure both(i: int, n: int, a: int, b: int) returns (r: int, s: int) {
        r := a; s := b; if (i < n) { r, s := both(i + 1, n, a + i, b + 2); }
    }
    version 1
    procedure run(n: int, c: Cell) returns (r: int, s: int) { r := one(0, n, 0); s := other(FIRST, n, 0); }
    procedure one(i: int, n: int, a: int) returns (r: int) { r := a; if (i < n) { r := one(i + 1, n, a + i); } }
    procedure other(i: int, n: int, b: int) returns (s: int) { s := b; if (i < n) { s := other(i + 1, n, b + STEP); } }";

/// What is said of outcomes of which each call is compared with each of the other version.
fn each_with_each(both: &[Vec<Outcome>; 2]) -> Relations {
    let mut said = in_order(both);
    for ((left, right), own) in &mut said {
        let (left, right) = (&both[0][*left], &both[1][*right]);
        if let Cases::Settled(leaf) = &mut own.cases {
            let each = left.calls.iter().flat_map(|&mine| right.calls.iter().map(move |&theirs| (mine, theirs)));
            let step = |(left, right)| Match { left, right, under: None, allocs: BTreeMap::new() };
            leaf.calls = each.map(step).collect();
            let returns = left.ending == Ending::Normal && right.ending == Ending::Normal;
            let alike = left.calls.is_empty() == right.calls.is_empty();
            leaf.end = if returns && alike { End::Isomorphic(BTreeMap::new()) } else { End::Exclusive };
        }
    }
    said
}

/// Both parts of [`SPLIT`] related to the whole.
fn parts(case: &Case, compared: bool, said: Saying) -> PairEvidence {
    let exit = |mine: usize| vec![Fact::Equal(atom(0, 4 + mine), atom(1, 3), 0)];
    let own = |of: u32| {
        let equal = vec![(0, 0), (1, 1), (1 + of as usize, 2)];
        let entry = CallRelation { equal, exit: exit(of as usize - 1), compared, ..CallRelation::default() };
        LoopRelation { pair: (ProcId(1), ProcId(of)), entry, results: Vec::new(), turns: Turns::default() }
    };
    case.all_related(vec![own(1), own(2)], said)
}

#[test]
fn a_call_is_compared_with_several() {
    let check = |first: &str, step: &str, compared: bool| {
        let case = Case::loops(&SPLIT.replace("FIRST", first).replace("STEP", step));
        case.check_pair(RUN, &parts(&case, compared, each_with_each))
    };
    assert_eq!(check("0", "2", true), Ok(Uses::new()));
    // A part begins elsewhere, or does something else.
    assert!(check("1", "2", true).is_err());
    assert!(check("0", "3", true).is_err());
    // Calls that are matched are given one name, and no second one.
    assert_eq!(check("0", "2", false), Err("a matched call is not on its path, or is matched twice".to_string()));
}

#[test]
fn what_writes_or_gives_back_a_reference_is_not_compared() {
    let refused = |text: &str, results: Vec<(usize, usize)>| {
        let case = Case::loops(text);
        let entry = CallRelation { equal: vec![(0, 0)], compared: true, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results, turns: Turns::default() };
        case.check_pair(RUN, &case.related(own, in_order)).err()
    };
    let why = Some("loops are compared that write something, or give back a reference".to_string());
    assert_eq!(refused(&SPLIT.replace("FIRST", "0").replace("STEP", "2"), vec![(0, 0)]), why);
    assert_eq!(refused(&LISTS.replace("OTHER", "1").replace("r := c.rest.value;", "c.value := 1;"), Vec::new()), why);
    let gives = GIVES.replace("run(n: int) { count(n); }", "run(n: int) { var c: Cell; c := count(n); }");
    let gives =
        gives.replace("count(n: int) {", "count(n: int) returns (c: Cell) {").replace("c := GIVEN;", "c := null;");
    assert_eq!(refused(&gives, Vec::new()), why);
}
