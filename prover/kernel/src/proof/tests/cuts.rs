//! What is proved of a program after cuts is proved of what is written, and of nothing else.

use super::{Story, as_written, story};
use crate::effects::syntactic;
use crate::exec::source::{Given, Input, Simulation, Site};
use crate::outline::cuts::{Cut, cut};
use crate::pair::{Pair, PairEvidence};
use crate::proof::{Dossier, Kernel};
use crate::relate::Level;
use lang_l::hir::{LocalId, ProcId};
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

const ALIKE: &str = "
    version 0 procedure run(x: ref, n: int) returns (r: int) { t := n + 1; r := t * t; }
    version 1 procedure run(x: ref, n: int) returns (r: int) { t := n + 1; r := t * t; }";

fn first_statement(name: &str) -> Cut {
    Cut { of: "run".into(), way: Vec::new(), from: 0, to: 0, test: false, name: name.into() }
}

/// All that is true of the program after the cut, but that the source is as it was written.
fn after(cuts: &[Cut]) -> Story {
    let written = story(ALIKE);
    let lowered = cut(&written.source, cuts).expect("it can be cut");
    let effects = [0, 1].map(|version| syntactic(&lowered, version));
    let part = Simulation {
        site: Site::Procedure(ProcId(1)),
        inputs: vec![(LocalId(0), Input::Param(0))],
        outputs: vec![(Given::Result(0), 0)],
        known: Vec::new(),
        itself: None,
    };
    let simulations = [0, 1].map(|_| vec![Some(as_written(ProcId(0))), Some(part.clone())]);
    Story { lowered, simulations, effects, ..written }
}

/// What the kernel says of the procedure and of the part, by these cuts.
fn said(story: &Story, cuts: &[Cut]) -> [Result<Level, String>; 2] {
    let pairs = [(ProcId(0), ProcId(0)), (ProcId(1), ProcId(1))];
    let claims: BTreeMap<Pair, _> = pairs.map(|pair| (pair, (Level::Full, PairEvidence::SameCode))).into();
    let dossier = Dossier { cuts, ..story.dossier(&claims) };
    let kernel = Kernel::check(dossier, &mut Solver::new(QueryBudget::default()));
    let alone = (0..2).find_map(|version| kernel.alone(version).err());
    pairs.map(|pair| match &alone {
        Some(rejection) => Err(rejection.0.clone()),
        None => kernel.prove(pair).map(|proved| proved.level()).map_err(|rejection| rejection.0),
    })
}

#[test]
fn a_procedure_that_is_cut_is_proved_and_the_part_is_none_of_the_source() {
    let cuts = [first_statement("run#0")];
    let [whole, part] = said(&after(&cuts), &cuts);
    assert_eq!(whole, Ok(Level::Full));
    assert_eq!(part, Err("it is no procedure of the source".into()));
}

#[test]
fn other_cuts_than_those_that_were_made_are_refused() {
    let story = after(&[first_statement("run#0")]);
    let elsewhere = Cut { from: 1, to: 1, ..first_statement("run#0") };
    let [beyond, taken] = [Cut { to: 9, ..first_statement("run#0") }, first_statement("run")];
    for cuts in [vec![], vec![elsewhere], vec![beyond], vec![taken]] {
        assert!(said(&story, &cuts).iter().all(Result::is_err), "{cuts:?}");
    }
}
