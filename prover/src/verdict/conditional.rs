//! Claims under conditions: what is proved of pairs from some stores only, and what rests on that.
//!
//! In: what is proved of pairs from all stores, and the pairs that are asked about under a condition. Out: a [`PairProof`] for each
//! of these, and for each other pair that calls one of them and could not be proved without.
//!
//! All are claimed at first, and each is proved under the claims, as `engines::claims` does with those from all stores, on which
//! these may rest (rules *Condition* and *Induction*).

use crate::chc::houdini::{self, Look};
use crate::checked;
use crate::engines::claims;
use crate::goal::{Pair, PairProof, Program};
use crate::verdict::comparison::{Comparison, comparable};

use kernel::proof::Kernel;
use kernel::relate::{Claims, ConditionalClaim, Level};
use lang_l::hir::Unit;
use smt::solve::Solver;
use smt::stop;
use std::collections::BTreeMap;

/// A claim, and its proof if it has one.
pub type Proved = (ConditionalClaim, PairProof);

/// What is claimed under conditions: the pairs asked about under one, but for those in which `refuted` knows a difference; and those
/// asked about without that call them and are not proved.
pub(crate) fn wanted(
    unit: &Unit,
    program: &Program<'_>,
    comparisons: &[Comparison<'_>],
    proofs: &BTreeMap<Pair, PairProof>,
    refuted: impl Fn(&Comparison<'_>) -> bool,
) -> Vec<ConditionalClaim> {
    let fits = |one: &&Comparison<'_>| comparable(unit, one.pair) && !refuted(one);
    let under: Vec<&Comparison<'_>> = comparisons.iter().filter(fits).filter(|one| one.when.is_some()).collect();
    let calls = |one: &&Comparison<'_>| {
        let callees = &program.effects[0][one.pair.0.index()].callees;
        let level = proofs.get(&one.pair).and_then(|proof| proof.level);
        one.when.is_none() && level < Some(Level::Full) && under.iter().any(|other| callees.contains(&other.pair.0))
    };
    let callers = comparisons.iter().filter(fits).filter(calls);
    let claim = |one: &Comparison<'_>| ConditionalClaim {
        pair: one.pair,
        condition: one.when.cloned(),
        level: program.claimable(one.pair).then_some(Level::Full),
    };
    under.iter().copied().chain(callers).map(claim).collect()
}

/// Proves as many of these claims as it can, each at the highest level. They have the numbers after those that stand.
pub(crate) fn search(
    program: &Program<'_>,
    mut standing: Claims,
    wanted: &[ConditionalClaim],
    solver: &mut Solver,
) -> Vec<Proved> {
    let first = standing.conditional.len();
    standing.conditional.extend(wanted.iter().cloned());
    let mut proofs: Vec<Option<PairProof>> = vec![None; wanted.len()];
    houdini::all_hold(wanted.len(), usize::MAX, |at| {
        if stop::fired().is_some() {
            return Look::Hopeless;
        }
        let ConditionalClaim { pair, condition, level } = standing.conditional[first + at].clone();
        let proof = claims::prove_when(program, pair, condition.as_ref(), &standing, solver);
        let reached = proof.level;
        proofs[at] = Some(proof);
        if reached >= level {
            return Look::Holds;
        }
        standing.conditional[first + at].level = reached;
        let rests =
            |proof: &PairProof| proof.used.conditional.get(&(first + at)).is_some_and(|&needed| Some(needed) > reached);
        Look::WeakenedFor((0..wanted.len()).filter(|&other| proofs[other].as_ref().is_some_and(rests)).collect())
    });
    let nothing = |claim: &ConditionalClaim| claims::untried(program, claim.pair);
    let found = wanted.iter().zip(proofs).enumerate().map(|(at, (claim, proof))| {
        // What the stop cut short may rest on what was not looked at again.
        let proof = proof.filter(|_| stop::fired().is_none()).unwrap_or_else(|| nothing(claim));
        let own = standing.conditional[first + at].clone();
        (ConditionalClaim { level: proof.level, ..own }, proof)
    });
    found.collect()
}

/// Has all of it checked: a proof is what the kernel makes of it.
pub(crate) fn settle(program: &Program<'_>, found: &mut [Proved], kernel: &mut Kernel<'_>, solver: &mut Solver) {
    let told = |(claim, proof): &Proved| (claim.clone(), checked::told(program, claim.pair, proof));
    let told: Vec<_> = found.iter().map(told).collect();
    let first = kernel.learn(&told, solver);
    for (number, (claim, proof)) in (first..).zip(found).filter(|(_, (_, proof))| proof.level.is_some()) {
        checked::take_over(proof, kernel.prove_under(number));
        claim.level = proof.level;
    }
}

/// Counts what was proved under no condition after all among what is proved from all stores.
pub(crate) fn take_over(found: &[Proved], proofs: &mut BTreeMap<Pair, PairProof>) {
    for (claim, proof) in found.iter().filter(|(claim, _)| claim.condition.is_none()) {
        if proof.level > proofs.get(&claim.pair).and_then(|known| known.level) {
            proofs.insert(claim.pair, proof.clone());
        }
    }
}
