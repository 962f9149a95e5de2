//! The shortest conditions that tell some stores from others.
//!
//! In: literals, by the stores in which they hold; the stores that are wanted, and those that are not. Out: disjunctions of
//! conjunctions of literals that hold in all of the first, and in none of the others; the shortest first.
//!
//! Invariant: deterministic; of two of the same length the one whose literals come first goes first.

use crate::budget::learned::{MAX_CONJUNCTIONS, MAX_TESTS};

/// A set of stores, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stores(Vec<u64>);

impl Stores {
    /// The stores of which this holds.
    pub(super) fn of(all: impl IntoIterator<Item = bool>) -> Self {
        let mut words = Vec::new();
        for (at, holds) in all.into_iter().enumerate() {
            if at % 64 == 0 {
                words.push(0);
            }
            if let Some(word) = words.last_mut() {
                *word |= u64::from(holds) << (at % 64);
            }
        }
        Stores(words)
    }

    fn both(&self, other: &Stores) -> Stores {
        Stores(self.0.iter().zip(&other.0).map(|(a, b)| a & b).collect())
    }

    fn either(&self, other: &Stores) -> Stores {
        Stores(self.0.iter().zip(&other.0).map(|(a, b)| a | b).collect())
    }

    fn meets(&self, other: &Stores) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn within(&self, other: &Stores) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether it is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// Conjunctions of literals, of which one has to hold.
pub(super) type Formula = Vec<Vec<usize>>;

/// How many literals there are.
pub(super) fn length(formula: &Formula) -> usize {
    formula.iter().map(Vec::len).sum()
}

/// The shortest formulas that hold in all of `yes` and in none of `no`.
pub(super) fn shortest(literals: &[Stores], yes: &Stores, no: &Stores, most: usize) -> Vec<Formula> {
    if no.is_empty() {
        return vec![vec![Vec::new()]];
    }
    let mut pure = conjunctions(literals, yes, no);
    pure.sort_by_key(|(literals, stores)| (std::cmp::Reverse(stores.count()), literals.len()));
    pure.truncate(MAX_CONJUNCTIONS);
    let mut found: Vec<Formula> = Vec::new();
    for (at, (one, first)) in pure.iter().enumerate() {
        if yes.within(first) {
            found.push(vec![one.clone()]);
            continue;
        }
        for (beside, (two, second)) in pure.iter().enumerate().skip(at + 1) {
            let both = first.either(second);
            if yes.within(&both) {
                found.push(vec![one.clone(), two.clone()]);
                continue;
            }
            let third = pure.iter().skip(beside + 1).filter(|(_, third)| yes.within(&both.either(third)));
            found.extend(third.map(|(three, _)| vec![one.clone(), two.clone(), three.clone()]));
        }
    }
    found.retain(|formula| length(formula) <= MAX_TESTS);
    found.sort_by_key(|formula| (length(formula), formula.len(), formula.clone()));
    found.truncate(most);
    found
}

/// The conjunctions of at most three literals that hold in some of `yes` and in none of `no`, without those of which a part does.
fn conjunctions(literals: &[Stores], yes: &Stores, no: &Stores) -> Vec<(Vec<usize>, Stores)> {
    let mut pure: Vec<(Vec<usize>, Stores)> = Vec::new();
    let mut open: Vec<(Vec<usize>, Stores)> = vec![(Vec::new(), yes.either(no))];
    for _ in 0..3 {
        let mut longer = Vec::new();
        for (parts, stores) in &open {
            let next = parts.last().map_or(0, |last| last + 1);
            for (at, literal) in literals.iter().enumerate().skip(next) {
                let stores = stores.both(literal);
                if !stores.meets(yes) {
                    continue;
                }
                let parts: Vec<usize> = parts.iter().copied().chain([at]).collect();
                if stores.meets(no) {
                    longer.push((parts, stores));
                } else if !pure.iter().any(|(known, _)| known.iter().all(|part| parts.contains(part))) {
                    pure.push((parts, stores));
                }
            }
        }
        open = longer;
    }
    pure
}

#[cfg(test)]
mod tests {
    use super::{Stores, shortest};

    fn holds(of: impl Fn(usize) -> bool) -> Stores {
        Stores::of((0..100).map(of))
    }

    #[test]
    fn the_shortest_comes_first() {
        let literals = [holds(|n| n > 10), holds(|n| n < 20), holds(|n| n % 2 == 0), holds(|n| n > 50)];
        let of = |wanted: &dyn Fn(usize) -> bool| shortest(&literals, &holds(wanted), &holds(|n| !wanted(n)), 2);
        assert_eq!(of(&|n| n > 10), [vec![vec![0]]]);
        assert_eq!(of(&|n| n > 10 && n < 20 && n % 2 == 0)[0], [[0, 1, 2]]);
        assert_eq!(of(&|n| !(20..=50).contains(&n))[0].len(), 2);
        assert!(of(&|n| n == 77).is_empty());
    }
}
