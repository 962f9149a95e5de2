//! The fixpoint over all pairs.
//!
//! In: a lowered pair program, the effects and contracts of both versions. Out: a [`PairProof`] for each pair, with the
//! claims about other pairs it rests on, and the evidence by which it can be checked again.
//!
//! Rule *Induction*: all candidate pairs are claimed at first, and each is proved under the claims. A claim whose proof
//! fails is lowered or dropped, and what rested on it is proved again. What is left at the end proves itself, by induction
//! over the depth of calls (partial equivalence) and then over the size of the terminating side (mutual termination).

use super::{SCHEDULE, paths};
use crate::budget::claims::MAX_UNDECIDED;
use crate::chc::houdini::{self, Look};
use crate::goal::{Goal, Pair, PairProof, Program, task};
use kernel::relate::{Claims, Level};
use lang_l::hir::Expr;
use smt::solve::{Solver, SolverFailure};
use smt::stop::{self, Stopped};
use std::collections::BTreeMap;
use std::time::Instant;

/// Proves as many of `candidates` as it can; each at the highest level.
pub fn prove_all(program: &Program<'_>, candidates: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    let mut claims: Claims =
        candidates.iter().filter(|&&pair| program.claimable(pair)).map(|&pair| (pair, Level::Full)).collect();
    let mut proofs: BTreeMap<Pair, PairProof> = BTreeMap::new();
    let mut pairs: Vec<Pair> = candidates.to_vec();
    // Callees first, so that most claims are settled before others rest on them.
    pairs.sort_by_key(|&pair| (program.calls(pair), pair));
    let mut open = Vec::new();
    houdini::all_hold(pairs.len(), usize::MAX, |at| {
        let pair = pairs[at];
        if stop::fired().is_some() {
            open.push(pair);
            return Look::Holds;
        }
        let proof = prove_when(program, pair, None, &claims, solver);
        let reached = proof.level;
        let before = claims.always.get(&pair).copied();
        proofs.insert(pair, proof);
        if reached >= before || faults::planted("engines/claims/kept") {
            return Look::Holds;
        }
        match reached {
            Some(level) => claims.always.insert(pair, level),
            None => claims.always.remove(&pair),
        };
        let rests = |other: &Pair| {
            let used = proofs.get(other).and_then(|proof| proof.used.always.get(&pair));
            !faults::planted("engines/claims/not-rechecked")
                && claims.always.contains_key(other)
                && used.is_some_and(|&needed| Some(needed) > reached)
        };
        Look::WeakenedFor((0..pairs.len()).filter(|&other| rests(&pairs[other])).collect())
    });
    if let Some(reason) = stop::fired() {
        give_up(program, &open, &mut proofs, reason);
    }
    proofs
}

/// Drops, when the stop has fired, what was not proved by then: the pairs still to be looked at, and all that rests on these.
fn give_up(program: &Program<'_>, open: &[Pair], proofs: &mut BTreeMap<Pair, PairProof>, reason: stop::Reason) {
    let mut users: BTreeMap<Pair, Vec<Pair>> = BTreeMap::new();
    for (&user, proof) in proofs.iter() {
        for &used in proof.used.always.keys() {
            users.entry(used).or_default().push(user);
        }
    }
    let mut lost = open.to_vec();
    while let Some(pair) = lost.pop() {
        // What failed before has a better reason, and nothing rests on it.
        if !open.contains(&pair) && proofs.get(&pair).is_some_and(|proof| proof.level.is_none()) {
            continue;
        }
        let places = Goal { program, pair, when: None, claims: &Claims::new(), reached: None }.places();
        proofs.insert(pair, PairProof::failed(&paths::PATHS, reason.to_string(), places));
        lost.extend(users.remove(&pair).unwrap_or_default());
    }
}

/// What is said of a pair that nothing was tried for.
pub(crate) fn untried(program: &Program<'_>, pair: Pair) -> PairProof {
    let places = Goal { program, pair, when: None, claims: &Claims::new(), reached: None }.places();
    let why = stop::fired().map_or_else(|| "nothing was tried".to_string(), |reason| reason.to_string());
    PairProof::failed(&paths::PATHS, why, places)
}

/// The claims that were proved in the end.
pub fn surviving(program: &Program<'_>, proofs: &BTreeMap<Pair, PairProof>) -> Claims {
    let claimed = proofs.iter().filter(|&(&pair, _)| program.claimable(pair));
    claimed.filter_map(|(&pair, proof)| Some((pair, proof.level?))).collect()
}

/// Proves one pair, from the stores that satisfy a condition, under claims about others. Nothing is proved of a pair over
/// which the solver broke down.
pub fn prove_when(
    program: &Program<'_>,
    pair: Pair,
    when: Option<&Expr>,
    claims: &Claims,
    solver: &mut Solver,
) -> PairProof {
    let started = Instant::now();
    let task = task(pair, when);
    let goal = Goal { program, pair, when, claims, reached: None };
    let mut proof = solver.at(task, |solver| prove(goal, solver));
    if let Some(SolverFailure(cause)) = solver.failures().get(&task) {
        proof = PairProof::failed(proof.rule, cause.clone(), goal.places());
    }
    proof.time = started.elapsed();
    proof
}

/// Proves one pair by the engines of the schedule, in turn, until one settles it. Where none proves anything, the answer is that
/// of the first: what it lacks is what a reader can follow.
fn prove(mut goal: Goal<'_>, solver: &mut Solver) -> PairProof {
    let mut best: Option<PairProof> = None;
    for engine in SCHEDULE {
        if !engine.applies(&goal) {
            continue;
        }
        let rule = engine.rule();
        let search = |solver: &mut Solver| solver.with_patience(MAX_UNDECIDED, |solver| engine.search(&goal, solver));
        let searched = solver.attempt(|solver| solver.with_share(rule.share, search));
        let proof =
            searched.unwrap_or_else(|Stopped(reason)| PairProof::failed(rule, reason.to_string(), goal.places()));
        if best.as_ref().is_none_or(|best| proof.level > best.level) {
            // Also the same code may end together with less than its callees do, in the context of its calls.
            let settled = proof.level == Some(Level::Full);
            goal.reached = proof.level;
            best = Some(proof);
            if settled {
                break;
            }
        }
    }
    let nothing = || PairProof::failed(&paths::PATHS, "no engine applies".into(), goal.places());
    best.unwrap_or_else(nothing)
}
