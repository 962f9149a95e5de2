//! JSON lines: an object for each pair, one for each file that could not be tested, and one for the whole.

use super::super::outcome::{Counts, Outcome, Place};
use super::{View, message};
use crate::args::test::Partition;
use serde_json::{Value as Json, json};

/// The version of the format; it grows when a key is renamed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

pub(super) fn of_one(outcome: &Outcome, view: &View) -> String {
    let time = u64::try_from(outcome.time.as_millis()).unwrap_or(u64::MAX);
    let failure = outcome.result.as_ref().err();
    let failure = failure.map(|failure| {
        let status = failure.status().number();
        json!({ "type": "failure", "file": outcome.file, "message": message(failure), "status": status })
    });
    let pairs = outcome.pairs().iter().filter(|pair| view.shows(pair.status(view.partial))).map(|pair| {
        json!({
            "type": "pair",
            "file": outcome.file,
            "pair": pair.label,
            "sources": outcome.sources,
            "verdict": pair.found.text(),
            "expected": pair.expected.iter().map(|word| word.text()).collect::<Vec<_>>(),
            "result": pair.judgement.text(),
            "why": pair.why,
            "detail": anstream::adapter::strip_str(&pair.detail).to_string(),
            "left": place(&pair.places[0]),
            "right": place(&pair.places[1]),
            "cached": pair.cached,
            "file_time_ms": time,
        })
    });
    failure.into_iter().chain(pairs).map(|json| format!("{json}\n")).collect()
}

fn place(place: &Place) -> Json {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

pub(super) fn of_all(outcomes: &[Outcome], view: &View) -> String {
    let counts = Counts::of(outcomes);
    let failing = outcomes.iter().flat_map(Outcome::pairs).filter(|pair| !is_success(pair.status(view.partial)));
    let json = json!({
        "type": "summary",
        "schema_version": SCHEMA_VERSION,
        "ape_version": env!("CARGO_PKG_VERSION"),
        "share": view.share.map(|Partition { share, of }| json!({ "number": share, "of": of })),
        "missing_shares": view.missing,
        "partial": view.partial,
        "files": counts.files,
        "pairs": counts.pairs(),
        "as_expected": counts.as_expected,
        "better": counts.better,
        "worse": counts.worse,
        "new": counts.new,
        "failing_pairs": failing.count(),
        "failed_files": counts.failed,
        "interrupted_files": counts.not_run,
        "cached_files": counts.cached,
    });
    format!("{json}\n")
}

fn is_success(status: crate::status::Status) -> bool {
    status == crate::status::Status::Success
}
