//! `--watch`: the real binary, while files change under it.
//!
//! Whatever is waited for is a line of its output. How long that takes is not looked at, but for a bound far beyond what it takes.

mod common;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// After so long what is waited for will not come.
const LONGEST: Duration = Duration::from_secs(60);
/// What is printed when a run is over.
const WAITING: &str = "---- waiting for changes; Ctrl-C ends ----";

/// Two versions that return these values.
fn pair(name: &str, left: &str, right: &str) -> String {
    let procedure = |value| format!("procedure {name}(x: int) returns (r: int) {{ return {value}; }}");
    format!("version a\n{}\nversion b\n{}\n", procedure(left), procedure(right))
}

/// A pair that takes much longer than any test: its terms grow without end.
fn endless() -> String {
    let steps = "if (y.f > i) { x.f := x.f + y.f / (x.f + i); }\n".repeat(200);
    let version = |name: &str, last: &str| {
        format!("version {name} procedure slow(x, y: ref, i: int) returns (r: int) {{ {steps} {last} }}\n")
    };
    version("a", "r := x.f + x.f;") + &version("b", "r := 2 * x.f;")
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("watch-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Writes a file as some editors do: over the old one. All at once, and with spaces up to one size: else it might be read half written.
fn write(path: &Path, text: &str) {
    let file = File::options().create(true).write(true).truncate(false).open(path);
    let written = file.and_then(|file| file.write_all_at(format!("{text:<32768}").as_bytes(), 0));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Writes a file as most editors do: beside the old one, and then in its place.
fn replace(path: &Path, text: &str) {
    let beside = path.with_extension("swp");
    write(&beside, text);
    fs::rename(&beside, path).expect("a file can be replaced");
}

/// A running `ape`.
struct Watching {
    child: Child,
    lines: Receiver<String>,
    complaints: Receiver<String>,
}

/// What comes out, line by line, from a thread of its own.
fn lines_of(out: impl Read + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    thread::spawn(move || BufReader::new(out).lines().map_while(Result::ok).try_for_each(|line| send.send(line)));
    lines
}

/// All lines until this one, which must come.
#[track_caller]
fn until(lines: &Receiver<String>, last: &str) -> Vec<String> {
    let mut before = Vec::new();
    loop {
        match lines.recv_timeout(LONGEST) {
            Ok(line) if line == last => return before,
            Ok(line) => before.push(line),
            Err(error) => panic!("`{last}`: {error} after\n{}", before.join("\n")),
        }
    }
}

impl Watching {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command
            .current_dir(folder)
            .args(args)
            .env_remove("CLICOLOR_FORCE")
            .env("XDG_CACHE_HOME", folder.join(".cache"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ape can be started");
        let lines = lines_of(child.stdout.take().expect("it is piped"));
        let complaints = lines_of(child.stderr.take().expect("it is piped"));
        Watching { child, lines, complaints }
    }

    /// All lines of its output until this one, which must come.
    #[track_caller]
    fn until(&self, last: &str) -> Vec<String> {
        until(&self.lines, last)
    }

    /// Waits until it has worked for a second: then it has read its files, and the easy ones are decided.
    #[track_caller]
    fn works(&self) {
        let (start, before) = (Instant::now(), self.worked());
        thread::sleep(Duration::from_secs(1));
        // Where there is no such file, a second must do.
        while self.worked().zip(before).is_some_and(|(now, before)| now < before + 100) {
            assert!(start.elapsed() < LONGEST, "it does not work");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The time of a processor that it has had, in hundredths of a second.
    fn worked(&self) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name of the program is in parentheses; the times of user and system are the 12th and 13th after it.
        let (_, fields) = stat.rsplit_once(')')?;
        Some(fields.split_whitespace().skip(11).take(2).filter_map(|time| time.parse::<u64>().ok()).sum())
    }

    /// Ctrl-C. The status, the rest of the output, and the complaints.
    fn interrupt(mut self) -> (Option<i32>, Vec<String>, String) {
        let process = Pid::from_raw(i32::try_from(self.child.id()).expect("process ids are small"));
        kill(process, Signal::SIGINT).expect("it can be interrupted");
        let status = self.child.wait().expect("it ends");
        (status.code(), self.lines.iter().collect(), self.complaints.iter().collect::<Vec<_>>().join("\n"))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // After a test that failed; else it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const EQUIVALENT: &str = "equivalent (1 pair: 1 equivalent)";
const DIFFERENT: &str = "not-equivalent (1 pair: 1 not-equivalent)";

#[test]
fn a_file_is_verified_again_however_it_changes() {
    let folder = folder("verify");
    let file = folder.join("a.l");
    write(&file, &pair("p", "x + 1", "1 + x"));
    let ape = Watching::start(&folder, &["verify", "--watch", "a.l"]);
    assert_eq!(ape.until(WAITING).last().map(String::as_str), Some(EQUIVALENT));
    let changed = |verdict: &[&str]| {
        assert_eq!(ape.until("---- changed: a.l ----"), [""; 0]);
        let lines = ape.until(WAITING);
        assert_eq!(lines.last().map(String::as_str), verdict.first().copied(), "{lines:?}");
    };
    write(&file, &pair("p", "x + 1", "2 + x"));
    changed(&[DIFFERENT]);
    replace(&file, &pair("p", "x + 1", "x - (-1)"));
    changed(&[EQUIVALENT]);
    replace(&file, "version a procedure p( {");
    changed(&[]);
    write(&file, &pair("p", "x", "x + x"));
    changed(&[DIFFERENT]);
    fs::remove_file(&file).expect("a file can be removed");
    changed(&[]);
    // What is beside it is no change.
    write(&folder.join("b.l"), "no program");
    write(&file, &pair("p", "x + x", "2 * x"));
    changed(&[EQUIVALENT]);
    let (status, rest, complaints) = ape.interrupt();
    assert_eq!((status, rest.len()), (Some(0), 0));
    assert!(complaints.contains("a.l:1:") && complaints.contains("cannot read a.l"), "{complaints}");
}

#[test]
fn a_folder_may_go_and_come_again() {
    let folder = folder("folder");
    let (inside, aside) = (folder.join("in/side"), folder.join("aside"));
    fs::create_dir_all(&inside).expect("a folder can be made");
    write(&inside.join("a.l"), &pair("p", "x", "x"));
    let ape = Watching::start(&folder, &["verify", "--watch", "in/side/a.l"]);
    assert_eq!(ape.until(WAITING).last().map(String::as_str), Some(EQUIVALENT));
    fs::rename(folder.join("in"), &aside).expect("a folder can be renamed");
    ape.until("---- changed: in/side/a.l ----");
    assert_eq!(ape.until(WAITING), [""; 0]);
    write(&aside.join("side/a.l"), &pair("p", "x", "x + 1"));
    fs::rename(&aside, folder.join("in")).expect("a folder can be renamed");
    ape.until("---- changed: in/side/a.l ----");
    assert_eq!(ape.until(WAITING).last().map(String::as_str), Some(DIFFERENT));
    assert_eq!(ape.interrupt().0, Some(1));
}

#[test]
fn what_a_link_leads_to_is_watched() {
    let folder = folder("link");
    fs::create_dir(folder.join("real")).expect("a folder can be made");
    let real = folder.join("real/a.l");
    write(&real, &pair("p", "x", "x"));
    symlink(&real, folder.join("link.l")).expect("a link can be made");
    let ape = Watching::start(&folder, &["verify", "--watch", "link.l"]);
    ape.until(WAITING);
    replace(&real, &pair("p", "x", "x + 1"));
    ape.until("---- changed: link.l ----");
    assert_eq!(ape.until(WAITING).last().map(String::as_str), Some(DIFFERENT));
    assert_eq!(ape.interrupt().0, Some(1));
}

#[test]
fn work_on_a_text_that_is_gone_is_stopped() {
    let folder = folder("overtaken");
    let (slow, quick) = (folder.join("slow.l"), folder.join("quick.l"));
    write(&slow, &endless());
    write(&quick, &pair("p", "x", "x"));
    let files = ["--timeout", "100000", "--jobs", "2", "slow.l", "quick.l"];
    let ape = Watching::start(&folder, &[&["verify", "--watch"], &files[..]].concat());
    ape.works();
    write(&slow, &pair("slow", "x", "x"));
    assert_eq!(ape.until("---- changed: slow.l ----"), [""; 0]);
    assert!(ape.until(WAITING).contains(&"equivalent (2 pairs: 2 equivalent)".to_string()));
    write(&slow, &endless());
    ape.until("---- changed: slow.l ----");
    // Ctrl-C while it works: what is decided is told, and the rest is not.
    ape.works();
    let (status, rest, _) = ape.interrupt();
    assert_eq!(status, Some(3), "{rest:?}");
    assert!(rest.contains(&"unknown (2 pairs: 1 equivalent, 1 unknown)".to_string()), "{rest:?}");
}

#[test]
fn of_a_suite_only_what_has_changed_is_tested_again() {
    let folder = folder("test");
    fs::create_dir_all(folder.join("more")).expect("a folder can be made");
    write(&folder.join("a.l"), &format!("// expect: p equivalent\n{}", pair("p", "x", "x")));
    write(&folder.join("b.l"), &format!("// expect: q equivalent\n{}", pair("q", "x", "x + 1")));
    let ape = Watching::start(&folder, &["test", "--watch", "--no-cache"]);
    let tested = |is: &[&str]| {
        let lines = ape.until(WAITING);
        let told: Vec<&String> = lines.iter().filter(|line| !line.starts_with("     ")).collect();
        assert_eq!(told, is, "{lines:?}");
    };
    let (good, bad) = ("ok     a.l  p: equivalent", "worse  b.l  q: not-equivalent, expected equivalent");
    tested(&[good, bad, "2 pairs in 2 files: 1 as expected, 1 worse"]);
    // What makes the run fail is told again, and what is good and old is not.
    let third = folder.join("more/c.l");
    replace(&third, &pair("r", "x", "x"));
    ape.until("---- changed: more/c.l ----");
    tested(&[bad, "new    more/c.l  r: equivalent", "3 pairs in 3 files: 1 as expected, 1 worse, 1 new"]);
    replace(&folder.join("b.l"), &format!("// expect: q equivalent\n{}", pair("q", "x + 1", "1 + x")));
    ape.until("---- changed: b.l ----");
    tested(&["ok     b.l  q: equivalent", "3 pairs in 3 files: 2 as expected, 1 new"]);
    fs::remove_file(&third).expect("a file can be removed");
    ape.until("---- changed: more/c.l ----");
    tested(&["2 pairs in 2 files: 2 as expected"]);
    write(&folder.join("a.l"), "version a procedure");
    ape.until("---- changed: a.l ----");
    tested(&["failed a.l", "1 pair in 1 file: 1 as expected; 1 file could not be tested"]);
    replace(&folder.join("ape.toml"), "[test]\nno-such-option = 1\n");
    ape.until("---- changed: a.l, ape.toml, b.l ----");
    tested(&[]);
    replace(&folder.join("ape.toml"), "[test]\npaths = [\"b.l\"]\n");
    ape.until("---- changed: ape.toml, b.l ----");
    tested(&["ok     b.l  q: equivalent", "1 pair in 1 file: 1 as expected"]);
    assert_eq!(ape.interrupt().0, Some(0));
}

#[test]
fn differences_are_looked_for_again() {
    let folder = folder("diff");
    let file = folder.join("a.l");
    write(&file, &pair("p", "x", "x + 1"));
    let ape = Watching::start(&folder, &["diff", "--watch", "a.l"]);
    let lines = ape.until(WAITING);
    assert!(lines.first().is_some_and(|line| line.starts_with("p: ")), "{lines:?}");
    replace(&file, &pair("p", "x", "x + 0"));
    ape.until("---- changed: a.l ----");
    let lines = ape.until(WAITING);
    assert!(lines.first().is_some_and(|line| line.contains("equal")), "{lines:?}");
    assert_eq!(ape.interrupt().0, Some(0));
}

#[test]
fn output_for_machines_has_no_lines_of_ours() {
    let folder = folder("json");
    write(&folder.join("a.l"), &pair("p", "x", "x"));
    let ape = Watching::start(&folder, &["verify", "--watch", "--format", "json", "a.l"]);
    let mut text = ape.until("}").join("\n");
    text.push_str("\n}");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is one object");
    assert_eq!(json["pairs"][0]["verdict"], "equivalent");
    // The line between the runs is not among the output.
    assert_eq!(until(&ape.complaints, WAITING), [""; 0]);
    let (status, rest, complaints) = ape.interrupt();
    assert_eq!((status, rest.len(), complaints.as_str()), (Some(0), 0, ""));
}

#[test]
fn what_cannot_be_watched_is_refused() {
    for args in [
        &["verify", "--watch", "-"][..],
        &["verify", "--watch", "--format", "html", "examples/swap.l"],
        &["verify", "--watch", "--dump", "paths", "examples/swap.l"],
        &["test", "--watch", "--bless"],
        &["test", "--watch", "--format", "junit"],
        &["test", "--watch", "--filter", "nme(x)"],
    ] {
        let ran = common::ape(args);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{args:?}: {}", ran.err);
    }
}
