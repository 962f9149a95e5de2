//! That calls which start coupled end together.
//!
//! In: mutual summaries that are inductive. Out: whether the two procedures end from the same inputs.
//!
//! Rule *Couple ends* (`proofs/soundness.md`): say that one of two coupled calls ends. An endless path of the other comes to
//! a call that never ends. If that call is always coupled with a call of the side that ended, there is no such path.
//!
//! Invariant: nothing is chosen here. Calls meet in the order in which they stand, so a search and a check ask the same.

use super::Coupler;
use super::steps::{Call, EndlessPath, Step};
use crate::budget::coupling::{MAX_ENDING_QUERIES, MAX_ENDLESS};
use crate::goal::Pair;
use lang_l::hir::ProcId;
use smt::obligation::Purpose;
use smt::term::Term;
use std::collections::BTreeSet;

impl Coupler<'_, '_> {
    /// Whether both sides end from the same inputs, given that what is left of the summaries is inductive.
    pub(super) fn end_together(&mut self) -> bool {
        let (p, q) = self.pair;
        let blocks = |version: usize, id: ProcId| self.steps.effects(version, id).may_block;
        if blocks(0, p) || blocks(1, q) {
            return false;
        }
        self.queries = MAX_ENDING_QUERIES;
        self.purpose = Purpose::CallsEndTogether;
        let pairs: Vec<Pair> = self.summaries.keys().copied().collect();
        pairs.into_iter().all(|pair| {
            let wholes = (self.steps.whole(0, pair.0), self.steps.whole(1, pair.1));
            let coupled = self.coupled(pair, &wholes);
            self.path_by_path(pair, &coupled)
        }) && self.start_together()
    }

    /// The pairs whose summaries the proof uses, from its start on.
    pub(super) fn used(&mut self) -> BTreeSet<Pair> {
        let mut work: Vec<Pair> =
            self.start().iter().flat_map(|path_pair| &path_pair.calls).map(|(a, b)| (a.callee, b.callee)).collect();
        let mut used = BTreeSet::new();
        while let Some(pair) = work.pop() {
            if !self.summaries.contains_key(&pair) || !used.insert(pair) {
                continue;
            }
            let (lefts, rights) = (self.steps.steps(0, pair.0), self.steps.steps(1, pair.1));
            for left in &lefts {
                for right in &rights {
                    let path_pair = self.align(pair, left, right);
                    work.extend(path_pair.calls.iter().map(|(a, b)| (a.callee, b.callee)));
                }
            }
        }
        used
    }

    /// The two procedures themselves, from equal inputs; a side that recurs is taken whole where the other side only calls
    /// something that does.
    fn start_together(&mut self) -> bool {
        let (p, q) = self.pair;
        let equal = self.steps.equal_inputs(self.pair);
        match [self.steps.recursive(0, p), self.steps.recursive(1, q)] {
            // That equal inputs are coupled was shown at the start of the proof.
            [true, true] => self.summaries.contains_key(&self.pair),
            [false, false] => self.path_by_path(self.pair, &equal),
            [true, false] => self.against_recursion(1, &equal),
            [false, true] => self.against_recursion(0, &equal),
        }
    }

    /// One side's paths against the other side, which recurs, as a single call.
    fn against_recursion(&mut self, side: usize, equal: &[Term]) -> bool {
        let ids = [self.pair.0, self.pair.1];
        let (own, other) = (ids[side], ids[1 - side]);
        let whole = self.steps.whole(1 - side, other);
        let endless_whole = self.endless(1 - side, other);
        let endless_own = self.endless(side, own);
        let (Some(endless_whole), Some(endless_own)) = (endless_whole, endless_own) else { return false };
        // Where this side has ended, so has a call of it that the other side is coupled with.
        for step in self.steps.steps(side, own) {
            let known: Vec<Term> = equal.iter().chain(&step.path).copied().collect();
            let related = step.calls.iter().map(|call| oriented(side, call, &whole));
            let related = related.into_iter().find(|calls| self.summaries.contains_key(&callees(calls)));
            let shown = match related {
                _ if endless_whole.is_empty() => true,
                Some(calls) => self.coupling_follows(&known, &calls),
                None => endless_whole.iter().all(|endless| {
                    let known: Vec<Term> = known.iter().chain(&endless.path).copied().collect();
                    self.impossible(&known)
                }),
            };
            if !shown {
                return false;
            }
        }
        // Where the other side has ended, a call of this side that would not end is coupled with it.
        endless_own.iter().all(|endless| {
            let known: Vec<Term> = equal.iter().chain(&endless.path).copied().collect();
            match endless.open.as_ref().map(|open| oriented(side, open, &whole)) {
                Some(calls) => self.coupling_follows(&known, &calls),
                None => self.impossible(&known),
            }
        })
    }

    /// Each path that returns on one side against each on which the other side never ends, both ways.
    fn path_by_path(&mut self, pair: Pair, assumed: &[Term]) -> bool {
        let ids = [pair.0, pair.1];
        [0, 1].into_iter().all(|side| {
            let Some(endless) = self.endless(1 - side, ids[1 - side]) else { return false };
            let steps = self.steps.steps(side, ids[side]);
            let all = steps.iter().flat_map(|step| endless.iter().map(move |endless| (step, endless)));
            all.into_iter().all(|(step, endless)| self.excluded(side, pair, step, endless, assumed))
        })
    }

    /// Whether a path on which one side ended (`side`) excludes one on which the other never does.
    fn excluded(&mut self, side: usize, pair: Pair, step: &Step, endless: &EndlessPath, assumed: &[Term]) -> bool {
        let ids = [pair.0, pair.1];
        let mut known: Vec<Term> = assumed.iter().chain(&step.path).chain(&endless.path).copied().collect();
        let mut taken = vec![false; step.calls.len()];
        let mut partner = |call: &Call| {
            let own = call.callee == ids[1 - side];
            let at = (0..taken.len()).find(|&at| !taken[at] && (step.calls[at].callee == ids[side]) == own)?;
            taken[at] = true;
            Some(oriented(side, &step.calls[at], call))
        };
        for call in &endless.ended {
            let Some(calls) = partner(call) else { continue };
            if self.summaries.contains_key(&callees(&calls)) {
                if !self.coupling_follows(&known, &calls) {
                    return false;
                }
                known.extend(self.ended(callees(&calls), &calls));
            }
        }
        match endless.open.as_ref().and_then(partner) {
            Some(calls) => self.coupling_follows(&known, &calls),
            None => faults::planted("engines/coupling/ends-unchecked") || self.impossible(&known),
        }
    }

    /// The paths on which a procedure never ends: none if that is known; `None` if there are too many.
    fn endless(&mut self, version: usize, id: ProcId) -> Option<Vec<EndlessPath>> {
        if self.steps.effects(version, id).terminates {
            return Some(Vec::new());
        }
        let endless = self.steps.endless(version, id)?;
        (endless.len() <= MAX_ENDLESS).then_some(endless)
    }

    /// Whether two calls start coupled; of procedures that no summary relates nothing is known to end.
    fn coupling_follows(&mut self, known: &[Term], calls: &(Call, Call)) -> bool {
        let pair = callees(calls);
        if !self.summaries.contains_key(&pair) {
            return self.impossible(known);
        }
        let coupled = self.coupled(pair, calls);
        self.follows(known, |steps| steps.terms().and(&coupled))
    }

    fn impossible(&mut self, known: &[Term]) -> bool {
        self.follows(known, |steps| steps.terms().bool(false))
    }
}

/// The call of version 0 first.
fn oriented(side: usize, mine: &Call, theirs: &Call) -> (Call, Call) {
    if side == 0 { (mine.clone(), theirs.clone()) } else { (theirs.clone(), mine.clone()) }
}

fn callees(calls: &(Call, Call)) -> Pair {
    (calls.0.callee, calls.1.callee)
}
