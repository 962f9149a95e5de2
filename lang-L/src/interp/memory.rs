//! The store of a run, with the places that are still unset behind it.
//!
//! In: reads and writes. Out: values, errors, events.
//!
//! Invariant: what is read of the initial store is fixed in the initial store at the first read, so that every other run from
//! it sees the same.

use super::Limits;
use super::environment::{Environment, Event, Variable};
use super::operators::ill_typed;
use super::outcome::{Budget, ErrorKind, Outcome, Step, fail};
use crate::heap::value::{Addr, Location, Slot, Value};
use crate::heap::{Input, Kind, Object, Store, View, slot_type};
use crate::hir::{ClassId, Expr, ExprKind, GlobalId, Type, Unit};
use crate::source::Span;
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

/// The memory of a run.
pub(crate) struct Memory<'r> {
    pub(crate) unit: &'r Unit,
    pub(crate) limits: &'r Limits,
    pub(crate) environment: &'r mut dyn Environment,
    /// What the run started from, as far as it is known yet.
    pub(crate) input: Input,
    /// What has been written since, and all objects allocated since.
    pub(crate) store: Store,
    /// How much contracts, and externals that choose what they do, have looked at.
    looked_at: u64,
}

/// How much the contracts of a run may look at for each step that it may take, of so many steps.
const LOOKS_PER_STEP: u64 = 64;
const STEPS_WITH_LOOKS: u64 = 200_000;
/// The same for each further step.
const LOOKS_PER_FURTHER_STEP: u64 = 2;

impl<'r> Memory<'r> {
    /// The memory of a run from `input`, in which nothing has happened yet.
    pub(crate) fn new(
        unit: &'r Unit,
        limits: &'r Limits,
        environment: &'r mut dyn Environment,
        input: Input,
    ) -> Memory<'r> {
        Memory { unit, limits, environment, input, store: Store::default(), looked_at: 0 }
    }

    /// Counts what a contract or an external looks at; a run in which that is too much is stopped.
    pub(crate) fn work(&mut self, amount: u64) -> Step<()> {
        self.looked_at = self.looked_at.saturating_add(amount);
        let few = self.limits.steps.min(STEPS_WITH_LOOKS);
        let further = (self.limits.steps - few).saturating_mul(LOOKS_PER_FURTHER_STEP);
        if self.looked_at > (few * LOOKS_PER_STEP).saturating_add(further) {
            return Err(Box::new(Outcome::OutOfBudget(Budget::Steps)));
        }
        Ok(())
    }

    /// How much contracts, and externals that choose what they do, have looked at.
    pub(super) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// `store`, which is the present store or an earlier one, over the initial store.
    pub(crate) fn view<'a>(&'a self, store: &'a Store) -> View<'a> {
        View { unit: self.unit, store, base: &self.input.store }
    }

    /// Fixes a place of the initial store or an argument that was unset.
    pub(crate) fn settle(&mut self, location: Location, ty: &Type) -> Value {
        let value = self.environment.unset(self.unit, location, ty, &mut self.input);
        self.input.set(location, value.clone());
        value
    }

    /// The value of a global in `store`.
    pub(crate) fn global(&mut self, store: &Store, global: GlobalId) -> Value {
        match self.view(store).global(global) {
            Some(value) => value,
            None => {
                let ty = &self.unit.globals[global.index()].ty;
                self.settle(Location::Global(global), ty)
            }
        }
    }

    /// The value of a slot, which the object must have, in `store`.
    pub(crate) fn slot(&mut self, store: &Store, addr: Addr, slot: Slot, span: Span) -> Step<Value> {
        let view = self.view(store);
        if let Some(value) = view.slot(addr, slot) {
            return Ok(value);
        }
        let Some(kind) = self.kind(store, addr) else { return dangling(span) };
        let ty = slot_type(self.unit, kind, slot).clone();
        match view.kind(addr) {
            Some(_) => Ok(self.settle(Location::Slot(addr, slot), &ty)),
            None => Ok(Value::default_of(&ty)),
        }
    }

    /// The value of `e`, a field, cell or length, when the values of its operands are these.
    pub(crate) fn access(&mut self, store: &Store, e: &Expr, object: Value, index: Option<Value>) -> Step<Value> {
        let Some(addr) = object.object() else { return fail(ErrorKind::NullDereference, e.span) };
        match (&e.kind, index) {
            (ExprKind::Field(_, field), _) => self.slot(store, addr, Slot::Field(*field), e.span),
            (ExprKind::Index(..), Some(index)) => {
                let cell = self.cell(store, addr, &index, e.span)?;
                self.slot(store, addr, cell, e.span)
            }
            (ExprKind::Length(_), _) => Ok(Value::Int(self.length(store, addr, e.span)?.into())),
            _ => ill_typed(e.span),
        }
    }

    /// Assigns a field, or a cell when there is an index.
    pub(crate) fn write(&mut self, object: Value, slot: Result<Slot, &Value>, value: Value, span: Span) -> Step<()> {
        let Some(addr) = object.object() else { return fail(ErrorKind::NullDereference, span) };
        let slot = match slot {
            Ok(field) => field,
            Err(index) => {
                let store = self.store.clone();
                self.cell(&store, addr, index, span)?
            }
        };
        self.put(addr, slot, value, span)
    }

    /// Sets a global.
    pub(crate) fn put_global(&mut self, global: GlobalId, value: Value) {
        let name = &self.unit.globals[global.index()].name;
        self.environment.trace(Event::Assigned { variable: Variable::Global(global), name, value: &value });
        self.store.globals.insert(global, value);
    }

    /// Sets a slot of an object.
    pub(crate) fn put(&mut self, addr: Addr, slot: Slot, value: Value, span: Span) -> Step<()> {
        if !self.store.heap.contains_key(&addr) {
            let Some(below) = self.input.store.heap.get(&addr) else { return dangling(span) };
            self.store.heap.insert(addr, Object::new(below.kind.clone()));
        }
        self.environment.trace(Event::Wrote { location: Location::Slot(addr, slot), value: &value });
        self.store.set(addr, slot, value);
        Ok(())
    }

    /// What sort of object this is. Before it was allocated it is taken to have been of the same sort, with default slots:
    /// `old` may ask.
    fn kind<'a>(&'a self, store: &'a Store, addr: Addr) -> Option<&'a Kind> {
        self.view(store).kind(addr).or_else(|| self.view(&self.store).kind(addr))
    }

    fn length(&self, store: &Store, addr: Addr, span: Span) -> Step<u64> {
        match self.kind(store, addr) {
            Some(Kind::Array { length, .. }) => Ok(*length),
            Some(Kind::Fields(_)) => ill_typed(span),
            None => dangling(span),
        }
    }

    fn cell(&self, store: &Store, addr: Addr, index: &Value, span: Span) -> Step<Slot> {
        let Value::Int(index) = index else { return ill_typed(span) };
        let length = self.length(store, addr, span)?;
        match index.to_u64() {
            Some(at) if at < length => Ok(Slot::Cell(at)),
            _ => fail(ErrorKind::IndexOutOfBounds, span),
        }
    }

    /// A new object with fields.
    pub(crate) fn allocate(&mut self, class: Option<ClassId>) -> Value {
        self.allocate_kind(Kind::Fields(class))
    }

    /// A new array.
    pub(crate) fn allocate_array(&mut self, element: &Type, length: &Value, span: Span) -> Step<Value> {
        let Value::Int(length) = length else { return ill_typed(span) };
        if length.is_negative() {
            return fail(ErrorKind::NegativeArraySize, span);
        }
        if *length > BigInt::from(self.limits.array_length) {
            return Err(Box::new(Outcome::OutOfBudget(Budget::Size)));
        }
        let length = length.to_u64().unwrap_or(self.limits.array_length);
        Ok(self.allocate_kind(Kind::Array { element: element.clone(), length }))
    }

    fn allocate_kind(&mut self, kind: Kind) -> Value {
        let addr = loop {
            let addr = self.environment.fresh();
            if self.view(&self.store).kind(addr).is_none() {
                break addr;
            }
        };
        self.environment.trace(Event::Allocated { addr, kind: &kind });
        self.store.heap.insert(addr, Object::new(kind));
        addr.into()
    }
}

fn dangling<T>(span: Span) -> Step<T> {
    Err(Box::new(Outcome::Unsupported { what: "a reference to no object", span }))
}
