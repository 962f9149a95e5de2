//! What external procedures do.
//!
//! In: the procedure, its arguments, and the [`Behaviour`] the environment chose. Out: results and writes, or the error.
//!
//! Invariant: from isomorphic regions a call has isomorphic effects; nothing is read but globals, the arguments and what these
//! reach, nothing written but what the procedure's `modifies` names, or its arguments and globals refer to, and globals.

use super::contract::{self, Context};
use super::environment::Behaviour;
use super::memory::Memory;
use super::outcome::{ErrorKind, Outcome, Step, fail};
use crate::heap::value::{Addr, Slot, Value};
use crate::heap::{Kind, Object, may_refer, slot_type};
use crate::hir::{GlobalId, LocalId, Procedure, Type};
use crate::random::Random;
use crate::source::Span;

/// How many cells of an array an external procedure looks at.
const CELLS: usize = 4;
/// To choose what a call does takes as long as to look at so much.
const LOOKS: u64 = 3;

/// Performs a call; the results.
pub(super) fn perform(memory: &mut Memory<'_>, procedure: &Procedure, arguments: &[Value]) -> Step<Vec<Value>> {
    match memory.environment.behaviour(&procedure.name) {
        Behaviour::Error => fail(ErrorKind::External, procedure.name_span),
        Behaviour::Skip => Ok(procedure.result_ids().map(|id| Value::default_of(&procedure.local(id).ty)).collect()),
        Behaviour::Seeded(seed) => {
            memory.work(LOOKS)?;
            let span = procedure.name_span;
            let mut seen = Vec::new();
            let mut known: Vec<Value> = arguments.to_vec();
            if seed % 8 >= 4 {
                let store = memory.store.clone();
                known.extend(globals(memory).map(|id| memory.global(&store, id)));
            }
            let mut objects: Vec<Addr> = Vec::new();
            for addr in known.iter().filter_map(Value::object) {
                if !objects.contains(&addr) {
                    objects.push(addr);
                }
            }
            if seed % 2 == 1 {
                for addr in &objects {
                    for (slot, _) in slots(memory, *addr) {
                        let store = memory.store.clone();
                        seen.push(memory.slot(&store, *addr, slot, span)?);
                    }
                }
            }
            if seed % 4 >= 2 {
                let store = memory.store.clone();
                seen.extend(globals(memory).map(|id| memory.global(&store, id)));
            }
            let number = number(seed, procedure, arguments.iter().chain(&seen), &objects);
            let writable = writable(memory, procedure, arguments, &objects)?;
            let integers = arguments.iter().filter(|value| matches!(value, Value::Int(_))).cloned().collect();
            Chooser { memory, span, random: Random::new(number), objects, integers }.perform(procedure, &writable)
        }
    }
}

/// All globals.
fn globals(memory: &Memory<'_>) -> impl Iterator<Item = GlobalId> + use<> {
    (0u32..).map(GlobalId).take(memory.unit.globals.len())
}

/// A number that depends on nothing a program could not see: of references, only which are null and which of `objects` they
/// refer to. The same on every machine, so that counterexamples can be replayed anywhere.
fn number<'v>(seed: u64, procedure: &Procedure, values: impl Iterator<Item = &'v Value>, objects: &[Addr]) -> u64 {
    let mut text = procedure.name.clone();
    for value in values {
        text.push(' ');
        text.push_str(&match value {
            Value::Int(_) | Value::Bool(_) | Value::Ref(None) => value.to_string(),
            Value::Ref(Some(addr)) => match objects.iter().position(|object| object == addr) {
                Some(at) => format!("#{at}"),
                None => "#".to_owned(),
            },
        });
    }
    text.bytes().fold(seed, |state, byte| Random::new(state ^ u64::from(byte)).number())
}

/// The slots of an object that are looked at, with their types.
fn slots(memory: &Memory<'_>, addr: Addr) -> Vec<(Slot, Type)> {
    let Some(kind) = memory.view(&memory.store).kind(addr) else { return Vec::new() };
    let few = match kind {
        Kind::Array { element, length } => {
            Kind::Array { element: element.clone(), length: (*length).min(CELLS as u64) }
        }
        fields => fields.clone(),
    };
    let typed = |slot| (slot, slot_type(memory.unit, &few, slot).clone());
    Object::new(few.clone()).all_slots(memory.unit).into_iter().map(typed).collect()
}

/// The objects that the call may change.
fn writable(memory: &mut Memory<'_>, procedure: &Procedure, arguments: &[Value], objects: &[Addr]) -> Step<Vec<Addr>> {
    let Some(modifies) = &procedure.modifies else { return Ok(objects.to_vec()) };
    let mut variables: Vec<_> = arguments.iter().cloned().map(Some).collect();
    variables.resize(procedure.locals.len(), None);
    let store = memory.store.clone();
    let context = Context {
        procedure,
        variables: &variables,
        store: &store,
        old_variables: &variables,
        old_store: &store,
        callers: &[],
        also: &[],
    };
    let mut named = Vec::new();
    for place in &modifies.places {
        match contract::evaluate(memory, &context, place) {
            Ok(value) => named.extend(value.object().filter(|addr| !named.contains(addr))),
            Err(outcome) if matches!(*outcome, Outcome::Error(_)) => {}
            Err(outcome) => return Err(outcome),
        }
    }
    Ok(named)
}

struct Chooser<'c, 'r> {
    memory: &'c mut Memory<'r>,
    span: Span,
    random: Random,
    objects: Vec<Addr>,
    integers: Vec<Value>,
}

impl Chooser<'_, '_> {
    fn perform(&mut self, procedure: &Procedure, writable: &[Addr]) -> Step<Vec<Value>> {
        if self.random.below(8) == 0 {
            return fail(ErrorKind::External, self.span);
        }
        for addr in writable {
            for (slot, ty) in slots(self.memory, *addr) {
                if self.random.below(2) == 0 {
                    let value = self.value(&ty)?;
                    self.memory.put(*addr, slot, value, self.span)?;
                }
            }
        }
        for (id, global) in (0..).map(GlobalId).zip(&self.memory.unit.globals) {
            if self.random.below(2) == 0 {
                let value = self.value(&global.ty)?;
                self.memory.put_global(id, value);
            }
        }
        procedure.result_ids().map(|id: LocalId| self.value(&procedure.local(id).ty)).collect()
    }

    /// A value of this type.
    fn value(&mut self, ty: &Type) -> Step<Value> {
        match ty {
            Type::Bool => Ok(Value::Bool(self.random.below(2) == 0)),
            Type::Int => match self.random.below(3 + self.integers.len()) {
                0 => Ok(Value::from(0)),
                1 => Ok(Value::from(1)),
                2 => Ok(Value::from(i64::try_from(self.random.below(5)).unwrap_or(0) - 2)),
                at => Ok(self.integers[at - 3].clone()),
            },
            Type::Ref | Type::Class(_) | Type::Array(_) => self.reference(ty),
        }
    }

    fn reference(&mut self, ty: &Type) -> Step<Value> {
        let objects = self.objects.clone();
        match self.random.below(3 + objects.len()) {
            0 => Ok(Value::NULL),
            1 => match ty {
                Type::Class(class) => Ok(self.memory.allocate(Some(*class))),
                Type::Array(element) => self.memory.allocate_array(element, &Value::from(1), self.span),
                _ => Ok(self.memory.allocate(None)),
            },
            // What a slot of an argument holds, if there is one of this type.
            2 => {
                let mut sources = Vec::new();
                for addr in objects {
                    let typed = slots(self.memory, addr).into_iter().filter(|(_, of)| of == ty);
                    sources.extend(typed.map(|(slot, _)| (addr, slot)));
                }
                if sources.is_empty() {
                    return Ok(Value::NULL);
                }
                let (addr, slot) = sources[self.random.below(sources.len())];
                let store = self.memory.store.clone();
                self.memory.slot(&store, addr, slot, self.span)
            }
            at => {
                let addr = objects[at - 3];
                let fits = self
                    .memory
                    .view(&self.memory.store)
                    .kind(addr)
                    .is_some_and(|kind| may_refer(self.memory.unit, ty, kind));
                Ok(if fits { addr.into() } else { Value::NULL })
            }
        }
    }
}
