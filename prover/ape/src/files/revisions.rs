//! The versions of a file that git keeps.
//!
//! In: two revisions, or one, which is compared with the file as it is; and the path, or the old one and the new one. Out: both
//! texts with their names.

use super::load;
use crate::machine::input::is_standard_input;
use crate::machine::repository::{Repository, Revision};
use crate::status::Failure;
use std::path::Path;

/// The revision where none is named.
const HEAD: &str = "HEAD";

/// The two versions of a file.
pub(crate) fn versions(revisions: &str, paths: &[&Path]) -> Result<[(String, Vec<u8>); 2], Failure> {
    let (old, new) = match paths {
        [both] => (both, both),
        [old, new] => (old, new),
        _ => return Err(usage("--git compares one file, or the old path and the new one of a file that was renamed")),
    };
    if paths.iter().any(|path| is_standard_input(path)) {
        return Err(usage("standard input is in no git repository"));
    }
    let (from, to) = range(revisions)?;
    let repository = Repository::of(old).map_err(Failure::Usage)?;
    let revision = |name: &str| repository.revision(name).map_err(Failure::Usage);
    let old = text(&revision(from)?, old)?;
    let new = match to {
        Some(to) => text(&revision(to)?, new)?,
        None => load::named(new)?,
    };
    let versions = [old, new];
    match versions.iter().find(|(name, bytes)| load::holds_a_pair(name, bytes)) {
        Some((name, _)) => {
            Err(usage(&format!("{name} holds two versions itself: --git compares two revisions of a file with one")))
        }
        None => Ok(versions),
    }
}

/// What a file holds in a revision, with a name for it.
fn text(revision: &Revision<'_>, path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let name = revision.name(path);
    match revision.bytes(path).map_err(Failure::Usage)? {
        Some(bytes) => Ok((name, bytes)),
        None => Err(usage(&format!(
            "{name}: there is no such file. If it has another name in the other revision, give both: the old path, then the new one"
        ))),
    }
}

/// A revision, where it may be left out.
fn named(name: &str) -> &str {
    if name.is_empty() { HEAD } else { name }
}

/// The first revision and the second; none for the file as it is.
fn range(text: &str) -> Result<(&str, Option<&str>), Failure> {
    match text.split_once("..") {
        _ if text.is_empty() => Err(usage("--git needs a revision, or two as in main..topic")),
        Some((_, to)) if to.starts_with('.') => Err(usage(&format!(
            "`{text}` is a set of commits: two revisions are written with two dots, as in main..topic"
        ))),
        Some((from, to)) => Ok((named(from), Some(named(to)))),
        None => Ok((text, None)),
    }
}

fn usage(what: &str) -> Failure {
    Failure::Usage(what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_read_as_git_reads_them() {
        let table = [
            ("a..b", Some(("a", Some("b")))),
            ("a..", Some(("a", Some("HEAD")))),
            ("..b~2", Some(("HEAD", Some("b~2")))),
            ("v1.0", Some(("v1.0", None))),
            ("a...b", None),
            ("", None),
        ];
        for (text, right) in table {
            assert_eq!(range(text).ok(), right, "{text}");
        }
    }
}
