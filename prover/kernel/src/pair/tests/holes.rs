//! A loop that leaves a hole in an array: a cell at which the heaps differ, and that goes with it.

use super::*;
use smt::term::Sort;

/// Both loops shift cells up to make room; version 0 has put the number there before, version 1 puts it there at the end.
const ROOM: &str = "
    version 0
    procedure run(a: int[], i: int, v: int) {
        if (a != null && 0 <= i && i < a.length) { before a[i] := v; x := count(i, a); }
    }
    procedure count(i: int, a: int[]) returns (k: int) modifies {a}; {
        k := i;
        if (0 < i && i < a.length) { t := a[i]; a[i] := a[i - 1]; a[i - 1] := t; k := count(i - 1, a); }
    }
    version 1
    procedure run(a: int[], i: int, v: int) {
        if (a != null && 0 <= i && i < a.length) { after x := count(i, a, v); a[x] := v; }
    }
    procedure count(i: int, a: int[], v: int) returns (k: int) modifies {a}; {
        k := i;
        if (0 < i && i < a.length) { a[i] := a[i - 1]; k := count(i - 1, a, v); }
    }";

fn room(before: &str, after: &str) -> Case {
    Case::loops(&ROOM.replace("before ", before).replace("after ", after))
}

fn hole(version: usize, before: usize, after: Option<usize>) -> Apart {
    Apart { version, parameter: 1, of: Part::Cell { before, after } }
}

/// What holds of the loops of [`ROOM`]: of the first version's array at the second one's index, which may have gone on.
fn shifted(apart: Vec<Apart>) -> LoopRelation {
    let held = |index: usize| {
        let cell = Atom { version: 0, parameter: 1, steps: vec![Step::Beside(index, Sort::Int)] };
        Fact::Equal(cell, atom(1, 2), 0)
    };
    let length = Atom { version: 1, parameter: 1, steps: vec![Step::Length] };
    let within = |index: usize| [Fact::AtLeast(atom(1, index), 0), Fact::AtMost(atom(1, index), length.clone(), -1)];
    let [facts, exit] =
        [0, 3].map(|index| [vec![held(index), Fact::NotNull(atom(1, 1))], within(index).to_vec()].concat());
    let entry = CallRelation { equal: vec![(0, 0), (1, 1)], facts, apart, exit, compared: false };
    LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() }
}

#[test]
fn a_hole_is_filled_where_the_loop_has_come_to() {
    let case = room("", "");
    let proof = |apart: Vec<Apart>| case.related(shifted(apart), in_order);
    assert_eq!(case.check_pair(RUN, &proof(vec![hole(1, 0, Some(3))])), Ok(case.all()));
    // Nowhere at the end, where it was at first, or not at all.
    for wrong in [vec![hole(1, 0, None)], vec![hole(1, 0, Some(0))], Vec::new()] {
        case.refused(&proof(wrong));
    }
}

#[test]
fn beside_the_hole_heaps_agree() {
    let case = room("a[0] := 5; ", "a[0] := 6; ");
    case.refused(&case.related(shifted(vec![hole(1, 0, Some(3))]), in_order));
}

/// Each leaves a number of its own in the cell, and gives it back.
const OWN: &str = "
    version 0
    procedure run(a: int[], i: int) returns (r: int) { a[i] := 1; x := count(i, a); r := a[i]; a[i] := 0; }
    procedure count(i: int, a: int[]) returns (k: int) modifies {a}; { if (0 < i) { k := count(i, a); a[a.length - 1] := 0; } }
    version 1
    procedure run(a: int[], i: int) returns (r: int) { a[i] := 2; x := count(i, a); r := a[i]; a[i] := 0; }
    procedure count(i: int, a: int[]) returns (k: int) modifies {a}; { if (0 < i) { k := count(i, a); a[a.length - 1] := 0; } }";

#[test]
fn what_both_versions_leave_in_a_hole_has_two_names() {
    let case = Case::loops(OWN);
    let apart = vec![hole(0, 0, Some(0)), hole(1, 0, Some(0))];
    let entry = CallRelation { equal: vec![(0, 0), (1, 1)], apart, ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    case.refused(&case.related(own, in_order));
}

#[test]
fn a_loop_leaves_one_thing_whoever_it_is_related_to() {
    let more =
        "procedure more(i: int, a: int[]) returns (k: int) { if (0 < i) { k := more(i, a); a[a.length - 1] := 0; } }";
    let case = Case::loops(&format!("{} {more}", OWN.replace("version 1", &format!("{more} version 1"))));
    let own = |pair: Pair, apart: Vec<Apart>| {
        let entry = CallRelation { equal: vec![(0, 0), (1, 1)], apart, ..CallRelation::default() };
        LoopRelation { pair, entry, results: vec![(0, 0)], turns: Turns::default() }
    };
    let loops = vec![own(OTHER, vec![hole(0, 0, Some(0))]), own((ProcId(1), ProcId(2)), Vec::new())];
    let why = case.refused(&case.all_related(loops, in_order));
    assert!(why.contains("in two ways"), "{why}");
}

#[test]
fn a_hole_is_a_cell_of_numbers_at_a_number() {
    let case = room("", "");
    let of = |version: usize, parameter: usize, before: usize, after: Option<usize>| Apart {
        version,
        parameter,
        of: Part::Cell { before, after },
    };
    let places = [of(2, 1, 0, None), of(1, 0, 0, None), of(1, 9, 0, None), of(1, 1, 1, None), of(1, 1, 9, None)];
    for wrong in places.into_iter().chain([of(1, 1, 0, Some(1)), of(1, 1, 0, Some(9)), of(0, 1, 2, None)]) {
        let why = case.refused(&PairEvidence::Loops(LoopsEvidence {
            whole: paths(Relations::new()),
            loops: vec![(shifted(vec![wrong]), Relations::new())],
        }));
        assert!(why.contains("differ where they cannot"), "{wrong:?}: {why}");
    }
}

/// The cell holds what version 0 keeps in a variable, and that is not what it held before.
const KEPT: &str = "
    version 0
    procedure run(a: int[], i: int, v: int) returns (r: int) {
        if (a != null && 0 <= i && i < a.length) { a[i] := 0; x := count(i, a, 1); y := a[i]; a[i] := 0; r := y; }
    }
    procedure count(i: int, a: int[], v: int) returns (k: int) modifies written; { if (a[i] == v) { k := 1; } }
    version 1
    procedure run(a: int[], i: int, v: int) returns (r: int) {
        if (a != null && 0 <= i && i < a.length) { a[i] := 1; x := count(i, a); y := a[i]; a[i] := 0; r := y + 1; }
    }
    procedure count(i: int, a: int[]) returns (k: int) modifies {a}; { k := a[i]; a[i] := 1; }";

#[test]
fn version_0_may_change_the_array_of_a_hole() {
    for written in ["{}", "{a}"] {
        let case = Case::loops(&KEPT.replace("written", written));
        let cell = Atom { version: 1, parameter: 1, steps: vec![Step::Cell(0, Sort::Int)] };
        let exit = vec![Fact::Equal(cell, atom(0, 2), 0)];
        let apart = vec![hole(0, 0, Some(0))];
        let entry = CallRelation { equal: vec![(0, 0), (1, 1)], apart, exit, ..CallRelation::default() };
        let own = LoopRelation { pair: OTHER, entry, results: Vec::new(), turns: Turns::default() };
        let why = case.refused(&case.related(own, in_order));
        assert!(why.contains("differ where they cannot"), "{written}: {why}");
    }
}

/// Both loops write numbers, and truth values to another array.
const FLAGS: &str = "
    version 0
    procedure run(a: int[], i: int, f: bool[]) { x := count(i, f, a); }
    procedure count(i: int, f: bool[], a: int[]) returns (k: int) {
        if (0 < i) { a[i] := 0; f[i] := true; k := count(i - 1, f, a); }
    }
    version 1
    procedure run(a: int[], i: int, f: bool[]) { x := count(i, f, a); }
    procedure count(i: int, f: bool[], a: int[]) returns (k: int) {
        if (0 < i) { a[i] := 0; f[i] := true; k := count(i - 1, f, a); }
    }";

#[test]
fn a_hole_is_in_an_array_of_numbers() {
    let entry =
        CallRelation { equal: vec![(0, 0), (1, 1), (2, 2)], apart: vec![hole(0, 0, None)], ..CallRelation::default() };
    let own = LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() };
    let evidence = LoopsEvidence { whole: paths(Relations::new()), loops: vec![(own, Relations::new())] };
    let why = Case::loops(FLAGS).refused(&PairEvidence::Loops(evidence));
    assert!(why.contains("differ where they cannot"), "{why}");
}
