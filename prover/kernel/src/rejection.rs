//! Why evidence is refused: what checks again, without a search, says here where it does not lead to a proof.

/// Where evidence does not show what it should, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

/// A refusal, in words.
///
/// # Errors
/// Always.
pub fn reject<T>(what: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection(what.into()))
}
