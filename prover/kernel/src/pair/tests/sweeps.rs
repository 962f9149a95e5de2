//! What is said of all turns of a loop is shown or refused.

use super::Case;
use crate::exec::sweep::{Cells, Sweep, Total, Value};
use crate::pair::sweep;
use lang_l::hir::ProcId;
use smt::solve::{QueryBudget, Solver};
use smt::term::Sort;
use std::collections::BTreeMap;

/// Of each version procedure 1 is a loop: version 0 adds cells up, version 1 fills them.
const LOOPS: &str = "
    version 0
    procedure run(a: int[], n: int) returns (r: int) { r := turn(0, 5, a, n); }
    procedure turn(i: int, s: int, a: int[], n: int) returns (r: int) {
        r := s; if (i < n) { r := turn(i + 1, s + a[i], a, n); }
    }
    version 1
    procedure run(a: int[], n: int) returns (r: int) { r := turn(0, 5, a, n); }
    procedure turn(i: int, s: int, a: int[], n: int) returns (r: int) {
        if (i < n) { a[i] := s; r := turn(i + 1, s, a, n); }
    }";

/// A loop that makes an object in each turn, by a call, and gives the last one back.
const MAKES: &str = "
    class Cell { value: int; }
    version 0
    procedure run(n: int) returns (r: Cell) { r := turn(n); }
    procedure turn(n: int) returns (r: Cell) { if (n == 1) { r := make(); } if (n > 1) { r := turn(n - 1); } }
    procedure make() returns (r: Cell) { r := new Cell(); r.value := 1; }
    version 1
    procedure run(n: int) returns (r: Cell) { r := turn(n); }
    procedure turn(n: int) returns (r: Cell) { if (n > 0) { r := turn(n - 1); } }
    procedure make() returns (r: Cell) { r := new Cell(); }";

fn refusal(case: &Case, version: usize, sweep: Sweep) -> Option<String> {
    let mut solver = Solver::new(QueryBudget::default());
    let sweeps = BTreeMap::from([(ProcId(1), sweep)]);
    sweep::check(case.program(), version, &sweeps, &mut solver).err().map(|refused| refused.0)
}

fn given(at: usize) -> Value {
    Value::Given(at)
}

fn one_more(value: Value) -> Value {
    Value::Linear(1, vec![(1, value)])
}

/// What the loop of version 0 does.
fn total() -> Total {
    let each = Value::Cell(Sort::Int, Box::new(given(2)), Box::new(Value::Index));
    Total { start: given(1), range: [given(0), given(3)], each }
}

/// What the loop of version 1 does.
fn filled() -> Cells {
    Cells { array: given(2), sort: Sort::Int, range: [given(0), given(3)], value: given(1) }
}

#[test]
fn a_sum_is_a_total() {
    let case = Case::loops(LOOPS);
    let said =
        |total: Total| refusal(&case, 0, Sweep { cells: Vec::new(), totals: vec![Some(total)], ..Sweep::default() });
    assert_eq!(said(total()), None);
    let [from, to] = total().range;
    let wrong = [
        Total { start: one_more(given(1)), ..total() },
        Total { range: [one_more(from.clone()), to.clone()], ..total() },
        Total { range: [from.clone(), one_more(to)], ..total() },
        Total { range: [from.clone(), from], ..total() },
        Total { each: Value::Index, ..total() },
        Total { each: one_more(total().each), ..total() },
    ];
    for total in wrong {
        assert_eq!(said(total).as_deref(), Some("what all turns of a loop do together is not shown"));
    }
    for sense in [given(4), given(2), Value::Index, Value::Truth(true), Value::Field(0, Box::new(given(2)))] {
        let why = said(Total { start: sense, ..total() });
        assert_eq!(why.as_deref(), Some("what is said of all turns of a loop has no meaning"));
    }
}

#[test]
fn what_is_written_is_said_and_nothing_else() {
    let case = Case::loops(LOOPS);
    let said = |cells: Vec<Cells>| refusal(&case, 1, Sweep { cells, totals: vec![None], ..Sweep::default() });
    assert_eq!(said(vec![filled()]), None);
    let [from, to] = filled().range;
    let wrong = [
        vec![],
        vec![Cells { range: [one_more(from.clone()), to.clone()], ..filled() }],
        vec![Cells { range: [from, one_more(to)], ..filled() }],
        vec![Cells { value: given(0), ..filled() }],
        vec![Cells { value: Value::Index, ..filled() }],
        vec![filled(), Cells { value: given(0), ..filled() }],
    ];
    for cells in wrong {
        assert_eq!(said(cells).as_deref(), Some("what all turns of a loop do together is not shown"));
    }
    let other_sort = Cells { sort: Sort::Bool, ..filled() };
    assert_eq!(said(vec![other_sort]).as_deref(), Some("a loop is said to write cells of a kind that it never writes"));
    // What is written by the loop of the other version is not what this one does.
    let none = refusal(&case, 1, Sweep { cells: vec![filled()], totals: vec![Some(total())], ..Sweep::default() });
    assert!(none.is_some());
}

/// Only what the loop may write is compared, and all that is said was taken for written.
#[test]
fn cells_of_a_kind_that_is_never_written_are_not_filled() {
    let case = Case::loops(LOOPS);
    let none = [given(0), given(0)];
    let said = |cells: Vec<Cells>| refusal(&case, 0, Sweep { cells, totals: vec![Some(total())], ..Sweep::default() });
    for cells in [filled(), Cells { range: none, ..filled() }] {
        let why = said(vec![cells]);
        assert_eq!(why.as_deref(), Some("a loop is said to write cells of a kind that it never writes"));
    }
}

#[test]
fn a_loop_that_calls_what_makes_objects_is_not_taken_as_a_whole() {
    let mut case = Case::loops(MAKES);
    let said = |case: &Case, version: usize| {
        refusal(case, version, Sweep { cells: Vec::new(), totals: vec![None], ..Sweep::default() })
    };
    assert_eq!(said(&case, 0).as_deref(), Some("a loop that is taken as a whole makes objects, or calls what may"));
    assert_eq!(said(&case, 1), None);
    case.effects[1][1].written_globals.insert(lang_l::hir::GlobalId(0));
    assert_eq!(said(&case, 1).as_deref(), Some("only a loop that writes no global is taken as a whole"));
}
