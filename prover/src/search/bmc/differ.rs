//! What it is for two outcomes to differ, as a term.
//!
//! In: an outcome of each version, from one store. Out: a condition that, where it holds, makes it likely that a caller sees
//! a difference. It is about how the two end, results and globals, objects that existed on entry, and the first fields of
//! new ones.
//!
//! Invariant: only a proposal; what it misses is not found here, and what it says too much is not believed.

use crate::budget::bmc::MAX_COMPARED_DEPTH;
use crate::lower::Lowered;
use kernel::exec::state::Outcome;
use smt::arena::Arena;
use smt::heap::{HeapId, HeapNode};
use smt::term::{AllocClass, Ending, Selector, Sort, Term};
use std::collections::BTreeSet;

/// The condition under which two outcomes differ.
pub(super) fn outcomes(arena: &mut Arena, unit: &Lowered, left: &Outcome, right: &Outcome) -> Term {
    if left.ending != right.ending {
        return arena.terms.bool(true);
    }
    if left.ending != Ending::Normal {
        return arena.terms.bool(false);
    }
    let fields = kernel::effects::every_selector(unit.as_unit())
        .into_iter()
        .filter(|s| matches!(s, Selector::Field(_)))
        .collect();
    let mut differ = Differ { arena, fields, heaps: [left.heap, right.heap], ways: Vec::new() };
    let ends = left.results.iter().chain(&left.globals).zip(right.results.iter().chain(&right.globals));
    for (&a, &b) in ends {
        differ.values(a, b, MAX_COMPARED_DEPTH, &[]);
    }
    differ.old_objects();
    let ways = differ.ways;
    arena.terms.or(&ways)
}

struct Differ<'w> {
    arena: &'w mut Arena,
    fields: Vec<Selector>,
    heaps: [HeapId; 2],
    ways: Vec<Term>,
}

impl Differ<'_> {
    /// Adds the ways in which two values differ where `guard` holds.
    fn values(&mut self, a: Term, b: Term, depth: usize, guard: &[Term]) {
        let terms = &mut self.arena.terms;
        if terms.sort(a) != Sort::Ref {
            let same = terms.eq(a, b);
            let other = terms.not(same);
            return self.way(guard, other);
        }
        let null = terms.null();
        let [a_null, b_null] = [a, b].map(|value| terms.eq(value, null));
        let [a_old, b_old] = [a, b].map(|value| terms.born(value, AllocClass::OLD));
        for (x, y) in [(a_null, b_null), (a_old, b_old)] {
            let same = self.arena.terms.eq(x, y);
            let other = self.arena.terms.not(same);
            self.way(guard, other);
        }
        let terms = &mut self.arena.terms;
        let same = terms.eq(a, b);
        let other = terms.not(same);
        let apart = terms.and(&[a_old, b_old, other]);
        self.way(guard, apart);
        if depth == 0 || (self.heaps[0] == self.heaps[1] && a == b) {
            return;
        }
        let terms = &mut self.arena.terms;
        let objects = [a_null, b_null].map(|is_null| terms.not(is_null));
        let guard: Vec<Term> = guard.iter().copied().chain(objects).collect();
        for selector in self.fields.clone() {
            let [x, y] = self.read(selector, [a, b], None);
            self.values(x, y, depth - 1, &guard);
        }
    }

    fn read(&mut self, selector: Selector, objects: [Term; 2], index: Option<Term>) -> [Term; 2] {
        let mut side =
            |at: usize| self.arena.heaps.read(&mut self.arena.terms, self.heaps[at], selector, objects[at], index);
        [side(0), side(1)]
    }

    fn way(&mut self, guard: &[Term], condition: Term) {
        let all: Vec<Term> = guard.iter().copied().chain([condition]).collect();
        let way = self.arena.terms.and(&all);
        if !self.arena.terms.is_false(way) {
            self.ways.push(way);
        }
    }

    /// The places of objects that existed on entry and that either side wrote.
    fn old_objects(&mut self) {
        let mut places = BTreeSet::new();
        for heap in self.heaps {
            for node in self.arena.heaps.history(heap) {
                if let HeapNode::Store { selector, object, index, .. } = node {
                    places.insert((selector, object, index));
                }
            }
        }
        for (selector, object, index) in places {
            let old = self.arena.terms.born(object, AllocClass::OLD);
            let [a, b] = self.read(selector, [object, object], index);
            self.values(a, b, 0, &[old]);
        }
    }
}
