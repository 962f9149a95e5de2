//! What the relational engines share: their solvers and templates, apart from how they align the two versions.

pub mod fragments;
pub(crate) mod houdini;
pub mod linearise;
pub mod polynomial;
pub(crate) mod ranking;
pub mod summaries;
