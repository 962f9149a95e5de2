//! Stores, and what runs did to them, as statements of L.
//!
//! In: what [`crate::interp`] starts from and ends in. Out: assignments, in which `#1`, `#2`, … are names of objects.
//!
//! An input is shown by the statements that make it, and a run that ended normally by those that do at once what it did in
//! many steps:
//!
//! ```text
//! x := #1; y := #1;                      head := #3;
//! #1 := new Node(); #1.next := #2;       #1.next := null;
//! #2 := new Node(); #2.val := 3;         #3 := new Node();
//! ```
//!
//! Invariant: what is not assigned is as it was; in an input, and in a new object, it has its default.
//! Invariant: names are those of the JSON form.

use crate::heap::isomorphism::Final;
use crate::heap::naming::reached;
use crate::heap::value::{Addr, Slot, Value};
use crate::heap::{Input, Kind, Object, slot_type};
use crate::hir::print::type_text;
use crate::hir::{FieldId, GlobalId, Procedure, Unit};
use std::collections::BTreeSet;
use std::fmt;

/// `place := value;`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// What is assigned to.
    pub place: String,
    /// What is assigned.
    pub value: String,
    /// Whether the place was there before: a global, or in an object that existed on entry.
    pub existed: bool,
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} := {};", self.place, self.value)
    }
}

fn assignment(place: impl Into<String>, value: impl ToString) -> Assignment {
    Assignment { place: place.into(), value: value.to_string(), existed: false }
}

impl Assignment {
    /// The same, of a place that was there before.
    fn existing(self) -> Self {
        Assignment { existed: true, ..self }
    }
}

/// What makes an input, in lines of about `width` characters: arguments and globals, then a line for each object.
pub fn input_lines(unit: &Unit, procedure: &Procedure, input: &Input, width: usize) -> Vec<String> {
    let arguments = procedure.locals.iter().zip(&input.arguments);
    let mut roots: Vec<Assignment> =
        arguments.filter_map(|(local, value)| Some(assignment(&local.name, value.as_ref()?))).collect();
    for (id, value) in &input.store.globals {
        let global = &unit.globals[id.index()];
        if *value != Value::default_of(&global.ty) {
            roots.push(assignment(&global.name, value));
        }
    }
    let mut lines = filled(&roots, width);
    for (addr, object) in &input.store.heap {
        let mut made = vec![assignment(addr.to_string(), creation(unit, &object.kind))];
        made.extend(contents(unit, *addr, object));
        lines.extend(filled(&made, width));
    }
    lines
}

/// What a run from `input` did, as far as a caller can see: first all its results, then all that is not as it was. Nothing in
/// `input` that the run has read may be unset.
pub fn effect(unit: &Unit, procedure: &Procedure, input: &Input, last: &Final) -> Vec<Assignment> {
    let results = procedure.result_ids().zip(&last.results);
    let mut effect: Vec<Assignment> = results.map(|(id, value)| assignment(&procedure.local(id).name, value)).collect();
    for (id, global) in (0..).map(GlobalId).zip(&unit.globals) {
        let value = last.store.global(unit, id);
        if value != input.store.global(unit, id) {
            effect.push(assignment(&global.name, value).existing());
        }
    }
    let objects: BTreeSet<Addr> = reached(last, input).into_iter().collect();
    for addr in objects {
        let Some(object) = last.store.heap.get(&addr) else { continue };
        if input.store.heap.contains_key(&addr) {
            for slot in object.slots.keys() {
                let value = last.store.slot(unit, addr, *slot);
                if value != input.store.slot(unit, addr, *slot) {
                    effect.push(assignment(format!("{addr}{}", slot_text(unit, *slot)), value).existing());
                }
            }
        } else {
            effect.push(assignment(addr.to_string(), creation(unit, &object.kind)));
            effect.extend(contents(unit, addr, object));
        }
    }
    effect
}

/// `.next`, `[3]`
pub(crate) fn slot_text(unit: &Unit, slot: Slot) -> String {
    match slot {
        Slot::Field(FieldId(at)) => format!(".{}", unit.fields[at as usize].name),
        Slot::Cell(at) => format!("[{at}]"),
    }
}

/// The expression that makes an object of this kind.
fn creation(unit: &Unit, kind: &Kind) -> String {
    match kind {
        Kind::Fields(None) => "new()".to_owned(),
        Kind::Fields(Some(class)) => format!("new {}()", unit.classes[class.index()].name),
        Kind::Array { element, length } => format!("new {}[{length}]", type_text(unit, element)),
    }
}

/// Assignments to all slots of an object that do not hold their default.
fn contents(unit: &Unit, addr: Addr, object: &Object) -> Vec<Assignment> {
    let set =
        object.slots.iter().filter(|(slot, value)| **value != Value::default_of(slot_type(unit, &object.kind, **slot)));
    set.map(|(slot, value)| assignment(format!("{addr}{}", slot_text(unit, *slot)), value)).collect()
}

/// As many on a line as `width` holds, at least one.
fn filled(assignments: &[Assignment], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for assignment in assignments {
        let text = assignment.to_string();
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + text.chars().count() <= width => {
                line.push(' ');
                line.push_str(&text);
            }
            _ => lines.push(text),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heap::naming::named;
    use crate::interp::{Job, Limits, Outcome, Sequential, run};
    use crate::show::store_json::read_input;
    use crate::source::FileId;

    const PROGRAM: &str = "class L { v: int; next: L; } global g: L; global h: int;
        procedure p(x: L, y: L, n: int, a: int[]) returns (r: L) {
          waste := new L();
          r := new L(); r.next := x; x.v := n; x.next := null; x.next := g; a[1] := 0; g := new L();
        }";
    const INPUT: &str = r##"{"arguments": {"x": "#1", "y": "#1", "n": 7, "a": "#3"}, "globals": {"g": "#2"}, "heap": {
        "#1": {"class": "L", "fields": {"next": "#2"}}, "#2": {"class": "L", "fields": {"next": "#1", "v": 3}},
        "#3": {"element": "int", "cells": [1, 2]}, "#4": {"class": "L"}}}"##;

    #[test]
    fn inputs_and_effects() {
        let parsed = crate::parse::parse(FileId(0), PROGRAM);
        let unit = crate::resolve::resolve(&[&parsed.file]).expect("the program is legal");
        let (id, procedure) = (crate::hir::ProcId(0), &unit.versions[0].procedures[0]);
        let json = serde_json::from_str(INPUT).expect("the JSON is good");
        let input = read_input(&unit, procedure, &json).expect("the input fits");
        let lines = [
            "x := #1; y := #1; n := 7; a := #3;",
            "g := #2;",
            "#1 := new L(); #1.next := #2;",
            "#2 := new L(); #2.v := 3;",
            "#2.next := #1;",
            "#3 := new int[2]; #3[0] := 1;",
            "#3[1] := 2;",
            "#4 := new L();",
        ];
        assert_eq!(input_lines(&unit, procedure, &input, 36), lines);

        let job = Job { unit: &unit, version: 0, procedure: id, limits: Limits::default() };
        let Outcome::Normal(last) = run(&job, input.clone(), &mut Sequential::after(&input)).outcome else {
            panic!("it ends normally")
        };
        let shown = |last: &Final| -> Vec<String> {
            effect(&unit, procedure, &input, last).iter().map(Assignment::to_string).collect()
        };
        let made = |r: u64, g: u64| {
            let (r, g) = (format!("#{r}"), format!("#{g}"));
            let common = vec![format!("r := {r};"), format!("g := {g};"), "#1.v := 7;".into(), "#3[1] := 0;".into()];
            let (new_r, new_g) =
                (vec![format!("{r} := new L();"), format!("{r}.next := #1;")], vec![format!("{g} := new L();")]);
            if r < g { [common, new_r, new_g].concat() } else { [common, new_g, new_r].concat() }
        };
        // #5 is garbage.
        assert_eq!(shown(&last), made(6, 7));
        assert_eq!(shown(&named(&last, &input)), made(6, 5));
    }
}
