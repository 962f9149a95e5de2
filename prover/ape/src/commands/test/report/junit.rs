//! `JUnit` XML: a suite for each file, a case for each pair.

use super::super::outcome::{Outcome, PairOutcome};
use super::{View, message};
use crate::status::{Failure, Status};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

pub(super) fn of_all(outcomes: &[Outcome], view: &View) -> Result<String, Failure> {
    let mut report = Report::new("ape test");
    let told = outcomes.iter().filter(|outcome| outcome.result.is_err() || !outcome.pairs().is_empty());
    report.add_test_suites(told.map(|outcome| suite(outcome, view)));
    let xml = report.to_string().map_err(|error| Failure::Internal(format!("no JUnit report: {error}")))?;
    Ok(xml + "\n")
}

fn suite(outcome: &Outcome, view: &View) -> TestSuite {
    let mut suite = TestSuite::new(outcome.file.clone());
    suite.set_time(outcome.time);
    if let Err(failure) = &outcome.result {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_type("failure").set_message("it could not be tested").set_description(message(failure));
        suite.add_test_case(TestCase::new("the file", status));
    }
    suite.add_test_cases(outcome.pairs().iter().map(|pair| case(&outcome.file, pair, view)));
    suite
}

fn case(file: &str, pair: &PairOutcome, view: &View) -> TestCase {
    let status = if pair.status(view.partial) == Status::Success {
        TestCaseStatus::success()
    } else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let expected = match pair.expected.as_slice() {
            [] => "nothing was expected".to_string(),
            _ => format!("expected {}", pair.expected_words()),
        };
        let more = if pair.detail.is_empty() { pair.why.as_str() } else { pair.detail.as_str() };
        let more = anstream::adapter::strip_str(more).to_string();
        status.set_type(pair.found.text()).set_message(format!("{}; {expected}", pair.found.text()));
        status.set_description(more.trim_end());
        status
    };
    let mut case = TestCase::new(pair.label.clone(), status);
    case.set_classname(file);
    case
}
