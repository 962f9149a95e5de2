//! The walk over two heaps in lock step that proposes which allocations correspond.
//!
//! In: two outcomes, and what corresponds so far. Out: more of it, for two calls to start alike or for two stores to be equal.
//!
//! Invariant: what is proposed is checked by [`kernel::relate`] before it counts.

use super::Searcher;
use super::unify::Unifier;
use kernel::exec::state::Outcome;
use kernel::relate::{Correspondence, FailedGoal, RenamedOutcome};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use smt::heap::HeapId;
use smt::term::{AllocClass, CallId, Renaming, Selector, Term};
use std::collections::BTreeSet;

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

impl Searcher<'_> {
    /// Tries to align one call of each side: arguments, the globals the callees look at, and the regions these reach must be
    /// equal. `None` when that is not proved.
    pub(super) fn match_calls(
        &mut self,
        sides: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        splits: &mut Splits,
    ) -> Option<Correspondence> {
        let given = self.walk_call(sides, (mine, theirs), [0, 1], false, splits);
        if let Some(better) = self.starts_alike(sides, (mine, theirs), given.clone()) {
            return Some(better);
        }
        // What nothing but old objects lead to.
        let written = self.walk_call(sides, (mine, theirs), [0, 1], true, splits);
        (written.allocs != given.allocs).then(|| self.starts_alike(sides, (mine, theirs), written))?
    }

    /// What corresponds once two calls do, if they start alike under what was proposed.
    fn starts_alike(
        &mut self,
        sides: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        mut proposed: Correspondence,
    ) -> Option<Correspondence> {
        if !self.relater.lengths_alike(sides.left, sides.right, sides.alignment, &proposed) {
            return None;
        }
        let (aligned, records, _) =
            self.relater.regions_alike(sides.left, sides.right, &proposed, (mine, theirs), [0, 1])?;
        self.weaken(&aligned, records.each_ref(), [0, 1]);
        proposed.add(theirs, mine, self.compares(mine, theirs));
        Some(proposed)
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
        self.walk_call(sides, (earlier, later), [version, version], false, &mut Splits::new())
    }

    /// Walks from the arguments of two calls, and from the globals their callees look at; with `writes` also from what was written to
    /// old objects, of what the callees look at.
    fn walk_call(
        &mut self,
        sides: Sides<'_>,
        (mine, theirs): (CallId, CallId),
        versions: [usize; 2],
        writes: bool,
        splits: &mut Splits,
    ) -> Correspondence {
        let calls = [mine, sides.current.renaming.call(theirs)];
        let [record, other] = calls.map(|call| self.relater.arena.record(call).clone());
        let (selectors, globals) = self.relater.looked_at(calls, versions);
        let pairs: Vec<(Term, Term)> = self
            .relater
            .arguments([&record, &other], versions)
            .into_iter()
            .chain(globals.iter().map(|&g| (record.globals[g], other.globals[g])))
            .collect();
        let heaps = [record.heap, other.heap];
        self.walk(sides, &Start { heaps, selectors: &selectors, pairs: &pairs, writes }, splits)
    }

    /// Whether the final stores of two normal outcomes are isomorphic; the alignment that shows it.
    pub(super) fn isomorphic(&mut self, sides: Sides<'_>, splits: &mut Splits) -> Result<Correspondence, FailedGoal> {
        let Sides { left, right, current, .. } = sides;
        let selectors = kernel::effects::every_selector(self.relater.unit);
        let pairs = self.relater.equal_at_ends(left, &current.outcome);
        let heaps = [left.heap, current.outcome.heap];
        let start = Start { heaps, selectors: &selectors, pairs: &pairs, writes: true };
        let alignment = self.walk(sides, &start, splits);
        if !self.relater.lengths_alike(left, right, sides.alignment, &alignment) {
            let what = "two new arrays that would have to correspond could not be shown to be of the same length";
            return Err(FailedGoal { what: what.to_string(), places: self.relater.call_places(left, right) });
        }
        self.relater.equal_at_end(left, right, alignment)
    }

    /// Walks both heaps; the alignment that this proposes.
    fn walk(&mut self, sides: Sides<'_>, start: &Start<'_>, splits: &mut Splits) -> Correspondence {
        let Sides { left, right, current, alignment } = sides;
        let mut named: BTreeSet<AllocClass> = alignment.allocs.values().copied().collect();
        named.extend(alignment.calls.values().map(|&call| self.relater.arena.terms.reach(call).fresh));
        let mut unifier = Unifier {
            arena: self.relater.arena,
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
            let condition =
                if side == 1 { self.relater.arena.terms.rename(condition, &inverse, &mut memo) } else { condition };
            if self.relater.speaks_of(condition, [left, right][side]) && !splits.contains(&(side, condition)) {
                splits.push((side, condition));
            }
        }
        found
    }
}

fn inverse(renaming: &Renaming) -> Renaming {
    Renaming {
        allocs: renaming.allocs.iter().map(|(&a, &b)| (b, a)).collect(),
        calls: renaming.calls.iter().map(|(&a, &b)| (b, a)).collect(),
    }
}
