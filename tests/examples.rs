//! The programs in `examples/`, `tests/structure/` and `tests/numeric/`: every file is verified, and the answers are compared with those it expects.
//!
//! A file says what it expects in lines `// expect: PAIR VERDICT`. PAIR is a procedure's name for the pair of that name, and
//! `p~q` for an `equiv p ~ q`; every pair of procedures with a body is named once.
//!
//! In `examples/` and `tests/structure/` (refactorings that move code between procedures) every verdict has to be the one expected. In `tests/numeric/` a claim that is wrong fails the test, while an
//! `equivalent` that could not be proved, or only partially, and a difference that was not found, are counted and printed.
//!
//! `APE_ONLY=text` in the environment verifies only the files whose path contains the text; `APE_REPORT=1` prints every verdict.

use lang_l::hir::Unit;
use lang_l::parse;
use lang_l::print;
use lang_l::resolve;
use lang_l::source::Sources;
use prover::verdict::{PairReport, Verdict};
use prover::verify::{Config, contradicted, verify};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Stack of a thread that verifies, in bytes; as `ape` has it.
const STACK: usize = 512 << 20;
/// How many files are verified at once.
const WORKERS: usize = 2;
/// The words a file may expect.
const VERDICTS: [&str; 5] = ["equivalent", "partially-equivalent", "not-equivalent", "contract-violation", "unknown"];

/// A program and what it says of itself.
struct Example {
    path: PathBuf,
    text: String,
    unit: Unit,
    /// The expected verdict of each pair.
    expected: BTreeMap<String, String>,
}

/// The verdict of one pair, and how long it took.
struct Seen {
    verdict: &'static str,
    why: String,
    seconds: f64,
}

#[test]
fn examples_are_laid_out_and_expect_something_of_every_pair() {
    let examples = load("examples");
    assert!(examples.len() >= 18, "only {} examples", examples.len());
    for example in &examples {
        assert_tidy(example);
        assert!(example.text.starts_with("// "), "{} tells no story", example.path.display());
    }
}

#[test]
fn numeric_programs_are_laid_out_and_name_their_shape() {
    let programs = load("tests/numeric");
    assert!(programs.len() >= 85, "only {} programs", programs.len());
    let mut different = 0;
    for program in &programs {
        assert_tidy(program);
        assert!(program.text.contains("// shape: "), "{} names no shape", program.path.display());
        different += usize::from(program.expected.values().any(|verdict| verdict == "not-equivalent"));
    }
    let share = different * 100 / programs.len();
    assert!((33..=50).contains(&share), "{share} % of the programs expect a difference");
}

#[test]
fn examples_get_the_verdicts_they_deserve() {
    verify_all(selected(load("examples")), |_, _| Class::Wrong).is_right();
}

#[test]
fn moved_code_is_proved_equivalent() {
    let programs = load("tests/structure");
    programs.iter().for_each(assert_tidy);
    verify_all(selected(programs), |_, _| Class::Wrong).is_right();
}

#[test]
fn numeric_programs_get_no_wrong_verdict_and_few_get_none() {
    let programs = selected(load("tests/numeric"));
    let all = env::var_os("APE_ONLY").is_none();
    let found = verify_all(programs, |expected, verdict| match (expected, verdict) {
        (_, "unknown") => Class::Undecided,
        ("equivalent", "partially-equivalent") => Class::Undecided,
        _ => Class::Wrong,
    });
    found.is_right();
    // An engine that is lost proves nothing wrong; it is missed here.
    let (undecided, asked) = (found.undecided.len(), found.right + found.undecided.len());
    assert!(!all || undecided * 20 <= asked, "{undecided} of {asked} undecided:\n{}", found.undecided.join("\n"));
}

/// What to make of a verdict that is not the one expected.
enum Class {
    /// The tool claims what is not so.
    Wrong,
    /// The tool does not know.
    Undecided,
}

/// What came of verifying programs: a line for each pair that did not get the verdict expected.
#[derive(Default)]
struct Found {
    right: usize,
    wrong: Vec<String>,
    undecided: Vec<String>,
}

impl Found {
    #[track_caller]
    fn is_right(&self) {
        assert!(self.wrong.is_empty(), "\n{}", self.wrong.join("\n"));
    }
}

/// Verifies the examples.
fn verify_all(examples: Vec<Example>, classify: impl Fn(&str, &str) -> Class) -> Found {
    let mut found = Found::default();
    let report = env::var_os("APE_REPORT").is_some();
    each(&examples, |example, seen| {
        for (pair, expected) in &example.expected {
            let Some(Seen { verdict, why, seconds }) = seen.get(pair) else { continue };
            let path = example.path.display();
            let line = format!("{path}: {pair} is {verdict}, not {expected} ({seconds:.1} s) {why}");
            if report {
                println!(
                    "{} {path} {pair} {verdict} {seconds:.1} {why}",
                    if verdict == expected { "ok" } else { "--" }
                );
            }
            match classify(expected, verdict) {
                _ if verdict == expected => found.right += 1,
                Class::Wrong => found.wrong.push(line),
                Class::Undecided => found.undecided.push(line),
            }
        }
    });
    println!("{} as expected, {} undecided, {} wrong", found.right, found.undecided.len(), found.wrong.len());
    for line in &found.undecided {
        println!("undecided: {line}");
    }
    found
}

/// Verifies the examples, some at once, and tells the verdicts of each as they come.
fn each(examples: &[Example], mut tell: impl FnMut(&Example, BTreeMap<String, Seen>)) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while let Some(example) = examples.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = verify(&example.unit, &Config::default());
                    let mut seen: BTreeMap<String, Seen> =
                        report.pairs.iter().map(|pair| (name(pair), see(pair))).collect();
                    // What is refuted must not be provable either.
                    for pair in contradicted(&example.unit, &report, &Config::default()) {
                        let wrong = Seen { verdict: "refuted, but provable", why: String::new(), seconds: 0.0 };
                        seen.insert(name(pair), wrong);
                    }
                    sender.send((example, seen)).expect("the test waits for every example");
                }
            };
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread can be made");
        }
        drop(sender);
        for (example, seen) in receiver {
            tell(example, seen);
        }
    });
}

fn see(pair: &PairReport) -> Seen {
    let why = match &pair.verdict {
        Verdict::Unknown(reason) => reason.what.clone(),
        _ => String::new(),
    };
    Seen { verdict: pair.verdict.word(), why, seconds: pair.time.as_secs_f64() }
}

/// A pair's name as a file writes it.
fn name(pair: &PairReport) -> String {
    if pair.left == pair.right && pair.when.is_none() {
        pair.left.clone()
    } else {
        format!("{}~{}", pair.left, pair.right)
    }
}

/// Every program in a directory of the repository, in the order of their names.
fn load(directory: &str) -> Vec<Example> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entries = fs::read_dir(root.join(directory)).expect("the directory is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a directory can be read").path()).collect();
    paths.sort();
    assert!(paths.iter().all(|path| path.extension().is_some_and(|extension| extension == "l")));
    paths
        .iter()
        .map(|path| read(&Path::new(directory).join(path.file_name().expect("a file has a name")), path))
        .collect()
}

fn read(shown: &Path, path: &Path) -> Example {
    let text = fs::read_to_string(path).expect("a program can be read");
    let mut sources = Sources::new();
    let id = sources.add(shown.display().to_string(), text.clone());
    let parsed = parse::parse(id, &text);
    assert!(parsed.diagnostics.is_empty(), "{}: {:?}", shown.display(), parsed.diagnostics);
    let unit = resolve::resolve(&[&parsed.file]).unwrap_or_else(|wrong| panic!("{}: {wrong:?}", shown.display()));
    let expected = expectations(shown, &text, &unit);
    Example { path: shown.to_path_buf(), text, unit, expected }
}

/// The expectations of a file, every one of a pair it has, and one for each pair with a body.
fn expectations(path: &Path, text: &str, unit: &Unit) -> BTreeMap<String, String> {
    let pairs = pairs(unit);
    let mut expected = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// expect: ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [pair, verdict] = words[..] else { panic!("{}: `{line}` is no pair and verdict", path.display()) };
        assert!(VERDICTS.contains(&verdict), "{}: {verdict} is no verdict", path.display());
        assert!(pairs.contains(&pair.to_string()), "{}: there is no pair {pair}", path.display());
        let before = expected.insert(pair.to_string(), verdict.to_string());
        assert!(before.is_none(), "{}: two verdicts for {pair}", path.display());
    }
    for pair in &pairs {
        assert!(expected.contains_key(pair), "{}: what is the verdict of {pair}?", path.display());
    }
    expected
}

/// The names of the pairs of a file, but for procedures without a body.
fn pairs(unit: &Unit) -> Vec<String> {
    let [left, right] = &unit.versions[..] else { panic!("a pair file has two versions") };
    let named = left
        .procedures
        .iter()
        .filter(|p| p.body.is_some() && right.procedures.iter().any(|q| q.name == p.name))
        .map(|p| p.name.clone());
    let asked = unit
        .equivs
        .iter()
        .filter(|equiv| equiv.when.is_some() || left.procedure(equiv.left).name != right.procedure(equiv.right).name);
    let asked = asked.map(|e| format!("{}~{}", left.procedure(e.left).name, right.procedure(e.right).name));
    named.chain(asked).collect()
}

#[track_caller]
fn assert_tidy(example: &Example) {
    let mut sources = Sources::new();
    let id = sources.add(String::new(), example.text.clone());
    let parsed = parse::parse(id, &example.text);
    let printed = print::print(&parsed.file, &parsed.comments);
    assert!(printed == example.text, "{} is not laid out as `ape fmt` does it", example.path.display());
}

fn selected(mut examples: Vec<Example>) -> Vec<Example> {
    if let Ok(only) = env::var("APE_ONLY") {
        examples.retain(|example| example.path.to_string_lossy().contains(&only));
    }
    examples
}
