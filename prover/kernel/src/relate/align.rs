//! Alignments: which objects and calls of version 1 are given the names of which of version 0.
//!
//! Invariant: injective. An alloc or call of version 0 is the image of at most one of version 1 (the paper, definitions 5
//! and 6; `proofs/soundness.md`, rule *Match*).

use crate::exec::state::Outcome;
use lang_l::source::Span;
use smt::arena::{Arena, CallRecord};
use smt::term::{AllocClass, CallId, Kind, Origin, PathFacts, Renaming, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A partial injection from version 1 to version 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Correspondence {
    /// Allocations.
    pub allocs: BTreeMap<AllocClass, AllocClass>,
    /// Calls; what they allocate goes along.
    pub calls: BTreeMap<CallId, CallId>,
    /// Calls that were compared, of version 1 and of version 0: they end alike, and keep their names. Here a call may be several times.
    pub compared: BTreeSet<(CallId, CallId)>,
}

/// The right outcome in the left one's names, with the renaming that did it.
pub struct RenamedOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// The renaming.
    pub renaming: Renaming,
    /// Both path conditions, for look-up.
    pub known: PathFacts,
    /// Both path conditions.
    pub assumptions: Vec<Term>,
    /// Both path conditions contradict each other as far as the simplifier sees.
    pub contradictory: bool,
}

impl Correspondence {
    /// Adds two calls that start alike, and are given one name, or are compared alone.
    pub fn add(&mut self, theirs: CallId, mine: CallId, compared: bool) {
        if compared {
            self.compared.insert((theirs, mine));
        } else {
            self.calls.insert(theirs, mine);
        }
    }

    /// Whether two calls may be added: neither has a partner, or they are to be compared, and are not yet.
    pub fn is_open(&self, theirs: CallId, mine: CallId, compared: bool) -> bool {
        if compared {
            !self.compared.contains(&(theirs, mine))
        } else {
            !self.calls.contains_key(&theirs) && self.calls.values().all(|&taken| taken != mine)
        }
    }

    /// Adds an allocation pair; false, and nothing added, when either side is taken.
    #[must_use]
    pub fn bind(&mut self, theirs: AllocClass, mine: AllocClass) -> bool {
        if let Some(&old) = self.allocs.get(&theirs) {
            return old == mine;
        }
        if self.allocs.values().any(|&taken| taken == mine) && !faults::planted("kernel/relate/injective") {
            return false;
        }
        self.allocs.insert(theirs, mine);
        true
    }

    /// The outcome of version 1 in the names of version 0, and the renaming that gives them.
    pub fn apply(&self, arena: &mut Arena, right: &Outcome) -> (Outcome, Renaming) {
        let mut renaming = self.renaming(arena);
        if renaming.allocs.is_empty() && renaming.calls.is_empty() {
            return (right.clone(), renaming);
        }
        let renamed = right.rename(arena, &mut renaming);
        (renamed, renaming)
    }

    /// As a renaming of terms; calls that have no partner get their images from [`Outcome::rename`].
    pub(super) fn renaming(&self, arena: &Arena) -> Renaming {
        let mut renaming = Renaming::default();
        renaming.allocs.extend(self.allocs.iter().map(|(&theirs, &mine)| (theirs, mine)));
        for (&theirs, &mine) in &self.calls {
            renaming.calls.insert(theirs, mine);
            renaming.allocs.insert(arena.terms.reach(theirs).fresh, arena.terms.reach(mine).fresh);
        }
        renaming
    }
}

/// Whether two allocations may correspond by what they allocate; lengths of arrays are another matter.
pub fn same_class(arena: &Arena, mine: AllocClass, theirs: AllocClass) -> bool {
    match (arena.terms.origin(mine), arena.terms.origin(theirs)) {
        (Origin::New(Kind::Object(a)), Origin::New(Kind::Object(b))) => a == b,
        (Origin::New(Kind::Array(a, _)), Origin::New(Kind::Array(b, _))) => a == b,
        _ => false,
    }
}

/// Where two calls are, in the two versions.
pub fn places(records: [&CallRecord; 2], versions: [usize; 2]) -> [Vec<Span>; 2] {
    let mut places = [Vec::new(), Vec::new()];
    for (record, version) in records.into_iter().zip(versions) {
        places[version].push(record.span);
    }
    places
}
