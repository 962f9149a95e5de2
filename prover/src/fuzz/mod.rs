//! The soundness fuzzer: pairs made up at random, what runs say of them against what the prover says.
//!
//! In: a seed and a number of pairs. Out: a [`Summary`]: every fault with its pair made small, and how many of the mutants
//! that keep the meaning were proved, by kind.
//!
//! 1. [`generate`] makes a program; [`keep`] and [`change`] make mutants of it; a [`case`] is a program with a mutant.
//! 2. [`oracle`] runs both on the stores of [`stores`]; [`judge`] verifies and compares.
//! 3. [`shrink`] makes what is faulty small.
//!
//! Invariant: deterministic; case number *n* of a seed does not depend on the other cases.

pub mod random;

pub mod tree;

pub mod effects;

pub mod generate;

pub mod keep;

pub mod change;

pub mod case;

pub mod stores;

pub mod oracle;

pub mod judge;

pub mod shrink;

pub mod summary;

use case::Case;
use judge::{Fault, Judgement, judge};
pub use summary::{Finding, Summary};

/// What is asked of the fuzzer.
#[derive(Clone, Debug)]
pub struct Config {
    /// The seed of everything.
    pub seed: u64,
    /// The number of the first case.
    pub first: u64,
    /// How many cases.
    pub pairs: u64,
    /// Every so many cases are verified a second time; 0 for none.
    pub twice_every: u64,
    /// The most tests for making a faulty case small.
    pub shrinking: usize,
    /// How each case is judged.
    pub judge: judge::Config,
}

impl Default for Config {
    fn default() -> Self {
        let search = Some(crate::refute::Budget::QUICK);
        let verify = crate::verify::Config { search, ..crate::verify::Config::default() };
        let judge = judge::Config { verify, ..judge::Config::default() };
        Config { seed: 1, first: 0, pairs: 100, twice_every: 8, shrinking: 400, judge }
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

/// Fuzzes, and tells `watch` as it goes.
pub fn fuzz(config: &Config, watch: &mut dyn FnMut(Event<'_>)) -> Summary {
    let mut summary = Summary::default();
    for number in config.first..config.first + config.pairs {
        let Some(case) = Case::new(config.seed, number) else {
            summary.skipped += 1;
            continue;
        };
        let twice = config.twice_every > 0 && number % config.twice_every == 0;
        let Some(judgement) = judge(&case, twice, &config.judge) else {
            summary.illegal.push(number);
            continue;
        };
        summary.count(&case, &judgement);
        if judgement.certified == Some(false) {
            summary.uncertified.push(number);
        }
        watch(Event::Judged { number, case: &case, judgement: &judgement });
        if let Some(fault) = judgement.fault {
            let finding = minimised(number, case, fault, twice, config);
            watch(Event::Found(&finding));
            summary.findings.push(finding);
        }
    }
    summary
}

fn minimised(number: u64, case: Case, fault: Fault, twice: bool, config: &Config) -> Finding {
    let fault_of = |case: &Case| judge(case, twice, &config.judge).and_then(|judgement| judgement.fault);
    let mut same = |smaller: &Case| match fault_of(smaller) {
        // What is missing is soon missing for another reason.
        Some(Fault::Unproved(reason)) => fault == Fault::Unproved(reason),
        Some(found) => found.word() == fault.word(),
        None => false,
    };
    let small = shrink::shrink(&case, config.shrinking, !matches!(fault, Fault::Unproved(_)), &mut same);
    let fault = fault_of(&small).unwrap_or(fault);
    Finding { number, fault, case, small }
}
