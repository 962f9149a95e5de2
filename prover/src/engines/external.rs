//! Rule *External*: two external procedures of one name and one contract are the same unknown procedure.

use super::Engine;
use crate::goal::{Claim, Goal, PairProof, ProofEvidence, Rule};
use kernel::rejection::{Rejection, reject};
use kernel::relate::{Claims, Level};
use lang_l::hir::same::same_code;
use smt::solve::Solver;

/// The rule.
pub(crate) static EXTERNAL: Rule = Rule {
    name: "external",
    sentence: "external: the same unknown procedure in both versions",
    argument: "External",
    share: 1,
};

/// Compares declarations.
pub(crate) struct External;

impl Engine for External {
    fn rule(&self) -> &'static Rule {
        &EXTERNAL
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        let (a, b) = goal.code();
        a.body.is_none() && b.body.is_none()
    }

    fn search(&self, goal: &Goal<'_>, _solver: &mut Solver) -> PairProof {
        let (a, b) = goal.code();
        let same = same_code(a, b, |_, _| false);
        PairProof::trivial(same.then_some(Level::Full), &EXTERNAL, Claims::new())
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        if claim.evidence != ProofEvidence::Plain || !self.applies(goal) {
            return reject("one of the two is not external");
        }
        Ok(self.search(goal, solver))
    }
}
