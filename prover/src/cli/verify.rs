//! `ape verify`: compares two versions, and reports.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::STACK;
use super::args::{self, Format, Stage, VerifyArgs};
use super::load::{self, Loaded};
use super::solver;
use super::status::{Failure, Status};
use lang_l::hir::Unit;
use lang_l::hir_print;
use prover::lower::lower;
use prover::report::text::Detail;
use prover::report::{self, Subject, dump};
use prover::solve::Budget;
use prover::verdict::Report;
use prover::verify::{self, Config};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::{Duration, Instant};

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
    let report = in_threads(args.jobs, || verify::verify(&loaded.unit, &config))?;
    let subject = Subject { unit: &loaded.unit, sources: &loaded.sources, report: &report };
    match args.format {
        Format::Text => write!(out, "{}", report::text::report(subject, Detail { explain: args.explain }))?,
        Format::Json => writeln!(out, "{:#}", report::json::report(subject))?,
    }
    Ok(status(&report, args.partial))
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

/// Does the work with so many threads, each with a stack for deep terms.
pub(super) fn in_threads<T: Send>(jobs: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.map_or(0, NonZeroUsize::get)).stack_size(STACK).build();
    let pool = pool.map_err(|error| Failure::Thread(io::Error::other(error)))?;
    Ok(pool.install(work))
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
