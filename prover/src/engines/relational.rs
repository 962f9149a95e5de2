//! What the engines without path pairs make of their findings: proofs that rest on no other pair.

use crate::goal::{Goal, PairProof, ProofEvidence, Rule};
use kernel::relate::{FailedGoal, Level, Uses};

/// A proof at this level.
pub(super) fn proof(goal: &Goal<'_>, rule: &'static Rule, level: Level, evidence: Option<ProofEvidence>) -> PairProof {
    let mut proof = PairProof { evidence, ..PairProof::trivial(Some(level), rule, Uses::new()) };
    proof.failed_goal = (level != Level::Full).then(|| FailedGoal {
        what: "it could not be shown that the two end from the same stores".into(),
        places: goal.places(),
    });
    proof
}

/// The level of a proof of partial equivalence: it is full where both sides end, always or together.
pub(super) fn level(goal: &Goal<'_>, together: bool) -> Level {
    if together || (0..2).all(|version| goal.effects(version).terminates) { Level::Full } else { Level::Partial }
}

/// No proof.
pub(super) fn nothing(goal: &Goal<'_>, rule: &'static Rule) -> PairProof {
    PairProof::failed(rule, format!("no proof by {} was found", rule.name), goal.places())
}

/// Whether nothing is proved of a pair yet, and nothing but equal inputs may be assumed of it.
pub(super) fn is_open(goal: &Goal<'_>) -> bool {
    goal.reached.is_none() && goal.when.is_none() && !goal.is_loop()
}
