//! Formulas of summaries: what is said of the values that go into calls and come out of them.
//!
//! In: plain data over numbered values. Out: a term, once these are known.
//!
//! Invariant: a formula that [`Formula::fits`] the sorts of some values has a meaning for all values of these sorts.

use crate::bounds::summaries::{MAX_DEPTH, MAX_FACTORS, MAX_SUMMANDS};
use num_bigint::BigInt;
use num_traits::Zero;
use smt::term::{Sort, Term, Terms};

/// A sum of products; values are named by their numbers, and a boolean counts as 0 or 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    /// The summands: a coefficient, and the values it is multiplied by.
    pub parts: Vec<(BigInt, Vec<usize>)>,
}

/// A formula over numbered values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Formula {
    /// A sum is 0.
    Zero(Polynomial),
    /// A sum is at most 0.
    AtMostZero(Polynomial),
    /// A sum is divisible by a number.
    Divisible(Polynomial, BigInt),
    /// Two references are the same.
    Same(usize, usize),
    /// A reference is null.
    Null(usize),
    /// Another one does not hold.
    Not(Box<Formula>),
    /// One of some holds.
    Any(Vec<Formula>),
}

impl Polynomial {
    /// The term it is for these values.
    pub fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        let mut sum = terms.int(0);
        for (coefficient, factors) in &self.parts {
            let mut product = terms.int(coefficient.clone());
            for &factor in factors {
                let value = number(terms, values[factor]);
                product = terms.mul(product, value);
            }
            sum = terms.add(sum, product);
        }
        sum
    }

    fn fits(&self, sorts: &[Sort]) -> bool {
        let is_number = |at: &usize| sorts.get(*at).is_some_and(|sort| *sort != Sort::Ref);
        self.parts.len() <= MAX_SUMMANDS
            && self.parts.iter().all(|(_, factors)| factors.len() <= MAX_FACTORS && factors.iter().all(is_number))
    }
}

impl Formula {
    /// Whether it speaks only of values that there are, each as of its sort.
    pub fn fits(&self, sorts: &[Sort]) -> bool {
        self.fits_within(sorts, MAX_DEPTH)
    }

    fn fits_within(&self, sorts: &[Sort], depth: usize) -> bool {
        let is_reference = |at: &usize| sorts.get(*at) == Some(&Sort::Ref);
        match self {
            Formula::Zero(sum) | Formula::AtMostZero(sum) => sum.fits(sorts),
            Formula::Divisible(sum, by) => sum.fits(sorts) && !by.is_zero(),
            Formula::Same(one, other) => is_reference(one) && is_reference(other),
            Formula::Null(one) => is_reference(one),
            Formula::Not(inner) => depth > 0 && inner.fits_within(sorts, depth - 1),
            Formula::Any(parts) => depth > 0 && parts.iter().all(|part| part.fits_within(sorts, depth - 1)),
        }
    }

    /// The formula over these values.
    pub fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        let zero = terms.int(0);
        match self {
            Formula::Zero(sum) => {
                let sum = sum.term(terms, values);
                terms.eq(sum, zero)
            }
            Formula::AtMostZero(sum) => {
                let sum = sum.term(terms, values);
                terms.le(sum, zero)
            }
            Formula::Divisible(sum, by) => {
                let (sum, by) = (sum.term(terms, values), terms.int(by.clone()));
                let rest = terms.rem(sum, by);
                terms.eq(rest, zero)
            }
            Formula::Same(one, other) => terms.eq(values[*one], values[*other]),
            Formula::Null(one) => {
                let null = terms.null();
                terms.eq(values[*one], null)
            }
            Formula::Not(inner) => {
                let inner = inner.term(terms, values);
                terms.not(inner)
            }
            Formula::Any(parts) => {
                let parts: Vec<Term> = parts.iter().map(|part| part.term(terms, values)).collect();
                terms.or(&parts)
            }
        }
    }
}

/// A value as a number.
fn number(terms: &mut Terms, value: Term) -> Term {
    if terms.sort(value) == Sort::Int {
        return value;
    }
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(value, one, zero)
}
