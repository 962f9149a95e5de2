//! What relates the arguments of two procedures that are not called alike.
//!
//! In: two calls, of the pair of loops that a relation is about, on paths that are given one set of names. Out: the facts of the
//! relation as terms over the arguments, and which of them do not hold there.
//!
//! Rule *Relation* (`proofs/soundness.md`): two calls are matched under a relation where the heaps agree on all that the arguments of
//! either reach, and its facts hold of the arguments. What the calls do is then the same but for the results that do not correspond.

use super::agree::RenamedOutcome;
use super::Relater;
use lang_l::hir::FieldId;
use smt::arena::{Arena, CallRecord};
use smt::heap::HeapId;
use smt::obligation::Purpose;
use smt::term::{Selector, Term};
use std::collections::BTreeSet;

/// A way on from a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// What a field holds.
    Field(FieldId),
    /// The length of an array.
    Length,
}

/// A value that a side is given, or that it can read from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Atom {
    /// Which parameter.
    pub parameter: usize,
    /// What is read from it, one after the other.
    pub steps: Vec<Step>,
}

/// Something that holds of the arguments of both sides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A value of version 0 is that of version 1 and a number more.
    Equal(Atom, Atom, i64),
    /// A parameter of version 0 and one of version 1 have this sum, and a number more.
    Sum(usize, usize, Atom, i64),
    /// What one side is given is not null.
    NotNull(usize, usize),
}

/// What relates the arguments and results of two procedures.
#[derive(Clone, Debug, Default)]
pub struct CallRelation {
    /// The parameters that are equal: of version 0, of version 1.
    pub equal: Vec<(usize, usize)>,
    /// What else holds of the arguments.
    pub facts: Vec<Fact>,
    /// Which of `equal`, and of `facts`, was found not to hold of some call.
    pub refuted: [BTreeSet<usize>; 2],
}

impl CallRelation {
    /// Takes out what was refuted; whether anything was.
    pub fn weaken(&mut self) -> bool {
        let [equal, facts] = std::mem::take(&mut self.refuted);
        let mut at = 0..;
        self.equal.retain(|_| !at.next().is_some_and(|at| equal.contains(&at)));
        let mut at = 0..;
        self.facts.retain(|_| !at.next().is_some_and(|at| facts.contains(&at)));
        !equal.is_empty() || !facts.is_empty()
    }
}

impl Atom {
    /// The value, and what must hold for it to have one.
    fn read(&self, arena: &mut Arena, arguments: &[Term], heap: HeapId) -> (Term, Vec<Term>) {
        let mut value = arguments[self.parameter];
        let mut needed = Vec::new();
        for step in &self.steps {
            let null = arena.terms.null();
            let is_null = arena.terms.eq(value, null);
            needed.push(arena.terms.not(is_null));
            value = match step {
                Step::Field(field) => {
                    arena.heaps.read(&mut arena.terms, heap, Selector::Field(*field), value, None)
                }
                Step::Length => arena.heaps.length(&mut arena.terms, value),
            };
        }
        (value, needed)
    }
}

impl Fact {
    /// The fact as a term, over what both sides are given and what their heaps hold. Where a value cannot be read nothing is said.
    pub fn term(&self, arena: &mut Arena, arguments: [&[Term]; 2], heaps: [HeapId; 2]) -> Term {
        let (holds, needed) = match self {
            Fact::Equal(mine, theirs, more) => {
                let (a, mut needed) = mine.read(arena, arguments[0], heaps[0]);
                let (b, more_needed) = theirs.read(arena, arguments[1], heaps[1]);
                needed.extend(more_needed);
                let b = plus(arena, b, *more);
                (arena.terms.eq(a, b), needed)
            }
            Fact::Sum(mine, theirs, whole, more) => {
                let (whole, needed) = whole.read(arena, arguments[0], heaps[0]);
                let whole = plus(arena, whole, *more);
                let sum = arena.terms.add(arguments[0][*mine], arguments[1][*theirs]);
                (arena.terms.eq(sum, whole), needed)
            }
            Fact::NotNull(side, parameter) => {
                let null = arena.terms.null();
                let is_null = arena.terms.eq(arguments[*side][*parameter], null);
                (arena.terms.not(is_null), Vec::new())
            }
        };
        let needed = arena.terms.and(&needed);
        arena.terms.implies(needed, holds)
    }
}

/// `term + more`; the term itself where nothing is added, whatever its sort.
fn plus(arena: &mut Arena, term: Term, more: i64) -> Term {
    if more == 0 {
        return term;
    }
    let more = arena.terms.int(more);
    arena.terms.add(term, more)
}

impl Relater<'_> {
    /// What relates the arguments of two calls of two versions, where it is more than that they are equal.
    pub(super) fn relation(&self, records: [&CallRecord; 2], versions: [usize; 2]) -> Option<&CallRelation> {
        let pair = (records[0].callee, records[1].callee);
        self.relations.get(&pair).filter(|_| versions == [0, 1])
    }

    /// The arguments that are to be equal.
    pub(super) fn arguments(&self, records: [&CallRecord; 2], versions: [usize; 2]) -> Vec<(Term, Term)> {
        match self.relation(records, versions) {
            Some(relation) => {
                relation.equal.iter().map(|&(mine, theirs)| (records[0].args[mine], records[1].args[theirs])).collect()
            }
            None => records[0].args.iter().copied().zip(records[1].args.iter().copied()).collect(),
        }
    }

    /// Notes what does not hold of the relation between two calls that are matched.
    pub(super) fn weaken(&mut self, aligned: &RenamedOutcome, records: [&CallRecord; 2], versions: [usize; 2]) {
        let Some(relation) = self.relation(records, versions).cloned() else { return };
        let arguments = [&records[0].args[..], &records[1].args[..]];
        let heaps = [records[0].heap, records[1].heap];
        let equal = relation.equal.iter().map(|&(a, b)| self.arena.terms.eq(arguments[0][a], arguments[1][b]));
        let equal: Vec<Term> = equal.collect();
        let facts = relation.facts.iter().map(|fact| fact.term(self.arena, arguments, heaps));
        let facts: Vec<Term> = facts.collect();
        let mut places = [Vec::new(), Vec::new()];
        places[versions[0]].push(records[0].span);
        places[versions[1]].push(records[1].span);
        let tag = Purpose::CallsRelated(records[0].call, records[1].call).between(places);
        let whole = [equal.clone(), facts.clone()].concat();
        if self.holds(aligned, &whole, tag.clone()) {
            return;
        }
        let mut refuted = relation.refuted;
        for (kind, goals) in [equal, facts].into_iter().enumerate() {
            for (at, goal) in goals.into_iter().enumerate() {
                if !refuted[kind].contains(&at) && !self.holds(aligned, &[goal], tag.clone()) {
                    refuted[kind].insert(at);
                }
            }
        }
        let pair = (records[0].callee, records[1].callee);
        if let Some(relation) = self.relations.get_mut(&pair) {
            relation.refuted = refuted;
        }
    }
}
