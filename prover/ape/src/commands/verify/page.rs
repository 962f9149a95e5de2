//! `ape verify --format html`: the whole run as one page.
//!
//! In: the reports. Out: the page.

use prover::report::argument::Background;
use prover::report::page;
use prover::report::several::Part;
use prover::verify::Config;
use smt::stop::Stop;

/// The page. What proofs speak of is rebuilt from what was found, also when the time is over.
pub(in crate::commands) fn page(parts: &[Part<'_>], config: &Config) -> String {
    let mut solver = Config { stop: Stop::new(), ..config.clone() }.solver();
    let mut background = |part: &Part<'_>| Background::of(part.subject.unit, part.subject.report, &mut solver);
    let backgrounds: Vec<Option<Background>> = parts.iter().map(&mut background).collect();
    let with = parts.iter().zip(&backgrounds);
    let with = with.map(|(&Part { file, subject }, background)| {
        let background = background.as_ref();
        page::Part { file, subject, background }
    });
    page::page(&with.collect::<Vec<_>>())
}
