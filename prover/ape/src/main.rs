//! The command line: arguments and files come in, text and an exit status go out.
//!
//! Reports go to standard output, complaints to standard error.
//!
//! Invariant: only the modules below this one, and `smt::solve::process`, read or write anything outside the process.
//! Invariant: a bug of ours, that is a panic, ends in status 70 and never in a verdict; a failure of the environment in 74.

// Blank lines keep the order of the stages; without them rustfmt sorts by name.
mod machine;

mod args;

mod status;

mod files;

mod solvers;

mod commands;

use args::{Args, Color, Command};
use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};
use machine::signals;
use machine::threads::STACK;
use status::{Failure, Status};
use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;
use std::thread;

/// Runs the command and returns its exit status.
pub(crate) fn main() -> ExitCode {
    let args = match parsed() {
        Ok(args) => args,
        Err(error) => return usage(&error).into(),
    };
    panic::set_hook(Box::new(report_bug));
    if let Err(error) = signals::survive_full_files() {
        return Failure::Signals(error).report().into();
    }
    let worker = thread::Builder::new().name("ape".to_string()).stack_size(STACK).spawn(move || work(&args.command));
    let outcome = worker.map_err(Failure::Thread).and_then(|worker| worker.join().unwrap_or(Ok(Status::Internal)));
    outcome.unwrap_or_else(|failure| failure.report()).into()
}

/// The arguments. Colours are as they ask for, in what is said of the arguments themselves too.
fn parsed() -> Result<Args, clap::Error> {
    let words: Vec<OsString> = env::args_os().collect();
    let (choice, own) = match Color::asked_for(words.iter().skip(1).map(OsString::as_os_str)) {
        Color::Auto => (anstream::ColorChoice::Auto, clap::ColorChoice::Auto),
        Color::Always => (anstream::ColorChoice::Always, clap::ColorChoice::Always),
        Color::Never => (anstream::ColorChoice::Never, clap::ColorChoice::Never),
    };
    choice.write_global();
    let matches = Args::command().color(own).try_get_matches_from(words)?;
    Args::from_arg_matches(&matches)
}

/// Does the work, with all output written when it ends.
fn work(command: &Command) -> Result<Status, Failure> {
    let mut out = anstream::stdout().lock();
    let status = commands::dispatch(command, &mut out)?;
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
