//! What an answer is worth.
//!
//! In: an exercise as it was handed in, and what the key has of it. Out: a [`Finding`].
//!
//! Invariant: full points need all that was given to be as it was, and, where code answers, a proof of this very file.
//! Invariant: nothing that is said of a verdict names the right one.

use super::super::expectation::{self, Expectation, Word};
use super::exercise::{Condition, Exercise, Kind};
use super::key::Entry;
use crate::files::load;
use crate::status::Failure;
use lang_l::{Loaded, statements};
use prover::report::Subject;
use prover::report::text::{Detail, pair_text};
use prover::verdict::{ClauseStatus, PairReport, Report, Verdict};
use prover::verify::{self, Asked, Config, asked};

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// It has all points.
    Right,
    /// Some of it is wrong.
    Wrong,
    /// A part that was given is not as it was.
    Changed,
    /// There is none, or none of some pair.
    NotAnswered,
    /// It was neither proved nor refuted.
    Undecided,
    /// The file is not there.
    Missing,
}

impl Mark {
    /// The word for machines.
    pub(super) fn text(self) -> &'static str {
        match self {
            Mark::Right => "right",
            Mark::Wrong => "wrong",
            Mark::Changed => "changed",
            Mark::NotAnswered => "not-answered",
            Mark::Undecided => "undecided",
            Mark::Missing => "missing",
        }
    }
}

/// What was found of an answer.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// In one word.
    pub(super) mark: Mark,
    /// How many points it has.
    pub(super) points: usize,
    /// Of how many.
    pub(super) of: usize,
    /// Why it has not all of them, in one line; else empty.
    pub(super) why: String,
    /// What a report says of a pair that is not as it should be.
    pub(super) detail: String,
}

impl Finding {
    /// No points, of so many.
    pub(super) fn none(mark: Mark, of: usize, why: impl Into<String>) -> Self {
        Finding { mark, points: 0, of, why: why.into(), detail: String::new() }
    }
}

/// How many points an exercise has.
pub(super) fn points(entry: &Entry) -> usize {
    entry.answers.len().max(1)
}

/// What answers are judged with.
pub(super) struct Bench<'a> {
    /// The bounds of a file that is begun now.
    pub(super) config: &'a (dyn Fn() -> Config + Sync),
    /// How reports are laid out.
    pub(super) detail: Detail,
}

impl Bench<'_> {
    /// Judges an answer.
    pub(super) fn judge(&self, exercise: &Exercise, entry: &Entry) -> Result<Finding, Failure> {
        if exercise.given != entry.given {
            return Ok(Finding::none(Mark::Changed, points(entry), "code that was given is not as it was"));
        }
        if entry.kind == Kind::Verdict {
            return Ok(of_words(exercise, entry));
        }
        if let Some(why) = exercise.improper(entry.kind) {
            return Ok(Finding::none(Mark::Wrong, 1, why));
        }
        let loaded = loaded(exercise, exercise.text.clone())?;
        // First, as nothing can be proved from no store at all.
        let too_strong = if entry.kind == Kind::Condition { self.too_strong(exercise, entry)? } else { None };
        if let Some(finding) = too_strong {
            return Ok(finding);
        }
        let report = verify::verify(&loaded.unit, &(self.config)());
        let right = Finding { mark: Mark::Right, points: 1, of: 1, why: String::new(), detail: String::new() };
        Ok(self.unproved(entry, &loaded, &report)?.unwrap_or(right))
    }

    /// The same of a solution, of which the prover must say what it says.
    pub(super) fn judge_solution(&self, exercise: &Exercise, entry: &Entry) -> Result<Finding, Failure> {
        if entry.kind != Kind::Verdict {
            return self.judge(exercise, entry);
        }
        let loaded = loaded(exercise, exercise.text.clone())?;
        let report = verify::verify(&loaded.unit, &(self.config)());
        let pairs = asked(&loaded.unit);
        for answer in &exercise.answers {
            let [(at, _)] = about(&pairs, &answer.pair)[..] else { return Err(no_pair(&loaded, &answer.pair)) };
            let Some(pair) = report.pairs.get(at) else { continue };
            if answer.verdict.map(Word::text) != Some(pair.verdict.word()) {
                let why = format!("{} is {}", answer.pair, pair.verdict.word());
                return Ok(Finding { detail: self.told(&loaded, &report, pair), ..Finding::none(Mark::Wrong, 1, why) });
            }
        }
        Ok(of_words(exercise, entry))
    }

    /// Why it is not proved that all pairs are equivalent which are to be, and that all contracts hold.
    fn unproved(&self, entry: &Entry, loaded: &Loaded, report: &Report) -> Result<Option<Finding>, Failure> {
        let pairs = asked(&loaded.unit);
        let mut wanted: Vec<usize> = Vec::new();
        for goal in &entry.goals {
            let [(at, _)] = about(&pairs, goal)[..] else { return Err(no_pair(loaded, goal)) };
            wanted.push(at);
        }
        if wanted.is_empty() {
            wanted = pairs.iter().enumerate().filter(|(_, pair)| pair.defined).map(|(at, _)| at).collect();
        }
        if wanted.is_empty() {
            return Ok(Some(Finding::none(Mark::Wrong, 1, "there is no pair")));
        }
        for at in wanted {
            let Some(pair) = report.pairs.get(at) else { continue };
            let mark = match pair.verdict {
                Verdict::Equivalent(_) => continue,
                Verdict::NotEquivalent(_) | Verdict::ContractViolation(_) => Mark::Wrong,
                Verdict::PartiallyEquivalent(_) | Verdict::Unknown(_) => Mark::Undecided,
            };
            let why = format!("{} is {}", expectation::label(&pairs[at]), pair.verdict.word());
            let detail = self.told(loaded, report, pair);
            return Ok(Some(Finding { detail, ..Finding::none(mark, 1, why) }));
        }
        // An assertion that fails is an outcome, which the two versions share if they are equivalent.
        let mut contracts = report.contracts.iter().filter(|clause| clause.kind.keyword() != "assert");
        let clause = contracts.find(|clause| !matches!(clause.status, ClauseStatus::Holds));
        Ok(clause.map(|clause| {
            let line = loaded.sources.line(clause.span);
            let mark = if matches!(clause.status, ClauseStatus::Violated(_)) { Mark::Wrong } else { Mark::Undecided };
            let word = if mark == Mark::Wrong { "does not hold" } else { "is not proved" };
            Finding::none(mark, 1, format!("the clause of {} in line {line} {word}", clause.procedure))
        }))
    }

    /// What a report says of a pair, below its first line.
    fn told(&self, loaded: &Loaded, report: &Report, pair: &PairReport) -> String {
        let Loaded { unit, sources } = loaded;
        let text = pair_text(Subject { unit, sources, report }, pair, self.detail);
        text.split_once('\n').map(|(_, rest)| rest.to_string()).unwrap_or_default()
    }

    /// Why a condition leaves out stores that it need not leave out, if it does.
    ///
    /// A procedure that starts from the stores of the key's condition, and asserts the one that answers, must never fail.
    fn too_strong(&self, exercise: &Exercise, entry: &Entry) -> Result<Option<Finding>, Failure> {
        let broken = || Failure::Usage(format!("the key has no condition for {}", exercise.id));
        let needed = entry.condition().ok_or_else(broken)?;
        let answer = match exercise.condition() {
            Ok(answer) => answer,
            Err(why) => return Ok(Some(Finding::none(Mark::Wrong, 1, why))),
        };
        let name = exercise.unused_name();
        let loaded = loaded(exercise, with_check(exercise, &name, &needed, &answer).ok_or_else(broken)?)?;
        let config = Config { procedures: vec![name], ..(self.config)() };
        let report = verify::verify(&loaded.unit, &config);
        let unit = &loaded.unit;
        let pair = report.pairs.first();
        Ok(match pair.map(|pair| (pair.pair.0, &pair.verdict)) {
            Some((_, Verdict::Equivalent(_))) => None,
            Some((left, Verdict::NotEquivalent(witness))) => {
                let procedure = unit.versions[0].procedure(left);
                let lines = statements::input_lines(unit, procedure, witness.input(), self.detail.width);
                let lines: String = lines.iter().map(|line| format!("    {line}\n")).collect();
                let why = "the condition is too strong: it excludes a store from which the two are equal";
                Some(Finding { detail: lines, ..Finding::none(Mark::Wrong, 1, why) })
            }
            _ => Some(Finding::none(Mark::Undecided, 1, "whether the condition is too strong is not settled")),
        })
    }
}

/// Verdicts in words, held against the key.
fn of_words(exercise: &Exercise, entry: &Entry) -> Finding {
    let of = entry.answers.len();
    let (mut points, mut wrong, mut open) = (0, Vec::new(), Vec::new());
    for pair in entry.answers.keys() {
        let answer = exercise.answers.iter().find(|answer| answer.pair == *pair);
        match answer.and_then(|answer| answer.verdict) {
            None => open.push(pair.as_str()),
            Some(verdict) if entry.is_right(&exercise.id, pair, verdict) => points += 1,
            Some(verdict) => wrong.push(format!("{pair} is not {}", verdict.text())),
        }
    }
    let mark = match (wrong.is_empty(), open.is_empty()) {
        (true, true) => Mark::Right,
        (true, false) => Mark::NotAnswered,
        (false, _) => Mark::Wrong,
    };
    if !open.is_empty() {
        wrong.push(format!("no answer for {}", open.join(", ")));
    }
    Finding { mark, points, of, why: wrong.join("; "), detail: String::new() }
}

fn loaded(exercise: &Exercise, text: String) -> Result<Loaded, Failure> {
    let loaded = load::resolved([(exercise.file.clone(), text.into_bytes())])?;
    match loaded.unit.versions.len() {
        2 => Ok(loaded),
        _ => Err(Failure::Usage(format!("{} has not two versions", exercise.file))),
    }
}

/// The pairs that a name is about, with their numbers.
fn about<'p>(pairs: &'p [Asked], name: &str) -> Vec<(usize, &'p Asked)> {
    let expectation = Expectation { pair: name.to_string(), when: None, verdicts: Vec::new(), line: 0 };
    pairs.iter().enumerate().filter(|(_, asked)| expectation::speaks_of(&expectation, asked)).collect()
}

fn no_pair(loaded: &Loaded, name: &str) -> Failure {
    let file = loaded.sources.iter().next().map(|(_, source)| source.name.clone()).unwrap_or_default();
    Failure::Usage(format!("{file}: not one pair is {name}"))
}

/// The text with a procedure more in each version: from the stores that are needed, one asserts the answer, and one does nothing.
fn with_check(exercise: &Exercise, name: &str, needed: &str, answer: &Condition) -> Option<String> {
    let (first, second) = exercise.text.split_at(exercise.second_version()?);
    let Condition { parameters, text } = answer;
    let head = format!("\nprocedure {name}({parameters}) requires {needed}\n;");
    Some(format!("{first}{head} {{ assert {text}\n; }}\n{second}{head} {{ skip; }}\n"))
}
