//! Results that are kept from run to run.
//!
//! In: a part of a program, and the report on it; out: an entry with the certificate of the report, under a hash of all that its
//! pairs depend on. In: pairs; out: what the certificates that are kept for them prove, *replayed* as `ape replay` does it.
//!
//! The entries are in a [`folder`] of this machine, or at an [`address`] that several machines share: a [`store`]. Those who
//! share it leave [`claims`] of what they are about to do, so that nobody else does it meanwhile.
//!
//! Invariant: nothing that is kept is believed. A proof is made again from the source, a difference is run again on its store, and
//! which pairs these are about is read from the source, too. Only that a pair was not settled is taken over, from the same program
//! file under the same options; and no caller lets that stand against a verdict that is expected.
//! Invariant: that entries cannot be read or written costs time, and nothing else. So does a claim, whatever it says.

mod address;
mod claims;
mod folder;
mod store;

use super::expectation::{Word, label};
use super::part::Part;
use crate::commands::verify::pairs::pairs;
use folder::Folder;
use lang_l::Loaded;
use prover::certificate::{AnsweredPair, Certificate, Decision, Decisions, replay, sources, write};
use prover::verdict::Report;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use smt::solve;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, UNIX_EPOCH};
use store::Store;

pub(super) use address::Place;
pub(super) use claims::{Claims, Turn};
pub(super) use folder::usual_folder;

/// What entries are; it changes when those of before can no longer be read.
const FORMAT: &str = "ape results 3";

/// The largest entry that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// Where results are kept.
pub(super) struct Cache {
    place: At,
    /// The options that what is not settled may depend on.
    options: String,
    /// This very program file under these options, looked at when it is first needed.
    program: OnceLock<Option<String>>,
}

/// A place that has been opened.
enum At {
    Folder(Folder),
    Shared(Arc<Store>),
}

/// What is kept of pairs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    format: String,
    /// By which program file and under which options pairs were not settled; `None` where all were.
    unsettled_by: Option<String>,
    /// The files of the certificate.
    certificate: BTreeMap<String, String>,
}

/// What is kept of one pair that was proved with others: the name of their entry.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pointer {
    format: String,
    entry: String,
}

/// What is known of pairs, by their keys.
type Found = BTreeMap<String, Known>;

/// What a replay has shown of a pair.
#[derive(Clone, Debug)]
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

    /// The name of what is kept for pairs that were proved together: a hash of their keys, and of the versions of `ape` and Z3.
    pub(super) fn name<'k>(keys: impl IntoIterator<Item = &'k String>) -> String {
        let mut parts = vec![FORMAT.to_string(), env!("CARGO_PKG_VERSION").to_string(), solve::version()];
        parts.extend(keys.into_iter().cloned());
        hash_of(parts.iter().map(String::as_str))
    }

    /// Whether there is something for a pair, by its key.
    pub(super) fn has(&self, key: &String) -> bool {
        let name = Self::name([key]);
        match &self.place {
            At::Folder(folder) => folder.has(&name),
            At::Shared(store) => store.has(&name),
        }
    }

    /// Shares work with all who use the same place, where it is shared: nobody is waited for longer than that.
    pub(super) fn claims(&self, longest: Duration) -> Option<Claims> {
        match &self.place {
            At::Folder(_) => None,
            At::Shared(store) => Some(Claims::new(Arc::clone(store), longest)),
        }
    }

    /// What is known of the pairs of a part, by their keys: from what they were proved in together, or else each from what it was
    /// last proved in.
    pub(super) fn get(&self, part: &Part) -> Found {
        let keys: Vec<&String> = part.pairs.iter().map(|pair| &pair.key).collect();
        let together = self.entry(&Self::name(keys.iter().copied())).unwrap_or_default();
        let mut seen: BTreeMap<String, Found> = BTreeMap::new();
        let known = |key: &String| {
            if let Some(known) = together.get(key) {
                return Some((key.clone(), known.clone()));
            }
            let name = Self::name([key]);
            let name = self.pointed_to(&name).unwrap_or(name);
            let found = seen.entry(name).or_insert_with_key(|name| self.entry(name).unwrap_or_default());
            Some((key.clone(), found.get(key)?.clone()))
        };
        keys.into_iter().filter_map(known).collect()
    }

    /// What the entry of a name shows.
    fn entry(&self, name: &str) -> Option<Found> {
        let Entry { format, unsettled_by, certificate } = serde_json::from_slice(&self.read(name)?).ok()?;
        if format != FORMAT {
            return None;
        }
        let unsettled_may_stand = unsettled_by.is_some() && unsettled_by == self.this_program();
        let certificate = Certificate { files: certificate };
        let replayed = replay(&certificate, None).ok()?;
        let texts = sources(&certificate).ok()?;
        let program = lang_l::load(texts.iter().map(|(_, source)| (&*source.name, &*source.text))).ok()?;
        if let At::Folder(folder) = &self.place {
            folder.used(name);
        }
        let known = replayed.pairs.into_iter().filter_map(|pair| {
            let word = Word::read(pair.verdict)?;
            let holds = if word == Word::Unknown { unsettled_may_stand } else { pair.confirmed };
            holds.then_some((pair.name, Known { word, why: pair.how }))
        });
        let mut known: BTreeMap<String, Known> = known.collect();
        let of = |pair: crate::commands::verify::pairs::Pair| Some((pair.key, known.remove(&label(&pair.asked))?));
        Some(pairs(&program.unit, &program.sources).into_iter().filter_map(of).collect())
    }

    /// The name of the entry that another name stands for.
    fn pointed_to(&self, name: &str) -> Option<String> {
        let Pointer { format, entry } = serde_json::from_slice(&self.read(name)?).ok()?;
        let is_name = entry.len() == name.len() && entry.bytes().all(|byte| byte.is_ascii_hexdigit());
        if format != FORMAT || !is_name {
            return None;
        }
        if let At::Folder(folder) = &self.place {
            folder.used(name);
        }
        Some(entry)
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        match &self.place {
            At::Folder(folder) => folder.read(name, LARGEST),
            At::Shared(store) => store.read(name, LARGEST),
        }
    }

    fn write(&self, name: &str, value: &impl Serialize) {
        let Ok(text) = serde_json::to_string(value) else { return };
        match &self.place {
            At::Folder(folder) => folder.write(name, &text),
            At::Shared(store) => store.write(name, text),
        }
    }

    /// Clears away what is too much. A place that is shared looks after itself.
    pub(super) fn tidy(&self) {
        if let At::Folder(folder) = &self.place {
            folder.tidy();
        }
    }

    /// Keeps what was found of a part, where it can be replayed and another run would find the same.
    pub(super) fn put(&self, part: &Part, report: &Report) {
        let decisions = Decisions::of(&part.program.unit, report);
        let is = |pair: &AnsweredPair, uncertified: bool| match pair.answer {
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
        let Ok(Certificate { files }) = write(&part.program.unit, &part.program.sources, &decisions) else { return };
        let name = Self::name(part.pairs.iter().map(|pair| &pair.key));
        self.write(&name, &Entry { format: FORMAT.to_string(), unsettled_by, certificate: files });
        for own in part.pairs.iter().map(|pair| Self::name([&pair.key])).filter(|own| *own != name) {
            self.write(&own, &Pointer { format: FORMAT.to_string(), entry: name.clone() });
        }
    }

    /// This program file and the options, as entries name them; `None` where the file cannot be read. That a pair was not settled
    /// cannot be replayed, so nobody else is believed: it is not shared.
    fn this_program(&self) -> Option<String> {
        if matches!(self.place, At::Shared(_)) {
            return None;
        }
        // Its bytes would say more, and to hash so many of them takes longer than to replay a hundred certificates.
        let hash = || {
            let about = fs::metadata(env::current_exe().ok()?).ok()?;
            let written = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
            let parts = [about.len().to_string(), written.as_nanos().to_string(), self.options.clone()];
            Some(hash_of(parts.iter().map(String::as_str)))
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
