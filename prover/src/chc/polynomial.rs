//! Polynomial equations that fit observed numbers, and equations between references.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use smt::term::{Sort, Term, Terms};

/// `Σ coefficient · product of values = 0`; values are named by position. Of references there are two forms alone: `1 · a = 0`
/// says that `a` is null, and `1 · a - 1 · b = 0` that `a` is `b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The summands: a coefficient, and the positions of the values it is multiplied by.
    pub parts: Vec<(BigInt, Vec<usize>)>,
}

/// With more products than this, equations of that degree are not looked for.
const MAX_PRODUCTS: usize = 60;

impl Equation {
    /// Whether it speaks only of values of these sorts: of numbers in products of at most `degree`, or of references in one of
    /// the two forms.
    pub(crate) fn fits(&self, sorts: &[Sort], degree: u32) -> bool {
        let all = || self.parts.iter().flat_map(|(_, factors)| factors);
        if all().any(|&at| at >= sorts.len()) {
            return false;
        }
        if all().all(|&at| sorts[at] != Sort::Ref) {
            return self.parts.iter().all(|(_, factors)| factors.len() <= degree as usize);
        }
        let one = BigInt::one();
        all().all(|&at| sorts[at] == Sort::Ref)
            && match self.parts.as_slice() {
                [(a, left)] => *a == one && left.len() == 1,
                [(a, left), (b, right)] => *a == one && *b == -one && left.len() == 1 && right.len() == 1,
                _ => false,
            }
    }

    /// The equation over these values.
    pub(crate) fn term(&self, terms: &mut Terms, values: &[Term]) -> Term {
        if let [(_, first), rest @ ..] = self.parts.as_slice()
            && let [left] = first.as_slice()
            && terms.sort(values[*left]) == Sort::Ref
        {
            let right = match rest.first().and_then(|(_, factors)| factors.first()) {
                Some(&right) => values[right],
                None => terms.null(),
            };
            return terms.eq(values[*left], right);
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
    let mut found = fit_numbers(rows, &numbers, degree);
    for (at, &left) in references.iter().enumerate() {
        if rows.iter().all(|row| row[left].is_zero()) {
            found.push(Equation { parts: vec![(BigInt::one(), vec![left])] });
        }
        for &right in &references[at + 1..] {
            if rows.iter().all(|row| row[left] == row[right]) {
                found.push(Equation { parts: vec![(BigInt::one(), vec![left]), (-BigInt::one(), vec![right])] });
            }
        }
    }
    found
}

/// The equations between the values at these positions.
fn fit_numbers(rows: &[Vec<BigInt>], positions: &[usize], degree: u32) -> Vec<Equation> {
    let mut products = products(positions.len(), degree);
    if products.len() > MAX_PRODUCTS {
        return Vec::new();
    }
    products.iter_mut().flatten().for_each(|at| *at = positions[*at]);
    let matrix: Vec<Vec<BigInt>> = rows
        .iter()
        .map(|row| products.iter().map(|factors| factors.iter().map(|&at| &row[at]).product()).collect())
        .collect();
    kernel(matrix, products.len())
        .into_iter()
        .map(|solution| Equation {
            parts: solution
                .into_iter()
                .zip(&products)
                .filter(|(coefficient, _)| !coefficient.is_zero())
                .map(|(coefficient, factors)| (coefficient, factors.clone()))
                .collect(),
        })
        .collect()
}

/// The equation of lowest degree that gives one more value (the last of each row) as a polynomial of the others. One that any
/// numbers would satisfy, because there are so few rows, is none.
pub(crate) fn closed_form(rows: &[Vec<BigInt>], most: u32) -> Option<Equation> {
    let width = rows.first()?.len().checked_sub(1)?;
    (1..=most).find_map(|degree| {
        let mut columns = products(width, degree);
        // What the lower ones determine is said by them.
        columns.reverse();
        columns.push(vec![width]);
        if columns.len() > MAX_PRODUCTS {
            return None;
        }
        let value = |row: &Vec<BigInt>, factors: &Vec<usize>| factors.iter().map(|&at| &row[at]).product::<BigInt>();
        let matrix = rows.iter().map(|row| columns.iter().map(|factors| value(row, factors)).collect()).collect();
        let solutions = kernel(matrix, columns.len());
        let rank = columns.len() - solutions.len();
        let solution = solutions.into_iter().find(|solution| solution.last().is_some_and(|last| !last.is_zero()))?;
        let parts = solution.into_iter().zip(&columns).filter(|(coefficient, _)| !coefficient.is_zero());
        let parts = parts.map(|(coefficient, factors)| (coefficient, factors.clone())).collect();
        (rows.len() > rank || rows.len() == 1).then_some(Equation { parts })
    })
}

/// The products of at most `degree` of `width` values; those of high degree first, so that equations are solved for them.
fn products(width: usize, degree: u32) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..degree {
        let mut next = Vec::new();
        for factors in &last {
            for at in factors.last().copied().unwrap_or(0)..width {
                next.push([factors.as_slice(), &[at]].concat());
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    all.reverse();
    all
}

/// A basis of the vectors that every row is orthogonal to, with integer entries. Elimination without fractions.
pub(crate) fn kernel(mut rows: Vec<Vec<BigInt>>, width: usize) -> Vec<Vec<BigInt>> {
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let done = pivots.len();
        let Some(found) = (done..rows.len()).find(|&at| !rows[at][column].is_zero()) else { continue };
        rows.swap(done, found);
        let pivot = rows[done].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at != done && !row[column].is_zero() {
                let (a, b) = (pivot[column].clone(), row[column].clone());
                for (mine, theirs) in row.iter_mut().zip(&pivot) {
                    *mine = &*mine * &a - theirs * &b;
                }
                reduce(row);
            }
        }
        pivots.push(column);
        if pivots.len() == rows.len() {
            break;
        }
    }
    let free = (0..width).filter(|column| !pivots.contains(column));
    free.map(|column| {
        // The free value is the product of all pivots' entries, so that the others are whole.
        let scale = pivots.iter().enumerate().fold(BigInt::one(), |scale, (row, &pivot)| scale * &rows[row][pivot]);
        let mut solution = vec![BigInt::zero(); width];
        for (row, &pivot) in pivots.iter().enumerate() {
            solution[pivot] = -(&rows[row][column] * &scale) / &rows[row][pivot];
        }
        solution[column] = scale;
        reduce(&mut solution);
        solution
    })
    .collect()
}

/// Divides by the greatest common divisor.
fn reduce(row: &mut [BigInt]) {
    let mut divisor = BigInt::zero();
    for value in row.iter() {
        let (mut a, mut b) = (divisor, value.abs());
        while !b.is_zero() {
            (a, b) = (b.clone(), a % b);
        }
        divisor = a;
    }
    if !divisor.is_zero() && !divisor.is_one() {
        row.iter_mut().for_each(|value| *value /= &divisor);
    }
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
            found.parts.contains(&(BigInt::from(2), vec![1])) || found.parts.contains(&(BigInt::from(-2), vec![1]))
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
            found.iter().map(|e| e.parts.iter().map(|(_, factors)| factors.clone()).collect()).collect();
        assert_eq!(parts, [vec![vec![0], vec![2]], vec![vec![3]]]);
        assert!(found.iter().all(|equation| equation.fits(&sorts, 1)));
        // A reference is not a number.
        assert!(!found[0].fits(&[Sort::Ref, Sort::Int, Sort::Int, Sort::Int], 1));
    }
}
