//! The proof that a run never ends: it is back where it was.
//!
//! In: the frames of a run, at each call and at each loop head. Out: whether the run has repeated itself.
//!
//! L is deterministic and blind to addresses. So a run never ends in either of two cases:
//! - A loop finds all that decides how it goes on (`deciding`) as it was at an earlier head, up to a renaming of the objects
//!   allocated since the frame was entered. It will do so again and again.
//! - A procedure is called while an earlier call of it is active, from a region isomorphic to that of the earlier call. This
//!   call will lead to a third one, and so on.
//!
//! The earlier state to compare with is chosen as in Brent's cycle detection: the one at the last power of two.
//!
//! Quantifiers over references see what existed when the run began and what the variables of all active calls reach. So where a
//! procedure quantifies over references, all of that is compared at the heads of a loop: what a turn has changed and replaced may
//! still be referred to by what only a caller reaches, or nobody. The same goes for what existed when the procedure was called, where a
//! loop speaks of that: `old(x).next` is what `next` of that object is now. A call that repeats has more callers than the earlier
//! one. So nothing is claimed of calls where a procedure quantifies over references.
//!
//! Invariant: the work is bounded by a constant for each step of the run. A comparison for which too little was earned is
//! not made; after one that came to no end, none is made before twice as much was earned.

use super::Limits;
use super::deciding::deciding;
use super::frame::{Arrival, Frame, Loop};
use super::memory::Memory;
use crate::heap::View;
use crate::heap::isomorphism::isomorphic;
use crate::heap::value::Value;
use crate::hir::{Expr, ProcId, Procedure, Version};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// After how many steps of the run one more slot may be compared, which takes as long as some steps.
const STEPS_PER_SLOT: u64 = 8;
/// How many slots may be compared at first.
const FIRST_FUEL: u64 = 1 << 12;
/// The most that can be earned, in slots.
const MOST_FUEL: u64 = 1 << 20;

/// Watches for repetition.
pub(super) struct Detector<'r> {
    enabled: bool,
    version: &'r Version,
    /// Whether contracts are evaluated of procedures with a body.
    checks: bool,
    /// Whether a procedure of this version quantifies over references. Most runs never ask, and programs may be large.
    quantifies: OnceCell<bool>,
    /// What was earned and not used, in steps.
    fuel: u64,
    /// How many slots must have been earned for the next comparison.
    least: u64,
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
            fuel: FIRST_FUEL * STEPS_PER_SLOT,
            least: 0,
            active: BTreeMap::new(),
        }
    }

    fn quantifies(&self) -> bool {
        let one = |procedure| quantifies_references(procedure, self.checks);
        *self.quantifies.get_or_init(|| self.version.procedures.iter().any(one))
    }

    /// Called as steps are taken.
    pub(super) fn earn(&mut self, steps: u64) {
        self.fuel = (self.fuel + steps).min(MOST_FUEL * STEPS_PER_SLOT);
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
        self.compare(|fuel| isomorphic(views, arguments, &|_| false, fuel))
    }

    /// Makes a comparison, which is told how many slots it may look at, and answers nothing if these were too few; whether it found that
    /// all is as it was.
    fn compare(&mut self, comparison: impl FnOnce(&mut u64) -> Option<bool>) -> bool {
        let slots = self.fuel / STEPS_PER_SLOT;
        if slots < self.least {
            return false;
        }
        let mut left = slots;
        let found = comparison(&mut left);
        self.fuel -= (slots - left) * STEPS_PER_SLOT;
        self.least = if found.is_none() { (2 * slots).min(MOST_FUEL) } else { 0 };
        found == Some(true)
    }

    /// The topmost call, of this procedure, ends.
    pub(super) fn call_ends(&mut self, id: ProcId) {
        if let Some(active) = self.active.get_mut(&id) {
            active.pop();
        }
    }

    /// Whether the loop in the topmost frame is back in a state it was in.
    pub(super) fn at_loop(&mut self, head: &mut Loop<'_>, frames: &[Frame<'_>], memory: &Memory<'_>) -> bool {
        let Some((frame, callers)) = frames.split_last().filter(|_| self.enabled) else { return false };
        // Objects of the initial store that came to be known since would change what quantifiers see.
        let initial_objects = memory.input.store.heap.len();
        let seen = &mut head.seen;
        if let Some(earlier) = &seen.earlier
            && (earlier.initial_objects == initial_objects || !(self.quantifies() || earlier.speaks_of_entry))
        {
            let views = (memory.view(&earlier.store), memory.view(&memory.store));
            let all = self.quantifies();
            let decides = |at: usize| all || earlier.deciding.get(at).copied().unwrap_or(true);
            let variables = side_by_side(&earlier.variables, &frame.locals, memory);
            let variables = variables.enumerate().filter(|(at, _)| decides(*at)).map(|(_, both)| both);
            let entry: View<'_> = memory.view(&frame.old_store);
            let existed = |addr| entry.kind(addr).is_some();
            let others = OnceCell::new();
            let comparison = |fuel: &mut u64| {
                let others = others.get_or_init(|| {
                    let by_quantifiers = if all { seen_by_quantifiers(callers, memory) } else { Vec::new() };
                    let from_entry = if earlier.speaks_of_entry { seen_from_entry(frame, memory) } else { Vec::new() };
                    [by_quantifiers, from_entry].concat()
                });
                *fuel = fuel.saturating_sub(u64::try_from(others.len()).unwrap_or(u64::MAX));
                let others = others.iter().map(|value| (Some(value), Some(value)));
                isomorphic(views, variables.chain(others), &existed, fuel)
            };
            if self.compare(comparison) {
                return true;
            }
        }
        seen.arrivals += 1;
        if seen.arrivals.is_power_of_two() {
            let (variables, store) = (frame.locals.clone(), memory.store.clone());
            let (deciding, speaks_of_entry) = match seen.earlier.take() {
                Some(earlier) => (earlier.deciding, earlier.speaks_of_entry),
                None => {
                    let tests = || head.invariants.iter().chain([head.cond]);
                    let speaks_of_entry =
                        tests().any(Expr::mentions_entry) || head.body.any_expr(&|part| part.mentions_entry());
                    (deciding(variables.len(), tests(), head.body), speaks_of_entry)
                }
            };
            seen.earlier = Some(Box::new(Arrival { variables, store, initial_objects, deciding, speaks_of_entry }));
        }
        false
    }
}

/// Where quantifiers over references look, besides globals and the variables of the topmost frame: at the variables of its callers, and
/// at the objects that were given. None of these changes while a loop runs in that frame; what they refer to may.
fn seen_by_quantifiers(callers: &[Frame<'_>], memory: &Memory<'_>) -> Vec<Value> {
    let waiting = callers.iter().flat_map(|caller| known(&caller.locals, memory).flatten().cloned());
    waiting.chain(memory.input.store.heap.keys().map(|&addr| Value::Ref(Some(addr)))).collect()
}

/// What `old` may lead to in a frame: whatever existed when it was entered.
fn seen_from_entry(frame: &Frame<'_>, memory: &Memory<'_>) -> Vec<Value> {
    let existed = frame.old_store.heap.keys().chain(memory.input.store.heap.keys());
    existed.map(|&addr| Value::Ref(Some(addr))).collect()
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
