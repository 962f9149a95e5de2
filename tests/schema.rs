//! The JSON that `ape` prints is as `ape schema` says: everything that commands print here is held against the schema.
//!
//! The schemas are strict, so that they notice when a key is lost, renamed or new. That they are is tested by damage: each output
//! is spoilt at each of its places, and must be refused.

mod common;

use common::{Ran, ape, each, root, scratch};
use jsonschema::Validator;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What the commands are run on.
const EXAMPLES: [&str; 14] = [
    "account",
    "arrays",
    "broken_promise",
    "client_late_fee",
    "client_scratch_field",
    "countdown",
    "diff_alias",
    "diff_guarded_division",
    "diff_retry_for_ever",
    "dropped_loop",
    "endless_ring",
    "globals",
    "hoisted_length",
    "shared_default",
];
/// Keys that an output may lack.
const OPTIONAL: [&str; 11] = [
    "stopped",
    "cross_check",
    "unreached",
    "difference",
    "divergence",
    "relations",
    "one_ends_witness",
    "escape",
    "id",
    "region",
    "message",
];
/// Keys with objects whose own keys are names out of a program or a file.
const TABLES: [&str; 7] = ["arguments", "globals", "heap", "fields", "results", "scripts", "verdicts"];
/// Keys with a word out of a few.
const WORDS: [&str; 10] =
    ["verdict", "termination", "outcome", "clause", "status", "kind", "what", "type", "result", "schema_version"];

/// Something that was printed: by which command, and of which schema it must be.
struct Printed {
    by: String,
    form: &'static str,
    json: Json,
}

fn validator(form: &str) -> Validator {
    let schema = ape(["schema", form]).json();
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{form} is no schema: {error}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{form}: {error}"))
}

fn example(name: &str) -> String {
    format!("examples/{name}.l")
}

/// One object, or one in each line.
fn printed(form: &'static str, args: &[&str]) -> Vec<Printed> {
    let by = args.join(" ");
    let Ran { status, out, err } = ape(args);
    assert!(matches!(status, Some(0 | 1 | 3)), "{by}: {status:?}\n{err}");
    let texts = if matches!(form, "test" | "grade") { out.lines().collect() } else { vec![out.as_str()] };
    assert!(!texts.is_empty(), "{by} prints nothing");
    let read = |text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{by}: {error}\n{text}"));
    texts.into_iter().map(|text| Printed { by: by.clone(), form, json: read(text) }).collect()
}

/// Programs for what no example shows: pairs with conditions, a pair that stays open, and every way in which a run ends.
const MORE: &str = "
class Cell { value: int; }
global total: int;
procedure hook(n: int) returns (r: int);
procedure set(c: Cell, n: int) requires n >= 0; { if (c != null) { c.value := n; } }
version before
procedure open(n: int) returns (r: int) requires n != n; { r := n; }
procedure error(x: Cell) returns (r: int) { total := 1; r := x.value; }
procedure excluded(n: int) { assume n > 3; }
procedure endless(n: int) { while (n == n) { n := n; } }
procedure long(n: int) { while (n > 0) { n := n - 1; } }
procedure broken(n: int) { c := new Cell(); set(c, n); }
procedure big(n: int) returns (r: int, b: bool, cells: int[]) { r := 99999999999 * 99999999999; cells := new int[2]; }
procedure half(n: int) returns (r: int) { r := n / 2; }
equiv half ~ fresh when n > 1;
version after
procedure open(n: int) returns (r: int) requires n != n; { r := n + 1; }
procedure error(x: Cell) returns (r: int) { total := 2; r := x.value; }
procedure excluded(n: int) { assume n > 3; }
procedure endless(n: int) { while (n == n) { n := n; } }
procedure long(n: int) { while (n > 0) { n := n - 1; } }
procedure broken(n: int) { c := new Cell(); set(c, n + 0); }
procedure big(n: int) returns (r: int, b: bool, cells: int[]) { r := 99999999999 * 99999999999; cells := new int[2]; }
procedure fresh(n: int) returns (r: int) { r := n / 2 + n % 1; }
";

/// What all commands print of the examples and of some more.
fn all() -> Vec<Printed> {
    let more = scratch("schema-more.l", MORE).display().to_string();
    let illegal = scratch("schema-illegal.l", "version a\nprocedure p( {}\nversion b\n").display().to_string();
    let examples: Vec<String> = EXAMPLES.into_iter().map(example).collect();
    let examples: Vec<&str> = examples.iter().map(String::as_str).collect();
    let json = ["--format", "json"];
    let mut runs: Vec<(&'static str, Vec<&str>)> = Vec::new();
    for (form, files) in [("verify", &examples[..]), ("diff", &examples[6..11]), ("client", &examples[3..5])] {
        runs.push((form, [&[form], files, &json].concat()));
        runs.push((form, [&[form, files[0]], &json[..]].concat()));
    }
    runs.push(("verify", vec!["verify", &more, "--format", "json"]));
    runs.push(("verify", vec!["verify", "--strategy", "paper", examples[11], "--format", "json"]));
    runs.push(("diff", vec!["diff", "--proc", "error", "--proc", "half", &more, "--format", "json"]));
    for (procedure, argument) in
        [("error", "null"), ("excluded", "1"), ("endless", "1"), ("long", "9000"), ("broken", "-1"), ("big", "1")]
    {
        runs.push(("run", vec!["run", &more, procedure, argument, "--format", "json", "--steps", "9000"]));
    }
    let lines = ["--no-cache", "--format", "json-lines"];
    runs.push(("test", [&["test", examples[0], examples[9], examples[13], more.as_str()], &lines[..]].concat()));
    let share = ape(["test", &more, "--partition", "1/2"].iter().chain(&lines)).out;
    let share = scratch("schema-share.json", &share).display().to_string();
    runs.push(("test", vec!["report", "merge", &share, "--format", "json-lines"]));
    runs.push(("test", [&["test", more.as_str(), "--partition", "1/2"], &lines[..]].concat()));
    runs.push(("sarif", vec!["test", "--no-cache", &more, "--format", "sarif"]));
    runs.push(("grade", vec!["test", "--grade", "examples/course/1-heaps", "--format", "json-lines"]));
    runs.push((
        "replay",
        vec!["replay", "proofs/certificates/account", "proofs/certificates/shared_default", "--format", "json"],
    ));
    runs.push(("stability", vec!["stability", examples[11], "--runs", "1", "--format", "json"]));
    let mut all: Vec<Printed> = runs.iter().flat_map(|(form, args)| printed(form, args)).collect();
    // These fail, and say so in JSON.
    for (form, args) in [("test", lines), ("sarif", ["--no-cache", "--format", "sarif"])] {
        let out = ape(["test", &illegal].iter().chain(&args)).out;
        let texts: Vec<&str> = if form == "test" { out.lines().collect() } else { vec![&out] };
        let read = |text: &str| serde_json::from_str(text).expect("JSON");
        all.extend(texts.into_iter().map(|text| Printed {
            by: format!("{form} of no program"),
            form,
            json: read(text),
        }));
    }
    let stores: Vec<Json> = all.iter().flat_map(|one| counterexamples(&one.json)).collect();
    assert!(stores.len() >= 8, "only {} counterexamples", stores.len());
    all.extend(stores.into_iter().map(|json| Printed { by: "a counterexample".into(), form: "store", json }));
    all
}

fn counterexamples(report: &Json) -> Vec<Json> {
    let pairs = report["pairs"].as_array().into_iter().flatten();
    pairs.map(|pair| &pair["counterexample"]).filter(|store| store.is_object()).cloned().collect()
}

#[test]
fn what_commands_print_is_of_its_schema_and_nothing_else_is() {
    let all = all();
    let forms: BTreeSet<&str> = all.iter().map(|printed| printed.form).collect();
    let listed = ape(["schema"]).out;
    let listed: BTreeSet<&str> = listed.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(forms, listed);
    let validators: BTreeMap<&str, Validator> = forms.into_iter().map(|form| (form, validator(form))).collect();
    let wrong = each(&all, |Printed { by, form, json }| {
        let errors = validators[form].iter_errors(json);
        let errors: Vec<String> = errors.map(|error| format!("{error} at {} ({by})", error.instance_path())).collect();
        if errors.is_empty() { spoilt(&validators[form], by, form, json) } else { errors }
    });
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(20)].join("\n"));
    seen(&all);
}

/// What the run must have shown, or this test would be about less than it says.
fn seen(all: &[Printed]) {
    let text: String = all.iter().map(|printed| printed.json.to_string()).collect();
    let words = |key: &str, words: &[&str]| -> Vec<String> {
        words.iter().map(|word| format!("\"{key}\":\"{word}\"")).collect()
    };
    let mut wanted =
        words("verdict", &["equivalent", "partially-equivalent", "not-equivalent", "contract-violation", "unknown"]);
    wanted.extend(words("outcome", &["normal", "error", "excluded", "diverges", "stopped", "contract-violation"]));
    wanted.extend(words("type", &["pair", "failure", "summary", "exercise", "score"]));
    wanted.extend(words("status", &["holds", "violated", "confirmed"]));
    wanted.extend(
        ["relations", "divergence", "escape", "one_ends_witness", "element", "hint"].map(|key| format!("\"{key}\":")),
    );
    wanted.push("\"checked\":false".into());
    wanted.push("\"9999999999800000000001\"".into());
    let missing: Vec<&String> = wanted.iter().filter(|part| !text.contains(part.as_str())).collect();
    assert!(missing.is_empty(), "not seen: {missing:?}");
}

/// Spoils an output at each of its places, once for places that only differ by their numbers. Returns what was not noticed.
fn spoilt(validator: &Validator, by: &str, form: &str, json: &Json) -> Vec<String> {
    let (mut places, mut seen) = (Vec::new(), BTreeSet::new());
    walk(json, &mut Vec::new(), &mut |place| {
        let shape: Vec<&str> = place
            .iter()
            .map(|step| if step.parse::<usize>().is_ok() || step.starts_with('#') { "*" } else { step })
            .collect();
        if seen.insert(shape.join("/")) {
            places.push(place.to_vec());
        }
    });
    let mut wrong = Vec::new();
    for place in &places {
        for (what, damage) in damages(json, place, form) {
            if validator.is_valid(&damage) {
                wrong.push(format!("not noticed: {what} at /{} ({by})", place.join("/")));
            }
        }
    }
    wrong
}

/// Calls back with the way to every part of a value.
fn walk(json: &Json, place: &mut Vec<String>, found: &mut impl FnMut(&[String])) {
    found(place);
    let steps: Vec<(String, &Json)> = match json {
        Json::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Json::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    for (step, value) in steps {
        place.push(step);
        walk(value, place, found);
        place.pop();
    }
}

/// The output with one place spoilt, in each way that must be noticed.
fn damages(json: &Json, place: &[String], form: &str) -> Vec<(&'static str, Json)> {
    let pointer = |place: &[String]| -> String {
        place.iter().map(|step| format!("/{}", step.replace('~', "~0").replace('/', "~1"))).collect()
    };
    let with = |place: &[String], change: &dyn Fn(&mut Json)| {
        let mut spoilt = json.clone();
        change(spoilt.pointer_mut(&pointer(place)).expect("the place is there"));
        spoilt
    };
    // How the runs ended is nothing to a store.
    if form == "store"
        && place.first().is_some_and(|key| matches!(key.as_str(), "left" | "right" | "difference" | "divergence"))
    {
        return Vec::new();
    }
    let mut damages = vec![("another type", with(place, &|part| *part = json!({ "no such key": [] })))];
    let here = json.pointer(&pointer(place)).expect("the place is there");
    if here.is_object() {
        damages.push(("an unknown key", with(place, &|part| part["no such key"] = "no such value".into())));
    }
    let Some((last, above)) = place.split_last() else { return damages };
    if WORDS.contains(&last.as_str()) && !here.is_object() {
        damages.push(("an unknown word", with(place, &|part| *part = "no such word".into())));
    }
    let is_key = json.pointer(&pointer(above)).is_some_and(Json::is_object);
    let is_of_a_table = above.last().is_some_and(|key| TABLES.contains(&key.as_str()));
    let is_of_a_store = form == "store" && last != "element" && last != "cells";
    if is_key && !is_of_a_table && !is_of_a_store && !OPTIONAL.contains(&last.as_str()) {
        let without = |part: &mut Json| drop(part.as_object_mut().map(|entries| entries.remove(last)));
        damages.push(("a key is gone", with(above, &without)));
    }
    damages
}

/// Every command that prints JSON has a schema of its name; and all of them can be had as files.
#[test]
fn every_command_that_prints_json_has_a_schema() {
    let help = ape(["help"]).out;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let mut with_json = Vec::new();
    for command in commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        if ape([command, "--help"]).out.lines().any(|line| line.trim_start().starts_with("- json")) {
            with_json.push(command);
        }
    }
    assert!(with_json.len() >= 7, "{with_json:?}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas");
    let _ = fs::remove_dir_all(&folder);
    assert_eq!(ape(["schema", "--dir", &folder.display().to_string()]).status, Some(0));
    for command in with_json {
        let file = fs::read_to_string(folder.join(format!("{command}.schema.json"))).expect("there is a schema");
        assert_eq!(ape(["schema", command]).out, file);
    }
    assert_eq!(ape(["schema", "gossip"]).status, Some(2));
    assert!(root().join("prover/ape/schema/common.json").is_file());
}
