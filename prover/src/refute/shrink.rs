//! Makes an input smaller for as long as it still shows what it shows.
//!
//! In: an input, and the test that it must keep passing. Out: an input that passes, with fewer objects, more `null`, smaller
//! numbers, and objects numbered from 1 in the order in which they are met.
//!
//! Invariant: every step passes the test.

use lang_l::heap::{Input, Kind, Object, Store};
use lang_l::hir::{Procedure, Unit};
use lang_l::value::{Addr, Location, Slot, Value};
use std::collections::{BTreeMap, VecDeque};

/// Makes `input` smaller, with at most `most` tests.
pub(super) fn shrink(
    unit: &Unit,
    procedure: &Procedure,
    input: &Input,
    most: usize,
    passes: &dyn Fn(&Input) -> bool,
) -> Input {
    let mut shrinking = Shrinking { input: input.clone(), left: most, passes };
    loop {
        let before = shrinking.input.clone();
        shrinking.objects();
        for location in locations(&shrinking.input) {
            shrinking.place(location);
        }
        shrinking.arrays();
        if shrinking.left == 0 || shrinking.input == before {
            break;
        }
    }
    let renumbered = renumbered(unit, procedure, &shrinking.input);
    shrinking.offer(renumbered);
    shrinking.input
}

struct Shrinking<'p> {
    input: Input,
    left: usize,
    passes: &'p dyn Fn(&Input) -> bool,
}

impl Shrinking<'_> {
    /// Takes the other input if it passes.
    fn offer(&mut self, other: Input) -> bool {
        if self.left == 0 || other == self.input {
            return false;
        }
        self.left -= 1;
        let passes = (self.passes)(&other);
        if passes {
            self.input = other;
        }
        passes
    }

    /// Drops objects, with all references to them.
    fn objects(&mut self) {
        let addrs: Vec<Addr> = self.input.store.heap.keys().copied().collect();
        for addr in addrs {
            let mut without = self.input.clone();
            without.store.heap.remove(&addr);
            for location in locations(&without) {
                if value(&without, location).and_then(|value| value.object()) == Some(addr) {
                    without.set(location, Value::NULL);
                }
            }
            self.offer(without);
        }
    }

    /// Makes the value of one place simpler.
    fn place(&mut self, location: Location) {
        let Some(old) = value(&self.input, location) else { return };
        let simpler: Vec<Value> = match &old {
            Value::Ref(_) => vec![Value::NULL],
            Value::Bool(_) => vec![Value::Bool(false)],
            Value::Int(n) => {
                let towards_zero = if n.sign() == num_bigint::Sign::Minus { n + 1 } else { n - 1 };
                vec![Value::from(0), Value::from(1), Value::Int(-n), Value::Int(n / 2), Value::Int(towards_zero)]
            }
        };
        for new in simpler {
            if simplicity(&new) < simplicity(&old) {
                let mut other = self.input.clone();
                other.set(location, new);
                if self.offer(other) {
                    return;
                }
            }
        }
    }

    /// Makes arrays shorter.
    fn arrays(&mut self) {
        let addrs: Vec<Addr> = self.input.store.heap.keys().copied().collect();
        for addr in addrs {
            while let Some(Kind::Array { element, length: length @ 1.. }) =
                self.input.store.heap.get(&addr).map(|object| object.kind.clone())
            {
                let mut other = self.input.clone();
                if let Some(object) = other.store.heap.get_mut(&addr) {
                    object.kind = Kind::Array { element, length: length - 1 };
                    object.slots.remove(&Slot::Cell(length - 1));
                }
                if !self.offer(other) {
                    break;
                }
            }
        }
    }
}

/// Smaller is simpler.
fn simplicity(value: &Value) -> (num_bigint::BigUint, bool) {
    match value {
        Value::Int(n) => (n.magnitude().clone(), n.sign() == num_bigint::Sign::Minus),
        Value::Bool(b) => (u8::from(*b).into(), false),
        Value::Ref(to) => (u8::from(to.is_some()).into(), false),
    }
}

/// Every place that is set.
fn locations(input: &Input) -> Vec<Location> {
    let arguments = (0..input.arguments.len()).map(Location::Argument);
    let globals = input.store.globals.keys().copied().map(Location::Global);
    let slots =
        input.store.heap.iter().flat_map(|(addr, object)| object.slots.keys().map(|slot| Location::Slot(*addr, *slot)));
    arguments.chain(globals).chain(slots).collect()
}

fn value(input: &Input, location: Location) -> Option<Value> {
    match location {
        Location::Argument(at) => input.arguments.get(at).cloned().flatten(),
        Location::Global(id) => input.store.globals.get(&id).cloned(),
        Location::Slot(addr, slot) => input.store.heap.get(&addr)?.slots.get(&slot).cloned(),
    }
}

/// The same input with objects numbered in breadth-first order from the arguments and globals; what these do not reach keeps
/// its order, and comes last.
fn renumbered(unit: &Unit, procedure: &Procedure, input: &Input) -> Input {
    let roots = input.arguments.iter().take(procedure.params).flatten().chain(input.store.globals.values());
    let mut queue: VecDeque<Addr> = roots.filter_map(Value::object).chain(input.store.heap.keys().copied()).collect();
    // What the roots reach goes before the objects that were put in line behind them.
    let reached_first = queue.len() - input.store.heap.len();
    let rest = queue.split_off(reached_first);
    let mut names: BTreeMap<Addr, Addr> = BTreeMap::new();
    for start in [queue, rest] {
        let mut queue = start;
        while let Some(addr) = queue.pop_front() {
            let Some(object) = input.store.heap.get(&addr) else { continue };
            if names.contains_key(&addr) {
                continue;
            }
            names.insert(addr, Addr(names.len() as u64 + 1));
            let slots = object.all_slots(unit).into_iter().filter_map(|slot| object.slots.get(&slot)?.object());
            queue.extend(slots);
        }
    }
    let renamed = |value: &Value| match value.object() {
        Some(addr) => names.get(&addr).copied().unwrap_or(addr).into(),
        None => value.clone(),
    };
    let object = |object: &Object| Object {
        kind: object.kind.clone(),
        slots: object.slots.iter().map(|(slot, value)| (*slot, renamed(value))).collect(),
    };
    Input {
        arguments: input.arguments.iter().map(|value| value.as_ref().map(renamed)).collect(),
        store: Store {
            globals: input.store.globals.iter().map(|(id, value)| (*id, renamed(value))).collect(),
            heap: input
                .store
                .heap
                .iter()
                .map(|(addr, o)| (names.get(addr).copied().unwrap_or(*addr), object(o)))
                .collect(),
        },
    }
}
