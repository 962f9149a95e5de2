//! The door to the solver.
//!
//! In: obligations. Out: [`Answer`]s; running out of budget is an answer, not an error. What decides is a [`Backend`].
//!
//! What is asked belongs to a [`Task`], a pair or a procedure. When the backend breaks down over a question, all that its task
//! asks from then on is unknown, for that cause; other tasks are as they would be without it.
//!
//! Invariant: input and output are in `process` alone.
//! Invariant: work is bounded by Z3's own resource count, not by the clock; what is not a plain fact about the text is found in a
//! context of the query's own, so an answer depends on the text of the query and on nothing else.

mod backend;
mod caching;
mod cross_check;
mod process;
mod script;
mod shared;
mod task;
mod z3;

pub use backend::{Backend, Logic, Question, SolverFailure};
pub use caching::Caching;
pub use cross_check::{CrossCheck, cross_check};
pub use process::{Isolated, cvc5, serve};
pub use script::script;
pub use shared::{InProcess, Shared};
pub use task::Task;
pub use z3::{has_memory_limit, self_test, version};

use crate::arena::Arena;
use crate::obligation::{Obligation, Tag};
use crate::stop::{self, Reason, Stop, Stopped};
use crate::term::Term;
use rustc_hash::FxHashMap as HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// The first of some texts, by its number, that is not proved, and what is said of it instead.
///
/// All are asked in one context, that of this thread; an answer that is lost that way is asked for again as a search would, in a
/// context of its own.
pub fn first_unproved(texts: &[&str]) -> Option<(usize, Answer)> {
    let QueryBudget { rlimit, clock } = QueryBudget::default();
    let question = |smt2| Question { smt2, logic: Logic::QuantifierFree, rlimit, clock, seed: 0, task: None };
    let questions: Vec<Question<'_>> = texts.iter().map(|text| question(*text)).collect();
    let again = |at: usize| match z3::decide(&questions[at]) {
        Answer::Holds => None,
        answer => Some((at, answer)),
    };
    let answers = z3::decide_together(&questions);
    answers.iter().enumerate().filter(|(_, answer)| **answer != Answer::Holds).find_map(|(at, _)| again(at))
}

/// Bounds on one query.
#[derive(Clone, Copy, Debug)]
pub struct QueryBudget {
    /// Z3 resource units.
    pub rlimit: u32,
    /// The safety net: after this long the query is interrupted, and the answer says so.
    pub clock: Duration,
}

impl Default for QueryBudget {
    fn default() -> Self {
        QueryBudget { rlimit: 3_000_000, clock: Duration::from_secs(20) }
    }
}

/// What the solver says of an obligation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// The goal follows.
    Holds,
    /// There is a model in which it does not; not yet a program run.
    Fails,
    /// The same, with that model: the values of constants by name, as decimal numbers; booleans are 0 and 1, references a
    /// word each. Only where
    /// [`Logic::Model`] asks for it.
    FailsAt(BTreeMap<String, String>),
    /// Not decided, and why.
    Unknown(String),
}

/// What the solver says of several goals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Together {
    /// All follow.
    Hold,
    /// There is a model in which these hold, by position, and others do not: one at least.
    FailAt(Vec<bool>),
    /// It is not decided, or not said where they fail.
    Open,
}

/// Where a goal fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failing {
    /// It follows.
    Nowhere,
    /// In a model in which terms have these values.
    At(Vec<String>),
    /// It is not decided, or not said.
    Open,
}

/// One query as it was asked.
#[derive(Clone, Debug)]
pub struct Query {
    /// The whole text. That it holds is `unsat`; of Horn clauses it is `sat`.
    pub smt2: String,
    /// What it was for, and where.
    pub tag: Tag,
    /// For which procedure or pair.
    pub task: Option<Task>,
    /// What came back.
    pub answer: Answer,
}

/// Asks queries, remembers answers, and keeps a log.
#[derive(Debug, Default)]
pub struct Solver {
    budget: QueryBudget,
    seed: u32,
    backend: Shared,
    answers: HashMap<String, Answer>,
    log: Vec<Query>,
    stop: Stop,
    stopped: Option<Reason>,
    task: Option<Task>,
    failures: BTreeMap<Task, SolverFailure>,
    /// How many more questions may stay undecided before nothing is asked any more; no bound where there is none.
    patience: Option<usize>,
}

impl Solver {
    /// A solver with this budget for each query.
    pub fn new(budget: QueryBudget) -> Self {
        Solver { budget, ..Self::default() }
    }

    /// Does `work` with a part of the budget for each query: for engines of which there are several.
    pub fn with_share<T>(&mut self, parts: u32, work: impl FnOnce(&mut Self) -> T) -> T {
        let whole = self.budget;
        self.budget.rlimit = (whole.rlimit / parts).max(1);
        let done = work(self);
        self.budget = whole;
        done
    }

    /// Does `work` that is given up once so many of its questions stay undecided: those cost most, and where there are many, others
    /// seldom help. What is asked after that is not decided either, and is asked anew when others want to know.
    pub fn with_patience<T>(&mut self, undecided: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.patience.replace(undecided);
        let done = work(self);
        self.patience = outer;
        done
    }

    /// Every query asked so far, in order, repeated ones once.
    pub fn log(&self) -> &[Query] {
        &self.log
    }

    /// Whether some work was given up because the stop fired, and why it did.
    pub fn stopped(&self) -> Option<Reason> {
        self.stopped
    }

    /// The same solver with a stop: once it has fired nothing is asked any more, and what is being asked is interrupted.
    #[must_use]
    pub fn under(self, stop: Stop) -> Self {
        Solver { stop, ..self }
    }

    /// Does work that ends when the stop fires, or when one proof becomes too large.
    ///
    /// # Errors
    /// Why the work was given up. What was asked until then is remembered.
    pub fn attempt<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Result<T, Stopped> {
        let (budget, task, patience, stop) = (self.budget, self.task, self.patience, self.stop.clone());
        let done = stop.run(|| work(self));
        if let Err(Stopped(reason)) = done {
            // What the work would have put back.
            (self.budget, self.task, self.patience) = (budget, task, patience);
            if reason != Reason::Size {
                self.stopped.get_or_insert(reason);
            }
        }
        done
    }

    /// Does work that may become too large: then there is nothing to show for it. When the stop fires all is given up.
    pub fn unless_too_large<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match self.attempt(work) {
            Ok(done) => Some(done),
            Err(Stopped(Reason::Size)) => None,
            Err(_) => {
                stop::look();
                None
            }
        }
    }

    /// Does work as [`Solver::attempt`] does, under another stop.
    ///
    /// # Errors
    /// Why the work was given up.
    pub fn attempt_under<T>(&mut self, stop: Stop, work: impl FnOnce(&mut Self) -> T) -> Result<T, Stopped> {
        let usual = std::mem::replace(&mut self.stop, stop);
        let done = self.attempt(work);
        self.stop = usual;
        done
    }

    /// The same solver, with its questions decided by this backend.
    #[must_use]
    pub fn with_backend(self, backend: Shared) -> Self {
        Solver { backend, ..self }
    }

    /// The same solver, with other choices of its own.
    #[must_use]
    pub fn seeded(self, seed: u32) -> Self {
        Solver { seed, ..self }
    }

    /// A solver with the same bounds that has been asked nothing yet.
    #[must_use]
    pub fn fork(&self) -> Self {
        Solver::new(self.budget).under(self.stop.clone()).seeded(self.seed).with_backend(self.backend.clone())
    }

    /// Does work whose questions, those that were not asked before, are not logged; they come back with it.
    pub fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Vec<Query>) {
        let logged = self.log.len();
        let done = work(self);
        (done, self.log.split_off(logged))
    }

    /// Takes over what another solver was asked.
    pub fn absorb(&mut self, other: Solver) {
        self.stopped = self.stopped.or(other.stopped);
        self.failures.extend(other.failures);
        for query in other.log {
            if !self.answers.contains_key(&query.smt2) {
                self.answers.insert(query.smt2.clone(), query.answer.clone());
                self.log.push(query);
            }
        }
    }

    /// Does `work` as a task: what it asks is asked for that.
    pub fn at<T>(&mut self, task: Task, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.task.replace(task);
        let done = work(self);
        self.task = outer;
        self.backend.done(task);
        done
    }

    /// The tasks over which the backend broke down, and how.
    pub fn failures(&self) -> &BTreeMap<Task, SolverFailure> {
        &self.failures
    }

    /// What is known of this task's breakdown.
    fn broken(&self) -> Option<&SolverFailure> {
        self.failures.get(&self.task?)
    }

    /// Has the question decided unless the stop has fired. What another attempt would say may differ.
    fn decide(&mut self, smt2: &str, logic: Logic) -> Result<Answer, SolverFailure> {
        if let Some(reason) = self.stop.reason() {
            return Ok(self.give_up(reason));
        }
        let clock = self.stop.left().map_or(self.budget.clock, |left| left.min(self.budget.clock));
        let question = Question { smt2, logic, rlimit: self.budget.rlimit, clock, seed: self.seed, task: self.task };
        let answer = self.backend.decide(&question)?;
        match (&answer, self.stop.reason()) {
            (Answer::Unknown(_), Some(reason)) => Ok(self.give_up(reason)),
            _ => Ok(answer),
        }
    }

    /// Gives up whatever asks. It gets an answer only where nobody has said what is to become of it then.
    fn give_up(&mut self, reason: Reason) -> Answer {
        self.stopped.get_or_insert(reason);
        stop::look();
        Answer::Unknown(reason.to_string())
    }

    /// Whether the goal follows from the assumptions.
    pub fn prove(&mut self, arena: &mut Arena, obligation: &Obligation) -> Answer {
        if arena.terms.is_true(obligation.goal) || obligation.assumptions.iter().any(|&t| arena.terms.is_false(t)) {
            return Answer::Holds;
        }
        let smt2 = obligation.smt2(arena);
        if let Some(answer) = self.answers.get(&smt2) {
            return answer.clone();
        }
        self.ask(smt2, obligation.tag.clone(), Logic::QuantifierFree)
    }

    /// Whether some goals follow together from the assumptions of an obligation, whose goal they are; where they do not, which of
    /// them hold in one model of that.
    pub fn prove_all(&mut self, arena: &mut Arena, obligation: &Obligation, goals: &[Term]) -> Together {
        let of_all = |answer| match answer {
            Answer::Holds => Together::Hold,
            Answer::Fails | Answer::FailsAt(_) if goals.len() == 1 => Together::FailAt(vec![false]),
            Answer::FailsAt(_) | Answer::Fails | Answer::Unknown(_) => Together::Open,
        };
        if goals.len() < 2 || arena.terms.is_true(obligation.goal) || arena.terms.is_false(obligation.goal) {
            return of_all(self.prove(arena, obligation));
        }
        let smt2 = obligation.smt2_with(arena, goals);
        let answer = match self.answers.get(&smt2) {
            Some(answer) => answer.clone(),
            None => self.ask(smt2, obligation.tag.clone(), Logic::Model),
        };
        let truth = |values: &BTreeMap<String, String>, at: usize| Some(values.get(&format!("want{at}"))? != "0");
        match &answer {
            Answer::FailsAt(values) => {
                let truths: Option<Vec<bool>> = (0..goals.len()).map(|at| truth(values, at)).collect();
                truths.filter(|truths| truths.contains(&false)).map_or(Together::Open, Together::FailAt)
            }
            _ => of_all(answer),
        }
    }

    /// The values of terms in some model in which the assumptions hold and the goal does not, as in [`Answer::FailsAt`];
    /// `None` when none was found. References are told apart by their values, and by nothing else.
    pub fn model(&mut self, arena: &mut Arena, obligation: &Obligation, wanted: &[Term]) -> Option<Vec<String>> {
        match self.failing(arena, obligation, wanted) {
            Failing::At(values) => Some(values),
            Failing::Nowhere | Failing::Open => None,
        }
    }

    /// Where a goal fails, as the values of terms there; or that it follows.
    pub fn failing(&mut self, arena: &mut Arena, obligation: &Obligation, wanted: &[Term]) -> Failing {
        if arena.terms.is_true(obligation.goal) || obligation.assumptions.iter().any(|&t| arena.terms.is_false(t)) {
            return Failing::Nowhere;
        }
        let smt2 = obligation.smt2_with(arena, wanted);
        let answer = match self.answers.get(&smt2) {
            Some(answer) => answer.clone(),
            None => self.ask(smt2, obligation.tag.clone(), Logic::Model),
        };
        match answer {
            Answer::FailsAt(values) => {
                let found: Option<Vec<String>> =
                    (0..wanted.len()).map(|at| values.get(&format!("want{at}")).cloned()).collect();
                found.map_or(Failing::Open, Failing::At)
            }
            Answer::Holds => Failing::Nowhere,
            Answer::Fails | Answer::Unknown(_) => Failing::Open,
        }
    }

    /// Whether a text with quantifiers, in which every assertion starts a line, is unsatisfiable.
    pub fn prove_text(&mut self, smt2: String, tag: Tag) -> Answer {
        match self.answers.get(&smt2) {
            Some(answer) => answer.clone(),
            None => self.ask(smt2, tag, Logic::ByTriggers),
        }
    }

    /// Asks, and logs what is asked.
    fn ask(&mut self, smt2: String, tag: Tag, logic: Logic) -> Answer {
        if let Some(SolverFailure(cause)) = self.broken() {
            return Answer::Unknown(cause.clone());
        }
        if self.patience == Some(0) {
            return Answer::Unknown("too much before this stayed undecided".to_string());
        }
        let answer = match self.decide(&smt2, logic) {
            Ok(answer) => {
                self.answers.insert(smt2.clone(), answer.clone());
                answer
            }
            Err(breakdown) => {
                let answer = Answer::Unknown(breakdown.0.clone());
                if let Some(task) = self.task {
                    self.failures.insert(task, breakdown);
                }
                answer
            }
        };
        if matches!(answer, Answer::Unknown(_)) {
            self.patience = self.patience.map(|left| left.saturating_sub(1));
        }
        self.log.push(Query { smt2, tag, task: self.task, answer: answer.clone() });
        answer
    }
}
