//! The fuzzer finds no fault, and its own parts do what they say.

use ape_fuzz::case::{Case, Mutation};
use ape_fuzz::change::Change;
use ape_fuzz::judge::{Extra, Fault, judge};
use ape_fuzz::keep::Keep;
use ape_fuzz::oracle::{self, observe};
use ape_fuzz::{FuzzConfig, fuzz};
use lang_l::hir::{ProcId, Unit};
use lang_l::random::Random;
use rayon::ThreadPoolBuilder;
use std::collections::BTreeSet;

/// How many pairs are verified; all are made from one seed. `.ci/run` verifies more, with an optimised build.
const PAIRS: u64 = 250;
/// Stack of a thread that verifies, in bytes.
const STACK: usize = 512 << 20;

#[test]
fn no_verdict_is_wrong() {
    let config = FuzzConfig { seed: 7, pairs: PAIRS, ..FuzzConfig::default() };
    let pool = ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads can be made");
    let summary = fuzz(&config, &pool, &mut |_| {});
    let findings: Vec<String> = summary.findings.iter().map(|finding| finding.text()).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert!(summary.illegal.is_empty(), "pairs that are not legal L: {:?}", summary.illegal);
    assert!(summary.judged() > PAIRS * 9 / 10, "{summary}");
}

#[test]
fn the_same_numbers_make_the_same_pair() {
    for number in 0..200 {
        assert_eq!(Case::new(3, number), Case::new(3, number));
    }
    assert_ne!(Case::new(3, 1), Case::new(3, 2));
    assert_ne!(Case::new(3, 1), Case::new(4, 1));
}

#[test]
fn every_kind_of_mutation_is_made_and_legal() {
    let mut made = BTreeSet::new();
    for case in (0..4_000).filter_map(|number| Case::new(11, number)) {
        assert!(case.unit().is_some(), "not legal L:\n{}", case.text());
        made.extend(case.mutations);
    }
    let all: BTreeSet<Mutation> = Keep::ALL
        .iter()
        .copied()
        .map(Mutation::Keep)
        .chain(Change::ALL.iter().copied().map(Mutation::Change))
        .collect();
    assert_eq!(all.difference(&made).collect::<Vec<_>>(), Vec::<&Mutation>::new());
}

#[test]
fn runs_never_tell_apart_what_keeps_the_meaning() {
    for case in (0..1_500).filter_map(|number| Case::new(5, number)).filter(Case::keeps) {
        let small = oracle::RunBudget { small: 90, large: 12 };
        assert!(!differs(&case, small), "{:?}:\n{}", case.mutations, case.text());
    }
}

#[test]
fn runs_tell_apart_most_of_what_was_changed() {
    let mut told = (0, 0);
    for case in (0..2_500).filter_map(|number| Case::new(6, number)) {
        if case.mutations == [Mutation::Change(Change::Negate)] {
            told = (told.0 + usize::from(differs(&case, oracle::RunBudget::default())), told.1 + 1);
        }
    }
    assert!(told.1 > 10 && told.0 * 2 > told.1, "of {} only {}", told.1, told.0);
}

/// Whether runs of some pair of a case differ.
fn differs(case: &Case, budget: oracle::RunBudget) -> bool {
    let unit = case.unit().expect("generated programs are legal");
    pairs(&unit).into_iter().any(|pair| {
        let seen = observe(&unit, pair, budget, &mut Random::new(1));
        seen.outcome.is_some() || seen.termination.is_some()
    })
}

fn pairs(unit: &Unit) -> Vec<(ProcId, ProcId)> {
    let left = (0u32..).zip(&unit.versions[0].procedures);
    left.filter_map(|(at, procedure)| Some((ProcId(at), unit.versions[1].find(&procedure.name)?))).collect()
}

/// A case that says of itself what is false is found out.
#[test]
fn a_wrong_claim_is_a_fault() {
    let changed = (0..).filter_map(|number| Case::new(9, number)).find(|case| {
        case.mutations == [Mutation::Change(Change::Negate)] && differs(case, oracle::RunBudget::default())
    });
    let lying = Case { mutations: vec![Mutation::Keep(Keep::SwapBranches)], ..changed.expect("some pair differs") };
    let judgement = judge(&lying, Extra::default(), &FuzzConfig::default().judge).expect("legal");
    assert!(matches!(judgement.fault, Some(Fault::Claim(_))), "{:?}", judgement.fault);
}

/// What was seen to differ differs again when it is run alone.
#[test]
fn differences_replay() {
    let mut replayed = 0;
    for case in (0..200).filter_map(|number| Case::new(10, number)) {
        let unit = case.unit().expect("generated programs are legal");
        for pair in pairs(&unit) {
            if let Some(seen) = observe(&unit, pair, oracle::RunBudget::default(), &mut Random::new(1)).outcome {
                assert_eq!(oracle::replays(&unit, pair, &seen.input, seen.externals), Some(seen.difference));
                replayed += 1;
            }
        }
    }
    assert!(replayed > 10, "{replayed}");
}
