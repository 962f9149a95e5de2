//! What a relation of two loops says of their ends: which results are equal, where the heaps may differ, and what else holds.
//!
//! In: two outcomes of the loops, or two calls of them that are matched and return. Out: what must hold of the outcomes; or what
//! may be assumed of the calls.
//!
//! Rule *Relation* (`proofs/soundness.md`): what is assumed when two calls return is what is shown of all outcomes of the two.

use super::align::RenamedOutcome;
use super::{Apart, CallRelation, Correspondence, Relater};
use crate::exec::returned;
use crate::exec::state::Outcome;
use crate::fact::{Fact, Given};
use crate::places::Place;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::heap::HeapId;
use smt::obligation::Purpose;
use smt::term::{CallId, Ending, Renaming, Term};

/// How two loops must end whose outcomes are related.
#[derive(Clone, Debug)]
pub struct EndRelation {
    /// What the two were given.
    pub arguments: [Vec<Term>; 2],
    /// The results that are to be equal.
    pub results: Vec<(usize, usize)>,
    /// What else the relation says.
    pub relation: CallRelation,
}

impl EndRelation {
    /// What the two were given, and what they give back.
    fn values(&self, ends: [&Outcome; 2]) -> [Vec<Term>; 2] {
        [0, 1].map(|at| [&self.arguments[at][..], &ends[at].results[..]].concat())
    }

    /// Where the heaps may differ at two ends.
    pub(super) fn places(&self, ends: [&Outcome; 2]) -> Vec<Place> {
        let values = self.values(ends);
        self.relation.places([&values[0], &values[1]], true)
    }
}

impl CallRelation {
    /// Where the heaps may differ when two are called, given their arguments; or when they return, given also their results.
    pub(super) fn places(&self, values: [&[Term]; 2], on_return: bool) -> Vec<Place> {
        let place = |(number, own): (usize, &Apart)| {
            own.spot(number, on_return)?.place(|at, _| values[own.version].get(at).copied())
        };
        self.apart.iter().enumerate().filter_map(place).collect()
    }

    /// What it says of two ends, fact by fact; what says where a result is read from says that it can be read there.
    fn said_at_exit(&self, arena: &mut Arena, params: [usize; 2], given: Given<'_>) -> Vec<Term> {
        let mut said = |fact: &Fact| match fact.definition(params) {
            Some(_) => fact.strictly(arena, given),
            None => fact.term(arena, given),
        };
        self.exit.iter().map(&mut said).collect()
    }
}

impl Relater<'_> {
    /// The values that must be equal when two outcomes have ended alike: results and globals.
    pub fn equal_at_ends(&self, left: &Outcome, right: &Outcome) -> Vec<(Term, Term)> {
        let globals = if faults::planted("kernel/relate/globals-at-end") { &[][..] } else { &left.globals[..] };
        let globals = globals.iter().copied().zip(right.globals.iter().copied());
        let results: Vec<(Term, Term)> = match &self.end {
            None => left.results.iter().copied().zip(right.results.iter().copied()).collect(),
            Some(end) => {
                let both = |&(a, b): &(usize, usize)| Some((*left.results.get(a)?, *right.results.get(b)?));
                end.results.iter().filter_map(both).collect()
            }
        };
        results.into_iter().chain(globals).collect()
    }

    /// What else the relation of two loops says of two outcomes, fact by fact; with the right one in the names of the left one.
    pub fn said_at_ends(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: &Correspondence,
    ) -> (RenamedOutcome, Vec<Term>) {
        let aligned = self.align(left, right, alignment);
        let Some(end) = self.end.clone() else { return (aligned, Vec::new()) };
        let values = end.values([left, &aligned.outcome]);
        let given = Given::new([&values[0], &values[1]], [left.heap, aligned.outcome.heap]);
        let params = end.arguments.each_ref().map(Vec::len);
        let facts = end.relation.said_at_exit(self.arena, params, given);
        (aligned, facts)
    }

    /// Whether all of that holds.
    pub(super) fn ends_related(&mut self, left: &Outcome, right: &Outcome, alignment: &Correspondence) -> bool {
        let (aligned, facts) = self.said_at_ends(left, right, alignment);
        facts.is_empty() || self.holds(&aligned, &facts, Purpose::StoresEqual.into())
    }

    /// What holds of two calls that are matched under a relation, where they return.
    pub(super) fn on_return(&mut self, (mine, theirs): (CallId, CallId), renaming: &Renaming) -> Vec<Term> {
        let records = [mine, theirs].map(|call| self.arena.record(call).clone());
        let versions = records.each_ref().map(|record| record.version);
        let Some(relation) = self.relation(records.each_ref(), versions).filter(|own| !own.exit.is_empty()).cloned()
        else {
            return Vec::new();
        };
        let [(values, heap), (others, other)] = [0, 1].map(|at| {
            let record = &records[at];
            let code = self.unit.procedure(at, record.callee);
            let effects = &self.effects[at][record.callee.index()];
            let footprint = self.arena.heaps.footprint(record.call).clone();
            let (after, results) = returned(self.arena, (effects, code), record, footprint);
            ([&record.args[..], &results].concat(), after)
        });
        let (others, other) = self.renamed(&others, other, renaming);
        let given = Given::new([&values, &others], [heap, other]);
        let normal = self.arena.terms.ended(mine, Ending::Normal);
        let params = records.each_ref().map(|record| record.args.len());
        let said = relation.said_at_exit(self.arena, params, given);
        said.into_iter().map(|fact| self.arena.terms.implies(normal, fact)).collect()
    }

    /// What holds of two calls that are compared: they end alike; and what else does where they return.
    pub(super) fn on_ends(&mut self, (mine, theirs): (CallId, CallId), renaming: &Renaming) -> Vec<Term> {
        let mut said = self.on_return((mine, theirs), renaming);
        let [one, other] = [mine, renaming.call(theirs)].map(|call| self.arena.terms.ending(call));
        said.push(self.arena.terms.eq(one, other));
        said
    }

    /// Values and a heap in other names.
    fn renamed(&mut self, values: &[Term], heap: HeapId, renaming: &Renaming) -> (Vec<Term>, HeapId) {
        let (mut terms, mut heaps) = (HashMap::default(), HashMap::default());
        let heap = self.arena.heaps.rename(&mut self.arena.terms, heap, renaming, &mut heaps, &mut terms);
        let values = values.iter().map(|&value| self.arena.terms.rename(value, renaming, &mut terms)).collect();
        (values, heap)
    }
}
