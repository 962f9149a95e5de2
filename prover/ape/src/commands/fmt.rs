//! `ape fmt`: lays files out in the one usual way.
//!
//! Invariant: a file holds its old text or its new text at any time, and one that is not legal L is not touched.

use crate::args::FmtArgs;
use crate::files::folder::spread;
use crate::files::load::{self, Written};
use crate::files::replace::replace;
use crate::machine::input;
use crate::status::{Failure, Status};
use lang_l::print;
use std::io::Write;
use std::path::Path;

/// Lays out every file, whatever is wrong with the ones before it.
pub(crate) fn fmt(args: &FmtArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.files.iter().map(AsRef::as_ref))?;
    let mut status = Status::Success;
    for file in &spread(&args.files)? {
        match fmt_file(file, args.check, out) {
            Ok(Status::Success) => {}
            Ok(other) if status == Status::Success => status = other,
            Ok(_) => {}
            Err(Failure::Output(error)) => return Err(Failure::Output(error)),
            Err(failure) => status = failure.report(),
        }
    }
    Ok(status)
}

fn fmt_file(path: &Path, check: bool, out: &mut impl Write) -> Result<Status, Failure> {
    let Written { sources, id, parsed } = load::parsed(path)?;
    let old = &sources.get(id).text;
    let new = print::print(&parsed.file, &parsed.comments);
    if check {
        if new == *old {
            return Ok(Status::Success);
        }
        writeln!(out, "{}", input::name(path))?;
        return Ok(Status::Failed);
    }
    if input::is_standard_input(path) {
        out.write_all(new.as_bytes())?;
    } else if new != *old {
        replace(path, &new).map_err(|error| Failure::write(path, error))?;
    }
    Ok(Status::Success)
}
