//! The angelic choices: which allocations of the two versions give the same object, and which calls correspond.
//!
//! In: the sites of both bodies and the pairs claimed. Out: all strategies that leave nothing unpaired that could still be
//! paired; allocations of different classes and calls of unrelated procedures are never paired.
//!
//! Invariant: each list of a strategy is injective both ways.

use super::Unsupported;
use super::sites::Sites;
use crate::budget::paper::{MAX_STRATEGIES, MAX_STRATEGY_STEPS};
use crate::goal::Pair;
use std::collections::BTreeSet;

/// Pairs of sites: of version 0 and of version 1.
type Matching = Vec<(usize, usize)>;

/// One correspondence between the two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Strategy {
    pub(super) allocations: Matching,
    pub(super) calls: Matching,
}

/// All strategies worth trying.
pub(super) fn strategies(sites: [&Sites; 2], claims: &BTreeSet<Pair>) -> Result<Vec<Strategy>, Unsupported> {
    let [left, right] = sites;
    let allocations =
        matchings(left.allocations.len(), right.allocations.len(), &|a, b| left.allocations[a] == right.allocations[b]);
    let calls =
        matchings(left.calls.len(), right.calls.len(), &|a, b| claims.contains(&(left.calls[a], right.calls[b])));
    if allocations.len() * calls.len() > MAX_STRATEGIES {
        return Err(Unsupported(format!("there are more than {MAX_STRATEGIES} ways to pair allocations and calls")));
    }
    let combine = |allocations: &Matching| {
        let allocations = allocations.clone();
        calls.iter().map(move |calls| Strategy { allocations: allocations.clone(), calls: calls.clone() })
    };
    Ok(allocations.iter().flat_map(combine).collect())
}

/// All maximal matchings, the one in source order first; one more than can be used at most.
fn matchings(left: usize, right: usize, fits: &dyn Fn(usize, usize) -> bool) -> Vec<Matching> {
    let mut found = Vec::new();
    let mut search = Search { left, right, fits, steps: 0 };
    search.extend(0, &mut Vec::new(), &mut found);
    found
}

struct Search<'a> {
    left: usize,
    right: usize,
    fits: &'a dyn Fn(usize, usize) -> bool,
    steps: usize,
}

impl Search<'_> {
    fn extend(&mut self, at: usize, chosen: &mut Matching, found: &mut Vec<Matching>) {
        self.steps += 1;
        if found.len() > MAX_STRATEGIES || self.steps > MAX_STRATEGY_STEPS {
            // Whoever asked sees that there are too many.
            found.resize(found.len().max(MAX_STRATEGIES + 1), Vec::new());
            return;
        }
        if at == self.left {
            if self.is_maximal(chosen) {
                found.push(chosen.clone());
            }
            return;
        }
        for other in 0..self.right {
            if (self.fits)(at, other) && !chosen.iter().any(|&(_, taken)| taken == other) {
                chosen.push((at, other));
                self.extend(at + 1, chosen, found);
                chosen.pop();
            }
        }
        self.extend(at + 1, chosen, found);
    }

    fn is_maximal(&self, chosen: &Matching) -> bool {
        let free = |a: usize, b: usize| !chosen.iter().any(|&(x, y)| x == a || y == b);
        !(0..self.left).any(|a| (0..self.right).any(|b| (self.fits)(a, b) && free(a, b)))
    }
}
