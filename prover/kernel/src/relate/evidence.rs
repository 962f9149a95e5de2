//! How two outcomes were related: what the search found, as plain data.
//!
//! In: the choices that worked. Out: [`RelationEvidence`], which [`Relater::follow`](super::Relater::follow) walks again without
//! trying anything else.
//!
//! Invariant: evidence is a hint and nothing more. Whoever follows it proves again all that the search proved, so a wrong
//! one leads to a refusal and never to a wrong answer.
//! Invariant: allocs and calls are named by the numbers they get when the two procedures are executed, before anything is
//! related; so the names mean the same in every run.

use serde::{Deserialize, Serialize};
use smt::term::{AllocClass, CallId};
use std::collections::BTreeMap;

/// How two outcomes were related.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelationEvidence {
    /// Repeated calls, of version 0 and of version 1 (rule *Repeat*).
    #[serde(skip_serializing_if = "nothing", default)]
    pub repeats: [Vec<Repeat>; 2],
    /// The cases told apart, and what was found in each.
    pub cases: Cases,
}

impl RelationEvidence {
    /// Whether all it says is that the two paths contradict each other in plain sight.
    pub fn is_plain(&self) -> bool {
        *self == RelationEvidence::default()
    }
}

impl Default for RelationEvidence {
    fn default() -> Self {
        let cases = Cases::Settled(Leaf { calls: Vec::new(), end: End::Contradiction });
        RelationEvidence { repeats: [Vec::new(), Vec::new()], cases }
    }
}

fn nothing(repeats: &[Vec<Repeat>; 2]) -> bool {
    repeats.iter().all(Vec::is_empty)
}

/// Two calls of one execution that start alike when some of its allocations are exchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repeat {
    /// The call that comes first.
    pub earlier: CallId,
    /// The one that is like it.
    pub later: CallId,
    /// Allocations that are exchanged, each with its image; all others stay.
    pub swap: BTreeMap<AllocClass, AllocClass>,
}

/// Cases that are told apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cases {
    /// A condition holds, or does not (rule *Split*).
    Split {
        /// Of which version's execution the condition speaks.
        version: usize,
        /// The condition, as `relate::condition` writes it.
        condition: String,
        /// What was found where it holds.
        holds: Box<Cases>,
        /// What was found where it does not.
        fails: Box<Cases>,
    },
    /// No more cases.
    Settled(Leaf),
}

/// How one case was settled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leaf {
    /// Calls that correspond, in the order in which they were matched (rule *Match*).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub calls: Vec<Match>,
    /// Why the case is no threat.
    pub end: End,
}

/// Two calls that correspond, with the allocations that must correspond before they do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// The call of version 0.
    pub left: CallId,
    /// The call of version 1.
    pub right: CallId,
    /// The number of the claim under a condition that says that they do the same; none where they do from all stores.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub under: Option<usize>,
    /// Allocations of version 1, each with the one of version 0 that it corresponds to; those not named before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub allocs: BTreeMap<AllocClass, AllocClass>,
}

/// Why a case is no threat (rule *Conclude*).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The two path conditions contradict each other in plain sight.
    Contradiction,
    /// The solver shows that they exclude each other.
    Exclusive,
    /// The final stores are isomorphic, with these allocations of version 1 standing for those of version 0; those not
    /// named before.
    Isomorphic(BTreeMap<AllocClass, AllocClass>),
}
