//! What a helper gives back, whoever calls it: a procedure that runs loops, or calls others or itself.
//!
//! In: the procedures of one version. Out: which of them are helpers, and how their results may be bounded: by numbers of the text, by
//! what they were given, by lengths; and which references they may never hand out as null. Of what calls nothing nothing is said: it is
//! executed where it is called.
//!
//! Of recursion that calls itself with what it gave back more is tried. Without that nobody could say why it ends: the second call of
//! `f(f(n + 11))` is given what the first one gave back.
//!
//! Invariant: nothing here is believed; what does not follow is dropped by who asks.

use super::conditions::Build;
use crate::budget::loop_invariants::{MAX_CANDIDATES, MAX_NUMBERS};
use crate::lower::is_loop;
use kernel::effects::direct_callees;
use lang_l::ast::BinOp;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, StmtKind, Type};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;

/// The helpers among the procedures of a version.
pub(super) fn all(procedures: &[Procedure]) -> BTreeSet<ProcId> {
    let numbered = || (0u32..).map(ProcId).zip(procedures);
    let mut called = BTreeSet::new();
    for (id, code) in numbered() {
        called.extend(direct_callees(code).into_iter().filter(|callee| *callee != id));
    }
    let gives = |code: &Procedure| {
        let result = |id| &code.local(id).ty;
        code.result_ids().any(|id| *result(id) == Type::Int || result(id).is_reference())
    };
    let is_helper = |id: ProcId, code: &Procedure| {
        code.body.is_some() && !is_loop(code) && gives(code) && !direct_callees(code).is_empty() && called.contains(&id)
    };
    numbered().filter(|(id, code)| is_helper(*id, code) || is_nested(code, *id)).map(|(id, _)| id).collect()
}

/// What may hold whenever a helper has returned.
pub(super) fn candidates(code: &Procedure, id: ProcId) -> Vec<Expr> {
    let build = Build { code };
    let of_type = |ids: &mut dyn Iterator<Item = LocalId>, wanted: &dyn Fn(&Type) -> bool| -> Vec<LocalId> {
        ids.filter(|&at| wanted(&code.local(at).ty)).collect()
    };
    let is_number = |ty: &Type| *ty == Type::Int;
    let (given, taken) = (of_type(&mut code.result_ids(), &is_number), of_type(&mut code.param_ids(), &is_number));
    let arrays = of_type(&mut code.param_ids(), &|ty| matches!(ty, Type::Array(_)));
    let numbers = numbers(code);
    let mut found = Vec::new();
    for &result in &given {
        let compare = |op, other| build.compare(op, build.local(result), other);
        let between = |other: &Expr| [BinOp::Ge, BinOp::Le].map(|op| compare(op, other.clone()));
        let small = [0, 1, -1].into_iter().map(BigInt::from);
        let more = numbers.iter().filter(|number| **number > BigInt::one()).cloned();
        found.extend(small.chain(more).take(MAX_NUMBERS).flat_map(|number| between(&build.number(number))));
        for &param in &taken {
            found.extend(between(&build.local(param)));
            found.extend(between(&build.sum(vec![(build.local(param), BigInt::from(-1))])));
        }
        for &array in &arrays {
            let within = |op| build.or_null(array, compare(op, build.length(array)));
            found.extend([BinOp::Lt, BinOp::Le].map(within));
        }
        if is_nested(code, id) {
            for &param in &taken {
                for number in numbers.iter().filter(|number| **number != BigInt::default()) {
                    let parts =
                        vec![(build.local(param), BigInt::one()), (build.number(number.clone()), BigInt::one())];
                    found.extend(between(&build.sum(parts)));
                }
            }
        }
    }
    let references = of_type(&mut code.result_ids(), &|ty| ty.is_reference());
    found.extend(references.iter().map(|&r| build.compare(BinOp::Ne, build.local(r), build.null(r))));
    found.truncate(MAX_CANDIDATES);
    found
}

/// Whether a procedure calls itself with what a call of itself has given back.
fn is_nested(code: &Procedure, id: ProcId) -> bool {
    let Some(body) = &code.body else { return false };
    let own = calls(body, &|callee| callee == id);
    let given_back: BTreeSet<LocalId> = own.iter().flat_map(|(targets, _)| targets.iter().copied()).collect();
    let mut among = false;
    for arg in own.iter().flat_map(|(_, args)| *args) {
        arg.walk(&mut |part| among |= matches!(part.kind, ExprKind::Local(id) if given_back.contains(&id)));
    }
    among
}

/// 0, and the numbers of a text with both signs.
fn numbers(code: &Procedure) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::from([BigInt::default()]);
    if let Some(body) = &code.body {
        walk_stmts(body, &mut |stmt| {
            for expr in stmt.exprs() {
                expr.walk(&mut |part| {
                    if let ExprKind::Int(number) = &part.kind {
                        found.extend([number.clone(), -number]);
                    }
                });
            }
        });
    }
    found
}

/// The calls of a procedure to some callees: the variables to which the results go, and what each is given.
pub(super) fn calls<'b>(body: &'b Block, wanted: &dyn Fn(ProcId) -> bool) -> Vec<(Vec<LocalId>, &'b [Expr])> {
    let mut found = Vec::new();
    walk_stmts(body, &mut |stmt| {
        let local = |target: &Place| if let Place::Local(id) = target { Some(*id) } else { None };
        match &stmt.kind {
            StmtKind::Call { targets, callee, args } if wanted(*callee) => {
                found.push((targets.iter().filter_map(local).collect(), args.as_slice()));
            }
            StmtKind::Assign(target, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) if wanted(*callee) => {
                found.push((local(target).into_iter().collect(), args.as_slice()));
            }
            _ => {}
        }
    });
    found
}
