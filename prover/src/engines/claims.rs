//! Proving pairs: every path of one version against every path of the other, and the fixpoint over all pairs.
//!
//! In: a lowered pair program, the effects and contracts of both versions. Out: a [`PairProof`] for each pair, with the
//! claims about other pairs it rests on, and the [`Evidence`] by which [`confirm()`] checks it again.
//!
//! Rule *Induction*: all candidate pairs are claimed at first; each is proved under the claims; a claim whose proof fails is
//! lowered or dropped, and what rested on it is proved again. What is left at the end proves itself, by induction over the
//! depth of calls (partial equivalence) and then over the size of the terminating side (mutual termination).

use super::{coupling, horn, paths, product, unroll::unrollings};
use crate::goal::{Evidence, INLINE_DEPTH, InliningPlan, Method, Pair, PairProof, Program, inlinable, task};
use crate::lower::is_loop;
use crate::relate::{Claims, FailedGoal, Level};
use lang_l::hir::Expr;
use lang_l::hir_same::same_code;
use smt::solve::{Solver, SolverFailure};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The engines over integers are several, and what one does not find soon it seldom finds: each query gets this part of
/// the budget. Couplings ask many queries, Horn clauses one.
const PRODUCT_SHARE: u32 = 100;
const COUPLING_SHARE: u32 = 60;
const HORN_SHARE: u32 = 12;

/// Proves as many of `candidates` as it can; each at the highest level.
pub fn prove_all(program: &Program<'_>, candidates: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    let mut claims: Claims =
        candidates.iter().filter(|&&pair| program.claimable(pair)).map(|&pair| (pair, Level::Full)).collect();
    let mut proofs: BTreeMap<Pair, PairProof> = BTreeMap::new();
    let mut work: Vec<Pair> = candidates.to_vec();
    // Callees first, so that most claims are settled before others rest on them.
    work.sort_by_key(|pair| std::cmp::Reverse((program.effects[0][pair.0.index()].callees.len(), *pair)));
    while let Some(pair) = work.pop() {
        let proof = prove_when(program, pair, None, &claims, solver);
        let reached = proof.level;
        let before = claims.get(&pair).copied();
        proofs.insert(pair, proof);
        if reached >= before {
            continue;
        }
        match reached {
            Some(level) => claims.insert(pair, level),
            None => claims.remove(&pair),
        };
        for (&other, proof) in &proofs {
            let rests = proof.used.get(&pair).is_some_and(|&needed| Some(needed) > reached);
            if rests && claims.contains_key(&other) && !work.contains(&other) {
                work.push(other);
            }
        }
    }
    proofs
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
    let mut proof = solver.at(task, |solver| prove(program, pair, when, claims, solver));
    if let Some(SolverFailure(cause)) = solver.failures().get(&task) {
        let (a, b) = program.code(pair);
        proof = PairProof::failed(proof.method, cause.clone(), [vec![a.name_span], vec![b.name_span]]);
    }
    proof.time = started.elapsed();
    proof
}

/// Proves one pair under claims about others.
fn prove(program: &Program<'_>, pair: Pair, when: Option<&Expr>, claims: &Claims, solver: &mut Solver) -> PairProof {
    let (a, b) = program.code(pair);
    if a.body.is_none() && b.body.is_none() {
        // One unknown procedure, if it goes by one name and one contract.
        let same = same_code(a, b, |_, _| false);
        return PairProof::trivial(same.then_some(Level::Full), Method::External, Claims::new());
    }
    if let Some(proof) = prove_same_code(program, pair, claims) {
        return proof;
    }
    let plan = InliningPlan::of([BTreeSet::new(), BTreeSet::new()], [0, 0], Method::Summaries);
    let first = paths::prove(program, (pair, when), claims, solver, &plan);
    if first.level == Some(Level::Full) {
        return first;
    }
    let inline = [0, 1].map(|version| inlinable(program, version, claims));
    let callees = [pair.0, pair.1].map(|id| id.index());
    let mut best = first;
    if (0..2).any(|v| program.effects[v][callees[v]].callees.iter().any(|callee| inline[v].contains(callee))) {
        let plan = InliningPlan::of(inline.clone(), [INLINE_DEPTH; 2], Method::Inlining);
        let second = paths::prove(program, (pair, when), claims, solver, &plan);
        if second.level > best.level {
            best = second;
        }
    }
    let loops = |version: usize| {
        let callees = &program.effects[version][callees[version]].callees;
        callees.iter().any(|callee| is_loop(program.unit.versions[version].procedure(*callee)))
    };
    if best.level != Some(Level::Full) && !is_loop(a) && (loops(0) || loops(1)) {
        let plan = InliningPlan::of(inline, [INLINE_DEPTH; 2], Method::Turns);
        let at_once = paths::prove(program, (pair, when), claims, solver, &plan);
        if at_once.level > best.level {
            best = at_once;
        }
    }
    // Where the heap is read a proof by claims or couplings says more, so products come last.
    let reads = product::reads(program, pair);
    let product = if best.level != Some(Level::Full) && !is_loop(a) && !reads {
        solver.with_share(PRODUCT_SHARE, |solver| product::prove(program, pair, when, solver))
    } else {
        product::ProductResult::Unfit
    };
    if let product::ProductResult::Proof(level) = product
        && Some(level) > best.level
    {
        return integer_proof(program, pair, level, Method::Product);
    }
    for plan in unrollings(program, pair) {
        // What is missing to mutual termination is seldom found by going far.
        if best.level == Some(Level::Full) || (best.level.is_some() && plan.depths.iter().sum::<usize>() > 1) {
            continue;
        }
        let unrolled = paths::prove(program, (pair, when), claims, solver, &plan);
        if unrolled.level > best.level {
            best = unrolled;
        }
    }
    let over_integers = match (best.level, when) {
        _ if is_loop(a) => None,
        (None, None) => over_integers(program, pair, product, solver),
        _ => None,
    };
    match over_integers {
        Some((method, evidence, together)) => {
            PairProof { evidence, ..over_integers_proof(program, pair, method, together) }
        }
        None if best.level.is_none() && !is_loop(a) && reads => {
            match solver.with_share(PRODUCT_SHARE, |solver| product::prove(program, pair, when, solver)) {
                product::ProductResult::Proof(level) => integer_proof(program, pair, level, Method::Product),
                product::ProductResult::Nothing | product::ProductResult::Unfit => best,
            }
        }
        None => best,
    }
}

/// The engines over integers that are left after a product, in turn: how one of them proves the pair partially equivalent,
/// and whether it proves that the two end together.
fn over_integers(
    program: &Program<'_>,
    pair: Pair,
    product: product::ProductResult,
    solver: &mut Solver,
) -> Option<(Method, Option<Evidence>, bool)> {
    // Couplings are products of fewer kinds, but for any recursion.
    if product == product::ProductResult::Unfit
        && let Some((evidence, together)) =
            solver.with_share(COUPLING_SHARE, |solver| coupling::prove(program, pair, solver))
    {
        return Some((Method::Coupling, Some(Evidence::Coupling(evidence)), together));
    }
    if solver.with_share(COUPLING_SHARE, |solver| coupling::closed::prove(program, pair, solver)) {
        return Some((Method::ClosedForm, None, false));
    }
    let horn = solver.with_share(HORN_SHARE, |solver| horn::prove(program, pair, solver));
    horn.then_some((Method::Horn, None, false))
}

/// What a proof of partial equivalence over integers comes to: it is full where both sides end, always or together.
pub(super) fn over_integers_proof(program: &Program<'_>, pair: Pair, method: Method, together: bool) -> PairProof {
    let ends =
        together || program.effects[0][pair.0.index()].terminates && program.effects[1][pair.1.index()].terminates;
    integer_proof(program, pair, if ends { Level::Full } else { Level::Partial }, method)
}

/// The proof that an engine over integers found, which rests on no other pair.
fn integer_proof(program: &Program<'_>, pair: Pair, level: Level, method: Method) -> PairProof {
    let (a, b) = program.code(pair);
    let mut proof = PairProof { evidence: None, ..PairProof::trivial(Some(level), method, Claims::new()) };
    proof.failed_goal = (level != Level::Full).then(|| FailedGoal {
        what: "it could not be shown that the two end from the same stores".into(),
        places: [vec![a.name_span], vec![b.name_span]],
    });
    proof
}

/// Rule *Same code*: the same code over equivalent callees is equivalent, at the lowest level of these.
pub(super) fn prove_same_code(program: &Program<'_>, pair: Pair, claims: &Claims) -> Option<PairProof> {
    let (a, b) = program.code(pair);
    let used = std::cell::RefCell::new(Claims::new());
    let callee_eq = |p, q| {
        let level = claims.get(&(p, q)).copied();
        if let Some(level) = level {
            used.borrow_mut().insert((p, q), level);
        }
        level.is_some()
    };
    if !same_code(a, b, callee_eq) {
        return None;
    }
    let used = used.into_inner();
    let level = used.values().copied().min().unwrap_or(Level::Full);
    let level = claims.get(&pair).map_or(level, |&claimed| level.min(claimed));
    Some(PairProof::trivial(Some(level), Method::SameCode, used))
}
