//! Agreement: arguments equal, regions equal, final heaps equal on all that can be reached.
//!
//! The witness for "what can be reached" is a set of allocs that holds the roots and is closed under every field in one of
//! the two heaps. Since the other heap agrees on the set, it is closed there too. The least such set is computed, from what
//! is stored where. Where that is too coarse, the solver is asked whether a value can really have an alloc outside (rule
//! *Closure*).

use super::unify::Unifier;
use super::{Correspondence, FailedGoal, Relater};
use crate::exec::state::Outcome;
use lang_l::source::Span;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use smt::heap::{HeapId, HeapNode};
use smt::obligation::{Obligation, Purpose, Tag};
use smt::solve::Answer;
use smt::term::{AllocClass, AllocSet, CallId, Func, Kind, Node, Origin, PathFacts, Renaming, Selector, Sort, Term};
use std::collections::BTreeSet;

/// The right outcome in the left one's names, with the renaming that did it.
pub(super) struct RenamedOutcome {
    pub(super) outcome: Outcome,
    pub(super) renaming: Renaming,
    pub(super) known: PathFacts,
    pub(super) assumptions: Vec<Term>,
    /// Both path conditions contradict each other as far as the simplifier sees.
    pub(super) contradictory: bool,
}

/// Two outcomes on the way to a correspondence.
#[derive(Clone, Copy)]
pub(super) struct Sides<'s> {
    pub(super) left: &'s Outcome,
    pub(super) right: &'s Outcome,
    /// The right one in the left one's names, as far as these are known.
    pub(super) current: &'s RenamedOutcome,
    /// What corresponds so far.
    pub(super) alignment: &'s Correspondence,
}

/// Where a walk over two heaps begins.
struct Start<'s> {
    heaps: [HeapId; 2],
    /// The fields that it follows.
    selectors: &'s BTreeSet<Selector>,
    /// Values that are to be equal.
    pairs: &'s [(Term, Term)],
    /// Whether also all that was written is to be equal.
    writes: bool,
}

/// Conditions that decide what corresponds, each with the side whose names it uses.
pub(super) type Splits = Vec<(usize, Term)>;

impl Relater<'_> {
    /// Tries to align one call of each side: arguments, the globals the callees look at, and the regions these reach must be
    /// equal. `None` when that is not proved.
    pub(super) fn match_calls(
        &mut self,
        sides: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        splits: &mut Splits,
    ) -> Option<Correspondence> {
        let tentative = self.walk_call(sides, (mine, theirs), [0, 1], splits);
        self.start_alike(sides.left, sides.right, &tentative, (mine, theirs), [0, 1])?;
        let mut better = tentative;
        better.calls.insert(theirs, mine);
        Some(better)
    }

    /// The allocations that must correspond for two calls of one outcome to start alike.
    pub(super) fn propose(
        &mut self,
        outcome: &Outcome,
        current: &RenamedOutcome,
        version: usize,
        earlier: CallId,
        later: CallId,
    ) -> Correspondence {
        let nothing = Correspondence::default();
        let sides = Sides { left: outcome, right: outcome, current, alignment: &nothing };
        self.walk_call(sides, (earlier, later), [version, version], &mut Splits::new())
    }

    /// Walks from the arguments of two calls, and from the globals their callees look at.
    fn walk_call(
        &mut self,
        sides: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        versions: [usize; 2],
        splits: &mut Splits,
    ) -> Correspondence {
        let calls = [mine, sides.current.renaming.call(theirs)];
        let [record, other] = calls.map(|call| self.arena.record(call).clone());
        let (selectors, globals) = self.looked_at(calls, versions);
        let pairs: Vec<(Term, Term)> = self
            .arguments([&record, &other], versions)
            .into_iter()
            .chain(globals.iter().map(|&g| (record.globals[g], other.globals[g])))
            .collect();
        let heaps = [record.heap, other.heap];
        self.walk(sides, &Start { heaps, selectors: &selectors, pairs: &pairs, writes: false }, splits)
    }

    /// The selectors and globals that the callees of two calls look at.
    fn looked_at(&self, calls: [CallId; 2], versions: [usize; 2]) -> (BTreeSet<Selector>, BTreeSet<usize>) {
        let (mut selectors, mut globals) = (BTreeSet::new(), BTreeSet::new());
        for (call, version) in calls.into_iter().zip(versions) {
            let effects = &self.effects[version][self.arena.record(call).callee.index()];
            selectors.extend(&effects.accesses);
            globals.extend(effects.globals.iter().map(|global| global.index()));
        }
        (selectors, globals)
    }

    /// Whether two calls start from equal arguments, globals and regions once the alignment is applied to the right side.
    pub(super) fn start_alike(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: &Correspondence,
        (mine, theirs): (CallId, CallId),
        versions: [usize; 2],
    ) -> Option<()> {
        let aligned = self.align(left, right, alignment);
        let calls = [mine, aligned.renaming.call(theirs)];
        let [record, other] = calls.map(|call| self.arena.record(call).clone());
        let (selectors, globals) = self.looked_at(calls, versions);
        let mut goals = self.equal_lengths(alignment, &aligned);
        let mut roots: Vec<Term> = record.args.clone();
        match self.relation([&record, &other], versions) {
            None => {
                let equal = record.args.iter().zip(&other.args).map(|(a, b)| self.arena.terms.eq(*a, *b));
                goals.extend(equal);
            }
            // What the other side alone is given lies in the region as well: what is equal in the two heaps is all that either sees.
            Some(_) => roots.extend(&other.args),
        }
        for &global in &globals {
            goals.push(self.arena.terms.eq(record.globals[global], other.globals[global]));
            roots.push(record.globals[global]);
        }
        let common = self.common(alignment);
        let region = self.region((&aligned, &common), record.heap, AllocSet::new(), &roots, &selectors)?;
        goals.extend(self.equal_on([record.heap, other.heap], &region, &selectors));
        let mut places = [Vec::new(), Vec::new()];
        places[versions[0]].push(record.span);
        places[versions[1]].push(other.span);
        let tag = Purpose::CallsStartEqual(mine, theirs).between(places);
        self.holds(&aligned, &goals, tag).then_some(())?;
        self.weaken(&aligned, [&record, &other], versions);
        Some(())
    }

    /// Whether the final stores of two normal outcomes are isomorphic; the alignment that shows it.
    pub(super) fn isomorphic(&mut self, sides: Sides<'_>, splits: &mut Splits) -> Result<Correspondence, FailedGoal> {
        let Sides { left, right, current, .. } = sides;
        let selectors = crate::effects::every_selector(self.unit);
        let pairs: Vec<(Term, Term)> = left
            .results
            .iter()
            .copied()
            .zip(current.outcome.results.iter().copied())
            .chain(left.globals.iter().copied().zip(current.outcome.globals.iter().copied()))
            .collect();
        let heaps = [left.heap, current.outcome.heap];
        let start = Start { heaps, selectors: &selectors, pairs: &pairs, writes: true };
        let alignment = self.walk(sides, &start, splits);
        self.equal_at_end(left, right, alignment)
    }

    /// Whether two normal outcomes end in equal stores under this alignment, as far as these can be seen.
    pub(super) fn equal_at_end(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: Correspondence,
    ) -> Result<Correspondence, FailedGoal> {
        let selectors = crate::effects::every_selector(self.unit);
        let aligned = self.align(left, right, &alignment);
        let mut goals = self.equal_lengths(&alignment, &aligned);
        let mut roots = Vec::new();
        let ends = left.results.iter().chain(&left.globals).copied();
        for (a, b) in ends.zip(aligned.outcome.results.iter().chain(&aligned.outcome.globals)) {
            goals.push(self.arena.terms.eq(a, *b));
            roots.push(a);
        }
        let values = self.arena.terms.and(&goals);
        let old = AllocSet::of(AllocClass::OLD);
        let common = self.common(&alignment);
        let Some(region) = self.region((&aligned, &common), left.heap, old, &roots, &selectors) else {
            return Err(self.failed_goal("an object that only one version makes may stay reachable", left, right));
        };
        goals.extend(self.equal_on([left.heap, aligned.outcome.heap], &region, &selectors));
        let tag = Purpose::StoresEqual.between(self.call_places(left, right));
        if self.holds(&aligned, &goals, tag) {
            return Ok(alignment);
        }
        let what = if self.arena.terms.is_false(values) {
            "the results or globals differ"
        } else {
            "the final heaps could not be shown equal where they can be reached"
        };
        Err(self.failed_goal(what, left, right))
    }

    fn failed_goal(&self, what: &str, left: &Outcome, right: &Outcome) -> FailedGoal {
        FailedGoal { what: what.to_string(), places: self.call_places(left, right) }
    }

    /// Where the calls on two paths are.
    fn call_places(&self, left: &Outcome, right: &Outcome) -> [Vec<Span>; 2] {
        [left, right].map(|outcome| outcome.calls.iter().map(|&call| self.arena.record(call).span).collect())
    }

    /// Gives the right outcome the names of the left one.
    pub(super) fn align(&mut self, left: &Outcome, right: &Outcome, alignment: &Correspondence) -> RenamedOutcome {
        let (outcome, renaming) = alignment.apply(self.arena, right);
        let mut known = PathFacts::new();
        let mut contradictory = false;
        for &condition in left.path.iter().chain(&outcome.path) {
            contradictory |= !known.assume(&mut self.arena.terms, condition);
        }
        let all: BTreeSet<Term> = left.path.iter().chain(&outcome.path).copied().collect();
        RenamedOutcome { outcome, renaming, known, assumptions: all.into_iter().collect(), contradictory }
    }

    /// Walks both heaps; the alignment that this proposes.
    fn walk(&mut self, sides: Sides<'_>, start: &Start<'_>, splits: &mut Splits) -> Correspondence {
        let Sides { left, right, current, alignment } = sides;
        let mut named: BTreeSet<AllocClass> = alignment.allocs.values().copied().collect();
        named.extend(alignment.calls.values().map(|&call| self.arena.terms.reach(call).fresh));
        let mut unifier = Unifier {
            arena: self.arena,
            known: &current.known,
            alignment: alignment.clone(),
            named,
            heaps: start.heaps,
            selectors: start.selectors.clone(),
            splits: Vec::new(),
            seen: HashSet::default(),
        };
        for &(a, b) in start.pairs {
            unifier.unify(a, b);
        }
        if start.writes {
            unifier.unify_writes();
        }
        let (found, open) = (unifier.alignment, unifier.splits);
        // A condition of the right side goes back into that side's own names.
        let inverse = inverse(&current.renaming);
        let mut memo = HashMap::default();
        for (side, condition) in open {
            let condition = if side == 1 { self.arena.terms.rename(condition, &inverse, &mut memo) } else { condition };
            if self.speaks_of(condition, [left, right][side]) && !splits.contains(&(side, condition)) {
                splits.push((side, condition));
            }
        }
        found
    }

    /// Whether a condition speaks only of the entry store and of what this outcome made itself.
    ///
    /// Rule *Split*: only such a condition keeps its truth whatever names the two sides are given later. One that compares
    /// an object of one side with one of the other does not, so it must not be split on.
    pub(super) fn speaks_of(&self, condition: Term, outcome: &Outcome) -> bool {
        let mut seen = HashSet::default();
        let mut work = vec![condition];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let node = self.arena.terms.node(term);
            let own = match node {
                Node::App(Func::New(alloc), _) => outcome.news.iter().any(|(own, _)| own == alloc),
                Node::App(
                    Func::Effect(call, _)
                    | Func::Result(call, _)
                    | Func::GlobalAfter(call, _)
                    | Func::Ending(call)
                    | Func::InRegion(call),
                    _,
                ) => outcome.calls.contains(call),
                Node::App(Func::Skolem(_), _) | Node::Forall(..) => false,
                Node::InClass(_, alloc) => match self.arena.terms.origin(*alloc) {
                    Origin::Call(call) => outcome.calls.contains(call),
                    _ => true,
                },
                _ => true,
            };
            if !own {
                return false;
            }
            work.extend(node.children());
        }
        true
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
            work.extend(set.iter().filter(|&alloc| !done.contains(alloc)));
        }
        Some(set)
    }

    /// Adds the allocs a value can have to `set`; `None` when one of them may be outside `common`.
    fn admit(&mut self, aligned: &RenamedOutcome, common: &AllocSet, value: Term, set: &mut AllocSet) -> Option<()> {
        let value = self.arena.terms.simplify(value, &aligned.known);
        if self.arena.terms.sort(value) != Sort::Ref {
            return Some(());
        }
        for alloc in self.arena.terms.allocs(value).clone().without_null().iter() {
            if common.contains(alloc) {
                set.insert(alloc);
                continue;
            }
            let born = self.arena.terms.born(value, alloc);
            let outside = self.arena.terms.not(born);
            if !self.holds(aligned, &[outside], Purpose::NotOfClass(alloc).into()) {
                return None;
            }
        }
        Some(())
    }

    /// Equalities that make two heaps agree on every object of `region`.
    fn equal_on(&mut self, heaps: [HeapId; 2], region: &AllocSet, selectors: &BTreeSet<Selector>) -> Vec<Term> {
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
                goals.push(self.arena.terms.eq(a, b));
            }
        }
        goals
    }

    /// Aligned arrays are of the same length. Once renamed, both have the length of the left one, so it must be asked here.
    fn equal_lengths(&mut self, alignment: &Correspondence, aligned: &RenamedOutcome) -> Vec<Term> {
        let mut goals = Vec::new();
        let mut memo = HashMap::default();
        for (&theirs, &mine) in &alignment.allocs {
            if let (Origin::New(Kind::Array(_, a)), Origin::New(Kind::Array(_, b))) =
                (self.arena.terms.origin(mine).clone(), self.arena.terms.origin(theirs).clone())
            {
                let b = self.arena.terms.rename(b, &aligned.renaming, &mut memo);
                goals.push(self.arena.terms.eq(a, b));
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

    pub(super) fn holds(&mut self, aligned: &RenamedOutcome, goals: &[Term], tag: Tag) -> bool {
        let goals: Vec<Term> = goals.iter().map(|&goal| self.arena.terms.simplify(goal, &aligned.known)).collect();
        let goal = self.arena.terms.and(&goals);
        if self.arena.terms.is_true(goal) {
            return true;
        }
        let obligation = Obligation { assumptions: aligned.assumptions.clone(), goal, tag };
        self.solver.prove(self.arena, &obligation) == Answer::Holds
    }
}

fn inverse(renaming: &Renaming) -> Renaming {
    Renaming {
        allocs: renaming.allocs.iter().map(|(&a, &b)| (b, a)).collect(),
        calls: renaming.calls.iter().map(|(&a, &b)| (b, a)).collect(),
    }
}
