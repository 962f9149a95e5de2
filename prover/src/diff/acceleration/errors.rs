//! Whether some iteration of a loop errs.
//!
//! In: the ways in which the n-th iteration errs. Out: whether there is an n among so many iterations, at least one, for which it does.
//!
//! Invariant: exact; `None` where that cannot be said without a quantifier.

use super::iteration::Iteration;
use super::split;
use num_traits::{One, Signed, Zero};
use smt::term::{Node, Term, Terms};
use std::collections::BTreeSet;

/// The condition that one of the iterations errs.
pub(super) fn within(terms: &mut Terms, iteration: &Iteration, iterations: Term) -> Option<Term> {
    let mut ways: Vec<Vec<Term>> = Vec::new();
    for way in &iteration.errors {
        match way.as_slice() {
            [one] => match terms.node(*one) {
                Node::Or(parts) => ways.extend(parts.iter().map(|&part| vec![part])),
                _ => ways.push(way.clone()),
            },
            _ => ways.push(way.clone()),
        }
    }
    // x, or else not x and y, is x or y.
    let alone: BTreeSet<Term> = ways.iter().filter(|way| way.len() == 1).map(|way| way[0]).collect();
    let mut conditions = Vec::new();
    for way in ways {
        let mut kept = Vec::new();
        for part in way {
            let negated = terms.not(part);
            if !alone.contains(&negated) {
                kept.push(part);
            }
        }
        let (changing, fixed): (Vec<Term>, Vec<Term>) =
            kept.into_iter().partition(|&part| terms.occurs(iteration.number, part));
        let mut all = fixed;
        match changing[..] {
            [] => {}
            [one] => all.push(some_iteration(terms, one, iteration.number, iterations)?),
            _ => return None,
        }
        conditions.push(terms.and(&all));
    }
    Some(terms.or(&conditions))
}

/// Whether a condition holds in some iteration.
fn some_iteration(terms: &mut Terms, condition: Term, number: Term, iterations: Term) -> Option<Term> {
    match terms.node(condition).clone() {
        Node::Or(parts) => {
            let each: Vec<Term> =
                parts.iter().map(|&part| some_iteration(terms, part, number, iterations)).collect::<Option<_>>()?;
            Some(terms.or(&each))
        }
        _ if !terms.occurs(number, condition) => Some(condition),
        Node::AtMostZero(linear) => {
            let (slope, start) = split(terms, linear, number)?;
            let zero = terms.int(0);
            if slope.is_positive() {
                return Some(terms.le(start, zero));
            }
            // It falls, so it is least in the last iteration.
            let one = terms.int(1);
            let last = terms.sub(iterations, one);
            let slope = terms.int(slope);
            let fallen = terms.mul(slope, last);
            let least = terms.add(start, fallen);
            Some(terms.le(least, zero))
        }
        Node::IsZero(linear) => {
            let (slope, start) = split(terms, linear, number)?;
            if !slope.abs().is_one() || slope.is_zero() {
                return None;
            }
            let factor = terms.int(-slope);
            let at = terms.mul(factor, start);
            let zero = terms.int(0);
            let (low, high) = (terms.le(zero, at), terms.lt(at, iterations));
            Some(terms.and(&[low, high]))
        }
        _ => None,
    }
}
