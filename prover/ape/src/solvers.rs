//! The solvers that commands ask: processes of this program, and cvc5.
//!
//! In: how much memory a process may take. Out: a solver, or why there is none. In: the bounds of the command line; out: what
//! the prover is asked under them.

use crate::machine::limits;
use crate::status::Failure;
use prover::verify::Config;
use smt::solve::cvc5::{Cvc5, VARIABLE};
use smt::solve::{Isolated, QueryBudget, Shared};
use std::env;
use std::time::Duration;

/// No question may take longer than such a part of a file's time.
const QUESTIONS: u32 = 3;

/// Processes of this program that answer questions, each with so many MB of memory.
pub(crate) fn start(memory: u64) -> Result<Shared, Failure> {
    let program = env::current_exe().map_err(Failure::Process)?;
    Ok(Shared::new(Isolated::new(program, vec!["solver".to_string(), format!("--memory={memory}")])))
}

/// A cvc5, which must be there when it is asked for.
pub(crate) fn second_solver() -> Result<Cvc5, Failure> {
    let missing = || {
        Failure::Usage(format!(
            "cvc5 was not found: put the program on the PATH, or `pip install cvc5`, or name either it or its Python in {VARIABLE}"
        ))
    };
    Cvc5::find().ok_or_else(missing)
}

/// What is asked of a file that is begun now and is one of so many at work: so many seconds, and so many MB for a question.
pub(crate) fn config((seconds, megabytes): (u64, u64), at_once: usize, backend: &Shared) -> Config {
    let limit = Duration::from_secs(seconds);
    Config {
        budget: QueryBudget { clock: limit / QUESTIONS, ..QueryBudget::default() },
        stop: limits::stop(limit, megabytes, at_once),
        backend: backend.clone(),
        ..Config::default()
    }
}
