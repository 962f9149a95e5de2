//! What a dossier may say, and what it may not, whatever it says besides.

mod conditional;
mod endless;

use super::{Dossier, Kernel};
use crate::effects::{Effects, syntactic};
use crate::exec::source::{Given, Input, Simulation, Site};
use crate::pair::PairEvidence;
use crate::pair::paths::{PathsEvidence, Relations};
use crate::pair::plan::InliningPlan;
use crate::relate::Level;
use lang_l::hir::{Expr, ExprKind, LocalId, Origin, ProcId, Type, Unit};
use lang_l::source::Span;
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

const DIFFER: &str = "
    version 0
    procedure run(x: ref, n: int) returns (r: int) { r := 0; if (n > 0) { r := run(x, n - 1); } }
    version 1
    procedure run(x: ref, n: int) returns (r: int) { r := 1; if (n > 0) { r := run(x, n - 1); } }";

struct Story {
    source: Unit,
    lowered: Unit,
    simulations: [Vec<Option<Simulation>>; 2],
    effects: [Vec<Effects>; 2],
}

/// What is true of [`DIFFER`].
fn truth() -> Story {
    story(DIFFER)
}

/// What is true of a program with one procedure of two parameters.
fn story(text: &str) -> Story {
    let source = lang_l::load([("pair.l", text)]).expect("a legal program").unit;
    let plain = Simulation {
        site: Site::Procedure(ProcId(0)),
        inputs: vec![(LocalId(0), Input::Param(0)), (LocalId(1), Input::Param(1))],
        outputs: vec![(Given::Result(0), 0)],
        known: Vec::new(),
        itself: None,
    };
    let effects = [0, 1].map(|version| syntactic(&source, version));
    Story { lowered: source.clone(), source, simulations: [vec![Some(plain.clone())], vec![Some(plain)]], effects }
}

impl Story {
    /// Why nothing is proved of a pair of which it is said that no paths meet.
    fn refused(&self) -> String {
        let paths = PathsEvidence { plan: InliningPlan::of(Default::default(), [0, 0]), relations: Relations::new() };
        let pair = (ProcId(0), ProcId(0));
        let claims = BTreeMap::from([(pair, (Level::Full, PairEvidence::Paths(paths)))]);
        let dossier = Dossier {
            source: &self.source,
            lowered: &self.lowered,
            simulations: [&self.simulations[0], &self.simulations[1]],
            effects: [&self.effects[0], &self.effects[1]],
            rankings: [&[], &[]],
            claims: &claims,
        };
        let kernel = Kernel::check(dossier, &mut Solver::new(QueryBudget::default()));
        let alone = (0..2).find_map(|version| kernel.alone(version).err());
        let refused = kernel.prove(pair).expect_err("the two differ");
        alone.unwrap_or(refused).0
    }
}

#[test]
fn what_is_true_is_looked_at() {
    assert!(truth().refused().contains("nothing is said of the pair") || truth().refused().contains("contradict"));
}

/// A procedure that anyone may call was said never to be: so no paths were left, and all of it was proved.
#[test]
fn nothing_but_its_requires_holds_on_entry_of_a_procedure() {
    for version in 0..2 {
        let mut story = truth();
        let never = Expr { kind: ExprKind::Bool(false), ty: Type::Bool, span: Span::default() };
        story.effects[version][0].entry.push(never);
        assert!(story.refused().contains("more is said of run"), "{}", story.refused());
        // Nor where it is said to be a loop.
        story.lowered.versions[version].procedures[0].origin =
            Origin::Loop { of: ProcId(0), number: 1, returns: false };
        assert!(story.refused().contains("more is said of run"), "{}", story.refused());
    }
}

/// What names something that there is not is refused, and leads out of no table.
#[test]
fn nothing_is_said_of_what_there_is_not() {
    let lies: [fn(&mut Story); 9] = [
        |story| drop(story.effects[1].pop()),
        |story| drop(story.simulations[0].pop()),
        |story| story.effects[0][0].errs_only_if_null = Some(vec![7]),
        |story| story.effects[0][0].errs_if_null.extend([2]),
        |story| story.effects[1][0].callees.extend([ProcId(9)]),
        |story| drop(story.lowered.versions.pop()),
        |story| drop(story.lowered.versions[0].procedures.pop()),
        |story| story.lowered.versions[0].procedures[0].params = 9,
        |story| story.lowered.versions[1].procedures[0].locals.truncate(1),
    ];
    for (at, lie) in lies.into_iter().enumerate() {
        let mut story = truth();
        lie(&mut story);
        let why = story.refused();
        assert!(!why.contains("nothing is said of the pair") && !why.contains("contradict"), "{at}: {why}");
    }
    for input in [(LocalId(0), Input::Param(usize::MAX)), (LocalId(u32::MAX), Input::Param(0))] {
        let mut story = truth();
        story.simulations.iter_mut().flatten().flatten().for_each(|own| own.inputs[0] = input.clone());
        story.refused();
    }
}
