//! `ape diff` on the suites beside the repository: no condition is ever wrong, and those that are not exact are known.
//!
//! A row `equal`, `differ` or `diverge` of an `expected.tsv` says which stores are of a kind. Two conditions are the same when the
//! verifier proves that two procedures that return them are equivalent. One that is less than it could be is *weaker*. It must
//! stand in `tests/diff_open.tsv`, which only shrinks. One that holds of a store it should not is *unsound*: never allowed.
//!
//! A row `equal_min` or `differ_min` says what must be known at least.
//!
//! A row `delta`, `delta_exact` or `rows` says what holds of the outputs where they differ. It is met when all ways to differ are
//! told, and the relation follows from each row of the report, with the row's values in the place of the outputs. Where a row
//! does not know all values, it follows from what the row says of them; and fails where the outputs are equal.
//!
//! A row `at` says which values one version alone has at a loop.
//!
//! Suites that are absent are *ignored*. So are, unless `-- --include-ignored` asks for them, those of the four papers: they take long.

mod common;

use common::relation::{Substituted, substituted};
use common::{ape, complain, on_a_large_stack, root, scratch};
use libtest_mimic::{Arguments, Completion, Trial};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The suites, below the folder beside the repository.
const SUITES: [&str; 8] = [
    "symdiff/paper",
    "symdiff/own",
    "moddiff/paper",
    "moddiff/own",
    "dizy/paper",
    "dizy/own",
    "clever/paper",
    "clever/own",
];

/// A row of a table: which conditions a kind of stores of a pair has.
struct Expected {
    file: String,
    pair: String,
    kind: String,
    condition: String,
}

fn main() -> ExitCode {
    let folder = root().join("../shared/suites");
    let mut tests =
        vec![Trial::test("examples", || complain(examples())), Trial::test("predicates", || complain(predicates()))];
    tests.push(Trial::test("recursion", || complain(recursion())));
    tests.push(Trial::test("untold", || complain(untold())));
    tests.push(Trial::test("values", || complain(on_a_large_stack(values))));
    for suite in SUITES {
        let folder = folder.join(suite);
        let rows = expected(&folder);
        let files: BTreeSet<String> = rows.iter().map(|row| row.file.clone()).collect();
        if files.is_empty() {
            tests.push(Trial::ignorable_test(suite, || Ok(Completion::ignored_with("the suite is absent"))));
        }
        for file in files {
            let (folder, name) = (folder.clone(), format!("{suite}/{file}"));
            let run = {
                let name = name.clone();
                move || complain(on_a_large_stack(move || check(&folder, &file, &name)))
            };
            tests.push(Trial::test(name, run).with_ignored_flag(true));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// The rows of a suite that say which stores are of a kind.
fn expected(folder: &Path) -> Vec<Expected> {
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap_or_default();
    let row = |line: &str| {
        let [file, pair, kind, condition] = line.split('\t').take(4).collect::<Vec<_>>().try_into().ok()?;
        let wanted =
            matches!(kind, "equal" | "equal_min" | "differ" | "differ_min" | "diverge" | "delta" | "delta_exact")
                || kind == "rows" && condition.contains(';')
                || kind.starts_with("at ");
        let [file, pair, kind, condition] = [file, pair, kind, condition].map(str::to_string);
        wanted.then_some(Expected { file, pair, kind, condition })
    };
    table.lines().filter_map(row).collect()
}

/// What is wrong with what is said of one file.
fn check(folder: &Path, file: &str, name: &str) -> Vec<String> {
    let path = folder.join(file);
    let text = fs::read_to_string(&path).expect("a program can be read");
    let known = fs::read_to_string(root().join("tests/diff_open.tsv")).unwrap_or_default();
    let report = ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]).json();
    let mut wrong = Vec::new();
    let (mut exact, mut all) = (0, 0);
    for row in expected(folder).into_iter().filter(|row| row.file == file) {
        let at = row.kind.starts_with("at ");
        if at || matches!(row.kind.as_str(), "delta" | "delta_exact" | "rows") {
            all += 1;
            let label = format!("{name}\t{}\t{}", row.pair, row.kind);
            let said = if at { values_at_loops(&path, &text, &row) } else { relates(&text, &report, &row) };
            match (said, known.lines().any(|line| line == label)) {
                (Ok(()), false) => exact += 1,
                (Ok(()), true) => wrong.push(format!("{label} is known: take it out of tests/diff_open.tsv")),
                (Err(_), true) => {}
                (Err(what), false) => wrong.push(format!("{label}: {what}")),
            }
            continue;
        }
        let Some(found) = condition(&report, &row) else {
            wrong.push(format!("{name}: {} is not reported", row.pair));
            continue;
        };
        all += 1;
        let label = format!("{name}\t{}\t{}", row.pair, row.kind);
        if row.kind.ends_with("_min") {
            let implied = format!("!({}) || ({found})", row.condition);
            match verdict(&text, &row.pair, [&implied, "true"]).as_str() {
                "equivalent" => exact += 1,
                _ if known.lines().any(|line| line == label) => {}
                _ => wrong.push(format!("{label}: {found} is less than {}", row.condition)),
            }
            continue;
        }
        let same = verdict(&text, &row.pair, [&found, &row.condition]);
        if same == "equivalent" {
            exact += 1;
            continue;
        }
        let implied = format!("!({found}) || ({})", row.condition);
        match verdict(&text, &row.pair, [&implied, "true"]).as_str() {
            "not-equivalent" => wrong.push(format!("{label}: {found} is not sound")),
            _ if known.lines().any(|line| line == label) => {}
            _ => wrong.push(format!("{label}: {found} is less than {}", row.condition)),
        }
    }
    println!("{name}: {exact} of {all} exact");
    wrong
}

/// Whether the values that a version has at a label and the other has not are those that are expected: at the loops of a file that
/// has one in each version. The value of the second version has a prime in the table.
fn values_at_loops(path: &Path, text: &str, row: &Expected) -> Result<(), String> {
    let loops: Vec<String> = text
        .lines()
        .zip(1..)
        .filter(|(line, _)| line.contains("while ("))
        .map(|(_, at): (_, usize)| at.to_string())
        .collect();
    let lines = loops.join("~");
    let report =
        ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), "--at".as_ref(), lines.as_ref(), path.as_os_str()]);
    let (variable, _) = row.condition.split_once('\'').ok_or("no variable has a prime")?;
    let variable = variable.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let title = format!("{variable} of {}, line {}", row.pair, loops.first().map_or("", |line| line));
    let report = report.json();
    let own = report["pairs"].as_array().into_iter().flatten().find(|pair| pair["left"] == title.as_str());
    let found = own.and_then(|own| own["differs_when"].as_str()).ok_or("it is not reported")?;
    let expected = row.condition.replace(&format!("{variable}'"), "value");
    let said = verdict_with(text, &row.pair, &[("value".into(), variable.into())], [found, &expected]);
    if said == "equivalent" { Ok(()) } else { Err(format!("they differ when {found}")) }
}

/// Whether all rows of a pair say at least what is expected of the outputs; why not.
fn relates(text: &str, report: &Json, row: &Expected) -> Result<(), String> {
    let pairs = report["pairs"].as_array().into_iter().flatten();
    let found = pairs.into_iter().find(|pair| pair["left"] == row.pair.as_str() && pair["when"].is_null());
    let found = found.ok_or("it is not reported")?;
    let rows: Vec<&Json> = found["rows"].as_array().into_iter().flatten().collect();
    if rows.is_empty() {
        return Err("nothing is seen to differ".into());
    }
    if row.kind != "delta" && found["relation"].is_null() {
        return Err("not all ways to differ are told".into());
    }
    let wanted = match row.condition.split(';').collect::<Vec<_>>().as_slice() {
        [when, left, right] if row.kind == "rows" => assigned(when, left, right),
        _ => row.condition.clone(),
    };
    rows.into_iter().try_for_each(|one| relates_in(text, &row.pair, &wanted, one))
}

/// Whether a relation holds of all that one row tells of; why not.
fn relates_in(text: &str, pair: &str, wanted: &str, row: &Json) -> Result<(), String> {
    let told = substituted(wanted, row).zip(substituted(row["relation"].as_str().unwrap_or("true"), row));
    let Some((Substituted { text: relation, mut unknown }, told)) = told else {
        return Err("a row has no value for an output".into());
    };
    unknown.extend(told.unknown.into_iter().filter(|one| !unknown.contains(one)).collect::<Vec<_>>());
    // Code has no quantifiers: what speaks of them is left out, and the rest has to do.
    let said_by_code = |text: &str| if text.contains(" :: ") { "true".to_string() } else { text.to_string() };
    let when = said_by_code(row["when"].as_str().unwrap_or("true"));
    let implied = format!("!({when}) || !({}) || ({relation})", said_by_code(&told.text));
    let said = verdict_with(text, pair, &unknown, [&implied, "true"]);
    if said != "equivalent" {
        return Err(format!("when {when} it does not follow that {relation}: {said}"));
    }
    let same = with_equal_outputs(&relation, row);
    if same == relation {
        return Ok(());
    }
    let said = verdict_with(text, pair, &unknown, [&format!("!({when}) || !({same})"), "true"]);
    if said == "equivalent" { Ok(()) } else { Err(format!("when {when} equal outputs may satisfy {relation}: {said}")) }
}

/// A relation in which what a row does not know of one version is what the other has there.
fn with_equal_outputs(relation: &str, row: &Json) -> String {
    let mut text = relation.to_string();
    for left in row["left"].as_array().into_iter().flatten().filter_map(|left| left["place"].as_str()) {
        let value = |side: &str| {
            let values = row[side].as_array().into_iter().flatten();
            values.into_iter().find(|value| value["place"] == left)?["value"].as_str().map(|value| format!("({value})"))
        };
        let [mine, theirs] = ["left", "right"].map(|side| common::relation::unknown(side, left));
        match (value("left"), value("right")) {
            (None, Some(known)) => text = text.replace(&mine, &known),
            (Some(known), None) => text = text.replace(&theirs, &known),
            (None, None) => text = text.replace(&theirs, &mine),
            (Some(_), Some(_)) => {}
        }
    }
    text
}

/// A row of a table as a relation: a condition on entry, and what each version assigns.
fn assigned(when: &str, left: &str, right: &str) -> String {
    let one = |side: &str, prime: &str| -> Vec<String> {
        let each = side.split(',').filter_map(|part| part.split_once(":="));
        each.map(|(place, value)| {
            let place = place.trim();
            let (head, rest) = place.split_at(place.find(['[', '.']).unwrap_or(place.len()));
            format!("{head}{prime}{rest} == old({})", value.trim())
        })
        .collect()
    };
    let parts = [vec![format!("old({})", when.trim())], one(left, ""), one(right, "'")].concat();
    parts.join(" && ")
}

/// The condition that a report has of a kind of stores of a pair.
fn condition(report: &Json, row: &Expected) -> Option<String> {
    let key = match row.kind.as_str() {
        "equal" | "equal_min" => "equal_when",
        "differ" | "differ_min" => "differs_when",
        _ => "one_ends_when",
    };
    let pairs = report["pairs"].as_array()?;
    let pair = pairs.iter().find(|pair| pair["left"] == row.pair.as_str() && pair["when"].is_null())?;
    Some(pair[key].as_str()?.to_string())
}

/// What `verify` says of two procedures that return these conditions, over the parameters of a procedure of the file.
fn verdict(text: &str, procedure: &str, conditions: [&str; 2]) -> String {
    if conditions.iter().any(|condition| condition.contains(" :: ")) {
        return alike(text, procedure, conditions).unwrap_or("unknown").into();
    }
    verdict_with(text, procedure, &[], conditions)
}

/// The same, where quantifiers stand in a condition, which no code has: each is asserted where the other is required.
fn alike(text: &str, procedure: &str, [one, other]: [&str; 2]) -> Option<&'static str> {
    let signature = signature(text, procedure, &[])?;
    let asserted = |(given, asserted): (&str, &str)| format!("{signature} requires {given}; {{ assert {asserted}; }}");
    let [there, back] = [(one, other), (other, one)].map(asserted);
    let program = format!("{}\nversion a\n{there}\nversion b\n{back}\n", declared(text));
    let path = scratch(&format!("quantified_{:x}.l", fingerprint(&program)), &program);
    let report: Json =
        serde_json::from_str(&ape(["verify".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]).out)
            .ok()?;
    let clauses: Vec<&Json> =
        report["contracts"].as_array()?.iter().filter(|clause| clause["clause"] == "assert").collect();
    let holds = clauses.len() == 2 && clauses.iter().all(|clause| clause["status"] == "holds");
    holds.then_some("equivalent")
}

/// The same, with more parameters: each stands for a place of the program.
fn verdict_with(text: &str, procedure: &str, more: &[(String, String)], conditions: [&str; 2]) -> String {
    let Some(signature) = signature(text, procedure, more) else { return "no signature".into() };
    let body = |condition: &str| {
        format!("{signature} {{ if ({condition}) {{ result__ := true; }} else {{ result__ := false; }} }}")
    };
    let program =
        format!("{}\nversion a\n{}\nversion b\n{}\n", declared(text), body(conditions[0]), body(conditions[1]));
    let path = scratch(&format!("conditions_{:x}.l", fingerprint(&program)), &program);
    let ran = ape(["verify".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]);
    let report: Json = serde_json::from_str(&ran.out).unwrap_or(Json::Null);
    report["pairs"][0]["verdict"].as_str().unwrap_or("not legal").to_string()
}

/// A number for a text, so that its file has a name of its own.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The program without its comments.
fn uncommented(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// The classes and globals of a program.
fn declared(text: &str) -> String {
    let text = uncommented(text);
    let mut found = Vec::new();
    for (keyword, end) in [("class ", '}'), ("global ", ';')] {
        for (at, _) in text.match_indices(keyword) {
            if let Some(length) = text[at..].find(end) {
                let item = text[at..=at + length].to_string();
                if !found.contains(&item) {
                    found.push(item);
                }
            }
        }
    }
    found.join("\n")
}

/// A procedure with the parameters and pre-conditions of one of the program, and one result.
fn signature(text: &str, procedure: &str, more: &[(String, String)]) -> Option<String> {
    let text = uncommented(text);
    let head = format!("procedure {procedure}(");
    let from = &text[text.find(&head)? + head.len()..];
    let (parameters, rest) = from.split_once(')')?;
    let specification = &rest[..rest.find('{')?];
    let requires: Vec<&str> =
        specification.split("requires").skip(1).map(|clause| clause.split(';').next().unwrap_or("")).collect();
    let requires: String = requires.iter().map(|clause| format!(" requires {clause};")).collect();
    let typed = |(name, place): &(String, String)| {
        let declared = text.split_once(&format!("{place}: ")).map_or("int", |(_, after)| after);
        let end = declared.find([';', ',', ')']).unwrap_or(declared.len());
        format!("{name}: {}", &declared[..end])
    };
    let own = Some(parameters.to_string()).filter(|own| !own.trim().is_empty());
    let parameters = own.into_iter().chain(more.iter().map(typed)).collect::<Vec<_>>().join(", ");
    Some(format!("procedure condition__({parameters}) returns (result__: bool){requires}"))
}

/// Each example of differences is told completely, and its first line says what is equal.
fn examples() -> Vec<String> {
    let folder: PathBuf = root().join("examples");
    let mut wrong = Vec::new();
    for file in common::programs(&folder) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with("diff_") {
            continue;
        }
        let report = ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), file.as_os_str()]).json();
        for pair in report["pairs"].as_array().into_iter().flatten() {
            if pair["complete"] != true {
                wrong.push(format!("{name}: {} is open when {}", pair["left"], pair["open_when"]));
            }
        }
    }
    wrong
}

/// With the tests that are given conditions are as wide as these allow, and what cannot be said with them is open.
fn predicates() -> Vec<String> {
    let mut wrong = Vec::new();
    for (file, given, equal, open) in [
        ("diff_alias.l", "x == y", "x != y", "x == y"),
        ("diff_alias.l", "x == y,y == null", "x != y || y == null", ""),
        ("diff_off_by_one.l", "day > 0", "day <= 0", "day >= 1"),
    ] {
        let path = root().join("examples").join(file).to_string_lossy().into_owned();
        let report = ape(["diff", "--format", "json", "--predicates", given, &path]).json();
        let pair = &report["pairs"][0];
        if pair["equal_when"] != equal || pair["open_when"].as_str().unwrap_or_default() != open {
            wrong.push(format!(
                "{file} with {given}: equal when {}, open when {}",
                pair["equal_when"], pair["open_when"]
            ));
        }
    }
    let ran = ape(["diff", "--predicates", "nothing == 0", "examples/diff_alias.l"]);
    if ran.status != Some(2) || !ran.err.contains("no pair can be asked whether nothing == 0") {
        wrong.push(format!("status {:?}: {}", ran.status, ran.err));
    }
    wrong
}

/// A row in which something differs that has no name is not exact, and no name stands for two things.
fn untold() -> Vec<String> {
    let pair = |header: &str, old: &str, new: &str| {
        format!(
            "class O {{ v: int; }} global g: int; procedure set(n: int) {{ g := n; }} version 0 procedure f{header} {{ {old} }} version 1 procedure f{header} {{ {new} }}"
        )
    };
    let fill = |value: u8| format!("while (i < a.length) {{ a[i] := {value}; i := i + 1; }} r := {value};");
    let some = |value: u8| format!("t := c ? a : b; t.v := {value};");
    let cases = [
        (pair("(n: int) returns (r: int)", "r := n;", "r := n + 1;"), true, "r == n && r' == n + 1"),
        (
            pair("(a: int[]) returns (r: int)", &fill(1), &fill(2)),
            false,
            "a != null && old(a.length) >= 1 && r == 1 && r' == 2",
        ),
        (pair("(c: bool, a: O, b: O)", &some(1), &some(2)), false, "(!c && b != null || c && a != null)"),
        (pair("(n: int) returns (err: bool)", "err := n > 0;", "err := n <= 0;"), false, "true"),
        (pair("(n: int) returns (g: int)", "set(n); g := n;", "set(n + 1); g := n;"), false, "true"),
        (
            pair("(o: O, n: int) returns (r: int)", "assert n != 7; r := 1;", "if (n == 7) { o.v := 5; } r := 1;"),
            true,
            "o != null && n == 7 && err && !err' && r' == 1 && o.v' == 5",
        ),
    ];
    let mut wrong = Vec::new();
    for (at, (text, exact, relation)) in cases.into_iter().enumerate() {
        let path = scratch(&format!("diff_untold_{at}.l"), &text);
        let report = ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]).json();
        let own = report["pairs"].as_array().into_iter().flatten().find(|pair| pair["left"] == "f");
        let mut rows = own.and_then(|own| own["rows"].as_array()).into_iter().flatten();
        if !rows.any(|row| row["exact"] == exact && row["relation"] == relation) {
            wrong.push(format!("{text}: {report:#}"));
        }
    }
    wrong
}

/// The value of a row is that of the expression it comes from, however operators are nested in it.
fn values() -> Vec<String> {
    let expressions = nested();
    let version = |name: &str, value: &dyn Fn(usize) -> String| {
        let one = |at| format!("procedure f{at}(n: int, k: int) returns (r: int) {{ r := {}; }}\n", value(at));
        format!("version {name}\n{}", (0..expressions.len()).map(one).collect::<String>())
    };
    let before = version("before", &|at| expressions[at].clone());
    let after = version("after", &|at| format!("{} + 7 - k", expressions[at]));
    let changed = scratch("diff_values_changed.l", &format!("{before}{after}"));
    let report = ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), changed.as_os_str()]).json();
    let told: Vec<String> = report["pairs"].as_array().into_iter().flatten().map(told_before).collect();
    if told.len() != expressions.len() {
        return vec![format!("{} expressions and {} pairs", expressions.len(), told.len())];
    }
    let after = version("after", &|at| told[at].clone());
    let written = scratch("diff_values_written.l", &format!("{before}{after}"));
    let report = ape(["verify".as_ref(), "--format".as_ref(), "json".as_ref(), written.as_os_str()]).json();
    let verdicts = report["pairs"].as_array().into_iter().flatten();
    let wrong = verdicts.enumerate().filter(|(_, pair)| pair["verdict"] != "equivalent");
    wrong.map(|(at, pair)| format!("{} is said to be {}: {}", expressions[at], told[at], pair["verdict"])).collect()
}

/// What the first row of a pair says of version 0.
fn told_before(pair: &Json) -> String {
    pair["rows"][0]["left"][0]["value"].as_str().unwrap_or("null").to_string()
}

/// Two operators one in the other, on both sides; what divides is a number.
fn nested() -> Vec<String> {
    let operators = ["+", "-", "*", "/", "%"];
    let divides = |sign: &str| matches!(sign, "/" | "%");
    let mut all = Vec::new();
    for outer in operators {
        for inner in operators {
            let last = |sign: &str| if divides(sign) { "3" } else { "k" };
            all.push(format!("(n {inner} {}) {outer} {}", last(inner), if divides(outer) { "5" } else { "n" }));
            if !divides(outer) {
                all.push(format!("3 {outer} (n {inner} {})", last(inner)));
                all.push(format!("k {outer} (n {inner} {})", last(inner)));
            }
        }
    }
    all
}

/// What recursion keeps of the numbers that it is given is found, also round several procedures, and nothing is said to be kept
/// that is not.
fn recursion() -> Vec<String> {
    let steps = |last: &str, more: &str| {
        format!(
            "procedure f(n: int) returns (r: int) {{ if (n {last} 0) {{ return 5; }} {more} r := f(n - 3); r := r + n; }}"
        )
    };
    let round = |base: i64| {
        format!(
            "procedure ping(n: int) returns (r: int) {{ if (n == 0) {{ return 1; }} r := pong(n - 1); }} \
             procedure pong(n: int) returns (r: int) {{ if (n == 0) {{ return {base}; }} r := ping(n - 1); }}"
        )
    };
    let pair = |old: String, new: String| format!("version before {old} version after {new}");
    let cases = [
        (pair(steps("==", ""), steps("<=", "")), "f", "n >= 0 && n % 3 == 0"),
        (pair(round(2), round(3)), "ping", "n % 2 <= 0"),
        (pair(steps("==", ""), steps("<=", "if (n == 90) { return 0; }")), "f", "n >= 0 && n < 90 && n % 3 == 0"),
    ];
    let mut wrong = Vec::new();
    for (at, (text, name, equal)) in cases.into_iter().enumerate() {
        let path = scratch(&format!("diff_recursion_{at}.l"), &text);
        let report = ape(["diff".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]).json();
        let own = report["pairs"].as_array().into_iter().flatten().find(|pair| pair["left"] == name);
        let said = own.and_then(|own| own["equal_when"].as_str()).unwrap_or_default();
        if !said.starts_with(equal) {
            wrong.push(format!("{text}: equal when {said}"));
        }
    }
    wrong
}
