//! Tests of *Flattening*: which loops within loops become one, and which stay as they are.
//!
//! In: a procedure with such loops. Out: whether it becomes what it should, beside a version without them.

use super::super::Scalarised;
use super::super::second_forms::{becomes, loaded};
use lang_l::hir::print::print;

const HEAD: &str = "procedure p(t: T, n: int) returns (r: int)";

/// Nothing is done beside a version whose loop counts to 7.
#[track_caller]
fn stays(body: &str, helpers: &str) {
    let unit = loaded(
        &format!("{HEAD} {{ {body} }} {helpers}"),
        &format!("{HEAD} {{ i := 0; while (i < 7) {{ i := i + 1; }} }} {helpers}"),
    );
    let replaced = Scalarised::of(&unit);
    assert!(*replaced.unit() == unit, "{}", print(replaced.unit()));
}

#[track_caller]
fn is_flattened(nested: &str, flat: &str) {
    becomes(&format!("{HEAD} {{ {nested} }}"), &format!("{HEAD} {{ {flat} }}"));
}

#[test]
fn a_loop_that_counts_anew_ends_with_what_follows_it() {
    is_flattened(
        "i := 0; while (i < n) { j := 0; while (j < 3) { r := r + i; j := j + 1; } i := i + 1; }",
        "i := 0; if (i < n) { j := 0; while (true) { if (j < 3) { r := r + i; j := j + 1; }
         if (!(j < 3)) { i := i + 1; if (i < n) { j := 0; } else { break; } } } }",
    );
}

#[test]
fn a_loop_that_goes_on_takes_a_turn_or_what_follows_is_one() {
    is_flattened(
        "i := 0; while (i < n) { while (i < n && i != t.v) { i := i + 2; } r := r + 1; i := i + 1; }",
        "i := 0; if (i < n) { while (true) { if (i < n && i != t.v) { i := i + 2; }
         else { r := r + 1; i := i + 1; if (i < n) { } else { break; } } } }",
    );
}

#[test]
fn a_turn_that_returns_may_be_one_of_the_whole() {
    is_flattened(
        "while (n > 0) { while (n > r) { if (n == 9) { return; } n := n - 1; } n := n - 5; }",
        "if (n > 0) { while (true) { if (n > r) { if (n == 9) { return; } n := n - 1; }
         else { n := n - 5; if (n > 0) { } else { break; } } } }",
    );
}

#[test]
fn loops_stay_that_break_off_or_go_on_elsewhere() {
    for body in [
        "while (n > 0) { while (n > r) { if (n == 9) { break; } n := n - 1; } n := n - 5; }",
        "while (n > 0) { while (n > r) { n := n - 1; if (n == 9) { continue; } r := r + 1; } n := n - 5; }",
        "while (n > 0) { while (n > r) { n := n - 1; } if (n == 9) { break; } n := n - 5; }",
        "while (n > 0) { if (n == 9) { n := 1; continue; } while (n > r) { n := n - 1; } n := n - 5; }",
        "while (n > 0) { while (n > r) { n := n - 1; } while (n > 3) { n := n - 2; } }",
        "while (n > 0) { while (n > r) { n := n - 1; while (r > n) { r := r - 1; } } n := n - 5; }",
    ] {
        stays(body, "");
    }
}

#[test]
fn loops_stay_that_ask_by_a_call_or_have_invariants() {
    let asks = "procedure asks(n: int) returns (r: bool) { return n > 3; }";
    stays("while (n > 0) { while (n > r && asks(n)) { n := n - 1; } n := n - 5; }", asks);
    stays("while (n > 0 && asks(n)) { while (n > r) { n := n - 1; } n := n - 5; }", asks);
    stays("while (n > 0) invariant n > 0 - 9; { while (n > r) { n := n - 1; } n := n - 5; }", "");
    stays("while (n > 0) { while (n > r) invariant n > 0 - 9; { n := n - 1; } n := n - 5; }", "");
}

#[test]
fn loops_stay_whose_outer_turns_the_other_version_may_take() {
    stays("i := 0; while (i < 7) { j := 0; while (j < n) { r := r + 1; j := j + 1; } i := i + 1; }", "");
}

#[test]
fn the_loop_has_another_place() {
    let nested = format!("{HEAD} {{ while (n > 0) {{ while (n > r) {{ n := n - 1; }} n := n - 5; }} }}");
    let unit = loaded(&nested, &format!("{HEAD} {{ while (n > 0) {{ n := n - 1; }} }}"));
    let places = |unit: &lang_l::hir::Unit| {
        let mut found = Vec::new();
        let body = unit.versions[0].procedures[0].body.as_ref();
        lang_l::hir::visit::walk_stmts(body.expect("a body"), &mut |stmt| {
            found.extend(stmt.is_while().then_some(stmt.span));
        });
        found
    };
    let written = places(&unit);
    let made = places(Scalarised::of(&unit).unit());
    assert_eq!(made.len(), 1);
    assert!(written.iter().all(|place| *place != made[0]));
}

#[test]
fn a_loop_whose_other_form_begins_a_row_anew_ends_with_what_follows_it() {
    let unit = |flat: &str| {
        let nested = "i := 0; while (i < n) { j := 0; while (j < 3) { r := r + j; j := j + 1; } i := i + 1; }";
        loaded(&format!("{HEAD} {{ {nested} }}"), &format!("{HEAD} {{ i := 0; j := 0; while (i < n) {{ {flat} }} }}"))
    };
    let has = |flat: &str, text: &str| print(Scalarised::of(&unit(flat)).unit()).contains(text);
    let both = "if (!(j < 3)) {";
    assert!(has("r := r + j; j := j + 1; if (j == 3) { j := 0; i := i + 1; }", both));
    assert!(has("r := r + j; if (j < 2) { j := j + 1; } else { j := 0; i := i + 1; }", both));
    let apart = "if (j < 3) { r := r + j; j := j + 1; } else { j := 0; i := i + 1; }";
    assert!(has(apart, "while (true) {") && !has(apart, both));
}
