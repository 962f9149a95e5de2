//! The language L: from bytes to values.
//!
//! [`load`] turns the texts of a program into a checked [`hir::Unit`], or says what is wrong with them. A unit can be run
//! ([`interp::run`]), shown ([`hir::print`](mod@hir::print)), walked ([`hir::visit`]) or handed to a prover.
//!
//! ```
//! use lang_l::interp::{Job, Limits, Outcome, Sequential, run};
//!
//! let text = "procedure gcd(a: int, b: int) returns (d: int) { while (b != 0) { r := a % b; a := b; b := r; } d := a; }";
//! let loaded = lang_l::load([("gcd.l", text)])?;
//! let version = &loaded.unit.versions[0];
//! let procedure = version.find("gcd").expect("it is declared");
//!
//! let words = ["12".to_string(), "18".to_string()];
//! let signature = version.procedure(procedure);
//! let input = lang_l::store_json::read_arguments(&loaded.unit, signature, &words, Default::default())?;
//! let job = Job { unit: &loaded.unit, version: 0, procedure, limits: Limits::default() };
//! let ran = run(&job, input.clone(), &mut Sequential::after(&input));
//! let Outcome::Normal(last) = ran.outcome else { panic!("it ends normally") };
//! assert_eq!(last.results[0].to_string(), "6");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The stages, in the order data flows: [`source`], [`token`], [`ast`] by [`parse`] (and back by [`print`](mod@print)),
//! [`hir`] by [`resolve`], values and [`heap`]s by [`interp`], and texts of these by [`show`]. `LANGUAGE.md` tells what the
//! language means.
//!
//! Invariant: reads and writes no files. Any thread may call it, however small its stack.

// Blank lines keep the order in which data flows; without them rustfmt sorts by name.
mod stack;

pub mod source;

pub mod token;

pub mod ast;

pub mod parse;

pub mod print;

pub mod hir;

pub mod resolve;

mod load;

pub mod heap;

pub mod random;

pub mod interp;

pub mod show;

pub use load::{Loaded, Rejected, load, load_client};

pub use heap::{isomorphism, naming, value};
pub use show::{statements, store_json};
pub use source::{diagnostic, render};
