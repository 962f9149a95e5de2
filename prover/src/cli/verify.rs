//! `ape verify`: compares two versions, and reports.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use super::args::{Stage, VerifyArgs};
use super::load::{self, Loaded};
use super::status::{Failure, Status};
use lang_l::hir_print;
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
    let Loaded { unit, .. } = load::load(&paths)?;
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
    // Here: prover::verify(&unit, &sources, &config), the report in the form asked for, and its status.
    Ok(Status::NothingSelected)
}
