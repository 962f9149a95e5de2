//! Scores, in the form that is wanted.
//!
//! In: exercises that were graded. Out: a line for each as it comes, and the whole score at the end.
//!
//! Invariant: nothing here names a right answer that was not given.

use super::Graded;
use super::judge::{Finding, Mark};
use crate::args::test::{TestArgs, TestFormat};
use crate::files::replace::create_or_replace;
use crate::status::{Failure, Status};
use anstyle::{AnsiColor, Style};
use prover::report::count;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write;

/// The version of the JSON lines; it grows when a key is renamed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// Refuses forms that scores do not have.
pub(super) fn supported(args: &TestArgs) -> Result<(), Failure> {
    let mut forms = [args.format].into_iter().chain(args.reports.iter().map(|file| file.format));
    let known = |form: &TestFormat| matches!(form, TestFormat::Text | TestFormat::JsonLines | TestFormat::Junit);
    match forms.find(|form| !known(form)) {
        None => Ok(()),
        Some(_) => Err(Failure::Usage("scores are printed as text, json-lines or junit".into())),
    }
}

/// Prints one exercise, where the form has lines. What is wrong with a file goes to standard error.
pub(super) fn print(args: &TestArgs, graded: &Graded, out: &mut impl Write) -> Result<(), Failure> {
    let told = !args.quiet && (!args.failures_only || graded.status() != Status::Success);
    if told {
        out.write_all(of_one(graded, args.format).as_bytes())?;
        out.flush()?;
    }
    if let Err(failure) = &graded.result {
        failure.report();
    }
    Ok(())
}

/// Prints the whole score, and writes the files that are wanted.
pub(super) fn finish(args: &TestArgs, all: &[Graded], out: &mut impl Write) -> Result<(), Failure> {
    if !args.quiet {
        out.write_all(of_all(all, args.format)?.as_bytes())?;
        out.flush()?;
    }
    for file in &args.reports {
        let lines: String = all.iter().map(|graded| of_one(graded, file.format)).collect();
        let text = plain(&(lines + &of_all(all, file.format)?));
        create_or_replace(&file.path, &text).map_err(|error| Failure::write(&file.path, error))?;
    }
    Ok(())
}

/// Prints a line more for people.
pub(super) fn note(args: &TestArgs, line: &str, out: &mut impl Write) -> Result<(), Failure> {
    if !args.quiet && args.format == TestFormat::Text {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn of_one(graded: &Graded, format: TestFormat) -> String {
    match format {
        TestFormat::Text => text(graded),
        TestFormat::JsonLines => format!("{}\n", object(graded)),
        _ => String::new(),
    }
}

fn of_all(all: &[Graded], format: TestFormat) -> Result<String, Failure> {
    match format {
        TestFormat::JsonLines => Ok(format!("{}\n", score(all))),
        TestFormat::Junit => junit(all),
        _ => Ok(sentence(all) + "\n"),
    }
}

fn text(graded: &Graded) -> String {
    let Finding { mark, points, of, why, detail } = match &graded.result {
        Err(_) => return format!("{} {}\n", tag("failed", AnsiColor::Red), graded.file),
        Ok(finding) => finding,
    };
    let tag = match mark {
        Mark::Right => tag("right", AnsiColor::Green),
        Mark::Wrong => tag("wrong", AnsiColor::Red),
        Mark::Changed => tag("changed", AnsiColor::Red),
        Mark::NotAnswered | Mark::Undecided | Mark::Missing => tag("open", AnsiColor::Yellow),
    };
    let why = if why.is_empty() { String::new() } else { format!(", {why}") };
    let mut text = format!("{tag} {} {}: {points} of {of}{why}\n", graded.id, graded.kind);
    for line in detail.lines() {
        let _ = writeln!(text, "     {line}");
    }
    text
}

fn tag(word: &str, color: AnsiColor) -> String {
    let style = Style::new().bold().fg_color(Some(color.into()));
    format!("{style}{word:7}{style:#}")
}

/// The points that were reached, and how many there are.
fn points(all: &[Graded]) -> (usize, usize) {
    let of_one = |graded: &Graded| match (&graded.result, &graded.entry) {
        (Ok(finding), _) => (finding.points, finding.of),
        (Err(_), Some(entry)) => (0, super::judge::points(entry)),
        (Err(_), None) => (0, 0),
    };
    all.iter().map(of_one).fold((0, 0), |(points, of), (more, of_more)| (points + more, of + of_more))
}

/// One line for all.
fn sentence(all: &[Graded]) -> String {
    let (points, of) = points(all);
    let marked = |mark: Mark| all.iter().filter(|graded| graded.result.as_ref().is_ok_and(|f| f.mark == mark)).count();
    let kinds = [
        (marked(Mark::Right), "right"),
        (marked(Mark::Wrong), "wrong"),
        (marked(Mark::Changed), "changed"),
        (marked(Mark::NotAnswered), "not answered"),
        (marked(Mark::Undecided), "undecided"),
        (marked(Mark::Missing), "not handed in"),
        (all.iter().filter(|graded| graded.result.is_err()).count(), "could not be graded"),
    ];
    let there = kinds.iter().filter(|(number, _)| *number > 0);
    let kinds = there.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ");
    match all.len() {
        0 => "there is no exercise".to_string(),
        number => format!("{points} of {}; {}: {kinds}", count(of, "point"), count(number, "exercise")),
    }
}

fn object(graded: &Graded) -> serde_json::Value {
    let (points, of) = points(std::slice::from_ref(graded));
    let (result, why) = match &graded.result {
        Ok(finding) => (finding.mark.text(), plain(&format!("{}\n{}", finding.why, finding.detail))),
        Err(failure) => ("failed", plain(&failure.to_string())),
    };
    json!({
        "type": "exercise",
        "exercise": graded.id,
        "kind": graded.kind,
        "file": graded.file,
        "result": result,
        "points": points,
        "of": of,
        "why": why.trim_end(),
        "reasons": graded.reasons,
    })
}

fn score(all: &[Graded]) -> serde_json::Value {
    let (points, of) = points(all);
    let right = all.iter().filter(|graded| graded.status() == Status::Success).count();
    json!({
        "type": "score",
        "schema_version": SCHEMA_VERSION,
        "ape_version": env!("CARGO_PKG_VERSION"),
        "exercises": all.len(),
        "right": right,
        "points": points,
        "of": of,
    })
}

/// `JUnit` XML: one suite, with a case for each exercise.
fn junit(all: &[Graded]) -> Result<String, Failure> {
    let mut suite = TestSuite::new("exercises");
    for graded in all {
        let status = match &graded.result {
            Ok(Finding { mark: Mark::Right, .. }) => TestCaseStatus::success(),
            Ok(Finding { mark, points, of, why, detail }) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(mark.text()).set_message(format!("{points} of {of}: {why}"));
                status.set_description(plain(detail).trim_end());
                status
            }
            Err(failure) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
                status.set_type("failure").set_message("it could not be graded");
                status.set_description(plain(&failure.to_string()).trim_end());
                status
            }
        };
        let name = if graded.id.is_empty() { graded.file.clone() } else { graded.id.clone() };
        let mut case = TestCase::new(name, status);
        case.set_classname(graded.file.clone());
        suite.add_test_case(case);
    }
    let mut report = Report::new("ape test --grade");
    report.add_test_suite(suite);
    let xml = report.to_string().map_err(|error| Failure::Internal(format!("no JUnit report: {error}")))?;
    Ok(xml + "\n")
}

/// A text without colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
