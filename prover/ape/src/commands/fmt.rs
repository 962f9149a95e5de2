//! `ape fmt`: lays files out in the one usual way.
//!
//! Invariant: a file holds its old text or its new text at any time, and one that is not legal L is not touched.

use crate::args::FmtArgs;
use crate::files::load::{self, Written};
use crate::machine::{beside, input};
use crate::status::{Failure, Status};
use lang_l::print;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Lays out every file, whatever is wrong with the ones before it.
pub(crate) fn fmt(args: &FmtArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.files.iter().map(AsRef::as_ref))?;
    let mut status = Status::Success;
    for file in &args.files {
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

/// Writes a file beside the old one, then puts it in its place. A link stays a link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let prefix = beside::prefix(&path, ".", ".ape-");
    for left in beside::left_behind(&path, &prefix) {
        // What cannot be cleared away does no harm.
        let _ = fs::remove_file(left);
    }
    let beside = beside::own(&path, &prefix);
    let write = || -> io::Result<()> {
        let mut file = File::create_new(&beside)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::metadata(&path)?.permissions())?;
        file.sync_all()?;
        fs::rename(&beside, &path)
    };
    write().inspect_err(|_| {
        // What could not be written may not be there; the error worth telling is the first one.
        let _ = fs::remove_file(&beside);
    })
}
