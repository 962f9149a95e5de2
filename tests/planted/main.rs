//! Faults that are switched on, one at a time: what each costs, and whether anything wrong is said.
//!
//! `cargo test --workspace --test planted -- --all` runs every fault, and `--named` those whose names begin so; each on its part of
//! the traps, attacks, fuzzed pairs and far differences. With `--whole` each is run on all of them. `APE_BLESS=1` writes where
//! each fault was seen to bite to `tests/planted.tsv`, which is looked at first. `--tenth N` runs a tenth of those that are in this
//! table, as `.ci/run` does. Who asks for none, as among all tests, runs none: even a tenth takes minutes.
//!
//! Nobody looks for differences meanwhile (but where the fault is in that search): what differs meets engines and kernel alone.
//!
//! - A fault outside the kernel must cost a verdict somewhere, and nothing wrong may be said that the kernel has checked. What
//!   is wrong and was said *not* to be checked is counted apart.
//! - A fault in the kernel must be noticed: something wrong is said, or a test of the kernel fails.
//! - Without a fault nothing wrong may be said.

#[path = "../common/mod.rs"]
mod common;
mod probes;
mod told;

use common::{on_a_large_stack, root};
use faults::{ALL, Fault};
use probes::{Probe, probes};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::time::Instant;
use told::{Bench, Tried, Wrong};

/// One in so many probes is looked at, unless all are.
const PART: usize = 6;
/// The most of them that each fault is tried on, unless all are: the fastest that come by it.
const MOST: usize = 8;
/// So many probes are looked at together where one is wanted that a fault costs a verdict.
const TOGETHER: usize = 24;
/// How many wrong verdicts of one fault are shown.
const SHOWN: usize = 6;

/// What is asked for.
struct Asked {
    faults: Vec<(usize, &'static Fault)>,
    /// Whether each is run on every probe.
    whole: bool,
}

fn main() -> ExitCode {
    on_a_large_stack(run)
}

fn run() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--nocapture").collect();
    let recorded = recorded();
    let asked = asked(&words, &recorded);
    if asked.faults.is_empty() {
        println!("no fault: -- --all, --named NAME or --tenth N");
        // Among all tests nobody asks for one; who does, and there is none, has named it wrongly.
        let is_asked = words.iter().any(|word| ["--all", "--named", "--tenth"].contains(&word.as_str()));
        return if is_asked { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let started = Instant::now();
    let (bench, mut found) = (Bench::new(probes(asked.whole)), BTreeMap::new());
    println!("{} probes, {} faults", bench.probes.len(), asked.faults.len());
    let mut failures = 0;
    for &(_, fault) in &asked.faults {
        let now = Instant::now();
        let seen = look(&bench, fault, &asked, recorded.get(fault.name).map(String::as_str));
        failures += usize::from(!is_fine(&seen, fault));
        println!("{}\t{:.1} s", line(&seen, fault), now.elapsed().as_secs_f64());
        if let Some(place) = seen.bites {
            found.insert(fault.name.to_string(), place);
        }
    }
    println!(
        "{failures} of {} faults are not as they should be; {:.0} s",
        asked.faults.len(),
        started.elapsed().as_secs_f64()
    );
    let usually_wrong = bench.usually_wrong();
    println!("wrong without a fault: {usually_wrong:?}");
    if env::var_os("APE_BLESS").is_some() {
        let all: BTreeMap<String, String> = recorded.into_iter().chain(found).collect();
        let lines: String = all.iter().map(|(fault, place)| format!("{fault}\t{place}\n")).collect();
        fs::write(record(), format!("# fault\twhere it bites\n{lines}")).expect("the record can be written");
    }
    if failures == 0 && usually_wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn asked(words: &[String], recorded: &BTreeMap<String, String>) -> Asked {
    let after = |option: &str| words.get(words.iter().position(|word| word == option)? + 1);
    let tenth = after("--tenth").and_then(|tenth| tenth.parse::<usize>().ok());
    let name = after("--named");
    let every = words.iter().any(|word| word == "--all");
    let named = |fault: &Fault| every || name.is_some_and(|name| fault.name.starts_with(name.as_str()));
    let all = ALL.iter().enumerate();
    let faults = match tenth {
        Some(tenth) => {
            let known = all.filter(|(_, fault)| recorded.contains_key(fault.name));
            known.enumerate().filter(|(at, _)| at % 10 == tenth % 10).map(|(_, fault)| fault).collect()
        }
        None => all.filter(|(_, fault)| named(fault)).collect(),
    };
    Asked { faults, whole: words.iter().any(|word| word == "--whole") }
}

fn record() -> PathBuf {
    root().join("tests/planted.tsv")
}

/// Where each fault was seen to bite.
fn recorded() -> BTreeMap<String, String> {
    let text = fs::read_to_string(record()).unwrap_or_default();
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    rows.map(|(fault, place)| (fault.to_string(), place.to_string())).collect()
}

/// Whether a fault does no more harm than it may, and is noticed.
fn is_fine(seen: &Tried, fault: &Fault) -> bool {
    seen.bites.is_some() && (fault.in_kernel || !seen.wrong.iter().any(|wrong| wrong.checked))
}

fn line(seen: &Tried, fault: &Fault) -> String {
    let count = |checked: bool| seen.wrong.iter().filter(|wrong| wrong.checked == checked).count();
    let (checked, unchecked) = (count(true), count(false));
    let verb = if fault.in_kernel { "is caught by" } else { "bites" };
    let bites = seen.bites.as_ref().map_or_else(|| "NOWHERE".to_string(), |place| format!("{verb} {place}"));
    let mut first: Vec<&Wrong> = seen.wrong.iter().collect();
    first.sort_by_key(|wrong| !wrong.checked);
    let shown: Vec<String> = first.iter().take(SHOWN).map(|wrong| format!("\n    {wrong}")).collect();
    let (name, asked, shown) = (fault.name, seen.asked, shown.concat());
    format!("{name}\t{bites}\t{asked} probes\t{checked} wrong and checked\t{unchecked} wrong, but not checked{shown}")
}

/// Runs a fault on its part of the probes, and where it is known to bite.
fn look(bench: &Bench, fault: &'static Fault, asked: &Asked, known: Option<&str>) -> Tried {
    // Where the fault is in the search for differences somebody has to search.
    let blind = !fault.name.starts_with("search/");
    let own = |probe: &(usize, &Probe)| probe.1.judged && (asked.whole || probe.0.is_multiple_of(PART));
    let chosen: Vec<usize> = bench.probes.iter().enumerate().filter(|probe| own(probe)).map(|(at, _)| at).collect();
    let most = if asked.whole { usize::MAX } else { MOST };
    let first = known.and_then(|known| bench.probes.iter().position(|probe| probe.name == known));
    let Tried { mut wrong, asked, mut bites } = bench.with_fault((fault.name, blind), &chosen, most);
    if fault.in_kernel {
        if wrong.is_empty() {
            wrong = bench.with_fault((fault.name, blind), first.as_slice(), most).wrong;
        }
        let place = wrong.first().map(|wrong| wrong.probe.clone());
        let bites = place.or_else(|| unit_test_fails(fault.name).then(|| "a test of the kernel".to_string()));
        return Tried { wrong, asked, bites };
    }
    if bites.is_none() {
        let others: Vec<usize> = (0..bench.probes.len()).filter(|&at| !bench.probes[at].judged).collect();
        let batches = first.as_slice().chunks(1).chain(others.chunks(TOGETHER));
        bites = batches.into_iter().find_map(|batch| bench.with_fault((fault.name, blind), batch, usize::MAX).bites);
    }
    Tried { wrong, asked, bites }
}

/// Whether some test of the kernel fails with this fault.
fn unit_test_fails(fault: &str) -> bool {
    static TESTS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let Some(tests) = TESTS.get_or_init(|| kernel_tests().filter(|tests| passes(tests, ""))) else {
        panic!("the tests of the kernel cannot be built, or fail without a fault")
    };
    !passes(tests, fault)
}

/// Whether all tests of a program pass with this fault; with none where there is none of the name.
fn passes(tests: &Path, fault: &str) -> bool {
    let mut command = Command::new(tests);
    command.env("APE_FAULT", fault).current_dir(root().join("prover/kernel"));
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The tests of the kernel, built as this one is, so that nothing is built twice.
fn kernel_tests() -> Option<PathBuf> {
    let released = env::current_exe().is_ok_and(|own| own.components().any(|part| part.as_os_str() == "release"));
    let profile = if released { "release" } else { "dev" };
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--workspace", "--profile", profile, "--lib", "--no-run", "--message-format", "json"]);
    let output = cargo.current_dir(root()).stderr(Stdio::null()).output().ok()?;
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let of_kernel = |message: &Json| message["target"]["name"] == "kernel" && message["profile"]["test"] == true;
    messages.filter(of_kernel).find_map(|message| message["executable"].as_str().map(PathBuf::from))
}
