//! Automatic proof that two versions of a program in L do the same.
//!
//! The method is RIE (Wood, Drossopoulou, Lahiri, Eisenbach, ESOP 2017). Data flows one way, in the order of the modules:
//! a checked program is lowered, what can be known of each procedure alone is found out, both versions are executed
//! symbolically, their outcomes are related, pairs are proved together, and what was not proved is searched for a
//! difference. [`verify::verify`] is the whole of it.

pub mod term;

pub mod heap;

pub mod state;

pub mod lower;

pub mod facts;

pub mod exec;

pub mod obligation;

pub mod solve;

pub mod evidence;

pub mod entry;

pub mod infer;

pub mod contracts;

pub mod rank;

pub mod relate;

pub mod unroll;

pub mod pairs;

pub mod vacuity;

pub mod horn;

mod made_up;

pub mod couple;

pub mod product;

pub mod paper;

pub mod recurrent;

pub mod replay;

pub mod refute;

pub mod bounded;

pub mod parting;

pub mod verdict;

pub mod breakdown;

pub mod verify;

pub mod certificate;

pub mod report;

pub mod fuzz;

pub mod stability;
