//! Conditions that are learned from runs, where the paths of a pair do not say them.
//!
//! In: a pair that loops or recurs, and what is known of it. Out: what is known then.
//!
//! 1. Both versions are run from stores of all sorts; near some of them numbers are changed until the outcome changes.
//! 2. `formula`: the shortest conditions that tell stores that are equal, that differ, and of which one ends from the others. The
//!    `words` are tests of both versions, bounds that runs show, remainders and comparisons of parameters, tests of many cells.
//! 3. Where they say that the two are equal it is searched for a store that refutes it, and proved as ever.
//! 4. Where they say that the two differ, `tell` looks in what: by how much outputs differ, or which value one has (`differ`). `twin`
//!    proves it.
//!
//! Invariant: what is added was proved (rules *Equal kind*, *Put right*, *Values apart*), with a store that was run.

mod differ;
mod eval;
mod formula;
mod quantified;
mod tell;
mod words;

use super::tried::{Tried, holds_in, may_help};
use super::{Condition, Look, PairDiff, Task, more, rest, rows};
use crate::budget::diff::MAX_OUTCOMES;
use crate::budget::learned::{MAX_ROUNDS, MAX_SAMPLES, MAX_UNDECIDED, READABLE, SAMPLES, SHARE};
use crate::diff::paths::Plan;
use crate::diff::text::{Binding, Text};
use crate::diff::twin::After;
use crate::diff::{opposite, proof};
use crate::search::concrete::{self, Meeting, Sample, SearchBudget};
use crate::search::witness::RunPair;
use crate::verdict::comparison::Comparison;
use lang_l::hir::{Expr, Procedure};
use smt::solve::Solver;
use smt::term::Term;

/// What is known of a pair, with what is learned from runs.
pub(super) fn with_learned(
    task: Task<'_>,
    comparison: &Comparison<'_>,
    (own, tried): (PairDiff, Tried),
    solver: &mut Solver,
) -> PairDiff {
    if own.is_complete() || !may_help(task, comparison) {
        return own;
    }
    let learned = solver.attempt(|solver| {
        let mut learner = Learner::of(task, comparison, tried, solver)?;
        let own = learner.with_equal(own.clone(), solver);
        let own = learner.with_differing(own, solver);
        Some(learner.with_one_ends(own, solver))
    });
    learned.ok().flatten().unwrap_or(own)
}

/// What is learned of one pair.
struct Learner<'l> {
    look: Look<'l>,
    samples: Vec<Sample>,
    /// Tests and their opposites.
    tests: Vec<Term>,
    /// The procedure of version 0, with variables that stand for tests of many cells behind all others: they are named by their texts.
    words: Procedure,
    /// These tests as they are read, and what they need to have a value.
    of_cells: Vec<(Expr, Vec<Term>)>,
}

/// A condition that fits the runs, and how it is said beside final values.
type Fitting = (Condition, Text);

impl<'l> Learner<'l> {
    fn of(task: Task<'l>, comparison: &'l Comparison<'l>, tried: Tried, solver: &mut Solver) -> Option<Self> {
        let (left, right) = comparison.pair;
        let callees =
            [(0, left), (1, right)].map(|(version, id)| task.program.effects[version][id.index()].callees.clone());
        let plans =
            [2, 1].map(|depth| Plan { inline: callees.clone(), depth, outcomes: MAX_OUTCOMES, ..Plan::default() });
        let mut look = plans.iter().find_map(|plan| Look::take(task, comparison, plan, solver))?;
        let samples = tried.samples(task, comparison).to_vec();
        look.tried = tried;
        let words = task.source.unit.versions[0].procedure(left).clone();
        let mut learner = Learner { look, samples, tests: Vec::new(), words, of_cells: Vec::new() };
        let bounds = learner.bounds();
        learner.tests = learner.tests(bounds);
        learner.add_tests_of_cells(solver);
        Some(learner)
    }

    fn pair<'p>(&'p self, when: Option<&'p Expr>) -> RunPair<'p> {
        let (left, right) = self.look.comparison.pair;
        RunPair { unit: &self.look.task.source.unit, left, right, when }
    }

    /// Whether a condition holds in all samples of a kind.
    fn covers(&self, condition: &Expr, kind: Meeting) -> bool {
        let (unit, procedure) = (&self.look.task.source.unit, self.look.comparison.pair.0);
        self.samples
            .iter()
            .filter(|sample| sample.meeting == kind)
            .all(|sample| holds_in(unit, procedure, condition, sample))
    }

    /// Whether a condition that is told of the pair holds in all samples of a kind.
    fn is_known(&self, text: &str, kind: Meeting) -> bool {
        let read = proof::read(self.look.task.source, self.look.comparison.pair, None, text);
        read.is_some_and(|condition| self.covers(&condition, kind))
    }

    /// With more stores in which the two are equal.
    fn with_equal(&mut self, own: PairDiff, solver: &mut Solver) -> PairDiff {
        let text = &own.equal_when;
        if (text.len() <= READABLE || text.contains("::")) && self.is_known(text, Meeting::Equal) {
            return own;
        }
        for (condition, _) in self.unrefuted(Meeting::Equal, solver) {
            let proof = if self.is_kept_by_loops(&condition) {
                self.asked(&condition, [&After::Nothing, &After::Nothing], solver).equal.then_some(None)
            } else {
                solver.with_share(SHARE, |solver| {
                    solver.with_patience(MAX_UNDECIDED, |solver| self.look.proved(&condition, solver))
                })
            };
            if let Some(proof) = proof {
                let (question, source) = (self.look.question(), self.look.task.source);
                let found = (&condition.text[..], &condition.expr, proof);
                return more::with_equal(own, found, (question, source), solver);
            }
        }
        own
    }

    /// With more stores in which the two differ.
    fn with_differing(&mut self, own: PairDiff, solver: &mut Solver) -> PairDiff {
        if own.is_complete() {
            return own;
        }
        let mut fitting: Vec<(Fitting, bool)> = Vec::new();
        let texts = [own.equal_when.clone(), own.one_ends_when.clone(), "false".into()];
        let elsewhere = opposite::plain(self.look.task.source, self.look.comparison.pair, rest(&texts));
        if let Some(condition) = self.look.read(elsewhere, solver)
            && self.covers(&condition.expr, Meeting::Differ)
            && self.refuted(&condition, Meeting::Differ).is_none()
        {
            let held = Text::new(format!("old({})", condition.text), Binding::Tightest);
            fitting.push(((condition, held), true));
        }
        let learned: Vec<(Fitting, bool)> =
            self.unrefuted(Meeting::Differ, solver).into_iter().map(|one| (one, false)).collect();
        // What is left is said in the words of where they are equal; of many cells it is hard to see that two other words say it.
        let at = if own.equal_when.contains("::") { fitting.len() } else { 0 };
        fitting.splice(at..at, learned);
        for ((condition, held), is_rest) in fitting {
            let Some(told) = self.differs(&condition, solver) else { continue };
            let Some(row) = rows::told(&mut self.look, &condition, held, told, solver) else { continue };
            let (question, source) = (self.look.question(), self.look.task.source);
            let more = more::with_differing(&own, (condition.text, row, is_rest), (question, source), solver);
            if let Some(more) = more {
                return more;
            }
        }
        own
    }

    /// A store with the condition, of another kind.
    fn refuted(&self, condition: &Condition, kind: Meeting) -> Option<Sample> {
        let pair = self.pair(Some(&condition.expr));
        if kind == Meeting::Equal {
            let found = concrete::search(&pair, &[], SearchBudget::QUICK)?;
            return concrete::sample(&pair, found.input());
        }
        concrete::samples(&pair, MAX_SAMPLES, SAMPLES).into_iter().find(|sample| sample.meeting != kind)
    }

    /// The shortest conditions for stores of one kind that no run refutes.
    fn unrefuted(&mut self, kind: Meeting, solver: &mut Solver) -> Vec<Fitting> {
        for _ in 0..MAX_ROUNDS {
            let fitting = self.fitting(kind, solver);
            let refuting: Vec<Sample> =
                fitting.iter().filter_map(|(condition, _)| self.refuted(condition, kind)).collect();
            if refuting.is_empty() {
                return fitting;
            }
            self.samples.extend(refuting);
        }
        Vec::new()
    }

    /// With where one ends said in the words of what was learned, where that says the same.
    fn with_one_ends(&mut self, own: PairDiff, solver: &mut Solver) -> PairDiff {
        if own.one_ends_when == "false" {
            return own;
        }
        let Some(known) = proof::read(self.look.task.source, own.pair, None, &own.one_ends_when) else { return own };
        for (condition, _) in self.fitting(Meeting::OneEnds, solver) {
            let question = self.look.question();
            let same = [[&known, &condition.expr], [&condition.expr, &known]];
            let is_shorter = condition.text.len() < own.one_ends_when.len();
            if is_shorter && same.into_iter().all(|sides| proof::follows(question, sides, solver)) {
                return PairDiff { one_ends_when: condition.text, ..own };
            }
        }
        own
    }
}
