//! The solvers that commands ask: processes of this program, and cvc5.
//!
//! In: how much memory a process may take. Out: a solver, or why there is none.

use crate::status::Failure;
use smt::solve::cvc5::{Cvc5, VARIABLE};
use smt::solve::{Isolated, Shared};
use std::env;

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
