//! Agreement: arguments equal, regions equal, final heaps equal on all that can be reached.
//!
//! The witness for "what can be reached" is a set of allocs that holds the roots and is closed under every field in one of
//! the two heaps. Since the other heap agrees on the set, it is closed there too. The least such set is computed, from what
//! is stored where. Where that is too coarse, the solver is asked whether a value can really have an alloc outside (rule
//! *Closure*).

use super::align::{RenamedOutcome, places};
use super::{Correspondence, FailedGoal, Relater};
use crate::exec::state::Outcome;
use crate::places::Place;
use lang_l::hir::{Expr, ExprKind, GlobalId};
use lang_l::source::Span;
use rustc_hash::FxHashSet as HashSet;
use smt::arena::CallRecord;
use smt::heap::{HeapId, HeapNode};
use smt::obligation::{Obligation, Purpose, Tag};
use smt::solve::Answer;
use smt::term::{AllocClass, AllocSet, CallId, Kind, Origin, PathFacts, Selector, Sort, Term};
use std::collections::BTreeSet;

impl Relater<'_> {
    /// Whether two calls start from equal arguments, globals and regions once the alignment is applied to the right side; what they
    /// reach, where that was compared.
    pub fn start_alike(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: &Correspondence,
        (mine, theirs): (CallId, CallId),
        versions: [usize; 2],
    ) -> Option<AllocSet> {
        let (aligned, records, region) = self.regions_alike(left, right, alignment, (mine, theirs), versions)?;
        (faults::planted("kernel/pair/loop-relation-unshown") || self.related(&aligned, records.each_ref(), versions))
            .then_some(region)
    }

    /// The same, but for what the relation of the callees says of their arguments; the outcome in the names of the left one, the two
    /// calls there, and what they reach.
    pub fn regions_alike(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: &Correspondence,
        (mine, theirs): (CallId, CallId),
        versions: [usize; 2],
    ) -> Option<(RenamedOutcome, [CallRecord; 2], AllocSet)> {
        let aligned = self.align(left, right, alignment);
        let calls = [mine, aligned.renaming.call(theirs)];
        let [record, other] = calls.map(|call| self.arena.record(call).clone());
        if versions == [0, 1] && !self.compares([&record, &other]) && !self.reach_alike(calls, [&record, &other]) {
            return None;
        }
        let (selectors, globals) = self.looked_at(calls, versions);
        let mut goals = Vec::new();
        let mut roots: Vec<Term> = record.args.clone();
        let mut apart = Vec::new();
        match self.relation([&record, &other], versions) {
            None => {
                let equal = record.args.iter().zip(&other.args).map(|(a, b)| self.arena.terms.eq(*a, *b));
                if !faults::planted("kernel/relate/arguments") {
                    goals.extend(equal);
                }
            }
            // What the other side alone is given lies in the region as well: what is equal in the two heaps is all that either sees.
            Some(relation) => {
                roots.extend(&other.args);
                apart = relation.places([&record.args, &other.args], false);
            }
        }
        for &global in &globals {
            goals.push(self.arena.terms.eq(record.globals[global], other.globals[global]));
            roots.push(record.globals[global]);
        }
        let common = self.common(alignment);
        let region = self.region((&aligned, &common), record.heap, AllocSet::new(), &roots, &selectors)?;
        let heaps = [record.heap, other.heap];
        if self.look_at_roots_alone(calls, versions, &selectors) {
            goals.extend(self.equal_at(heaps, &roots, &selectors));
        } else if !faults::planted("kernel/relate/heaps-at-calls") {
            goals.extend(self.equal_on(heaps, (&region, &apart), &selectors));
        }
        let tag = Purpose::CallsStartEqual(mine, theirs).between(places([&record, &other], versions));
        self.holds(&aligned, &goals, tag).then_some((aligned, [record, other], region))
    }

    /// Whether one predicate can be that for the regions of both calls, with what is known of references that either leaves there: both
    /// start from the same objects and go the same ways, or their regions have the same classes, or the call of version 1 writes no
    /// reference; or that one changes only parameters that are named, whatever its region, which has no classes of its own. What a
    /// place holds that a call writes is bounded by its region, though it may be what was there before.
    fn reach_alike(&self, calls: [CallId; 2], records: [&CallRecord; 2]) -> bool {
        let [own, other] = [0, 1].map(|version| &self.effects[version][records[version].callee.index()]);
        let is_reference = |selector: &&Selector| self.arena.heaps.sort(**selector) == Sort::Ref;
        let global_is = |global: &&GlobalId| self.unit.globals[global.index()].ty.is_reference();
        let writes_references =
            other.writes.iter().any(|at| is_reference(&at)) || other.written_globals.iter().any(|at| global_is(&at));
        let [ways, other_ways] = [own, other].map(|of| of.accesses.iter().filter(is_reference).collect::<Vec<_>>());
        let [from, other_from] = [own, other].map(|of| of.globals.iter().filter(global_is).collect::<Vec<_>>());
        let same_arguments = || self.relation(records, [0, 1]).is_none();
        let [classes, other_classes] = calls.map(|call| &self.arena.terms.reach(call).region);
        let is_parameter = |place: &Expr| matches!(place.kind, ExprKind::Local(_));
        let named = other.modifies.as_ref().is_some_and(|places| places.iter().all(is_parameter));
        !writes_references
            || classes == other_classes
            || (named && other_classes.is_subset(classes))
            || (ways == other_ways && from == other_from && same_arguments())
            || faults::planted("kernel/relate/region-wider")
    }

    /// Whether two calls write nothing and follow no reference: what they look at is in the objects that they are given.
    fn look_at_roots_alone(&self, calls: [CallId; 2], versions: [usize; 2], selectors: &BTreeSet<Selector>) -> bool {
        let silent = |(call, version): (CallId, usize)| {
            self.effects[version][self.arena.record(call).callee.index()].writes.is_empty()
        };
        calls.into_iter().zip(versions).all(silent)
            && selectors.iter().all(|&selector| self.arena.heaps.sort(selector) != Sort::Ref)
    }

    /// Equalities that make two heaps agree on some objects.
    fn equal_at(&mut self, heaps: [HeapId; 2], objects: &[Term], selectors: &BTreeSet<Selector>) -> Vec<Term> {
        let mut goals = Vec::new();
        let objects = objects.iter().copied().filter(|&value| self.arena.terms.sort(value) == Sort::Ref);
        for object in objects.collect::<Vec<_>>() {
            let null = self.arena.terms.null();
            let is_null = self.arena.terms.eq(object, null);
            for &selector in selectors {
                let index = matches!(selector, Selector::Cell(_)).then(|| self.arena.terms.any_index());
                let [a, b] =
                    heaps.map(|heap| self.arena.heaps.read(&mut self.arena.terms, heap, selector, object, index));
                let alike = self.arena.terms.eq(a, b);
                goals.push(self.arena.terms.or(&[is_null, alike]));
            }
        }
        goals
    }

    /// Whether two normal outcomes end in equal stores under this alignment, as far as these can be seen.
    pub fn equal_at_end(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: Correspondence,
    ) -> Result<Correspondence, FailedGoal> {
        let selectors = crate::effects::every_selector(self.unit);
        let aligned = self.align(left, right, &alignment);
        let (mut goals, mut roots) = (Vec::new(), Vec::new());
        for (a, b) in self.equal_at_ends(left, &aligned.outcome) {
            goals.push(self.arena.terms.eq(a, b));
            roots.push(a);
        }
        let values = self.arena.terms.and(&goals);
        let of_values = goals.len();
        let old = AllocSet::of(AllocClass::OLD);
        let common = self.common(&alignment);
        let Some(region) = self.region((&aligned, &common), left.heap, old, &roots, &selectors) else {
            let what = if left.news.is_empty() && right.news.is_empty() {
                "the final references could not be shown to be the same in both versions"
            } else {
                "an object that only one version makes may stay reachable"
            };
            return Err(self.failed_goal(what, left, right));
        };
        if !faults::planted("kernel/relate/heaps-at-end") {
            let apart = self.end.as_ref().map(|end| end.places([left, &aligned.outcome])).unwrap_or_default();
            goals.extend(self.equal_on([left.heap, aligned.outcome.heap], (&region, &apart), &selectors));
        }
        let tag = Purpose::StoresEqual.between(self.call_places(left, right));
        if self.holds(&aligned, &goals, tag) {
            return Ok(alignment);
        }
        let heaps = self.arena.terms.and(&goals[of_values..]);
        let what = if self.arena.terms.is_false(values) {
            "the results or globals differ"
        } else if self.arena.terms.is_true(heaps) {
            "the results or globals could not be shown equal"
        } else {
            "the final heaps could not be shown equal where they can be reached"
        };
        Err(self.failed_goal(what, left, right))
    }

    fn failed_goal(&self, what: &str, left: &Outcome, right: &Outcome) -> FailedGoal {
        FailedGoal { what: what.to_string(), places: self.call_places(left, right) }
    }

    /// Where the calls on two paths are.
    pub fn call_places(&self, left: &Outcome, right: &Outcome) -> [Vec<Span>; 2] {
        [left, right].map(|outcome| outcome.calls.iter().map(|&call| self.arena.record(call).span).collect())
    }

    /// Whether a condition of one path is the negation of one of the other. That is the cheapest way to see that the two
    /// contradict each other, and most pairs of paths do so.
    pub fn opposed(&mut self, left: &Outcome, right: &Outcome) -> bool {
        let conditions: HashSet<Term> = right.path.iter().copied().collect();
        left.path.iter().any(|&condition| conditions.contains(&self.arena.terms.not(condition)))
    }

    /// Gives the right outcome the names of the left one.
    pub fn align(&mut self, left: &Outcome, right: &Outcome, alignment: &Correspondence) -> RenamedOutcome {
        let (outcome, renaming) = alignment.apply(self.arena, right);
        let mut known = PathFacts::new();
        let mut contradictory = false;
        let returned: Vec<Term> =
            alignment.calls.iter().flat_map(|(&theirs, &mine)| self.on_return((mine, theirs), &renaming)).collect();
        let compared: Vec<Term> =
            alignment.compared.iter().flat_map(|&(theirs, mine)| self.on_ends((mine, theirs), &renaming)).collect();
        let paths = left.path.iter().chain(&outcome.path);
        let all: Vec<Term> = paths.chain(&returned).chain(&compared).copied().collect();
        for &condition in &all {
            contradictory |= !known.assume(&mut self.arena.terms, condition);
        }
        let all: BTreeSet<Term> = all.into_iter().collect();
        RenamedOutcome { outcome, renaming, known, assumptions: all.into_iter().collect(), contradictory }
    }

    /// The allocs whose objects both sides have: the old ones, and those that correspond.
    fn common(&self, alignment: &Correspondence) -> AllocSet {
        let mut common = AllocSet::of(AllocClass::OLD);
        alignment.allocs.values().for_each(|&alloc| common.insert(alloc));
        alignment.calls.values().for_each(|&call| common.insert(self.arena.terms.reach(call).fresh));
        common
    }

    /// A set of allocs that holds `roots` and `values`, is closed under `selectors` in `heap`, and whose objects both sides
    /// have; `None` when none is found.
    fn region(
        &mut self,
        (aligned, common): (&RenamedOutcome, &AllocSet),
        heap: HeapId,
        roots: AllocSet,
        values: &[Term],
        selectors: &BTreeSet<Selector>,
    ) -> Option<AllocSet> {
        let mut all = roots.clone();
        for &value in values {
            all.extend(self.arena.terms.allocs(value));
        }
        let coarse = self.arena.heaps.closure(&self.arena.terms, heap, &all, Some(selectors));
        if coarse.is_subset(common) {
            return Some(coarse);
        }
        let mut set = roots.without_null();
        let mut work = Vec::new();
        for &value in values {
            self.admit(aligned, common, value, &mut set)?;
        }
        work.extend(set.iter());
        let mut done = AllocSet::new();
        while let Some(alloc) = work.pop() {
            if done.contains(alloc) {
                continue;
            }
            done.insert(alloc);
            let object = self.arena.terms.representative(alloc);
            for &selector in selectors {
                if self.arena.heaps.sort(selector) != Sort::Ref {
                    continue;
                }
                let index = matches!(selector, Selector::Cell(_)).then(|| self.arena.terms.any_index());
                let value = self.arena.heaps.read(&mut self.arena.terms, heap, selector, object, index);
                self.admit(aligned, common, value, &mut set)?;
            }
            work.extend(
                set.iter().filter(|&alloc| !done.contains(alloc) && !faults::planted("kernel/relate/region-open")),
            );
        }
        Some(set)
    }

    /// Adds the allocs a value can have to `set`; `None` when one of them may be outside `common`.
    fn admit(&mut self, aligned: &RenamedOutcome, common: &AllocSet, value: Term, set: &mut AllocSet) -> Option<()> {
        let value = self.arena.terms.simplify(value, &aligned.known);
        if self.arena.terms.sort(value) != Sort::Ref {
            return Some(());
        }
        let allocs = self.arena.terms.allocs(value).clone().without_null();
        if allocs.is_everything() {
            return None;
        }
        for alloc in allocs.iter() {
            if common.contains(alloc) {
                set.insert(alloc);
                continue;
            }
            let born = self.arena.terms.born(value, alloc);
            let outside = self.arena.terms.not(born);
            if !faults::planted("kernel/relate/outside-admitted")
                && !self.holds(aligned, &[outside], Purpose::NotOfClass(alloc).into())
            {
                return None;
            }
        }
        Some(())
    }

    /// Equalities that make two heaps agree on every object of `region`, but at the places that may differ.
    fn equal_on(
        &mut self,
        heaps: [HeapId; 2],
        (region, apart): (&AllocSet, &[Place]),
        selectors: &BTreeSet<Selector>,
    ) -> Vec<Term> {
        if heaps[0] == heaps[1] {
            return Vec::new();
        }
        let touched = self.touched(heaps);
        let mut goals = Vec::new();
        for alloc in region.iter() {
            let object = self.arena.terms.representative(alloc);
            let is_array = match self.arena.terms.origin(alloc) {
                Origin::New(Kind::Array(..)) => Some(true),
                Origin::New(Kind::Object(_)) => Some(false),
                _ => None,
            };
            for &selector in selectors.intersection(&touched) {
                let cell = matches!(selector, Selector::Cell(_));
                if is_array.is_some_and(|array| array != cell) {
                    continue;
                }
                let index = cell.then(|| self.arena.terms.any_index());
                let [a, b] =
                    heaps.map(|heap| self.arena.heaps.read(&mut self.arena.terms, heap, selector, object, index));
                let mut alike = vec![self.arena.terms.eq(a, b)];
                for own in apart.iter().filter(|own| own.selector == selector) {
                    let mut here = vec![self.arena.terms.eq(object, own.object)];
                    if !faults::planted("kernel/relate/hole-anywhere") {
                        here.extend(own.index.zip(index).map(|(own, index)| self.arena.terms.eq(own, index)));
                    }
                    alike.push(self.arena.terms.and(&here));
                }
                goals.push(self.arena.terms.or(&alike));
            }
        }
        goals
    }

    /// The selectors that differ from the entry heap somewhere in either heap.
    fn touched(&self, heaps: [HeapId; 2]) -> BTreeSet<Selector> {
        let mut touched = BTreeSet::new();
        for heap in heaps {
            for node in self.arena.heaps.history(heap) {
                match node {
                    HeapNode::Store { selector, .. } => {
                        touched.insert(selector);
                    }
                    HeapNode::Fill { fill, .. } => {
                        touched.insert(fill.selector);
                    }
                    HeapNode::Call { call, .. } => touched.extend(&self.arena.heaps.footprint(call).writes),
                    HeapNode::Initial | HeapNode::Join { .. } => {}
                }
            }
        }
        touched
    }

    /// Whether some goals follow from both path conditions.
    pub fn holds(&mut self, aligned: &RenamedOutcome, goals: &[Term], tag: Tag) -> bool {
        let goals: Vec<Term> = goals.iter().map(|&goal| self.arena.terms.simplify(goal, &aligned.known)).collect();
        let goal = self.arena.terms.and(&goals);
        // What was done in another order is often the same in plain sight, and hard for a solver: of many references that may
        // be equal it tries all cases.
        let arranged = self.arena.terms.arranged(goal);
        if self.arena.terms.is_true(arranged) {
            return true;
        }
        let obligation = Obligation { assumptions: aligned.assumptions.clone(), goal, tag };
        self.solver.prove(self.arena, &obligation) == Answer::Holds
    }

    /// The selectors and globals that the callees of two calls look at.
    pub fn looked_at(&self, calls: [CallId; 2], versions: [usize; 2]) -> (BTreeSet<Selector>, BTreeSet<usize>) {
        let (mut selectors, mut globals) = (BTreeSet::new(), BTreeSet::new());
        for (call, version) in calls.into_iter().zip(versions) {
            let effects = &self.effects[version][self.arena.record(call).callee.index()];
            selectors.extend(&effects.accesses);
            globals.extend(effects.globals.iter().map(|global| global.index()));
        }
        (selectors, globals)
    }
}
