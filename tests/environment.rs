//! What `ape` needs of the machine it runs on, and what it does when the machine fails it.
//!
//! An installed binary needs nothing of its build. What the environment breaks ends in status 74. What a killed process
//! leaves behind is cleared away.

use serde_json::Value as Json;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PAIR: &str = "version a\nprocedure p(n: int) returns (r: int) { r := n + n; }\n\
                    version b\nprocedure p(n: int) returns (r: int) { r := 2 * n; }\n";

/// A directory of its own for each test, empty.
fn scratch(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("environment-{test}"));
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("an old directory can be removed");
    }
    fs::create_dir_all(&dir).expect("a directory can be made");
    dir
}

/// A program, in a directory; without what cargo sets so that tests find libraries.
fn program(file: impl AsRef<Path>, dir: &Path, args: &str) -> Command {
    let mut command = Command::new(file.as_ref());
    command.current_dir(dir).args(args.split_whitespace());
    for variable in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "CLICOLOR_FORCE", "NO_COLOR"] {
        command.env_remove(variable);
    }
    command
}

fn ape(dir: &Path, args: &str) -> Command {
    program(env!("CARGO_BIN_EXE_ape"), dir, args)
}

/// `ape` in a shell that has set limits before.
fn limited(dir: &Path, limits: &str, args: &str) -> Command {
    let mut shell = program("bash", dir, "-c");
    shell.arg(format!("{limits}; exec {} {args}", env!("CARGO_BIN_EXE_ape")));
    shell
}

#[track_caller]
fn ends(command: &mut Command, status: i32) -> [String; 2] {
    let Output { status: ended, stdout, stderr } = command.output().expect("ape can be started");
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).expect("ape prints UTF-8"));
    assert_eq!(ended.code(), Some(status), "\nstdout:\n{out}\nstderr:\n{err}");
    [out, err]
}

#[track_caller]
fn holds(text: &str, part: &str) {
    assert!(text.contains(part), "no {part:?} in:\n{text}");
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The library that `ape doctor` says is loaded, where the system tells.
fn loaded(ape: &Path, dir: &Path) -> Option<PathBuf> {
    let [out, _] = ends(&mut program(ape, dir, "doctor"), 0);
    let line = out.lines().find(|line| line.starts_with("ok    Z3 library: ")).expect("a line on the library");
    Some(PathBuf::from(line.split_once("loaded from ")?.1))
}

/// By another process: what this one has open for writing, a program that another test starts holds open too for a moment, and what is
/// open for writing cannot be run.
fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg(from).arg(to).status().is_ok_and(|done| done.success()), "{}", from.display());
}

#[test]
fn an_installed_binary_needs_nothing_of_its_build() {
    let dir = scratch("installed");
    let ape = dir.join("bin/ape");
    fs::create_dir_all(dir.join("bin")).expect("a directory can be made");
    copy(Path::new(env!("CARGO_BIN_EXE_ape")), &ape);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target directory");
    let target = fs::canonicalize(target).expect("it is there");
    match loaded(&ape, &dir) {
        // Where nothing can be written in the home directory, the build says so, and keeps the library.
        Some(library) if library.starts_with(&target) => eprintln!("the build keeps {}", library.display()),
        Some(library) => assert!(library.is_file(), "{}", library.display()),
        None => eprintln!("this system does not tell which library is loaded"),
    }
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    let [out, _] = ends(&mut program(&ape, &dir, "verify a.l"), 0);
    holds(&out, "p: equivalent");
}

#[test]
fn a_library_beside_the_binary_moves_with_it() {
    let dir = scratch("moved");
    let Some(library) = loaded(Path::new(env!("CARGO_BIN_EXE_ape")), &dir) else { return };
    for place in ["bin", "lib"] {
        let root = dir.join(format!("first-{place}"));
        for part in ["bin", "lib"] {
            fs::create_dir_all(root.join(part)).expect("a directory can be made");
        }
        copy(Path::new(env!("CARGO_BIN_EXE_ape")), &root.join("bin/ape"));
        let name = library.file_name().expect("a library has a name");
        fs::copy(&library, root.join(place).join(name)).expect("the library can be copied");
        let moved = dir.join(format!("second-{place}"));
        fs::rename(&root, &moved).expect("it can be moved");
        let now = loaded(&moved.join("bin/ape"), &dir).expect("the system tells");
        assert_eq!(
            fs::canonicalize(now).expect("it is there"),
            fs::canonicalize(moved.join(place).join(name)).expect("too")
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_status_74() {
    let dir = scratch("full");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    for args in
        ["verify a.l", "verify a.l --format json", "verify a.l --dump paths", "check a.l", "--help", "--version"]
    {
        let full = File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
        let output = ape(&dir, args).stdout(full).output().expect("ape can be started");
        assert_eq!(output.status.code(), Some(74), "{args}");
        holds(&String::from_utf8_lossy(&output.stderr), "cannot write the output: No space left on device");
    }
}

#[test]
fn a_certificate_that_cannot_be_written_is_status_74() {
    let dir = scratch("unwritable");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    // A file stands where a directory would have to be; that is so for root too.
    let [_, err] = ends(&mut ape(&dir, "verify a.l --certificate a.l/proofs"), 74);
    holds(&err, "cannot write a.l/proofs");
}

#[cfg(target_os = "linux")]
#[test]
fn no_memory_for_a_thread_is_status_74() {
    let dir = scratch("threads");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    let [_, err] = ends(&mut limited(&dir, "ulimit -v 400000", "verify a.l"), 74);
    holds(&err, "cannot start a thread");
}

#[test]
fn no_number_of_jobs_is_too_many() {
    let dir = scratch("jobs");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    let [out, err] = ends(&mut ape(&dir, "verify a.l --jobs 100000"), 0);
    holds(&out, "p: equivalent");
    assert_eq!(err, "");
}

#[cfg(target_os = "linux")]
#[test]
fn files_that_may_not_grow_are_like_a_full_disk() {
    let dir = scratch("size");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    // No file may have more than 1 KiB; the signal that tells of it would end the process.
    let [_, err] = ends(&mut limited(&dir, "ulimit -f 1", "verify a.l --certificate proofs"), 74);
    holds(&err, "cannot write proofs: File too large");
    assert_eq!(names(&dir), ["a.l"], "nothing is left lying around");
}

/// The number of a process that is no more.
fn dead() -> u32 {
    let mut child = Command::new("true").spawn().expect("there is a `true`");
    child.wait().expect("it ends");
    child.id()
}

#[test]
fn what_a_killed_process_left_is_cleared_away() {
    let dir = scratch("stale");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    ends(&mut ape(&dir, "verify a.l --certificate proofs"), 0);
    // It was killed after it moved the old certificate away, and before it put the new one in its place.
    fs::rename(dir.join("proofs"), dir.join(format!("proofs.old-{}", dead()))).expect("it can be moved");
    let half = dir.join(format!("proofs.new-{}", dead()));
    fs::create_dir(&half).expect("a directory can be made");
    fs::write(half.join("source-0.l"), "version").expect("a file can be written");
    // These are not ours, or of a process that lives.
    let others = ["proofs.new-1", "proofs.new-x"].map(|name| dir.join(name));
    others.iter().for_each(|other| fs::create_dir(other).expect("a directory can be made"));
    let foreign = dir.join(format!("proofs.old-{}", dead()));
    fs::create_dir(&foreign).expect("a directory can be made");
    fs::write(foreign.join("thesis.tex"), "").expect("a file can be written");

    ends(&mut ape(&dir, "verify a.l --certificate proofs"), 0);
    let foreign = foreign.file_name().expect("it has a name").to_string_lossy().into_owned();
    let mut expected = vec!["a.l".to_string(), "proofs".into(), "proofs.new-1".into(), "proofs.new-x".into(), foreign];
    expected.sort();
    assert_eq!(names(&dir), expected);
    ends(&mut ape(&dir, "replay proofs a.l"), 0);
}

#[test]
fn fmt_clears_away_what_it_left() {
    let dir = scratch("stale-fmt");
    fs::write(dir.join("a.l"), "procedure  p(){}").expect("a file can be written");
    for name in [format!(".a.l.ape-{}", dead()), ".a.l.ape-1".to_string()] {
        fs::write(dir.join(name), "").expect("a file can be written");
    }
    ends(&mut ape(&dir, "fmt a.l"), 0);
    assert_eq!(names(&dir), [".a.l.ape-1", "a.l"]);
}

#[test]
fn standard_input_is_read_once() {
    let dir = scratch("stdin");
    fs::write(dir.join("a.l"), PAIR).expect("a file can be written");
    let with_input = |args: &str| {
        let mut child = ape(&dir, args);
        let mut child =
            child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ape starts");
        // A run that does not read its input closes it early.
        let _ = child.stdin.take().expect("it is piped").write_all(PAIR.as_bytes());
        let output = child.wait_with_output().expect("ape ends");
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).expect("ape prints UTF-8"))
    };
    let (status, text) = with_input("verify -");
    assert_eq!(status, Some(0), "{text}");
    holds(&text, "p: equivalent");
    let (status, text) = with_input("stability - --runs 1");
    assert_eq!(status, Some(0), "{text}");
    holds(&text, "standard input: no verdict wavers");
    for twice in ["verify - -", "check - a.l -", "fmt - -", "run - p --store -"] {
        let (status, text) = with_input(twice);
        assert_eq!(status, Some(2), "{twice}: {text}");
        holds(&text, "standard input can be read only once");
    }
    for command in ["verify", "check", "fmt", "run", "stability", "replay"] {
        holds(&help(&dir, command), "`-` is standard input");
    }
}

/// The help of a command, with a space wherever it has a line end.
fn help(dir: &Path, command: &str) -> String {
    let [out, _] = ends(&mut ape(dir, &format!("{command} --help")), 0);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_statuses_are_in_the_help() {
    let help = help(&scratch("help"), "verify");
    for part in ["70 a bug", "74 the environment", "Ctrl-C"] {
        holds(&help, part);
    }
}

/// Runs `ape` with a terminal of so many columns, and returns what the terminal was told.
#[cfg(target_os = "linux")]
fn in_terminal(dir: &Path, columns: u16, args: &str) -> Option<String> {
    let line = format!("stty rows 40 cols {columns}; {} {args}", env!("CARGO_BIN_EXE_ape"));
    let mut script = program("script", dir, "-q -e -c");
    let output = script.arg(line).arg("/dev/null").env("NO_COLOR", "1").output().ok()?;
    Some(String::from_utf8(output.stdout).expect("ape prints UTF-8").replace('\r', ""))
}

#[cfg(target_os = "linux")]
#[test]
fn tables_and_markers_fit_into_a_narrow_terminal() {
    let dir = scratch("narrow");
    let pair = "version beforeTheChange\nprocedure p(x: ref, amount: int) returns (total: int) \
                { total := amount * 12 + 34 + 56 + 78 + 90 + 12 + 34; }\n\
                version afterTheChange\nprocedure p(x: ref, amount: int) returns (total: int) \
                { total := amount * 12 + 34 + 56 + 78 + 90 + 12 + x.value; }\n";
    fs::write(dir.join("a.l"), pair).expect("a file can be written");
    fs::write(dir.join("bad.l"), "procedure p(number: int) returns (other: bool) { other := number + number; }\n")
        .expect("a file can be written");
    for (args, marker) in [("verify a.l", '|'), ("verify a.l", '^'), ("check bad.l", '│')] {
        let Some(text) = in_terminal(&dir, 50, args) else { return eprintln!("there is no `script` here") };
        assert!(text.contains(marker), "{args}:\n{text}");
        for line in text.lines().filter(|line| line.contains(marker)) {
            assert!(line.chars().count() <= 50, "{args}:\n{text}");
        }
    }
}

/// A pair that takes minutes.
fn slow() -> String {
    let steps = "if (y.f > i) { x.f := x.f + y.f / (x.f + i); } ".repeat(200);
    let version = |last: &str| format!("procedure slow(x, y: ref, i: int) returns (r: int) {{ {steps} {last} }}\n");
    format!("version a\n{}version b\n{}", version("r := x.f + x.f;"), version("r := 2 * x.f;"))
}

/// Waits until a process takes interrupts itself, where the system tells.
fn is_interruptible(process: u32) {
    for _ in 0..3_000 {
        let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { return };
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        // A bit for each signal; an interrupt is number 2.
        if caught.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).is_some_and(|set| set & 2 != 0) {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Starts `ape`, asks it to end so many seconds after it has begun, and waits for it.
fn interrupted(dir: &Path, args: &str, seconds: u64) -> (Option<i32>, String, Duration) {
    let child = ape(dir, args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ape starts");
    is_interruptible(child.id());
    thread::sleep(Duration::from_secs(seconds));
    let asked = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("there is a `kill`").success(), "it was still at work");
    let output = child.wait_with_output().expect("ape ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code(), String::from_utf8(output.stdout).expect("ape prints UTF-8"), asked.elapsed())
}

#[test]
fn an_interrupt_reports_what_is_decided() {
    let dir = scratch("interrupt");
    fs::write(dir.join("easy.l"), PAIR).expect("a file can be written");
    fs::write(dir.join("slow.l"), slow()).expect("a file can be written");
    // On a machine that is busy it takes a while until anything is decided.
    for seconds in [3, 10, 30] {
        let (status, text, took) = interrupted(&dir, "verify easy.l slow.l --jobs 1 --timeout 600", seconds);
        assert_eq!(status, Some(3), "{text}");
        assert!(took < Duration::from_secs(10), "{took:?}");
        holds(&text, "slow: unknown");
        holds(&text, "interrupted");
        if text.contains("p: equivalent") {
            break;
        }
        assert!(seconds < 30, "nothing was decided:\n{text}");
    }
    let (status, text, _) = interrupted(&dir, "verify slow.l --format json --timeout 600", 2);
    assert_eq!(status, Some(3), "{text}");
    let report: Json = serde_json::from_str(&text).expect("one JSON object");
    assert_eq!((&report["verdict"], &report["stopped"]), (&"unknown".into(), &"interrupted".into()), "{text}");
}
