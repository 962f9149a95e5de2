//! Witnesses for people: where the run starts, what each version does from there, side by side, and where the two part.
//!
//! Invariant: one takes no more than 24 lines; what is left out is said to be.
//! Invariant: what stands in a version's column are lines that `ape run --store` prints for it.

use super::Subject;
use super::layout::{self, INDENT, MarkedLine};
use super::{one_line, show_difference};
use crate::search::localize::{Mark, Role, marks};
use crate::search::witness::{ContractWitness, Contrast, RunPair, Witness};
use crate::verdict::PairReport;
use lang_l::heap::Input;
use lang_l::hir::{Procedure, Unit};
use lang_l::interp::{Behaviour, Clause, Outcome};
use lang_l::show;
use lang_l::source::Span;
use lang_l::statements::{Assignment, effect, input_lines};
use std::fmt::Write as _;

/// The most lines of the first store.
const START_LINES: usize = 6;
/// The most rows of what the two versions did.
const END_ROWS: usize = 4;
/// The longest source line that is shown.
const SOURCE_WIDTH: usize = 70;

/// A store on which the two versions differ.
pub(super) fn difference(subject: Subject<'_>, pair: &PairReport, witness: &Witness, width: usize) -> String {
    let [left, _] = subject.procedures(pair);
    let mut text = start(subject, left, witness.input(), witness.externals(), width);
    text.push_str(&layout::columns(&rows(subject, pair, witness), width));
    if let Some(first) = show_difference(subject, pair, witness) {
        let _ = writeln!(text, "  first difference: {first}");
    }
    if let Some(found) = parting(subject, pair, witness) {
        if !matches!(witness.contrast(), Contrast::Stores(_)) {
            text.push_str("  where they part\n");
        }
        text.push_str(&marked(subject, found, witness.contrast(), width));
    }
    text
}

/// Where the two versions part.
pub(super) fn parting(subject: Subject<'_>, pair: &PairReport, witness: &Witness) -> Option<[Mark; 2]> {
    let (left, right) = pair.pair;
    marks(subject.sources, &RunPair { unit: subject.unit, left, right, when: None }, witness)
}

/// A store on which a contract fails.
pub(super) fn violation(subject: Subject<'_>, witness: &ContractWitness, width: usize) -> String {
    let violation = witness.violation();
    let procedure = subject.unit.versions[witness.version()].procedure(witness.procedure());
    let mut text = format!(
        "  {}{}: {}\n  {} of {} does not hold",
        subject.version_name(witness.version()),
        subject.at(violation.span),
        one_line(subject, violation.span),
        violation.clause.keyword(),
        violation.procedure,
    );
    if let Some(call) = violation.call {
        let _ = write!(text, " for the call{}", subject.at(call));
    }
    let _ = writeln!(text, ": {}", violation.message);
    let _ = writeln!(text, "  seen when {} is run", procedure.name);
    text.push_str(&start(subject, procedure, witness.input(), witness.externals(), width));
    if violation.clause == Clause::Assert {
        text.push_str(
            "  the run ends in error there, as any other error: versions that err on the same stores are equivalent\n",
        );
    }
    text
}

/// The store that both versions are run on.
pub(super) fn start(
    subject: Subject<'_>,
    procedure: &Procedure,
    input: &Input,
    externals: Behaviour,
    width: usize,
) -> String {
    let lines = input_lines(subject.unit, procedure, input, layout::usable(width) - INDENT.len());
    let mut text = if lines.is_empty() { "  from the empty store\n".to_string() } else { "  from\n".to_string() };
    for line in lines.iter().take(START_LINES) {
        let _ = writeln!(text, "{INDENT}{line}");
    }
    if lines.len() > START_LINES {
        let _ = writeln!(text, "{INDENT}… and {} more", lines.len() - START_LINES);
    }
    let open = subject.unit.versions.iter().any(|version| version.procedures.iter().any(|p| p.body.is_none()));
    if open {
        let _ = writeln!(text, "{INDENT}({})", show::externals_text(externals));
    }
    text
}

/// The lines of both columns: the versions, how each ended, and what one did and the other did not.
pub(super) fn rows(subject: Subject<'_>, pair: &PairReport, witness: &Witness) -> Vec<[String; 2]> {
    let outcomes = [witness.left(), witness.right()];
    let mut rows = vec![[0, 1].map(|version| subject.version_name(version)), outcomes.map(show::outcome_text)];
    if matches!(witness.contrast(), Contrast::Stores(_)) {
        let [left, right] = subject.procedures(pair);
        let did = |procedure, outcome| effect_of(subject.unit, procedure, witness.input(), outcome);
        let differing = differing(&did(left, outcomes[0]), &did(right, outcomes[1]), left.results);
        let left_out = differing.len().saturating_sub(END_ROWS);
        rows.extend(differing.into_iter().take(END_ROWS));
        if left_out > 0 {
            rows.push([format!("… and {left_out} more"), String::new()]);
        }
    }
    rows
}

fn effect_of(unit: &Unit, procedure: &Procedure, input: &Input, outcome: &Outcome) -> Vec<Assignment> {
    match outcome {
        Outcome::Normal(last) => effect(unit, procedure, input, last),
        _ => Vec::new(),
    }
}

/// What one side did and the other did not, the same place in the same row. The first `results` are results, which may go by
/// other names.
fn differing(left: &[Assignment], right: &[Assignment], results: usize) -> Vec<[String; 2]> {
    let of_results = left.iter().zip(right).take(results).map(|(l, r)| (Some(l), Some(r)));
    let partner = |of: &Assignment, among: &'_ [Assignment]| among.iter().position(|other| other.place == of.place);
    let (left, right) = (&left[results.min(left.len())..], &right[results.min(right.len())..]);
    let of_left = left.iter().map(|l| (Some(l), partner(l, right).map(|at| &right[at])));
    let of_right = right.iter().filter(|r| partner(r, left).is_none()).map(|r| (None, Some(r)));
    let cell = |own: Option<&Assignment>, other: Option<&Assignment>| match (own, other) {
        (Some(own), _) => own.to_string(),
        (None, Some(other)) if other.existed => "(unchanged)".to_string(),
        (None, _) => String::new(),
    };
    let differ = |(l, r): &(Option<&Assignment>, Option<&Assignment>)| l.map(|a| &a.value) != r.map(|a| &a.value);
    let rows = of_results.chain(of_left).chain(of_right).filter(differ);
    rows.map(|(l, r)| [cell(l, r), cell(r, l)]).collect()
}

/// What happens at each of two marks.
pub(super) fn roles(found: [Mark; 2], contrast: &Contrast) -> [&'static str; 2] {
    // The place that differs is set by one version alone.
    let never_set = matches!(contrast, Contrast::Stores(_)) && found.iter().any(|mark| mark.role == Role::Sets);
    found.map(|mark| role_text(mark.role, never_set))
}

/// The source line of each version, and under it a marker with what happens there.
fn marked(subject: Subject<'_>, found: [Mark; 2], contrast: &Contrast, width: usize) -> String {
    let roles = roles(found, contrast);
    let lines = found.map(|mark| source_line(subject, mark.span));
    let marked = [0, 1].map(|side| {
        let Mark { span, .. } = found[side];
        let (line, before) = &lines[side];
        let length = one_line(subject, span).chars().count().min(line.chars().count() - before).max(1);
        let head = format!("{}{}:", subject.version_name(side), subject.at(span));
        MarkedLine { head, line, before: *before, length, role: roles[side] }
    });
    layout::marked(&marked, width)
}

/// The line that a place is on, and how many characters of it come before the place. Only the place of what is very long.
fn source_line(subject: Subject<'_>, span: Span) -> (String, usize) {
    let text = &subject.sources.get(span.file).text;
    let whole = text.lines().nth(subject.sources.line(span) - 1).unwrap_or_default().replace('\t', " ");
    let margin = whole.chars().take_while(|c| c.is_whitespace()).count();
    let before = subject.sources.column(span) - 1;
    if whole.trim().chars().count() > SOURCE_WIDTH || before < margin {
        return (one_line(subject, span).chars().take(SOURCE_WIDTH).collect(), 0);
    }
    (whole.trim().to_string(), before - margin)
}

fn role_text(role: Role, never_set: bool) -> &'static str {
    match role {
        Role::Sets => "sets it",
        Role::Fails => "fails here",
        Role::Endless => "goes on for ever",
        Role::Turns if never_set => "goes another way, and never sets it",
        Role::Turns => "goes another way",
        Role::Tests(true) if never_set => "holds here, not in the other; never sets it",
        Role::Tests(true) => "holds here, not in the other",
        Role::Tests(false) if never_set => "holds in the other, not here; never sets it",
        Role::Tests(false) => "holds in the other, not here",
        Role::Ends if never_set => "ends here, and never sets it",
        Role::Ends => "ends here",
    }
}
