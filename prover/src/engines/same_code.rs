//! Rule *Same code*: the same code over equivalent callees is equivalent, at the lowest level of these.

use super::Engine;
use crate::goal::{Claim, Goal, PairProof, ProofEvidence, Rule};
use kernel::rejection::{Rejection, reject};
use kernel::relate::{Claims, Level};
use lang_l::hir::same::same_code;
use smt::solve::Solver;
use std::cell::RefCell;

/// The rule.
pub(crate) static SAME_CODE: Rule =
    Rule { name: "same-code", sentence: "the two are the same code", argument: "Same code", share: 1 };

/// Compares bodies.
pub(crate) struct SameCode;

impl Engine for SameCode {
    fn rule(&self) -> &'static Rule {
        &SAME_CODE
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.is_defined() && used(goal).is_some()
    }

    fn search(&self, goal: &Goal<'_>, _solver: &mut Solver) -> PairProof {
        let Some(used) = used(goal) else {
            return PairProof::failed(&SAME_CODE, "the two are not the same code".into(), goal.places());
        };
        let level = used.values().copied().min().unwrap_or(Level::Full);
        let level = goal.claims.get(&goal.pair).map_or(level, |&claimed| level.min(claimed));
        PairProof::trivial(Some(level), &SAME_CODE, used)
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        if claim.evidence != ProofEvidence::Plain || !self.applies(goal) {
            return reject("the two are not the same code over equivalent callees");
        }
        Ok(self.search(goal, solver))
    }

    fn is_last_word(&self) -> bool {
        true
    }
}

/// The claims about callees by which the two are the same code; `None` if they are not.
fn used(goal: &Goal<'_>) -> Option<Claims> {
    let (a, b) = goal.code();
    let used = RefCell::new(Claims::new());
    let equivalent = |p, q| {
        let level = goal.claims.get(&(p, q)).copied();
        if let Some(level) = level {
            used.borrow_mut().insert((p, q), level);
        }
        level.is_some()
    };
    same_code(a, b, equivalent).then(|| used.into_inner())
}
