//! What a report says, word for word where it was once wrong.

use super::text::{Detail, report};
use super::{Subject, count};
use crate::verify::{Config, verify};
use lang_l::source::Sources;

/// The report on a pair of versions.
fn text(left: &str, right: &str) -> String {
    let mut sources = Sources::new();
    let source = format!("version 0\n{left}\nversion 1\n{right}\n");
    let file = sources.add("pair.l", source.clone());
    let parsed = lang_l::parse::parse(file, &source);
    assert_eq!(parsed.diagnostics, [], "{source}");
    let unit = lang_l::resolve::resolve(&[&parsed.file]).unwrap_or_else(|errors| panic!("{errors:?}\n{source}"));
    let found = verify(&unit, &Config::default());
    report(Subject { unit: &unit, sources: &sources, report: &found }, Detail::default())
}

const CLEAR: &str = "procedure clear(a: int[], n: int) { var i: int := 0; while (i < n) { a[i] := 0; i := i + 1; } }";
const CLEAR_OTHERWISE: &str =
    "procedure clear(a: int[], n: int) { var j: int := 0; while (n > j) { a[j] := 0; j := 1 + j; } }";

#[test]
fn a_loop_that_is_written_in_another_way_is_not_called_the_same_code() {
    let text = text(CLEAR, CLEAR_OTHERWISE);
    assert!(!text.contains("the two are the same code"), "{text}");
    assert!(text.contains("  rests on loop 1 of clear\n    loop 1 of clear: proved"), "{text}");
}

#[test]
fn the_same_code_is_called_so() {
    assert!(text(CLEAR, CLEAR).contains("the two are the same code\n"));
}

#[test]
fn one_thing_is_one() {
    assert_eq!(["question", "query"].map(|what| count(1, what)), ["1 question", "1 query"]);
    assert_eq!(["question", "query"].map(|what| count(2, what)), ["2 questions", "2 queries"]);
}
