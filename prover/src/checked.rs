//! What engines have found is handed to the kernel, which alone makes proofs.
//!
//! In: a program, what is known of each procedure alone, and the proofs that engines have found. Out: the same proofs, each with
//! what the kernel says of it. One that the kernel refuses is none.
//!
//! Some passes of the lowering are transformations that the kernel does not follow. What rests on them alone is not proved.
//!
//! Invariant: once `Material::settle` is done a pair of the source has a level only where the kernel has made a [`Proved`] of it.

use crate::analysis::AnalysisEvidence;
use crate::engines;
use crate::goal::{Checked, Pair, PairProof, Program, ProofEvidence};
use crate::lower::{is_loop, simulations};
use kernel::alone::measures::Ranking;
use kernel::exec::source::Simulation;
use kernel::outline::cuts::Cut;
use kernel::pair::PairEvidence;
use kernel::pair::plan::InliningPlan;
use kernel::proof::{Dossier, Kernel, Proved};
use kernel::rejection::Rejection;
use kernel::relate::{FailedGoal, Level};
use kernel::scalars::Scalarised;
use lang_l::hir::{Expr, ProcId, Unit};
use smt::solve::{Query, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// What the kernel made of a run.
#[derive(Clone, Debug, Default)]
pub struct KernelReport {
    /// Why nothing is believed that is said of the procedures of a version alone, where nothing is.
    pub alone: [Option<Rejection>; 2],
    /// The procedures of the lowered programs, and why they are not shown to do what the source does, where they are not.
    pub lemmas: [BTreeMap<ProcId, Option<Rejection>>; 2],
    /// The pairs of the source that engines have found proofs of, and what the kernel says of each.
    pub pairs: BTreeMap<Pair, Checked>,
    /// The claims about loops and workers that stand.
    pub parts: BTreeMap<Pair, Level>,
    /// The proofs that were refused, and why.
    pub refused: BTreeMap<Pair, Rejection>,
    /// What the kernel asked that had not been asked before.
    pub queries: Vec<Query>,
}

/// What is handed to the kernel.
pub(crate) struct Material {
    /// What the procedures of the lowered program stand for.
    pub(crate) simulations: [Vec<Option<Simulation>>; 2],
    /// What is said of pairs, and why.
    pub(crate) claims: BTreeMap<Pair, (Level, PairEvidence)>,
    /// The pairs of which the kernel is told nothing, and those that rest on them.
    untold: BTreeSet<Pair>,
}

impl Material {
    /// What the engines have found, as far as the kernel can be told of it.
    pub(crate) fn of(source: &Unit, program: &Program<'_>, proofs: &BTreeMap<Pair, PairProof>) -> Self {
        let mut claims = BTreeMap::new();
        let mut untold = BTreeSet::new();
        for (&pair, proof) in proofs {
            let Some(level) = proof.level else { continue };
            match told(program, pair, proof) {
                Some(evidence) => {
                    claims.insert(
                        pair,
                        (if faults::planted("checked/level-raised") { Level::Full } else { level }, evidence),
                    );
                }
                None => {
                    untold.insert(pair);
                }
            }
        }
        loop {
            let rests = |(pair, proof): (&Pair, &PairProof)| {
                let open = !faults::planted("checked/premises-forgotten")
                    && proof.level.is_some()
                    && proof.used.always.keys().any(|used| untold.contains(used));
                (open && !untold.contains(pair)).then_some(*pair)
            };
            let more: Vec<Pair> = proofs.iter().filter_map(rests).collect();
            if more.is_empty() {
                break;
            }
            untold.extend(more);
        }
        claims.retain(|pair, _| !untold.contains(pair));
        Material { untold, ..Material::claiming(source, program, claims) }
    }

    /// The same of claims with their evidence.
    pub(crate) fn claiming(
        source: &Unit,
        program: &Program<'_>,
        claims: BTreeMap<Pair, (Level, PairEvidence)>,
    ) -> Self {
        let source = Scalarised::of(source);
        let simulations = [0, 1].map(|version| simulations(source.unit(), program.unit, version));
        Material { simulations, claims, untold: BTreeSet::new() }
    }

    /// Has all of it checked: the program is what the source is after the cuts.
    pub(crate) fn check<'k>(
        &'k self,
        (source, cuts): (&'k Unit, &'k [Cut]),
        program: &'k Program<'_>,
        alone: &'k [AnalysisEvidence; 2],
        solver: &mut Solver,
    ) -> Kernel<'k> {
        let rankings: [&[Ranking]; 2] = [&alone[0].rankings, &alone[1].rankings];
        let dossier = Dossier {
            source,
            cuts,
            lowered: program.unit.as_unit(),
            simulations: [&self.simulations[0], &self.simulations[1]],
            effects: [&program.effects[0], &program.effects[1]],
            rankings,
            unclaimed: [&alone[0].trusted.unproved, &alone[1].trusted.unproved],
            claims: &self.claims,
        };
        Kernel::check(dossier, solver)
    }

    /// Takes over what the kernel says of all proofs.
    pub(crate) fn settle(&self, kernel: &Kernel<'_>, program: &Program<'_>, proofs: &mut BTreeMap<Pair, PairProof>) {
        for (&pair, proof) in proofs.iter_mut().filter(|(_, proof)| proof.level.is_some()) {
            let rejected = (0..2).find_map(|version| kernel.alone(version).err());
            let rejected = rejected.or_else(|| self.untold.contains(&pair).then(untold));
            match rejected.map_or_else(|| kernel.stands(pair), Err) {
                Err(rejection) => refuse(proof, &rejection),
                Ok(_) => match kernel.prove(pair) {
                    Ok(proved) => confirm(proof, proved),
                    // A part of a procedure is proved as that, and nobody reports it.
                    Err(rejection) if is_part(program, pair) => proof.checked = Checked::Not(rejection.to_string()),
                    Err(rejection) => {
                        proof.lowered = kernel.stands(pair).ok();
                        refuse(proof, &rejection);
                    }
                },
            }
        }
    }
}

/// What the kernel says of a proof from the stores that satisfy a condition.
pub(crate) fn conditional(
    kernel: &Kernel<'_>,
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    proof: &mut PairProof,
    solver: &mut Solver,
) {
    let Some(level) = proof.level else { return };
    let told = told(program, pair, proof).ok_or_else(untold);
    take_over(proof, told.and_then(|evidence| kernel.prove_when(pair, when, (level, &evidence), solver)?));
}

/// What the kernel made of a run, for those who want to follow it.
pub(crate) fn report(
    program: &Program<'_>,
    kernel: &Kernel<'_>,
    proofs: &BTreeMap<Pair, PairProof>,
    queries: Vec<Query>,
) -> KernelReport {
    let lemmas = |version: usize| {
        kernel.lemmas(version).iter().map(|(id, shown)| (*id, shown.clone().err())).collect::<BTreeMap<_, _>>()
    };
    let proved = proofs.iter().filter(|(_, proof)| proof.level.is_some());
    let (parts, pairs): (Vec<_>, Vec<_>) = proved.partition(|(pair, _)| is_part(program, **pair));
    KernelReport {
        alone: [0, 1].map(|version| kernel.alone(version).err()),
        lemmas: [lemmas(0), lemmas(1)],
        pairs: pairs.into_iter().map(|(pair, proof)| (*pair, proof.checked.clone())).collect(),
        parts: parts.into_iter().filter_map(|(pair, _)| Some((*pair, kernel.stands(*pair).ok()?))).collect(),
        refused: kernel.refused().clone(),
        queries,
    }
}

/// Whether one of the two is a part of a procedure of the source, of which nobody asks for its own sake.
fn is_part(program: &Program<'_>, pair: Pair) -> bool {
    let (left, right) = program.code(pair);
    is_loop(left) || is_loop(right)
}

/// Proofs without evidence, by the paper's encoding, are checked where others of the same pairs were.
pub(crate) fn agree(others: &BTreeMap<Pair, PairProof>, proofs: &mut BTreeMap<Pair, PairProof>) {
    for (pair, proof) in proofs.iter_mut() {
        let level = proof.level;
        let same = others.get(pair).map(|other| &other.checked);
        proof.checked = match same {
            Some(Checked::Proved(proved)) if level.is_some_and(|level| proved.level() >= level) => {
                Checked::Proved(proved.clone())
            }
            _ => Checked::Not("it is what the paper's encoding says".into()),
        };
    }
}

/// What the kernel is told of a proof; `None` where it cannot be told.
pub(crate) fn told(program: &Program<'_>, pair: Pair, proof: &PairProof) -> Option<PairEvidence> {
    evidence(program, pair, proof.evidence.as_ref()?)
}

/// The same of its evidence.
pub(crate) fn evidence(program: &Program<'_>, pair: Pair, own: &ProofEvidence) -> Option<PairEvidence> {
    match own {
        ProofEvidence::Plain => {
            let (left, right) = program.code(pair);
            let external = left.body.is_none() && right.body.is_none() && !faults::planted("checked/external-as-code");
            Some(if external { PairEvidence::External } else { PairEvidence::SameCode })
        }
        ProofEvidence::Paths(paths) => {
            let mut paths = paths.clone();
            if faults::planted("checked/relations-dropped") {
                paths.relations.pop_last();
            }
            if faults::planted("checked/plan-forgotten") {
                paths.plan = InliningPlan::of(Default::default(), [0; 2]);
            }
            Some(PairEvidence::Paths(paths))
        }
        ProofEvidence::Loops(loops) => engines::loops_evidence(program, loops),
        ProofEvidence::Summaries(summaries) => Some(PairEvidence::Summaries(summaries.clone())),
    }
}

fn untold() -> Rejection {
    Rejection("the kernel is not told of all that it rests on".into())
}

/// Takes over what the kernel says of a proof.
pub(crate) fn take_over(proof: &mut PairProof, said: Result<Proved, Rejection>) {
    match said {
        Ok(proved) => confirm(proof, proved),
        Err(rejection) => refuse(proof, &rejection),
    }
}

/// What the kernel agrees to is proved, and no more than that.
fn confirm(proof: &mut PairProof, proved: Proved) {
    proof.level = Some(proved.level());
    proof.checked = Checked::Proved(proved);
}

/// What the kernel refuses is not proved.
fn refuse(proof: &mut PairProof, rejection: &Rejection) {
    proof.level = None;
    proof.checked = Checked::Not(rejection.to_string());
    let places = proof.failed_goal.take().map_or_else(Default::default, |failed| failed.places);
    proof.failed_goal = Some(FailedGoal { what: format!("the kernel refuses the proof: {rejection}"), places });
}
