//! Loops and recursive helpers that are not over the same variables: run in step, under a relation that is found.
//!
//! In: a pair of procedures with loops or helpers that go together, which may write the heap. Out: a proof, path by path, in which the calls of
//! loops are matched under a [`CallRelation`]. Some variables are equal. Others are related by facts such as
//! `n' == a.length` or `i' == i + 1`. Those that only one version has are free.
//!
//! The relation of a pair of loops begins with all that might hold. What does not hold of a call, from outside or of the next
//! turn, is taken out, until nothing is (Houdini: Flanagan and Leino, FME 2001). What is left is an invariant of the two
//! loops. At the heads of two matched loops both heaps are the same as far as either sees: RIE's idea, at cut points.
//!
//! Rule *Relation* (`proofs/soundness.md`).
//!
//! Invariant: a proof counts only when nothing was taken out of any relation while it was made.

mod candidates;
mod couple;
mod pace;
mod partners;
mod search;
mod under;

use super::{Engine, relational};
use crate::budget::loops::{COMMON_ATTEMPTS, MAX_RARE_WAYS, MAX_WAYS};
use crate::goal::{Claim, Goal, LoopsEvidence, Pair, PairProof, Program, ProofEvidence, Rule};
use couple::{Couple, LookedFor};
use kernel::pair::plan::Turns;
use kernel::pair::{self, PairEvidence};
use kernel::rejection::{Rejection, reject};
use kernel::relate::Level;
use search::{InPlace, Missing, Search, has_claimed_helpers};
use smt::solve::Solver;
use std::slice;

/// Under a relation between loops.
static RELATION: Rule = Rule {
    name: "relation",
    sentence: "proved path by path, with loops run in step under a relation of their variables",
    argument: "Relation",
    // It asks many queries, of which most are easy.
    share: 20,
};

/// What is looked for, and how turns are laid side by side: in step, with calls that take no turn told apart or not; rotated, so that what
/// follows a turn is seen with it; with first turns of one or both sides before the loops are matched; several turns against one. Other numbers of turns are read off the loops.
const ATTEMPTS: [(LookedFor, Turns); 10] = [
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
];

const fn turns(first: [usize; 2], more: [usize; 2], told_apart: bool) -> Turns {
    Turns { first, more, told_apart }
}

/// Rule *Relation*.
pub(crate) struct Loops;

impl Engine for Loops {
    fn rule(&self) -> &'static Rule {
        &RELATION
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.reached != Some(Level::Full) && goal.is_defined() && !goal.is_loop() && !partners::pairs(goal).is_empty()
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let pairs = partners::pairs(goal);
        // What is right for one of several loops is often wrong for another.
        let tried = if pairs.len() > 1 { COMMON_ATTEMPTS } else { ATTEMPTS.len() };
        let paced = pairs.first().filter(|_| pairs.len() == 1).and_then(|&pair| pace::turns(goal.program, pair));
        let paced = paced.map(|turns| (LookedFor::Ends, turns));
        let all: Vec<(LookedFor, Turns)> = paced.into_iter().chain(ATTEMPTS.into_iter().take(tried)).collect();
        let mut attempts: Vec<(&Turns, Vec<Couple>)> = Vec::new();
        for (at, (looked_for, turns)) in all.iter().enumerate() {
            let ways = if at < COMMON_ATTEMPTS { MAX_WAYS } else { MAX_RARE_WAYS };
            attempts.extend(choices(goal, &pairs, *looked_for).into_iter().take(ways).map(|own| (turns, own)));
        }
        let mut in_place = vec![InPlace::Unclaimed];
        if has_claimed_helpers(goal) {
            in_place.push(InPlace::All);
        }
        let mut attempts: Vec<_> =
            in_place.into_iter().flat_map(|own| attempts.iter().map(move |attempt| (own, attempt.clone()))).collect();
        for level in [Level::Full, Level::Partial] {
            let mut open = Vec::new();
            for (in_place, (turns, couples)) in attempts {
                match Search::new(goal, level, in_place, (turns.clone(), couples.clone())).run(solver) {
                    Ok(proof) => return proof,
                    Err(Missing::Ends) => open.push((in_place, (turns, couples))),
                    // In part it fails as well.
                    Err(Missing::Everything) => {}
                }
            }
            attempts = open;
        }
        relational::nothing(goal, &RELATION)
    }

    fn confirm(&self, goal: &Goal<'_>, claim: &Claim, solver: &mut Solver) -> Result<PairProof, Rejection> {
        let ProofEvidence::Loops(evidence) = &claim.evidence else {
            return reject("the evidence is not one of relations between loops");
        };
        if !goal.is_defined() || !evidence.loops.iter().all(|told| partners::are_run(goal, told.pair)) {
            return reject("the loops are not those of the two procedures");
        }
        let Some(relations) = told(goal.program, evidence) else {
            return reject("something is said of two loops that cannot be said");
        };
        let words = relations.loops.iter().flat_map(|(own, _)| couple::words(goal.program, own)).collect();
        let proof = goal.check(claim, &PairEvidence::Loops(relations), solver)?;
        let failed_goal = relational::proof(goal, &RELATION, claim.level, None).failed_goal;
        Ok(PairProof { failed_goal, relations_of_loops: words, ..proof })
    }
}

/// Evidence as the kernel is told of it; `None` where it names what there is not.
pub(super) fn told(program: &Program<'_>, evidence: &LoopsEvidence) -> Option<pair::loops::LoopsEvidence> {
    let loops = evidence.loops.iter().map(|own| couple::told(program, own)).collect::<Option<_>>()?;
    Some(pair::loops::LoopsEvidence { whole: evidence.whole.clone(), turns: evidence.turns.clone(), loops })
}

/// The ways in which the variables of all loops may go together, the likelier ones first.
fn choices(goal: &Goal<'_>, pairs: &[Pair], looked_for: LookedFor) -> Vec<Vec<Couple>> {
    let mut all: Vec<Vec<Couple>> = vec![Vec::new()];
    for &pair in pairs {
        let own = Couple::all(goal.program, pair, looked_for);
        all = all
            .iter()
            .flat_map(|before| own.iter().map(move |one| [before.as_slice(), slice::from_ref(one)].concat()))
            .collect();
        all.truncate(MAX_WAYS);
    }
    all
}
