//! Results that are kept from run to run.
//!
//! In: a program, and the report on it; out: an entry, named by a hash of all that the result depends on, with the certificate of the
//! report. In: a program; out: what the certificate kept for it proves, *replayed* as `ape replay` does it.
//!
//! The entries are in a [`folder`] of this machine, or at an [`address`] that several machines share: a [`store`]. Those who
//! share it leave [`claims`] of what they are about to do, so that nobody else does it meanwhile.
//!
//! Invariant: nothing that is kept is believed. A proof is made again from the source, a difference is run again on its store.
//! Only that a pair was not settled is taken over, from the same program file under the same options; and no caller lets that
//! stand against a verdict that is expected.
//! Invariant: that entries cannot be read or written costs time, and nothing else. So does a claim, whatever it says.

mod address;
mod claims;
mod folder;
mod store;

use super::expectation::{Word, label};
use folder::Folder;
use lang_l::Loaded;
use prover::certificate::{Certificate, Decision, Decisions, replay, write};
use prover::verdict::Report;
use prover::verify::Asked;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smt::solve;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::Store;

pub(super) use address::Place;
pub(super) use claims::{Claims, Turn};
pub(super) use folder::usual_folder;

/// What entries are; it changes when those of before can no longer be read.
const FORMAT: &str = "ape results 1";

/// The largest entry that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Where results are kept.
pub(super) struct Cache {
    place: At,
    /// The options that what is not settled may depend on.
    options: String,
    /// This very program file, hashed when it is first needed.
    program: OnceLock<Option<String>>,
}

/// A place that has been opened.
enum At {
    Folder(Folder),
    Shared(Arc<Store>),
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
    /// A cache in this place. That it cannot be opened is told, and then there is none.
    pub(super) fn open(place: &Place, options: String) -> Option<Self> {
        let place = match place {
            Place::Folder(folder) => At::Folder(Folder(folder.clone())),
            Place::Shared(address) => At::Shared(Arc::new(Store::open(address)?)),
        };
        Some(Cache { place, options, program: OnceLock::new() })
    }

    /// The name of what is kept for a program: a hash of its texts, and of the versions of `ape` and Z3.
    pub(super) fn name(program: &Loaded) -> String {
        let versions = [FORMAT.to_string(), env!("CARGO_PKG_VERSION").to_string(), solve::version()];
        hash_of(versions.iter().map(String::as_str).chain(texts(program)))
    }

    /// Whether there is something for a program.
    pub(super) fn has(&self, program: &Loaded) -> bool {
        match &self.place {
            At::Folder(folder) => folder.has(&Self::name(program)),
            At::Shared(store) => store.has(&Self::name(program)),
        }
    }

    /// Shares work with all who use the same place, where it is shared: nobody is waited for longer than that.
    pub(super) fn claims(&self, longest: Duration) -> Option<Claims> {
        match &self.place {
            At::Folder(_) => None,
            At::Shared(store) => Some(Claims::new(Arc::clone(store), longest)),
        }
    }

    /// What is known of the pairs of a program, in their order; `None` where that is not so for all of them.
    pub(super) fn get(&self, program: &Loaded, pairs: &[&Asked]) -> Option<Vec<Known>> {
        let name = Self::name(program);
        let bytes = match &self.place {
            At::Folder(folder) => folder.read(&name, LARGEST)?,
            At::Shared(store) => store.read(&name, LARGEST)?,
        };
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
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
        if let At::Folder(folder) = &self.place {
            folder.used(&name);
        }
        known.collect()
    }

    /// Clears away what is too much. A place that is shared looks after itself.
    pub(super) fn tidy(&self) {
        if let At::Folder(folder) = &self.place {
            folder.tidy();
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
        match &self.place {
            At::Folder(folder) => folder.write(&Self::name(program), &text),
            At::Shared(store) => store.write(&Self::name(program), text),
        }
    }

    /// This program file and the options, as entries name them; `None` where the file cannot be read. That a pair was not settled
    /// cannot be replayed, so nobody else is believed: it is not shared.
    fn this_program(&self) -> Option<String> {
        if matches!(self.place, At::Shared(_)) {
            return None;
        }
        let hash = || {
            let bytes = fs::read(env::current_exe().ok()?).ok()?;
            Some(format!("{} {}", hexadecimal(&Sha256::digest(bytes)), self.options))
        };
        self.program.get_or_init(hash).clone()
    }
}

/// A hash of the texts of a program, by which two reports know that they speak of the same.
pub(super) fn digest(program: &Loaded) -> String {
    hash_of(texts(program))
}

fn texts(program: &Loaded) -> impl Iterator<Item = &str> {
    program.sources.iter().map(|(_, source)| source.text.as_str())
}

fn hash_of<'t>(parts: impl Iterator<Item = &'t str>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
