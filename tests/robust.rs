//! Faults on purpose: solver processes that are killed, hang or want too much memory; garbage as input; no room for output.
//! Each has a clear outcome, costs no more than it must, and leaves nothing behind.

mod common;

use common::{Ran, ape, scratch, verdicts};
use serde_json::Value as Json;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

/// A pair that is proved at once, one over which Z3 works for a while, and one that rests on that.
const HARD: &str = "version left
procedure easy(n: int) returns (r: int) { r := n + 1; }
procedure hard(a: int, b: int, c: int, d: int) returns (r: int) {
    if (a > 1 && b > 1 && a * a * a + b * b * b == c * c * c && d * d * d - 7 * a * b * c * d == 1 + a * b) { r := 1; }
}
procedure user(n: int) returns (r: int) { r := hard(n, n, n, n); r := r + 1; }
version right
procedure easy(n: int) returns (r: int) { r := 1 + n; }
procedure hard(a: int, b: int, c: int, d: int) returns (r: int) { r := 0; }
procedure user(n: int) returns (r: int) { r := hard(n, n, n, n); r := 1 + r; }
";

/// A pair that is proved at once, and one over which Z3 multiplies out a polynomial with many terms.
const BIG: &str = "version left
procedure easy(n: int) returns (r: int) { r := n + 1; }
procedure big(a: int, b: int, c: int, d: int, e: int, f: int) returns (r: int) {
    var t: int := a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f;
    r := t * t * t * t * t * t * t * t;
}
version right
procedure easy(n: int) returns (r: int) { r := 1 + n; }
procedure big(a: int, b: int, c: int, d: int, e: int, f: int) returns (r: int) {
    var t: int := a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f;
    var s: int := t * t;
    s := s * s;
    r := s * s;
}
";

#[track_caller]
fn verdict(report: &Json, pair: &str) -> String {
    let found = verdicts(report).into_iter().find(|(name, _)| name == pair);
    found.map(|(_, verdict)| verdict).unwrap_or_else(|| panic!("no pair {pair} in {report}"))
}

#[track_caller]
fn reason(report: &Json, pair: &str) -> String {
    let pairs = report["pairs"].as_array().expect("pairs");
    let found = pairs.iter().find(|found| found["left"] == pair).unwrap_or_else(|| panic!("no pair {pair}"));
    found["reason"].to_string()
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;

    /// A process, as /proc shows it.
    struct Process {
        id: u32,
        parent: u32,
        group: u32,
        /// It has ended, and nobody has asked how.
        dead: bool,
        /// How long it has worked, in hundredths of a second.
        worked: u64,
    }

    fn all() -> Vec<Process> {
        let entries = fs::read_dir("/proc").expect("there is a /proc").filter_map(Result::ok);
        entries.filter_map(|entry| read(&entry.path())).collect()
    }

    fn read(path: &Path) -> Option<Process> {
        let id = path.file_name()?.to_str()?.parse().ok()?;
        let stat = fs::read_to_string(path.join("stat")).ok()?;
        // What follows the name, which may hold anything.
        let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        let small = |at: usize| u32::try_from(number(at)?).ok();
        let dead = fields.first() == Some(&"Z");
        Some(Process { id, parent: small(1)?, group: small(2)?, dead, worked: number(11)? })
    }

    /// `ape verify` on its way.
    struct Started {
        ape: Child,
    }

    impl Started {
        fn new(file: &Path, more: &[&str]) -> Self {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
            command.arg("verify").arg(file).args(["--format", "json", "--jobs", "1"]).args(more);
            let ape = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ape can be started");
            Started { ape }
        }

        /// A process that is in the middle of a question.
        fn busy(&mut self) -> Process {
            while self.ape.try_wait().expect("ape can be asked").is_none() {
                let all = all();
                let servers: Vec<u32> = all.iter().filter(|p| p.parent == self.ape.id()).map(|p| p.id).collect();
                let busy = |p: &Process| servers.contains(&p.parent) && p.worked >= 20;
                if let Some(found) = all.into_iter().find(busy) {
                    return found;
                }
                thread::sleep(Duration::from_millis(2));
            }
            panic!("no solver process was ever busy");
        }

        fn end(self) -> Ran {
            let output = self.ape.wait_with_output().expect("ape ends");
            let text = |bytes| String::from_utf8(bytes).expect("ape prints UTF-8");
            Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
        }
    }

    fn signal(process: &Process, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &process.id.to_string()]).status();
        assert!(sent.expect("there is a kill").success());
    }

    #[track_caller]
    fn costs_the_hard_pair_alone(ran: &Ran, cause: &str, solver: &Process) {
        assert_eq!((ran.status, ran.err.as_str()), (Some(3), ""), "{}", ran.out);
        let report = ran.json();
        assert_eq!(verdict(&report, "easy"), "equivalent");
        assert_eq!(verdict(&report, "hard"), "unknown");
        assert!(reason(&report, "hard").contains(cause), "{report:#}");
        assert!(verdict(&report, "user") == "equivalent" || reason(&report, "user").contains(cause), "{report:#}");
        none_is_left(solver);
    }

    /// Nobody but the machine decides how soon; that it never happens is what fails.
    #[track_caller]
    fn none_is_left(solver: &Process) {
        let left = || all().iter().any(|p| p.group == solver.group && !p.dead);
        for _ in 0..3_000 {
            if !left() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("solver processes are left");
    }

    #[test]
    fn a_solver_that_is_killed_costs_one_pair() {
        let file = scratch("robust-killed.l", HARD);
        let mut started = Started::new(&file, &[]);
        let solver = started.busy();
        signal(&solver, "KILL");
        costs_the_hard_pair_alone(&started.end(), "the solver process was killed (signal 9)", &solver);
    }

    #[test]
    fn a_solver_that_crashes_costs_one_pair() {
        let file = scratch("robust-crashed.l", HARD);
        let mut started = Started::new(&file, &[]);
        let solver = started.busy();
        signal(&solver, "ABRT");
        costs_the_hard_pair_alone(&started.end(), "the solver process was killed (signal 6)", &solver);
    }

    #[test]
    fn a_solver_that_hangs_costs_one_pair() {
        let file = scratch("robust-hung.l", HARD);
        let mut started = Started::new(&file, &["--timeout", "20"]);
        let solver = started.busy();
        // It does not even take the signal that is to end it when its time is over.
        signal(&solver, "STOP");
        costs_the_hard_pair_alone(&started.end(), "the solver process hung, and was killed", &solver);
    }

    #[test]
    fn no_solver_outlives_the_run() {
        let file = scratch("robust-abandoned.l", HARD);
        let mut started = Started::new(&file, &[]);
        let solver = started.busy();
        started.ape.kill().expect("ape can be killed");
        started.ape.wait().expect("ape ends");
        none_is_left(&solver);
    }
}

#[test]
fn a_solver_without_memory_costs_one_pair() {
    let file = scratch("robust-memory.l", BIG);
    let run = |memory: &str| ape(["verify", &file.to_string_lossy(), "--format", "json", "--memory", memory]);
    let bounded = run("16");
    assert_eq!((bounded.status, bounded.err.as_str()), (Some(3), ""));
    let report = bounded.json();
    assert_eq!(verdict(&report, "easy"), "equivalent");
    assert_eq!(verdict(&report, "big"), "unknown");
    assert!(reason(&report, "big").contains("the solver ran out of its memory bound of 16 MB"), "{report:#}");
    // It is the bound that makes the difference.
    assert!(!reason(&run("2048").json(), "big").contains("memory"));
}

/// Bytes that no one meant, the same each time.
fn garbage(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn scratch_bytes(name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch(name, "");
    fs::write(&path, bytes).expect("a file can be written");
    path
}

#[track_caller]
fn refused(ran: &Ran, what: &str) {
    assert_eq!(ran.status, Some(2), "{what}: {}{}", ran.out, ran.err);
    assert!(!ran.err.is_empty() && !ran.err.contains("internal error"), "{what}: {}", ran.err);
    assert!(ran.out.is_empty(), "{what}: {}", ran.out);
}

#[test]
fn garbage_is_refused() {
    let program = scratch("robust-program.l", HARD);
    for seed in 0..12 {
        let bytes = garbage(seed, 40 << (seed % 6));
        let file = scratch_bytes(&format!("robust-garbage-{seed}"), &bytes);
        let (file, program) = (file.to_string_lossy(), program.to_string_lossy());
        refused(&ape(["verify", "--format", "json", &file]), "as a pair file");
        refused(&ape(["verify", &program, &file]), "as the new version");
        refused(&ape(["run", &program, "easy", "--store", &file]), "as a store");
        // An argument ends at a zero, and is text to those who start programs.
        let word: String = bytes.iter().take(40).filter(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        refused(&ape(["verify", &program, "--proc", &word]), "as a name");
        refused(&ape([format!("--{word}")]), "as an option");
        refused(&ape(["run", &program, "easy", &format!("x{word}")]), "as an argument");
    }
}

#[test]
fn stores_that_are_nearly_right_are_refused() {
    let program = scratch("robust-stores.l", HARD);
    for text in
        ["", "{", "[]", "null", "{\"arguments\": 3}", "{\"arguments\": {\"n\": \"#1\"}}", "{\"arguments\": {\"m\": 1}}"]
    {
        let store = scratch("robust-store.json", text);
        let run = ["run", &program.to_string_lossy(), "easy", "--store", &store.to_string_lossy()].map(str::to_string);
        refused(&ape(run), text);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_verdict() {
    let program = scratch("robust-full.l", HARD.split("procedure hard").next().unwrap_or_default());
    let program = program.to_string_lossy().into_owned();
    fs::write(&program, "version a\nprocedure p() { skip; }\nversion b\nprocedure p() { skip; }\n").expect("written");
    let commands: [&[&str]; 6] = [
        &["verify", &program],
        &["verify", "--format", "json", &program],
        &["verify", "--dump", "hir", &program],
        &["check", &program],
        &["run", &program, "p", "--version", "a"],
        &["--help"],
    ];
    for command in commands {
        let full = File::options().write(true).open("/dev/full").expect("there is a /dev/full");
        let output = Command::new(env!("CARGO_BIN_EXE_ape")).args(command).stdout(full).output().expect("ape starts");
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(74), "{command:?}: {complaint}");
        assert!(complaint.contains("cannot write the output"), "{command:?}: {complaint}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn fmt_loses_nothing_when_a_file_cannot_be_written() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("robust-fmt");
    fs::create_dir_all(&dir).expect("a directory can be made");
    let untidy = format!("procedure p() {{ {} }}", "skip;".repeat(2000));
    let file = dir.join("untidy.l");
    File::create(&file).and_then(|mut file| file.write_all(untidy.as_bytes())).expect("a file can be written");
    // No process of this shell may write a file of more than 4 KiB: what is written breaks off in the middle.
    let line = format!("ulimit -f 4; exec {} fmt untidy.l", env!("CARGO_BIN_EXE_ape"));
    let output = Command::new("bash").args(["-c", &line]).current_dir(&dir).output().expect("there is a shell");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(74), "{complaint}");
    assert!(complaint.contains("cannot write untidy.l"), "{complaint}");
    assert_eq!(fs::read_to_string(&file).expect("the file is there"), untidy);
    let left = fs::read_dir(&dir).expect("the directory is there").count();
    assert_eq!(left, 1, "nothing but the file is there");
}
