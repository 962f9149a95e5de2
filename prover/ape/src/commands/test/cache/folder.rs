//! Entries in a folder of this machine, each a file.
//!
//! Invariant: a file holds one whole entry at any time.

use crate::files::replace::create_or_replace;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How many entries there may be; those that were not used for longest go.
const MOST_ENTRIES: usize = 20_000;

/// A folder, which need not be there yet.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    fn file(&self, name: &str) -> PathBuf {
        let (start, rest) = name.split_at(2);
        self.0.join(start).join(format!("{rest}.json"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.file(name).is_file()
    }

    /// An entry that has at most so many bytes.
    pub(super) fn read(&self, name: &str, largest: u64) -> Option<Vec<u8>> {
        let path = self.file(name);
        // What is no file may have no end, or wait for one.
        fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        let mut bytes = Vec::new();
        fs::File::open(&path).ok()?.take(largest.saturating_add(1)).read_to_end(&mut bytes).ok()?;
        (bytes.len() as u64 <= largest).then_some(bytes)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        // What cannot be kept will be found again.
        let _ = path.parent().map(fs::create_dir_all);
        let _ = create_or_replace(&path, text);
    }

    /// So that what is used is not taken for old.
    pub(super) fn used(&self, name: &str) {
        // That this may fail does no harm.
        let file = fs::File::options().append(true).open(self.file(name));
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }

    /// Removes the entries that were not used for longest, where there are too many.
    pub(super) fn tidy(&self) {
        for old in beyond(entries(&self.0), MOST_ENTRIES) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(old);
        }
    }
}

/// All entries in a folder, each with the time of its last use. What has another name than an entry is left alone.
fn entries(folder: &Path) -> Vec<(SystemTime, PathBuf)> {
    let inside = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_named = |name: Option<&OsStr>, length: usize| {
        let digits = name.and_then(OsStr::to_str).is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_hexdigit()));
        digits && name.is_some_and(|name| name.len() == length)
    };
    let folders = inside(folder).filter(|path| is_named(path.file_name(), 2));
    let files = folders.flat_map(|folder| inside(&folder).collect::<Vec<_>>());
    let is_entry = |path: &PathBuf| is_named(path.file_stem(), 62) && path.extension() == Some(OsStr::new("json"));
    let timed = |path: PathBuf| Some((fs::metadata(&path).ok()?.modified().ok()?, path));
    files.filter(is_entry).filter_map(timed).collect()
}

/// The oldest of some entries, so that three quarters of the most are left, if there are more than that.
fn beyond(mut entries: Vec<(SystemTime, PathBuf)>, most: usize) -> Vec<PathBuf> {
    if entries.len() <= most {
        return Vec::new();
    }
    entries.sort();
    let left = most - most / 4;
    entries.truncate(entries.len() - left);
    entries.into_iter().map(|(_, path)| path).collect()
}

/// Where results are kept if nothing else is said: `ape` in the user's folder for caches.
pub(in super::super) fn usual_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).and_then(absolute);
    let folder = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(Path::new(".cache"))));
    folder.map(|folder| folder.join("ape"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_no_entry() {
        let own = env::temp_dir().join(format!("ape-folder-{}", std::process::id()));
        let (folder, name) = (Folder(own.clone()), "ab".repeat(32));
        folder.write(&name, "text");
        assert_eq!(folder.read(&name, 4).as_deref(), Some(b"text".as_slice()));
        assert_eq!(folder.read(&name, 3), None);
        let endless = "cd".repeat(32);
        let path = folder.file(&endless);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        std::os::unix::fs::symlink("/dev/zero", path).expect("it can be made");
        assert_eq!(folder.read(&endless, 4), None);
        fs::remove_dir_all(own).expect("it can be removed");
    }

    #[test]
    fn the_oldest_go() {
        let entry = |at: u64| (SystemTime::UNIX_EPOCH + Duration::from_secs(at), PathBuf::from(at.to_string()));
        let entries: Vec<_> = [5, 3, 9, 1, 7].into_iter().map(entry).collect();
        assert!(beyond(entries.clone(), 5).is_empty());
        assert_eq!(beyond(entries, 4), ["1", "3"].map(PathBuf::from));
    }
}
