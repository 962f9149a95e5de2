//! Two versions, in one file or in two.

use crate::{check, check_files};

#[test]
fn labels() {
    check(
        r#"version old procedure p() {} version "the new one" procedure p() {}"#,
        r#"
            version "old"
            procedure p()
            {
            }
            version "the new one"
            procedure p()
            {
            }
        "#,
    );
    check(
        "procedure p() {} version procedure q() { p(); } version 7 procedure q() { p(); }",
        r#"
            version "0"
            procedure p()
            {
            }
            procedure q()
            {
              p();
            }
            version "7"
            procedure p()
            {
            }
            procedure q()
            {
              p();
            }
        "#,
    );
}

#[test]
fn shared_items_stand_in_each_version() {
    check(
        "class C { f: int; } global g: C; procedure s(x); version procedure p() { s(g); } version procedure p() { s(null); }",
        r#"
            class C { f: int; }
            global g: C;
            version "0"
            procedure s(x: C)
            ;
            procedure p()
            {
              s(g);
            }
            version "1"
            procedure s(x: C)
            ;
            procedure p()
            {
              s(null);
            }
        "#,
    );
}

#[test]
fn two_files_give_a_version_each() {
    check_files(
        &["procedure p(x) { x.f := 1; }", r#"global g: ref; version "new" procedure p(x) { x.f := 2; g := x; }"#],
        r#"
            // every object has f: int
            global g: ref;
            version "0"
            procedure p(x: ref)
            {
              x.f := 1;
            }
            version "new"
            procedure p(x: ref)
            {
              x.f := 2;
              g := x;
            }
        "#,
    );
    check_files(
        &["procedure p(x) { x.f := 1; }", "procedure p(x) { x.f := y; x.f := true; }"],
        "
            E0201 1.l:1:25 `y` nothing assigns or declares `y` | not known
            E0301 1.l:1:35 `true` expected `int`, found `bool` | this is `bool`
              1:25 `1` `int`, because it is a number
        ",
    );
    check_files(
        &["version procedure p(x) { } version procedure p(x) {}", "procedure p(x) {}"],
        "
            E0410 1:28 `version` each of several files gives one version | a second version in the same file
              1:1 `version` the first version
              help: give the pair file alone
        ",
    );
}

#[test]
fn versions_agree_on_classes_and_globals() {
    check_files(
        &[
            "class C { f: int; g: C[]; } global k: int; procedure p(x: C) { }",
            "class C { g: C[]; f: int; } global k: int; class D { } procedure p(x: C) { t := new D(); }",
        ],
        r#"
            class C { f: int; g: C[]; }
            class D { }
            global k: int;
            version "0"
            procedure p(x: C)
            {
            }
            version "1"
            procedure p(x: C)
            {
              var t: D;
              t := new D();
            }
        "#,
    );
    check(
        "class A { f: int; } version class B { } version class B { g: A; }",
        "
            E0413 1:55 `B` the versions declare class `B` differently | one declaration
              1:35 `B` the other declaration
              1:59 `g` this field is not the same in both
              help: both versions start from the same store, so they must agree on its classes
        ",
    );
    check_files(
        &["class C { f: int[]; }", "class C { f: int; }"],
        "
            E0413 1.l:1:7 `C` the versions declare class `C` differently | one declaration
              1:7 `C` the other declaration
              1.l:1:11 `f` this field is not the same in both
              help: both versions start from the same store, so they must agree on its classes
        ",
    );
    check(
        "version global g: int; version global g: bool; procedure p() { }",
        "
            E0413 1:42 `bool` the versions declare global `g` with different types | one type
              1:19 `int` the other type
              help: both versions start from the same store, so they must agree on its globals
        ",
    );
}

#[test]
fn a_version_sees_its_own_items_only() {
    check(
        "version global g: int; version procedure p() { x := g; }",
        "
            E0201 1:53 `g` nothing assigns or declares `g` | not known
              1:9 `global g: int;` another version declares it
        ",
    );
    check(
        "version class C { f: int; } version procedure p(x: C) { y := x; }",
        "
            E0203 1:52 `C` there is no class `C` | not declared
              1:9 `class C { f: int; }` another version declares it
        ",
    );
}

#[test]
fn equiv() {
    check(
        "version procedure p(x, n) {} version procedure q(x, n: int) {} equiv p ~ q when n > 0 && forall i: int :: i < n;",
        r#"
            version "0"
            procedure p(x: ref, n: int)
            {
              var i: int;
            }
            version "1"
            procedure q(x: ref, n: int)
            {
            }
            equiv p ~ q when n > 0 && (forall i: int :: i < n);
        "#,
    );
    check(
        "version procedure p(x: int) {} version procedure q(x: bool) {} procedure r() {} equiv p ~ q; equiv p ~ r; equiv z ~ q; equiv q ~ p;",
        "
            E0411 1:81 `equiv p ~ q;` parameter 1 is `int` on the left and `bool` on the right | cannot be equivalent
              1:21 `x` this is `int`
              1:52 `x` this is `bool`
            E0411 1:94 `equiv p ~ r;` `p` has one parameter, but `r` has no parameters | cannot be equivalent
              1:19 `p` one parameter
              1:74 `r` no parameters
            E0202 1:113 `z` the first version has no procedure `z` | not declared
            E0202 1:126 `q` the first version has no procedure `q` | not declared
            E0202 1:130 `p` the second version has no procedure `p` | not declared
        ",
    );
    check(
        "version procedure p() returns (a: int, b: int) {} version procedure q() returns (a: int, b) { b := true; } equiv p ~ q;",
        "
            E0411 1:108 `equiv p ~ q;` result 2 is `int` on the left and `bool` on the right | cannot be equivalent
              1:40 `b` this is `int`
              1:90 `b` this is `bool`
        ",
    );
    check(
        "version procedure p(x) { t := 1; } version procedure p(y) { } equiv p ~ p when x == y && t == 1 && p(x);",
        "
            E0201 1:85 `y` nothing assigns or declares `y` | not known
            E0207 1:90 `t` `t` is a local of the body, which a contract cannot see | not known here
              1:26 `t` the local
            E0405 1:100 `p(x)` a contract cannot call a procedure | a call
              help: contracts are checked without running anything
        ",
    );
    check(
        "procedure p() {} equiv p ~ p;",
        "
            E0409 1:18 `equiv p ~ p;` `equiv` compares two versions | there is only one
              help: put each version under a `version` heading
        ",
    );
}

#[test]
fn a_file_without_versions_is_one_version() {
    check(
        "procedure p() { }",
        r#"
            version "0"
            procedure p()
            {
            }
        "#,
    );
}
