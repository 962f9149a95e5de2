//! The marks of a pair are at the culprit, however the other version is written.

use super::{Mark, marks};
use crate::search::concrete::{SearchBudget, search};
use crate::search::witness::RunPair;
use lang_l::source::Sources;

/// Compares the marks of the pair `p` with what is expected: the statements or conditions, and what happens there.
fn check(left: &str, right: &str, expected: [(&str, &str); 2]) {
    let mut sources = Sources::new();
    let text = format!("global g: int; version 0 {left} version 1 {right}");
    let file = sources.add("pair.l".to_string(), text.clone());
    let parsed = lang_l::parse::parse(file, &text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    let unit = lang_l::resolve::resolve(&[&parsed.file]).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    let [left, right] = [0, 1].map(|version: usize| unit.versions[version].find("p").expect("both have it"));
    let pair = RunPair { unit: &unit, left, right, when: None };
    let witness = search(&pair, &[], SearchBudget::QUICK).expect("the two differ");
    let found = marks(&sources, &pair, &witness).expect("the runs end as the witness says");
    let shown = found.map(|Mark { span, role }| (sources.text(span).to_string(), role.word()));
    let expected = expected.map(|(text, word)| (text.to_string(), word));
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn one_guard_clause_of_several_is_the_culprit() {
    check(
        "procedure p(amount: int, bal: int) { if (amount > 0) { if (bal >= amount) { g := amount; } } }",
        "procedure p(amount: int, bal: int) {
             if (amount <= 0) { return; }
             if (bal <= amount) { return; }
             g := amount;
         }",
        [("g := amount;", "sets"), ("bal <= amount", "turns")],
    );
}

#[test]
fn a_condition_of_several_parts_says_what_nested_ones_say() {
    check(
        "procedure p(amount: int, bal: int) { if (0 < amount && bal > amount) { g := amount; } }",
        "procedure p(amount: int, bal: int) {
             if (!(amount > 0)) { return; }
             if (bal < amount) { return; }
             g := amount;
         }",
        [("0 < amount && bal > amount", "turns"), ("g := amount;", "sets")],
    );
}

#[test]
fn the_order_of_tests_does_not_matter() {
    check(
        "procedure p(n: int, m: int) { if (m > 0) { assert m != 0; if (n > 3) { g := n; } } }",
        "procedure p(n: int, m: int) { if (n <= 2) { return; } if (1 > m) { return; } g := n; }",
        [("n > 3", "turns"), ("g := n;", "sets")],
    );
}

#[test]
fn exchanged_branches_are_told_by_their_test() {
    check(
        "procedure p(n: int) { if (n > 3) { g := 1; } else { g := 2; } }",
        "procedure p(n: int) { if (n > 3) { g := 2; } else { g := 1; } }",
        [("n > 3", "turns"), ("n > 3", "turns")],
    );
}

#[test]
fn where_both_set_it_elsewhere_the_test_is_the_culprit() {
    check(
        "procedure p(n: int) { if (n > 3) { g := 1; } else { g := 2; } }",
        "procedure p(m: int) { if (m <= 4) { g := 2; } else { g := 1; } }",
        [("n > 3", "turns"), ("m <= 4", "turns")],
    );
}

#[test]
fn a_changed_statement_is_marked_itself() {
    check(
        "procedure p(n: int) { if (n > 3) { g := 1; } else { g := 2; } }",
        "procedure p(n: int) { if (n > 3) { g := 5; } else { g := 2; } }",
        [("g := 1;", "sets"), ("g := 5;", "sets")],
    );
}

#[test]
fn statements_in_another_order_are_marked_themselves() {
    check(
        "procedure p(n: int) { if (n > 3) { assert n != 0; } g := n; g := n + 1; }",
        "procedure p(n: int) { if (n > 3) { assert n != 0; } g := n + 1; g := n; }",
        [("g := n + 1;", "sets"), ("g := n;", "sets")],
    );
}
