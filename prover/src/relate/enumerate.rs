//! The paper's enumeration of correspondences, as the fallback for what the walk in lock step did not find.
//!
//! In: what is aligned already. Out: alignments of the remaining allocations, the likeliest first: in the order of
//! allocation, as many as can be paired; then every other partial injection between allocations of the same class, up to a
//! budget. Source: the paper, section 2 and figure 2 (there, all of them are tried at once).
//!
//! Invariant: each is an injection, so any of them may be tried (rule *Match*).

use super::Searcher;
use crate::budget::relate::{MAX_OPEN, MAX_TRIED};
use kernel::exec::state::Outcome;
use kernel::relate::{Correspondence, same_class};
use smt::arena::Arena;
use smt::term::AllocClass;

impl Searcher<'_> {
    /// The first correspondence, of those not found by the walk, under which the final stores are equal.
    pub(super) fn enumerated(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        alignment: &Correspondence,
    ) -> Option<Correspondence> {
        let open = |outcome: &Outcome, taken: &dyn Fn(AllocClass) -> bool| -> Vec<AllocClass> {
            outcome.news.iter().map(|(alloc, _)| *alloc).filter(|&alloc| !taken(alloc)).collect()
        };
        let mine = open(left, &|alloc| alignment.allocs.values().any(|&taken| taken == alloc));
        let theirs = open(right, &|alloc| alignment.allocs.contains_key(&alloc));
        if mine.is_empty() || theirs.is_empty() || mine.len() > MAX_OPEN || theirs.len() > MAX_OPEN {
            return None;
        }
        let mut all = Vec::new();
        extend(self.relater.arena, &mine, &theirs, alignment.clone(), &mut all);
        all.into_iter().find_map(|candidate| {
            let alike = self.relater.lengths_alike(left, right, alignment, &candidate);
            alike.then(|| self.relater.equal_at_end(left, right, candidate).ok())?
        })
    }
}

/// All ways to give each of `theirs` a partner of its class among `mine`, or none.
fn extend(
    arena: &Arena,
    mine: &[AllocClass],
    theirs: &[AllocClass],
    alignment: Correspondence,
    all: &mut Vec<Correspondence>,
) {
    if all.len() >= MAX_TRIED {
        return;
    }
    let Some((&first, rest)) = theirs.split_first() else {
        all.push(alignment);
        return;
    };
    for &partner in mine {
        let mut better = alignment.clone();
        if (faults::planted("relate/enumerate-class-ignored") || same_class(arena, partner, first))
            && better.bind(first, partner)
        {
            extend(arena, mine, rest, better, all);
        }
    }
    extend(arena, mine, rest, alignment, all);
}
