//! Proofs made anew by the kernel, from what decisions say.
//!
//! In: a program and [`Decisions`]. Out: [`Confirmation`]: what the kernel makes of them, with every question to the solver that it
//! comes down to, asked of nobody yet; and what the runs of counterexamples showed.
//!
//! The questions are answered by yes while the kernel looks, by a ledger in the solver's place. So what is returned here is
//! worth as much as the answers of whoever asks them afterwards, and nothing before.
//!
//! Invariant: no search, and no rule of its own: what is proved, the kernel has proved of the source.

use super::ReplayedPair;
use super::decisions::{AnsweredPair, Decision, Decisions, ProvedPair};
use super::names;
use crate::analysis;
use crate::budget::certificate::MAX_CONDITIONAL;
use crate::checked::{self, Material};
use crate::engines;
use crate::goal::{Pair, Program};
use crate::lower::{Lowered, lower};
use crate::search::concrete;
use crate::search::recurrent_set;
use crate::search::witness::{self, Contrast, Target, replay_contract};
use crate::verdict::Termination;
use crate::verdict::comparison::{Comparison, comparable, comparisons, procedures_run, rests_on};
use crate::verdict::vacuity;
use kernel::effects::Effects;
use kernel::outline::cuts::{cut, part_of};
use kernel::pair::PairEvidence;
use kernel::proof::{Kernel, Shown};
use kernel::rejection::{Rejection, reject};
use kernel::relate::{ConditionalClaim, Level};
use lang_l::heap::Input;
use lang_l::hir::{Procedure, Unit};
use lang_l::interp::Behaviour;
use lang_l::store_json::{InputError, read_externals, read_input};
use serde_json::Value as Json;
use smt::solve::{Answer, Backend, Logic, Query, QueryBudget, Question, Shared, Solver, SolverFailure};
use std::collections::{BTreeMap, BTreeSet};

/// What decisions lead to, if all questions are answered by yes.
#[derive(Clone, Debug)]
pub struct Confirmation {
    /// The lowered program.
    pub(super) lowered: Lowered,
    /// What is said of its procedures.
    pub(super) effects: [Vec<Effects>; 2],
    /// The questions that what is said of single procedures comes down to.
    pub(super) alone: Vec<Query>,
    /// How the kernel has shown the claims, in the order of the decisions, each with its own questions.
    pub(super) proofs: Vec<(Shown, Vec<Query>)>,
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
            let asked = asked.iter().find(|asked| is_of(asked, (answered.pair, &answered.when), unit))?;
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
            let (how, obligations) = match (&asked.answer, proof) {
                (Decision::Proved(_), Some(at)) => {
                    (decisions.proofs[at].claim.rule.name.to_string(), self.proofs[at].1.len())
                }
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

/// Has the kernel make the proofs that decisions on a source tell of.
///
/// # Errors
/// Where a decision does not lead to what is claimed.
pub(super) fn confirm(source: &Unit, decisions: &Decisions) -> Result<Confirmation, Rejection> {
    let Some(unit) = &cut(source, &decisions.cuts) else {
        return reject("the statements cannot be cut out of the procedures");
    };
    let lowered = lower(unit);
    let program = Program { unit: &lowered, effects: analysis::told(&lowered, &decisions.evidence)? };
    let asked = Asked { unit, all: comparisons(unit) };
    let Claimed { always, under } = claimed(&program, &asked, decisions)?;

    let mut solver = Solver::new(QueryBudget::default()).with_backend(Shared::new(Ledger));
    let material = Material::claiming(unit, &program, always);
    let mut kernel = material.check((source, &decisions.cuts), &program, &decisions.evidence, &mut solver);
    (0..2).try_for_each(|version| kernel.alone(version))?;
    kernel.learn(&under, &mut solver);
    let proofs = shown(&kernel, unit, decisions)?;

    let checker = PairChecker { unit, program: &program, decisions, kernel: &kernel, proofs: &proofs };
    let mut pairs = Vec::new();
    for (at, answered) in decisions.pairs.iter().enumerate() {
        let named = |Rejection(what)| Rejection(format!("{}: {what}", asked.name(answered.pair, &answered.when)));
        let own = asked.find(answered.pair, &answered.when).map_err(named)?;
        if decisions.pairs[..at].iter().any(|other| is_of(own, (other.pair, &other.when), unit)) {
            return Err(named(Rejection("it is answered twice".into())));
        }
        pairs.push(checker.pair(own, answered).map_err(named)?);
    }
    let queries = solver.log();
    // What was asked for no claim was asked of the procedures alone.
    let of_none = |at: &usize| proofs.iter().all(|proof| !proof.asked.contains(at));
    let alone = (0..queries.len()).filter(of_none).map(|at| queries[at].clone()).collect();
    let script = |(at, (decided, proof)): (usize, (&ProvedPair, &Shown))| {
        let left = &lowered.procedure(0, decided.pair.0).name;
        (!proof.asked.is_empty()).then(|| names::script_name(at, left))
    };
    let script_names = decisions.proofs.iter().zip(&proofs).enumerate().map(script).collect();
    let own = |proof: &Shown| (proof.clone(), queries[proof.asked.clone()].to_vec());
    let proofs = proofs.iter().map(own).collect();
    let effects = program.effects.clone();
    Ok(Confirmation { lowered: lowered.clone(), effects, alone, proofs, script_names, pairs })
}

/// The pairs that a source asks about and of which decisions say nothing.
pub(super) fn left_out(source: &Unit, decisions: &Decisions) -> Vec<String> {
    let answered = |one: &Comparison<'_>| decisions.pairs.iter().any(|own| is_of(one, (own.pair, &own.when), source));
    let open = comparisons(source).into_iter().filter(|one| !answered(one));
    open.map(|one| names::pair_name(source, one.pair, one.condition(source).as_deref())).collect()
}

/// Whether a comparison is of this pair, under the condition of this text.
fn is_of(asked: &Comparison<'_>, (pair, when): (Pair, &Option<String>), unit: &Unit) -> bool {
    asked.pair == pair && asked.condition(unit) == *when
}

/// The pairs that the program asks about.
struct Asked<'u> {
    unit: &'u Unit,
    all: Vec<Comparison<'u>>,
}

impl<'u> Asked<'u> {
    fn find(&self, pair: Pair, when: &Option<String>) -> Result<&Comparison<'u>, Rejection> {
        let is_it = |one: &&Comparison<'_>| is_of(one, (pair, when), self.unit) && is_written(self.unit, pair);
        let found = self.all.iter().find(is_it);
        found.ok_or_else(|| Rejection("the program has no such pair".into()))
    }

    fn name(&self, pair: Pair, when: &Option<String>) -> String {
        names::pair_name(self.unit, pair, when.as_deref())
    }
}

/// What the kernel is told of pairs.
struct Claimed {
    /// From all stores.
    always: BTreeMap<Pair, (Level, PairEvidence)>,
    /// From those that satisfy conditions, by number.
    under: Vec<(ConditionalClaim, Option<PairEvidence>)>,
}

/// What decisions claim.
fn claimed(program: &Program<'_>, asked: &Asked<'_>, decisions: &Decisions) -> Result<Claimed, Rejection> {
    let mut told = Claimed { always: BTreeMap::new(), under: Vec::new() };
    for proved in &decisions.proofs {
        let named = |what: &str| {
            let name = names::pair_name(program.unit.as_unit(), proved.pair, proved.when.as_deref());
            Rejection(format!("{name}: {what}"))
        };
        let level = proved.claim.level;
        let Some(evidence) = checked::evidence(program, proved.pair, &proved.claim.evidence) else {
            return Err(named("something is said of two loops that cannot be said"));
        };
        if !engines::proves_by(proved.claim.rule, &evidence) {
            return Err(named(&format!("{} is not the rule that its evidence is of", proved.claim.rule.name)));
        }
        let own = match proved.number {
            None => proved.when.is_none() && told.always.insert(proved.pair, (level, evidence)).is_none(),
            Some(number) if number < MAX_CONDITIONAL => {
                let asked = asked.find(proved.pair, &proved.when).map_err(|Rejection(what)| named(&what))?;
                let claim = |level| ConditionalClaim { pair: proved.pair, condition: asked.when.cloned(), level };
                let slots = told.under.len().max(number + 1);
                // Where nothing is said of a number its claim has fallen.
                told.under.resize_with(slots, || (claim(None), None));
                let slot = &mut told.under[number];
                std::mem::replace(slot, (claim(Some(level)), Some(evidence))).1.is_none()
            }
            Some(_) => false,
        };
        if !own {
            return Err(named("it is proved twice, or under a number that it cannot have"));
        }
    }
    Ok(told)
}

/// How the kernel has shown what decisions claim, in their order.
fn shown(kernel: &Kernel<'_>, unit: &Unit, decisions: &Decisions) -> Result<Vec<Shown>, Rejection> {
    let own = |proved: &ProvedPair| {
        let (stands, how) = match proved.number {
            None => (kernel.stands(proved.pair), kernel.shown(proved.pair)),
            Some(number) => (kernel.stands_under(number), kernel.shown_under(number)),
        };
        let name = || names::pair_name(unit, proved.pair, proved.when.as_deref());
        stands.map_err(|Rejection(what)| Rejection(format!("{}: {what}", name())))?;
        Ok(how.cloned().unwrap_or_default())
    };
    decisions.proofs.iter().map(own).collect()
}

/// Whether both of a pair are procedures of the program as it is written, not parts of them.
fn is_written(unit: &Unit, (left, right): Pair) -> bool {
    [(0, left), (1, right)].iter().all(|&(version, id)| part_of(&unit.procedure(version, id).name).is_none())
}

/// Looks at what a certificate says of pairs, with all there is to answer from.
struct PairChecker<'a> {
    unit: &'a Unit,
    program: &'a Program<'a>,
    decisions: &'a Decisions,
    kernel: &'a Kernel<'a>,
    /// How the kernel has shown what the decisions claim, in their order.
    proofs: &'a [Shown],
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
        let mut refused = Rejection("there is no proof of what is said".into());
        let own = |decided: &ProvedPair| decided.pair == asked.pair && decided.when == answered.when;
        for (decided, shown) in self.decisions.proofs.iter().zip(self.proofs).filter(|(decided, _)| own(decided)) {
            let proved = match decided.number {
                None => self.kernel.prove(decided.pair),
                Some(number) => self.kernel.prove_under(number),
            };
            match proved {
                Ok(proved) if proved.level_of(asked.pair, asked.when) == Some(level) => {
                    let (verdict, termination) = match level {
                        Level::Full => ("equivalent", Termination::Mutual),
                        Level::Partial => ("partially-equivalent", Termination::Unknown),
                    };
                    let of = |pair: Pair| self.kernel.shown(pair).map(|shown| &shown.used);
                    let rests_on = rests_on(asked.pair, Some(&shown.used), of);
                    return Ok(Finding { verdict, termination, rests_on, shown: None });
                }
                Ok(_) => {}
                Err(rejection) => refused = rejection,
            }
        }
        Err(refused)
    }

    /// A difference in termination that no run can show: that one side never ends is proved anew.
    ///
    /// The solver itself is asked, not the ledger: what is found here is not among the questions of the certificate.
    fn endless(&self, pair: &witness::RunPair<'_>, input: &Input, externals: Behaviour) -> Option<witness::Witness> {
        let mut solver = Solver::new(QueryBudget::default());
        let material = Material::claiming(self.unit, self.program, BTreeMap::new());
        let kernel = material.check((self.unit, &[]), self.program, &self.decisions.evidence, &mut solver);
        let run = procedures_run(self.program, (pair.left, pair.right), &BTreeSet::new());
        witness::replay_endless(pair, input, externals, concrete::REPLAY, &mut |version, stuck| {
            if !kernel.contracts_hold(version, &run[version]) {
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

    fn input(&self, procedure: &Procedure, store: &Json) -> Result<(Input, Behaviour), InputError> {
        Ok((read_input(self.unit, procedure, store)?, read_externals(store)?))
    }
}
