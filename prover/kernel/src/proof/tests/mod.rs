//! What a dossier may say, and what it may not, whatever it says besides.

mod alone;
mod conditional;
mod cuts;
mod endless;
mod induction;
mod types;

use super::{Dossier, Kernel};
use crate::effects::{Effects, syntactic};
use crate::exec::source::{Given, Input, Simulation, Site};
use crate::pair::paths::{PathsEvidence, Relations};
use crate::pair::plan::InliningPlan;
use crate::pair::{Pair, PairEvidence};
use crate::relate::Level;
use lang_l::hir::{Expr, ExprKind, LocalId, Origin, ProcId, Type, Unit};
use lang_l::source::Span;
use smt::solve::{QueryBudget, Solver};
use std::collections::{BTreeMap, BTreeSet};

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
    let effects = [0, 1].map(|version| syntactic(&source, version));
    let simulations = [0, 1].map(|_| vec![Some(as_written(ProcId(0)))]);
    Story { lowered: source.clone(), source, simulations, effects }
}

/// That a procedure of two parameters and one result is lowered as it is written.
fn as_written(id: ProcId) -> Simulation {
    Simulation {
        site: Site::Procedure(id),
        inputs: vec![(LocalId(0), Input::Param(0)), (LocalId(1), Input::Param(1))],
        outputs: vec![(Given::Result(0), 0)],
        known: Vec::new(),
        itself: None,
    }
}

impl Story {
    /// All of it, with what is claimed.
    fn dossier<'s>(&'s self, claims: &'s BTreeMap<Pair, (Level, PairEvidence)>) -> Dossier<'s> {
        Dossier {
            cuts: &[],
            source: &self.source,
            lowered: &self.lowered,
            simulations: [&self.simulations[0], &self.simulations[1]],
            effects: [&self.effects[0], &self.effects[1]],
            rankings: [&[], &[]],
            unclaimed: [const { &BTreeSet::new() }; 2],
            claims,
        }
    }

    /// Why nothing is proved of a pair of which it is said that no paths meet.
    fn refused(&self) -> String {
        let paths = PathsEvidence { plan: InliningPlan::of(Default::default(), [0, 0]), relations: Relations::new() };
        let pair = (ProcId(0), ProcId(0));
        let claims = BTreeMap::from([(pair, (Level::Full, PairEvidence::Paths(paths)))]);
        let kernel = Kernel::check(self.dossier(&claims), &mut Solver::new(QueryBudget::default()));
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

/// A call that stands within an expression was executed by no path; so none was left, and all of it was proved.
#[test]
fn no_call_stands_within_an_expression() {
    let within = |base: i64| {
        format!(
            "procedure run(x: ref, n: int) returns (r: int) {{ if (n > 0) {{ r := run(x, n - 1) + {base}; }} else {{ r := run(x, n) * {base}; }} }}"
        )
    };
    let story = story(&format!("version 0 {} version 1 {}", within(1), within(2)));
    assert!(story.refused().contains("makes no sense"), "{}", story.refused());
}

/// What a call gives was written nowhere where that was no variable.
#[test]
fn what_a_call_gives_goes_to_a_variable() {
    let into = |number: i64| {
        format!(
            "procedure run(x: Cell, n: int) returns (r: int) {{ if (n > 0) {{ x.v := run(x, {number}); }} r := x.v; }}"
        )
    };
    let story = story(&format!("class Cell {{ v: int; }} version 0 {} version 1 {}", into(1), into(2)));
    assert!(story.refused().contains("makes no sense"), "{}", story.refused());
}

/// What holds when a loop has returned is shown in the store that it was given, and assumed of the one that it left.
#[test]
fn what_holds_of_a_loop_looks_at_no_store() {
    let text = "
        class Cell { v: int; }
        global g: int;
        version 0
        procedure run(x: Cell, n: int) returns (r: int) { if (n > 0) { x.v := n; r := run(x, n - 1); } }
        version 1
        procedure run(x: Cell, n: int) returns (r: int) { if (n > 0) { x.v := n; r := run(x, n - 1); } else { r := 1; } }";
    let clause = |condition: &str| {
        let text = text.replacen("returns (r: int) {", &format!("returns (r: int) requires {condition}; {{"), 1);
        lang_l::load([("pair.l", text)]).expect("a legal program").unit.versions[0].procedures[0].requires[0].clone()
    };
    for condition in ["x == null || x.v >= 0", "g == 0", "old(n) >= 0", "forall k: int :: k == k", "fresh(x)"] {
        let mut story = story(text);
        story.effects[0][0].exit.push(clause(condition));
        assert!(story.refused().contains("makes no sense"), "{condition}: {}", story.refused());
    }
    let mut story = story(text);
    story.effects[0][0].exit.push(clause("n >= 0 || x != null || n % 2 <= 0"));
    assert!(!story.refused().contains("makes no sense"), "{}", story.refused());
}

const TURNS: &str = "
    version 0
    procedure run(n: int) returns (i: int) { while (i < n) invariant i >= 0; invariant 2 * i <= 2 * n || i <= 0; { i := i + 1; } }
    version 1
    procedure run(n: int) returns (i: int) { while (i < n) invariant i >= 0; invariant 2 * i <= 2 * n || i <= 0; { i := i + 1; } }";

/// The same without the loop, which requires something.
fn lowered_turns(requires: &str) -> Unit {
    let version = |number: usize| {
        format!(
            "version {number} procedure run(n: int) returns (i: int) {{ i := turn(i, n); }}
             procedure turn(i: int, n: int) returns (j: int) {requires} {{ if (i < n) {{ i := i + 1; i := turn(i, n); }} return i; }}"
        )
    };
    let mut unit = lang_l::load([("pair.l", version(0) + &version(1))]).expect("a legal program").unit;
    for version in &mut unit.versions {
        version.procedures[1].origin = Origin::Loop { of: ProcId(0), number: 1, returns: false };
    }
    unit
}

/// Invariants that the lowered program had lost, or changed, were said to hold.
#[test]
fn a_loop_requires_what_its_invariants_say() {
    let (n, i) = (LocalId(0), LocalId(1));
    let part =
        |site, inputs, given| Simulation { site, inputs, outputs: vec![(given, 0)], known: Vec::new(), itself: None };
    let whole = part(Site::Procedure(ProcId(0)), vec![(n, Input::Param(0))], Given::Result(0));
    let turn = part(
        Site::Loop { of: ProcId(0), number: 1, to_end: false },
        vec![(i, Input::Param(0)), (n, Input::Param(1))],
        Given::Local(i),
    );
    let simulations = [0, 1].map(|_| vec![Some(whole.clone()), Some(turn.clone())]);
    let source = lang_l::load([("pair.l", TURNS)]).expect("a legal program").unit;
    let why = |requires: &str| {
        let lowered = lowered_turns(requires);
        let effects = [0, 1].map(|version| syntactic(&lowered, version));
        let story = Story { source: source.clone(), lowered, simulations: simulations.clone(), effects };
        let claims = BTreeMap::new();
        let dossier = story.dossier(&claims);
        let kernel = Kernel::check(dossier, &mut Solver::new(QueryBudget::default()));
        kernel.alone(0).expect("it makes sense");
        kernel.does_what_is_written(0, ProcId(0)).err().map(|refused| refused.0)
    };
    assert_eq!(why("requires i >= 0; requires i <= n || i <= 0;"), None);
    for wrong in [
        "",
        "requires i >= 0;",
        "requires i <= n || i <= 0; requires i >= 0;",
        "requires i >= 0; requires true;",
        "requires i >= 0; requires i <= n + 1 || i <= 0;",
        "requires n >= 0; requires i <= n || i <= 0;",
        "requires i >= 0; requires i <= n || i <= 0; requires n > 0;",
    ] {
        let why = why(wrong).expect("it is not what is written");
        assert!(why.contains("turn") || why.contains("not called as the part"), "{wrong}: {why}");
    }
}
