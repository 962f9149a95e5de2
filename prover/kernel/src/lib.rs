//! The kernel: it checks proofs and believes nothing else.

pub mod bounds;

pub mod rejection;

pub mod effects;

pub mod exec;

pub mod alone;

pub mod lemma;

pub mod relate;

pub mod pair;

mod shape;

pub mod proof;
