//! Every program of the repository and of the suites beside it: one test per file, named after the folder and the file.
//!
//! `cargo test --workspace barthe` runs the files that have `barthe` in their names. Each is verified once. What is found
//! is held against what the file expects and against `tests/golden.tsv`, which has what the prover said before: a verdict may
//! only get better. `APE_BLESS=1 cargo test -p ape-cli --test golden` writes the table anew, and `APE_BLESS=new` adds the
//! programs that are not in it.
//!
//! Suites that are absent are *ignored*, by the names that the table knows. So are, unless `-- --include-ignored` asks for
//! them, the programs of these suites that take long: those where every engine tries in vain.

mod common;

use common::golden::{self, Row, Table};
use common::program::{self, Expected, Judgement, Program, Suite, judge, own_suites, shared_folders};
use common::{complain, counterexample, on_a_large_stack, shape};
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use prover::certificate::{make, replay};
use prover::report::text::Detail;
use prover::report::{self, Subject};
use prover::verdict::Report;
use prover::verify::{Config, contradicted, verify};
use std::collections::BTreeSet;
use std::env;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Suites of which those programs take long that are not settled.
const SLOW: [&str; 5] = ["loops", "clever", "dizy", "moddiff", "symdiff"];
/// At least so many programs are in the folders of the repository.
const AT_LEAST: [(&str, usize); 4] = [("examples", 18), ("structure", 27), ("numeric", 85), ("traps", 60)];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let bless = env::var_os("APE_BLESS").is_some();
    let only_new = env::var_os("APE_BLESS").is_some_and(|what| what == "new");
    arguments.include_ignored |= bless;
    let old = Arc::new(golden::read());
    let found = Arc::new(Mutex::new(Table::new()));
    let shared = shared_folders();
    let mut tests = vec![Trial::test("the_golden_table_is_whole", {
        let old = old.clone();
        move || whole(&old)
    })];
    let mut files = BTreeSet::new();
    for suite in own_suites().into_iter().chain(shared.clone()) {
        let expected = program::expected_table(&suite.folder);
        let suite = Arc::new(suite);
        for file in program::programs(&suite.folder) {
            let row = suite.row(&file);
            files.insert(row.clone());
            if only_new && old.contains_key(&row) {
                continue;
            }
            let slow = suite.shared && is_slow(&suite, old.get(&row));
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let case = Case {
                suite: suite.clone(),
                expected: expected.get(&name).cloned().unwrap_or_default(),
                golden: if bless { None } else { Some(old.get(&row).cloned().unwrap_or_default()) },
                found: found.clone(),
                file: file.clone(),
            };
            let run = move || complain(on_a_large_stack(move || case.run()));
            tests.push(Trial::test(suite.test(&file), run).with_ignored_flag(slow));
        }
    }
    if shared.is_empty() {
        let absent = old.keys().filter_map(|file| golden::absent(file));
        let ignored = || Ok(Completion::ignored_with(golden::ABSENT));
        tests.extend(absent.map(|name| Trial::ignorable_test(name, ignored)));
    }
    let conclusion = libtest_mimic::run(&arguments, tests);
    if bless && !arguments.list {
        let found = found.lock().expect("no test holds it");
        golden::write(&old, &found, |file| files.contains(file) || shared.is_empty() && file.starts_with("shared/"));
    }
    conclusion.exit_code()
}

/// Whether a program is one on which the engines work for long.
fn is_slow(suite: &Suite, golden: Option<&Vec<Row>>) -> bool {
    let of = |slow: &&str| suite.shown.starts_with(&format!("shared/suites/{slow}"));
    SLOW.iter().any(of) && golden.is_none_or(|rows| rows.iter().any(|row| row.verdict == "unknown"))
}

/// What the table as a whole must be, beside what each test holds.
fn whole(table: &Table) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let (mut undecided, mut decided, mut different, mut programs) = (Vec::new(), 0, 0, 0);
    for suite in own_suites() {
        let files = program::programs(&suite.folder);
        let at_least = AT_LEAST.iter().find(|(name, _)| *name == suite.name).map_or(0, |(_, least)| *least);
        if files.len() < at_least {
            wrong.push(format!("only {} programs in {}", files.len(), suite.shown));
        }
        for file in files.iter().filter(|_| suite.name == "numeric") {
            let row = suite.row(file);
            let expected = Program::read(&row, file)?.expected(&suite)?;
            programs += 1;
            different += usize::from(expected.values().any(|right| right == &["not-equivalent"]));
            for (pair, right) in &expected {
                let said = table.get(&row).into_iter().flatten().find(|row| plain(&row.pair) == pair);
                match said.map(|said| judge(right, &said.verdict)) {
                    Some(Judgement::Right) => decided += 1,
                    _ => undecided.push(format!("{row} {pair}")),
                }
            }
        }
    }
    if !(33..=50).contains(&(different * 100 / programs)) {
        wrong.push(format!("{different} of {programs} numeric programs expect a difference, not a third to a half"));
    }
    // An engine that is lost proves nothing wrong; it is missed here.
    if undecided.len() * 20 > decided + undecided.len() {
        wrong.push(format!("{} of {decided} numeric pairs undecided:\n{}", undecided.len(), undecided.join("\n")));
    }
    complain(wrong)
}

/// The name of a pair as expectations have it, without its condition.
fn plain(pair: &str) -> &str {
    pair.split_once(" when ").map_or(pair, |(pair, _)| pair)
}

/// Whether an expectation of the pair `expected` is one of the reported pair `pair`: it may leave the condition out, and the
/// second name where both are the same.
fn speaks_of(expected: &str, pair: &str) -> bool {
    let Some((procedure, when)) = expected.split_once(" when ") else { return plain(pair) == expected };
    let twice = format!("{procedure}~{procedure}");
    pair.split_once(" when ").is_some_and(|(name, of)| of == when && (name == procedure || name == twice))
}

/// One file to verify.
struct Case {
    suite: Arc<Suite>,
    file: PathBuf,
    /// What the table of the suite expects; a file of the repository says it itself.
    expected: Expected,
    /// The rows to hold; `None` where they are to be written.
    golden: Option<Vec<Row>>,
    found: Arc<Mutex<Table>>,
}

impl Case {
    /// All that is wrong.
    fn run(mut self) -> Vec<String> {
        let row = self.suite.row(&self.file);
        let program = match Program::read(&row, &self.file) {
            Ok(program) => program,
            Err(illegal) if !self.suite.shared => return vec![illegal],
            Err(illegal) => return self.hold(&row, golden::refused(), Some(illegal)),
        };
        let mut wrong = Vec::new();
        if !self.suite.shared {
            wrong.extend(program.untidy(&self.suite));
            match program.expected(&self.suite) {
                Ok(expected) => self.expected = expected,
                Err(what) => return vec![what],
            }
        }
        let report = verify(&program.unit, &Config::default());
        // The engines must not fall for it either, had a look at small stores not settled it first.
        if !self.suite.shared || self.suite.thorough {
            let contradicted = contradicted(&program.unit, &report, &Config::default());
            wrong
                .extend(contradicted.iter().map(|pair| format!("{}~{}: refuted, but provable", pair.left, pair.right)));
        }
        let subject = Subject { unit: &program.unit, sources: &program.sources, report: &report };
        let json = report::json::report(subject);
        wrong.extend(shape::malformed(&json));
        if self.suite.thorough {
            let text = report::text::report(subject, Detail { explain: false, width: report::text::USUAL_WIDTH });
            wrong.extend(counterexample::wrong(&program, &self.file, &json, &text));
            if !self.suite.shared {
                wrong.extend(counterexample::long_answers(&text));
            }
        }
        wrong.extend(not_certified(&program, &report));
        wrong.extend(self.hold(&row, golden::rows(&json, self.suite.shared), None));
        wrong
    }

    /// Holds what was found against what is right and what was found before.
    fn hold(&self, file: &str, rows: Vec<Row>, illegal: Option<String>) -> Vec<String> {
        let mut wrong = Vec::new();
        let right = |pair: &str| {
            let own = self.expected.iter().find(|(expected, _)| speaks_of(expected, pair));
            own.map(|(_, right)| right.clone())
        };
        for (pair, right) in &self.expected {
            let said = rows.iter().find(|row| speaks_of(pair, &row.pair) || row.verdict == "refused");
            let Some(said) = said else {
                wrong.push(format!("a verdict is expected of {pair}, and there is none"));
                continue;
            };
            let judgement = judge(right, &said.verdict);
            if judgement == Judgement::Wrong || self.suite.exact && judgement == Judgement::Less {
                wrong.push(format!("{pair} is {}, should be {}", said.verdict, right.join(" or ")));
            }
        }
        let worse = self.golden.iter().flat_map(|golden| golden::worse(golden, &rows, right));
        wrong.extend(worse.map(|what| format!("{what} (tests/golden.tsv; APE_BLESS=1 writes it)")));
        if !wrong.is_empty() {
            wrong.extend(illegal);
        }
        self.found.lock().expect("no test holds it").insert(file.into(), rows);
        wrong
    }
}

/// Where what was found has no certificate that replays and says the same.
fn not_certified(program: &Program, report: &Report) -> Vec<String> {
    let replayed = make(&program.unit, &program.sources, report)
        .and_then(|certificate| replay(&certificate, Some(&program.sources)));
    match replayed {
        Err(refusal) => vec![refusal.to_string()],
        Ok(replayed) => (replayed.pairs.iter().zip(&report.pairs))
            .filter(|(pair, reported)| pair.verdict != reported.verdict.word())
            .map(|(pair, reported)| format!("replayed {pair:?}, not {}", reported.verdict.word()))
            .collect(),
    }
}
