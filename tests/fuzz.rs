//! The fuzzer finds no fault, and its own parts do what they say.

use ape_fuzz::case::{Case, Mutation};
use ape_fuzz::change::Change;
use ape_fuzz::far;
use ape_fuzz::features::Feature;
use ape_fuzz::judge::marks::marked;
use ape_fuzz::judge::{Extra, Fault, judge};
use ape_fuzz::keep::Keep;
use ape_fuzz::oracle::{self, Difference, observe};
use ape_fuzz::{FuzzConfig, fuzz};
use lang_l::hir::{ProcId, Unit};
use lang_l::interp::Clause;
use lang_l::random::Random;
use rayon::ThreadPoolBuilder;
use std::collections::{BTreeMap, BTreeSet};

/// How many pairs are verified; all are made from one seed. `.ci/run` verifies more.
const PAIRS: u64 = 60;
/// The same, of pairs with far differences.
const FAR_PAIRS: u64 = 16;
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

/// A difference is shown at the statement that is wrong.
#[test]
fn no_mark_is_at_another_test() {
    let tally = marked(5, 100);
    assert!(tally.wrong.is_empty(), "{tally}");
    assert_eq!(tally.refuted, 100);
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

/// Every construct of the grammar is in as many pairs as it is said to be.
#[test]
fn every_feature_has_its_share() {
    let cases: Vec<Case> = (0..3_000).filter_map(|number| Case::new(12, number)).collect();
    let shares = Feature::ALL.iter().map(|feature| {
        let have = cases.iter().filter(|case| feature.occurs(case)).count();
        (feature, 100.0 * have as f64 / cases.len() as f64)
    });
    let few = |(feature, percent): &(&Feature, f64)| *percent < feature.share() as f64;
    let few: Vec<String> = shares
        .filter(few)
        .map(|(feature, percent)| format!("{}: {percent:.1} %, not {}", feature.text(), feature.share()))
        .collect();
    assert!(few.is_empty(), "{}", few.join("\n"));
}

/// Contracts fail now and then, each sort of clause, and a call breaks a `requires` more often than that.
#[test]
fn contracts_are_broken_by_some_runs() {
    let budget = oracle::RunBudget { small: 60, large: 12 };
    let mut broken: BTreeMap<Clause, usize> = BTreeMap::new();
    let mut blocked = 0;
    for case in (0..600).filter_map(|number| Case::new(13, number)) {
        let unit = case.unit().expect("generated programs are legal");
        let seen: Vec<_> =
            pairs(&unit).into_iter().map(|pair| observe(&unit, pair, budget, &mut Random::new(1))).collect();
        let clauses: BTreeSet<Clause> =
            seen.iter().flat_map(|seen| &seen.violations).map(|(_, violation)| violation.clause).collect();
        clauses.into_iter().for_each(|clause| *broken.entry(clause).or_default() += 1);
        let stops = |seen: &oracle::Disagreement| seen.difference == Difference::Blocked;
        blocked += usize::from(seen.iter().any(|seen| seen.termination.as_ref().is_some_and(stops)));
    }
    for (clause, least) in
        [(Clause::Requires, 20), (Clause::Ensures, 30), (Clause::Modifies, 20), (Clause::Invariant, 2)]
    {
        assert!(broken.get(&clause).is_some_and(|count| *count >= least), "{clause:?}: {broken:?}");
    }
    assert!(blocked >= 1, "{blocked}");
}

/// What was planted is there, and each shape is made: the case itself says that runs show it.
#[test]
fn far_differences_are_planted() {
    let mut made = BTreeSet::new();
    for case in (0..400).filter_map(|number| far::case(14, number)) {
        assert!(case.unit().is_some(), "not legal L:\n{}", case.text());
        let [Mutation::Plant(shape)] = case.mutations[..] else { panic!("{:?}", case.mutations) };
        made.insert(shape);
        assert!(case.planted.is_some_and(|planted| planted.difference.is_some() || planted.runs));
    }
    let all: BTreeSet<&str> = far::shapes().into_iter().collect();
    assert_eq!(all.difference(&made).collect::<Vec<_>>(), Vec::<&&str>::new());
}

/// Small stores do not show what is planted: else it would not be far.
#[test]
fn far_differences_are_far() {
    let budget = oracle::RunBudget { small: 60, large: 12 };
    let (mut shown, mut all) = (0, 0);
    for case in (0..120).filter_map(|number| far::case(15, number)) {
        let unit = case.unit().expect("generated programs are legal");
        let top = ["Top"].map(|name| (unit.versions[0].find(name), unit.versions[1].find(name)));
        let [(Some(left), Some(right))] = top else { panic!("no procedure to start from:\n{}", case.text()) };
        let seen = observe(&unit, (left, right), budget, &mut Random::new(1));
        (shown, all) = (shown + usize::from(seen.outcome.is_some()), all + 1);
    }
    assert!(all > 100 && shown * 10 < all, "{shown} of {all}");
}

/// Nothing that is said of far differences is wrong.
#[test]
fn no_verdict_on_far_differences_is_wrong() {
    let config = FuzzConfig { seed: 8, pairs: FAR_PAIRS, ..FuzzConfig::default() }.far();
    let pool = ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads can be made");
    let summary = fuzz(&config, &pool, &mut |_| {});
    let findings: Vec<String> = summary.findings.iter().map(|finding| finding.text()).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n"));
    assert!(summary.judged() > FAR_PAIRS * 9 / 10, "{summary}");
}

/// A planted pair that is said to be equivalent is found out by its store.
#[test]
fn a_planted_store_shows_its_difference() {
    let mut differing = 0;
    for case in (0..60).filter_map(|number| far::case(16, number)) {
        let unit = case.unit().expect("generated programs are legal");
        let judgement = judge(&case, Extra::default(), &FuzzConfig::default().far().judge).expect("legal");
        let planted = case.planted.as_ref().expect("far cases are planted");
        let found = planted.runs && planted.difference.is_some();
        assert!(!found || judgement.differs, "{}", case.text());
        differing += usize::from(found && unit.versions.len() == 2);
    }
    assert!(differing > 20, "{differing}");
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
