//! The semantics, feature by feature: a program, a call, what comes out.

mod contracts;
mod divergence;
mod isomorphism;
mod random;
mod statements;

use super::{Environment, Job, Limits, Outcome, Run, Scattered, Sequential, run};
use crate::heap::{Input, Store};
use crate::hir::Unit;
use crate::show::outcome_text;
use crate::source::FileId;
use crate::store_json::{read_arguments, read_input};

/// The typed tree of a program that must be legal.
fn unit(text: &str) -> Unit {
    let parsed = crate::parse::parse(FileId(0), text);
    assert_eq!(parsed.diagnostics, [], "{text}");
    crate::resolve::resolve(&[&parsed.file]).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

/// Runs a procedure of version 0 on an input.
fn run_input(unit: &Unit, name: &str, input: Input, limits: Limits, environment: &mut dyn Environment) -> Run {
    let procedure = unit.versions[0].find(name).expect("the procedure is there");
    run(&Job { unit, version: 0, procedure, limits }, input, environment)
}

/// Runs a procedure of version 0 on arguments given as words.
fn run_words(text: &str, name: &str, words: &str) -> Run {
    let unit = unit(text);
    let version = &unit.versions[0];
    let procedure = version.procedure(version.find(name).expect("the procedure is there"));
    let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    let input = read_arguments(&unit, procedure, &words, Store::default()).expect("the arguments are good");
    let sequential = run_input(&unit, name, input.clone(), Limits::default(), &mut Sequential::after(&input));
    // No outcome depends on addresses.
    let scattered = run_input(&unit, name, input, Limits::default(), &mut Scattered::new(7));
    assert_eq!(summary(&sequential.outcome), summary(&scattered.outcome), "addresses matter in {text}");
    assert_eq!(sequential.steps, scattered.steps, "addresses matter in {text}");
    sequential
}

/// The results, with references as `null` or `object`; or how else it ended.
fn summary(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Normal(last) => {
            let word = |value: &crate::value::Value| match value.object() {
                Some(_) => "object".to_owned(),
                None => value.to_string(),
            };
            last.results.iter().map(word).collect::<Vec<_>>().join(" ")
        }
        other => outcome_text(other),
    }
}

/// Runs `procedure p` and compares the summary.
fn check(text: &str, words: &str, expected: &str) {
    assert_eq!(summary(&run_words(text, "p", words).outcome), expected, "{text}");
}

/// Runs `procedure p` on a store given as JSON and compares the summary.
fn check_store(text: &str, json: &str, expected: &str) {
    let unit = unit(text);
    let version = &unit.versions[0];
    let procedure = version.procedure(version.find("p").expect("the procedure is there"));
    let json = serde_json::from_str(json).expect("the JSON is good");
    let input = read_input(&unit, procedure, &json).unwrap_or_else(|error| panic!("{error}"));
    let run = run_input(&unit, "p", input.clone(), Limits::default(), &mut Sequential::after(&input));
    assert_eq!(summary(&run.outcome), expected, "{text}");
}
