//! The symbolic heap: what happened to it, newest first; reading resolves writes early.
//!
//! In: stores and calls in the order of execution. Out: terms for the values read.
//!
//! A heap is a node of a graph: the heap on entry, a store into another heap, what a call left, or a choice of two. Reading
//! walks towards the entry heap and stops where it is decided; where aliasing is open it yields a choice term.
//!
//! Invariant: [`Func::Initial`](crate::term::Func::Initial) has default values at everything that is not old, so what is read from an object before
//! anything was stored there is the default (rule *Defaults* in `proofs/soundness.md`).

mod left;
mod paths;
mod read;

pub use left::{ChangesOnlyIf, Comparison, Left, Test, any_holds};

use crate::stop;
use crate::term::{AllocSet, CallId, Renaming, Selector, Sort, Term, Terms};
use lang_l::hir::{FieldId, Type, Unit};
use read::Place;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// A heap; an index into [`Heaps`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HeapId(u32);

/// What made a heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeapNode {
    /// The heap on entry, the same for both versions.
    Initial,
    /// A write.
    Store {
        /// The heap before.
        prev: HeapId,
        /// The field, or the kind of cell.
        selector: Selector,
        /// The object; not null on the path.
        object: Term,
        /// The index, for cells.
        index: Option<Term>,
        /// What was written.
        value: Term,
    },
    /// What a call that returned left behind.
    Call {
        /// The heap before.
        prev: HeapId,
        /// The call.
        call: CallId,
        /// What it leaves as it was.
        left: Left,
    },
    /// What a loop left that wrote one cell each turn.
    Fill {
        /// The heap before.
        prev: HeapId,
        /// What it wrote.
        fill: Fill,
    },
    /// One heap or another.
    Join {
        /// Which.
        cond: Term,
        /// The heap when it holds.
        then: HeapId,
        /// The heap when not.
        els: HeapId,
    },
}

/// A range of cells that was written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fill {
    /// The kind of cell.
    pub selector: Selector,
    /// The array; not null on the path.
    pub array: Term,
    /// The first index.
    pub from: Term,
    /// The index after the last.
    pub to: Term,
    /// The name of the index in `value`.
    pub index: Term,
    /// What each cell holds afterwards.
    pub value: Term,
}

/// What a call may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The selectors it may write.
    pub writes: BTreeSet<Selector>,
    /// The selectors it may read or write; its region is what its arguments reach through these.
    pub accesses: BTreeSet<Selector>,
    /// The only objects that existed before it and may change, if that is known, each with what it has.
    pub modifies: Option<Vec<(Term, Members)>>,
}

/// What an object has, as far as the type tells by which it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Fields: it is of a class.
    Fields,
    /// Cells: it is an array.
    Cells,
    /// One or the other.
    Either,
}

impl Members {
    /// What objects of a type have.
    pub fn of(ty: &Type) -> Self {
        match ty {
            Type::Class(_) => Members::Fields,
            Type::Array(_) => Members::Cells,
            _ => Members::Either,
        }
    }

    /// Whether there may be such a place in the object.
    pub fn may_hold(self, selector: Selector) -> bool {
        match self {
            Members::Fields => matches!(selector, Selector::Field(_)),
            Members::Cells => matches!(selector, Selector::Cell(_)),
            Members::Either => true,
        }
    }
}

/// A proof with more heaps than this is given up.
const MAX_HEAPS: usize = 2_000_000;

/// The arena of heaps of one proof.
#[derive(Debug)]
pub struct Heaps {
    nodes: Vec<HeapNode>,
    index: HashMap<HeapNode, HeapId>,
    reads: HashMap<(HeapId, Place), Term>,
    lengths: HashMap<Term, Term>,
    footprints: HashMap<CallId, Footprint>,
    field_sorts: Vec<Sort>,
    /// Whether there may be an array of references, once that was looked for: it takes a look at the whole program.
    reference_cells: Option<bool>,
    paths: HashMap<(HeapId, Term, Term), Option<Term>>,
    /// For choices, the heap since which nothing of a selector was written.
    before: HashMap<(HeapId, Selector), HeapId>,
}

impl Heaps {
    /// Only the heap on entry, for objects with the fields of `unit`.
    pub fn new(unit: &Unit) -> Self {
        let mut heaps = Heaps {
            nodes: Vec::new(),
            index: HashMap::default(),
            reads: HashMap::default(),
            lengths: HashMap::default(),
            footprints: HashMap::default(),
            field_sorts: unit.fields.iter().map(|field| Sort::from(&field.ty)).collect(),
            reference_cells: None,
            paths: HashMap::default(),
            before: HashMap::default(),
        };
        heaps.intern(HeapNode::Initial);
        heaps
    }

    /// The heap on entry.
    pub fn initial(&self) -> HeapId {
        HeapId(0)
    }

    /// What made a heap.
    pub fn node(&self, heap: HeapId) -> &HeapNode {
        &self.nodes[heap.0 as usize]
    }

    /// What a call may change.
    ///
    /// # Panics
    /// When [`Heaps::call`] was not told about the call.
    pub fn footprint(&self, call: CallId) -> &Footprint {
        &self.footprints[&call]
    }

    /// Whether objects can have this selector.
    pub fn has(&self, selector: Selector) -> bool {
        match selector {
            Selector::Field(field) => field.index() < self.field_sorts.len(),
            Selector::Cell(_) => true,
        }
    }

    /// The fields that hold references.
    pub fn reference_fields(&self) -> Vec<FieldId> {
        let fields = (0u32..).map(FieldId).zip(&self.field_sorts);
        fields.filter(|(_, sort)| **sort == Sort::Ref).map(|(field, _)| field).collect()
    }

    /// The sort of the values behind a selector.
    pub fn sort(&self, selector: Selector) -> Sort {
        match selector {
            Selector::Field(field) => self.field_sorts[field.index()],
            Selector::Cell(sort) => sort,
        }
    }

    fn intern(&mut self, node: HeapNode) -> HeapId {
        if let Some(&heap) = self.index.get(&node) {
            return heap;
        }
        if self.nodes.len() >= MAX_HEAPS {
            stop::too_large();
        }
        let heap = HeapId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 heaps"));
        self.nodes.push(node.clone());
        self.index.insert(node, heap);
        heap
    }

    /// The heap after a write.
    pub fn store(
        &mut self,
        prev: HeapId,
        selector: Selector,
        object: Term,
        index: Option<Term>,
        value: Term,
    ) -> HeapId {
        self.intern(HeapNode::Store { prev, selector, object, index, value })
    }

    /// The heap after a call.
    pub fn call(&mut self, prev: HeapId, call: CallId, footprint: Footprint) -> HeapId {
        self.call_that_leaves(prev, call, footprint, Left::default())
    }

    /// The same, where the call leaves something as it was that it, or a call of the same name in the other version, may write.
    pub fn call_that_leaves(&mut self, prev: HeapId, call: CallId, footprint: Footprint, left: Left) -> HeapId {
        let silent = footprint.writes.is_empty();
        self.footprints.insert(call, footprint);
        if silent { prev } else { self.intern(HeapNode::Call { prev, call, left }) }
    }

    /// The heap after a range of cells was written.
    pub fn fill(&mut self, prev: HeapId, fill: Fill) -> HeapId {
        self.intern(HeapNode::Fill { prev, fill })
    }

    /// The one heap or the other.
    pub fn join(&mut self, cond: Term, then: HeapId, els: HeapId) -> HeapId {
        if then == els { then } else { self.intern(HeapNode::Join { cond, then, els }) }
    }

    /// Rule *Closure*: the least set of allocs that holds `roots` and is closed under `selectors` (all when `None`) in this
    /// heap. What an object of the set points to is null or in the set.
    pub fn closure(
        &self,
        terms: &Terms,
        heap: HeapId,
        roots: &AllocSet,
        selectors: Option<&BTreeSet<Selector>>,
    ) -> AllocSet {
        let edges = self.edges(terms, heap, selectors);
        let mut set = roots.clone().without_null();
        loop {
            let mut grew = false;
            for (from, to) in &edges {
                if !from.disjoint(&set) {
                    grew |= set.extend(to);
                }
            }
            if !grew {
                return set;
            }
        }
    }

    /// Pairs of alloc sets: an object of the first may point to one of the second. Overwritten stores are left out.
    fn edges(&self, terms: &Terms, heap: HeapId, selectors: Option<&BTreeSet<Selector>>) -> Vec<(AllocSet, AllocSet)> {
        let relevant = |selector: &Selector| selectors.is_none_or(|set| set.contains(selector));
        let mut edges = Vec::new();
        let mut joins = BTreeSet::new();
        let mut work = vec![heap];
        while let Some(mut at) = work.pop() {
            let mut overwritten = BTreeSet::new();
            loop {
                match self.node(at) {
                    HeapNode::Initial => break,
                    HeapNode::Store { prev, selector, object, index, value } => {
                        if terms.sort(*value) == Sort::Ref
                            && relevant(selector)
                            && overwritten.insert((*selector, *object, *index))
                        {
                            let to = terms.allocs(*value).clone().without_null();
                            if !to.is_empty() {
                                edges.push((terms.allocs(*object).clone(), to));
                            }
                        }
                        at = *prev;
                    }
                    HeapNode::Fill { prev, fill } => {
                        if terms.sort(fill.value) == Sort::Ref && relevant(&fill.selector) {
                            let to = terms.allocs(fill.value).clone().without_null();
                            if !to.is_empty() {
                                edges.push((terms.allocs(fill.array).clone(), to));
                            }
                        }
                        at = *prev;
                    }
                    HeapNode::Call { prev, call, .. } => {
                        edges.extend(self.call_edges(terms, *call, selectors));
                        at = *prev;
                    }
                    HeapNode::Join { then, els, .. } => {
                        // Each join once; what was overwritten after it is forgotten, which only adds edges.
                        if joins.insert(at) {
                            work.extend([*then, *els]);
                        }
                        break;
                    }
                }
            }
        }
        edges
    }

    fn call_edges(
        &self,
        terms: &Terms,
        call: CallId,
        selectors: Option<&BTreeSet<Selector>>,
    ) -> Option<(AllocSet, AllocSet)> {
        let footprint = &self.footprints[&call];
        let writes_references = footprint
            .writes
            .iter()
            .any(|selector| self.sort(*selector) == Sort::Ref && selectors.is_none_or(|set| set.contains(selector)));
        if !writes_references {
            return None;
        }
        let reach = terms.reach(call);
        let mut from = match &footprint.modifies {
            None => reach.region.clone(),
            Some(places) => {
                let mut allocs = AllocSet::new();
                places.iter().for_each(|(place, _)| {
                    allocs.extend(terms.allocs(*place));
                });
                allocs.without_null()
            }
        };
        from.insert(reach.fresh);
        let mut to = reach.region.clone();
        to.insert(reach.fresh);
        Some((from, to))
    }

    /// Every store and call on the way from `heap` to the entry heap, newest first, each once.
    pub fn history(&self, heap: HeapId) -> Vec<HeapNode> {
        let mut seen = BTreeSet::new();
        let mut work = vec![heap];
        let mut found = Vec::new();
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            let node = self.node(at).clone();
            match node {
                HeapNode::Initial => continue,
                HeapNode::Store { prev, .. } | HeapNode::Call { prev, .. } | HeapNode::Fill { prev, .. } => {
                    work.push(prev)
                }
                HeapNode::Join { then, els, .. } => work.extend([then, els]),
            }
            found.push(node);
        }
        found
    }

    /// The heap with allocs and calls renamed; calls that keep an identity of their own must have a footprint already.
    pub fn rename(
        &mut self,
        terms: &mut Terms,
        heap: HeapId,
        renaming: &Renaming,
        memo: &mut HashMap<HeapId, HeapId>,
        term_memo: &mut HashMap<Term, Term>,
    ) -> HeapId {
        let mut chain = Vec::new();
        let mut at = heap;
        let mut renamed = loop {
            if let Some(&done) = memo.get(&at) {
                break done;
            }
            match self.node(at) {
                HeapNode::Initial => break at,
                HeapNode::Store { prev, .. } | HeapNode::Call { prev, .. } | HeapNode::Fill { prev, .. } => {
                    chain.push(at);
                    at = *prev;
                }
                HeapNode::Join { cond, then, els } => {
                    let (cond, then, els) = (*cond, *then, *els);
                    let cond = terms.rename(cond, renaming, term_memo);
                    let then = self.rename(terms, then, renaming, memo, term_memo);
                    let els = self.rename(terms, els, renaming, memo, term_memo);
                    let join = self.join(cond, then, els);
                    memo.insert(at, join);
                    break join;
                }
            }
        };
        for at in chain.into_iter().rev() {
            renamed = match self.node(at).clone() {
                HeapNode::Store { selector, object, index, value, .. } => {
                    let object = terms.rename(object, renaming, term_memo);
                    let index = index.map(|index| terms.rename(index, renaming, term_memo));
                    let value = terms.rename(value, renaming, term_memo);
                    self.store(renamed, selector, object, index, value)
                }
                HeapNode::Call { call, left, .. } => {
                    let call = renaming.call(call);
                    let left = left.map(|value| terms.rename(value, renaming, term_memo));
                    self.intern(HeapNode::Call { prev: renamed, call, left })
                }
                HeapNode::Fill { fill, .. } => {
                    let mut go = |term| terms.rename(term, renaming, term_memo);
                    let (array, value) = (go(fill.array), go(fill.value));
                    let (from, to) = (go(fill.from), go(fill.to));
                    self.fill(renamed, Fill { array, value, from, to, ..fill })
                }
                HeapNode::Initial | HeapNode::Join { .. } => renamed,
            };
            memo.insert(at, renamed);
        }
        renamed
    }
}
