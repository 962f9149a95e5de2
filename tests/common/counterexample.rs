//! Counterexamples are short, minimal, and what `ape run` shows too.
//!
//! In: a program with its report as JSON and as text. Out: what is wrong. Of each pair that differs it is checked that
//! - `ape run --store` prints, to the byte, what the report holds of each version;
//! - the columns of the text are lines that it prints;
//! - no smaller store shows any difference;
//! - each version has a mark, on a line that holds the text it marks.

use super::ape;
use super::program::Program;
use lang_l::heap::{Input, Kind};
use lang_l::hir::{Procedure, Unit};
use lang_l::interp::Limits;
use lang_l::store_json::{read_externals, read_input};
use lang_l::value::{Location, Slot, Value};
use prover::search::witness::{RunPair, replay};
use serde_json::Value as Json;
use std::path::Path;

/// The most lines that the answer for one pair of an example takes.
const MOST_LINES: usize = 24;

/// Far enough for every replay of these programs.
const LIMITS: Limits =
    Limits { steps: 200_000, depth: 40_000, array_length: 1 << 16, int_bits: 1 << 14, checks: true, divergence: true };

/// Answers that are longer than a reader wants them.
pub(crate) fn long_answers(text: &str) -> Vec<String> {
    let answers = text.split("\n\n").map(|answer| answer.lines().count());
    answers.filter(|lines| *lines > MOST_LINES).map(|lines| format!("an answer of {lines} lines")).collect()
}

/// What is wrong with the counterexamples for a program, which is in this file.
pub(crate) fn wrong(program: &Program, file: &Path, report: &Json, text: &str) -> Vec<String> {
    let pairs = report["pairs"].as_array().expect("a report has pairs");
    // Programs of several suites have the same name.
    let name = program.name.replace(['/', ':'], "-");
    let path = super::scratch(&format!("{name}.report.json"), &report.to_string());
    let unit = &program.unit;
    let [file, path] = [file, &path].map(|path| path.display().to_string());
    let shown = [file.as_str(), path.as_str()];
    let mut wrong = Vec::new();
    for pair in pairs.iter().filter(|pair| pair["verdict"] == "not-equivalent") {
        // What only a recurrent set shows no run shows: it is stopped where the report says that it never ends.
        if proved_endless(pair) {
            wrong.extend(endless_when_run(unit, shown, pair));
            continue;
        }
        wrong.extend(same_when_run(unit, shown, pair, text));
        wrong.extend(smaller(unit, pair));
        wrong.extend(marks(&program.text, pair));
    }
    for pair in pairs.iter().filter(|pair| pair["verdict"] == "contract-violation") {
        wrong.extend(same_when_run(unit, shown, pair, ""));
    }
    wrong
}

/// Whether a recurrent set, and no run, shows that one version never ends.
fn proved_endless(pair: &Json) -> bool {
    let side = |side: &str| pair["counterexample"][side]["message"].as_str().unwrap_or_default().to_string();
    ["left", "right"].map(side).iter().any(|message| message.starts_with("never ends: from where"))
}

/// Each version run again must end as the report has it, or never.
fn endless_when_run(unit: &Unit, [file, report]: [&str; 2], pair: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    for (version, side) in ["left", "right"].into_iter().enumerate() {
        let outcome = &pair["counterexample"][side];
        let procedure = outcome["run"].as_str().or(pair[side].as_str()).unwrap_or_default();
        let ran = ape(["run", file, procedure, "--version", &unit.versions[version].label, "--store", report]);
        let says = match outcome["outcome"].as_str() {
            Some("normal") => "ends normally".to_string(),
            Some("error") => format!("ends in error: {}", outcome["message"].as_str().unwrap_or_default()),
            Some("contract-violation") => "breaks the contract of".to_string(),
            _ => "never ends".to_string(),
        };
        // A run checks contracts, a comparison does not.
        if !ran.out.contains(&says) && !ran.out.contains("breaks the contract of") {
            let (out, err) = (&ran.out, &ran.err);
            wrong.push(format!("{procedure} of version {version} does not say {says:?}: {out}{err}"));
        }
    }
    wrong
}

/// Each version run again on the store in the report.
fn same_when_run(unit: &Unit, [file, report]: [&str; 2], pair: &Json, text: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = |side: &str| pair[side].as_str().expect("a pair has names").to_string();
    let counterexample = &pair["counterexample"];
    // The part of the text that is about this pair.
    let head =
        if pair["left"] == pair["right"] { name("left") } else { format!("{} ~ {}", name("left"), name("right")) };
    let about = text.split("\n\n").find(|answer| answer.starts_with(&format!("{head}: "))).unwrap_or_default();
    let columns: Vec<[&str; 2]> = about
        .lines()
        .filter_map(|line| line.strip_prefix("    ")?.split_once('|'))
        .map(|(left, right)| [left.trim(), right.trim()])
        .collect();
    for (version, side) in ["left", "right"].into_iter().enumerate() {
        let expected = &counterexample[side];
        if expected.is_null() {
            continue;
        }
        let procedure = expected["run"].as_str().map_or(name(side), str::to_string);
        let run = |more: &[&str]| {
            let args = ["run", file, &procedure, "--version", &unit.versions[version].label, "--store", report];
            ape(args.iter().chain(more).collect::<Vec<_>>()).out
        };
        let found = run(&["--format", "json"]);
        if found != format!("{expected:#}\n") {
            wrong.push(format!("{procedure} of version {version} ends as\n{found}not as\n{expected:#}"));
        }
        let printed = run(&[]);
        let statements = columns.iter().map(|row| row[version]).filter(|cell| cell.ends_with(';'));
        for cell in statements.filter(|cell| !printed.lines().any(|line| line.trim() == *cell)) {
            wrong.push(format!("{procedure} of version {version}: `{cell}` is shown, but run prints\n{printed}"));
        }
    }
    wrong
}

/// Smaller stores that show a difference as well.
fn smaller(unit: &Unit, pair: &Json) -> Vec<String> {
    let find = |side: &str, version: usize| {
        unit.versions[version].find(pair[side].as_str().expect("a pair has names")).expect("both are there")
    };
    let (left, right) = (find("left", 0), find("right", 1));
    let when = unit.equivs.iter().find(|equiv| (equiv.left, equiv.right) == (left, right));
    let when = when.filter(|_| !pair["when"].is_null()).and_then(|equiv| equiv.when.as_ref());
    let compared = RunPair { unit, left, right, when };
    let procedure = compared.left_procedure();
    let input = read_input(unit, procedure, &pair["counterexample"]).expect("a counterexample is an input");
    let externals = read_externals(&pair["counterexample"]).expect("it says what externals do");
    let mut wrong = Vec::new();
    if replay(&compared, &input, externals, LIMITS).is_none() {
        wrong.push("the counterexample shows no difference".to_string());
    }
    for (what, other) in neighbours(procedure, &input) {
        if replay(&compared, &other, externals, LIMITS).is_some() {
            wrong.push(format!("{}: {what}, and they still differ", procedure.name));
        }
    }
    wrong
}

/// Inputs that are smaller by one thing, and what that is.
fn neighbours(procedure: &Procedure, input: &Input) -> Vec<(String, Input)> {
    let arguments = (0..procedure.params).map(Location::Argument);
    let globals = input.store.globals.keys().copied().map(Location::Global);
    let slots = input.store.heap.iter();
    let slots = slots.flat_map(|(addr, object)| object.slots.keys().map(|slot| Location::Slot(*addr, *slot)));
    let locations: Vec<Location> = arguments.chain(globals).chain(slots).collect();
    let value = |input: &Input, location: Location| match location {
        Location::Argument(at) => input.arguments[at].clone(),
        Location::Global(id) => input.store.globals.get(&id).cloned(),
        Location::Slot(addr, slot) => input.store.heap.get(&addr).and_then(|object| object.slots.get(&slot).cloned()),
    };
    let mut found = Vec::new();
    for &location in &locations {
        let simpler = match value(input, location) {
            Some(Value::Ref(Some(_))) => vec![Value::NULL],
            Some(Value::Bool(true)) => vec![Value::Bool(false)],
            Some(Value::Int(n)) if n != 0.into() => {
                let next = if n < 0.into() { &n + 1 } else { &n - 1 };
                vec![Value::from(0), Value::Int(&n / 2), Value::Int(next)]
            }
            _ => Vec::new(),
        };
        for new in simpler {
            let mut other = input.clone();
            other.set(location, new.clone());
            found.push((format!("{location:?} may be {new}"), other));
        }
    }
    for (&addr, object) in &input.store.heap {
        let mut without = input.clone();
        without.store.heap.remove(&addr);
        for &location in &locations {
            if value(&without, location) == Some(addr.into()) {
                without.set(location, Value::NULL);
            }
        }
        found.push((format!("{addr} is not needed"), without));
        if let Kind::Array { element, length: length @ 1.. } = &object.kind {
            let mut shorter = input.clone();
            if let Some(array) = shorter.store.heap.get_mut(&addr) {
                array.kind = Kind::Array { element: element.clone(), length: length - 1 };
                array.slots.remove(&Slot::Cell(length - 1));
            }
            found.push((format!("{addr} may be shorter"), shorter));
        }
    }
    found
}

/// Both versions are marked, at places that are there.
fn marks(source: &str, pair: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    for side in ["left", "right"] {
        let mark = &pair["counterexample"]["divergence"][side];
        let line = mark["line"].as_u64().and_then(|line| source.lines().nth(usize::try_from(line).ok()? - 1));
        let text = mark["text"].as_str().unwrap_or_default();
        if text.is_empty() || !line.is_some_and(|line| line.contains(text)) {
            wrong.push(format!("no mark on the {side}: {mark}"));
        }
        let outcome = &pair["counterexample"][side]["outcome"];
        let fitting: &[&str] = match outcome.as_str() {
            Some("error") => &["fails"],
            Some("diverges") => &["endless"],
            _ => &["sets", "turns", "ends", "test-holds", "test-does-not-hold"],
        };
        if !fitting.iter().any(|word| mark["what"] == *word) {
            wrong.push(format!("the mark {mark} does not fit the outcome {outcome}"));
        }
    }
    wrong
}
