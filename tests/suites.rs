//! The suites beside the repository and the examples, as a user runs them: verdicts, reports, and the laws of equivalence.
//!
//! Where the suites are not there, this is said, and the test passes.

mod common;

use common::{Ran, all_programs, ape, each, programs, root, scratch, suite, verdicts, verify, versions};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The verdicts that `expected.tsv` of a suite gives, by file.
fn expectations(dir: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let table = fs::read_to_string(dir.join("expected.tsv")).expect("the expectations can be read");
    let mut expected: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t').map(str::to_string);
        if let (Some(file), Some(pair), Some(verdict)) = (cells.next(), cells.next(), cells.next()) {
            expected.entry(file).or_default().push((pair, verdict));
        }
    }
    expected
}

/// Every file of a suite gets the verdicts it should, an exit status and a report to match; and what the report shows
/// happens when it is run.
#[track_caller]
fn check_suite(name: &str) {
    let Some(dir) = suite(name) else { return };
    let expected = expectations(&dir);
    assert!(!expected.is_empty());
    let files: Vec<(&String, &Vec<(String, String)>)> = expected.iter().collect();
    let wrong = each(&files, |(file, expected)| {
        let path = dir.join(file);
        let ran = verify(&[&path], &[]);
        let report = ran.json();
        let mut wrong = Vec::new();
        let found = verdicts(&report);
        for (pair, verdict) in expected.iter() {
            let is = match pair.as_str() {
                "-" => report["verdict"].as_str().unwrap_or_default(),
                pair => found.iter().find(|(name, _)| name == pair).map_or("missing", |(_, verdict)| verdict),
            };
            if is != verdict {
                wrong.push(format!("{file}: {pair} is {is}, not {verdict}"));
            }
        }
        wrong.extend(malformed(&ran, &report).into_iter().map(|what| format!("{file}: {what}")));
        wrong.extend(not_replayed(&path, &report));
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rie() {
    check_suite("rie");
}

#[test]
fn traps() {
    check_suite("traps");
}

#[test]
fn figure8() {
    check_suite("figure8");
}

fn file_stem(file: &Path) -> String {
    file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What is missing in a report that the reference promises, or does not fit the exit status.
fn malformed(ran: &Ran, report: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut want = |json: &Json, keys: &[&str]| {
        let missing = keys.iter().filter(|key| json.get(**key).is_none());
        wrong.extend(missing.map(|key| format!("no `{key}` in {json}")));
    };
    want(report, &["schema_version", "verdict", "pairs", "contracts"]);
    let list = |key: &str| report[key].as_array().cloned().unwrap_or_default();
    for pair in list("pairs") {
        let keys = ["left", "right", "verdict", "termination", "time_ms", "reason", "rests_on", "counterexample"];
        want(&pair, &keys);
        let refuted = pair["verdict"] == "not-equivalent" || pair["verdict"] == "contract-violation";
        if refuted {
            want(&pair["counterexample"], &["arguments", "globals", "heap", "left", "right"]);
        }
        for side in
            ["left", "right"].map(|side| &pair["counterexample"][side]).into_iter().filter(|side| !side.is_null())
        {
            match side["outcome"].as_str() {
                Some("normal") => want(side, &["heap", "results"]),
                Some("error" | "contract-violation") => want(side, &["message", "line"]),
                Some("diverges") => {}
                other => want(side, &[&format!("a known outcome, not {other:?}")]),
            }
        }
    }
    for clause in list("contracts") {
        want(&clause, &["version", "procedure", "clause", "line", "status"]);
    }
    let status = match report["verdict"].as_str() {
        Some("equivalent") => 0,
        Some("not-equivalent" | "contract-violation") => 1,
        Some("unknown" | "partially-equivalent") => 3,
        Some("none") => 4,
        _ => 70,
    };
    if ran.status != Some(status) {
        wrong.push(format!("exit status {:?} for {}", ran.status, report["verdict"]));
    }
    if !ran.err.is_empty() {
        wrong.push(format!("on standard error: {}", ran.err));
    }
    wrong
}

/// Counterexamples that do not happen when they are run.
fn not_replayed(file: &Path, report: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = file_stem(file);
    for pair in report["pairs"].as_array().into_iter().flatten().filter(|pair| !pair["counterexample"].is_null()) {
        let example = &pair["counterexample"];
        let store =
            scratch(&format!("replay-{name}-{}.json", pair["left"].as_str().unwrap_or_default()), &example.to_string());
        for (version, side) in ["left", "right"].into_iter().enumerate() {
            let outcome = &example[side];
            if outcome.is_null() {
                continue;
            }
            let procedure = outcome["run"].as_str().or(pair[side].as_str()).unwrap_or_default();
            let ran = ape([
                "run".as_ref(),
                file.as_os_str(),
                procedure.as_ref(),
                "--version".as_ref(),
                version.to_string().as_ref(),
                "--store".as_ref(),
                store.as_os_str(),
            ]);
            let says = match outcome["outcome"].as_str() {
                Some("normal") => "ends normally".to_string(),
                Some("error") => format!("ends in error: {}", outcome["message"].as_str().unwrap_or_default()),
                Some("contract-violation") => "breaks the contract of".to_string(),
                _ => "never ends".to_string(),
            };
            // A run checks contracts, a comparison does not.
            let seen = ran.out.contains(&says)
                || says != "breaks the contract of" && ran.out.contains("breaks the contract of");
            if !seen {
                let (out, err) = (&ran.out, &ran.err);
                wrong.push(format!("{name}: {procedure} of version {version} does not say {says:?}: {out}{err}"));
            }
        }
    }
    wrong
}

#[test]
fn a_version_is_equivalent_to_itself() {
    let wrong = each(&all_programs(), |file| {
        let name = file_stem(file);
        let mut wrong = Vec::new();
        for (number, text) in versions(file).into_iter().flatten().enumerate() {
            let path = scratch(&format!("same-{name}-{number}.l"), &text);
            let report = verify(&[&path, &path], &[]).json();
            let open = report["contracts"].as_array().into_iter().flatten().any(|clause| clause["status"] != "holds");
            for (pair, verdict) in verdicts(&report) {
                // What rests on a contract that is broken, or cannot be proved, is not equivalent to itself either.
                if verdict != "equivalent" && !(open && verdict != "not-equivalent") {
                    wrong.push(format!("{name}: {pair} of version {number} is {verdict} to itself"));
                }
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn equivalence_has_no_direction() {
    let wrong = each(&all_programs(), |file| {
        let name = file_stem(file);
        let Some(texts) = versions(file) else { return Vec::new() };
        let [left, right] = [0, 1].map(|at| scratch(&format!("direction-{name}-{at}.l"), &texts[at]));
        let one_way = verdicts(&verify(&[&left, &right], &[]).json());
        let other_way: BTreeMap<_, _> = verdicts(&verify(&[&right, &left], &[]).json()).into_iter().collect();
        let differ = one_way.iter().filter(|(pair, verdict)| other_way.get(pair) != Some(verdict));
        differ.map(|(pair, verdict)| format!("{name}: {pair} is {verdict}, but {:?}", other_way.get(pair))).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_report_is_the_same_each_time() {
    let Some(dir) = suite("traps") else { return };
    let wrong = each(&programs(&dir), |file| {
        let report = |jobs: &str| {
            let mut report = verify(&[file], &["--timeout", "600"]).json();
            for pair in report["pairs"].as_array_mut().into_iter().flatten() {
                pair["time_ms"] = 0.into();
            }
            let smt2 = ape(["verify".as_ref(), file.as_os_str(), "--dump=smt2".as_ref(), jobs.as_ref()]).out;
            (report, smt2)
        };
        if report("--jobs=1") == report("--jobs=2") { Vec::new() } else { vec![file.display().to_string()] }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_query_is_a_script() {
    let z3 = Command::new("z3").arg("--version").output().is_ok();
    let wrong = each(&programs(&root().join("examples")), |file| {
        let text = ape(["verify".as_ref(), file.as_os_str(), "--dump=smt2".as_ref()]).out;
        let mut wrong = Vec::new();
        for (number, script) in text.split_terminator("(reset)\n\n").enumerate() {
            let Some(answer) = script.lines().find_map(|line| line.strip_prefix("; answer: ")) else {
                wrong.push(format!("{}: script {number} does not say its answer", file.display()));
                continue;
            };
            if script.matches("(check-sat)").count() != 1 {
                wrong.push(format!("{}: script {number} does not ask one question", file.display()));
            }
            if !z3 || answer.starts_with("unknown") {
                continue;
            }
            let path = scratch(&format!("query-{}-{number}.smt2", file_stem(file)), script);
            let said = Command::new("z3").arg("-T:20").arg(&path).output().expect("z3 can be started");
            let said = String::from_utf8_lossy(&said.stdout).trim().to_string();
            // A solution of Horn clauses is a model; everything else that holds has none.
            let holds = if script.contains("(set-logic HORN)") { "sat" } else { "unsat" };
            let expected = (answer == "holds") == (said == holds);
            if !expected || !matches!(said.as_str(), "sat" | "unsat" | "unknown") {
                wrong.push(format!("{}: script {number} {answer}, but z3 says {said}", file.display()));
            }
        }
        wrong
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn exit_statuses() {
    let pair = |left: &str, right: &str| {
        let procedure = |body| format!("procedure P(n: int, m: int) returns (r: int) {{ {body} }}\n");
        format!("version 0\n{}version 1\n{}", procedure(left), procedure(right))
    };
    // Whether this is ever so nobody knows, and whether this loop always ends neither.
    let cubes = "if (n * n * n + m * m * m + (114 - n) * (114 - n) * (114 - n) * 3 == 5 * n * m + 7) { r := 1; }";
    let collatz = "while (n > 1) { if (n % 2 == 0) { n := n / 2; } else { n := 3 * n + 1; } }";
    let cases = [
        ("equivalent", pair("r := n + n;", "r := 2 * n;"), "", 0),
        ("differs", pair("r := n + 1;", "r := n + 2;"), "", 1),
        ("illegal", pair("r := true;", "r := 0;"), "", 2),
        ("unknown", pair(cubes, ""), "", 3),
        ("unknown-partial", pair(cubes, ""), "--partial", 3),
        ("partial", pair(collatz, ""), "", 3),
        ("partial-partial", pair(collatz, ""), "--partial", 0),
        ("none", "version 0\nprocedure P() { }\nversion 1\nprocedure Q() { }\n".to_string(), "", 4),
        ("one-version", "procedure P() { }\n".to_string(), "", 2),
        ("no-such", pair("r := n;", "r := n;"), "--proc=Q", 2),
    ];
    for (name, text, option, status) in cases {
        let path = scratch(&format!("status-{name}.l"), &text);
        let options: Vec<&str> = Some(option).filter(|option| !option.is_empty()).into_iter().collect();
        let ran = verify(&[&path], &options);
        assert_eq!(ran.status, Some(status), "{name}: {}{}", ran.out, ran.err);
    }
}
