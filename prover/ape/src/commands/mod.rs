//! The commands, one in each module: arguments come in, what was found goes out, and how the run ends.
//!
//! Invariant: standard output gets what was asked for, and nothing else.

mod check;
mod diff;
mod doctor;
mod fmt;
mod fuzz;
mod replay;
mod run;
mod solver;
mod stability;
mod verify;

use crate::args::Command;
use crate::status::{Failure, Status};
use std::io::Write;

/// Does what a command asks for.
pub(crate) fn dispatch(command: &Command, out: &mut impl Write) -> Result<Status, Failure> {
    match command {
        Command::Verify(args) => verify::verify(args, out),
        Command::Diff(args) => diff::diff(args, out),
        Command::Replay(args) => replay::replay(args, out),
        Command::Check(args) => check::check(args, out),
        Command::Fmt(args) => fmt::fmt(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Fuzz(args) => fuzz::fuzz_pairs(args, out),
        Command::Stability(args) => stability::stability(args, out),
        Command::Doctor => doctor::doctor(out),
        Command::Solver(args) => solver::serve(args),
    }
}
