//! Where an argument fails.

use super::super::text::places_text;
use super::outline::{Point, Section};
use super::{Known, claim};
use crate::goal::{Pair, PairProof};
use crate::verdict::{PairReport, Reason};
use kernel::relate::Level;

/// How many parts that were looked at are told.
const SHOWN: usize = 8;

/// A pair that is not settled: what was shown all the same, and where it fails.
pub(super) fn unsettled(known: &Known<'_>, pair: &PairReport, reason: &Reason) -> Vec<Section> {
    let mut sections = vec![claim(known, pair, "What was to be shown")];
    let parts = parts(known, pair.pair);
    if !parts.is_empty() {
        let told = parts.iter().take(SHOWN).map(|(part, proof)| format!("{}: {}", known.titles(*part), found(proof)));
        let more = (parts.len() > SHOWN).then(|| format!("… and {} more", parts.len() - SHOWN));
        sections.push(Section::new("What was found of its parts", told.chain(more)));
    }
    let lines = places_text(known.subject, &reason.places);
    let points = [
        Point { lines, ..reason.what.as_str().into() },
        format!("what could help: {}", reason.hint).into(),
        "no store was found from which the two differ: they may be equivalent all the same".into(),
    ];
    sections.push(Section::new("Where it fails", points));
    sections
}

/// Why termination is open of a pair that is proved where both end.
pub(super) fn not_ending(known: &Known<'_>, proof: &PairProof) -> Point {
    match &proof.failed_goal {
        Some(failed) => Point { lines: places_text(known.subject, &failed.places), ..failed.what.as_str().into() },
        None => "a pair that it rests on may not end from the same stores".into(),
    }
}

/// The pairs of what the two run that were tried, without the pair itself.
fn parts<'k>(known: &Known<'k>, pair: Pair) -> Vec<(Pair, &'k PairProof)> {
    let run = [known.run_by(0, pair.0), known.run_by(1, pair.1)];
    let proofs = known.subject.report.proofs.iter();
    let within = proofs.filter(|(other, _)| **other != pair && run[0].contains(&other.0) && run[1].contains(&other.1));
    within.map(|(other, proof)| (*other, proof)).collect()
}

fn found(proof: &PairProof) -> String {
    match (proof.level, &proof.failed_goal) {
        (Some(Level::Full), _) => format!("equivalent, {}", proof.rule.sentence),
        (Some(Level::Partial), Some(failed)) => format!("equivalent where both end; {}", failed.what),
        (Some(Level::Partial), None) => "equivalent where both end".to_string(),
        (None, Some(failed)) => format!("not settled: {}", failed.what),
        (None, None) => "not settled: something that it rests on is not".to_string(),
    }
}
