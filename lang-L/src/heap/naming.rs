//! Names for the objects that a run made, in the order in which a caller comes across them.
//!
//! In: how a run ended. Out: the same, with the new objects numbered on from those that existed on entry (or, where these have the last number there is, in the gaps).
//!
//! The walk is that of [`crate::heap::isomorphism`]. So as far as two runs from one input leave the same, they name it alike, and what
//! is written differently *is* different.
//!
//! Invariant: what existed on entry keeps its name, and no two objects get the same one.

use crate::heap::isomorphism::Final;
use crate::heap::value::{Addr, Value};
use crate::heap::{Input, Object, Store};
use std::collections::{BTreeMap, BTreeSet};

/// All objects a caller can get hold of after a run from `input`: in breadth-first order from the arguments, the globals, the
/// results, and then all other objects that existed on entry.
pub fn reached(last: &Final, input: &Input) -> Vec<Addr> {
    let roots = input.arguments.iter().flatten().chain(last.store.globals.values()).chain(&last.results);
    let roots = roots.filter_map(Value::object).chain(input.store.heap.keys().copied());
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    for root in roots {
        if seen.insert(root) {
            order.push(root);
        }
    }
    let mut next = 0;
    while let Some(object) = order.get(next).and_then(|addr| last.store.heap.get(addr)) {
        next += 1;
        for target in object.slots.values().filter_map(Value::object) {
            if seen.insert(target) {
                order.push(target);
            }
        }
    }
    order
}

/// The name of each object that a run from `input` made; those that nobody can get hold of come last.
pub fn names(last: &Final, input: &Input) -> BTreeMap<Addr, Addr> {
    let new = |addr: &Addr| !input.store.heap.contains_key(addr);
    let reached = reached(last, input);
    let met: BTreeSet<Addr> = reached.iter().copied().collect();
    let garbage = last.store.heap.keys().copied().filter(|addr| !met.contains(addr));
    let order = reached.iter().copied().chain(garbage).filter(new);
    order.zip(input.free_addrs()).collect()
}

/// How a run from `input` ended, with new objects named as [`names`] says.
#[must_use]
pub fn named(last: &Final, input: &Input) -> Final {
    let names = names(last, input);
    Final {
        store: renamed(&last.store, &names),
        results: last.results.iter().map(|value| renamed_value(value, &names)).collect(),
    }
}

/// A store in which these objects have other names; the others keep theirs.
#[must_use]
pub fn renamed(store: &Store, names: &BTreeMap<Addr, Addr>) -> Store {
    let object = |object: &Object| Object {
        kind: object.kind.clone(),
        slots: object.slots.iter().map(|(slot, value)| (*slot, renamed_value(value, names))).collect(),
    };
    Store {
        globals: store.globals.iter().map(|(id, value)| (*id, renamed_value(value, names))).collect(),
        heap: store.heap.iter().map(|(addr, o)| (names.get(addr).copied().unwrap_or(*addr), object(o))).collect(),
    }
}

/// A value in which these objects have other names.
#[must_use]
pub fn renamed_value(value: &Value, names: &BTreeMap<Addr, Addr>) -> Value {
    match value.object().and_then(|addr| names.get(&addr)) {
        Some(name) => (*name).into(),
        None => value.clone(),
    }
}
