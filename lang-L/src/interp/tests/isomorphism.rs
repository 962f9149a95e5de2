//! When two final stores are the same to a caller.

use super::unit;
use crate::heap::Store;
use crate::heap::isomorphism::same_outcome;
use crate::interp::{Job, Limits, Outcome, Scattered, Sequential, run};
use crate::show::difference_text;
use crate::show::store_json::read_arguments;

/// Runs `p` of both versions on the same arguments; `same`, or the first difference.
fn compare(left: &str, right: &str, words: &str, expected: &str) {
    let unit = unit(&format!("version procedure p{left} version procedure p{right}"));
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let procedures = [0, 1].map(|at: usize| unit.versions[at].find("p").expect("there is a p"));
    let first = unit.versions[0].procedure(procedures[0]);
    let input = read_arguments(&unit, first, &words, Store::default()).expect("the arguments are good");
    let ended = |version: usize, scattered: bool| {
        let job = Job { unit: &unit, version, procedure: procedures[version], limits: Limits::default() };
        let run = match scattered {
            false => run(&job, input.clone(), &mut Sequential::after(&input)),
            true => run(&job, input.clone(), &mut Scattered::new(3)),
        };
        match run.outcome {
            Outcome::Normal(last) => last,
            other => panic!("{other:?}"),
        }
    };
    for scattered in [false, true] {
        let found = match same_outcome(&unit, &ended(0, false), &ended(1, scattered), &input) {
            Ok(_) => "same".to_owned(),
            Err(difference) => difference_text(&unit, first, &input, &difference, ["0", "1"]),
        };
        assert_eq!(found, expected, "{left} and {right}");
    }
}

#[test]
fn garbage_and_order_do_not_matter() {
    compare("(x) { t := new(); }", "(x) { }", "#1", "same");
    compare(
        "(x) { a := new(); b := new(); x.f := a; x.g := b; }",
        "(x) { b := new(); a := new(); x.f := a; x.g := b; }",
        "#1",
        "same",
    );
}

#[test]
fn sharing_matters() {
    let both = "(x) { a := new(); x.f := a; x.g := a; }";
    let each = "(x) { a := new(); x.f := a; x.g := new(); }";
    compare(both, each, "#1", "x.g is the same object as x.f in 0, but not in 1");
    compare(each, both, "#1", "x.g is the same object as x.f in 1, but not in 0");
}

#[test]
fn cycles() {
    let one = "(x) { a := new(); a.n := a; x.f := a; }";
    let two = "(x) { a := new(); b := new(); a.n := b; b.n := a; x.f := a; }";
    compare(one, one, "#1", "same");
    compare(two, two, "#1", "same");
    compare(one, two, "#1", "x.f.n is the same object as x.f in 0, but not in 1");
}

#[test]
fn objects_of_the_caller_are_themselves() {
    compare("(x, y) { x.f := y; }", "(x, y) { x.f := new(); }", "#1 #2", "x.f is y (#2) in 0 and a new object in 1");
    compare("(x, y) { x.f := y; }", "(x, y) { x.f := x; }", "#1 #2", "x.f is y (#2) in 0 and x (#1) in 1");
    compare("(x, y) { x.f := y; }", "(x, y) { x.f := x; }", "#1 #1", "same");
    compare("(x) { x.f := null; }", "(x) { x.f := new(); }", "#1", "x.f is null in 0 and a new object in 1");
}

#[test]
fn results_and_globals() {
    compare("(x) returns (r: int) { r := 1; }", "(x) returns (r: int) { r := 2; }", "null", "r is 1 in 0 and 2 in 1");
    compare("(x) returns (r) { r := new(); }", "(x) returns (r) { r := new(); }", "null", "same");
    compare(
        "(x) returns (r) { r := new(); }",
        "(x) returns (r) { r := x; }",
        "#1",
        "r is a new object in 0 and x (#1) in 1",
    );
    let array = |n: u32| format!("(x) returns (r: int[]) {{ r := new int[{n}]; }}");
    compare(&array(2), &array(2), "null", "same");
    compare(&array(2), &array(3), "null", "r is an array int[2] in 0 and an array int[3] in 1");
}

/// What was overwritten with the same, or with its default, is the same.
#[test]
fn values_count_not_writes() {
    compare("(x) { x.f := null; }", "(x) { }", "#1", "same");
    compare("(x) { x.f := x; x.f := null; }", "(x) { }", "#1", "same");
}
