//! `ape solver`: a solver process, and how to start one.
//!
//! Nobody calls it by hand: `ape verify` starts it, so that a crash of Z3 is not a crash of `ape`.

use super::args::SolverArgs;
use super::status::{Failure, Status};
use smt::solve::{self, Isolated, Shared};
use std::env;

/// Answers questions until standard input ends.
pub(crate) fn serve(args: &SolverArgs) -> Result<Status, Failure> {
    solve::serve(args.memory)?;
    Ok(Status::Success)
}

/// Processes of this program that answer questions, each with so many MB of memory.
pub(crate) fn start(memory: u64) -> Result<Shared, Failure> {
    let program = env::current_exe().map_err(Failure::Process)?;
    Ok(Shared::new(Isolated::new(program, vec!["solver".to_string(), format!("--memory={memory}")])))
}
