//! ape.
pub mod exec;
pub mod facts;
pub mod heap;
pub mod lower;
pub mod obligation;
pub mod solve;
pub mod state;
pub mod term;
pub mod relate;
pub mod infer;
pub mod contracts;
pub mod pairs;
pub mod refute;
pub mod replay;
