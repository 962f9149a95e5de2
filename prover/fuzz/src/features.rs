//! The constructs of L that generated pairs are to have, and how often.
//!
//! In: a [`Case`]. Out: which [`Feature`]s its text has.
//!
//! Invariant: every feature has a share, in a hundred pairs, below which a test fails.

use super::case::Case;
use super::tree::{Program, any_expr, own_exprs, parts, stmts};
use lang_l::ast::{Expr, ExprKind, Item, Procedure, Spec, Stmt, StmtKind, TypeKind};

macro_rules! features {
    ($($(#[$doc:meta])* $feature:ident $text:literal $share:literal $test:path,)*) => {
        /// A construct, or several together.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Feature { $($(#[$doc])* $feature,)* }

        impl Feature {
            /// All of them.
            pub const ALL: &[Feature] = &[$(Feature::$feature,)*];

            /// In words.
            pub fn text(self) -> &'static str {
                match self { $(Feature::$feature => $text,)* }
            }

            /// In how many of a hundred pairs it occurs at least.
            pub fn share(self) -> usize {
                match self { $(Feature::$feature => $share,)* }
            }

            /// Whether a pair has it, in one of its versions.
            pub fn occurs(self, case: &Case) -> bool {
                let test = match self { $(Feature::$feature => $test,)* };
                [&case.left, &case.right].into_iter().any(test)
            }
        }
    };
}

features! {
    /// `forall` or `exists` over objects.
    Objects "quantifier over objects" 10 quantifies_objects,
    /// `forall` or `exists` over integers.
    Integers "quantifier over integers" 8 quantifies_integers,
    /// `reach(…)`.
    Reach "reach" 12 reach,
    /// `old(…)`.
    Old "old" 12 old,
    /// `fresh(…)`.
    Fresh "fresh" 5 fresh,
    /// A contract form in a `requires`.
    Requires "requires with a contract form" 2 requires,
    /// A contract form in an `ensures`.
    Ensures "ensures with a contract form" 12 ensures,
    /// A contract form in an invariant.
    Invariant "invariant with a contract form" 1 invariant,
    /// A contract form in an `assert`.
    Assert "assert with a contract form" 8 asserts,
    /// `modifies {x.f}`.
    ModifiesField "modifies through a field" 8 modifies_field,
    /// `modifies {a[i]}`.
    ModifiesCell "modifies through a cell" 1 modifies_cell,
    /// `equiv p ~ q when e;`
    When "equiv with a condition" 8 when,
    /// A call, and an `assume` right after it.
    AssumeAfterCall "assume after a call" 4 assumes_after_call,
    /// A loop inside another statement, which returns.
    InnerReturn "return from an inner loop" 4 inner_return,
    /// A loop inside another statement, which assigns a result.
    InnerResult "result assigned in an inner loop" 4 inner_result,
    /// An external procedure with `requires` or `ensures`.
    ExternalContract "external with a contract" 8 external_contract,
    /// A procedure with two results or more.
    Results "several results" 15 several_results,
    /// A `requires` of another procedure than the first, which its callers may break.
    Broken "requires at a call" 8 requires_at_call,
    /// A `requires` that is true of nearly all stores, and that no prover can show.
    Unprovable "requires nobody can prove" 2 unprovable,
}

/// All expressions of contracts and conditions in it.
fn clauses(procedure: &Procedure) -> Vec<&Expr> {
    let specs = procedure.specs.iter().flat_map(|spec| match spec {
        Spec::Requires(e, _) | Spec::Ensures(e, _) => vec![e],
        Spec::Modifies(places, _) => places.iter().collect(),
    });
    specs.chain(procedure.body.iter().flat_map(stmts).flat_map(own_exprs)).collect()
}

fn procedures(program: &Program) -> impl Iterator<Item = &Procedure> {
    program.procedures.iter().chain(externals(program))
}

fn externals(program: &Program) -> impl Iterator<Item = &Procedure> {
    program.shared.iter().filter_map(|item| match item {
        Item::Procedure(procedure) => Some(procedure),
        _ => None,
    })
}

fn some(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
    procedures(program).flat_map(clauses).any(|e| any_expr(e, test))
}

fn quantifies_objects(program: &Program) -> bool {
    some(program, &|e| matches!(&e.kind, ExprKind::Quant { ty, .. } if ty.kind != TypeKind::Int))
}

fn quantifies_integers(program: &Program) -> bool {
    some(program, &|e| matches!(&e.kind, ExprKind::Quant { ty, .. } if ty.kind == TypeKind::Int))
}

fn asks(program: &Program, what: &str) -> bool {
    some(program, &|e| matches!(&e.kind, ExprKind::Call(call) if call.callee.text == what))
}

fn reach(program: &Program) -> bool {
    asks(program, "reach")
}

fn old(program: &Program) -> bool {
    asks(program, "old")
}

fn fresh(program: &Program) -> bool {
    asks(program, "fresh")
}

fn specs(program: &Program) -> impl Iterator<Item = &Spec> {
    procedures(program).flat_map(|procedure| &procedure.specs)
}

fn requires(program: &Program) -> bool {
    specs(program).any(|spec| matches!(spec, Spec::Requires(e, _) if super::tree::looks_around(e)))
}

fn ensures(program: &Program) -> bool {
    specs(program).any(|spec| matches!(spec, Spec::Ensures(e, _) if super::tree::looks_around(e)))
}

fn all_stmts(program: &Program) -> impl Iterator<Item = &Stmt> {
    program.procedures.iter().filter_map(|procedure| procedure.body.as_ref()).flat_map(stmts)
}

fn invariant(program: &Program) -> bool {
    let looks = |invariants: &[Expr]| invariants.iter().any(super::tree::looks_around);
    all_stmts(program).any(|stmt| matches!(&stmt.kind, StmtKind::While { invariants, .. } if looks(invariants)))
}

fn asserts(program: &Program) -> bool {
    all_stmts(program).any(|stmt| matches!(&stmt.kind, StmtKind::Assert(e) if super::tree::looks_around(e)))
}

fn modifies(program: &Program, test: &dyn Fn(&Expr) -> bool) -> bool {
    specs(program)
        .any(|spec| matches!(spec, Spec::Modifies(places, _) if places.iter().any(|place| any_expr(place, test))))
}

fn modifies_field(program: &Program) -> bool {
    modifies(program, &|e| matches!(e.kind, ExprKind::Field(..)))
}

fn modifies_cell(program: &Program) -> bool {
    modifies(program, &|e| matches!(e.kind, ExprKind::Index(..)))
}

fn when(program: &Program) -> bool {
    program.shared.iter().any(|item| matches!(item, Item::Equiv(equiv) if equiv.when.is_some()))
}

fn calls(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Call(_) | StmtKind::CallAssign { .. })
        || own_exprs(stmt).into_iter().any(super::tree::has_call)
}

fn assumes_after_call(program: &Program) -> bool {
    let bodies = program.procedures.iter().filter_map(|procedure| procedure.body.as_ref());
    let after = |pair: &[Stmt]| calls(&pair[0]) && matches!(pair[1].kind, StmtKind::Assume(_));
    bodies.flat_map(super::tree::blocks).any(|block| block.stmts.windows(2).any(after))
}

/// The statements of loops that stand inside other statements.
fn inner_loops(procedure: &Procedure) -> Vec<&Stmt> {
    let Some(body) = &procedure.body else { return Vec::new() };
    let blocks = super::tree::blocks(body);
    let inner = blocks.into_iter().skip(1).flat_map(|block| &block.stmts);
    let looping = inner.filter_map(|stmt| match &stmt.kind {
        StmtKind::While { body, .. } => Some(body),
        _ => None,
    });
    looping.flat_map(stmts).collect()
}

fn inner_return(program: &Program) -> bool {
    program.procedures.iter().flat_map(inner_loops).any(|stmt| matches!(stmt.kind, StmtKind::Return(_)))
}

fn inner_result(program: &Program) -> bool {
    program.procedures.iter().any(|procedure| {
        let result = |text: &String| procedure.results.iter().any(|result| result.name.text == *text);
        inner_loops(procedure).into_iter().any(|stmt| match &stmt.kind {
            StmtKind::Assign { place, .. } => matches!(&place.kind, ExprKind::Name(text) if result(text)),
            _ => false,
        })
    })
}

fn external_contract(program: &Program) -> bool {
    externals(program).flat_map(|procedure| &procedure.specs).any(|spec| !matches!(spec, Spec::Modifies(..)))
}

fn several_results(program: &Program) -> bool {
    program.procedures.iter().any(|procedure| procedure.results.len() > 1)
}

fn requires_at_call(program: &Program) -> bool {
    let others = program.procedures.iter().skip(1).chain(externals(program));
    others.flat_map(|procedure| &procedure.specs).any(|spec| matches!(spec, Spec::Requires(..)))
}

fn unprovable(program: &Program) -> bool {
    let cube = |e: &Expr| parts(e).into_iter().flat_map(parts).any(|inner| matches!(inner.kind, ExprKind::Binary(..)));
    specs(program).any(|spec| matches!(spec, Spec::Requires(e, _) if cube(e)))
}
