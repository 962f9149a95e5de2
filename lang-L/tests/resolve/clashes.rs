//! Types that do not fit, with both places.

use crate::check;

#[test]
fn declared_against_used() {
    check(
        "procedure p(x: int) { x := true; }",
        "
            E0301 1:28 `true` expected `int`, found `bool` | this is `bool`
              1:16 `int` `int`, because it is declared so
        ",
    );
}

#[test]
fn used_against_used() {
    check(
        "procedure p(x) { y := x + 1; z := x && true; }",
        "
            E0301 1:35 `x` expected `bool`, found `int` | this is `int`
              1:35 `x && true` `bool`, because logic is on `bool`
              1:23 `x + 1` `int`, because arithmetic is on `int`
              help: a condition is true or false: compare it, as in `x != 0`
        ",
    );
    check(
        "procedure p(x) { y := x.f; z := x + 1; }",
        "
            E0301 1:33 `x` expected `int`, found `ref` | this is `ref`
              1:33 `x + 1` `int`, because arithmetic is on `int`
              1:23 `x` `ref`, because a field is taken of it
        ",
    );
    check(
        "procedure p(x) { y := x == null; x := 1; }",
        "
            E0301 1:39 `1` expected `ref`, found `int` | this is `int`
              1:28 `null` `ref`, because `null` is a reference
        ",
    );
    check(
        "procedure p(x) { if (x) { } x := 1; while (1) { } }",
        "
            E0301 1:34 `1` expected `bool`, found `int` | this is `int`
              1:22 `x` `bool`, because it is a condition
            E0301 1:44 `1` expected `bool`, found `int` | this is `int`
              1:44 `1` `bool`, because it is a condition
              help: a condition is true or false: compare it, as in `x != 0`
        ",
    );
}

#[test]
fn fields() {
    check(
        "procedure p(x, y) { x.f := 1; y.f := true; }",
        "
            E0301 1:38 `true` expected `int`, found `bool` | this is `bool`
              1:28 `1` `int`, because it is a number
        ",
    );
    check(
        "version procedure p(x) { x.f := 1; } version procedure p(y) { } procedure q(y) { b := y.f; b := true; }",
        "
            E0301 1:97 `true` expected `int`, found `bool` | this is `bool`
              1:33 `1` `int`, because it is a number
        ",
    );
}

#[test]
fn arguments_and_results() {
    check(
        "procedure q(x, y) returns (r, s: int) {} procedure p() { a, b := q(1, 2); call q(1, true); a, b := q(b, a); b := a && b; }",
        "
            E0301 1:85 `true` expected `int`, found `bool` | this is `bool`
              1:71 `2` `int`, because it is a number
            E0301 1:114 `a` expected `bool`, found `int` | this is `int`
              1:114 `a && b` `bool`, because logic is on `bool`
              1:71 `2` `int`, because it is a number
              help: a condition is true or false: compare it, as in `x != 0`
            E0301 1:114 `a && b` expected `int`, found `bool` | this is `bool`
              1:34 `int` `int`, because it is declared so
            E0301 1:119 `b` expected `bool`, found `int` | this is `int`
              1:114 `a && b` `bool`, because logic is on `bool`
              1:34 `int` `int`, because it is declared so
              help: a condition is true or false: compare it, as in `x != 0`
        ",
    );
}

#[test]
fn comparisons() {
    check(
        "class A {} class B {} procedure p(a: A, b: B, n: int) { c := a == b; d := n == null; e := c != n; }",
        "
            E0301 1:67 `b` expected `A`, found `B` | this is `B`
              1:38 `A` `A`, because it is declared so
              1:44 `B` `B`, because it is declared so
            E0301 1:80 `null` expected `int`, found `ref` | this is `ref`
              1:50 `int` `int`, because it is declared so
            E0301 1:96 `n` expected `bool`, found `int` | this is `int`
              1:62 `a == b` `bool`, because it is a comparison
              1:50 `int` `int`, because it is declared so
        ",
    );
}

#[test]
fn any_reference_is_a_ref_but_not_the_other_way() {
    check(
        "class A {} class B {} procedure q(r: ref) {} procedure p(a: A, b: B, r: ref) { call q(a); call q(b); r := a; c := r == a; a := r; }",
        "
            E0301 1:128 `r` expected `A`, found `ref` | this is `ref`
              1:61 `A` `A`, because it is declared so
              1:73 `ref` `ref`, because it is declared so
              help: a `ref` may be anything; declare the value as `A`
        ",
    );
    check(
        "class A {} procedure p(r: ref, a: int[]) { r := a; t := r == a; a := r; }",
        "
            E0301 1:70 `r` expected `int[]`, found `ref` | this is `ref`
              1:35 `int[]` `int[]`, because it is declared so
              1:27 `ref` `ref`, because it is declared so
              help: a `ref` may be anything; declare the value as `int[]`
        ",
    );
}

#[test]
fn without_classes_an_array_is_no_ref() {
    check(
        "procedure q(r: ref) { } procedure p(a) { q(a); t := a[0]; }",
        "
            E0301 1:53 `a` expected `ref[]`, found `ref` | this is `ref`
              1:53 `a` `ref[]`, because it is indexed
              1:16 `ref` `ref`, because it is declared so
              help: where there are no classes a `ref` has every field, so it cannot be an array
        ",
    );
    check(
        "procedure p(r: ref, a: int[]) { r := a; t := r == a; a := r; b := a; c := null; c := a; a.f := 1; }",
        "
            E0301 1:38 `a` expected `ref`, found `int[]` | this is `int[]`
              1:16 `ref` `ref`, because it is declared so
              1:24 `int[]` `int[]`, because it is declared so
              help: where there are no classes a `ref` has every field, so it cannot be an array
            E0301 1:51 `a` expected `ref`, found `int[]` | this is `int[]`
              1:16 `ref` `ref`, because it is declared so
              1:24 `int[]` `int[]`, because it is declared so
              help: where there are no classes a `ref` has every field, so it cannot be an array
            E0301 1:59 `r` expected `int[]`, found `ref` | this is `ref`
              1:24 `int[]` `int[]`, because it is declared so
              1:16 `ref` `ref`, because it is declared so
              help: where there are no classes a `ref` has every field, so it cannot be an array
            E0303 1:89 `a` a value of type `int[]` has no field `f` | this is `int[]`
              1:24 `int[]` `int[]`, because it is declared so
        ",
    );
}

#[test]
fn a_ref_has_no_fields_where_there_are_classes() {
    check(
        "class A { f: int; } procedure p(x: ref) { y := x.f; }",
        "
            E0303 1:48 `x` a value of type `ref` has no field `f` | this is `ref`
              1:36 `ref` `ref`, because it is declared so
              help: a `ref` may be anything; declare it as `A`, and make it by `new A()`
        ",
    );
    check(
        "class A { f: int; } procedure p() { x := new(); x.f := 1; }",
        "
            E0303 1:49 `x` a value of type `ref` has no field `f` | this is `ref`
              1:42 `new()` `ref`, because `new` without a class makes a plain object
              help: a `ref` may be anything; declare it as `A`, and make it by `new A()`
        ",
    );
}

#[test]
fn only_arrays_are_indexed() {
    check(
        "procedure p(a: ref) { b := a[0]; c := 3; d := c[1]; e := c.f; }",
        "
            E0301 1:28 `a` expected `ref[]`, found `ref` | this is `ref`
              1:28 `a` `ref[]`, because it is indexed
              1:16 `ref` `ref`, because it is declared so
              help: where there are no classes a `ref` has every field, so it cannot be an array
            E0301 1:47 `c` expected `ref[]`, found `int` | this is `int`
              1:47 `c` `ref[]`, because it is indexed
              1:39 `3` `int`, because it is a number
            E0303 1:58 `c` a value of type `int` has no field `f` | this is `int`
              1:39 `3` `int`, because it is a number
        ",
    );
    check(
        "procedure p(a: int[], i) { a[i] := 1; a[a] := 2; t := a.f; i := true; }",
        "
            E0301 1:41 `a` expected `int`, found `int[]` | this is `int[]`
              1:41 `a` `int`, because it is an index
              1:16 `int[]` `int[]`, because it is declared so
            E0303 1:55 `a` a value of type `int[]` has no field `f` | this is `int[]`
              1:16 `int[]` `int[]`, because it is declared so
            E0301 1:65 `true` expected `int`, found `bool` | this is `bool`
              1:30 `i` `int`, because it is an index
        ",
    );
}

#[test]
fn elements() {
    check(
        "procedure p(x) { x.f := new int[2]; y := x.f; y[0] := null; }",
        "
            E0301 1:55 `null` expected `int`, found `ref` | this is `ref`
              1:29 `int` `int`, because it is declared so
        ",
    );
    check(
        "procedure p(a: int[][], b: ref[]) { a := b; a[0] := null; a[0][1] := a[1]; }",
        "
            E0301 1:42 `b` expected `int[][]`, found `ref[]` | this is `ref[]`
              1:16 `int[][]` `int[][]`, because it is declared so
              1:28 `ref[]` `ref[]`, because it is declared so
            E0301 1:70 `a[1]` expected `int`, found `int[]` | this is `int[]`
              1:16 `int` `int`, because it is declared so
              1:16 `int[]` `int[]`, because it is declared so
        ",
    );
}

#[test]
fn an_array_in_itself() {
    check(
        "procedure p(a) { a := a[0]; }",
        "
            E0305 1:23 `a[0]` array types nest too deeply | this array would be nested in itself, or nearly without end
              1:23 `a` `ref[]`, because it is indexed
        ",
    );
    check(
        "procedure p(x, y) { y := x[0]; x := y[0]; }",
        "
            E0305 1:37 `y[0]` array types nest too deeply | this array would be nested in itself, or nearly without end
              1:26 `x` `ref[][]`, because it is indexed
        ",
    );
}

#[test]
fn conditional_values() {
    check(
        "procedure p(b, c) { z := b ? 1 : null; y := c ? true : c + 1; }",
        "
            E0301 1:34 `null` expected `int`, found `ref` | this is `ref`
              1:30 `1` `int`, because it is a number
            E0301 1:56 `c` expected `int`, found `bool` | this is `bool`
              1:56 `c + 1` `int`, because arithmetic is on `int`
              1:45 `c` `bool`, because it is a condition
            E0301 1:56 `c + 1` expected `bool`, found `int` | this is `int`
              1:49 `true` `bool`, because it is a truth value
        ",
    );
}

#[test]
fn globals() {
    check(
        "global g: int; procedure p(g2) { g := null; t := g; t := g2.f; t := true; }",
        "
            E0301 1:39 `null` expected `int`, found `ref` | this is `ref`
              1:11 `int` `int`, because it is declared so
            E0301 1:69 `true` expected `int`, found `bool` | this is `bool`
              1:11 `int` `int`, because it is declared so
        ",
    );
}

#[test]
fn contracts() {
    check(
        "procedure p(n: int) requires n; ensures fresh(n); ensures reach(null, 1); modifies {n}; { assert n; assume 1; }",
        "
            E0301 1:30 `n` expected `bool`, found `int` | this is `int`
              1:30 `n` `bool`, because it is a condition
              1:16 `int` `int`, because it is declared so
              help: a condition is true or false: compare it, as in `x != 0`
            E0301 1:47 `n` expected `ref`, found `int` | this is `int`
              1:41 `fresh(n)` `ref`, because `fresh` is asked of objects
              1:16 `int` `int`, because it is declared so
            E0301 1:71 `1` expected `ref`, found `int` | this is `int`
              1:59 `reach(null, 1)` `ref`, because `reach` is asked of objects
            E0301 1:85 `n` expected `ref`, found `int` | this is `int`
              1:75 `modifies {n};` `ref`, because `modifies` names objects
              1:16 `int` `int`, because it is declared so
            E0301 1:98 `n` expected `bool`, found `int` | this is `int`
              1:98 `n` `bool`, because it is a condition
              1:16 `int` `int`, because it is declared so
              help: a condition is true or false: compare it, as in `x != 0`
            E0301 1:108 `1` expected `bool`, found `int` | this is `int`
              1:108 `1` `bool`, because it is a condition
              help: a condition is true or false: compare it, as in `x != 0`
        ",
    );
}

#[test]
fn every_mistake_is_reported_in_one_run() {
    check(
        "procedure p(x: int) { x := null; x := true; y := -true; z := !1; w := 1 < true; break; q(); }",
        "
            E0301 1:28 `null` expected `int`, found `ref` | this is `ref`
              1:16 `int` `int`, because it is declared so
            E0301 1:39 `true` expected `int`, found `bool` | this is `bool`
              1:16 `int` `int`, because it is declared so
            E0301 1:51 `true` expected `int`, found `bool` | this is `bool`
              1:50 `-true` `int`, because arithmetic is on `int`
            E0301 1:63 `1` expected `bool`, found `int` | this is `int`
              1:62 `!1` `bool`, because `!` turns a condition round
              help: a condition is true or false: compare it, as in `x == 0`
            E0301 1:75 `true` expected `int`, found `bool` | this is `bool`
              1:71 `1 < true` `int`, because only `int`s have an order
            E0404 1:81 `break;` `break` outside a loop | no loop here
            E0202 1:88 `q` there is no procedure `q` | not declared
        ",
    );
}
