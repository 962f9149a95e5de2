//! Which objects a quantifier over references sees.
//!
//! In: a store of the run, and the variables of all active calls at that time. Out: addresses.
//!
//! These are the objects that existed when the run began, and those that globals and variables reach. What the run made and
//! nothing reaches any more is garbage, which nobody sees.
//!
//! Invariant: the answer is that of the complete input; what must be known of the initial store for it is settled.

use super::frame::Variables;
use super::memory::Memory;
use super::outcome::Step;
use crate::heap::value::{Addr, Location, Slot, Value};
use crate::heap::{Input, Kind, Object, Store, slot_type};
use crate::hir::{GlobalId, Procedure, Type};
use crate::source::Span;
use rustc_hash::FxHashSet as HashSet;

/// Where the search starts, besides the globals.
#[derive(Default)]
pub(super) struct Roots {
    /// What variables refer to.
    pub(super) objects: Vec<Addr>,
    /// Arguments of the run that are still unset, with their types.
    pub(super) unset: Vec<(usize, Type)>,
}

impl Roots {
    /// Adds the variables of a call.
    pub(super) fn add(&mut self, variables: &Variables) {
        self.objects.extend(variables.iter().flatten().filter_map(Value::object));
    }

    /// Adds what is unset among the variables of the run's own call: it is what the run was given.
    pub(super) fn add_given(&mut self, procedure: &Procedure, variables: &Variables, input: &Input) {
        for (at, (local, value)) in procedure.locals.iter().zip(variables).enumerate().take(procedure.params) {
            match input.arguments.get(at) {
                _ if value.is_some() || !local.ty.is_reference() => {}
                Some(Some(given)) => self.objects.extend(given.object()),
                _ => self.unset.push((at, local.ty.clone())),
            }
        }
    }
}

/// All objects that a quantifier sees, in order of address.
pub(super) fn visible(memory: &mut Memory<'_>, store: &Store, roots: Roots, span: Span) -> Step<Vec<Addr>> {
    let made = made(memory, store);
    let mut seen = Vec::new();
    if !made.is_empty() {
        let mut reached = HashSet::default();
        let globals = store.globals.values().filter_map(Value::object);
        known_closure(memory, store, roots.objects.iter().copied().chain(globals), &mut reached)?;
        let count = |reached: &HashSet<Addr>| made.iter().filter(|addr| reached.contains(addr)).count();
        // Unset places lead to initial objects alone. They matter if one of these holds something made that is not reached yet.
        if count(&reached) < made.len() {
            let mut most = reached.clone();
            let initial: Vec<Addr> = memory.input.store.heap.keys().copied().collect();
            known_closure(memory, store, initial.into_iter(), &mut most)?;
            if count(&most) > count(&reached) {
                reached = settled_closure(memory, store, roots, span)?;
            }
        }
        seen.extend(made.into_iter().filter(|addr| reached.contains(addr)));
    }
    seen.extend(memory.input.store.heap.keys());
    seen.sort_unstable();
    Ok(seen)
}

/// The objects that the run has made.
fn made(memory: &Memory<'_>, store: &Store) -> Vec<Addr> {
    let mut given = memory.input.store.heap.keys().peekable();
    let is_made = |addr: &&Addr| {
        while given.next_if(|known| known < addr).is_some() {}
        given.peek() != Some(addr)
    };
    store.heap.keys().filter(is_made).copied().collect()
}

/// What these objects reach by places that are set.
fn known_closure(
    memory: &mut Memory<'_>,
    store: &Store,
    from: impl Iterator<Item = Addr>,
    reached: &mut HashSet<Addr>,
) -> Step<()> {
    let mut queue: Vec<Addr> = from.filter(|addr| reached.insert(*addr)).collect();
    while let Some(addr) = queue.pop() {
        memory.work(1)?;
        let object = memory.view(store).object(addr);
        let slots = object.set_slots().filter_map(|slot| object.slot(slot)?.object());
        queue.extend(slots.filter(|next| reached.insert(*next)));
    }
    Ok(())
}

/// What globals and variables reach; every place on the way is settled.
fn settled_closure(memory: &mut Memory<'_>, store: &Store, roots: Roots, span: Span) -> Step<HashSet<Addr>> {
    let mut queue = roots.objects;
    for (id, global) in (0..).map(GlobalId).zip(&memory.unit.globals) {
        if global.ty.is_reference() {
            queue.extend(memory.global(store, id).object());
        }
    }
    for (at, ty) in roots.unset {
        queue.extend(memory.settle(Location::Argument(at), &ty).object());
    }
    let mut reached: HashSet<Addr> = queue.iter().copied().collect();
    while let Some(addr) = queue.pop() {
        memory.work(1)?;
        for slot in reference_slots(memory, store, addr) {
            if let Some(next) = memory.slot(store, addr, slot, span)?.object()
                && reached.insert(next)
            {
                queue.push(next);
            }
        }
    }
    Ok(reached)
}

/// The slots of an object that hold references, set or not.
pub(super) fn reference_slots(memory: &Memory<'_>, store: &Store, addr: Addr) -> Vec<Slot> {
    let unit = memory.unit;
    match memory.view(store).kind(addr) {
        None => Vec::new(),
        Some(Kind::Array { element, .. }) if !element.is_reference() => Vec::new(),
        Some(kind) => {
            let mut slots = Object::new(kind.clone()).all_slots(unit);
            slots.retain(|slot| slot_type(unit, kind, *slot).is_reference());
            slots
        }
    }
}
