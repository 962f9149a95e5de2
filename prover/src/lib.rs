//! Automatic proof that two versions of a program in L do the same.
//!
//! The method is RIE, "Replace Isomorphism with Equality" (Wood, Drossopoulou, Lahiri, Eisenbach, ESOP 2017). Data flows one
//! way, in the order of the modules: a checked program is lowered, what can be known of each procedure alone is found out,
//! both versions are executed symbolically, their outcomes are related, pairs are proved together, and what was not proved
//! is searched for a difference. [`verify::verify`] is the whole of it.

mod budget;

pub mod lower;

pub mod effects;

pub mod rejection;

pub mod chc;

pub mod exec;

pub mod analysis;

pub mod relate;

pub mod goal;

pub mod engines;

pub mod search;

pub mod verdict;

pub mod verify;

pub mod certificate;

pub mod report;
