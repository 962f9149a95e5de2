//! Terms, symbolic heaps, proof obligations, and the door to the solvers.
//!
//! This crate knows neither statements nor paths: terms come in from above, and text for a solver, or an answer, goes out.
//! What works long looks at a [`stop`]. In the order of data flow: [`term`]s over the values of L, symbolic [`heap`]s as chains of writes and calls, the
//! [`arena`] that holds both, the [`obligation`]s built of them, and [`solve`], which asks.

pub mod stop;

pub mod term;

pub mod heap;

pub mod arena;

pub mod random_stores;

pub mod obligation;

pub mod solve;

pub mod z3_version;
