//! Claims: what is assumed of calls, and what of it was used.
//!
//! In: nothing. Out: [`Claims`], which hold by hypothesis, and [`Uses`], which must be shown to stand.
//!
//! Two kinds. A claim from all stores is known by its pair. A claim from the stores that satisfy a condition is known by its
//! number, for a pair may have several (rule *Condition*).

use lang_l::hir::{Expr, ExprKind, ProcId, Procedure};
use std::collections::BTreeMap;

/// How much is claimed of a pair of procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// If both end, they end alike.
    Partial,
    /// And they end from the same stores.
    Full,
}

/// A pair of procedures of the two versions, from some stores.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionalClaim {
    /// The procedures.
    pub pair: (ProcId, ProcId),
    /// Of which stores on entry it is, in the names of version 0; of all where there is no condition.
    pub condition: Option<Expr>,
    /// How much is claimed; `None` once it has fallen.
    pub level: Option<Level>,
}

/// The claims that hold by hypothesis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claims {
    /// Those from all stores: for callee of version 0 and callee of version 1.
    pub always: BTreeMap<(ProcId, ProcId), Level>,
    /// The others.
    pub conditional: Vec<ConditionalClaim>,
}

/// The claims that a proof rests on, each at the level at which it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Those from all stores.
    pub always: BTreeMap<(ProcId, ProcId), Level>,
    /// The others, by number.
    pub conditional: BTreeMap<usize, Level>,
}

impl Claims {
    /// No claims.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether all that was used stands, at the level at which it was used.
    pub fn support(&self, uses: &Uses) -> bool {
        let always = |(pair, level): (_, &Level)| self.always.get(pair).is_some_and(|has| has >= level);
        let conditional = |(at, level): (&usize, &Level)| {
            self.conditional.get(*at).and_then(|claim| claim.level).is_some_and(|has| has >= *level)
        };
        uses.always.iter().all(always) && uses.conditional.iter().all(conditional)
    }
}

impl FromIterator<((ProcId, ProcId), Level)> for Claims {
    fn from_iter<I: IntoIterator<Item = ((ProcId, ProcId), Level)>>(always: I) -> Self {
        Claims { always: always.into_iter().collect(), conditional: Vec::new() }
    }
}

impl Uses {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what something else used: what one needs in part another may need in full.
    pub fn merge(&mut self, other: Uses) {
        other.always.into_iter().for_each(|(pair, level)| self.needs(pair, level));
        other.conditional.into_iter().for_each(|(at, level)| self.needs_conditional(at, level));
    }

    /// Notes that a claim from all stores was used.
    pub fn needs(&mut self, pair: (ProcId, ProcId), level: Level) {
        let used = self.always.entry(pair).or_insert(level);
        *used = level.max(*used);
    }

    /// Notes that a claim under a condition was used.
    pub fn needs_conditional(&mut self, at: usize, level: Level) {
        let used = self.conditional.entry(at).or_insert(level);
        *used = level.max(*used);
    }
}

impl ConditionalClaim {
    /// Whether the condition can be asked of a call: it speaks of the store at one moment, and of what can be named there.
    ///
    /// What ranges over all objects there are means another thing at a call, where there are more of them.
    /// `within` is the procedure of version 0.
    pub fn is_askable(&self, within: &Procedure) -> bool {
        let moves = |part: &Expr| {
            matches!(part.kind, ExprKind::Call(..) | ExprKind::Old(_) | ExprKind::Fresh(_) | ExprKind::Reach(..))
        };
        let is_plain = |condition: &Expr| !condition.any(&moves) && !condition.quantifies_references(within);
        self.condition.as_ref().is_none_or(is_plain) || faults::planted("kernel/relate/condition-moves")
    }
}
