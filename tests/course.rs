//! The course in `examples/course`, and `ape test --grade`: pages show what happens, solutions have all points, and no shortcut
//! has any.
//!
//! Solutions are in `tests/course`, one for each exercise, like `heaps_1.l`. `APE_BLESS=1` writes the key anew, too.

mod common;

use common::{Ran, ape, programs, root, transcript};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The units, by their folders.
const UNITS: [&str; 6] = ["1-heaps", "2-garbage", "3-calls", "4-loops", "5-termination", "6-differences"];
/// The most words of a sentence.
const WORDS: usize = 35;

fn course() -> PathBuf {
    root().join("examples/course")
}

/// The solution of an exercise, by unit and number.
fn solution(name: &str) -> String {
    fs::read_to_string(root().join("tests/course").join(format!("{name}.l"))).expect("a solution can be read")
}

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("course").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder can be read") {
        let path = entry.expect("an entry").path();
        let there = to.join(path.file_name().expect("it has a name"));
        if path.is_dir() {
            copy(&path, &there);
        } else {
            fs::copy(&path, &there).expect("a file can be copied");
        }
    }
}

/// Holds the pages of a unit, or of the course, against what their commands print.
#[track_caller]
fn pages(unit: &str, at_least: usize) {
    let dir = folder(&format!("pages{unit}"));
    copy(&course(), &dir);
    transcript::check(&course().join(unit).join("README.md"), &dir.join(unit), at_least);
}

#[test]
fn the_course_shows_what_happens() {
    pages("", 1);
}

#[test]
fn heaps_show_what_happens() {
    pages(UNITS[0], 7);
}

#[test]
fn garbage_shows_what_happens() {
    pages(UNITS[1], 4);
}

#[test]
fn calls_show_what_happens() {
    pages(UNITS[2], 7);
}

#[test]
fn loops_show_what_happens() {
    pages(UNITS[3], 4);
}

#[test]
fn termination_shows_what_happens() {
    pages(UNITS[4], 6);
}

#[test]
fn differences_show_what_happens() {
    pages(UNITS[5], 5);
}

#[test]
fn sentences_are_short() {
    let pages = [""].iter().chain(&UNITS).map(|unit| course().join(unit).join("README.md"));
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page can be read");
        let prose: Vec<&str> = text.split("```").step_by(2).collect();
        let lines = prose.join("\n\n");
        let paragraphs =
            lines.split("\n\n").flat_map(|paragraph| paragraph.split("\n- ")).filter(|p| !p.starts_with('|'));
        for paragraph in paragraphs {
            let flat = paragraph.replace('\n', " ");
            // An end is one only before a space: `a.l` is a name.
            let sentences = flat.split_inclusive(['.', '?', '!']).fold(vec![String::new()], |mut all, part| {
                if part.starts_with(' ') || all.len() == 1 && all[0].is_empty() {
                    all.push(part.to_string());
                } else if let Some(last) = all.last_mut() {
                    last.push_str(part);
                }
                all
            });
            let long = sentences.iter().filter(|sentence| sentence.split_whitespace().count() > WORDS);
            wrong.extend(long.map(|sentence| format!("{}: {sentence}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn worked_pairs_get_what_they_expect() {
    let files: Vec<PathBuf> = UNITS.iter().flat_map(|unit| programs(&course().join(unit))).collect();
    assert!(files.len() >= 15, "{}", files.len());
    let names = files.iter().map(|file| file.to_string_lossy().into_owned());
    let ran = ape(["test", "--no-cache"].map(String::from).into_iter().chain(names));
    assert_eq!(ran.status, Some(0), "{}{}", ran.out, ran.err);
    assert!(!ran.out.contains("new  "), "{}", ran.out);
    let tidy = ape(["fmt", "--check"]
        .map(String::from)
        .into_iter()
        .chain(programs(&root().join("tests/course")).iter().chain(&files).map(|f| f.to_string_lossy().into_owned())));
    assert_eq!(tidy.status, Some(0), "{}", tidy.out);
}

/// `ape test --grade`, with the key of the course.
fn grade(files: &[&Path], more: &[&str]) -> Ran {
    let key = course().join("answers.key");
    let mut args: Vec<&str> = vec!["test", "--grade", "--key", key.to_str().expect("a name"), "--timeout", "30"];
    args.extend(files.iter().map(|file| file.to_str().expect("a name")));
    ape(args.iter().chain(more))
}

/// What came of each exercise, by its name.
fn results(ran: &Ran) -> BTreeMap<String, Json> {
    let lines = ran.out.lines().map(|line| serde_json::from_str::<Json>(line).expect("it is JSON"));
    let exercises = lines.filter(|line| line["type"] == "exercise");
    exercises.map(|line| (line["exercise"].as_str().expect("a name").to_string(), line)).collect()
}

#[test]
fn the_key_is_what_the_solutions_seal() {
    let key = folder("key").join("answers.key");
    let solutions = root().join("tests/course").to_string_lossy().into_owned();
    let ran = ape(["test", "--seal", &key.to_string_lossy(), &solutions]);
    assert!(ran.status == Some(0) && ran.out.contains("30 exercises sealed"), "{}{}", ran.out, ran.err);
    let now = fs::read_to_string(&key).expect("it was written");
    let there = course().join("answers.key");
    if env::var_os("APE_BLESS").is_some() {
        fs::write(&there, &now).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(there).expect("it is there"), now, "APE_BLESS=1 takes it over");
    for word in ["equivalent", "requires", "null"] {
        assert!(!now.contains(word), "{word} can be read in the key");
    }
}

#[test]
fn exercises_are_open_and_solutions_right() {
    let handouts: Vec<PathBuf> = UNITS.iter().map(|unit| course().join(unit).join("exercises")).collect();
    let counted: Vec<usize> = handouts.iter().map(|folder| programs(folder).len()).collect();
    assert_eq!(counted, [5; 6]);
    let handouts: Vec<&Path> = handouts.iter().map(PathBuf::as_path).collect();
    let ran = grade(&handouts, &["--format", "json-lines"]);
    let found = results(&ran);
    assert_eq!(found.len(), 30, "{}", ran.out);
    for (id, line) in &found {
        let result = line["result"].as_str();
        assert!(matches!(result, Some("wrong" | "not-answered")) && line["points"] == 0, "{id}: {line}");
    }
    assert_eq!(ran.status, Some(1));
    // That all solutions are right is in the test of the key. Here they come in through the other door.
    let names = ["heaps_1", "heaps_2", "heaps_3", "heaps_4", "calls_3", "loops_1"];
    let files = names.map(|name| root().join("tests/course").join(format!("{name}.l")));
    let ran = ape(["test", "--grade", "--key"]
        .map(PathBuf::from)
        .iter()
        .chain([&course().join("answers.key")])
        .chain(&files));
    assert!(ran.out.contains("9 of 43 points; 30 exercises: 6 right, 24 not handed in"), "{}{}", ran.out, ran.err);
    assert_eq!(ran.status, Some(3));
}

/// A change of a solution: which, the first text that is replaced, by what; and the result.
const SHORTCUTS: &[(&str, &str, &str, &str)] = &[
    ("garbage_5", "VERSION before\n", "VERSION before\n// a remark\n", "right"),
    ("heaps_3", "b := new Cell();\n  a.value := n;", "a.value := n;", "changed"),
    ("heaps_3", "procedure split(n: int) returns (a: Cell, b: Cell) {\n  a", "procedure other() {\n  a", "changed"),
    ("heaps_3", "a := new Cell();\n  a.value := n;\n  // answer ends", "assume false;\n  // answer ends", "wrong"),
    (
        "heaps_3",
        "a := new Cell();\n  a.value := n;\n  // answer ends",
        "a := b; } { a := b;\n  // answer ends",
        "wrong",
    ),
    (
        "heaps_3",
        "a := new Cell();\n  a.value := n;\n  // answer ends",
        "} version 3 procedure x() {\n  // answer ends",
        "wrong",
    ),
    ("heaps_3", "// answer begins", "// answer begins\n// answer ends\n// answer begins", "changed"),
    ("heaps_3", "VERSION before", "// answer begins\n// answer ends\nVERSION before", "changed"),
    ("heaps_4", "requires x == null || x != y || x.value == 0;", "requires false;", "wrong"),
    ("heaps_4", "|| x.value == 0;", ";", "wrong"),
    ("heaps_4", "x == null || x != y || x.value == 0;", "x != y || x.value == 0;", "wrong"),
    (
        "heaps_4",
        "requires x == null || x != y || x.value == 0;",
        "requires x == null ||\n x != y || (x.value == 0); requires true; // all",
        "right",
    ),
    (
        "heaps_4",
        "requires x == null || x != y || x.value == 0;",
        "requires !(x != null && y == x && x.value != 0);",
        "right",
    ),
    ("heaps_4", "requires x == null || x != y || x.value == 0;", "requires x.value == 0;", "wrong"),
    (
        "heaps_4",
        "requires x == null || x != y || x.value == 0;",
        "requires x == null || x != y || x.value == 0; ensures true;",
        "wrong",
    ),
    ("heaps_4", "requires x == null || x != y || x.value == 0;", "", "wrong"),
    ("calls_3", "ensures p >= 1;", "requires false; ensures p >= 1;", "wrong"),
    ("calls_3", "ensures p >= 1;", "ensures false;", "wrong"),
    ("heaps_1", "ring equivalent", "ring equivalent because names do not count", "right"),
    ("heaps_1", "ring equivalent", "ring not-equivalent", "wrong"),
    ("heaps_1", "ring equivalent", "ring ?", "not-answered"),
    ("heaps_1", "ring equivalent", "ring ~ ring equivalent", "not-answered"),
    ("heaps_1", "a.next := b;", "", "changed"),
    ("heaps_1", "ring equivalent", "ring equivalent\n// answer: ring not-equivalent", "failed"),
    ("heaps_1", "ring equivalent", "ring equivalent|not-equivalent", "failed"),
    ("heaps_1", "1.1 verdict", "1.2 verdict", "changed"),
    ("heaps_1", "1.1 verdict", "1.9 verdict", "failed"),
    ("heaps_3", "1.3 mend", "1.1 mend", "changed"),
    ("heaps_3", "// answer ends", "", "failed"),
    ("heaps_3", "a := new Cell();\n  a.value := n;\n  // answer ends", "a := := b;\n  // answer ends", "failed"),
];

#[test]
fn no_shortcut_has_points() {
    let folder = folder("shortcuts");
    for (at, &(name, old, new, right)) in SHORTCUTS.iter().enumerate() {
        let text = solution(name);
        let other = text.replacen(old, new, 1);
        assert_ne!(text, other, "{name} has no {old}");
        let file = folder.join(format!("{at}.l"));
        fs::write(&file, other).expect("a file can be written");
        let ran = ape([
            Path::new("test"),
            Path::new("--grade"),
            Path::new("--format=json-lines"),
            &file,
            Path::new("--timeout=20"),
            Path::new("--key"),
            &course().join("answers.key"),
        ]);
        let mut lines = ran.out.lines().map(|line| serde_json::from_str::<Json>(line).expect("it is JSON"));
        let mine = lines.find(|line| line["file"] == file.to_string_lossy().as_ref());
        let mine = mine.unwrap_or_else(|| panic!("{name} {new}: {}{}", ran.out, ran.err));
        assert_eq!(mine["result"], right, "{name}: {new}: {mine}\n{}", ran.err);
        assert_eq!(mine["points"] == mine["of"] && mine["of"] != 0, right == "right", "{mine}");
        assert_eq!(ran.status == Some(2), right == "failed", "{mine}");
    }
}

/// A folder with the key of the course.
fn with_key(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::copy(course().join("answers.key"), folder.join("answers.key")).expect("it can be copied");
    folder
}

/// Grades these files, in a folder below one with a key.
fn handed_in(folder: &Path, files: &[(&str, String)], more: &[&str]) -> Ran {
    let there = folder.join("in");
    let _ = fs::remove_dir_all(&there);
    fs::create_dir_all(&there).expect("a folder can be made");
    for (name, text) in files {
        fs::write(there.join(name), text).expect("a file can be written");
    }
    let args = ["test", "--grade"].map(String::from).into_iter().chain([there.to_string_lossy().into_owned()]);
    ape(args.chain(more.iter().map(|word| word.to_string())))
}

fn right() -> (&'static str, String) {
    ("a.l", solution("heaps_1"))
}

fn wrong() -> (&'static str, String) {
    ("b.l", solution("heaps_2").replace("link not-equivalent", "link equivalent"))
}

#[test]
fn the_status_says_how_bad_the_worst_answer_is() {
    let folder = with_key("status");
    let open = || ("c.l", solution("garbage_1").replace("add equivalent", "add ?"));
    let illegal = || ("d.l", solution("heaps_5").replace("kept;\n  // answer ends", "kept\n  // answer ends"));
    let table = [
        (vec![right()], 0, "2 of 2 points; 1 exercise: 1 right\n"),
        (vec![right(), wrong()], 1, "3 of 4 points; 2 exercises: 1 right, 1 wrong\n"),
        (vec![right(), open()], 3, "3 of 4 points; 2 exercises: 1 right, 1 not answered\n"),
        (vec![open(), wrong()], 1, "2 of 4 points; 2 exercises: 1 wrong, 1 not answered\n"),
        (vec![illegal(), right()], 2, "2 of 3 points; 2 exercises: 1 right, 1 could not be graded\n"),
        (vec![right(), ("e.l", solution("heaps_1"))], 2, "1 right, 1 could not be graded\n"),
        (vec![("p.l", "procedure p() { skip; }\n".into())], 4, "there is no exercise\n"),
    ];
    for (files, status, end) in table {
        let ran = handed_in(&folder, &files, &[]);
        assert!(ran.out.ends_with(end) && ran.status == Some(status), "{end}: {:?} {}{}", ran.status, ran.out, ran.err);
        assert_eq!(ran.err.is_empty(), status != 2, "{}", ran.err);
    }
}

#[test]
fn scores_have_forms() {
    let folder = with_key("forms");
    let two = [right(), wrong()];
    assert_eq!(handed_in(&folder, &two, &["--quiet"]).out, "");
    let failing = handed_in(&folder, &two, &["--failures-only"]);
    assert!(failing.out.starts_with("wrong   1.2 verdict: 1 of 2, link is not equivalent\n"), "{}", failing.out);
    assert_eq!(handed_in(&folder, &two, &["--jobs", "1"]).out, handed_in(&folder, &two, &["--jobs", "2"]).out);
    let junit = handed_in(&folder, &two, &["--format", "junit"]);
    let suite = "<testsuite name=\"exercises\" tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\">";
    assert!(junit.out.contains(suite), "{}", junit.out);
    let report = folder.join("report.xml");
    let file = format!("junit:{}", report.display());
    assert_eq!(handed_in(&folder, &two, &["--report", &file]).status, Some(1));
    assert_eq!(fs::read_to_string(report).expect("it was written"), junit.out);
    for more in
        [&["--format", "sarif"][..], &["--bless"], &["--key", "absent.key"], &["--seal", "x.key"], &["--filter", "new"]]
    {
        let ran = handed_in(&folder, &two, more);
        assert!(ran.status == Some(2) && ran.out.is_empty() && !ran.err.is_empty(), "{more:?}: {}", ran.out);
    }
    fs::write(folder.join("answers.key"), "{}").expect("a file can be written");
    let broken = handed_in(&folder, &two, &[]);
    assert!(broken.status == Some(2) && broken.err.contains("is no key"), "{}", broken.err);
    fs::remove_file(folder.join("answers.key")).expect("it is there");
    let none = handed_in(&folder, &two, &[]);
    assert!(none.status == Some(2) && none.err.contains("there is no answers.key"), "{}", none.err);
}

#[test]
fn what_is_no_exercise_is_not_sealed() {
    let folder = folder("unsealed");
    let key = folder.join("answers.key");
    let plain = |text: &str| text.replace("// answer begins\n// answer ends\n", "");
    let head = |kind: &str| format!("// exercise: 1 {kind}\n");
    let code = "version 0\nprocedure p(n: int) returns (r: int)\n// answer begins\n// answer ends\n{ r := n; }\n\
                version 1\nprocedure p(n: int) returns (r: int) { r := n + 1; }\n";
    let external = "procedure e(n: int)\n// answer begins\nensures n > 0;\n// answer ends\n;\n\
                    version 0\nprocedure p() { skip; }\nversion 1\nprocedure p() { skip; }\n";
    let table = [
        (head("verdict") + code, 2, "no pair has an answer"),
        (head("verdict") + "// answer: p ?\n" + &plain(code), 2, "p has no answer"),
        (head("verdict") + "// answer: p equivalent\n" + &plain(code), 1, "p is not-equivalent"),
        (head("verdict") + "// answer: q equivalent\n" + &plain(code), 2, "not one pair is q"),
        (head("mend") + code, 1, "p is not-equivalent"),
        (head("mend") + "// goal: q\n" + code, 2, "not one pair is q"),
        (head("mend") + &plain(code), 2, "no place for an answer is marked"),
        (head("proof") + external, 2, "cannot be checked"),
    ];
    for (text, status, said) in table {
        fs::write(folder.join("a.l"), &text).expect("a file can be written");
        let ran = ape(["test", "--seal", &key.to_string_lossy(), &folder.to_string_lossy()]);
        assert_eq!(ran.status, Some(status), "{text}{}{}", ran.out, ran.err);
        assert!(format!("{}{}", ran.out, ran.err).contains(said) && !key.exists(), "{said}: {}{}", ran.out, ran.err);
    }
}
