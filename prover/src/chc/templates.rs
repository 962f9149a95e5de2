//! Templates of invariants: what states, or calls, that were seen have in common.
//!
//! In: rows of numbers, each one state or pair of calls; column by column the values in both versions. Out: [`Fact`]s that
//! hold of every row: polynomial equations, bounds on differences and sums, remainders; which references are the same, or null.
//!
//! Invariant: a fact is plain data over columns; that it holds of rows proves nothing.

use super::null_space::Monomial;
use super::polynomial::{Equation, Polynomial, equations, multiplied, same_references};
use crate::budget::polynomial::MAX_PRODUCTS;
use crate::budget::templates::{MAX_BOUNDS, MAX_COEFFICIENT, MAX_FITTED, MAX_MODULI};
use kernel::pair::summaries::Formula;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use smt::term::{Node, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A statement about columns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fact {
    /// An equation between numbers or between references.
    Equation(Equation),
    /// A polynomial is at most 0.
    AtMostZero(Polynomial),
    /// A polynomial is divisible by a number.
    Divisible(Polynomial, BigInt),
    /// A reference is not null.
    NotNull(usize),
    /// A value is 0, or is not, as is said of it; false is 0.
    IsZero(usize, bool),
    /// One of these holds.
    OneOf(Vec<Fact>),
}

impl Fact {
    /// The fact over these values.
    pub(crate) fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        match self {
            Fact::Equation(equation) => equation.term(terms, values),
            Fact::AtMostZero(polynomial) => {
                let (sum, zero) = (polynomial.term(terms, values), terms.int(0));
                terms.le(sum, zero)
            }
            Fact::Divisible(polynomial, by) => {
                let (sum, by, zero) = (polynomial.term(terms, values), terms.int(by.clone()), terms.int(0));
                let rest = terms.rem(sum, by);
                terms.eq(rest, zero)
            }
            Fact::NotNull(at) => {
                let null = terms.null();
                let is_null = terms.eq(values[*at], null);
                terms.not(is_null)
            }
            Fact::IsZero(at, is_zero) => {
                let zero = terms.int(0);
                let holds = match terms.sort(values[*at]) {
                    Sort::Bool => terms.not(values[*at]),
                    _ => terms.eq(values[*at], zero),
                };
                if *is_zero { holds } else { terms.not(holds) }
            }
            Fact::OneOf(facts) => {
                let parts: Vec<Term> = facts.iter().map(|fact| fact.term(terms, values)).collect();
                terms.or(&parts)
            }
        }
    }
}

impl Fact {
    /// The same as the kernel has it, over values of these sorts.
    pub(crate) fn told(&self, sorts: &[Sort]) -> Formula {
        match self {
            Fact::Equation(equation) => equation.told(sorts),
            Fact::AtMostZero(sum) => Formula::AtMostZero(sum.told()),
            Fact::Divisible(sum, by) => Formula::Divisible(sum.told(), by.clone()),
            Fact::NotNull(at) => Formula::Not(Box::new(Formula::Null(*at))),
            Fact::IsZero(at, is_zero) => {
                let holds = Formula::Zero(Polynomial::value(*at).told());
                if *is_zero { holds } else { Formula::Not(Box::new(holds)) }
            }
            Fact::OneOf(facts) => Formula::Any(facts.iter().map(|fact| fact.told(sorts)).collect()),
        }
    }
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Templates {
    /// The highest degree of equations.
    pub(crate) degree: u32,
    /// Bounds that are worth stating.
    pub(crate) bounds: BTreeSet<BigInt>,
    /// Numbers that something may be divisible by.
    pub(crate) moduli: BTreeSet<BigInt>,
    /// Polynomials of the program's own conditions that may have a bound.
    pub(crate) conditions: Vec<Polynomial>,
    /// What the program asks: whether these are at most 0.
    pub(crate) tests: Vec<Polynomial>,
    /// The numbers that it divides by, where columns are compared with multiples of others by them.
    pub(crate) divisors: BTreeSet<BigInt>,
}

impl Templates {
    /// What to look for in a program that mentions these numbers.
    pub(crate) fn near(constants: &BTreeSet<BigInt>) -> Self {
        let mut bounds = BTreeSet::new();
        for number in constants.iter().take(MAX_BOUNDS).chain([&BigInt::zero()]) {
            for near in -2..=2 {
                bounds.insert(number + near);
                bounds.insert(near - number);
            }
        }
        let small = |number: &&BigInt| number.to_i32().is_some_and(|number| (2..=12).contains(&number));
        let mut moduli: BTreeSet<BigInt> = constants.iter().filter(small).take(MAX_MODULI).cloned().collect();
        moduli.insert(BigInt::from(2));
        Templates { degree: 1, bounds, moduli, ..Templates::default() }
    }
}

/// The numbers that terms mention.
pub(crate) fn constants(terms: &Terms, roots: &[Term]) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::new();
    for part in terms.parts_of(roots) {
        match terms.node(part) {
            Node::Int(value) => {
                found.insert(value.abs());
            }
            Node::Linear(constant, parts) => {
                found.insert(constant.abs());
                found.extend(parts.iter().map(|(coefficient, _)| coefficient.abs()));
            }
            _ => {}
        }
    }
    found
}

/// The numbers by which terms divide.
pub(crate) fn divisors(terms: &Terms, roots: &[Term]) -> BTreeSet<BigInt> {
    let of = |part: Term| match terms.node(part) {
        Node::Div(_, by) => terms.as_int(*by).filter(|by| **by > BigInt::one()).cloned(),
        _ => None,
    };
    terms.parts_of(roots).into_iter().filter_map(of).collect()
}

/// The polynomials over columns that conditions compare with 0.
pub(crate) fn tests(terms: &Terms, conditions: &[Term], columns: &BTreeMap<Term, usize>) -> BTreeSet<Polynomial> {
    let mut sums = BTreeSet::new();
    conditions.iter().for_each(|&condition| collect(terms, condition, &mut sums));
    sums.into_iter().filter_map(|sum| Polynomial::of(terms, sum, columns)).collect()
}

/// The same without their constant parts.
pub(crate) fn compared(terms: &Terms, conditions: &[Term], columns: &BTreeMap<Term, usize>) -> Vec<Polynomial> {
    tests(terms, conditions, columns).into_iter().map(Polynomial::without_constant).collect()
}

fn collect(terms: &Terms, condition: Term, found: &mut BTreeSet<Term>) {
    match terms.node(condition) {
        Node::AtMostZero(t) | Node::IsZero(t) => {
            found.insert(*t);
        }
        Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|&part| collect(terms, part, found)),
        Node::Not(inner) => collect(terms, *inner, found),
        _ => {}
    }
}

/// The facts that hold of all rows.
pub(crate) fn common(rows: &[Vec<BigInt>], sorts: &[Sort], templates: &Templates) -> Vec<Fact> {
    if rows.is_empty() {
        return Vec::new();
    }
    let (references, numbers): (Vec<usize>, Vec<usize>) = (0..sorts.len()).partition(|&at| sorts[at] == Sort::Ref);
    let booleans: Vec<bool> = sorts.iter().map(|sort| *sort == Sort::Bool).collect();
    let mut facts = of_numbers(rows, &numbers, &booleans, templates);
    facts.extend(same_references(rows, &references).into_iter().map(Fact::Equation));
    let never_null = |at: &usize| rows.iter().all(|row| !row[*at].is_zero());
    facts.extend(references.into_iter().filter(never_null).map(Fact::NotNull));
    facts
}

fn of_numbers(rows: &[Vec<BigInt>], numbers: &[usize], booleans: &[bool], templates: &Templates) -> Vec<Fact> {
    let fitted = &rows[rows.len().saturating_sub(MAX_FITTED)..];
    let columns: Vec<Monomial> = [Vec::new()].into_iter().chain(numbers.iter().map(|&at| vec![at])).collect();
    let linear = equations(fitted, &columns);
    // The columns that no equation determines.
    let determined: BTreeSet<&Monomial> =
        linear.iter().filter_map(|equation| equation.sum.parts.last()).map(|(_, factors)| factors).collect();
    let mut products: Vec<Monomial> = columns.iter().filter(|column| !determined.contains(column)).cloned().collect();
    let free: Vec<usize> = products.iter().filter_map(|factors| factors.first().copied()).collect();
    let mut last: Vec<Monomial> = free.iter().map(|&at| vec![at]).collect();
    for _ in 1..templates.degree {
        // A boolean times itself is itself.
        last = multiplied(&last, &free, &|factors, at| !(booleans[at] && factors.contains(&at)));
        if products.len() + last.len() > MAX_PRODUCTS {
            break;
        }
        products.extend(last.iter().cloned());
    }
    let mut found = linear;
    if products.len() > free.len() + 1 {
        found.extend(equations(fitted, &products).into_iter().filter(|equation| !equation.sum.is_linear()));
    }
    let small = |(coefficient, _): &(BigInt, Monomial)| coefficient.abs() <= BigInt::from(MAX_COEFFICIENT);
    found.retain(|equation| equation.sum.parts.iter().all(small));
    let mut facts: Vec<Fact> = found.into_iter().map(Fact::Equation).collect();
    facts.extend(bounds(rows, booleans, (numbers, &free), templates));
    facts.extend(remainders(rows, booleans, &free, templates));
    facts.extend(quotients(rows, booleans, &free, templates));
    facts.extend(of_one_size(rows, booleans, &free));
    facts.extend(flags(rows, booleans, numbers, templates));
    facts
}

/// Bounds on the difference of a column and a multiple of another one, as of a number and what is left when it is divided: always, or
/// where the program's own tests are met.
fn quotients(rows: &[Vec<BigInt>], booleans: &[bool], free: &[usize], templates: &Templates) -> Vec<Fact> {
    let numbers: Vec<usize> = free.iter().copied().filter(|&at| !booleans[at]).collect();
    let mut shapes = Vec::new();
    for (by, &one) in templates.divisors.iter().flat_map(|by| numbers.iter().map(move |one| (by, one))) {
        for &other in numbers.iter().filter(|other| **other != one) {
            for sign in [1, -1].map(BigInt::from) {
                shapes.push(Polynomial { parts: vec![(sign.clone(), vec![one]), (-sign * by, vec![other])] });
            }
        }
    }
    let signs = [1, -1].map(BigInt::from);
    let below = |sum: &Polynomial, sign: &BigInt| {
        sum.times(sign).plus(if sign.is_one() { BigInt::zero() } else { BigInt::one() })
    };
    let tests: Vec<Polynomial> =
        templates.tests.iter().flat_map(|sum| signs.iter().map(move |sign| below(sum, sign))).collect();
    let most = |shape: &Polynomial, rows: &mut dyn Iterator<Item = &Vec<BigInt>>| {
        rows.map(|row| shape.at(row)).max().filter(|most| templates.bounds.contains(most))
    };
    let mut facts = Vec::new();
    for shape in shapes {
        let always = most(&shape, &mut rows.iter());
        facts.extend(always.clone().map(|most| Fact::AtMostZero(shape.clone().plus(-most))));
        for test in &tests {
            let met = |row: &&Vec<BigInt>| !test.at(row).is_positive();
            let Some(there) = most(&shape, &mut rows.iter().filter(met)) else { continue };
            if always.as_ref() != Some(&there) {
                let otherwise = test.times(&-BigInt::one()).plus(BigInt::one());
                facts
                    .push(Fact::OneOf(vec![Fact::AtMostZero(otherwise), Fact::AtMostZero(shape.clone().plus(-there))]));
            }
        }
    }
    facts
}

/// Columns that are equal but for their signs, which differ now and then.
fn of_one_size(rows: &[Vec<BigInt>], booleans: &[bool], free: &[usize]) -> Vec<Fact> {
    let numbers: Vec<usize> = free.iter().copied().filter(|&at| !booleans[at]).collect();
    let mut facts = Vec::new();
    for (number, &a) in numbers.iter().enumerate() {
        for &b in &numbers[number + 1..] {
            let equal = |row: &Vec<BigInt>| row[a] == row[b];
            let opposite = |row: &Vec<BigInt>| row[a] == -&row[b];
            let either = rows.iter().all(|row| equal(row) || opposite(row));
            if either && !rows.iter().all(equal) && !rows.iter().all(opposite) {
                let sum = |sign: BigInt| {
                    let sum = Polynomial { parts: vec![(BigInt::one(), vec![a]), (sign, vec![b])] };
                    Fact::Equation(Equation { sum })
                };
                facts.push(Fact::OneOf(vec![sum(-BigInt::one()), sum(BigInt::one())]));
            }
        }
    }
    facts
}

/// Booleans that say whether a number, or something that the program compares with 0, is at most so much.
fn flags(rows: &[Vec<BigInt>], booleans: &[bool], numbers: &[usize], templates: &Templates) -> Vec<Fact> {
    let signs = [BigInt::one(), -BigInt::one()];
    let single = numbers.iter().filter(|&&at| !booleans[at]).map(|&at| Polynomial::value(at));
    let shapes: BTreeSet<Polynomial> = single.chain(templates.conditions.iter().cloned()).collect();
    let mut facts = Vec::new();
    for &flag in numbers.iter().filter(|&&at| booleans[at]) {
        for shape in shapes.iter().flat_map(|shape| signs.iter().map(|sign| shape.times(sign))) {
            let of = |set: bool| rows.iter().filter(move |row| row[flag].is_zero() != set).map(|row| shape.at(row));
            let (Some(most), Some(least)) = (of(true).max(), of(false).min()) else { continue };
            if most < least && (templates.bounds.contains(&most) || templates.bounds.contains(&least)) {
                let above = shape.times(&-BigInt::one()).plus(least);
                facts.push(Fact::OneOf(vec![Fact::IsZero(flag, true), Fact::AtMostZero(shape.plus(-most))]));
                facts.push(Fact::OneOf(vec![Fact::IsZero(flag, false), Fact::AtMostZero(above)]));
            }
        }
    }
    facts
}

/// Bounds on columns, on sums and differences of two, and on the program's own conditions.
fn bounds(
    rows: &[Vec<BigInt>],
    booleans: &[bool],
    (numbers, free): (&[usize], &[usize]),
    templates: &Templates,
) -> Vec<Fact> {
    let mut shapes: BTreeSet<Polynomial> = BTreeSet::new();
    let signs = [BigInt::one(), -BigInt::one()];
    let changing = |at: &usize| !booleans[*at] && rows.iter().any(|row| row[*at] != rows[0][*at]);
    for &at in numbers.iter().filter(|at| changing(at)) {
        shapes.extend(signs.iter().map(|sign| Polynomial { parts: vec![(sign.clone(), vec![at])] }));
    }
    for (number, &a) in free.iter().enumerate().filter(|(_, a)| changing(a)) {
        for &b in free[number + 1..].iter().filter(|b| changing(b)) {
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                shapes.insert(Polynomial { parts: vec![(signs[x].clone(), vec![a]), (signs[y].clone(), vec![b])] });
            }
        }
    }
    for condition in &templates.conditions {
        shapes.extend(signs.iter().map(|sign| condition.times(sign)));
    }
    let mut facts = Vec::new();
    for shape in shapes {
        let Some(most) = rows.iter().map(|row| shape.at(row)).max() else { continue };
        if templates.bounds.contains(&most) {
            facts.push(Fact::AtMostZero(shape.plus(-most)));
        }
    }
    facts
}

/// Remainders of columns and of differences of two.
fn remainders(rows: &[Vec<BigInt>], booleans: &[bool], free: &[usize], templates: &Templates) -> Vec<Fact> {
    let one = BigInt::one;
    let mut shapes: Vec<Polynomial> = Vec::new();
    let numbers: Vec<usize> = free.iter().copied().filter(|&at| !booleans[at]).collect();
    for (number, &a) in numbers.iter().enumerate() {
        shapes.push(Polynomial { parts: vec![(one(), vec![a])] });
        let difference = |&b: &usize| Polynomial { parts: vec![(one(), vec![a]), (-one(), vec![b])] };
        shapes.extend(numbers[number + 1..].iter().map(difference));
    }
    let mut facts = Vec::new();
    for modulus in &templates.moduli {
        for shape in &shapes {
            let rest = shape.at(&rows[0]).mod_floor(modulus);
            if rows.len() > 3 && rows.iter().all(|row| shape.at(row).mod_floor(modulus) == rest) {
                facts.push(Fact::Divisible(shape.clone().plus(-rest), modulus.clone()));
            }
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[&[i64]]) -> Vec<Vec<BigInt>> {
        numbers.iter().map(|row| row.iter().map(|&n| BigInt::from(n)).collect()).collect()
    }

    fn templates() -> Templates {
        let numbers = |list: &[i64]| list.iter().map(|&n| BigInt::from(n)).collect();
        Templates { degree: 2, bounds: numbers(&[-1, 0, 1]), moduli: numbers(&[2]), ..Templates::default() }
    }

    #[test]
    fn a_sum_of_numbers_is_half_a_product() {
        let sums = rows(&[&[0, 0], &[1, 1], &[2, 3], &[3, 6], &[4, 10], &[5, 15], &[6, 21]]);
        let found = common(&sums, &[Sort::Int; 2], &templates());
        let wanted = [(2, vec![1]), (1, vec![0]), (-1, vec![0, 0])];
        let is_it = |fact: &Fact| {
            let Fact::Equation(equation) = fact else { return false };
            wanted.iter().all(|(c, factors)| {
                equation.sum.parts.iter().any(|(d, others)| d.abs() == BigInt::from(*c).abs() && others == factors)
            })
        };
        assert!(found.iter().any(is_it), "{found:?}");
    }

    #[test]
    fn bounds_are_stated_only_where_they_are_worth_it() {
        let found = common(&rows(&[&[0, 7], &[3, 9], &[5, 5], &[8, 20]]), &[Sort::Int; 2], &templates());
        let bounded = |parts: &[(i64, Vec<usize>)]| {
            let parts: Vec<_> = parts.iter().map(|(c, factors)| (BigInt::from(*c), factors.clone())).collect();
            found.contains(&Fact::AtMostZero(Polynomial { parts }))
        };
        assert!(bounded(&[(1, vec![0]), (-1, vec![1])]), "{found:?}");
        assert!(bounded(&[(-1, vec![0])]), "{found:?}");
        assert!(!bounded(&[(1, vec![0]), (-8, vec![])]), "{found:?}");
    }

    #[test]
    fn odd_numbers_are_seen_to_be_odd() {
        let found = common(&rows(&[&[1], &[7], &[3], &[-5]]), &[Sort::Int], &templates());
        assert!(found.iter().any(|fact| matches!(fact, Fact::Divisible(..))), "{found:?}");
    }
}
