//! Rules *Same code* and *External*: two procedures that are written alike.
//!
//! In: a pair, and the claims about its callees. Out: the level that these give, and which they are. No solver is asked.

use super::{Both, Goal};
use crate::rejection::{Rejection, reject};
use crate::relate::{Level, Uses};
use lang_l::hir::same::same_code;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The level at which the two are equivalent as the same code over equivalent callees, with the claims about these; `None` if they
/// are not the same code.
pub fn same_code_level(goal: &Goal<'_>) -> Option<(Level, Uses)> {
    let [a, b] = goal.code();
    let used = RefCell::new(Uses::new());
    let equivalent = |p, q| {
        let level = goal.claims.always.get(&(p, q)).copied();
        if let Some(level) = level {
            used.borrow_mut().needs((p, q), level);
        }
        level.is_some()
    };
    if !goal.is_defined() {
        return None;
    }
    if !same_code(a, b, equivalent) {
        let is_one_run = !goal.program.claimable(goal.pair) && is_all_the_same(goal);
        return is_one_run.then(|| (Level::Full, Uses::new()));
    }
    let used = used.into_inner();
    let level = used.always.values().copied().min().unwrap_or(Level::Full);
    Some((goal.claims.always.get(&goal.pair).map_or(level, |&claimed| level.min(claimed)), used))
}

/// Whether all that the two run was written as the same code, whatever is claimed of it: what they call, what that calls, and so on.
///
/// It is of what was written that the runs are one: quantifiers range over variables which the lowering moves or takes away. The pair
/// is no claim for calls then: what else is the same code rests on claims.
fn is_all_the_same(goal: &Goal<'_>) -> bool {
    let Both { unit, written, .. } = goal.program;
    let written = if faults::planted("kernel/pair/same-as-lowered") { unit } else { written };
    let (mut work, mut seen) = (vec![goal.pair], BTreeSet::from([goal.pair]));
    while let Some(pair) = work.pop() {
        let called = RefCell::new(Vec::new());
        let code = [(0, pair.0), (1, pair.1)]
            .map(|(version, id)| written.versions.get(version).and_then(|own| own.procedures.get(id.index())));
        let [Some(a), Some(b)] = code else { return false };
        let note = |p, q| {
            called.borrow_mut().push((p, q));
            true
        };
        if !same_code(a, b, note) {
            return false;
        }
        let next = called.into_inner().into_iter().filter(|&callees| seen.insert(callees));
        work.extend(next.filter(|_| !faults::planted("kernel/pair/callees-alike")));
    }
    true
}

/// Whether the two are external procedures, and one and the same; `None` where one has a body.
pub fn same_external(goal: &Goal<'_>) -> Option<bool> {
    let [a, b] = goal.code();
    (a.body.is_none() && b.body.is_none()).then(|| same_code(a, b, |_, _| false))
}

/// Rule *Same code*.
pub(super) fn check_code(goal: &Goal<'_>, level: Level) -> Result<Uses, Rejection> {
    match same_code_level(goal) {
        None => reject("the two are not the same code over equivalent callees"),
        Some((reached, _)) if reached < level && !faults::planted("kernel/pair/level") => {
            reject("less was proved than is claimed")
        }
        Some((_, used)) => Ok(used),
    }
}

/// Rule *External*.
pub(super) fn check_external(goal: &Goal<'_>) -> Result<Uses, Rejection> {
    match same_external(goal) {
        None => reject("one of the two is not external"),
        Some(false) => reject("less was proved than is claimed"),
        Some(true) => Ok(Uses::new()),
    }
}
