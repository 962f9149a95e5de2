//! A run, watched: at each statement what its variables and its store hold.
//!
//! In: what a run tells as it goes. Out: a [`Trace`].
//!
//! Invariant: stores are persistent, so a step costs no more than what has changed since the one before.

use crate::budget::page::MAX_STEPS;
use im::Vector;
use lang_l::heap::value::{Addr, Location, Value};
use lang_l::heap::{Input, Object, Store};
use lang_l::hir::{Procedure, StmtKind, Version};
use lang_l::interp::{Behaviour, Divergence, Environment, Event, Outcome, Sequential, Variable};
use lang_l::show::outcome_text;
use lang_l::source::{Sources, Span};
use std::collections::{BTreeMap, VecDeque};

/// What happens at a step.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A statement is about to be executed.
    Statement,
    /// A test was made, with this result.
    Test(bool),
    /// A procedure was called.
    Enter,
    /// It returns this.
    Leave(Vec<Value>),
    /// The run is over.
    End(String),
}

/// An active call.
#[derive(Clone, Debug)]
pub(super) struct Frame<'u> {
    pub(super) procedure: &'u Procedure,
    /// What is set of its variables.
    pub(super) locals: Vector<Option<Value>>,
}

/// A moment of a run.
#[derive(Clone, Debug)]
pub(super) struct Step<'u> {
    pub(super) span: Span,
    pub(super) what: What,
    /// Outermost first.
    pub(super) frames: Vector<Frame<'u>>,
    pub(super) store: Store,
}

/// The steps of a run.
pub(super) struct Trace<'u> {
    /// The first ones, and the last ones, with how the run ended.
    pub(super) first: Vec<Step<'u>>,
    pub(super) last: Vec<Step<'u>>,
    /// How many there were in all.
    pub(super) total: usize,
    /// What objects are called in the report.
    pub(super) names: BTreeMap<Addr, Addr>,
}

/// Plain surroundings that remember the steps of a run.
pub(super) struct Recorder<'u> {
    inner: Sequential,
    version: &'u Version,
    frames: Vector<Frame<'u>>,
    store: Store,
    first: Vec<Step<'u>>,
    last: VecDeque<Step<'u>>,
    total: usize,
}

impl<'u> Recorder<'u> {
    /// For a run of this version from this input.
    pub(super) fn new(version: &'u Version, input: &Input, externals: Behaviour) -> Self {
        let inner = Sequential::after(input).with(externals);
        let (store, frames) = (input.store.clone(), Vector::new());
        Recorder { inner, version, frames, store, first: Vec::new(), last: VecDeque::new(), total: 0 }
    }

    fn step(&mut self, span: Span, what: What) {
        self.total += 1;
        let step = Step { span, what, frames: self.frames.clone(), store: self.store.clone() };
        if self.first.len() < MAX_STEPS / 2 {
            self.first.push(step);
            return;
        }
        self.last.push_back(step);
        if self.last.len() > MAX_STEPS / 2 {
            self.last.pop_front();
        }
    }

    /// The trace of a run that ended so.
    pub(super) fn finish(mut self, outcome: &Outcome, names: BTreeMap<Addr, Addr>) -> Trace<'u> {
        let open_end = self.frames.head().map_or(Span::default(), |own| closing(own.procedure));
        let span = outcome.place().unwrap_or(open_end);
        let what = What::End(outcome_text(outcome));
        let (mut frames, mut store) = (self.frames, self.store);
        if matches!(outcome, Outcome::Diverged(Divergence::Stays { .. })) {
            // Where such a run was stopped has no meaning.
            self.last.clear();
            self.total = self.first.len();
            if let Some(step) = self.first.last() {
                (frames, store) = (step.frames.clone(), step.store.clone());
            }
        }
        let mut last: Vec<Step<'u>> = self.last.into();
        last.push(Step { span, what, frames, store });
        Trace { first: self.first, last, total: self.total + 1, names }
    }

    fn enter(&mut self, procedure: &Procedure, arguments: &[Option<Value>]) {
        let Some(id) = self.version.find(&procedure.name) else { return };
        let procedure = self.version.procedure(id);
        let given = |at: usize| arguments.get(at).cloned().flatten();
        let value = |(at, local): (usize, &lang_l::hir::Local)| match at < procedure.params {
            true => Some(given(at).unwrap_or_else(|| Value::default_of(&local.ty))),
            false => (at < procedure.params + procedure.results).then(|| Value::default_of(&local.ty)),
        };
        let locals = procedure.locals.iter().enumerate().map(value).collect();
        self.frames.push_back(Frame { procedure, locals });
        if self.frames.len() > 1 && procedure.body.is_some() {
            self.step(procedure.name_span, What::Enter);
        }
    }

    fn leave(&mut self, results: &[Value]) {
        // The run's own call stays: the last step shows it.
        if self.frames.len() < 2 {
            return;
        }
        let Some(own) = self.frames.back() else { return };
        let span = closing(own.procedure);
        self.step(span, What::Leave(results.to_vec()));
        self.frames.pop_back();
    }

    fn assigned(&mut self, variable: Variable, value: &Value) {
        match variable {
            Variable::Global(id) => {
                self.store.globals.insert(id, value.clone());
            }
            Variable::Local(id) => {
                if let Some(own) = self.frames.back_mut()
                    && let Some(local) = own.locals.get_mut(id.index())
                {
                    *local = Some(value.clone());
                }
            }
        }
    }
}

/// The brace that ends a procedure; of an external one its name.
fn closing(procedure: &Procedure) -> Span {
    match &procedure.body {
        Some(body) => Span { start: body.span.end.saturating_sub(1).max(body.span.start), ..body.span },
        None => procedure.name_span,
    }
}

impl Environment for Recorder<'_> {
    fn fresh(&mut self) -> Addr {
        self.inner.fresh()
    }

    fn behaviour(&mut self, name: &str) -> Behaviour {
        self.inner.behaviour(name)
    }

    fn trace(&mut self, event: Event<'_>) {
        match event {
            Event::Enter { procedure, arguments } => self.enter(procedure, arguments),
            Event::Leave { results, .. } => self.leave(results),
            // Of these the tests are steps.
            Event::Statement { statement } if matches!(statement.kind, StmtKind::If(..) | StmtKind::While { .. }) => {}
            Event::Statement { statement } => self.step(statement.span, What::Statement),
            Event::Tested { span, holds } => self.step(span, What::Test(holds)),
            Event::Assigned { variable, value, .. } => self.assigned(variable, value),
            Event::Wrote { location: Location::Slot(addr, slot), value } => self.store.set(addr, slot, value.clone()),
            Event::Wrote { .. } => {}
            Event::Allocated { addr, kind } => {
                self.store.heap.insert(addr, Object::new(kind.clone()));
            }
        }
    }
}

impl<'u> Trace<'u> {
    /// The steps that are kept, in order.
    pub(super) fn kept(&self) -> impl Iterator<Item = &Step<'u>> {
        self.first.iter().chain(&self.last)
    }

    /// The same with at most so many steps, and its end.
    pub(super) fn shortened(&self, most: usize) -> Trace<'u> {
        let (names, total) = (self.names.clone(), self.total);
        let kept = self.first.len() + self.last.len();
        if kept <= most + 1 {
            return Trace { first: self.first.clone(), last: self.last.clone(), total, names };
        }
        let all: Vec<&Step<'u>> = self.kept().collect();
        let first = all[..most / 2].iter().copied().cloned().collect();
        let last = all[kept - most / 2 - 1..].iter().copied().cloned().collect();
        Trace { first, last, total, names }
    }

    /// For each step a text that is the same where the other run does the same.
    pub(super) fn keys(&self, sources: &Sources) -> Vec<String> {
        let key = |step: &Step<'u>| {
            let words: Vec<&str> = sources.text(step.span).split_whitespace().collect();
            let sort = match step.what {
                What::Statement => "s",
                What::Test(_) => "t",
                What::Enter => "c",
                What::Leave(_) => "r",
                What::End(_) => "e",
            };
            let of = match step.what {
                What::Leave(_) => step.frames.last().map_or("", |own| own.procedure.name.as_str()),
                _ => "",
            };
            format!("{sort}{of} {}", words.join(" "))
        };
        self.kept().map(key).collect()
    }
}
