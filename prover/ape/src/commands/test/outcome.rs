//! What came of files, and of the pairs in them.
//!
//! Invariant: plain data; how it is judged is in `expectation`, how it is shown in `report`.

use super::expectation::{Judgement, Word};
use crate::status::{Failure, Status};
use std::time::Duration;

/// What came of one case: a file with two versions, or two files.
pub(super) struct Outcome {
    /// What it is called.
    pub(super) file: String,
    /// A hash of its texts, as they were verified; empty where none was.
    pub(super) sources: String,
    /// What came of it.
    pub(super) result: Result<Vec<PairOutcome>, Failure>,
    /// Whether it was left out: it has one version alone, or no pair of it was selected, or the run was over.
    pub(super) left_out: Option<LeftOut>,
    /// How long it took.
    pub(super) time: Duration,
}

/// Why nothing was done about a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftOut {
    /// It is a program in one version.
    Single,
    /// The filter takes no pair of it.
    Filtered,
    /// The run was interrupted before.
    Interrupted,
}

/// What came of one pair.
#[derive(Clone, Debug)]
pub(super) struct PairOutcome {
    /// What it is called, with its condition.
    pub(super) label: String,
    /// The verdict.
    pub(super) found: Word,
    /// How it was proved, or why it is not settled, in one line; may be empty.
    pub(super) why: String,
    /// The verdicts that are as expected; none where nothing is expected.
    pub(super) expected: Vec<Word>,
    /// How the two compare.
    pub(super) judgement: Judgement,
    /// Whether the search was cut short: another run may find more.
    pub(super) cut_short: bool,
    /// Whether it was replayed from the cache.
    pub(super) cached: bool,
    /// Where the two procedures are.
    pub(super) places: [Place; 2],
    /// What a report says of the pair, if it is not as expected.
    pub(super) detail: String,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The file.
    pub(super) file: String,
    /// The line, from 1.
    pub(super) line: usize,
    /// The column, from 1.
    pub(super) column: usize,
}

impl PairOutcome {
    /// The status that this pair alone makes.
    pub(super) fn status(&self, partial_counts: bool) -> Status {
        match self.judgement {
            Judgement::AsExpected | Judgement::Better => Status::Success,
            Judgement::New if self.found == Word::Equivalent => Status::Success,
            Judgement::New if self.found == Word::PartiallyEquivalent && partial_counts => Status::Success,
            Judgement::New | Judgement::Worse => match self.found {
                Word::Unknown => Status::Undecided,
                Word::PartiallyEquivalent if self.judgement == Judgement::New || self.might_be_equivalent() => {
                    Status::Undecided
                }
                _ => Status::Failed,
            },
        }
    }

    fn might_be_equivalent(&self) -> bool {
        self.expected.contains(&Word::Equivalent)
    }

    /// The verdicts that are as expected, in words.
    pub(super) fn expected_words(&self) -> String {
        self.expected.iter().map(|word| word.text()).collect::<Vec<_>>().join(" or ")
    }
}

impl Outcome {
    /// The pairs that were looked at.
    pub(super) fn pairs(&self) -> &[PairOutcome] {
        self.result.as_deref().unwrap_or_default()
    }

    /// Whether all of it was replayed from the cache.
    pub(super) fn cached(&self) -> bool {
        !self.pairs().is_empty() && self.pairs().iter().all(|pair| pair.cached)
    }

    /// The status that this case alone makes.
    pub(super) fn status(&self, partial_counts: bool) -> Status {
        if self.left_out == Some(LeftOut::Interrupted) {
            return Status::Undecided;
        }
        match &self.result {
            Err(failure) => failure.status(),
            Ok(pairs) => pairs.iter().map(|pair| pair.status(partial_counts)).fold(Status::Success, worse),
        }
    }
}

/// The worse of two statuses.
pub(super) fn worse(one: Status, other: Status) -> Status {
    if rank(other) > rank(one) { other } else { one }
}

fn rank(status: Status) -> u8 {
    match status {
        Status::Success => 0,
        Status::NothingSelected => 1,
        Status::Undecided => 2,
        Status::Failed => 3,
        Status::Illegal => 4,
        Status::Environment | Status::BrokenPipe => 5,
        Status::Internal => 6,
    }
}

/// What came of a whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Files of which pairs were looked at.
    pub(super) files: usize,
    /// Pairs as expected.
    pub(super) as_expected: usize,
    /// Pairs that are better.
    pub(super) better: usize,
    /// Pairs that are worse, or other than expected.
    pub(super) worse: usize,
    /// Pairs of which nothing was expected.
    pub(super) new: usize,
    /// Files that could not be looked at.
    pub(super) failed: usize,
    /// Files that were not looked at, as the run was over.
    pub(super) not_run: usize,
    /// Files of which all was replayed from the cache.
    pub(super) cached: usize,
}

impl Counts {
    /// Of all cases.
    pub(super) fn of(outcomes: &[Outcome]) -> Self {
        let pairs = || outcomes.iter().flat_map(Outcome::pairs);
        let judged = |judgement| pairs().filter(|pair| pair.judgement == judgement).count();
        let files = |holds: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| holds(outcome)).count();
        Counts {
            files: files(&|outcome| !outcome.pairs().is_empty()),
            as_expected: judged(Judgement::AsExpected),
            better: judged(Judgement::Better),
            worse: judged(Judgement::Worse),
            new: judged(Judgement::New),
            failed: files(&|outcome| outcome.result.is_err()),
            not_run: files(&|outcome| outcome.left_out == Some(LeftOut::Interrupted)),
            cached: files(&Outcome::cached),
        }
    }

    /// All pairs.
    pub(super) fn pairs(&self) -> usize {
        self.as_expected + self.better + self.worse + self.new
    }
}
