//! Sums of what is chosen by the number of an iteration: one value up to some iteration and another after it, or in one iteration.
//!
//! In: a condition, linear in the number, and the values of both sides. Out: the sum over so many iterations, in cases.
//!
//! Invariant: exact, for any number of iterations that is not negative; `None` where the condition is of another form.

use super::split;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;
use smt::term::{Node, Term, Terms};

/// What is summed over.
#[derive(Clone, Copy)]
pub(super) struct Over {
    /// The number of the iteration.
    pub(super) number: Term,
    /// How many iterations there are.
    pub(super) iterations: Term,
    /// The sum of a term over the number and so many iterations.
    pub(super) sum: fn(&mut Terms, Term, Term, Term) -> Term,
}

impl Over {
    fn all(self, terms: &mut Terms, each: Term) -> Term {
        (self.sum)(terms, each, self.number, self.iterations)
    }
}

/// The sum of `condition ? then : els` over so many iterations.
pub(super) fn sum(terms: &mut Terms, condition: Term, [then, els]: [Term; 2], over: Over) -> Option<Term> {
    match terms.node(condition).clone() {
        Node::Not(inner) => sum(terms, inner, [els, then], over),
        Node::And(parts) => {
            let (&first, rest) = parts.split_first()?;
            let rest = terms.and(rest);
            let inner = terms.ite(rest, then, els);
            either(terms, first, [inner, els], over)
        }
        Node::Or(parts) => {
            let (&first, rest) = parts.split_first()?;
            let rest = terms.or(rest);
            let inner = terms.ite(rest, then, els);
            either(terms, first, [then, inner], over)
        }
        Node::IsZero(linear) => at_one(terms, linear, [then, els], over),
        Node::AtMostZero(linear) => up_to(terms, linear, [then, els], over),
        _ => None,
    }
}

/// The same, where the condition may also be the same in all iterations.
fn either(terms: &mut Terms, condition: Term, [then, els]: [Term; 2], over: Over) -> Option<Term> {
    if terms.occurs(over.number, condition) {
        return sum(terms, condition, [then, els], over);
    }
    let [then, els] = [then, els].map(|side| over.all(terms, side));
    Some(terms.ite(condition, then, els))
}

/// One iteration, at most, is another one than the rest.
fn at_one(terms: &mut Terms, linear: Term, [then, els]: [Term; 2], over: Over) -> Option<Term> {
    let (slope, start) = split(terms, linear, over.number)?;
    if !slope.abs().is_one() {
        return None;
    }
    let factor = terms.int(-slope);
    let at = terms.mul(factor, start);
    let zero = terms.int(0);
    let (low, high) = (terms.le(zero, at), terms.lt(at, over.iterations));
    let within = terms.and(&[low, high]);
    let there = HashMap::from_iter([(over.number, at)]);
    let [own, usual] = [then, els].map(|side| terms.substitute(side, &there));
    let more = terms.sub(own, usual);
    let all = over.all(terms, els);
    let other = terms.add(all, more);
    Some(terms.ite(within, other, all))
}

/// The first iterations are of one kind, and those after them of the other.
fn up_to(terms: &mut Terms, linear: Term, [then, els]: [Term; 2], over: Over) -> Option<Term> {
    let (slope, start) = split(terms, linear, over.number)?;
    if slope.is_zero() {
        return None;
    }
    if slope.is_negative() {
        // Then it fails in the first ones: `linear > 0` is `1 - linear <= 0`.
        let one = terms.int(1);
        let other = terms.sub(one, linear);
        return up_to(terms, other, [els, then], over);
    }
    let zero = terms.int(0);
    let (one, divisor) = (terms.int(1), terms.int(slope));
    let none = terms.lt(zero, start);
    let negated = terms.neg(start);
    let last = terms.div(negated, divisor);
    let first = terms.add(last, one);
    let all = terms.le(over.iterations, first);
    let [whole, rest] = [then, els].map(|side| over.all(terms, side));
    let start = Over { iterations: first, ..over };
    let [before, others] = [then, els].map(|side| start.all(terms, side));
    let after = terms.sub(rest, others);
    let mixed = terms.add(before, after);
    let entered = terms.ite(all, whole, mixed);
    Some(terms.ite(none, rest, entered))
}
