//! What was found in the round before, while files are watched.
//!
//! In: the outcomes of a round. Out: those of cases whose texts are the same in the next one.
//!
//! Invariant: what was found while a round was being stopped is not kept.

use super::find::Case;
use super::outcome::{LeftOut, Outcome};
use crate::commands::watch::Texts;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Outcomes by the names of their cases, each with the texts it depends on.
#[derive(Default)]
pub(super) struct Kept(Mutex<BTreeMap<String, (Texts, Outcome)>>);

impl Kept {
    /// The outcome of a case, if these are the texts it depends on.
    pub(super) fn take(&self, case: &Case, texts: &Texts) -> Option<Outcome> {
        // A thread that failed while it held the outcomes has left them whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (then, outcome) = kept.remove(&case.name)?;
        (!texts.is_empty() && then == *texts).then_some(outcome)
    }

    /// Keeps outcomes, each with the texts it depends on, in place of all before.
    pub(super) fn put<'c>(&mut self, outcomes: Vec<Outcome>, cases: &[Case], texts: impl Fn(&Case) -> Texts + 'c) {
        let mut cases: BTreeMap<&str, &Case> = cases.iter().map(|case| (case.name.as_str(), case)).collect();
        let whole = outcomes.into_iter().filter(is_whole);
        let kept = whole.filter_map(|outcome| {
            let case = cases.remove(outcome.file.as_str())?;
            Some((outcome.file.clone(), (texts(case), outcome)))
        });
        self.0 = Mutex::new(kept.collect());
    }
}

/// Whether another run would find no more.
fn is_whole(outcome: &Outcome) -> bool {
    outcome.left_out != Some(LeftOut::Interrupted) && !outcome.pairs().iter().any(|pair| pair.cut_short)
}

/// The texts of some files.
pub(super) fn texts<'p>(all: &Texts, files: impl IntoIterator<Item = &'p PathBuf>) -> Texts {
    files.into_iter().filter_map(|file| Some((file.clone(), *all.get(file as &Path)?))).collect()
}
