//! Folders: what programs stand in one.

use crate::machine::input::is_standard_input;
use crate::status::Failure;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// The `.l` files in a folder and below it, in the order of their names. What is hidden stays so.
pub(crate) fn programs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_shown) {
        let entry = entry.map_err(|wrong| {
            let path = wrong.path().unwrap_or(folder).to_path_buf();
            Failure::read(&path, wrong.into())
        })?;
        if entry.path().extension() == Some(OsStr::new("l")) && entry.path().is_file() {
            let path = entry.path();
            // A walk of `.` need not say so in each name.
            files.push(path.strip_prefix(".").unwrap_or(path).to_path_buf());
        }
    }
    Ok(files)
}

/// Whether an entry of a folder is not hidden.
pub(crate) fn is_shown(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
}

/// Paths with what is in folders in place of these.
pub(crate) fn spread<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<PathBuf>, Failure> {
    spread_where(paths, |_| true)
}

/// The same, with those programs of folders that are wanted.
pub(crate) fn spread_where<P: AsRef<Path>>(
    paths: &[P],
    wanted: impl Fn(&PathBuf) -> bool,
) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths.iter().map(AsRef::as_ref) {
        if is_standard_input(path) || !path.is_dir() {
            files.push(path.to_path_buf());
            continue;
        }
        let before = files.len();
        files.extend(programs(path)?.into_iter().filter(&wanted));
        if files.len() == before {
            let folder = path.display();
            let message = format!("no file in the folder {folder} is such a program: their names end with `.l`");
            return Err(Failure::Usage(message));
        }
    }
    Ok(files)
}
