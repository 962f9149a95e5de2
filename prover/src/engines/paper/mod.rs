//! The paper's own encoding, as a strategy of its own: one query for a pair, for teaching and as a baseline.
//!
//! In: a lowered pair program with its effects, the pairs claimed, and a solver. Out: a [`PaperAnswer`] for each pair, and
//! the SMT-LIB text of each query. Its comments name the figures of the paper (ESOP 2017) that they stand for.
//!
//! - `sites`, `angels`: the allocations and calls of a body, and the ways to pair them ("strategies");
//! - `theory`: heaps and reachability (figures 3 and 9);
//! - `summary`: calls, their frames and the mutual summaries (figure 4);
//! - `copy`, `product`: both bodies once per strategy, and the one assertion at the end (figure 2).
//!
//! Where it departs from the paper, and why:
//! - Calls are matched one to one (`matches` in the mutual summary). The paper's axiom equates *all* pairs of calls from equal
//!   regions; two calls on one side then merge what they allocate, and different programs verify.
//! - L has errors, the paper's language has none: each copy has a flag, each call says whether it failed.
//! - Reachability is taken down to the initial heap by what each write and each call can change, rather than unrolled path
//!   by path.
//! - Mutual termination is a hypothesis of the paper's theorem; here it is a second query about the same product.
//!
//! Rule *Angels*: whatever the initial store, each strategy's assumptions hold of some choice of addresses in both versions.
//! For addresses are named site by site and call by call, and no name is given out twice. So a proof that some strategy ends
//! in equal stores is a proof about real executions, which differ from these in names and garbage only.
//!
//! Contracts: `modifies` is used where it was proved; `requires` and `ensures` are neither used nor checked here. But the
//! effects of a callee may rest on its `requires`: who reports a proof sees to it that the contracts of all it runs hold.
//!
//! Invariant: an answer other than unknown rests only on claims that were proved too; programs beyond the encoding (arrays,
//! `assume`, quantified assertions) are unknown, never guessed at.

mod angels;
mod copy;
mod product;
mod proofs;
mod sites;
mod summary;
#[cfg(test)]
mod tests;
mod theory;

pub use proofs::prove_all;

pub use product::{PaperGoal, encode};

use crate::goal::{Pair, Program, Rule};
use lang_l::hir::ProcId;
use lang_l::hir::same::same_code;
use smt::obligation::{Purpose, Tag};
use smt::solve::{Answer, Solver, Task};
use smt::stop::Stopped;
use std::collections::{BTreeMap, BTreeSet};

/// What the paper's encoding says of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperAnswer {
    /// Proved, and both end from the same stores.
    Equivalent,
    /// Proved for executions that end.
    PartiallyEquivalent,
    /// Not decided, and why.
    Unknown(String),
}

/// By the paper's encoding: one query for all strategies. It is no engine of the schedule but a strategy of its own.
pub static PAPER: Rule = Rule {
    name: "paper",
    sentence: "proved by the paper's encoding, all strategies at once",
    argument: "Paper",
    share: 1,
};

/// The answer for a pair, and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperReport {
    /// The answer.
    pub answer: PaperAnswer,
    /// The other claims whose mutual summaries the proof had at hand, proved too; empty when there is no proof.
    pub rests_on: BTreeSet<Pair>,
}

/// A part of a program that the encoding does not cover, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

/// The answers for `claims`, all proved together: a claim that fails is dropped, and what rested on it is proved again.
/// Claims of procedures with different parameters or results are unknown.
pub fn verify(program: &Program<'_>, claims: &[Pair], solver: &mut Solver) -> BTreeMap<Pair, PaperReport> {
    let mut run = Run { program, solver, answers: BTreeMap::new() };
    let mut alive: BTreeSet<Pair> = claims.iter().copied().collect();
    alive.retain(|&pair| run.comparable(pair));
    run.partial(&mut alive);
    run.full(&alive);
    run.answers
}

struct Run<'a> {
    program: &'a Program<'a>,
    solver: &'a mut Solver,
    answers: BTreeMap<Pair, PaperReport>,
}

impl Run<'_> {
    fn comparable(&mut self, pair: Pair) -> bool {
        let external = [(0, pair.0), (1, pair.1)].map(|(v, id)| self.code(v, id).body.is_none());
        let reason = if !self.program.same_signature(pair) {
            "the two have different parameters or results"
        } else if external[0] != external[1]
            || external[0] && !same_code(self.code(0, pair.0), self.code(1, pair.1), |_, _| false)
        {
            "an external procedure is equivalent to itself alone, under one contract"
        } else {
            return true;
        };
        self.unknown(pair, reason.into());
        false
    }

    fn unknown(&mut self, pair: Pair, why: String) {
        let report = PaperReport { answer: PaperAnswer::Unknown(why), rests_on: BTreeSet::new() };
        self.answers.insert(pair, report);
    }

    fn code(&self, version: usize, id: ProcId) -> &lang_l::hir::Procedure {
        self.program.unit.procedure(version, id)
    }

    fn external(&self, pair: Pair) -> bool {
        self.code(0, pair.0).body.is_none()
    }

    /// Drops from `alive` what cannot be proved under the rest.
    fn partial(&mut self, alive: &mut BTreeSet<Pair>) {
        let mut open: BTreeSet<Pair> = alive.iter().copied().filter(|&pair| !self.external(pair)).collect();
        while let Some(pair) = open.pop_first() {
            if let Err(why) = self.prove(pair, alive, PaperGoal::SameStores) {
                self.unknown(pair, why);
                alive.remove(&pair);
                open.extend(alive.iter().filter(|&&other| !self.external(other) && self.rests_on(other, pair)));
            }
        }
    }

    /// Says of each pair in `alive` whether its termination is settled as well.
    fn full(&mut self, alive: &BTreeSet<Pair>) {
        let mut settled: BTreeSet<Pair> = BTreeSet::new();
        for &pair in alive {
            let effects = &self.program.effects;
            let both_end = effects[0][pair.0.index()].terminates && effects[1][pair.1.index()].terminates;
            if both_end || self.external(pair) || self.prove(pair, alive, PaperGoal::SameCalls).is_ok() {
                settled.insert(pair);
            }
        }
        let unsettled = |settled: &BTreeSet<Pair>| {
            let rests = |pair| alive.iter().any(|&other| self.rests_on(pair, other) && !settled.contains(&other));
            settled.iter().copied().find(|&pair| rests(pair))
        };
        while let Some(pair) = unsettled(&settled) {
            settled.remove(&pair);
        }
        for &pair in alive {
            let full = settled.contains(&pair);
            let answer = if full { PaperAnswer::Equivalent } else { PaperAnswer::PartiallyEquivalent };
            let rests_on = alive.iter().copied().filter(|&other| other != pair && self.rests_on(pair, other)).collect();
            self.answers.insert(pair, PaperReport { answer, rests_on });
        }
    }

    /// Whether the text for `pair` can use the mutual summary of `other`.
    fn rests_on(&self, pair: Pair, other: Pair) -> bool {
        sites::calls(self.code(0, pair.0), other.0) && sites::calls(self.code(1, pair.1), other.1)
    }

    fn prove(&mut self, pair: Pair, alive: &BTreeSet<Pair>, goal: PaperGoal) -> Result<(), String> {
        let name = self.code(0, pair.0).name.clone();
        let tag = |assumptions_alone| {
            Tag::from(Purpose::Paper { goal: goal.words(), procedure: name.clone(), assumptions_alone })
        };
        let encode = |goal| product::encode(self.program, pair, alive, goal).map_err(|Unsupported(what)| what);
        let text = encode(goal)?;
        let hypotheses = encode(PaperGoal::Absurd)?;
        let task = Task::Pair { left: pair.0, right: pair.1, when: None };
        let asked = self.solver.attempt(|solver| solver.at(task, |solver| solver.prove_text(text, tag(false))));
        match asked.unwrap_or_else(|Stopped(reason)| Answer::Unknown(reason.to_string())) {
            Answer::Holds => {}
            Answer::Fails | Answer::FailsAt(_) => return Err(format!("no strategy was found for {}", goal.words())),
            Answer::Unknown(why) if why.contains("incomplete quantifiers") => {
                return Err(format!(
                    "no strategy was found for {}: the triggers have nothing left to give",
                    goal.words()
                ));
            }
            Answer::Unknown(why) => return Err(format!("{} was not settled: {why}", goal.words())),
        }
        // Nothing follows from assumptions that contradict each other.
        match self.solver.at(task, |solver| solver.prove_text(hypotheses, tag(true))) {
            Answer::Holds => Err("the assumptions of the proof contradict each other".into()),
            Answer::Fails | Answer::FailsAt(_) | Answer::Unknown(_) => Ok(()),
        }
    }
}
