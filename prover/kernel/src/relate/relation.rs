//! What relates the arguments of two procedures that are not called alike.
//!
//! In: two calls, of the pair of loops that a relation is about, on paths that are given one set of names. Out: the facts of the
//! relation as terms over the arguments, and which of them do not hold there.
//!
//! Rule *Relation* (`proofs/soundness.md`): two calls are matched under a relation where the heaps agree on all that the arguments of
//! either reach, and its facts hold of the arguments. What the calls do is then the same but for the results that do not correspond.

use super::Relater;
use super::align::{RenamedOutcome, places};
use crate::fact::{Fact, Given};
use crate::places::Spot;
use lang_l::hir::FieldId;
use serde::{Deserialize, Serialize};
use smt::arena::CallRecord;
use smt::obligation::Purpose;
use smt::term::{Selector, Sort, Term};

/// A place at which two heaps may differ: of what a parameter refers to. It holds no reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Apart {
    /// Whose parameter.
    pub version: usize,
    /// Which.
    pub parameter: usize,
    /// What of it.
    pub of: Part,
}

/// What of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Part {
    /// The field of this number.
    Field(u32),
    /// A cell of an array of numbers.
    Cell {
        /// The parameter that is its index when the two are called.
        before: usize,
        /// What is its index when they return: a parameter; or a result, numbered behind these. The heaps agree there where it is none.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        after: Option<usize>,
    },
}

impl Apart {
    /// Whether it is a field.
    pub fn is_field(&self) -> bool {
        matches!(self.of, Part::Field(_))
    }

    /// Where it is when the two are called, or when they return, by the numbers of parameters and results; given its own number in the
    /// relation. `None` where the heaps agree on return.
    pub fn spot(&self, number: usize, on_return: bool) -> Option<Spot> {
        let (selector, index) = match self.of {
            Part::Field(field) => (Selector::Field(FieldId(field)), None),
            Part::Cell { before, after } => (Selector::Cell(Sort::Int), Some(if on_return { after? } else { before })),
        };
        Some(Spot { number: u32::try_from(number).unwrap_or(u32::MAX), base: self.parameter, selector, index })
    }
}

/// What relates the arguments and results of two procedures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRelation {
    /// The parameters that are equal: of version 0, of version 1.
    pub equal: Vec<(usize, usize)>,
    /// What else holds of the arguments.
    pub facts: Vec<Fact>,
    /// Where the two heaps may differ, before and after.
    pub apart: Vec<Apart>,
    /// What holds of arguments, results (numbered behind the parameters) and the heaps when both have returned.
    pub exit: Vec<Fact>,
    /// Whether two calls are compared alone, and keep names of their own: so a call may be compared with several.
    pub compared: bool,
}

impl Relater<'_> {
    /// What relates the arguments of two calls of two versions, where it is more than that they are equal.
    pub fn relation(&self, records: [&CallRecord; 2], versions: [usize; 2]) -> Option<&CallRelation> {
        let pair = (records[0].callee, records[1].callee);
        self.relations.get(&pair).filter(|_| versions == [0, 1])
    }

    /// Whether two calls are compared alone, and are given no common name.
    pub fn compares(&self, records: [&CallRecord; 2]) -> bool {
        self.relation(records, [0, 1]).is_some_and(|relation| relation.compared)
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
        let given = Given::new(arguments, [records[0].heap, records[1].heap]);
        let equal =
            relation.equal.iter().map(|&(a, b)| self.arena.terms.eq(arguments[0][a], arguments[1][b])).collect();
        let facts = relation.facts.iter().map(|fact| fact.term(self.arena, given)).collect();
        [equal, facts]
    }
}
