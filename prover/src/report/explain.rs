//! What a verdict speaks about: what was compared, from which stores, and what is taken for granted.
//!
//! Invariant: a list of sentences without full stops, the same in the text and in the JSON.

use super::Subject;
use super::one_line;
use crate::verdict::{ClauseStatus, PairReport, Verdict};
use kernel::alone::clauses::ClauseKind;
use kernel::effects::direct_callees;
use lang_l::hir::{ProcId, Procedure};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What the verdict on a pair speaks about.
pub(super) struct Basis {
    /// What was compared.
    pub(super) compared: Vec<String>,
    /// What was assumed.
    pub(super) assumed: Vec<String>,
}

/// What was compared of a pair, and under which assumptions.
pub(super) fn basis(subject: Subject<'_>, pair: &PairReport) -> Basis {
    let proof = match &pair.verdict {
        Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof) => Some(proof),
        _ => None,
    };
    let external = proof.is_some() && subject.procedures(pair).iter().all(|procedure| procedure.body.is_none());
    let mut assumed = conditions(subject, pair);
    if external {
        let compared = vec!["the declarations: what the two do is not known".to_string()];
        assumed.push(format!("{} always does the same on the same store, and keeps its contract", pair.left));
        return Basis { compared, assumed };
    }
    let run = [0, 1].map(|version| run_by(subject, version, [pair.pair.0, pair.pair.1][version]));
    for (version, run) in run.iter().enumerate() {
        for &id in run {
            let callee = subject.unit.versions[version].procedure(id);
            if callee.body.is_none() {
                let name = &callee.name;
                let sentence =
                    format!("{name} (external) always does the same on the same store, and keeps its contract");
                if !assumed.contains(&sentence) {
                    assumed.push(sentence);
                }
            }
        }
    }
    if proof.is_some_and(|proof| proof.used.always.contains_key(&pair.pair)) {
        assumed.push(format!("by induction: calls of {} within it are equivalent", pair.left));
    }
    if proof.is_some() && !pair.rests_on.is_empty() {
        let names: Vec<&str> = pair.rests_on.iter().map(|premise| premise.title.as_str()).collect();
        assumed.push(format!("proved as well: {} equivalent", names.join(", ")));
    }
    for clause in &subject.report.contracts {
        let concerned = run[clause.version]
            .iter()
            .any(|&id| subject.unit.versions[clause.version].procedure(id).name == clause.procedure);
        if concerned && clause.kind != ClauseKind::Assert && matches!(clause.status, ClauseStatus::Holds) {
            assumed.push(format!(
                "proved as well: {} of {} ({}{})",
                clause.kind.keyword(),
                clause.procedure,
                subject.version_name(clause.version),
                subject.at(clause.span)
            ));
        }
    }
    Basis { compared: compared(subject, pair), assumed }
}

/// The same as lines of a report, with what no run comes to.
pub(super) fn text(subject: Subject<'_>, pair: &PairReport) -> String {
    let Basis { compared, assumed } = basis(subject, pair);
    let mut text = String::new();
    for (head, sentences) in [("compared", &compared), ("assumed", &assumed)] {
        let _ = writeln!(text, "  {head}{}", if sentences.is_empty() { ": nothing" } else { "" });
        for sentence in sentences {
            let _ = writeln!(text, "    {sentence}");
        }
    }
    for (version, places) in pair.unreached.iter().enumerate() {
        for &span in places {
            let title = subject.version_name(version);
            let _ = writeln!(text, "  no run comes to: {} ({title}{})", one_line(subject, span), subject.at(span));
        }
    }
    text
}

/// What a caller can see of the two.
fn compared(subject: Subject<'_>, pair: &PairReport) -> Vec<String> {
    let procedures = subject.procedures(pair);
    let named = |version: usize| {
        let procedure: &Procedure = procedures[version];
        format!("{} of {}{}", procedure.name, subject.version_name(version), subject.at(procedure.name_span))
    };
    let mut compared = vec![format!("{}, and {}", named(0), named(1)), "whether they end in error".to_string()];
    let [left, _] = procedures;
    let results: Vec<&str> = left.result_ids().map(|id| left.local(id).name.as_str()).collect();
    match results.as_slice() {
        [] => {}
        [result] => compared.push(format!("the result {result}")),
        results => compared.push(format!("the results {}", results.join(", "))),
    }
    let globals: Vec<&str> = subject.unit.globals.iter().map(|global| global.name.as_str()).collect();
    match globals.as_slice() {
        [] => {}
        [global] => compared.push(format!("the global {global}")),
        globals => compared.push(format!("the globals {}", globals.join(", "))),
    }
    compared.push(
        "the objects that existed at the start, and the new ones that can be reached, up to their names".to_string(),
    );
    compared.push(match &pair.verdict {
        Verdict::PartiallyEquivalent(_) => "not whether they end: where one runs for ever, nothing is said".to_string(),
        _ => "whether they end".to_string(),
    });
    compared
}

/// Which stores the two are compared from: `requires` and `when`.
fn conditions(subject: Subject<'_>, pair: &PairReport) -> Vec<String> {
    let mut conditions = Vec::new();
    for (version, procedure) in subject.procedures(pair).into_iter().enumerate() {
        for requires in &procedure.requires {
            let (text, title) = (one_line(subject, requires.span), subject.version_name(version));
            conditions.push(format!("at the start: {text} (requires, {title}{})", subject.at(requires.span)));
        }
    }
    conditions.extend(pair.when.as_ref().map(|when| format!("at the start: {when} (when)")));
    conditions
}

/// The procedures that one runs, itself included.
fn run_by(subject: Subject<'_>, version: usize, id: ProcId) -> BTreeSet<ProcId> {
    let (mut run, mut work) = (BTreeSet::new(), vec![id]);
    while let Some(next) = work.pop() {
        if run.insert(next) {
            work.extend(direct_callees(subject.unit.versions[version].procedure(next)));
        }
    }
    run
}
