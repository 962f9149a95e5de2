//! Folders in which something changes.
//!
//! In: folders. Out: a notice when something in them has changed and the file system has been quiet for a while.
//!
//! Invariant: that a file is read is no change, so whoever reads what has changed gets no notice of that.
//! Invariant: folders are watched, not files: a file that is replaced by another is noticed like one that is written.

use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// For how long nothing must have changed before a notice: editors write a file in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// After how long there is a notice anyway.
const LONGEST: Duration = Duration::from_secs(1);

/// What is watched.
pub(crate) struct Watched {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

/// Where notices come in.
pub(crate) struct Notices(Receiver<Notice>);

/// Ends the notices.
pub(crate) struct End(Sender<Notice>);

enum Notice {
    Change,
    End,
}

/// Begins, with no folder yet.
pub(crate) fn begin() -> io::Result<(Watched, Notices, End)> {
    let (send, notices) = channel();
    let end = End(send.clone());
    let told = move |event: notify::Result<Event>| {
        if event.as_ref().map_or(true, is_change) {
            // Nobody listens any more once all is over.
            let _ = send.send(Notice::Change);
        }
    };
    let watcher = notify::recommended_watcher(told).map_err(io::Error::other)?;
    Ok((Watched { watcher, folders: BTreeSet::new() }, Notices(notices), end))
}

fn is_change(event: &Event) -> bool {
    match event.kind {
        EventKind::Access(kind) => kind == AccessKind::Close(AccessMode::Write),
        _ => true,
    }
}

impl Watched {
    /// Watches these folders from now on, and no others. For one that is not there the nearest above it is watched.
    pub(crate) fn look_at(&mut self, folders: impl IntoIterator<Item = PathBuf>) -> io::Result<()> {
        let folders: BTreeSet<PathBuf> = folders.into_iter().filter_map(|folder| nearest(&folder)).collect();
        for gone in self.folders.difference(&folders) {
            // What is no longer there is not watched any more.
            let _ = self.watcher.unwatch(gone);
        }
        for folder in &folders {
            // One that was watched before may have been replaced by another of its name.
            match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                // It went away just now: that is a change, which leads here again.
                Err(error) if matches!(error.kind, ErrorKind::PathNotFound) || !folder.is_dir() => {}
                other => other.map_err(io::Error::other)?,
            }
        }
        self.folders = folders;
        Ok(())
    }
}

/// A folder, or the nearest above it that is there.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let named = |folder: &Path| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_path_buf() };
    folder.ancestors().map(named).find(|folder| folder.is_dir())
}

impl Notices {
    /// Waits for changes; whether there are some, and not the end.
    pub(crate) fn wait(&self) -> bool {
        if !matches!(self.0.recv(), Ok(Notice::Change)) {
            return false;
        }
        let start = Instant::now();
        while start.elapsed() < LONGEST {
            match self.0.recv_timeout(QUIET) {
                Ok(Notice::Change) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Ok(Notice::End) | Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
        true
    }
}

impl Drop for End {
    fn drop(&mut self) {
        // Nobody listens any more where all is over already.
        let _ = self.0.send(Notice::End);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{env, fs, process, thread};

    #[test]
    fn what_is_written_renamed_or_removed_is_noticed_and_what_is_read_is_not() {
        let folder = env::temp_dir().join(format!("ape-changes-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder can be made");
        let (mut watched, notices, end) = begin().expect("files can be watched");
        watched.look_at([folder.join("deep/er"), folder.clone()]).expect("a folder can be watched");
        let (file, other) = (folder.join("a.l"), folder.join("b"));
        fs::write(&file, "1").expect("a file can be written");
        assert!(notices.wait());
        fs::write(&other, "2").and_then(|()| fs::rename(&other, &file)).expect("a file can be replaced");
        assert!(notices.wait());
        fs::create_dir_all(folder.join("deep/er")).expect("a folder can be made");
        assert!(notices.wait());
        watched.look_at([folder.join("deep/er")]).expect("a folder can be watched");
        fs::write(folder.join("deep/er/c.l"), "3").expect("a file can be written");
        assert!(notices.wait());
        watched.look_at([folder.clone()]).expect("a folder can be watched");
        // On a machine that is busy a write may be noticed in two parts.
        thread::sleep(QUIET * 4);
        while notices.0.try_recv().is_ok() {}
        fs::read(&file).expect("a file can be read");
        let ended = thread::spawn(move || notices.wait());
        thread::sleep(QUIET * 4);
        drop(end);
        assert!(!ended.join().expect("it does not panic"), "that a file was read is no change");
        fs::remove_dir_all(folder).expect("a folder can be removed");
    }
}
