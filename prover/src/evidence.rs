//! What is kept of a search, so that its findings can be checked again without it.
//!
//! In: what each stage decided. Out: plain data: [`FactsEvidence`] for each version, and with each proof its
//! [`pairs::Evidence`](crate::pairs::Evidence). Each stage that searches has a function `confirm` beside it, or `follow`, that
//! takes such data and asks the solver only what must hold.
//!
//! Invariant: data and no more; nobody trusts it. [`Wrong`] says where it does not lead to a proof.

use crate::contracts::Trusted;
use crate::infer::Inferred;
use crate::rank::Ranking;

/// Where evidence does not show what it should, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Wrong(pub String);

/// A refusal, in words.
pub(crate) fn wrong<T>(what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong(what.into()))
}

/// What was found of the procedures of one version, each alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactsEvidence {
    /// What each may modify, and when it can err.
    pub inferred: Vec<Inferred>,
    /// Why recursion ends, where it was shown to.
    pub rankings: Vec<Ranking>,
    /// Which contracts may be trusted, and which clauses were not proved.
    pub trusted: Trusted,
}
