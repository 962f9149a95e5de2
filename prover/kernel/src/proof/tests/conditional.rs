//! Claims under conditions are shown of the calls that rest on them, or refused.

use super::{Story, story};
use crate::pair::PairEvidence;
use crate::pair::paths::PathsEvidence;
use crate::pair::plan::InliningPlan;
use crate::proof::Kernel;
use crate::relate::{Cases, ConditionalClaim, End, Leaf, Level, Match, RelationEvidence};
use lang_l::hir::{Expr, ProcId};
use smt::solve::{QueryBudget, Solver};
use smt::term::CallId;
use std::collections::BTreeMap;

/// The two differ where `n` is 0, and call themselves with what `n` is less `step`.
fn differing(step: i64, when: &str) -> (Story, Expr) {
    let run = |base: i64| {
        format!(
            "procedure run(a: int[], n: int) returns (r: int) \
             {{ if (n == 0) {{ r := {base}; }} else {{ r := run(a, n - {step}); }} }}"
        )
    };
    let text = format!("equiv run ~ run when {when}; version 0 {} version 1 {}", run(1), run(2));
    let story = story(&text);
    let condition = story.source.equivs[0].when.clone().expect("there is a condition");
    (story, condition)
}

/// What is said of the two under a condition: their calls are matched by the claim with this number.
fn claimed(condition: Option<Expr>, under: usize) -> (ConditionalClaim, Option<PairEvidence>) {
    let matched = |end| {
        let step = Match { left: CallId(0), right: CallId(1), under: Some(under), allocs: BTreeMap::new() };
        let cases = Cases::Settled(Leaf { calls: vec![step], end });
        RelationEvidence { repeats: Default::default(), cases }
    };
    // Of each version: the call never ends; it errs; it returns. That there is none is excluded by the condition in plain sight.
    let relations = BTreeMap::from([
        ((1, 2), matched(End::Contradiction)),
        ((2, 1), matched(End::Contradiction)),
        ((2, 2), matched(End::Isomorphic(BTreeMap::new()))),
    ]);
    let plan = InliningPlan::of(Default::default(), [0, 0]);
    let paths = PathsEvidence { plan, relations };
    let claim = ConditionalClaim { pair: (ProcId(0), ProcId(0)), condition, level: Some(Level::Partial) };
    (claim, Some(PairEvidence::Paths(paths)))
}

/// Why it is not believed; `None` where it is.
fn refusal(story: &Story, condition: Option<Expr>) -> Option<String> {
    refusals(story, &[claimed(condition, 0)]).remove(0)
}

/// The same of several claims, which are looked at together.
fn refusals(story: &Story, said: &[(ConditionalClaim, Option<PairEvidence>)]) -> Vec<Option<String>> {
    let mut solver = Solver::new(QueryBudget::default());
    let claims = BTreeMap::new();
    let mut kernel = Kernel::check(story.dossier(&claims), &mut solver);
    let first = kernel.learn(said, &mut solver);
    let why = |number: usize| kernel.stands_under(first + number).err().map(|refused| refused.0);
    (0..said.len()).map(why).collect()
}

#[test]
fn a_call_rests_on_a_claim_where_it_satisfies_the_condition() {
    let (story, condition) = differing(1, "n < 0");
    assert_eq!(refusal(&story, Some(condition)), None);
    let (story, condition) = differing(-1, "n < 0");
    let refused = refusal(&story, Some(condition)).expect("the two differ from -1");
    assert!(refused.contains("does not satisfy the condition"), "{refused}");
}

#[test]
fn without_its_condition_it_is_refused() {
    let (story, _) = differing(1, "n < 0");
    assert!(refusal(&story, None).is_some());
}

/// At a call there are more objects than at the beginning.
#[test]
fn a_condition_on_all_objects_is_asked_of_no_call() {
    let (story, condition) = differing(1, "n < 0 && (forall b: int[] :: b == null || n < 0)");
    let refused = refusal(&story, Some(condition)).expect("it cannot be asked");
    assert!(refused.contains("not claimed to be equivalent"), "{refused}");
}

/// The first claim rests on the second, and was shown before that had fallen.
#[test]
fn what_rests_on_a_claim_under_a_condition_that_fell_falls() {
    let (story, condition) = differing(1, "n < 0");
    let rests = claimed(Some(condition.clone()), 1);
    let shown = claimed(Some(condition), 1);
    assert_eq!(refusals(&story, &[rests.clone(), shown.clone()]), [None, None]);
    let why = refusals(&story, &[rests, (shown.0, None)]);
    let [Some(first), Some(second)] = &why[..] else { unreachable!("{why:?}") };
    assert!(first.contains("not claimed to be equivalent"), "{first}");
    assert!(second.contains("nothing is said of the pair"), "{second}");
}

/// What is proved under a condition is no proof from all stores, nor under another condition, nor of another pair.
#[test]
fn a_proof_speaks_of_its_own_condition() {
    let (story, condition) = differing(1, "n < 0");
    let (_, other) = differing(1, "n < 5");
    let claims = BTreeMap::new();
    let mut solver = Solver::new(QueryBudget::default());
    let mut kernel = Kernel::check(story.dossier(&claims), &mut solver);
    let number = kernel.learn(&[claimed(Some(condition.clone()), 0)], &mut solver);
    let proved = kernel.prove_under(number).expect("it never becomes 0");
    let pair = (ProcId(0), ProcId(0));
    assert_eq!(proved.level_of(pair, Some(&condition)), Some(Level::Partial));
    assert_eq!(proved.level_of(pair, Some(&other)), None);
    assert_eq!(proved.level_of(pair, None), None);
    assert_eq!(proved.level_of((ProcId(0), ProcId(1)), Some(&condition)), None);
}
