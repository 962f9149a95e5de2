//! The kernel: it checks proofs and believes nothing else.
//!
//! In: a pair program as it was written, and a [`proof::Dossier`] of all that is said of it. Out: [`proof::Proved`], which only this
//! crate can make, or a [`rejection::Rejection`] that says what is not shown.
//!
//! In the order of data flow: a [`fact`] is about values of both versions, an [`only_if`] about changes, [`places`] are where two heaps may differ, [`effects`] are what is said of a procedure, [`outline`] makes
//! procedures of statements of the source, with what is live there ([`liveness`]), [`scalars`] variables of places that nobody else sees, [`exec`] executes the lowered program and the source, [`alone`] checks what
//! is said of each procedure, [`lemma`] that the lowered program does what the source does, [`relate`] that two paths end
//! alike, [`pair`] that two procedures do, and [`proof`] all of it together.
//!
//! Rules, each a box in `proofs/soundness.md`: *Scalars*, *In place*, *Promotion*, *Sinking*, *Rotation*, *Flattening*, *Fission*, *Outlining*, *Lockstep*; *Footprint*,
//! *Infer*, *Only if*, *Entry*, *Rank*, *Contracts*; *Same code*, *External*, *Path by path* (with *Match*, *Split*, *Closure*, *Repeat*,
//! *Conclude*), *Relation*, *Summary*, *Summary ends*; *Locality*, *Induction* and *Condition*.
//!
//! Invariant: no search. Evidence is a hint; a wrong one is refused, and never leads to a wrong answer or a panic.

pub mod bounds;

pub mod rejection;

pub mod fact;

pub mod places;

pub mod only_if;

pub mod effects;

pub mod scalars;

pub mod liveness;

pub mod outline;

pub mod exec;

pub mod alone;

pub mod lemma;

pub mod relate;

pub mod pair;

pub mod proof;
