//! For people: a line for each pair, more where it is not as expected, and one line for all.

use super::super::expectation::{Judgement, Word};
use super::super::outcome::{Counts, Outcome, PairOutcome};
use super::View;
use crate::status::Status;
use anstyle::{AnsiColor, Style};
use prover::report::count;
use prover::report::text::painted;
use std::fmt::Write as _;
use std::time::Duration;

/// A line for each pair of a case.
pub(super) fn of_one(outcome: &Outcome, view: &View) -> String {
    let mut text = String::new();
    if outcome.result.is_err() {
        // What is wrong goes to standard error, as with other commands.
        let _ = writeln!(text, "{} {}", tag("failed", AnsiColor::Red), outcome.file);
    }
    for pair in outcome.pairs() {
        let status = pair.status(view.partial);
        if view.shows(status) {
            text.push_str(&line(&outcome.file, pair, status));
        }
    }
    text
}

fn line(file: &str, pair: &PairOutcome, status: Status) -> String {
    let tag = match pair.judgement {
        Judgement::AsExpected => tag("ok", AnsiColor::Green),
        Judgement::Better => tag("better", AnsiColor::Green),
        Judgement::Worse => tag("worse", AnsiColor::Red),
        Judgement::New if status == Status::Success => tag("new", AnsiColor::Green),
        Judgement::New => tag("new", AnsiColor::Yellow),
    };
    let mut text = format!("{tag} {file}  {}: {}", pair.label, painted(pair.found.text()));
    if matches!(pair.judgement, Judgement::Better | Judgement::Worse) {
        let _ = write!(text, ", expected {}", pair.expected_words());
    }
    text.push('\n');
    // The first line says the pair and its verdict once more.
    for more in pair.detail.lines().skip(1) {
        let _ = writeln!(text, "     {more}");
    }
    if pair.judgement == Judgement::New && pair.found == Word::Unknown {
        let _ = writeln!(text, "       not settled: {}", pair.why);
    }
    text
}

fn tag(word: &str, color: AnsiColor) -> String {
    let style = Style::new().bold().fg_color(Some(color.into()));
    format!("{style}{word:6}{style:#}")
}

/// One line for all.
pub(super) fn of_all(outcomes: &[Outcome]) -> String {
    sentence(&Counts::of(outcomes)) + "\n"
}

/// How many of what there are.
pub(super) fn sentence(counts: &Counts) -> String {
    let mut text = match counts.pairs() {
        0 => "no pair was selected".to_string(),
        pairs => format!("{} in {}: {}", count(pairs, "pair"), count(counts.files, "file"), kinds(counts)),
    };
    if counts.failed > 0 {
        let _ = write!(text, "; {} could not be tested", count(counts.failed, "file"));
    }
    if counts.not_run > 0 {
        let _ = write!(text, "; interrupted before {}", count(counts.not_run, "file"));
    }
    text
}

fn kinds(counts: &Counts) -> String {
    let kinds =
        [(counts.as_expected, "as expected"), (counts.better, "better"), (counts.worse, "worse"), (counts.new, "new")];
    let there = kinds.iter().filter(|(number, _)| *number > 0);
    there.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

/// The files that took longest, and what the cache saved.
pub(crate) fn slowest(outcomes: &[Outcome], most: usize, whole: Duration) -> String {
    let counts = Counts::of(outcomes);
    let mut text = format!("{:.1} s; {} of {} from the cache\n", whole.as_secs_f64(), counts.cached, counts.files);
    let mut slow: Vec<&Outcome> = outcomes.iter().filter(|outcome| !outcome.pairs().is_empty()).collect();
    slow.sort_by_key(|outcome| std::cmp::Reverse(outcome.time));
    for outcome in slow.into_iter().take(most) {
        let _ = writeln!(text, "{:7.2} s  {}", outcome.time.as_secs_f64(), outcome.file);
    }
    text
}
