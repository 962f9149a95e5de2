//! Certificates as directories.
//!
//! In: a certificate and a directory; out: the directory, written whole or not at all. In: a directory; out: its files.
//!
//! Invariant: nothing that is no certificate is ever replaced, and a certificate only by a whole one.

use crate::machine::beside;
use crate::status::Failure;
use prover::certificate::{Certificate, INDEX};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// The largest certificate that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// Whether something may be written to a directory: it is not there, or empty, or a certificate and nothing else.
pub(crate) fn replaceable(directory: &Path) -> Result<(), Failure> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::write(directory, error)),
    };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<Vec<OsString>, _>>();
    let names = names.map_err(|error| Failure::read(directory, error))?;
    if names.is_empty() {
        return Ok(());
    }
    let known = fs::read_to_string(directory.join(INDEX)).ok().and_then(|text| prover::certificate::listed(&text));
    let stranger = match &known {
        None => Some("it is no certificate".to_string()),
        Some(known) => names
            .iter()
            .find(|name| !name.to_str().is_some_and(|name| known.contains(name)))
            .map(|name| format!("{} is no part of the certificate there", name.to_string_lossy())),
    };
    match stranger {
        None => Ok(()),
        Some(why) => Err(Failure::Usage(format!("{} is not replaced: {why}", directory.display()))),
    }
}

/// Whether certificates may be written into directories below this one: it is no certificate itself, whose files these
/// would be taken for.
pub(crate) fn may_hold_others(directory: &Path) -> Result<(), Failure> {
    if !directory.join(INDEX).exists() {
        return Ok(());
    }
    let what = "is a certificate itself; certificates of several files go into directories below one that is none";
    Err(Failure::Usage(format!("{} {what}", directory.display())))
}

/// Writes a certificate: beside the directory first, and then in its place.
pub(crate) fn save(directory: &Path, certificate: &Certificate) -> Result<(), Failure> {
    clear(directory);
    replaceable(directory)?;
    let [new, old] = PARTS.map(|part| beside::own(directory, &prefix(directory, part)));
    let written = fill(&new, certificate).and_then(|()| {
        let there = directory.exists();
        if there {
            fs::rename(directory, &old)?;
        }
        fs::rename(&new, directory).inspect_err(|_| {
            // Put back what was there; if even that fails it is still beside.
            let _ = there.then(|| fs::rename(&old, directory));
        })
    });
    // What is left over is of no use; what cannot be removed does no harm.
    let _ = fs::remove_dir_all(&new);
    written.map_err(|error| Failure::write(directory, error))?;
    let _ = fs::remove_dir_all(&old);
    Ok(())
}

/// What stands beside a directory that is being replaced: the certificate to come, and the one that was there.
const PARTS: [&str; 2] = ["new", "old"];

fn prefix(directory: &Path, part: &str) -> OsString {
    beside::prefix(directory, "", &format!(".{part}-"))
}

/// Clears away what processes left behind that were killed while they wrote this certificate. One that had moved the old
/// certificate away, and not yet put the new one in its place, gets the old one put back.
fn clear(directory: &Path) {
    for part in PARTS {
        for left in beside::left_behind(directory, &prefix(directory, part)) {
            if !holds_nothing_else(&left) {
                continue;
            }
            // What cannot be cleared away does no harm.
            let _ = if part == "old" && !directory.exists() {
                fs::rename(&left, directory)
            } else {
                fs::remove_dir_all(&left)
            };
        }
    }
}

/// Whether a directory holds files with the names of a certificate's, and nothing else.
fn holds_nothing_else(directory: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(directory) else { return false };
    entries.all(|entry| {
        let Ok(entry) = entry else { return false };
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| {
            name == INDEX || name.ends_with(".smt2") || (name.starts_with("source-") && name.ends_with(".l"))
        });
        ours && entry.file_type().is_ok_and(|kind| kind.is_file())
    })
}

fn fill(directory: &Path, certificate: &Certificate) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (name, text) in &certificate.files {
        fs::write(directory.join(name), text)?;
    }
    Ok(())
}

/// Reads the files of a certificate; what is no text, or no file, makes it none.
pub(crate) fn read(directory: &Path) -> Result<Certificate, Failure> {
    let mut certificate = Certificate::default();
    let mut left = LARGEST;
    for entry in fs::read_dir(directory).map_err(|error| Failure::read(directory, error))? {
        let path = entry.map_err(|error| Failure::read(directory, error))?.path();
        let none = |why: &str| Failure::Usage(format!("not a certificate: {} {why}", path.display()));
        let size = fs::metadata(&path).map_err(|error| Failure::read(&path, error))?;
        if !size.is_file() {
            return Err(none("is no file"));
        }
        left = left.checked_sub(size.len()).ok_or_else(|| none("makes it too large"))?;
        let bytes = fs::read(&path).map_err(|error| Failure::read(&path, error))?;
        let text = String::from_utf8(bytes).map_err(|_| none("is not UTF-8 text"))?;
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(|| none("has no name"))?;
        certificate.files.insert(name.to_string(), text);
    }
    Ok(certificate)
}
