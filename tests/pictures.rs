//! `ape picture`: counterexamples drawn for a terminal and as SVG, true to the report.

mod common;

use common::{ape, programs, root, scratch};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Whether an SVG document is well-formed, as far as tags go: each that is opened is closed, in order.
fn well_formed(document: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for tag in document.split('<').skip(1) {
        let Some((inside, _)) = tag.split_once('>') else { return false };
        let name = inside.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap_or_default();
        if inside.starts_with('/') {
            if open.pop() != Some(name) {
                return false;
            }
        } else if !inside.ends_with('/') {
            open.push(name);
        }
    }
    open.is_empty()
}

#[test]
fn what_is_refuted_is_drawn_and_nothing_else() {
    let is_refuted = |file: &Path| fs::read_to_string(file).is_ok_and(|text| text.contains(" not-equivalent\n"));
    let files = programs(&root().join("examples"));
    let (refuted, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|file| is_refuted(file));
    assert!(refuted.len() > 8 && others.len() > 8);
    // Two of those in which nothing differs are enough.
    for file in refuted.iter().chain(others.iter().take(2)) {
        let file = file.display().to_string();
        let report = ape(["verify", "--format", "json", &file]).json();
        let pairs = report["pairs"].as_array().expect("a report has pairs");
        let refuted: Vec<&Json> = pairs.iter().filter(|pair| !pair["counterexample"].is_null()).collect();
        let text = ape(["picture", &file]);
        assert_eq!(text.status, Some(if refuted.is_empty() { 4 } else { 0 }), "{file}: {}", text.err);
        let starts: Vec<&str> = text.out.lines().filter_map(|line| line.strip_suffix(" starts from")).collect();
        assert_eq!(starts.len(), refuted.len(), "{}", text.out);
        assert!(text.out.lines().all(|line| line.chars().count() <= 100), "{}", text.out);
        for pair in refuted {
            for object in pair["counterexample"]["heap"].as_object().expect("there is a heap").keys() {
                assert!(text.out.contains(&format!("┌ {object}")), "{object} is missing in\n{}", text.out);
            }
            // Whatever two stores differ in is marked.
            let differ = !pair["counterexample"]["difference"].is_null();
            assert!(!differ || text.out.contains('≠'), "{}", text.out);
        }
        let svg = ape(["picture", "--format", "svg", &file]).out;
        assert!(svg.starts_with("<svg xmlns=") && well_formed(&svg), "{svg}");
        // Marks beside the colours, for those who do not see these.
        assert_eq!(text.out.contains('≠'), svg.contains('≠'), "{svg}");
        assert!(svg.matches("\"differs\"").count() <= svg.matches('≠').count(), "{svg}");
    }
}

#[test]
fn both_ends_stand_side_by_side() {
    let right = "options starts from\n\
        \x20 level = 0\n\
        version oneEach leaves                          | version shared leaves\n\
        \x20 ┌ #1 Pair, new ◀ pair ┐    ┌ #2 Option, new ┐ |   ┌ #1 Pair, new ◀ pair ┐    ┌ #2 Option, new ┐\n\
        \x20 │  left ──────────────┼───▶│  level = 0     │ |   │  left ──────────────┼───▶│  level = 0     │\n\
        \x20 │≠ right ─▶ #3        │    └────────────────┘ |   │≠ right ─▶ #2        │    └────────────────┘\n\
        \x20 └─────────────────────┘                       |   └─────────────────────┘\n\
        \x20 ┌ #3 Option, new ≠ ┐                          |\n\
        \x20 │  level = 0       │                          |\n\
        \x20 └──────────────────┘                          |\n";
    assert_eq!(ape(["picture", "examples/shared_default.l"]).out, right);
}

/// A list of thirty objects, of which the last one differs, and an array.
#[test]
fn large_stores_are_folded() {
    let body = |last: &str| {
        format!(
            "procedure f(n: int) returns (head: N, cells: int[]) {{\n  cells := new int[40];\n  i := 0;\n  \
             while (i < 30) {{ m := new N(); m.next := head; m.v := i; head := m; i := i + 1; }}\n  {last}\n}}\n"
        )
    };
    let text = format!(
        "class N {{ next: N; v: int; }}\nversion a\n{}version b\n{}",
        body("cells[39] := 7;"),
        body("cells[39] := 8;")
    );
    let file = scratch("pictures-large.l", &text).display().to_string();
    let ran = ape(["picture", &file]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let objects: BTreeSet<&str> = ran.out.split("┌ #").skip(1).filter_map(|rest| rest.split(' ').next()).collect();
    assert_eq!(objects.len(), 12, "{}", ran.out);
    assert!(ran.out.contains("… and 19 objects more"), "{}", ran.out);
    assert!(ran.out.contains("≠ [39] = 7") && ran.out.contains("≠ [39] = 8"), "{}", ran.out);
}
