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
use kernel::outline::cuts::Cut;
use kernel::relate::{ConditionalClaim, Level};
use lang_l::hir::{ProcId, Unit};
use lang_l::store_json::{externals_json, input_json};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// What was decided about a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// What was cut out of the procedures of the source, before all else.
    pub cuts: Vec<Cut>,
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
    /// The number by which proofs name the claim, where it is one of those under conditions.
    pub number: Option<usize>,
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
        let mut chosen = Chosen::default();
        let mut pairs = Vec::new();
        for asked in &report.pairs {
            let answer = match &asked.verdict {
                Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_) => match chosen.with(unit, report, asked) {
                    Some(level) => Decision::Proved(level),
                    None => Decision::Uncertified("its proof has parts that a certificate cannot hold".into()),
                },
                Verdict::NotEquivalent(witness) => Decision::Differs(difference(unit, asked, witness)),
                Verdict::ContractViolation(witness) => violation(unit, witness),
                Verdict::Unknown(reason) => Decision::Unknown(reason.what.clone()),
            };
            pairs.push(AnsweredPair { pair: asked.pair, when: asked.when.clone(), answer });
        }
        let (evidence, proofs) = (report.evidence.clone(), chosen.proofs(unit, report));
        Decisions { cuts: Vec::new(), evidence, proofs, pairs }
    }
}

fn claim(proof: &PairProof) -> Option<Claim> {
    Some(Claim { level: proof.level.or(proof.lowered)?, rule: proof.rule, evidence: proof.evidence.clone()? })
}

/// The claims that are taken, each with how it is proved.
#[derive(Clone, Debug, Default)]
struct Chosen {
    always: BTreeMap<Pair, Claim>,
    /// Those under conditions, by number.
    conditional: BTreeMap<usize, Claim>,
}

impl Chosen {
    /// Takes the proof of a pair that was asked for with all it rests on, or nothing; its level.
    fn with(&mut self, unit: &Unit, report: &Report, asked: &PairReport) -> Option<Level> {
        let is_own = |(claim, proof): &(ConditionalClaim, PairProof)| {
            let same = claim.pair == asked.pair && condition_text(unit, claim) == asked.when;
            same && proof.level.is_some()
        };
        let mut more = self.clone();
        let level = match report.conditional.iter().position(is_own) {
            Some(number) => more.take_conditional(report, number)?,
            None if asked.when.is_some() => return None,
            None => more.take_always(report, asked.pair)?,
        };
        *self = more;
        Some(level)
    }

    fn take_always(&mut self, report: &Report, pair: Pair) -> Option<Level> {
        if let Some(known) = self.always.get(&pair) {
            return Some(known.level);
        }
        let proof = report.proofs.get(&pair)?;
        let own = claim(proof)?;
        let level = own.level;
        self.always.insert(pair, own);
        self.take_used(report, proof)?;
        Some(level)
    }

    fn take_conditional(&mut self, report: &Report, number: usize) -> Option<Level> {
        if let Some(known) = self.conditional.get(&number) {
            return Some(known.level);
        }
        let (_, proof) = report.conditional.get(number)?;
        let own = claim(proof)?;
        let level = own.level;
        self.conditional.insert(number, own);
        self.take_used(report, proof)?;
        Some(level)
    }

    fn take_used(&mut self, report: &Report, proof: &PairProof) -> Option<()> {
        for &pair in proof.used.always.keys() {
            self.take_always(report, pair)?;
        }
        for &number in proof.used.conditional.keys() {
            self.take_conditional(report, number)?;
        }
        Some(())
    }

    /// The proofs, those of claims from all stores first.
    fn proofs(self, unit: &Unit, report: &Report) -> Vec<ProvedPair> {
        let always = self.always.into_iter().map(|(pair, claim)| ProvedPair { pair, when: None, number: None, claim });
        let conditional = self.conditional.into_iter().map(|(number, claim)| {
            let (of, _) = &report.conditional[number];
            ProvedPair { pair: of.pair, when: condition_text(unit, of), number: Some(number), claim }
        });
        always.chain(conditional).collect()
    }
}

/// The text of the condition of a claim.
fn condition_text(unit: &Unit, claim: &ConditionalClaim) -> Option<String> {
    let version = &unit.versions[0];
    let text = |condition| lang_l::hir::print::expr_text(unit, version, version.procedure(claim.pair.0), condition);
    claim.condition.as_ref().map(text)
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
