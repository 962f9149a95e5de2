//! Proofs made anew, as decisions say.
//!
//! In: a program and [`Decisions`]. Out: [`Confirmation`]: all proofs, with every question to the solver that they come down to,
//! asked of nobody yet; and what the runs of counterexamples showed.
//!
//! The questions are answered by yes while the proofs are made, by a ledger in the solver's place. So what is returned here is
//! worth as much as the answers of whoever asks them afterwards, and nothing before.
//!
//! Invariant: no search; a decision that does not lead on is wrong.

use super::ReplayedPair;
use super::decisions::{AnsweredPair, Decision, Decisions, ProvedPair};
use super::names;
use crate::analysis::{Analysis, confirm_analysis};
use crate::budget::certificate::MAX_CONDITIONAL;
use crate::checked::{self, Material};
use crate::engines;
use crate::goal::{Goal, Pair, PairProof, Program};
use crate::lower::{Lowered, lower};
use crate::search::concrete;
use crate::search::recurrent_set;
use crate::search::witness::{self, Contrast, Target, replay_contract};
use crate::verdict::Termination;
use crate::verdict::comparison::{Comparison, comparable, comparisons, premises, procedures_run};
use crate::verdict::judge::Proofs;
use crate::verdict::vacuity;
use kernel::alone::clauses::{Clause, ClauseKind, Status, contracts_hold};
use kernel::effects::Effects;
use kernel::outline::cuts::part_of;
use kernel::rejection::{Rejection, reject};
use kernel::relate::{Claims, ConditionalClaim, Level};
use lang_l::heap::Input;
use lang_l::hir::{Expr, ProcId, Procedure, Unit};
use lang_l::interp::Behaviour;
use lang_l::store_json::{read_externals, read_input};
use serde_json::Value as Json;
use smt::solve::{Answer, Backend, Logic, Query, QueryBudget, Question, Shared, Solver, SolverFailure};
use std::collections::{BTreeMap, BTreeSet};

/// What decisions lead to, if all questions are answered by yes.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The lowered program.
    pub(super) lowered: Lowered,
    /// What is known of its procedures.
    pub(super) effects: [Vec<Effects>; 2],
    /// The questions that the effects about single procedures come down to.
    pub(super) alone: Vec<Query>,
    /// The proofs in the order of the decisions, each with its own questions.
    pub(super) proofs: Vec<(PairProof, Vec<Query>)>,
    /// What the script of each proof is called; those without questions have none.
    pub(super) script_names: Vec<Option<String>>,
    /// What was found of the pairs in the order of the decisions.
    pub(super) pairs: Vec<Finding>,
}

/// What was found of a pair that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) verdict: &'static str,
    pub(super) termination: Termination,
    /// The other pairs its proof rests on.
    pub(super) rests_on: BTreeSet<Pair>,
    /// In words, what a run showed.
    pub(super) shown: Option<String>,
}

impl Confirmation {
    /// All questions, each with the name of the script it belongs to.
    pub(super) fn queries(&self) -> impl Iterator<Item = (&str, &Query)> {
        let own =
            self.proofs.iter().zip(&self.script_names).flat_map(|((_, queries), name)| {
                queries.iter().map(|query| (name.as_deref().unwrap_or_default(), query))
            });
        self.alone.iter().map(|query| (names::FACTS_SCRIPT, query)).chain(own)
    }

    /// Why a pair that is said to be proved says nothing, if one does: no store satisfies what both assume, or no run ends.
    ///
    /// This is asked of Z3, and its word is enough: it only ever takes an answer away.
    pub(super) fn vacuous(&self, unit: &Unit, decisions: &Decisions) -> Option<(String, String)> {
        let program = Program { unit: &self.lowered, effects: self.effects.clone() };
        let asked = comparisons(unit);
        let mut solver = Solver::new(QueryBudget::default());
        decisions.pairs.iter().find_map(|answered| {
            let own = |asked: &&Comparison<'_>| asked.pair == answered.pair && asked.condition(unit) == answered.when;
            let asked = asked.iter().find(own)?;
            let defined = unit.versions[0].procedure(asked.pair.0).body.is_some();
            if !defined || !matches!(answered.answer, Decision::Proved(_)) {
                return None;
            }
            let reason = vacuity::vacuous(&program, asked.pair, asked.when, &mut solver)?;
            Some((names::pair_name(unit, asked.pair, answered.when.as_deref()), reason.what))
        })
    }

    /// What a replay says of each pair.
    pub(super) fn replayed(&self, unit: &Unit, decisions: &Decisions) -> Vec<ReplayedPair> {
        let of = |(asked, seen): (&AnsweredPair, &Finding)| {
            let proof =
                decisions.proofs.iter().position(|proof| (proof.pair, &proof.when) == (asked.pair, &asked.when));
            let (how, obligations) = match (&asked.answer, proof.map(|at| &self.proofs[at])) {
                (Decision::Proved(_), Some((proof, queries))) => (proof.rule.name.to_string(), queries.len()),
                (Decision::Unknown(why) | Decision::Uncertified(why), _) => (why.clone(), 0),
                _ => (seen.shown.clone().unwrap_or_default(), 0),
            };
            ReplayedPair {
                name: names::pair_name(unit, asked.pair, asked.when.as_deref()),
                verdict: seen.verdict,
                how,
                obligations,
                confirmed: !matches!(asked.answer, Decision::Unknown(_) | Decision::Uncertified(_)),
            }
        };
        decisions.pairs.iter().zip(&self.pairs).map(of).collect()
    }
}

/// A backend that says yes to everything; the log of the solver is then the list of what has to be asked.
#[derive(Debug)]
struct Ledger;

impl Backend for Ledger {
    fn decide(&self, question: &Question<'_>) -> Result<Answer, SolverFailure> {
        match question.logic {
            Logic::QuantifierFree => Ok(Answer::Holds),
            _ => Err(SolverFailure("a certificate holds no quantifiers".into())),
        }
    }
}

/// Makes the proofs that the decisions tell of.
///
/// # Errors
/// Where a decision does not lead to what is claimed.
pub(super) fn confirm(unit: &Unit, decisions: &Decisions) -> Result<Confirmation, Rejection> {
    let lowered = lower(unit);
    let ledger = Shared::new(Ledger);
    let fresh = || Solver::new(QueryBudget::default()).with_backend(ledger.clone());
    let mut solver = fresh();
    let Analysis { effects, clauses, .. } = confirm_analysis(&lowered, &decisions.evidence, &mut solver)?;
    let alone = solver.log().to_vec();
    let program = Program { unit: &lowered, effects };
    let asked = comparisons(unit);
    let find = |pair: Pair, when: &Option<String>| asked.iter().find(|a| a.pair == pair && a.condition(unit) == *when);

    let mut claims = Claims::new();
    let mut proofs = Vec::new();
    for proved in &decisions.proofs {
        let name = names::pair_name(lowered.as_unit(), proved.pair, proved.when.as_deref());
        let own = match proved.number {
            None if proved.when.is_none() => claims.always.insert(proved.pair, proved.claim.level).is_none(),
            None => false,
            Some(number) => match find(proved.pair, &proved.when) {
                Some(asked) => add(&mut claims, number, proved, asked.when),
                None => return reject(format!("{name}: the program has no such pair")),
            },
        };
        if !own {
            return reject(format!("{name}: it is proved twice, or under a number that it cannot have"));
        }
    }
    claims.always.retain(|&pair, _| program.claimable(pair));
    for proved in &decisions.proofs {
        let name = names::pair_name(lowered.as_unit(), proved.pair, proved.when.as_deref());
        let when = find(proved.pair, &proved.when).and_then(|asked| asked.when);
        let mut solver = fresh();
        let goal = Goal { program: &program, pair: proved.pair, when, claims: &claims, reached: None };
        let proof = engines::confirm(&goal, &proved.claim, &mut solver)
            .map_err(|Rejection(what)| Rejection(format!("{name}: {what}")))?;
        proofs.push((proof, solver.log().to_vec()));
    }
    let is_proved = |answered: &&AnsweredPair| matches!(answered.answer, Decision::Proved(_));
    let proved = || decisions.pairs.iter().filter(is_proved).map(|answered| answered.pair);
    let written = checked::written(
        unit,
        &program,
        [proved().map(|pair| pair.0).collect(), proved().map(|pair| pair.1).collect()],
    );
    let checker = PairChecker { unit, program: &program, clauses: &clauses, decisions, proofs: &proofs, written };
    let mut seen = Vec::new();
    for answered in &decisions.pairs {
        let name = names::pair_name(unit, answered.pair, answered.when.as_deref());
        let Some(asked) = find(answered.pair, &answered.when).filter(|asked| is_written(unit, asked.pair)) else {
            return reject(format!("{name}: the program has no such pair"));
        };
        seen.push(checker.pair(asked, answered).map_err(|Rejection(what)| Rejection(format!("{name}: {what}")))?);
    }
    let left = |pair: Pair| lowered.procedure(0, pair.0).name.as_str();
    let script_names = (decisions.proofs.iter().zip(&proofs).enumerate())
        .map(|(at, (decided, (_, queries)))| (!queries.is_empty()).then(|| names::script_name(at, left(decided.pair))))
        .collect();
    let effects = program.effects.clone();
    Ok(Confirmation { lowered: lowered.clone(), effects, alone, proofs, script_names, pairs: seen })
}

/// Whether both of a pair are procedures of the program as it is written, not parts of them.
fn is_written(unit: &Unit, (left, right): Pair) -> bool {
    [(0, left), (1, right)].iter().all(|&(version, id)| part_of(&unit.procedure(version, id).name).is_none())
}

/// Adds a claim under a condition, of this number; whether it can have that.
fn add(claims: &mut Claims, number: usize, proved: &ProvedPair, condition: Option<&Expr>) -> bool {
    if number >= MAX_CONDITIONAL {
        return false;
    }
    let fallen = || ConditionalClaim { pair: proved.pair, condition: None, level: None };
    let slots = claims.conditional.len().max(number + 1);
    claims.conditional.resize_with(slots, fallen);
    let own = ConditionalClaim { pair: proved.pair, condition: condition.cloned(), level: Some(proved.claim.level) };
    std::mem::replace(&mut claims.conditional[number], own).level.is_none()
}

/// Looks at what a certificate says of pairs, with all there is to answer from.
struct PairChecker<'a> {
    unit: &'a Unit,
    program: &'a Program<'a>,
    clauses: &'a [Clause],
    decisions: &'a Decisions,
    proofs: &'a [(PairProof, Vec<Query>)],
    /// Whether what is shown of a procedure is said of the one of the source.
    written: [BTreeMap<ProcId, Result<(), Rejection>>; 2],
}

impl PairChecker<'_> {
    fn pair(&self, asked: &Comparison<'_>, answered: &AnsweredPair) -> Result<Finding, Rejection> {
        let seen = |verdict, termination| Finding { verdict, termination, rests_on: BTreeSet::new(), shown: None };
        match &answered.answer {
            Decision::Proved(level) => self.proved(asked, answered, *level),
            Decision::Unknown(_) => Ok(seen("unknown", Termination::Unknown)),
            Decision::Uncertified(_) => Ok(seen("uncertified", Termination::Unknown)),
            Decision::Differs(store) => {
                let contrast = self.differ(asked, store)?;
                let termination = match contrast {
                    Contrast::Termination => Termination::Different,
                    Contrast::Error | Contrast::Stores(_) => Termination::Unknown,
                };
                let shown = Some(format!("both were run: {}", contrast.sentence()));
                Ok(Finding { shown, ..seen("not-equivalent", termination) })
            }
            Decision::Violated(version, procedure, store) => {
                let code = self.unit.versions.get(*version).and_then(|v| v.procedures.get(procedure.index()));
                let run = procedures_run(self.program, asked.pair, &BTreeSet::new());
                // A part of a procedure may be run from stores from which that is not.
                let runs = |code: &&Procedure| run[*version].contains(procedure) && part_of(&code.name).is_none();
                let Some(code) = code.filter(runs) else {
                    return reject("the contract is of a procedure that the pair does not run");
                };
                let Ok((input, externals)) = self.input(code, store) else { return reject("the store is none") };
                let limits = concrete::REPLAY;
                let of = (*version, *procedure);
                let Some(witness) = replay_contract(self.unit, of, Target::Contract, &input, externals, limits) else {
                    return reject("no contract is violated from this store");
                };
                let shown = Some(format!("a run violates a contract: {}", witness.violation().message));
                Ok(Finding { shown, ..seen("contract-violation", Termination::Unknown) })
            }
        }
    }

    fn proved(&self, asked: &Comparison<'_>, answered: &AnsweredPair, level: Level) -> Result<Finding, Rejection> {
        // Lowered, the two may have lost what tells them apart; that is a claim for their callers, and no verdict.
        if !comparable(self.unit, asked.pair) {
            return reject("the two have different parameters or results");
        }
        for (written, id) in self.written.iter().zip([asked.pair.0, asked.pair.1]) {
            let nothing = || reject("nothing is shown of what is written");
            written.get(&id).cloned().unwrap_or_else(nothing)?;
        }
        let of = |pair: Pair, when: &Option<String>| {
            let at = self.decisions.proofs.iter().position(|proof| proof.pair == pair && proof.when == *when)?;
            Some(&self.proofs[at].0)
        };
        let Some(proof) = of(asked.pair, &answered.when).filter(|proof| proof.level == Some(level)) else {
            return reject("there is no proof of what is said");
        };
        let all = self.decisions.proofs.iter().zip(self.proofs).filter(|(decided, _)| decided.number.is_none());
        let unconditional: BTreeMap<Pair, PairProof> =
            all.map(|(decided, (proof, _))| (decided.pair, proof.clone())).collect();
        let rests_on = premises(asked.pair, Some(proof), &unconditional);
        let run = procedures_run(self.program, asked.pair, &rests_on);
        let broken = |clause: &&Clause| {
            clause.status != Status::Holds
                && clause.kind != ClauseKind::Assert
                && run[clause.version].contains(&clause.within)
        };
        if self.clauses.iter().any(|clause| broken(&clause)) {
            return reject("it rests on a contract that is not proved");
        }
        let (verdict, termination) = match level {
            Level::Full => ("equivalent", Termination::Mutual),
            Level::Partial => ("partially-equivalent", Termination::Unknown),
        };
        Ok(Finding { verdict, termination, rests_on, shown: None })
    }

    /// A difference in termination that no run can show: that one side never ends is proved anew.
    ///
    /// The solver itself is asked, not the ledger: what is found here is not among the questions of the certificate.
    fn endless(&self, pair: &witness::RunPair<'_>, input: &Input, externals: Behaviour) -> Option<witness::Witness> {
        let mut solver = Solver::new(QueryBudget::default());
        let material = Material::of(self.unit, self.program, &Proofs::new());
        let kernel = material.check((self.unit, &[]), self.program, &self.decisions.evidence, &mut solver);
        let run = procedures_run(self.program, (pair.left, pair.right), &BTreeSet::new());
        witness::replay_endless(pair, input, externals, concrete::REPLAY, &mut |version, stuck| {
            if !contracts_hold(self.clauses, version, &run[version]) {
                return None;
            }
            let (unit, effects) = (self.program.unit, &self.program.effects[version][..]);
            let of = recurrent_set::Version { unit, version, effects, kernel: &kernel };
            recurrent_set::never_ends(of, self.unit, stuck, &mut solver)
        })
    }

    fn differ(&self, asked: &Comparison<'_>, store: &Json) -> Result<Contrast, Rejection> {
        let (left, right) = asked.pair;
        let pair = witness::RunPair { unit: self.unit, left, right, when: asked.when };
        let defined = pair.left_procedure().body.is_some() && pair.right_procedure().body.is_some();
        if !defined || !comparable(self.unit, asked.pair) {
            return reject("the two cannot be run side by side");
        }
        let Ok((input, externals)) = self.input(pair.left_procedure(), store) else {
            return reject("the store is none");
        };
        let ran = witness::replay(&pair, &input, externals, concrete::REPLAY);
        match ran.or_else(|| self.endless(&pair, &input, externals)) {
            Some(witness) => Ok(witness.contrast().clone()),
            None => reject("the two do not differ from this store"),
        }
    }

    fn input(
        &self,
        procedure: &Procedure,
        store: &Json,
    ) -> Result<(lang_l::heap::Input, lang_l::interp::Behaviour), lang_l::store_json::InputError> {
        Ok((read_input(self.unit, procedure, store)?, read_externals(store)?))
    }
}
