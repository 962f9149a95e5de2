//! `ape verify`: compares two versions, and reports.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::STACK;
use super::args::{self, Format, Stage, VerifyArgs};
use super::certificate;
use super::load::{self, Loaded};
use super::solver;
use super::status::{Failure, Status};
use lang_l::hir::Unit;
use lang_l::hir_print;
use prover::lower::lower;
use prover::report::text::Detail;
use prover::report::{self, Subject, dump};
use prover::solve::cvc5::{Cvc5, VARIABLE};
use prover::solve::{self, Breakdown, Budget, CrossCheck};
use prover::verdict::Report;
use prover::verify::{self, Config};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs, process};

/// Compares the versions. The status says how bad the worst verdict is.
pub(crate) fn verify(args: &VerifyArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let paths: Vec<&Path> = args.files.iter().map(AsRef::as_ref).collect();
    if args.dump == Some(Stage::Ast) {
        for path in paths {
            let (_, parsed) = load::parsed(path)?;
            writeln!(out, "{:#?}", parsed.file)?;
        }
        return Ok(Status::Success);
    }
    // First of all, so that it is ready when the first question is.
    let backend = solver::start(args.memory)?;
    let loaded = load::load(&paths)?;
    if loaded.unit.versions.len() != 2 {
        let count = loaded.unit.versions.len();
        return Err(Failure::Usage(format!(
            "verify compares two versions, but there is {count} in {}",
            load::name(paths[0])
        )));
    }
    let config = Config { backend, ..config(&loaded.unit, args)? };
    if let Some(stage) = args.dump {
        let text = in_threads(args.jobs, || dump(&loaded, stage, &config))?;
        write!(out, "{text}")?;
        return Ok(Status::Success);
    }
    let second = if args.cross_check { Some(second_solver()?) } else { None };
    if args.certificate.is_some() && config.strategy == verify::Strategy::Paper {
        return Err(Failure::Usage("a certificate holds no quantifiers, as the paper's strategy needs".into()));
    }
    if let Some(directory) = &args.certificate {
        certificate::replaceable(directory)?;
    }
    let mut report = in_threads(args.jobs, || verify::verify(&loaded.unit, &config))?;
    if let Some(cvc5) = second {
        report.cross_check = Some(agreeing(&cvc5, &report)?);
    }
    let made = match &args.certificate {
        Some(directory) => {
            let Loaded { unit, sources } = &loaded;
            let made = in_threads(args.jobs, || prover::certificate::make(unit, sources, &report))?;
            Some((directory, made.map_err(|refusal| Failure::Internal(format!("no certificate: {refusal}")))))
        }
        None => None,
    };
    let subject = Subject { unit: &loaded.unit, sources: &loaded.sources, report: &report };
    match args.format {
        Format::Text => write!(out, "{}", report::text::report(subject, Detail { explain: args.explain }))?,
        Format::Json => writeln!(out, "{:#}", report::json::report(subject))?,
    }
    if let Some((directory, made)) = made {
        certificate::save(directory, &made?)?;
    }
    Ok(status(&report, args.partial))
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
    let check = solve::cross_check(cvc5, &report.queries).map_err(|Breakdown(cause)| Failure::Usage(cause))?;
    let Some(query) = check.disagreed.first() else { return Ok(check) };
    let path = env::temp_dir().join(format!("ape-disagreement-{}.smt2", process::id()));
    fs::write(&path, &query.smt2).map_err(|error| Failure::write(&path, error))?;
    let what = format!("{} does not agree that {}; see {}", check.solver, query.tag, path.display());
    Err(Failure::Internal(what))
}

/// What the arguments ask for.
fn config(unit: &Unit, args: &VerifyArgs) -> Result<Config, Failure> {
    let known = |name: &String| unit.versions.iter().any(|version| version.find(name).is_some());
    if let Some(unknown) = args.procedures.iter().find(|name| !known(name)) {
        return Err(Failure::Usage(format!("there is no procedure {unknown}")));
    }
    let limit = Duration::from_secs(args.timeout);
    let deadline = Instant::now().checked_add(limit);
    let budget = Budget { clock: limit, ..Budget::default() };
    let strategy = match args.strategy {
        args::Strategy::Default => verify::Strategy::Default,
        args::Strategy::Paper => verify::Strategy::Paper,
    };
    let procedures = args.procedures.clone();
    Ok(Config { procedures, budget, strategy, deadline, explain: args.explain, ..Config::default() })
}

/// Does the work with so many threads.
pub(super) fn in_threads<T: Send>(jobs: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(threads(jobs)?.install(work))
}

/// So many threads, each with a stack for deep terms.
pub(super) fn threads(jobs: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.map_or(0, NonZeroUsize::get)).stack_size(STACK).build();
    pool.map_err(|error| Failure::Thread(io::Error::other(error)))
}

/// What a stage makes of the program.
fn dump(Loaded { unit, sources }: &Loaded, stage: Stage, config: &Config) -> String {
    let alone = |lowered: &Unit| verify::alone(lowered, &mut config.solver()).facts;
    match stage {
        // The trees were printed before they were resolved.
        Stage::Ast => String::new(),
        Stage::Hir => hir_print::print(unit),
        Stage::Lowered => hir_print::print(&lower(unit)),
        Stage::Facts | Stage::Paths => {
            let lowered = lower(unit);
            let [left, right] = &alone(&lowered);
            match stage {
                Stage::Facts => dump::facts(&lowered, [left, right], &config.procedures),
                _ => dump::paths(&lowered, sources, [left, right], &config.procedures),
            }
        }
        Stage::Obligations => dump::obligations(&verify::verify(unit, config).queries),
        Stage::Smt2 => dump::queries(&verify::verify(unit, config).queries),
    }
}

fn status(report: &Report, partial_counts: bool) -> Status {
    match report::overall(report) {
        "none" => Status::NothingSelected,
        "equivalent" => Status::Success,
        "partially-equivalent" if partial_counts => Status::Success,
        "partially-equivalent" | "unknown" => Status::Undecided,
        _ => Status::Failed,
    }
}
