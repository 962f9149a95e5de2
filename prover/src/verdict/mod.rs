//! Verdicts and what backs them.
//!
//! Invariant: [`Verdict::NotEquivalent`] holds a [`Witness`] and [`Verdict::ContractViolation`] a [`ContractWitness`], which
//! only [`crate::search::witness`] can make, from runs; [`Verdict::Equivalent`] is made only by [`crate::verify`] from a
//! [`PairProof`] whose claims all hold.

pub(crate) mod clauses;
pub(crate) mod comparison;
pub mod conditional;
pub mod failure;
mod hints;
pub(crate) mod judge;
mod settling;
pub mod stopped;
pub mod vacuity;

use crate::analysis::AnalysisEvidence;
use crate::checked::KernelReport;
use crate::goal::{Pair, PairProof};
use crate::search::witness::{ContractWitness, Witness};
use kernel::alone::clauses::ClauseKind;
use kernel::outline::cuts::{Cut, cut};
use kernel::relate::ConditionalClaim;
use lang_l::hir::Unit;
use lang_l::source::Span;
use smt::solve::CrossCheck;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

/// The answer for one pair.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Proved, with all it rests on.
    Equivalent(Box<PairProof>),
    /// Proved but for mutual termination.
    PartiallyEquivalent(Box<PairProof>),
    /// Both versions were run on a store and differ.
    NotEquivalent(Box<Witness>),
    /// A contract the pair rests on fails on a store.
    ContractViolation(Box<ContractWitness>),
    /// None of these.
    Unknown(Reason),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The obligation that could not be settled, in words.
    pub what: String,
    /// The lines it has to do with, in version 0 and in version 1.
    pub places: [Vec<Span>; 2],
    /// What could help.
    pub hint: String,
}

impl Verdict {
    /// The word of the language reference.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Equivalent(_) => "equivalent",
            Verdict::PartiallyEquivalent(_) => "partially-equivalent",
            Verdict::NotEquivalent(_) => "not-equivalent",
            Verdict::ContractViolation(_) => "contract-violation",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// How bad it is: what a whole run is called after is its worst verdict.
    pub fn severity(&self) -> u8 {
        match self {
            Verdict::Equivalent(_) => 0,
            Verdict::PartiallyEquivalent(_) => 1,
            Verdict::Unknown(_) => 2,
            Verdict::ContractViolation(_) => 3,
            Verdict::NotEquivalent(_) => 4,
        }
    }
}

/// Whether the two end from the same stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Proved.
    Mutual,
    /// A store was found from which one ends and the other does not.
    Different,
    /// Not settled.
    Unknown,
}

impl Termination {
    /// The word of the language reference.
    pub fn word(self) -> &'static str {
        match self {
            Termination::Mutual => "mutual",
            Termination::Different => "different",
            Termination::Unknown => "unknown",
        }
    }
}

/// The report on one pair.
#[derive(Clone, Debug)]
pub struct PairReport {
    /// The procedure of version 0.
    pub left: String,
    /// The procedure of version 1.
    pub right: String,
    /// The source of the condition under which they were compared, if there is one.
    pub when: Option<String>,
    /// The answer.
    pub verdict: Verdict,
    /// Whether they end from the same stores.
    pub termination: Termination,
    /// How long it took.
    pub time: Duration,
    /// The other pairs the verdict rests on, by name.
    pub rests_on: Vec<Premise>,
    /// The procedures compared, as ids of version 0 and 1.
    pub pair: crate::goal::Pair,
    /// From which stores the two end and differ, where somebody has looked (`diff::brief`) and that was cheap to have.
    pub differs_when: Option<String>,
    /// Statements of version 0 and 1 that no run comes to from the stores compared; looked for only when asked to explain.
    pub unreached: [Vec<Span>; 2],
}

/// A pair that the verdict on another pair rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    /// Its name for machines, as the lowering names its procedures.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// How it was proved, if it is of loops or workers: no report of its own says so.
    pub how: Option<&'static str>,
}

/// The report on one clause of a contract, or an assertion.
#[derive(Clone, Debug)]
pub struct ClauseReport {
    /// The version.
    pub version: usize,
    /// The procedure whose clause it is.
    pub procedure: String,
    /// What it is.
    pub kind: ClauseKind,
    /// Its place.
    pub span: Span,
    /// Whether it holds.
    pub status: ClauseStatus,
}

/// Whether a clause holds.
#[derive(Clone, Debug)]
pub enum ClauseStatus {
    /// Proved.
    Holds,
    /// A run breaks it.
    Violated(Box<ContractWitness>),
    /// Neither; why.
    Unknown(String),
}

impl ClauseStatus {
    /// The word of the JSON report.
    pub fn word(&self) -> &'static str {
        match self {
            ClauseStatus::Holds => "holds",
            ClauseStatus::Violated(_) => "violated",
            ClauseStatus::Unknown(_) => "unknown",
        }
    }
}

/// The report on a whole run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The pairs, in the order of version 0.
    pub pairs: Vec<PairReport>,
    /// The contracts of both versions.
    pub contracts: Vec<ClauseReport>,
    /// How what is known of each procedure alone was found, by version.
    pub evidence: [AnalysisEvidence; 2],
    /// What was found of every pair that was tried, in its unconditional form.
    pub proofs: BTreeMap<Pair, PairProof>,
    /// What was claimed under conditions, by number, with the proofs.
    pub conditional: Vec<(ConditionalClaim, PairProof)>,
    /// Every query that was asked, in order, as SMT-LIB.
    pub queries: Vec<smt::solve::Query>,
    /// What the kernel made of it.
    pub kernel: KernelReport,
    /// Statements of the source that are procedures in the program that the proofs are about.
    pub cuts: Vec<Cut>,
    /// What another solver says of them, if it was asked.
    pub cross_check: Option<CrossCheck>,
    /// Why some work was given up, if any was because the stop fired.
    pub stopped: Option<smt::stop::Reason>,
}

impl Report {
    /// The program that the proofs are about: what is written, after the cuts.
    pub fn program<'u>(&self, written: &'u Unit) -> Cow<'u, Unit> {
        if self.cuts.is_empty() {
            return Cow::Borrowed(written);
        }
        cut(written, &self.cuts).map_or(Cow::Borrowed(written), Cow::Owned)
    }

    /// The worst verdict; `None` when there is no pair.
    pub fn worst(&self) -> Option<&Verdict> {
        self.pairs.iter().map(|pair| &pair.verdict).max_by_key(|verdict| verdict.severity())
    }
}
