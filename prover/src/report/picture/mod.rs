//! Stores as pictures: what a counterexample starts from, and what each version leaves.
//!
//! In: a pair that was refuted. Out: [`Picture`]s, drawn for a terminal or as SVG.
//!
//! Objects go by the same names as in the report: those that existed on entry keep theirs, and new ones are named in the order in
//! which a caller comes across them. So what two pictures have in common has the same names in both.
//!
//! Invariant: what differs is marked in shape, and not by colour alone. Pictures are the same for the same report.

mod compare;
mod svg;
mod terminal;

use super::Subject;
use crate::verdict::{PairReport, Verdict};
use lang_l::heap::isomorphism::Final;
use lang_l::heap::naming::{named, reached};
use lang_l::heap::value::{Addr, Slot, Value};
use lang_l::heap::{Input, Kind, Object, Store};
use lang_l::hir::{GlobalId, Procedure, Unit};
use lang_l::interp::Outcome;
use lang_l::show::outcome_text;
use std::collections::BTreeSet;

pub use svg::svg;
pub(super) use svg::{ARROW, embedded};
pub use terminal::text;

/// How many objects are drawn, and how many slots of each.
const SHOWN_OBJECTS: usize = 12;
const SHOWN_SLOTS: usize = 8;

/// A store, as it is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// What it is of.
    title: String,
    /// Why there is no store, if there is none.
    note: Option<String>,
    /// Arguments, globals and results.
    pub(super) roots: Vec<Row>,
    /// The objects, in the order in which a caller comes across them.
    pub(super) objects: Vec<Node>,
    /// How many more there are.
    pub(super) folded: usize,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) addr: Addr,
    /// Its name and its class.
    pub(super) title: String,
    pub(super) rows: Vec<Row>,
    /// How many more slots it has.
    pub(super) folded: usize,
    /// Whether the other picture has no such object.
    only_here: bool,
}

/// A place and what it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) value: Value,
    /// Whether the other picture has something else there.
    differs: bool,
}

/// The pictures of a pair: where the runs start, and what each version leaves. Empty where no run showed anything.
pub fn pictures(subject: Subject<'_>, pair: &PairReport) -> Vec<Picture> {
    let [left, right] = subject.procedures(pair);
    match &pair.verdict {
        Verdict::NotEquivalent(witness) => {
            let start = start(subject.unit, left, witness.input());
            let end = |version: usize, procedure: &Procedure, outcome: &Outcome| {
                let title = format!("{} leaves", subject.version_name(version));
                end(subject.unit, procedure, witness.input(), outcome, title)
            };
            let mut ends = [end(0, left, witness.left()), end(1, right, witness.right())];
            compare::mark(&mut ends);
            let [old, new] = ends;
            vec![start, old, new].into_iter().map(folded).collect()
        }
        Verdict::ContractViolation(witness) => {
            let procedure = subject.unit.versions[witness.version()].procedure(witness.procedure());
            vec![folded(start(subject.unit, procedure, witness.input()))]
        }
        _ => Vec::new(),
    }
}

/// What a run holds at some time: its globals, and the objects that these, what it was given and the results lead to.
pub(super) fn at_a_time(unit: &Unit, input: &Input, last: &Final) -> Picture {
    folded(store(unit, input, last, &Vec::new()))
}

fn start(unit: &Unit, procedure: &Procedure, input: &Input) -> Picture {
    let last = Final { store: input.store.clone(), results: Vec::new() };
    let mut picture = store(unit, input, &last, &Vec::new());
    picture.title = format!("{} starts from", procedure.name);
    picture.roots.splice(0..0, arguments(procedure, input, |_| true));
    picture
}

fn end(unit: &Unit, procedure: &Procedure, input: &Input, outcome: &Outcome, title: String) -> Picture {
    let Outcome::Normal(last) = outcome else {
        return Picture { title, note: Some(outcome_text(outcome)), ..Picture::default() };
    };
    let last = named(last, input);
    let whole = Final { store: last.store.over(&input.store), results: last.results };
    let names: Vec<String> = procedure.result_ids().map(|id| procedure.local(id).name.clone()).collect();
    let mut picture = store(unit, input, &whole, &names);
    // A caller still has the objects that it handed over; its numbers are not changed by a call.
    picture.roots.splice(0..0, arguments(procedure, input, |value| value.object().is_some()));
    Picture { title, ..picture }
}

fn arguments(procedure: &Procedure, input: &Input, wanted: fn(&Value) -> bool) -> Vec<Row> {
    let named = procedure.param_ids().map(|id| procedure.local(id)).enumerate();
    let value = |at: usize| input.arguments.get(at).cloned().flatten();
    let rows = named.map(|(at, local)| (&local.name, value(at).unwrap_or_else(|| Value::default_of(&local.ty))));
    rows.filter(|(_, value)| wanted(value)).map(|(name, value)| row(name.clone(), value)).collect()
}

fn row(name: String, value: Value) -> Row {
    Row { name, value, differs: false }
}

/// Globals, results and objects.
fn store(unit: &Unit, input: &Input, last: &Final, results: &[String]) -> Picture {
    let globals = (0..).map(GlobalId).zip(&unit.globals);
    let globals = globals.map(|(id, global)| row(global.name.clone(), last.store.global(unit, id)));
    let results = results.iter().zip(&last.results).map(|(name, value)| row(name.clone(), value.clone()));
    let objects = reached(last, input).into_iter();
    let objects = objects.filter_map(|addr| Some(node(unit, input, &last.store, addr, last.store.heap.get(&addr)?)));
    Picture { roots: globals.chain(results).collect(), objects: objects.collect(), ..Picture::default() }
}

fn node(unit: &Unit, input: &Input, store: &Store, addr: Addr, object: &Object) -> Node {
    let class = match &object.kind {
        Kind::Fields(Some(class)) => format!(" {}", unit.classes[class.index()].name),
        Kind::Fields(None) => String::new(),
        Kind::Array { length, .. } => format!(" array of {length}"),
    };
    let is_new = if input.store.heap.contains_key(&addr) { "" } else { ", new" };
    // Of an array that may be long only what is shown, and what was written, is looked at.
    let slots: BTreeSet<Slot> = match &object.kind {
        Kind::Array { length, .. } => {
            let first = (0..(*length).min(SHOWN_SLOTS as u64)).map(Slot::Cell);
            first.chain(object.slots.keys().copied()).collect()
        }
        Kind::Fields(_) => object.all_slots(unit).into_iter().collect(),
    };
    let rows = slots.into_iter().map(|slot| row(slot_name(unit, slot), store.slot(unit, addr, slot)));
    Node { addr, title: format!("{addr}{class}{is_new}"), rows: rows.collect(), folded: 0, only_here: false }
}

fn slot_name(unit: &Unit, slot: Slot) -> String {
    match slot {
        Slot::Field(field) => unit.fields[field.index()].name.clone(),
        Slot::Cell(at) => format!("[{at}]"),
    }
}

/// As much of a picture as can be taken in; what differs comes before what does not.
fn folded(mut picture: Picture) -> Picture {
    for node in &mut picture.objects {
        let differing = node.rows.iter().filter(|row| row.differs).count();
        let mut room = SHOWN_SLOTS.saturating_sub(differing);
        let all = node.rows.len();
        node.rows.retain(|row| {
            let kept = row.differs || room > 0;
            room -= usize::from(kept && !row.differs);
            kept
        });
        node.folded = all - node.rows.len();
    }
    picture.folded = picture.objects.len().saturating_sub(SHOWN_OBJECTS);
    picture.objects.truncate(SHOWN_OBJECTS);
    picture
}

impl Picture {
    /// The names of the places that refer to an object; with a mark where the other picture has something else there.
    fn held_by(&self, addr: Addr) -> Vec<String> {
        let held = self.roots.iter().filter(|root| root.value.object() == Some(addr));
        held.map(|root| format!("{}{}", root.name, if root.differs { " ≠" } else { "" })).collect()
    }

    /// The places that refer to nothing that is drawn.
    fn plain_roots(&self) -> Vec<&Row> {
        let is_drawn = |addr: Addr| self.objects.iter().any(|node| node.addr == addr);
        self.roots.iter().filter(|root| !root.value.object().is_some_and(is_drawn)).collect()
    }
}
