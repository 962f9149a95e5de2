//! `ape client`: who notices what was changed.
//!
//! In: files with two versions, or a client with two libraries. Out: for each client whether it does the same in both.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::verify::certificates;
use super::verify::programs::{self, Chosen};
use crate::args::{ClientArgs, Format};
use crate::machine::threads::{self, workers};
use crate::machine::{limits, terminal};
use crate::status::{Failure, Status};
use lang_l::Loaded;
use prover::Config;
use prover::diff::client::claimed::claimed;
use prover::diff::client::{self, Asked, Client, ClientReport};
use prover::report::text::USUAL_WIDTH;
use smt::solve::{QueryBudget, Shared};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// No question may take longer than such a part of a file's time.
const QUESTIONS: u32 = 3;

/// Looks at clients. The status says how bad the worst verdict is.
pub(crate) fn client(args: &ClientArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let names: Vec<String> = args.clients.iter().chain(&args.libraries).cloned().collect();
    let choose = |paths: &[&Path]| programs::of_clients(paths, &names);
    let (backend, chosen) = match programs::begin(&args.files, args.memory, choose)? {
        Ok(begun) => begun,
        Err(status) => return Ok(status),
    };
    let asked = asked(args, &chosen)?;
    let directories = match &args.certificate {
        Some(directory) => certificates::of_programs(directory, &chosen)?,
        None => Vec::new(),
    };
    let at_once = workers(args.jobs, chosen.programs.len());
    let examined = |program: &Loaded| client::client(program, &config(args, &backend, at_once), &asked);
    let reports = threads::each(args.jobs, &chosen.programs, examined).map_err(Failure::Thread)?;
    print(args, &chosen, &reports, out)?;
    for (at, directory) in directories.iter().enumerate() {
        certify((&chosen.programs[at], &reports[at]), directory, &config(args, &backend, at_once))?;
    }
    Ok(status(&reports))
}

/// Writes the certificate of what is said of the clients of a program; of none there is nothing to write.
fn certify((program, report): (&Loaded, &ClientReport), directory: &Path, config: &Config) -> Result<(), Failure> {
    let Some(claimed) = claimed(&program.unit, report, config) else { return Ok(()) };
    certificates::save(directory, &certificates::make_of_clients(program, &claimed)?)
}

/// Whom the question is about, if it can be asked.
fn asked(args: &ClientArgs, chosen: &Chosen) -> Result<Asked, Failure> {
    let (clients, libraries) = (args.clients.clone(), args.libraries.clone());
    let asked = Asked { clients, libraries, boundaries: args.boundaries };
    let wrong = chosen.programs.iter().flat_map(|program| client::changed_clients(&program.unit, &asked)).next();
    match wrong {
        None => Ok(asked),
        Some(name) => Err(Failure::Usage(format!(
            "{name} is not the same code in both versions, so it is no client; compare it with `ape verify` or `ape diff`"
        ))),
    }
}

/// What the arguments ask for, of a program that is begun now and is one of so many at work.
fn config(args: &ClientArgs, backend: &Shared, at_once: usize) -> Config {
    let limit = Duration::from_secs(args.timeout);
    Config {
        budget: QueryBudget { clock: limit / QUESTIONS, ..QueryBudget::default() },
        stop: limits::stop(limit, args.memory, at_once),
        backend: backend.clone(),
        ..Config::default()
    }
}

fn print(args: &ClientArgs, chosen: &Chosen, reports: &[ClientReport], out: &mut impl Write) -> Result<(), Failure> {
    let parts = || chosen.programs.iter().zip(reports);
    match args.format {
        Format::Text => {
            let width = terminal::width().unwrap_or(USUAL_WIDTH);
            for (program, report) in parts() {
                if chosen.several {
                    writeln!(out, "{}", programs::name(program))?;
                }
                write!(out, "{}", client::report::text(program, report, args.boundaries, width))?;
                if report.clients.is_empty() {
                    writeln!(out, "no client calls what was changed")?;
                }
            }
        }
        Format::Json => {
            let each = parts().map(|(program, report)| client::report::json(program, report)).collect();
            programs::print_json(chosen, each, out)?;
        }
    }
    Ok(())
}

/// Of several clients the worst counts.
fn status(reports: &[ClientReport]) -> Status {
    let clients = || reports.iter().flat_map(|report| &report.clients);
    let verdict = |client: &Client| client.verdict;
    if clients().next().is_none() {
        Status::NothingSelected
    } else if clients().map(verdict).any(|word| matches!(word, "not-equivalent" | "contract-violation")) {
        Status::Failed
    } else if clients().map(verdict).all(|word| word == "equivalent") {
        Status::Success
    } else {
        Status::Undecided
    }
}
