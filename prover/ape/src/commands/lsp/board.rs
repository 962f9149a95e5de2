//! The verdicts that are known.
//!
//! In: cards, as they are found. Out: what is known of a pair.
//!
//! Invariant: a verdict belongs to code, not to a document: where the code is as it was, so is the verdict.

use super::card::Card;
use crate::commands::verify::pairs::Pair;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many verdicts are kept. Then all go, and are found again.
const LARGEST: usize = 20_000;

/// All verdicts that are known, by the keys of their pairs.
#[derive(Default)]
pub(super) struct Board {
    cards: BTreeMap<String, Arc<Card>>,
}

impl Board {
    pub(super) fn put(&mut self, cards: Vec<(String, Card)>) {
        if self.cards.len() > LARGEST {
            self.cards.clear();
        }
        self.cards.extend(cards.into_iter().map(|(key, card)| (key, Arc::new(card))));
    }

    /// The verdict on a pair, if it is known.
    pub(super) fn of(&self, pair: &Pair) -> Option<Arc<Card>> {
        self.cards.get(&pair.key).map(Arc::clone)
    }
}
