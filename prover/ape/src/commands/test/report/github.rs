//! Annotations as a log of GitHub Actions has them: they are shown at the lines of a pull request.

use super::super::expectation::Judgement;
use super::super::outcome::{Counts, Outcome, PairOutcome};
use super::{View, level, message, text};
use crate::status::Status;

pub(super) fn of_one(outcome: &Outcome, view: &View) -> String {
    let failure = outcome.result.as_ref().err();
    let failure = failure.map(|failure| {
        let (file, what) = (property(&outcome.file), data(&message(failure)));
        format!("::error file={file},title=ape test::{what}\n")
    });
    let pairs = outcome.pairs().iter().filter_map(|pair| annotation(pair, view));
    failure.into_iter().chain(pairs).collect()
}

/// What is said of a pair, at its new version; nothing where there is nothing to do.
fn annotation(pair: &PairOutcome, view: &View) -> Option<String> {
    let status = pair.status(view.partial);
    let better = pair.judgement == Judgement::Better && !view.failures_only;
    if status == Status::Success && !better {
        return None;
    }
    let kind = match level(status) {
        "note" => "notice",
        other => other,
    };
    let place = &pair.places[1];
    let mut what = format!("{}: {}", pair.label, pair.found.text());
    if !pair.expected.is_empty() {
        what += &format!(", expected {}", pair.expected_words());
    }
    let more = if pair.detail.is_empty() { pair.why.as_str() } else { pair.detail.as_str() };
    let more = anstream::adapter::strip_str(more).to_string();
    Some(format!(
        "::{kind} file={},line={},col={},title={}::{}\n",
        property(&place.file),
        place.line,
        place.column,
        property(&what),
        data(&format!("{what}\n{}", more.trim_end())),
    ))
}

pub(super) fn of_all(outcomes: &[Outcome]) -> String {
    text::sentence(&Counts::of(outcomes)) + "\n"
}

/// A text as the part after `::` has it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A text as the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_an_annotation() {
        assert_eq!(data("50 %\n::error::x"), "50 %25%0A::error::x");
        assert_eq!(property("a:b,c\n"), "a%3Ab%2Cc%0A");
    }
}
