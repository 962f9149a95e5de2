//! The only file that knows Z3.

use super::{Answer, Budget};
use std::sync::mpsc;
use z3::{Config, Context, Params, SatResult, Solver, with_z3_config};

/// The version of the library in use.
pub fn version() -> String {
    z3::full_version().to_string()
}

/// Checks a text that [`crate::obligation::Obligation::smt2`] wrote: unsatisfiable means the goal holds.
pub(super) fn check(smt2: &str, budget: Budget) -> Answer {
    let asserted = smt2.matches("\n(assert ").count();
    with_z3_config(&Config::new(), || {
        let solver = Solver::new();
        let mut params = Params::new();
        params.set_u32("random_seed", 0);
        params.set_u32("rlimit", budget.rlimit);
        solver.set_params(&params);
        solver.from_string(smt2);
        // Z3 reports a text it cannot read by reading less of it.
        if solver.get_assertions().len() != asserted {
            return Answer::Unknown("the solver could not read the query".into());
        }
        let context = Context::thread_local();
        let handle = context.handle();
        let (done, waiting) = mpsc::channel::<()>();
        let (result, late) = std::thread::scope(|scope| {
            let watch = scope.spawn(move || {
                let late = waiting.recv_timeout(budget.clock) == Err(mpsc::RecvTimeoutError::Timeout);
                if late {
                    handle.interrupt();
                }
                late
            });
            let result = solver.check();
            drop(done);
            (result, watch.join().unwrap_or(false))
        });
        match result {
            SatResult::Unsat => Answer::Holds,
            SatResult::Sat => Answer::Fails,
            SatResult::Unknown if late => Answer::Unknown(format!(
                "the clock, a safety net, ran out after {} s before the solver's step budget did",
                budget.clock.as_secs()
            )),
            SatResult::Unknown => {
                Answer::Unknown(solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into()))
            }
        }
    })
}
