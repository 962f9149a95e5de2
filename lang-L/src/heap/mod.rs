//! Objects, stores, and what a run starts from.
//!
//! In: values. Out: what [`crate::interp`] runs on, [`crate::heap::isomorphism`] compares and [`crate::show`] prints.
//!
//! A store may leave slots and globals *unset*. Seen alone, an unset slot holds its default. Seen over another store (its
//! *base*), it holds what the base says: a run keeps only what it has written, over the initial store.
//!
//! Invariant: stores are persistent maps, so that a copy (one for each call, for `old`) costs nothing.

pub mod value;

pub mod isomorphism;

pub mod naming;

use crate::heap::value::{Addr, Location, Slot, Value};
use crate::hir::{ClassId, FieldId, GlobalId, Procedure, Type, Unit};
use im::OrdMap;
use std::collections::BTreeSet;

/// What sort of object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An object with fields. `None` in a program without classes (it has every field), or a bare `new()` in one with
    /// classes (it has none).
    Fields(Option<ClassId>),
    /// An array.
    Array {
        /// The type of its cells.
        element: Type,
        /// How many cells it has.
        length: u64,
    },
}

/// An object; slots that are not in the map are unset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What sort.
    pub kind: Kind,
    /// What its slots hold.
    pub slots: OrdMap<Slot, Value>,
}

impl Object {
    /// An object with all slots unset.
    pub fn new(kind: Kind) -> Self {
        Object { kind, slots: OrdMap::new() }
    }

    /// An object with fields.
    pub fn with_fields(class: Option<ClassId>, fields: impl IntoIterator<Item = (FieldId, Value)>) -> Self {
        let slots = fields.into_iter().map(|(field, value)| (Slot::Field(field), value)).collect();
        Object { kind: Kind::Fields(class), slots }
    }

    /// An array with these cells.
    pub fn array(element: Type, cells: impl IntoIterator<Item = Value>) -> Self {
        let slots: OrdMap<Slot, Value> = (0..).map(Slot::Cell).zip(cells).collect();
        Object { kind: Kind::Array { element, length: slots.len() as u64 }, slots }
    }

    /// The type of this object as a reference.
    pub fn ty(&self) -> Type {
        match &self.kind {
            Kind::Fields(Some(class)) => Type::Class(*class),
            Kind::Fields(None) => Type::Ref,
            Kind::Array { element, .. } => Type::Array(Box::new(element.clone())),
        }
    }

    /// All its slots, set or not, in order.
    pub fn all_slots(&self, unit: &Unit) -> Vec<Slot> {
        match &self.kind {
            Kind::Fields(Some(class)) => unit.classes[class.index()].fields.iter().copied().map(Slot::Field).collect(),
            Kind::Fields(None) if unit.classes.is_empty() => {
                (0..).zip(&unit.fields).map(|(at, _)| Slot::Field(FieldId(at))).collect()
            }
            Kind::Fields(None) => Vec::new(),
            Kind::Array { length, .. } => (0..*length).map(Slot::Cell).collect(),
        }
    }
}

/// The type of a slot of an object of this kind.
pub fn slot_type<'a>(unit: &'a Unit, kind: &'a Kind, slot: Slot) -> &'a Type {
    match (kind, slot) {
        (_, Slot::Field(field)) => &unit.fields[field.index()].ty,
        (Kind::Array { element, .. }, Slot::Cell(_)) => element,
        (Kind::Fields(_), Slot::Cell(_)) => &Type::Ref,
    }
}

/// Whether a value of type `ty` may refer to an object of this kind.
pub fn may_refer(unit: &Unit, ty: &Type, kind: &Kind) -> bool {
    match (ty, kind) {
        // Without classes, a `ref` is an object with fields.
        (Type::Ref, Kind::Array { .. }) => !unit.classes.is_empty(),
        (Type::Ref, Kind::Fields(_)) => true,
        (Type::Class(want), Kind::Fields(Some(class))) => want == class,
        (Type::Array(want), Kind::Array { element, .. }) => **want == *element,
        _ => false,
    }
}

/// Globals and heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Store {
    /// The globals that are set.
    pub globals: OrdMap<GlobalId, Value>,
    /// The objects.
    pub heap: OrdMap<Addr, Object>,
}

impl Store {
    /// This store over `base`: what this one leaves unset is taken from `base`.
    #[must_use]
    pub fn over(&self, base: &Store) -> Store {
        let mut store = self.clone();
        for (global, value) in &base.globals {
            store.globals.entry(*global).or_insert_with(|| value.clone());
        }
        for (addr, below) in &base.heap {
            match store.heap.get_mut(addr) {
                None => {
                    store.heap.insert(*addr, below.clone());
                }
                Some(object) => {
                    for (slot, value) in &below.slots {
                        object.slots.entry(*slot).or_insert_with(|| value.clone());
                    }
                }
            }
        }
        store
    }

    /// Sets a slot of an object, which must be there.
    pub fn set(&mut self, addr: Addr, slot: Slot, value: Value) {
        if let Some(object) = self.heap.get_mut(&addr) {
            object.slots.insert(slot, value);
        }
    }

    /// What a global holds, unset ones their default.
    pub fn global(&self, unit: &Unit, global: GlobalId) -> Value {
        self.globals.get(&global).cloned().unwrap_or_else(|| Value::default_of(&unit.globals[global.index()].ty))
    }

    /// What a slot holds, unset ones their default; the object must be there.
    pub fn slot(&self, unit: &Unit, addr: Addr, slot: Slot) -> Value {
        let object = &self.heap[&addr];
        object.slots.get(&slot).cloned().unwrap_or_else(|| Value::default_of(slot_type(unit, &object.kind, slot)))
    }

    /// The same store with nothing left unset, but for the cells of arrays.
    #[must_use]
    pub fn completed(&self, unit: &Unit) -> Store {
        let mut store = self.clone();
        for (at, global) in (0..).map(GlobalId).zip(&unit.globals) {
            store.globals.entry(at).or_insert_with(|| Value::default_of(&global.ty));
        }
        for (addr, object) in &self.heap {
            if matches!(object.kind, Kind::Fields(_)) {
                for slot in object.all_slots(unit) {
                    store.set(*addr, slot, self.slot(unit, *addr, slot));
                }
            }
        }
        store
    }
}

/// All that a run starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// The arguments; `None` when unset.
    pub arguments: Vec<Option<Value>>,
    /// Globals and heap.
    pub store: Store,
}

impl Input {
    /// Sets a place.
    pub fn set(&mut self, location: Location, value: Value) {
        match location {
            Location::Argument(at) => {
                if at >= self.arguments.len() {
                    self.arguments.resize(at + 1, None);
                }
                self.arguments[at] = Some(value);
            }
            Location::Global(global) => {
                self.store.globals.insert(global, value);
            }
            Location::Slot(addr, slot) => self.store.set(addr, slot, value),
        }
    }

    /// Whether all values are of the types the program gives their places, and all references refer to objects that are
    /// there. Every run from such an input is a run that L allows.
    pub fn fits(&self, unit: &Unit, procedure: &Procedure) -> bool {
        let fits = |value: &Value, ty: &Type| match (value, ty) {
            (Value::Int(_), Type::Int) | (Value::Bool(_), Type::Bool) => true,
            (Value::Ref(None), ty) => ty.is_reference(),
            (Value::Ref(Some(addr)), ty) => {
                self.store.heap.get(addr).is_some_and(|object| may_refer(unit, ty, &object.kind))
            }
            _ => false,
        };
        let mut arguments = procedure.locals[..procedure.params].iter().zip(&self.arguments);
        self.arguments.len() == procedure.params
            && arguments.all(|(local, value)| value.as_ref().is_none_or(|value| fits(value, &local.ty)))
            && self.store.globals.iter().all(|(id, value)| fits(value, &unit.globals[id.index()].ty))
            && self.store.heap.values().all(|object| {
                let all: BTreeSet<Slot> = object.all_slots(unit).into_iter().collect();
                let slot_fits = |(slot, value): (&Slot, &Value)| {
                    all.contains(slot) && fits(value, slot_type(unit, &object.kind, *slot))
                };
                object.slots.iter().all(slot_fits)
            })
    }

    /// Addresses that no object of the store has, each once: first those after the last one in use, then, once these have run
    /// out, the gaps from 1 on.
    pub fn free_addrs(&self) -> impl Iterator<Item = Addr> + '_ {
        let after_last = self.last_addr().checked_add(1);
        let (behind, gaps) = (after_last.into_iter().flat_map(|first| first..=u64::MAX), 1..self.last_addr());
        behind.chain(gaps).map(Addr).filter(|addr| !self.store.heap.contains_key(addr))
    }

    /// The largest address in use, 0 when there is none.
    pub fn last_addr(&self) -> u64 {
        self.store.heap.get_max().map_or(0, |(addr, _)| addr.0)
    }
}

/// A store as a run sees it: what it has written, over what it started from.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// For the types of slots.
    pub(crate) unit: &'a Unit,
    /// What has been written, and the objects allocated.
    pub(crate) store: &'a Store,
    /// What is there for the rest.
    pub(crate) base: &'a Store,
}

impl<'a> View<'a> {
    /// The object at an address, of which both stores may hold a part.
    pub(crate) fn object(self, addr: Addr) -> ObjectView<'a> {
        ObjectView { unit: self.unit, here: self.store.heap.get(&addr), below: self.base.heap.get(&addr) }
    }

    /// What sort of object this is; `None` when there is none at this address.
    pub(crate) fn kind(self, addr: Addr) -> Option<&'a Kind> {
        self.store.heap.get(&addr).or_else(|| self.base.heap.get(&addr)).map(|object| &object.kind)
    }

    /// What a slot holds; `None` when it is unset in the initial store.
    pub(crate) fn slot(self, addr: Addr, slot: Slot) -> Option<Value> {
        self.object(addr).slot(slot)
    }

    /// What a global holds; `None` when it is unset in the initial store.
    pub(crate) fn global(self, global: GlobalId) -> Option<Value> {
        self.store.globals.get(&global).or_else(|| self.base.globals.get(&global)).cloned()
    }

    /// The slots of an object in which something may be found that is not the default, in order, without repetition.
    pub(crate) fn set_slots(self, addr: Addr) -> Vec<Slot> {
        let mut all: Vec<Slot> = self.object(addr).set_slots().collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// An object as a run sees it.
#[derive(Clone, Copy)]
pub(crate) struct ObjectView<'a> {
    unit: &'a Unit,
    here: Option<&'a Object>,
    below: Option<&'a Object>,
}

impl<'a> ObjectView<'a> {
    /// What sort of object this is; `None` when there is none.
    pub(crate) fn kind(self) -> Option<&'a Kind> {
        self.here.or(self.below).map(|object| &object.kind)
    }

    /// What a slot holds; `None` when it is unset in the initial store.
    pub(crate) fn slot(self, slot: Slot) -> Option<Value> {
        if let Some(value) = self.here.and_then(|object| object.slots.get(&slot)) {
            return Some(value.clone());
        }
        match (self.below, self.here) {
            (Some(below), _) => below.slots.get(&slot).cloned(),
            (None, Some(object)) => Some(Value::default_of(slot_type(self.unit, &object.kind, slot))),
            (None, None) => None,
        }
    }

    /// Whether the run has written something of it, or made it.
    pub(crate) fn is_written(self) -> bool {
        self.here.is_some()
    }

    /// The slots in which something may be found that is not the default, perhaps twice.
    pub(crate) fn set_slots(self) -> impl Iterator<Item = Slot> {
        self.here.into_iter().chain(self.below).flat_map(|object| object.slots.keys().copied())
    }
}
