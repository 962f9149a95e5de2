//! Bounds on time and memory. What is open when one is reached is unknown, with the reason; what is decided stays.

mod common;

use common::{Ran, scratch, verdicts};
use lang_l::source::Sources;
use lang_l::{parse, resolve};
use prover::report::{Subject, json};
use prover::verify::{Config, verify};
use serde_json::Value as Json;
use smt::stop::{Reason, Stop};
use std::time::{Duration, Instant};

/// A pair that is proved at once.
const EASY: [&str; 2] = [
    "procedure easy(n: int) returns (r: int) { r := n + 1; }\n",
    "procedure easy(n: int) returns (r: int) { g := new(); r := 1 + n; }\n",
];

/// Both versions of a program, each made by a function of its number.
fn pair(version: impl Fn(usize) -> String) -> String {
    format!("version before\n{}version after\n{}", version(0), version(1))
}

/// Branches that each divide by what the last one may have changed: their paths and terms grow without end.
fn divisions(count: usize) -> String {
    pair(|version| {
        let garbage = ["", "g := new(); "][version];
        let steps = "if (y.f > i) { x.f := x.f + y.f / (x.f + i); } ".repeat(count);
        format!("procedure P(x, y: ref, i: int) returns (r: int) {{ {garbage}{steps}r := x.f; }}\n")
    })
}

/// So many procedures that call one another in chains of ten, some of them changed.
fn procedures(count: usize) -> String {
    pair(|version| {
        let one = |i: usize| {
            let garbage = if version == 1 && i.is_multiple_of(50) { "g := new(); " } else { "" };
            let call = if i.is_multiple_of(10) { String::new() } else { format!(" q{}(x, n);", i - 1) };
            format!(
                "procedure q{i}(x, n: int) {{ {garbage}if (x != null) {{ x.v := n + {i}; x := x.next;{call} }} }}\n"
            )
        };
        (0..count).map(one).collect()
    })
}

/// So many sums, each stored in a field.
fn statements(count: usize) -> String {
    pair(|version| {
        let one = |i: usize| {
            let before = i.saturating_sub(3);
            let sum = if version == 1 { format!("{i} + t{before}") } else { format!("t{before} + {i}") };
            format!("  t{i} := {sum};\n  x.f{} := t{i};\n", i % 10)
        };
        format!("procedure P(x, t0: int) {{\n{}}}\n", (1..=count / 2).map(one).collect::<String>())
    })
}

/// So many branches one after the other, turned round in the new version.
fn branches(count: usize) -> String {
    pair(|version| {
        let one = |i: usize| match version {
            0 => format!("  if (a{i} > 0) {{ x.f{i} := a{i}; }} else {{ x.f{i} := 0; }}\n"),
            _ => format!("  if (a{i} <= 0) {{ x.f{i} := 0; }} else {{ x.f{i} := a{i}; }}\n"),
        };
        let parameters: String = (0..count).map(|i| format!(", a{i}")).collect();
        format!("procedure P(x{parameters}) {{\n{}}}\n", (0..count).map(one).collect::<String>())
    })
}

/// So many objects each that an external sees, that nobody sees, and that a long helper is handed.
fn objects(count: usize) -> String {
    let all = |one: fn(usize) -> String| (0..count).map(one).collect::<String>();
    let adds = all(|i| format!("  c.f := c.f + {i};\n"));
    let seen = all(|i| format!("  e{i} := new();\n  use(e{i});\n"));
    let alone = all(|i| format!("  b{i} := new();\n  b{i}.f := {i};\n  r := r + b{i}.f;\n"));
    let handed = all(|i| format!("  h{i} := new();\n  fill(h{i});\n"));
    pair(|_| {
        let body = format!("{seen}{alone}{handed}");
        format!(
            "procedure use(c);\nprocedure fill(c) {{\n{adds}}}\nprocedure P(n: int) returns (r: int) {{\n{body}}}\n"
        )
    })
}

/// Calls of an external, each of the result of the last.
fn nested_calls(depth: usize) -> String {
    pair(|version| {
        let garbage = ["", "g := new(); "][version];
        let call = (0..depth).fold("n".to_string(), |inner, _| format!("f({inner})"));
        format!(
            "procedure f(n: int) returns (r: int);\nprocedure P(n: int) returns (r: int) {{ {garbage}r := {call}; }}\n"
        )
    })
}

/// Runs `ape verify` on a program, under a name of its own, with a limit in seconds; also how long that took.
fn timed(name: &str, program: &str, limit: u64) -> (Ran, Duration) {
    let file = scratch(&format!("limits-{name}.l"), program);
    let limit = limit.to_string();
    let started = Instant::now();
    let ran = common::verify(&[file.as_path()], &["--timeout", &limit]);
    (ran, started.elapsed())
}

/// The command ends within a second of its limit. A machine that is busy gets six attempts.
#[track_caller]
fn keeps_the_limit(name: &str, program: &str) -> Json {
    let limit = 3;
    let mut longest = Duration::ZERO;
    for _ in 0..6 {
        let (ran, took) = timed(name, program, limit);
        let report = ran.json();
        if took < Duration::from_secs(limit + 1) {
            return report;
        }
        longest = longest.max(took);
    }
    panic!("{name} took {longest:?} with a limit of {limit} s");
}

#[test]
fn the_time_limit_is_kept_over_terms_that_grow() {
    let report = keeps_the_limit("divisions", &divisions(200));
    assert_eq!(report["timed_out"], true, "{report}");
    assert_eq!(report["stopped"], "time", "{report}");
    assert_eq!(verdicts(&report), [("P".to_string(), "unknown".to_string())]);
}

#[test]
fn the_time_limit_is_kept_over_many_statements() {
    keeps_the_limit("statements", &statements(8_000));
}

#[test]
fn the_time_limit_is_kept_over_many_branches() {
    keeps_the_limit("branches", &branches(250));
}

#[test]
fn the_time_limit_is_kept_over_many_procedures() {
    keeps_the_limit("procedures", &procedures(1_500));
}

#[test]
fn the_time_limit_is_kept_over_many_objects() {
    keeps_the_limit("objects", &objects(200));
}

#[test]
fn nested_calls_of_an_external_are_proved() {
    let (ran, _) = timed("nested", &nested_calls(10), 60);
    let report = ran.json();
    assert!(verdicts(&report).contains(&("P".to_string(), "equivalent".to_string())), "{report}");
    assert!(report.get("stopped").is_none(), "{report}");
}

/// The report, as JSON, on a program that is verified by the library under this stop.
fn under(stop: Stop, text: &str) -> Json {
    let mut sources = Sources::default();
    let file = sources.add("limits.l", text);
    let parsed = parse::parse(file, text);
    let unit = resolve::resolve(&[&parsed.file]).expect("the program is legal");
    let report = verify(&unit, &Config { stop, ..Config::default() });
    json::report(Subject { unit: &unit, sources: &sources, report: &report })
}

#[test]
fn what_is_interrupted_is_unknown() {
    let program = pair(|version| EASY[version].to_string());
    let calm = under(Stop::new(), &program);
    assert_eq!((&calm["verdict"], &calm["timed_out"]), (&"equivalent".into(), &false.into()), "{calm}");
    assert!(calm.get("stopped").is_none(), "{calm}");
    let stop = Stop::new();
    stop.request(Reason::Interrupted);
    let report = under(stop, &program);
    assert_eq!(report["verdict"], "unknown", "{report}");
    assert_eq!(report["stopped"], "interrupted", "{report}");
    assert_eq!(report["timed_out"], false, "{report}");
    assert_eq!(report["pairs"][0]["reason"], "it was interrupted", "{report}");
}
