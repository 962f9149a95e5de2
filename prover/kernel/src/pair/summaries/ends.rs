//! That two runs which start as a summary says end together.
//!
//! In: the ways of both versions. Out: that no way on which one of them ends can be taken with one on which the other never does.
//!
//! Rule *Summary ends* (`proofs/soundness.md`): by induction over the number of calls of the side that ends. Where the other one never
//! ends, it is because a call of its own does not. Say that this call, or the other procedure as a whole, starts as a summary says with
//! a call on the way that ended. That call is smaller, so its partner ends too.
//!
//! Invariant: a way that never ends for another reason than a call has no partner.

use super::ways::{Activation, Way};
use super::{Formula, Frame, Summary, instance};
use crate::rejection::{Rejection, reject};
use smt::arena::Arena;
use smt::obligation::Purpose;
use smt::solve::Solver;
use smt::term::{Ending, Term};

impl Frame<'_> {
    /// Whether the two end together, where what goes in satisfies `before`; `within` a summary what ended has to be a call.
    pub(super) fn end_together(
        &self,
        before: &[Formula],
        (lefts, rights): (&[Way], &[Way]),
        within: bool,
        arena: &mut Arena,
        solver: &mut Solver,
    ) -> Result<(), Rejection> {
        for left in lefts {
            for right in rights {
                let side = match (left.ending, right.ending) {
                    (Ending::Diverges, Ending::Diverges) => continue,
                    (_, Ending::Diverges) => 0,
                    (Ending::Diverges, _) => 1,
                    _ => continue,
                };
                let mut known = self.told(&[(0, left), (1, right)], within, arena)?;
                known.extend(instance(before, &[&left.whole, &right.whole], false, arena));
                known.extend(self.nulls([left, right], arena));
                let started = self.started_alike(side, [left, right], within, arena);
                let goal = arena.terms.or(&started);
                if !faults::planted("kernel/summary/ends")
                    && !self.holds((&known, &[goal]), Purpose::CallsEndTogether, arena, solver)
                {
                    return reject("the two are not shown to end together by summaries of their calls");
                }
            }
        }
        Ok(())
    }

    /// That a call on the side that ended and one on the other that did not start as a summary says, for each two of them.
    fn started_alike(&self, side: usize, ways: [&Way; 2], within: bool, arena: &mut Arena) -> Vec<Term> {
        let [ended, endless] = [ways[side], ways[1 - side]];
        let whole = (!within && ended.ending == Ending::Normal).then_some(&ended.whole);
        let mut started = Vec::new();
        for own in ended.calls.iter().chain(whole) {
            for other in endless.open.iter().chain([&endless.whole]) {
                let calls: [&Activation; 2] = if side == 0 { [own, other] } else { [other, own] };
                let is_of =
                    |summary: &&Summary| summary.slots().zip(calls).all(|(own, call)| own.1.callee == call.callee);
                for summary in self.summaries.iter().filter(|own| own.speaks_of_ends()).filter(is_of) {
                    let all = instance(&summary.before, &calls, false, arena);
                    started.push(arena.terms.and(&all));
                }
            }
        }
        started
    }
}
