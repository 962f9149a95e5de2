//! `ape check`: says of each file whether it is legal L.

use crate::args::CheckArgs;
use crate::files::load;
use crate::machine::input;
use crate::status::{Failure, Status};
use prover::report::count;
use std::io::Write;

/// Looks at every file, whatever is wrong with the ones before it.
pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.files.iter().map(AsRef::as_ref))?;
    let mut status = Status::Success;
    for file in &args.files {
        match load::load(&[file]) {
            Ok(loaded) => {
                let procedures = loaded.unit.versions.iter().map(|version| version.procedures.len()).sum();
                let versions = count(loaded.unit.versions.len(), "version");
                writeln!(out, "{}: legal, {versions}, {}", input::name(file), count(procedures, "procedure"))?;
            }
            Err(failure) => status = failure.report(),
        }
    }
    Ok(status)
}
