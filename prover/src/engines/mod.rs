//! The engines that prove pairs, their schedule, and the fixpoint over all pairs.
//!
//! In: a [`Goal`]. Out: a [`PairProof`]. Each engine is a file or folder of its own with one [`Rule`]; [`SCHEDULE`] is the only
//! place that knows them all.
//!
//! Invariant: engines do not know one another; what they share is in [`crate::chc`] and [`crate::relate`].
//!
//! # Adding an engine
//!
//! A file here and one line in [`SCHEDULE`]; nothing else names it. A whole one:
//!
//! ```
//! use prover::engines::Engine;
//! use prover::goal::{Goal, PairProof, Rule};
//! use kernel::pair::PairEvidence;
//! use kernel::relate::{Claims, Level, Uses};
//! use smt::solve::Solver;
//!
//! /// Its name, its sentence in reports, its box in `proofs/soundness.md`, its share of the budget.
//! static EMPTY: Rule = Rule { name: "empty", sentence: "neither does anything", argument: "Empty", share: 1 };
//!
//! /// Rule *Empty*: two procedures without statements and results are equivalent.
//! struct Empty;
//!
//! impl Engine for Empty {
//!     fn rule(&self) -> &'static Rule {
//!         &EMPTY
//!     }
//!
//!     fn proves_by(&self, evidence: &PairEvidence) -> bool {
//!         matches!(evidence, PairEvidence::Paths(_))
//!     }
//!
//!     fn applies(&self, goal: &Goal<'_>) -> bool {
//!         let (left, right) = goal.code();
//!         [left, right].iter().all(|p| p.results == 0 && p.body.as_ref().is_some_and(|body| body.stmts.is_empty()))
//!     }
//!
//!     fn search(&self, _goal: &Goal<'_>, _solver: &mut Solver) -> PairProof {
//!         PairProof::trivial(Some(Level::Full), &EMPTY, Uses::new())
//!     }
//! }
//! # let text = "VERSION procedure p(x) {} VERSION procedure p(x) {}";
//! # let unit = lang_l::load([("pair.l", text)])?.unit;
//! # let lowered = prover::lower::lower(&unit);
//! # let mut solver = Solver::new(Default::default());
//! # let effects = prover::analysis::analyse(&lowered, &mut solver).effects;
//! # let program = prover::goal::Program { unit: &lowered, effects };
//! # let (pair, claims) = ((lang_l::hir::ProcId(0), lang_l::hir::ProcId(0)), Claims::new());
//! # let goal = Goal { program: &program, pair, when: None, claims: &claims, reached: None };
//! # assert!(Empty.applies(&goal) && Empty.search(&goal, &mut solver).level == Some(Level::Full));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod claims;
pub mod coupling;
mod external;
mod fragments;
mod loops;
pub mod paper;
mod paths;
mod relational;
pub(crate) mod same_code;
mod sweep;
mod unroll;

use crate::goal::{Goal, LoopsEvidence, PairProof, Program, Rule};
use kernel::pair::PairEvidence;
use smt::solve::Solver;

/// One way to prove pairs.
pub trait Engine: Sync {
    /// The rule it proves by.
    fn rule(&self) -> &'static Rule;

    /// Whether the kernel is told of its proofs in this way.
    fn proves_by(&self, evidence: &PairEvidence) -> bool;

    /// Whether it is worth a try; cheap, and without the solver.
    fn applies(&self, goal: &Goal<'_>) -> bool;

    /// Looks for a proof. Where none is found the level is `None` and the failed goal says why.
    fn search(&self, goal: &Goal<'_>, solver: &mut Solver) -> PairProof;
}

/// All engines, in the order in which they are asked: cheapest first.
pub static SCHEDULE: &[&dyn Engine] = &[
    &external::External,
    &same_code::SameCode,
    &paths::Paths,
    &paths::Inlining,
    &sweep::Swept { in_step: false },
    &loops::Loops,
    &sweep::Swept { in_step: true },
    &coupling::closed_form::ClosedForm,
    &coupling::Coupling { bounds: false },
    &coupling::Coupling { bounds: true },
    &coupling::stages::Stages,
    &unroll::Unrolling,
];

/// Evidence of loops that are run in step, as the kernel is told of it; `None` where it names what there is not.
pub(crate) fn loops_evidence(program: &Program<'_>, evidence: &LoopsEvidence) -> Option<PairEvidence> {
    loops::told(program, evidence).map(PairEvidence::Loops)
}

/// The rule of this name by which some engine proves.
pub fn rule(name: &str) -> Option<&'static Rule> {
    SCHEDULE.iter().map(|engine| engine.rule()).find(|rule| rule.name == name)
}

/// Whether evidence of this kind is of proofs by a rule.
pub(crate) fn proves_by(rule: &Rule, evidence: &PairEvidence) -> bool {
    SCHEDULE.iter().any(|engine| engine.rule() == rule && engine.proves_by(evidence))
}
