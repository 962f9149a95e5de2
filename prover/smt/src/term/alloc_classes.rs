//! Births: when an object came to be, as far as one symbolic execution can tell.
//!
//! Every object of an execution is null, *old* (it existed on entry), a particular `new`, or one of the objects that a
//! particular call left behind. An [`AllocSet`] bounds what a reference term can be. Two terms with disjoint sets are
//! different references; that alone decides most aliasing questions without a solver.
//!
//! Invariant: an object has exactly one alloc, so allocs partition the references.

use serde::{Deserialize, Serialize};

/// One class of the partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AllocClass(pub u32);

impl AllocClass {
    /// The null reference.
    pub const NULL: AllocClass = AllocClass(0);
    /// All objects that existed on entry.
    pub const OLD: AllocClass = AllocClass(1);
}

/// A set of allocs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllocSet {
    /// No trailing zero words, so that equal sets are equal values.
    words: Vec<u64>,
    /// All allocs there are and will be; then there are no words.
    everything: bool,
}

impl AllocSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// The set of one alloc.
    pub fn of(alloc: AllocClass) -> Self {
        let mut set = Self::new();
        set.insert(alloc);
        set
    }

    /// What a reference that existed on entry can be: null or old.
    pub fn entry() -> Self {
        AllocSet { words: vec![0b11], everything: false }
    }

    /// What a reference can be of which nothing is known.
    pub fn everything() -> Self {
        AllocSet { words: Vec::new(), everything: true }
    }

    /// Whether it is the set of all allocs.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Adds an alloc.
    pub fn insert(&mut self, alloc: AllocClass) {
        if self.everything {
            return;
        }
        let word = alloc.0 as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (alloc.0 % 64);
    }

    /// Removes an alloc; from the set of all allocs nothing can be removed.
    pub fn remove(&mut self, alloc: AllocClass) {
        if let Some(word) = self.words.get_mut(alloc.0 as usize / 64) {
            *word &= !(1 << (alloc.0 % 64));
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Whether it holds this alloc.
    pub fn contains(&self, alloc: AllocClass) -> bool {
        self.everything || self.words.get(alloc.0 as usize / 64).is_some_and(|word| word >> (alloc.0 % 64) & 1 == 1)
    }

    /// Adds all of `other`; says whether that changed anything.
    pub fn extend(&mut self, other: &AllocSet) -> bool {
        if self.everything || other.everything {
            let grew = !self.everything;
            *self = AllocSet::everything();
            return grew;
        }
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            grew |= *theirs & !*mine != 0;
            *mine |= *theirs;
        }
        grew
    }

    /// Whether the two share no alloc.
    pub fn disjoint(&self, other: &AllocSet) -> bool {
        match (self.everything, other.everything) {
            (false, false) => self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & theirs == 0),
            (true, _) => other.is_empty(),
            (_, true) => self.is_empty(),
        }
    }

    /// Whether every alloc of `self` is in `other`.
    pub fn is_subset(&self, other: &AllocSet) -> bool {
        other.everything
            || !self.everything
                && self
                    .words
                    .iter()
                    .enumerate()
                    .all(|(at, word)| word & !other.words.get(at).copied().unwrap_or(0) == 0)
    }

    /// The allocs in increasing order; none of those of the set of all.
    pub fn iter(&self) -> impl Iterator<Item = AllocClass> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| AllocClass(u32::try_from(at * 64).unwrap_or(u32::MAX) + bit))
        })
    }

    /// The set without null.
    #[must_use]
    pub fn without_null(mut self) -> Self {
        self.remove(AllocClass::NULL);
        self
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && !self.everything
    }

    /// The only alloc in it, if there is just one.
    pub fn single(&self) -> Option<AllocClass> {
        if self.everything {
            return None;
        }
        let mut allocs = self.iter();
        allocs.next().filter(|_| allocs.next().is_none())
    }
}

impl FromIterator<AllocClass> for AllocSet {
    fn from_iter<I: IntoIterator<Item = AllocClass>>(allocs: I) -> Self {
        let mut set = AllocSet::new();
        allocs.into_iter().for_each(|alloc| set.insert(alloc));
        set
    }
}
