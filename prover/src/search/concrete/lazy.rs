//! The surroundings of a run whose input is made up as it is read.
//!
//! In: places of the initial store, at the moment a run first reads them. Out: a value for each, chosen among all that can
//! matter within bounds: `null`, each object made up so far, one more object; small integers and those of the program; both
//! booleans.
//!
//! Invariant: aliasing between any two places can come about; what is never read is never chosen.

use super::choices::Choices;
use crate::budget::concrete::InputBounds;
use lang_l::heap::{Input, Kind, Object, may_refer};
use lang_l::hir::{ClassId, Type, Unit};
use lang_l::interp::{Behaviour, Environment};
use lang_l::value::{Addr, Location, Value};
use num_bigint::BigInt;

/// Where new objects of the run begin, far from those of the input.
const FIRST_NEW: u64 = 1 << 32;

/// Makes an input up.
pub(super) struct Lazy<'s> {
    pub(super) choices: &'s mut Choices,
    pub(super) bounds: InputBounds,
    pub(super) integers: &'s [BigInt],
    pub(super) externals: Behaviour,
    next: u64,
}

impl<'s> Lazy<'s> {
    /// For one run, or one pair of runs.
    pub(super) fn new(
        choices: &'s mut Choices,
        bounds: InputBounds,
        integers: &'s [BigInt],
        externals: Behaviour,
    ) -> Self {
        Lazy { choices, bounds, integers, externals, next: FIRST_NEW }
    }

    fn reference(&mut self, unit: &Unit, ty: &Type, input: &mut Input) -> Value {
        let known = input.store.heap.iter().filter(|(_, object)| may_refer(unit, ty, &object.kind));
        let known: Vec<Addr> = known.map(|(addr, _)| *addr).collect();
        let new = if input.store.heap.len() < self.bounds.objects { self.kinds(unit, ty) } else { Vec::new() };
        match self.choices.choose(1 + known.len() + new.len()) {
            0 => Value::NULL,
            at if at <= known.len() => known[at - 1].into(),
            at => {
                let addr = Addr(input.last_addr() + 1);
                input.store.heap.insert(addr, Object::new(new[at - 1 - known.len()].clone()));
                addr.into()
            }
        }
    }

    /// The sorts of object that a reference of this type may be made to refer to.
    fn kinds(&self, unit: &Unit, ty: &Type) -> Vec<Kind> {
        match ty {
            Type::Class(class) => vec![Kind::Fields(Some(*class))],
            Type::Array(element) => {
                let array = |length| Kind::Array { element: (**element).clone(), length };
                (0..=self.bounds.array).rev().map(array).collect()
            }
            _ if unit.classes.is_empty() => vec![Kind::Fields(None)],
            _ => (0..).map(ClassId).zip(&unit.classes).map(|(class, _)| Kind::Fields(Some(class))).collect(),
        }
    }
}

impl Environment for Lazy<'_> {
    fn fresh(&mut self) -> Addr {
        self.next += 1;
        Addr(self.next)
    }

    fn unset(&mut self, unit: &Unit, _: Location, ty: &Type, input: &mut Input) -> Value {
        match ty {
            Type::Int => {
                let at = self.choices.choose(self.integers.len().min(self.bounds.integers));
                Value::Int(self.integers.get(at).cloned().unwrap_or_default())
            }
            Type::Bool => Value::Bool(self.choices.choose(2) == 1),
            Type::Ref | Type::Class(_) | Type::Array(_) => self.reference(unit, ty, input),
        }
    }

    fn behaviour(&mut self, _: &str) -> Behaviour {
        self.externals
    }
}
