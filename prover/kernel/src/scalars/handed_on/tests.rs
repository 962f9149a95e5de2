//! Tests of the rule: helpers that call themselves, and what becomes of them and of who calls them.

use crate::scalars::Scalarised;
use crate::scalars::second_forms::{becomes, loaded, stays};

#[test]
fn what_is_handed_on_is_what_the_fields_hold() {
    becomes(
        "procedure p(t: T) returns (r: int) { c := new C(); c.n := 1; walk(t, c); r := c.f; }
         procedure walk(t: T, c: C) { if (t == null) { return; } c.f := c.f + c.n; walk(t.l, c); walk(t.r, c); }",
        "procedure p(t: T) returns (r: int) {
             f := 0; n := 0; n := 1; f1, n1 := walk(t, f, n); f := f1; n := n1; r := f;
         }
         procedure walk(t: T, f0, n0: int) returns (f, n: int) {
             f := f0; n := n0; if (t == null) { return; } f := f + n; f, n := walk(t.l, f, n); f, n := walk(t.r, f, n);
         }",
    );
}

#[test]
fn results_are_given_back_before_what_the_fields_hold() {
    becomes(
        "procedure p(t: T) returns (r: int) { c := new int[2]; look(c, t); b := look(c, t); if (b) { r := c[1]; } }
         procedure look(c: int[], t: T) returns (b: bool) { if (t == null) { return c.length > c[1]; } return look(c, t.l); }",
        "procedure p(t: T) returns (r: int) {
             n := 0; i, m := looked(t, n); n := m; b, k := looked(t, n); n := k; if (b) { r := n; }
         }
         procedure looked(t: T, n0: int) returns (b: bool, n: int) {
             n := n0; if (t == null) { return 2 > n, n; } v, n := looked(t.l, n); return v, n;
         }",
    );
}

#[test]
fn what_something_else_may_see_stays() {
    let made = "procedure p(t: T, n: int) returns (r: int) { c := new C(); walk(t, c); r := c.f; }";
    for helper in [
        // It is kept, compared, given back, assigned, or its field is that of another object.
        "procedure walk(t: T, c: C) { kept := c; if (t != null) { walk(t.l, c); } }",
        "procedure walk(t: T, c: C) { if (c == null) { walk(t.l, c); } }",
        "procedure walk(t: T, c: C) returns (d: C) { if (t != null) { walk(t.l, c); } d := c; }",
        "procedure walk(t: T, c: C) { if (t != null) { c := new C(); walk(t.l, c); } }",
        "procedure walk(t: T, c: C) { if (t != null) { c.g := c; walk(t.l, c); } }",
        "procedure walk(t: T, c: C) { if (t != null) { walk(t.l, c.g); c := c.g; } }",
        // It has a contract, a check or a loop.
        "procedure walk(t: T, c: C) requires c.f > 0; { if (t != null) { walk(t.l, c); } }",
        "procedure walk(t: T, c: C) { assert c.f > 0; if (t != null) { walk(t.l, c); } }",
        "procedure walk(t: T, c: C) { while (t != null) { t := t.l; walk(t, c); } }",
        // Another one does something with it.
        "procedure walk(t: T, c: C) { if (t != null) { walk(t.l, c); keep(c); } } procedure keep(c: C) { kept := c; }",
        "procedure walk(t: T, c: C) { if (t != null) { walk(t.l, c); use(c); } } procedure use(c: C);",
        "procedure walk(t: T, c: C) { if (t != null) { walk(t.l, c); both(c, c); } } procedure both(c, d: C) { c.f := 1; d.f := 2; }",
    ] {
        stays(&format!("{made} {helper}"));
    }
    for call in
        ["t.v := look(t, c);", "r := look(t, c) + 1;", "d := c; r := look(t, c);", "r := look(t, c); kept := c;"]
    {
        let look = "procedure look(t: T, c: C) returns (r: int) { c.f := 1; if (t != null) { r := look(t.l, c); } }";
        stays(&format!("procedure p(t: T, n: int) returns (r: int) {{ c := new C(); {call} }} {look}"));
    }
}

#[test]
fn a_helper_of_both_versions_is_compared_as_it_is_written() {
    let text = "procedure p(t: T) returns (r: int) { c := new C(); walk(t, c); r := c.f; }
                procedure walk(t: T, c: C) { if (t == null) { return; } c.f := c.f + 1; walk(t.l, c); }";
    let unit = loaded(text, text);
    assert!(*Scalarised::of(&unit).unit() == unit);
}
