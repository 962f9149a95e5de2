//! `ape verify`: compares two versions, and reports.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::args::{Format, Stage, VerifyArgs};
use super::load::{self, Loaded};
use super::status::{Failure, Status};
use lang_l::hir_print;
use prover::verdict::Report;
use prover::verdict::report::{self, Subject};
use prover::verify::{self, Config};
use std::io::Write;
use std::path::Path;

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
    let Loaded { unit, sources } = load::load(&paths)?;
    if args.dump == Some(Stage::Hir) {
        write!(out, "{}", hir_print::print(&unit))?;
        return Ok(Status::Success);
    }
    if unit.versions.len() != 2 {
        let count = unit.versions.len();
        return Err(Failure::Usage(format!(
            "verify compares two versions, but there is {count} in {}",
            load::name(paths[0])
        )));
    }
    let config = Config { procedures: args.procedures.clone(), ..Config::default() };
    for name in &config.procedures {
        if unit.versions.iter().all(|version| version.find(name).is_none()) {
            return Err(Failure::Usage(format!("there is no procedure {name}")));
        }
    }
    let report = verify::verify(&unit, &config);
    let subject = Subject { unit: &unit, sources: &sources, report: &report };
    match args.format {
        Format::Text => write!(out, "{}", report::text::report(subject))?,
        Format::Json => writeln!(out, "{:#}", report::json::report(subject))?,
    }
    Ok(status(&report, args.partial))
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
