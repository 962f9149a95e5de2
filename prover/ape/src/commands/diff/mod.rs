//! `ape diff`: how two versions differ.
//!
//! In: files with two versions. Out: for each pair from which stores on entry they are equal, differ, or one ends.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::verify::certificates;
use super::verify::programs::{self, Chosen};
use super::watch::{self, Lines, Roots, Round};
use crate::args::{DiffArgs, Format};
use crate::machine::limits;
use crate::machine::threads::{self, workers};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use prover::Config;
use prover::diff::{self, DiffReport, Manner, at};
use prover::verify::verify;
use smt::solve::{QueryBudget, Shared};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// No question may take longer than such a part of a file's time.
const QUESTIONS: u32 = 3;

/// Compares the versions. The status says whether something differs.
pub(crate) fn diff(args: &DiffArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let choose = |paths: &[&Path]| programs::chosen(paths, &args.procedures);
    if args.watch {
        let lines = if args.format == Format::Text { Lines::Output } else { Lines::Error };
        let roots = Roots::files(&args.files)?;
        let backend = solvers::start(args.memory)?;
        return watch::repeat(&|| roots.clone(), lines, out, |round, out| match programs::legal(&args.files, choose) {
            Ok(chosen) => compare(args, &backend, &chosen, round, out),
            Err(status) => Ok(status),
        });
    }
    match programs::begin(&args.files, args.memory, choose)? {
        Ok((backend, chosen)) => compare(args, &backend, &chosen, &Round::only(), out),
        Err(status) => Ok(status),
    }
}

/// Compares the versions of some programs.
fn compare(
    args: &DiffArgs,
    backend: &Shared,
    chosen: &Chosen,
    round: &Round,
    out: &mut impl Write,
) -> Result<Status, Failure> {
    let manner = Manner { partial: args.partial, predicates: args.predicates.clone() };
    if let Some(text) = unreadable(chosen, &manner) {
        return Err(Failure::Usage(format!(
            "no pair can be asked whether {text}: it is no test of arguments and globals"
        )));
    }
    let directories = match &args.certificate {
        Some(directory) => certificates::of_programs(directory, chosen)?,
        None => Vec::new(),
    };
    let at_once = workers(args.jobs, chosen.programs.len());
    let compared = |program: &Loaded| match args.at {
        None => Ok((None, diff::diff(program, &config(args, backend, round, at_once), &manner))),
        Some(lines) => at::places(program, lines).map(|places| {
            let report = at::diff_at(&places, &config(args, backend, round, at_once), &manner);
            (Some(places.program), report)
        }),
    };
    let compared = threads::each(args.jobs, &chosen.programs, compared).map_err(Failure::Thread)?;
    let compared: Vec<_> = compared.into_iter().collect::<Result<_, String>>().map_err(Failure::Usage)?;
    let (made, reports): (Vec<Option<Loaded>>, Vec<DiffReport>) = compared.into_iter().unzip();
    if round.is_overtaken() {
        return Ok(Status::Undecided);
    }
    let programs = chosen.programs.iter().zip(&made).map(|(written, made)| made.as_ref().unwrap_or(written)).collect();
    print(args, (chosen, programs), &reports, out)?;
    for (at, directory) in directories.iter().enumerate() {
        certify((&chosen.programs[at], &reports[at]), directory, &config(args, backend, round, at_once))?;
    }
    Ok(status(&reports))
}

/// Writes the certificate of what was found equal, and of the stores that differ: that of the program which claims it.
fn certify((program, report): (&Loaded, &DiffReport), directory: &Path, config: &Config) -> Result<(), Failure> {
    let Some(claimed) = diff::claimed(program, report) else {
        return Err(Failure::Internal("what was found cannot be claimed of the program".into()));
    };
    let verified = verify(&claimed.unit, config);
    certificates::save(directory, &certificates::make(&claimed, &verified)?)
}

/// The first test that was given and says nothing of any program.
fn unreadable<'m>(chosen: &Chosen, manner: &'m Manner) -> Option<&'m String> {
    let each: Vec<Option<&String>> = chosen.programs.iter().map(|program| diff::unreadable(program, manner)).collect();
    each.into_iter().collect::<Option<Vec<_>>>()?.into_iter().next()
}

/// What the arguments ask for, of a program that is begun now and is one of so many at work.
fn config(args: &DiffArgs, backend: &Shared, round: &Round, at_once: usize) -> Config {
    let limit = Duration::from_secs(args.timeout);
    Config {
        procedures: args.procedures.clone(),
        budget: QueryBudget { clock: limit / QUESTIONS, ..QueryBudget::default() },
        stop: limits::stop_under(&round.stop, limit, args.memory, at_once),
        backend: backend.clone(),
        ..Config::default()
    }
}

/// Prints what was found of the programs: those that were chosen, or what was made of them.
fn print(
    args: &DiffArgs,
    (chosen, programs): (&Chosen, Vec<&Loaded>),
    reports: &[DiffReport],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let parts = || programs.iter().zip(reports);
    match args.format {
        Format::Text => {
            for (program, report) in parts() {
                if chosen.several {
                    writeln!(out, "{}", programs::name(program))?;
                }
                write!(out, "{}", diff::report::text(program, report, args.rows))?;
                if report.pairs.is_empty() {
                    writeln!(out, "nothing to compare: no procedure is in both versions")?;
                }
            }
        }
        Format::Json => {
            let each = parts().map(|(program, report)| diff::report::json(program, report)).collect();
            programs::print_json(chosen, each, out)?;
        }
    }
    Ok(())
}

/// Of several files the worst counts.
fn status(reports: &[DiffReport]) -> Status {
    let pairs = || reports.iter().flat_map(|report| &report.pairs);
    if pairs().next().is_none() {
        Status::NothingSelected
    } else if pairs().any(diff::PairDiff::differs) {
        Status::Failed
    } else if pairs().all(diff::PairDiff::is_complete) {
        Status::Success
    } else {
        Status::Undecided
    }
}
