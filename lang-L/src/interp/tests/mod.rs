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
use crate::show::store_json::{read_arguments, read_input};
use crate::source::FileId;

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
    assert_eq!(sequential.work, scattered.work, "addresses matter in {text}");
    sequential
}

/// The results, with references as `null` or `object`; or how else it ended.
fn summary(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Normal(last) => {
            let word = |value: &crate::heap::value::Value| match value.object() {
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

/// A store may use any addresses, the last one included: new objects get others.
#[test]
fn new_objects_have_addresses_of_their_own() {
    let text = "procedure p(x) returns (r) { g := new(); r := new(); r.v := 1; r.g := g; x.v := 2; }";
    let unit = unit(text);
    let procedure = &unit.versions[0].procedures[0];
    for taken in
        [&[][..], &[0], &[1, 2, 3], &[u64::MAX], &[0, 1, 3, u64::MAX], &[u64::MAX - 1], &[1, u64::MAX - 1, u64::MAX]]
    {
        let objects: Vec<String> = taken.iter().map(|at| format!("\"#{at}\": {{\"fields\": {{\"v\": 7}}}}")).collect();
        let json =
            serde_json::from_str(&format!("{{\"heap\": {{{}}}}}", objects.join(", "))).expect("the JSON is good");
        let mut input = read_input(&unit, procedure, &json).expect("the input fits");
        input.arguments[0] =
            Some(taken.first().map_or(crate::heap::value::Value::NULL, |at| crate::heap::value::Addr(*at).into()));
        for environment in [&mut Sequential::after(&input) as &mut dyn Environment, &mut Scattered::new(1)] {
            let run = run_input(&unit, "p", input.clone(), Limits::default(), environment);
            let Outcome::Normal(last) = &run.outcome else {
                assert_eq!((summary(&run.outcome).as_str(), taken.len()), ("ends in error: null dereference", 0));
                continue;
            };
            let last = crate::heap::naming::named(last, &run.input);
            let effect = crate::show::statements::effect(&unit, procedure, &run.input, &last);
            let touched =
                |text: &crate::show::statements::Assignment| text.existed && text.place != format!("#{}.v", taken[0]);
            assert!(!effect.iter().any(touched), "{effect:?}");
            assert_eq!(last.store.heap.len(), taken.len() + 2, "{effect:?}");
        }
    }
}
