//! Rules of use.

use crate::check;

#[test]
fn as_many_arguments_as_parameters() {
    check(
        "procedure q(x, y) {} procedure p() { call q(1); q(1, 2, 3); q(null, null); } procedure r() { r(1); }",
        "
            E0401 1:38 `call q(1)` `q` takes 2 arguments, found 1 | one argument
              1:11 `q` declared here
            E0401 1:49 `q(1, 2, 3)` `q` takes 2 arguments, found 3 | 3 arguments
              1:11 `q` declared here
            E0401 1:94 `r(1)` `r` takes no arguments, found 1 | one argument
              1:88 `r` declared here
        ",
    );
}

#[test]
fn a_value_has_one_result() {
    check(
        "procedure q() {} procedure r() returns (a, b) {} procedure p() { x := q(); y := r() + 1; r(); }",
        "
            E0402 1:71 `q()` `q` has no results, and one is needed | its value is used
              1:11 `q` declared here
              help: call it as a statement: `q(…);`
            E0402 1:81 `r()` `r` has 2 results, and one is needed | its value is used
              1:28 `r` declared here
              help: take all of them: `x, y := r(…);`
        ",
    );
}

#[test]
fn as_many_targets_as_results() {
    check(
        "procedure q() returns (a, b) {} procedure p() { x, y := q(); x, x := q(); x, y, z := q(); x, y := p(); }",
        "
            E0412 1:65 `x` `x` would get two results | again
              1:62 `x` first
            E0408 1:86 `q()` `q` has 2 results, but 3 are assigned | 2 results
              1:11 `q` declared here
            E0408 1:99 `p()` `p` has no results, but 2 are assigned | no results
              1:43 `p` declared here
        ",
    );
}

#[test]
fn as_many_values_as_results() {
    check(
        "procedure p() returns (a: int, b: bool) { return; return 1, true; return 1; return true, 1; } procedure q() { return; return 1; }",
        "
            E0403 1:67 `return 1;` one value returned, but `p` has 2 results | one value
              1:11 `p` declared here
              help: a `return` without values returns what the results hold
            E0301 1:84 `true` expected `int`, found `bool` | this is `bool`
              1:27 `int` `int`, because it is declared so
            E0301 1:90 `1` expected `bool`, found `int` | this is `int`
              1:35 `bool` `bool`, because it is declared so
            E0403 1:119 `return 1;` one value returned, but `q` has no results | one value
              1:105 `q` declared here
              help: what is returned is declared in the head, as in `returns (r: int)`
        ",
    );
}

#[test]
fn break_and_continue_stand_in_loops() {
    check(
        "procedure p() { break; while (true) { break; continue; } continue; }",
        "
            E0404 1:17 `break;` `break` outside a loop | no loop here
            E0404 1:58 `continue;` `continue` outside a loop | no loop here
        ",
    );
}

#[test]
fn contracts_call_nothing() {
    check(
        "procedure f() returns (r: int) {} procedure p(x, a) requires f() == 1; modifies {a[f()]}; { assert f() == 2; while (f() == 1) invariant f() == 2; { } }",
        "
            E0405 1:62 `f()` a contract cannot call a procedure | a call
              help: contracts are checked without running anything
            E0405 1:84 `f()` a contract cannot call a procedure | a call
              help: contracts are checked without running anything
            E0405 1:100 `f()` a contract cannot call a procedure | a call
              help: contracts are checked without running anything
            E0405 1:137 `f()` a contract cannot call a procedure | a call
              help: contracts are checked without running anything
        ",
    );
}

#[test]
fn contracts_alone_look_back() {
    check(
        "procedure old(x) returns (r: int) {} procedure p(x) { y := old(x); z := fresh(x); w := reach(x, x); v := forall z: int :: z == z; }",
        "
            E0406 1:73 `fresh(x)` `fresh` cannot be run | not in ordinary code
              help: it may stand in `requires`, `ensures`, `invariant`, `assert`, `assume` and `when` only
            E0406 1:88 `reach(x, x)` `reach` cannot be run | not in ordinary code
              help: it may stand in `requires`, `ensures`, `invariant`, `assert`, `assume` and `when` only
            E0406 1:106 `forall z: int :: z == z` `forall` cannot be run | not in ordinary code
              help: it may stand in `requires`, `ensures`, `invariant`, `assert`, `assume` and `when` only
        ",
    );
}

#[test]
fn old_does_not_nest() {
    check(
        "procedure p(x) ensures old(old(x)) == x && old(fresh(x)) && old(reach(x, x)); { }",
        "
            E0407 1:28 `old(x)` `old` cannot stand inside `old` | already on entry
            E0407 1:48 `fresh(x)` `fresh` cannot stand inside `old` | already on entry
        ",
    );
}

#[test]
fn modifies_holds_no_contract_forms() {
    let help = "help: `modifies` names objects as they are on entry: write places such as `x`, `x.next` or `a[i]`";
    check(
        "procedure p(x, a) modifies {x.f, a[reach(x, x) ? 1 : 0]}; modifies a[fresh(x) ? old(0) : 1].f; \
         modifies {a[(exists y: ref :: y == x) ? 1 : 0]}; { x.f := x; }",
        &"
            E0415 1:36 `reach(x, x)` `reach` cannot stand in `modifies` | not in a place
              HELP
            E0415 1:70 `fresh(x)` `fresh` cannot stand in `modifies` | not in a place
              HELP
            E0415 1:81 `old(0)` `old` cannot stand in `modifies` | not in a place
              HELP
            E0415 1:109 `exists y: ref :: y == x` `exists` cannot stand in `modifies` | not in a place
              HELP
        "
        .replace("HELP", help),
    );
}

#[test]
fn contract_forms_have_fixed_arity() {
    check(
        "procedure p(x) ensures old(x, x) == x && fresh() && reach(x); { }",
        "
            E0401 1:24 `old(x, x)` `old` takes one argument, found 2 | in this contract
            E0401 1:42 `fresh()` `fresh` takes one argument, found 0 | in this contract
            E0401 1:53 `reach(x)` `reach` takes two arguments, found 1 | in this contract
        ",
    );
}

#[test]
fn lengths_are_not_assigned() {
    check(
        "procedure p() { b := new int[3]; b.length := 4; }",
        "
            E0414 1:36 `length` the length of an array cannot be assigned | not assignable
              help: make a new array with `new T[n]`
        ",
    );
}
