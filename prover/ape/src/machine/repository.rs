//! Repositories of git: the texts that files had.
//!
//! In: a path, and a revision as git names it. Out: the bytes of the file there, or in words why there are none.
//!
//! Invariant: nothing is written, no program is run, and no network is asked.

use gix::objs::tree::EntryKind;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// A repository with a working tree.
pub(crate) struct Repository {
    repository: gix::Repository,
    /// The working tree.
    root: PathBuf,
}

/// A revision of a repository.
pub(crate) struct Revision<'r> {
    repository: &'r Repository,
    tree: gix::Tree<'r>,
    /// As it was given.
    name: String,
}

impl Repository {
    /// The one that a file is in, or would be if it were there.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let (folder, _) = split(path).ok_or_else(|| format!("there is no folder for {}", path.display()))?;
        let nowhere = |_| format!("{} is in no git repository", path.display());
        let repository = gix::discover(folder).map_err(nowhere)?;
        let root = repository.workdir().and_then(|root| fs::canonicalize(root).ok());
        let root = root.ok_or_else(|| format!("the git repository of {} has no working tree", path.display()))?;
        Ok(Repository { repository, root })
    }

    /// A revision of it.
    pub(crate) fn revision(&self, name: &str) -> Result<Revision<'_>, String> {
        let tree = || self.repository.rev_parse_single(name)?.object()?.peel_to_tree();
        let tree = tree().map_err(|_| {
            let what = format!("`{name}` is no revision of the git repository in {}", self.root.display());
            match self.repository.is_shallow() {
                Ok(true) => format!("{what}. The clone is shallow: `git fetch --unshallow` gets what is missing"),
                _ => what,
            }
        })?;
        Ok(Revision { repository: self, tree, name: name.to_string() })
    }
}

impl Revision<'_> {
    /// What a file holds here; `None` where there is no such file.
    pub(crate) fn bytes(&self, path: &Path) -> Result<Option<Vec<u8>>, String> {
        let wrong = |what: &str| Err(format!("{}: {what}", self.name(path)));
        let within = split(path).and_then(|(folder, rest)| {
            let folder = folder.strip_prefix(&self.repository.root).ok()?;
            Some(folder.join(rest))
        });
        let Some(within) = within else { return wrong("the file is not in the same git repository") };
        let entry = match self.tree.lookup_entry_by_path(within) {
            Ok(Some(entry)) => entry,
            Ok(None) => return Ok(None),
            Err(error) => return wrong(&error.to_string()),
        };
        match entry.mode().kind() {
            EntryKind::Blob | EntryKind::BlobExecutable => {}
            EntryKind::Tree => return wrong("it is a folder"),
            EntryKind::Link => return wrong("it is a link: name the file it leads to"),
            EntryKind::Commit => return wrong("it is a repository of its own"),
        }
        let bytes = || {
            let size = self.repository.repository.find_header(entry.object_id())?.size();
            if size > LARGEST { Ok(None) } else { Ok(Some(entry.object()?.detach().data)) }
        };
        match bytes() {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => wrong(&format!("it is larger than {} MiB", LARGEST >> 20)),
            // In a partial clone, say.
            Err(error) => wrong(&gix::Error::to_string(&error)),
        }
    }

    /// How messages call a file of this revision; git takes it for the same.
    pub(crate) fn name(&self, path: &Path) -> String {
        format!("{}:{}", self.name, path.display())
    }
}

/// The nearest folder above a path that is there, without links, and the way from there on.
fn split(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let absolute = env::current_dir().ok()?.join(path);
    let folder = absolute.parent()?;
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    let rest = absolute.strip_prefix(there).ok()?;
    // Where nothing is, `..` leads up by name alone.
    let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    plain.then(|| Some((fs::canonicalize(there).ok()?, rest.to_path_buf()))).flatten()
}
