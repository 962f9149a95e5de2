//! Whether the answers for a case can be right.
//!
//! In: a [`Case`], what runs say of it, what the prover says of it. Out: a [`Judgement`], with the [`Fault`] if there is one.
//!
//! Invariant: a fault is a mistake of ours, whatever the program: a wrong answer, an answer without backing, a crash, and on
//! demand an answer that is missing.

pub mod differences;
pub mod marks;
mod outputs;
mod told;

use crate::case::{Case, Planted};
use crate::oracle::{self, Compared, Observation};
use lang_l::hir::Unit;
use lang_l::interp::{Divergence, Outcome};
use lang_l::random::Random;
use lang_l::source::{Sources, Span};
use lang_l::store_json::read_input;
use prover::certificate;
use prover::search::witness::Witness;
use prover::verdict::{ClauseReport, ClauseStatus, PairReport, Report, Termination, Verdict};
use prover::verify::{self, verify};
use smt::solve::Shared;
use smt::stop::Stop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// What is wrong with the answers for a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Said to be equivalent, or partially so, but runs differ.
    Unsound(String),
    /// Said not to be equivalent, or a contract to be violated, but the run it shows does not show it.
    NoWitness(String),
    /// A clause is said to hold, but a run violates it.
    Contract(String),
    /// A mutation that should keep the meaning did not, or the prover has a witness that it did not.
    Claim(String),
    /// The prover panicked.
    Panic(String),
    /// The second run said something else.
    Wavers(String),
    /// A mutant that keeps the meaning was not proved equivalent: no wrong answer, and looked for only on demand.
    Unproved(String),
}

impl Fault {
    /// What sort of fault, in one word.
    pub fn word(&self) -> &'static str {
        match self {
            Fault::Unsound(_) => "unsound",
            Fault::NoWitness(_) => "no-witness",
            Fault::Contract(_) => "contract",
            Fault::Claim(_) => "claim",
            Fault::Panic(_) => "panic",
            Fault::Wavers(_) => "wavers",
            Fault::Unproved(_) => "unproved",
        }
    }

    /// The same in a sentence.
    pub fn message(&self) -> &str {
        match self {
            Fault::Unsound(text)
            | Fault::NoWitness(text)
            | Fault::Contract(text)
            | Fault::Claim(text)
            | Fault::Panic(text)
            | Fault::Wavers(text)
            | Fault::Unproved(text) => text,
        }
    }
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// Every pair is equivalent.
    Proved,
    /// Some pair is but partially equivalent, and the others are equivalent.
    Partial,
    /// Some pair is unknown, and none is worse.
    Unknown,
    /// The same, but the program is not even proved equivalent to itself: it says nothing, or its contracts are in doubt.
    Beside,
    /// A contract of the program fails.
    Violated,
    /// Some pair is not equivalent.
    Refuted,
}

/// What became of a case.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What is wrong, if something is.
    pub fault: Option<Fault>,
    /// What the prover said.
    pub ending: Ending,
    /// Why it did not say more.
    pub reason: Option<String>,
    /// Whether runs differ.
    pub differs: bool,
    /// Whether the verification was given up as it took long.
    pub late: bool,
    /// Whether all that was proved has a certificate that replays; `None` when nothing was, or it was not asked for.
    pub certified: Option<bool>,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct JudgeConfig {
    /// How much is run.
    pub runs: oracle::RunBudget,
    /// How hard the prover tries.
    pub verify: verify::Config,
    /// What decides its questions the first time a case is verified; the second time, which is to show what wavers, it is
    /// what `verify` says.
    pub first: Shared,
    /// Whether certificates are made and replayed.
    pub certificates: bool,
    /// Whether it counts as a fault when a mutant that keeps the meaning is not proved.
    pub unproved: bool,
    /// How long one verification may take; without a bound when `None`. What is given up for this is never a fault.
    pub patience: Option<Duration>,
}

impl JudgeConfig {
    /// How a case is verified the first time.
    fn first(&self) -> verify::Config {
        verify::Config { backend: self.first.clone(), ..self.second() }
    }

    /// How it is verified the second time. The time that it may take begins now.
    fn second(&self) -> verify::Config {
        let stop = Stop::new().until(self.patience.map(|patience| Instant::now() + patience));
        verify::Config { stop, ..self.verify.clone() }
    }
}

/// What is done with some cases only, as it takes long.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extra {
    /// The case is verified a second time.
    pub twice: bool,
    /// What is refuted is proved, if that can be done.
    pub unaided: bool,
}

/// Runs, verifies, and compares. `None` when the case is not legal L.
pub fn judge(case: &Case, extra: Extra, config: &JudgeConfig) -> Option<Judgement> {
    let unit = case.unit()?;
    let mut differs = false;
    let mut faults = Vec::new();
    let first = config.first();
    let report = match catch_unwind(AssertUnwindSafe(|| verify(&unit, &first))) {
        Ok(report) => report,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
            let fault = Some(Fault::Panic(format!("the prover panicked: {text}")));
            return Some(Judgement {
                fault,
                ending: Ending::Unknown,
                reason: None,
                differs,
                late: false,
                certified: None,
            });
        }
    };
    for pair in &report.pairs {
        let Some(compared) = compared(&unit, pair) else { continue };
        let planted = case.planted.as_ref().filter(|planted| planted.procedure == pair.left);
        let far = planted.and_then(|planted| planted_observation(&unit, compared, planted));
        let seen = oracle::observe(&unit, compared, config.runs, &mut Random::new(1));
        for seen in far.iter().chain([&seen]) {
            differs |= seen.outcome.is_some() || seen.termination.is_some();
            faults.extend(check(&unit, case, pair, compared, seen));
            faults.extend(check_contracts(&report, seen));
        }
        faults.extend(planted.and_then(|planted| check_by_construction(pair, planted)));
    }
    faults.extend(check_violations(&unit, &report));
    if extra.unaided {
        faults.extend(check_unaided(&unit, &report, &config.first()));
    }
    if extra.twice && report.stopped.is_none() && wavers(&verify(&unit, &config.second()), &report) {
        faults.push(Fault::Wavers("the second run said something else".to_owned()));
    }
    let (mut ending, reason) = ending(&report);
    if case.keeps() && matches!(ending, Ending::Partial | Ending::Unknown) && !proves_itself(case, config) {
        ending = Ending::Beside;
    }
    if config.unproved && case.keeps() && matches!(ending, Ending::Partial | Ending::Unknown) {
        faults.push(Fault::Unproved(reason.clone().unwrap_or_default()));
    }
    let certified = if config.certificates { certified(case, &unit, &report) } else { None };
    let (fault, late) = (faults.into_iter().next(), report.stopped.is_some());
    Some(Judgement { fault, ending, reason, differs, late, certified })
}

/// Whether a second report, which was not given up, says something else.
fn wavers(second: &Report, first: &Report) -> bool {
    second.stopped.is_none() && words(second) != words(first)
}

/// Whether all that a report says is proved has a certificate that replays; `None` when nothing is proved.
fn certified(case: &Case, unit: &Unit, report: &Report) -> Option<bool> {
    let proved = |pair: &PairReport| matches!(pair.verdict, Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_));
    if !report.pairs.iter().any(proved) {
        return None;
    }
    let mut sources = Sources::new();
    sources.add("pair.l", case.text());
    let replayed = certificate::make(unit, &sources, report)
        .and_then(|certificate| certificate::replay(&certificate, Some(&sources)));
    Some(replayed.is_ok_and(|replayed| {
        let mut both = replayed.pairs.iter().zip(&report.pairs);
        both.all(|(pair, reported)| pair.verdict == reported.verdict.word())
    }))
}

/// Whether version 0 is proved equivalent to itself.
fn proves_itself(case: &Case, config: &JudgeConfig) -> bool {
    let twins = Case { right: case.left.clone(), ..case.clone() };
    twins.unit().is_some_and(|unit| ending(&verify(&unit, &config.first())).0 == Ending::Proved)
}

fn compared<'u>(unit: &'u Unit, pair: &PairReport) -> Option<Compared<'u>> {
    let (left, right) = (unit.versions[0].find(&pair.left)?, unit.versions[1].find(&pair.right)?);
    let same = |equiv: &&lang_l::hir::Equiv| (equiv.left, equiv.right) == (left, right);
    let when = unit.equivs.iter().find(same).and_then(|equiv| equiv.when.as_ref());
    Some(Compared { left, right, when: when.filter(|_| pair.when.is_some()) })
}

/// What the runs from a planted store show; `None` when it takes more than a run can do.
fn planted_observation(unit: &Unit, compared: Compared<'_>, planted: &Planted) -> Option<Observation> {
    let procedure = unit.versions[0].procedure(compared.left);
    let input = read_input(unit, procedure, &planted.store).ok().filter(|_| planted.runs)?;
    Some(oracle::observe_from(unit, compared, input))
}

/// What is known of a planted pair without a run.
fn check_by_construction(pair: &PairReport, planted: &Planted) -> Option<Fault> {
    if planted.runs {
        return None;
    }
    let (name, store) = (&pair.left, &planted.store);
    let proved = matches!(pair.verdict, Verdict::Equivalent(_) | Verdict::PartiallyEquivalent(_));
    if proved && planted.difference == Some(oracle::Difference::Outcome) {
        let word = pair.verdict.word();
        return Some(Fault::Unsound(format!("{name} is said to be {word}, but by construction differs from {store}")));
    }
    let endless = matches!(&pair.verdict, Verdict::NotEquivalent(witness) if diverges(witness).is_some());
    endless.then(|| Fault::NoWitness(format!("a run of {name} is said never to end, but by construction all end")))
}

fn check(unit: &Unit, case: &Case, pair: &PairReport, ids: Compared<'_>, seen: &Observation) -> Option<Fault> {
    let name = &pair.left;
    if let (Termination::Mutual, Some(seen)) = (pair.termination, &seen.termination) {
        let what = format!("{:?}", seen.difference);
        return Some(Fault::Unsound(format!("{name} is said to end from the same stores in both, but {what} differs")));
    }
    let differing = seen.outcome.as_ref().or(seen.termination.as_ref());
    let on = |seen: &oracle::Disagreement| {
        let procedure = unit.versions[0].procedure(ids.left);
        let input = lang_l::statements::input_lines(unit, procedure, &seen.input, 100).join("\n");
        format!("from this store they differ in {:?} (externals: {:?}):\n{input}\n", seen.difference, seen.externals)
    };
    match &pair.verdict {
        Verdict::Equivalent(_) => {
            if let Some(seen) = differing {
                return Some(Fault::Unsound(format!("{name} is said to be equivalent, but {}", on(seen))));
            }
        }
        Verdict::PartiallyEquivalent(_) => {
            if let Some(seen) = &seen.outcome {
                return Some(Fault::Unsound(format!("{name} is said to be partially equivalent, but {}", on(seen))));
            }
        }
        Verdict::NotEquivalent(witness) => {
            let replays = match endless(witness) {
                Some(side) => {
                    let limits = if case.planted.is_some() { oracle::FAR } else { oracle::LONG };
                    oracle::outlasts(unit, ids, witness, side, limits)
                }
                None => oracle::replays(unit, ids, witness.input(), witness.externals()).is_some(),
            };
            if !replays {
                return Some(Fault::NoWitness(format!("the counterexample for {name} does not replay")));
            }
            if case.keeps() {
                return Some(Fault::Claim(format!("{name} was refuted, though the mutation should keep the meaning")));
            }
        }
        Verdict::ContractViolation(_) | Verdict::Unknown(_) => {}
    }
    let seen = differing.filter(|_| case.keeps())?;
    Some(Fault::Claim(format!("the mutation of {name} should keep the meaning, but {}", on(seen))))
}

/// The version of which a recurrent set shows that it never ends.
fn endless(witness: &Witness) -> Option<usize> {
    let stays = |outcome: &Outcome| matches!(outcome, Outcome::Diverged(Divergence::Stays { .. }));
    [witness.left(), witness.right()].into_iter().position(stays)
}

/// The version that is said never to end.
fn diverges(witness: &Witness) -> Option<usize> {
    [witness.left(), witness.right()].into_iter().position(|outcome| matches!(outcome, Outcome::Diverged(_)))
}

/// A clause that is said to hold wherever it matters must not have been seen to fail, nor must an `assert`.
fn check_contracts(report: &Report, seen: &Observation) -> Option<Fault> {
    let holds = |version: usize, fits: &dyn Fn(&ClauseReport) -> bool| {
        let mut clauses = report.contracts.iter().filter(|clause| clause.version == version && fits(clause)).peekable();
        let procedure = clauses.peek()?.procedure.clone();
        clauses.all(|clause| matches!(clause.status, ClauseStatus::Holds)).then_some(procedure)
    };
    let broken = seen.violations.iter().find_map(|(version, violation)| {
        let procedure = holds(*version, &|clause| clause.span == violation.span)?;
        let keyword = violation.clause.keyword();
        Some(format!("a run violates a `{keyword}` of {procedure} that is said to hold"))
    });
    let failed = seen.errors.iter().find_map(|(version, at)| {
        let asserts = |clause: &ClauseReport| clause.kind.keyword() == "assert" && within(*at, clause.span);
        let procedure = holds(*version, &asserts)?;
        Some(format!("a run fails an `assert` of {procedure} that is said to hold"))
    });
    broken.or(failed).map(Fault::Contract)
}

fn within(part: Span, whole: Span) -> bool {
    let (inner, outer) = (part.range(), whole.range());
    part.file == whole.file && outer.start <= inner.start && inner.end <= outer.end
}

/// What is refuted must not be provable. Nobody tries to prove what a first look refutes, so this does.
fn check_unaided(unit: &Unit, report: &Report, config: &verify::Config) -> Option<Fault> {
    let contradicted = verify::contradicted(unit, report, config);
    let pair = contradicted.first()?;
    Some(Fault::Unsound(format!("{} is refuted, and could have been proved", pair.left)))
}

/// A violation that is shown must be seen.
fn check_violations(unit: &Unit, report: &Report) -> Option<Fault> {
    let shown = report.pairs.iter().filter_map(|pair| match &pair.verdict {
        Verdict::ContractViolation(witness) => Some(&**witness),
        _ => None,
    });
    let clauses = report.contracts.iter().filter_map(|clause| match &clause.status {
        ClauseStatus::Violated(witness) => Some(&**witness),
        _ => None,
    });
    shown.chain(clauses).find_map(|witness| {
        (!oracle::breaks(unit, witness))
            .then(|| Fault::NoWitness(format!("the violation in {} does not replay", witness.violation().procedure)))
    })
}

/// All that a report says, in words that can be compared.
fn words(report: &Report) -> Vec<String> {
    let pairs = report.pairs.iter().map(|pair| {
        let more = match &pair.verdict {
            Verdict::NotEquivalent(witness) => format!("{:?}", witness.input()),
            Verdict::Unknown(reason) => format!("{reason:?}"),
            _ => String::new(),
        };
        format!("{}~{} {} {} {more}", pair.left, pair.right, pair.verdict.word(), pair.termination.word())
    });
    let clauses = report.contracts.iter().map(|clause| format!("{:?} {}", clause.span, clause.status.word()));
    pairs.chain(clauses).collect()
}

fn ending(report: &Report) -> (Ending, Option<String>) {
    let mut worst = (Ending::Proved, None);
    for pair in &report.pairs {
        let this = match &pair.verdict {
            Verdict::Equivalent(_) => (Ending::Proved, None),
            Verdict::PartiallyEquivalent(proof) => {
                (Ending::Partial, proof.failed_goal.as_ref().map(|failed_goal| failed_goal.what.clone()))
            }
            Verdict::NotEquivalent(_) => (Ending::Refuted, None),
            Verdict::ContractViolation(_) => (Ending::Violated, None),
            Verdict::Unknown(reason) => (Ending::Unknown, Some(reason.what.clone())),
        };
        if this.0 > worst.0 {
            worst = this;
        }
    }
    worst
}
