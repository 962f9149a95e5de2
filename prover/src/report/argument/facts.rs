//! What a proof has found, each fact at the place where it holds.
//!
//! In: a report with its proofs, and a pair of it. Out: [`Fact`]s: invariants, relations and measures in L's words.
//!
//! Invariant: a fact is part of a proof that the verdict on the pair rests on.

use super::{Known, ends, equations, steps};
use crate::goal::{LoopEvidence, Pair, PairProof, ProofEvidence};
use crate::verdict::{PairReport, Verdict};
use lang_l::hir::{Origin, ProcId};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// Something that holds at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// The place: a loop, or the name of a procedure.
    pub span: Span,
    /// What holds there.
    pub text: String,
}

/// All that the proof of a pair has found; nothing of a pair without one.
pub fn facts(known: &Known<'_>, pair: &PairReport) -> BTreeSet<Fact> {
    let (Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof)) = &pair.verdict else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    for (version, id) in [(0, pair.pair.0), (1, pair.pair.1)] {
        found.extend(known.run_by(version, id).into_iter().flat_map(|id| alone(known, version, id)));
    }
    for (own, proof) in steps::order(known, pair.pair, proof) {
        found.extend(between(known, own, proof));
    }
    found
}

/// What holds of a procedure, or a loop, alone.
fn alone(known: &Known<'_>, version: usize, id: ProcId) -> Vec<Fact> {
    let span = place(known, version, id);
    let conditions = steps::conditions(known, version, id).into_iter();
    let mut found: Vec<Fact> =
        conditions.map(|(when, shown)| Fact { span, text: format!("{when}: {shown}") }).collect();
    let rankings = known.subject.report.evidence[version].rankings.iter();
    for ranking in rankings.filter(|ranking| ranking.component.contains(&id) && !ranking.measures.is_empty()) {
        let code = known.lowered.procedure(version, *ranking.component.first().unwrap_or(&id));
        found.push(Fact { span, text: ends::shrinks(code, ranking) });
    }
    found
}

/// What holds between the two.
fn between(known: &Known<'_>, pair: Pair, proof: &PairProof) -> Vec<Fact> {
    let mut found = Vec::new();
    let mut tell = |of: &[(usize, ProcId)], text: String| {
        found.extend(of.iter().map(|&(version, id)| Fact { span: place(known, version, id), text: text.clone() }));
    };
    let both = |(left, right): Pair| [(0, left), (1, right)];
    let prime = format!("(a prime marks {})", known.subject.version_name(1));
    let loops: &[LoopEvidence] = match &proof.evidence {
        Some(ProofEvidence::Loops(evidence)) => &evidence.loops,
        _ => &[],
    };
    for own in loops {
        for (when, shown) in steps::equalities(known, own) {
            tell(&both(own.pair), format!("{when}: {shown} {prime}"));
        }
    }
    if !proof.relations_of_loops.is_empty() {
        let of = match loops {
            [only] => only.pair,
            _ => pair,
        };
        tell(&both(of), format!("at the head of the loops: {} {prime}", proof.relations_of_loops.join(", ")));
    }
    if let Some(ProofEvidence::Summaries(evidence)) = &proof.evidence {
        for (summary, text) in equations::of_calls(known, evidence) {
            // Those that come after the first are told of by other summaries.
            let first = |version: usize| summary.of[version].first().map(|slot| (version, slot.callee));
            tell(&[first(0), first(1)].into_iter().flatten().collect::<Vec<_>>(), text);
        }
    }
    found
}

/// Where a procedure of the lowered program is in the source.
pub(super) fn place(known: &Known<'_>, version: usize, id: ProcId) -> Span {
    let code = known.lowered.procedure(version, id);
    match code.origin {
        Origin::Loop { .. } => code.span,
        Origin::Source | Origin::Worker { .. } => code.name_span,
    }
}
