//! Automatic proof that two versions of a program in L do the same.
//!
//! The method is RIE, "Replace Isomorphism with Equality" (Wood, Drossopoulou, Lahiri, Eisenbach, ESOP 2017). [`verify()`] takes
//! a checked program with two versions and gives a [`Report`]: for each pair of procedures a [`Verdict`] and what backs it.
//!
//! ```
//! use prover::{Config, Verdict, verify};
//!
//! let text = "VERSION before procedure total(n: int) returns (t: int) { t := n + n; }
//!             VERSION after procedure total(n: int) returns (t: int) { t := 2 * n; }";
//! let pair = lang_l::load([("pair.l", text)])?;
//! let report = verify(&pair.unit, &Config::default());
//! assert!(matches!(report.pairs[0].verdict, Verdict::Equivalent(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Data flows one way, in the order of the modules below. They are public for the crates of `ape` alone: nothing but the names
//! re-exported here is meant to stay.

pub use verdict::{ClauseReport, ClauseStatus, PairReport, Reason, Report, Termination, Verdict};
pub use verify::{Config, Strategy, verify};

mod budget;

#[doc(hidden)]
pub mod lower;

#[doc(hidden)]
pub mod chc;

#[doc(hidden)]
pub mod analysis;

#[doc(hidden)]
pub mod relate;

#[doc(hidden)]
pub mod goal;

#[doc(hidden)]
pub mod engines;

#[doc(hidden)]
pub mod checked;

#[doc(hidden)]
pub mod search;

#[doc(hidden)]
pub mod verdict;

#[doc(hidden)]
pub mod verify;

#[doc(hidden)]
pub mod findings;

#[doc(hidden)]
pub mod certificate;

#[doc(hidden)]
pub mod report;

#[doc(hidden)]
pub mod diff;
