//! What `resolve` makes of programs: names, inferred types, and every diagnostic, with inline expectations.
//!
//! A case is the text of one file or of several, and what is expected of it: the typed tree as it prints, or the list of
//! diagnostics. A diagnostic is written `code line:column "text there" message | label`. Other places and help follow on
//! lines of their own.

mod clashes;
mod guide;
mod inference;
mod names;
mod pairs;
mod robustness;
mod rules;
mod same;

use lang_l::diagnostic::Diagnostic;
use lang_l::source::{Sources, Span};
use lang_l::{ast, hir, parse, resolve};
use std::fmt::Write as _;

/// Parses the files, which must be legal as text, and resolves them.
fn resolved(texts: &[&str]) -> (Sources, Result<hir::Unit, Vec<Diagnostic>>) {
    let mut sources = Sources::new();
    let mut files: Vec<ast::File> = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        let id = sources.add(format!("{at}.l"), *text);
        let parsed = parse::parse(id, text);
        assert_eq!(parsed.diagnostics, [], "{text}");
        files.push(parsed.file);
    }
    let result = resolve::resolve(&files.iter().collect::<Vec<_>>());
    (sources, result)
}

/// The unit, which must be legal.
fn unit(text: &str) -> hir::Unit {
    let (sources, result) = resolved(&[text]);
    result.unwrap_or_else(|diagnostics| panic!("{text}\n{}", listed(&sources, &diagnostics)))
}

fn listed(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
    let place = |span: Span| {
        let file = if span.file.0 == 0 { String::new() } else { format!("{}:", sources.get(span.file).name) };
        format!("{file}{}:{} `{}`", sources.line(span), sources.column(span), sources.text(span))
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        let Diagnostic { code, message, span, label, others, help, fix: _ } = diagnostic;
        let _ = writeln!(out, "{code} {} {message} | {label}", place(*span));
        for (span, label) in others {
            let _ = writeln!(out, "  {} {label}", place(*span));
        }
        if let Some(help) = help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}

/// The typed tree, or the diagnostics, must be these; what indents all lines does not count.
#[track_caller]
fn check_files(texts: &[&str], expected: &str) {
    let (sources, result) = resolved(texts);
    let got = match result {
        Ok(unit) => hir::print::print(&unit),
        Err(diagnostics) => listed(&sources, &diagnostics),
    };
    let lines = || expected.lines().skip_while(|line| line.trim().is_empty());
    let indent = lines().next().map_or(0, |line| line.len() - line.trim_start().len());
    let expected: Vec<&str> = lines().map(|line| line.get(indent..).unwrap_or("")).collect();
    let expected = expected.join("\n");
    assert_eq!(got.trim(), expected.trim(), "\n--- input\n{}\n--- got\n{got}", texts.join("\n--- next file\n"));
}

#[track_caller]
fn check(text: &str, expected: &str) {
    check_files(&[text], expected);
}
