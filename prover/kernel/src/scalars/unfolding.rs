//! Unfolding: a procedure that first mends what it is given, by a call of itself, goes on with what is mended, where another version does.
//!
//! In: a program. Out: `if (t) { p := e; if (t) { return f(e); } }` in place of `if (t) { return f(e); }`, with which the body of f begins.
//!
//! Rule *Unfolding* (`proofs/soundness.md`). What is put in place of the call is how an activation with these arguments begins.

use super::in_place::has_no_contract;
use super::tail_calls::handed;
use crate::bounds::scalars::MAX_MENDED;
use lang_l::hir::{Block, Expr, ExprKind, Place, ProcId, Procedure, Stmt, StmtKind, Unit};

/// Unfolds what procedures begin with that another version begins otherwise.
pub(super) fn unfold(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        let others = written.versions.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<_> = others.map(|(_, other)| other).collect();
        for (id, procedure) in (0u32..).map(ProcId).zip(&mut own.procedures) {
            let mut theirs = others.iter().filter_map(|other| Some((*other, other.find(&procedure.name)?)));
            if theirs.any(|(other, theirs)| heads(other.procedure(theirs), theirs).is_empty()) {
                unfolded(procedure, id);
            }
        }
    }
}

/// The arguments of the calls of itself that a procedure makes first of all, each where something holds, and of which it gives back what they
/// do.
fn heads(procedure: &Procedure, id: ProcId) -> Vec<Vec<Expr>> {
    let Some(body) = procedure.body.as_ref().filter(|_| has_no_contract(procedure)) else { return Vec::new() };
    if body.any_expr(&Expr::mentions_entry) {
        return Vec::new();
    }
    let head = |stmt: &Stmt| {
        let StmtKind::If(_, then, els) = &stmt.kind else { return None };
        let call = given_back(procedure, id, then)?;
        els.stmts.is_empty().then(|| call.to_vec())
    };
    body.stmts.iter().map_while(head).collect()
}

/// The arguments of a call by itself, if a block does no more than to give back what that does.
fn given_back<'b>(procedure: &Procedure, id: ProcId, block: &'b Block) -> Option<&'b [Expr]> {
    match &block.stmts[..] {
        [Stmt { kind: StmtKind::Return(values), .. }] => match &values[..] {
            [Expr { kind: ExprKind::Call(callee, args), .. }] if *callee == id => Some(args),
            _ => None,
        },
        [call, Stmt { kind: StmtKind::Return(values), .. }] if values.is_empty() => {
            let (targets, callee, args) = call.as_call()?;
            let all = procedure.result_ids().map(Place::Local).eq(targets.iter().cloned());
            (callee == id && all).then_some(args)
        }
        _ => None,
    }
}

/// Unfolds the calls with which a procedure begins, if there are any, and not too many.
fn unfolded(procedure: &mut Procedure, id: ProcId) {
    let heads = heads(procedure, id);
    if heads.is_empty() || heads.len() > MAX_MENDED {
        return;
    }
    let written = procedure.clone();
    let (Some(body), Some(own)) = (&mut procedure.body, &written.body) else { return };
    for (at, (stmt, args)) in body.stmts.iter_mut().zip(heads).enumerate() {
        let StmtKind::If(_, then, _) = &mut stmt.kind else { continue };
        then.stmts = handed(&written, args, stmt.span, &mut procedure.locals);
        let first = if faults::planted("kernel/scalars/mended-once") { at + 1 } else { 0 };
        then.stmts.extend_from_slice(&own.stmts[first..=at]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::second_forms::{becomes, stays};

    const HEAD: &str = "procedure p(t: T, n: int) returns (r: int)";

    #[test]
    fn what_is_mended_goes_on_and_is_asked_again() {
        becomes(
            &format!("{HEAD} {{ if (n < 0) {{ return p(t, -n); }} r := n; }}"),
            &format!("{HEAD} {{ if (n < 0) {{ n := -n; if (n < 0) {{ return p(t, -n); }} }} r := n; }}"),
        );
    }

    #[test]
    fn a_second_call_begins_with_the_first_one() {
        let [one, other] = ["if (n < 0) { return p(t, -n); }", "if (t == null) { return p(t.l, n); }"];
        becomes(
            &format!("{HEAD} {{ {one} {other} r := n; }}"),
            &format!(
                "{HEAD} {{ if (n < 0) {{ n := -n; {one} }} if (t == null) {{ t := t.l; {one} {other} }} r := n; }}"
            ),
        );
    }

    #[test]
    fn two_arguments_are_evaluated_before_either_is_assigned() {
        becomes(
            "procedure p(a: int, b: int) returns (r: int) { if (a > b) { return p(b, a); } r := b - a; }",
            "procedure p(a: int, b: int) returns (r: int) { var a': int; var b': int;
             if (a > b) { a' := b; b' := a; a := a'; b := b'; if (a > b) { return p(b, a); } } r := b - a; }",
        );
    }

    #[test]
    fn procedures_stay_that_have_a_contract_or_do_more() {
        for procedure in [
            "requires n != 7; { if (n < 0) { return p(t, -n); } r := n; }",
            "{ if (n < 0) { return p(t, -n) + 1; } r := n; }",
            "{ if (n < 0) { return p(t, -n); } else { r := 3; } r := r + n; }",
            "{ r := 2; if (n < 0) { return p(t, -n); } r := r + n; }",
            "{ if (n < 0) { r := p(t, -n); } r := r + n; }",
            "{ if (n < 0) { return p(t, -n); } assert old(t) == t; r := n; }",
        ] {
            stays(&format!("{HEAD} {procedure}"));
        }
    }
}
