//! `ape check`: says of each file whether it is legal L, and mends some that are not.
//!
//! Invariant: what is mended has one mend alone; a file holds its old text or its new text at any time.

use crate::args::CheckArgs;
use crate::files::folder::spread;
use crate::files::load;
use crate::files::replace::replace;
use crate::machine::input;
use crate::status::{Failure, Status};
use lang_l::diagnostic::Fix;
use prover::report::count;
use std::io::Write;
use std::path::Path;

/// How often a text is looked at again after it was mended: a mistake may have hidden others.
const ROUNDS: usize = 20;

/// Looks at every file, whatever is wrong with the ones before it.
pub(crate) fn check(args: &CheckArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.files.iter().map(AsRef::as_ref))?;
    let mut status = Status::Success;
    for file in &spread(&args.files)? {
        if args.fix
            && let Err(failure) = mend(file, out)
        {
            status = failure.report();
            continue;
        }
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

/// Mends a file, and says how much there was to mend.
fn mend(file: &Path, out: &mut impl Write) -> Result<(), Failure> {
    if input::is_standard_input(file) {
        return Err(Failure::Usage("standard input cannot be mended in place".into()));
    }
    let (name, bytes) = load::named(file)?;
    let Ok(old) = String::from_utf8(bytes) else { return Ok(()) };
    let (new, mended) = mended(&old);
    if mended > 0 {
        replace(file, &new).map_err(|error| Failure::write(file, error))?;
        writeln!(out, "{name}: {} mended", count(mended, "mistake"))?;
    }
    Ok(())
}

/// A text without the mistakes that can be mended in one way alone, and how many there were.
fn mended(text: &str) -> (String, usize) {
    let (mut text, mut count) = (text.to_string(), 0);
    for _ in 0..ROUNDS {
        let Err(rejected) = lang_l::load([("", &text)]) else { break };
        // Places are counted without the mark of byte order.
        let mark = text.len() - text.strip_prefix('\u{feff}').map_or(text.len(), str::len);
        let fixes = rejected.diagnostics.iter().filter_map(|wrong| wrong.fix.as_ref()).filter(|fix| fix.certain);
        let mut fixes: Vec<&Fix> = fixes.collect();
        fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
        fixes.dedup_by(|later, earlier| later.span.start < earlier.span.end || later.span == earlier.span);
        if fixes.is_empty() {
            break;
        }
        count += fixes.len();
        for fix in fixes.into_iter().rev() {
            text.replace_range(mark + fix.span.start as usize..mark + fix.span.end as usize, &fix.text);
        }
    }
    (text, count)
}

#[cfg(test)]
mod tests {
    use super::mended;

    #[test]
    fn what_is_certain_is_mended() {
        let table = [
            ("procedure p() { x = 1; }", "procedure p() { x := 1; }", 1),
            ("\u{feff}procedure p() { x = 1; }", "\u{feff}procedure p() { x := 1; }", 1),
            (
                "procedure p(a: bool, n: int) { if (a & n = 1) { x = 1\n } if (a | a) { y := 2; }\n}",
                "procedure p(a: bool, n: int) { if (a && n == 1) { x := 1;\n } if (a || a) { y := 2; }\n}",
                5,
            ),
            ("procedure p(size: int) { x := sizw; }", "procedure p(size: int) { x := sizw; }", 0),
            ("procedure p() { }", "procedure p() { }", 0),
            ("", "", 0),
        ];
        for (wrong, right, count) in table {
            assert_eq!(mended(wrong), (right.to_string(), count), "{wrong}");
        }
    }
}
