//! What summaries say is shown of pairs that only read, of all ways to end, and of ends themselves.

use super::{Case, RUN};
use crate::pair::PairEvidence;
use crate::pair::plan::InliningPlan;
use crate::pair::summaries::{Formula, Polynomial, SummariesEvidence, Summary};
use crate::relate::Uses;
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use std::collections::BTreeSet;

const CELLS: &str = "class Cell { value: int; } global g: Cell;";

/// What comes of these summaries of two versions, in which what makes calls does not err. Of each, `run` is procedure 0.
fn checked([left, right]: [&str; 2], summaries: Vec<Summary>) -> Result<Uses, String> {
    let mut case = Case::new(&format!("{CELLS} version 0 {left} version 1 {right}"), &[]);
    let calls = case.effects.iter_mut().flatten().filter(|own| !own.callees.is_empty());
    calls.for_each(|own| own.errs_only_if_null = Some(Vec::new()));
    let plan = InliningPlan::of(Default::default(), [0, 0]);
    case.check_pair(RUN, &PairEvidence::Summaries(SummariesEvidence { plan, summaries, exact: BTreeSet::new() }))
}

/// A value is another one.
fn equal(one: usize, other: usize) -> Formula {
    Formula::Zero(Polynomial { parts: vec![(BigInt::from(1), vec![one]), (BigInt::from(-1), vec![other])] })
}

#[test]
fn summaries_are_of_what_only_reads() {
    let reads = "procedure run(c: Cell) returns (r: int) { if (c != null) { r := c.value; } }";
    assert_eq!(checked([reads, reads], Vec::new()), Ok(Uses::new()));
    let given = |body: &str, callee: &str| format!("procedure run(c: Cell) returns (r: int) {{ {body} }} {callee}");
    let writes = |value: i64| given(&format!("if (c != null) {{ c.value := {value}; }}"), "");
    let callee_writes = |value: i64| {
        let callee = format!("procedure fill(c: Cell) {{ if (c != null) {{ c.value := {value}; }} }}");
        given("fill(c);", &callee)
    };
    let finds =
        |value: &str| given("x := find(c);", &format!("procedure find(c: Cell) returns (r: Cell) {{ r := {value}; }}"));
    let keeps = |value: &str| given("keep(c);", &format!("procedure keep(c: Cell) {{ g := {value}; }}"));
    let asks = |_: &str| given("ask(c);", "procedure ask(c: Cell);");
    let wrong = [
        [writes(1), writes(2)],
        [callee_writes(1), callee_writes(2)],
        [finds("c"), finds("null")],
        [keeps("c"), keeps("null")],
        [asks(""), asks("")],
    ];
    for [left, right] in &wrong {
        let why = checked([left, right], Vec::new());
        let expected = "summaries are of procedures that only read the heap, and give no references back";
        assert_eq!(why, Err(expected.to_string()), "{left} {right}");
    }
}

#[test]
fn a_return_meets_no_error() {
    let asserts = |condition: &str| format!("procedure run(n: int) returns (r: int) {{ assert {condition}; }}");
    let why = |left: &str, right: &str| checked([&asserts(left), &asserts(right)], Vec::new());
    assert_eq!(why("n > 0", "n >= 1"), Ok(Uses::new()));
    for (left, right) in [("true", "n > 0"), ("n > 0", "true"), ("n > 0", "n > 1")] {
        let expected = "the two are not shown to end alike by summaries of their calls";
        assert_eq!(why(left, right), Err(expected.to_string()), "{left} {right}");
    }
}

/// They give back the same wherever both return. From -1 only one of them does.
#[test]
fn two_runs_end_together() {
    let down = |condition: &str, step: i64| {
        format!("procedure run(n: int) returns (r: int) {{ if ({condition}) {{ x := run(n - {step}); }} }}")
    };
    let run = Some(ProcId(0));
    let from_equal = || vec![Summary::of_calls([run, run], vec![equal(0, 1)], Vec::new())];
    assert_eq!(checked([&down("n > 0", 1), &down("n >= 1", 1)], from_equal()), Ok(Uses::new()));
    let expected = Err("the two are not shown to end together by summaries of their calls".to_string());
    let positive = down("n > 0", 1);
    for other in [down("n != 0", 1), down("n > 0", 0), down("n > 0", -1)] {
        assert_eq!(checked([&positive, &other], from_equal()), expected, "{other}");
        assert_eq!(checked([&other, &positive], from_equal()), expected, "{other}");
    }
    // Of a summary that says nothing of what goes in, the ends are not shown either; nor are they without one.
    let anything = vec![Summary::of_calls([run, run], Vec::new(), Vec::new())];
    assert_eq!(checked([&positive, &down("n != 0", 1)], anything), expected);
    assert_eq!(checked([&positive, &positive], Vec::new()), expected);
}
