//! Bounded symbolic execution: where the two versions may differ, as inputs to be tried.
//!
//! In: a pair of a lowered program. Out: inputs, each read off a model of "both take these paths, and what comes out differs".
//! Calls are executed in place to a depth that grows from round to round, so that a loop is unrolled that often; paths that
//! go deeper are left for the next round.
//!
//! This finds what a search by running finds only by luck: large numbers, products, many turns of a loop.
//!
//! Invariant: claims nothing. A model is a suspicion; only [`crate::search::witness`] can make a witness of it.
//! Invariant: bounded by numbers of rounds, paths and solver steps.

mod differ;
mod input;

use crate::budget::bmc::{DEPTHS, MAX_CALLS, MAX_OUTCOMES, MAX_QUERIES, MAX_UNDECIDED, MAX_WORK, SHARE};
use crate::goal::{Pair, Program, assumptions};
use kernel::exec::state::Outcome;
use kernel::exec::{Limits, execute};
use lang_l::heap::Input;
use lang_l::hir::{Expr, ProcId};
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::Solver;
use smt::term::{Ending, Term};
use std::collections::BTreeSet;

/// Offers inputs on which the two may differ to `attempt`, until it makes something of one.
pub fn explore<T>(
    program: &Program<'_>,
    pair: Pair,
    when: Option<&Expr>,
    solver: &mut Solver,
    attempt: &mut dyn FnMut(Input) -> Option<T>,
) -> Option<T> {
    solver.with_patience(MAX_UNDECIDED, |solver| rounds(program, (pair, when), solver, attempt))
}

/// Round after round, each deeper than the one before it.
fn rounds<T>(
    program: &Program<'_>,
    (pair, when): (Pair, Option<&Expr>),
    solver: &mut Solver,
    attempt: &mut dyn FnMut(Input) -> Option<T>,
) -> Option<T> {
    for depth in DEPTHS {
        let mut arena = program.unit.arena();
        let assumed = assumptions(program, pair, when, &mut arena);
        let left = outcomes(program, 0, pair.0, depth, &assumed, &mut arena)?;
        let right = outcomes(program, 1, pair.1, depth, &assumed, &mut arena)?;
        for mine in left.whole.iter().take(MAX_QUERIES) {
            // No store takes both paths where the other one asks what this one denies.
            let denied: BTreeSet<Term> = mine.path.iter().map(|&test| arena.terms.not(test)).collect();
            let mut ways = Vec::new();
            for theirs in right.whole.iter().filter(|theirs| !theirs.path.iter().any(|test| denied.contains(test))) {
                let differ = differ::outcomes(&mut arena, program.unit, mine, theirs);
                let path: Vec<Term> = theirs.path.iter().copied().chain([differ]).collect();
                ways.push(arena.terms.and(&path));
            }
            let some = arena.terms.or(&ways);
            if arena.terms.is_false(some) {
                continue;
            }
            let assumptions: Vec<Term> = assumed.iter().chain(&mine.path).copied().chain([some]).collect();
            let goal = arena.terms.bool(false);
            let obligation = Obligation { assumptions, goal, tag: Purpose::NoDifference.into() };
            let procedure = program.unit.procedure(0, pair.0);
            let inputs = input::InputTerms::of(&mut arena, program.unit, procedure, &obligation);
            let values = solver.with_share(SHARE, |solver| solver.model(&mut arena, &obligation, &inputs.terms));
            if let Some(values) = values
                && let Some(found) = attempt(inputs.input(&arena, &values))
            {
                return Some(found);
            }
        }
        if !left.cut && !right.cut {
            return None;
        }
    }
    None
}

/// The outcomes within a depth.
struct BoundedOutcomes {
    /// Those in which every call was executed in place.
    whole: Vec<Outcome>,
    /// Whether there are others.
    cut: bool,
}

/// All outcomes in which calls are nested no deeper than this; `None` when they are too many.
fn outcomes(
    program: &Program<'_>,
    version: usize,
    id: ProcId,
    depth: usize,
    assumed: &[Term],
    arena: &mut Arena,
) -> Option<BoundedOutcomes> {
    let procedures = &program.unit.versions()[version].procedures;
    let inline: BTreeSet<ProcId> =
        (0u32..).map(ProcId).zip(procedures).filter(|(_, p)| p.body.is_some()).map(|(id, _)| id).collect();
    let limits = Limits {
        outcomes: MAX_OUTCOMES,
        calls: MAX_CALLS,
        work: MAX_WORK,
        inline,
        inline_depth: depth,
        ..Limits::default()
    };
    let effects = &program.effects[version];
    let found = execute(program.unit.as_unit(), version, effects, &limits, arena, (id, assumed)).ok()?.outcomes;
    let all = found.len();
    // One that ends endlessly without a call was blocked by an assumption.
    let whole: Vec<Outcome> =
        found.into_iter().filter(|o| o.calls.is_empty() && o.ending != Ending::Diverges).collect();
    Some(BoundedOutcomes { cut: whole.len() < all, whole })
}
