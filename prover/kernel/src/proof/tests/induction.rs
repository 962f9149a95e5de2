//! Claims stand or fall together: what was shown under a claim that has fallen since is none.

use super::{Story, as_written, story};
use crate::pair::paths::{PathsEvidence, Relations};
use crate::pair::plan::InliningPlan;
use crate::pair::{Pair, PairEvidence};
use crate::proof::Kernel;
use crate::relate::Level;
use lang_l::hir::ProcId;
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

const RUN: Pair = (ProcId(0), ProcId(0));
const OTHER: Pair = (ProcId(1), ProcId(1));

/// A procedure that calls another one, which gives back `n + 1` in version 0, and something in version 1.
fn calling(gives: &str) -> Story {
    calls(["r := n + 1;".into(), format!("r := {gives};")])
}

/// A procedure that calls another one, which does this in version 0 and in version 1.
fn calls(does: [String; 2]) -> Story {
    let version = |does: &str| {
        format!(
            "procedure run(x: ref, n: int) returns (r: int) {{ r := other(x, n); }} \
             procedure other(x: ref, n: int) returns (r: int) {{ {does} }}"
        )
    };
    let mut story = story(&format!("version 0 {} version 1 {}", version(&does[0]), version(&does[1])));
    story.simulations.iter_mut().for_each(|simulations| simulations.push(Some(as_written(ProcId(1)))));
    story
}

/// Why the callers and the callees are not proved, the ones by the others.
fn refusals(story: &Story, callees: PairEvidence) -> [Option<String>; 2] {
    let claims = BTreeMap::from([(RUN, (Level::Full, PairEvidence::SameCode)), (OTHER, (Level::Full, callees))]);
    let kernel = Kernel::check(story.dossier(&claims), &mut Solver::new(QueryBudget::default()));
    [RUN, OTHER].map(|pair| kernel.prove(pair).err().map(|refused| refused.0))
}

/// The callers are looked at first, when nothing has fallen yet.
#[test]
fn what_rests_on_a_claim_that_fell_falls() {
    assert_eq!(refusals(&calling("n + 1"), PairEvidence::SameCode), [None, None]);
    let [callers, callees] = refusals(&calling("n + 2"), PairEvidence::SameCode);
    assert_eq!(callers.as_deref(), Some("the two are not the same code over equivalent callees"));
    assert_eq!(callees.as_deref(), Some("the two are not the same code over equivalent callees"));
    // It falls as well where the callees do the same, and it is their evidence that is wrong.
    let nothing = PathsEvidence { plan: InliningPlan::of(Default::default(), [0, 0]), relations: Relations::new() };
    let [callers, callees] = refusals(&calling("1 + n"), PairEvidence::Paths(nothing));
    assert_eq!(callers.as_deref(), Some("the two are not the same code over equivalent callees"));
    assert_eq!(callees.as_deref(), Some("two paths do not contradict each other in plain sight"));
}

/// Where all that the two run is the same code nothing has to be claimed, also where nothing can be; and where it is not all of it
/// nothing is shown.
#[test]
fn one_run_rests_on_no_claim() {
    let looks = |more: i64| format!("assume forall y: ref :: y == null || y == x; r := n + {more};");
    assert_eq!(refusals(&calls([looks(1), looks(1)]), PairEvidence::SameCode), [None, None]);
    let [callers, _] = refusals(&calls([looks(1), looks(2)]), PairEvidence::SameCode);
    assert_eq!(callers.as_deref(), Some("the two are not the same code over equivalent callees"));
}

/// What counts is what was written: two programs may see other objects though they are the same once lowered.
#[test]
fn one_run_is_one_of_the_source() {
    let looks = |of: &str| format!("y := {of}; assume forall y: ref :: y == null || y == x; r := n;");
    let mut story = calls([looks("x"), looks("null")]);
    story.lowered.versions[1] = story.lowered.versions[0].clone();
    let [callers, callees] = refusals(&story, PairEvidence::SameCode);
    assert_eq!(callers.as_deref(), Some("the two are not the same code over equivalent callees"));
    assert!(callees.is_some());
}
