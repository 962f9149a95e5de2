//! What the states at a node of a product have in common.
//!
//! In: rows of numbers, each one state; column by column the inputs and the variables of both versions. Out: [`Fact`]s that
//! hold of every row: polynomial equations, bounds on differences and sums, remainders; which references are the same, or null.
//!
//! Invariant: a fact is plain data over columns; that it holds of rows proves nothing.

use crate::chc::polynomial::kernel;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use smt::term::{Node, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// With more products than this, equations of that degree are not looked for.
const MAX_PRODUCTS: usize = 60;
/// Equations with greater coefficients fit the rows and nothing else.
const MAX_COEFFICIENT: u32 = 5_000;
/// Rows that are looked at for equations; more say nothing new.
const MAX_FITTED: usize = 160;

/// What is said of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Relation {
    /// It is 0.
    Zero,
    /// It is at most 0.
    AtMostZero,
    /// It is divisible by this.
    Divisible(BigInt),
    /// Of references: the one column is null, or the two are the same.
    Same,
    /// Of a reference: it is not null.
    NotNull,
}

/// A polynomial over columns: `Σ coefficient · product of columns`.
pub(super) type Polynomial = Vec<(BigInt, Vec<usize>)>;

/// A statement about a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fact {
    pub(super) relation: Relation,
    pub(super) parts: Polynomial,
}

impl Fact {
    /// The fact over these values.
    pub(super) fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        if matches!(self.relation, Relation::Same | Relation::NotNull) {
            let null = terms.null();
            let mut named = self.parts.iter().flat_map(|(_, factors)| factors).map(|&at| values[at]);
            let (first, second) = (named.next().unwrap_or(null), named.next().unwrap_or(null));
            let same = terms.eq(first, second);
            return if self.relation == Relation::Same { same } else { terms.not(same) };
        }
        let mut sum = terms.int(0);
        for (coefficient, factors) in &self.parts {
            let mut product = terms.int(coefficient.clone());
            for &factor in factors {
                let value = number(terms, values[factor]);
                product = terms.mul(product, value);
            }
            sum = terms.add(sum, product);
        }
        let zero = terms.int(0);
        match &self.relation {
            Relation::Zero => terms.eq(sum, zero),
            Relation::AtMostZero => terms.le(sum, zero),
            Relation::Divisible(by) => {
                let by = terms.int(by.clone());
                let rest = terms.rem(sum, by);
                terms.eq(rest, zero)
            }
            Relation::Same | Relation::NotNull => terms.bool(true),
        }
    }

    /// Whether it multiplies columns.
    pub(super) fn is_linear(&self) -> bool {
        self.parts.iter().all(|(_, factors)| factors.len() <= 1)
    }
}

/// A value as a number: booleans are 0 and 1.
fn number(terms: &mut Terms, value: Term) -> Term {
    if terms.sort(value) == Sort::Int {
        return value;
    }
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(value, one, zero)
}

/// What to look for.
#[derive(Clone, Debug, Default)]
pub(super) struct Templates {
    /// The highest degree of equations.
    pub(super) degree: u32,
    /// Bounds that are worth stating.
    pub(super) bounds: BTreeSet<BigInt>,
    /// Numbers that something may be divisible by.
    pub(super) moduli: BTreeSet<BigInt>,
    /// Polynomials of the program's own conditions that may have a bound.
    pub(super) conditions: Vec<Polynomial>,
}

/// The facts that hold of all rows.
pub(super) fn common(rows: &[Vec<BigInt>], sorts: &[Sort], templates: &Templates) -> Vec<Fact> {
    if rows.is_empty() {
        return Vec::new();
    }
    let (references, numbers): (Vec<usize>, Vec<usize>) = (0..sorts.len()).partition(|&at| sorts[at] == Sort::Ref);
    let booleans: Vec<bool> = sorts.iter().map(|sort| *sort == Sort::Bool).collect();
    let mut facts = of_numbers(rows, &numbers, &booleans, templates);
    facts.extend(of_references(rows, &references));
    facts
}

/// Which references are null or the same, in all rows, and which are never null.
fn of_references(rows: &[Vec<BigInt>], references: &[usize]) -> Vec<Fact> {
    let one = || BigInt::one();
    let mut facts = Vec::new();
    for (number, &a) in references.iter().enumerate() {
        let nulls = rows.iter().filter(|row| row[a].is_zero()).count();
        if nulls == rows.len() {
            facts.push(Fact { relation: Relation::Same, parts: vec![(one(), vec![a])] });
        }
        if nulls == 0 {
            facts.push(Fact { relation: Relation::NotNull, parts: vec![(one(), vec![a])] });
        }
        for &b in references[number + 1..].iter().filter(|&&b| rows.iter().all(|row| row[a] == row[b])) {
            facts.push(Fact { relation: Relation::Same, parts: vec![(one(), vec![a]), (one(), vec![b])] });
        }
    }
    facts
}

fn of_numbers(rows: &[Vec<BigInt>], numbers: &[usize], booleans: &[bool], templates: &Templates) -> Vec<Fact> {
    let fitted = &rows[rows.len().saturating_sub(MAX_FITTED)..];
    let one = Vec::new();
    let columns: Vec<Vec<usize>> = [one].into_iter().chain(numbers.iter().map(|&at| vec![at])).collect();
    let (mut facts, independent) = equations(fitted, &columns);
    let free: Vec<usize> = independent.iter().filter_map(|factors| factors.first().copied()).collect();
    let mut products: Vec<Vec<usize>> = independent;
    let mut last: Vec<Vec<usize>> = free.iter().map(|&at| vec![at]).collect();
    for _ in 1..templates.degree {
        let mut next = Vec::new();
        for factors in &last {
            for &at in free.iter().filter(|&&at| factors.last().is_none_or(|&last| last <= at)) {
                // A boolean times itself is itself.
                if !(booleans[at] && factors.contains(&at)) {
                    next.push([factors.as_slice(), &[at]].concat());
                }
            }
        }
        if products.len() + next.len() > MAX_PRODUCTS {
            break;
        }
        products.extend(next.iter().cloned());
        last = next;
    }
    if products.len() > free.len() + 1 {
        let (found, _) = equations(fitted, &products);
        facts.extend(found.into_iter().filter(|fact| !fact.is_linear()));
    }
    facts.extend(bounds(rows, booleans, (numbers, &free), templates));
    facts.extend(remainders(rows, booleans, &free, templates));
    facts
}

/// The equations between products, each solved for one that the others before it determine; and those that none does.
fn equations(rows: &[Vec<BigInt>], products: &[Vec<usize>]) -> (Vec<Fact>, Vec<Vec<usize>>) {
    let value = |row: &Vec<BigInt>, factors: &Vec<usize>| factors.iter().map(|&at| &row[at]).product::<BigInt>();
    let matrix = rows.iter().map(|row| products.iter().map(|factors| value(row, factors)).collect()).collect();
    let solutions = kernel(matrix, products.len());
    let mut determined = BTreeSet::new();
    let mut facts = Vec::new();
    for solution in solutions {
        determined.extend(solution.iter().rposition(|coefficient| !coefficient.is_zero()));
        if solution.iter().all(|coefficient| coefficient.abs() <= BigInt::from(MAX_COEFFICIENT)) {
            let parts = solution.into_iter().zip(products).filter(|(coefficient, _)| !coefficient.is_zero());
            let parts = parts.map(|(coefficient, factors)| (coefficient, factors.clone())).collect();
            facts.push(Fact { relation: Relation::Zero, parts });
        }
    }
    let rest = (0..products.len()).filter(|at| !determined.contains(at)).map(|at| products[at].clone());
    (facts, rest.collect())
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
        shapes.extend(signs.iter().map(|sign| vec![(sign.clone(), vec![at])]));
    }
    for (number, &a) in free.iter().enumerate().filter(|(_, a)| changing(a)) {
        for &b in free[number + 1..].iter().filter(|b| changing(b)) {
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                shapes.insert(vec![(signs[x].clone(), vec![a]), (signs[y].clone(), vec![b])]);
            }
        }
    }
    for condition in &templates.conditions {
        for sign in &signs {
            shapes.insert(condition.iter().map(|(c, factors)| (c * sign, factors.clone())).collect());
        }
    }
    let mut facts = Vec::new();
    for mut parts in shapes {
        let value = |row: &Vec<BigInt>| -> BigInt {
            parts.iter().map(|(c, factors)| c * factors.iter().map(|&at| &row[at]).product::<BigInt>()).sum()
        };
        let Some(most) = rows.iter().map(value).max() else { continue };
        if templates.bounds.contains(&most) {
            if !most.is_zero() {
                parts.push((-most, Vec::new()));
            }
            facts.push(Fact { relation: Relation::AtMostZero, parts });
        }
    }
    facts
}

/// Remainders of columns and of differences of two.
fn remainders(rows: &[Vec<BigInt>], booleans: &[bool], free: &[usize], templates: &Templates) -> Vec<Fact> {
    let mut shapes: Vec<Polynomial> = Vec::new();
    let numbers: Vec<usize> = free.iter().copied().filter(|&at| !booleans[at]).collect();
    for (number, &a) in numbers.iter().enumerate() {
        shapes.push(vec![(BigInt::one(), vec![a])]);
        shapes.extend(numbers[number + 1..].iter().map(|&b| vec![(BigInt::one(), vec![a]), (-BigInt::one(), vec![b])]));
    }
    let mut facts = Vec::new();
    for modulus in &templates.moduli {
        for parts in &shapes {
            let value = |row: &Vec<BigInt>| -> BigInt {
                let sum: BigInt = parts.iter().map(|(c, factors)| c * &row[factors[0]]).sum();
                ((sum % modulus) + modulus) % modulus
            };
            let rest = value(&rows[0]);
            if rows.len() > 3 && rows.iter().all(|row| value(row) == rest) {
                let mut parts = parts.clone();
                if !rest.is_zero() {
                    parts.push((-rest, Vec::new()));
                }
                facts.push(Fact { relation: Relation::Divisible(modulus.clone()), parts });
            }
        }
    }
    facts
}

/// A term as a polynomial over columns, if it is one.
pub(super) fn polynomial(terms: &Terms, term: Term, columns: &BTreeMap<Term, usize>) -> Option<Polynomial> {
    let (constant, parts) = terms.linear_parts(term);
    let mut found = Vec::new();
    for (coefficient, part) in parts {
        let factors = match terms.node(part) {
            Node::Mul(factors) => factors.iter().map(|factor| columns.get(factor).copied()).collect::<Option<_>>()?,
            _ => vec![*columns.get(&part)?],
        };
        found.push((coefficient, factors));
    }
    if !constant.is_zero() {
        found.push((constant, Vec::new()));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[&[i64]]) -> Vec<Vec<BigInt>> {
        numbers.iter().map(|row| row.iter().map(|&n| BigInt::from(n)).collect()).collect()
    }

    fn templates() -> Templates {
        let numbers = |list: &[i64]| list.iter().map(|&n| BigInt::from(n)).collect();
        Templates { degree: 2, bounds: numbers(&[-1, 0, 1]), moduli: numbers(&[2]), conditions: Vec::new() }
    }

    #[test]
    fn a_sum_of_numbers_is_half_a_product() {
        let sums = rows(&[&[0, 0], &[1, 1], &[2, 3], &[3, 6], &[4, 10], &[5, 15], &[6, 21]]);
        let found = common(&sums, &[Sort::Int; 2], &templates());
        let wanted = [(2, vec![1]), (1, vec![0]), (-1, vec![0, 0])];
        let is_it = |fact: &Fact| {
            fact.relation == Relation::Zero
                && wanted.iter().all(|(c, factors)| {
                    fact.parts.iter().any(|(d, others)| d.abs() == BigInt::from(*c).abs() && others == factors)
                })
        };
        assert!(found.iter().any(is_it), "{found:?}");
    }

    #[test]
    fn bounds_are_stated_only_where_they_are_worth_it() {
        let found = common(&rows(&[&[0, 7], &[3, 9], &[5, 5], &[8, 20]]), &[Sort::Int; 2], &templates());
        let bounded = |parts: &[(i64, Vec<usize>)]| {
            let parts: Vec<_> = parts.iter().map(|(c, factors)| (BigInt::from(*c), factors.clone())).collect();
            found.contains(&Fact { relation: Relation::AtMostZero, parts })
        };
        assert!(bounded(&[(1, vec![0]), (-1, vec![1])]), "{found:?}");
        assert!(bounded(&[(-1, vec![0])]), "{found:?}");
        assert!(!bounded(&[(1, vec![0]), (-8, vec![])]), "{found:?}");
    }

    #[test]
    fn odd_numbers_are_seen_to_be_odd() {
        let found = common(&rows(&[&[1], &[7], &[3], &[-5]]), &[Sort::Int], &templates());
        assert!(found.iter().any(|fact| matches!(fact.relation, Relation::Divisible(_))), "{found:?}");
    }
}
