//! The soundness fuzzer: pairs made up at random, what runs say of them against what the prover says.
//!
//! In: a seed and a number of pairs. Out: a [`Summary`]: every fault with its pair made small, and how many of the mutants
//! that keep the meaning were proved, by kind.
//!
//! 1. [`generate`] makes a program; [`keep`] and [`change`] make mutants of it; a [`case`] is a program with a mutant.
//!    [`far`] plants differences that small stores do not show.
//! 2. [`oracle`] runs both on the stores of [`stores`]; [`mod@judge`] verifies and compares.
//! 3. [`shrink`] makes what is faulty small.
//!
//! [`lies`] offers wrong evidence to the kernel, which must refuse it. [`judge::differences`] holds what `ape diff` and `ape client` say of pairs
//! against runs. [`judge::marks`] plants faults at known places and looks at what reports mark.
//!
//! Invariant: deterministic, but that a pair which takes very long is given up; case number *n* of a seed does not depend on the other cases.

pub mod tree;

pub mod effects;

pub mod generate;

pub mod keep;

pub mod change;

pub mod stores;

pub mod oracle;

pub mod case;

pub mod far;

pub mod features;

pub mod judge;

pub mod shrink;

pub mod summary;

pub mod stability;

pub mod lies;

use case::Case;
use judge::{Extra, Fault, Judgement, judge};
use rayon::ThreadPool;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use smt::solve::{Caching, Shared};
use std::time::Duration;
pub use summary::{Finding, Summary};

/// How long a pair may take. Most take a tenth of a second, and a few would take minutes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What is asked of the fuzzer.
#[derive(Clone, Debug)]
pub struct FuzzConfig {
    /// The seed of everything.
    pub seed: u64,
    /// The number of the first case.
    pub first: u64,
    /// How many cases.
    pub pairs: u64,
    /// Every so many cases are verified a second time; 0 for none.
    pub twice_every: u64,
    /// Of every so many cases what is refuted is held against the engines alone; 0 for none.
    pub unaided_every: u64,
    /// The most tests for making a faulty case small.
    pub shrinking: usize,
    /// Whether differences are planted that small stores do not show, in place of other mutations.
    pub far: bool,
    /// The name of the one kind of mutation that is looked at; all when `None`.
    pub only: Option<String>,
    /// How each case is judged.
    pub judge: judge::JudgeConfig,
}

impl Default for FuzzConfig {
    fn default() -> Self {
        let search = Some(prover::search::concrete::SearchBudget::QUICK);
        let verify = prover::verify::Config { search, ..prover::verify::Config::default() };
        // Programs made by the same grammar come down to the same small questions.
        let first = Shared::new(Caching::new(verify.backend.clone()));
        let judge = judge::JudgeConfig { verify, first, patience: Some(PATIENCE), ..judge::JudgeConfig::default() };
        FuzzConfig {
            seed: 1,
            first: 0,
            pairs: 100,
            twice_every: 8,
            unaided_every: 4,
            shrinking: 400,
            far: false,
            only: None,
            judge,
        }
    }
}

impl FuzzConfig {
    /// For differences that are far: nothing is to be learnt from the search, so what it refutes is held against the engines
    /// alone each time. Runs take long, so fewer are made of the small stores, and less is tried to make a case small.
    #[must_use]
    pub fn far(mut self) -> Self {
        self.judge.runs = oracle::RunBudget { small: 60, large: 10 };
        FuzzConfig { far: true, twice_every: 0, unaided_every: 1, shrinking: 100, ..self }
    }

    /// The case of this number; `None` when there is none.
    pub fn case(&self, number: u64) -> Option<Case> {
        if self.far { far::case(self.seed, number) } else { Case::new(self.seed, number) }
    }
}

/// What happens while fuzzing.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A case was judged.
    Judged {
        /// Its number.
        number: u64,
        /// The case.
        case: &'a Case,
        /// What came of it.
        judgement: &'a Judgement,
    },
    /// A case was faulty, and has been made small.
    Found(&'a Finding),
}

/// How many cases are judged before any of them is told of.
const TOGETHER: u64 = 256;

/// What came of a number.
enum Looked {
    /// No case, or none that was asked for.
    Skipped,
    /// A case that is not legal L.
    Illegal,
    /// A case, and what was said of it.
    Judged(Box<(Case, Judgement)>),
}

/// Fuzzes on the threads of `pool`, and tells `watch` as it goes, in the order of the numbers.
pub fn fuzz(config: &FuzzConfig, pool: &ThreadPool, watch: &mut dyn FnMut(Event<'_>)) -> Summary {
    let mut summary = Summary::default();
    let end = config.first + config.pairs;
    for first in (config.first..end).step_by(TOGETHER as usize) {
        let numbers: Vec<u64> = (first..end.min(first + TOGETHER)).collect();
        let looked: Vec<Looked> = pool.install(|| numbers.par_iter().map(|&number| look(config, number)).collect());
        for (number, looked) in numbers.into_iter().zip(looked) {
            let (case, judgement) = match looked {
                Looked::Judged(judged) => *judged,
                Looked::Skipped => {
                    summary.skipped += 1;
                    continue;
                }
                Looked::Illegal => {
                    summary.illegal.push(number);
                    continue;
                }
            };
            summary.count(&case, &judgement);
            if judgement.late {
                summary.late.push(number);
            }
            if judgement.certified == Some(false) {
                summary.uncertified.push(number);
            }
            watch(Event::Judged { number, case: &case, judgement: &judgement });
            if let Some(fault) = judgement.fault {
                let finding = minimised(number, case, fault, extra(config, number), config);
                watch(Event::Found(&finding));
                summary.findings.push(finding);
            }
        }
    }
    summary
}

/// Makes a case, and judges it.
fn look(config: &FuzzConfig, number: u64) -> Looked {
    let wanted = |case: &Case| match (&config.only, &case.mutations[..]) {
        (None, _) => true,
        (Some(kind), [one]) => one.text() == kind,
        (Some(_), _) => false,
    };
    let Some(case) = config.case(number).filter(wanted) else { return Looked::Skipped };
    match judge(&case, extra(config, number), &config.judge) {
        Some(judgement) => Looked::Judged(Box::new((case, judgement))),
        None => Looked::Illegal,
    }
}

/// What is done with this case that is not done with all.
fn extra(config: &FuzzConfig, number: u64) -> Extra {
    let one_of = |every: u64| every > 0 && number.is_multiple_of(every);
    Extra { twice: one_of(config.twice_every), unaided: one_of(config.unaided_every) }
}

fn minimised(number: u64, case: Case, fault: Fault, extra: Extra, config: &FuzzConfig) -> Finding {
    let fault_of = |case: &Case| judge(case, extra, &config.judge).and_then(|judgement| judgement.fault);
    let mut same = |smaller: &Case| match fault_of(smaller) {
        // What is missing is soon missing for another reason.
        Some(Fault::Unproved(reason)) => fault == Fault::Unproved(reason),
        Some(found) => found.word() == fault.word(),
        None => false,
    };
    // What is known by construction alone is not known of less.
    let runs = case.planted.as_ref().is_none_or(|planted| planted.runs);
    let tests = if runs { config.shrinking } else { 0 };
    let small = shrink::shrink(&case, tests, !matches!(fault, Fault::Unproved(_)), &mut same);
    let fault = fault_of(&small).unwrap_or(fault);
    Finding { number, fault, case, small }
}
