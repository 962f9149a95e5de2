//! Makes an input smaller for as long as it still shows what it shows.
//!
//! In: an input, and the test that it must keep passing. Out: an input that passes, with fewer objects, more `null`, smaller
//! numbers, and objects numbered from 1 in the order in which they are met.
//!
//! Invariant: every step passes the test.

use lang_l::heap::{Input, Kind};
use lang_l::hir::{Procedure, Unit};
use lang_l::naming::{renamed, renamed_value};
use lang_l::value::{Addr, Location, Slot, Value};
use num_bigint::{BigInt, Sign};
use smt::stop;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
        shrinking.links();
        shrinking.numbers();
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
        // What was found is not given up because there is no time to make it smaller.
        if self.left == 0 || other == self.input || stop::fired().is_some() {
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

    /// Drops objects of which what they refer to can take the place: a list loses a node, a tree a level.
    fn links(&mut self) {
        let addrs: Vec<Addr> = self.input.store.heap.keys().copied().collect();
        for addr in addrs {
            let Some(object) = self.input.store.heap.get(&addr).cloned() else { continue };
            let targets: BTreeSet<Addr> = object.slots.values().filter_map(Value::object).collect();
            for target in targets.into_iter().filter(|target| *target != addr) {
                let mut without = self.input.clone();
                without.store.heap.remove(&addr);
                // Another kind of object may not fit, which the test finds.
                let heir = BTreeMap::from([(addr, target)]);
                let value = |value: &Option<Value>| value.as_ref().map(|value| renamed_value(value, &heir));
                without.arguments = without.arguments.iter().map(value).collect();
                without.store = renamed(&without.store, &heir);
                if self.offer(without) {
                    break;
                }
            }
        }
    }

    /// Makes a number simpler wherever it stands, all at once: what must be equal stays equal.
    fn numbers(&mut self) {
        let held = |input: &Input| -> BTreeSet<BigInt> {
            let values = locations(input).into_iter().filter_map(|location| value(input, location));
            values.filter_map(|value| if let Value::Int(n) = value { Some(n) } else { None }).collect()
        };
        for old in held(&self.input) {
            for new in simpler_numbers(&old) {
                let mut other = self.input.clone();
                for location in locations(&self.input) {
                    if value(&self.input, location) == Some(Value::Int(old.clone())) {
                        other.set(location, Value::Int(new.clone()));
                    }
                }
                if self.offer(other) {
                    break;
                }
            }
        }
    }

    /// Makes the value of one place simpler.
    fn place(&mut self, location: Location) {
        let Some(old) = value(&self.input, location) else { return };
        let simpler: Vec<Value> = match &old {
            Value::Ref(None) | Value::Bool(false) => Vec::new(),
            Value::Ref(Some(_)) => vec![Value::NULL],
            Value::Bool(true) => vec![Value::Bool(false)],
            Value::Int(n) => simpler_numbers(n).into_iter().map(Value::Int).collect(),
        };
        for new in simpler {
            let mut other = self.input.clone();
            other.set(location, new);
            if self.offer(other) {
                return;
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

/// Numbers nearer to 0, the nearest first, and the positive one of two that are as near. The last is the next one: when no
/// other will do, the number is as small as it can be by itself.
fn simpler_numbers(n: &BigInt) -> Vec<BigInt> {
    let mut simpler = Vec::new();
    if n.sign() == Sign::Minus {
        simpler.push(-n);
    }
    let mut less = n.clone();
    while less.sign() != Sign::NoSign {
        simpler.push(n - &less);
        less /= 2;
    }
    simpler
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
    let value = |value: &Option<Value>| value.as_ref().map(|value| renamed_value(value, &names));
    Input { arguments: input.arguments.iter().map(value).collect(), store: renamed(&input.store, &names) }
}
