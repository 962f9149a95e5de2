//! Polynomials over values, and the equations that fit observed numbers and references.

use super::null_space::{Monomial, null_space, product};
use crate::budget::polynomial::MAX_PRODUCTS;
use kernel::pair::summaries::{self, Formula};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use smt::term::{Node, Sort, Term, Terms};
use std::collections::BTreeMap;

/// `Σ coefficient · product of values`; values are named by position.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    /// The summands: a coefficient, and the positions of the values it is multiplied by.
    pub parts: Vec<(BigInt, Vec<usize>)>,
}

/// That a polynomial of numbers is 0. Of references there are two forms alone: `1 · a` says that `a` is null, and
/// `1 · a - 1 · b` that `a` is `b`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Equation {
    /// What is 0.
    pub sum: Polynomial,
}

impl Polynomial {
    /// A term as a polynomial over columns, if it is one.
    pub(crate) fn of(terms: &Terms, term: Term, columns: &BTreeMap<Term, usize>) -> Option<Self> {
        let (constant, parts) = terms.linear_parts(term);
        let mut found = Vec::new();
        for (coefficient, part) in parts {
            let factors = match terms.node(part) {
                Node::Mul(factors) => {
                    factors.iter().map(|factor| columns.get(factor).copied()).collect::<Option<_>>()?
                }
                _ => vec![*columns.get(&part)?],
            };
            found.push((coefficient, factors));
        }
        Some(Polynomial { parts: found }.plus(constant))
    }

    /// The value at a position.
    pub(crate) fn value(at: usize) -> Self {
        Polynomial { parts: vec![(BigInt::one(), vec![at])] }
    }

    /// The polynomial with a number added to one that has no constant part.
    pub(crate) fn plus(mut self, constant: BigInt) -> Self {
        if !constant.is_zero() {
            self.parts.push((constant, Vec::new()));
        }
        self
    }

    /// The polynomial without its constant part.
    pub(crate) fn without_constant(mut self) -> Self {
        self.parts.retain(|(_, factors)| !factors.is_empty());
        self
    }

    /// A multiple of the polynomial.
    pub(crate) fn times(&self, factor: &BigInt) -> Self {
        Polynomial { parts: self.parts.iter().map(|(c, factors)| (c * factor, factors.clone())).collect() }
    }

    /// Whether it multiplies no values with one another.
    pub(crate) fn is_linear(&self) -> bool {
        self.parts.iter().all(|(_, factors)| factors.len() <= 1)
    }

    /// The number it is for this row of values.
    pub(crate) fn at(&self, row: &[BigInt]) -> BigInt {
        self.parts.iter().map(|(c, factors)| c * product(row, factors)).sum()
    }

    /// The term it is for these values.
    pub(crate) fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
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

    /// The same as the kernel has it.
    pub(crate) fn told(&self) -> summaries::Polynomial {
        summaries::Polynomial { parts: self.parts.clone() }
    }

    fn positions(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().flat_map(|(_, factors)| factors).copied()
    }
}

impl Equation {
    /// That a reference is null.
    pub(crate) fn null(at: usize) -> Self {
        Equation { sum: Polynomial { parts: vec![(BigInt::one(), vec![at])] } }
    }

    /// That two references are the same.
    pub(crate) fn same(left: usize, right: usize) -> Self {
        Equation { sum: Polynomial { parts: vec![(BigInt::one(), vec![left]), (-BigInt::one(), vec![right])] } }
    }

    /// The same as the kernel has it, over values of these sorts.
    pub(crate) fn told(&self, sorts: &[Sort]) -> Formula {
        let mut named = self.sum.positions();
        match (named.next(), named.next()) {
            (Some(one), other) if sorts[one] == Sort::Ref => {
                other.map_or(Formula::Null(one), |other| Formula::Same(one, other))
            }
            _ => Formula::Zero(self.sum.told()),
        }
    }

    /// The equation over these values.
    pub(crate) fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        let mut named = self.sum.positions().map(|at| values[at]);
        if let Some(left) = named.next().filter(|&left| terms.sort(left) == Sort::Ref) {
            let right = named.next().unwrap_or_else(|| terms.null());
            return terms.eq(left, right);
        }
        let sum = self.sum.term(terms, values);
        let zero = terms.int(0);
        terms.eq(sum, zero)
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

/// A basis of all equations of this degree (or less) between numbers, and all equations between references, that hold of
/// every row.
pub(crate) fn fit(rows: &[Vec<BigInt>], sorts: &[Sort], degree: u32) -> Vec<Equation> {
    if rows.is_empty() {
        return Vec::new();
    }
    let (references, numbers): (Vec<usize>, Vec<usize>) = (0..sorts.len()).partition(|&at| sorts[at] == Sort::Ref);
    let mut columns = monomials(&numbers, degree);
    // So that equations are solved for the products of high degree.
    columns.reverse();
    let mut found = if columns.len() > MAX_PRODUCTS { Vec::new() } else { equations(rows, &columns) };
    found.extend(same_references(rows, &references));
    found
}

/// The equations between references that hold of every row.
pub(crate) fn same_references(rows: &[Vec<BigInt>], references: &[usize]) -> Vec<Equation> {
    let mut found = Vec::new();
    for (at, &left) in references.iter().enumerate() {
        if rows.iter().all(|row| row[left].is_zero()) {
            found.push(Equation::null(left));
        }
        let same = references[at + 1..].iter().filter(|&&right| rows.iter().all(|row| row[left] == row[right]));
        found.extend(same.map(|&right| Equation::same(left, right)));
    }
    found
}

/// The equation of lowest degree that gives one more value (the last of each row) as a polynomial of the others. One that any
/// numbers would satisfy, because there are so few rows, is none.
pub(crate) fn closed_form(rows: &[Vec<BigInt>], most: u32) -> Option<Equation> {
    let width = rows.first()?.len().checked_sub(1)?;
    let others: Vec<usize> = (0..width).collect();
    (0..=most).find_map(|degree| {
        // What the products of low degree determine is said by them.
        let mut columns = monomials(&others, degree);
        columns.push(vec![width]);
        if columns.len() > MAX_PRODUCTS {
            return None;
        }
        let found = equations(rows, &columns);
        let rank = columns.len() - found.len();
        let of_value = |equation: &Equation| equation.sum.parts.last().map(|(_, factors)| factors) == columns.last();
        let equation = found.into_iter().find(of_value)?;
        (rows.len() > rank || rows.len() == 1).then_some(equation)
    })
}

/// The products of at most `degree` of the values at these positions; those of low degree first.
fn monomials(positions: &[usize], degree: u32) -> Vec<Monomial> {
    let mut all: Vec<Monomial> = vec![Vec::new()];
    let mut last = all.clone();
    for _ in 0..degree {
        last = multiplied(&last, positions, &|_, _| true);
        all.extend(last.iter().cloned());
    }
    all
}

/// Each product times each value that does not stand before its last factor, where `allowed` says that this is wanted.
pub(crate) fn multiplied(
    products: &[Monomial],
    positions: &[usize],
    allowed: &dyn Fn(&[usize], usize) -> bool,
) -> Vec<Monomial> {
    let mut found = Vec::new();
    for factors in products {
        let later = positions.iter().filter(|&&at| factors.last().is_none_or(|&last| last <= at));
        found.extend(later.filter(|&&at| allowed(factors, at)).map(|&at| [factors.as_slice(), &[at]].concat()));
    }
    found
}

/// A basis of the equations between these products that hold of every row. Each is solved for the last product in it, which
/// those before it determine.
pub(crate) fn equations(rows: &[Vec<BigInt>], products: &[Monomial]) -> Vec<Equation> {
    let equation = |solution: Vec<BigInt>| {
        let parts = solution.into_iter().zip(products).filter(|(coefficient, _)| !coefficient.is_zero());
        Equation {
            sum: Polynomial { parts: parts.map(|(coefficient, factors)| (coefficient, factors.clone())).collect() },
        }
    };
    null_space(rows, products).into_iter().map(equation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[&[i64]]) -> Vec<Vec<BigInt>> {
        numbers.iter().map(|row| row.iter().map(|&n| BigInt::from(n)).collect()).collect()
    }

    fn numbers(rows: &[Vec<BigInt>], degree: u32) -> Vec<Equation> {
        fit(rows, &vec![Sort::Int; rows[0].len()], degree)
    }

    #[test]
    fn a_line_is_found() {
        let found = numbers(&rows(&[&[0, 1], &[1, 4], &[2, 7], &[5, 16]]), 1);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_parabola_is_found_by_degree_two_only() {
        let squares = rows(&[&[0, 0], &[1, 1], &[2, 4], &[3, 9], &[4, 16], &[5, 25], &[-2, 4], &[-3, 9]]);
        assert!(numbers(&squares, 1).is_empty());
        assert!(!numbers(&squares, 2).is_empty());
    }

    #[test]
    fn a_value_is_a_polynomial_of_the_others() {
        let sums = rows(&[&[0, 0], &[1, 1], &[2, 3], &[3, 6], &[4, 10]]);
        let found = closed_form(&sums, 3).expect("a sum has a formula");
        assert!(
            found.sum.parts.contains(&(BigInt::from(2), vec![1]))
                || found.sum.parts.contains(&(BigInt::from(-2), vec![1]))
        );
        assert_eq!(closed_form(&sums[..2], 3), None);
        assert_eq!(closed_form(&rows(&[&[0, 0], &[1, 1], &[2, 1], &[3, 2], &[4, 3], &[5, 5]]), 3), None);
    }

    #[test]
    fn nothing_fits_noise() {
        assert!(numbers(&rows(&[&[0, 1], &[3, 4], &[2, 9], &[5, -2]]), 1).is_empty());
    }

    #[test]
    fn references_are_equal_or_null_and_never_added() {
        let sorts = [Sort::Ref, Sort::Int, Sort::Ref, Sort::Ref];
        let found = fit(&rows(&[&[1, 1, 1, 0], &[2, 5, 2, 0], &[0, 3, 0, 0]]), &sorts, 1);
        let parts: Vec<Vec<Vec<usize>>> =
            found.iter().map(|e| e.sum.parts.iter().map(|(_, factors)| factors.clone()).collect()).collect();
        assert_eq!(parts, [vec![vec![0], vec![2]], vec![vec![3]]]);
        assert!(found.iter().all(|equation| equation.told(&sorts).fits(&sorts)));
        // A reference is not a number.
        assert!(!found[0].told(&sorts).fits(&[Sort::Ref, Sort::Int, Sort::Int, Sort::Int]));
    }
}
