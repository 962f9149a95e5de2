//! When two final stores are the same to a caller: section 5 of the language reference.
//!
//! In: two stores and the roots a caller can see. Out: the bijection between their objects, or the first place they differ.
//!
//! Objects reachable from named roots through named fields leave no choice: the bijection is forced, so one walk over both
//! stores at once finds it or finds the difference. The same walk tells [`crate::interp`] that a run has come back to a
//! state it was in.
//!
//! Invariant: never looks at what no root reaches.

use crate::heap::value::{Addr, Slot, Value};
use crate::heap::{Input, Kind, Object, ObjectView, Store, View, slot_type};
use crate::hir::{GlobalId, Unit};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How an execution that ended normally left things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Final {
    /// The store.
    pub store: Store,
    /// The results.
    pub results: Vec<Value>,
}

/// Where a path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Root {
    /// The argument at this position, with the value it had on entry.
    Argument(usize),
    /// A global.
    Global(GlobalId),
    /// The result at this position.
    Result(usize),
    /// An object that existed on entry.
    Object(Addr),
}

/// A way to a value, such as `x.next.val`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it starts.
    pub root: Root,
    /// What it follows from there.
    pub slots: Vec<Slot>,
}

/// The first place where two outcomes differ, with what each has there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place.
    pub path: Path,
    /// Its value on the left.
    pub left: Value,
    /// Its value on the right.
    pub right: Value,
    /// In what they differ.
    pub why: Why,
}

/// In what two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// They are different numbers, booleans, or objects of the caller, or one is null or an object of the caller.
    Value,
    /// They are objects of different sorts.
    Kind(Kind, Kind),
    /// They are objects that were met before, each where it is said, and not both at the same place.
    Sharing {
        /// The way on which the left one was met before.
        left: Option<Path>,
        /// The way on which the right one was met before.
        right: Option<Path>,
    },
}

/// Compares two final stores of runs from `input`, nothing in which may be left unset that either run has read. Of the objects that existed
/// on entry the bijection has those that a root leads to by what was written; the others correspond to themselves.
///
/// # Errors
/// The first place they differ, in breadth-first order from the arguments, the globals, the results, and then all other
/// objects that existed on entry.
pub fn same_outcome(
    unit: &Unit,
    left: &Final,
    right: &Final,
    input: &Input,
) -> Result<BTreeMap<Addr, Addr>, Box<Difference>> {
    let base = &input.store;
    let existed = |addr: Addr| base.heap.contains_key(&addr);
    let view = |store| View { unit, store, base };
    let mut walk = Walk::new(view(&left.store), view(&right.store), &existed, Unset::IsDefault);

    let argument_objects = input.arguments.iter().enumerate().filter_map(|(at, value)| match value {
        Some(Value::Ref(Some(addr))) => Some((Root::Argument(at), Value::from(*addr), Value::from(*addr))),
        _ => None,
    });
    let globals = (0..unit.globals.len()).map(|at| GlobalId(u32::try_from(at).unwrap_or(u32::MAX))).map(|at| {
        let value = |store: &Store| store.over_global(base, unit, at);
        (Root::Global(at), value(&left.store), value(&right.store))
    });
    let results = left
        .results
        .iter()
        .zip(&right.results)
        .enumerate()
        .map(|(at, (l, r))| (Root::Result(at), l.clone(), r.clone()));
    // What neither has written holds the same in both, and leads to what existed on entry.
    let written = left.store.heap.keys().chain(right.store.heap.keys()).filter(|addr| existed(**addr));
    let written: BTreeSet<Addr> = written.copied().collect();
    let others = written.into_iter().map(|addr| (Root::Object(addr), Value::from(addr), Value::from(addr)));

    for (root, l, r) in argument_objects.chain(globals).chain(results).chain(others) {
        if !walk.pair(From::Root(root), Some(&l), Some(&r)) {
            return Err(walk.difference(From::Root(root), l, r));
        }
    }
    match walk.run(u64::MAX) {
        Walked::Same => Ok(walk.forward.into_iter().collect()),
        Walked::Differ { from, left, right } => Err(walk.difference(from, left, right)),
        Walked::OutOfFuel => unreachable!("the walk of finite stores ends before so much fuel is used"),
    }
}

/// Whether the two stores are isomorphic as seen from pairs of `roots`, where `fixed` objects correspond to themselves alone. Unset
/// places correspond to themselves alone. `None` when `fuel`, which counts slots looked at, ran out.
pub(crate) fn isomorphic<'a>(
    (left, right): (View<'a>, View<'a>),
    roots: impl Iterator<Item = (Option<&'a Value>, Option<&'a Value>)>,
    fixed: &dyn Fn(Addr) -> bool,
    fuel: &mut u64,
) -> Option<bool> {
    let mut walk = Walk::new(left, right, fixed, Unset::IsItself);
    for (at, (l, r)) in roots.enumerate() {
        if !walk.pair(From::Root(Root::Argument(at)), l, r) {
            return Some(false);
        }
    }
    for at in (0..left.unit.globals.len()).map(|at| GlobalId(u32::try_from(at).unwrap_or(u32::MAX))) {
        if !walk.pair(From::Root(Root::Global(at)), left.global(at).as_ref(), right.global(at).as_ref()) {
            return Some(false);
        }
    }
    let walked = walk.run(*fuel);
    *fuel = fuel.saturating_sub(walk.used);
    match walked {
        Walked::Same => Some(true),
        Walked::Differ { .. } => Some(false),
        Walked::OutOfFuel => None,
    }
}

impl Store {
    fn over_global(&self, base: &Store, unit: &Unit, global: GlobalId) -> Value {
        self.globals.get(&global).cloned().unwrap_or_else(|| base.global(unit, global))
    }
}

/// What a place that is unset in the initial store counts as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unset {
    /// Its default.
    IsDefault,
    /// A value of its own, equal to itself alone.
    IsItself,
}

#[derive(Clone, Copy)]
enum From {
    Root(Root),
    /// A slot of the objects visited at this position.
    Slot(usize, Slot),
}

struct Visit {
    left: Addr,
    right: Addr,
    from: From,
}

enum Walked {
    Same,
    Differ { from: From, left: Value, right: Value },
    OutOfFuel,
}

/// A breadth-first walk over two stores at once.
struct Walk<'a> {
    left: View<'a>,
    right: View<'a>,
    fixed: &'a dyn Fn(Addr) -> bool,
    unset: Unset,
    forward: FxHashMap<Addr, Addr>,
    backward: FxHashMap<Addr, Addr>,
    /// All pairs found, in order; those from `next` on are still to be looked into.
    visits: Vec<Visit>,
    next: usize,
    used: u64,
}

impl<'a> Walk<'a> {
    fn new<'b: 'a>(left: View<'a>, right: View<'a>, fixed: &'b dyn Fn(Addr) -> bool, unset: Unset) -> Self {
        let (forward, backward) = (FxHashMap::default(), FxHashMap::default());
        Walk { left, right, fixed, unset, forward, backward, visits: Vec::new(), next: 0, used: 0 }
    }

    /// Whether the two values can correspond; objects not met before are made to, and put in line.
    fn pair(&mut self, from: From, left: Option<&Value>, right: Option<&Value>) -> bool {
        let (left, right) = match (left, right) {
            (Some(Value::Ref(Some(left))), Some(Value::Ref(Some(right)))) => (*left, *right),
            (left, right) => return left == right,
        };
        match (self.forward.get(&left), self.backward.get(&right)) {
            (None, None) => {
                if left != right && ((self.fixed)(left) || (self.fixed)(right)) {
                    return false;
                }
                self.forward.insert(left, right);
                self.backward.insert(right, left);
                self.visits.push(Visit { left, right, from });
                true
            }
            (known, _) => known == Some(&right),
        }
    }

    /// Looks into every pair of objects in line.
    fn run(&mut self, fuel: u64) -> Walked {
        let mut slots = Vec::new();
        while let Some(visit) = self.visits.get(self.next) {
            let (at, left, right, from) = (self.next, visit.left, visit.right, visit.from);
            self.next += 1;
            let objects = (self.left.object(left), self.right.object(right));
            let kinds = (objects.0.kind(), objects.1.kind());
            let (Some(kind), true) = (kinds.0, kinds.0 == kinds.1) else {
                return Walked::Differ { from, left: left.into(), right: right.into() };
            };
            // Both hold the same there. What it leads to existed on entry, and is in line by itself where one has written it.
            if self.unset == Unset::IsDefault && !objects.0.is_written() && !objects.1.is_written() {
                continue;
            }
            self.slots(&mut slots, (left, right), objects, kind);
            for &slot in &slots {
                self.used += 1;
                if self.used > fuel {
                    return Walked::OutOfFuel;
                }
                let (l, r) = (objects.0.slot(slot), objects.1.slot(slot));
                if l.is_none() && r.is_none() && left == right {
                    continue;
                }
                let default = || Value::default_of(slot_type(self.left.unit, kind, slot));
                let (l, r) = match self.unset {
                    Unset::IsDefault => (l.or_else(|| Some(default())), r.or_else(|| Some(default()))),
                    Unset::IsItself if l.is_none() || r.is_none() => {
                        return Walked::Differ { from: From::Slot(at, slot), left: default(), right: default() };
                    }
                    Unset::IsItself => (l, r),
                };
                if !self.pair(From::Slot(at, slot), l.as_ref(), r.as_ref()) {
                    let (left, right) = (l.unwrap_or_else(default), r.unwrap_or_else(default));
                    return Walked::Differ { from: From::Slot(at, slot), left, right };
                }
            }
        }
        Walked::Same
    }

    /// The slots in which two objects of the same kind may differ, in order.
    fn slots(
        &self,
        slots: &mut Vec<Slot>,
        (left, right): (Addr, Addr),
        objects: (ObjectView<'a>, ObjectView<'a>),
        kind: &Kind,
    ) {
        slots.clear();
        let initial = |addr| self.left.base.heap.contains_key(&addr);
        if self.unset == Unset::IsItself && left != right && (initial(left) || initial(right)) {
            slots.extend(Object::new(kind.clone()).all_slots(self.left.unit));
            return;
        }
        slots.extend(objects.0.set_slots().chain(objects.1.set_slots()));
        slots.sort_unstable();
        slots.dedup();
    }

    fn difference(&self, from: From, left: Value, right: Value) -> Box<Difference> {
        let why = match (left.object(), right.object()) {
            (Some(l), Some(r)) if !(self.fixed)(l) && !(self.fixed)(r) => match (self.left.kind(l), self.right.kind(r))
            {
                (Some(l), Some(r)) if l != r => Why::Kind(l.clone(), r.clone()),
                _ => {
                    let met = |same: &dyn Fn(&Visit) -> bool| self.visits.iter().find(|visit| same(visit));
                    let way = |visit: &Visit| self.path(visit.from);
                    let (left, right) = (met(&|visit| visit.left == l), met(&|visit| visit.right == r));
                    Why::Sharing { left: left.map(way), right: right.map(way) }
                }
            },
            _ => Why::Value,
        };
        Box::new(Difference { path: self.path(from), left, right, why })
    }

    fn path(&self, mut from: From) -> Path {
        let mut slots = Vec::new();
        loop {
            match from {
                From::Slot(at, slot) => {
                    slots.push(slot);
                    from = self.visits[at].from;
                }
                From::Root(root) => {
                    slots.reverse();
                    return Path { root, slots };
                }
            }
        }
    }
}
