//! A table of what is expected of the pairs of many files.
//!
//! In: a file with a line for each pair: the file, the pair and its verdicts, between tabs. Out: what it expects of a file; and the
//! table anew, with what was found.
//!
//! Invariant: files are named from the folder that the table is in, so that it means the same wherever one is.

use super::expectation::{self, Expectation, Word};
use crate::files::load;
use crate::files::replace::create_or_replace;
use crate::status::Failure;
use prover::verify::Asked;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The first line of a table.
const HEAD: &str = "# file\tpair\tverdict\n";

/// A table, or none.
#[derive(Clone, Debug, Default)]
pub(super) struct Baseline {
    path: Option<PathBuf>,
    /// By file; the lines of each in their order.
    rows: BTreeMap<String, Vec<Expectation>>,
}

impl Baseline {
    /// Reads the table, if there is to be one. It need not be there yet if it is to be written.
    pub(super) fn read(path: Option<&Path>, to_be_written: bool) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Baseline::default()) };
        let text = if path.exists() || !to_be_written { load::text(path)? } else { String::new() };
        Self::of_text(path, &text)
    }

    /// The table that a text is, as of a file with this path.
    pub(super) fn of_text(path: &Path, text: &str) -> Result<Self, Failure> {
        let mut rows: BTreeMap<String, Vec<Expectation>> = BTreeMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#') && !line.is_empty()) {
            let (file, expectation) =
                row(line).map_err(|wrong| Failure::Usage(format!("{}, line {number}: {wrong}", path.display())))?;
            rows.entry(file).or_default().push(expectation);
        }
        Ok(Baseline { path: Some(path.to_path_buf()), rows })
    }

    /// Whether there is a table.
    pub(super) fn is_there(&self) -> bool {
        self.path.is_some()
    }

    /// What it expects of the pairs of a case with this file.
    pub(super) fn of(&self, file: &Path) -> &[Expectation] {
        self.rows.get(&self.key(file)).map_or(&[], Vec::as_slice)
    }

    /// Takes over what was found of the pairs of a case; what it had of others of its pairs stays.
    pub(super) fn take(&mut self, file: &Path, found: &[(&Asked, Word)], there: &[Asked]) {
        let rows = self.rows.entry(self.key(file)).or_default();
        rows.retain(|row| {
            let of = |asked: &Asked| expectation::speaks_of(row, asked);
            there.iter().any(of) && !found.iter().any(|(asked, _)| of(asked))
        });
        for (asked, word) in found {
            let line = expectation::line(asked, *word);
            rows.extend(expectation::read(&line).into_iter().flatten());
        }
    }

    /// Writes the table anew.
    pub(super) fn write(&self) -> Result<(), Failure> {
        let Some(path) = &self.path else { return Ok(()) };
        let mut text = HEAD.to_string();
        for (file, rows) in &self.rows {
            for Expectation { pair, when, verdicts, .. } in rows {
                let when = when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
                let words: Vec<&str> = verdicts.iter().map(|word| word.text()).collect();
                text.push_str(&format!("{file}\t{pair}{when}\t{}\n", words.join("|")));
            }
        }
        create_or_replace(path, &text).map_err(|error| Failure::write(path, error))
    }

    /// What the table calls a file.
    fn key(&self, file: &Path) -> String {
        let folder = self.path.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        let absolute = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let (folder, file) = (absolute(folder.unwrap_or(Path::new("."))), absolute(file));
        file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('\\', "/")
    }
}

/// The file and the expectation that a line has.
fn row(line: &str) -> Result<(String, Expectation), String> {
    let [file, pair, verdicts] = line.split('\t').collect::<Vec<_>>()[..] else {
        return Err("not a file, a pair and a verdict, between tabs".into());
    };
    let (pair, when) =
        pair.split_once(" when ").map_or((pair, String::new()), |(p, when)| (p, format!(" when {when}")));
    let line = format!("{} {pair} {verdicts}{when}", expectation::MARK);
    let read = expectation::read(&line).map_err(|(_, wrong)| wrong)?;
    read.into_iter().next().map(|expectation| (file.to_string(), expectation)).ok_or_else(|| "no pair".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_file_a_pair_and_a_verdict() {
        let (file, expectation) = row("a/b.l\tp~q when x > 0\tunknown|equivalent").expect("it can be read");
        assert_eq!((file.as_str(), expectation.pair.as_str()), ("a/b.l", "p~q"));
        assert_eq!(expectation.when.as_deref(), Some("x > 0"));
        assert_eq!(expectation.verdicts, [Word::Unknown, Word::Equivalent]);
        for wrong in ["a.l", "a.l\tp", "a.l\tp\tsame", "a.l\tp\tunknown\tx", "a.l\t\tunknown"] {
            assert!(row(wrong).is_err(), "{wrong}");
        }
    }
}
