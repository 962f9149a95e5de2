//! Large, deep and broken programs: an answer in good time, no overflow, no panic.

use crate::{resolved, unit};
use lang_l::source::FileId;
use lang_l::{parse, resolve};
use std::time::{Duration, Instant};

/// Whatever the parser makes of a text, `resolve` gives a unit or says what is wrong.
fn survives(text: &str) {
    let parsed = parse::parse(FileId(0), text);
    let result = resolve::resolve(&[&parsed.file]);
    assert!(result.is_ok() || !parsed.diagnostics.is_empty() || result.is_err_and(|errors| !errors.is_empty()));
}

#[test]
fn deep_nesting() {
    for depth in [10, 150, 199, 200, 250, 10_000] {
        let (open, close) = ("(".repeat(depth), ")".repeat(depth));
        survives(&format!("procedure p(x) {{ y := {open}x{close}; }}"));
        survives(&format!("procedure p(x) {{ y := {}x; }}", "-".repeat(depth)));
        survives(&format!("procedure p(x) {{ y := {}x{}; }}", "x[".repeat(depth), "]".repeat(depth)));
        survives(&format!("procedure p(x) {{ y := x{}; }}", ".f".repeat(depth)));
        survives(&format!("procedure p(x) {{ y := x{}; }}", " + x".repeat(depth)));
        survives(&format!("procedure p(x) {{ assert x{}; }}", " ==> x".repeat(depth)));
        survives(&format!("procedure p(x) {{ y := {}x; }}", "x ? x : ".repeat(depth)));
        survives(&format!("procedure p(x) {{ {} {} }}", "if (x) {".repeat(depth), "}".repeat(depth)));
        survives(&format!("procedure p(x) {{ if (x) {{}} {} }}", "else if (x) {}".repeat(depth)));
        survives(&format!("procedure p(x: int{}) {{ }}", "[]".repeat(depth)));
    }
}

#[test]
fn deep_types_are_refused() {
    let chain = |assign: fn(usize) -> String| {
        let stmts: String = (0..10_000).map(assign).collect();
        let (_, result) = resolved(&[&format!("procedure p(x0, x10000) {{ {stmts} }}")]);
        assert!(result.is_err_and(|errors| errors.iter().all(|error| error.code == "E0305")));
    };
    chain(|at| format!("x{at} := x{}[0];\n", at + 1));
    chain(|at| format!("x{} := x{at}[0];\n", at + 1));
    chain(|at| format!("x{} := x{}[0];\n", 9_999 - at, 10_000 - at));
    chain(|at| format!("x{} := x{}[0];\n", 10_000 - at, 9_999 - at));
}

#[test]
fn every_prefix_of_a_program() {
    let text = "class C { f: C; g: int[]; } global k: int;\nversion \"a\" procedure p(x: C, n) returns (r: C)\n\
        requires n > 0 && x != null; ensures fresh(r) || old(x.f) == r; modifies {x, x.f};\n{ var t := new C(); \
        while (n > 0) invariant forall i: int :: i < n ==> x.g[i] == 0; { x.g[n] := k; n := n - 1; r := p(t, n); break; } \
        return n > 0 ? x : null; }\nversion procedure q(x, n) returns (r); equiv p ~ q when n > 3;";
    unit(text);
    for end in 0..text.len() {
        survives(&text[..end]);
        survives(&text[end..]);
        // One token torn out of the middle.
        survives(&format!("{}{}", &text[..end], &text[(end + 4).min(text.len())..]));
    }
}

#[test]
fn thousands_of_procedures_in_linear_time() {
    let version: String = (0..3_000)
        .map(|at| {
            let next = (at + 1) % 3_000;
            format!(
                "procedure p{at}(x, n) returns (r) {{ t := x.f; if (n > 0) {{ r := p{next}(t, n - 1); }} x.g := r; \
                 unknown{at} := x.h; }}\n"
            )
        })
        .collect();
    let start = Instant::now();
    let unit = unit(&format!("version {version} version {version}"));
    assert_eq!(unit.versions[1].procedures.len(), 3_000);
    // A debug build on a busy machine takes about a second; quadratic work takes minutes.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

/// As many unknown names as known ones: no quadratic search for suggestions.
#[test]
fn many_unknown_names() {
    let procedures = |count: usize| -> String {
        (0..count).map(|at| format!("procedure name{at}() {{ x{at} := unknown{at}; call nme{at}(); }}\n")).collect()
    };
    let time = |count: usize| {
        let text = procedures(count);
        let start = std::time::Instant::now();
        let (_, result) = resolved(&[&text]);
        assert_eq!(result.map_err(|diagnostics| diagnostics.len()), Err(2 * count));
        start.elapsed()
    };
    let (small, large) = (time(2_000), time(20_000));
    assert!(large < 40 * small, "ten times as many names took {small:?} and {large:?}");
    // The first mistakes still get their suggestion, and each time the same one.
    let suggested = || {
        let (_, result) = resolved(&[&procedures(500)]);
        result.unwrap_err().into_iter().map(|diagnostic| diagnostic.help).collect::<Vec<_>>()
    };
    let first = suggested();
    assert_eq!(first[1].as_deref(), Some("did you mean `name0`?"));
    assert_eq!(first, suggested());
}
