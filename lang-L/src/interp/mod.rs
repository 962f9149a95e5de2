//! Runs programs: the definition of what L means, and the oracle for every claim of the prover.
//!
//! In: a [`Unit`], a procedure of one version, an [`Input`]. Out: an [`Outcome`], and the input with all that was read of it.
//!
//! The parts:
//! - `outcome`: how a run ends;
//! - `environment`: what a run leaves to its surroundings;
//! - `memory`: the store;
//! - `frame`: the active calls;
//! - `operators` and `contract`: expressions;
//! - `visible`: what quantifiers see;
//! - `machine`: statements;
//! - `call`: calls, and the checking of contracts;
//! - `external`: procedures without a body;
//! - `divergence`: the proof that a run never ends.
//!
//! Invariant: deterministic but for the environment; no outcome depends on addresses.
//! Invariant: the Rust stack does not grow with the depth of L's recursion.

mod call;
mod contract;
mod deciding;
mod divergence;
mod environment;
mod external;
mod frame;
mod machine;
mod memory;
mod operators;
mod outcome;
mod visible;

pub use environment::{Behaviour, Environment, Event, Scattered, Sequential, Variable};
pub use outcome::{Budget, Clause, Divergence, ErrorKind, Exclusion, Failure, Outcome, Violation};

use crate::heap::value::Value;
use crate::heap::{Input, Store};
use crate::hir::{Expr, ProcId, Unit};
use crate::source::Span;
use crate::stack::deep;

/// When to stop a run, and what to check in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most steps; a step is an operator, a statement or a call.
    pub steps: u64,
    /// The most calls active at once.
    pub depth: usize,
    /// The most cells of an array.
    pub array_length: u64,
    /// The most bits of a product.
    pub int_bits: u64,
    /// Whether to check `requires` at calls, `ensures`, `modifies` and invariants.
    pub checks: bool,
    /// Whether to look for proofs that the run never ends.
    pub divergence: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: 20_000_000,
            depth: 1_000_000,
            array_length: 1 << 20,
            int_bits: 1 << 16,
            checks: true,
            divergence: true,
        }
    }
}

/// What to run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'u> {
    /// The program.
    pub unit: &'u Unit,
    /// Which version of it.
    pub version: usize,
    /// Which procedure of that version.
    pub procedure: ProcId,
    /// When to stop.
    pub limits: Limits,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// What it started from, with every place set that it has read.
    pub input: Input,
    /// How many steps it took; what contracts look at counts as the steps that take as long.
    pub work: u64,
    /// Where it was, outermost first, if it was stopped.
    pub stuck: Vec<Stuck>,
}

/// A loop or a call in which a run was when it was stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The procedure.
    pub procedure: ProcId,
    /// The loop, if it is one.
    pub at: Option<Span>,
    /// What the variables held on entry, or at an earlier arrival at the loop's head; those of which it is not known are `None`.
    pub locals: Vec<Option<Value>>,
}

/// Runs a procedure. An input that does not satisfy its `requires`, or on which those err, is [`Exclusion::Requires`],
/// whether or not contracts are checked.
pub fn run(job: &Job<'_>, input: Input, environment: &mut dyn Environment) -> Run {
    let mut machine = machine::Machine::new(job, input, environment);
    let outcome = deep(|| machine.run());
    let stuck = if matches!(outcome, Outcome::OutOfBudget(_)) { machine.stuck() } else { Vec::new() };
    Run { outcome, stuck, work: machine.work(), input: machine.into_input() }
}

/// Whether a condition over a procedure's parameters and the globals holds at the start, with the input as far as it was
/// read. A condition that errs, or cannot be executed, does not hold.
pub fn holds(job: &Job<'_>, condition: &Expr, input: Input, environment: &mut dyn Environment) -> (bool, Input) {
    let mut memory = memory::Memory::new(job.unit, &job.limits, environment, input);
    let procedure = job.unit.versions[job.version].procedure(job.procedure);
    let (variables, store) = (vec![None; procedure.locals.len()], Store::default());
    let context = contract::Context {
        procedure,
        variables: &variables,
        store: &store,
        old_variables: &variables,
        old_store: &store,
        callers: &[],
        also: &[],
    };
    let holds = deep(|| contract::holds(&mut memory, &context, condition)).unwrap_or(false);
    (holds, memory.input)
}

#[cfg(test)]
mod tests;
