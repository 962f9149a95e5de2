//! How the two procedures of a pair are executed: which calls in place, and from which entry.
//!
//! In: an [`InliningPlan`]. Out: a [`Run`] of both versions, from one store.

use super::{Both, Pair, sweep};
use crate::bounds::pair::{MAX_EVALUATED_DEPTH, MAX_EVALUATED_OUTCOMES, MAX_INLINE_DEPTH};
use crate::exec::state::Outcome;
use crate::exec::sweep::Sweep;
use crate::exec::{ExecError, Executor, Limits, execute};
use crate::places::Spot;
use crate::rejection::{Rejection, reject};
use lang_l::hir::ProcId;
use lang_l::source::Span;
use serde::{Deserialize, Serialize};
use smt::arena::Arena;
use smt::solve::Solver;
use smt::term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// Which calls are executed in place, on each side, and how deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InliningPlan {
    /// Whose calls.
    pub inline: [BTreeSet<ProcId>; 2],
    /// How many of them may be nested.
    pub depths: [usize; 2],
    /// The most outcomes of each side, where fewer are worth their while than usually; branches are then not joined.
    pub outcomes: Option<usize>,
    /// When given, only the calls at this place.
    pub only_at: Option<Span>,
    /// Which loops are taken as a whole instead, in each version, and what all their turns do together.
    pub sweeps: [BTreeMap<ProcId, Sweep>; 2],
    /// Whose calls are executed in place where they go no further, in each version. Where there are any, calls of recursion that are
    /// known to go no further are executed in place in both.
    pub told_apart: [BTreeSet<ProcId>; 2],
    /// Whether such calls go no further only where the first test of a procedure says so.
    pub by_first_test: bool,
}

impl InliningPlan {
    /// A plan without more bounds.
    pub fn of(inline: [BTreeSet<ProcId>; 2], depths: [usize; 2]) -> Self {
        let (sweeps, told_apart) = Default::default();
        InliningPlan { inline, depths, outcomes: None, only_at: None, sweeps, told_apart, by_first_test: false }
    }

    /// Whether calls can be executed in place like this, without endless work, and loops do what is said of them.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_of_paths(&self, program: Both<'_>, solver: &mut Solver) -> Result<(), Rejection> {
        let [left, right] = &self.sweeps;
        let (sweeps, told_apart) = Default::default();
        InliningPlan { sweeps, told_apart, by_first_test: false, ..self.clone() }.check(program)?;
        [left, right].into_iter().enumerate().try_for_each(|(version, own)| sweep::check(program, version, own, solver))
    }

    /// Whether calls can be executed in place like this, without endless work, where no loop is taken as a whole,
    /// and no call is told apart from others.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, program: Both<'_>) -> Result<(), Rejection> {
        let has_body = |version: usize, id: &ProcId| {
            let procedures = program.unit.versions.get(version).map(|code| &code.procedures);
            procedures.and_then(|all| all.get(id.index())).is_some_and(|procedure| procedure.body.is_some())
        };
        if !(0..2).all(|version| self.inline[version].iter().all(|id| has_body(version, id))) {
            return reject("a procedure without a body is executed in place");
        }
        let deepest = if self.outcomes.is_some() { MAX_EVALUATED_DEPTH } else { MAX_INLINE_DEPTH };
        let few = self.outcomes.is_none_or(|most| most <= MAX_EVALUATED_OUTCOMES);
        if !few || self.depths.iter().any(|&own| own > deepest) {
            return reject("calls are executed in place too deep");
        }
        if self.sweeps.iter().any(|own| !own.is_empty()) {
            return reject("loops are taken as a whole by paths alone");
        }
        if self.by_first_test || self.told_apart.iter().any(|own| !own.is_empty()) {
            return reject("calls of recursion are told apart by paths alone");
        }
        Ok(())
    }
}

/// How the turns of related loops are laid side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Turns {
    /// How many turns of each version's loops are executed in place before they are called, by all but themselves.
    pub first: [usize; 2],
    /// How many turns more than one each version's loops take at a time.
    pub more: [usize; 2],
    /// Whether a call that takes no turn is told apart from the others, and executed in place.
    pub told_apart: bool,
    /// Whether so is one that is left within its first turn.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub within: bool,
}

impl Turns {
    /// What is said of the loop of one version: its first turns, those at a time, and whether calls are told apart, also within a turn.
    pub fn of(&self, version: usize) -> (usize, usize, [bool; 2]) {
        (self.first[version], self.more[version], [self.told_apart, self.within])
    }
}

/// An execution of both procedures of a pair.
#[derive(Clone)]
pub struct Run<'r> {
    /// The program.
    pub program: Both<'r>,
    /// The pair.
    pub pair: Pair,
    /// Which calls are executed in place.
    pub plan: &'r InliningPlan,
    /// What is particular to related loops.
    pub own: Option<OwnLoops>,
}

/// How loops that are related are executed.
#[derive(Clone, Debug, Default)]
pub struct OwnLoops {
    /// By which numbers the parameters of version 1 go.
    pub parameter_numbers: Option<Vec<u32>>,
    /// Where the heap of each version holds what only that version knows of.
    pub apart: [Vec<Spot>; 2],
    /// How many turns of each loop are executed in place.
    pub turns: [BTreeMap<ProcId, usize>; 2],
    /// The loops whose calls are told apart by whether they take a turn.
    pub told_apart: [BTreeSet<ProcId>; 2],
    /// Those of them that may be left within a turn.
    pub within: [BTreeSet<ProcId>; 2],
}

impl Run<'_> {
    /// How far the execution of a version goes.
    pub fn limits(&self, version: usize) -> Limits {
        let own = self.own.clone().unwrap_or_default();
        let [turns, other_turns] = own.turns;
        let mut told_apart = own.told_apart[version].clone();
        told_apart.extend(&self.plan.told_apart[version]);
        // What may be claimed of calls, or related, is called somewhere within a run.
        let called = self.program.claimable(self.pair);
        let whole_run = self.program.begins_run(self.pair) && own.parameter_numbers.is_none() && !called;
        Limits {
            inline: self.plan.inline[version].clone(),
            inline_depth: self.plan.depths[version],
            inline_at: self.plan.only_at,
            sweeps: self.plan.sweeps[version].clone(),
            parameter_numbers: own.parameter_numbers.filter(|_| version == 1),
            apart: own.apart[version].clone(),
            turns: if version == 1 { other_turns } else { turns },
            told_apart,
            within: own.within[version].clone(),
            known_ends: self.plan.told_apart.iter().any(|own| !own.is_empty()),
            by_first_test: self.plan.by_first_test,
            whole_run,
            ..Limits::default()
        }
    }

    /// All outcomes of both procedures, from one store that satisfies what is assumed.
    ///
    /// # Errors
    /// The version that is too large, and how.
    pub fn outcomes(&self, assumed: &[Term], arena: &mut Arena) -> Result<[Vec<Outcome>; 2], (usize, ExecError)> {
        let unit = self.program.unit;
        let mut both = [Vec::new(), Vec::new()];
        for (version, id) in [(0, self.pair.0), (1, self.pair.1)] {
            let effects = self.program.effects[version];
            let limits = self.limits(version);
            let executed = match self.plan.outcomes {
                None => execute(unit, version, effects, &limits, arena, (id, assumed)),
                Some(outcomes) => {
                    Executor::new(unit, version, effects, Limits { outcomes, ..limits }, arena).run(id, assumed)
                }
            };
            both[version] = executed.map_err(|error| (version, error))?.outcomes;
        }
        Ok(both)
    }
}
