//! What the relational engines share: their solvers and templates, apart from how they align the two versions.

pub mod fragments;
pub mod linearise;
pub mod polynomial;
pub mod summaries;
