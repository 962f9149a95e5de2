//! Statements, expressions and errors.

use super::{check, check_store, run_input, run_words, summary, unit};
use crate::heap::Input;
use crate::interp::{Limits, Scattered};

/// `body` of a procedure with an integer result.
fn int(body: &str, expected: &str) {
    check(&format!("procedure p() returns (r: int) {{ {body} }}"), "", expected);
}

#[test]
fn arithmetic() {
    int("r := 2 + 3 * 4 - 1;", "13");
    int("r := -7 / 2;", "-3");
    int("r := -7 % 2;", "-1");
    int("r := 7 / -2;", "-3");
    int("r := 7 % -2;", "1");
    int("r := 9223372036854775807 * 4;", "36893488147419103228");
    int("r := 1 / (r - r);", "ends in error: division by zero");
    int("r := 1 % 0;", "ends in error: division by zero");
    int("r := 3; while (r > 0) { r := r * r; }", "was stopped: a number or an array is too large");
}

#[test]
fn comparisons_and_choice() {
    int("r := 1 < 2 && 2 <= 2 && 3 > 2 && 2 >= 2 && 1 != 2 && 1 == 1 ? 1 : 2;", "1");
    int("r := 1 < 1 || 2 <= 1 || 1 > 1 || 1 >= 2 || 1 == 2 ? 1 : 2;", "2");
    int("r := !true ? 1 : 2;", "2");
    int("r := true == false ? 1 : 2;", "2");
}

#[test]
fn short_circuit() {
    int("r := false && 1 / 0 == 0 ? 1 : 2;", "2");
    int("r := true || 1 / 0 == 0 ? 1 : 2;", "1");
    int("r := true ? 1 : 1 / 0;", "1");
    int("r := (false ==> 1 / 0 == 0) ? 1 : 2;", "1");
    int("r := (true ==> 1 / 0 == 0) ? 1 : 2;", "ends in error: division by zero");
}

#[test]
fn loops() {
    int("i := 0; while (i < 10) { i := i + 1; r := r + i; }", "55");
    int("while (true) { r := r + 1; if (r == 7) { break; } }", "7");
    int("i := 0; while (i < 10) { i := i + 1; if (i % 2 == 0) { continue; } r := r + 1; }", "5");
    int(
        "i := 0; while (i < 3) { i := i + 1; j := 0; while (true) { j := j + 1; if (j > i) { break; } r := r + 1; } }",
        "6",
    );
    int("while (true) { while (true) { r := r + 1; if (r > 4) { return r * 10; } } }", "50");
}

#[test]
fn returns() {
    int("r := 4; return;", "4");
    int("r := 4; return 5; r := 6;", "5");
    check("procedure p(a, b) returns (x: int, y: int) { x := a; y := b; return y, x; }", "1 2", "2 1");
    check("procedure p() returns (x: int, y: bool, z) { }", "", "0 false null");
}

#[test]
fn calls() {
    let two = "procedure two(a: int) returns (x: int, y: int) { x := a; y := a + 1; }";
    check(&format!("{two} procedure p() returns (r: int) {{ x, y := two(3); r := x * 10 + y; }}"), "", "34");
    let inc = "global g: int; procedure inc() returns (r: int) { g := g + 1; r := g; }";
    check(&format!("{inc} procedure p() returns (r: int) {{ r := inc() * 10 + inc() * 100; }}"), "", "210");
    check(&format!("{inc} procedure p() returns (r: int) {{ if (false && inc() == 1) {{}} r := g; }}"), "", "0");
    check(&format!("{inc} procedure p() returns (r: int) {{ g := 5; call inc(); return g; }}"), "", "6");
    let fib = "procedure fib(n: int) returns (r: int) { if (n < 2) { return n; } return fib(n - 1) + fib(n - 2); }";
    check(&format!("{fib} procedure p() returns (r: int) {{ r := fib(15); }}"), "", "610");
    // By value.
    check("procedure q(a: int) { a := 9; } procedure p(a: int) returns (r: int) { call q(a); r := a; }", "1", "1");
}

#[test]
fn objects() {
    check("procedure p() returns (r) { x := new(); r := x.f; x.f := x; r := x.f.f; }", "", "object");
    check("procedure p() returns (r: bool) { x := new(); y := new(); r := x == y; }", "", "false");
    check("procedure p() returns (r: bool) { x := new(); y := x; r := x == y; }", "", "true");
    check("procedure p(x) { x.v := 1; }", "null", "ends in error: null dereference");
    check("procedure p(x) { y := x.v; }", "null", "ends in error: null dereference");
    check("procedure p(x) { x.v.w := x; }", "#1", "ends in error: null dereference");
    check(
        "class C { n: int; b: bool; c: C; } procedure p() returns (n: int, b: bool, c: C) { x := new C(); return x.n, x.b, x.c; }",
        "",
        "0 false null",
    );
}

#[test]
fn arrays() {
    int("a := new int[3]; a[0] := 5; a[2] := 6; r := a[0] + a[1] + a[2] + a.length;", "14");
    int("a := new int[2]; r := a[2];", "ends in error: index out of bounds");
    int("a := new int[2]; a[-1] := 0;", "ends in error: index out of bounds");
    int("a := new int[0 - 1];", "ends in error: negative array size");
    int("a := new int[0]; r := a.length;", "0");
    int("a := new int[1000000000000];", "was stopped: a number or an array is too large");
    check("procedure p(a: int[]) returns (r: int) { r := a.length; }", "null", "ends in error: null dereference");
    check("procedure p(a: int[]) returns (r: int) { r := a[0]; }", "null", "ends in error: null dereference");
    check("procedure p() returns (r: bool[]) { m := new bool[][2]; m[1] := new bool[4]; r := m[1]; }", "", "object");
}

#[test]
fn asserts_and_assumes() {
    int("assert r == 0; r := 1;", "1");
    int("assert r == 1;", "ends in error: assertion failed");
    int("assume r == 1;", "has no outcome: an assume failed");
    int("assume 1 / r == 1;", "ends in error: division by zero");
}

/// The object and the index of a place come first, then the right side, then the checks.
#[test]
fn order_of_assignment() {
    let log = "global g: int; procedure a(x) returns (r) { g := g * 10 + 1; r := x; } \
               procedure i() returns (r: int) { g := g * 10 + 2; } procedure v() returns (r: int) { g := g * 10 + 3; }";
    let body = "a0 := new int[1]; b := new int[][1]; b[0] := a0; ";
    let text = format!("{log} procedure p() returns (r: int) {{ {body} b[i()][i()] := v(); r := g; }}");
    check(&text, "", "223");
    check(&format!("{log} procedure p(x) {{ x.f := x.f; }}"), "null", "ends in error: null dereference");
    check("procedure p(x) { x.f := 1 / 0; }", "null", "ends in error: division by zero");
}

#[test]
fn deep_recursion() {
    let down = "procedure down(n: int) returns (r: int) { if (n > 0) { r := down(n - 1); r := r + 1; } }";
    check(&format!("{down} procedure p(n: int) returns (r: int) {{ r := down(n); }}"), "100000", "100000");
    let up = "procedure up(n: int) { call up(n + 1); }"; // The limit is a million.
    check(&format!("{up} procedure p() {{ call up(0); }}"), "", "was stopped: too many calls within one another");
    let endless = unit("procedure p() { i := 0; while (i >= 0) { i := i + 1; } }");
    let limits = Limits { steps: 1000, ..Limits::default() };
    let run = run_input(&endless, "p", Input::default(), limits, &mut Scattered::new(0));
    assert_eq!(summary(&run.outcome), "was stopped: too many steps");
}

#[test]
fn stores() {
    let sum = "class L { v: int; next: L; } procedure p(l: L) returns (r: int) { while (l != null) { r := r + l.v; l := l.next; } }";
    let heap =
        r##"{"#1": {"class": "L", "fields": {"v": 5, "next": "#2"}}, "#2": {"class": "L", "fields": {"v": "70"}}}"##;
    check_store(sum, &format!(r##"{{"arguments": {{"l": "#1"}}, "heap": {heap}}}"##), "75");
    let array = "procedure p(a: int[]) returns (r: int) { r := a[0] + a[1] * a.length; }";
    check_store(
        array,
        r##"{"arguments": {"a": "#3"}, "heap": {"#3": {"class": null, "element": "int", "cells": [1, 2]}}}"##,
        "5",
    );
    check_store("global g: int; procedure p() returns (r: int) { r := g; }", r##"{"globals": {"g": 4}}"##, "4");
}

/// What a run reads of an input that leaves all unset is fixed in the input.
#[test]
fn unset_places_are_settled_when_read() {
    let run = run_words("procedure p(x) returns (r) { r := x.f; }", "p", "#1");
    assert_eq!(summary(&run.outcome), "null");
    assert_eq!(run.input.store.heap.len(), 1);
}
