//! All iterations of a loop at once, where they do not depend on one another.
//!
//! In: a state before the call of a loop's procedure. Out: the states after the whole loop, with sums and filled arrays as
//! terms of their own; or nothing, when the loop is not of that kind.
//!
//! The kind:
//! - every variable that the loop assigns is an integer that grows by a constant each iteration, or by an amount that is
//!   known from the number of the iteration;
//! - the loop goes on by a linear condition;
//! - each iteration writes at most one cell, of the same array, one step further each time;
//! - it reads of that array only what no earlier iteration has written.
//!
//! Rule *Acceleration* (`proofs/soundness.md`).
//!
//! Invariant: exact: the states are those that the loop can end in, no more and no fewer.

mod choices;
mod errors;
mod iteration;
mod sums;

use crate::lower::is_loop;
use iteration::{Iteration, Variable};
use kernel::exec::state::State;
use kernel::exec::{ExecError, Executor, Returns};
use lang_l::hir::ProcId;
use lang_l::source::Span;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use smt::term::{Ending, Func, Node, Term, Terms};

/// The states in which a loop ends, with what its procedure returns; `None` when it is not of the kind.
///
/// # Errors
/// When there are too many paths.
pub(crate) fn accelerated(
    executor: &mut Executor<'_>,
    state: &State,
    callee: ProcId,
    args: &[Term],
    span: Span,
) -> Result<Option<Returns>, ExecError> {
    Accelerator { executor }.accelerated(state, callee, args, span)
}

/// Takes all iterations of a loop at once, on behalf of an execution.
struct Accelerator<'e, 'a> {
    executor: &'e mut Executor<'a>,
}

impl<'a> Accelerator<'_, 'a> {
    /// The states in which a loop ends, with what its procedure returns; `None` when it is not of the kind.
    fn accelerated(
        &mut self,
        state: &State,
        callee: ProcId,
        args: &[Term],
        span: Span,
    ) -> Result<Option<Returns>, ExecError> {
        if !is_loop(self.executor.code().procedure(callee)) {
            return Ok(None);
        }
        let number = self.executor.arena.terms.skolem_int();
        // What is found on the way belongs to one iteration and not to the execution.
        let found = std::mem::take(&mut self.executor.found);
        let join = std::mem::replace(&mut self.executor.limits.join, true);
        self.executor.iteration_depth += 1;
        let iteration = self.one_iteration(state, callee, args, number);
        self.executor.iteration_depth -= 1;
        self.executor.limits.join = join;
        self.executor.found = found;
        match iteration {
            Some(iteration) => self.whole(state, args, &iteration, span),
            None => Ok(None),
        }
    }

    fn whole(
        &mut self,
        state: &State,
        args: &[Term],
        iteration: &Iteration,
        span: Span,
    ) -> Result<Option<Returns>, ExecError> {
        let terms = &mut self.executor.arena.terms;
        let Some(count) = Count::of(terms, iteration) else { return Ok(None) };
        let endless_may_err =
            iteration.errors.iter().any(|error| error.iter().any(|&part| terms.occurs(iteration.number, part)));
        if !terms.is_false(count.endless) && endless_may_err {
            return Ok(None);
        }
        let Some(error) = errors::within(terms, iteration, count.iterations) else { return Ok(None) };
        let mut before = state.clone();
        // The condition is evaluated at least once, and errs each time alike.
        let ok = self.executor.arena.terms.not(iteration.condition_errs);
        if !self.executor.require(&mut before, ok, "the condition of a loop errs", span) {
            self.executor.flush(&mut before)?;
            return Ok(Some(Vec::new()));
        }
        self.executor.flush(&mut before)?;
        let mut ends = Vec::new();
        let mut entered = before.clone();
        if entered.assume(&mut self.executor.arena.terms, count.entered) {
            let fine = self.executor.arena.terms.not(error);
            let alive = self.executor.require(&mut entered, fine, "an iteration of a loop errs", span);
            self.executor.flush(&mut entered)?;
            if alive {
                let mut endless = entered.clone();
                if endless.assume(&mut self.executor.arena.terms, count.endless) {
                    let path = endless.path.iter().copied().collect();
                    self.executor.finish(&endless, Ending::Diverges, path, Vec::new(), Vec::new())?;
                }
                let finite = self.executor.arena.terms.not(count.endless);
                if entered.assume(&mut self.executor.arena.terms, finite) {
                    let results = self.after(&mut entered, args, iteration, count.iterations);
                    ends.push((entered, results));
                }
            }
        }
        let mut skipped = before.clone();
        let not = self.executor.arena.terms.not(count.entered);
        if skipped.assume(&mut self.executor.arena.terms, not) {
            let results = iteration.results.iter().map(|&param| args[param]).collect();
            ends.push((skipped, results));
        }
        if self.executor.iteration_depth > 0
            && let [(left, first), (right, second)] = ends.as_slice()
        {
            // Within an iteration of another loop there has to be one end.
            let (left, right) = (left.clone(), right.clone());
            let results =
                first.iter().zip(second).map(|(&a, &b)| self.executor.arena.terms.ite(count.entered, a, b)).collect();
            let joined = self.executor.join(&before, count.entered, &left, &right);
            return Ok(Some(vec![(joined, results)]));
        }
        Ok(Some(ends))
    }

    /// The state after this many iterations, at least one, none of which erred; and the results.
    fn after(&mut self, state: &mut State, args: &[Term], iteration: &Iteration, iterations: Term) -> Vec<Term> {
        let mut last = args.to_vec();
        for (&variable, &growth) in &iteration.growth {
            let sum = sums::sum(&mut self.executor.arena.terms, growth, iteration.number, iterations);
            match variable {
                Variable::Param(at) => last[at] = self.executor.arena.terms.add(args[at], sum),
                Variable::Global(at) => {
                    let value = self.executor.arena.terms.add(state.globals[at], sum);
                    state.globals.set(at, value);
                }
            }
        }
        if let Some(write) = &iteration.write {
            let (from, to) = sums::range(&mut self.executor.arena.terms, &write.index, iterations);
            let value = write.index.instead(&mut self.executor.arena.terms, write.value, iteration.number);
            let (index, value) = self.executor.arena.terms.over_bound(value, iteration.number);
            let fill = smt::heap::Fill { selector: write.selector, array: write.array, from, to, index, value };
            state.heap = self.executor.arena.heaps.fill(state.heap, fill);
        }
        iteration.results.iter().map(|&param| last[param]).collect()
    }
}

/// How many iterations a loop makes.
struct Count {
    /// Whether there is a first one.
    entered: Term,
    /// How many, when there is a first one and a last one.
    iterations: Term,
    /// Whether there is no last one, when there is a first one.
    endless: Term,
}

impl Count {
    /// From the condition to go on: a linear one, and others that do not change.
    fn of(terms: &mut Terms, iteration: &Iteration) -> Option<Count> {
        let conjuncts = match terms.node(iteration.condition) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![iteration.condition],
        };
        let (changing, fixed): (Vec<Term>, Vec<Term>) =
            conjuncts.into_iter().partition(|&part| terms.occurs(iteration.number, part));
        let [changing] = changing[..] else { return None };
        let (linear, unequal) = match *terms.node(changing) {
            Node::AtMostZero(t) => (t, false),
            Node::Not(inner) => match *terms.node(inner) {
                Node::IsZero(t) => (t, true),
                _ => return None,
            },
            _ => return None,
        };
        let (slope, start) = split(terms, linear, iteration.number)?;
        let zero = terms.int(0);
        let (first, iterations, endless) = if unequal {
            if !slope.abs().is_one() {
                return None;
            }
            let factor = terms.int(-slope);
            let iterations = terms.mul(factor, start);
            let same = terms.eq(start, zero);
            let endless = if not_negative(terms, iterations) { terms.bool(false) } else { terms.lt(iterations, zero) };
            (terms.not(same), iterations, endless)
        } else if slope.is_positive() {
            let negated = terms.neg(start);
            let divisor = terms.int(slope);
            let more = terms.div(negated, divisor);
            let one = terms.int(1);
            (terms.le(start, zero), terms.add(more, one), terms.bool(false))
        } else {
            (terms.le(start, zero), zero, terms.bool(true))
        };
        let all: Vec<Term> = fixed.into_iter().chain([first]).collect();
        Some(Count { entered: terms.and(&all), iterations, endless })
    }
}

/// Whether a term is a sum of lengths and of what is not negative.
fn not_negative(terms: &Terms, term: Term) -> bool {
    let (constant, parts) = terms.linear_parts(term);
    let length = |part: Term| matches!(terms.node(part), Node::App(Func::Length, _));
    !constant.is_negative() && parts.iter().all(|(factor, part)| factor.is_positive() && length(*part))
}

/// A linear term as a multiple of the number of the iteration and a rest that it does not occur in.
fn split(terms: &mut Terms, term: Term, number: Term) -> Option<(BigInt, Term)> {
    let (constant, parts) = terms.linear_parts(term);
    let mut slope = BigInt::zero();
    let mut rest = terms.int(constant);
    for (coefficient, part) in parts {
        if part == number {
            slope += coefficient;
        } else if terms.occurs(number, part) {
            return None;
        } else {
            let coefficient = terms.int(coefficient);
            let product = terms.mul(coefficient, part);
            rest = terms.add(rest, product);
        }
    }
    Some((slope, rest))
}
