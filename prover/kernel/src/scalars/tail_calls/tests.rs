//! Tests of *Tail calls*: which helpers are loops where they are called, and what their turns are.
//!
//! In: a procedure that goes on with what a helper finds, beside a version that loops. Out: the procedure with the helper in place.

use super::super::Scalarised;
use super::super::second_forms::loaded;
use lang_l::hir::print::print;
use lang_l::hir::same::same_code;

const HEAD: &str = "procedure p(t: T, n: int) returns (r: int)";
const LOOPS: &str = "while (t != null) { t := t.l; }";

/// A procedure that calls these helpers becomes one with this body, which has the variables of the helper under other names.
#[track_caller]
fn becomes(body: &str, helpers: &str, expected: &str) {
    let unit = loaded(&format!("{HEAD} {{ {body} }} {helpers}"), &format!("{HEAD} {{ {LOOPS} }}"));
    let replaced = Scalarised::of(&unit);
    let wanted = loaded(&format!("{HEAD} {{ {expected} }}"), "");
    let [found, wanted] = [replaced.unit(), &wanted].map(|unit| &unit.versions[0].procedures[0]);
    assert!(same_code(found, wanted, |p, q| p == q), "{}", print(replaced.unit()));
}

/// Nothing is done.
#[track_caller]
fn stays(body: &str, helpers: &str) {
    let unit = loaded(&format!("{HEAD} {{ {body} }} {helpers}"), &format!("{HEAD} {{ {LOOPS} }}"));
    let replaced = Scalarised::of(&unit);
    assert!(*replaced.unit() == unit, "{}", print(replaced.unit()));
}

#[test]
fn a_call_of_itself_goes_on_with_the_loop_and_a_return_leaves_it() {
    becomes(
        "f := find(t, n); r := f.v;",
        "procedure find(e: T, k: int) returns (x: T) { if (e.v == k) { return e; } return find(e.l, k); }",
        "var x: T; var f: T; e := t; x := null; while (true) { if (e.v == n) { x := e; break; } e := e.l; continue; break; } f := x; r := f.v;",
    );
}

#[test]
fn the_last_assignment_of_the_result_is_a_call_like_a_return() {
    becomes(
        "t := least(t); r := t.v;",
        "procedure least(e: T) returns (x: T) { if (e.l == null) { x := e; } else { x := least(e.l); } }",
        "var x: T; e := t; x := null;
         while (true) { if (e.l == null) { x := e; } else { e := e.l; x := null; continue; } break; } t := x; r := t.v;",
    );
}

#[test]
fn arguments_are_handed_on_at_once() {
    becomes(
        "f := turned(t, t, n); r := f.v;",
        "procedure turned(a: T, b: T, k: int) returns (x: T) { if (k <= 0) { return a; } return turned(b, a, k - 1); }",
        "var x: T; var a': T; var b': T; var k': int; var f: T; a := t; b := t; k := n; x := null; a' := null; b' := null; k' := 0;
         while (true) { if (k <= 0) { x := a; break; }
         a' := b; b' := a; k' := k - 1; a := a'; b := b'; k := k'; continue; break; } f := x; r := f.v;",
    );
}

#[test]
fn what_each_call_begins_with_each_turn_does() {
    becomes(
        "f := first(t); r := f.v;",
        "procedure first(e: T) returns (x: T) { c := c + 1; if (c > 1) { return null; } return first(e.l); }",
        "var x: T; var c: int; var f: T; e := t; x := null; c := 0;
         while (true) { c := c + 1; if (c > 1) { x := null; break; } e := e.l; c := 0; continue; break; } f := x; r := f.v;",
    );
}

#[test]
fn helpers_stay_that_do_something_once_the_call_is_over() {
    let goes_on = "f := find(t, n); r := f.v;";
    for body in [
        "if (e == null) { return null; } x := find(e.l, k); if (x == null) { x := e; }",
        "if (e == null) { return null; } x := find(e.l, k); e.v := 1;",
        "if (e == null) { return null; } y := find(e.l, k); return e;",
        "while (e != null) { if (e.v == k) { return find(e.l, k); } e := e.l; }",
        "while (e != null) { if (e.v == k) { return e; } e := e.l; } return find(e, k - 1);",
        "return find(find(e.l, k), k);",
    ] {
        stays(goes_on, &format!("procedure find(e: T, k: int) returns (x: T) {{ {body} }}"));
    }
}

#[test]
fn helpers_stay_with_a_contract_and_those_that_hand_out_no_reference() {
    let body = "{ if (e == null) { return null; } return find(e.l, k); }";
    stays("f := find(t, n); r := f.v;", &format!("procedure find(e: T, k: int) returns (x: T) requires k > 0; {body}"));
    stays(
        "r := 1 + count(t);",
        "procedure count(e: T) returns (x: int) { if (e == null) { return 0; } return count(e.l); }",
    );
}
