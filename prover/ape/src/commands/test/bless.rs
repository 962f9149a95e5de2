//! What was found, written where it is expected.
//!
//! In: a program with what was found of its pairs. Out: the texts of its files anew, or rows of the baseline.
//!
//! Invariant: no line changes but those that expect something. What was cut short by a bound is not taken for what is right.

use super::baseline::Baseline;
use super::expectation::{self, Judgement, MARK, Word};
use super::find::Case;
use super::outcome::PairOutcome;
use super::program::{Expected, Program};
use super::settle::Settled;
use crate::files::load;
use crate::files::replace::replace;
use crate::status::Failure;
use prover::verify::Asked;
use std::collections::BTreeMap;

/// What is to be done to the lines of one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    /// What becomes of a line, by its number from 0; `None` where it goes.
    lines: BTreeMap<usize, Option<String>>,
    /// Lines to be put where expectations stand.
    more: Vec<String>,
}

/// What blessing a case has done.
#[derive(Debug, Default)]
pub(super) struct Blessed {
    /// How many lines and rows were written, or taken away.
    pub(super) lines: usize,
    /// The pairs that were left as they are, as something cut the search short.
    pub(super) cut_short: Vec<String>,
}

/// Writes what was found of a case into its files, or has the baseline take it.
pub(super) fn bless(case: &Case, settled: &Settled, baseline: &mut Baseline) -> Result<Blessed, Failure> {
    let Some(program) = &settled.program else { return Ok(Blessed::default()) };
    let mut blessed = Blessed::default();
    let pairs = settled.selected.iter().map(|&at| &program.pairs[at]);
    let found: Vec<(&Expected, &PairOutcome)> = pairs.zip(settled.outcome.pairs()).collect();
    let (cut_short, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, outcome)| outcome.cut_short);
    if baseline.is_there()
        && let Some(file) = case.files.first()
    {
        let there: Vec<Asked> = program.pairs.iter().map(|pair| pair.of.asked.clone()).collect();
        let rows = found.iter().filter(|(pair, _)| pair.said_in.is_none());
        // Several verdicts that would do stay as they are, as long as one of them was found.
        let rows =
            rows.filter(|(pair, outcome)| pair.expectation.is_none() || outcome.judgement != Judgement::AsExpected);
        let rows: Vec<(&Asked, Word)> = rows.map(|(pair, outcome)| (&pair.of.asked, outcome.found)).collect();
        blessed.lines += rows.len();
        baseline.take(file, &rows, &there);
    }
    for (at, changes) in changes(case, program, &found, baseline.is_there()) {
        if changes != Changes::default() {
            let path = &case.files[at];
            blessed.lines += changes.lines.len() + changes.more.len();
            let text = changed(&load::text(path)?, &changes);
            replace(path, &text).map_err(|error| Failure::write(path, error))?;
        }
    }
    let label = |(_, outcome): &(&Expected, &PairOutcome)| format!("{}: {}", case.name, outcome.label);
    blessed.cut_short = cut_short.iter().map(label).collect();
    Ok(blessed)
}

/// What is to be done to each file of a case.
fn changes(
    case: &Case,
    program: &Program,
    found: &[(&Expected, &PairOutcome)],
    has_baseline: bool,
) -> BTreeMap<usize, Changes> {
    let mut changes: BTreeMap<usize, Changes> = BTreeMap::new();
    // New lines go where others are; else into the new version, which is the one that was changed.
    let home = program.pairs.iter().find_map(|pair| pair.said_in).unwrap_or(case.files.len().saturating_sub(1));
    for (pair, outcome) in found {
        let line = expectation::line(&pair.of.asked, outcome.found);
        match (&pair.expectation, pair.said_in) {
            (Some(expectation), Some(file)) if outcome.judgement != Judgement::AsExpected => {
                changes.entry(file).or_default().lines.insert(expectation.line, Some(line));
            }
            (None, _) if !has_baseline => changes.entry(home).or_default().more.push(line),
            _ => {}
        }
    }
    for (place, expectation) in &program.of_nothing {
        let file = case.files.iter().position(|file| file.display().to_string() == place.file);
        if let Some(file) = file {
            changes.entry(file).or_default().lines.insert(expectation.line, None);
        }
    }
    changes
}

/// A text with its lines changed. New lines come after the last expectation, else after the comment that a file begins with.
fn changed(text: &str, changes: &Changes) -> String {
    let end = if text.lines().next().is_some_and(|_| text.contains("\r\n")) { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let last = lines.iter().rposition(|line| line.starts_with(MARK)).map(|last| last + 1);
    let place = last.unwrap_or_else(|| lines.iter().take_while(|line| line.starts_with("//")).count());
    let mut new = String::new();
    let put = |new: &mut String| changes.more.iter().for_each(|line| *new += &format!("{line}{end}"));
    for (at, line) in lines.iter().enumerate() {
        if at == place {
            put(&mut new);
        }
        match changes.lines.get(&at) {
            None => new.push_str(line),
            Some(Some(other)) => new += &format!("{other}{end}"),
            Some(None) => {}
        }
    }
    if place >= lines.len() {
        if !new.is_empty() && !new.ends_with('\n') {
            new.push_str(end);
        }
        put(&mut new);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_where_expectations_do() {
        let more =
            |lines: &[&str]| Changes { more: lines.iter().map(|s| s.to_string()).collect(), ..Changes::default() };
        let new = more(&["// expect: q unknown"]);
        let table = [
            ("version 0\n", "// expect: q unknown\nversion 0\n"),
            ("// a\n\n// b\nversion 0\n", "// a\n// expect: q unknown\n\n// b\nversion 0\n"),
            ("// expect: p unknown\r\nversion 0\r\n", "// expect: p unknown\r\n// expect: q unknown\r\nversion 0\r\n"),
            ("// a", "// a\n// expect: q unknown\n"),
            ("", "// expect: q unknown\n"),
        ];
        for (old, right) in table {
            assert_eq!(changed(old, &new), right);
        }
        let lines = BTreeMap::from([(1, Some("// expect: p equivalent".to_string())), (2, None)]);
        let text = "// a\n// expect: p unknown\n// expect: gone unknown\nversion 0\n";
        assert_eq!(changed(text, &Changes { lines, more: Vec::new() }), "// a\n// expect: p equivalent\nversion 0\n");
    }
}
