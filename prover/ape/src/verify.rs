//! `ape verify`: compares two versions, and reports.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::args::{self, Format, Stage, VerifyArgs};
use super::certificate;
use super::limits;
use super::load::{self, Loaded, Programs};
use super::signals;
use super::solver;
use super::status::{Failure, Status};
use super::terminal;
use super::threads::{each, workers};
use lang_l::hir_print;
use prover::certificate::Certificate;
use prover::lower::{Lowered, lower};
use prover::report::several::{self, Part};
use prover::report::text::{Detail, USUAL_WIDTH};
use prover::report::{self, Subject, dump};
use prover::verdict::Report;
use prover::verify::{self, Config};
use smt::solve::cvc5::{Cvc5, VARIABLE};
use smt::solve::{self, CrossCheck, QueryBudget, Shared, SolverFailure};
use smt::stop::Stopped;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

/// No question may take longer than such a part of a file's time, so that one over which the solver hangs leaves some for
/// what is not decided yet.
const QUESTIONS: u32 = 3;

/// Compares the versions. The status says how bad the worst verdict is.
pub(crate) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let paths: Vec<&Path> = args.files.iter().map(AsRef::as_ref).collect();
    load::at_most_one_is_standard_input(paths.iter().copied())?;
    if args.dump == Some(Stage::Ast) {
        for path in &paths {
            let (_, parsed) = load::parsed(path)?;
            if paths.len() > 1 {
                writeln!(out, "{}", heading(Stage::Ast, &load::name(path)))?;
            }
            writeln!(out, "{:#?}", parsed.file)?;
        }
        return Ok(Status::Success);
    }
    // First of all, so that it is ready when the first question is.
    let backend = solver::start(args.memory)?;
    signals::stop_on_interrupt(limits::interruption()).map_err(Failure::Signals)?;
    let loaded = match load::programs(&paths) {
        Ok(programs) => programs,
        Err(failures) => return complain_of(&failures),
    };
    let (programs, several) = match loaded {
        Programs::One(program) => (vec![program], false),
        Programs::Each(programs) => (programs, true),
    };
    let uneven: Vec<Failure> = programs.iter().filter_map(|program| uneven(program).err()).collect();
    if !uneven.is_empty() {
        return complain_of(&uneven);
    }
    let programs = selected(programs, &args.procedures)?;
    let at_once = workers(args.jobs, programs.len());
    if let Some(stage) = args.dump {
        let texts = each(args.jobs, &programs, |program| dump(program, stage, &config(args, &backend, at_once)))?;
        for (program, text) in programs.iter().zip(texts) {
            if several {
                writeln!(out, "{}", heading(stage, name(program)))?;
            }
            write!(out, "{text}")?;
        }
        return Ok(Status::Success);
    }
    let second = if args.cross_check { Some(second_solver()?) } else { None };
    let directories = directories(args, &programs, several)?;
    let verified = each(args.jobs, &programs, |program| {
        let report = verify::verify(&program.unit, &config(args, &backend, at_once));
        let made = args.certificate.is_some().then(|| {
            let made = prover::certificate::make(&program.unit, &program.sources, &report);
            made.map_err(|refusal| Failure::Internal(format!("no certificate: {refusal}")))
        });
        (report, made)
    })?;
    let (mut reports, made): (Vec<Report>, Vec<Option<Result<Certificate, Failure>>>) = verified.into_iter().unzip();
    if let Some(cvc5) = second {
        for report in &mut reports {
            report.cross_check = Some(agreeing(&cvc5, report)?);
        }
    }
    let parts: Vec<Part<'_>> = programs
        .iter()
        .zip(&reports)
        .map(|(program, report)| Part {
            file: name(program),
            subject: Subject { unit: &program.unit, sources: &program.sources, report },
        })
        .collect();
    let detail = Detail { explain: args.explain, width: terminal::width().unwrap_or(USUAL_WIDTH) };
    match (args.format, parts.as_slice()) {
        (Format::Text, [Part { subject, .. }]) if !several => {
            write!(out, "{}", report::text::report(*subject, detail))?
        }
        (Format::Json, [Part { subject, .. }]) if !several => writeln!(out, "{:#}", report::json::report(*subject))?,
        (Format::Text, parts) => write!(out, "{}", several::text(parts, detail))?,
        (Format::Json, parts) => writeln!(out, "{:#}", several::json(parts))?,
    }
    for (directory, made) in directories.iter().zip(made.into_iter().flatten()) {
        certificate::save(directory, &made?)?;
    }
    Ok(status(several::overall(&reports), args.partial))
}

/// Tells all that is wrong with what was given.
fn complain_of(failures: &[Failure]) -> Result<Status, Failure> {
    let mut status = Status::Illegal;
    for failure in failures {
        status = failure.report();
    }
    Ok(status)
}

/// What a program is called: its file, or the first of two.
fn name(program: &Loaded) -> &str {
    program.sources.iter().next().map_or("", |(_, source)| &source.name)
}

fn uneven(program: &Loaded) -> Result<(), Failure> {
    let count = program.unit.versions.len();
    if count == 2 {
        return Ok(());
    }
    Err(Failure::Usage(format!("verify compares two versions, but there is {count} in {}", name(program))))
}

/// The programs that have one of the procedures that were asked for; all when none was.
fn selected(programs: Vec<Loaded>, procedures: &[String]) -> Result<Vec<Loaded>, Failure> {
    let has = |program: &Loaded, name: &String| program.unit.versions.iter().any(|v| v.find(name).is_some());
    if let Some(unknown) = procedures.iter().find(|name| !programs.iter().any(|program| has(program, name))) {
        return Err(Failure::Usage(format!("there is no procedure {unknown}")));
    }
    let wanted = |program: &Loaded| procedures.is_empty() || procedures.iter().any(|name| has(program, name));
    Ok(programs.into_iter().filter(wanted).collect())
}

/// Where the certificates go, one for each program, if they are wanted and may be written there: of several programs into
/// directories named after the files.
fn directories(args: &VerifyArgs, programs: &[Loaded], several: bool) -> Result<Vec<PathBuf>, Failure> {
    let Some(directory) = &args.certificate else { return Ok(Vec::new()) };
    if args.strategy == args::Strategy::Paper {
        return Err(Failure::Usage("a certificate holds no quantifiers, as the paper's strategy needs".into()));
    }
    let mut directories = vec![directory.clone()];
    if several {
        certificate::may_hold_others(directory)?;
        let last = |program| Path::new(name(program)).file_name().unwrap_or_default();
        directories = programs.iter().map(|program| directory.join(last(program))).collect();
        let mut taken = BTreeSet::new();
        if let Some(twice) = directories.iter().find(|directory| !taken.insert(*directory)) {
            return Err(Failure::Usage(format!("the certificates of two files would go to {}", twice.display())));
        }
    }
    directories.iter().try_for_each(|directory| certificate::replaceable(directory))?;
    Ok(directories)
}

/// A cvc5, which must be there when it is asked for.
pub(super) fn second_solver() -> Result<Cvc5, Failure> {
    let missing = || {
        Failure::Usage(format!(
            "cvc5 was not found: put the program on the PATH, or `pip install cvc5`, or name either it or its Python in {VARIABLE}"
        ))
    };
    Cvc5::find().ok_or_else(missing)
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

/// What the arguments ask for, of a program that is begun now and is one of so many at work.
fn config(args: &VerifyArgs, backend: &Shared, at_once: usize) -> Config {
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
        backend: backend.clone(),
        ..Config::default()
    }
}

/// A line over what a stage made of one of several files; a comment, where the text is to be read by a program.
fn heading(stage: Stage, file: &str) -> String {
    match stage {
        Stage::Ast | Stage::Hir | Stage::Lowered => format!("// {file}"),
        Stage::Smt2 => format!("; {file}"),
        Stage::Effects | Stage::Paths | Stage::Obligations => format!("== {file}"),
    }
}

/// What a stage makes of the program; that it was given up, where it was.
fn dump(program: &Loaded, stage: Stage, config: &Config) -> String {
    let whole = config.stop.run(|| whole_dump(program, stage, config));
    whole.unwrap_or_else(|Stopped(reason)| format!("{}\n", heading(stage, &reason.to_string())))
}

fn whole_dump(Loaded { unit, sources }: &Loaded, stage: Stage, config: &Config) -> String {
    let alone = |lowered: &Lowered| prover::analysis::analyse(lowered, &mut config.solver()).effects;
    match stage {
        // The trees were printed before they were resolved.
        Stage::Ast => String::new(),
        Stage::Hir => hir_print::print(unit),
        Stage::Lowered => hir_print::print(lower(unit).as_unit()),
        Stage::Effects | Stage::Paths => {
            let lowered = lower(unit);
            let [left, right] = &alone(&lowered);
            match stage {
                Stage::Effects => dump::effects(&lowered, [left, right], &config.procedures),
                _ => dump::paths(&lowered, sources, [left, right], &config.procedures),
            }
        }
        Stage::Obligations => dump::obligations(&lower(unit), sources, &verify::verify(unit, config).queries),
        Stage::Smt2 => dump::queries(&verify::verify(unit, config).queries),
    }
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
