//! Mutations of expressions.
//!
//! In: a program and one of its procedures. Out: the same with an expression written in another way.

use super::statements::{around, calls_inside, sites};
use crate::tree::{
    Program, any_expr, assign, binary, declare, each_expr, expr, has_call, int, not, own_exprs, own_exprs_mut, parts,
    stmt, type_of, var,
};
use lang_l::ast::{BinOp, Expr, ExprKind, Item, Procedure, Rhs, Stmt, StmtKind, TypeKind, UnOp};
use lang_l::random::Random;

/// The type of an expression without calls.
fn kind_of(program: &Program, procedure: &Procedure, e: &Expr) -> Option<TypeKind> {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Unary(UnOp::Neg, _) => Some(TypeKind::Int),
        ExprKind::Bool(_) | ExprKind::Unary(UnOp::Not, _) => Some(TypeKind::Bool),
        ExprKind::Binary(BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Add | BinOp::Sub, ..) => Some(TypeKind::Int),
        ExprKind::Binary(..) => Some(TypeKind::Bool),
        ExprKind::Name(text) => type_of(procedure, text).or_else(|| global_type(program, text)),
        // What the generator calls its fields tells their types.
        ExprKind::Field(_, name) => match name.text.as_str() {
            "v" | "length" => Some(TypeKind::Int),
            "b" => Some(TypeKind::Bool),
            _ => Some(program.node_type()),
        },
        ExprKind::Index(array, _) => match kind_of(program, procedure, array)? {
            TypeKind::Array(element) => Some(element.kind),
            _ => None,
        },
        _ => None,
    }
}

fn global_type(program: &Program, text: &str) -> Option<TypeKind> {
    program.shared.iter().find_map(|item| match item {
        Item::Global(global) if global.name.text == text => Some(global.ty.kind.clone()),
        _ => None,
    })
}

/// Evaluates a whole operand of a statement one step earlier into a new variable. The operands of the statement call
/// nothing, so that all that evaluating them can do is to err, and all errors are one. Conditions of loops stay.
pub(super) fn temporary(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let fits = |stmt: &Stmt| {
        !calls_inside(stmt)
            && match &stmt.kind {
                StmtKind::Assign { rhs: Rhs::Expr(_), .. } | StmtKind::If { .. } => true,
                StmtKind::Call(call) | StmtKind::CallAssign { call, .. } => !call.args.is_empty(),
                _ => false,
            }
    };
    let place = *random.pick(&sites(&program.procedures[at], &fits))?;
    let target = program.fresh("h");
    let frozen = (program.clone(), program.procedures[at].clone());
    let stmts = around(program, at, place)?;
    let first = usize::from(matches!(stmts[place.1].kind, StmtKind::Assign { .. }));
    let mut operands = own_exprs_mut(&mut stmts[place.1]);
    let chosen = first + random.below(operands.len() - first);
    let operand = &mut *operands[chosen];
    let kind = kind_of(&frozen.0, &frozen.1, operand)?;
    let value = std::mem::replace(operand, var(&target));
    stmts.insert(place.1, assign(var(&target), value));
    declare(&mut program.procedures[at], &target, kind);
    Some(())
}

/// An expression written in another way that has the same value and errs the same: operands that call nothing may change
/// places, as all errors are one.
pub(super) fn algebra(program: &mut Program, at: usize, random: &mut Random) -> Option<()> {
    let places = sites(&program.procedures[at], &|stmt| own_exprs(stmt).into_iter().any(|e| any_expr(e, &rewritable)));
    let place = *random.pick(&places)?;
    let stmt = &mut around(program, at, place)?[place.1];
    let count = own_exprs(stmt).into_iter().map(count).sum();
    let mut chosen = random.below(count);
    for e in own_exprs_mut(stmt) {
        rewrite_nth(e, &mut chosen, random);
    }
    Some(())
}

fn count(e: &Expr) -> usize {
    usize::from(rewritable(e)) + parts(e).into_iter().map(count).sum::<usize>()
}

fn rewritable(e: &Expr) -> bool {
    let calm = |e: &Expr| !has_call(e);
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Div | BinOp::Rem, ..) => false,
        ExprKind::Binary(_, a, b) => calm(a) && calm(b),
        ExprKind::Unary(UnOp::Not, a) => matches!(a.kind, ExprKind::Binary(BinOp::Eq | BinOp::Ne, ..)),
        ExprKind::Int(_) => true,
        _ => false,
    }
}

fn rewrite_nth(e: &mut Expr, chosen: &mut usize, random: &mut Random) {
    each_expr(e, &mut |e| {
        if !rewritable(e) {
            return;
        }
        let here = *chosen == 0;
        *chosen = chosen.wrapping_sub(1);
        if here {
            *e = rewritten(e, random);
            // What follows is inside what was rewritten.
            *chosen = usize::MAX;
        }
    });
}

fn rewritten(e: &Expr, random: &mut Random) -> Expr {
    match &e.kind {
        ExprKind::Binary(op, a, b) => {
            let (a, b) = ((**a).clone(), (**b).clone());
            let often = random.percent(60);
            match op {
                BinOp::Add | BinOp::Mul => binary(*op, b, a),
                BinOp::Sub => binary(BinOp::Add, a, expr(ExprKind::Unary(UnOp::Neg, Box::new(b)))),
                BinOp::Eq | BinOp::Ne if often => binary(*op, b, a),
                BinOp::Eq => not(binary(BinOp::Ne, a, b)),
                BinOp::Ne => not(binary(BinOp::Eq, a, b)),
                BinOp::Lt if often => binary(BinOp::Gt, b, a),
                BinOp::Lt => not(binary(BinOp::Ge, a, b)),
                BinOp::Le => binary(BinOp::Ge, b, a),
                BinOp::Gt if often => binary(BinOp::Lt, b, a),
                BinOp::Gt => binary(BinOp::Ge, a, binary(BinOp::Add, b, int(1))),
                _ => not(binary(BinOp::Lt, a, b)),
            }
        }
        ExprKind::Unary(_, inner) => match &inner.kind {
            ExprKind::Binary(BinOp::Eq, a, b) => binary(BinOp::Ne, (**a).clone(), (**b).clone()),
            ExprKind::Binary(_, a, b) => binary(BinOp::Eq, (**a).clone(), (**b).clone()),
            _ => e.clone(),
        },
        ExprKind::Int(_) => binary(BinOp::Sub, binary(BinOp::Add, e.clone(), int(2)), int(2)),
        _ => e.clone(),
    }
}

/// A body that ends in `r := e;` with `r` its only result ends in `return e;` instead.
pub(super) fn return_value(program: &mut Program, at: usize, _: &mut Random) -> Option<()> {
    let procedure = &mut program.procedures[at];
    let [result] = &procedure.results[..] else { return None };
    let last = procedure.body.as_mut()?.stmts.last_mut()?;
    let StmtKind::Assign { place, rhs: Rhs::Expr(value) } = &last.kind else { return None };
    if *place != var(&result.name.text) {
        return None;
    }
    *last = stmt(StmtKind::Return(vec![value.clone()]));
    Some(())
}
