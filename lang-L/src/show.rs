//! Stores, values and outcomes as text for people.
//!
//! In: what [`crate::interp`] starts from and ends in. Out: lines of text, without colour.
//!
//! A store is shown as what each root refers to and then, in breadth-first order, each object the roots reach with those
//! slots that do not hold their default:
//!
//! ```text
//! x -> #1
//! y -> #1, the same as x
//! #1 { next -> #2, val = 3 }
//! #2 { next -> #1 }
//! ```
//!
//! Invariant: addresses are those of the JSON form; objects allocated during the run are called `new #n`.

use crate::heap::{Input, Kind, Store, View};
use crate::hir::{FieldId, GlobalId, Procedure, Unit};
use crate::hir_print::type_text;
use crate::interp::{Behaviour, Budget, Divergence, Event, Exclusion, Outcome};
use crate::isomorphism::{Difference, Final, Path, Root, Why};
use crate::value::{Addr, Location, Slot, Value};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write as _;

/// How many cells of an array are shown.
const CELLS: u64 = 20;

/// What a run starts from. Objects that no argument and no global reaches come last.
pub fn input_text(unit: &Unit, procedure: &Procedure, input: &Input) -> String {
    let mut roots = argument_roots(procedure, input);
    roots.extend(global_roots(unit, &input.store));
    scene(unit, &input.store, &input.store, &roots)
}

/// How a run ended: the arguments it started with, its results, the globals, and all that these reach.
pub fn final_text(unit: &Unit, procedure: &Procedure, input: &Input, last: &Final) -> String {
    let mut roots = argument_roots(procedure, input);
    for (id, value) in procedure.result_ids().zip(&last.results) {
        roots.push((format!("result {}", procedure.local(id).name), value.clone()));
    }
    roots.extend(global_roots(unit, &last.store));
    scene(unit, &last.store, &input.store, &roots)
}

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
pub fn path_text(unit: &Unit, procedure: &Procedure, input: &Input, path: &Path) -> String {
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
        Event::Statement { .. } => None,
        Event::Assigned { name, value } => Some(format!("{name} := {value}")),
        Event::Wrote { location: Location::Slot(addr, slot), value } => {
            Some(format!("{addr}{} := {value}", slot_text(unit, *slot)))
        }
        Event::Wrote { .. } => None,
        Event::Allocated { addr } => Some(format!("new {addr}")),
    }
}

fn argument_roots(procedure: &Procedure, input: &Input) -> Vec<(String, Value)> {
    let named = procedure.locals.iter().zip(&input.arguments);
    named.filter_map(|(local, value)| Some((local.name.clone(), value.clone()?))).collect()
}

fn global_roots(unit: &Unit, store: &Store) -> Vec<(String, Value)> {
    (0..).map(GlobalId).zip(&unit.globals).map(|(id, global)| (global.name.clone(), store.global(unit, id))).collect()
}

fn scene(unit: &Unit, store: &Store, entry: &Store, roots: &[(String, Value)]) -> String {
    let mut text = String::new();
    let mut first_name: HashMap<Addr, &str> = HashMap::new();
    let mut queue = VecDeque::new();
    for (name, value) in roots {
        let sign = if matches!(value, Value::Ref(Some(_))) { "->" } else { "=" };
        let _ = write!(text, "{name} {sign} {}", value_text(value, entry));
        if let Some(addr) = value.object() {
            match first_name.get(&addr) {
                Some(other) => {
                    let _ = write!(text, ", the same as {other}");
                }
                None => {
                    first_name.insert(addr, name);
                    queue.push_back(addr);
                }
            }
        }
        text.push('\n');
    }
    queue.extend(entry.heap.keys());
    let view = View { unit, store, base: entry };
    let mut shown = HashSet::new();
    while let Some(addr) = queue.pop_front() {
        if shown.insert(addr) {
            let targets = object_line(view, addr, &mut text);
            queue.extend(targets);
        }
    }
    text
}

/// Writes the line of an object; the objects it refers to.
fn object_line(view: View<'_>, addr: Addr, text: &mut String) -> Vec<Addr> {
    let Some(kind) = view.kind(addr) else { return Vec::new() };
    let (mut parts, mut targets) = (Vec::new(), Vec::new());
    let name = value_text(&addr.into(), view.base);
    let held = |slot| view.slot(addr, slot);
    match kind {
        Kind::Fields(class) => {
            for slot in view.set_slots(addr) {
                let Some(value) = held(slot) else { continue };
                let default = Value::default_of(crate::heap::slot_type(view.unit, kind, slot));
                if value != default {
                    let sign = if value.object().is_some() { "->" } else { "=" };
                    let field = slot_text(view.unit, slot);
                    parts.push(format!("{} {sign} {}", field.trim_start_matches('.'), value_text(&value, view.base)));
                    targets.extend(value.object());
                }
            }
            let class = class.map_or(String::new(), |class| format!(": {}", view.unit.classes[class.index()].name));
            let _ = match parts.is_empty() {
                true => writeln!(text, "{name}{class} {{ }}"),
                false => writeln!(text, "{name}{class} {{ {} }}", parts.join(", ")),
            };
        }
        Kind::Array { element, length } => {
            for at in 0..(*length).min(CELLS) {
                let value = held(Slot::Cell(at)).unwrap_or_else(|| Value::default_of(element));
                parts.push(value_text(&value, view.base));
                targets.extend(value.object());
            }
            if *length > CELLS {
                parts.push("…".to_owned());
            }
            let _ = writeln!(text, "{name}: {}[{length}] [{}]", type_text(view.unit, element), parts.join(", "));
        }
    }
    targets
}

/// A value; an object that is not in `entry` is new.
fn value_text(value: &Value, entry: &Store) -> String {
    match value.object() {
        Some(addr) if !entry.heap.contains_key(&addr) => format!("new {addr}"),
        _ => value.to_string(),
    }
}

fn slot_text(unit: &Unit, slot: Slot) -> String {
    match slot {
        Slot::Field(FieldId(at)) => format!(".{}", unit.fields[at as usize].name),
        Slot::Cell(at) => format!("[{at}]"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Job, Limits, Sequential, run};
    use crate::source::FileId;
    use crate::store_json::read_input;

    #[test]
    fn cycles_aliases_arrays_and_what_is_new() {
        let text = "class L { v: int; next: L; } global g: L; procedure p(x: L, y: L, n: int, a: int[]) returns (r: L) \
                    { r := new L(); r.next := x; x.v := n; }";
        let parsed = crate::parse::parse(FileId(0), text);
        let unit = crate::resolve::resolve(&[&parsed.file]).expect("the program is legal");
        let (id, procedure) = (crate::hir::ProcId(0), &unit.versions[0].procedures[0]);
        let json = r##"{"arguments": {"x": "#1", "y": "#1", "n": 7, "a": "#3"}, "globals": {"g": "#2"}, "heap": {
            "#1": {"class": "L", "fields": {"next": "#2"}}, "#2": {"class": "L", "fields": {"next": "#1", "v": 3}},
            "#3": {"element": "int", "cells": [1, 2]}, "#4": {"class": "L"}}}"##;
        let json = serde_json::from_str(json).expect("the JSON is good");
        let input = read_input(&unit, procedure, &json).expect("the input fits");
        let start = "x -> #1\ny -> #1, the same as x\nn = 7\na -> #3\ng -> #2\n\
                     #1: L { next -> #2 }\n#3: int[2] [1, 2]\n#2: L { v = 3, next -> #1 }\n#4: L { }\n";
        assert_eq!(input_text(&unit, procedure, &input), start);

        let job = Job { unit: &unit, version: 0, procedure: id, limits: Limits::default() };
        let Outcome::Normal(last) = run(&job, input.clone(), &mut Sequential::after(&input)).outcome else {
            panic!("it ends normally")
        };
        let end = "x -> #1\ny -> #1, the same as x\nn = 7\na -> #3\nresult r -> new #5\ng -> #2\n\
                   #1: L { v = 7, next -> #2 }\n#3: int[2] [1, 2]\nnew #5: L { next -> #1 }\n\
                   #2: L { v = 3, next -> #1 }\n#4: L { }\n";
        assert_eq!(final_text(&unit, procedure, &input, &last), end);

        let path = Path { root: Root::Object(Addr(2)), slots: vec![Slot::Cell(1)] };
        assert_eq!(path_text(&unit, procedure, &input, &path), "g[1]");
    }
}
