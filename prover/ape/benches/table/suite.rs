//! The part of the table about the suite `rie`.
//!
//! In: the suite beside the repository, with what the original took. Out: a row for each file, and what all come to.

use super::{RUNS, seconds, times, yes};
use crate::programs::Runner;
use prover::report;
use prover::verify::Strategy;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the paper's strategy may take for one file of the suite.
const PAPER_LIMIT: Duration = Duration::from_secs(5);

/// The suite of the paper's tool, file by file, against the seconds of the original and the paper's strategy.
pub(super) fn suite(runner: &Runner) -> String {
    let text = "\n## The suite `rie`\n\n".to_string();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/rie");
    let Ok(expectations) = fs::read_to_string(folder.join("expected.tsv")) else {
        return text + "`../shared/suites/rie` was not there and was not measured.\n";
    };
    let files: Vec<File> = originals(&expectations)
        .into_iter()
        .map(|(file, original)| File::measured(runner, &folder, file, original))
        .collect();
    let rows: String = files.iter().map(File::row).collect();
    let together = (0..RUNS).map(|_| all_at_once(&folder)).min().unwrap_or_default();
    text + &explained() + HEAD + &rows + &Sum::of(&files).text(together)
}

/// Each file once, with what the original took; a file with several pairs has several lines.
fn originals(expectations: &str) -> BTreeMap<&str, &str> {
    let lines = expectations.lines().filter(|line| !line.starts_with('#'));
    let cells = lines.map(|line| line.split('\t').collect::<Vec<&str>>());
    cells
        .filter_map(|cells| if let [file, _, _, seconds, ..] = cells[..] { Some((file, seconds)) } else { None })
        .collect()
}

/// What the columns are.
fn explained() -> String {
    format!(
        "All files one after the other in one process; the fastest of {RUNS} runs of each, after a first one. *Original* \
         is the time that `expected.tsv` gives for the paper's tool, on another machine and with its start-up, which ours \
         leaves out: the ratio favours us, most where the original took about half a second. *Paper* is one run of \
         `--strategy paper` here, ended after {} s.\n\n",
        PAPER_LIMIT.as_secs()
    )
}

const HEAD: &str = "\
| file | verdict | fastest | original | original / fastest | paper | paper's verdict |
|---|---|---:|---:|---:|---:|---|
";

/// What was measured of one file.
struct File<'e> {
    name: &'e str,
    verdict: &'static str,
    fastest: Duration,
    /// The seconds of the original, as `expected.tsv` has them.
    original: &'e str,
    /// How many times as long the original took, where it has a time.
    ratio: Option<f64>,
    paper: Duration,
    /// What the paper's strategy says; `None` if it was ended.
    paper_verdict: Option<&'static str>,
}

impl<'e> File<'e> {
    fn measured(runner: &Runner, folder: &Path, name: &'e str, original: &'e str) -> Self {
        let source = fs::read_to_string(folder.join(name)).expect("a file of the suite can be read");
        let verdict = runner.overall(&source);
        let fastest = times(|| runner.overall(&source)).fastest;
        let ratio = original.parse::<f64>().ok().map(|original| original / fastest.as_secs_f64());
        let start = Instant::now();
        let report = runner.report(&source, Strategy::Paper, Some(PAPER_LIMIT));
        let paper = start.elapsed();
        let paper_verdict = report.stopped.is_none().then(|| report::overall(&report));
        File { name, verdict, fastest, original, ratio, paper, paper_verdict }
    }

    fn row(&self) -> String {
        let File { name, verdict, original, .. } = self;
        let ratio = self.ratio.map_or("-".to_string(), |ratio| format!("{ratio:.0}"));
        let (fastest, paper) = (seconds(self.fastest), seconds(self.paper));
        let paper_verdict = self.paper_verdict.unwrap_or("late");
        format!("| {name} | {verdict} | {fastest} | {original} | {ratio} | {paper} | {paper_verdict} |\n")
    }
}

/// What all files come to.
struct Sum {
    total: Duration,
    slowest: Duration,
    /// The geometric mean of the ratios.
    mean: f64,
    paper_total: Duration,
    /// In how many files the paper's strategy was ended.
    paper_late: usize,
}

impl Sum {
    fn of(files: &[File<'_>]) -> Self {
        // A file without a pair says nothing of proving, and would raise the mean.
        let ratios: Vec<f64> =
            files.iter().filter(|file| file.verdict != "none").filter_map(|file| file.ratio).collect();
        Sum {
            total: files.iter().map(|file| file.fastest).sum(),
            slowest: files.iter().map(|file| file.fastest).max().unwrap_or_default(),
            mean: (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp(),
            paper_total: files.iter().map(|file| file.paper).sum(),
            paper_late: files.iter().filter(|file| file.paper_verdict.is_none()).count(),
        }
    }

    /// All this in words, with the time of one run of `ape` on all files together.
    fn text(&self, together: Duration) -> String {
        let Sum { total, slowest, mean, paper_total, paper_late } = self;
        format!(
            "\nOne run of the real `ape verify` on all files, its start included: {} s, the fastest of {RUNS} (bar: 1 s; met: {}). \
             The files above add up to {} s; the slowest takes {} s (bar: 0.2 s; met: {}); geometric mean of original / \
             fastest where the original has a time and there is a pair: {mean:.0} (bar: 100; met: {}). The paper's strategy took {} s in all and \
             was ended in {paper_late} files.\n",
            seconds(together),
            yes(together <= Duration::from_secs(1)),
            seconds(*total),
            seconds(*slowest),
            yes(*slowest <= Duration::from_millis(200)),
            yes(*mean >= 100.0),
            seconds(*paper_total),
        )
    }
}

/// The time of one run of the real `ape` on all files of the suite.
fn all_at_once(folder: &Path) -> Duration {
    let entries = fs::read_dir(folder).expect("the suite can be read").flatten().map(|entry| entry.path());
    let files = entries.filter(|path| path.extension().is_some_and(|end| end == "bl"));
    let start = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_ape")).arg("verify").args(files).output().expect("ape can be started");
    let time = start.elapsed();
    assert_eq!(ran.status.code(), Some(1), "the suite has pairs that differ");
    time
}
