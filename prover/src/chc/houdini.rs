//! The Houdini loop: of many candidates those that follow from themselves.
//!
//! In: clauses, each of which says that some candidates follow where others are assumed; and a look at one of them, which drops
//! the candidates that do not. Out: whether all clauses came to hold. (Flanagan and Leino, "Houdini", FME 2001.)
//!
//! Invariant: where the answer is yes, every clause has held since the last candidate it may rest on was dropped.

use smt::solve::Together;
use smt::term::Term;
use std::collections::{BTreeSet, VecDeque};

/// What came of a look at a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// It holds.
    Holds,
    /// Candidates were dropped for it; every clause may rest on them.
    Weakened,
    /// Candidates were dropped for it on which only these clauses rest.
    WeakenedFor(Vec<usize>),
    /// There is no use in going on.
    Hopeless,
}

impl Look {
    /// The look that dropped some candidates, or none.
    pub(crate) fn weakened(dropped: bool) -> Self {
        if dropped { Look::Weakened } else { Look::Holds }
    }
}

/// Looks at clauses, named by their positions, until all hold. Each is looked at `rounds` times on average, and no more: with
/// one round nothing may be dropped.
pub(crate) fn all_hold(clauses: usize, rounds: usize, mut look: impl FnMut(usize) -> Look) -> bool {
    let mut work: VecDeque<usize> = (0..clauses).collect();
    let mut left = clauses.saturating_mul(rounds);
    while let Some(clause) = work.pop_front() {
        if left == 0 {
            return false;
        }
        left -= 1;
        match look(clause) {
            Look::Holds => {}
            Look::Weakened => look_again(&mut work, (0..clauses).collect()),
            Look::WeakenedFor(those) => look_again(&mut work, those),
            Look::Hopeless => return false,
        }
    }
    true
}

/// Puts clauses behind those that are to be looked at anyway.
fn look_again(work: &mut VecDeque<usize>, clauses: Vec<usize>) {
    let open: BTreeSet<usize> = work.iter().copied().collect();
    work.extend(clauses.into_iter().filter(|clause| !open.contains(clause)));
}

/// So few goals are asked for one by one when they do not hold together.
const FEW: usize = 4;

/// The positions of the goals that do not follow: asks for all of them at once. Those that fail in a model need not be asked for
/// again; where there is none, parts are asked for.
pub(crate) fn unproved(goals: &[Term], mut follow: impl FnMut(&[Term]) -> Together) -> BTreeSet<usize> {
    let mut failed = BTreeSet::new();
    let mut work: Vec<Vec<usize>> = vec![(0..goals.len()).collect()];
    while let Some(part) = work.pop() {
        if part.is_empty() {
            continue;
        }
        let asked: Vec<Term> = part.iter().map(|&at| goals[at]).collect();
        match (follow(&asked), part.len()) {
            (Together::Hold, _) => {}
            (Together::FailAt(truths), _) => {
                let (open, false_there) = part.iter().zip(truths).partition::<Vec<_>, _>(|(_, truth)| *truth);
                failed.extend(false_there.into_iter().map(|(&at, _)| at));
                work.push(open.into_iter().map(|(&at, _)| at).collect());
            }
            (Together::Open, 1) => failed.extend(part),
            (Together::Open, 2..=FEW) => work.extend(part.into_iter().rev().map(|at| vec![at])),
            (Together::Open, length) => {
                let (first, last) = part.split_at(length / 2);
                work.extend([last.to_vec(), first.to_vec()]);
            }
        }
    }
    failed
}

/// Removes what stands at these positions; says whether anything did.
pub(crate) fn remove<T>(candidates: &mut Vec<T>, positions: &BTreeSet<usize>) -> bool {
    let before = candidates.len();
    let mut at = 0..;
    candidates.retain(|_| at.next().is_none_or(|at| !positions.contains(&at)));
    candidates.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::term::Terms;

    #[test]
    fn candidates_that_rest_on_dropped_ones_are_dropped_too() {
        // Each number follows from the one after it, and the last from nothing.
        let mut kept = vec![true; 4];
        let held = all_hold(4, usize::MAX, |at| {
            let follows = at + 1 < 4 && kept[at + 1];
            let dropped = kept[at] && !follows;
            kept[at] = kept[at] && follows;
            Look::weakened(dropped)
        });
        assert!(held);
        assert_eq!(kept, [false; 4]);
    }

    #[test]
    fn only_what_rests_on_a_dropped_candidate_is_looked_at_again() {
        let mut looks = Vec::new();
        let held = all_hold(3, usize::MAX, |at| {
            looks.push(at);
            if looks.len() == 3 { Look::WeakenedFor(vec![0]) } else { Look::Holds }
        });
        assert!(held);
        assert_eq!(looks, [0, 1, 2, 0]);
    }

    #[test]
    fn one_round_allows_nothing_to_be_dropped() {
        assert!(all_hold(3, 1, |_| Look::Holds));
        assert!(!all_hold(3, 1, |at| Look::weakened(at == 2)));
        assert!(!all_hold(3, usize::MAX, |at| if at == 1 { Look::Hopeless } else { Look::Holds }));
    }

    #[test]
    fn what_does_not_follow_is_found_wherever_it_stands() {
        let mut terms = Terms::new();
        let goals: Vec<Term> = (0..9).map(|number| terms.int(number)).collect();
        let bad = [goals[2], goals[7]];
        let found = |part: &[Term]| part.iter().any(|goal| bad.contains(goal));
        let failed = unproved(&goals, |part| if found(part) { Together::Open } else { Together::Hold });
        assert_eq!(failed, BTreeSet::from([2, 7]));
        let mut asked = 0;
        let failed = unproved(&goals, |part| {
            asked += 1;
            match found(part) {
                true => Together::FailAt(part.iter().map(|goal| !bad.contains(goal)).collect()),
                false => Together::Hold,
            }
        });
        assert_eq!((failed, asked), (BTreeSet::from([2, 7]), 2));
        assert!(unproved(&goals, |_| Together::Hold).is_empty());
        let mut left: Vec<usize> = (0..9).collect();
        assert!(remove(&mut left, &BTreeSet::from([2, 7])));
        assert_eq!(left, [0, 1, 3, 4, 5, 6, 8]);
    }
}
