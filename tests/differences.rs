//! What `ape diff` and `ape client` find is used elsewhere: in the last line of a counterexample, and in certificates.

mod common;

use common::{Ran, ape, root, scratch};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

/// A change that is seen for one number.
const ONE_NUMBER: &str = "procedure f(n: int) returns (r: int) { r := n; }
version after procedure f(n: int) returns (r: int) { r := n == 3 ? 0 : n; }";

fn run<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Ran {
    ape(words.into_iter().map(|word| word.as_ref().to_string()))
}

fn example(name: &str) -> String {
    root().join("examples").join(name).to_string_lossy().into_owned()
}

/// The lines on which stores differ, with the first line of the pair they are of.
fn briefly(file: &str) -> Vec<[String; 2]> {
    let (mut pair, mut found) = (String::new(), Vec::new());
    for line in run(["verify", file]).out.lines() {
        if !line.starts_with(' ') {
            pair = line.to_string();
        } else if line.ends_with(", see `ape diff`") {
            found.push([pair.clone(), line.trim().to_string()]);
        }
    }
    found
}

fn program(name: &str, text: &str) -> String {
    scratch(name, text).to_string_lossy().into_owned()
}

#[test]
fn a_counterexample_ends_with_the_stores_that_differ() {
    for (file, pair, condition) in [
        ("diff_alias.l", "set", "when y != null && x == y"),
        ("diff_off_by_one.l", "accepts", "when day >= 1 && day == last"),
        ("diff_guarded_division.l", "average", "when count == 0"),
        ("client_late_fee.l", "fee", "when days == 28"),
    ] {
        let found = briefly(&example(file));
        let line = [format!("{pair}: not-equivalent"), format!("differs {condition}, see `ape diff`")];
        assert!(found.contains(&line), "{file}: {found:?}");
    }
}

/// A field of a program without classes may be mentioned in the condition of a pair alone, wherever that stands.
#[test]
fn a_condition_may_have_fields_of_its_own() {
    let claim = "equiv f ~ f when x == null || x.own == null;\n";
    let versions = "version before
procedure f(x: ref, n: int) returns (r: int) { x.v := x; r := n; }
version after
procedure f(x: ref, n: int) returns (r: int) { x.v := x; if (n == 3) { r := 4; } else { r := n; } }
";
    for (name, text) in [("before", format!("{claim}{versions}")), ("after", format!("{versions}{claim}"))] {
        let told = run(["diff", "--format", "json", &program(&format!("own_fields_{name}.l"), &text)]).json();
        for pair in told["pairs"].as_array().expect("pairs") {
            assert_eq!(pair["complete"], true, "{name}: {pair}");
            assert_eq!(pair["differs_when"], "x != null && n == 3", "{name}: {pair}");
        }
    }
}

/// What the line says is within what `ape diff` proves of the pair: all of it, where `diff` is complete.
#[test]
fn the_stores_that_differ_are_those_of_diff() {
    for file in ["diff_alias.l", "diff_changed_default.l", "diff_widened_check.l", "null_order.l", "swapped_stores.l"] {
        let lines = briefly(&example(file));
        let report = run(["diff", "--format", "json", &example(file)]).json();
        for [pair, line] in &lines {
            let name = pair.split(':').next().unwrap_or_default();
            let told = report["pairs"].as_array().into_iter().flatten().find(|told| told["left"] == name);
            let told = told.expect("diff reports the pair");
            assert_eq!(told["complete"], true, "{file}");
            let when = line.strip_prefix("differs when ").and_then(|line| line.strip_suffix(", see `ape diff`"));
            assert_same(file, name, [when.expect("a condition"), told["differs_when"].as_str().unwrap_or_default()]);
        }
        assert!(!lines.is_empty(), "{file}");
    }
}

/// Under a condition of its own, a pair is said to differ from stores that satisfy it.
#[test]
fn the_line_keeps_to_the_condition_of_the_pair() {
    let text = format!("equiv f ~ f when n > 0;\nversion before {ONE_NUMBER}");
    let found = briefly(&program("briefly_when.l", &text));
    let own = ["f when n > 0: not-equivalent".to_string(), "differs when n == 3, see `ape diff`".to_string()];
    assert!(found.contains(&own), "{found:?}");
}

#[test]
fn nothing_is_said_where_it_is_not_cheap() {
    let many = |last: u8| {
        let one = |at: usize| format!("if (n == {at}) {{ r := {at}; }} ");
        let body: String = (10..20).map(one).collect();
        format!("procedure f(n: int) returns (r: int) {{ {body} if (n == 3) {{ r := {last}; }} }}")
    };
    let many = format!("version a {} version b {}", many(1), many(2));
    let outside = "procedure g(n: int) returns (r: int);
        version a procedure f(n: int) returns (r: int) { r := g(n); }
        version b procedure f(n: int) returns (r: int) { r := g(n); r := r + 1; }";
    for file in [
        example("off_by_one.l"),
        example("wrong_field.l"),
        example("endless_ring.l"),
        program("briefly_many.l", &many),
        program("briefly_outside.l", outside),
    ] {
        let found = briefly(&file);
        assert!(found.is_empty(), "{file}: {found:?}");
        assert!(run(["verify", &file]).out.contains(": not-equivalent"), "{file}");
    }
}

/// Two procedures that return these conditions are equivalent.
#[track_caller]
fn assert_same(file: &str, procedure: &str, conditions: [&str; 2]) {
    let text = fs::read_to_string(example(file)).expect("an example can be read");
    let head = format!("procedure {procedure}(");
    let from = text.find(&head).expect("the procedure is there") + head.len();
    let parameters = text[from..].split(')').next().unwrap_or_default();
    let classes =
        text.split("class ").skip(1).map(|class| format!("class {}}}\n", class.split('}').next().unwrap_or("")));
    let version = |name: &str, condition: &str| {
        format!("version {name}\nprocedure c({parameters}) returns (b: bool) {{ b := {condition}; }}\n")
    };
    let both = [version("one", conditions[0]), version("other", conditions[1])].concat();
    let program = program(&format!("briefly_{file}"), &(classes.collect::<String>() + &both));
    let report = run(["verify", "--format", "json", &program]).json();
    assert_eq!(report["verdict"], "equivalent", "{file}: {conditions:?}");
}

/// Where a certificate is written, and it as it was replayed.
fn certified(name: &str, words: &[&str]) -> (PathBuf, Json) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certified").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.parent().expect("it has a parent")).expect("a directory can be made");
    let place = directory.to_string_lossy().into_owned();
    let ran = run(words.iter().copied().chain(["--certificate", &place]));
    assert_eq!(ran.err, "", "{words:?}");
    let replayed = run(["replay", "--format", "json", &place]).json();
    (directory, replayed["certificates"][0].clone())
}

fn verdicts(replayed: &Json) -> Vec<[&str; 2]> {
    let pairs = replayed["pairs"].as_array().into_iter().flatten();
    pairs.filter_map(|pair| Some([pair["pair"].as_str()?, pair["verdict"].as_str()?])).collect()
}

#[test]
fn where_pairs_are_equal_is_certified() {
    for (file, pairs) in [
        ("diff_alias.l", &[["set when y == null || x != y", "equivalent"], ["set", "not-equivalent"]][..]),
        ("diff_guarded_division.l", &[["average when count != 0", "equivalent"], ["average", "not-equivalent"]]),
        ("swap.l", &[["swap", "equivalent"], ["rotate", "equivalent"]]),
    ] {
        let (_, replayed) = certified(&format!("diff-{file}"), &["diff", &example(file)]);
        assert_eq!(replayed["status"], "confirmed", "{file}: {replayed:#}");
        let found = verdicts(&replayed);
        assert!(pairs.iter().all(|pair| found.contains(pair)), "{file}: {found:?}");
    }
}

#[test]
fn what_clients_do_not_notice_is_certified() {
    for (file, clients) in [
        ("client_scratch_field.l", &[["publish", "equivalent"], ["preview", "not-equivalent"]][..]),
        ("client_late_fee.l", &[["bill", "not-equivalent"]]),
        ("client_zero_digits.l", &[["plain", "equivalent"]]),
    ] {
        let (_, replayed) = certified(&format!("client-{file}"), &["client", &example(file)]);
        assert_eq!(replayed["status"], "confirmed", "{file}: {replayed:#}");
        let found = verdicts(&replayed);
        assert!(clients.iter().all(|client| found.contains(client)), "{file}: {found:?}");
    }
}

/// A certificate whose cuts were changed is refused: what they make is another program, or none.
#[test]
fn a_certificate_of_clients_is_for_its_boundaries() {
    let (directory, _) = certified("client-forged", &["client", &example("client_zero_digits.l")]);
    let index = directory.join("certificate.json");
    let text = fs::read_to_string(&index).expect("there is an index");
    let document: Json = serde_json::from_str(&text).expect("it is JSON");
    assert!(document["cuts"].as_array().is_some_and(|cuts| !cuts.is_empty()), "{text}");
    let mut forged = document.clone();
    forged["cuts"][0]["to"] = 70.into();
    fs::write(&index, forged.to_string()).expect("it can be written");
    let ran = run(["replay", &directory.to_string_lossy()]);
    assert_eq!(ran.status, Some(1), "{}{}", ran.out, ran.err);
}

/// What is said of the values at two places of a program.
fn at(name: &str, text: &str, lines: &str) -> Vec<Json> {
    pairs_of(&run(["diff", "--format", "json", "--at", lines, &program(name, text)]).json())
}

fn pairs_of(report: &Json) -> Vec<Json> {
    report["pairs"].as_array().cloned().unwrap_or_default()
}

/// A loop that goes on for longer takes its variable to values that it did not have, and is the same at its end.
#[test]
fn values_that_a_loop_adds_are_found() {
    let version = |name: &str, factor: u8| {
        format!(
            "version {name}\nprocedure up(n: int) requires n >= 0; {{\ni := 0;\nwhile (i < {factor} * n) {{ i := i + 1; }}\n}}\n"
        )
    };
    let text = version("before", 1) + &version("after", 3);
    for (lines, places, differ) in [("4~9", ["line 4", "line 9"], "n < value && value <= 3 * n"), ("9~4", ["", ""], "")]
    {
        if differ.is_empty() {
            let ran = run(["diff", "--at", lines, &program("at_swapped.l", &text)]);
            assert_eq!(
                (ran.status, ran.err.contains("no statement of version before begins in line 9")),
                (Some(2), true)
            );
            continue;
        }
        let pairs = at("at_loop.l", &text, lines);
        let own = pairs.iter().find(|pair| pair["left"] == format!("i of up, {}", places[0])).expect("i is compared");
        assert_eq!((&own["right"], &own["complete"]), (&format!("i of up, {}", places[1]).into(), &true.into()));
        let found = own["differs_when"].as_str().unwrap_or_default();
        let both = ["one", "other"].iter().zip([found, differ]).map(|(name, condition)| {
            format!("version {name} procedure c(n: int, value: int) returns (b: bool) requires n >= 0; {{ b := {condition}; }}\n")
        });
        let report = run(["verify", "--format", "json", &program("at_conditions.l", &both.collect::<String>())]).json();
        assert_eq!(report["verdict"], "equivalent", "{found}");
        let n = pairs.iter().find(|pair| pair["left"] == "n of up, line 4").expect("n is compared");
        assert_eq!((&n["verdict"], &n["equal_when"]), (&"equivalent".into(), &"true".into()));
    }
}

/// A value may be in the old version alone, and in the new one alone; each has a store that was run.
#[test]
fn both_directions_are_told() {
    let version = |name: &str, value: u8| {
        format!("version {name}\nprocedure f(b: bool) returns (r: int) {{\nx := b ? {value} : 0;\nr := 9;\n}}\n")
    };
    let pairs = at("at_both.l", &(version("before", 1) + &version("after", 2)), "4~9");
    let own = pairs.iter().find(|pair| pair["left"] == "x of f, line 4").expect("x is compared");
    assert_eq!(own["complete"], true, "{own:#}");
    let value = |row: &Json, side: &str| row[side][0]["value"].as_str().unwrap_or_default().to_string();
    let rows: Vec<&Json> = own["rows"].as_array().into_iter().flatten().collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["left"][0]["place"] == "had"), "{own:#}");
    assert!(rows.iter().all(|row| value(row, "left") != value(row, "right")), "{own:#}");
    let same = pairs.iter().find(|pair| pair["left"] == "b of f, line 4").expect("b is compared");
    assert_eq!(same["verdict"], "equivalent");
}

/// That the versions leave other heaps is no difference of values: such stores are open, or known to be equal.
#[test]
fn what_else_differs_is_none_of_values() {
    let version = |name: &str, value: u8| {
        format!(
            "version {name}\nprocedure f(c: Cell, n: int) {{\nx := n;\nif (c != null) {{\nc.v := {value};\n}}\n}}\n"
        )
    };
    let text = format!("class Cell {{ v: int; }}\n{}{}", version("before", 1), version("after", 2));
    let pairs = at("at_heap.l", &text, "5~12");
    let own = pairs.iter().find(|pair| pair["left"] == "x of f, line 5").expect("x is compared");
    assert_eq!((&own["differs_when"], &own["verdict"]), (&"false".into(), &"unknown".into()), "{own:#}");
    assert_eq!(own["rows"].as_array().map(Vec::len), Some(0));
}

/// Globals that differ at the end are no values, and neither is what a `return` would give back.
#[test]
fn ends_are_none_of_values() {
    let version = |name: &str, value: u8| {
        format!(
            "version {name}\nprocedure f(n: int) returns (r: int) {{\ng := {value};\nif (n > 3) {{ return {value}; }}\nr := {value};\n}}\n"
        )
    };
    let text = format!("global g: int;\n{}{}", version("before", 1), version("after", 2));
    let pairs = at("at_ends.l", &text, "5~11");
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    assert!(pairs.iter().all(|pair| pair["verdict"] == "equivalent"), "{pairs:#?}");
}

fn pair_of(report: &Json, name: &str) -> Json {
    pairs_of(report).into_iter().find(|pair| pair["left"] == name).expect("the pair is reported")
}

/// In a relation the places are those of the final stores: what leads to one is what it was on entry, where it is written as well.
#[test]
fn a_relation_speaks_of_places_that_are_there_at_the_end() {
    let classes = "class Node { val: int; next: Node; } class Holder { cells: int[]; } global g: int;";
    for (name, old, new, relation) in [
        (
            "moved.l",
            "procedure p(c: Node, v: int) { c.next.val := v; c.next := c.next.next; }",
            "procedure p(c: Node, v: int) { c.next.val := v + 1; c.next := c.next.next; }",
            "c != null && old(c.next) != null && old(c.next).val == v && old(c.next).val' == v + 1",
        ),
        (
            "stays.l",
            "procedure p(c: Node, v: int) { c.next.val := v; }",
            "procedure p(c: Node, v: int) { c.next.val := v + 1; }",
            "c != null && old(c.next) != null && c.next.val == v && c.next.val' == v + 1",
        ),
        (
            "counted.l",
            "procedure p(a: int[], b: int[]) requires a != b; { a[g] := 1; g := g + 1; a[b[0]] := 1; }",
            "procedure p(a: int[], b: int[]) requires a != b; { a[g] := 1; g := g + 1; a[b[0]] := 2; }",
            "a'[old(b[0])] == 2",
        ),
        (
            "cut_off.l",
            "procedure p(d: Holder, i: int) { d.cells[i] := 1; d.cells := null; }",
            "procedure p(d: Holder, i: int) { d.cells[i] := 2; d.cells := null; }",
            "old(d.cells)[i] == 1 && old(d.cells)'[i] == 2",
        ),
    ] {
        let file = program(name, &format!("{classes} version 0 {old} version 1 {new}"));
        let told = pair_of(&run(["diff", "--format", "json", &file]).json(), "p");
        let said = told["relation"].as_str().unwrap_or_default();
        assert!(said.contains(relation), "{name}: {said}");
    }
}

/// A relation that is said of the stores of a row holds of each of them that differs, also of those where a version errs.
#[test]
fn a_row_does_not_speak_for_stores_that_differ_otherwise() {
    let turn = "var i: int := 0; while (i < m) { r := r + a[i]; i := i + 1; }";
    let file = program(
        "bounded.l",
        &format!(
            "version before procedure p(a: int[], n: int) returns (r: int) {{ var m: int := n; {turn} }}
             version after procedure p(a: int[], n: int) returns (r: int) {{ var m: int := n; if (m > a.length) {{ m := a.length; }} {turn} }}"
        ),
    );
    let told = pair_of(&run(["diff", "--format", "json", &file]).json(), "p");
    let rows = told["rows"].as_array().expect("there are rows");
    // One in which values are known is of other stores.
    let rows: Vec<&Json> = rows.iter().filter(|row| row["exact"] == false).collect();
    for row in &rows {
        let said = row["relation"].as_str().unwrap_or_default();
        assert!(said.contains("r != r'") && said.contains("err && !err'") && said.contains("||"), "{row}");
    }
    assert!(!rows.is_empty());
}

/// What a loop writes may differ where its results do not: nothing is said of these alone.
#[test]
fn results_are_not_said_to_differ_where_the_heap_may() {
    let version = |name: &str, step: u8| {
        format!(
            "version {name} procedure mark(l: Node, n: int) returns (i: int) {{ while (l != null && i < n) {{ l.val := i; i := i + {step}; l := l.next; }} }}\n"
        )
    };
    let text = "class Node { val: int; next: Node; }\n".to_owned() + &version("before", 1) + &version("after", 2);
    let told = pair_of(&run(["diff", "--format", "json", &program("marked.l", &text)]).json(), "mark");
    let said = told.to_string();
    assert!(told["complete"] == false && !said.contains("i != i'"), "{said}");
}

/// Of the ways in which a store may differ those come first in which a version errs: an output has no value there.
#[test]
fn ways_to_err_come_first() {
    let text = "version before
procedure put(a: int[], key: int) returns (done: bool) {
  i := 0;
  while (i < a.length && a[i] != key) { i := i + 1; }
  a[i] := 1;
}
version after
procedure put(a: int[], key: int) returns (done: bool) {
  i := 0;
  while (i < a.length && !done) {
    if (a[i] == key) { a[i] := 1; done := true; }
    i := i + 1;
  }
}
";
    let told = run(["diff", "--format", "json", &program("ways_to_err.l", text)]).json();
    let rows = told["pairs"][0]["rows"].as_array().expect("rows");
    let said: Vec<&str> = rows.iter().filter_map(|row| row["relation"].as_str()).collect();
    let both: Vec<&&str> = said.iter().filter(|said| said.contains("err") && said.contains("done == ")).collect();
    assert!(!both.is_empty(), "{said:?}");
    for said in both {
        assert!(said.find("err") < said.find("done == "), "{said}");
        assert!(said.starts_with("a != null && (("), "{said}");
    }
}

/// Where no relation is found, and a store is, that is a difference as well.
#[test]
fn a_store_that_differs_is_shown_where_nothing_is_known_of_how() {
    let version = |name: &str, end: &str| {
        format!(
            "version {name} procedure fill(a: int[], v: int) {{ i := 0; while (i < {end}) {{ a[i] := v; i := i + 1; }} }}\n"
        )
    };
    let file = program("last_cell_left_out.l", &(version("before", "a.length - 1") + &version("after", "a.length")));
    let ran = run(["diff", &file]);
    assert!(ran.out.contains("some differ when a != null && a.length >= 1\n    e.g. a := "), "{}", ran.out);
    assert_eq!(ran.status, Some(1));
}

/// A flag of what may be null has no value there; that stands in no test, and no store is lost by it.
#[test]
fn a_flag_behind_a_guard_is_told_apart() {
    let version = |name: &str, price: u8| {
        format!(
            "version {name} procedure price(t: Ticket) returns (w: int) {{ w := {price}; if (t != null) {{ if (t.child) {{ w := 0; }} }} }}\n"
        )
    };
    let text = format!("class Ticket {{ child: bool; }}\n{}{}", version("before", 80), version("after", 100));
    let report = run(["diff", "--format", "json", &program("flag_behind_guard.l", &text)]).json();
    let pair = pair_of(&report, "price");
    assert_eq!(pair["equal_when"], "t != null && t.child");
    assert_eq!(pair["complete"], true);
}

/// Where it is open which stores differ, one that was run and does is one that is seen to.
#[test]
fn a_store_that_was_run_and_differs_is_a_difference() {
    let version = |name: &str, least: u8| {
        format!(
            "version {name} procedure sum(a: int[]) returns (s: int) {{ if (a == null) {{ return; }} i := {least}; while (i < a.length) {{ s := s + a[i]; i := i + 1; }} }}\n"
        )
    };
    let file = program("first_cell_left_out.l", &(version("before", 0) + &version("after", 1)));
    let ran = run(["diff", "--format", "json", &file]);
    let pair = pair_of(&ran.json(), "sum");
    assert!(pair["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{pair}");
    assert_eq!((ran.status, &pair["verdict"], &pair["affected"]), (Some(1), &"not-equivalent".into(), &true.into()));
}

/// A program of two versions of one procedure, with a text in the place of each `@`.
fn two_versions(name: &str, procedure: &str, texts: [&str; 2]) -> String {
    let version = |(version, text): (&str, &str)| format!("version {version} {}\n", procedure.replace('@', text));
    program(name, &["before", "after"].into_iter().zip(texts).map(version).collect::<String>())
}

/// So is one from which one version alone is seen to end; where endless runs count as equal to any there is no difference.
#[test]
fn a_store_from_which_one_ends_is_a_difference() {
    let found = |words: &[&str], file: &str| {
        let ran = run([&["diff", "--format", "json"], words, &[file]].concat());
        (pair_of(&ran.json(), "f"), ran.status)
    };
    let halved =
        "procedure f(n: int) returns (r: int) { r := n; while (@) { r := r - r / 2; if (r < 0) { r := 0; } } }";
    let file = two_versions("halved.l", halved, ["r > 0", "r > 1"]);
    let (pair, status) = found(&[], &file);
    assert_eq!((status, &pair["verdict"]), (Some(1), &"not-equivalent".into()), "{pair}");
    assert!(pair["one_ends_witness"].is_object(), "{pair}");

    let waits = "procedure f(n: int) returns (r: int) { if (@) { while (true) { skip; } } r := 1; }";
    let file = two_versions("waits.l", waits, ["n == 0", "n == 1"]);
    let (pair, status) = found(&[], &file);
    assert_eq!((status, &pair["one_ends_when"]), (Some(1), &"n >= 0 && n <= 1".into()), "{pair}");
    let (pair, status) = found(&["--partial"], &file);
    assert_eq!((status, &pair["equal_when"], &pair["complete"]), (Some(0), &"true".into(), &true.into()), "{pair}");

    // What differs where both end is no more equal than before.
    let waits = "procedure f(n: int, m: int) returns (r: int) { i := 0; while (i < n) { while (m < 0) { skip; } i := i + 1; } r := @; }";
    let file = two_versions("waits_within.l", waits, ["i", "i + (n > 0 ? 1 : 0)"]);
    let (pair, status) = found(&["--partial"], &file);
    assert_eq!((status, &pair["equal_when"]), (Some(1), &"n <= 0 || m <= -1".into()), "{pair}");
}

/// A run that is blocked does not end.
#[test]
fn a_store_from_which_one_is_blocked_is_one_from_which_one_ends() {
    let file = two_versions("blocked.l", "procedure f(n: int) returns (r: int) { @ r := 1; }", ["assume n != 4;", ""]);
    let ran = run(["diff", "--format", "json", &file]);
    let pair = pair_of(&ran.json(), "f");
    let [one_ends, complete] = ["one_ends_when", "complete"].map(|key| &pair[key]);
    assert_eq!((ran.status, one_ends, complete), (Some(1), &"n == 4".into(), &true.into()), "{pair}");
    assert_eq!(pair["one_ends_witness"]["arguments"]["n"], 4, "{pair}");
}

/// What is open is said in as few tests as its own allow.
#[test]
fn what_is_open_is_said_in_few_words() {
    let text = "procedure stamps(n: int) returns (r: int) { if (n < 1) { return 0; } s := stamps(n - 1); r := s + stamp(n); if (r > 3) { r := 3; } }
version before procedure stamp(n: int) returns (r: int) { if (n > 0) { r := 1; } }
version after procedure stamp(n: int) returns (r: int) { if (n > 0) { r := 2; } }";
    let pair = pair_of(&run(["diff", "--format", "json", &program("stamps.l", text)]).json(), "stamps");
    assert_eq!(pair["open_when"], "n >= 7", "{pair}");
}

/// What both versions have in common is not modified, whatever becomes of what it calls.
#[test]
fn what_is_common_is_not_modified() {
    let text = "class C { v: int; }
procedure both(x: C) { y := new C(); call set(x, y); }
version before procedure set(x: C, y: C) { x.v := 1; y.v := 2; }
version after procedure set(x: C, y: C) { x.v := 3; y.v := 2; }";
    let report = run(["diff", "--format", "json", &program("common.l", text)]).json();
    let modified = ["both", "set"].map(|name| pair_of(&report, name)["modified"].clone());
    assert_eq!(modified, [false.into(), true.into()] as [Json; 2]);
}

/// What is found of a caller does not turn on whether it is declared before what it calls.
#[test]
fn the_order_of_declarations_changes_nothing() {
    let first = "procedure first(n: Node) returns (r: int) { raise(n); if (n != null) { r := n.v; } }\n";
    let raise = |test: &str| {
        format!(
            "procedure raise(n: Node) {{ if (n != null) {{ if ({test}) {{ n.v := n.v + 1; }} raise(n.next); }} }}\n"
        )
    };
    let [old, recent] = [raise("true"), raise("n.v >= 0")];
    let class = "class Node { next: Node; v: int; }\n";
    let caller_first = format!("{class}version before\n{first}{old}version after\n{first}{recent}");
    let callee_first = format!("{class}version before\n{old}{first}version after\n{recent}{first}");
    let found = [("caller_first.l", caller_first), ("callee_first.l", callee_first)].map(|(name, text)| {
        let pair = pair_of(&run(["diff", "--format", "json", &program(name, &text)]).json(), "first");
        ["equal_when", "differs_when", "open_when", "relation"].map(|key| pair[key].clone())
    });
    assert_eq!(found[0], found[1]);
}

/// Of a place nothing is said where both versions err.
#[test]
fn values_before_an_error_are_not_said_to_be_equal_always() {
    let text = "version before\nprocedure f(n: int) {\nx := n;\nassert n != 4;\n}\nversion after\nprocedure f(n: int) {\nx := n;\nif (n == 4) { x := 9; }\nassert n != 4;\n}\n";
    let ran = run(["diff", "--at", "4~10", &program("at_error.l", text)]);
    assert!(ran.out.contains("equal wherever both end normally") && !ran.out.contains("always"), "{}", ran.out);
}

/// A local that hides a global is not compared where the name may mean the global.
#[test]
fn a_local_is_not_taken_for_a_global() {
    let version = |name: &str| {
        format!(
            "version {name}\nprocedure f(n: int) returns (r: int) {{\nif (n > 0) {{ var v := n; r := v; }}\nr := r + 1;\nv := 5;\n}}\n"
        )
    };
    let text = format!("global v: int;\n{}{}", version("before"), version("after"));
    let pairs = at("at_hidden.l", &text, "5~11");
    let names: Vec<&str> = pairs.iter().filter_map(|pair| pair["left"].as_str()).collect();
    assert!(
        names.iter().any(|name| name.starts_with("r of")) && !names.iter().any(|name| name.starts_with("v of")),
        "{names:?}"
    );
}

/// Where versions differ in what follows two places, nothing is said of the values there.
#[test]
fn values_do_not_differ_by_what_follows() {
    let version = |name: &str, put: u8| {
        format!(
            "version {name}\nprocedure f(a: int[], n: int) {{\nw := n + 1;\nw := w + 1;\nwhile (i < a.length) {{ a[i] := {put}; i := i + 1; }}\n}}\n"
        )
    };
    let pairs = at("at_followed.l", &(version("before", 1) + &version("after", 2)), "4~10");
    assert!(pairs.iter().any(|pair| pair["left"].as_str().is_some_and(|name| name.starts_with("w of"))), "{pairs:?}");
    for pair in pairs {
        assert_eq!((&pair["differs_when"], &pair["rows"]), (&"false".into(), &Json::Array(Vec::new())), "{pair}");
    }
}

/// That one output is proved to differ says nothing of the others.
#[test]
fn a_row_that_leaves_an_output_out_is_not_exact() {
    let version = |name: &str, more: &str| {
        format!(
            "version {name} procedure f(n: int) returns (b: bool, s: int) {{ s := 1; while (i < n) {{ s := s * 3 - i; i := i + 1; }} b := n > 3; {more} }}\n"
        )
    };
    let text = version("before", "") + &version("after", "if (n > 10) { b := false; s := s * s; }");
    let pair = pair_of(&run(["diff", "--format", "json", &program("two_outputs.l", &text)]).json(), "f");
    assert_eq!((&pair["rows"][0]["exact"], &pair["rows"][0]["when"]), (&false.into(), &"n > 10".into()), "{pair}");
}

/// A relation has no words with two meanings.
#[test]
fn a_relation_names_no_parameter_twice() {
    let version = |name: &str, more: u8| {
        format!(
            "version {name} procedure f(r': int, n: int) returns (r: int) {{ if (n > 0) {{ r := r' + {more}; }} }}
             procedure g(ends: int) returns (r: int) {{ r := ends + {more}; }}\n"
        )
    };
    let text = version("before", 1) + &version("after", 2);
    let told = run(["diff", "--format", "json", &program("primed.l", &text)]).json();
    let [f, g] = ["f", "g"].map(|name| pair_of(&told, name)["rows"][0].clone());
    assert_eq!((&f["relation"], &g["relation"]), (&"n >= 1".into(), &Json::Null), "{f} {g}");
}
