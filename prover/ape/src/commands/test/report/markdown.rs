//! Markdown, for the text of a pull request: a line of counts, a table of what is not as expected, and what reports say of it.

use super::super::expectation::Judgement;
use super::super::outcome::{Counts, Outcome, PairOutcome};
use super::{View, message, text};
use crate::status::Status;
use std::fmt::Write as _;

pub(super) fn of_all(outcomes: &[Outcome], view: &View) -> String {
    let mut all = format!("**{}**\n", text::sentence(&Counts::of(outcomes)));
    let told = || outcomes.iter().flat_map(|outcome| outcome.pairs().iter().map(move |pair| (outcome, pair)));
    let told = || told().filter(|(_, pair)| is_told(pair, view));
    if told().next().is_some() {
        all.push_str("\n| result | file | pair | verdict | expected |\n|---|---|---|---|---|\n");
    }
    for (outcome, pair) in told() {
        let cells = [&outcome.file, &pair.label, pair.found.text(), &pair.expected_words()].map(cell);
        let _ = writeln!(all, "| {} | {} |", pair.judgement.text(), cells.join(" | "));
    }
    for (outcome, pair) in told().filter(|(_, pair)| !pair.detail.is_empty()) {
        block(&mut all, &format!("{}: {}", outcome.file, pair.label), &pair.detail);
    }
    for outcome in outcomes {
        if let Err(failure) = &outcome.result {
            block(&mut all, &format!("{} could not be tested", outcome.file), &message(failure));
        }
    }
    all
}

/// What changes something is told, and what makes the run fail.
fn is_told(pair: &PairOutcome, view: &View) -> bool {
    let status = pair.status(view.partial);
    status != Status::Success || !view.failures_only && pair.judgement != Judgement::AsExpected
}

/// A text that is shown when one asks for it.
fn block(all: &mut String, title: &str, body: &str) {
    let body = anstream::adapter::strip_str(body).to_string();
    let _ = write!(all, "\n<details><summary>{}</summary>\n\n", html(title));
    for line in body.trim_end().lines() {
        let _ = writeln!(all, "    {line}");
    }
    all.push_str("\n</details>\n");
}

/// A text in a table.
fn cell(text: &str) -> String {
    html(text).replace('|', "\\|").replace('\n', " ")
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
