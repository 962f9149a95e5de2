//! Which places of two versions correspond, as far as a proof knows.
//!
//! In: a report with its proofs, and a pair of it. Out: pairs of places.
//!
//! Invariant: two places correspond because the proof of the pair, or of one that it rests on, has matched them. Where nothing is
//! known, nothing corresponds, but for the names of the two procedures, which are compared.

use super::facts::place;
use super::{Known, steps};
use crate::engines::same_code::SAME_CODE;
use crate::goal::Pair;
use crate::verdict::{PairReport, Verdict};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{ProcId, Rhs, StmtKind};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// What can correspond. A loop is a call of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// The names of procedures.
    Name,
    /// Places that allocate.
    New,
    /// Calls and loops.
    Call,
}

/// All places that correspond in the proof of a pair.
pub fn corresponding(known: &Known<'_>, pair: &PairReport) -> BTreeSet<(Sort, Span, Span)> {
    let (Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof)) = &pair.verdict else {
        return BTreeSet::new();
    };
    let mut found = BTreeSet::new();
    for ((left, right), proof) in steps::order(known, pair.pair, proof).into_iter() {
        if proof.level.is_none() {
            continue;
        }
        let sort = if known.lowered.procedure(0, left).origin.part_of().is_some() { Sort::Call } else { Sort::Name };
        found.insert((sort, place(known, 0, left), place(known, 1, right)));
        found.extend(proof.matches.allocations.iter().map(|&(left, right)| (Sort::New, left, right)));
        found.extend(proof.matches.calls.iter().map(|&(left, right)| (Sort::Call, left, right)));
        if *proof.rule == SAME_CODE {
            found.extend(in_order(known, (left, right)));
        }
    }
    found
}

/// Of the same code what stands at the same place.
fn in_order(known: &Known<'_>, (left, right): Pair) -> Vec<(Sort, Span, Span)> {
    let [left, right] = [sites(known, 0, left), sites(known, 1, right)];
    let alike = left.into_iter().zip(right).filter(|((mine, _), (theirs, _))| mine == theirs);
    alike.map(|((sort, left), (_, right))| (sort, left, right)).collect()
}

/// What allocates and calls in a procedure, in the order of its code.
fn sites(known: &Known<'_>, version: usize, id: ProcId) -> Vec<(Sort, Span)> {
    let mut sites = Vec::new();
    if let Some(body) = &known.lowered.procedure(version, id).body {
        walk_stmts(body, &mut |stmt| match &stmt.kind {
            StmtKind::Assign(_, Rhs::New(_) | Rhs::NewArray(..)) => sites.push((Sort::New, stmt.span)),
            StmtKind::Call { .. } => sites.push((Sort::Call, stmt.span)),
            _ => {}
        });
    }
    sites
}
