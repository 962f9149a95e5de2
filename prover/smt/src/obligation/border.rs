//! Products at the border of a condition, and remainders.
//!
//! In: terms with products. Out: that where numbers are just beyond a linear condition or just within, one of them is what the
//! others say, and so are its products with others. Of remainders it is said how large they are, and what products with small
//! ones come to.
//!
//! Invariant: all of it is true of all numbers. It is said for a solver that takes products for numbers of their own
//! ([`super::linearised`]).

use crate::term::{Func, Node, Sort, Term, Terms};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// So far from where a condition changes inputs are looked at one by one.
const BORDER: std::ops::RangeInclusive<i32> = -2..=2;

/// Of no more conditions than this anything is said.
const MAX_CONDITIONS: usize = 6;

/// Nor of more factors.
const MAX_FACTORS: usize = 8;

/// Remainders by more than this are not looked at one by one.
const MAX_DIVISOR: u32 = 4;

/// What is true at the borders of the conditions in `parts`, which are linear over the variables that are multiplied there.
pub(super) fn at_the_border(terms: &mut Terms, parts: &[Term]) -> Vec<Term> {
    // Nothing is said of what a quantifier speaks of.
    if parts.iter().any(|&part| matches!(terms.node(part), Node::Forall(..))) {
        return Vec::new();
    }
    let factors_of = |part: &Term| match terms.node(*part) {
        Node::Mul(factors) => factors.to_vec(),
        _ => Vec::new(),
    };
    let mut factors: BTreeSet<Term> = parts.iter().flat_map(factors_of).collect();
    while factors.len() > MAX_FACTORS {
        factors.pop_last();
    }
    let numbers: Vec<Term> = factors.iter().copied().filter(|&factor| is_variable(terms, factor)).collect();
    let mut by: Vec<Term> = factors.into_iter().collect();
    for (at, &a) in numbers.iter().enumerate() {
        by.extend(numbers[at..].iter().map(|&b| terms.mul(a, b)));
    }
    let sums: BTreeSet<Term> = parts.iter().filter_map(|&part| linear(terms, part, &numbers)).collect();
    let zero = terms.int(0);
    let mut lemmas = Vec::new();
    for sum in sums.into_iter().take(MAX_CONDITIONS) {
        for beyond in BORDER {
            let beyond = terms.int(beyond);
            let distance = terms.add(sum, beyond);
            let there = terms.eq(distance, zero);
            let mut products = Vec::new();
            for &factor in &by {
                let product = terms.mul(distance, factor);
                products.push(terms.eq(product, zero));
            }
            let all = terms.and(&products);
            lemmas.push(terms.implies(there, all));
        }
    }
    lemmas
}

/// What is true of quotients and remainders by what is no literal: a remainder of what is not negative is smaller than the divisor.
pub(super) fn of_remainders(terms: &mut Terms, parts: &[Term]) -> Vec<Term> {
    if parts.iter().any(|&part| matches!(terms.node(part), Node::Forall(..))) {
        return Vec::new();
    }
    let zero = terms.int(0);
    let mut lemmas = Vec::new();
    for &part in parts {
        let Node::Rem(of, by) = *terms.node(part) else { continue };
        let plain = [terms.le(zero, of), terms.lt(zero, by)];
        let within = [terms.le(zero, part), terms.lt(part, by)];
        let (plain, within) = (terms.and(&plain), terms.and(&within));
        lemmas.push(terms.implies(plain, within));
    }
    lemmas
}

/// What is true of products with remainders by a small literal: for each value of the remainder they are so many times the rest.
pub(super) fn by_remainders(terms: &mut Terms, parts: &[Term]) -> Vec<Term> {
    if parts.iter().any(|&part| matches!(terms.node(part), Node::Forall(..))) {
        return Vec::new();
    }
    let mut lemmas = Vec::new();
    for &product in parts {
        let Node::Mul(factors) = terms.node(product) else { continue };
        let factors = factors.to_vec();
        let small = |factor: &Term| match terms.node(*factor) {
            Node::Rem(_, by) => {
                terms.as_int(*by).and_then(|by| by.magnitude().to_u32()).filter(|by| *by <= MAX_DIVISOR)
            }
            _ => None,
        };
        let Some((at, by)) = factors.iter().enumerate().find_map(|(at, factor)| Some((at, small(factor)?))) else {
            continue;
        };
        for value in (-i64::from(by) + 1)..i64::from(by) {
            let value = terms.int(value);
            let others = factors.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, factor)| *factor);
            let times = others.fold(value, |product, factor| terms.mul(product, factor));
            let (there, same) = (terms.eq(factors[at], value), terms.eq(product, times));
            lemmas.push(terms.implies(there, same));
        }
    }
    lemmas
}

fn is_variable(terms: &Terms, term: Term) -> bool {
    let is_input = matches!(terms.node(term), Node::App(Func::Param(_) | Func::Global(_), args) if args.is_empty());
    is_input && terms.sort(term) == Sort::Int
}

/// The sum that a condition compares with 0, where it is one of these numbers.
fn linear(terms: &Terms, condition: Term, numbers: &[Term]) -> Option<Term> {
    let (Node::AtMostZero(sum) | Node::IsZero(sum)) = *terms.node(condition) else { return None };
    terms.linear_parts(sum).1.iter().all(|(_, part)| numbers.contains(part)).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    /// What is said of products and remainders is true of all numbers.
    #[test]
    fn what_is_said_is_true() {
        let mut terms = Terms::default();
        let [x, y] = [0, 1].map(|at| terms.app(Func::Param(at), &[], Sort::Int));
        let two = terms.int(2);
        let above = terms.add(y, two);
        let conditions = [terms.le(x, above), terms.eq(x, y), terms.lt(y, x)];
        let three = terms.int(3);
        let rest = terms.rem(y, three);
        let uses = [terms.mul(x, y), terms.rem(x, y), terms.rem(y, x), terms.mul(x, rest)];
        let parts = terms.parts_of(&[&conditions[..], &uses].concat());
        let products = by_remainders(&mut terms, &parts);
        assert_eq!(products.len(), 5);
        let lemmas = [at_the_border(&mut terms, &parts), of_remainders(&mut terms, &parts), products].concat();
        assert!(lemmas.len() > 10, "{}", lemmas.len());
        for (a, b) in (-7..=7).flat_map(|a| (-7..=7).map(move |b| (a, b))) {
            for &lemma in &lemmas {
                let mut values = [(x, BigInt::from(a)), (y, BigInt::from(b))].into_iter().collect();
                let truth = terms.evaluate(lemma, &mut values, &mut ());
                // A remainder by 0 has no value here.
                assert_ne!(truth, Some(BigInt::from(0)), "{a} and {b}");
            }
        }
    }
}
