//! Vacuity: a pair is reported as vacuous if `equivalent` would say nothing of it. Code that no run reaches is named.

mod common;

use common::{ape, scratch, verify};

/// Two versions of `p`, whose answer must be vacuous, in the JSON and in the text.
#[track_caller]
fn vacuous(name: &str, shared: &str, [left, right]: [&str; 2], expected: &str) {
    let text = format!("{shared}\nversion before\n{left}\nversion after\n{right}\n");
    let path = scratch(&format!("vacuous-{name}.l"), &text);
    let ran = verify(&[&path], &["--proc", "p"]);
    let report = ran.json();
    assert_eq!(ran.status, Some(3), "{name}: {report}");
    assert_eq!(report["verdict"], "unknown", "{name}: {report}");
    let reason = report["pairs"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("vacuous") && reason.contains(expected), "{name}: {reason}");
    let shown = ape(["verify".as_ref(), path.as_os_str(), "--proc".as_ref(), "p".as_ref()]).out;
    assert!(
        shown.contains(&format!("p: unknown\n  not settled: {reason}")) || shown.contains("p ~ q"),
        "{name}: {shown}"
    );
    assert!(shown.contains(reason), "{name}: {shown}");
}

#[test]
fn no_store_is_compared() {
    let p = |requires: &str, r: i64| format!("procedure p(n: int) returns (r: int) {requires} {{ r := {r}; }}");
    let none = p("requires n > 3 && n < 2;", 1);
    vacuous("contradiction", "", [&none, &none], "no store satisfies");
    vacuous("both-requires", "", [&p("requires n > 3;", 1), &p("requires n < 3;", 2)], "no store satisfies");
    let q = "procedure q(n: int) returns (r: int) { r := 2; }";
    vacuous("when-false", "", [&p("", 1), &format!("{q} equiv p ~ q when false;")], "no store satisfies");
    vacuous("when", "", [&p("requires n > 0;", 1), &format!("{q} equiv p ~ q when n < 0;")], "no store satisfies");
}

#[test]
fn no_run_passes_the_assumptions() {
    let p = |body: &str| format!("procedure p(n: int) returns (r: int) {{ {body} }}");
    let top = p("assume false; r := 1;");
    vacuous("top", "", [&top, &top], "no run of version before returns");
    vacuous("one-side", "", [&p("r := 1;"), &top], "no run of version after returns");
    let branches = p("if (n > 0) { assume n < 0; } else { assume n > 5; } r := 1;");
    vacuous("branches", "", [&branches, &p("assume false;")], "no run of version before returns");
    let behind = p("i := 0; while (i < n) { i := i + 1; } assume false; r := 1;");
    vacuous("behind-a-loop", "", [&behind, &behind], "no run of version before returns");
    let callee = format!("procedure q(n: int) {{ assume false; }} {}", p("q(n); r := 1;"));
    vacuous("callee", "", [&callee, &callee], "no run of version before returns");
    let external = "procedure q(n: int) ensures false;\n;";
    vacuous("external", external, [&p("q(n); r := 1;"), &p("q(n); r := 2;")], "no run of version before returns");
}

#[test]
fn no_run_ends() {
    let p = |body: &str| format!("procedure p(n: int) returns (r: int) {{ {body} }}");
    let endless = p("r := p(n + 1);");
    vacuous("no-base", "", [&endless, &endless], "no run of version before returns");
    vacuous("no-base-changed", "", [&endless, &p("r := p(n + 1) + 1;")], "no run of version before returns");
    let mutual =
        |sum: &str| format!("procedure q(n: int) returns (r: int) {{ r := p(n); }} {}", p(&format!("r := q({sum});")));
    vacuous("mutual", "", [&mutual("n + 1"), &mutual("1 + n")], "no run of version before returns");
    let base = |sum: &str| {
        format!("procedure p(n: int) returns (r: int) requires n > 0; {{ if (n == 0) {{ return 1; }} r := p({sum}); }}")
    };
    vacuous("base-not-allowed", "", [&base("n + 1"), &base("1 + n")], "no run of version before returns");
    vacuous(
        "loop",
        "",
        [&p("while (true) { n := n + 1; }"), &p("while (true) { n := n + 2; }")],
        "version before returns",
    );
}

/// Recursion with an end, even one in error, is not vacuous.
#[test]
fn what_ends_is_compared() {
    let down = "procedure p(x) { x.n := 1; p(x.next); }";
    let text = format!("version before\n{down}\nversion after\nprocedure p(y) {{ y.n := 1; z := y.next; p(z); }}\n");
    let report = verify(&[&scratch("not-vacuous.l", &text)], &[]).json();
    assert_eq!(report["verdict"], "equivalent", "{report}");
}

#[test]
fn code_that_no_run_comes_to_is_named() {
    let body = |dead: i64| {
        format!(
            "procedure p(n: int) returns (r: int)\n  requires n > 0;\n{{\n  if (n == 0) {{\n    return {dead};\n  }}\n  \
             if (n > 5) {{\n    assume n < 3;\n    r := {dead};\n  }} else {{\n    r := n;\n  }}\n}}\n"
        )
    };
    let path = scratch("unreached.l", &format!("version before\n{}version after\n{}", body(7), body(8)));
    let report = verify(&[&path], &["--explain"]).json();
    assert_eq!(report["verdict"], "equivalent", "{report}");
    assert_eq!(report["pairs"][0]["unreached"].to_string(), r#"{"left":[6,10],"right":[20,24]}"#);
    let shown = ape(["verify".as_ref(), path.as_os_str(), "--explain".as_ref()]).out;
    for line in ["return 7; (version before, line 6)", "r := 8; (version after, line 24)"] {
        assert!(shown.contains(&format!("  no run comes to: {line}\n")), "{shown}");
    }
    assert!(shown.contains("    at the start: n > 0 (requires, version before, line 3)\n"), "{shown}");
    assert!(shown.contains("    the result r\n"), "{shown}");
}

/// An invariant speaks of the entry of its procedure, and not of that of a turn: what holds of the entry need not hold any more.
#[test]
fn what_held_on_entry_is_not_taken_to_hold_in_a_turn() {
    let version = |name: &str| {
        format!(
            "version {name}
             procedure p(x: Cell, n: int) requires x != null && x.v == 0; {{
               while (i < n) invariant x != null && old(x.v) == 0; {{
                 assert x.v == 0 || i < 100000000;
                 x.v := 5;
                 i := i + 1;
               }}
             }}
"
        )
    };
    let text = format!("class Cell {{ v: int; }}\n{}{}", version("before"), version("after"));
    let path = scratch("old_in_a_turn.l", &text);
    let report = ape(["verify".as_ref(), "--format".as_ref(), "json".as_ref(), path.as_os_str()]).json();
    let asserts = report["contracts"].as_array().expect("clauses").iter().filter(|clause| clause["clause"] == "assert");
    let said: Vec<&serde_json::Value> = asserts.map(|clause| &clause["status"]).collect();
    assert_eq!(said, ["unknown", "unknown"], "{report:#}");
}

/// What is required may speak of the entry, which is where it is required.
#[test]
fn a_requirement_with_old_may_be_impossible() {
    let text = "version before procedure f(n: int) returns (r: int) requires old(n) != n; { r := n; }
                version after procedure f(n: int) returns (r: int) requires old(n) != n; { r := n + 1; r := r - 1; }";
    let path = scratch("old_required.l", text);
    let ran = ape(["verify".as_ref(), path.as_os_str()]);
    assert!(ran.out.contains("vacuous: no store satisfies both `requires`"), "{}", ran.out);
}
