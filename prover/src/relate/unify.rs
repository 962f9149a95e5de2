//! Guided correspondence: two executions in lock step from given roots.
//!
//! Heaps reached from named roots through named fields have at most one isomorphism, so it need not be guessed. Where both
//! sides hold a new object at the same place, those two correspond, and then what they point to does. The only freedom left
//! is aliasing that the path does not decide. Such a condition is handed back as a proposal to split.
//!
//! Invariant: unification only proposes. Nothing it says is believed before [`kernel::relate`] has proved it.

use kernel::relate::{Correspondence, same_class};
use rustc_hash::FxHashSet as HashSet;
use smt::arena::Arena;
use smt::heap::{HeapId, HeapNode};
use smt::term::{AllocClass, Func, Node, PathFacts, Selector, Sort, Term};
use std::collections::BTreeSet;

/// One walk through both heaps. The right side is in the names of the alignment it started from.
pub(super) struct Unifier<'a> {
    pub(super) arena: &'a mut Arena,
    pub(super) known: &'a PathFacts,
    /// Grows as the walk goes.
    pub(super) alignment: Correspondence,
    /// Births that the alignment the walk started from has given to the right side already.
    pub(super) named: BTreeSet<AllocClass>,
    pub(super) heaps: [HeapId; 2],
    pub(super) selectors: BTreeSet<Selector>,
    /// Open conditions met, with the side whose terms they are.
    pub(super) splits: Vec<(usize, Term)>,
    /// Right allocs (original names) by the name the walk sees.
    pub(super) seen: HashSet<(Term, Term)>,
}

impl Unifier<'_> {
    /// Walks from one pair of values.
    pub(super) fn unify(&mut self, left: Term, right: Term) {
        let mut work = vec![(left, right)];
        while let Some((left, right)) = work.pop() {
            let left = self.arena.terms.simplify(left, self.known);
            let right = self.arena.terms.simplify(right, self.known);
            if !self.seen.insert((left, right)) {
                continue;
            }
            self.step(left, right, &mut work);
        }
    }

    fn step(&mut self, left: Term, right: Term, work: &mut Vec<(Term, Term)>) {
        let (a, b) = (self.arena.terms.node(left).clone(), self.arena.terms.node(right).clone());
        match (a, b) {
            (Node::App(Func::New(mine), _), Node::App(Func::New(theirs), _)) => {
                if mine != theirs
                    && !((faults::planted("relate/class-ignored") || same_class(self.arena, mine, theirs))
                        && self.bind(theirs, mine))
                {
                    return;
                }
                self.contents(left, right, work);
            }
            (Node::App(f, xs), Node::App(g, ys)) if xs.len() == ys.len() && same_shape(f, g) => {
                work.extend(xs.iter().copied().zip(ys.iter().copied()));
            }
            (Node::Ite(c, x1, x2), Node::Ite(d, y1, y2)) => {
                self.splits.push((0, c));
                if c == d {
                    work.extend([(x2, y2), (x1, y1)]);
                } else {
                    self.splits.push((1, d));
                    work.extend([(x2, y2), (x1, y1)]);
                }
            }
            (Node::Ite(c, ..), _) => self.splits.push((0, c)),
            (_, Node::Ite(d, ..)) => self.splits.push((1, d)),
            _ => {}
        }
    }

    fn bind(&mut self, theirs: AllocClass, mine: AllocClass) -> bool {
        // A name the right side has been given already stands for an aligned object.
        (faults::planted("relate/name-given-twice") || !self.named.contains(&theirs))
            && self.alignment.bind(theirs, mine)
    }

    fn contents(&mut self, left: Term, right: Term, work: &mut Vec<(Term, Term)>) {
        for selector in self.selectors.clone() {
            if matches!(selector, Selector::Cell(_)) || self.arena.heaps.sort(selector) != Sort::Ref {
                continue;
            }
            let mine = self.arena.heaps.read(&mut self.arena.terms, self.heaps[0], selector, left, None);
            let theirs = self.arena.heaps.read(&mut self.arena.terms, self.heaps[1], selector, right, None);
            work.push((mine, theirs));
        }
        self.cells(left, right, work);
    }

    /// Cells of two arrays at the indexes that were written.
    fn cells(&mut self, left: Term, right: Term, work: &mut Vec<(Term, Term)>) {
        for (_, index) in self.written(left, right) {
            let selector = Selector::Cell(Sort::Ref);
            let mine = self.arena.heaps.read(&mut self.arena.terms, self.heaps[0], selector, left, Some(index));
            let theirs = self.arena.heaps.read(&mut self.arena.terms, self.heaps[1], selector, right, Some(index));
            work.push((mine, theirs));
        }
    }

    fn written(&mut self, left: Term, right: Term) -> BTreeSet<(Selector, Term)> {
        let mut found = BTreeSet::new();
        for (heap, array) in self.heaps.into_iter().zip([left, right]) {
            for node in self.arena.heaps.history(heap) {
                if let HeapNode::Store {
                    selector: selector @ Selector::Cell(Sort::Ref),
                    object,
                    index: Some(index),
                    ..
                } = node
                    && object == array
                {
                    found.insert((selector, index));
                }
            }
        }
        found
    }

    /// Walks from every place of old objects that either side wrote, in the fields that are followed.
    pub(super) fn unify_writes(&mut self) {
        let mut places = BTreeSet::new();
        for heap in self.heaps {
            for node in self.arena.heaps.history(heap) {
                if let HeapNode::Store { selector, object, index, .. } = node
                    && self.selectors.contains(&selector)
                    && self.arena.heaps.sort(selector) == Sort::Ref
                    && !matches!(self.arena.terms.node(object), Node::App(Func::New(_), _))
                {
                    places.insert((selector, object, index));
                }
            }
        }
        for (selector, object, index) in places {
            let left = self.arena.heaps.read(&mut self.arena.terms, self.heaps[0], selector, object, index);
            let right = self.arena.heaps.read(&mut self.arena.terms, self.heaps[1], selector, object, index);
            self.unify(left, right);
        }
    }
}

/// Whether two applications would be equal if their calls and arguments were.
fn same_shape(f: Func, g: Func) -> bool {
    match (f, g) {
        (Func::Effect(_, a), Func::Effect(_, b)) => a == b,
        (Func::Result(_, a), Func::Result(_, b)) | (Func::GlobalAfter(_, a), Func::GlobalAfter(_, b)) => a == b,
        _ => f == g,
    }
}
