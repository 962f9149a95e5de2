//! What was decided, taken from a report.
//!
//! In: the report on a program. Out: [`Decisions`]: for each pair that was asked for the answer; for each proof it rests on
//! the claim and its evidence; and the evidence for the effects about each procedure.
//!
//! Invariant: closed: a proof that uses a claim comes with the proof of that claim, or is left out with all that rests on it.

use crate::analysis::AnalysisEvidence;
use crate::goal::{Claim, Pair, PairProof};
use crate::search::witness::{ContractWitness, Witness};
use crate::verdict::{PairReport, Report, Verdict};
use kernel::relate::Level;
use lang_l::hir::{ProcId, Unit};
use lang_l::store_json::{externals_json, input_json};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What was decided about a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// How the effects of each version were found.
    pub evidence: [AnalysisEvidence; 2],
    /// The proofs; those of pairs without a condition first, each pair once.
    pub proofs: Vec<ProvedPair>,
    /// The pairs that were asked for.
    pub pairs: Vec<AnsweredPair>,
}

/// A pair, perhaps under a condition, with the proof of what is claimed of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProvedPair {
    /// The procedures.
    pub pair: Pair,
    /// The text of the condition.
    pub when: Option<String>,
    /// The claim, and how it is proved.
    pub claim: Claim,
}

/// A pair that was asked for, with the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredPair {
    /// The procedures.
    pub pair: Pair,
    /// The text of the condition.
    pub when: Option<String>,
    /// The answer.
    pub answer: Decision,
}

/// What is said of a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It has a proof.
    Proved(Level),
    /// From this store, as section 6 of the language reference writes it, the two differ.
    Differs(Json),
    /// From this store a procedure of one version breaks a contract.
    Violated(usize, ProcId, Json),
    /// It is not settled, and why.
    Unknown(String),
    /// It was proved, but in a way that no certificate can tell.
    Uncertified(String),
}

impl Decisions {
    /// What a report says.
    pub fn of(unit: &Unit, report: &Report) -> Self {
        let mut chosen: BTreeMap<Pair, Claim> = BTreeMap::new();
        let mut conditional = Vec::new();
        let mut pairs = Vec::new();
        for asked in &report.pairs {
            let answer = match &asked.verdict {
                Verdict::Equivalent(proof) | Verdict::PartiallyEquivalent(proof) => {
                    match choose(report, asked, proof, &mut chosen, &mut conditional) {
                        Some(level) => Decision::Proved(level),
                        None => Decision::Uncertified("its proof has parts that a certificate cannot hold".into()),
                    }
                }
                Verdict::NotEquivalent(witness) => Decision::Differs(difference(unit, asked, witness)),
                Verdict::ContractViolation(witness) => violation(unit, witness),
                Verdict::Unknown(reason) => Decision::Unknown(reason.what.clone()),
            };
            pairs.push(AnsweredPair { pair: asked.pair, when: asked.when.clone(), answer });
        }
        let mut proofs: Vec<ProvedPair> =
            chosen.into_iter().map(|(pair, claim)| ProvedPair { pair, when: None, claim }).collect();
        proofs.extend(conditional);
        Decisions { evidence: report.evidence.clone(), proofs, pairs }
    }
}

fn claim(proof: &PairProof) -> Option<Claim> {
    Some(Claim { level: proof.level?, rule: proof.rule, evidence: proof.evidence.clone()? })
}

/// Takes a proof with all it rests on, or nothing.
fn choose(
    report: &Report,
    asked: &PairReport,
    proof: &PairProof,
    chosen: &mut BTreeMap<Pair, Claim>,
    conditional: &mut Vec<ProvedPair>,
) -> Option<Level> {
    let own = claim(proof)?;
    let level = own.level;
    let mut more: BTreeMap<Pair, Claim> = BTreeMap::new();
    let mut work: Vec<Pair> = proof.used.keys().copied().collect();
    if asked.when.is_none() {
        more.insert(asked.pair, own.clone());
    }
    while let Some(pair) = work.pop() {
        if !chosen.contains_key(&pair) && !more.contains_key(&pair) {
            let proof = report.proofs.get(&pair)?;
            more.insert(pair, claim(proof)?);
            work.extend(proof.used.keys());
        }
    }
    chosen.extend(more);
    if asked.when.is_some() {
        conditional.push(ProvedPair { pair: asked.pair, when: asked.when.clone(), claim: own });
    }
    Some(level)
}

fn difference(unit: &Unit, asked: &PairReport, witness: &Witness) -> Json {
    let mut store = input_json(unit, unit.versions[0].procedure(asked.pair.0), witness.input());
    store["externals"] = externals_json(witness.externals());
    store
}

fn violation(unit: &Unit, witness: &ContractWitness) -> Decision {
    let procedure = unit.versions[witness.version()].procedure(witness.procedure());
    let mut store = input_json(unit, procedure, witness.input());
    store["externals"] = externals_json(witness.externals());
    Decision::Violated(witness.version(), witness.procedure(), store)
}
