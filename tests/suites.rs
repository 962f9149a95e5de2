//! The laws of equivalence, and what a verdict must not depend on, for each program of the examples and of the suites beside
//! the repository: one test per law and file, like `direction::suites::rie::Call001`.
//!
//! Suites that are absent are *ignored*. What each program's verdict is, `golden.rs` says.

mod common;

use common::program::{self, Judgement, Program, Suite, judge, own_suites, shared_folders, stem};
use common::{ape, complain, golden, on_a_large_stack, scratch, shape, verdicts, verify, versions};
use lang_l::source::FileId;
use lang_l::{parse, print};
use libtest_mimic::{Arguments, Completion, Trial};
use prover::verify::{Config, Strategy, contradicted};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

/// Pairs that are equivalent only by what is in the callees' bodies, which the paper never looks into.
const BEYOND: [&str; 2] = ["Conditional002", "SingleCallToDifferentProcedures"];
/// How often each program is verified with other names, another order of declarations, and another seed.
const RUNS: &str = "--runs=2";

/// What holds for each program of some folders: its name in the names of tests, of which folders, and what is wrong with a file.
type Law = (&'static str, fn(&str) -> bool, fn(&Suite, &Path) -> Vec<String>);

const LAWS: [Law; 7] = [
    ("legal", |suite| suite.starts_with("suites::"), legal),
    ("itself", is_small, equivalent_to_itself),
    ("direction", is_small, no_direction),
    ("stable", |suite| matches!(suite, "examples" | "suites::rie"), nothing_wavers),
    ("paper", |suite| matches!(suite, "suites::rie" | "suites::traps"), as_the_paper),
    ("same_report", |suite| suite == "suites::traps", same_each_time),
    ("scripts", |suite| suite == "examples", every_query_is_a_script),
];

/// Whether the programs of a suite are few, and verified fast.
fn is_small(suite: &str) -> bool {
    matches!(suite, "examples" | "suites::rie" | "suites::traps" | "suites::figure8")
}

fn main() -> ExitCode {
    let mut tests = vec![Trial::test("exit_statuses", || complain(exit_statuses()))];
    let suites: Vec<Arc<Suite>> = own_suites().into_iter().chain(shared_folders()).map(Arc::new).collect();
    for (law, of, check) in LAWS {
        for suite in suites.iter().filter(|suite| of(&suite.name)) {
            for file in program::programs(&suite.folder) {
                let (name, suite) = (format!("{law}::{}", suite.test(&file)), suite.clone());
                let run = move || complain(on_a_large_stack(move || check(&suite, &file)));
                tests.push(Trial::test(name, run));
            }
        }
    }
    if !suites.iter().any(|suite| suite.shared) {
        tests.extend(absent());
    }
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// The tests of programs that are not there.
fn absent() -> Vec<Trial> {
    let files: Vec<String> = golden::read().into_keys().filter_map(|file| golden::absent(&file)).collect();
    let suite = |file: &String| file.rsplit_once("::").map_or(String::new(), |(suite, _)| suite.to_string());
    let tests = LAWS.iter().flat_map(|(law, of, _)| {
        files.iter().filter(|file| of(&suite(file))).map(move |file| format!("{law}::{file}"))
    });
    let ignored = || Ok(Completion::ignored_with(golden::ABSENT));
    tests.map(|name| Trial::ignorable_test(name, ignored)).collect()
}

/// It is read and resolved without complaint, unless it is to be refused; and what is printed of it reads the same.
fn legal(suite: &Suite, file: &Path) -> Vec<String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = program::expected_table(&suite.folder).remove(&name).unwrap_or_default();
    let refused = expected.values().flatten().any(|right| right == "refused");
    let program = match Program::read(&name, file) {
        Ok(program) => program,
        Err(_) if refused => return Vec::new(),
        Err(wrong) => return vec![wrong],
    };
    let parsed = parse::parse(FileId(0), &program.text);
    let once = print::print(&parsed.file, &parsed.comments);
    let again = parse::parse(FileId(0), &once);
    let same = without_spans(&again.file) == without_spans(&parsed.file)
        && again.diagnostics.is_empty()
        && again.comments.len() == parsed.comments.len()
        && print::print(&again.file, &again.comments) == once;
    if same { Vec::new() } else { vec![format!("what is printed does not read the same:\n{once}")] }
}

/// The tree as text without its spans.
fn without_spans(file: &lang_l::ast::File) -> String {
    let debug = format!("{file:?}");
    let mut parts = debug.split("Span {");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shape, part| shape + part.split_once('}').map_or(part, |(_, rest)| rest))
}

/// What a file of this test is called: programs of several suites have the same name.
fn unique(law: &str, suite: &Suite, file: &Path, number: usize) -> String {
    format!("{law}-{}-{}-{number}.l", suite.name.replace("::", "-"), stem(file))
}

/// So that no verdict depends on how busy the machine is.
const UNHURRIED: &[&str] = &["--timeout", "600"];

/// Each version is equivalent to itself.
fn equivalent_to_itself(suite: &Suite, file: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for (number, text) in versions(file).into_iter().flatten().enumerate() {
        let path = scratch(&unique("same", suite, file, number), &text);
        let report = verify(&[&path, &path], UNHURRIED).json();
        let open = report["contracts"].as_array().into_iter().flatten().any(|clause| clause["status"] != "holds");
        for (pair, verdict) in verdicts(&report) {
            // What rests on a contract that is broken, or cannot be proved, is not equivalent to itself either.
            if verdict != "equivalent" && !(open && verdict != "not-equivalent") {
                wrong.push(format!("{pair} of version {number} is {verdict} to itself"));
            }
        }
    }
    wrong
}

/// The same is said of the versions either way round; and each report is one JSON object with a status that fits.
fn no_direction(suite: &Suite, file: &Path) -> Vec<String> {
    let Some(texts) = versions(file) else { return Vec::new() };
    let [left, right] = [0, 1].map(|at| scratch(&unique("direction", suite, file, at), &texts[at]));
    let ran = [verify(&[&left, &right], UNHURRIED), verify(&[&right, &left], UNHURRIED)];
    let mut wrong = Vec::new();
    for ran in &ran {
        let report = ran.json();
        wrong.extend(shape::malformed(&report));
        if ran.status != Some(shape::exit_status(&report)) || !ran.err.is_empty() {
            wrong.push(format!("exit status {:?} for {}: {}", ran.status, report["verdict"], ran.err));
        }
    }
    let [one_way, other_way] = ran.map(|ran| verdicts(&ran.json()));
    let other_way: BTreeMap<String, String> = other_way.into_iter().collect();
    let differ = one_way.iter().filter(|(pair, verdict)| other_way.get(pair) != Some(verdict));
    wrong.extend(differ.map(|(pair, verdict)| format!("{pair} is {verdict}, but {:?}", other_way.get(pair))));
    wrong
}

/// No verdict depends on names, on the order of declarations or on the solver's seed.
fn nothing_wavers(_: &Suite, file: &Path) -> Vec<String> {
    let ran = ape(["stability".as_ref(), "--format=json".as_ref(), RUNS.as_ref(), file.as_os_str()]);
    let report = ran.json();
    let files = report["files"].as_array().expect("files");
    let wavering = files.iter().filter(|file| file["wavers"] == true).map(|file| format!("{file:#}"));
    let mut wrong: Vec<String> = wavering.collect();
    if (ran.status, ran.err.as_str(), files.len()) != (Some(0), "", 1) {
        wrong.push(format!("status {:?}, {} files, {}", ran.status, files.len(), ran.err));
    }
    wrong
}

/// The paper's strategy proves what the paper does, and nothing that differs.
fn as_the_paper(suite: &Suite, file: &Path) -> Vec<String> {
    let program = Program::read(&stem(file), file).unwrap_or_else(|wrong| panic!("{wrong}"));
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let expected = program::expected_table(&suite.folder).remove(&name).unwrap_or_default();
    let config = Config { strategy: Strategy::Paper, ..Config::default() };
    let report = prover::verify::verify(&program.unit, &config);
    let provable = contradicted(&program.unit, &report, &config);
    let mut wrong: Vec<String> =
        provable.iter().map(|pair| format!("{}~{}: refuted, but provable", pair.left, pair.right)).collect();
    for (pair, right) in expected {
        let said = report.pairs.iter().find(|said| said.left == pair).map_or("none", |said| said.verdict.word());
        let fine = match (judge(&right, said), said) {
            (Judgement::Right, _) => true,
            (Judgement::Less, "unknown") => right != ["equivalent"] || BEYOND.contains(&stem(file).as_str()),
            _ => false,
        };
        if !fine {
            wrong.push(format!("{pair} is {said}, should be {right:?}"));
        }
    }
    wrong
}

/// The report, and every query, is the same each time, with one thread and with two.
fn same_each_time(_: &Suite, file: &Path) -> Vec<String> {
    let report = |jobs: &str| {
        let mut report = verify(&[file], &["--timeout", "600"]).json();
        for pair in report["pairs"].as_array_mut().into_iter().flatten() {
            pair["time_ms"] = 0.into();
        }
        let smt2 = ape(["verify".as_ref(), file.as_os_str(), "--dump=smt2".as_ref(), jobs.as_ref()]).out;
        (report, smt2)
    };
    if report("--jobs=1") == report("--jobs=2") { Vec::new() } else { vec!["it differs".into()] }
}

/// Each query is a script with one question, to which the `z3` on the path says the same, if there is one.
fn every_query_is_a_script(_: &Suite, file: &Path) -> Vec<String> {
    let z3 = Command::new("z3").arg("--version").output().is_ok();
    let text = ape(["verify".as_ref(), file.as_os_str(), "--dump=smt2".as_ref()]).out;
    let mut wrong = Vec::new();
    for (number, script) in text.split_terminator("(reset)\n\n").enumerate() {
        let Some(answer) = script.lines().find_map(|line| line.strip_prefix("; answer: ")) else {
            wrong.push(format!("script {number} does not say its answer"));
            continue;
        };
        if script.matches("(check-sat)").count() != 1 {
            wrong.push(format!("script {number} does not ask one question"));
        }
        if z3 && !answer.starts_with("unknown") {
            let path = scratch(&format!("query-{}-{number}.smt2", stem(file)), script);
            wrong.extend(another_answer(&path, answer).map(|said| format!("script {number} {said}")));
        }
    }
    wrong
}

/// What the `z3` on the path says to a script, where it is not what was answered.
fn another_answer(path: &PathBuf, answer: &str) -> Option<String> {
    let said = Command::new("z3").arg("-T:20").arg(path).output().expect("z3 can be started");
    let said = String::from_utf8_lossy(&said.stdout).trim().to_string();
    let expected = (answer == "holds") == (said == "unsat");
    let known = matches!(said.as_str(), "sat" | "unsat" | "unknown");
    (!expected || !known).then(|| format!("{answer}, but z3 says {said}"))
}

/// Each verdict has its exit status.
fn exit_statuses() -> Vec<String> {
    let mut wrong = Vec::new();
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
        if ran.status != Some(status) {
            wrong.push(format!("{name}: {:?}, not {status}: {}{}", ran.status, ran.out, ran.err));
        }
    }
    wrong
}
