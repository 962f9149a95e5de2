//! One table of all measurements, as Markdown.
//!
//! In: the generated programs, and the suite `rie` beside the repository when it is there. Out: the text of
//! `prover/ape/benches/README.md`, with the command that made it.

mod suite;

use crate::programs::{self, Links, Program, Runner};
use nix::sys::resource::{UsageWho, getrusage};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// How often each program is verified for the table.
const RUNS: usize = 3;

/// The lengths of the reversed list to which the growth is fitted.
const SIZES: [usize; 6] = [16, 32, 64, 128, 256, 512];

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
    text + &growth(runner) + &suite::suite(runner) + &memory()
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
