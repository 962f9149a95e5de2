//! Tests of the rules: each replaces the one body by the other, or nothing.
//!
//! In: pairs of bodies. Out: whether the program with variables is as it should be.

use super::*;
use lang_l::hir::print::print;
use lang_l::hir::same::same_code;

/// Helpers that may be put in place where they are handed an object, and others.
const HELPERS: &str = "
    procedure add(c: C, n: int) { c.f := c.f + n; }
    procedure twice(c: C) { add(c, 1); add(c, 2); }
    procedure get(c: C) returns (r: int) { return c.f; }
    procedure took(c: C) returns (r: int) { if (c.f > 0) { r := c.f; } c.f := 0; return r + 1; }
    procedure other(c: C, n: int) returns (r: int) { if (n > 0) { c := null; } r := c.f; }
    procedure keep(c, d: C) { d.g := c; }
    procedure spin(c: C) { while (c.g != null) { c := c.g; } }
    procedure early(c: C) { if (c.f > 0) { return; } c.f := 1; }
    procedure deep(c: C, n: int) { if (n > 0) { deep(c, n - 1); } c.f := n; }
    procedure asks(c: C) requires c != null; { c.f := 1; }
    procedure makes(c: C) { c.g := new C(); }
    procedure again(c: C) returns (r: int) { return again(c); }
    procedure look() returns (r: int) { r := tally; }
    procedure set() { tally := 0; }";

/// A program with a procedure of these bodies in each version.
fn pair(old: &str, new: &str) -> Unit {
    let text = format!(
        "class C {{ f: int; g: C; a: int[]; }} global tally: int; procedure use(c: C); procedure read(n: int); {HELPERS}
         version 0 procedure p(x: C, n: int, rows: int[][]) returns (r: int, c: C) {{ {old} }}
         version 1 procedure p(x: C, n: int, rows: int[][]) returns (r: int, c: C) {{ {new} }}"
    );
    lang_l::load([("pair.l", text.as_str())]).expect("a legal program").unit
}

/// The one body is replaced by the other.
#[track_caller]
pub(super) fn becomes(written: &str, expected: &str) {
    let unit = pair(written, expected);
    let replaced = Scalarised::of(&unit);
    let (old, new) = (replaced.unit().versions[0].procedures.last(), unit.versions[1].procedures.last());
    let (Some(old), Some(new)) = (old, new) else { panic!("there is a procedure") };
    assert!(same_code(old, new, |p, q| p == q), "{written}\n{}", print(replaced.unit()));
}

/// Nothing is replaced in either body.
#[track_caller]
pub(super) fn stays(old: &str, new: &str) {
    let unit = pair(old, new);
    let replaced = Scalarised::of(&unit);
    assert!(*replaced.unit() == unit, "{old}\n{}", print(replaced.unit()));
}

#[test]
fn objects_that_nobody_else_sees_are_variables() {
    for (objects, variables) in [
        ("b := new C(); r := b.f;", "b := 0; r := b;"),
        (
            "b := new C(); b.g := x; while (b.g != null) { b.f := b.f + n; b.g := b.g.g; } r := b.f;",
            "s := 0; y := null; y := x; while (y != null) { s := s + n; y := y.g; } r := s;",
        ),
        ("while (n > 0) { b := new C(); n := n - b.f; }", "while (n > 0) { s := 0; n := n - s; }"),
        (
            "t := new int[3]; t[2] := n; if (n > t.length) { read(t[2]); r := t[0]; }",
            "a := 0; b := 0; b := n; if (n > 3) { read(b); r := a; }",
        ),
        ("b := new C(); d := new C(); b.f := n; d.f := b.f;", "b := 0; d := 0; b := n; d := b;"),
        ("b := new C(); b.g := new C(); x := b.g;", "y := null; y := new C(); x := y;"),
        ("b := new C();", ""),
    ] {
        becomes(objects, variables);
    }
}

#[test]
fn helpers_that_are_handed_such_an_object_are_in_place() {
    for (helpers, variables) in [
        ("b := new C(); add(b, n); r := b.f;", "s := 0; s := s + n; r := s;"),
        ("b := new C(); twice(b); r := b.f;", "s := 0; k := 1; s := s + k; l := 2; s := s + l; r := s;"),
        ("b := new C(); while (get(b) < n) { b.f := get(b) + 1; }", "s := 0; while (s < n) { s := s + 1; }"),
        (
            "b := new C(); b.f := n; r := took(b);",
            "s := 0; s := n; t := 0; if (s > 0) { t := s; } s := 0; t := t + 1; r := t;",
        ),
    ] {
        becomes(helpers, variables);
    }
}

#[test]
fn what_other_helpers_see_stays() {
    for kept in [
        "b := new C(); r := other(b, n);",
        "b := new C(); keep(b, x); r := b.f;",
        "b := new C(); spin(b); r := b.f;",
        "b := new C(); early(b); r := b.f;",
        "b := new C(); deep(b, n); r := b.f;",
        "b := new C(); asks(b); r := b.f;",
        "b := new C(); makes(b); r := b.f;",
        "b := new C(); r := again(b) + n;",
        "b := new C(); x.f := took(b);",
        "b := new C(); r := took(b) + n;",
        "b := new C(); b := b; add(b, n);",
    ] {
        stays(kept, "");
    }
}

#[test]
fn objects_that_something_else_may_see_stay() {
    for kept in [
        "b := new C(); d := b; r := d.f;",
        "b := new C(); x.g := b;",
        "b := new C(); use(b);",
        "b := new C(); b.g := b;",
        "b := new C(); if (b == null) { r := b.f; }",
        "c := new C(); c.f := n;",
        "x := new C(); x.f := n;",
        "b := new C(); if (n > 0) { b := new C(); } r := b.f;",
        "if (n > 0) { b := new C(); b.f := 1; } else { skip; } r := b.f;",
        "while (n > 0) { if (n > 1) { r := b.f; } b := new C(); b.f := n; n := n - 1; }",
        "b := new C(); assert old(b.f) == 0;",
        "b := new C(); assert fresh(b); r := b.f;",
        "b := new C(); assert reach(x, b); r := b.f;",
        "t := new int[3]; r := t[n];",
        "t := new int[3]; r := t[3];",
        "t := new int[n]; r := t.length;",
        "t := new int[100]; r := t[1];",
        "b := new C(); b.f := n; assert forall d: C :: d == null || d.f == 0;",
    ] {
        stays(kept, "");
    }
}

#[test]
fn fields_of_one_object_are_variables_while_a_loop_runs() {
    for (fields, variables) in [
        ("while (x.f > 0) { x.f := x.f - 1; }", "h := x.f; while (h > 0) { h := h - 1; } x.f := h;"),
        (
            "r := x.f; while (n > 0) { x.f := x.f + n; n := n - 1; }",
            "r := x.f; h := x.f; while (n > 0) { h := h + n; n := n - 1; } x.f := h;",
        ),
        (
            "while (x.f > 0) { x.f := x.f - 1; if (x.f == 3) { return x.f, c; } }",
            "h := x.f; b := false; k := 0; o := null; while (h > 0) { h := h - 1; if (h == 3) { k := h; o := c; b := true; break; } } x.f := h; if (b) { return k, o; }",
        ),
        (
            "while (n > 0) { while (x.f > 0) { x.f := x.f - 1; } n := n - 1; }",
            "if (n > 0) { h := x.f; while (n > 0) { while (h > 0) { h := h - 1; } n := n - 1; } x.f := h; }",
        ),
        (
            "if (x != null) { while (n > 0) { while (x.f > n) { x.f := x.f - 1; if (n == r) { x.f := n; r := 1; return; } } n := n - 1; } }",
            "if (x != null) { h := x.f; b := false; while (n > 0) { while (h > n) { h := h - 1; if (n == r) { b := true; break; } } if (b) { break; } n := n - 1; } x.f := h; if (b) { x.f := n; r := 1; return; } }",
        ),
        (
            "c := new C(); while (x.f > 0) { x.f := x.f - 1; c.g := c; }",
            "c := new C(); s := x.f; y := c.g; while (s > 0) { s := s - 1; y := c; } x.f := s; c.g := y;",
        ),
        // A loop within another that looks at the field of another object: it still returns from both.
        (
            "while (n > 0) { while (x.f > n) { x.f := 0; if (x.f == r) { r := 2; return; } } n := n - c.f; }",
            "while (n > 0) { h := x.f; b := false; k := 0; o := null; while (h > n) { h := 0; if (h == r) { r := 2; k := r; o := c; b := true; break; } } x.f := h; if (b) { return k, o; } n := n - c.f; }",
        ),
        // Where the variable may be null, and each turn comes to the field. The condition before it is the one that is written.
        (
            "while (x.f > 0) { c.g := x; x.f := x.f - 1; }",
            "if (x.f > 0) { h := x.f; y := c.g; while (h > 0) { y := x; h := h - 1; } x.f := h; c.g := y; }",
        ),
        (
            "while (n > 0) { x.f := x.f + 1; n := n - 1; }",
            "if (n > 0) { h := x.f; while (n > 0) { h := h + 1; n := n - 1; } x.f := h; }",
        ),
        (
            "while (n > 0 && x.f > 0) { x.f := x.f - 1; }",
            "if (n > 0 && x.f > 0) { h := x.f; while (n > 0 && h > 0) { h := h - 1; } x.f := h; }",
        ),
        (
            "while (n > 0) { n := n - x.f; if (x.g == null) { return 1, c; } x.f := n; if (n == r) { r := 2; return; } }",
            "if (n > 0) { y := x.g; h := x.f; b := false; k := 0; o := null; while (n > 0) { n := n - h; if (y == null) { k := 1; o := c; b := true; break; } h := n; if (n == r) { r := 2; k := r; o := c; b := true; break; } } x.f := h; if (b) { return k, o; } }",
        ),
        (
            "r := x.f; x := c; while (n > 0) { x.f := x.f + n; n := n - 1; }",
            "r := x.f; x := c; if (n > 0) { h := x.f; while (n > 0) { h := h + n; n := n - 1; } x.f := h; }",
        ),
        (
            "if (x != null) { skip; } while (n > 0) { x.f := x.f + n; n := n - 1; }",
            "if (x != null) { skip; } if (n > 0) { h := x.f; while (n > 0) { h := h + n; n := n - 1; } x.f := h; }",
        ),
    ] {
        becomes(fields, variables);
    }
}

#[test]
fn fields_that_are_looked_at_otherwise_stay() {
    for kept in [
        "while (n > 0) { if (n > 1) { x.f := n; } n := n - 1; }",
        "while (n > 0) { if (n == r) { break; } x.f := x.f + 1; n := n - 1; }",
        "while (n > 0) { while (n > r) { r := r + 1; } x.f := x.f + 1; n := n - 1; }",
        "while (n > 0) { assert n < 10; x.f := x.f + 1; n := n - 1; }",
        "while (n > 0) { assume n < 10; x.f := x.f + 1; n := n - 1; }",
        "while (n > 0) { if (n > 1 && x.f > 0) { x.f := n; } n := n - 1; }",
        "while (n > 0) invariant n > -1; { x.f := x.f + 1; n := n - 1; }",
        "while (x.f > 0) { x.f := x.f - 1; r := r + c.f; }",
        "while (x.f > 0) { x.f := x.f - 1; read(n); }",
        "while (x.f > 0) { x.f := x.f - 1; x := x.g; }",
        "while (x.f > 0) invariant n == n; { x.f := x.f - 1; }",
        "while (x.g != null) { x.g := x.g.g; }",
        "while (x.g != null) { assert reach(x, c); x.g := x.g.g; }",
        "while (x.f > 0) { x.f := x.f - 1; assert old(n) == n; }",
        "while (n > 0) { n := n - 1; if (n == r) { x.f := n; return 1, c; } }",
    ] {
        stays(kept, "");
    }
}

#[test]
fn what_a_loop_only_reads_is_a_variable_while_it_runs() {
    for (read, variables) in [
        ("while (x.f > 0) { r := x.f; n := n - 1; }", "h := x.f; while (h > 0) { r := h; n := n - 1; }"),
        (
            "if (x != null) { while (n > 0) { n := n - x.f; tally := 1 + look(); } }",
            "if (x != null) { h := x.f; while (n > 0) { n := n - h; tally := 1 + look(); } }",
        ),
        ("while (x.f > 0) { x.f := x.f - 1; x.g.f := r; }", "y := x.g; while (x.f > 0) { x.f := x.f - 1; y.f := r; }"),
        // Each turn comes to it first.
        (
            "while (n > 0) { n := n - x.f; if (n == r) { return 1, c; } }",
            "if (n > 0) { h := x.f; while (n > 0) { n := n - h; if (n == r) { return 1, c; } } }",
        ),
        // A row, and a cell of the row, of which the latter moves.
        (
            "while (n < rows[r].length) { n := n + rows[r][n]; }",
            "h := rows[r]; while (n < h.length) { n := n + h[n]; }",
        ),
        ("while (x.a[2] > n) { n := n + x.a[n]; }", "a := x.a; k := a[2]; while (k > n) { n := n + a[n]; }"),
        // What was there is not what is loaded later.
        (
            "while (x.g.f > n) { n := n + 1; } x.g := null; while (n > 0) { if (n > 5) { r := x.g.f; } n := n - 1; }",
            "h := x.g; k := h.f; while (k > n) { n := n + 1; } x.g := null; h := x.g; while (n > 0) { if (n > 5) { r := h.f; } n := n - 1; }",
        ),
        // It has been read before, in the condition of the loop around as well.
        (
            "while (rows[r] != null) { while (n > 0) { n := n - rows[r].length; } r := r + 1; }",
            "while (rows[r] != null) { h := rows[r]; while (n > 0) { n := n - h.length; } r := r + 1; }",
        ),
    ] {
        becomes(read, variables);
    }
    for kept in [
        "while (n > 0) { if (n > r) { r := x.f; } n := n - 1; }",
        "while (n > 0) { if (n == r) { break; } n := n - x.f; }",
        "while (n > 0) { n := n - look(); n := n - x.f; }",
        "if (x != null) { while (n > 0) { n := n - x.f; read(n); } }",
        "while (n > 0 || x.f > 0) { n := n - 1; c.f := n; }",
        "while (x.f > n) { n := n + 1; add(c, n); }",
        "while (rows[r] != null) { r := r + 1; }",
        "r := rows[n].length; n := n + 1; while (r > 0) { if (r == 3) { r := rows[n].length; } r := r - 1; }",
        "while (rows[r] != null) { rows[n] := null; n := n + 1; }",
        "while (x.f > n) { n := n + 1; assert old(x.f) > n; }",
        "while (n > 0) { assert forall k: int :: 0 <= k && k < 3 ==> rows[k] != null; n := n - 1; }",
        "while (x.g != null) { x := x.g; }",
    ] {
        stays(kept, kept);
    }
}

#[test]
fn globals_are_variables_while_a_loop_runs() {
    for (globals, variables) in [
        ("while (n > tally) { n := n - 1; }", "h := tally; while (n > h) { n := n - 1; }"),
        (
            "while (n > tally) { n := n - 1; if (n == tally) { return tally, c; } }",
            "h := tally; while (n > h) { n := n - 1; if (n == h) { return h, c; } }",
        ),
        ("while (n > tally) { n := n - 1; add(x, n); }", "h := tally; while (n > h) { n := n - 1; add(x, n); }"),
        (
            "while (n > 0) { tally := tally + n; n := n - 1; }",
            "h := tally; while (n > 0) { h := h + n; n := n - 1; } tally := h;",
        ),
        (
            "while (n > 0) { tally := tally + n; n := n - 1; if (tally == 9) { return tally, c; } }",
            "h := tally; b := false; k := 0; o := null; while (n > 0) { h := h + n; n := n - 1; if (h == 9) { k := h; o := c; b := true; break; } } tally := h; if (b) { return k, o; }",
        ),
        (
            "while (n > tally) { x.f := x.f + tally; n := n - 1; }",
            "if (n > tally) { h := tally; s := x.f; while (n > h) { s := s + h; n := n - 1; } x.f := s; }",
        ),
    ] {
        becomes(globals, variables);
    }
    for kept in [
        "while (n > tally) { n := n - 1; read(n); }",
        "while (n > tally) { n := n - 1; set(); }",
        "while (n > tally) { n := n - look(); }",
        "while (n > 0) { while (r > tally) { r := r - 1; } n := n - 1; set(); }",
        "while (n > 0) { tally := tally + n; add(x, n); n := n - 1; }",
        "while (n > 0) { tally := tally + n; assert reach(x, c); n := n - 1; }",
        "while (n > tally) { n := n - 1; assert old(tally) == r; }",
    ] {
        stays(kept, "");
    }
}

#[test]
fn objects_are_made_where_they_are_needed() {
    let last = "while (x.g != null) { x := x.g; }";
    let made = "b := new C(); b.f := n;";
    for (early, late) in [
        (format!("{made} {last} x.g := b;"), format!("{last} {made} x.g := b;")),
        (
            format!("{made} if (x == null) {{ return 1, b; }} {last} x.g := b; return 2, x;"),
            format!("if (x == null) {{ {made} return 1, b; }} {last} {made} x.g := b; return 2, x;"),
        ),
        (
            format!("{made} while (true) {{ if (x.g == null) {{ x.g := b; break; }} x := x.g; }}"),
            format!("while (true) {{ if (x.g == null) {{ {made} x.g := b; break; }} x := x.g; }}"),
        ),
        ("c := new C(); read(n);".to_owned(), "read(n); c := new C();".to_owned()),
        (format!("if (n > 0) {{ {made} {last} x.g := b; }}"), format!("if (n > 0) {{ {last} {made} x.g := b; }}")),
    ] {
        becomes(&early, &late);
    }
    for kept in [
        format!("{made} n := n - 1; {last} x.g := b;"),
        format!("{made} while (n > 0) {{ n := n - 1; }} x.g := b;"),
        format!("{made} while (r > 0) {{ x.g := b; x := c; r := r - 1; }}"),
        format!("{made} while (x != null) {{ if (x.f == 1) {{ x.g := b; }} x := x.g; }}"),
        format!("{made} while (true) {{ if (x.g == null) {{ x.g := b; break; }} x := x.g; }} c := b;"),
        format!("{made} while (true) {{ if (x.g == null) {{ x.g := b; continue; }} x := x.g; }}"),
        format!("{made} while (true) {{ if (n > 0) {{ x.g := b; if (r > 0) {{ continue; }} return; }} x := x.g; }}"),
        format!(
            "{made} while (true) {{ if (n > 0) {{ x.g := b; if (r > 0) {{ break; }} return 1, x; }} x := x.g; }} c := b;"
        ),
        format!(
            "{made} while (x.f > 0) {{ while (true) {{ if (n > 0) {{ x.g := b; if (r > 0) {{ break; }} return; }} x := x.g; }} x := x.g; }}"
        ),
        "b := new C(); b.f := x.f; read(n); x.g := b;".to_owned(),
        "b := new C(); b.f := tally; read(n); x.g := b;".to_owned(),
        "b := new C(); b.f := 8 / n; read(n); x.g := b;".to_owned(),
        format!("{made} x.g := b; {last}"),
    ] {
        stays(&kept, "");
    }
}

/// What is asked of loops that only a statement within them leaves.
const LEFT_WITHIN: &str = "while (true) { read(n); if (n > 0) { n := n - 1; } else { break; } }";

#[test]
fn loops_begin_with_what_stands_before_them_where_another_version_has_it_so() {
    becomes("read(n); while (n > 0) { n := n - 1; read(n); }", LEFT_WITHIN);
    becomes(
        "r := 1; n := n - r; read(n); while (n > r) { if (n == 7) { break; } r := r + 1; n := n - r; read(n); }",
        "r := 1; while (true) { n := n - r; read(n); if (n > r) { if (n == 7) { break; } r := r + 1; } else { break; } }",
    );
    // The turns of the other version begin with less.
    becomes(
        "x.f := n; read(n); while (n > 0) { n := n - 1; x.f := n; read(n); }",
        "x.f := n; while (true) { read(n); if (n > 0) { n := n - 1; x.f := n; } else { break; } }",
    );
    becomes(
        "while (n > 0) { r := look(); while (r > 0) { n := n - r; r := look(); } n := n - 1; }",
        "while (n > 0) { while (true) { r := look(); if (r > 0) { n := n - r; } else { break; } } n := n - 1; }",
    );
    let place = |unit: &Unit| {
        let body = unit.versions[0].procedures.last().and_then(|own| own.body.as_ref());
        body.and_then(|body| body.stmts.last()).map(|stmt| stmt.span)
    };
    let unit = pair("read(n); while (n > 0) { n := n - 1; read(n); }", LEFT_WITHIN);
    assert_ne!(place(Scalarised::of(&unit).unit()), place(&unit), "the head of the loop is another one");
}

#[test]
fn loops_that_begin_otherwise_stay() {
    for kept in [
        "read(n); while (n > 0) { if (n == 3) { n := 1; continue; } n := n - 1; read(n); }",
        "read(r); while (n > 0) { n := n - 1; read(n); }",
        "read(n); while (n > 0) invariant n == n; { n := n - 1; read(n); }",
        "assert n > 0; while (n > 0) { n := n - 1; assert n > 0; }",
        "read(n); n := n - 1; while (n > 0) { read(n); n := n - 2; }",
        "n := x.f; while (n > 0) { x := x.g; n := x.f; }",
        "set(); while (n > 0) { n := n - 1; set(); }",
    ] {
        stays(kept, LEFT_WITHIN);
    }
    stays("read(n); while (n > 0) { n := n - 1; read(n); }", "while (n > 0) { n := n - 1; }");
}

#[test]
fn where_one_version_returns_behind_the_loop_the_other_does_too() {
    let one = "while (x.f > 0) { x.f := x.f - 1; if (x.f == r) { return n, c; } }";
    let other = "h := x.f; while (h > 0) { h := h - 1; if (h == r) { x.f := h; return n, c; } } x.f := h;";
    let so = "h := x.f; b := false; k := 0; o := null; while (h > 0) { h := h - 1; if (h == r) { k := n; o := c; b := true; break; } } x.f := h; if (b) { return k, o; }";
    let too = "h := x.f; b := false; while (h > 0) { h := h - 1; if (h == r) { b := true; break; } } if (b) { x.f := h; return n, c; } x.f := h;";
    let (replaced, expected) = (Scalarised::of(&pair(one, other)), pair(so, too));
    for (own, version) in replaced.unit().versions.iter().zip(&expected.versions) {
        let (Some(own), Some(code)) = (own.procedures.last(), version.procedures.last()) else { panic!("it is there") };
        assert!(same_code(own, code, |p, q| p == q), "{}", print(replaced.unit()));
    }
    stays(other, other);
}

#[test]
fn what_one_version_keeps_as_it_is_the_other_does_too() {
    for (one, other) in [
        ("b := new C(); b.f := n; r := b.f;", "b := new C(); use(b); r := b.f;"),
        ("while (x.f > 0) { x.f := x.f - 1; }", "while (x.f > 0) { x.f := x.f - 1; read(n); }"),
    ] {
        stays(one, other);
    }
}

/// The first body is replaced by one with the loops of the other.
#[track_caller]
fn splits(written: &str, others: &str, expected: &str) {
    let [mut unit, wanted] = [pair(written, others), pair(expected, "")];
    fission::split(&mut unit);
    let (own, wanted) = (unit.versions[0].procedures.last(), wanted.versions[0].procedures.last());
    let (Some(own), Some(wanted)) = (own, wanted) else { panic!("there is a procedure") };
    assert!(same_code(own, wanted, |p, q| p == q), "{written}\n{}", print(&unit));
}

#[test]
fn loops_are_split_as_those_of_another_version_are() {
    splits(
        "while (c != null) { c.f := n; r := r + 1; c := c.g; }",
        "d := c; while (c != null) { c.f := n; c := c.g; } while (d != null) { r := r + 1; d := d.g; }",
        "d := c; while (d != null) { d.f := n; d := d.g; } while (c != null) { r := r + 1; c := c.g; }",
    );
    // In the order of the other version.
    splits(
        "while (c != null) { r := r + 1; c.f := n; c := c.g; }",
        "while (c != null) { c.f := n; c := c.g; } while (x != null) { n := n + 1; x := x.g; }",
        "d := c; while (d != null) { d.f := n; d := d.g; } while (c != null) { r := r + 1; c := c.g; }",
    );
    // A variable that both need; branches; what is read by the one before the other writes it.
    const CELLS: &str =
        "b := new int[n]; while (n < 9) { b[n] := 0; n := n + 1; } n := 0; while (n < 9) { tally := n; n := n + 1; }";
    splits(
        "b := new int[n]; while (n < 9) { r := r + n; if (r > 3) { b[n] := r; tally := r; } n := n + 1; }",
        CELLS,
        "b := new int[n]; m := n; s := r; while (m < 9) { s := s + m; if (s > 3) { b[m] := s; } m := m + 1; }
         while (n < 9) { r := r + n; if (r > 3) { tally := r; } n := n + 1; }",
    );
    const FEEDS: &str = "while (c != null) { c.f := 0; c := c.g; } while (x != null) { r := r + 1; x := x.g; }";
    splits(
        "while (c != null) { c.f := n; r := r + c.f; c := c.g; }",
        FEEDS,
        "d := c; while (d != null) { d.f := n; d := d.g; } while (c != null) { r := r + c.f; c := c.g; }",
    );
    // The index at the end of a turn.
    splits(
        "b := new int[n]; while (n > 0) { n := n - 1; b[n] := n; r := r + b[n]; }",
        "b := new int[n]; while (n > 0) { b[n] := n; n := n - 1; } n := 9; while (n > 0) { r := n; n := n - 1; }",
        "b := new int[n]; m := n; while (m > 0) { m := m - 1; b[m] := m; } while (n > 0) { n := n - 1; r := r + b[n]; }",
    );
}

#[test]
fn loops_whose_parts_come_in_each_others_way_stay() {
    const SUM: &str = "while (c != null) { c.f := 0; c := c.g; } while (x != null) { r := r + 1; x := x.g; }";
    for (kept, others) in [
        ("while (c != null) { r := r + c.f; c.f := n; c := c.g; }", SUM),
        ("while (c != null) { c.f := n; c := c.g; r := r + c.f; }", SUM),
        ("while (c != null) { c.f := n; r := r + x.f; c := c.g; }", SUM),
        ("while (n > 0) { c.f := n; c := c.g; r := r + c.f; n := n - 1; }", SUM),
        // Steered by what is written.
        ("while (c != null && c.f > 0) { c.f := 0; r := r + 1; c := c.g; }", SUM),
        ("while (c != null) { c.f := 0; r := r + 1; if (c.f == 0) { c := c.g; } }", SUM),
        // What may err comes after what may not end.
        ("while (c != null) { c.f := 0; r := r + c.g.f; c := c.g; }", SUM),
        ("while (c != null) { c.f := 0; if (x.g == null) { r := r + 1; } c := c.g; }", SUM),
        ("while (c != null) { c.f := 0; r := r + 7 / n; c := c.g; }", SUM),
        (
            "while (n < r) { tally := n; x.f := 1; n := n + 0; }",
            "while (n < r) { tally := n; n := n + 1; } while (n < r) { x.f := 1; n := n + 1; }",
        ),
        // Looked at by no part.
        ("while (n < 9) { c.f := n; r := r + 1; if (x.f > 0) { } n := n + 1; }", SUM),
        // Made twice.
        (
            "while (n < 9) { b := new C(); x.g := b; if (b != c) { tally := n; } n := n + 1; }",
            "while (n < 9) { x.g := c; n := n + 1; } while (n < 9) { tally := n; n := n + 1; }",
        ),
        // Not plain.
        ("while (c != null) { c.f := 0; r := r + 1; read(n); c := c.g; }", SUM),
        ("while (c != null) { c.f := 0; r := r + 1; if (r > n) { break; } c := c.g; }", SUM),
        ("while (c != null) invariant r >= 0; { c.f := 0; r := r + 1; c := c.g; }", SUM),
        // The other version's loops write something else.
        (
            "while (c != null) { c.f := 0; r := r + 1; c := c.g; }",
            "while (c != null) { c.f := 0; c.f := 1; c := c.g; } while (n > 0) { n := n - 1; }",
        ),
    ] {
        splits(kept, others, kept);
    }
}

/// The first body, whose version alone has some helpers, is replaced by the other.
#[track_caller]
fn expands(written: &str, expected: &str) {
    let program = |old: &str| {
        let text = format!(
            "class C {{ f: int; g: C; a: int[]; }} global tally: int; procedure read(n: int) returns (r: int);
             version 0 procedure p(x: C, n: int, rows: int[][]) returns (r: int, c: C) {{ {old} }}
             procedure find(c: C, n: int) returns (r: C) {{ while (c != null) {{ if (c.f == n) {{ return c; }} c := c.g; }} return null; }}
             procedure last(c: C) returns (r: C) {{ r := c; while (r.g != null) {{ r := r.g; }} }}
             procedure add(c: C, n: int) {{ if (n < 0) {{ return; }} c.f := c.f + n; }}
             procedure both(n: int) returns (a, b: int) {{ a := 1; if (n > 0) {{ return b, a; }} return n, n; }}
             procedure spin(n: int) returns (r: int) {{ while (n > 0) {{ n := n - 1; }} r := spin(n); }}
             procedure asks(n: int) returns (r: int) requires n > 0; {{ while (n > 0) {{ n := n - 1; }} }}
             procedure checks(n: int) {{ while (n > 0) {{ n := n - 1; assert n < 9; }} }}
             procedure twice(c: C, n: int) {{ if (n > 0) {{ if (n > 1) {{ return; }} c.f := 1; }} else {{ c.f := 2; }} while (n > 0) {{ n := n - 1; }} }}
             procedure shared(n: int) returns (r: int) {{ while (n > 0) {{ n := n - 1; }} }}
             version 1 procedure p(x: C, n: int) returns (r: int, c: C) {{ }} procedure shared(n: int) returns (r: int) {{ }}"
        );
        lang_l::load([("pair.l", text.as_str())]).expect("a legal program").unit
    };
    let [mut unit, wanted] = [program(written), program(expected)];
    expansion::expand(&mut unit);
    let [own, wanted] = [&unit, &wanted].map(|unit| &unit.versions[0].procedures[1]);
    assert!(same_code(own, wanted, |p, q| p == q), "{written}\n{}", print(&unit));
}

#[test]
fn helpers_of_one_version_are_in_place_where_there_are_loops() {
    const FOUND: &str = "y := x; s := null; b := false; k := null;
        while (y != null) { if (y.f == n) { k := y; b := true; break; } y := y.g; } if (b) { s := k; } else { s := null; }";
    expands("c := find(x, n);", &format!("{FOUND} c := s;"));
    expands("if (find(x, n) != null) { r := 1; }", &format!("{FOUND} d := s; if (d != null) {{ r := 1; }}"));
    expands("return n, find(x, n);", &format!("{FOUND} d := s; return n, d;"));
    for (written, expected) in [
        ("x.f > 0 && Q", "if (x.f > 0) { P t := Q; } else { t := false; }"),
        ("n > 0 || Q", "if (n > 0) { t := true; } else { P t := Q; }"),
        ("n > 0 ==> Q", "if (n > 0) { P t := Q; } else { t := true; }"),
        ("n > 0 ? n > 1 : Q", "if (n > 0) { t := n > 1; } else { P t := Q; }"),
    ] {
        let own = written.replace('Q', "find(x, n) == null");
        let own = format!("if ({own}) {{ r := 1; }}");
        let found = expected.replace('Q', "d == null").replace('P', &format!("{FOUND} d := s;"));
        expands(&own, &format!("{found} if (t) {{ r := 1; }}"));
    }
    // What it is handed and does not assign is not copied, and a helper within another one is in place as well.
    expands("r := last(x).f;", "s := null; s := x; while (s.g != null) { s := s.g; } d := s; r := d.f;");
    expands(
        "while (n > 0) { add(x, n); n := n - 1; }",
        "while (n > 0) { if (n < 0) { } else { x.f := x.f + n; } n := n - 1; }",
    );
    expands(
        "while (n > 0) { add(last(x), n); n := n - 1; }",
        "while (n > 0) { s := null; s := x; while (s.g != null) { s := s.g; } d := s; if (n < 0) { } else { d.f := d.f + n; } n := n - 1; }",
    );
}

#[test]
fn calls_that_cannot_be_in_place_stay() {
    for kept in [
        "r := spin(n);",
        "r := asks(n);",
        "checks(n);",
        "twice(x, n);",
        "r := shared(n);",
        // Not in a loop, and without one.
        "add(x, n);",
        // The second value looks at a result that the first has assigned.
        "while (n > 0) { r, n := both(n); }",
        // Something is looked at before.
        "if (x.g == find(x, n)) { r := 1; }",
        "r := x.f + (n > 0 && find(x, n) == null ? 1 : 2);",
        "tally := tally + last(x).f;",
        "while (find(x, n) != null) { n := n + 1; }",
    ] {
        expands(kept, kept);
    }
}
