//! What is said of a procedure alone is shown or refused.

use super::{Story, story};
use crate::alone::clauses::ClauseKind;
use crate::alone::measures::{Measure, Ranking};
use crate::effects::Effects;
use crate::only_if::{Changing, OnlyIf, Operand};
use crate::proof::{Dossier, Kernel};
use crate::rejection::Rejection;
use lang_l::hir::{FieldId, ProcId, Unit};
use smt::heap::{Comparison, Test};
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

/// It errs where `x` is null and where `n` is 0, writes to `x`, and comes to no end from a negative number.
const WRITES: &str = "
    class Cell { v: int; }
    version 0
    procedure run(x: Cell, n: int) returns (r: int) ensures r >= 1; { x.v := 8 / n; if (n != 1) { r := run(x, n - 1); } }
    version 1
    procedure run(x: Cell, n: int) returns (r: int) { r := n; }";

/// Why nothing is believed of version 0; why nothing is proved of it.
fn refusals(story: &Story, rankings: &[Ranking]) -> Option<String> {
    let claims = BTreeMap::new();
    let dossier = Dossier { rankings: [rankings, &[]], ..story.dossier(&claims) };
    let kernel = Kernel::check(dossier, &mut Solver::new(QueryBudget::default()));
    kernel.alone(0).err().map(|refused| refused.0)
}

/// Something wrong that is said of a procedure, and a word of the refusal.
type Lie = (fn(&mut Effects), &'static str);

fn said(text: &str, says: impl FnOnce(&mut Effects)) -> Option<String> {
    let mut story = story(text);
    says(&mut story.effects[0][0]);
    refusals(&story, &[])
}

#[test]
fn what_is_said_of_a_procedure_is_shown() {
    assert_eq!(said(WRITES, |_| ()), None);
    assert_eq!(said(WRITES, |own| own.errs_if_null = [0].into()), None);
    let lies: [Lie; 9] = [
        (|own| own.errs_only_if_null = Some(vec![0]), "when it errs"),
        (|own| own.errs_only_if_null = Some(Vec::new()), "when it errs"),
        (|own| own.modifies = Some(Vec::new()), "what it may modify"),
        (|own| own.terminates = true, "said to end without a reason"),
        (|own| own.trust_ensures = true, "relied upon that is not proved"),
        (|own| own.writes.clear(), "the footprint"),
        (|own| own.accesses.clear(), "the footprint"),
        (|own| own.callees.clear(), "the footprint"),
        (|own| own.non_local = true, "the footprint"),
    ];
    for (lie, expected) in lies {
        let why = said(WRITES, lie).expect("it is not so");
        assert!(why.contains(expected), "{expected}: {why}");
    }
    let safe = WRITES.replace("x.v := 8 / n; ", "");
    let why = said(&safe, |own| own.errs_if_null = [0].into()).expect("it does not err");
    assert!(why.contains("said to err where it may not"), "{why}");
}

/// It links what it gives back into what it was given; of a list, that changes its end alone.
const LINKS: &str = "
    class Node { v: int; next: Node; }
    version 0
    procedure run(l: Node, x: int) returns (r: Node) {
        if (l == null || l.v >= x) { r := new Node(); r.next := l; return r; }
        t := run(l.next, x);
        l.next := t;
        return l;
    }
    version 1
    procedure run(l: Node, x: int) returns (r: Node) { r := l; }";

fn test(path: &[u32], comparison: Comparison, parameter: Option<usize>, more: i64) -> Test<Operand> {
    Test { path: path.iter().copied().map(FieldId).collect(), comparison, value: Operand { parameter, more } }
}

/// What is said to change, and under which tests.
type Said<'t> = [(Changing, &'t [&'t Test<Operand>])];

#[test]
fn what_changes_only_if_something_held_is_shown() {
    let result = Changing::Result { result: 0, parameter: 0 };
    let next = Changing::Field(FieldId(1));
    let (is_end, is_large) = (test(&[], Comparison::Equal, None, 0), test(&[0], Comparison::AtLeast, Some(1), 0));
    let next_is_large = test(&[1, 0], Comparison::AtLeast, Some(1), 0);
    let says = |all: &Said<'_>| {
        let all = all.iter().map(|&(what, tests)| OnlyIf { what, tests: tests.iter().copied().cloned().collect() });
        said(LINKS, |own| own.changes_only_if = all.collect())
    };
    assert_eq!(says(&[(result, &[&is_large])]), None);
    assert_eq!(says(&[(result, &[&is_large]), (next, &[&next_is_large])]), None);
    let further = test(&[1, 0], Comparison::AtLeast, Some(1), 1);
    let otherwise = test(&[1, 0], Comparison::AtMost, Some(1), 0);
    let lies: [&Said<'_>; 7] = [
        // Without knowing what comes back nobody knows what is linked.
        &[(next, &[&next_is_large])],
        &[(result, &[&is_end])],
        &[(result, &[])],
        &[(result, &[&is_large]), (next, &[])],
        &[(result, &[&is_large]), (next, &[&further])],
        &[(result, &[&is_large]), (next, &[&otherwise])],
        &[(result, &[&is_large]), (next, &[&is_large])],
    ];
    for lie in lies {
        let why = says(lie).expect("it is not so");
        assert!(why.contains("what changes only if something held"), "{why}");
    }
    // What cannot be said is no question.
    let senseless = [
        (next, test(&[0, 1], Comparison::Equal, None, 0)),
        (next, test(&[1], Comparison::AtMost, None, 0)),
        (next, test(&[1], Comparison::Equal, None, 1)),
        (next, test(&[1], Comparison::Equal, Some(1), 0)),
        (next, test(&[0], Comparison::Equal, Some(7), 0)),
        (Changing::Field(FieldId(9)), is_end.clone()),
        (Changing::Result { result: 1, parameter: 0 }, is_end.clone()),
        (Changing::Result { result: 0, parameter: 1 }, is_end.clone()),
    ];
    for (what, test) in senseless {
        let why = says(&[(what, &[&test])]).expect("it makes no sense");
        assert!(why.contains("makes no sense"), "{why}");
    }
}

#[test]
fn what_holds_when_it_has_returned_is_shown() {
    // The result is 0, as nobody sets it.
    for (ensures, holds) in [("r >= 1", false), ("r >= 0", true), ("r <= 0", true), ("r <= 0 && n >= 2", false)] {
        let text = WRITES.replace("r >= 1", ensures);
        let shown = said(&text, |own| {
            let unit: Unit = lang_l::load([("pair.l", &text[..])]).expect("a legal program").unit;
            own.exit.push(unit.versions[0].procedures[0].ensures[0].clone());
        });
        assert_eq!(shown.is_none(), holds, "{ensures}: {shown:?}");
    }
}

#[test]
fn a_measure_falls_and_not_for_ever() {
    let down = "
        version 0
        procedure run(x: ref, n: int) returns (r: int) { if (n CONDITION) { r := run(x, n - 1); } }
        version 1
        procedure run(x: ref, n: int) returns (r: int) { r := n; }";
    let measure = |coefficient: i64, constant: i64| Measure {
        absolute: false,
        constant: constant.into(),
        coefficients: [(1, coefficient.into())].into(),
        lengths: BTreeMap::new(),
    };
    let absolute = |measure: Measure| Measure { absolute: true, ..measure };
    let ends = |condition: &str, measures: Vec<Measure>| {
        let mut story = story(&down.replace("CONDITION", condition));
        story.effects[0][0].terminates = true;
        let ranking = Ranking { component: vec![ProcId(0)], measures, by_second: Vec::new() };
        refusals(&story, &[ranking]).is_none()
    };
    assert!(ends("> 0", vec![measure(1, 0)]));
    assert!(ends("> -9", vec![measure(1, 8)]));
    assert!(!ends("> -9", vec![measure(1, 7)]));
    assert!(!ends("!= 0", vec![measure(1, 0)]));
    assert!(!ends("!= 0", vec![absolute(measure(1, 0))]));
    assert!(ends("> 0", vec![absolute(measure(1, 0))]));
    assert!(ends("> -9", vec![absolute(measure(-1, -9))]));
    assert!(!ends("> -9", vec![absolute(measure(1, 7))]));
    assert!(!ends("> 0", vec![measure(-1, 0)]));
    assert!(!ends("> 0", vec![measure(0, 5)]));
    assert!(!ends("> 0", Vec::new()));
}

/// That it errs, and so ends, would be why the call ends; and that the call ends why nothing but an error is left.
#[test]
fn that_it_errs_and_that_it_ends_are_not_shown_by_each_other() {
    let mut story = story(
        "version 0
         procedure run(x: ref, n: int) returns (r: int) ensures false; { r := run(null, n); }
         version 1
         procedure run(x: ref, n: int) returns (r: int) { r := n; }",
    );
    let own = &mut story.effects[0][0];
    (own.errs_if_null, own.terminates, own.trust_ensures) = ([0].into(), true, true);
    let ranking = Ranking { component: vec![ProcId(0)], measures: Vec::new(), by_second: Vec::new() };
    let why = refusals(&story, &[ranking]).expect("it never ends");
    assert!(why.contains("said to err where it may not"), "{why}");
}

/// A clause is proved of the lowered program: it holds of the source where that is shown to do the same.
#[test]
fn a_clause_holds_where_the_source_has_to_establish_it() {
    let text = "
        version 0
        procedure run(x: ref, n: int) returns (r: int) requires n >= 0; ensures r >= 0; { if (n > 3) { r := run(x, n - GIVEN); } }
        version 1
        procedure run(x: ref, n: int) returns (r: int) { r := n; }";
    let holds = |written: &str, lowered: &str, kind: ClauseKind| {
        let written = story(&text.replace("GIVEN", written));
        let mut story = Story { source: written.source, ..story(&text.replace("GIVEN", lowered)) };
        story.effects[0][0].trust_ensures = true;
        let code = &story.source.versions[0].procedures[0];
        let clause = if kind == ClauseKind::Requires { &code.requires[0] } else { &code.ensures[0] };
        let claims = BTreeMap::new();
        let kernel = Kernel::check(story.dossier(&claims), &mut Solver::new(QueryBudget::default()));
        assert!(kernel.alone(0).is_ok());
        kernel.clause_holds(0, kind, clause.span).map_err(|refused| refused.0)
    };
    assert_eq!(holds("3", "3", ClauseKind::Requires), Ok(()));
    for kind in [ClauseKind::Requires, ClauseKind::Ensures] {
        let why = holds("8", "3", kind).expect_err("it is not what is written");
        assert!(why.contains("than the source"), "{why}");
    }
    for (given, kind) in [("8", ClauseKind::Requires), ("3", ClauseKind::Invariant)] {
        let why = holds(given, given, kind).expect_err("it is not shown");
        assert!(why.contains("not proved"), "{why}");
    }
}

/// Why the first procedure of a program is not what is written in another one.
fn not_as_written(written: &str, lowered: &str) -> Option<Rejection> {
    let mut story = story(written);
    story.lowered = lang_l::load([("pair.l", lowered)]).expect("a legal program").unit;
    let claims = BTreeMap::new();
    let kernel = Kernel::check(story.dossier(&claims), &mut Solver::new(QueryBudget::default()));
    kernel.does_what_is_written(0, ProcId(0)).err()
}

/// What stands for a procedure does what is written: it asks the same, calls with the same, and gives the same.
#[test]
fn what_stands_for_a_procedure_does_what_is_written() {
    let text = "
        version 0
        procedure run(x: ref, n: int) returns (r: int) { r := 2; if (n > 0) { r := run(x, n - 1); } }
        version 1
        procedure run(x: ref, n: int) returns (r: int) { r := n; }";
    let why = |from: &str, to: &str| not_as_written(text, &text.replace(from, to));
    assert_eq!(why("r := 2", "r := 1 + 1"), None);
    assert_eq!(why("n > 0", "!(n <= 0)"), None);
    for (from, to) in [
        ("r := 2", "r := 1"),
        ("n > 0", "n > 1"),
        ("n - 1", "n - 2"),
        ("run(x, n - 1)", "run(null, n - 1)"),
        ("if (n > 0)", "assume n >= -1; if (n > 0)"),
        ("r := 2", "r := 4 / n"),
        ("r := 2", "x := new(); r := 2"),
    ] {
        assert!(why(from, to).is_some(), "{to}");
    }
}

/// What the condition of an outcome decides of a result or a global is what it is, and nothing else.
#[test]
fn values_are_what_is_written_where_a_path_leads() {
    let text = |body: &str| {
        let version =
            |number: u8| format!("version {number} procedure run(x: ref, n: int) returns (r: bool) {{ {body} }}\n");
        format!("global g: bool;\n{}{}", version(0), version(1))
    };
    let written = text("if (n > 0) { r := true; g := true; } else { g := false; }");
    for lowered in [
        "if (n > 0) { r := n > 0; g := true; } else { g := n > 0; }",
        "if (n > 0) { r := true; g := n >= 1; } else { r := n > 0; g := false; }",
    ] {
        assert_eq!(not_as_written(&written, &text(lowered)), None, "{lowered}");
    }
    for lowered in [
        "if (n > 0) { r := n > 1; g := true; } else { g := false; }",
        "if (n > 0) { r := true; g := true; } else { r := n < 0; g := false; }",
        "if (n > 0) { r := true; g := n > 1; } else { g := false; }",
        "if (n > 0) { r := true; g := true; } else { g := n <= 0; }",
    ] {
        assert!(not_as_written(&written, &text(lowered)).is_some(), "{lowered}");
    }
}

/// Of an external no more is believed than its contract says.
#[test]
fn an_external_does_what_its_contract_says() {
    let text = "
        class Cell { v: int; }
        version 0
        procedure run(x: Cell, n: int) returns (r: int);
        version 1
        procedure run(x: Cell, n: int) returns (r: int);";
    assert_eq!(said(text, |_| ()), None);
    let lies: [fn(&mut Effects); 4] = [
        |own| own.errs_only_if_null = Some(Vec::new()),
        |own| own.errs_if_null = [0].into(),
        |own| own.terminates = true,
        |own| own.modifies = Some(Vec::new()),
    ];
    for lie in lies {
        let why = said(text, lie).expect("its contract says nothing");
        assert!(why.contains("more is said of run than its contract"), "{why}");
    }
}
