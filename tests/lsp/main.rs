//! The language server, driven over pipes as an editor does it; and what editors are given for L.

#[path = "../common/mod.rs"]
mod common;

mod ask;
mod client;
mod editors;
mod everywhere;
mod hostile;
mod mistakes;
mod verdicts;
