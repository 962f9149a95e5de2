//! `--watch`: a command that does its work, and does it again whenever a file that it read has changed.
//!
//! In: what the work depends on, and the work. Out: how the last run ended, when somebody interrupts.
//!
//! Each run is a [`Round`]. When a text changes the round on the old one is *overtaken*: it is stopped, and what it found is not shown.
//!
//! Invariant: the texts of a round are looked at before they are read. So a change that is read too early or too late is seen as one
//! afterwards, and leads to another round.
//! Invariant: a file that is not there or not legal ends a round, and not the watching.

use crate::machine::changes::{self, Notices, Watched};
use crate::machine::input::{self, is_standard_input};
use crate::machine::{limits, signals};
use crate::status::{Failure, Status};
use sha2::{Digest, Sha256};
use smt::stop::{Reason, Stop};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// How many files are named that have changed.
const NAMED: usize = 3;

/// What a command depends on.
#[derive(Clone, Default)]
pub(super) struct Roots {
    /// Files that are read, or would be if they were there.
    pub(super) files: Vec<PathBuf>,
    /// Folders in which more files may appear.
    pub(super) folders: Vec<PathBuf>,
}

impl Roots {
    /// Of a command that reads these files and nothing else.
    pub(super) fn files(files: &[PathBuf]) -> Result<Self, Failure> {
        if files.iter().any(|file| is_standard_input(file)) {
            return Err(Failure::Usage("standard input cannot be watched: it never changes".into()));
        }
        Ok(Roots { files: files.to_vec(), folders: Vec::new() })
    }

    /// Each file with a digest of its text; `None` where it cannot be read.
    fn texts(&self) -> Texts {
        let digest = |path: &PathBuf| {
            let is_file = fs::metadata(path).is_ok_and(|file| file.is_file());
            is_file.then(|| input::bytes(path).ok().map(|bytes| Sha256::digest(bytes).into())).flatten()
        };
        self.files.iter().map(|path| (path.clone(), digest(path))).collect()
    }

    /// The folders to watch. Of a file that is a link, also the folder of what it leads to. A folder that is moved away is noticed
    /// where it was, and so those above it are watched too, as far as a path from here names them.
    fn watched(&self) -> BTreeSet<PathBuf> {
        let parent = |path: &Path| path.parent().unwrap_or(Path::new("")).to_path_buf();
        let links = self.files.iter().filter_map(|file| fs::canonicalize(file).ok());
        let own = self.files.iter().map(|file| parent(file)).chain(self.folders.iter().cloned());
        let above = |folder: PathBuf| {
            let levels = if folder.is_absolute() { 1 } else { usize::MAX };
            folder.ancestors().take(levels).map(Path::to_path_buf).collect::<Vec<_>>()
        };
        own.flat_map(above).chain(links.map(|file| parent(&file))).collect()
    }
}

/// Digests of texts.
pub(super) type Texts = BTreeMap<PathBuf, Option<[u8; 32]>>;

/// One run.
pub(super) struct Round {
    /// Fires when the run is interrupted or overtaken.
    pub(super) stop: Stop,
    /// The texts it is about.
    pub(super) texts: Texts,
}

impl Round {
    /// A run that nothing overtakes.
    pub(super) fn only() -> Self {
        Round { stop: limits::interruption().clone(), texts: Texts::new() }
    }

    /// Whether a text has changed since: what is found now would be shown of a text that is gone.
    pub(super) fn is_overtaken(&self) -> bool {
        self.stop.reason().is_some() && limits::interruption().reason().is_none()
    }
}

/// The round at work, for the thread that watches.
#[derive(Default)]
struct Current {
    texts: Texts,
    stop: Stop,
}

/// Where lines between the runs go.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// To standard output, among the reports for people.
    Output,
    /// To standard error, as the output is for machines.
    Error,
}

impl Lines {
    fn say(self, what: &str, out: &mut impl Write) -> Result<(), Failure> {
        match self {
            Lines::Output => writeln!(out, "---- {what} ----").and_then(|()| out.flush())?,
            // That this may fail is no reason to stop.
            Lines::Error => drop(writeln!(anstream::stderr(), "---- {what} ----")),
        }
        Ok(())
    }
}

/// Does the work, and again whenever something of the roots has changed, until somebody interrupts.
pub(super) fn repeat<W: Write>(
    roots: &(dyn Fn() -> Roots + Sync),
    lines: Lines,
    out: &mut W,
    work: impl FnMut(&Round, &mut W) -> Result<Status, Failure>,
) -> Result<Status, Failure> {
    let (watched, notices, end) = changes::begin().map_err(Failure::Watch)?;
    let (send, wake) = channel();
    let interrupted = send.clone();
    let interrupt = move || {
        limits::interruption().request(Reason::Interrupted);
        // Nobody listens any more once all is over.
        let _ = interrupted.send(Ok(()));
    };
    signals::on_interrupt(interrupt).map_err(Failure::Signals)?;
    let watch = Watch { roots, watched: Mutex::new(watched), current: Mutex::default() };
    thread::scope(|scope| {
        let watch = &watch;
        let watching = thread::Builder::new().spawn_scoped(scope, move || watch.notice(&notices, &send));
        let ended = watching.map_err(Failure::Thread).and_then(|_| watch.rounds(lines, &wake, out, work));
        drop(end);
        ended
    })
}

/// What two threads share: one works, the other one watches.
struct Watch<'a> {
    roots: &'a (dyn Fn() -> Roots + Sync),
    watched: Mutex<Watched>,
    current: Mutex<Current>,
}

/// What wakes the thread that works: a change, or that nothing can be watched any more.
type Wake = Result<(), Failure>;

impl Watch<'_> {
    /// The texts as they are, from folders that are watched already.
    fn texts(&self) -> Result<Texts, Failure> {
        let roots = (self.roots)();
        locked(&self.watched).look_at(roots.watched()).map_err(Failure::Watch)?;
        // Once more: a file may have come before its folder was watched.
        Ok((self.roots)().texts())
    }

    /// Overtakes the round at work whenever its texts have changed.
    fn notice(&self, notices: &Notices, wake: &Sender<Wake>) {
        while notices.wait() {
            let current = locked(&self.current);
            let message = match self.texts() {
                Ok(texts) if texts == current.texts => continue,
                other => other.map(drop),
            };
            current.stop.request(Reason::Interrupted);
            // Nobody listens any more once all is over.
            let _ = wake.send(message);
        }
    }

    /// Round after round; the status of the last one.
    fn rounds<W: Write>(
        &self,
        lines: Lines,
        wake: &Receiver<Wake>,
        out: &mut W,
        mut work: impl FnMut(&Round, &mut W) -> Result<Status, Failure>,
    ) -> Result<Status, Failure> {
        let mut round = self.begin()?;
        loop {
            let status = match work(&round, out) {
                Err(failure) if failure.status() == Status::Illegal => failure.report(),
                other => other?,
            };
            let overtaken = round.is_overtaken();
            if !overtaken && limits::interruption().reason().is_none() {
                lines.say("waiting for changes; Ctrl-C ends", out)?;
            }
            let next = loop {
                if limits::interruption().reason().is_some() {
                    return Ok(status);
                }
                match wake.recv() {
                    Ok(message) => message?,
                    Err(_) => return Ok(status),
                }
                let next = self.begin()?;
                if overtaken || next.texts != round.texts {
                    break next;
                }
            };
            if limits::interruption().reason().is_some() {
                return Ok(status);
            }
            lines.say(&changed(&round.texts, &next.texts), out)?;
            round = next;
        }
    }

    /// A round about the texts as they are. Whatever changes from here on overtakes it.
    fn begin(&self) -> Result<Round, Failure> {
        let mut current = locked(&self.current);
        let (texts, stop) = (self.texts()?, limits::interruption().until(None));
        *current = Current { texts: texts.clone(), stop: stop.clone() };
        Ok(Round { stop, texts })
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that failed while it held this has left it whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The files whose texts differ, in words.
fn changed(old: &Texts, new: &Texts) -> String {
    let paths: BTreeSet<&PathBuf> = old.keys().chain(new.keys()).collect();
    let differ = |path: &&PathBuf| old.get(*path).copied().flatten() != new.get(*path).copied().flatten();
    let names: Vec<String> = paths.into_iter().filter(differ).map(|path| path.display().to_string()).collect();
    match names.len() {
        // It has changed, and then back.
        0 => "changed".to_string(),
        many if many > NAMED => format!("changed: {} and {} more", names[..NAMED].join(", "), many - NAMED),
        _ => format!("changed: {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_named() {
        let texts = |names: &[(&str, u8)]| -> Texts {
            names.iter().map(|(name, text)| (PathBuf::from(name), (*text > 0).then_some([*text; 32]))).collect()
        };
        let old = texts(&[("a", 1), ("b", 1), ("c", 0)]);
        assert_eq!(changed(&old, &old), "changed");
        assert_eq!(changed(&old, &texts(&[("a", 2), ("b", 1), ("c", 1)])), "changed: a, c");
        assert_eq!(changed(&old, &texts(&[("a", 0), ("c", 0)])), "changed: a, b");
        let all = texts(&[("a", 2), ("b", 2), ("c", 2), ("d", 2), ("e", 2)]);
        assert_eq!(changed(&old, &all), "changed: a, b, c and 2 more");
    }
}
