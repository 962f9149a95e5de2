//! Arrays that are to correspond are of the same length: shown before one has the name of the other.
//!
//! In: two outcomes, what corresponds, and what is to correspond besides. Out: whether the lengths are the same.
//!
//! Rule *Match* (i) (`proofs/soundness.md`). Under one name two arrays are of one length, so who asked under that name would
//! take for granted what is to be shown.

use super::{Correspondence, Relater, RenamedOutcome};
use crate::exec::state::Outcome;
use rustc_hash::FxHashMap as HashMap;
use smt::obligation::Purpose;
use smt::term::{AllocClass, Kind, Origin, Renaming, Term};

impl Relater<'_> {
    /// Whether the arrays that correspond by `after`, and not yet by `before`, are of the same length. Each is asked about where those
    /// that were made before it correspond: its own length may be told by them.
    pub fn lengths_alike(
        &mut self,
        left: &Outcome,
        right: &Outcome,
        before: &Correspondence,
        after: &Correspondence,
    ) -> bool {
        if faults::planted("kernel/relate/lengths") {
            return true;
        }
        let mut known = before.clone();
        let added = right.news.iter().filter_map(|&(theirs, _)| Some((theirs, *after.allocs.get(&theirs)?)));
        for (theirs, mine) in added.filter(|(theirs, _)| !before.allocs.contains_key(theirs)) {
            if let Some(lengths) = self.lengths_of(mine, theirs)
                && lengths[0] != self.renamed_length(lengths[1], known.renaming(self.arena))
            {
                let aligned = self.align(left, right, &known);
                if !self.are_equal(&aligned, lengths) {
                    return false;
                }
            }
            known.allocs.insert(theirs, mine);
        }
        true
    }

    /// Whether arrays of one outcome that swap their names are of the same length there. What is a number is the same whatever the names
    /// are.
    pub fn swapped_alike(&mut self, outcome: &Outcome, swap: &Correspondence) -> bool {
        let none = Correspondence::default();
        let pairs = swap.allocs.iter().filter(|(theirs, mine)| theirs < mine);
        let mut pairs = pairs.filter_map(|(&theirs, &mine)| self.lengths_of(mine, theirs)).collect::<Vec<_>>();
        pairs.retain(|[a, b]| a != b && !faults::planted("kernel/relate/lengths-swapped"));
        if pairs.is_empty() {
            return true;
        }
        let alone = self.align(outcome, outcome, &none);
        pairs.into_iter().all(|lengths| self.are_equal(&alone, lengths))
    }

    /// The lengths of two new arrays; of other objects there are none.
    fn lengths_of(&self, mine: AllocClass, theirs: AllocClass) -> Option<[Term; 2]> {
        match [mine, theirs].map(|alloc| self.arena.terms.origin(alloc)) {
            [Origin::New(Kind::Array(_, a)), Origin::New(Kind::Array(_, b))] => Some([*a, *b]),
            _ => None,
        }
    }

    /// Whether a number of the left outcome is one of the right one.
    fn are_equal(&mut self, aligned: &RenamedOutcome, [mine, theirs]: [Term; 2]) -> bool {
        let theirs = self.renamed_length(theirs, aligned.renaming.clone());
        let goal = self.arena.terms.eq(mine, theirs);
        self.holds(aligned, &[goal], Purpose::LengthsEqual.into())
    }

    fn renamed_length(&mut self, length: Term, renaming: Renaming) -> Term {
        self.arena.terms.rename(length, &renaming, &mut HashMap::default())
    }
}
