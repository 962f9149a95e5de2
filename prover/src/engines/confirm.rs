//! Checking proofs of pairs again, as their evidence says, without a search.
//!
//! In: a program with its effects, claims, and for a pair what was claimed of it and how it was proved. Out: the proof, made
//! anew from the source, or where the evidence does not lead to it.
//!
//! Invariant: each rule is the one the search uses, with the choice taken from the evidence; so whatever the evidence says,
//! a proof is returned only when every obligation of the rule was asked, and answered by yes.

use super::claims::{over_integers_proof, prove_same_code};
use super::paths;
use crate::engines::coupling;
use crate::goal::{Evidence, Method, Pair, PairProof, PathsEvidence, Program};
use crate::rejection::{Rejection, reject};
use crate::relate::{self, Claims, Level, Order, Relater};
use lang_l::hir::{Expr, ProcId};
use lang_l::hir_same::same_code;
use smt::arena::Arena;
use smt::solve::Solver;
use std::collections::BTreeSet;

/// What is claimed of a pair, and how to prove it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// How much.
    pub level: Level,
    /// By which method.
    pub method: Method,
    /// What the search did.
    pub evidence: Evidence,
}

/// Proves a pair as the claim says, from the stores that satisfy a condition, under claims about others.
///
/// # Errors
/// When the evidence does not show what is claimed.
pub fn confirm(
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    claims: &Claims,
    claim: &Claim,
    solver: &mut Solver,
) -> Result<PairProof, Rejection> {
    if !program.same_signature(pair) {
        return reject("the two have different parameters or results");
    }
    let proof = match (claim.method, &claim.evidence) {
        (Method::External, Evidence::Plain) => {
            let (a, b) = program.code(pair);
            let same = a.body.is_none() && b.body.is_none() && same_code(a, b, |_, _| false);
            PairProof::trivial(same.then_some(Level::Full), Method::External, Claims::new())
        }
        (Method::SameCode, Evidence::Plain) => match prove_same_code(program, pair, claims) {
            Some(proof) if defined(program, pair) => proof,
            _ => return reject("the two are not the same code over equivalent callees"),
        },
        (Method::Summaries | Method::Inlining | Method::Turns | Method::Unrolling, Evidence::Paths(evidence)) => {
            by_paths(program, (pair, when), claims, claim, evidence, solver)?
        }
        // Over integers nothing but equal inputs is assumed, least of all a condition.
        (Method::Coupling, Evidence::Coupling(evidence)) if when.is_none() => {
            let together = claim.level == Level::Full;
            coupling::confirm(program, pair, (evidence, together), solver)?;
            over_integers_proof(program, pair, Method::Coupling, together)
        }
        _ => return reject("the evidence is not of the method"),
    };
    match proof.level {
        Some(level) if level >= claim.level => {
            Ok(PairProof { level: Some(claim.level), evidence: Some(claim.evidence.clone()), ..proof })
        }
        _ => reject("less was proved than is claimed"),
    }
}

/// Whether both procedures have a body: there is no other code that could be the same.
fn defined(program: &Program<'_>, pair: Pair) -> bool {
    let (a, b) = program.code(pair);
    a.body.is_some() && b.body.is_some()
}

fn by_paths(
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    claims: &Claims,
    claim: &Claim,
    evidence: &PathsEvidence,
    solver: &mut Solver,
) -> Result<PairProof, Rejection> {
    if !defined(program, pair) {
        return reject("an external procedure has no paths");
    }
    let executable = |version: usize, ids: &BTreeSet<ProcId>| {
        let procedures = &program.unit.versions[version].procedures;
        ids.iter().all(|id| procedures.get(id.index()).is_some_and(|procedure| procedure.body.is_some()))
    };
    if !(0..2).all(|version| executable(version, &evidence.plan.inline[version])) {
        return reject("a procedure without a body is executed in place");
    }
    if !evidence.plan.is_bounded() || evidence.plan.method != claim.method {
        return reject("calls are executed in place too deep, or by another method");
    }
    let mut arena = Arena::new(program.unit);
    let Ok(both) = paths::outcomes(program, (pair, when), &evidence.plan, &mut arena) else {
        return reject("there are too many paths");
    };
    let mut relater = Relater {
        unit: program.unit,
        effects: [&program.effects[0], &program.effects[1]],
        arena: &mut arena,
        solver,
        claims,
        used: Claims::new(),
        attempts: 0,
        order: Order::Nearest,
    };
    let mut proof = PairProof::trivial(Some(claim.level), claim.method, Claims::new());
    let plain = relate::Evidence::default();
    let mut followed = 0;
    for meeting in paths::meetings(&both).iter().filter(|meeting| claim.level == Level::Full || !meeting.termination) {
        let (left, right) = (&both[0][meeting.left], &both[1][meeting.right]);
        let said = evidence.relations.get(&meeting.numbers());
        followed += usize::from(said.is_some());
        let relation = relater.follow(left, right, said.unwrap_or(&plain))?;
        proof.note(relater.arena, &relation, left, right);
    }
    if followed < evidence.relations.len() {
        return reject("something is said of paths that need not be related");
    }
    proof.used = relater.used;
    Ok(proof)
}
