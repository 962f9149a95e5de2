//! `ape test` with a cache that several runs share: in a real Redis, at a real `WebDAV` server, in a folder. Work is shared, nobody
//! is waited for in vain, and no verdict depends on what is kept.
//!
//! Where the servers are not there and cannot be installed, the tests that need them are shown as ignored.

mod common;

use common::objects;
use common::services::{self, Service};
use common::{Ran, ape};
use lang_l::random::Random;
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How many pairs are shared.
const PAIRS: usize = 400;
/// And how many where no server is asked.
const FEW: usize = 100;
/// How long a run may take whose cache is gone, slow or lies, and one that must wait until another is taken for dead.
const BOUND: Duration = Duration::from_secs(60);
/// A secret that must be seen nowhere.
const SECRET: &str = "hidden-7301";

type Test = fn() -> Result<(), Failed>;

fn main() -> ExitCode {
    let with_servers: [(&str, Test); 7] = [
        ("two_runs_share_a_redis", two_runs_share_a_redis),
        ("two_runs_share_a_webdav_server", two_runs_share_a_webdav_server),
        ("a_run_that_is_killed_is_replaced", a_run_that_is_killed_is_replaced),
        ("a_redis_that_goes_midway_costs_time_alone", a_redis_that_goes_midway_costs_time_alone),
        ("a_server_that_is_silent_costs_time_alone", a_server_that_is_silent_costs_time_alone),
        ("a_redis_that_is_full_costs_time_alone", a_redis_that_is_full_costs_time_alone),
        ("secrets_are_told_to_the_server_alone", secrets_are_told_to_the_server_alone),
    ];
    let alone: [(&str, Test); 5] = [
        ("two_runs_share_object_storage", two_runs_share_object_storage),
        ("two_runs_share_a_folder", two_runs_share_a_folder),
        ("no_verdict_follows_what_is_kept", no_verdict_follows_what_is_kept),
        ("no_claim_is_waited_for_in_vain", no_claim_is_waited_for_in_vain),
        ("addresses_are_understood_or_refused", addresses_are_understood_or_refused),
    ];
    let are_there = services::are_there();
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(with_servers.map(|(name, run)| Trial::test(name, run).with_ignored_flag(!are_there)));
    trials.extend(alone.map(|(name, run)| Trial::test(name, run)));
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A folder of its own with so many pairs, of which every third differs.
fn pairs(name: &str, pairs: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    for at in 0..pairs {
        let more = if at.is_multiple_of(3) { "r := r + 1; " } else { "" };
        let old = format!("procedure p{at}(x, n: int) returns (r: int) {{ y := new(); y.v := n + {at}; r := y.v; }}");
        let new = format!("procedure p{at}(x, n: int) returns (r: int) {{ r := {at} + n; {more}}}");
        let text = format!("version 0\n{old}\nversion 1\n{new}\n");
        fs::write(folder.join(format!("{at:03}.l")), text).expect("a file can be written");
    }
    folder
}

/// `ape test --format json-lines` of a folder, not yet at its end.
struct Run {
    process: Child,
    lines: BufReader<std::process::ChildStdout>,
    out: String,
}

impl Run {
    fn start(folder: &Path, cache: &str, more: &[&str]) -> Self {
        Run::start_at("", folder, cache, more)
    }

    /// The same, with object storage at an address.
    fn start_at(endpoint: &str, folder: &Path, cache: &str, more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command.arg("test").arg(folder).args(["--format", "json-lines"]).args(more);
        command.args(if cache.is_empty() { vec!["--no-cache"] } else { vec!["--cache", cache] });
        command.env_remove("APE_CACHE").env("APE_CACHE_PASSWORD", SECRET);
        command.env("AWS_ACCESS_KEY_ID", "somebody").env("AWS_SECRET_ACCESS_KEY", SECRET);
        command.env("AWS_ENDPOINT_URL", endpoint).env_remove("AWS_REGION").env_remove("AWS_DEFAULT_REGION");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("ape can be started");
        let lines = BufReader::new(process.stdout.take().expect("it is piped"));
        Run { process, lines, out: String::new() }
    }

    /// Waits for so many results.
    fn results(&mut self, number: usize) {
        for _ in 0..number {
            self.lines.read_line(&mut self.out).expect("it is UTF-8");
        }
    }

    fn kill(mut self) {
        self.process.kill().expect("it goes on");
        self.process.wait().expect("it has ended");
    }

    fn end(mut self) -> Told {
        self.lines.read_to_string(&mut self.out).expect("it is UTF-8");
        let output = self.process.wait_with_output().expect("it has ended");
        let err = String::from_utf8(output.stderr).expect("ape prints UTF-8");
        let mut lines: Vec<Json> =
            self.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
        let summary = lines.pop().expect("there is a summary");
        assert_eq!(summary["type"], "summary");
        let verdict = |line: &Json| (line["pair"].to_string(), line["verdict"].to_string());
        Told {
            verdicts: lines.iter().map(verdict).collect(),
            proved: lines.iter().filter(|line| line["cached"] == false).count(),
            status: output.status.code(),
            err,
        }
    }
}

/// What a run told.
struct Told {
    verdicts: BTreeMap<String, String>,
    /// How many pairs did not come from the cache.
    proved: usize,
    status: Option<i32>,
    err: String,
}

impl Told {
    /// The verdicts are those of a run without a cache.
    #[track_caller]
    fn is_like(&self, fresh: &Told) {
        assert_eq!((&self.verdicts, self.status), (&fresh.verdicts, fresh.status));
    }

    /// One line was said of the cache, and none of it is secret.
    #[track_caller]
    fn warns_once(&self) {
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
        assert!(self.err.contains(" cache at ") && !self.err.contains(SECRET), "{}", self.err);
    }
}

fn fresh(folder: &Path) -> Told {
    let told = Run::start(folder, "", &[]).end();
    assert_eq!(told.proved, told.verdicts.len());
    told
}

/// Two runs at once have all verdicts, and together have proved each pair once. A third has nothing to prove.
fn shared_by_two(name: &str, cache: &str, endpoint: &str, number: usize) {
    let folder = pairs(name, number);
    let fresh = fresh(&folder);
    let start = || Run::start_at(endpoint, &folder, cache, &[]);
    let runs = [(); 2].map(|()| start());
    // At once: a run that nobody listens to waits, and the other for it.
    let told =
        thread::scope(|scope| runs.map(|run| scope.spawn(|| run.end())).map(|run| run.join().expect("it has ended")));
    for one in &told {
        one.is_like(&fresh);
        assert_eq!(one.err, "");
    }
    // Whoever is first at a slow object storage may claim all that is there; elsewhere the work is shared.
    let fair = told.iter().all(|one| one.proved > number / 10);
    assert!(fair || !endpoint.is_empty(), "{} of {number} were proved by one", told[0].proved);
    println!("{name}: {} of {number} were proved by one, {} by the other", told[0].proved, told[1].proved);
    assert_eq!(told[0].proved + told[1].proved, number);
    let third = start().end();
    third.is_like(&fresh);
    assert_eq!((third.proved, third.err.as_str()), (0, ""));
}

fn two_runs_share_a_redis() -> Result<(), Failed> {
    let redis = Service::redis("redis", &["--requirepass", SECRET]);
    shared_by_two("redis", &format!("redis://{}/2/team", redis.host), "", PAIRS);
    Ok(())
}

fn two_runs_share_a_webdav_server() -> Result<(), Failed> {
    let server = Service::webdav("webdav");
    shared_by_two("webdav", &format!("http://{}/team/ape", server.host), "", PAIRS);
    let left = fs::read_dir(server.folder.join("files/team/ape"))?.count();
    assert_eq!(left, PAIRS, "no claim stays");
    Ok(())
}

fn two_runs_share_a_folder() -> Result<(), Failed> {
    let place = pairs("folder-place", 0);
    shared_by_two("folder", &format!("file://{}", place.display()), "", FEW);
    Ok(())
}

/// The storage is a stand-in: Debian has none.
fn two_runs_share_object_storage() -> Result<(), Failed> {
    let (address, objects) = objects::serve();
    shared_by_two("objects", "s3://bucket/team", &address, FEW);
    let objects = objects.lock().expect("no request has failed");
    assert!(objects.len() == FEW && objects.keys().all(|path| path.starts_with("/bucket/team/")));
    Ok(())
}

fn a_run_that_is_killed_is_replaced() -> Result<(), Failed> {
    let redis = Service::redis("killed", &["--requirepass", SECRET]);
    let cache = format!("redis://{}", redis.host);
    let folder = pairs("killed", PAIRS);
    let before = Instant::now();
    let fresh = fresh(&folder);
    let (start, bound) = (Instant::now(), BOUND + 20 * before.elapsed());
    let [mut one, other] = [(); 2].map(|()| Run::start(&folder, &cache, &[]));
    one.results(5);
    one.kill();
    let other = other.end();
    other.is_like(&fresh);
    assert_eq!(other.err, "");
    assert!(other.proved > 0 && other.proved < PAIRS, "{}", other.proved);
    assert!(start.elapsed() < bound, "{:?}", start.elapsed());
    Ok(())
}

fn a_redis_that_goes_midway_costs_time_alone() -> Result<(), Failed> {
    let mut redis = Service::redis("midway", &["--requirepass", SECRET]);
    let folder = pairs("midway", PAIRS);
    let before = Instant::now();
    let fresh = fresh(&folder);
    let (start, bound) = (Instant::now(), BOUND + 20 * before.elapsed());
    let mut run = Run::start(&folder, &format!("redis://{}", redis.host), &[]);
    run.results(5);
    redis.kill();
    let told = run.end();
    told.is_like(&fresh);
    told.warns_once();
    assert!(told.proved > 0 && start.elapsed() < bound, "{:?}", start.elapsed());
    Ok(())
}

/// It takes connections, and never says a word.
fn a_server_that_is_silent_costs_time_alone() -> Result<(), Failed> {
    let folder = pairs("silent", 20);
    let fresh = fresh(&folder);
    let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    for scheme in ["redis", "http"] {
        let start = Instant::now();
        let told = Run::start(&folder, &format!("{scheme}://{}", silent.local_addr()?), &[]).end();
        told.is_like(&fresh);
        told.warns_once();
        assert!(start.elapsed() < BOUND, "{scheme}: {:?}", start.elapsed());
    }
    Ok(())
}

fn a_redis_that_is_full_costs_time_alone() -> Result<(), Failed> {
    let full = ["--requirepass", SECRET, "--maxmemory", "1", "--maxmemory-policy", "noeviction"];
    let redis = Service::redis("full", &full);
    let folder = pairs("full", 20);
    let told = Run::start(&folder, &format!("redis://{}", redis.host), &[]).end();
    told.is_like(&fresh(&folder));
    told.warns_once();
    Ok(())
}

fn secrets_are_told_to_the_server_alone() -> Result<(), Failed> {
    let redis = Service::redis("secret", &["--requirepass", "another"]);
    let folder = pairs("secret", 20);
    let told = Run::start(&folder, &format!("redis://{}", redis.host), &[]).end();
    told.is_like(&fresh(&folder));
    told.warns_once();
    Ok(())
}

/// A thousand entries are spoilt, exchanged and forged.
fn no_verdict_follows_what_is_kept() -> Result<(), Failed> {
    let folder = pairs("spoilt", 100);
    let place = pairs("spoilt-place", 0);
    let cache = format!("file://{}", place.display());
    let fresh = fresh(&folder);
    let mut random = Random::new(11);
    let mut spoilt = 0;
    while spoilt < 1_000 {
        let told = Run::start(&folder, &cache, &[]).end();
        told.is_like(&fresh);
        assert_eq!(told.err, "");
        let mut files: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(&place)? {
            files.push(entry?.path());
        }
        files.retain(|file| file.is_file());
        files.sort();
        assert_eq!(files.len(), 100);
        let texts = files.iter().map(fs::read).collect::<Result<Vec<_>, _>>()?;
        for (file, text) in files.iter().zip(&texts) {
            fs::write(file, damaged(text, &texts, &mut random))?;
            spoilt += 1;
        }
    }
    Run::start(&folder, &cache, &[]).end().is_like(&fresh);
    Ok(())
}

/// An entry that is not what it was.
fn damaged(text: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = text.to_vec();
    let place = random.below(bytes.len());
    let exchanged = |from: &str, to: &str| String::from_utf8_lossy(text).replace(from, to).into_bytes();
    match random.below(7) {
        0 => bytes[place] = b'0' + (random.below(75) as u8),
        1 => bytes.truncate(place),
        2 => bytes = others[random.below(others.len())].clone(),
        3 => bytes = exchanged("not-equivalent", "equivalent"),
        4 => bytes = exchanged("equivalent", "unknown"),
        5 => bytes = exchanged("n + 1", "n"),
        _ => drop(bytes.remove(place)),
    }
    bytes
}

/// Neither for one that is never renewed, nor for one that is renewed for ever.
fn no_claim_is_waited_for_in_vain() -> Result<(), Failed> {
    let folder = pairs("claims", 20);
    let fresh = fresh(&folder);
    for (renewed, timeout) in [(false, "30"), (true, "3")] {
        let place = pairs("claims-place", 0);
        let cache = format!("file://{}", place.display());
        // The names of entries are not known before there are some.
        Run::start(&folder, &cache, &[]).end().is_like(&fresh);
        let entries: Vec<PathBuf> =
            fs::read_dir(&place)?.map(|entry| Ok(entry?.path())).collect::<Result<_, Failed>>()?;
        let entries: Vec<&PathBuf> = entries.iter().filter(|path| path.is_file()).collect();
        assert_eq!(entries.len(), 20);
        entries.iter().try_for_each(fs::remove_file)?;
        let claims: Vec<PathBuf> = entries.iter().map(|entry| entry.with_extension("claim")).collect();
        let claim = |text: &str| claims.iter().try_for_each(|path| fs::write(path, text));
        claim("somebody 0")?;
        let start = Instant::now();
        let mut run = Run::start(&folder, &cache, &["--timeout", timeout]);
        let mut number = 0;
        while run.process.try_wait()?.is_none() {
            assert!(start.elapsed() < BOUND, "it waits for ever");
            thread::sleep(Duration::from_millis(100));
            number += 1;
            if renewed {
                claim(&format!("somebody {number}"))?;
            }
        }
        assert!(start.elapsed() > Duration::from_secs(2), "claims are not respected");
        let told = run.end();
        told.is_like(&fresh);
        assert_eq!((told.proved, told.err.as_str()), (20, ""));
    }
    Ok(())
}

fn addresses_are_understood_or_refused() -> Result<(), Failed> {
    let folder = pairs("addresses", 1);
    let shown = folder.display().to_string();
    for wrong in ["redis://me:hidden@host", "https://host/?key=hidden", "ftp://host", "redis://", "file://host/a"] {
        let Ran { status, out, err } = ape(["test", &shown, "--cache", wrong]);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{wrong}");
        assert!(err.lines().count() >= 1 && !err.contains("hidden"), "{err}");
    }
    // Of the three places where it may be named the first wins: the arguments, the environment, the file.
    let named = |place: &str| format!("file://{}", folder.join(place).display());
    fs::write(folder.join("ape.toml"), format!("[test]\ncache = \"{}\"\n", named("of-file")))?;
    let run = |more: &[&str], variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command.current_dir(&folder).args(["test", "."]).args(more).env("APE_CACHE", variable).output()
    };
    run(&["--cache", &named("of-arguments")], &named("of-environment"))?;
    assert!(folder.join("of-arguments").is_dir() && !folder.join("of-environment").exists());
    run(&[], &named("of-environment"))?;
    assert!(folder.join("of-environment").is_dir() && !folder.join("of-file").exists());
    run(&[], "")?;
    assert!(folder.join("of-file").is_dir());
    Ok(())
}
