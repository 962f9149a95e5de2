//! One table of all measurements, as Markdown.
//!
//! In: the generated programs, and the suite `rie` beside the repository when it is there. Out: the text of
//! `prover/ape/benches/README.md`, with the command that made it.

use crate::programs::{self, Links, Program, Runner};
use nix::sys::resource::{UsageWho, getrusage};
use prover::report;
use prover::verify::Strategy;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How often each program is verified for the table.
const RUNS: usize = 3;

/// The lengths of the reversed list to which the growth is fitted.
const SIZES: [usize; 6] = [16, 32, 64, 128, 256, 512];

/// How long the paper's strategy may take for one file of the suite.
const PAPER_LIMIT: Duration = Duration::from_secs(5);

const HEAD: &str = "\
# How long it takes, and how that grows

This file is the output of

```text
cargo bench -p ape-cli --bench scale -- --table > prover/ape/benches/README.md
```

`cargo bench -p ape-cli --bench scale` measures the same programs with criterion. The programs are made by the functions in
`prover/ape/benches/programs/mod.rs`; the number in a name is the size. A run goes from text to verdict in one process and on
one thread: parse, resolve, verify, with a new solver. The verdict is checked before anything is timed, in a run that is
not counted; the times are in seconds of the wall clock, from the runs after it. So *fastest* and *median* leave out the
start of a process and the first use of Z3. The column *ape* has them: it is one run of the real `ape verify` on the program
in a file, and the bars of the generated programs are held against it.
";

/// The whole text.
pub(crate) fn table(runner: &Runner) -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut text = HEAD.to_string();
    text += &format!(
        "\nMeasured on a machine with {cores} cores{}, in the profile of `cargo bench` (optimised). A mean load above 1 is \
         the work of others: then the fastest of the {RUNS} runs says more than the median, and both are too high.\n",
        load()
    );
    text += "\n## Generated programs\n\n";
    text += "| program | what | lines | verdict | fastest | median | ape | bar | met |\n";
    text += "|---|---|---:|---|---:|---:|---:|---:|---|\n";
    for program in programs::all() {
        runner.check(&program);
        let times = times(|| runner.overall(&program.text));
        let process = process(&program);
        let bar = program.bar.map_or("-".to_string(), |bar| format!("{} s", bar.as_secs()));
        let met = program.bar.map_or("-", |bar| yes(process < bar));
        let (fastest, median, process) = (seconds(times.fastest), seconds(times.median), seconds(process));
        let (lines, verdict) = (program.text.lines().count(), program.expected);
        let (name, shape) = (program.name, program.shape);
        text +=
            &format!("| {name} | {shape} | {lines} | {verdict} | {fastest} | {median} | {process} | {bar} | {met} |\n");
    }
    text + &growth(runner) + &suite(runner) + &memory()
}

/// How the time for the reversed list grows with its length.
fn growth(runner: &Runner) -> String {
    let points: Vec<(f64, f64)> = SIZES
        .iter()
        .map(|&n| {
            let program = programs::reversed(n, Links::List);
            runner.check(&program);
            (n as f64, times(|| runner.overall(&program.text)).fastest.as_secs_f64())
        })
        .collect();
    let mut text = "\n## Growth: the reversed list\n\n| n | fastest | exponent from the n before |\n|---:|---:|---:|\n"
        .to_string();
    for (i, (n, time)) in points.iter().enumerate() {
        let step = if i == 0 { "-".to_string() } else { format!("{:.2}", exponent(&points[i - 1..=i])) };
        text += &format!("| {n} | {time:.3} | {step} |\n");
    }
    let fitted = exponent(&points);
    text += &format!(
        "\nThe exponent fitted to all of these (least squares through the logarithms) is **{fitted:.2}**; the bar is at \
         most 2.5: met: {}. Small lists cost little more than starting the solver, so the last steps, not the fit, show \
         what longer lists will cost.\n",
        yes(fitted <= 2.5)
    );
    text
}

/// The slope of the line through the logarithms of these points with the least sum of squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|(n, time)| (n.ln(), time.ln())).collect();
    let mean_n = logs.iter().map(|(n, _)| n).sum::<f64>() / count;
    let mean_time = logs.iter().map(|(_, time)| time).sum::<f64>() / count;
    let covariance: f64 = logs.iter().map(|(n, time)| (n - mean_n) * (time - mean_time)).sum();
    let variance: f64 = logs.iter().map(|(n, _)| (n - mean_n).powi(2)).sum();
    covariance / variance
}

/// The suite of the paper's tool, file by file, against the seconds of the original and the paper's strategy.
fn suite(runner: &Runner) -> String {
    let mut text = "\n## The suite `rie`\n\n".to_string();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites/rie");
    let Ok(expectations) = fs::read_to_string(folder.join("expected.tsv")) else {
        return text + "`../shared/suites/rie` was not there and was not measured.\n";
    };
    // Each file once, with what the original took; a file with several pairs has several lines.
    let mut originals: BTreeMap<&str, &str> = BTreeMap::new();
    for line in expectations.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        if let [file, _, _, seconds, ..] = cells[..] {
            originals.insert(file, seconds);
        }
    }
    let mut rows = String::new();
    let (mut total, mut slowest, mut ratios) = (Duration::ZERO, Duration::ZERO, Vec::new());
    let (mut paper_total, mut paper_late) = (Duration::ZERO, 0);
    for (file, original) in originals {
        let source = fs::read_to_string(folder.join(file)).expect("a file of the suite can be read");
        let verdict = runner.overall(&source);
        let fastest = times(|| runner.overall(&source)).fastest;
        total += fastest;
        slowest = slowest.max(fastest);
        let ratio = original.parse::<f64>().ok().map(|original| original / fastest.as_secs_f64());
        // A file without a pair says nothing of proving, and would raise the mean.
        ratios.extend(ratio.filter(|_| verdict != "none"));
        let start = Instant::now();
        let paper = runner.report(&source, Strategy::Paper, Some(PAPER_LIMIT));
        let paper_time = start.elapsed();
        paper_total += paper_time;
        paper_late += usize::from(paper.stopped.is_some());
        rows += &format!(
            "| {file} | {verdict} | {} | {original} | {} | {} | {} |\n",
            seconds(fastest),
            ratio.map_or("-".to_string(), |ratio| format!("{ratio:.0}")),
            seconds(paper_time),
            if paper.stopped.is_some() { "late" } else { report::overall(&paper) },
        );
    }
    let mean = (ratios.iter().map(|ratio: &f64| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    text += &format!(
        "All files one after the other in one process; the fastest of {RUNS} runs of each, after a first one. *Original* \
         is the time that `expected.tsv` gives for the paper's tool, on another machine and with its start-up, which ours \
         leaves out: the ratio favours us, most where the original took about half a second. *Paper* is one run of \
         `--strategy paper` here, ended after {} s.\n\n",
        PAPER_LIMIT.as_secs()
    );
    let together = (0..RUNS).map(|_| all_at_once(&folder)).min().unwrap_or_default();
    text += "| file | verdict | fastest | original | original / fastest | paper | paper's verdict |\n";
    text += "|---|---|---:|---:|---:|---:|---|\n";
    text += &rows;
    text += &format!(
        "\nOne run of the real `ape verify` on all files, its start included: {} s, the fastest of {RUNS} (bar: 1 s; met: {}). \
         The files above add up to {} s; the slowest takes {} s (bar: 0.2 s; met: {}); geometric mean of original / \
         fastest where the original has a time and there is a pair: {mean:.0} (bar: 100; met: {}). The paper's strategy took {} s in all and \
         was ended in {paper_late} files.\n",
        seconds(together),
        yes(together <= Duration::from_secs(1)),
        seconds(total),
        seconds(slowest),
        yes(slowest <= Duration::from_millis(200)),
        yes(mean >= 100.0),
        seconds(paper_total),
    );
    text
}

/// The most memory the process has held, where the system tells it.
fn memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    let said = match peak {
        Some(peak) => format!("{} MB (bar: 1 GB for each; met: {})", peak / 1024, yes(peak < 1 << 20)),
        None => "not told by this system".to_string(),
    };
    // In KB; of a process and those it waited for, the one that held the most.
    let largest = getrusage(UsageWho::RUSAGE_CHILDREN).map_or(0, |usage| usage.max_rss());
    format!(
        "\n## Memory\n\nPeak of the one process that made all the measurements above but those of the real `ape`: {said}. \
         The largest process of all runs of the real `ape`, solvers included: {} MB (met: {}).\n",
        largest / 1024,
        yes(largest < 1 << 20)
    )
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

/// The time of one run of the real `ape` on a program in a file.
fn process(program: &Program) -> Duration {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scale-{}.l", program.name));
    fs::write(&path, &program.text).expect("the folder for temporary files can be written to");
    let start = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_ape")).arg("verify").arg(&path).output().expect("ape can be started");
    let time = start.elapsed();
    let wanted = if program.expected == "equivalent" { 0 } else { 1 };
    assert_eq!(ran.status.code(), Some(wanted), "{}", program.name);
    time
}

/// The times of some runs.
struct Times {
    fastest: Duration,
    median: Duration,
}

fn times<T>(mut work: impl FnMut() -> T) -> Times {
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    Times { fastest: times[0], median: times[RUNS / 2] }
}

/// The mean load of the machine as the measurements begin, where the system tells it.
fn load() -> String {
    let averages = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    averages
        .split_whitespace()
        .next()
        .map_or(String::new(), |load| format!(", at a mean load of {load} before the first run"))
}

fn seconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64())
}

fn yes(met: bool) -> &'static str {
    if met { "yes" } else { "no" }
}
