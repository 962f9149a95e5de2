//! An input from a model.
//!
//! In: an obligation, and the values a model gives the terms that speak of the initial store. Out: the input they describe;
//! what the question did not speak of is left unset.
//!
//! Invariant: whatever the values, the result is an input; whether it fits the program is seen when it is replayed.

use crate::budget::bmc::MAX_ARRAY_LENGTH;
use crate::lower::Lowered;
use lang_l::heap::{Input, Kind, Object};
use lang_l::hir::{ClassId, FieldId, Procedure, Type};
use lang_l::value::{Addr, Location, Slot, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use smt::arena::Arena;
use smt::obligation::Obligation;
use smt::term::{Func, Node, Selector, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The terms whose values describe the initial store.
pub(super) struct InputTerms<'u> {
    /// Null first, then in the order met.
    pub(super) terms: Vec<Term>,
    unit: &'u Lowered,
    procedure: &'u Procedure,
}

impl<'u> InputTerms<'u> {
    /// Everything in an obligation that speaks of the initial store.
    pub(super) fn of(arena: &mut Arena, unit: &'u Lowered, procedure: &'u Procedure, obligation: &Obligation) -> Self {
        let mut terms = vec![arena.terms.null()];
        let mut seen = BTreeSet::new();
        let mut work = obligation.assumptions.clone();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = arena.terms.node(term);
            if let Node::App(Func::Param(_) | Func::Global(_) | Func::Initial(_) | Func::Length, args) = node {
                terms.push(term);
                // An index may be any sum; its value says which cell.
                terms.extend(args.iter().copied());
            }
            work.extend(node.children());
        }
        let mut known = BTreeSet::new();
        terms.retain(|&term| known.insert(term));
        InputTerms { terms, unit, procedure }
    }

    /// The input that these values describe.
    pub(super) fn input(&self, arena: &Arena, values: &[String]) -> Input {
        let value: BTreeMap<Term, &str> = self.terms.iter().copied().zip(values.iter().map(String::as_str)).collect();
        let null = values.first().map_or("", String::as_str);
        let mut shape = Shape { inputs: self, arena, null, objects: BTreeMap::new() };
        for &term in &self.terms {
            shape.type_of(term, &value);
        }
        shape.build(&value)
    }
}

/// What is known of one object.
#[derive(Default)]
struct ObjectSketch {
    types: Vec<Type>,
    fields: Vec<FieldId>,
    length: Option<u64>,
    last_cell: Option<u64>,
}

struct Shape<'a, 'u> {
    inputs: &'a InputTerms<'u>,
    arena: &'a Arena,
    null: &'a str,
    /// By the value that stands for them.
    objects: BTreeMap<String, ObjectSketch>,
}

impl Shape<'_, '_> {
    /// The type of a term that speaks of the initial store; notes the objects on the way.
    fn type_of(&mut self, term: Term, value: &BTreeMap<Term, &str>) -> Option<Type> {
        let Node::App(func, args) = self.arena.terms.node(term).clone() else { return None };
        let ty = match func {
            Func::Param(at) => self.inputs.procedure.locals.get(at as usize)?.ty.clone(),
            Func::Global(at) => self.inputs.unit.globals().get(at as usize)?.ty.clone(),
            Func::Initial(Selector::Field(field)) => {
                let name = value.get(&args[0]).copied().unwrap_or(self.null);
                self.type_of(args[0], value);
                if let Some(known) = self.objects.get_mut(name) {
                    known.fields.push(field);
                }
                self.inputs.unit.fields().get(field.index())?.ty.clone()
            }
            Func::Initial(Selector::Cell(_)) => {
                let of = self.type_of(args[0], value);
                let name = value.get(&args[0]).copied().unwrap_or(self.null);
                let index = value.get(&args[1]).and_then(|text| integer(text)?.to_u64());
                if let (Some(known), Some(index)) = (self.objects.get_mut(name), index) {
                    known.last_cell = known.last_cell.max(Some(index));
                }
                match of {
                    Some(Type::Array(element)) => *element,
                    _ => return None,
                }
            }
            Func::Length => {
                self.type_of(args[0], value);
                let name = value.get(&args[0]).copied().unwrap_or(self.null);
                let length = value.get(&term).and_then(|text| integer(text)?.to_u64());
                if let Some(known) = self.objects.get_mut(name) {
                    known.length = length.or(known.length);
                }
                return Some(Type::Int);
            }
            _ => return None,
        };
        if ty.is_reference()
            && let Some(&name) = value.get(&term)
            && name != self.null
        {
            self.objects.entry(name.to_string()).or_default().types.push(ty.clone());
        }
        Some(ty)
    }

    fn kind(&self, known: &ObjectSketch) -> Kind {
        for ty in &known.types {
            match ty {
                Type::Array(element) => {
                    let length = known.length.or(known.last_cell.map(|last| last.saturating_add(1))).unwrap_or(0);
                    return Kind::Array { element: (**element).clone(), length: length.min(MAX_ARRAY_LENGTH) };
                }
                Type::Class(class) => return Kind::Fields(Some(*class)),
                _ => {}
            }
        }
        let unit = self.inputs.unit;
        if unit.classes().is_empty() {
            return Kind::Fields(None);
        }
        let declaring = known.fields.iter().find_map(|field| unit.fields()[field.index()].class);
        Kind::Fields(Some(declaring.unwrap_or(ClassId(0))))
    }

    fn build(&self, value: &BTreeMap<Term, &str>) -> Input {
        let mut input = Input { arguments: vec![None; self.inputs.procedure.params], ..Input::default() };
        let addresses: BTreeMap<&str, Addr> = self.objects.keys().map(String::as_str).zip((1..).map(Addr)).collect();
        for (name, known) in &self.objects {
            input.store.heap.insert(addresses[name.as_str()], Object::new(self.kind(known)));
        }
        for (&term, &text) in value {
            let Node::App(func, args) = self.arena.terms.node(term) else { continue };
            let object = args.first().and_then(|object| addresses.get(value.get(object)?)).copied();
            let location = match (*func, object) {
                (Func::Param(at), _) => Location::Argument(at as usize),
                (Func::Global(at), _) => Location::Global(lang_l::hir::GlobalId(at)),
                (Func::Initial(Selector::Field(field)), Some(addr)) => Location::Slot(addr, Slot::Field(field)),
                (Func::Initial(Selector::Cell(_)), Some(addr)) => {
                    let index = value.get(&args[1]).and_then(|text| integer(text)?.to_u64());
                    let length = match input.store.heap.get(&addr).map(|object| &object.kind) {
                        Some(Kind::Array { length, .. }) => *length,
                        _ => 0,
                    };
                    match index.filter(|&index| index < length) {
                        Some(index) => Location::Slot(addr, Slot::Cell(index)),
                        None => continue,
                    }
                }
                _ => continue,
            };
            let held = match self.arena.terms.sort(term) {
                Sort::Int => integer(text).map(Value::Int),
                Sort::Bool => Some(Value::Bool(text == "1")),
                Sort::Ref => Some(Value::Ref(addresses.get(text).copied())),
            };
            if let Some(held) = held {
                input.set(location, held);
            }
        }
        input
    }
}

fn integer(text: &str) -> Option<BigInt> {
    text.parse().ok()
}
