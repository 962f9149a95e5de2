//! Mistakes that people make who know other languages: what is said of each, and where.
//!
//! `mistakes.txt` has a program for each, what is said of it, and what is left when all that is certain was mended.
//! `APE_BLESS=1` writes what is said now.

use lang_l::diagnostic::{Diagnostic, Fix};
use lang_l::source::Sources;
use std::fmt::Write as _;
use std::path::Path;

/// A program and what is said of it, between two lines of dashes.
const CUT: &str = "----\n";

#[test]
fn what_is_said_of_mistakes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes.txt");
    let known = std::fs::read_to_string(&path).expect("the table of mistakes is there");
    let mut found = String::new();
    for case in known.split("====\n").skip(1) {
        let program = case.split(CUT).next().unwrap_or(case);
        let (title, program) = program.split_once('\n').expect("each has a title");
        write!(found, "====\n{title}\n{program}{CUT}{}", said(program)).expect("a string takes all");
    }
    let found = found.replace("====\n#", "\n====\n#");
    if std::env::var_os("APE_BLESS").is_some() {
        std::fs::write(&path, found).expect("the table can be written");
    } else {
        let known = known.split_once("\n====").map_or(String::new(), |(_, cases)| format!("\n===={cases}"));
        let parts = |text: &str| text.split("\n====\n").map(str::to_owned).collect::<Vec<_>>();
        for (known, found) in parts(&known).into_iter().zip(parts(&found)) {
            assert_eq!(found.trim_end(), known.trim_end());
        }
    }
}

/// Each report, and the program as `ape check --fix` leaves it.
fn said(program: &str) -> String {
    let Err(rejected) = lang_l::load([("m.l", program)]) else { return "legal\n".to_owned() };
    let mut said = String::new();
    for wrong in &rejected.diagnostics {
        writeln!(said, "{}", line(&rejected.sources, wrong)).expect("a string takes all");
    }
    let mended = mended(program);
    if mended != program {
        let legal = if lang_l::load([("m.l", &mended)]).is_ok() { "legal" } else { "not legal" };
        write!(said, "mended, {legal}\n{mended}").expect("a string takes all");
    }
    said
}

fn line(sources: &Sources, wrong: &Diagnostic) -> String {
    let at = |span| format!("{}:{}", sources.line(span), sources.column(span));
    let marked: String = sources.text(wrong.span).chars().take(40).collect();
    let mut line = format!("{} {} `{}` {}", wrong.code, at(wrong.span), marked.replace('\n', "⏎"), wrong.message);
    for (span, label) in &wrong.others {
        let _ = write!(line, " ({}: {label})", at(*span));
    }
    if let Some(help) = &wrong.help {
        let _ = write!(line, "\n  help: {help}");
    }
    line
}

/// The program after all that is certain was changed, round after round.
fn mended(program: &str) -> String {
    let mut text = program.to_owned();
    for _ in 0..20 {
        let Err(rejected) = lang_l::load([("m.l", &text)]) else { break };
        let fixes = rejected.diagnostics.iter().filter_map(|wrong| wrong.fix.clone()).filter(|fix| fix.certain);
        let mut fixes: Vec<Fix> = fixes.collect();
        fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
        fixes.dedup_by(|later, earlier| later.span.start < earlier.span.end || later.span == earlier.span);
        if fixes.is_empty() {
            break;
        }
        for fix in fixes.into_iter().rev() {
            text.replace_range(fix.span.start as usize..fix.span.end as usize, &fix.text);
        }
    }
    text
}
