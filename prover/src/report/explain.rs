//! What a verdict speaks about: the procedures compared, and what is assumed of them.

use super::Subject;
use super::text::one_line;
use crate::contracts::ClauseKind;
use crate::verdict::{ClauseStatus, PairReport};
use std::fmt::Write as _;

/// What was compared with what, from which stores, and what is taken for granted.
pub(super) fn compared(subject: Subject<'_>, pair: &PairReport) -> String {
    let mut text = String::new();
    for (version, procedure) in subject.procedures(pair).into_iter().enumerate() {
        let _ = writeln!(text, "  compared: {} of {}", procedure.name, place(subject, version, procedure.name_span));
    }
    let mut conditions = Vec::new();
    for (version, procedure) in subject.procedures(pair).into_iter().enumerate() {
        for requires in &procedure.requires {
            conditions.push(format!("`{}` ({})", one_line(subject, requires.span), subject.version_name(version)));
        }
    }
    conditions.extend(pair.when.as_ref().map(|when| format!("`{when}`")));
    if conditions.is_empty() {
        text.push_str("  from: every store\n");
    } else {
        let _ = writeln!(text, "  from: every store that satisfies {}", conditions.join(" and "));
    }
    for (version, side) in subject.unit.versions.iter().enumerate() {
        let external: Vec<&str> =
            side.procedures.iter().filter(|p| p.body.is_none()).map(|p| p.name.as_str()).collect();
        if !external.is_empty() {
            let _ = writeln!(
                text,
                "  assumed of {}: {} always do the same on the same store, and keep their contracts",
                subject.version_name(version),
                external.join(", ")
            );
        }
    }
    let relied_on: Vec<String> = subject
        .report
        .contracts
        .iter()
        .filter(|clause| clause.kind != ClauseKind::Assert && matches!(clause.status, ClauseStatus::Holds))
        .map(|clause| {
            format!("{} of {} ({})", clause.kind.keyword(), clause.procedure, subject.version_name(clause.version))
        })
        .collect();
    if !relied_on.is_empty() {
        let _ = writeln!(text, "  contracts proved and relied on: {}", relied_on.join(", "));
    }
    text
}

fn place(subject: Subject<'_>, version: usize, span: lang_l::source::Span) -> String {
    format!("{}{}", subject.version_name(version), subject.at(span))
}
