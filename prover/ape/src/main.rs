//! The command line: arguments and files come in, text and an exit status go out.
//!
//! Reports go to standard output, complaints to standard error.
//!
//! Invariant: only the modules below this one, and `smt::solve::process`, read or write anything outside the process.
//! Invariant: a bug of ours, that is a panic, ends in status 70 and never in a verdict; a failure of the environment in 74.

mod args;
mod beside;
mod limits;
mod load;
mod narrow;
mod signals;
mod status;
mod terminal;
mod threads;

mod certificate;
mod check;
mod doctor;
mod fmt;
mod fuzz;
mod replay;
mod run;
mod solver;
mod stability;
mod verify;

mod installation;

use args::{Args, Command};
use clap::Parser;
use clap::error::ErrorKind;
use status::{Failure, Status};
use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::thread;

/// Stack of the thread that does the work, in bytes. Every stage may recurse over the user's program.
const STACK: usize = 512 << 20;

/// Runs the command and returns its exit status.
pub(crate) fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return usage(&error).into(),
    };
    panic::set_hook(Box::new(report_bug));
    if let Err(error) = signals::survive_full_files() {
        return Failure::Signals(error).report().into();
    }
    let worker =
        thread::Builder::new().name("ape".to_string()).stack_size(STACK).spawn(move || dispatch(&args.command));
    let outcome = worker.map_err(Failure::Thread).and_then(|worker| worker.join().unwrap_or(Ok(Status::Internal)));
    outcome.unwrap_or_else(|failure| failure.report()).into()
}

fn dispatch(command: &Command) -> Result<Status, Failure> {
    let mut out = anstream::stdout().lock();
    let status = match command {
        Command::Verify(args) => verify::verify(args, &mut out),
        Command::Replay(args) => replay::replay(args, &mut out),
        Command::Check(args) => check::check(args, &mut out),
        Command::Fmt(args) => fmt::fmt(args, &mut out),
        Command::Run(args) => run::run(args, &mut out),
        Command::Fuzz(args) => fuzz::fuzz_pairs(args, &mut out),
        Command::Stability(args) => stability::stability(args, &mut out),
        Command::Doctor => doctor::doctor(&mut out),
        Command::Solver(args) => solver::serve(args),
    }?;
    out.flush()?;
    Ok(status)
}

/// Says in one line where the program broke its own rules.
fn report_bug(bug: &PanicHookInfo<'_>) {
    let place = bug.location().map_or_else(|| "an unknown place".to_string(), ToString::to_string);
    let text = bug.payload().downcast_ref::<&str>().copied();
    let text = text.or_else(|| bug.payload().downcast_ref::<String>().map(String::as_str));
    let message = text.unwrap_or("no message").replace('\n', " ");
    status::complain(&format!("internal error at {place}: {message}; please report it with the input that led here"));
}

/// Shows help, the version or what is wrong with the arguments.
fn usage(error: &clap::Error) -> Status {
    let asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    match error.print() {
        Ok(()) if asked_for => Status::Success,
        Err(error) if asked_for => Failure::Output(error).report(),
        _ => Status::Illegal,
    }
}
