//! The results of a run, in the form that is wanted.
//!
//! In: outcomes. Out: text, of each as it comes where the form has lines, and of all at the end.
//!
//! Invariant: pure functions to strings. What is for people has no times in it, so the same files make the same text.

mod github;
mod json_lines;
mod junit;
mod markdown;
mod sarif;
mod text;

use super::outcome::Outcome;
use crate::args::test::{Partition, TestFormat};
use crate::status::{Failure, Status};

pub(super) use text::slowest;

/// What is wanted of the results.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// In which form.
    pub(super) format: TestFormat,
    /// Only of what makes the run fail.
    pub(super) failures_only: bool,
    /// Whether partially equivalent is a success.
    pub(super) partial: bool,
    /// Which share of the files they are of, if not of all.
    pub(super) share: Option<Partition>,
    /// How many shares were not there to be merged.
    pub(super) missing: usize,
}

impl View {
    /// Whether something of this status is told.
    fn shows(&self, status: Status) -> bool {
        !self.failures_only || status != Status::Success
    }
}

/// What is printed of one case as soon as it is there; empty where the form waits for all.
pub(super) fn of_one(outcome: &Outcome, view: &View) -> String {
    match view.format {
        TestFormat::Text => text::of_one(outcome, view),
        TestFormat::JsonLines => json_lines::of_one(outcome, view),
        TestFormat::Github => github::of_one(outcome, view),
        TestFormat::Junit | TestFormat::Sarif | TestFormat::Markdown => String::new(),
    }
}

/// What is printed at the end.
pub(super) fn of_all(outcomes: &[Outcome], view: &View) -> Result<String, Failure> {
    Ok(match view.format {
        TestFormat::Text => text::of_all(outcomes),
        TestFormat::JsonLines => json_lines::of_all(outcomes, view),
        TestFormat::Github => github::of_all(outcomes),
        TestFormat::Junit => junit::of_all(outcomes, view)?,
        TestFormat::Sarif => sarif::of_all(outcomes, view),
        TestFormat::Markdown => markdown::of_all(outcomes, view),
    })
}

/// All of it at once, for a file.
pub(super) fn whole(outcomes: &[Outcome], view: &View) -> Result<String, Failure> {
    let lines: String = outcomes.iter().map(|outcome| of_one(outcome, view)).collect();
    let text = lines + &of_all(outcomes, view)?;
    Ok(anstream::adapter::strip_str(&text).to_string())
}

/// What went wrong with a case, without colours.
fn message(failure: &Failure) -> String {
    anstream::adapter::strip_str(&failure.to_string()).to_string().trim_end().to_string()
}

/// The word for a status of a pair or a file that fails.
fn level(status: Status) -> &'static str {
    match status {
        Status::Success => "note",
        Status::Undecided | Status::NothingSelected => "warning",
        _ => "error",
    }
}
