//! What the tests that run the real binary share: running it, and finding programs to run it on.

// Each test file is a crate of its own and uses a part of this.
#![allow(dead_code, unused_imports)]

pub(crate) mod browser;
pub(crate) mod counterexample;
pub(crate) mod debian;
pub(crate) mod golden;
pub(crate) mod objects;
pub(crate) mod program;
pub(crate) mod relation;
pub(crate) mod server;
pub(crate) mod services;
pub(crate) mod shape;
pub(crate) mod transcript;

pub(crate) use program::programs;

use lang_l::ast::{File, Item};
use lang_l::{parse, print, source::FileId};
use libtest_mimic::Failed;
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many processes run at once.
const WORKERS: usize = 2;
/// Stack of a thread that verifies, in bytes; as `ape` has it.
const STACK: usize = 512 << 20;

/// What a run of `ape` did.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// What it printed, which must be one JSON object and nothing else.
    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        let json = serde_json::from_str(&self.out);
        json.unwrap_or_else(|error| panic!("{error}\nstdout:\n{}\nstderr:\n{}", self.out, self.err))
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `ape` at the root of the repository.
pub(crate) fn ape<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_ape"))
        .current_dir(root())
        .args(args)
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("ape can be started");
    let text = |bytes| String::from_utf8(bytes).expect("ape prints UTF-8");
    Ran { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// `ape verify --format json` on these files.
pub(crate) fn verify(files: &[&Path], more: &[&str]) -> Ran {
    let mut args: Vec<&std::ffi::OsStr> = vec!["verify".as_ref()];
    args.extend(files.iter().map(|file| file.as_os_str()));
    args.extend(["--format", "json", "--jobs", "1"].map(std::ffi::OsStr::new));
    args.extend(more.iter().map(std::ffi::OsStr::new));
    ape(args)
}

/// Does something with each item, on a few threads, and returns all complaints in order.
pub(crate) fn each<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) -> Vec<String> {
    let next = Mutex::new(0..items.len());
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let at = next.lock().expect("no worker has failed").next();
                    let Some(at) = at else { break };
                    let complaints = check(&items[at]);
                    found.lock().expect("no worker has failed").push((at, complaints));
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no worker has failed");
    found.sort();
    found.into_iter().flat_map(|(_, complaints)| complaints).collect()
}

/// The two versions of a pair file as programs of their own, without what the file says of pairs.
pub(crate) fn versions(file: &Path) -> Option<[String; 2]> {
    let text = fs::read_to_string(file).expect("a program can be read");
    let parsed = parse::parse(FileId(0), &text);
    assert!(parsed.diagnostics.is_empty(), "{}: {:?}", file.display(), parsed.diagnostics);
    let File { shared, versions } = parsed.file;
    let alone = |items: &[Item]| {
        let mut all: Vec<Item> = shared.iter().chain(items).cloned().collect();
        all.retain(|item| !matches!(item, Item::Equiv(_)));
        print::print(&File { shared: all, versions: Vec::new() }, &[])
    };
    match versions.as_slice() {
        [left, right] => Some([alone(&left.items), alone(&right.items)]),
        _ => None,
    }
}

/// The verdicts of a report, by the names of its pairs.
pub(crate) fn verdicts(report: &Json) -> Vec<(String, String)> {
    let pairs = report["pairs"].as_array().expect("pairs");
    let verdict = |pair: &Json| pair["verdict"].as_str().expect("a text").to_string();
    pairs.iter().map(|pair| (program::reported_name(pair), verdict(pair))).collect()
}

/// A file in the tests' own directory. It is there at once as a whole: another test may read one of the same name and text.
pub(crate) fn scratch(name: &str, text: &str) -> PathBuf {
    static MADE: AtomicUsize = AtomicUsize::new(0);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let own = format!("{name}.{}.{}", process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let unfinished = path.with_file_name(own.rsplit('/').next().unwrap_or(&own));
    fs::write(&unfinished, text).expect("a file can be written");
    fs::rename(&unfinished, &path).expect("a file can be named");
    path
}

/// Does something on a thread with a stack that is large enough to verify.
pub(crate) fn on_a_large_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(STACK).spawn(run).expect("a thread can be made");
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The end of a test that found this wrong.
pub(crate) fn complain(wrong: Vec<String>) -> Result<(), Failed> {
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
