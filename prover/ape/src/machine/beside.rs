//! Names beside a file or directory, under which something is written before it takes its place.
//!
//! Such a name ends in the number of the process that uses it. A process that is killed leaves it behind; whoever writes
//! there next finds it, and clears it away.
//!
//! Invariant: what a living process of this machine may still use is never found to be left behind.

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

/// The name beside `path` that starts with this and belongs to this process.
pub(crate) fn own(path: &Path, prefix: &OsStr) -> PathBuf {
    let mut name = prefix.to_owned();
    name.push(process::id().to_string());
    path.with_file_name(name)
}

/// What stands beside `path` under such a name, of processes that are no more.
pub(crate) fn left_behind(path: &Path, prefix: &OsStr) -> Vec<PathBuf> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A directory that cannot be listed may be written all the same.
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name()));
    names.filter(|name| owner(name, prefix).is_some_and(is_gone)).map(|name| path.with_file_name(name)).collect()
}

/// The number of the process that a name belongs to.
fn owner(name: &OsStr, prefix: &OsStr) -> Option<i32> {
    name.to_str()?.strip_prefix(prefix.to_str()?)?.parse().ok().filter(|&process| process > 0)
}

/// Whether there is no such process, of any user.
fn is_gone(process: i32) -> bool {
    kill(Pid::from_raw(process), None) == Err(Errno::ESRCH)
}

/// The name of a file or directory, with something before and after it.
pub(crate) fn prefix(path: &Path, before: &str, after: &str) -> OsString {
    let mut prefix = OsString::from(before);
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(after);
    prefix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_its_process() {
        let owner = |name| owner(OsStr::new(name), OsStr::new("proofs.new-"));
        assert_eq!(owner("proofs.new-12"), Some(12));
        for name in ["proofs", "proofs.new-", "proofs.new-x", "proofs.new--1", "proofs.new-0", "proofs.old-12"] {
            assert_eq!(owner(name), None, "{name}");
        }
    }

    #[test]
    fn this_process_is_not_gone() {
        assert!(!is_gone(i32::try_from(process::id()).expect("process ids are small")));
        assert!(!is_gone(1), "nor is one of another user");
    }
}
