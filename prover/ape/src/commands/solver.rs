//! `ape solver`: a solver process.
//!
//! Nobody calls it by hand: `ape verify` starts it, so that a crash of Z3 is not a crash of `ape`.

use crate::args::SolverArgs;
use crate::status::{Failure, Status};
use smt::solve;

/// Answers questions until standard input ends.
pub(crate) fn serve(args: &SolverArgs) -> Result<Status, Failure> {
    solve::serve(args.memory)?;
    Ok(Status::Success)
}
