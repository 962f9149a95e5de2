//! Tests of the parser: what is reported where, what is not, and that depth and length are survived.

use super::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Each diagnostic as `CODE line:column message [help]`.
fn reports(input: &str) -> String {
    let mut sources = crate::source::Sources::new();
    let file = sources.add("test", input);
    let lines = parse(file, input).diagnostics.into_iter().map(|report| {
        let (line, column) = (sources.line(report.span), sources.column(report.span));
        let help = report.help.map_or(String::new(), |help| format!(" [{help}]"));
        format!("{} {line}:{column} {}{help}", report.code, report.message)
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(input: &str, expected: &str) {
    assert_eq!(reports(input), expected, "on {input}");
}

/// The sample programs, when they are there.
pub(crate) fn samples() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/suites");
    let Ok(suites) = std::fs::read_dir(&root) else {
        eprintln!("skipped: no sample programs in {}", root.display());
        return Vec::new();
    };
    let files = suites.flatten().filter_map(|suite| std::fs::read_dir(suite.path()).ok()).flatten().flatten();
    let mut paths: Vec<PathBuf> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|end| end == "l" || end == "bl"))
        .collect();
    paths.sort();
    paths.into_iter().filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text))).collect()
}

#[test]
fn sample_programs_are_read_without_complaint() {
    for (path, text) in samples() {
        assert_eq!(reports(&text), "", "{}", path.display());
        assert!(!parse(FileId(0), &text).file.versions.is_empty(), "{}", path.display());
    }
}

#[test]
fn usual_slips() {
    check("procedure p(x) { x = 1; }", "E0103 1:20 `=` does not assign in L [assignment is written `:=`]");
}

#[test]
fn depth_is_limited() {
    let n = 10_000;
    let inside = |body: &str| format!("procedure p(x) {{ {body} }}");
    let nested = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    let inputs = [
        inside(&format!("x := {};", nested("(", "x", ")"))),
        inside(&format!("x := {};", nested("f(", "x", ")"))),
        inside(&format!("x := {};", nested("x[", "x", "]"))),
        inside(&format!("x := {};", nested("-", "x", ""))),
        inside(&format!("x := {};", nested("!", "x", ""))),
        inside(&format!("x := {};", nested("x ==> ", "x", ""))),
        inside(&format!("x := {};", nested("x ? x : ", "x", ""))),
        inside(&format!("x := {};", nested("x ? ", "x", ": x"))),
        inside(&format!("x := {};", nested("x + ", "x", ""))),
        inside(&format!("x := {};", nested("x", "", ".f"))),
        inside(&format!("x := {};", nested("(x + ", "x", ")"))),
        inside(&format!("x := x{};", "[1]".repeat(n))),
        inside(&format!("assert {};", nested("forall x: int :: ", "x", ""))),
        inside(&format!("var x: int{};", "[]".repeat(n))),
        inside(&nested("if (x) {", "", "}")),
        inside(&nested("while (x) {", "", "}")),
        inside(&format!("if (x) {{}} {}", "else if (x) {}".repeat(n))),
        inside(&nested("if (x) ", "x := 1;", "")),
        nested("{", "", "}"),
        nested("(", "", ""),
        nested("procedure p(x) {", "", ""),
        inside(&nested("if (x) { ) ", "", "")),
        inside(&nested("x := (x ", "", "")),
    ];
    for input in inputs {
        assert_ne!(reports(&input), "", "on {}", &input[..60]);
    }
}

#[test]
fn depth_below_the_limit_is_read() {
    let inside = |body: &str| format!("procedure p(x) {{ {body} }}");
    let nested = |n, open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(n), close.repeat(n));
    for input in [
        inside(&format!("x := {};", nested(190, "(", "x", ")"))),
        inside(&format!("x := {};", nested(190, "f(", "x", ")"))),
        inside(&format!("x := {};", nested(190, "x[", "x", "]"))),
        inside(&format!("x := {};", nested(190, "-", "x", ""))),
        inside(&format!("x := {};", nested(190, "x ==> ", "x", ""))),
        inside(&format!("x := {};", nested(190, "x ? x : ", "x", ""))),
        inside(&format!("x := {};", nested(490, "x + ", "x", ""))),
        inside(&format!("assert {};", nested(190, "forall x: int :: ", "x", ""))),
        inside(&nested(190, "if (x) {", "", "}")),
        inside(&nested(190, "while (x) {", "", "}")),
        inside(&format!("if (x) {{}} {}", "else if (x) {}".repeat(190))),
        inside(&format!("if (x) {{}} {}", "if (x) {} else {}".repeat(1000))),
        inside(&"x := -x;".repeat(1000)),
        inside(&format!("call f({} x);", "-x + x, ".repeat(1000))),
        "procedure p(x) { if (x) {".repeat(300).replace("procedure p(x) { if", "} } procedure p(x) { if")[4..]
            .to_owned()
            + "}}",
    ] {
        check(&input, "");
    }
}

#[test]
fn long_files_take_linear_time() {
    let statements = "  x.n.f := f + (x.g * 2); call p(x, y); if (x == null && !y) { z := new(); }\n".repeat(17_000);
    for (what, text) in [
        ("well-formed", format!("procedure p(x) {{\n{statements}}}\n")),
        ("without semicolons", format!("procedure p(x) {{\n{}}}\n", statements.replace(';', ""))),
        ("unclosed", statements.replace(')', "")),
        ("never closed", format!("procedure p(x) {{\n{}", "x := f(a b\n".repeat(50_000))),
        ("nothing but words", format!("procedure p(x) {{\n{}", "if ".repeat(50_000))),
        ("one line", format!("procedure p(x) {{{}", statements.replace(['\n', ';'], " "))),
    ] {
        let start = Instant::now();
        parse(FileId(0), &text);
        let taken = start.elapsed();
        eprintln!("{what}: {taken:?}");
        assert!(taken < Duration::from_secs(4), "{what}: {taken:?}");
    }
}

#[test]
fn errors_do_not_multiply_the_work() {
    let deep = "a || b && c == d < e + f * (".repeat(49);
    for text in [
        deep.clone(),
        format!("procedure p() {{ x := {deep} ;"),
        format!("procedure p() {{ {}", "if (a) { x := ".repeat(190)),
    ] {
        let start = Instant::now();
        parse(FileId(0), &text);
        assert!(start.elapsed() < Duration::from_secs(1));
    }
}
