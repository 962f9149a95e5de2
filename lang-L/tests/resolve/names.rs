//! What names stand for, and what is said of names that stand for nothing.

use crate::check;

#[test]
fn unknown_names_with_the_nearest_known_one() {
    check("procedure p(x) { y := x; z := yy; }", "E0201 1:31 `yy` nothing assigns or declares `yy` | not known");
    check(
        "procedure p(count) { t := cuont + 1; u := cuont; }",
        "
            E0201 1:27 `cuont` nothing assigns or declares `cuont` | not known
              help: did you mean `count`?
        ",
    );
    check(
        "global total: int; procedure p() { t := totl; }",
        "
            E0201 1:41 `totl` nothing assigns or declares `totl` | not known
              help: did you mean `total`?
        ",
    );
}

#[test]
fn an_unknown_name_is_reported_once_and_nothing_follows_from_it() {
    check(
        "procedure p(x) { a := what.f.g; b := what + 1; c := what && true; a := 1; a := true; }",
        "E0201 1:23 `what` nothing assigns or declares `what` | not known",
    );
}

#[test]
fn unknown_procedures() {
    check("procedure p() { call q(); }", "E0202 1:22 `q` there is no procedure `q` | not declared");
    check(
        "procedure remove(x) { } procedure p(x) { call remvoe(x); t := remov(x); }",
        "
            E0202 1:47 `remvoe` there is no procedure `remvoe` | not declared
              help: did you mean `remove`?
            E0202 1:63 `remov` there is no procedure `remov` | not declared
              help: did you mean `remove`?
        ",
    );
    check(
        "version procedure q() {} procedure p() { q(); } version procedure p() { q(); }",
        "
            E0202 1:73 `q` there is no procedure `q` | not declared
              1:19 `q` another version has it
        ",
    );
}

#[test]
fn unknown_classes() {
    check(
        "class Node { next: Node; } procedure p(x: Nod) { y := new Noed(); }",
        "
            E0203 1:43 `Nod` there is no class `Nod` | not declared
              help: did you mean `Node`?
            E0203 1:59 `Noed` there is no class `Noed` | not declared
              help: did you mean `Node`?
        ",
    );
    check(
        "procedure p(x: integer, y: Bool, z: Foo[]) { }",
        "
            E0203 1:16 `integer` there is no class `integer` | not declared
              help: every whole number is an `int`, whatever its size
            E0203 1:28 `Bool` there is no class `Bool` | not declared
              help: it is written `bool`
            E0203 1:37 `Foo` there is no class `Foo` | not declared
        ",
    );
}

#[test]
fn unknown_fields() {
    check(
        "class Node { next: Node; } procedure p(x: Node) { y := x.nxt; }",
        "
            E0204 1:58 `nxt` class `Node` has no field `nxt` | no such field
              1:1 `class Node { next: Node; }` `Node` is declared here
              help: did you mean `next`?
        ",
    );
    check(
        "class A { f: int; } procedure p(x) { y := x.g; x.h := 1; }",
        "
            E0204 1:45 `g` no class has a field `g` | no such field
            E0204 1:50 `h` no class has a field `h` | no such field
        ",
    );
}

#[test]
fn declared_twice() {
    check(
        "procedure p() {} procedure p() {}",
        "
            E0205 1:28 `p` procedure `p` is declared twice | declared again here
              1:11 `p` first declared here
        ",
    );
    check(
        "procedure p(x, x) returns (x) {}",
        "
            E0205 1:16 `x` variable `x` is declared twice | declared again here
              1:13 `x` first declared here
            E0205 1:28 `x` variable `x` is declared twice | declared again here
              1:13 `x` first declared here
        ",
    );
    check(
        "class A { f: int; f: bool; } class A { } global g: int; global g: int;",
        "
            E0205 1:19 `f` field `f` is declared twice | declared again here
              1:11 `f` first declared here
            E0205 1:36 `A` class `A` is declared twice | declared again here
              1:1 `class A { f: int; f: bool; }` first declared here
            E0205 1:64 `g` global `g` is declared twice | declared again here
              1:42 `global g: int;` first declared here
        ",
    );
    check(
        "procedure p() {} version procedure p() {} version",
        "
            E0205 1:36 `p` procedure `p` is declared twice | declared again here
              1:11 `p` first declared here
        ",
    );
    check(
        "version procedure p() {} version procedure p() {} equiv p ~ p; equiv p ~ p;",
        "
            E0205 1:64 `equiv p ~ p;` `p ~ p` is declared twice | declared again here
              1:51 `equiv p ~ p;` first declared here
        ",
    );
}

#[test]
fn a_mistake_in_a_shared_item_is_reported_once() {
    check(
        "procedure s(x) { x.f := 1 + true; } version procedure p() {} version procedure p() { }",
        "
            E0301 1:29 `true` expected `int`, found `bool` | this is `bool`
              1:25 `1 + true` `int`, because arithmetic is on `int`
        ",
    );
}

#[test]
fn a_variable_hides_no_other_variable() {
    check(
        "procedure p(x) returns (r) { var x := 1; if (x == r) { var r := 2; } }",
        "
            E0206 1:34 `x` `x` is already a variable here | declared again
              1:13 `x` already known
            E0206 1:60 `r` `r` is already a variable here | declared again
              1:25 `r` already known
        ",
    );
    check(
        "procedure p() { var x := 1; if (x == 1) { var x := 2; } }",
        "
            E0206 1:47 `x` `x` is already a variable here | declared again
              1:21 `x` already known
        ",
    );
    check(
        "procedure p(b: bool) { t := 1; if (b) { var t: int; var t: int; } }",
        "
            E0207 1:24 `t` `t` is not in scope here | not known here
              1:45 `t` it is known from here to the end of its block
            E0206 1:57 `t` `t` is already a variable here | declared again
              1:45 `t` already known
        ",
    );
}

#[test]
fn disjoint_blocks_have_variables_of_their_own() {
    check(
        "procedure p(b: bool) { if (b) { var x := 1; } else { var x := true; } }",
        r#"
            version "0"
            procedure p(b: bool)
            {
              var x: int;
              var x#2: bool;
              if (b) {
                x := 1;
              } else {
                x#2 := true;
              }
            }
        "#,
    );
}

#[test]
fn a_quantifier_may_hide_a_variable() {
    check(
        "procedure p(x, n) ensures forall x: int :: x + n == n + x; { }",
        r#"
            version "0"
            procedure p(x: ref, n: int)
              ensures forall x#2: int :: x#2 + n == n + x#2;
            {
              var x#2: int;
            }
        "#,
    );
}

#[test]
fn variables_may_hide_globals() {
    check(
        "
            global g: ref;
            procedure p(g) { g := 1; }
            procedure q() { g := null; h := g; var g := 2; g := 3; }
        ",
        r#"
            global g: ref;
            version "0"
            procedure p(g: int)
            {
              g := 1;
            }
            procedure q()
            {
              var h: ref;
              var g: int;
              g := null;
              h := g;
              g := 2;
              g := 3;
            }
        "#,
    );
}

#[test]
fn a_var_is_known_from_its_declaration_to_the_end_of_its_block() {
    check(
        "procedure p(b: bool) { if (b) { var x := 1; } x := 2; }",
        "
            E0207 1:47 `x` `x` is not in scope here | not known here
              1:37 `x` it is known from here to the end of its block
        ",
    );
    check(
        "procedure p() { x := 1; var x := 2; }",
        "
            E0207 1:17 `x` `x` is not in scope here | not known here
              1:29 `x` it is known from here to the end of its block
        ",
    );
    check(
        "procedure p() { var x := x + 1; }",
        "
            E0207 1:26 `x` `x` is not in scope here | not known here
              1:21 `x` it is known from here to the end of its block
        ",
    );
}

#[test]
fn assigned_names_are_locals_of_the_whole_procedure() {
    check(
        "procedure p(b: bool) { if (b) { t := 1; } s := t; u, v := q(); } procedure q() returns (a, b: int) { }",
        r#"
            version "0"
            procedure p(b: bool)
            {
              var t: int;
              var s: int;
              var u: ref;
              var v: int;
              if (b) {
                t := 1;
              }
              s := t;
              u, v := q();
            }
            procedure q() returns (a: ref, b: int)
            {
            }
        "#,
    );
}

#[test]
fn contracts_see_no_locals_and_no_results_on_entry() {
    check(
        "procedure p() returns (r) requires r == 0; { r := 1; }",
        "
            E0207 1:36 `r` `r` is a result, which has no value on entry | not known here
              1:24 `r` the result
        ",
    );
    check(
        "procedure p() ensures t == 0; { t := 1; }",
        "
            E0207 1:23 `t` `t` is a local of the body, which a contract cannot see | not known here
              1:33 `t` the local
        ",
    );
}

#[test]
fn old_fresh_and_reach_are_ordinary_names() {
    check(
        "procedure old(fresh) returns (reach: int) ensures old(fresh) == fresh; { t := fresh.old; reach := old(t); }",
        r#"
            // every object has old: ref
            version "0"
            procedure old(fresh: ref) returns (reach: int)
              ensures old(fresh) == fresh;
            {
              var t: ref;
              t := fresh.old;
              reach := old(t);
            }
        "#,
    );
}
