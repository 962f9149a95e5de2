//! What all searches for inductive facts share, whoever asks: fixpoints, polynomials, ranking functions.
//!
//! Invariant: nothing here looks into programs or knows engines; candidates and clauses are numbers, terms or plain data.

pub(crate) mod asking;
pub(crate) mod houdini;
mod null_space;
pub mod polynomial;
pub(crate) mod ranking;
pub(crate) mod summaries;
pub(crate) mod templates;
