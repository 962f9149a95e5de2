//! Which programs a run is about.
//!
//! In: folders, files and patterns. Out: [`Case`]s, each a file or two, in the order of the paths and then of their names.
//!
//! Two files are one case where one is `x.old.l` and the other `x.new.l`, or where they differ in a folder that is `old` for one
//! and `new` for the other; unless each of them holds two versions itself.

use crate::commands::watch::Roots;
use crate::files::folder::{self, is_shown};
use crate::files::load;
use crate::machine::input::is_standard_input;
use crate::status::Failure;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use walkdir::{DirEntry, WalkDir};

/// How the files of a pair end, and which folders they are in.
const VERSIONS: [&str; 2] = ["old", "new"];

/// A program to verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// What it is called.
    pub(super) name: String,
    /// A file with two versions, or the old and the new one.
    pub(super) files: Vec<PathBuf>,
    /// Whether it must be a pair: the user named it, or it is called like one of two.
    pub(super) must_be_pair: bool,
}

/// All cases that paths stand for, each once.
pub(super) fn cases(paths: &[PathBuf]) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        for (file, named) in files(path)? {
            let case = case(&file, named);
            if case.files.iter().all(|file| seen.insert(file.clone())) {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// All files that paths stand for or could stand for, and the folders in which more of them may appear.
pub(super) fn roots(paths: &[PathBuf]) -> Roots {
    let mut roots = Roots::default();
    for path in paths {
        let text = path.to_string_lossy();
        let plain = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
        if path.is_dir() {
            roots.folders.extend(folders(path));
        } else if !path.exists() && text.contains(['*', '?', '[']) {
            roots.folders.extend(folders(&path.components().take_while(plain).collect::<PathBuf>()));
        } else {
            roots.files.push(path.clone());
        }
        // What cannot be found is told by whoever needs it.
        let found = files(path).unwrap_or_default();
        roots.files.extend(found.into_iter().flat_map(|(file, _)| partners(&file).into_iter().flatten().chain([file])));
    }
    roots
}

/// A folder and those below it. What is hidden stays so.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let all = WalkDir::new(folder).into_iter().filter_entry(is_shown).flatten();
    let below = all.filter(|entry| entry.file_type().is_dir()).map(DirEntry::into_path);
    // One that is not there may come.
    below.chain([folder.to_path_buf()]).collect()
}

/// The files that one path stands for, and whether it names them.
fn files(path: &Path) -> Result<Vec<(PathBuf, bool)>, Failure> {
    if is_standard_input(path) {
        return Err(Failure::Usage("a test is in a file: standard input cannot be one".into()));
    }
    if path.is_dir() {
        return Ok(folder::programs(path)?.into_iter().map(|file| (file, false)).collect());
    }
    let text = path.to_string_lossy();
    if path.exists() || !text.contains(['*', '?', '[']) {
        return Ok(vec![(path.to_path_buf(), true)]);
    }
    let found = glob::glob(&text).map_err(|wrong| Failure::Usage(format!("`{text}` is no pattern: {wrong}")))?;
    let mut files = Vec::new();
    for file in found {
        let file = file.map_err(|wrong| Failure::read(wrong.path(), std::io::Error::other(wrong.to_string())))?;
        if file.is_file() {
            files.push((file, false));
        }
    }
    if files.is_empty() { Err(Failure::Usage(format!("no file is like `{text}`"))) } else { Ok(files) }
}

/// The case that a file belongs to.
fn case(file: &Path, named: bool) -> Case {
    let alone = |must_be_pair| Case {
        name: file.display().to_string(),
        files: vec![file.to_path_buf()],
        must_be_pair: must_be_pair || named,
    };
    if let Some([old, new, both]) = by_ending(file) {
        return if is_one_version(&old) && is_one_version(&new) {
            Case { name: both.display().to_string(), files: vec![old, new], must_be_pair: true }
        } else {
            alone(true)
        };
    }
    match by_folder(file) {
        Some([old, new, both]) if is_one_version(&old) && is_one_version(&new) => {
            Case { name: both.display().to_string(), files: vec![old, new], must_be_pair: true }
        }
        _ => alone(false),
    }
}

/// The old and the new file of which this one may be one, by its ending and by its folder.
pub(in crate::commands) fn partners(file: &Path) -> Vec<[PathBuf; 2]> {
    [by_ending(file), by_folder(file)].into_iter().flatten().map(|[old, new, _]| [old, new]).collect()
}

/// Whether a file is there and does not hold a pair itself.
fn is_one_version(path: &Path) -> bool {
    path.is_file() && load::named(path).is_ok_and(|(name, bytes)| !load::holds_a_pair(&name, &bytes))
}

/// For `x.old.l` or `x.new.l` both, and the name for the two.
fn by_ending(file: &Path) -> Option<[PathBuf; 3]> {
    let name = file.file_name()?.to_str()?;
    let stem = VERSIONS.iter().find_map(|version| name.strip_suffix(&format!(".{version}.l")))?;
    Some(["old", "new", "{old,new}"].map(|version| file.with_file_name(format!("{stem}.{version}.l"))))
}

/// For a file below a folder `old` or `new` both, and the name for the two.
fn by_folder(file: &Path) -> Option<[PathBuf; 3]> {
    let parts: Vec<Component<'_>> = file.components().collect();
    let folders = &parts[..parts.len().saturating_sub(1)];
    let at = folders.iter().rposition(|part| VERSIONS.iter().any(|version| part.as_os_str() == *version))?;
    Some(["old", "new", "{old,new}"].map(|version| {
        let with = |(place, part): (usize, &Component<'_>)| {
            PathBuf::from(if place == at { OsStr::new(version) } else { part.as_os_str() })
        };
        parts.iter().enumerate().map(with).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_have_names() {
        let ending = by_ending(Path::new("a/x.new.l")).expect("it has a partner");
        assert_eq!(ending, ["a/x.old.l", "a/x.new.l", "a/x.{old,new}.l"].map(PathBuf::from));
        let folder = by_folder(Path::new("/s/old/old/deep/x.l")).expect("it has a partner");
        assert_eq!(
            folder,
            ["/s/old/old/deep/x.l", "/s/old/new/deep/x.l", "/s/old/{old,new}/deep/x.l"].map(PathBuf::from)
        );
        assert!(by_ending(Path::new("old.l")).is_none() && by_ending(Path::new("xold.l")).is_none());
        assert!(by_folder(Path::new("a/old")).is_none() && by_folder(Path::new("older/x.l")).is_none());
    }
}
