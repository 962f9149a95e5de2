//! Contracts: what is checked, where, and what contract expressions mean.

use super::{check, check_store, run_words, summary};

const LIST: &str = "class L { v: int; next: L; } ";

/// Checks a condition at the start of a procedure with parameters `x: L`, `y: L` and `n: int`.
fn holds(condition: &str, store: &str, expected: bool) {
    let text =
        format!("{LIST} global g: L; procedure p(x: L, y: L, n: int) returns (r: int) {{ assert {condition}; }}");
    check_store(&text, store, if expected { "0" } else { "ends in error: assertion failed" });
}

#[test]
fn requires() {
    check("procedure p(n: int) requires n > 0; { }", "0", "is not called: the requires clause does not hold");
    check("procedure p(n: int) requires 1 / n > 0; { }", "0", "is not called: the requires clause does not hold");
    check("procedure p(n: int) requires n > 0; { }", "1", "");
    let broken = "breaks the contract of q: this requires clause does not hold";
    check("procedure q(n: int) requires n > 0; { } procedure p(n: int) { call q(n); }", "0", broken);
}

#[test]
fn ensures() {
    check("procedure p(n: int) returns (r: int) ensures r == n + 1; { r := n + 1; n := 7; }", "3", "4");
    let broken = "breaks the contract of p: this ensures clause does not hold";
    check("procedure p(n: int) returns (r: int) ensures r > n; { r := n; }", "3", broken);
    let errs = "breaks the contract of p: this ensures clause cannot be evaluated: division by zero";
    check("procedure p(n: int) returns (r: int) ensures 1 / r == 1; { }", "3", errs);
    check("global g: int; procedure p() ensures g == old(g) + 1; { g := g + 1; }", "", "");
    check("procedure p() returns (r) ensures fresh(r); { r := new(); }", "", "object");
    // Inside `old` the heap is that of the entry, and what did not exist then has default fields.
    check("procedure p() returns (r) ensures old(r.v) == 0 && r.v == 1; { r := new(); r.v := 1; }", "", "object");
    let index = "procedure p(a: int[]) { i := 0; while (i < 2) { a[i] := 5; assert old(a[i]) == 7 + i; i := i + 1; } }";
    check_store(index, r##"{"arguments": {"a": "#3"}, "heap": {"#3": {"element": "int", "cells": [7, 8]}}}"##, "");
    check("procedure p(x) returns (r) ensures fresh(r); { r := x; }", "#1", broken);
    check("procedure p(x) returns (r) ensures fresh(r); { }", "#1", broken);
}

#[test]
fn modifies() {
    let broken = "breaks the contract of p: an object that this clause does not name has changed";
    check("procedure p(x, y) modifies x; { y.v := new(); }", "#1 #2", broken);
    check("procedure p(x, y) modifies x; { y.v := new(); }", "#1 #1", "");
    check("procedure p(x, y) modifies {x, y}; { y.v := new(); }", "#1 #2", "");
    check("procedure p(x) modifies {}; { t := x.v; x.v := new(); x.v := t; }", "#1", "");
    check("procedure p(x) modifies {}; { x := new(); x.v := x; }", "#1", "");
    // The places are those on entry.
    check("procedure p(x, y) modifies {x}; { x := y; x.v := y; }", "#1 #2", broken);
    // What the caller allocated existed when the callee was entered.
    let inner = "procedure q(x) modifies {}; { x.v := x; } procedure p() modifies {}; { t := new(); call q(t); }";
    check(inner, "", "breaks the contract of q: an object that this clause does not name has changed");
    check("procedure p(a: int[]) modifies {}; { a[0] := 0; }", "null", "ends in error: null dereference");
}

#[test]
fn invariants() {
    check("procedure p() returns (r: int) { while (r < 5) invariant r <= 5; { r := r + 1; } }", "", "5");
    let broken = "breaks the contract of p: this invariant clause does not hold";
    check("procedure p() returns (r: int) { while (r < 5) invariant r < 5; { r := r + 1; } }", "", broken);
}

#[test]
fn reach_and_quantifiers() {
    let chain = r##"{"arguments": {"x": "#1", "y": "#3", "n": 2}, "globals": {"g": "#4"}, "heap": {
        "#1": {"class": "L", "fields": {"next": "#2", "v": 1}}, "#2": {"class": "L", "fields": {"next": "#3", "v": 2}},
        "#3": {"class": "L", "fields": {"v": 3}}, "#4": {"class": "L", "fields": {"next": "#4", "v": 4}}}}"##;
    holds("reach(x, y) && reach(x, x) && !reach(y, x) && !reach(g, x) && reach(g, g)", chain, true);
    holds("reach(x, null)", chain, false);
    holds("reach(null, null)", chain, false);
    holds("forall o: L :: o != null ==> o.v > 0", chain, true);
    holds("forall o: L :: o != null ==> o.v != 4", chain, false);
    holds("exists o: L :: o != null && o.next == y", chain, true);
    holds("forall o: ref :: reach(x, o) ==> o != g", chain, true);
    holds("forall b: bool :: b || !b", chain, true);
    holds("forall i: int :: 0 <= i && i < n ==> i < 2", chain, true);
    holds("forall i: int :: n > i && i >= -1 ==> i != -1", chain, false);
    holds("exists i: int :: 0 <= i && i <= n && i * i == 4", chain, true);
    holds("exists i: int :: 0 <= i && i < n && i * i == 4", chain, false);
    holds("forall i: int :: false && 0 <= i && i < n ==> 1 / 0 == 0", chain, true);
}

#[test]
fn what_cannot_be_executed_is_said() {
    let outcome = run_words("procedure p() { assert forall i: int :: i * i >= 0; }", "p", "").outcome;
    assert_eq!(summary(&outcome), "cannot be run: a quantifier over integers without bounds");
}

/// An instance that errs makes the quantifier err, whichever comes first.
#[test]
fn quantifiers_do_not_depend_on_the_order_of_objects() {
    let text = "class L { v: int; } procedure p() { a := new L(); b := new L(); a.v := 1; \
                assert forall o: L :: o != null ==> 1 / o.v == 7; }";
    check(text, "", "ends in error: division by zero");
}

#[test]
fn externals_do_nothing_unless_told() {
    check("procedure q(x: int) returns (r: int); procedure p() returns (r: int) { r := q(3) + 1; }", "", "1");
    let excluded = "has no outcome: an external procedure would break its ensures clause";
    check("procedure q() returns (r: int) ensures r > 0; procedure p() { call q(); }", "", excluded);
}
