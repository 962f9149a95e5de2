//! What a run found, for people and for machines.
//!
//! In: a [`Report`], with the program and its sources. Out: text, or JSON as section 6 of the language reference has it.
//!
//! Invariant: pure functions to strings; nothing is decided here, and nothing is read or written.
//! Invariant: the same report makes the same text; the times that differ from run to run are in the JSON alone.

pub mod checks;
pub mod json;

pub mod text;

pub mod several;

mod counterexample;

mod layout;

mod explain;

pub mod argument;

pub mod picture;

pub mod page;

pub mod dump;

mod terms;

#[cfg(test)]
mod tests;

use crate::search::witness::{Contrast, Witness};
use crate::verdict::{ClauseStatus, PairReport, Report};
use kernel::alone::clauses::ClauseKind;
use lang_l::hir::{Procedure, Unit};
use lang_l::show::difference_text;
use lang_l::source::{Sources, Span};

/// A report with what its names and places mean.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program as written.
    pub unit: &'a Unit,
    /// Its text.
    pub sources: &'a Sources,
    /// What was found.
    pub report: &'a Report,
}

impl<'a> Subject<'a> {
    /// The two procedures of a pair.
    fn procedures(&self, pair: &PairReport) -> [&'a Procedure; 2] {
        [self.unit.versions[0].procedure(pair.pair.0), self.unit.versions[1].procedure(pair.pair.1)]
    }

    /// How a version is called.
    fn version_name(&self, version: usize) -> String {
        self.unit.versions[version].title()
    }

    /// A place, to follow the name of what is there; with the file, when there are several.
    fn at(&self, span: Span) -> String {
        let line = self.sources.line(span);
        if self.sources.iter().nth(1).is_some() {
            format!(", {}:{line}", self.sources.get(span.file).name)
        } else {
            format!(", line {line}")
        }
    }

    /// The lines of some places, each once.
    fn lines(&self, places: &[Span]) -> Vec<usize> {
        let mut lines: Vec<usize> = places.iter().map(|&span| self.sources.line(span)).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

/// The one word for a whole run: its worst verdict, or `none` when there was no pair to look at.
///
/// A contract that fails counts even when no pair rests on it; a failing `assert` does not, as it is an outcome like others.
pub fn overall(report: &Report) -> &'static str {
    let Some(worst) = report.worst() else { return "none" };
    let broken = report
        .contracts
        .iter()
        .any(|clause| clause.kind != ClauseKind::Assert && matches!(clause.status, ClauseStatus::Violated(_)));
    match worst.word() {
        "not-equivalent" => "not-equivalent",
        _ if broken => "contract-violation",
        word => word,
    }
}

/// A number of things: `1 pair`, `2 queries`.
pub fn count(number: usize, what: &str) -> String {
    let plural = what.strip_suffix('y').map_or_else(|| format!("{what}s"), |stem| format!("{stem}ies"));
    if number == 1 { format!("1 {what}") } else { format!("{number} {plural}") }
}

/// The first thing in which the stores that two runs leave differ.
fn show_difference(subject: Subject<'_>, pair: &PairReport, witness: &Witness) -> Option<String> {
    let Contrast::Stores(difference) = witness.contrast() else { return None };
    let [left, _] = subject.procedures(pair);
    let names = [subject.version_name(0), subject.version_name(1)];
    let names = [names[0].as_str(), names[1].as_str()];
    Some(difference_text(subject.unit, left, witness.input(), difference, names))
}

/// The first line of the source at a place.
fn one_line<'a>(subject: Subject<'a>, span: Span) -> &'a str {
    subject.sources.text(span).lines().next().unwrap_or_default().trim_end()
}
