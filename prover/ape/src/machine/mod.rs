//! The machine that the command runs on: its threads, signals, memory, terminal, files and libraries.
//!
//! In: requests in the words of the system. Out: what the system gives, or its own error.
//!
//! Invariant: nothing here knows the arguments, the language or a verdict.

pub(crate) mod beside;
pub(crate) mod changes;
pub(crate) mod input;
pub(crate) mod installation;
pub(crate) mod limits;
pub(crate) mod repository;
pub(crate) mod signals;
pub(crate) mod terminal;
pub(crate) mod threads;
