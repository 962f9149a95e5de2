//! Sums over the iterations of a loop.
//!
//! In: a term over the number of an iteration, and how many iterations there are. Out: its sum as a term. That is a
//! polynomial where the sum is one; else the difference of two values of the function that sums the term up from a fixed
//! place.
//!
//! That function is named by what it sums, written over the index of the first cell that is read, or over the first sum that
//! is not just the number. So a loop upwards and one downwards speak of the same function.
//!
//! Invariant: exact, for any number of iterations that is not negative.

use super::choices::{self, Over};
use super::split;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use smt::term::{Func, Node, Sort, Term, Terms};

/// Powers of the number of an iteration above this have no formula here.
const HIGHEST_POWER: usize = 2;

/// `start + number` or `start - number`.
#[derive(Clone)]
pub(super) struct Index {
    pub(super) start: Term,
    pub(super) up: bool,
}

impl Index {
    pub(super) fn of(slope: &BigInt, start: Term) -> Option<Index> {
        slope.abs().is_one().then(|| Index { start, up: slope.is_positive() })
    }

    /// The index in an iteration.
    pub(super) fn at(&self, terms: &mut Terms, number: Term) -> Term {
        if self.up { terms.add(self.start, number) } else { terms.sub(self.start, number) }
    }

    /// A term over the number of an iteration, with that name now standing for the index.
    pub(super) fn instead(&self, terms: &mut Terms, term: Term, number: Term) -> Term {
        let iteration = if self.up { terms.sub(number, self.start) } else { terms.sub(self.start, number) };
        terms.substitute(term, &HashMap::from_iter([(number, iteration)]))
    }
}

/// The least index of so many iterations, and the one after the greatest.
pub(super) fn range(terms: &mut Terms, index: &Index, iterations: Term) -> (Term, Term) {
    if index.up {
        (index.start, terms.add(index.start, iterations))
    } else {
        let end = terms.sub(index.start, iterations);
        let one = terms.int(1);
        (terms.add(end, one), terms.add(index.start, one))
    }
}

/// The sum of a term over so many iterations.
pub(super) fn sum(terms: &mut Terms, each: Term, number: Term, iterations: Term) -> Term {
    let (constant, parts) = terms.linear_parts(each);
    // Sums of powers are fractions; together they are a whole number.
    let mut sixths = times(terms, &(constant * BigInt::from(6)), iterations);
    let mut others = terms.int(0);
    for (coefficient, part) in parts {
        if let Some(sum) = six_sums(terms, part, number, iterations) {
            let sum = times(terms, &coefficient, sum);
            sixths = terms.add(sixths, sum);
        } else {
            let sum = other_sum(terms, part, number, iterations);
            let sum = times(terms, &coefficient, sum);
            others = terms.add(others, sum);
        }
    }
    let whole = sixth(terms, sixths);
    terms.add(whole, others)
}

fn times(terms: &mut Terms, factor: &BigInt, term: Term) -> Term {
    let factor = terms.int(factor.clone());
    terms.mul(factor, term)
}

/// A sixth of what six divides, in the least terms: it does not matter how the division rounds.
fn sixth(terms: &mut Terms, term: Term) -> Term {
    let (constant, parts) = terms.linear_parts(term);
    let six = BigInt::from(6);
    let common = parts.iter().fold(six.gcd(&constant), |divisor, (coefficient, _)| divisor.gcd(coefficient));
    let mut reduced = terms.int(constant / &common);
    for (coefficient, part) in parts {
        let part = times(terms, &(coefficient / &common), part);
        reduced = terms.add(reduced, part);
    }
    let divisor = terms.int(six / common);
    terms.div(reduced, divisor)
}

/// Six times the sum of a power of the number, times what it does not occur in.
fn six_sums(terms: &mut Terms, part: Term, number: Term, iterations: Term) -> Option<Term> {
    let factors = match terms.node(part) {
        Node::Mul(parts) => parts.to_vec(),
        _ => vec![part],
    };
    let power = factors.iter().filter(|&&factor| factor == number).count();
    let rest: Vec<Term> = factors.into_iter().filter(|&factor| factor != number).collect();
    let choice = |&factor: &Term| matches!(terms.node(factor), Node::Ite(..));
    if power > HIGHEST_POWER || rest.iter().any(|factor| terms.occurs(number, *factor) || choice(factor)) {
        return None;
    }
    let mut product = six_powers(terms, power, iterations);
    for factor in rest {
        product = terms.mul(product, factor);
    }
    Some(product)
}

/// `6 * (0^p + 1^p + … + (iterations - 1)^p)`
fn six_powers(terms: &mut Terms, power: usize, iterations: Term) -> Term {
    let one = terms.int(1);
    let before = terms.sub(iterations, one);
    let product = terms.mul(iterations, before);
    match power {
        0 => times(terms, &BigInt::from(6), iterations),
        1 => times(terms, &BigInt::from(3), product),
        _ => {
            let last = terms.add(iterations, before);
            terms.mul(product, last)
        }
    }
}

fn other_sum(terms: &mut Terms, part: Term, number: Term, iterations: Term) -> Term {
    match *terms.node(part) {
        Node::Ite(cond, then, els) if !terms.occurs(number, cond) => {
            let (then, els) = (sum(terms, then, number, iterations), sum(terms, els, number, iterations));
            terms.ite(cond, then, els)
        }
        Node::Ite(cond, then, els) => choices::sum(terms, cond, [then, els], Over { number, iterations, sum })
            .unwrap_or_else(|| opaque(terms, part, number, iterations)),
        _ if !terms.occurs(number, part) => terms.mul(iterations, part),
        _ => opaque(terms, part, number, iterations),
    }
}

fn opaque(terms: &mut Terms, part: Term, number: Term, iterations: Term) -> Term {
    let zero = terms.int(0);
    let index = index_in(terms, part, number).unwrap_or(Index { start: zero, up: true });
    let each = index.instead(terms, part, number);
    let (from, to) = range(terms, &index, iterations);
    let (number, each) = terms.over_bound(each, number);
    let [low, high] = [from, to].map(|end| terms.app(Func::SumBelow, &[number, each, end], Sort::Int));
    terms.sub(high, low)
}

/// The first index of a cell that a term reads, else its first linear part, that goes one step an iteration.
fn index_in(terms: &mut Terms, term: Term, number: Term) -> Option<Index> {
    let (mut cells, mut others) = (Vec::new(), Vec::new());
    let mut seen = HashSet::default();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        let node = terms.node(term).clone();
        match &node {
            Node::App(Func::Initial(_) | Func::Effect(..), args) if args.len() == 2 => cells.push(args[1]),
            Node::Linear(..) => others.push(term),
            _ => {}
        }
        work.extend(node.children().into_iter().rev());
    }
    cells.into_iter().chain(others).find_map(|candidate| {
        let (slope, start) = split(terms, candidate, number).filter(|(slope, _)| !slope.is_zero())?;
        Index::of(&slope, start)
    })
}
