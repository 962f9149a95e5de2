//! The verdicts that are given after the stop has fired, or where a pair is too large.
//!
//! In: a pair whose judgement was given up, and all proofs. Out: its report.
//!
//! Invariant: what was decided before the stop fired stays; what was not is unknown, for the reason of the stop. A proof counts as
//! decided only when all that its verdict needs could be settled, for which there is a little time more.

use super::comparison::Comparison;
use super::judge::{Judge, Proofs};
use super::{PairReport, stopped};
use kernel::proof::Kernel;
use smt::solve::Solver;
use smt::stop::{Reason, Stop};
use std::time::{Duration, Instant};

/// How long, once the stop has fired, it may take to settle what was proved by then.
const SETTLING: Duration = Duration::from_millis(900);

impl Judge<'_> {
    /// The report on a pair whose judgement was given up for this reason: what was decided before.
    pub(crate) fn settle(
        &mut self,
        comparison: &Comparison<'_>,
        (proofs, kernel): (&Proofs, &Kernel<'_>),
        reason: Reason,
        solver: &mut Solver,
    ) -> PairReport {
        let proof = proofs.get(&comparison.pair).filter(|_| comparison.when.is_none());
        let proved = proof.is_some_and(|proof| proof.level.is_some());
        if proved || self.known_difference(comparison).is_some() {
            let last = match reason {
                Reason::Size => self.manner.stop.clone(),
                _ => self.last.get_or_insert_with(|| Stop::new().until(Instant::now().checked_add(SETTLING))).clone(),
            };
            self.settling = true;
            let settled = solver.attempt_under(last, |solver| self.pair(comparison, (proof, proofs), kernel, solver));
            self.settling = false;
            if let Ok(report) = settled {
                return report;
            }
        }
        let verdict = stopped::verdict(self.source, comparison.pair, proof, reason);
        self.report(comparison, verdict, None, Vec::new())
    }
}
