//! What the lowered program declares with a type is of that type: a quantifier speaks of all that is declared with that of its variable.

use super::story;
use crate::pair::PairEvidence;
use crate::pair::paths::{PathsEvidence, Relations};
use crate::pair::plan::InliningPlan;
use crate::proof::Kernel;
use crate::relate::{Cases, End, Leaf, Level, RelationEvidence};
use lang_l::hir::{ClassId, Expr, ProcId, Procedure, Rhs, StmtKind, Type};
use smt::solve::{QueryBudget, Solver};
use std::collections::BTreeMap;

/// That there is no object of the other class says nothing of `c`: where that is not null, the two differ.
const NONE: &str = "
    class Cell { v: int; } class Other { w: int; }
    version 0
    procedure run(c: Cell, n: int) returns (r: int) requires forall d: Other :: d == null; {
        x := n > 0 ? c : c; y := x; if (c != null) { r := 1; }
    }
    version 1
    procedure run(c: Cell, n: int) returns (r: int) requires forall d: Other :: d == null; { }";

const OTHER: Type = Type::Class(ClassId(1));

/// Why it is not proved that the two do the same, where something is done to version 0 without loops.
fn refusal(lie: fn(&mut Procedure)) -> String {
    let mut story = story(NONE);
    lie(&mut story.lowered.versions[0].procedures[0]);
    let leaf = |end| {
        let cases = Cases::Settled(Leaf { calls: Vec::new(), end });
        RelationEvidence { repeats: Default::default(), cases }
    };
    let relations = Relations::from([((0, 0), leaf(End::Exclusive)), ((1, 0), leaf(End::Isomorphic(BTreeMap::new())))]);
    let paths = PathsEvidence { plan: InliningPlan::of(Default::default(), [0, 0]), relations };
    let pair = (ProcId(0), ProcId(0));
    let claims = BTreeMap::from([(pair, (Level::Full, PairEvidence::Paths(paths)))]);
    let kernel = Kernel::check(story.dossier(&claims), &mut Solver::new(QueryBudget::default()));
    let refused = kernel.prove(pair).expect_err("the two differ");
    kernel.alone(0).err().unwrap_or(refused).0
}

/// The value that a statement assigns.
fn assigned(code: &mut Procedure, at: usize) -> &mut Expr {
    match &mut code.body.as_mut().expect("it has a body").stmts[at].kind {
        StmtKind::Assign(_, Rhs::Expr(value)) => value,
        _ => unreachable!("it is an assignment"),
    }
}

#[test]
fn nothing_is_read_at_another_type() {
    assert_eq!(refusal(|_| ()), "two paths do not exclude each other");
    let lies: [fn(&mut Procedure); 2] = [
        |code| assigned(code, 0).ty = OTHER,
        |code| {
            code.locals.iter_mut().filter(|local| ["x", "y"].contains(&&*local.name)).for_each(|own| own.ty = OTHER);
            assigned(code, 1).ty = OTHER;
        },
    ];
    for lie in lies {
        assert_eq!(refusal(lie), "run, or what is said of it, makes no sense");
    }
}

/// Where there are no classes, a `ref` is an object, and no array.
#[test]
fn an_array_is_no_object_where_there_are_no_classes() {
    let refused = |classes: &str| {
        let text = "
            version 0 procedure run(a: int[], n: int) returns (r: int) { x := a; }
            version 1 procedure run(a: int[], n: int) returns (r: int) { r := 1; }";
        let mut story = story(&format!("{classes} {text}"));
        let locals = &mut story.lowered.versions[0].procedures[0].locals;
        locals.iter_mut().filter(|local| local.name == "x").for_each(|own| own.ty = Type::Ref);
        story.refused()
    };
    assert!(refused("").contains("makes no sense"), "{}", refused(""));
    assert!(refused("class Cell { v: int; }").contains("contradict"), "{}", refused("class Cell { v: int; }"));
}
