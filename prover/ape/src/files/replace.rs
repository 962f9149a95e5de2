//! Files whose text is replaced by another.
//!
//! Invariant: a file holds its old text or its new text at any time.

use crate::machine::beside;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file beside the old one, then puts it in its place. A link stays a link.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    put(&path, text, Some(fs::metadata(&path)?.permissions()))
}

/// The same, of a file that need not be there.
pub(crate) fn create_or_replace(path: &Path, text: &str) -> io::Result<()> {
    if path.exists() { replace(path, text) } else { put(path, text, None) }
}

fn put(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let prefix = beside::prefix(path, ".", ".ape-");
    for left in beside::left_behind(path, &prefix) {
        // What cannot be cleared away does no harm.
        let _ = fs::remove_file(left);
    }
    let beside = beside::own(path, &prefix);
    let write = || -> io::Result<()> {
        let mut file = File::create_new(&beside)?;
        file.write_all(text.as_bytes())?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        // What could not be written may not be there; the error worth telling is the first one.
        let _ = fs::remove_file(&beside);
    })
}
