//! The proof of one pair in plain words: `ape explain`.
//!
//! In: a report, the lowered program, and what is known of each procedure alone. Out: what is claimed, the steps of the proof with
//! what corresponds and what holds at loops, why both end, and who has checked it; of a pair that is not settled what was shown all
//! the same, and where it fails.
//!
//! Invariant: everything that is said is read off the proof. What a proof does not keep is said to be missing.

mod corresponds;
mod ends;
mod equations;
mod facts;
mod open;
mod outline;
mod steps;
mod sums;

use super::text::{self, Detail, painted};
use super::{Subject, explain};
use crate::analysis;
use crate::goal::{Checked, Pair, PairProof};
use crate::lower::{Lowered, lower};
use crate::verdict::{PairReport, Report, Verdict};
use kernel::effects::{Effects, direct_callees};
use lang_l::hir::{ProcId, Unit};
use std::collections::BTreeSet;

pub use corresponds::{Sort, corresponding};
pub use facts::{Fact, facts};
pub use outline::{Point, Section};

/// What proofs speak of, beside the program and the report.
#[derive(Debug)]
pub struct Background {
    lowered: Lowered,
    effects: [Vec<Effects>; 2],
}

impl Background {
    /// That of a report. It is rebuilt from what was found, which takes no search. `None` where the run was over before
    /// anything was found: there is nothing to tell of its proofs then.
    pub fn of(unit: &Unit, report: &Report) -> Option<Self> {
        let lowered = lower(&report.program(unit));
        let effects = analysis::told(&lowered, &report.evidence).ok()?;
        Some(Background { lowered, effects })
    }

    /// With the report itself.
    pub fn known<'a>(&'a self, subject: Subject<'a>) -> Known<'a> {
        Known { subject, lowered: &self.lowered, effects: &self.effects }
    }
}

/// A report with all that its proofs speak of.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The program and the report.
    subject: Subject<'a>,
    /// The program without loops, which proofs are about.
    lowered: &'a Lowered,
    /// What is known of each of its procedures alone.
    effects: &'a [Vec<Effects>; 2],
}

/// The argument for the verdict on a pair of the report, as text.
pub fn argument(known: &Known<'_>, pair: &PairReport, width: usize) -> String {
    let mut text = match &pair.verdict {
        // What the runs did comes first.
        Verdict::NotEquivalent(_) | Verdict::ContractViolation(_) => {
            text::pair_text(known.subject, pair, Detail { explain: false, width })
        }
        _ => head(pair),
    };
    text.extend(sections(known, pair).iter().map(|section| section.text(width)));
    text
}

/// The same in its parts, without the verdict and without what runs did.
pub fn sections(known: &Known<'_>, pair: &PairReport) -> Vec<Section> {
    let (proof, stops) = match &pair.verdict {
        Verdict::Equivalent(proof) => (proof, false),
        Verdict::PartiallyEquivalent(proof) => (proof, true),
        Verdict::NotEquivalent(_) | Verdict::ContractViolation(_) => return vec![shown_by_a_run(pair)],
        Verdict::Unknown(reason) => return open::unsettled(known, pair, reason),
    };
    let ending = if stops {
        Section::new("Why this is not all", [open::not_ending(known, proof)])
    } else {
        Section::new("Why both end from the same stores", ends::reasons(known, pair.pair, proof))
    };
    vec![claim(known, pair, "What is claimed"), steps::proof(known, pair, proof), ending, checked(proof)]
}

fn head(pair: &PairReport) -> String {
    let names = if pair.left == pair.right { pair.left.clone() } else { format!("{} ~ {}", pair.left, pair.right) };
    let when = pair.when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
    format!("{names}{when}: {}\n", painted(pair.verdict.word()))
}

/// What the verdict says, and what it takes for granted.
fn claim(known: &Known<'_>, pair: &PairReport, title: &'static str) -> Section {
    let basis = explain::basis(known.subject, pair);
    let mut compared = basis.compared.iter();
    let what = compared.next().map(String::as_str).unwrap_or_default();
    let rest: Vec<&str> = compared.map(String::as_str).collect();
    let mut points =
        vec![format!("both start from the same store: {what}"), format!("and are alike in: {}", rest.join("; "))];
    points.extend(basis.assumed.into_iter().filter(|sentence| is_given(sentence)));
    Section::new(title, points)
}

/// Whether a sentence is about what is taken for granted, and not about what was proved as well: that is in the steps.
fn is_given(sentence: &str) -> bool {
    !sentence.starts_with("proved as well") && !sentence.starts_with("by induction")
}

/// Of what a run shows nothing has to be proved.
fn shown_by_a_run(pair: &PairReport) -> Section {
    let why = match &pair.verdict {
        Verdict::NotEquivalent(witness) => {
            format!("both versions were run from this store: {}", witness.contrast().sentence())
        }
        _ => "a version was run from this store, and its contract did not hold".to_string(),
    };
    let again = "no proof is needed: `ape run --store` shows the same runs again".to_string();
    Section::new("Why that is so", [why, again])
}

fn checked(proof: &PairProof) -> Section {
    let what = match &proof.checked {
        Checked::Proved(_) => {
            "the kernel executed both versions as they are written, followed these steps, and had each question answered again"
                .to_string()
        }
        Checked::Not(why) => format!("not the kernel: {why}"),
    };
    Section::new("Who checked it", [what])
}

impl Known<'_> {
    /// The procedures of the lowered program that one runs, itself included.
    fn run_by(&self, version: usize, id: ProcId) -> BTreeSet<ProcId> {
        let (mut run, mut work) = (BTreeSet::new(), vec![id]);
        while let Some(next) = work.pop() {
            if run.insert(next) {
                work.extend(direct_callees(self.lowered.procedure(version, next)));
            }
        }
        run
    }

    /// What people call the procedures of a pair.
    fn titles(&self, (left, right): Pair) -> String {
        let [left, right] = [self.lowered.title(0, left), self.lowered.title(1, right)];
        if left == right { left } else { format!("{left} ~ {right}") }
    }

    /// What people call a procedure of a version.
    fn one(&self, version: usize, id: ProcId) -> String {
        format!("{} ({})", self.lowered.title(version, id), self.subject.version_name(version))
    }
}
