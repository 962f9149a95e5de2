//! What relates the arguments of two procedures that are not called alike.
//!
//! In: two calls, of the pair of loops that a relation is about, on paths that are given one set of names. Out: the facts of the
//! relation as terms over the arguments, and which of them do not hold there.
//!
//! Rule *Relation* (`proofs/soundness.md`): two calls are matched under a relation where the heaps agree on all that the arguments of
//! either reach, and its facts hold of the arguments. What the calls do is then the same but for the results that do not correspond.

use super::Relater;
use super::agree::RenamedOutcome;
use super::align::places;
use lang_l::hir::{FieldId, Procedure, Unit};
use smt::arena::{Arena, CallRecord};
use smt::heap::HeapId;
use smt::obligation::Purpose;
use smt::term::{Selector, Sort, Term};

/// A way on from a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// What a field holds.
    Field(FieldId),
    /// The length of an array.
    Length,
    /// The cell of an array whose index is this parameter; what it holds is of this sort.
    Cell(usize, Sort),
}

/// A value that a version is given, or that it can read from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Atom {
    /// Which version.
    pub version: usize,
    /// Which parameter.
    pub parameter: usize,
    /// What is read from it, one after the other.
    pub steps: Vec<Step>,
}

/// Something that holds of the arguments of both versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A value is another and a number more.
    Equal(Atom, Atom, i64),
    /// Two numbers have a third as their sum, and a number more.
    Sum([Atom; 2], Atom, i64),
    /// A number is at most another.
    AtMost(Atom, Atom),
    /// A reference is not null.
    NotNull(Atom),
}

/// What relates the arguments and results of two procedures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRelation {
    /// The parameters that are equal: of version 0, of version 1.
    pub equal: Vec<(usize, usize)>,
    /// What else holds of the arguments.
    pub facts: Vec<Fact>,
}

/// What facts are read in: what each version is given, and its heap.
#[derive(Clone, Copy)]
pub struct Given<'g> {
    /// The arguments.
    pub arguments: [&'g [Term]; 2],
    /// The heaps.
    pub heaps: [HeapId; 2],
}

impl Atom {
    /// The value; what must hold for it to have one goes to `needed`.
    fn read(&self, arena: &mut Arena, given: Given<'_>, needed: &mut Vec<Term>) -> Term {
        let (arguments, heap) = (given.arguments[self.version], given.heaps[self.version]);
        let mut value = arguments[self.parameter];
        for step in &self.steps {
            let null = arena.terms.null();
            let is_null = arena.terms.eq(value, null);
            needed.push(arena.terms.not(is_null));
            value = match *step {
                Step::Field(field) => arena.heaps.read(&mut arena.terms, heap, Selector::Field(field), value, None),
                Step::Length => arena.heaps.length(&mut arena.terms, value),
                Step::Cell(index, sort) => {
                    let (index, zero) = (arguments[index], arena.terms.int(0));
                    let length = arena.heaps.length(&mut arena.terms, value);
                    needed.extend([arena.terms.le(zero, index), arena.terms.lt(index, length)]);
                    arena.heaps.read(&mut arena.terms, heap, Selector::Cell(sort), value, Some(index))
                }
            };
        }
        value
    }

    /// As it is written; a prime marks version 1.
    fn words(&self, unit: &Unit, code: [&Procedure; 2]) -> String {
        let name = |parameter: usize| {
            let prime = ["", "'"][self.version];
            format!("{}{prime}", code[self.version].locals[parameter].name)
        };
        self.steps.iter().fold(name(self.parameter), |text, step| match *step {
            Step::Field(field) => format!("{text}.{}", unit.fields[field.index()].name),
            Step::Length => format!("{text}.length"),
            Step::Cell(index, _) => format!("{text}[{}]", name(index)),
        })
    }

    fn is(&self, version: usize, parameter: usize) -> bool {
        self.version == version && self.parameter == parameter && self.steps.is_empty()
    }
}

impl Fact {
    /// Whether it says what a parameter is.
    pub fn defines(&self, version: usize, parameter: usize) -> bool {
        match self {
            Fact::Equal(one, other, _) => one.is(version, parameter) || other.is(version, parameter),
            Fact::Sum(parts, whole, _) => parts.iter().chain([whole]).any(|part| part.is(version, parameter)),
            Fact::AtMost(..) | Fact::NotNull(_) => false,
        }
    }

    /// As it is written; a prime marks what is of version 1.
    pub fn words(&self, unit: &Unit, code: [&Procedure; 2]) -> String {
        let word = |atom: &Atom| atom.words(unit, code);
        let more = |number: &i64| match number {
            0 => String::new(),
            1.. => format!(" + {number}"),
            _ => format!(" - {}", number.unsigned_abs()),
        };
        match self {
            Fact::Equal(one, other, number) => format!("{} == {}{}", word(one), word(other), more(number)),
            Fact::Sum([a, b], whole, number) => {
                format!("{} + {} == {}{}", word(a), word(b), word(whole), more(number))
            }
            Fact::AtMost(one, other) => format!("{} <= {}", word(one), word(other)),
            Fact::NotNull(reference) => format!("{} != null", word(reference)),
        }
    }

    /// The fact as a term. Where a value cannot be read nothing is said.
    pub fn term(&self, arena: &mut Arena, given: Given<'_>) -> Term {
        let mut needed = Vec::new();
        let holds = match self {
            Fact::Equal(one, other, more) => {
                let one = one.read(arena, given, &mut needed);
                let other = other.read(arena, given, &mut needed);
                let other = plus(arena, other, *more);
                arena.terms.eq(one, other)
            }
            Fact::Sum(parts, whole, more) => {
                let [a, b] = parts.each_ref().map(|part| part.read(arena, given, &mut needed));
                let whole = whole.read(arena, given, &mut needed);
                let whole = plus(arena, whole, *more);
                let sum = arena.terms.add(a, b);
                arena.terms.eq(sum, whole)
            }
            Fact::AtMost(one, other) => {
                let one = one.read(arena, given, &mut needed);
                let other = other.read(arena, given, &mut needed);
                arena.terms.le(one, other)
            }
            Fact::NotNull(reference) => {
                let reference = reference.read(arena, given, &mut needed);
                let null = arena.terms.null();
                let is_null = arena.terms.eq(reference, null);
                arena.terms.not(is_null)
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
    pub fn relation(&self, records: [&CallRecord; 2], versions: [usize; 2]) -> Option<&CallRelation> {
        let pair = (records[0].callee, records[1].callee);
        self.relations.get(&pair).filter(|_| versions == [0, 1])
    }

    /// The arguments that are to be equal.
    pub fn arguments(&self, records: [&CallRecord; 2], versions: [usize; 2]) -> Vec<(Term, Term)> {
        match self.relation(records, versions) {
            Some(relation) => {
                relation.equal.iter().map(|&(mine, theirs)| (records[0].args[mine], records[1].args[theirs])).collect()
            }
            None => records[0].args.iter().copied().zip(records[1].args.iter().copied()).collect(),
        }
    }

    /// Whether all that the relation of two callees says holds of two calls.
    pub(super) fn related(
        &mut self,
        aligned: &RenamedOutcome,
        records: [&CallRecord; 2],
        versions: [usize; 2],
    ) -> bool {
        let [equal, facts] = self.said_of(records, versions);
        let all: Vec<Term> = equal.into_iter().chain(facts).collect();
        all.is_empty()
            || self.holds(
                aligned,
                &all,
                Purpose::CallsRelated(records[0].call, records[1].call).between(places(records, versions)),
            )
    }

    /// What the relation of two callees says of two calls: that arguments are equal, and facts. Nothing where they are called alike.
    pub fn said_of(&mut self, records: [&CallRecord; 2], versions: [usize; 2]) -> [Vec<Term>; 2] {
        let Some(relation) = self.relation(records, versions).cloned() else { return Default::default() };
        let arguments = [&records[0].args[..], &records[1].args[..]];
        let given = Given { arguments, heaps: [records[0].heap, records[1].heap] };
        let equal =
            relation.equal.iter().map(|&(a, b)| self.arena.terms.eq(arguments[0][a], arguments[1][b])).collect();
        let facts = relation.facts.iter().map(|fact| fact.term(self.arena, given)).collect();
        [equal, facts]
    }
}
