//! Where a difference of the library comes into a client, on a store on which the client was run.
//!
//! In: a client that differs, and the store that shows it. Out: its first call that gave something else in the two versions.
//!
//! Invariant: what is said was seen in both runs.

use crate::search::concrete;
use crate::search::witness::{RunPair, Witness};
use lang_l::hir::{ProcId, Procedure};
use lang_l::interp::{Behaviour, Environment, Event, Job, Sequential, run};
use lang_l::source::Span;
use lang_l::value::{Addr, Value};
use std::collections::BTreeSet;

/// A call of a client that gave something else in the two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Escape {
    /// The statement of the client.
    pub span: Span,
    /// What was called.
    pub callee: String,
    /// The arguments, as far as they are no objects.
    pub arguments: Vec<String>,
    /// What it gave in each version; `None` where it did not come back. Where that is the same it has left another store.
    pub gave: [Option<Vec<String>>; 2],
}

/// The first call of the client that gave something else in the two versions. Where the first call that the two do not both make comes
/// after one alone, that one has left another store.
pub(super) fn escape(pair: &RunPair<'_>, witness: &Witness) -> Option<Escape> {
    let [left, right] = [(0, pair.left), (1, pair.right)].map(|side| calls(pair, side, witness));
    let both = left.iter().zip(&right);
    let same = both.clone().take_while(|(a, b)| a == b).count();
    let is_one_call = |(a, b): &(&Made, &Made)| (a.span, &a.callee, &a.arguments) == (b.span, &b.callee, &b.arguments);
    let escaped = both.clone().nth(same).filter(is_one_call).or_else(|| both.clone().next().filter(|_| same == 1));
    let (a, b) = escaped?;
    let (callee, arguments) = (a.callee.clone(), a.arguments.clone());
    Some(Escape { span: a.span, callee, arguments, gave: [a.gave.clone(), b.gave.clone()] })
}

/// A call that the client made.
#[derive(PartialEq)]
struct Made {
    span: Span,
    callee: String,
    arguments: Vec<String>,
    gave: Option<Vec<String>>,
}

/// The calls that the client makes itself in one version.
fn calls(pair: &RunPair<'_>, (version, procedure): (usize, ProcId), witness: &Witness) -> Vec<Made> {
    let job = Job { unit: pair.unit, version, procedure, limits: concrete::REPLAY };
    let inner = Sequential::after(witness.input()).with(witness.externals());
    let head = pair.unit.procedure(version, procedure).name_span;
    let existed = witness.input().store.heap.keys().copied().collect();
    let mut watch = Watch { inner, existed, at: head, depth: 0, made: Vec::new() };
    run(&job, witness.input().clone(), &mut watch);
    watch.made
}

/// Notes the calls of the procedure that is run.
struct Watch {
    inner: Sequential,
    /// The objects that existed on entry.
    existed: BTreeSet<Addr>,
    /// The statement of that procedure.
    at: Span,
    /// How many procedures are active.
    depth: usize,
    made: Vec<Made>,
}

impl Watch {
    fn enter(&mut self, procedure: &Procedure, arguments: &[Option<Value>]) {
        if self.depth == 1 {
            let text = |value: &Option<Value>| value.as_ref().map_or("…".into(), |value| self.text(value));
            let arguments = arguments.iter().map(text).collect();
            self.made.push(Made { span: self.at, callee: procedure.name.clone(), arguments, gave: None });
        }
        self.depth += 1;
    }

    fn leave(&mut self, results: &[Value]) {
        self.depth = self.depth.saturating_sub(1);
        let gave = results.iter().map(|value| self.text(value)).collect();
        if self.depth == 1
            && let Some(last) = self.made.last_mut()
        {
            last.gave = Some(gave);
        }
    }

    /// A value; what was made on the way has no name.
    fn text(&self, value: &Value) -> String {
        match value.object() {
            Some(addr) if !self.existed.contains(&addr) => "a new object".into(),
            _ => value.to_string(),
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
            Event::Enter { procedure, arguments } => self.enter(procedure, arguments),
            Event::Leave { results, .. } => self.leave(results),
            Event::Statement { statement } if self.depth == 1 => self.at = statement.span,
            _ => {}
        }
    }
}
