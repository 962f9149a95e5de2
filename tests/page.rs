//! `ape verify --format html`: one page that needs nothing else, true to the report, and safe whatever a source holds.

mod common;

use common::{ape, programs, root, scratch};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// A page must be smaller than this, in bytes.
const LARGEST: usize = 500_000;
/// Elements that have no end.
const VOID: [&str; 2] = ["meta", "br"];

/// The page of some files, and the status it came with.
fn page(files: &[&str]) -> (String, Option<i32>) {
    let ran = ape(["verify", "--format", "html"].iter().chain(files));
    assert_eq!(ran.err, "", "{files:?}");
    (ran.out, ran.status)
}

/// A page without what is between the tags of its style and of its scripts.
fn tags(page: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let end = rest[start..].find('>').map(|end| start + end).expect("a tag that begins ends");
        let inside = &rest[start + 1..end];
        tags.push(inside);
        rest = &rest[end + 1..];
        for raw in ["style", "script"] {
            if inside == raw || inside.starts_with(&format!("{raw} ")) {
                rest = &rest[rest.find(&format!("</{raw}>")).expect("it ends")..];
            }
        }
    }
    tags
}

/// All values of an attribute.
fn values<'p>(tags: &[&'p str], name: &str) -> Vec<&'p str> {
    let start = format!(" {name}=\"");
    tags.iter().filter_map(|tag| tag.split_once(&start)?.1.split('"').next()).collect()
}

/// What is wrong with a page as a document.
#[track_caller]
fn check_document(page: &str) {
    assert!(page.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{}", &page[..80]);
    assert!(page.len() < LARGEST, "{} bytes", page.len());
    let tags = tags(page);
    let mut open = Vec::new();
    for tag in tags.iter().filter(|tag| !tag.starts_with('!') && !tag.ends_with('/')) {
        let name = tag.trim_start_matches('/').split([' ', '\n']).next().unwrap_or_default();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !VOID.contains(&name) && name != "input" {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    // Nothing from elsewhere, nothing inline but what the policy names.
    let names = tags.iter().map(|tag| tag.split(' ').next().unwrap_or_default());
    let foreign = ["img", "link", "iframe", "object", "embed", "base", "form", "foreignObject"];
    assert!(!names.into_iter().any(|name| foreign.contains(&name)), "{foreign:?}");
    assert!(values(&tags, "href").iter().all(|href| href.starts_with('#')));
    assert!(values(&tags, "src").is_empty() && values(&tags, "style").is_empty());
    // Of a tag what is not between quotes.
    let names = |tag: &&str| tag.split('"').step_by(2).any(|part| part.contains(" on"));
    assert!(!tags.iter().any(names), "what happens on an event is in the program of the page alone");
    let policy = values(&tags, "content").into_iter().find(|content| content.starts_with("default-src 'none'"));
    assert!(policy.is_some_and(|policy| policy.matches("'sha256-").count() == 2), "{policy:?}");
    // Names are unique, and what leads somewhere leads to something.
    let ids = values(&tags, "id");
    let known: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), known.len(), "a name is given twice");
    let targets = values(&tags, "href").into_iter().map(|href| &href[1..]);
    let partners = values(&tags, "data-to").into_iter().flat_map(|to| to.split(' '));
    for id in targets.chain(partners).chain(values(&tags, "data-from")) {
        assert!(known.contains(id), "nothing is called {id}");
    }
}

/// The steps of all pairs of a page.
fn steps(page: &str) -> Vec<Json> {
    let texts = page.split("<script type=\"application/json\"").skip(1);
    let texts = texts.filter_map(|rest| rest.split_once('>')?.1.split("</script>").next());
    texts.map(|text| serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))).collect()
}

/// A text of the report as the page shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The rows of a value in the tables of steps.
fn holds(rows: &Json, name: &str, value: &Json) -> bool {
    let shown = value.as_str().map_or_else(|| value.to_string(), str::to_string);
    rows.as_array().is_some_and(|rows| rows.iter().any(|row| row[0] == name && row[1] == shown.as_str()))
}

/// Whether the last step of a run shows what the report says it left.
#[track_caller]
fn check_end(run: &Json, outcome: &Json) {
    let last = run["steps"].as_array().and_then(|steps| steps.last()).expect("there are steps");
    let table =
        |name: &str, at: &Json| run[name][usize::try_from(at.as_u64().expect("a number")).expect("small")].clone();
    let said = table("texts", &last[1]);
    if outcome["outcome"] != "normal" {
        assert_ne!(said, "ends normally");
        return;
    }
    assert_eq!(said, "ends normally");
    let own = table("calls", last[2].as_array().and_then(|calls| calls.last()).expect("the run's own call"));
    for (name, value) in outcome["results"].as_object().expect("results") {
        assert!(holds(&own[1], name, value), "{name} is not {value} in {own}");
    }
    for (name, value) in outcome["globals"].as_object().expect("globals") {
        assert!(holds(&table("globals", &last[4]), name, value), "{name}");
    }
    let objects: Vec<Json> = last[5].as_array().expect("objects").iter().map(|at| table("objects", at)).collect();
    for (name, object) in outcome["heap"].as_object().expect("a heap").iter().take(10) {
        let shown = objects.iter().find(|shown| shown[0] == name.as_str());
        let shown = shown.unwrap_or_else(|| panic!("{name} is not among {objects:?}"));
        for (field, value) in object["fields"].as_object().into_iter().flatten() {
            assert!(holds(&shown[2], field, value), "{name}.{field} is not {value} in {shown}");
        }
    }
}

#[test]
fn every_example_has_a_page_that_is_true_to_its_report() {
    for file in programs(&root().join("examples")) {
        let name = file.display().to_string();
        let (page, status) = page(&[&name]);
        check_document(&page);
        let ran = ape(["verify", "--format", "json", &name]);
        let report = ran.json();
        // On a machine that is too busy the two runs need not be cut short at the same place.
        if report["stopped"].is_string() || ran.out.contains("limit was reached") || page.contains("limit was reached")
        {
            continue;
        }
        assert_eq!(status, ran.status, "{name}");
        let pairs = report["pairs"].as_array().expect("pairs");
        let sections: Vec<&str> = page.split("<section class=\"pair\"").skip(1).collect();
        assert_eq!(sections.len(), pairs.len(), "{name}");
        for (section, pair) in sections.iter().zip(pairs) {
            let verdict = pair["verdict"].as_str().expect("a text");
            assert!(section.contains(&format!("{verdict}</span></h3>")), "{name}: {verdict}");
            assert!(section.contains(&format!("Termination: {}.", pair["termination"].as_str().expect("a text"))));
            let reason = pair["reason"].as_str().filter(|_| verdict == "unknown").unwrap_or_default();
            assert!(section.contains(&escaped(reason)), "{name}: {reason}");
        }
        let refuted: Vec<&Json> = pairs.iter().map(|pair| &pair["counterexample"]).filter(|it| !it.is_null()).collect();
        let steps = steps(&page);
        assert_eq!(steps.len(), refuted.len(), "{name}");
        for (steps, counterexample) in steps.iter().zip(refuted) {
            let runs = steps["runs"].as_array().expect("runs");
            let sides = ["left", "right"].map(|side| &counterexample[side]);
            for (run, outcome) in runs.iter().zip(sides.into_iter().filter(|side| !side.is_null())) {
                check_end(run, outcome);
            }
            check_rows(steps);
        }
    }
}

/// Rows go through all steps of all runs, and never back.
#[track_caller]
fn check_rows(steps: &Json) {
    let rows = steps["rows"].as_array().expect("rows");
    for (side, run) in steps["runs"].as_array().expect("runs").iter().enumerate() {
        let count = run["steps"].as_array().map_or(0, Vec::len) as u64;
        let at: Vec<u64> = rows.iter().map(|row| row[side].as_u64().expect("a number")).collect();
        assert_eq!((at.first(), at.last()), (Some(&0), Some(&(count - 1))));
        assert!(at.windows(2).all(|two| two[0] <= two[1] && two[1] <= two[0] + 1), "{at:?}");
        assert!(count <= 202, "{count}");
    }
}

#[test]
fn a_page_is_the_same_each_time() {
    for files in [&["examples/shared_default.l"][..], &["examples/swap.l", "examples/off_by_one.l"]] {
        assert_eq!(page(files).0, page(files).0);
    }
}

#[test]
fn what_a_proof_has_found_stands_at_its_places() {
    let (page, _) = page(&["examples/hoisted_length.l"]);
    let line = |number: usize| {
        let rest = page.split(&format!(" data-n=\"{number}\"")).nth(1).expect("there is such a line");
        rest.split("<div class=\"l\"").next().unwrap_or_default()
    };
    for number in [18, 39] {
        let notes = "at the head of the loops: items.length == size";
        assert!(line(number).contains(notes), "{}", line(number));
        assert!(line(number).contains("<a class=\"k\""), "{}", line(number));
    }
    assert!(line(18).contains("corresponds to version after, line 39"), "{}", line(18));
}

#[test]
fn nothing_is_linked_that_no_proof_has_matched() {
    let (page, _) = page(&["examples/shared_default.l"]);
    let linked: Vec<&str> =
        page.split("<a class=\"k\"").skip(1).filter_map(|rest| rest.split(['>', '<']).nth(1)).collect();
    assert_eq!(linked, ["options", "options"]);
}

#[test]
fn what_is_open_is_said_where_it_is_open() {
    let (page, status) = page(&["examples/dropped_loop.l"]);
    assert_eq!(status, Some(3));
    let line = page.split(" data-n=\"9\"").nth(1).and_then(|rest| rest.split("<div class=\"l\"").next());
    let line = line.unwrap_or_default();
    assert!(line.contains("note open") && line.contains("may run for ever"), "{line}");
    let (page, status) = self::page(&["tests/traps/assume_unsat.l"]);
    assert_eq!(status, Some(3));
    check_document(&page);
    assert!(page.contains("Not settled: ") && page.contains("What could help: "), "{page}");
}

#[test]
fn two_files_stand_side_by_side_and_several_below_each_other() {
    let old = scratch("page-old.l", "procedure f(n: int) returns (r: int) { r := n + n; }\n").display().to_string();
    let new = scratch("page-new.l", "procedure f(n: int) returns (r: int) {\n  r := 2 * n; }\n").display().to_string();
    let (two, status) = page(&[&old, &new]);
    check_document(&two);
    assert_eq!((status, two.matches("<section class=\"side\"").count()), (Some(0), 2));
    let (three, _) = page(&["examples/swap.l", "examples/garbage.l", "examples/shared_default.l"]);
    check_document(&three);
    assert_eq!(three.matches("<article class=\"program\"").count(), 3);
    assert!(three.contains("3 files: not-equivalent"), "{}", &three[..3000]);
}

/// Comments, labels and file names that would be markup, end an element, or turn the direction of text.
#[test]
fn what_a_source_holds_is_text_and_nothing_else() {
    let evil = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> & \u{202e} \u{0}";
    let text = format!(
        "// {evil}\nVERSION \"{}\"\n/* {evil}\n {evil} */\nprocedure f(n: int) returns (r: int) {{ r := 1 /* {evil} */ + n; }}\n\
         VERSION b\nprocedure f(n: int) returns (r: int) {{ r := n; }}\n",
        evil.replace('"', "")
    );
    let file = scratch("page-<img src=x>&.l", &text).display().to_string();
    let (page, status) = page(&[&file]);
    assert_eq!(status, Some(1));
    check_document(&page);
    for wrong in ["<img", "alert(1)</script>", "<!--", "\u{202e}", "\u{0}"] {
        assert!(!page.contains(wrong), "{wrong:?}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"), "{page}");
    assert_eq!(steps(&page).len(), 1);
}

#[test]
fn long_runs_and_large_sources_are_cut_short() {
    let count = |by: u32| {
        format!(
            "procedure f(n: int) returns (r: int) {{ i := 0; while (i < 900) {{ i := i + 1; r := r + {by}; }} r := r - 900; }}\n"
        )
    };
    let text = format!("version a\n{}version b\n{}", count(1), count(2));
    let (long, status) = page(&[&scratch("page-long.l", &text).display().to_string()]);
    assert_eq!(status, Some(1));
    check_document(&long);
    let steps = steps(&long);
    check_rows(&steps[0]);
    assert!(long.contains("the first and the last steps are shown"));
    assert!(steps[0]["runs"][0]["total"].as_u64() > Some(2_000), "{}", steps[0]["runs"][0]["total"]);

    let many: String = (0..1_500).map(|at| format!("  r := r + {at};\n")).collect();
    let whole = |last: &str| format!("procedure f() returns (r: int) {{\n{many}{last}}}\n");
    let text = format!("version a\n{}version b\n{}", whole("r := 0;"), whole("r := 1;"));
    let (large, _) = page(&[&scratch("page-large.l", &text).display().to_string()]);
    check_document(&large);
    assert!(large.contains("more lines</p>"));
}

#[test]
fn the_help_names_the_format() {
    assert!(ape(["verify", "--help"]).out.contains("html"));
    let wrong = ape(["diff", "--format", "html", "examples/swap.l"]);
    assert_eq!(wrong.status, Some(2));
}
