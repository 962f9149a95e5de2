//! Mutual summaries as data: what calls of two procedures satisfy when they start and when they have ended.

use super::polynomial::Equation;
use lang_l::hir::ProcId;
use std::collections::BTreeMap;

/// What two calls satisfy when they start, and when they have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Over the inputs of the left call, then of the right one.
    pub coupling: Vec<Equation>,
    /// Over the inputs of both, then the outputs of both.
    pub summary: Vec<Equation>,
}

/// The mutual summaries that are a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouplingEvidence {
    /// How often recursive calls were executed in place on each side.
    pub unroll: [usize; 2],
    /// What calls of each pair satisfy.
    pub summaries: BTreeMap<(ProcId, ProcId), Summary>,
}
