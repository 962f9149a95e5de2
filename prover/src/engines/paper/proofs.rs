//! What the paper's strategy says of each pair, as proofs.

use super::{PAPER, PaperAnswer, PaperReport, verify};
use crate::goal::{Pair, PairProof, Program};
use kernel::relate::{FailedGoal, Level, Uses};
use lang_l::hir::ProcId;
use smt::solve::Solver;
use std::collections::BTreeMap;

/// Proves as many of the candidates as it can.
pub fn prove_all(program: &Program<'_>, candidates: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PairProof> {
    let level = |answer: &PaperAnswer| match answer {
        PaperAnswer::Equivalent => Some(Level::Full),
        PaperAnswer::PartiallyEquivalent => Some(Level::Partial),
        PaperAnswer::Unknown(_) => None,
    };
    let answers = verify(program, candidates, solver);
    let levels: BTreeMap<Pair, Level> =
        answers.iter().filter_map(|(&pair, report)| Some((pair, level(&report.answer)?))).collect();
    let proof = |pair: Pair, report: &PaperReport| {
        let always = report.rests_on.iter().filter_map(|on| Some((*on, *levels.get(on)?))).collect();
        let used = Uses { always, ..Uses::new() };
        let mut proof = PairProof::trivial(level(&report.answer), &PAPER, used);
        if let PaperAnswer::Unknown(why) = &report.answer {
            let place = |version: usize, id: ProcId| vec![program.unit.procedure(version, id).name_span];
            proof.failed_goal = Some(FailedGoal { what: why.clone(), places: [place(0, pair.0), place(1, pair.1)] });
        }
        proof
    };
    answers.iter().map(|(&pair, report)| (pair, proof(pair, report))).collect()
}
