//! Names of documents, which are paths in another spelling.
//!
//! In: a URI, or a path. Out: the other of the two.
//!
//! Invariant: a document need not be a file; then it has no path.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The file that a URI names.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    if !rest.starts_with('/') {
        return None;
    }
    let (mut bytes, mut from) = (Vec::new(), rest.bytes());
    while let Some(byte) = from.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        bytes.push(match byte {
            b'%' => u8::try_from(digit(from.next())? * 16 + digit(from.next())?).ok()?,
            other => other,
        });
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The URI of a file.
pub(super) fn uri(path: &Path) -> String {
    let mut uri = "file://".to_string();
    for &byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_back() {
        for name in ["/a/b.l", "/with space/ä'%.l"] {
            assert_eq!(path(&uri(Path::new(name))), Some(PathBuf::from(name)));
        }
        assert_eq!(path("file:///a%20b"), Some(PathBuf::from("/a b")));
        for other in ["untitled:1", "file://host/x", "file:///%", "file:///%zz", ""] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}
