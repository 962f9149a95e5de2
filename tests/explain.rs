//! `ape explain`: arguments that say what a verdict rests on, short enough to be read, and true to the report.

mod common;

use common::{ape, programs, root, scratch};
use rayon::prelude::*;
use serde_json::Value as Json;
use std::path::Path;

/// The most lines of an argument that a reader wants.
const MOST_LINES: usize = 48;

/// What is explained of a file, pair by pair; the status is that of `verify`.
fn explained(file: &Path) -> (Vec<String>, Json) {
    let file = file.display().to_string();
    let ran = ape(["explain", &file]);
    let verified = ape(["verify", "--format", "json", &file]);
    assert_eq!((ran.status, ran.err.as_str()), (verified.status, ""), "{file}");
    (ran.out.split("\n\n").map(str::to_string).collect(), verified.json())
}

#[test]
fn every_example_is_explained() {
    programs(&root().join("examples")).par_iter().for_each(|file| is_explained(file));
}

/// Holds that all pairs of a file are explained, in the order of an argument and in few lines.
fn is_explained(file: &Path) {
    let (arguments, report) = explained(file);
    let pairs = report["pairs"].as_array().expect("a report has pairs");
    assert_eq!(arguments.len(), pairs.len(), "{}", file.display());
    for (argument, pair) in arguments.iter().zip(pairs) {
        let verdict = pair["verdict"].as_str().expect("a text");
        let first = argument.lines().next().unwrap_or_default();
        assert!(first.ends_with(&format!(": {verdict}")), "{argument}");
        let sections: &[&str] = match verdict {
            "equivalent" => &["What is claimed", "How it is proved", "Why both end", "Who checked it"],
            "partially-equivalent" => &["What is claimed", "How it is proved", "Why this is not all", "Who checked it"],
            "unknown" => &["What was to be shown", "Where it fails"],
            _ => &["Why that is so"],
        };
        let mut rest = argument.as_str();
        for section in sections {
            let at = rest.find(&format!("\n{section}"));
            rest = &rest[at.unwrap_or_else(|| panic!("{section} is missing in\n{argument}"))..];
        }
        assert!((5..=MOST_LINES).contains(&argument.lines().count()), "{argument}");
        let own = argument.lines().filter(|line| line.starts_with("  - ") || line.starts_with("     "));
        let longest = own.map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(verdict == "not-equivalent" || longest <= 100, "{argument}");
        let rule = pair["proof"]["rule"].as_str().map_or(String::new(), |rule| format!("(rule {rule})"));
        let plain: Vec<&str> = argument.split_whitespace().collect();
        assert!(plain.join(" ").contains(&rule), "{rule} is missing in\n{argument}");
        let checked = pair["proof"]["checked"] == true;
        assert_eq!(checked, argument.contains("the kernel executed both versions"), "{argument}");
    }
}

#[track_caller]
fn says(file: &str, procedure: &str, lines: &[&str]) {
    let ran = ape(["explain", "--proc", procedure, file]);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let text = words.join(" ");
    for line in lines {
        assert!(text.contains(line), "`{line}` is missing in\n{}{}", ran.out, ran.err);
    }
}

#[test]
fn invariants_correspondences_and_measures_are_named() {
    says(
        "examples/hoisted_length.l",
        "tally",
        &[
            "at each turn report.largest == report.largest', at == at', report.seen == report.seen', items == items'",
            "(a prime marks version after)",
            "at the head of the loops: items.length == size'",
            "`while (at < items.length) {`, line 18, does what `while (at < size) {`, line 39, does",
        ],
    );
    says(
        "examples/list_reverse.l",
        "reverse",
        &[
            "1. reverse: the two are the same code",
            "calls of loop 1 of reverse are equal by step 2",
            "its own calls of loop 1 of reverse are taken to be equal: by induction",
        ],
    );
    says(
        "examples/collatz.l",
        "steps",
        &["both run in step; at each turn n == n'", "no measure bounds loop 1 of steps"],
    );
    says("tests/numeric/digits_two.l", "digits", &["with d' == d, 1 <= d, 1 <= d'"]);
    says("examples/globals.l", "transfer", &["audit: external: the same unknown procedure in both versions"]);
    says("tests/numeric/closed_product.l", "times", &["ends: `b` is at least 0", "the kernel executed both"]);
}

/// Two loops that the prover does not relate, and one that stays as it was.
#[test]
fn a_proof_that_fails_is_told_up_to_where_it_fails() {
    let text = "version before\n\
        procedure f(a: int[], n: int) returns (r: int) {\n  i := 0;\n  \
        while (i < n) { r := r + a[i] * a[i] % 7 * i; i := i + 1; }\n}\n\
        version after\n\
        procedure f(a: int[], n: int) returns (r: int) {\n  i := n;\n  \
        while (i > 0) { i := i - 1; r := r + i * (a[i] * a[i] % 7); }\n}\n";
    let file = scratch("explain-open.l", text);
    let ran = ape(["explain", &file.display().to_string(), "--timeout", "20"]);
    if ran.out.starts_with("f: unknown") {
        assert!(ran.out.contains("\nWhere it fails\n") && ran.out.contains("what could help"), "{}", ran.out);
        assert_eq!(ran.status, Some(3));
    } else {
        assert!(ran.out.starts_with("f: not-equivalent"), "it errs in another way: {}", ran.out);
    }
    let vacuous = ape(["explain", "tests/traps/assume_unsat.l"]);
    assert!(vacuous.out.contains("Where it fails") && vacuous.status == Some(3), "{}", vacuous.out);
}
