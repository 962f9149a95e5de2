//! The proof that a run never ends: it is back where it was.
//!
//! In: the frames of a run, at each call and at each loop head. Out: whether the run has repeated itself.
//!
//! L is deterministic and blind to addresses. So a run never ends in either of two cases:
//! - A loop finds all that its frame can see as it was at an earlier head, up to a renaming of the objects allocated since
//!   the frame was entered. It will do so again and again.
//! - A procedure is called while an earlier call of it is active, from a region isomorphic to that of the earlier call. This
//!   call will lead to a third one, and so on.
//!
//! The earlier state to compare with is chosen as in Brent's cycle detection: the one at the last power of two.
//!
//! Quantifiers over references see what existed when the run began and what the variables of all active calls reach. A loop
//! leaves alone what only its callers reach, so it sees the same at both heads. A call that repeats has more callers than
//! the earlier one. So nothing is claimed of calls where a procedure quantifies over references.
//!
//! Invariant: the work is bounded by a constant for each step of the run. A comparison for which too little was earned is
//! not made.

use super::Limits;
use super::frame::{Arrival, Frame, LoopMemory};
use super::memory::Memory;
use crate::heap::View;
use crate::heap::isomorphism::isomorphic;
use crate::heap::value::Value;
use crate::hir::{ProcId, Procedure, Version};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// How many slots may be compared for each step of the run.
const SLOTS_PER_STEP: u64 = 1;
/// The most that can be earned.
const MOST_FUEL: u64 = 1 << 20;

/// Watches for repetition.
pub(super) struct Detector<'r> {
    enabled: bool,
    version: &'r Version,
    /// Whether contracts are evaluated of procedures with a body.
    checks: bool,
    /// Whether a procedure of this version quantifies over references. Most runs never ask, and programs may be large.
    quantifies: OnceCell<bool>,
    fuel: u64,
    /// For each procedure that is active, which frames are calls of it, outermost first.
    active: BTreeMap<ProcId, Vec<usize>>,
}

impl<'r> Detector<'r> {
    /// For runs of this version.
    pub(super) fn new(version: &'r Version, limits: &Limits) -> Self {
        Detector {
            enabled: limits.divergence,
            version,
            checks: limits.checks,
            quantifies: OnceCell::new(),
            fuel: 1 << 12,
            active: BTreeMap::new(),
        }
    }

    fn quantifies(&self) -> bool {
        let one = |procedure| quantifies_references(procedure, self.checks);
        *self.quantifies.get_or_init(|| self.version.procedures.iter().any(one))
    }

    /// Called as steps are taken.
    pub(super) fn earn(&mut self, steps: u64) {
        self.fuel = (self.fuel + steps * SLOTS_PER_STEP).min(MOST_FUEL);
    }

    /// Whether the topmost frame, just entered, repeats one that is active.
    pub(super) fn at_call(&mut self, frames: &[Frame<'_>], memory: &Memory<'_>) -> bool {
        let Some(entered) = frames.last() else { return false };
        let active = self.active.entry(entered.id).or_default();
        active.push(frames.len() - 1);
        let calls = active.len();
        if !self.enabled || calls < 2 {
            return false;
        }
        let earlier = &frames[active[last_power_of_two(calls - 1) - 1]];
        if self.quantifies() {
            return false;
        }
        let views = (memory.view(&earlier.old_store), memory.view(&entered.old_store));
        let arguments = side_by_side(&earlier.old_locals, &entered.old_locals, memory).take(entered.procedure.params);
        isomorphic(views, arguments, &|_| false, &mut self.fuel) == Some(true)
    }

    /// The topmost call, of this procedure, ends.
    pub(super) fn call_ends(&mut self, id: ProcId) {
        if let Some(active) = self.active.get_mut(&id) {
            active.pop();
        }
    }

    /// Whether the loop in the topmost frame is back in a state it was in.
    pub(super) fn at_loop(&mut self, seen: &mut LoopMemory, frame: &Frame<'_>, memory: &Memory<'_>) -> bool {
        if !self.enabled {
            return false;
        }
        // Objects of the initial store that came to be known since would change what quantifiers see.
        let initial_objects = memory.input.store.heap.len();
        if let Some(earlier) = &seen.earlier
            && (earlier.initial_objects == initial_objects || !self.quantifies())
        {
            let views = (memory.view(&earlier.store), memory.view(&memory.store));
            let variables = side_by_side(&earlier.variables, &frame.locals, memory);
            let entry: View<'_> = memory.view(&frame.old_store);
            let existed = |addr| entry.kind(addr).is_some();
            if isomorphic(views, variables, &existed, &mut self.fuel) == Some(true) {
                return true;
            }
        }
        seen.arrivals += 1;
        if seen.arrivals.is_power_of_two() {
            let (variables, store) = (frame.locals.clone(), memory.store.clone());
            seen.earlier = Some(Box::new(Arrival { variables, store, initial_objects }));
        }
        false
    }
}

/// The variables, with the arguments of the run itself as far as they have been read by now.
pub(super) fn known<'v>(
    variables: &'v [Option<Value>],
    memory: &'v Memory<'_>,
) -> impl Iterator<Item = Option<&'v Value>> {
    let fixed = |at: usize| memory.input.arguments.get(at).and_then(Option::as_ref);
    variables.iter().enumerate().map(move |(at, value)| value.as_ref().or_else(|| fixed(at)))
}

/// The same variables at two times.
fn side_by_side<'v>(
    then: &'v [Option<Value>],
    now: &'v [Option<Value>],
    memory: &'v Memory<'_>,
) -> impl Iterator<Item = (Option<&'v Value>, Option<&'v Value>)> {
    known(then, memory).zip(known(now, memory))
}

fn last_power_of_two(n: usize) -> usize {
    1 << n.ilog2()
}

/// Whether running the procedure may evaluate a quantifier over references.
fn quantifies_references(procedure: &Procedure, checks: bool) -> bool {
    let in_contract = checks || procedure.body.is_none();
    let contract = procedure.requires.iter().chain(&procedure.ensures);
    let mut body = procedure.body.iter();
    (in_contract && contract.into_iter().any(|e| e.quantifies_references(procedure)))
        || body.any(|body| body.any(&|stmt| stmt.exprs().into_iter().any(|e| e.quantifies_references(procedure))))
}
