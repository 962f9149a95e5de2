//! Contracts: what is checked, where, and what contract expressions mean.

use super::{check, check_store, run_input, run_words, summary, unit};
use crate::heap::Input;
use crate::interp::{Limits, Scattered, Stuck};

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

/// Nobody knows of a call that it began where the run was over before its `requires` was looked at.
#[test]
fn no_call_begins_before_its_requires_was_seen_to_hold() {
    let long = "(forall a: int :: 0 <= a && a < 300 ==> (forall b: int :: 0 <= b && b < 300 ==> a + b >= 0))";
    let text = format!("procedure p() requires {long}; {{ }} procedure q() {{ call p(); }}");
    let unit = unit(&text);
    let limits = Limits { steps: 1_000, checks: true, ..Limits::default() };
    let begun = |name: &str| {
        let run = run_input(&unit, name, Input::default(), limits, &mut Scattered::new(7));
        let name = |at: &Stuck| unit.versions[0].procedure(at.procedure).name.clone();
        (summary(&run.outcome), run.stuck.iter().map(name).collect::<Vec<_>>())
    };
    let stopped = || "was stopped: too many steps".to_string();
    assert_eq!(begun("p"), (stopped(), vec![]));
    assert_eq!(begun("q"), (stopped(), vec!["q".to_string()]));
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

/// How many objects a quantifier sees after `body`, up to three.
fn count(head: &str, body: &str, words: &str, expected: i64) {
    let two = "exists a: ref :: exists b: ref :: a != null && b != null && a != b";
    let three = "exists a: ref :: exists b: ref :: exists c: ref :: a != null && b != null && c != null && a != b && b != c && a != c";
    for (least, some) in [(1, "exists a: ref :: a != null"), (2, two), (3, three)] {
        let not = if expected >= least { "" } else { "!" };
        check(&head.replace("COUNT", &format!("assert {not}({some});")).replace("BODY", body), words, "");
    }
}

#[test]
fn quantifiers_see_what_is_reachable_now() {
    let p = "global g: ref; procedure p() { BODY COUNT }";
    count(p, "", "", 0);
    count(p, "x := new(); y := new();", "", 2);
    // Garbage that the run made is not seen.
    count(p, "x := new(); y := new(); y := null;", "", 1);
    count(p, "x := new(); x := new(); x := new();", "", 1);
    count(p, "x := new(); x.f := new(); x.f.f := new(); y := null;", "", 3);
    count(p, "x := new(); x.f := new(); x := null;", "", 0);
    count(p, "g := new(); g.f := new();", "", 2);
    // A variable counts whether or not it is read again, and so does one of a block that has ended.
    count(p, "if (true) { var x := new(); }", "", 1);
    // Cells lead on as fields do.
    let cells = "class C { } global g: ref; procedure p() { BODY COUNT }";
    count(cells, "a := new C[2]; a[1] := new C();", "", 2);
    count(cells, "a := new C[2]; a[1] := new C(); a := null;", "", 0);
}

#[test]
fn quantifiers_see_all_that_existed_when_the_run_began() {
    let seen = "{\"arguments\": {\"x\": \"#1\"}, \"heap\": {\"#1\": {}, \"#2\": {}}}";
    let two = "exists a: ref :: exists b: ref :: a != null && b != null && a != b";
    check_store(&format!("procedure p(x) {{ x := null; assert {two}; }}"), seen, "");
    let three = "exists a: ref :: exists b: ref :: exists c: ref :: a != null && b != null && c != null && a != b && b != c && a != c";
    // What hangs from an object that nothing reaches is not reached either.
    let hidden = |not: &str| format!("procedure p(x) {{ x.f := new(); {not} assert {three}; }}");
    check_store(&hidden(""), seen, "");
    check_store(&hidden("x := null;"), seen, "ends in error: assertion failed");
}

#[test]
fn quantifiers_see_the_variables_of_all_active_procedures() {
    let inner = "procedure q() { COUNT } procedure p() { BODY call q(); }";
    count(inner, "x := new(); x.f := new();", "", 2);
    count(inner, "x := new(); x.f := new(); x := null;", "", 0);
    let deep =
        "procedure q() { t := new(); call r(); } procedure r() { t := new(); COUNT } procedure p() { BODY call q(); }";
    count(deep, "x := new();", "", 3);
    // A call that has ended holds nothing any more.
    let ended = "procedure q() { t := new(); } procedure p() { call q(); BODY COUNT }";
    count(ended, "x := new();", "", 1);
    // A contract of a callee sees what its callers hold, and what its parameters stand for.
    let some = "exists a: ref :: a != null";
    check(&format!("procedure q() requires {some}; {{ }} procedure p() {{ x := new(); call q(); }}"), "", "");
    let broken = "breaks the contract of q: this requires clause does not hold";
    check(
        &format!("procedure q() requires {some}; {{ }} procedure p() {{ x := new(); x := null; call q(); }}"),
        "",
        broken,
    );
    let argument = "procedure make() returns (r) { r := new(); } procedure p() { call q(make()); } ";
    check(&format!("{argument} procedure q(x) ensures exists a: ref :: a != null && a == x; {{ x := null; }}"), "", "");
    check(
        &format!(
            "{argument} procedure q(x) ensures exists a: ref :: a != null && a.f == a; {{ x := new(); x.f := x; }}"
        ),
        "",
        "",
    );
}

#[test]
fn quantifiers_inside_old_see_what_was_there_on_entry() {
    let some = "exists a: ref :: a != null";
    check(&format!("procedure p() {{ x := new(); assert {some}; assert old(!({some})); }}"), "", "");
    check(
        &format!("procedure q() {{ y := new(); assert old({some}); }} procedure p() {{ x := new(); call q(); }}"),
        "",
        "",
    );
    // What was garbage on entry is not seen, and neither is what only came to be reachable by being made.
    let garbage = "procedure q() { y := new(); assert old(!(exists a: ref :: a != null)); }";
    check(&format!("{garbage} procedure p() {{ x := new(); x := null; call q(); }}"), "", "");
    // The fields are those on entry as well.
    let global = "global g: ref; procedure q() { g := null; assert old(exists a: ref :: a != null && a == g); }";
    check(&format!("{global} procedure p() {{ g := new(); call q(); }}"), "", "");
}

#[test]
fn what_did_not_exist_on_entry_has_default_fields() {
    let made = "r := new L(); r.v := 1; r.next := r;";
    let text = |e: &str| format!("{LIST} procedure p() returns (r: L) {{ {made} assert {e}; r := null; }}");
    check(&text("old(r.v) == 0 && r.v == 1"), "", "null");
    check(&text("old(r.next) == null && r.next == r"), "", "null");
    check(&text("old(reach(r, r))"), "", "null");
    check(&text("old(!(exists o: L :: o == r)) && (exists o: L :: o == r)"), "", "null");
}

#[test]
fn a_quantifier_without_a_value() {
    // One value of the range is enough, even where another would decide: `null` is always among them.
    let list = r##"{"arguments": {"x": "#1"}, "heap": {"#1": {"class": "L", "fields": {"v": 1}}}}"##;
    let p = |clause: &str, body: &str| format!("{LIST} procedure p(x: L, y: L, n: int) {clause} {{ {body} }}");
    let all = "forall o: L :: o.v == 7";
    check_store(&p("", &format!("assert {all};")), list, "ends in error: null dereference");
    check_store(&p("", &format!("assume {all};")), list, "ends in error: null dereference");
    check_store(&p("", "assert exists o: L :: o.v == 1;"), list, "ends in error: null dereference");
    check_store(&p("", "assert exists o: L :: o != null && o.v == 1;"), list, "");
    // It is then not satisfied as a clause, nor is its negation.
    let excluded = "is not called: the requires clause does not hold";
    check_store(&p(&format!("requires {all};"), ""), list, excluded);
    check_store(&p(&format!("requires !({all});"), ""), list, excluded);
    let broken = "breaks the contract of p: this ensures clause cannot be evaluated: null dereference";
    check_store(&p(&format!("ensures {all};"), ""), list, broken);
    check_store(
        &p("", &format!("while (n < 0) invariant {all}; {{ }}")),
        list,
        "breaks the contract of p: this invariant clause cannot be evaluated: null dereference",
    );
}

#[test]
fn reach_of_null_is_false() {
    check(
        "procedure p(x) { assert !reach(x, null) && !reach(null, x) && !reach(null, null) && reach(x, x); }",
        "#1",
        "",
    );
}

/// What cannot be executed is neither satisfied nor broken.
#[test]
fn clauses_that_cannot_be_executed() {
    let clause = "forall i: int :: i * i >= 0";
    let said = "cannot be run: a quantifier over integers without bounds";
    check(&format!("procedure p() requires {clause}; {{ }}"), "", said);
    check(&format!("procedure p() ensures {clause}; {{ }}"), "", said);
    check(&format!("procedure q() ensures {clause}; procedure p() {{ call q(); }}"), "", said);
}

/// Contracts that look at very much stop the run, as steps do.
#[test]
fn contracts_look_at_so_much_and_no_more() {
    let nested = "forall a: int :: 0 <= a && a < 9999 ==> (forall b: int :: 0 <= b && b < 9999 ==> \
                  (forall c: int :: 0 <= c && c < 9999 ==> true))";
    let unit = unit(&format!("procedure p() {{ assert {nested}; }}"));
    let limits = Limits { steps: 1000, ..Limits::default() };
    let run = run_input(&unit, "p", Input::default(), limits, &mut Scattered::new(0));
    assert_eq!(summary(&run.outcome), "was stopped: too many steps");
}

#[test]
fn externals_do_nothing_unless_told() {
    check("procedure q(x: int) returns (r: int); procedure p() returns (r: int) { r := q(3) + 1; }", "", "1");
    let excluded = "has no outcome: an external procedure would break its ensures clause";
    check("procedure q() returns (r: int) ensures r > 0; procedure p() { call q(); }", "", excluded);
}
