//! Loops that do, one after the other, a part each of what loops of the other version do in one: a loop that was split, or two that were
//! made one.
//!
//! In: a goal. Out: a proof in which calls of loops that write nothing are compared, each with all of the other version of which
//! something is found that relates them (rule *Relation*, calls that are compared).
//!
//! What a loop writes to a field was made a variable before (rule *Promotion*), so many loops write nothing.

use super::couple::{Couple, LookedFor};
use super::partners::{self, Parts};
use super::search::{Failure, InPlace, Missing, Search};
use crate::goal::{Goal, Pair, PairProof};
use kernel::pair::plan::Turns;
use kernel::relate::Level;
use smt::solve::Solver;

/// The proof; where there is none, the relations under which everything was shown but that both end.
pub(super) fn search(
    goal: &Goal<'_>,
    in_place: InPlace,
    solver: &mut Solver,
) -> Result<PairProof, Option<Vec<Couple>>> {
    let Some(Parts { compared, matched }) = partners::parts(goal) else { return Err(None) };
    let couple = |looked_for: LookedFor| {
        // A loop that takes no turn may have nothing to be compared with.
        let turns = Turns { told_apart: true, ..Turns::default() };
        move |&pair: &Pair| Couple::all(goal.program, pair, looked_for, &turns).into_iter().next()
    };
    let Some(matched) = matched.iter().map(couple(LookedFor::Ends)).collect::<Option<Vec<_>>>() else {
        return Err(None);
    };
    let mut couples: Vec<Couple> = compared.iter().filter_map(couple(LookedFor::Parts)).chain(matched).collect();
    while !couples.is_empty() {
        match Search::new(goal, Level::Full, in_place, couples.clone()).run(solver) {
            Ok(proof) => return Ok(proof),
            // Two of which nothing can be said, such as one that errs in a part that the other leaves out.
            Err(Failure { at: Some(at), .. }) if couples[at].relation.entry.compared => {
                couples.remove(at);
            }
            Err(Failure { missing, .. }) => return Err((missing == Missing::Ends).then_some(couples)),
        }
    }
    Err(None)
}
