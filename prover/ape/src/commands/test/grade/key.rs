//! What answers are held against.
//!
//! In: a file, or exercises with their solutions. Out: a [`Key`], with an [`Entry`] for each exercise; and its text.
//!
//! Invariant: a key is a function of the solutions: sealing them again makes the same text.

use super::super::expectation::Word;
use super::digest::{digest, masked, unmasked};
use super::exercise::{Exercise, Kind};
use crate::files::load;
use crate::status::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a key is called that nobody names.
pub(super) const FILE: &str = "answers.key";
/// The version of the format; it grows when a field changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// What answers are held against, by exercise.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Key {
    schema_version: u32,
    /// The exercises.
    pub(super) exercises: BTreeMap<String, Entry>,
}

/// What is known of one exercise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// What is asked for.
    pub(super) kind: Kind,
    /// The digest of what is given.
    pub(super) given: String,
    /// By pair the digest of its verdict.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) answers: BTreeMap<String, String>,
    /// The pairs that are to be equivalent; all where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) goals: Vec<String>,
    /// A condition that an answer must not be stronger than, under a mask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
}

impl Key {
    /// The key of these exercises.
    pub(super) fn of(entries: BTreeMap<String, Entry>) -> Self {
        Key { schema_version: SCHEMA_VERSION, exercises: entries }
    }

    /// Reads a key.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let wrong = |what: String| Failure::Usage(format!("{} is no key: {what}", path.display()));
        Key::of_text(&load::text(path)?).map_err(wrong)
    }

    /// The key with this text; or why there is none.
    pub(super) fn of_text(text: &str) -> Result<Self, String> {
        let key: Key = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match key.schema_version {
            SCHEMA_VERSION => Ok(key),
            other => Err(format!("its format is {other}, and this `ape` reads {SCHEMA_VERSION}")),
        }
    }

    /// Its text.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::Internal(format!("no key: {error}")))?;
        Ok(text + "\n")
    }
}

/// The key of a file that nobody names: in its folder, or in the nearest above it.
pub(super) fn nearest(file: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(file).ok()?;
    whole.ancestors().skip(1).map(|folder| folder.join(FILE)).find(|key| key.is_file())
}

impl Entry {
    /// What is to be known of an exercise with its solution; or why it is none.
    pub(super) fn of(solution: &Exercise) -> Result<Self, String> {
        let Exercise { id, kind, given, goals, .. } = solution;
        let mut entry = Entry {
            kind: *kind,
            given: given.clone(),
            answers: BTreeMap::new(),
            goals: goals.clone(),
            condition: None,
        };
        match kind {
            Kind::Verdict if solution.answers.is_empty() => return Err("no pair has an answer".into()),
            Kind::Verdict if solution.asks_for_code() => return Err("a verdict is no code".into()),
            Kind::Verdict => {
                for answer in &solution.answers {
                    let verdict = answer.verdict.ok_or_else(|| format!("{} has no answer", answer.pair))?;
                    entry.answers.insert(answer.pair.clone(), entry.sealed(id, &answer.pair, verdict));
                }
            }
            _ if !solution.asks_for_code() => return Err("no place for an answer is marked".into()),
            _ if solution.speaks_of_externals() => {
                return Err("what is said of a procedure without a body cannot be checked".into());
            }
            Kind::Condition => entry.condition = Some(masked(given, &solution.condition()?.text)),
            Kind::Mend | Kind::Proof => {}
        }
        Ok(entry)
    }

    fn sealed(&self, id: &str, pair: &str, verdict: Word) -> String {
        digest(&["answer", id, &self.given, pair, verdict.text()])
    }

    /// Whether a verdict is the right one.
    pub(super) fn is_right(&self, id: &str, pair: &str, verdict: Word) -> bool {
        self.answers.get(pair).is_some_and(|sealed| *sealed == self.sealed(id, pair, verdict))
    }

    /// The condition that an answer must not be stronger than.
    pub(super) fn condition(&self) -> Option<String> {
        unmasked(&self.given, self.condition.as_ref()?)
    }
}
