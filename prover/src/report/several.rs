//! The reports of several files as one: what each file's own report says, and the worst of it.
//!
//! Invariant: as JSON it is an object of the same form as that of one file. Each pair and each contract says which file it
//! is of.

use super::text::{self, Detail, painted};
use super::{Subject, count, json};
use crate::verdict::Report;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// What was found of one of the files.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// What the file is called.
    pub file: &'a str,
    /// Its report.
    pub subject: Subject<'a>,
}

/// The words for a whole run, from the best to the worst; a file without a pair is no blemish on the others.
const WORDS: [&str; 6] =
    ["none", "equivalent", "partially-equivalent", "unknown", "contract-violation", "not-equivalent"];

/// The one word for all files: the worst of theirs, or `none` when there was no pair to look at in any.
pub fn overall<'r>(reports: impl IntoIterator<Item = &'r Report>) -> &'static str {
    let rank = |report| WORDS.iter().position(|&word| word == super::overall(report)).unwrap_or(WORDS.len() - 1);
    WORDS[reports.into_iter().map(rank).max().unwrap_or(0)]
}

/// The report of each file under its name, and then one line for all and one for each word but the good one.
pub fn text(parts: &[Part<'_>], detail: Detail) -> String {
    let mut all = String::new();
    for Part { file, subject } in parts {
        let _ = writeln!(all, "== {file}\n{}", text::report(*subject, detail));
    }
    let reports: Vec<&Report> = parts.iter().map(|part| part.subject.report).collect();
    let _ = writeln!(all, "== {}", count(parts.len(), "file"));
    all.push_str(&text::summary(overall(reports.iter().copied()), &reports));
    for word in WORDS.into_iter().rev().filter(|&word| word != "equivalent") {
        let files: Vec<&str> =
            parts.iter().filter(|part| super::overall(part.subject.report) == word).map(|part| part.file).collect();
        if !files.is_empty() {
            let word = if word == "none" { "nothing to verify".to_string() } else { painted(word) };
            let _ = writeln!(all, "  {word}: {}", files.join(", "));
        }
    }
    all
}

/// One object: all pairs and all contracts, each with its file, and a list of the files.
pub fn json(parts: &[Part<'_>]) -> Json {
    let reports = || parts.iter().map(|part| part.subject.report);
    let mut all = json::head(overall(reports()), reports().find_map(|report| report.stopped));
    let [mut files, mut pairs, mut contracts] = [Vec::new(), Vec::new(), Vec::new()];
    for Part { file, subject } in parts {
        let mut one = json::report(*subject);
        for (key, into) in [("pairs", &mut pairs), ("contracts", &mut contracts)] {
            let Json::Array(entries) = one[key].take() else { continue };
            into.extend(entries.into_iter().map(|mut entry| {
                entry["file"] = (*file).into();
                entry
            }));
        }
        let mut entry = json!({ "file": file, "verdict": one["verdict"], "timed_out": one["timed_out"] });
        if let Some(reason) = one.get("stopped") {
            entry["stopped"] = reason.clone();
        }
        if let Some(check) = one.get("cross_check") {
            entry["cross_check"] = check.clone();
        }
        files.push(entry);
    }
    let checks = files.iter().filter_map(|file| file.get("cross_check"));
    if let Some(check) = checks.cloned().reduce(sum) {
        all["cross_check"] = check;
    }
    all["files"] = files.into();
    all["pairs"] = pairs.into();
    all["contracts"] = contracts.into();
    all
}

/// The counts of two cross-checks by the same solver together.
fn sum(mut left: Json, right: Json) -> Json {
    if let Some(counts) = left.as_object_mut() {
        for (key, count) in counts {
            if let (Some(mine), Some(theirs)) = (count.as_u64(), right[key.as_str()].as_u64()) {
                *count = (mine + theirs).into();
            }
        }
    }
    left
}
