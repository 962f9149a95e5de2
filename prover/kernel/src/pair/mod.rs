//! Pairs of procedures: whether evidence shows that two of them are equivalent.
//!
//! In: a [`Goal`] over a program without loops, with claims about other pairs, and [`PairEvidence`]. Out: the claims that the
//! proof rests on, each at the level at which it is used; or where the evidence is wrong.
//!
//! Invariant: believes nothing of the evidence. What it names must be there, and all questions to the solver must be answered by
//! yes. Claims are believed; whoever calls sees to it that each is proved, under the same claims (rule *Induction*).
//! Invariant: a claim is used for calls only where neither procedure is non-local (rule *Locality*).

mod facts;
pub mod loops;
pub mod paths;
pub mod plan;
mod products;
pub mod same;
pub mod summaries;
pub mod sweep;

use crate::effects::{Effects, is_loop};
use crate::exec::state::Outcome;
use crate::rejection::{Rejection, reject};
use crate::relate::{Claims, Correspondence, Level, Relater, Relation, Uses};
use lang_l::hir::same::same_signature;
use lang_l::hir::{Expr, ProcId, Procedure, Unit};
use lang_l::source::Span;
use loops::LoopsEvidence;
use paths::PathsEvidence;
use smt::arena::Arena;
use smt::solve::Solver;
use std::collections::{BTreeMap, BTreeSet};
use summaries::SummariesEvidence;

/// A pair of procedures: of version 0 and of version 1.
pub type Pair = (ProcId, ProcId);

/// Both versions of a program without loops, with what is known of each procedure alone.
#[derive(Clone, Copy)]
pub struct Both<'a> {
    /// The program.
    pub unit: &'a Unit,
    /// The program as it was written, whose procedures come first in that one.
    pub written: &'a Unit,
    /// The effects of version 0 and of version 1.
    pub effects: [&'a [Effects]; 2],
}

/// A pair to be proved, from the stores that satisfy a condition, under claims about others.
#[derive(Clone, Copy)]
pub struct Goal<'g> {
    /// The program.
    pub program: Both<'g>,
    /// The pair.
    pub pair: Pair,
    /// The condition of its `equiv`.
    pub when: Option<&'g Expr>,
    /// The claims that calls may rest on.
    pub claims: &'g Claims,
}

/// What a proof of a pair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairEvidence {
    /// The two are the same code over claimed callees (rule *Same code*).
    SameCode,
    /// The two are the same unknown procedure (rule *External*).
    External,
    /// Path by path (rule *Path by path*).
    Paths(PathsEvidence),
    /// Path by path, under relations between loops (rule *Relation*).
    Loops(LoopsEvidence),
    /// By summaries of calls that do not match one by one (rule *Summary*).
    Summaries(SummariesEvidence),
}

/// What corresponds in the two versions, by its places in their texts: of version 0 and of version 1. Reports tell of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// Which `new` corresponds to which where both return.
    pub allocations: BTreeSet<(Span, Span)>,
    /// Which call corresponds to which.
    pub calls: BTreeSet<(Span, Span)>,
    /// How many pairs of paths were related.
    pub paths: usize,
}

impl Matches {
    /// Takes up how two outcomes were related.
    pub fn note(&mut self, arena: &Arena, relation: &Relation, left: &Outcome, right: &Outcome) {
        self.paths += 1;
        let Relation::Isomorphic(Correspondence { allocs, calls, compared }) = relation else { return };
        let place = |outcome: &Outcome, alloc| outcome.news.iter().find(|(b, _)| *b == alloc).map(|(_, span)| *span);
        for (&theirs, &mine) in allocs {
            self.allocations.extend(place(left, mine).zip(place(right, theirs)));
        }
        for (&theirs, &mine) in calls.iter().chain(compared.iter().map(|(theirs, mine)| (theirs, mine))) {
            self.calls.insert((arena.record(mine).span, arena.record(theirs).span));
        }
    }
}

/// Makes the proof of a pair anew, as the evidence says; the claims it rests on, each at the level at which it is used, and what
/// corresponds.
///
/// # Errors
/// When the evidence does not show that the pair is equivalent at this level.
pub fn check(
    goal: &Goal<'_>,
    level: Level,
    evidence: &PairEvidence,
    solver: &mut Solver,
) -> Result<(Uses, Matches), Rejection> {
    if !goal.program.has(goal.pair) {
        return reject("the program has no such pair");
    }
    let [left, right] = goal.code();
    if !same_signature(left, right) {
        return reject("the two have different parameters or results");
    }
    let mut claims = goal.claims.clone();
    claims.always.retain(|&pair, _| goal.program.claimable(pair));
    for claim in &mut claims.conditional {
        claim.level = claim.level.filter(|_| goal.program.claimable(claim.pair));
    }
    let goal = Goal { claims: &claims, ..*goal };
    let mut matches = Matches::default();
    let used = match evidence {
        PairEvidence::SameCode => same::check_code(&goal, level),
        PairEvidence::External => same::check_external(&goal),
        PairEvidence::Paths(evidence) => paths::check((&goal, level), evidence, solver, &mut matches),
        PairEvidence::Loops(evidence) => loops::check((&goal, level), evidence, solver, &mut matches),
        PairEvidence::Summaries(evidence) => summaries::check((&goal, level), evidence, solver),
    };
    Ok((used?, matches))
}

impl<'a> Both<'a> {
    /// The two procedures.
    pub fn code(&self, pair: Pair) -> [&'a Procedure; 2] {
        [self.unit.procedure(0, pair.0), self.unit.procedure(1, pair.1)]
    }

    /// Whether there are two such procedures.
    fn has(&self, (left, right): Pair) -> bool {
        let there = |version: usize, id: ProcId| {
            let code = self.unit.versions.get(version).and_then(|code| code.procedures.get(id.index()));
            code.is_some() && id.index() < self.effects[version].len()
        };
        there(0, left) && there(1, right)
    }

    /// Whether calls may be related by a claim about this pair.
    ///
    /// What the two do must depend on what they are given and on that alone (rule *Locality*), and they must mean the same
    /// by it.
    pub fn claimable(&self, (left, right): Pair) -> bool {
        let local = |version: usize, id: ProcId| {
            let effects: Option<&Effects> = self.effects[version].get(id.index());
            effects.is_some_and(|own| !own.non_local || faults::planted("kernel/pair/locality"))
        };
        local(0, left) && local(1, right)
    }

    /// Whether the runs that are compared begin with the pair. Of a loop nobody asks for its own sake.
    pub fn begins_run(&self, pair: Pair) -> bool {
        !self.code(pair).into_iter().any(is_loop)
    }

    /// Who relates outcomes of the two versions; no loops are related yet.
    pub fn relater<'r>(&self, arena: &'r mut Arena, solver: &'r mut Solver, claims: &'r Claims) -> Relater<'r>
    where
        'a: 'r,
    {
        let (used, relations) = (Uses::new(), BTreeMap::new());
        Relater { unit: self.unit, effects: self.effects, arena, solver, claims, used, relations, end: None }
    }
}

impl<'g> Goal<'g> {
    /// The two procedures.
    pub fn code(&self) -> [&'g Procedure; 2] {
        self.program.code(self.pair)
    }

    /// Whether both procedures have a body.
    pub fn is_defined(&self) -> bool {
        self.code().iter().all(|code| code.body.is_some())
    }
}

#[cfg(test)]
mod tests;
