//! That a run never ends is shown or refused.

use super::{Story, story};
use crate::effects::syntactic;
use crate::exec::source::{Given, Input, Simulation, Site, loop_at};
use crate::proof::Kernel;
use lang_l::hir::{BinOp, Expr, ExprKind, LocalId, Origin, ProcId, Type};
use lang_l::interp::Stuck;
use lang_l::source::Span;
use lang_l::value::{Addr, Value};
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

/// From a negative number neither returns; a run of version 1 is blocked in the end.
const DOWN: &str = "
    version 0
    procedure run(a: int[], n: int) returns (r: int) { if (n != 0) { r := run(a, n - 1); } }
    version 1
    procedure run(a: int[], n: int) returns (r: int) { if (n != 0) { assume n > -10; r := run(a, n - 1); } }";

fn local(id: u32, ty: Type) -> Expr {
    Expr { kind: ExprKind::Local(LocalId(id)), ty, span: Span::default() }
}

/// `n op number`
fn compared(op: BinOp, number: i64) -> Expr {
    let number = Expr { kind: ExprKind::Int(number.into()), ty: Type::Int, span: Span::default() };
    let sides = (Box::new(local(1, Type::Int)), Box::new(number));
    Expr { kind: ExprKind::Binary(op, sides.0, sides.1), ty: Type::Bool, span: Span::default() }
}

/// A run that has come to the procedure with this number.
fn stuck(number: i64) -> Stuck {
    let locals = vec![Some(Value::Ref(None)), Some(Value::Int(number.into())), None];
    Stuck { procedure: ProcId(0), at: None, locals }
}

/// Why it is not shown that a run never ends.
fn refusal(story: &Story, version: usize, stuck: &Stuck, conditions: &[Expr]) -> Option<String> {
    let mut solver = Solver::new(QueryBudget::default());
    let claims = BTreeMap::new();
    let kernel = Kernel::check(story.dossier(&claims), &mut solver);
    kernel.never_ends(version, (ProcId(0), stuck), conditions, &mut solver).err().map(|refused| refused.0)
}

#[test]
fn what_recurs_holds_where_the_run_is_and_leaves_no_way_out() {
    let story = story(DOWN);
    let negative = || compared(BinOp::Le, -1);
    let why = |version, stuck: &Stuck, conditions: &[Expr]| refusal(&story, version, stuck, conditions);
    assert_eq!(why(0, &stuck(-1), &[negative()]), None);
    let wrong = [
        (0, stuck(1), vec![negative()], "the condition does not hold where the run is"),
        (0, stuck(-1), vec![], "there is a way out"),
        (0, stuck(-1), vec![compared(BinOp::Le, 5)], "there is a way out"),
        (0, stuck(-1), vec![negative(), compared(BinOp::Ge, -3)], "a turn does not keep the condition"),
        (1, stuck(-1), vec![negative()], "there is a way out"),
        (0, Stuck { procedure: ProcId(1), ..stuck(-1) }, vec![negative()], "the run is at another place"),
        (0, Stuck { at: Some(Span::default()), ..stuck(-1) }, vec![negative()], "the run is at another place"),
        (
            0,
            Stuck { locals: Vec::new(), ..stuck(-1) },
            vec![negative()],
            "the condition does not hold where the run is",
        ),
    ];
    for (version, stuck, conditions, expected) in wrong {
        assert_eq!(why(version, &stuck, &conditions).as_deref(), Some(expected));
    }
}

#[test]
fn what_recurs_speaks_of_what_a_turn_is_given_alone() {
    let story = story(DOWN);
    let length = Expr {
        kind: ExprKind::Length(Box::new(local(0, Type::Array(Box::new(Type::Int))))),
        ty: Type::Int,
        span: Span::default(),
    };
    let of_heap = Expr {
        kind: ExprKind::Binary(BinOp::Le, Box::new(length), Box::new(local(1, Type::Int))),
        ..compared(BinOp::Le, 0)
    };
    let of_result = Expr {
        kind: ExprKind::Binary(BinOp::Le, Box::new(local(2, Type::Int)), Box::new(local(1, Type::Int))),
        ..compared(BinOp::Le, 0)
    };
    for condition in [of_heap, of_result, local(1, Type::Int), local(1, Type::Bool), local(9, Type::Bool)] {
        let why = refusal(&story, 0, &stuck(-1), &[condition]);
        assert_eq!(why.as_deref(), Some("the condition speaks of more than numbers, truth values and null"));
    }
    let mut other = stuck(-1);
    other.locals[1] = Some(Value::Bool(true));
    assert_eq!(refusal(&story, 0, &other, &[]).as_deref(), Some("a variable holds what it cannot hold"));
}

/// From a negative number a run is blocked where it waits, though neither procedure is known to end.
const BLOCKED: &str = "
    version 0
    procedure run(a: int[], n: int) returns (r: int) { if (n != 0) { wait(n); r := run(a, n - 1); } }
    procedure wait(n: int) { if (n != 0) { assume n > -10; wait(n - 1); } }
    version 1
    procedure run(a: int[], n: int) returns (r: int) { r := n; }
    procedure wait(n: int) { }";

#[test]
fn what_is_blocked_in_a_call_does_not_go_on_for_ever() {
    let mut story = story(BLOCKED);
    let wait = Simulation {
        site: Site::Procedure(ProcId(1)),
        inputs: vec![(LocalId(0), Input::Param(0))],
        outputs: Vec::new(),
        known: Vec::new(),
        itself: None,
    };
    story.simulations.iter_mut().for_each(|simulations| simulations.push(Some(wait.clone())));
    // It never errs, so there is no other way out.
    story.effects.iter_mut().for_each(|effects| effects[1].errs_only_if_null = Some(Vec::new()));
    let why = refusal(&story, 0, &stuck(-1), &[compared(BinOp::Le, -1)]);
    assert_eq!(why.as_deref(), Some("there is a way out"));
}

/// It goes on for ever where both are one object, and comes to an end where they are two.
const TWO: &str = "
    version 0
    procedure run(a: int[], b: int[], n: int) returns (r: int) { if (n != 0) { k := n - 1; if (a == b) { k := n; } r := run(a, b, k); } }
    version 1
    procedure run(a: int[], b: int[], n: int) returns (r: int) { r := n; }";

/// Of all objects that a run held it was said that they are one.
#[test]
fn two_objects_that_a_run_holds_are_not_one() {
    let mut story = story(TWO);
    for own in story.simulations.iter_mut().flatten().flatten() {
        own.inputs.push((LocalId(2), Input::Param(2)));
    }
    let array = || Box::new(local(0, Type::Array(Box::new(Type::Int))));
    let other = Box::new(Expr { kind: ExprKind::Local(LocalId(1)), ..*array() });
    let same = Expr { kind: ExprKind::Binary(BinOp::Eq, array(), other), ..compared(BinOp::Eq, 0) };
    let far = Expr {
        kind: ExprKind::Binary(
            BinOp::Ge,
            Box::new(local(2, Type::Int)),
            Box::new(Expr { kind: ExprKind::Int(1.into()), ..local(2, Type::Int) }),
        ),
        ..compared(BinOp::Ge, 1)
    };
    let locals =
        vec![Some(Value::Ref(Some(Addr(7)))), Some(Value::Ref(Some(Addr(8)))), Some(Value::Int(9.into())), None];
    let stuck = Stuck { procedure: ProcId(0), at: None, locals };
    let why = refusal(&story, 0, &stuck, &[same, far]);
    assert_eq!(why.as_deref(), Some("the condition does not hold where the run is"));
}

/// A loop to which the lowered program comes with 5 alone, and which goes on for ever with any number.
const TURNS: &str = "
    procedure run(n: int) returns (i: int) { var m: int; m := 5; while (i != 1) { i := i - 1; if (m == 7) { m := 5; } } }";

/// The same without the loop.
const TURNS_LOWERED: &str = "
    procedure run(n: int) returns (i: int) { var m: int; m := 5; i := turn(i, m); }
    procedure turn(i: int, m: int) returns (j: int) { if (i != 1) { i := i - 1; if (m == 7) { m := 5; } i := turn(i, m); } return i; }";

/// A run of the source comes also from where the lowered program calls nothing, as where the call of a procedure was put in place.
#[test]
fn what_holds_whenever_a_loop_is_come_to_holds_where_the_run_is() {
    let load = |text: &str| {
        let both = format!("version 0 {text} version 1 {text}");
        lang_l::load([("pair.l", both)]).expect("a legal program").unit
    };
    let (source, mut lowered) = (load(TURNS), load(TURNS_LOWERED));
    for version in &mut lowered.versions {
        version.procedures[1].origin = Origin::Loop { of: ProcId(0), number: 1, returns: false };
    }
    let part =
        |site, inputs, given| Simulation { site, inputs, outputs: vec![(given, 0)], known: Vec::new(), itself: None };
    let (n, i, m) = (LocalId(0), LocalId(1), LocalId(2));
    let whole = part(Site::Procedure(ProcId(0)), vec![(n, Input::Param(0))], Given::Result(0));
    let site = Site::Loop { of: ProcId(0), number: 1, to_end: false };
    let turn = part(site, vec![(i, Input::Param(0)), (m, Input::Param(1))], Given::Local(i));
    let simulations = [0, 1].map(|_| vec![Some(whole.clone()), Some(turn.clone())]);
    let mut effects = [0, 1].map(|version| syntactic(&lowered, version));
    effects.iter_mut().for_each(|effects| effects[1].entry.push(compared(BinOp::Ge, 5)));
    let place = source.versions[0].procedures[0].body.as_ref().and_then(|body| loop_at(body, 1));
    let story = Story { source, lowered, simulations, effects };
    let why = |m: i64| {
        let held = [0, -3, m].map(|number| Some(Value::Int(number.into()))).to_vec();
        let stuck = Stuck { procedure: ProcId(0), at: place, locals: held };
        let mut solver = Solver::new(QueryBudget::default());
        let (claims, condition) = (BTreeMap::new(), Expr { kind: not_positive(), ..compared(BinOp::Le, 0) });
        let kernel = Kernel::check(story.dossier(&claims), &mut solver);
        kernel.never_ends(0, (ProcId(1), &stuck), &[condition], &mut solver).err().map(|refused| refused.0)
    };
    assert_eq!(why(5), None);
    assert_eq!(why(6), None);
    assert_eq!(why(4).as_deref(), Some("the run is where the lowered program never comes"));
}

/// That the first parameter is no positive number.
fn not_positive() -> ExprKind {
    let zero = Expr { kind: ExprKind::Int(0.into()), ty: Type::Int, span: Span::default() };
    ExprKind::Binary(BinOp::Le, Box::new(local(0, Type::Int)), Box::new(zero))
}
