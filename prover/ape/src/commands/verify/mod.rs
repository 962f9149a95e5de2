//! `ape verify`: compares two versions, and reports.
//!
//! 1. [`programs`]: which programs there are to compare.
//! 2. [`dump`]: what a stage makes of them, where that was asked for; then all ends here.
//! 3. Each is verified, perhaps with a [`certificate`](certificates), and cvc5 is asked for a second opinion.
//! 4. The report is printed, and the certificates are written.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output, and with `--format html` nothing but one page.

pub(super) mod page;
pub(super) mod programs;

mod certificates;
mod dump;

use crate::args::{self, ReportFormat, Stage, VerifyArgs};
use crate::files::load;
use crate::machine::threads::{self, workers};
use crate::machine::{limits, terminal};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use programs::Chosen;
use prover::report::several::{self, Part};
use prover::report::text::{Detail, USUAL_WIDTH};
use prover::report::{self, Subject};
use prover::verdict::Report;
use prover::verify::{self, Config};
use smt::solve::cvc5::Cvc5;
use smt::solve::{self, CrossCheck, QueryBudget, Shared, SolverFailure};
use std::io::Write;
use std::path::Path;
use std::time::Duration;
use std::{env, fs, process};

/// No question may take longer than such a part of a file's time, so that one over which the solver hangs leaves some for
/// what is not decided yet.
const QUESTIONS: u32 = 3;

/// Compares the versions. The status says how bad the worst verdict is.
pub(crate) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Status, Failure> {
    if args.dump == Some(Stage::Ast) {
        let paths: Vec<&Path> = args.files.iter().map(AsRef::as_ref).collect();
        load::at_most_one_is_standard_input(paths.iter().copied())?;
        dump::trees(&paths, out)?;
        return Ok(Status::Success);
    }
    let choose = |paths: &[&Path]| programs::chosen(paths, &args.procedures);
    let (backend, chosen) = match programs::begin(&args.files, args.memory, choose)? {
        Ok(begun) => begun,
        Err(status) => return Ok(status),
    };
    let run = Run { args, backend, chosen };
    match args.dump {
        Some(stage) => dump::programs(&run, stage, out).map(|()| Status::Success),
        None => run.compare(out),
    }
}

/// What is to be done: the arguments, who answers questions, and the programs.
struct Run<'a> {
    args: &'a VerifyArgs,
    backend: Shared,
    chosen: Chosen,
}

impl Run<'_> {
    /// Verifies, reports, and writes the certificates that are wanted.
    fn compare(&self, out: &mut impl Write) -> Result<Status, Failure> {
        let second = if self.args.cross_check { Some(solvers::second_solver()?) } else { None };
        let directories = certificates::directories(self.args, &self.chosen)?;
        let verified = self.each(|program, config| {
            let report = verify::verify(&program.unit, config);
            let made = self.args.certificate.is_some().then(|| certificates::make(program, &report));
            (report, made)
        })?;
        let (mut reports, made): (Vec<_>, Vec<_>) = verified.into_iter().unzip();
        if let Some(cvc5) = second {
            for report in &mut reports {
                report.cross_check = Some(agreeing(&cvc5, report)?);
            }
        }
        self.report(&reports, out)?;
        for (directory, made) in directories.iter().zip(made.into_iter().flatten()) {
            certificates::save(directory, &made?)?;
        }
        Ok(status(several::overall(&reports), self.args.partial))
    }

    /// Does something with each program, several at once, under the bounds of the arguments.
    fn each<T: Send>(&self, work: impl Fn(&Loaded, &Config) -> T + Sync) -> Result<Vec<T>, Failure> {
        let (jobs, programs) = (self.args.jobs, &self.chosen.programs);
        let at_once = workers(jobs, programs.len());
        let done = threads::each(jobs, programs, |program| work(program, &self.config(at_once)));
        done.map_err(Failure::Thread)
    }

    /// What the arguments ask for, of a program that is begun now and is one of so many at work.
    fn config(&self, at_once: usize) -> Config {
        let args = self.args;
        let limit = Duration::from_secs(args.timeout);
        let strategy = match args.strategy {
            args::Strategy::Default => verify::Strategy::Default,
            args::Strategy::Paper => verify::Strategy::Paper,
        };
        Config {
            procedures: args.procedures.clone(),
            budget: QueryBudget { clock: limit / QUESTIONS, ..QueryBudget::default() },
            strategy,
            stop: limits::stop(limit, args.memory, at_once),
            explain: args.explain,
            backend: self.backend.clone(),
            ..Config::default()
        }
    }

    /// Prints what was found of the programs.
    fn report(&self, reports: &[Report], out: &mut impl Write) -> Result<(), Failure> {
        let programs = self.chosen.programs.iter();
        let parts: Vec<Part<'_>> = programs
            .zip(reports)
            .map(|(program, report)| {
                let Loaded { unit, sources } = program;
                Part { file: programs::name(program), subject: Subject { unit, sources, report } }
            })
            .collect();
        let detail = Detail { explain: self.args.explain, width: terminal::width().unwrap_or(USUAL_WIDTH) };
        match (self.args.format, parts.as_slice()) {
            (ReportFormat::Text, [Part { subject, .. }]) if !self.chosen.several => {
                write!(out, "{}", report::text::report(*subject, detail))?
            }
            (ReportFormat::Json, [Part { subject, .. }]) if !self.chosen.several => {
                writeln!(out, "{:#}", report::json::report(*subject))?
            }
            (ReportFormat::Text, parts) => write!(out, "{}", several::text(parts, detail))?,
            (ReportFormat::Html, parts) => write!(out, "{}", page::page(parts, &self.config(1)))?,
            (ReportFormat::Json, parts) => writeln!(out, "{:#}", several::json(parts))?,
        }
        Ok(())
    }
}

/// What cvc5 says of all that was proved. That it disagrees is an internal error; the query is kept, and no verdict is given.
fn agreeing(cvc5: &Cvc5, report: &Report) -> Result<CrossCheck, Failure> {
    let check = solve::cross_check(cvc5, &report.queries).map_err(|SolverFailure(cause)| Failure::Solver(cause))?;
    let Some(query) = check.disagreed.first() else { return Ok(check) };
    let path = env::temp_dir().join(format!("ape-disagreement-{}.smt2", process::id()));
    fs::write(&path, &query.smt2).map_err(|error| Failure::write(&path, error))?;
    let what = format!("{} does not agree that {}; see {}", check.solver, query.tag, path.display());
    Err(Failure::Internal(what))
}

fn status(overall: &str, partial_counts: bool) -> Status {
    match overall {
        "none" => Status::NothingSelected,
        "equivalent" => Status::Success,
        "partially-equivalent" if partial_counts => Status::Success,
        "partially-equivalent" | "unknown" => Status::Undecided,
        _ => Status::Failed,
    }
}
