//! How the turns of loops are laid side by side, and what is looked for that relates them: in which order that is tried.
//!
//! In: a goal and its pairs of loops. Out: a proof, or what might be proved in part.
//!
//! Each pair of loops has a layout of its own. All begin with the likeliest one. Where the turns of one pair could not be related, that pair
//! goes on to its next layout, and the others keep theirs; where the calls around them could not, all go on.

use super::couple::{Couple, LookedFor};
use super::search::{Failure, InPlace, Missing, Search};
use super::{pace, partners};
use crate::budget::loops::{COMMON_ATTEMPTS, MAX_LAYOUTS, MAX_RARE_WAYS, MAX_WAYS, PARTS_ATTEMPTS};
use crate::goal::{Goal, Pair, PairProof};
use kernel::pair::plan::Turns;
use kernel::relate::Level;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Procedure, StmtKind};
use smt::solve::Solver;
use std::collections::{BTreeSet, VecDeque};
use std::slice;

/// What is looked for, and how turns are laid side by side: in step, with calls that take no turn told apart or not; rotated, so that
/// what follows a turn is seen with it; with first turns of one or both sides before the loops are matched; several turns against one;
/// and at last with calls told apart that are left within a turn.
/// Other numbers of turns are read off the loops.
const ATTEMPTS: [(LookedFor, Turns); 14] = [
    (LookedFor::Entry, turns([0, 0], [0, 0], false)),
    (LookedFor::Ends, turns([0, 0], [0, 0], true)),
    (LookedFor::Apart, turns([0, 0], [0, 0], true)),
    (LookedFor::Ends, turns([0, 0], [0, 0], false)),
    (LookedFor::Ends, turns([0, 1], [0, 0], true)),
    (LookedFor::Ends, turns([1, 0], [0, 0], true)),
    (LookedFor::Ends, turns([1, 1], [0, 0], true)),
    (LookedFor::Apart, turns([1, 1], [0, 0], true)),
    (LookedFor::Ends, turns([0, 0], [0, 1], true)),
    (LookedFor::Ends, turns([0, 0], [1, 0], true)),
    (LookedFor::Ends, within([0, 0])),
    (LookedFor::Ends, within([0, 1])),
    (LookedFor::Ends, within([1, 0])),
    (LookedFor::Ends, within([1, 1])),
];

const fn turns(first: [usize; 2], more: [usize; 2], told_apart: bool) -> Turns {
    Turns { first, more, told_apart, within: false }
}

/// Turns one by one, after so many first ones, of loops that are left within a turn: calls that are left so are told apart, too.
const fn within(first: [usize; 2]) -> Turns {
    Turns { within: true, ..turns(first, [0, 0], true) }
}

/// The same, with one more first turn of a version.
fn with_first(mut turns: Turns, version: Option<usize>) -> Turns {
    if let Some(version) = version {
        turns.first[version] += 1;
    }
    turns
}

/// The pairs of loops of a goal, each with all that is tried of it.
pub(super) struct Layouts {
    pairs: Vec<Pair>,
    tried: Vec<Vec<(LookedFor, Turns)>>,
}

impl Layouts {
    /// All that is tried of a goal.
    pub(super) fn new(goal: &Goal<'_>) -> Self {
        let pairs = partners::pairs(goal);
        let tried = |(at, &pair): (usize, &Pair)| {
            // The turns of a loop that several pairs share are laid out in one way, whatever each of them would like best.
            let alone = pairs.iter().filter(|&&other| share_a_loop(pair, other)).count() == 1;
            let paced = if alone { pace::turns(goal.program, pair) } else { None };
            // With calls that take no turn told apart, and then without: where few turns are left, one loop may take them in what follows the
            // turns of the other.
            let paced = paced
                .into_iter()
                .flat_map(|turns| [true, false].map(|told_apart| Turns { told_apart, ..turns.clone() }));
            let own = paced.map(|turns| (LookedFor::Ends, turns)).chain(ATTEMPTS);
            // Parts of the turns of one loop are in step, or they are not.
            let parts = pairs.windows(2).any(|both| goes_on(goal, both[0], both[1]).is_some());
            let own = own.take(if parts { PARTS_ATTEMPTS } else { usize::MAX });
            let (left, right) = goal.program.code(pair);
            let own = own.filter(|(_, turns)| !turns.within || is_left_within(left) || is_left_within(right));
            let further = at.checked_sub(1).and_then(|before| goes_on(goal, pairs[before], pair));
            own.map(|(looked_for, turns)| (looked_for, with_first(turns, further))).collect()
        };
        let tried = pairs.iter().enumerate().map(tried).collect();
        Layouts { pairs, tried }
    }

    /// The proof that comes first. Where there is none: the relations under which everything was shown but that both end.
    pub(super) fn try_all(
        &self,
        goal: &Goal<'_>,
        in_place: InPlace,
        solver: &mut Solver,
    ) -> Result<PairProof, Vec<Vec<Couple>>> {
        if self.pairs.is_empty() {
            return Err(Vec::new());
        }
        let first = vec![0; self.pairs.len()];
        let mut seen = BTreeSet::from([first.clone()]);
        let mut work = VecDeque::from([first]);
        let mut open = Vec::new();
        while let Some(layout) = work.pop_front() {
            let mut failed = BTreeSet::new();
            for couples in self.choices(goal, &layout) {
                match Search::new(goal, Level::Full, in_place, couples.clone()).run(solver) {
                    Ok(proof) => return Ok(proof),
                    Err(Failure { missing, at }) => {
                        failed.insert(at);
                        // Where more is missing, it fails in part as well.
                        open.extend((missing == Missing::Ends).then_some(couples));
                    }
                }
            }
            if failed.is_empty() {
                failed.insert(None);
            }
            for next in failed.into_iter().flat_map(|at| self.next(&layout, at)) {
                if seen.len() < MAX_LAYOUTS && seen.insert(next.clone()) {
                    work.push_back(next);
                }
            }
        }
        Err(open)
    }

    /// The layouts after one that failed at a pair of loops, or around them: what was right for an earlier pair, and the one that
    /// comes next.
    fn next(&self, layout: &[usize], at: Option<usize>) -> Vec<Vec<usize>> {
        let goes_on = |own: usize| at.is_none_or(|at| share_a_loop(self.pairs[at], self.pairs[own]));
        let with = |number: &dyn Fn(usize) -> usize| -> Vec<usize> {
            let own = |own: usize| if goes_on(own) { number(own).min(self.tried[own].len() - 1) } else { layout[own] };
            (0..layout.len()).map(own).collect()
        };
        let earlier = at.and_then(|at| layout[..at].iter().copied().max().filter(|&number| number > layout[at]));
        let mut next: Vec<Vec<usize>> = earlier.into_iter().map(|number| with(&|_| number)).collect();
        next.push(with(&|own| layout[own] + 1));
        next
    }

    /// The ways in which the variables of all loops may go together, the likelier ones first.
    fn choices(&self, goal: &Goal<'_>, layout: &[usize]) -> Vec<Vec<Couple>> {
        let mut all: Vec<Vec<Couple>> = vec![Vec::new()];
        for (at, &number) in layout.iter().enumerate() {
            let (looked_for, turns) = &self.tried[at][number];
            let mut own = Couple::all(goal.program, self.pairs[at], *looked_for, turns);
            // Heaps may differ in some of several loops alone.
            if own.is_empty() && *looked_for == LookedFor::Apart && layout.len() > 1 {
                own = Couple::all(goal.program, self.pairs[at], LookedFor::Ends, turns);
            }
            all = all
                .iter()
                .flat_map(|before| own.iter().map(move |one| [before.as_slice(), slice::from_ref(one)].concat()))
                .collect();
            all.truncate(MAX_WAYS);
        }
        let common = layout.iter().all(|&number| number < COMMON_ATTEMPTS);
        all.truncate(if common { MAX_WAYS } else { MAX_RARE_WAYS });
        all
    }
}

/// The version in which the loop of a pair goes on where that of the pair before ended, against one of the other. Then that one takes a
/// turn where the first is left, and so does the second.
fn goes_on(goal: &Goal<'_>, before: Pair, pair: Pair) -> Option<usize> {
    let loops = [[before.0, pair.0], [before.1, pair.1]];
    (0..2).find(|&version| {
        let [one, other] = [loops[version], loops[1 - version]];
        one[0] != one[1] && other[0] == other[1] && partners::go_on(goal, version, &one)
    })
}

/// Whether a loop is left in more places than where its condition fails.
fn is_left_within(code: &Procedure) -> bool {
    let mut count = 0;
    code.body
        .iter()
        .for_each(|body| walk_stmts(body, &mut |stmt| count += usize::from(matches!(stmt.kind, StmtKind::Return(_)))));
    count > 1
}

/// Whether two pairs are one, or have a loop in common.
fn share_a_loop(one: Pair, other: Pair) -> bool {
    one.0 == other.0 || one.1 == other.1
}
