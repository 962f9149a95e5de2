//! Results that are kept from run to run.
//!
//! In: a program, and the report on it; out: a file, named by a hash of all that the result depends on, with the certificate of the
//! report. In: a program; out: what the certificate kept for it proves, *replayed* as `ape replay` does it.
//!
//! Invariant: nothing in the folder is believed. A proof is made again from the source, a difference is run again on its store.
//! Only that a pair was not settled is taken over, from the same program file under the same options; and no caller lets that
//! stand against a verdict that is expected.
//! Invariant: that the folder cannot be read or written costs time, and nothing else.

use super::expectation::{Word, label};
use crate::files::replace::create_or_replace;
use lang_l::Loaded;
use prover::certificate::{Certificate, Decision, Decisions, replay, write};
use prover::verdict::Report;
use prover::verify::Asked;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smt::solve;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

/// What entries are; it changes when those of before can no longer be read.
const FORMAT: &str = "ape results 1";

/// The largest entry that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// How many entries there may be; those that were not used for longest go.
const MOST_ENTRIES: usize = 20_000;

/// Where results are kept.
pub(super) struct Cache {
    folder: PathBuf,
    /// The options that what is not settled may depend on.
    options: String,
    /// This very program file, hashed when it is first needed.
    program: OnceLock<Option<String>>,
}

/// What is kept of a program.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: String,
    /// By which program file and under which options pairs were not settled; `None` where all were.
    unsettled_by: Option<String>,
    /// The files of the certificate.
    certificate: BTreeMap<String, String>,
}

/// What a replay has shown of a pair.
pub(super) struct Known {
    /// The verdict.
    pub(super) word: Word,
    /// How.
    pub(super) why: String,
}

impl Cache {
    /// A cache in this folder, which need not be there yet.
    pub(super) fn new(folder: PathBuf, options: String) -> Self {
        Cache { folder, options, program: OnceLock::new() }
    }

    /// The name of the file for a program: a hash of its texts, and of the versions of `ape` and Z3.
    pub(super) fn file(&self, program: &Loaded) -> PathBuf {
        let mut hash = Sha256::new();
        let texts = program.sources.iter().map(|(_, source)| source.text.clone());
        let parts = [FORMAT.to_string(), env!("CARGO_PKG_VERSION").to_string(), solve::version()];
        for part in parts.into_iter().chain(texts) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let name = hexadecimal(&hash.finalize());
        self.folder.join(&name[..2]).join(format!("{}.json", &name[2..]))
    }

    /// Whether there is something for a program.
    pub(super) fn has(&self, program: &Loaded) -> bool {
        self.file(program).is_file()
    }

    /// What is known of the pairs of a program, in their order; `None` where that is not so for all of them.
    pub(super) fn get(&self, program: &Loaded, pairs: &[&Asked]) -> Option<Vec<Known>> {
        let path = self.file(program);
        if fs::metadata(&path).ok()?.len() > LARGEST {
            return None;
        }
        let entry: Entry = serde_json::from_slice(&fs::read(&path).ok()?).ok()?;
        if entry.format != FORMAT {
            return None;
        }
        let unsettled_may_stand = entry.unsettled_by.is_some() && entry.unsettled_by == self.this_program();
        let replayed = replay(&Certificate { files: entry.certificate }, Some(&program.sources)).ok()?;
        if !replayed.pairs.iter().map(|pair| pair.name.as_str()).eq(pairs.iter().map(|asked| label(asked))) {
            return None;
        }
        let known = replayed.pairs.into_iter().map(|pair| {
            let word = Word::read(pair.verdict)?;
            let holds = if word == Word::Unknown { unsettled_may_stand } else { pair.confirmed };
            holds.then_some(Known { word, why: pair.how })
        });
        let known = known.collect();
        // So that what is used is not taken for old. That this may fail does no harm.
        let _ = fs::File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        known
    }

    /// Removes the entries that were not used for longest, where there are too many.
    pub(super) fn tidy(&self) {
        for old in beyond(entries(&self.folder), MOST_ENTRIES) {
            // What cannot be removed does no harm.
            let _ = fs::remove_file(old);
        }
    }

    /// Keeps what was found of a program, where it can be replayed and another run would find the same.
    pub(super) fn put(&self, program: &Loaded, report: &Report) {
        let decisions = Decisions::of(&program.unit, report);
        let is = |pair: &prover::certificate::AnsweredPair, uncertified: bool| match pair.answer {
            Decision::Uncertified(_) => uncertified,
            Decision::Unknown(_) => !uncertified,
            _ => false,
        };
        if report.stopped.is_some() || decisions.pairs.iter().any(|pair| is(pair, true)) {
            return;
        }
        let unsettled = decisions.pairs.iter().any(|pair| is(pair, false));
        let unsettled_by = if unsettled { self.this_program() } else { None };
        if unsettled && unsettled_by.is_none() {
            return;
        }
        let Ok(Certificate { files }) = write(&program.unit, &program.sources, &decisions) else { return };
        let entry = Entry { format: FORMAT.to_string(), unsettled_by, certificate: files };
        let Ok(text) = serde_json::to_string(&entry) else { return };
        let path = self.file(program);
        // What cannot be kept will be found again.
        let _ = path.parent().map(fs::create_dir_all);
        let _ = create_or_replace(&path, &text);
    }

    /// This program file and the options, as entries name them; `None` where the file cannot be read.
    fn this_program(&self) -> Option<String> {
        let hash = || {
            let bytes = fs::read(env::current_exe().ok()?).ok()?;
            Some(format!("{} {}", hexadecimal(&Sha256::digest(bytes)), self.options))
        };
        self.program.get_or_init(hash).clone()
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
pub(super) fn usual_folder() -> Option<PathBuf> {
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from).and_then(absolute);
    let folder = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(Path::new(".cache"))));
    folder.map(|folder| folder.join("ape"))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_oldest_go() {
        let entry = |at: u64| (SystemTime::UNIX_EPOCH + Duration::from_secs(at), PathBuf::from(at.to_string()));
        let entries: Vec<_> = [5, 3, 9, 1, 7].into_iter().map(entry).collect();
        assert!(beyond(entries.clone(), 5).is_empty());
        assert_eq!(beyond(entries, 4), ["1", "3"].map(PathBuf::from));
    }
}
