//! What is said of each cell of an array where two loops begin has a meaning, and holds of every call.

use super::*;
use smt::term::Sort;

/// Version 0 counts what the cells from i on hold, which is nothing; version 1 does not look at them.
const ZEROS: &str = "
    version 0
    procedure run(a: int[]) returns (r: int)
        requires a != null && a.length > 0 && forall k: int :: 0 <= k && k < a.length ==> a[k] == 0;
    { before r := count(0, a); }
    procedure count(i: int, a: int[]) returns (k: int) {
        if (a != null && 0 <= i && i < a.length) { k := a[i]; a[i] := 1; j := count(i + 1, a); k := k + j; }
    }
    version 1
    procedure run(a: int[]) returns (r: int)
        requires a != null && a.length > 0 && forall k: int :: 0 <= k && k < a.length ==> a[k] == 0;
    { before r := count(0, a); }
    procedure count(i: int, a: int[]) returns (k: int) {
        if (a != null && 0 <= i && i < a.length) { a[i] := 1; k := count(i + 1, a); }
    }";

fn zeros(before: &str) -> Case {
    Case::loops(&ZEROS.replace("before ", before))
}

fn each() -> Atom {
    Atom { version: 0, parameter: 1, steps: vec![Step::Each(Sort::Int)] }
}

fn from(from: Option<Atom>, held: Fact) -> Fact {
    Fact::Each(from, Box::new(held))
}

fn related(facts: Vec<Fact>) -> LoopRelation {
    let entry = CallRelation { equal: vec![(0, 0), (1, 1)], facts, ..CallRelation::default() };
    LoopRelation { pair: OTHER, entry, results: vec![(0, 0)], turns: Turns::default() }
}

#[test]
fn cells_ahead_hold_what_they_held() {
    let is_zero = || Fact::Is(each(), 0);
    let ahead = || from(Some(atom(0, 0)), is_zero());
    let case = zeros("");
    assert_eq!(case.check_pair(RUN, &case.related(related(vec![ahead()]), in_order)), Ok(case.all()));
    // Nothing, of all cells, or of those that hold something else.
    let one = from(Some(atom(0, 0)), Fact::Is(each(), 1));
    let not = from(Some(atom(0, 0)), Fact::Not(Box::new(is_zero())));
    for wrong in [Vec::new(), vec![from(None, is_zero())], vec![one], vec![not]] {
        case.refused(&case.related(related(wrong), in_order));
    }
    // The last cell holds something already.
    let case = zeros("a[a.length - 1] := 1; ");
    case.refused(&case.related(related(vec![ahead()]), in_order));
}

#[test]
fn what_is_said_of_each_cell_is_plain() {
    let case = zeros("");
    let is_zero = || Fact::Is(each(), 0);
    let length = Atom { version: 0, parameter: 1, steps: vec![Step::Length] };
    let wrong = [
        is_zero(),
        Fact::Not(Box::new(from(None, is_zero()))),
        from(None, from(None, is_zero())),
        from(None, Fact::Under(Box::new([is_zero(), is_zero()]))),
        from(None, Fact::Not(Box::new(Fact::Not(Box::new(is_zero()))))),
        Fact::Under(Box::new([from(None, is_zero()), Fact::AtLeast(atom(0, 0), 0)])),
        Fact::Under(Box::new([Fact::AtLeast(atom(0, 0), 0), from(None, is_zero())])),
        from(Some(atom(0, 1)), is_zero()),
        from(Some(each()), is_zero()),
        from(None, Fact::Truth(each(), true)),
        from(None, Fact::Is(Atom { parameter: 0, ..each() }, 0)),
        from(None, Fact::Is(Atom { steps: vec![Step::Each(Sort::Ref)], ..each() }, 0)),
    ];
    for fact in wrong {
        let why = case.refused(&case.related(related(vec![fact.clone()]), in_order));
        assert!(why.contains("has no meaning"), "{fact:?}: {why}");
    }
    for fact in [from(Some(length), is_zero()), from(None, Fact::Not(Box::new(Fact::Is(each(), 7))))] {
        let why = case.refused(&case.related(related(vec![fact.clone()]), in_order));
        assert!(!why.contains("has no meaning"), "{fact:?}: {why}");
    }
}
