//! `ape verify --format html`: the whole run as one page.
//!
//! In: the reports. Out: the page.

use prover::report::argument::Background;
use prover::report::page;
use prover::report::several::Part;

/// The page. What proofs speak of is rebuilt from what was found.
pub(in crate::commands) fn page(parts: &[Part<'_>]) -> String {
    let background = |part: &Part<'_>| Background::of(part.subject.unit, part.subject.report);
    let backgrounds: Vec<Option<Background>> = parts.iter().map(background).collect();
    let with = parts.iter().zip(&backgrounds);
    let with = with.map(|(&Part { file, subject }, background)| {
        let background = background.as_ref();
        page::Part { file, subject, background }
    });
    page::page(&with.collect::<Vec<_>>())
}
