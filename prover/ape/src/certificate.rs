//! Certificates as directories.
//!
//! In: a certificate and a directory; out: the directory, written whole or not at all. In: a directory; out: its files.
//!
//! Invariant: nothing that is no certificate is ever replaced, and a certificate only by a whole one.

use super::status::Failure;
use prover::certificate::{Certificate, INDEX};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

/// The largest certificate that is read, in bytes.
const LARGEST: u64 = 256 << 20;

/// Whether something may be written to a directory: it is not there, or empty, or a certificate and nothing else.
pub(super) fn replaceable(directory: &Path) -> Result<(), Failure> {
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
pub(super) fn may_hold_others(directory: &Path) -> Result<(), Failure> {
    if !directory.join(INDEX).exists() {
        return Ok(());
    }
    let what = "is a certificate itself; certificates of several files go into directories below one that is none";
    Err(Failure::Usage(format!("{} {what}", directory.display())))
}

/// Writes a certificate: beside the directory first, and then in its place.
pub(super) fn save(directory: &Path, certificate: &Certificate) -> Result<(), Failure> {
    replaceable(directory)?;
    let [new, old] = ["new", "old"].map(|what| beside(directory, what));
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

/// A name beside a directory that nobody else uses.
fn beside(directory: &Path, what: &str) -> PathBuf {
    let mut name = directory.file_name().map_or_else(|| OsString::from("certificate"), ToOwned::to_owned);
    name.push(format!(".{what}-{}", process::id()));
    directory.with_file_name(name)
}

fn fill(directory: &Path, certificate: &Certificate) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (name, text) in &certificate.files {
        fs::write(directory.join(name), text)?;
    }
    Ok(())
}

/// Reads the files of a certificate; what is no text, or no file, makes it none.
pub(super) fn read(directory: &Path) -> Result<Certificate, Failure> {
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
