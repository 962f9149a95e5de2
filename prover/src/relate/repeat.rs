//! Repeated calls: two calls of one execution that start from isomorphic regions end in isomorphic ones.
//!
//! Two calls of one version may both be like a single call of the other. They cannot both be *equated* with it, for they
//! allocate twice (the paper's figure 8 and section 4.1). But each is *isomorphic* to the other: where the first was handed
//! `rf0` the second was handed `rf1`, and that is all. So integers, booleans and null come out the same, an object that
//! existed before comes out as the very same object, and `rf0` comes out as `rf1`.
//!
//! Rule *Repeat* in `proofs/soundness.md`. The renaming is a permutation of the execution's own allocations, so the renamed
//! execution is an execution, and the check is the one that aligns calls of two versions.

use super::Searcher;
use kernel::exec::state::Outcome;
use kernel::relate::{Correspondence, Repeat};
use smt::term::{AllocSet, CallId};

impl Searcher<'_> {
    /// The outcome with what is known of repeated calls added to its path condition, and which calls these are.
    pub(super) fn with_repeats(&mut self, outcome: &Outcome, version: usize) -> (Outcome, Vec<Repeat>) {
        let mut enriched = outcome.clone();
        let mut repeats = Vec::new();
        for (at, &later) in outcome.calls.iter().enumerate() {
            for &earlier in &outcome.calls[..at] {
                let callee = self.relater.arena.record(later).callee;
                let local = !self.relater.effects[version][callee.index()].non_local;
                if self.relater.arena.record(earlier).callee != callee
                    || !(local || faults::planted("relate/repeat-non-local"))
                    || self.attempts == 0
                {
                    continue;
                }
                self.attempts -= 1;
                if let Some((swap, region)) = self.isomorphic_starts(&enriched, version, earlier, later) {
                    let effects = self.relater.isomorphic_ends(version, (earlier, later), &swap, &region);
                    enriched.path.extend(effects);
                    let moved = swap
                        .allocs
                        .into_iter()
                        .filter(|(alloc, image)| alloc != image && !faults::planted("relate/repeat-swapped-back"));
                    repeats.push(Repeat { earlier, later, swap: moved.collect() });
                    break;
                }
            }
        }
        (enriched, repeats)
    }

    /// The permutation of allocations under which `later` starts where `earlier` did, which swaps pairs; and what `earlier` reaches.
    fn isomorphic_starts(
        &mut self,
        outcome: &Outcome,
        version: usize,
        earlier: CallId,
        later: CallId,
    ) -> Option<(Correspondence, AllocSet)> {
        let current = self.relater.align(outcome, outcome, &Correspondence::default());
        let proposed = self.propose(outcome, &current, version, earlier, later);
        let mut swap = Correspondence::default();
        for (&theirs, &mine) in &proposed.allocs {
            if theirs != mine && !(swap.bind(theirs, mine) && swap.bind(mine, theirs)) {
                return None;
            }
        }
        for &(alloc, _) in &outcome.news {
            // All others stay as they are; where that is not possible they are swapped already.
            let _ = swap.bind(alloc, alloc);
        }
        if !self.relater.swapped_alike(outcome, &swap) {
            return None;
        }
        let calls = (earlier, later);
        let alike = self.relater.start_alike(outcome, outcome, &swap, calls, [version, version]);
        let unchecked = || {
            faults::planted("relate/repeat-unchecked").then(|| self.relater.arena.terms.reach(earlier).region.clone())
        };
        let region = alike.or_else(unchecked)?;
        Some((swap, region))
    }
}
