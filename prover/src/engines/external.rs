//! Rule *External*: two external procedures of one name and one contract are the same unknown procedure.

use super::Engine;
use crate::goal::{Goal, PairProof, Rule};
use kernel::pair::PairEvidence;
use kernel::pair::same::same_external;
use kernel::relate::{Level, Uses};
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

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::External)
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        same_external(&goal.as_checked()).is_some()
    }

    fn search(&self, goal: &Goal<'_>, _solver: &mut Solver) -> PairProof {
        let same =
            faults::planted("engines/external/declared-alike") || same_external(&goal.as_checked()) == Some(true);
        PairProof::trivial(same.then_some(Level::Full), &EXTERNAL, Uses::new())
    }
}
