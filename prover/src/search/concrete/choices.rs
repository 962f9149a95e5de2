//! A run that may go several ways, taken again and again until it has gone all ways.
//!
//! In: questions "which of these n?", asked in an order that depends only on the answers so far. Out: answers, other ones
//! for each run.
//!
//! Invariant: deterministic.

use lang_l::random::Random;

/// The answers of one run, and which to give in the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Choices {
    /// What was chosen, and of how many.
    taken: Vec<(usize, usize)>,
    at: usize,
    /// With it, answers are drawn from the sequence it starts instead of in order.
    random: Option<Random>,
}

impl Choices {
    /// Answers drawn from the sequence that `seed` starts.
    pub(super) fn random(seed: u64) -> Self {
        Choices { random: Some(Random::new(seed)), ..Choices::default() }
    }

    /// One of `n` ways, from 0.
    pub(super) fn choose(&mut self, n: usize) -> usize {
        if let Some(random) = &mut self.random {
            return random.below(n);
        }
        if self.at == self.taken.len() {
            self.taken.push((0, n));
        }
        self.at += 1;
        self.taken[self.at - 1].0
    }

    /// Begins the next run, which takes the last choice that had a way left the next way. `false` when all have been taken.
    pub(super) fn next_run(&mut self) -> bool {
        // A run may have stopped short of choices that an earlier one made.
        self.taken.truncate(self.at);
        self.at = 0;
        while let Some((chosen, n)) = self.taken.pop() {
            if chosen + 1 < n {
                self.taken.push((chosen + 1, n));
                return true;
            }
        }
        self.random.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn every_way_is_taken_once() {
        let mut choices = Choices::default();
        let mut ways = Vec::new();
        loop {
            let first = choices.choose(3);
            ways.push(match first {
                1 => vec![first],
                _ => vec![first, choices.choose(2)],
            });
            if !choices.next_run() {
                break;
            }
        }
        assert_eq!(ways, [vec![0, 0], vec![0, 1], vec![1], vec![2, 0], vec![2, 1]]);
    }
}
