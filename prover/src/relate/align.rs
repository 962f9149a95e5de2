//! Alignments: which objects and calls of version 1 are given the names of which of version 0.
//!
//! Invariant: injective. A birth or call of version 0 is the image of at most one of version 1 (the paper, definitions 5
//! and 6; `proofs/soundness.md`, rule *Match*).

use crate::exec::state::{Outcome};
use smt::arena::{World};
use smt::term::{Birth, CallId, Renaming};
use std::collections::BTreeMap;

/// A partial injection from version 1 to version 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Allocations.
    pub births: BTreeMap<Birth, Birth>,
    /// Calls; what they allocate goes along.
    pub calls: BTreeMap<CallId, CallId>,
}

impl Alignment {
    /// Adds an allocation pair; false, and nothing added, when either side is taken.
    #[must_use]
    pub fn bind(&mut self, theirs: Birth, mine: Birth) -> bool {
        if let Some(&old) = self.births.get(&theirs) {
            return old == mine;
        }
        if self.births.values().any(|&taken| taken == mine) {
            return false;
        }
        self.births.insert(theirs, mine);
        true
    }

    /// The outcome of version 1 in the names of version 0, and the renaming that gives them.
    pub fn apply(&self, world: &mut World, right: &Outcome) -> (Outcome, Renaming) {
        let mut renaming = self.renaming(world);
        if renaming.births.is_empty() && renaming.calls.is_empty() {
            return (right.clone(), renaming);
        }
        let renamed = right.rename(world, &mut renaming);
        (renamed, renaming)
    }

    /// As a renaming of terms; calls that have no partner get their images from [`Outcome::rename`].
    fn renaming(&self, world: &World) -> Renaming {
        let mut renaming = Renaming::default();
        renaming.births.extend(self.births.iter().map(|(&theirs, &mine)| (theirs, mine)));
        for (&theirs, &mine) in &self.calls {
            renaming.calls.insert(theirs, mine);
            renaming.births.insert(world.terms.reach(theirs).fresh, world.terms.reach(mine).fresh);
        }
        renaming
    }
}
