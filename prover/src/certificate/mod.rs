//! Certificates: what a search found, small enough to read, and checked again without searching.
//!
//! In: a program and the report on it. Out: a [`Certificate`], which is a set of files. In: such files; out: a [`Replay`] that
//! says what they prove, or a [`Refusal`].
//!
//! 1. `decisions`: what was decided, taken from a report.
//! 2. `confirm`: the kernel is told of the source what the decisions say, and every question that comes up is written down.
//! 3. `document`, `entries`: decisions and questions as text.
//! 4. Whoever replays does the same from the decisions that the text holds, compares all files byte for byte, and asks a
//!    solver each question.
//!
//! Invariant: a certificate is a hint. What it proves is proved from the source by the rules of `proofs/soundness.md`; its
//! own scripts are only compared with those that the source leads to.
//! Invariant: the same program and report make the same bytes.

mod confirm;
mod decisions;
mod document;
mod entries;
mod names;

pub use confirm::Confirmation;
pub use decisions::{AnsweredPair, Decision, Decisions, ProvedPair};

use crate::verdict::Report;
use entries::Document;
use kernel::outline::cuts::{Cut, cut};
use kernel::rejection::Rejection;
use lang_l::hir::Unit;
use lang_l::parse;
use lang_l::resolve;
use lang_l::source::Sources;
use sha2::{Digest, Sha256};
use smt::solve::cvc5::{Cvc5, Cvc5Answer};
use smt::solve::{self, Query, SolverFailure};
use std::collections::{BTreeMap, BTreeSet};

/// The file that says what the others are.
pub const INDEX: &str = "certificate.json";

/// The files of a certificate, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Their contents.
    pub files: BTreeMap<String, String>,
}

/// Why a certificate is not believed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read as a certificate at all.
    #[error("not a certificate: {0}")]
    Unreadable(String),
    /// The solver that was to check it cannot be run.
    #[error("{0}")]
    Solver(String),
    /// It is one, but it proves nothing.
    #[error("{place}: {what}")]
    Rejection {
        /// In which file, or of which pair.
        place: String,
        /// What is wrong.
        what: String,
    },
}

/// What a certificate was found to prove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// The pairs, in the order of version 0.
    pub pairs: Vec<ReplayedPair>,
    /// The pairs of the program of which it says nothing.
    pub left_out: Vec<String>,
    /// The scripts, each with its questions, for other solvers.
    pub scripts: BTreeMap<String, usize>,
}

/// What was found of one pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayedPair {
    /// What it is called.
    pub name: String,
    /// The verdict that was confirmed.
    pub verdict: &'static str,
    /// How: in words.
    pub how: String,
    /// How many questions its own proof comes down to.
    pub obligations: usize,
    /// Whether the verdict was checked; that nothing is known, or that a proof has no certificate, needs no check.
    pub confirmed: bool,
}

/// Makes the certificate of a report. It has been checked as a replay would check it.
///
/// # Errors
/// When what the report says is not confirmed: a bug of ours, or a solver that wavers.
pub fn make(unit: &Unit, sources: &Sources, report: &Report) -> Result<Certificate, Refusal> {
    make_cut(unit, &report.cuts, sources, report)
}

/// The same where the report is on what these cuts make of the program.
///
/// # Errors
/// The same.
pub fn make_cut(unit: &Unit, cuts: &[Cut], sources: &Sources, report: &Report) -> Result<Certificate, Refusal> {
    let made =
        cut(unit, cuts).ok_or_else(|| refusal("the report", "the statements cannot be cut out of the procedures"))?;
    let decisions = Decisions { cuts: cuts.to_vec(), ..Decisions::of(&made, report) };
    let certificate = write(unit, sources, &decisions).map_err(|Rejection(what)| refusal("the report", what))?;
    replay(&certificate, None)?;
    Ok(certificate)
}

/// The certificate that decisions on a program lead to; that its questions are answered by yes is not known yet.
///
/// # Errors
/// When the decisions lead to no proof.
pub fn write(unit: &Unit, sources: &Sources, decisions: &Decisions) -> Result<Certificate, Rejection> {
    let confirmed = confirm::confirm(unit, decisions)?;
    Ok(document::write(sources, decisions, &confirmed))
}

/// Writes a certificate anew from the decisions in its index, as a forger would who changed them: all else then fits. That
/// its questions are answered by yes is for [`replay`] to find out.
///
/// # Errors
/// When the decisions cannot be read, or lead to no proof whatever the answers are.
pub fn rewrite(certificate: &Certificate) -> Result<Certificate, Refusal> {
    let document = Document::read(certificate)?;
    let sources = document.sources(certificate, None)?;
    let unit = compile(&sources)?;
    let decisions = document.decisions(&unit).map_err(|Rejection(what)| refusal(INDEX, what))?;
    write(&unit, &sources, &decisions).map_err(|Rejection(what)| refusal(INDEX, what))
}

/// Which solvers are asked.
#[derive(Clone, Copy, Debug)]
pub struct Solvers<'a> {
    /// Z3.
    pub z3: bool,
    /// cvc5: all answers must be yes; an undecided one confirms nothing.
    pub cvc5: Option<&'a Cvc5>,
}

/// Checks a certificate with Z3: of the program it holds, or of the one given, which must have the same text.
///
/// # Errors
/// When it is no certificate, was changed, belongs to another program, or proves less than it says.
pub fn replay(certificate: &Certificate, program: Option<&Sources>) -> Result<Replay, Refusal> {
    replay_with(certificate, program, &Solvers { z3: true, cvc5: None })
}

/// The same with the solvers one wants.
///
/// # Errors
/// The same, or that a solver broke down.
pub fn replay_with(
    certificate: &Certificate,
    program: Option<&Sources>,
    solvers: &Solvers<'_>,
) -> Result<Replay, Refusal> {
    let derived = derive(certificate, program)?;
    if let Some((place, why)) = derived.vacuous {
        return Err(refusal(place, why));
    }
    if solvers.z3 {
        check(&derived.confirmed)?;
    }
    if let Some(cvc5) = solvers.cvc5 {
        check_with_cvc5(certificate, &derived.replay, cvc5)?;
    }
    Ok(derived.replay)
}

/// The texts that a certificate speaks of, as it holds them.
///
/// # Errors
/// When it is no certificate, or does not hold them.
pub fn sources(certificate: &Certificate) -> Result<Sources, Refusal> {
    Document::read(certificate)?.sources(certificate, None)
}

/// The files that an index lists, itself included; `None` when the text is no index.
pub fn listed(index: &str) -> Option<BTreeSet<String>> {
    let document: Document = serde_json::from_str(index).ok()?;
    let known = document.format == document::FORMAT;
    known.then(|| document.files.into_keys().chain([INDEX.to_string()]).collect())
}

/// What the source and the decisions of a certificate lead to.
struct Derivation {
    confirmed: Confirmation,
    replay: Replay,
    /// A pair that says nothing, and why.
    vacuous: Option<(String, String)>,
}

/// Derives everything anew, and compares. Asks nothing but whether it says anything at all.
fn derive(certificate: &Certificate, program: Option<&Sources>) -> Result<Derivation, Refusal> {
    let document = Document::read(certificate)?;
    let sources = document.sources(certificate, program)?;
    let unit = compile(&sources)?;
    let decisions = document.decisions(&unit).map_err(|Rejection(what)| refusal(INDEX, what))?;
    let confirmed = confirm::confirm(&unit, &decisions).map_err(|Rejection(what)| refusal(INDEX, what))?;
    let again = document::write(&sources, &decisions, &confirmed);
    same_files(certificate, &again)?;
    let replay = Replay {
        pairs: confirmed.replayed(&unit, &decisions),
        left_out: confirm::left_out(&unit, &decisions),
        scripts: document::scripts(&confirmed),
    };
    let vacuous = confirmed.vacuous(&unit, &decisions);
    Ok(Derivation { confirmed, replay, vacuous })
}

/// Asks Z3 all questions, in one context; each one that it does not settle there, in a context of its own.
fn check(confirmed: &Confirmation) -> Result<(), Refusal> {
    let queries: Vec<(&str, &Query)> = confirmed.queries().collect();
    let texts: Vec<&str> = queries.iter().map(|(_, query)| query.smt2.as_str()).collect();
    match solve::first_unproved(&texts) {
        None => Ok(()),
        Some((at, answer)) => {
            let (place, query) = queries[at];
            Err(refusal(place, format!("that {} is not confirmed: {answer:?}", query.tag)))
        }
    }
}

/// Has cvc5 run the scripts.
fn check_with_cvc5(certificate: &Certificate, replay: &Replay, cvc5: &Cvc5) -> Result<(), Refusal> {
    let scripts: Vec<(&str, usize)> = (replay.scripts.iter())
        .filter_map(|(name, &questions)| Some((certificate.files.get(name)?.as_str(), questions)))
        .collect();
    let opinions = cvc5.opinions(&scripts).map_err(|SolverFailure(cause)| Refusal::Solver(cause))?;
    for (name, opinions) in replay.scripts.keys().zip(opinions) {
        for (number, opinion) in (1..).zip(opinions) {
            let said = match opinion {
                Cvc5Answer::Agrees => continue,
                Cvc5Answer::Disagrees => "denies it".to_string(),
                Cvc5Answer::Undecided(said) => format!("does not decide it: {said}"),
            };
            return Err(refusal(name, format!("question {number}: {} {said}", cvc5.name())));
        }
    }
    Ok(())
}

fn refusal(place: impl Into<String>, what: impl Into<String>) -> Refusal {
    Refusal::Rejection { place: place.into(), what: what.into() }
}

/// The program that source texts make.
fn compile(sources: &Sources) -> Result<Unit, Refusal> {
    let illegal = || refusal("the source", "it is no legal pair of versions");
    let mut files = Vec::new();
    for (id, source) in sources.iter() {
        let parsed = parse::parse(id, &source.text);
        if !parsed.diagnostics.is_empty() {
            return Err(illegal());
        }
        files.push(parsed.file);
    }
    let unit = resolve::resolve(&files.iter().collect::<Vec<_>>()).map_err(|_| illegal())?;
    if unit.versions.len() == 2 { Ok(unit) } else { Err(illegal()) }
}

/// Whether two certificates are the same to the byte.
fn same_files(given: &Certificate, derived: &Certificate) -> Result<(), Refusal> {
    if let Some(name) = given.files.keys().find(|name| !derived.files.contains_key(*name)) {
        return Err(refusal(name, "this file has no place in the certificate"));
    }
    for (name, expected) in &derived.files {
        let Some(found) = given.files.get(name) else {
            return Err(refusal(name, "this file is missing"));
        };
        if found != expected {
            let same = found.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
            return Err(refusal(name, format!("line {} is not what the source leads to", same + 1)));
        }
    }
    Ok(())
}

/// SHA-256, in hexadecimal digits.
fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
