//! What is read: files, and standard input under the name `-`.
//!
//! In: a path as the user gave it. Out: its bytes, and what messages call it.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// How messages call a file.
pub(crate) fn name(path: &Path) -> String {
    if is_standard_input(path) { "standard input".to_string() } else { path.display().to_string() }
}

/// Whether a path stands for standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// All that a file holds.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = if is_standard_input(path) {
        io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)
    } else {
        fs::File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
    }?;
    if length as u64 > LARGEST {
        return Err(io::Error::other(format!("it is larger than {} MiB", LARGEST >> 20)));
    }
    Ok(bytes)
}
