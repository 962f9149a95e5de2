//! `ape report merge`: the reports of all shares make the report of one run; what does not belong together is refused.

mod common;

use common::{Ran, ape};
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Files of each kind: as expected, better, other than expected, not legal, new.
const FILES: [(&str, &str); 5] = [
    ("a.l", "// expect: f equivalent\nversion 0\nprocedure f() {}\nversion 1\nprocedure f() {}\n"),
    ("b.l", "// expect: f unknown\nversion 0\nprocedure f() {}\nversion 1\nprocedure f() {}\n"),
    (
        "c.l",
        "// expect: f equivalent\nversion 0\nprocedure f() returns (r: int) { r := 1; }\nversion 1\n\
         procedure f() returns (r: int) { r := 2; }\n",
    ),
    ("d.l", "version {"),
    ("e.l", "version 0\nprocedure f() {}\nprocedure g() {}\nversion 1\nprocedure f() {}\nprocedure g() {}\n"),
];

/// A folder of its own with some of these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("merge").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a file can be written");
    }
    folder
}

/// Where a report is written, which this makes.
fn report(folder: &Path, name: &str, more: &[&str]) -> String {
    let path = folder.join(name).display().to_string();
    let shown = folder.display().to_string();
    let written = format!("json-lines:{path}");
    ape(["test", "--no-cache", "--quiet", &shown, "--report", &written].iter().chain(more));
    path
}

fn merge(args: &[&str]) -> Ran {
    ape(["report", "merge"].iter().chain(args))
}

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// Writes a report whose lines were changed.
fn changed(folder: &Path, name: &str, from: &str, change: impl Fn(&mut Json)) -> String {
    let mut lines = lines(&fs::read_to_string(from).expect("there is a report"));
    lines.iter_mut().for_each(change);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let path = folder.join(name);
    fs::write(&path, text).expect("a file can be written");
    path.display().to_string()
}

#[test]
fn all_shares_make_the_report_of_one_run() {
    let folder = folder("whole", &FILES);
    let shown = folder.display().to_string();
    let shares = ["1/3", "2/3", "3/3"].map(|share| report(&folder, &share.replace('/', "-"), &["--partition", share]));
    let shares: Vec<&str> = shares.iter().rev().map(String::as_str).collect();
    for format in ["text", "markdown", "github", "sarif", "junit", "json-lines"] {
        let merged = merge(&[&shares, &["--format", format][..]].concat());
        let whole = ape(["test", "--no-cache", &shown, "--format", format]);
        assert_eq!((merged.status, &merged.err), (whole.status, &whole.err), "{format}");
        if format == "json-lines" {
            let timeless = |ran: &Ran| {
                let mut lines = lines(&ran.out);
                lines.iter_mut().filter_map(Json::as_object_mut).for_each(|line| drop(line.remove("file_time_ms")));
                lines
            };
            assert_eq!(timeless(&merged), timeless(&whole));
        } else if format != "junit" {
            assert_eq!(merged.out, whole.out);
        } else {
            let cases = |ran: &Ran| ran.out.matches("<testcase ").count();
            assert_eq!((cases(&merged), cases(&merged)), (6, cases(&whole)));
        }
    }
    // What was merged can be merged again, and a report is written beside what is printed.
    let again = folder.join("again").display().to_string();
    let once = merge(&[&shares, &["--report", &format!("json-lines:{again}")][..]].concat());
    let twice = merge(&[&again]);
    assert_eq!((once.out, once.status), (twice.out, twice.status));
    let failures = merge(&[&again, "--failures-only"]).out;
    assert!(
        failures.starts_with("worse ") && !failures.contains("\nbetter ") && !failures.contains("\nnew "),
        "{failures}"
    );
}

#[test]
fn a_share_that_is_missing_or_there_twice_is_named() {
    let folder = folder("shares", &FILES[..1]);
    let [one, two, other] =
        ["1/2", "2/2", "1/3"].map(|share| report(&folder, &share.replace('/', "-"), &["--partition", share]));
    assert_eq!(merge(&[&one, &two]).status, Some(0));
    let missing = merge(&[&one]);
    assert_eq!((missing.status, missing.err.as_str()), (Some(3), "ape: the share 2/2 is missing\n"));
    let double = merge(&[&one, &one, &two]);
    assert_eq!(double.status, Some(0));
    assert!(double.err.starts_with("ape: the share 1/2 is there twice") && double.err.lines().count() == 1);
    let mixed = merge(&[&one, &other]);
    assert!(mixed.status == Some(2) && mixed.err.contains("a share of 3, and another is one of 2"), "{}", mixed.err);
    // That something is missing is not forgotten when the merged report is merged.
    let merged = folder.join("merged").display().to_string();
    merge(&[&one, "--report", &format!("json-lines:{merged}")]);
    assert_eq!(merge(&[&merged]).status, Some(3));
}

#[test]
fn what_is_no_report_is_refused() {
    let folder = folder("refused", &[FILES[0], FILES[2], FILES[4]]);
    let right = report(&folder, "right", &[]);
    let text = fs::read_to_string(&right).expect("there is a report");
    assert_eq!(merge(&[&right]).status, Some(1));
    let summary = text.lines().last().expect("a summary");
    let table = [
        ("nothing", String::new()),
        ("no JSON", "version 0\n".into()),
        ("another JSON", "{\"schema_version\": 1}\n".into()),
        ("a part", text.lines().take(2).map(|line| format!("{line}\n")).collect()),
        ("more", format!("{text}{summary}\n")),
        ("a line less", text.lines().skip(1).map(|line| format!("{line}\n")).collect()),
        ("another verdict", text.replacen("\"verdict\":\"equivalent\"", "\"verdict\":\"unknown\"", 1)),
        ("no verdict", text.replacen("\"verdict\":\"equivalent\"", "\"verdict\":\"same\"", 1)),
        ("other counts", text.replace("\"worse\":1", "\"worse\":0")),
        ("another version", text.replace("\"schema_version\":1", "\"schema_version\":2")),
        ("no share", text.replace("\"share\":null", "\"share\":{\"number\":3,\"of\":2}")),
        ("half of it", text[..text.len() / 2].into()),
    ];
    for (name, text) in table {
        let path = folder.join("wrong");
        fs::write(&path, text).expect("it can be written");
        let ran = merge(&[&right, &path.display().to_string()]);
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{name}: {}", ran.err);
        assert!(ran.err.contains("wrong"), "{name}: {}", ran.err);
    }
    let some = report(&folder, "some", &["--format", "json-lines"]);
    assert_eq!(merge(&[&some]).status, Some(1));
    let shown = folder.display().to_string();
    fs::write(
        folder.join("failures"),
        ape(["test", "--no-cache", &shown, "--failures-only", "--format", "json-lines"]).out,
    )
    .expect("it can be written");
    let ran = merge(&[&folder.join("failures").display().to_string()]);
    assert!(ran.status == Some(2) && ran.err.contains("--failures-only"), "{}", ran.err);
    assert_eq!(merge(&[&folder.join("absent").display().to_string()]).status, Some(2));
    assert_eq!(merge(&[]).status, Some(2));
}

#[test]
fn verdicts_that_contradict_are_refused() {
    let folder = folder("contradict", &FILES[4..]);
    let right = report(&folder, "right", &[]);
    let with = |verdict: &'static str| {
        changed(&folder, verdict, &right, move |line| {
            if line["pair"] == "g" {
                line["verdict"] = json!(verdict);
            }
        })
    };
    let told = |ran: &Ran| ran.out.lines().find(|line| line.contains("  g:")).map(str::to_string).unwrap_or_default();
    for settled_less in ["unknown", "partially-equivalent"] {
        let less = with(settled_less);
        for both in [[&right, &less], [&less, &right]] {
            let ran = merge(&both.map(String::as_str));
            assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
            assert!(told(&ran).ends_with("g: equivalent"), "{}", ran.out);
        }
        assert_eq!(merge(&[&less]).status, Some(3));
    }
    for wrong in ["not-equivalent", "contract-violation"] {
        let wrong = with(wrong);
        for both in [[&right, &wrong], [&wrong, &right]] {
            let ran = merge(&both.map(String::as_str));
            assert!(ran.status == Some(2) && ran.err.contains("e.l: g is"), "{}", ran.err);
            assert_eq!(ran.out, "");
        }
    }
    let texts = changed(&folder, "texts", &right, |line| {
        if line["type"] == "pair" {
            line["sources"] = json!("0".repeat(64));
        }
    });
    let ran = merge(&[&right, &texts]);
    assert!(ran.status == Some(2) && ran.err.contains("another text of"), "{}", ran.err);
}

#[test]
fn what_failed_and_what_was_not_reached_is_not_hidden() {
    let folder = folder("failed", &FILES[..1]);
    let right = report(&folder, "right", &[]);
    let interrupted = changed(&folder, "interrupted", &right, |line| {
        if line["type"] == "summary" {
            line["interrupted_files"] = json!(2);
        }
    });
    let ran = merge(&[&right, &interrupted]);
    assert_eq!(ran.status, Some(3));
    assert!(ran.out.ends_with("; interrupted before 2 files\n"), "{}", ran.out);
    for status in [2, 70, 74] {
        let failed = changed(&folder, "failed", &right, |line| match line["type"].as_str() {
            Some("pair") => {
                *line = json!({ "type": "failure", "file": line["file"], "message": "it broke", "status": status });
            }
            _ => {
                for (key, number) in [("files", 0), ("pairs", 0), ("as_expected", 0), ("failed_files", 1)] {
                    line[key] = json!(number);
                }
            }
        });
        for both in [[&right, &failed], [&failed, &right]] {
            let ran = merge(&both.map(String::as_str));
            assert_eq!((ran.status, ran.err.as_str()), (Some(status), "ape: it broke\n"));
        }
    }
}
