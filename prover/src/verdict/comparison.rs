//! What is asked of two versions: which pairs, under which conditions, and what a pair runs.
//!
//! In: a checked pair program. Out: a [`Comparison`] for each pair that a report speaks of.

use crate::goal::{Pair, PairProof, Program, task};
use kernel::relate::Uses;
use lang_l::hir::same::same_signature;
use lang_l::hir::{Expr, ProcId, Unit};
use smt::solve::Task;
use std::collections::{BTreeMap, BTreeSet};

/// A pair as it is reported: its procedures, and the condition of its `equiv`.
#[derive(Clone, Copy)]
pub(crate) struct Comparison<'u> {
    /// The procedures.
    pub(crate) pair: Pair,
    /// The condition.
    pub(crate) when: Option<&'u Expr>,
}

impl Comparison<'_> {
    /// What the solver is asked for.
    pub(crate) fn task(&self) -> Task {
        task(self.pair, self.when)
    }

    /// The condition as text.
    pub(crate) fn condition(&self, unit: &Unit) -> Option<String> {
        let version = &unit.versions[0];
        self.when.map(|when| lang_l::hir::print::expr_text(unit, version, version.procedure(self.pair.0), when))
    }
}

/// The pairs of the language reference, section 5, in the order of version 0.
pub(crate) fn comparisons(unit: &Unit) -> Vec<Comparison<'_>> {
    let mut comparisons: Vec<Comparison<'_>> = Vec::new();
    for (left, procedure) in (0u32..).zip(&unit.versions[0].procedures) {
        if let Some(right) = unit.versions[1].find(&procedure.name) {
            comparisons.push(Comparison { pair: (ProcId(left), right), when: None });
        }
        for equiv in unit.equivs.iter().filter(|equiv| equiv.left == ProcId(left)) {
            let pair = (equiv.left, equiv.right);
            let known = comparisons.iter().any(|a| a.pair == pair && a.when.is_none() && equiv.when.is_none());
            if !known {
                comparisons.push(Comparison { pair, when: equiv.when.as_ref() });
            }
        }
    }
    comparisons
}

/// Whether the two can be called alike as they are written; lowered, helpers may have lost what tells them apart.
pub(crate) fn comparable(unit: &Unit, pair: Pair) -> bool {
    same_signature(unit.versions[0].procedure(pair.0), unit.versions[1].procedure(pair.1))
}

/// The pairs that are comparable and asked about without a condition.
pub(crate) fn unconditional(unit: &Unit, comparisons: &[Comparison<'_>]) -> Vec<Pair> {
    let fits = |comparison: &&Comparison<'_>| comparison.when.is_none() && comparable(unit, comparison.pair);
    comparisons.iter().filter(fits).map(|comparison| comparison.pair).collect()
}

/// The procedures of each version that a pair runs, or a pair that its proof rests on.
pub(crate) fn procedures_run(program: &Program<'_>, pair: Pair, reach: &BTreeSet<Pair>) -> [BTreeSet<ProcId>; 2] {
    let mut run: [BTreeSet<ProcId>; 2] = [BTreeSet::new(), BTreeSet::new()];
    for &(left, right) in reach.iter().chain([&pair]) {
        for (version, id) in [(0, left), (1, right)] {
            run[version].insert(id);
            run[version].extend(&program.effects[version][id.index()].callees);
        }
    }
    run
}

/// All pairs a proof rests on, directly or not.
pub(crate) fn premises(pair: Pair, proof: Option<&PairProof>, proofs: &BTreeMap<Pair, PairProof>) -> BTreeSet<Pair> {
    rests_on(pair, proof.map(|proof| &proof.used), |pair| proofs.get(&pair).map(|proof| &proof.used))
}

/// The same of what a proof uses itself.
pub(crate) fn rests_on<'u>(
    pair: Pair,
    used: Option<&'u Uses>,
    of: impl Fn(Pair) -> Option<&'u Uses>,
) -> BTreeSet<Pair> {
    let direct = |used: Option<&'u Uses>| used.into_iter().flat_map(|used| used.always.keys().copied());
    let mut found = BTreeSet::new();
    let mut work: Vec<Pair> = direct(used).collect();
    while let Some(next) = work.pop() {
        if found.insert(next) {
            work.extend(direct(of(next)));
        }
    }
    found.remove(&pair);
    found
}
