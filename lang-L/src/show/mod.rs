//! Values, places and outcomes in words, for people.
//!
//! In: what [`crate::interp`] tells of. Out: pieces of sentences, without colour; stores are in [`crate::show::statements`].
//!
//! Invariant: names of objects are those of the JSON form.

pub mod statements;
pub mod store_json;

use crate::heap::isomorphism::{Difference, Path, Root, Why};
use crate::heap::value::{Addr, Location, Value};
use crate::heap::{Input, Kind, Store};
use crate::hir::print::type_text;
use crate::hir::{GlobalId, Procedure, Unit};
use crate::interp::{Behaviour, Budget, Divergence, Event, Exclusion, Outcome};
use crate::show::statements::slot_text;
use std::collections::{HashSet, VecDeque};

/// How a run ended, in one line.
pub fn outcome_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Normal(_) => "ends normally".to_owned(),
        Outcome::Error(failure) => format!("ends in error: {}", failure.kind.message()),
        Outcome::Violation(violation) => {
            format!("breaks the contract of {}: {}", violation.procedure, violation.message)
        }
        Outcome::Excluded(Exclusion::Requires, _) => "is not called: the requires clause does not hold".to_owned(),
        Outcome::Excluded(Exclusion::Assume, _) => "has no outcome: an assume failed".to_owned(),
        Outcome::Excluded(Exclusion::ExternalEnsures, _) => {
            "has no outcome: an external procedure would break its ensures clause".to_owned()
        }
        Outcome::Diverged(Divergence::LoopRepeats { .. }) => {
            "never ends: a loop comes back to a state it has been in".to_owned()
        }
        Outcome::Diverged(Divergence::CallRepeats { procedure, .. }) => {
            format!("never ends: {procedure} is called again from the same state while it is active")
        }
        Outcome::Diverged(Divergence::Stays { condition, .. }) => {
            format!("never ends: from where {condition}, it comes to where that holds again")
        }
        Outcome::OutOfBudget(Budget::Steps) => "was stopped: too many steps".to_owned(),
        Outcome::OutOfBudget(Budget::Depth) => "was stopped: too many calls within one another".to_owned(),
        Outcome::OutOfBudget(Budget::Size) => "was stopped: a number or an array is too large".to_owned(),
        Outcome::Unsupported { what, .. } => format!("cannot be run: {what}"),
    }
}

/// What external procedures did, in words to follow the description of an input.
pub fn externals_text(externals: Behaviour) -> String {
    match externals {
        Behaviour::Skip => "external procedures change nothing and return 0, false or null".to_owned(),
        Behaviour::Error => "external procedures end in error".to_owned(),
        Behaviour::Seeded(seed) => {
            format!("external procedures behave as in the made-up behaviour number {seed}, the same in both versions")
        }
    }
}

/// Where and how two outcomes differ, such as `x.next.val is 1 in one and 2 in the other`. `left` and `right` name the two.
pub fn difference_text(
    unit: &Unit,
    procedure: &Procedure,
    input: &Input,
    difference: &Difference,
    [left, right]: [&str; 2],
) -> String {
    let path = |path: &Path| path_text(unit, procedure, input, path);
    let place = path(&difference.path);
    match &difference.why {
        Why::Value => {
            let name = |value: &Value| match value.object() {
                Some(addr) if !input.store.heap.contains_key(&addr) => "a new object".to_owned(),
                Some(addr) => {
                    way_to(unit, procedure, input, addr).map_or(addr.to_string(), |way| format!("{way} ({addr})"))
                }
                None => value.to_string(),
            };
            let (l, r) = (name(&difference.left), name(&difference.right));
            format!("{place} is {l} in {left} and {r} in {right}")
        }
        Why::Kind(l, r) => {
            format!("{place} is {} in {left} and {} in {right}", kind_text(unit, l), kind_text(unit, r))
        }
        Why::Sharing { left: Some(same), right: None } => {
            format!("{place} is the same object as {} in {left}, but not in {right}", path(same))
        }
        Why::Sharing { left: None, right: Some(same) } => {
            format!("{place} is the same object as {} in {right}, but not in {left}", path(same))
        }
        Why::Sharing { left: Some(l), right: Some(r) } => {
            let (l, r) = (path(l), path(r));
            format!("{place} is the same object as {l} in {left}, and as {r} in {right}")
        }
        Why::Sharing { left: None, right: None } => format!("{place} is another object in {left} than in {right}"),
    }
}

fn kind_text(unit: &Unit, kind: &Kind) -> String {
    match kind {
        Kind::Fields(None) => "an object".to_owned(),
        Kind::Fields(Some(class)) => format!("an object of class {}", unit.classes[class.index()].name),
        Kind::Array { element, length } => format!("an array {}[{length}]", type_text(unit, element)),
    }
}

/// A path as an expression, such as `x.next.val`.
fn path_text(unit: &Unit, procedure: &Procedure, input: &Input, path: &Path) -> String {
    let mut text = match path.root {
        Root::Argument(at) => procedure.locals.get(at).map_or_else(String::new, |local| local.name.clone()),
        Root::Global(id) => unit.globals[id.index()].name.clone(),
        Root::Result(at) => {
            procedure.locals.get(procedure.params + at).map_or_else(String::new, |local| local.name.clone())
        }
        Root::Object(addr) => way_to(unit, procedure, input, addr).unwrap_or_else(|| addr.to_string()),
    };
    for slot in &path.slots {
        text.push_str(&slot_text(unit, *slot));
    }
    text
}

/// An event of a trace, in one line; `None` for events that are only of interest with their place in the source.
pub fn event_text(unit: &Unit, event: &Event<'_>) -> Option<String> {
    let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(", ");
    match event {
        Event::Enter { procedure, arguments } => {
            let mut shown = arguments.iter().map(|value| value.as_ref().map_or("?".to_owned(), Value::to_string));
            Some(format!("call {}({})", procedure.name, list(&mut shown)))
        }
        Event::Leave { procedure, results: [] } => Some(format!("return from {}", procedure.name)),
        Event::Leave { procedure, results } => {
            Some(format!("return {} from {}", list(&mut results.iter().map(Value::to_string)), procedure.name))
        }
        Event::Statement { .. } | Event::Tested { .. } => None,
        Event::Assigned { name, value, .. } => Some(format!("{name} := {value}")),
        Event::Wrote { location: Location::Slot(addr, slot), value } => {
            Some(format!("{addr}{} := {value}", slot_text(unit, *slot)))
        }
        Event::Wrote { .. } => None,
        Event::Allocated { addr, .. } => Some(format!("new {addr}")),
    }
}

fn argument_roots(procedure: &Procedure, input: &Input) -> Vec<(String, Value)> {
    let named = procedure.locals.iter().zip(&input.arguments);
    named.filter_map(|(local, value)| Some((local.name.clone(), value.clone()?))).collect()
}

fn global_roots(unit: &Unit, store: &Store) -> Vec<(String, Value)> {
    (0..).map(GlobalId).zip(&unit.globals).map(|(id, global)| (global.name.clone(), store.global(unit, id))).collect()
}

/// The shortest way from an argument or global to an object of the input.
fn way_to(unit: &Unit, procedure: &Procedure, input: &Input, goal: Addr) -> Option<String> {
    let mut roots = argument_roots(procedure, input);
    roots.extend(global_roots(unit, &input.store));
    let mut queue: VecDeque<(Addr, String)> =
        roots.into_iter().filter_map(|(name, value)| Some((value.object()?, name))).collect();
    let mut seen = HashSet::new();
    while let Some((addr, way)) = queue.pop_front() {
        if addr == goal {
            return Some(way);
        }
        if seen.insert(addr) {
            for (slot, value) in input.store.heap.get(&addr).into_iter().flat_map(|object| &object.slots) {
                queue.extend(value.object().map(|next| (next, format!("{way}{}", slot_text(unit, *slot)))));
            }
        }
    }
    None
}
