//! Mutual summaries as candidates: what calls of two procedures satisfy when they start and when they have ended.

use super::templates::Fact;

/// What two calls satisfy when they start, and when they have ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Candidates {
    /// Over the inputs of the left call, those of the right one, and the lengths of the references among them.
    pub(crate) before: Vec<Fact>,
    /// Over the inputs of both, the outputs of both, and lengths.
    pub(crate) after: Vec<Fact>,
}
