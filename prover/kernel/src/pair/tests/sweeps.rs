//! What is said of all turns of a loop is shown or refused.

use super::Case;
use crate::exec::sweep::{Cells, Returns, Steps, Sweep, Total, Value};
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

/// Recursion that is no loop, of one array: version 0 makes a number of its cells on the way back, and version 1 takes the turn only
/// where nothing stops it, or by way of another.
const RECURSION: &str = "
    version 0
    procedure run(a: int[]) returns (r: int) { r := fold(a, a.length); }
    procedure fold(a: int[], n: int) returns (r: int) {
        r := 7;
        if (n > 0) { r := fold(a, n - 1); r := r * 31 + a[n - 1]; }
    }
    procedure stays(a: int[], n: int) returns (r: int) { if (n != 0) { r := stays(a, n); } }
    version 1
    procedure run(a: int[]) returns (r: int) { r := stops(a, a.length); }
    procedure stops(a: int[], n: int) returns (r: int) { if (n > 0) { assume n < 9; r := stops(a, n - 1); } }
    procedure there(a: int[], n: int) returns (r: int) { if (n > 0) { r := back(a, n); } }
    procedure back(a: int[], n: int) returns (r: int) { if (n > 0) { r := there(a, n); } }
    procedure promises(a: int[], n: int) returns (r: int) ensures r == 0; { if (n > 0) { r := promises(a, n - 1); } }";

fn refusal(case: &Case, version: usize, sweep: Sweep) -> Option<String> {
    refusal_of(case, version, ProcId(1), sweep)
}

fn refusal_of(case: &Case, version: usize, id: ProcId, sweep: Sweep) -> Option<String> {
    let mut solver = Solver::new(QueryBudget::default());
    let sweeps = BTreeMap::from([(id, sweep)]);
    sweep::check(case.program(), version, &sweeps, &mut solver).err().map(|refused| refused.0)
}

fn of_total(total: Total) -> Sweep {
    Sweep { totals: vec![Some(total)], ..Sweep::default() }
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
    Total { start: given(1), range: [given(0), given(3)], each, steps: Steps::Added }
}

/// What the loop of version 1 does.
fn filled() -> Cells {
    Cells { array: given(2), sort: Sort::Int, range: [given(0), given(3)], value: given(1) }
}

#[test]
fn a_sum_is_a_total() {
    let case = Case::loops(LOOPS);
    let said = |total: Total| refusal(&case, 0, of_total(total));
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
    assert_eq!(said(&case, 1).as_deref(), Some("only what writes no global and promises nothing is taken as a whole"));
}

fn linear(constant: i64, parts: &[(i64, Value)]) -> Value {
    Value::Linear(constant, parts.to_vec())
}

fn cell_at_index(array: usize) -> Box<Value> {
    Box::new(Value::Cell(Sort::Int, Box::new(given(array)), Box::new(Value::Index)))
}

/// What `fold` makes of the cells: 31 times what it was, and the cell.
fn folded() -> Total {
    let each = linear(0, &[(31, Value::SoFar), (1, *cell_at_index(0))]);
    Total { start: linear(7, &[]), range: [linear(0, &[]), given(1)], each, steps: Steps::InOrder }
}

#[test]
fn steps_are_taken_in_order_or_commute() {
    let case = Case::loops(RECURSION);
    let said = |total: Total| refusal(&case, 0, of_total(total));
    assert_eq!(said(folded()), None);
    let [from, to] = folded().range;
    for wrong in [
        Total { start: linear(8, &[]), ..folded() },
        Total { range: [from.clone(), one_more(to)], ..folded() },
        Total { range: [from.clone(), from], ..folded() },
        Total { each: Value::SoFar, ..folded() },
        Total { each: *cell_at_index(0), ..folded() },
        Total { each: linear(1, &[(1, folded().each)]), ..folded() },
    ] {
        assert_eq!(said(wrong).as_deref(), Some("what all turns of a loop do together is not shown"));
    }
    let any = Total { steps: Steps::InAnyOrder, ..folded() };
    assert_eq!(said(any).as_deref(), Some("that the order of turns does not matter is not shown"));
    for sense in [Value::Truth(true), Value::Null, Value::Given(0)] {
        let why = said(Total { each: sense, ..folded() });
        assert_eq!(why.as_deref(), Some("what is said of all turns of a loop has no meaning"));
    }
    // What a result has become is no part of where it begins, nor of what is added.
    for total in [
        Total { start: Value::SoFar, ..folded() },
        Total { range: [Value::SoFar, given(1)], ..folded() },
        Total { steps: Steps::Added, ..folded() },
    ] {
        assert_eq!(said(total).as_deref(), Some("what is said of all turns of a loop has no meaning"));
    }
}

/// The sum of the loop of version 0, as steps that commute.
#[test]
fn a_sum_is_made_in_any_order() {
    let case = Case::loops(LOOPS);
    let said = |total: Total| refusal(&case, 0, of_total(total));
    let each = linear(0, &[(1, Value::SoFar), (1, *cell_at_index(2))]);
    let sum = Total { each: each.clone(), steps: Steps::InAnyOrder, ..total() };
    assert_eq!(said(sum.clone()), None);
    let less = Total { range: [one_more(given(0)), given(3)], ..sum };
    assert_eq!(said(less).as_deref(), Some("what all turns of a loop do together is not shown"));
}

#[test]
fn what_is_said_to_return_does() {
    let case = Case::loops(RECURSION);
    let within = Value::AtMostZero(Box::new(linear(0, &[(1, given(1)), (-1, Value::Length(Box::new(given(0))))])));
    let there = Value::Not(Box::new(Value::Same(Box::new(given(0)), Box::new(Value::Null))));
    let when = Value::All(vec![there.clone(), within.clone()]);
    let said = |version: usize, id: u32, returns: Returns| {
        let sweep = Sweep { totals: vec![None], returns: Some(returns), ..Sweep::default() };
        refusal_of(&case, version, ProcId(id), sweep)
    };
    let returns = Returns { when: when.clone(), measure: given(1) };
    assert_eq!(said(0, 1, returns.clone()), None);
    let unshown = Some("that all turns of a loop return is not shown");
    for measure in [linear(0, &[]), linear(0, &[(-1, given(1))]), linear(-2, &[(1, given(1))])] {
        let why = said(0, 1, Returns { measure, ..returns.clone() });
        assert_eq!(why.as_deref(), unshown);
    }
    for when in [there, within, Value::Truth(true)] {
        assert_eq!(said(0, 1, Returns { when, ..returns.clone() }).as_deref(), unshown);
    }
    assert_eq!(said(0, 2, returns.clone()).as_deref(), unshown);
    assert_eq!(said(1, 1, returns.clone()).as_deref(), Some("what is said to return may be blocked"));
    let back = "what is said to return calls something that calls it";
    assert_eq!(said(1, 2, returns.clone()).as_deref(), Some(back));
    let contract = "only what writes no global and promises nothing is taken as a whole";
    assert_eq!(said(1, 4, returns).as_deref(), Some(contract));
}

/// What is said of one is used where another is looked at, which comes first here: so it has a meaning before that.
#[test]
fn all_that_is_said_has_a_meaning() {
    let case = Case::loops(RECURSION);
    for senseless in [given(999), Value::Field(999, Box::new(given(0))), Value::SoFar, Value::Index] {
        let returns = Some(Returns { when: Value::Truth(true), measure: senseless.clone() });
        let total = Total { start: senseless, ..folded() };
        for own in [Sweep { totals: vec![None], returns, ..Sweep::default() }, of_total(total)] {
            let other = Sweep { totals: vec![None], ..Sweep::default() };
            let sweeps = BTreeMap::from([(ProcId(2), other), (ProcId(3), own)]);
            let mut solver = Solver::new(QueryBudget::default());
            let why = sweep::check(case.program(), 1, &sweeps, &mut solver).err().map(|refused| refused.0);
            assert_eq!(why.as_deref(), Some("what is said of all turns of a loop has no meaning"));
        }
    }
}
