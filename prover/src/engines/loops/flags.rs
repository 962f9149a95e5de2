//! What two loops hand out where a flag is set that one of them hands out, and where it is not.
//!
//! In: a loop of each version. Out: facts that might hold of their ends: where one returns from a loop, the other breaks off and keeps
//! what it will return.

use super::under::{at_end, kept};
use crate::budget::loops::{MAX_TESTS, MAX_UNDER, MAX_UNDER_FLAGS};
use crate::goal::{Pair, Program};
use kernel::pair::loops::{parameters, results};
use kernel::relate::{Atom, Fact};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Expr, ExprKind, LocalId, Place, Procedure, Rhs, StmtKind, Type};
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// What is handed out where a flag that is handed out is set, and where it is not: as much as by the other version, as much as where the
/// loop began, what is assigned, what is tested, null or not. And that it is set where the first test of a loop would hold again, or where
/// it would not.
pub(super) fn under_flags(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [(0, left, pair.0), (1, right, pair.1)];
    let [mine, theirs] = [(0, left), (1, right)].map(|(version, code)| handed_out(version, code));
    let flags = mine.iter().chain(&theirs).filter(|(_, ty)| *ty == Type::Bool);
    let flags = flags.flat_map(|(flag, _)| [true, false].map(|truth| Fact::Truth(flag.clone(), truth)));
    let flags: Vec<Fact> = flags.take(MAX_TESTS).collect();
    let under = |test: &Fact, value: &Fact| Fact::Under(Box::new([test.clone(), value.clone()]));
    let (guards, tests): (Vec<_>, Vec<_>) =
        loops.map(|(version, code, id)| at_end(version, code, id)).into_iter().unzip();
    let guarded = guards
        .concat()
        .into_iter()
        .flat_map(|guard| -> Vec<Fact> { flags.iter().map(|flag| under(&guard, flag)).collect() });
    let both = mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b)));
    let alike = both.filter(|(a, b)| a.1 == b.1 && !a.1.is_reference());
    let alike = alike.map(|(a, b)| Fact::Equal(a.0.clone(), b.0.clone(), 0));
    let references = mine.iter().chain(&theirs).filter(|(_, ty)| ty.is_reference());
    let null = references.flat_map(|(own, _)| [Fact::Null(own.clone()), Fact::NotNull(own.clone())]);
    let moved = [(0, left), (1, right)].into_iter().flat_map(|(version, code)| moved(version, code));
    let moved = moved.map(|[to, from]| Fact::Equal(to, from, 0));
    let assigned = loops.into_iter().flat_map(|(version, code, id)| assigned(version, code, &kept(code, id)));
    let values = assigned.chain(tests.concat()).chain(null).chain(alike).chain(moved);
    let flagged = values.flat_map(|value| -> Vec<Fact> { flags.iter().map(|flag| under(flag, &value)).collect() });
    flagged.take(MAX_UNDER_FLAGS).chain(guarded.take(MAX_UNDER)).collect()
}

/// The same of what a loop returns from within: a literal, or a parameter that no turn changes.
pub(super) fn returned_under_flags(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let loops = [(0, left, pair.0), (1, right, pair.1)];
    let handed = [(0, left), (1, right)].into_iter().flat_map(|(version, code)| handed_out(version, code));
    let flags: Vec<Atom> = handed.filter(|(_, ty)| *ty == Type::Bool).map(|(flag, _)| flag).take(MAX_TESTS).collect();
    let values = loops.into_iter().flat_map(|(version, code, id)| returned(version, code, &kept(code, id)));
    let under = |value: Fact| -> Vec<Fact> {
        let flags = flags.iter().filter(|flag| !value.defines(flag.version, flag.parameter));
        flags.map(|flag| Fact::Under(Box::new([Fact::Truth(flag.clone(), true), value.clone()]))).collect()
    };
    values.flat_map(under).take(MAX_UNDER).collect()
}

/// What a loop hands out, with its types.
fn handed_out(version: usize, code: &Procedure) -> Vec<(Atom, Type)> {
    let all = (code.params..).zip(results(code));
    all.map(|(parameter, local)| (Atom { version, parameter, steps: Vec::new() }, local.ty.clone())).collect()
}

/// That what a loop hands out is a literal that it assigns to it, or a parameter that no turn changes.
fn assigned(version: usize, code: &Procedure, kept: &BTreeSet<usize>) -> Vec<Fact> {
    let mut found = Vec::new();
    let Some(body) = &code.body else { return found };
    let mut handed: BTreeSet<(LocalId, usize)> = BTreeSet::new();
    walk_stmts(body, &mut |stmt| {
        if let StmtKind::Return(values) = &stmt.kind {
            handed.extend(values.iter().zip(code.params..).filter_map(|(value, at)| match value.kind {
                ExprKind::Local(id) => Some((id, at)),
                _ => None,
            }));
        }
    });
    walk_stmts(body, &mut |stmt| {
        let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind else { return };
        for &(_, at) in handed.iter().filter(|(own, _)| own == id) {
            found.extend(is_value((version, at), value, kept).filter(|fact| !found.contains(fact)));
        }
    });
    found
}

/// The same of what it returns.
fn returned(version: usize, code: &Procedure, kept: &BTreeSet<usize>) -> Vec<Fact> {
    let mut found = Vec::new();
    let Some(body) = &code.body else { return found };
    walk_stmts(body, &mut |stmt| {
        let StmtKind::Return(values) = &stmt.kind else { return };
        for (value, at) in values.iter().zip(code.params..) {
            found.extend(is_value((version, at), value, kept).filter(|fact| !found.contains(fact)));
        }
    });
    found
}

/// That what a loop hands out is this value, where it is a literal or a parameter that no turn changes.
fn is_value((version, at): (usize, usize), value: &Expr, kept: &BTreeSet<usize>) -> Option<Fact> {
    let atom = |parameter: usize| Atom { version, parameter, steps: Vec::new() };
    match &value.kind {
        ExprKind::Int(number) => number.to_i64().map(|number| Fact::Is(atom(at), number)),
        ExprKind::Bool(truth) => Some(Fact::Truth(atom(at), *truth)),
        ExprKind::Local(other) => kept.contains(&other.index()).then(|| Fact::Equal(atom(at), atom(other.index()), 0)),
        _ => None,
    }
}

/// The numbers that a loop leaves, each with what it was where the loop began.
pub(super) fn moved(version: usize, code: &Procedure) -> Vec<[Atom; 2]> {
    let ends = (code.params..).zip(results(code)).filter(|(_, local)| local.ty == Type::Int);
    let both = ends.filter_map(|(to, local)| {
        let from = parameters(code).iter().position(|other| (&other.name, &other.ty) == (&local.name, &local.ty))?;
        Some([to, from].map(|parameter| Atom { version, parameter, steps: Vec::new() }))
    });
    both.collect()
}
