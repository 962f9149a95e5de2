//! The commands, one in each module: arguments come in, what was found goes out, and how the run ends.
//!
//! Invariant: standard output gets what was asked for, and nothing else.

mod check;
mod client;
mod diff;
mod doctor;
mod explain;
mod fmt;
mod fuzz;
mod lsp;
mod picture;
mod replay;
mod run;
mod schema;
mod serve;
mod shell;
mod solver;
mod stability;
mod test;
mod verify;
mod watch;

use crate::args::Command;
use crate::args::report::ReportCommand;
use crate::status::{Failure, Status};
use std::io::Write;

/// Does what a command asks for.
pub(crate) fn dispatch(command: &Command, out: &mut impl Write) -> Result<Status, Failure> {
    match command {
        Command::Verify(args) => verify::verify(args, out),
        Command::Diff(args) => diff::diff(args, out),
        Command::Client(args) => client::client(args, out),
        Command::Replay(args) => replay::replay(args, out),
        Command::Check(args) => check::check(args, out),
        Command::Fmt(args) => fmt::fmt(args, out),
        Command::Run(args) => run::run(args, out),
        Command::Fuzz(args) => fuzz::fuzz_pairs(args, out),
        Command::Stability(args) => stability::stability(args, out),
        Command::Test(args) => test::test(args, out),
        Command::Report(args) => match &args.command {
            ReportCommand::Merge(args) => test::merge::merge(args, out),
        },
        Command::Lsp(args) => lsp::serve(args, out),
        Command::Completions(args) => shell::completions(args, out),
        Command::Man(args) => shell::man(args, out),
        Command::Schema(args) => schema::schema(args, out),
        Command::Explain(args) => explain::explain(args, out),
        Command::Picture(args) => picture::picture(args, out),
        Command::Doctor => doctor::doctor(out),
        Command::Solver(args) => solver::serve(args),
        Command::Serve(args) => serve::serve(args, out),
        Command::Judge => serve::judge(out),
    }
}
