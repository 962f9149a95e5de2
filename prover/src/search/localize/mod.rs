//! Fault localisation: for each version of a pair that differs, the statement that tells why.
//!
//! In: a pair, its sources, and the [`Witness`] that it differs. Out: a [`Mark`] in each version.
//!
//! Both versions are run on the witness once more, and watched. Where the two end in different stores, the mark of a version is
//! the statement that gave the place that differs its last value. If both are written alike, the difference was there before, and
//! if each stands in the other version too, control took another way: then the marks are where the runs diverge. A version that fails, or never ends, is marked where it does. Any other version is
//! marked where its run leaves that of the other (`divergence`).
//!
//! Invariant: a mark is of a statement that was executed, or of the head of the procedure; what it says was seen.
//! Invariant: nothing rests on marks; they explain.

mod divergence;
mod facts;
#[cfg(test)]
mod tests;

use self::divergence::{Divergence, Step, divergence};
use crate::search::concrete;
use crate::search::witness::{Contrast, RunPair, Witness};
use lang_l::heap::Input;
use lang_l::hir::{GlobalId, StmtKind};
use lang_l::interp::{Behaviour, Environment, Event, Job, Outcome, Sequential, Variable, run};
use lang_l::isomorphism::{Final, Path, Root};
use lang_l::source::{Sources, Span};
use lang_l::value::{Addr, Location, Slot, Value};
use rustc_hash::FxHashMap as HashMap;

/// A place in the source of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The place.
    pub span: Span,
    /// What happens there.
    pub role: Role,
}

/// What happens at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The place that differs gets its last value.
    Sets,
    /// The run fails.
    Fails,
    /// The run never ends.
    Endless,
    /// The first step that the other version does not take.
    Turns,
    /// The last step, where the other version goes on.
    Ends,
    /// The first test that has another result than in the other version; its result.
    Tests(bool),
}

impl Role {
    /// The word of the JSON report.
    pub fn word(self) -> &'static str {
        match self {
            Role::Sets => "sets",
            Role::Fails => "fails",
            Role::Endless => "endless",
            Role::Turns => "turns",
            Role::Ends => "ends",
            Role::Tests(true) => "test-holds",
            Role::Tests(false) => "test-does-not-hold",
        }
    }
}

/// The marks in version 0 and version 1; `None` when the runs do not end as the witness says, which would be a bug.
pub fn marks(sources: &Sources, pair: &RunPair<'_>, witness: &Witness) -> Option<[Mark; 2]> {
    let input = witness.input();
    let [left, right] = [(0, pair.left), (1, pair.right)].map(|(version, procedure)| {
        let job = Job { unit: pair.unit, version, procedure, limits: concrete::REPLAY };
        let params = pair.unit.versions[version].procedure(procedure).params;
        let inner = Sequential::after(input).with(witness.externals());
        let mut watch = Watch { inner, params, steps: Vec::new(), at: Vec::new(), set: HashMap::default() };
        let outcome = run(&job, input.clone(), &mut watch).outcome;
        (watch, outcome)
    });
    let Divergence { turns: [left_turn, right_turn], of_control } =
        divergence(pair, sources, [&left.0.steps, &right.0.steps]);
    let mark = |(watch, outcome): &(Watch, Outcome), turn: Option<Mark>, head: Span| {
        let own = match (outcome, witness.contrast()) {
            (Outcome::Normal(last), Contrast::Stores(difference)) => {
                let place = place_at(&difference.path, input, last)?;
                watch.setter(place, last).map(|span| Mark { span, role: Role::Sets })
            }
            (Outcome::Normal(_), Contrast::Error | Contrast::Termination) => None,
            (Outcome::Error(failure), _) => Some(Mark { span: failure.span, role: Role::Fails }),
            (Outcome::Diverged(_), _) => outcome.place().map(|span| Mark { span, role: Role::Endless }),
            _ => return None,
        };
        Some(own.or(turn).unwrap_or(Mark { span: head, role: Role::Ends }))
    };
    let left = mark(&left, left_turn, pair.left_procedure().name_span)?;
    let right = mark(&right, right_turn, pair.right_procedure().name_span)?;
    let both_set = left.role == Role::Sets && right.role == Role::Sets;
    match (left_turn, right_turn) {
        (Some(left_turn), Some(right_turn))
            if both_set
                && (of_control || written(sources, left.span) == written(sources, right.span))
                && ![left_turn.role, right_turn.role].contains(&Role::Ends) =>
        {
            Some([left_turn, right_turn])
        }
        _ => Some([left, right]),
    }
}

/// The text of a place, with spaces as if it were written in the usual way.
fn written(sources: &Sources, span: Span) -> String {
    sources.text(span).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What can be assigned, and seen by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Result(usize),
    Global(GlobalId),
    Slot(Addr, Slot),
}

/// The place to which a path leads in a final store.
fn place_at(path: &Path, input: &Input, last: &Final) -> Option<Place> {
    let Some((end, way)) = path.slots.split_last() else {
        return match path.root {
            Root::Result(at) => Some(Place::Result(at)),
            Root::Global(id) => Some(Place::Global(id)),
            Root::Argument(_) | Root::Object(_) => None,
        };
    };
    let root = match path.root {
        Root::Argument(at) => input.arguments.get(at)?.as_ref()?.object()?,
        Root::Global(id) => last.store.globals.get(&id)?.object()?,
        Root::Result(at) => last.results.get(at)?.object()?,
        Root::Object(addr) => addr,
    };
    let step = |addr: Addr, slot: &Slot| last.store.heap.get(&addr)?.slots.get(slot)?.object();
    let holder = way.iter().try_fold(root, step)?;
    Some(Place::Slot(holder, *end))
}

/// Plain surroundings that remember what happened.
struct Watch {
    inner: Sequential,
    params: usize,
    steps: Vec<Step>,
    /// The statement that each active call is at.
    at: Vec<Span>,
    /// The last assignment to each place that the caller can see.
    set: HashMap<Place, (Span, Value)>,
}

impl Watch {
    /// The statement that gave a place the value it has at the end; `None` when no statement did.
    fn setter(&self, place: Place, last: &Final) -> Option<Span> {
        let (span, value) = self.set.get(&place)?;
        let held = match place {
            Place::Result(at) => last.results.get(at),
            Place::Global(id) => last.store.globals.get(&id),
            Place::Slot(addr, slot) => last.store.heap.get(&addr)?.slots.get(&slot),
        };
        (held == Some(value)).then_some(*span)
    }

    fn remember(&mut self, place: Place, value: &Value) {
        if let Some(span) = self.at.last() {
            self.set.insert(place, (*span, value.clone()));
        }
    }
}

impl Environment for Watch {
    fn fresh(&mut self) -> Addr {
        self.inner.fresh()
    }

    fn behaviour(&mut self, name: &str) -> Behaviour {
        self.inner.behaviour(name)
    }

    fn trace(&mut self, event: Event<'_>) {
        match event {
            // What an external procedure does is done by the statement that calls it.
            Event::Enter { procedure, .. } => {
                let call = self.at.last().copied();
                self.at.push(call.filter(|_| procedure.body.is_none()).unwrap_or(procedure.name_span));
            }
            Event::Leave { .. } => {
                self.at.pop();
            }
            Event::Statement { statement } => {
                if let Some(at) = self.at.last_mut() {
                    *at = statement.span;
                }
                let directs = match &statement.kind {
                    StmtKind::If(..) | StmtKind::While { .. } => return,
                    StmtKind::Return(values) => values.is_empty(),
                    StmtKind::Break | StmtKind::Continue | StmtKind::Assert(_) | StmtKind::Assume(_) => true,
                    _ => false,
                };
                self.steps.push(Step { span: statement.span, holds: None, directs });
            }
            Event::Tested { span, holds } => self.steps.push(Step { span, holds: Some(holds), directs: false }),
            Event::Assigned { variable: Variable::Global(id), value, .. } => self.remember(Place::Global(id), value),
            // A result of the procedure that was run.
            Event::Assigned { variable: Variable::Local(id), value, .. } => {
                if let (1, Some(at)) = (self.at.len(), id.index().checked_sub(self.params)) {
                    self.remember(Place::Result(at), value);
                }
            }
            Event::Wrote { location: Location::Slot(addr, slot), value } => {
                self.remember(Place::Slot(addr, slot), value);
            }
            Event::Wrote { .. } | Event::Allocated { .. } => {}
        }
    }
}
