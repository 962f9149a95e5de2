//! Random numbers that are the same on every machine.
//!
//! In: a seed. Out: numbers, choices.
//!
//! Invariant: nothing here looks at the clock or at addresses; the same seed gives the same sequence for ever. So a seed in
//! a report names the same run anywhere.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{RngCore, SeedableRng};

/// The sequence known as splitmix64.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Random(SplitMix64::seed_from_u64(seed))
    }

    /// The sequence that belongs to item number `index` of a run with this seed; unlike those of all other items.
    pub fn item(seed: u64, index: u64) -> Self {
        let mut of_seed = Random::new(seed);
        let mut of_index = Random::new(index ^ of_seed.number());
        Random::new(of_index.number())
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n.max(1) as u64) as usize
    }

    /// True in `percent` of a hundred cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of these; `None` when there are none.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// Puts these in another order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn the_sequence_is_that_of_splitmix64() {
        let mut random = Random::new(1_477_776_061_723_855_037);
        assert_eq!(random.number(), 1_985_237_415_132_408_290);
    }
}
