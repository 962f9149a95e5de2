//! The vectors that every row of a matrix of integers is orthogonal to.
//!
//! In: rows of values, and which products of them are the columns. Out: a basis, each vector with whole entries that have no common
//! divisor.
//!
//! Nearly always the numbers of such a vector are small, or there is none. Both are found by elimination modulo a prime, where no
//! number grows, and rational reconstruction; what is found is tried on the rows. Only where that fails is the elimination done
//! with whole numbers, whose length grows with every step.
//!
//! Invariant: what comes out does not depend on which of the two found it.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The positions of values that are multiplied with one another; none is the number 1.
pub(crate) type Monomial = Vec<usize>;

/// The modulus: a prime, so that all but 0 can be divided by; so large that a number that is not 0 is hardly ever a multiple.
const PRIME: u64 = (1 << 61) - 1;
/// Fractions of two numbers up to this are told apart by what they are modulo the prime: twice its square is below that.
const LARGEST: u64 = 1 << 30;

/// A basis of the vectors that every row is orthogonal to, where the columns are products of the row's values. The entry at one
/// column, the last that is not 0, is positive; this column is 0 in the other vectors.
pub(super) fn null_space(rows: &[Vec<BigInt>], columns: &[Monomial]) -> Vec<Vec<BigInt>> {
    modular(rows, columns).unwrap_or_else(|| exact(rows, columns))
}

/// The product of a row's values at these positions.
pub(super) fn product(row: &[BigInt], factors: &[usize]) -> BigInt {
    factors.iter().map(|&at| &row[at]).product()
}

/// The basis, if its numbers are small.
fn modular(rows: &[Vec<BigInt>], columns: &[Monomial]) -> Option<Vec<Vec<BigInt>>> {
    let mut echelon = Echelon { width: columns.len(), rows: Vec::new() };
    for row in rows {
        let values: Vec<u64> = row.iter().map(residue).collect();
        let product = |factors: &Monomial| factors.iter().fold(1, |product, &at| times(product, values[at]));
        echelon.add(columns.iter().map(product).collect());
        if echelon.rows.len() == columns.len() {
            return Some(Vec::new());
        }
    }
    let basis = echelon.orthogonal().iter().map(|vector| lift(vector)).collect::<Option<Vec<_>>>()?;
    let is_orthogonal = |vector: &Vec<BigInt>| {
        let used: Vec<_> = vector.iter().zip(columns).filter(|(entry, _)| !entry.is_zero()).collect();
        rows.iter()
            .all(|row| used.iter().map(|(entry, factors)| *entry * product(row, factors)).sum::<BigInt>().is_zero())
    };
    basis.iter().all(is_orthogonal).then_some(basis)
}

/// Rows modulo the prime, of which none is a sum of multiples of the others.
struct Echelon {
    width: usize,
    /// By their pivots: the first column where a row is not 0. There it is 1, and the other rows are 0.
    rows: Vec<(usize, Vec<u64>)>,
}

impl Echelon {
    /// Adds a row, unless it is a sum of multiples of those that are there.
    fn add(&mut self, mut row: Vec<u64>) {
        for (pivot, other) in &self.rows {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|&entry| entry != 0) else { return };
        let inverse = inverse(row[pivot]);
        row.iter_mut().for_each(|entry| *entry = times(*entry, inverse));
        for (_, other) in &mut self.rows {
            subtract(other, &row, pivot);
        }
        let at = self.rows.partition_point(|(other, _)| *other < pivot);
        self.rows.insert(at, (pivot, row));
    }

    /// A basis of what every row is orthogonal to: one for each column that is no pivot, where it is 1.
    fn orthogonal(&self) -> Vec<Vec<u64>> {
        let is_pivot = |column: usize| self.rows.iter().any(|(pivot, _)| *pivot == column);
        let free = (0..self.width).filter(|&column| !is_pivot(column));
        let vector = |column: usize| {
            let mut vector = vec![0; self.width];
            vector[column] = 1;
            for (pivot, row) in &self.rows {
                vector[*pivot] = negated(row[column]);
            }
            vector
        };
        free.map(vector).collect()
    }
}

/// Takes so much of another row, which is 1 in a column, that this is 0 there.
fn subtract(row: &mut [u64], other: &[u64], column: usize) {
    let factor = negated(row[column]);
    if factor != 0 {
        row.iter_mut().zip(other).for_each(|(mine, &theirs)| *mine = plus(*mine, times(theirs, factor)));
    }
}

fn residue(number: &BigInt) -> u64 {
    number.mod_floor(&BigInt::from(PRIME)).to_u64().expect("less than the prime")
}

fn plus(left: u64, right: u64) -> u64 {
    (left + right) % PRIME
}

fn negated(number: u64) -> u64 {
    if number == 0 { 0 } else { PRIME - number }
}

fn times(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    // 2^61 leaves 1 when it is divided by the prime, so that the high half counts once.
    let low = (product & u128::from(PRIME)) as u64;
    let high = (product >> 61) as u64;
    plus(low, high)
}

/// What gives 1 when it is multiplied by this number, which is not 0.
fn inverse(number: u64) -> u64 {
    let prime = i128::from(PRIME);
    let factor = i128::from(number).extended_gcd(&prime).x.mod_floor(&prime);
    factor.to_u64().expect("less than the prime")
}

/// The vector of whole numbers that is a multiple of this one, if they are small.
fn lift(vector: &[u64]) -> Option<Vec<BigInt>> {
    let mut denominator = 1u64;
    for &entry in vector {
        let (_, more) = fraction(times(entry, denominator))?;
        denominator = denominator.checked_mul(more).filter(|&all| all <= LARGEST)?;
    }
    let whole = |&entry: &u64| {
        let number = times(entry, denominator);
        BigInt::from(number) - BigInt::from(if number > PRIME / 2 { PRIME } else { 0 })
    };
    Some(whole_and_small(vector.iter().map(whole).collect()))
}

/// The fraction of small numbers that is this number modulo the prime, if there is one: a numerator, regardless of its sign, and a
/// denominator. Euclid's algorithm, stopped half-way (Wang 1981).
fn fraction(number: u64) -> Option<(u64, u64)> {
    let (mut last, mut rest) = (PRIME, number);
    let (mut before, mut factor) = (0i128, 1i128);
    while rest > LARGEST {
        let quotient = last / rest;
        (last, rest) = (rest, last % rest);
        (before, factor) = (factor, before - i128::from(quotient) * factor);
    }
    let denominator = u64::try_from(factor.unsigned_abs()).ok()?;
    (denominator <= LARGEST && denominator != 0).then_some((rest, denominator))
}

/// The basis, by elimination without fractions.
fn exact(rows: &[Vec<BigInt>], columns: &[Monomial]) -> Vec<Vec<BigInt>> {
    let width = columns.len();
    let products = |row: &Vec<BigInt>| columns.iter().map(|factors| product(row, factors)).collect();
    let mut rows: Vec<Vec<BigInt>> = rows.iter().map(products).collect();
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
                *row = whole_and_small(std::mem::take(row));
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
        whole_and_small(solution)
    })
    .collect()
}

/// Divides by the greatest common divisor; the last entry that is not 0 becomes positive.
fn whole_and_small(mut row: Vec<BigInt>) -> Vec<BigInt> {
    let mut divisor = row.iter().fold(BigInt::zero(), |divisor, value| divisor.gcd(value));
    if row.iter().rev().find(|value| !value.is_zero()).is_some_and(BigInt::is_negative) {
        divisor = -divisor;
    }
    if !divisor.is_zero() && !divisor.is_one() {
        row.iter_mut().for_each(|value| *value /= &divisor);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(numbers: &[&[i64]]) -> Vec<Vec<BigInt>> {
        numbers.iter().map(|row| row.iter().map(|&n| BigInt::from(n)).collect()).collect()
    }

    /// The number 1, and each of two values.
    fn columns() -> Vec<Monomial> {
        vec![vec![], vec![0], vec![1], vec![0, 0]]
    }

    #[test]
    fn both_ways_find_the_same() {
        for rows in [
            rows(&[&[0, 1], &[1, 4], &[2, 7], &[5, 16]]),
            rows(&[&[2, 3]]),
            rows(&[&[0, 0], &[3, 5], &[6, 10]]),
            rows(&[&[-7, 2_000_000], &[11, 2_000_000], &[13, 2_000_000]]),
        ] {
            let found = modular(&rows, &columns());
            assert_eq!(found, Some(exact(&rows, &columns())), "{rows:?}");
            assert!(found.is_some_and(|basis| !basis.is_empty()), "{rows:?}");
        }
    }

    #[test]
    fn what_is_too_large_is_found_without_the_prime() {
        let large = i64::MAX;
        let rows = rows(&[&[1, large], &[2, large - 1], &[5, large - 4]]);
        let columns = [vec![], vec![0], vec![1]];
        assert_eq!(modular(&rows, &columns), None);
        assert_eq!(null_space(&rows, &columns), [[-BigInt::from(large) - 1, BigInt::one(), BigInt::one()]]);
    }

    /// Two rows that are the same modulo the prime, and nowhere else.
    #[test]
    fn what_holds_only_modulo_the_prime_is_not_believed() {
        let rows = rows(&[&[1], &[1 + (1 << 61) - 1]]);
        let columns = [vec![], vec![0]];
        assert_eq!(modular(&rows, &columns), None);
        assert!(null_space(&rows, &columns).is_empty());
    }

    #[test]
    fn a_fraction_comes_back() {
        for (numerator, denominator) in [(0, 1), (1, 1), (7, 3), (1_000_000_007, 1), (1, 1_000_000_007), (999, 1000)] {
            let number = times(numerator, inverse(denominator));
            assert_eq!(fraction(number), Some((numerator, denominator)));
            assert_eq!(fraction(negated(number)), Some((numerator, denominator)));
        }
    }
}
