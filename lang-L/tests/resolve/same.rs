//! `same_code`: what counts as the same procedure.

use crate::unit;
use lang_l::hir::same::same_code;

/// Compares the procedures `p` of the two versions; callees count as the same when they have the same name.
#[track_caller]
fn same(left: &str, right: &str, expected: bool) {
    let unit = unit(&format!("procedure e(x);\nversion {left} version {right}"));
    let [a, b] = [&unit.versions[0], &unit.versions[1]];
    let (p, q) = (a.find("p").unwrap(), b.find("p").unwrap());
    let got = same_code(a.procedure(p), b.procedure(q), |p, q| a.procedure(p).name == b.procedure(q).name);
    assert_eq!(got, expected, "{left}\n{right}");
}

#[test]
fn names_of_variables_do_not_count() {
    same("procedure p(x, y) { t := x.f; y.f := t; }", "procedure p(a, b) { c := a.f; b.f := c; }", true);
    same("procedure p(x) { t := x.f; u := t; }", "procedure p(x) { u := x.f; t := u; }", true);
    same(
        "procedure p(x) { assert forall i: int :: i == i; }",
        "procedure p(x) { assert forall j: int :: j == j; }",
        true,
    );
}

#[test]
fn locals_correspond_one_to_one() {
    same("procedure p(x) { t := x.f; x.g := t; }", "procedure p(x) { t := x.f; u := x.g; x.g := t; }", false);
    same("procedure p(x) { t := x; u := x; x := t; }", "procedure p(x) { t := x; t := x; x := t; }", false);
    same("procedure p(x) { t := x; t := x; }", "procedure p(x) { t := x; u := x; }", false);
    same("procedure p(x, y) { x.f := y; }", "procedure p(y, x) { x.f := y; }", false);
    same("procedure p(x, y) { x.f := y; }", "procedure p(x, y) { y.f := x; }", false);
}

#[test]
fn types_fields_operators_and_numbers_count() {
    same("procedure p(n: int) { n := n + 1; }", "procedure p(n: int) { n := n + 2; }", false);
    same("procedure p(n: int) { n := n + 1; }", "procedure p(n: int) { n := n - 1; }", false);
    same("procedure p(x) { x.f := x; }", "procedure p(x) { x.g := x; }", false);
    same("procedure p(x: int) { }", "procedure p(x: bool) { }", false);
    same("procedure p(x) { x := new int[2]; }", "procedure p(x: int[]) { x := new int[2]; }", true);
}

#[test]
fn contracts_and_callees_count() {
    same("procedure p(x) modifies {x}; { }", "procedure p(x) { }", false);
    same("procedure p(x) requires x != null; { }", "procedure p(y) requires y != null; { }", true);
    same("procedure p(x) { e(x); }", "procedure p(x) { call e(x); }", true);
    same("procedure p(x) { e(x); } procedure q(x) {}", "procedure p(x) { q(x); } procedure q(x) {}", false);
    same("procedure p(x);", "procedure p(y);", true);
    same("procedure p(x);", "procedure p(x) { }", false);
}
