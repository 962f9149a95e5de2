//! Tests of the rule: recursion that builds, and what becomes of it where the other version does not build by recursion.

use super::put_into;
use crate::scalars::Scalarised;
use crate::scalars::second_forms::{becomes, loaded, stays};
use lang_l::hir::print::print;
use lang_l::hir::same::same_code;

/// What `p` becomes whose second form is `q`, and that.
const CALLS_IT: &str = "procedure p(t: T, n: int) returns (r: T) { d := new T(); q(t, n, d); r := d.l; }";

/// `p` with this body has a second form with that one.
#[track_caller]
fn puts(body: &str, second: &str) {
    becomes(
        &format!("procedure p(t: T, n: int) returns (r: T) {body}"),
        &format!("{CALLS_IT} procedure q(t: T, n: int, d: T) {second}"),
    );
}

/// `p` with this body has no second form.
#[track_caller]
fn waits_in_vain(body: &str) {
    let unit = loaded(
        &format!("procedure p(t: T, n: int) returns (r: T) {body}"),
        "procedure p(t: T, n: int) returns (r: T) { }",
    );
    let replaced = Scalarised::of(&unit);
    assert_eq!(replaced.unit().versions[0].procedures.len(), 1, "{}", print(replaced.unit()));
}

const COPIED: &str = "{ var r: T; r := null; if (t == null) { r := null; d.l := r; } else {
    x := new T(); x.v := t.v; r := x; d.l := r; q(t.l, n, r); } }";

#[test]
fn a_node_goes_where_it_belongs_before_the_call() {
    puts("{ if (t == null) { return null; } x := new T(); x.v := t.v; x.l := p(t.l, n); return x; }", COPIED);
}

#[test]
fn what_follows_a_call_comes_before_it() {
    puts("{ if (t == null) { return null; } c := p(t.l, n); x := new T(); x.v := t.v; x.l := c; return x; }", COPIED);
}

#[test]
fn what_it_gives_back_is_given_back_as_it_is() {
    puts(
        "{ if (t == null) { return t; } c := p(t.l, n); if (t.v > n) { x := new T(); x.l := c; c := x; } return c; }",
        "{ var r: T; r := null; if (t == null) { r := t; d.l := r; } else {
             if (t.v > n) { x := new T(); c := x; r := c; d.l := r; q(t.l, n, r); } else { q(t.l, n, d); } } }",
    );
}

#[test]
fn an_argument_is_what_it_was_at_the_call() {
    puts(
        "{ if (n <= 0) { return null; } x := new T(); c := p(t, n - 1); n := 7; x.v := n; x.l := c; return x; }",
        "{ var r: T; r := null; if (n <= 0) { r := null; d.l := r; } else {
             x := new T(); a := n - 1; n := 7; x.v := n; r := x; d.l := r; q(t, a, r); } }",
    );
}

/// Arguments are looked at from left to right, and one of them calls something.
#[test]
fn what_an_argument_calls_comes_behind_those_before_it() {
    puts(
        "{ if (t == null) { return null; } x := new T(); x.l := p(t.l, p(t.r, n).v); return x; }",
        "{ var r: T; r := null; if (t == null) { r := null; d.l := r; } else {
             a := t.l; b := p(t.r, n).v; x := new T(); r := x; d.l := r; q(a, b, r); } }",
    );
}

/// Another call of the procedure is one of it as it was.
#[test]
fn only_the_last_call_waits() {
    puts(
        "{ if (t == null) { return null; } x := new T(); x.r := p(t.r, n); x.l := p(t.l, n); return x; }",
        "{ var r: T; r := null; if (t == null) { r := null; d.l := r; } else {
             x := new T(); x.r := p(t.r, n); r := x; d.l := r; q(t.l, n, r); } }",
    );
}

/// What it stores to objects that were there is not read before it.
#[test]
fn what_a_call_changes_is_not_read_before_it() {
    let with = |what: &str| {
        format!(
            "{{ if (t == null) {{ return null; }} t.{what} := n; c := p(t.l, n); x := new T(); x.v := t.v; x.l := c; return x; }}"
        )
    };
    waits_in_vain(&with("v"));
    stays(
        "procedure p(t: T, n: int) returns (r: T) { if (t == null) { return null; } tally := tally + 1; c := p(t.l, n); x := new T();
             x.v := tally; x.l := c; return x; }",
    );
}

/// What might err is not done before a call that might not end.
#[test]
fn what_errs_is_not_done_before_it() {
    waits_in_vain("{ if (n == 0) { return null; } c := p(t, n - 1); x := new T(); x.v := t.v; x.l := c; return x; }");
    waits_in_vain("{ if (n == 0) { return null; } c := p(t, n - 1); x := new T(); x.v := 6 / n; x.l := c; return x; }");
}

#[test]
fn a_node_that_is_known_elsewhere_does_not_wait() {
    for seen in ["t.r := x;", "y := new T(); y.r := x; t.r := y;", "b := look(x);"] {
        let look = "procedure look(t: T) returns (b: bool) { b := look(t); }";
        stays(&format!(
            "procedure p(t: T, n: int) returns (r: T) {{ if (t == null) {{ return null; }} x := new T(); {seen} x.l := p(t.l, n); return x; }} {look}"
        ));
    }
    waits_in_vain("{ if (t == null) { return null; } x := new T(); x.l := p(x, n); return x; }");
}

/// What helpers do is looked at in their place.
#[test]
fn helpers_that_make_the_node_are_in_place() {
    let make = |rest: &str| format!("procedure make(n: int, c: T) returns (x: T) {{ x := new T(); {rest} }}");
    let own = "procedure p(t: T, n: int) returns (r: T) { if (n == 0) { return null; } return make(n, p(t, n - 1)); }";
    becomes(
        &format!("{own} {}", make("x.v := n; x.l := c;")),
        &format!(
            "{CALLS_IT} procedure q(t: T, n: int, d: T) {{ var r: T; r := null; if (n == 0) {{ r := null; d.l := r; }} else {{
                 x := null; x := new T(); x.v := n; y := x; r := y; d.l := r; q(t, n - 1, r); }} }}"
        ),
    );
    for rest in ["x.v := tally; tally := n; x.l := c;", "x.l := c; c.v := n;", "x.v := 6 / n; x.l := c;"] {
        stays(&format!("{own} {}", make(rest)));
    }
}

#[test]
fn the_result_is_the_node_that_waits() {
    waits_in_vain("{ if (t == null) { return null; } x := new T(); x.l := p(t.l, n); return t; }");
    waits_in_vain("{ if (t == null) { return null; } x := new T(); x.l := p(t.l, n); x.l := null; return x; }");
    waits_in_vain("{ if (t == null) { return null; } x := new T(); x.l := p(t.l, n); x.v := x.l.v; return x; }");
    waits_in_vain("{ if (t == null) { return null; } x := new T(); c := p(t.l, n); x.l := c; x.r := c; return x; }");
}

/// Two versions that both build by recursion are compared as they are.
#[test]
fn recursion_is_compared_with_recursion_as_it_is() {
    let one =
        "procedure p(t: T) returns (r: T) { if (t == null) { return null; } x := new T(); x.l := p(t.l); return x; }";
    let unit = loaded(one, one);
    assert!(*Scalarised::of(&unit).unit() == unit);
}

/// What the second version's procedure `p` becomes where that of the first builds by recursion.
#[track_caller]
fn leaves(body: &str, expected: &str) {
    let builds =
        "procedure p(t: T) returns (r: T) { if (t == null) { return null; } x := new T(); x.l := p(t.l); return x; }";
    let header = "procedure p(t: T) returns (r: T)";
    let unit = loaded(builds, &format!("{header} {body}"));
    let wanted = loaded(builds, &format!("{header} {expected}"));
    let replaced = Scalarised::of(&unit);
    let [found, wanted] = [replaced.unit(), &wanted].map(|unit| &unit.versions[1].procedures[0]);
    assert!(same_code(found, wanted, |_, _| true), "{}", print(replaced.unit()));
}

#[test]
fn what_is_stored_behind_a_loop_is_stored_where_it_is_left() {
    leaves(
        "{ d := new T(); x := d; while (t != null) { if (t.v == 0) { break; } if (t.v == 1) { return t; } x.l := new T(); x := x.l; t := t.l; }
           t := t.r; x.l := t; return d.l; }",
        "{ d := new T(); x := d; while (true) { if (t != null) { if (t.v == 0) { t := t.r; x.l := t; break; } if (t.v == 1) { return t; }
           x.l := new T(); x := x.l; t := t.l; } else { t := t.r; x.l := t; break; } } return d.l; }",
    );
}

#[test]
fn what_another_loop_does_stays_behind_it() {
    let twice = "{ while (t != null) { t := t.l; } while (r != null) { r := r.l; break; } r.l := t; return t; }";
    leaves(twice, twice);
    let returns = "{ while (t != null) { t := t.l; } if (r == null) { return t; } r.l := t; return t; }";
    leaves(returns, returns);
}

#[test]
fn names_of_second_forms_can_be_read() {
    assert_eq!(put_into("copy@to:next"), Some(("copy", "next")));
    assert_eq!(put_into("copy@to:next'"), Some(("copy", "next")));
    assert_eq!(put_into("copy@loop1"), None);
}
