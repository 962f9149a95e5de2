//! `ape test`: what is expected is held, whatever is wrong with other files, however many threads there are, and whatever the cache
//! says.

mod common;

use common::{Ran, ape, on_a_large_stack};
use lang_l::random::Random;
use prover::certificate::{Decision, Decisions, write};
use prover::verify::{Config, verify};
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Two versions that do the same.
const SAME: &str = "version 0\nprocedure f(n: int) returns (r: int) { r := n + 1; }\n\
                    version 1\nprocedure f(n: int) returns (r: int) { r := 1 + n; }\n";
/// Two versions that differ.
const OTHER: &str = "version 0\nprocedure f(n: int) returns (r: int) { r := n; }\n\
                     version 1\nprocedure f(n: int) returns (r: int) { r := n + 1; }\n";
/// Two versions that differ from `null` alone.
const GUARDED: &str = "version 0\nprocedure f(x) returns (r: int) { r := x.v; }\n\
                       version 1\nprocedure f(x) returns (r: int) { if (x == null) { r := 0; } else { r := x.v; } }\n";
/// Two versions of which nothing is known but that they do not contradict each other: the condition holds of no store.
const OPEN: &str = "version 0\nprocedure f(n: int) returns (r: int) requires n < 0 && n > 0; { r := n; }\n\
                    version 1\nprocedure f(n: int) returns (r: int) requires n < 0 && n > 0; { r := n; }\n";

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, String)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expectations").join(name);
    let _ = fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn expecting(lines: &[&str], text: &str) -> String {
    lines.iter().map(|line| format!("// expect: {line}\n")).collect::<String>() + text
}

/// `ape test` without a cache; paths are shown from the folder.
fn test(folder: &Path, more: &[&str]) -> Ran {
    ran(folder, &[&["--no-cache"], more].concat())
}

fn ran(folder: &Path, more: &[&str]) -> Ran {
    let shown = folder.display().to_string();
    let mut ran = ape(["test", &shown].iter().chain(more));
    ran.out = ran.out.replace(&format!("{shown}/"), "");
    ran.err = ran.err.replace(&format!("{shown}/"), "");
    ran
}

/// The objects of `--format json-lines`: of pairs, and of the whole.
fn lines(ran: &Ran) -> (Vec<Json>, Json) {
    let mut lines: Vec<Json> = ran.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    let summary = lines.pop().expect("there is a summary");
    assert_eq!(summary["type"], "summary");
    (lines, summary)
}

#[test]
fn each_result_has_its_status() {
    let table = [
        (vec!["f equivalent"], SAME, &[][..], 0, "ok"),
        (vec!["f unknown"], SAME, &[], 0, "better"),
        (vec!["f partially-equivalent|unknown"], SAME, &[], 0, "better"),
        (vec!["f not-equivalent"], SAME, &[], 1, "worse"),
        (vec!["f equivalent"], OTHER, &[], 1, "worse"),
        (vec!["f unknown"], OTHER, &[], 1, "worse"),
        (vec!["f not-equivalent"], OTHER, &[], 0, "ok"),
        (vec!["f equivalent"], OPEN, &[], 3, "worse"),
        (vec!["f not-equivalent"], OPEN, &[], 3, "worse"),
        (vec!["f unknown"], OPEN, &[], 0, "ok"),
        (vec![], SAME, &[], 0, "new"),
        (vec![], OTHER, &[], 1, "new"),
        (vec![], OPEN, &[], 3, "new"),
        (vec!["f equal when x != null", "f not-equivalent"], GUARDED, &[], 0, "ok"),
        (vec!["f equal when x == null", "f not-equivalent"], GUARDED, &[], 1, "worse"),
        (vec!["g equivalent"], SAME, &[], 2, "failed"),
        (vec!["f the-same"], SAME, &[], 2, "failed"),
        (vec!["f equivalent", "f unknown"], SAME, &[], 2, "failed"),
        (vec!["f equal when x > 0"], SAME, &[], 2, "failed"),
        (vec!["f equivalent"], "version {", &[], 2, "failed"),
        (vec![], SAME, &["--filter", "name(g)"], 4, "no pair"),
        (vec![], SAME, &["--filter", "name(g"], 2, ""),
        (vec![], SAME, &["--partition", "2/1"], 2, ""),
    ];
    for (at, (expected, text, more, status, first)) in table.into_iter().enumerate() {
        let folder = folder(&format!("status-{at}"), &[("a.l", expecting(&expected, text))]);
        let ran = test(&folder, more);
        assert_eq!(ran.status, Some(status), "{expected:?}\n{text}{}{}", ran.out, ran.err);
        assert!(first.is_empty() || ran.out.lines().any(|line| line.starts_with(first)), "{expected:?}: {}", ran.out);
        assert_eq!(ran.err.is_empty(), status != 2, "{}", ran.err);
    }
}

/// One file of each kind.
fn mixed(name: &str) -> PathBuf {
    folder(
        name,
        &[
            ("a/as_expected.l", expecting(&["f equivalent"], SAME)),
            ("a/better.l", expecting(&["f unknown"], SAME)),
            ("a/illegal.l", "version {".into()),
            ("b/worse.l", expecting(&["f equivalent"], OTHER)),
            ("new.l", SAME.into()),
            ("one_version.l", "procedure f() { skip; }\n".into()),
            (".hidden/x.l", "version {".into()),
        ],
    )
}

#[test]
fn one_bad_file_does_not_stop_the_rest() {
    let folder = mixed("mixed");
    let ran = test(&folder, &[]);
    let right = "ok     a/as_expected.l  f: equivalent\n\
                 better a/better.l  f: equivalent, expected unknown\n\
                 failed a/illegal.l\n\
                 worse  b/worse.l  f: not-equivalent, expected equivalent\n";
    assert!(ran.out.starts_with(right), "{}", ran.out);
    assert!(ran.out.contains("       first difference: r is 0 in version 0 and 1 in version 1\n"), "{}", ran.out);
    let end = "new    new.l  f: equivalent\n\
               4 pairs in 4 files: 1 as expected, 1 better, 1 worse, 1 new; 1 file could not be tested\n";
    assert!(ran.out.ends_with(end), "{}", ran.out);
    assert!(ran.status == Some(2) && ran.err.contains("illegal.l"), "{}", ran.err);
    for jobs in ["1", "2", "8"] {
        assert_eq!(test(&folder, &["--jobs", jobs]).out, ran.out);
    }
    let only = test(&folder, &["--failures-only"]);
    assert_eq!(only.out.lines().next(), Some("failed a/illegal.l"));
    assert!(!only.out.contains("better.l") && only.out.ends_with("1 file could not be tested\n"), "{}", only.out);
    let quiet = test(&folder, &["--quiet"]);
    assert_eq!((quiet.out.as_str(), quiet.status), ("", Some(2)));
    let first = test(&folder, &["--fail-fast", "--jobs", "2"]);
    let right = "failed a/illegal.l\n2 pairs in 2 files: 1 as expected, 1 better; 1 file could not be tested\n";
    assert!(first.out.ends_with(right) && first.status == Some(2), "{}", first.out);
    assert_eq!(test(&folder, &["--fail-fast", "--no-fail-fast"]).out, ran.out);
}

#[test]
fn shares_and_filters_choose_pairs() {
    let folder = mixed("chosen");
    let files = |more: &[&str]| {
        let ran = test(&folder, &[&["--format", "json-lines"], more].concat());
        lines(&ran).0.iter().map(|line| line["file"].to_string()).collect::<Vec<_>>()
    };
    let all = files(&[]);
    let mut shares: Vec<String> =
        ["1/3", "2/3", "3/3"].iter().flat_map(|share| files(&["--partition", share])).collect();
    shares.sort();
    assert_eq!(shares, all);
    let chosen = files(&["--filter", "!(file(a/) | new) & verdict(equivalent)"]);
    // What is not legal has no pairs that a filter could leave out.
    assert_eq!(chosen.len(), 2);
    assert!(chosen[0].contains("illegal.l") && chosen[1].contains("worse.l"));
}

#[test]
fn pairs_of_files_are_found() {
    let [old, new] = SAME.split("version 1\n").collect::<Vec<_>>()[..] else { panic!("there are two versions") };
    let old = old.replace("version 0\n", "");
    let folder = folder(
        "files",
        &[
            ("x.old.l", old.clone()),
            ("x.new.l", expecting(&["f equivalent"], new)),
            ("deep/old/sub/y.l", old.clone()),
            ("deep/new/sub/y.l", new.to_string()),
            ("old/z.l", SAME.to_string()),
            ("lonely.old.l", old),
        ],
    );
    let ran = test(&folder, &[]);
    let right = "new    deep/{old,new}/sub/y.l  f: equivalent\n\
                 failed lonely.old.l\n\
                 new    old/z.l  f: equivalent\n\
                 ok     x.{old,new}.l  f: equivalent\n";
    assert!(ran.out.starts_with(right), "{}", ran.out);
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (Some(2), "ape: lonely.old.l has no partner: there is no lonely.new.l\n")
    );
    let pattern = folder.join("**/*y.l").display().to_string();
    assert_eq!(ape(["test", "--no-cache", &pattern]).out.lines().count(), 2);
    assert_eq!(ape(["test", "--no-cache", &folder.join("absent").display().to_string()]).status, Some(2));
    let new = folder.join("x.new.l");
    assert_eq!(ape(["test", "--no-cache", &new.display().to_string()]).status, Some(0));
    assert_eq!(test(&folder, &["--bless"]).status, Some(2));
    let blessed = fs::read_to_string(folder.join("deep/new/sub/y.l")).expect("it can be read");
    assert!(blessed.starts_with("// expect: f equivalent\nprocedure"), "{blessed}");
}

#[test]
fn blessing_writes_what_was_found() {
    let text = "// what it is about\n// expect: gone unknown\n\nclass C { v: int; }\n".to_string() + OTHER;
    let folder = folder("bless", &[("a.l", text.clone()), ("b.l", expecting(&["f equivalent|not-equivalent"], OTHER))]);
    let ran = test(&folder, &["--bless"]);
    assert!(
        ran.status == Some(0) && ran.out.ends_with("2 lines of what is expected written\n"),
        "{}{}",
        ran.out,
        ran.err
    );
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect("it can be read");
    assert_eq!(read("a.l"), text.replace("gone unknown", "f not-equivalent"));
    assert_eq!(read("b.l"), expecting(&["f equivalent|not-equivalent"], OTHER));
    let again = test(&folder, &["--bless"]);
    assert!(again.out.ends_with("2 as expected\n0 lines of what is expected written\n"), "{}", again.out);
}

#[test]
fn a_baseline_speaks_for_files_that_do_not() {
    let folder = folder("baseline", &[("a.l", SAME.into()), ("b.l", expecting(&["f not-equivalent"], OTHER))]);
    let table = folder.join("baseline.tsv");
    let with = |more: &[&str]| test(&folder, &[&["--baseline", &table.display().to_string()], more].concat());
    assert_eq!(with(&[]).status, Some(2), "it is not there yet");
    assert_eq!(with(&["--bless"]).status, Some(0));
    assert_eq!(fs::read_to_string(&table).expect("it was written"), "# file\tpair\tverdict\na.l\tf\tequivalent\n");
    assert_eq!(fs::read_to_string(folder.join("a.l")).expect("it is there"), SAME);
    assert!(with(&[]).out.ends_with("2 pairs in 2 files: 2 as expected\n"));
    fs::write(&table, "a.l\tf\tnot-equivalent\n").expect("it can be written");
    assert_eq!(with(&[]).status, Some(1));
    fs::write(&table, "a.l\tf\n").expect("it can be written");
    assert_eq!(with(&[]).status, Some(2));
}

#[test]
fn options_may_stand_in_a_file() {
    let folder = folder(
        "options",
        &[
            ("a.l", SAME.into()),
            ("sub/b.l", OTHER.into()),
            ("ape.toml", "[test]\npaths = [\"sub\"]\ncache = false\nfilter = \"new\"\n".into()),
        ],
    );
    let config = folder.join("ape.toml").display().to_string();
    let ran = ape(["test", "--config", &config]);
    assert!(ran.out.contains("sub/b.l") && !ran.out.contains("a.l") && ran.status == Some(1), "{}", ran.out);
    assert_eq!(ape(["test", "--config", &config, "--filter", "!new"]).status, Some(4));
    for wrong in ["[test]\ntimeout = 0\n", "[test]\nmemory = 1\n", "[tests]\n", "[test]\nfilter = 3\n", "["] {
        fs::write(folder.join("ape.toml"), wrong).expect("it can be written");
        let ran = ape(["test", "--config", &config]);
        assert!(ran.status == Some(2) && ran.err.contains("ape.toml"), "{wrong}: {}", ran.err);
    }
}

#[test]
fn every_form_tells_what_fails() {
    let folder = mixed("forms");
    let file = |name: &str| folder.join(name).display().to_string();
    let reports = ["junit", "sarif", "json-lines", "markdown", "github", "text"];
    let reports: Vec<String> =
        reports.iter().map(|form| format!("--report={form}:{}", file(&format!("out.{form}")))).collect();
    let more: Vec<&str> = reports.iter().map(String::as_str).collect();
    let shown = test(&folder, &more).out;
    let read = |form: &str| fs::read_to_string(folder.join(format!("out.{form}"))).expect("it was written");
    assert_eq!(read("text").replace(&format!("{}/", folder.display()), ""), shown);
    let junit = read("junit");
    assert!(
        junit.contains("<testsuites name=\"ape test\" tests=\"5\" skipped=\"0\" failures=\"1\" errors=\"1\""),
        "{junit}"
    );
    let sarif: Json = serde_json::from_str(&read("sarif")).expect("it is JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("there are results");
    assert_eq!(results.iter().map(|result| &result["ruleId"]).collect::<Vec<_>>(), ["failure", "not-equivalent"]);
    let line = |place: &str| results[1][place][0]["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!((line("locations"), line("relatedLocations")), (json!(5), json!(3)));
    let markdown = read("markdown");
    assert!(markdown.starts_with("**4 pairs in 4 files: 1 as expected"), "{markdown}");
    assert!(markdown.contains("b/worse.l | f | not-equivalent | equivalent |\n"), "{markdown}");
    let github = read("github");
    let starts: Vec<&str> = github.lines().map(|line| line.split(' ').next().unwrap_or_default()).collect();
    assert_eq!(starts, ["::notice", "::error", "::error", "4"]);
    let lines = read("json-lines");
    assert_eq!(lines.lines().count(), 6);
    assert!(!lines.contains('\u{1b}') && !shown.contains('\u{1b}'));
}

/// Files with a number each, of which every third differs.
fn numbered(name: &str, files: usize) -> PathBuf {
    let text = |at: usize| {
        let more = if at.is_multiple_of(3) { "r := r + 1; " } else { "" };
        let old = format!("procedure p{at}(x, n: int) returns (r: int) {{ y := new(); y.v := n + {at}; r := y.v; }}");
        let new = format!("procedure p{at}(x, n: int) returns (r: int) {{ r := {at} + n; {more}}}");
        format!("version 0\n{old}\nversion 1\n{new}\n")
    };
    let files: Vec<(String, String)> = (0..files).map(|at| (format!("{at:03}.l"), text(at))).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    folder(name, &files)
}

/// All files of a cache.
fn entries(cache: &Path) -> Vec<PathBuf> {
    let inside = |path: &Path| fs::read_dir(path).expect("it is there").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = inside(cache).flat_map(|folder| inside(&folder).collect::<Vec<_>>()).collect();
    files.sort();
    files
}

#[test]
fn what_is_kept_is_replayed() {
    let folder = numbered("kept", 6);
    let cache = folder.join(".cache").display().to_string();
    let kept = |more: &[&str]| ran(&folder, &[&["--cache", &cache, "--format", "json-lines"], more].concat());
    let cached = |ran: &Ran| lines(ran).1["cached_files"].as_u64().expect("a number");
    let first = kept(&[]);
    assert_eq!((cached(&first), first.status), (0, Some(1)));
    let second = kept(&[]);
    assert_eq!((cached(&second), second.status), (6, Some(1)));
    let told = |ran: &Ran| {
        let told = lines(ran).0.into_iter();
        told.map(|line| (line["pair"].clone(), line["verdict"].clone(), line["why"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(told(&first), told(&second));
    // One procedure changed: its file alone is looked at again.
    let file = folder.join("004.l");
    let text = fs::read_to_string(&file).expect("it can be read").replace("4 + n", "3 + n + 1");
    fs::write(&file, text).expect("it can be written");
    assert_eq!(lines(&kept(&["--filter", "changed"])).0.len(), 1);
    assert_eq!(cached(&kept(&[])), 6);
    // What is kept about a pair is no reason to leave a difference from what is expected without its report.
    let text = fs::read_to_string(&file).expect("it can be read");
    fs::write(&file, expecting(&["p4 not-equivalent"], &text)).expect("it can be written");
    assert_eq!(cached(&kept(&[])), 5);
    assert_eq!(cached(&kept(&[])), 5);
    // To expect something else is no change of the program.
    fs::write(&file, expecting(&["p4 equivalent"], &text)).expect("it can be written");
    assert_eq!(cached(&kept(&[])), 6);
}

/// A program of several procedures: `top` calls `mid`, which calls `leaf`, as `other` does; `alone` calls nothing.
fn module(mid: &str) -> String {
    let version = |label: &str, sum: &str| {
        format!(
            "version {label}\n// What it is for.\n\
             procedure leaf(n: int) returns (r: int) {{ r := {sum}; }}\n\
             procedure mid(n: int) returns (r: int) {{ r := leaf({mid}); }}\n\
             procedure top(n: int) returns (r: int) {{ r := mid(n) + mid(n + 1); }}\n\
             procedure other(n: int) returns (r: int) {{ r := leaf(n) * 2; }}\n\
             procedure alone(n: int) returns (r: int) {{ r := n - n; }}\n"
        )
    };
    version("0", "n + 1") + &version("1", "1 + n")
}

#[test]
fn what_is_proved_again_is_what_changed_and_its_callers() {
    let folder = folder("callers", &[("m.l", module("n"))]);
    let (cache, file) = (folder.join(".cache").display().to_string(), folder.join("m.l"));
    let fresh = |more: &[&str]| -> Vec<String> {
        let ran = ran(&folder, &[&["--cache", &cache, "--format", "json-lines"], more].concat());
        let told = lines(&ran).0;
        assert!(told.iter().all(|line| line["verdict"] == "equivalent"), "{}", ran.out);
        let fresh = told.iter().filter(|line| line["cached"] == false);
        fresh.map(|line| line["pair"].as_str().expect("a name").to_string()).collect()
    };
    let write = |text: &str| fs::write(&file, text).expect("it can be written");
    assert_eq!(fresh(&[]), ["leaf", "mid", "top", "other", "alone"]);
    assert!(fresh(&[]).is_empty());
    write(&module("n + 2"));
    assert_eq!(fresh(&["--filter", "changed"]), ["mid", "top"]);
    assert!(fresh(&[]).is_empty());
    write(&module("n + 3"));
    assert_eq!(fresh(&[]), ["mid", "top"]);
    // What stands between procedures is no part of any, and what was proved before is not forgotten.
    write(&module("n + 2").replace("// What it is for.", "// What it does.\n"));
    assert!(fresh(&[]).is_empty());
    // What is needed of a callee is proved with it, also where nobody asks for the callee.
    write(&module("n + 4"));
    assert_eq!(fresh(&["--filter", "name(top)"]), ["top"]);
    assert_eq!(fresh(&[]), ["mid"]);
}

#[test]
fn a_cache_that_lies_or_is_gone_costs_time_alone() {
    let folder = numbered("lies", 95);
    // What is kept of its five pairs is two entries, and four that name one of these.
    fs::write(folder.join("m.l"), module("n")).expect("it can be written");
    let cache = folder.join(".cache");
    let shown = cache.display().to_string();
    let right = test(&folder, &[]);
    let mut random = Random::new(7);
    for round in 0..10 {
        let with = ran(&folder, &["--cache", &shown]);
        assert_eq!((with.out.as_str(), with.status), (right.out.as_str(), right.status), "round {round}");
        let files = entries(&cache);
        assert_eq!(files.len(), 95 + 2 + 4);
        let texts: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).expect("it can be read")).collect();
        for (at, file) in files.iter().enumerate() {
            let mut bytes = texts[at].clone();
            let place = random.below(bytes.len());
            match random.below(6) {
                0 => bytes[place] = b'0' + (random.below(75) as u8),
                1 => bytes.truncate(place),
                2 => bytes = texts[random.below(texts.len())].clone(),
                3 => bytes = swapped(&bytes, "not-equivalent", "equivalent"),
                4 => bytes = swapped(&bytes, "\"equivalent\"", "\"unknown\""),
                _ => drop(bytes.remove(place)),
            }
            fs::write(file, bytes).expect("it can be written");
        }
    }
    // A file is where the folder should be.
    let nowhere = ran(&folder, &["--cache", &folder.join("000.l").display().to_string()]);
    assert_eq!((nowhere.out, nowhere.status), (right.out, right.status));
}

fn swapped(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace(from, to).into_bytes()
}

#[test]
fn nothing_that_is_claimed_is_hidden_by_what_was_not_settled() {
    for (at, (expected, text, status)) in
        [("f equivalent", SAME, 0), ("f not-equivalent", OTHER, 0), ("f equivalent", OTHER, 1)].into_iter().enumerate()
    {
        let folder = folder(&format!("hidden-{at}"), &[("a.l", expecting(&[expected], text))]);
        let cache = folder.join(".cache").display().to_string();
        let kept = || ran(&folder, &["--cache", &cache, "--timeout", "60", "--memory", "2048"]);
        let right = kept();
        assert_eq!(right.status, Some(status));
        forge(&folder);
        let forged = kept();
        assert_eq!((forged.out, forged.status), (right.out, right.status));
    }
}

/// Where nothing is expected it does stand, and the run does not succeed: so the forgery above is a good one.
#[test]
fn what_was_not_settled_stands_where_nothing_is_claimed() {
    let folder = folder("stands", &[("a.l", SAME.into())]);
    let cache = folder.join(".cache").display().to_string();
    let kept =
        |more: &[&str]| ran(&folder, &[&["--cache", &cache, "--timeout", "60", "--memory", "2048"], more].concat());
    assert_eq!(kept(&[]).status, Some(0));
    forge(&folder);
    let forged = kept(&[]);
    assert!(forged.status == Some(3) && forged.out.contains("not settled: nobody knows"), "{}", forged.out);
    // Under other options it is looked at again.
    assert_eq!(ran(&folder, &["--cache", &cache, "--timeout", "61"]).status, Some(0));
}

/// Has the cache say, in the best form there is, that the pair of the one file is not settled.
fn forge(folder: &Path) {
    let file = folder.join("a.l");
    // What is verified does not hold what is expected.
    let text = fs::read_to_string(&file).expect("it is there");
    let text: String =
        text.lines().map(|line| if line.starts_with("// expect:") { "//" } else { line }.to_string() + "\n").collect();
    let loaded = lang_l::load([(file.display().to_string(), text)]).expect("it is legal");
    let certificate = on_a_large_stack(move || {
        let report = verify(&loaded.unit, &Config::default());
        let mut decisions = Decisions::of(&loaded.unit, &report);
        decisions.proofs.clear();
        decisions.pairs.iter_mut().for_each(|pair| pair.answer = Decision::Unknown("nobody knows".into()));
        write(&loaded.unit, &loaded.sources, &decisions).expect("nothing is claimed")
    });
    let entry = json!({
        "format": "ape results 3",
        "unsettled_by": this_program("timeout 60, memory 2048"),
        "certificate": certificate.files,
    });
    // The name of the file is the same hash: it is where the true result was.
    let [path] = &entries(&folder.join(".cache"))[..] else { panic!("there is one entry") };
    fs::write(path, entry.to_string()).expect("it can be written");
}

/// How a cache names the program file and the options by which something was not settled.
fn this_program(options: &str) -> String {
    let about = fs::metadata(env!("CARGO_BIN_EXE_ape")).expect("it is there");
    let written = about.modified().expect("it is known").duration_since(UNIX_EPOCH).expect("it is not that old");
    let mut hash = Sha256::new();
    for part in [about.len().to_string(), written.as_nanos().to_string(), options.to_string()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
