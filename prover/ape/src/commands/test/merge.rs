//! `ape report merge`: one report of several.
//!
//! In: reports as JSON lines. Out: what came of all files, as if one run had tested them; or why they make no report.
//!
//! Invariant: nothing is made up. A line that is not one of a report, a summary that does not fit its lines, and two verdicts of which
//! one must be wrong are refused.

use super::expectation::{Word, judge};
use super::outcome::{Counts, LeftOut, Outcome, PairOutcome, Place, worse};
use super::report::{self, View};
use crate::args::report::MergeArgs;
use crate::args::test::Partition;
use crate::files::load;
use crate::files::replace::create_or_replace;
use crate::status::{Failure, Status, complain};
use prover::report::count;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

/// The version of reports that is read.
const SCHEMA_VERSION: u32 = 1;

/// A line of a report.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Pair(PairLine),
    Failure { file: String, message: String, status: u8 },
    Summary(Summary),
}

#[derive(Deserialize)]
struct PairLine {
    file: String,
    pair: String,
    sources: String,
    verdict: String,
    expected: Vec<String>,
    result: String,
    why: String,
    detail: String,
    left: PlaceOfPair,
    right: PlaceOfPair,
    cached: bool,
    file_time_ms: u64,
}

#[derive(Deserialize)]
struct PlaceOfPair {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Deserialize)]
struct Summary {
    schema_version: u32,
    share: Option<ShareOfSummary>,
    missing_shares: usize,
    partial: bool,
    files: usize,
    as_expected: usize,
    better: usize,
    worse: usize,
    new: usize,
    failed_files: usize,
    interrupted_files: usize,
}

#[derive(Deserialize)]
struct ShareOfSummary {
    number: usize,
    of: usize,
}

/// A report that was read.
struct Read<'p> {
    path: &'p Path,
    outcomes: Vec<Outcome>,
    summary: Summary,
}

/// Merges reports. The status is that of a run that had done all.
pub(crate) fn merge(args: &MergeArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let reports = args.files.iter().map(|path| read(path)).collect::<Result<Vec<_>, Failure>>()?;
    let missing = missing_shares(&reports)?;
    let partial = reports.iter().all(|report| report.summary.partial);
    let mut merged: BTreeMap<String, Outcome> = BTreeMap::new();
    let mut interrupted = Vec::new();
    for Read { path, outcomes, .. } in reports {
        for outcome in outcomes {
            if outcome.left_out.is_some() {
                interrupted.push(outcome);
            } else if let Some(other) = merged.remove(&outcome.file) {
                let one = both(other, outcome).map_err(|wrong| refused(path, &wrong))?;
                merged.insert(one.file.clone(), one);
            } else {
                merged.insert(outcome.file.clone(), outcome);
            }
        }
    }
    let outcomes: Vec<Outcome> = merged.into_values().chain(interrupted).collect();
    let view = View { format: args.format, failures_only: args.failures_only, partial, share: None, missing };
    show(args, &outcomes, &view, out)?;
    let worst = outcomes.iter().map(|outcome| outcome.status(partial)).fold(Status::Success, worse);
    let worst = if missing > 0 { worse(worst, Status::Undecided) } else { worst };
    let nothing = outcomes.iter().all(|outcome| outcome.pairs().is_empty());
    Ok(if nothing { worse(worst, Status::NothingSelected) } else { worst })
}

fn show(args: &MergeArgs, outcomes: &[Outcome], view: &View, out: &mut impl Write) -> Result<(), Failure> {
    for outcome in outcomes {
        out.write_all(report::of_one(outcome, view).as_bytes())?;
        if let Err(failure) = &outcome.result {
            failure.report();
        }
    }
    out.write_all(report::of_all(outcomes, view)?.as_bytes())?;
    for file in &args.reports {
        let text = report::whole(outcomes, &View { format: file.format, failures_only: false, ..*view })?;
        create_or_replace(&file.path, &text).map_err(|error| Failure::write(&file.path, error))?;
    }
    Ok(())
}

fn refused(path: &Path, wrong: &str) -> Failure {
    Failure::Usage(format!("{}: {wrong}", path.display()))
}

/// How many shares are not there. Which these are is told, and which are there more than once.
fn missing_shares(reports: &[Read<'_>]) -> Result<usize, Failure> {
    let mut missing: usize = reports.iter().map(|report| report.summary.missing_shares).sum();
    let mut seen: BTreeMap<usize, &Path> = BTreeMap::new();
    let mut all = None;
    for report in reports {
        let Some(ShareOfSummary { number, of }) = report.summary.share else { continue };
        let of_first = *all.get_or_insert(of);
        if of_first != of {
            let wrong = format!("this is a share of {of}, and another is one of {of_first}");
            return Err(refused(report.path, &wrong));
        }
        if let Some(other) = seen.insert(number, report.path) {
            let (one, other) = (report.path.display(), other.display());
            complain(&format!("the share {number}/{of} is there twice: {other} and {one}"));
        }
    }
    for (number, of) in all.into_iter().flat_map(|of| (1..=of).map(move |number| (number, of))) {
        if !seen.contains_key(&number) {
            complain(&format!("the share {number}/{of} is missing"));
            missing += 1;
        }
    }
    Ok(missing)
}

/// Reads a report.
fn read(path: &Path) -> Result<Read<'_>, Failure> {
    let text = load::text(path)?;
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut summary = None;
    for (at, line) in text.lines().enumerate() {
        let wrong = |what: &str| {
            refused(
                path,
                &format!("line {}: {what}; a report is what `ape test --report json-lines:FILE` writes", at + 1),
            )
        };
        if summary.is_some() {
            return Err(wrong("there is a line behind the summary"));
        }
        match serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))? {
            Line::Pair(pair) => add(&mut outcomes, pair).map_err(|what| wrong(&what))?,
            Line::Failure { file, message, status } => {
                let status = Status::of_failure(status).ok_or_else(|| wrong("no failure has this status"))?;
                outcomes.push(Outcome { result: Err(told(message, status)), ..empty(file) });
            }
            Line::Summary(one) => summary = Some(one),
        }
    }
    let summary =
        summary.ok_or_else(|| refused(path, "the summary is missing: this is no report, or a part of one"))?;
    let interrupted = || Outcome { left_out: Some(LeftOut::Interrupted), ..empty(String::new()) };
    outcomes.extend(std::iter::repeat_with(interrupted).take(summary.interrupted_files));
    let wrong = wrong_summary(&summary, &Counts::of(&outcomes));
    wrong.map_or(Ok(Read { path, outcomes, summary }), |wrong| Err(refused(path, &wrong)))
}

/// A failure of another run. What is wrong with a program is drawn in several lines, and shown as it is.
fn told(message: String, status: Status) -> Failure {
    if status == Status::Illegal && message.contains('\n') {
        return Failure::IllegalFile(message + "\n");
    }
    Failure::Told { message, status }
}

/// What is wrong with a summary of lines that come to this.
fn wrong_summary(summary: &Summary, counts: &Counts) -> Option<String> {
    if summary.schema_version != SCHEMA_VERSION {
        return Some(format!("this report is of version {}, and not {SCHEMA_VERSION}", summary.schema_version));
    }
    if summary.share.as_ref().is_some_and(|share| Partition::new(share.number, share.of).is_none()) {
        return Some("there is no such share".to_string());
    }
    let Summary { files, as_expected, better, worse, new, failed_files, .. } = *summary;
    let said = Counts { files, as_expected, better, worse, new, failed: failed_files, ..*counts };
    let lacks = said.pairs() > counts.pairs();
    (said != *counts).then(|| match lacks {
        true => format!(
            "{} missing, as where it was made with --failures-only",
            count(said.pairs() - counts.pairs(), "pair")
        ),
        false => "the summary does not fit the lines".to_string(),
    })
}

/// Adds a pair to its file, which is the last one if it is there.
fn add(outcomes: &mut Vec<Outcome>, line: PairLine) -> Result<(), String> {
    let word = |text: &String| Word::read(text).ok_or_else(|| format!("there is no verdict `{text}`"));
    let (found, expected) = (word(&line.verdict)?, line.expected.iter().map(word).collect::<Result<Vec<_>, _>>()?);
    let judgement = judge(&expected, found);
    if judgement.text() != line.result {
        return Err(format!(
            "`{}` where {} was expected is not `{}`",
            line.verdict,
            line.expected.join(" or "),
            line.result
        ));
    }
    let place = |PlaceOfPair { file, line, column }| Place { file, line, column };
    let pair = PairOutcome {
        label: line.pair,
        found,
        why: line.why,
        expected,
        judgement,
        cut_short: false,
        cached: line.cached,
        places: [place(line.left), place(line.right)],
        detail: line.detail,
    };
    let time = Duration::from_millis(line.file_time_ms);
    match outcomes.last_mut() {
        Some(Outcome { file, sources, result: Ok(pairs), .. }) if *file == line.file && *sources == line.sources => {
            pairs.push(pair);
        }
        _ => outcomes.push(Outcome { sources: line.sources, time, result: Ok(vec![pair]), ..empty(line.file) }),
    }
    Ok(())
}

fn empty(file: String) -> Outcome {
    let (sources, time) = (String::new(), Duration::ZERO);
    Outcome { file, sources, result: Ok(Vec::new()), left_out: None, time }
}

/// What two reports say of one file.
fn both(one: Outcome, other: Outcome) -> Result<Outcome, String> {
    // What went wrong with a file is not hidden by another run.
    let (mut pairs, more) = match (one.result, other.result) {
        (Err(failure), _) | (_, Err(failure)) => {
            return Ok(Outcome { result: Err(failure), ..empty(one.file) });
        }
        (Ok(pairs), Ok(more)) => (pairs, more),
    };
    if one.sources != other.sources {
        return Err(format!("another report tells of another text of {}", one.file));
    }
    for pair in more {
        match pairs.iter_mut().find(|known| known.label == pair.label) {
            Some(known) => agree(&one.file, known, pair)?,
            None => pairs.push(pair),
        }
    }
    let time = one.time.max(other.time);
    Ok(Outcome { result: Ok(pairs), sources: one.sources, time, ..empty(one.file) })
}

/// Holds two verdicts on one pair of the same texts against each other. The one that is more settled stays.
fn agree(file: &str, known: &mut PairOutcome, pair: PairOutcome) -> Result<(), String> {
    let name = format!("{file}: {}", pair.label);
    if known.expected != pair.expected {
        return Err(format!("{name}: another report expects something else"));
    }
    known.cached &= pair.cached;
    let less_settled =
        |one: Word, other: Word| one == Word::Unknown || one == Word::PartiallyEquivalent && other == Word::Equivalent;
    if known.found != pair.found && less_settled(known.found, pair.found) {
        *known = pair;
    } else if known.found != pair.found && !less_settled(pair.found, known.found) {
        let (one, other) = (known.found.text(), pair.found.text());
        return Err(format!(
            "{name} is {other}, and {one} in another report on the same texts. One of them is wrong: please report it"
        ));
    }
    Ok(())
}
