//! Witnesses for people: where the run starts, how each version ends, and the first place where the two differ.
//!
//! Invariant: a usual one takes no more than 24 lines; what is left out is said to be.

use super::Subject;
use super::text::one_line;
use crate::replay::{ContractWitness, Contrast, Witness};
use crate::verdict::PairReport;
use lang_l::heap::Input;
use lang_l::hir::Procedure;
use lang_l::interp::{Behaviour, Divergence, Outcome};
use lang_l::show;
use lang_l::source::Span;
use std::collections::HashSet;
use std::fmt::Write as _;

/// How many lines of a store are shown, of the first store and of each last one.
const START_LINES: usize = 8;
const END_LINES: usize = 4;

/// A store on which the two versions differ.
pub(super) fn difference(subject: Subject<'_>, pair: &PairReport, witness: &Witness) -> String {
    let [left, _] = subject.procedures(pair);
    let mut text = start(subject, left, witness.input(), witness.externals());
    let mut ends = [witness.left(), witness.right()].map(|outcome| match outcome {
        Outcome::Normal(last) => show::final_text(subject.unit, left, witness.input(), last),
        _ => String::new(),
    });
    if !ends.iter().any(String::is_empty) {
        ends = only_different(&ends);
    }
    for (version, (outcome, end)) in [witness.left(), witness.right()].into_iter().zip(&ends).enumerate() {
        let _ = write!(text, "  {} {}", subject.version_name(version), show::outcome_text(outcome));
        match place(outcome) {
            Some(span) => {
                let _ = writeln!(text, "{}: {}", subject.at(span), one_line(subject, span));
            }
            None => text.push('\n'),
        }
        if matches!(witness.contrast(), Contrast::Stores(_)) {
            text.push_str(&indented(end, END_LINES));
        }
    }
    if let Contrast::Stores(difference) = witness.contrast() {
        let names = [subject.version_name(0), subject.version_name(1)];
        let names = [names[0].as_str(), names[1].as_str()];
        let first = show::difference_text(subject.unit, left, witness.input(), difference, names);
        let _ = writeln!(text, "  first difference: {first}");
    }
    text
}

/// A store on which a contract fails.
pub(super) fn violation(subject: Subject<'_>, witness: &ContractWitness) -> String {
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
    text.push_str(&start(subject, procedure, witness.input(), witness.externals()));
    text
}

fn start(subject: Subject<'_>, procedure: &Procedure, input: &Input, externals: Behaviour) -> String {
    let store = show::input_text(subject.unit, procedure, input);
    let mut text = if store.is_empty() {
        "  from the empty store\n".to_string()
    } else {
        format!("  from\n{}", indented(&store, START_LINES))
    };
    let open = subject.unit.versions.iter().any(|version| version.procedures.iter().any(|p| p.body.is_none()));
    if open {
        let _ = writeln!(text, "    ({})", show::externals_text(externals));
    }
    text
}

/// The place in the source that tells why a run ended.
fn place(outcome: &Outcome) -> Option<Span> {
    match outcome {
        Outcome::Normal(_) | Outcome::OutOfBudget(_) => None,
        Outcome::Error(failure) => Some(failure.span),
        Outcome::Violation(violation) => Some(violation.span),
        Outcome::Excluded(_, span) | Outcome::Unsupported { span, .. } => Some(*span),
        Outcome::Diverged(Divergence::LoopRepeats { span } | Divergence::CallRepeats { span, .. }) => Some(*span),
    }
}

/// The lines of each text that the other does not have.
fn only_different([left, right]: &[String; 2]) -> [String; 2] {
    let without = |text: &str, other: &str| {
        let other: HashSet<&str> = other.lines().collect();
        text.lines().filter(|line| !other.contains(line)).map(|line| format!("{line}\n")).collect()
    };
    [without(left, right), without(right, left)]
}

fn indented(lines: &str, most: usize) -> String {
    let mut text: String = lines.lines().take(most).map(|line| format!("    {line}\n")).collect();
    let left_out = lines.lines().count().saturating_sub(most);
    if left_out > 0 {
        let _ = writeln!(text, "    … and {left_out} more");
    }
    text
}
