//! What is said of lines of the sources.
//!
//! In: a report and its proofs. Out: for each line what a proof has found to hold there, what could not be shown, where two runs
//! part, and which contracts fail.
//!
//! Invariant: what is said of a line is part of the report or of a proof.

use super::super::argument::facts;
use super::super::counterexample::{parting, roles};
use super::Program;
use super::words::pair_name;
use crate::search::localize::Mark;
use crate::search::witness::Contrast;
use crate::verdict::{ClauseStatus, PairReport, Verdict};
use lang_l::source::{FileId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The sorts of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// Shown to hold.
    Holds,
    /// Not shown.
    Open,
    /// Seen to go wrong, or to differ.
    Differs,
}

/// What is said of lines: by file and line.
pub(super) type Notes = BTreeMap<(FileId, usize), BTreeSet<(Sort, String)>>;

/// All that is said of the lines of a program.
pub(super) fn notes(program: &Program<'_>) -> Notes {
    let subject = program.subject;
    let mut notes = Notes::new();
    let mut note = |span: Span, sort: Sort, text: String| {
        notes.entry((span.file, subject.sources.line(span))).or_default().insert((sort, text));
    };
    for pair in &subject.report.pairs {
        for fact in program.known.iter().flat_map(|known| facts(known, pair)) {
            note(fact.span, Sort::Holds, fact.text);
        }
        for (span, sort, text) in of_verdict(program, pair) {
            note(span, sort, text);
        }
    }
    for clause in &subject.report.contracts {
        let keyword = clause.kind.keyword();
        match &clause.status {
            ClauseStatus::Holds => note(clause.span, Sort::Holds, format!("this {keyword} was proved")),
            ClauseStatus::Violated(_) => note(clause.span, Sort::Differs, format!("this {keyword} fails in a run")),
            ClauseStatus::Unknown(why) => note(clause.span, Sort::Open, format!("this {keyword} is open: {why}")),
        }
    }
    notes
}

/// What the verdict on a pair says of places.
fn of_verdict(program: &Program<'_>, pair: &PairReport) -> Vec<(Span, Sort, String)> {
    let open = |places: &[Vec<Span>; 2], what: &str| -> Vec<(Span, Sort, String)> {
        let text = format!("{}: {what}", pair_name(pair));
        places.iter().flatten().map(|&span| (span, Sort::Open, text.clone())).collect()
    };
    match &pair.verdict {
        Verdict::Unknown(reason) => open(&reason.places, &reason.what),
        Verdict::PartiallyEquivalent(proof) => {
            proof.failed_goal.as_ref().map_or(Vec::new(), |failed| open(&failed.places, &failed.what))
        }
        Verdict::NotEquivalent(witness) => {
            let Some(marks) = parting(program.subject, pair, witness) else { return Vec::new() };
            let roles = roles(marks, witness.contrast());
            let about = match witness.contrast() {
                Contrast::Stores(_) => "the first difference: ",
                Contrast::Error | Contrast::Termination => "",
            };
            let said =
                |(mark, role): (&Mark, &str)| (mark.span, Sort::Differs, format!("{}: {about}{role}", pair_name(pair)));
            marks.iter().zip(roles).map(said).collect()
        }
        Verdict::ContractViolation(_) | Verdict::Equivalent(_) => Vec::new(),
    }
}
