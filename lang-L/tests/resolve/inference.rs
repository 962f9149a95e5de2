//! Types that are left out.

use crate::check;

#[test]
fn what_nothing_constrains_is_ref() {
    check(
        "procedure p(x) { y := x; z := null; }",
        r#"
            version "0"
            procedure p(x: ref)
            {
              var y: ref;
              var z: ref;
              y := x;
              z := null;
            }
        "#,
    );
}

#[test]
fn from_uses() {
    check(
        "procedure p(a, b, c, d, e) returns (r) { r := a + 1; if (b) { } t := c.f; u := d[0] && true; e := null; }",
        r#"
            // every object has f: ref
            version "0"
            procedure p(a: int, b: bool, c: ref, d: bool[], e: ref) returns (r: int)
            {
              var t: ref;
              var u: bool;
              r := a + 1;
              if (b) {
              }
              t := c.f;
              u := d[0] && true;
              e := null;
            }
        "#,
    );
    check(
        "procedure p(a) returns (s) { i := 0; while (i < a.length) { s := s + a[i]; i := i + 1; } }",
        r#"
            version "0"
            procedure p(a: int[]) returns (s: int)
            {
              var i: int;
              i := 0;
              while (i < a.length) {
                s := s + a[i];
                i := i + 1;
              }
            }
        "#,
    );
}

#[test]
fn through_calls_both_ways() {
    check(
        "procedure p(x) { y := q(x); z := y + 1; } procedure q(a) returns (b) { if (a) { } b := r(); } procedure r() returns (c) { }",
        r#"
            version "0"
            procedure p(x: bool)
            {
              var y: int;
              var z: int;
              y := q(x);
              z := y + 1;
            }
            procedure q(a: bool) returns (b: int)
            {
              if (a) {
              }
              b := r();
            }
            procedure r() returns (c: int)
            {
            }
        "#,
    );
}

#[test]
fn fields_from_all_uses_in_all_versions() {
    check(
        "
            version procedure p(x) { t := x.f; }
            version procedure p(x) { x.f := true; x.next.next.f := false; }
        ",
        r#"
            // every object has f: bool
            // every object has next: ref
            version "0"
            procedure p(x: ref)
            {
              var t: bool;
              t := x.f;
            }
            version "1"
            procedure p(x: ref)
            {
              x.f := true;
              x.next.next.f := false;
            }
        "#,
    );
}

#[test]
fn the_versions_share_what_they_know_of_a_procedure() {
    check(
        "version procedure p(x) returns (r) { r := x + 1; } version procedure p(y) returns (r) { }",
        r#"
            version "0"
            procedure p(x: int) returns (r: int)
            {
              r := x + 1;
            }
            version "1"
            procedure p(y: int) returns (r: int)
            {
            }
        "#,
    );
    check(
        "
            procedure e(x) returns (r);
            version procedure p(x) { t := e(1) && true; } version procedure p(x) { t := e(x); }
        ",
        r#"
            version "0"
            procedure e(x: int) returns (r: bool)
            ;
            procedure p(x: int)
            {
              var t: bool;
              t := e(1) && true;
            }
            version "1"
            procedure e(x: int) returns (r: bool)
            ;
            procedure p(x: int)
            {
              var t: bool;
              t := e(x);
            }
        "#,
    );
}

#[test]
fn versions_may_differ_in_signature() {
    check(
        "version procedure p(x: int) { } version procedure p(y: bool) { }",
        r#"
            version "0"
            procedure p(x: int)
            {
            }
            version "1"
            procedure p(y: bool)
            {
            }
        "#,
    );
    check(
        "version procedure p(x) { } version procedure p(x, y) { }",
        r#"
            version "0"
            procedure p(x: ref)
            {
            }
            version "1"
            procedure p(x: ref, y: ref)
            {
            }
        "#,
    );
}

#[test]
fn length_of_arrays_and_fields_of_that_name() {
    check(
        "procedure p(a) returns (s) { s := a.length; }",
        r#"
            version "0"
            procedure p(a: ref[]) returns (s: int)
            {
              s := a.length;
            }
        "#,
    );
    check(
        "procedure p(a) returns (s) { s := a.length; t := a[0]; }",
        r#"
            version "0"
            procedure p(a: ref[]) returns (s: int)
            {
              var t: ref;
              s := a.length;
              t := a[0];
            }
        "#,
    );
    check(
        "procedure p(a, b) { a.length := true; t := b.length; }",
        r#"
            // every object has length: bool
            version "0"
            procedure p(a: ref, b: ref)
            {
              var t: bool;
              a.length := true;
              t := b.length;
            }
        "#,
    );
    check(
        "class L { f: int; } procedure p(a) returns (s) { s := a.length; }",
        r#"
            class L { f: int; }
            version "0"
            procedure p(a: ref[]) returns (s: int)
            {
              s := a.length;
            }
        "#,
    );
    check(
        "class L { length: int; } procedure p(a, b: L) returns (s) { s := a.length + b.length; }",
        "
            E0302 1:66 `a` nothing says of which class this is, and several things have `length` | of which class?
              1:1 `class L { length: int; }` `L` has a field `length`
              help: declare its type, as in `x: L`
        ",
    );
}

#[test]
fn the_class_that_has_the_field() {
    check(
        "class A { f: int; } class B { f: int; g: A; } procedure p(x, y) { t := x.f; u := x.g; v := y.f; y := u; }",
        r#"
            class A { f: int; }
            class B { f: int; g: A; }
            version "0"
            procedure p(x: B, y: A)
            {
              var t: int;
              var u: A;
              var v: int;
              t := x.f;
              u := x.g;
              v := y.f;
              y := u;
            }
        "#,
    );
    check(
        "class A { f: int; } class B { f: int; } procedure p(x) { y := x.f; }",
        "
            E0302 1:63 `x` nothing says of which class this is, and several things have `f` | of which class?
              1:1 `class A { f: int; }` `A` has a field `f`
              1:21 `class B { f: int; }` `B` has a field `f`
              help: declare its type, as in `x: A`
        ",
    );
}

#[test]
fn new_makes_what_it_names() {
    check(
        "class A { next: A; } procedure p() { x := new A(); y := new A; z := x.next; w := new A[3]; v := w[0]; o := new(); }",
        r#"
            class A { next: A; }
            version "0"
            procedure p()
            {
              var x: A;
              var y: A;
              var z: A;
              var w: A[];
              var v: A;
              var o: ref;
              x := new A();
              y := new A();
              z := x.next;
              w := new A[3];
              v := w[0];
              o := new();
            }
        "#,
    );
    check(
        "procedure p() { x := new; y := new(); z := new int[][3]; w := z[0][1]; }",
        r#"
            version "0"
            procedure p()
            {
              var x: ref;
              var y: ref;
              var z: int[][];
              var w: int;
              x := new();
              y := new();
              z := new int[][3];
              w := z[0][1];
            }
        "#,
    );
}

#[test]
fn each_turn_of_a_loop_has_its_own_variables() {
    check(
        "procedure p(n) { while (n > 0) { var i: int; var o; var b: bool; o.f := n; n := n - 1; b := !b; } var j: int; }",
        r#"
            // every object has f: int
            version "0"
            procedure p(n: int)
            {
              var i: int;
              var o: ref;
              var b: bool;
              var j: int;
              while (n > 0) {
                i := 0;
                o := null;
                b := false;
                o.f := n;
                n := n - 1;
                b := !b;
              }
            }
        "#,
    );
}

#[test]
fn conditional_values() {
    check(
        "class C { } procedure p(b, c: C, r: ref) { x := b ? c : null; y := b ? c : r; z := b ? 1 : 2; w := b ? r : c; }",
        r#"
            class C { }
            version "0"
            procedure p(b: bool, c: C, r: ref)
            {
              var x: C;
              var y: ref;
              var z: int;
              var w: ref;
              x := b ? c : null;
              y := b ? c : r;
              z := b ? 1 : 2;
              w := b ? r : c;
            }
        "#,
    );
}

#[test]
fn contracts() {
    check(
        "class C { f: C; } procedure p(c, n) returns (r: C) requires n > 0; ensures old(c.f) == r || fresh(r) && reach(c, r); ensures forall i: int :: exists o: C :: i == n ==> o != c; modifies {c, c.f}; modifies c.f.f; { assume true; assert old(n) == n; }",
        r#"
            class C { f: C; }
            version "0"
            procedure p(c: C, n: int) returns (r: C)
              requires n > 0;
              ensures old(c.f) == r || fresh(r) && reach(c, r);
              ensures forall i: int :: exists o: C :: i == n ==> o != c;
              modifies {c, c.f, c.f.f};
            {
              var i: int;
              var o: C;
              assume true;
              assert old(n) == n;
            }
        "#,
    );
}
