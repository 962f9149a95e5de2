//! A report for people.

use super::{Subject, overall};
use std::fmt::Write as _;

/// The whole report.
pub fn report(subject: Subject<'_>) -> String {
    let mut text = String::new();
    for pair in &subject.report.pairs {
        let _ = writeln!(text, "{} ~ {}: {}", pair.left, pair.right, pair.verdict.word());
    }
    let _ = writeln!(text, "{}", overall(subject.report));
    text
}
