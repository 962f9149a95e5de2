//! What is said of pairs that were not decided because the stop fired, or because they are too large.
//!
//! In: the reason, and what was known of the pair by then. Out: the verdict `unknown`, with that reason.
//!
//! Invariant: nothing is decided here.

use crate::goal::{Pair, PairProof};
use crate::verdict::{PairReport, Reason, Report, Termination, Verdict};
use lang_l::hir::Unit;
use smt::stop;
use std::time::Duration;

/// The verdict on a pair whose proof or whose search was given up.
pub fn verdict(unit: &Unit, pair: Pair, proof: Option<&PairProof>, reason: stop::Reason) -> Verdict {
    let failed = proof.and_then(|proof| proof.failed_goal.as_ref());
    // What the proof lacked is worth knowing, even if more was to be tried.
    let what = match failed {
        Some(failed) if !failed.what.contains(&reason.to_string()) => format!("{}; {reason}", failed.what),
        _ => reason.to_string(),
    };
    let names = || {
        let place = |version: usize, id| vec![unit.versions[version].procedure(id).name_span];
        [place(0, pair.0), place(1, pair.1)]
    };
    let places = failed.map_or_else(names, |failed| failed.places.clone());
    Verdict::Unknown(Reason { what, places, hint: consequence(reason).into() })
}

/// What a reader may do about it.
pub fn consequence(reason: stop::Reason) -> &'static str {
    match reason {
        stop::Reason::Time => "more may be provable in more time (`--timeout`)",
        stop::Reason::Memory => "more may be provable in more memory (`--memory`)",
        stop::Reason::Interrupted => "what was decided by then stays",
        stop::Reason::Size => "split the procedure, or what it calls, into smaller ones",
    }
}

/// The report where nothing was decided at all of these pairs, each with its condition as text.
pub fn report(unit: &Unit, open: impl Iterator<Item = (Pair, Option<String>)>, reason: stop::Reason) -> Report {
    let mut report = Report { stopped: Some(reason), ..Report::default() };
    for (pair, when) in open {
        let [left, right] =
            [(0, pair.0), (1, pair.1)].map(|(version, id)| unit.versions[version].procedure(id).name.clone());
        report.pairs.push(PairReport {
            left,
            right,
            when,
            verdict: verdict(unit, pair, None, reason),
            termination: Termination::Unknown,
            time: Duration::ZERO,
            rests_on: Vec::new(),
            pair,
            differs_when: None,
            unreached: [Vec::new(), Vec::new()],
        });
    }
    report
}
