//! What has changed since a revision of git.
//!
//! In: a revision, and cases. Out: of a case, the pairs whose verdict may be another now, or of which something else is expected.
//!
//! Invariant: where it cannot be told what a pair was, it has changed.

use super::baseline::Baseline;
use super::expectation::{Word, label};
use super::find::Case;
use super::program::{self, Expected, Program};
use crate::files::load;
use crate::machine::repository::{Repository, Revision};
use crate::status::Failure;
use std::collections::BTreeMap;
use std::path::Path;

/// Files as they were.
pub(super) struct Since {
    /// By the name of a case.
    cases: BTreeMap<String, Before>,
    /// What was expected.
    baseline: Baseline,
}

/// What a case was.
enum Before {
    /// The same, and the same was expected.
    Same,
    /// The texts of its files, with their names.
    Texts(Vec<(String, Vec<u8>)>),
    /// It was not there.
    Absent,
}

impl Since {
    /// The cases as they were in a revision.
    pub(super) fn of(revision: &str, cases: &[Case], table: Option<&Path>) -> Result<Self, Failure> {
        let Some(first) = cases.first().and_then(|case| case.files.first()) else {
            return Ok(Since { cases: BTreeMap::new(), baseline: Baseline::default() });
        };
        let repository = Repository::of(first).map_err(Failure::Usage)?;
        let revision = repository.revision(revision).map_err(Failure::Usage)?;
        let old_table = table.map(|table| revision.bytes(table).map_err(Failure::Usage)).transpose()?.flatten();
        let same_table = table.is_none_or(|table| load::named(table).ok().map(|(_, bytes)| bytes) == old_table);
        let baseline = match (table, old_table.and_then(|bytes| String::from_utf8(bytes).ok())) {
            // What was no table said nothing.
            (Some(table), Some(text)) => Baseline::of_text(table, &text).unwrap_or_default(),
            _ => Baseline::default(),
        };
        let before = cases.iter().map(|case| Ok((case.name.clone(), before(&revision, case, same_table)?)));
        Ok(Since { cases: before.collect::<Result<_, Failure>>()?, baseline })
    }

    /// Which pairs of a case have changed, by their places in the program.
    pub(super) fn changed(&self, case: &Case, program: &Program) -> Vec<bool> {
        let all = |changed| vec![changed; program.pairs.len()];
        let texts = match self.cases.get(&case.name) {
            Some(Before::Same) => return all(false),
            Some(Before::Texts(texts)) => texts.clone(),
            Some(Before::Absent) | None => return all(true),
        };
        // A program that was not legal, or no pair, had no verdict.
        let Ok(Some(old)) = program::of_texts(case, &self.baseline, texts) else { return all(true) };
        let (old, new) = (facts(&old), facts(program));
        let has_changed = |label: String| new.get(&label).is_none_or(|fact| old.get(&label) != Some(fact));
        program.pairs.iter().map(|pair| has_changed(label(&pair.of.asked))).collect()
    }
}

fn before(revision: &Revision<'_>, case: &Case, same_table: bool) -> Result<Before, Failure> {
    let mut texts = Vec::new();
    let mut same = same_table;
    for file in &case.files {
        let Some(bytes) = revision.bytes(file).map_err(Failure::Usage)? else { return Ok(Before::Absent) };
        let now = load::named(file).ok();
        same &= now.is_some_and(|(_, now)| now == bytes);
        texts.push((file.display().to_string(), bytes));
    }
    Ok(if same { Before::Same } else { Before::Texts(texts) })
}

/// Of each pair what its verdict depends on, as a key, and the verdicts that are expected.
fn facts(program: &Program) -> BTreeMap<String, (String, Vec<Word>)> {
    let fact = |pair: &Expected| {
        let expected = pair.expectation.as_ref().map(|said| said.verdicts.clone()).unwrap_or_default();
        (label(&pair.of.asked), (pair.of.key.clone(), expected))
    };
    program.pairs.iter().map(fact).collect()
}
