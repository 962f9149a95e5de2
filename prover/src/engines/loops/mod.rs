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
mod cells;
mod computed;
mod couple;
mod flags;
mod holes;
mod layouts;
mod least;
mod pace;
mod partners;
mod parts;
mod search;
mod totals;
mod under;
mod zeros;

use super::{Engine, relational};
use crate::goal::{Goal, LoopsEvidence, PairProof, Program, Rule};
use kernel::pair::{self, PairEvidence};
use kernel::relate::Level;
use layouts::Layouts;
use search::{InPlace, Search, has_claimed_helpers};
use smt::solve::Solver;

/// Under a relation between loops.
static RELATION: Rule = Rule {
    name: "relation",
    sentence: "proved path by path, with loops run in step under a relation of their variables",
    argument: "Relation",
    // It asks many queries, of which most are easy.
    share: 20,
};

/// Rule *Relation*.
pub(crate) struct Loops;

impl Engine for Loops {
    fn rule(&self) -> &'static Rule {
        &RELATION
    }

    fn proves_by(&self, evidence: &PairEvidence) -> bool {
        matches!(evidence, PairEvidence::Loops(_))
    }

    fn applies(&self, goal: &Goal<'_>) -> bool {
        goal.reached != Some(Level::Full) && goal.is_defined() && !goal.is_loop() && has_partners(goal)
    }

    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof {
        let layouts = Layouts::new(goal);
        let mut in_place = vec![InPlace::Unclaimed];
        if has_claimed_helpers(goal) {
            in_place.push(InPlace::All);
        }
        let mut open = Vec::new();
        for own in in_place {
            match layouts.try_all(goal, own, solver) {
                Ok(proof) => return proof,
                Err(in_part) => open.extend(in_part.into_iter().map(|couples| (own, couples))),
            }
            match parts::search(goal, own, solver) {
                Ok(proof) => return proof,
                Err(in_part) => open.extend(in_part.map(|couples| (own, couples))),
            }
        }
        let in_part = open
            .into_iter()
            .find_map(|(own, couples)| Search::new(goal, Level::Partial, own, couples).run(solver).ok());
        in_part.unwrap_or_else(|| relational::nothing(goal, &RELATION))
    }
}

/// Whether there is something to relate.
fn has_partners(goal: &Goal<'_>) -> bool {
    !partners::pairs(goal).is_empty() || partners::parts(goal).is_some()
}

/// Evidence as the kernel is told of it; `None` where it names what there is not.
pub(super) fn told(program: &Program<'_>, evidence: &LoopsEvidence) -> Option<pair::loops::LoopsEvidence> {
    let loops = evidence.loops.iter().map(|own| couple::told(program, own)).collect::<Option<_>>()?;
    Some(pair::loops::LoopsEvidence { whole: evidence.whole.clone(), loops })
}
