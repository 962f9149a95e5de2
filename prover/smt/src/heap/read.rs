//! What is read from a heap.
//!
//! In: a heap and a place in it. Out: the value there as a term: a write that surely hits gives what was written; one that may hit
//! gives a choice between that and what was there before.
//!
//! Invariant: the walk goes towards the heap on entry and remembers each answer, so shared parts are walked once.

use super::{HeapId, HeapNode, Heaps, Left};
use crate::stop;
use crate::term::{AllocClass, CallId, Func, Kind, Node, Origin, Selector, Sort, Term, Terms};

/// A proof with more reads than this is given up.
const MAX_READS: usize = 6_000_000;

/// A field of an object, or a cell of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    selector: Selector,
    object: Term,
    /// The index, for cells.
    index: Option<Term>,
}

impl Place {
    /// What a selector is applied to.
    fn args(&self) -> Vec<Term> {
        std::iter::once(self.object).chain(self.index).collect()
    }
}

/// Whether a write to one place is seen at another.
fn same_place(terms: &mut Terms, read: Place, written: Place) -> Term {
    if read.selector != written.selector {
        return terms.bool(false);
    }
    let same = terms.eq(read.object, written.object);
    match (read.index, written.index) {
        (Some(index), Some(at)) => {
            let same_index = terms.eq(index, at);
            terms.and(&[same, same_index])
        }
        _ => same,
    }
}

impl Heaps {
    /// The value of `object.selector` (of cell `index`). The object must not be null where the value matters.
    pub fn read(
        &mut self,
        terms: &mut Terms,
        heap: HeapId,
        selector: Selector,
        object: Term,
        index: Option<Term>,
    ) -> Term {
        self.read_at(terms, heap, Place { selector, object, index })
    }

    fn read_at(&mut self, terms: &mut Terms, heap: HeapId, place: Place) -> Term {
        if let Some(&value) = self.reads.get(&(heap, place)) {
            return value;
        }
        stop::check();
        if self.reads.len() >= MAX_READS {
            stop::too_large();
        }
        // Writes elsewhere are passed over without a word: long runs of them would fill the memory.
        let near = self.before_others(heap, place.selector);
        if near != heap {
            let value = self.read_at(terms, near, place);
            self.reads.insert((heap, place), value);
            return value;
        }
        let value = match self.node(heap).clone() {
            HeapNode::Initial => self.read_initial(terms, place),
            HeapNode::Store { prev, selector, object, index, value } => {
                let hit = same_place(terms, place, Place { selector, object, index });
                self.choose(terms, hit, |_, _| value, (prev, place))
            }
            HeapNode::Call { prev, left, .. } if left.kept.contains(&place.selector) => {
                self.read_at(terms, prev, place)
            }
            HeapNode::Call { prev, call, left } => {
                let hit = self.may_change(terms, call, place.selector, place.object);
                let hit = self.changed(terms, (call, hit), place, (&left, prev));
                let sort = self.sort(place.selector);
                let after =
                    |terms: &mut Terms, args: &[Term]| terms.app(Func::Effect(call, place.selector), args, sort);
                self.choose(terms, hit, after, (prev, place))
            }
            HeapNode::Fill { prev, fill } => {
                let before = self.read_at(terms, prev, place);
                match place.index {
                    Some(index) if place.selector == fill.selector => {
                        let same = terms.eq(place.object, fill.array);
                        // Rule *Defaults*: null has none but default values, whatever cells are said to be filled.
                        let null = terms.null();
                        let none = terms.eq(fill.array, null);
                        let there = terms.not(none);
                        let (low, high) = (terms.le(fill.from, index), terms.lt(index, fill.to));
                        let hit = terms.and(&[there, same, low, high]);
                        let value = terms.instance(fill.index, fill.value, index);
                        terms.ite(hit, value, before)
                    }
                    _ => before,
                }
            }
            HeapNode::Join { cond, then, els } => {
                let then = self.read_at(terms, then, place);
                let els = self.read_at(terms, els, place);
                terms.ite(cond, then, els)
            }
        };
        self.reads.insert((heap, place), value);
        value
    }

    /// The heap before the last writes, as far as these are of other selectors. A choice is passed over as well where both of its
    /// heaps come from one in that way.
    fn before_others(&mut self, heap: HeapId, wanted: Selector) -> HeapId {
        let mut at = heap;
        loop {
            at = match self.node(at) {
                HeapNode::Store { prev, selector, .. } if *selector != wanted => *prev,
                &HeapNode::Join { then, els, .. } => match self.before_choice(at, [then, els], wanted) {
                    before if before == at => return at,
                    before => before,
                },
                _ => return at,
            };
        }
    }

    /// The same for a choice, remembered.
    fn before_choice(&mut self, choice: HeapId, of: [HeapId; 2], wanted: Selector) -> HeapId {
        if let Some(&before) = self.before.get(&(choice, wanted)) {
            return before;
        }
        let [then, els] = of.map(|heap| self.before_others(heap, wanted));
        let before = if then == els { then } else { choice };
        self.before.insert((choice, wanted), before);
        before
    }

    /// What was written there if `hit` holds, made from the object and the index; else what the heap before holds.
    fn choose(
        &mut self,
        terms: &mut Terms,
        hit: Term,
        written: impl FnOnce(&mut Terms, &[Term]) -> Term,
        (prev, place): (HeapId, Place),
    ) -> Term {
        if terms.is_false(hit) {
            return self.read_at(terms, prev, place);
        }
        let written = written(terms, &place.args());
        if terms.is_true(hit) {
            return written;
        }
        let before = self.read_at(terms, prev, place);
        terms.ite(hit, written, before)
    }

    fn read_initial(&mut self, terms: &mut Terms, place: Place) -> Term {
        let sort = self.sort(place.selector);
        if !terms.allocs(place.object).contains(AllocClass::OLD) {
            return terms.default_of(sort);
        }
        if let Node::Ite(cond, then, els) = *terms.node(place.object) {
            // By way of `read_at`, which remembers: choices share their parts, and as a tree they can be exponentially large.
            let initial = self.initial();
            let then = self.read_at(terms, initial, Place { object: then, ..place });
            let els = self.read_at(terms, initial, Place { object: els, ..place });
            return terms.ite(cond, then, els);
        }
        terms.app(Func::Initial(place.selector), &place.args(), sort)
    }

    /// Rule *Frame*: a call changes a selector it may write, of an object that is its own, or that its `modifies` names and may have such a place, or,
    /// without `modifies`, that its arguments reach.
    pub fn may_change(&mut self, terms: &mut Terms, call: CallId, selector: Selector, object: Term) -> Term {
        let footprint = &self.footprints[&call];
        if !footprint.writes.contains(&selector) {
            return terms.bool(false);
        }
        let fresh = terms.reach(call).fresh;
        let own = terms.born(object, fresh);
        match footprint.modifies.clone() {
            None => {
                let inside = terms.in_region(call, object);
                terms.or(&[own, inside])
            }
            Some(places) => {
                let mut cases = vec![own];
                for (place, _) in places.into_iter().filter(|(_, members)| members.may_hold(selector)) {
                    cases.push(terms.eq(object, place));
                }
                terms.or(&cases)
            }
        }
    }

    /// Rule *Only if*: what `hit` allows a call to change, where more is known of what it leaves, in the heap before.
    fn changed(
        &mut self,
        terms: &mut Terms,
        (call, hit): (CallId, Term),
        place: Place,
        (left, before): (&Left, HeapId),
    ) -> Term {
        if left.is_empty() || terms.is_false(hit) {
            return hit;
        }
        let fresh = terms.reach(call).fresh;
        let own = terms.born(place.object, fresh);
        let allowed = left.allows(self, terms, before, (place.selector, place.object));
        let allowed = terms.or(&[own, allowed]);
        terms.and(&[hit, allowed])
    }

    /// The length of an array.
    pub fn length(&mut self, terms: &mut Terms, array: Term) -> Term {
        if let Some(alloc) = terms.allocs(array).single()
            && let Origin::New(Kind::Array(_, length)) = terms.origin(alloc)
        {
            return *length;
        }
        if let Node::Ite(cond, then, els) = *terms.node(array) {
            if let Some(&length) = self.lengths.get(&array) {
                return length;
            }
            let then = self.length(terms, then);
            let els = self.length(terms, els);
            let length = terms.ite(cond, then, els);
            self.lengths.insert(array, length);
            return length;
        }
        terms.app(Func::Length, &[array], Sort::Int)
    }
}
