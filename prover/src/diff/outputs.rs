//! What a caller can see of two outcomes, value beside value.
//!
//! In: two outcomes that return, from one store. Out: an [`Output`] for each result, each global, and each place of an object
//! that existed on entry and that either of them wrote.
//!
//! Invariant: where the condition [`Output::differ`] holds, no bijection makes the two final stores isomorphic.

use crate::lower::Lowered;
use kernel::effects::every_selector;
use kernel::exec::state::Outcome;
use smt::arena::Arena;
use smt::heap::{HeapId, HeapNode};
use smt::term::{AllocClass, AllocSet, Node, Selector, Sort, Term};
use std::collections::BTreeSet;

/// Where a value is that a caller can see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A result, by its number.
    Result(usize),
    /// A global, by its number.
    Global(usize),
    /// A field or cell of an object that existed on entry.
    Slot(Selector, Term, Option<Term>),
}

/// A value in both versions.
#[derive(Clone, Debug)]
pub(super) struct Output {
    /// Where it is.
    pub(super) place: Place,
    /// What each version leaves there.
    pub(super) values: [Term; 2],
    /// A condition under which the two are seen to differ.
    pub(super) differ: Term,
}

/// All outputs of two outcomes that return.
pub(super) fn outputs(arena: &mut Arena, unit: &Lowered, left: &Outcome, right: &Outcome) -> Vec<Output> {
    let mut found = Vec::new();
    let results = left.results.iter().zip(&right.results).enumerate();
    for (at, (&a, &b)) in results {
        let differ = differ(arena, (unit, [left, right]), [a, b], 1);
        found.push(Output { place: Place::Result(at), values: [a, b], differ });
    }
    let globals = left.globals.iter().zip(&right.globals).enumerate();
    for (at, (&a, &b)) in globals {
        let differ = differ(arena, (unit, [left, right]), [a, b], 1);
        found.push(Output { place: Place::Global(at), values: [a, b], differ });
    }
    for (selector, object, index) in written(arena, [left, right]) {
        let old = existed(arena, object);
        if arena.terms.is_false(old) {
            continue;
        }
        let [a, b] = [left, right].map(|side| arena.heaps.read(&mut arena.terms, side.heap, selector, object, index));
        let differ = differ(arena, (unit, [left, right]), [a, b], 0);
        let differ = arena.terms.and(&[old, differ]);
        found.push(Output { place: Place::Slot(selector, object, index), values: [a, b], differ });
    }
    found
}

/// What an outcome leaves where it wrote to an object that existed on entry.
pub(super) fn slots(arena: &mut Arena, outcome: &Outcome) -> Vec<(Place, Term)> {
    let mut found = Vec::new();
    for (selector, object, index) in written(arena, [outcome, outcome]) {
        let old = existed(arena, object);
        let initial = arena.heaps.initial();
        let [before, after] =
            [initial, outcome.heap].map(|heap| arena.heaps.read(&mut arena.terms, heap, selector, object, index));
        if !arena.terms.is_false(old) && before != after {
            found.push((Place::Slot(selector, object, index), after));
        }
    }
    found
}

/// What was written otherwise than by stores: by loops that were taken at once, and by calls.
pub(super) fn written_at_once(arena: &Arena, heap: HeapId) -> BTreeSet<Selector> {
    let of = |node: HeapNode| match node {
        HeapNode::Fill { fill, .. } => vec![fill.selector],
        HeapNode::Call { call, .. } => arena.heaps.footprint(call).writes.iter().copied().collect(),
        HeapNode::Initial | HeapNode::Store { .. } | HeapNode::Join { .. } => Vec::new(),
    };
    arena.heaps.history(heap).into_iter().flat_map(of).collect()
}

/// The places that either side wrote.
pub(super) fn written(arena: &Arena, sides: [&Outcome; 2]) -> BTreeSet<(Selector, Term, Option<Term>)> {
    let mut places = BTreeSet::new();
    for side in sides {
        for node in arena.heaps.history(side.heap) {
            if let HeapNode::Store { selector, object, index, .. } = node {
                places.insert((selector, object, index));
            }
        }
    }
    places
}

/// A condition under which two values cannot correspond. References do not when one alone is null, or existed on entry; when
/// both did and are not the same; or when a number in the objects, so many fields away, differs.
fn differ(arena: &mut Arena, (unit, sides): (&Lowered, [&Outcome; 2]), [a, b]: [Term; 2], depth: usize) -> Term {
    let same = arena.terms.eq(a, b);
    let other = arena.terms.not(same);
    if arena.terms.sort(a) != Sort::Ref || arena.terms.is_false(other) {
        return other;
    }
    let old = [a, b].map(|value| existed(arena, value));
    let terms = &mut arena.terms;
    let null = terms.null();
    let nulls = [a, b].map(|value| terms.eq(value, null));
    let mut ways = Vec::new();
    for [x, y] in [nulls, old] {
        let alike = terms.eq(x, y);
        ways.push(terms.not(alike));
    }
    ways.push(terms.and(&[old[0], old[1], other]));
    if depth > 0 {
        let objects = nulls.map(|is_null| terms.not(is_null));
        for selector in every_selector(unit.as_unit()) {
            if matches!(selector, Selector::Field(_)) {
                let values = [(sides[0].heap, a), (sides[1].heap, b)]
                    .map(|(heap, object)| arena.heaps.read(&mut arena.terms, heap, selector, object, None));
                let inside = differ(arena, (unit, sides), values, depth - 1);
                ways.push(arena.terms.and(&[objects[0], objects[1], inside]));
            }
        }
    }
    arena.terms.or(&ways)
}

/// Whether a reference is to an object that existed on entry. One from the store on entry is, unless it is null.
fn existed(arena: &mut Arena, reference: Term) -> Term {
    if let Node::Ite(cond, then, els) = *arena.terms.node(reference) {
        let [then, els] = [then, els].map(|side| existed(arena, side));
        return arena.terms.ite(cond, then, els);
    }
    if arena.terms.allocs(reference).is_subset(&AllocSet::entry()) {
        let null = arena.terms.null();
        let is_null = arena.terms.eq(reference, null);
        return arena.terms.not(is_null);
    }
    arena.terms.born(reference, AllocClass::OLD)
}
