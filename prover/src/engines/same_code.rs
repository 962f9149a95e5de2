//! Rule *Same code*: the same code over equivalent callees is equivalent, at the lowest level of these.

use super::Engine;
use crate::goal::{Goal, PairProof, Rule};
use kernel::pair::PairEvidence;
use kernel::pair::same::same_code_level;
use kernel::relate::Level;
use smt::solve::Solver;

/// The rule.
pub(crate) static SAME_CODE: Rule =
    Rule { name: "same-code", sentence: "the two are the same code", argument: "Same code", share: 1 };

/// Compares bodies.
pub(crate) struct SameCode;

impl Engine for SameCode {
    fn rule(&self) -> &'static Rule {
        &SAME_CODE
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::SameCode)
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        same_code_level(&goal.as_checked()).is_some()
    }

    fn search(&self, goal: &Goal<'_>, _solver: &mut Solver) -> PairProof {
        match same_code_level(&goal.as_checked()) {
            Some((level, used)) => PairProof::trivial(
                Some(if faults::planted("engines/same-code/level-raised") { Level::Full } else { level }),
                &SAME_CODE,
                used,
            ),
            None => PairProof::failed(&SAME_CODE, "the two are not the same code".into(), goal.places()),
        }
    }
}
