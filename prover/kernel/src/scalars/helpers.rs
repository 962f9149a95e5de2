//! Calls that hand such an object to a helper, in place: the helper's body stands where it is called.
//!
//! In: a procedure, the version it is of, and a variable that holds a new object. Out: the procedure with those calls in place to which
//! the variable is handed as it is, as far as that can be.
//!
//! Rule *In place* (`proofs/soundness.md`). A helper has no contract, no loop and no `return` but at its end; what it is given goes into
//! new variables, and so does all that it has of its own. One that gives back the value of one expression stands for that within others.

use crate::bounds::scalars::{MAX_HELPER, MAX_IN_PLACE, MAX_ROUNDS};
use lang_l::hir::visit::walk_locals_mut;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type, Version};
use lang_l::source::Span;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// The procedure with all calls in place that are handed a variable; `None` where there are none, or too many.
pub(super) fn in_place(procedure: &Procedure, version: &Version, variable: LocalId) -> Option<Procedure> {
    let mut expanded = procedure.clone();
    for round in 0..MAX_ROUNDS {
        let mut body = expanded.body.take()?;
        let mut caller = Caller { version, variable, locals: std::mem::take(&mut expanded.locals), done: 0 };
        caller.block(&mut body);
        let done = caller.done;
        expanded.locals = caller.locals;
        expanded.body = Some(body);
        match done {
            0 => return (round > 0).then_some(expanded),
            1..=MAX_IN_PLACE => {}
            _ => return None,
        }
    }
    None
}

/// Who makes the calls.
struct Caller<'v> {
    version: &'v Version,
    variable: LocalId,
    locals: Vec<Local>,
    /// How many calls are in place now.
    done: usize,
}

impl Caller<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            if let Some(stmts) = self.statement(&stmt) {
                block.stmts.extend(stmts);
                continue;
            }
            for e in stmt.exprs_mut() {
                e.walk_mut(&mut |part| {
                    if let Some(value) = self.value(part) {
                        *part = value;
                    }
                });
            }
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            block.stmts.push(stmt);
        }
    }

    /// Whether a call with these arguments is to be put in place. Where there are too many the rest is left, for nothing comes of it.
    fn is_wanted(&self, args: &[Expr]) -> bool {
        self.done <= MAX_IN_PLACE && args.iter().any(|arg| arg.kind == ExprKind::Local(self.variable))
    }

    /// What a helper's one expression is of these arguments; `None` where the part is no such call.
    fn value(&mut self, part: &Expr) -> Option<Expr> {
        let ExprKind::Call(callee, args) = &part.kind else { return None };
        let helper = self.version.procedure(*callee);
        let body = helper.body.as_ref().filter(|_| self.is_wanted(args) && has_no_contract(helper))?;
        let value = match &body.stmts[..] {
            [Stmt { kind: StmtKind::Return(values), .. }] => values.first(),
            [Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(value)), .. }]
                if helper.result_ids().next() == Some(*id) =>
            {
                Some(value)
            }
            _ => None,
        };
        // An argument that does nothing and is the same whenever it is looked at may be looked at more than once, or not at all.
        let fixed =
            |arg: &Expr| matches!(arg.kind, ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null);
        let of_parameters = |part: &Expr| match part.kind {
            ExprKind::Local(id) => id.index() < helper.params,
            ExprKind::Call(..) => false,
            _ => is_ordinary(part),
        };
        let mut value =
            value.filter(|value| args.iter().all(fixed) && !value.any(&|part| !of_parameters(part)))?.clone();
        value.walk_mut(&mut |part| {
            if let ExprKind::Local(id) = part.kind {
                *part = args[id.index()].clone();
            }
        });
        self.done += 1;
        Some(value)
    }

    /// The statements of a helper in place of its call; `None` where the statement is no such call.
    fn statement(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let (targets, callee, args) = stmt.as_call()?;
        let helper = self.version.procedure(callee);
        let simple = targets.iter().all(|target| matches!(target, Place::Local(_)));
        if !simple || !self.is_wanted(args) || !has_no_contract(helper) || !is_straight(helper) {
            return None;
        }
        self.done += 1;
        let mut own = helper.clone();
        let assigned: BTreeSet<LocalId> =
            own.body.iter().flat_map(|body| &body.stmts).flat_map(Stmt::assigned).collect();
        let first = self.locals.len();
        self.locals.extend(
            helper
                .locals
                .iter()
                .map(|local| Local { name: format!("{}.{}", helper.name, local.name), ..local.clone() }),
        );
        // The object itself is not copied.
        let is_kept = |at: usize| {
            args.get(at).is_some_and(|arg| arg.kind == ExprKind::Local(self.variable) && !assigned.contains(&local(at)))
        };
        let kept: Vec<bool> = (0..helper.params).map(is_kept).collect();
        let variable = self.variable;
        let moved = |id: LocalId| match kept.get(id.index()) {
            Some(true) => variable,
            _ => local(first + id.index()),
        };
        walk_locals_mut(&mut own, &mut |id| *id = moved(*id));
        let span = stmt.span;
        let assign = |id: LocalId, value: Rhs| Stmt { kind: StmtKind::Assign(Place::Local(id), value), span };
        let mut stmts = Vec::new();
        for (id, arg) in helper.param_ids().zip(args).filter(|(id, _)| !kept[id.index()]) {
            stmts.push(assign(moved(id), Rhs::Expr(arg.clone())));
        }
        for (at, own) in helper.locals.iter().enumerate().skip(helper.params) {
            stmts.push(assign(moved(local(at)), default(own.ty.clone(), span)));
        }
        let results: Vec<LocalId> = helper.result_ids().map(moved).collect();
        for stmt in own.body.map(|body| body.stmts).unwrap_or_default() {
            match stmt.kind {
                StmtKind::Return(values) => {
                    stmts.extend(results.iter().zip(values).map(|(&id, value)| assign(id, Rhs::Expr(value))));
                }
                _ => stmts.push(stmt),
            }
        }
        for (target, &result) in targets.iter().zip(&results) {
            let ty = self.locals[result.index()].ty.clone();
            let value = Rhs::Expr(Expr { kind: ExprKind::Local(result), ty, span });
            stmts.push(Stmt { kind: StmtKind::Assign(target.clone(), value), span });
        }
        Some(stmts)
    }
}

fn has_no_contract(helper: &Procedure) -> bool {
    let none = helper.requires.is_empty() && helper.ensures.is_empty() && helper.modifies.is_none();
    none || faults::planted("kernel/scalars/helper-contract")
}

/// Whether a helper is short, goes from its first statement to its last, without loops and checks, and makes nothing.
fn is_straight(helper: &Procedure) -> bool {
    let Some(body) = &helper.body else { return false };
    let (last, others) = match body.stmts.split_last() {
        Some((Stmt { kind: StmtKind::Return(values), .. }, others)) => (Some(values), others),
        _ => (None, &body.stmts[..]),
    };
    let ordinary = |stmt: &Stmt| {
        let kind = match &stmt.kind {
            StmtKind::Assign(_, rhs) => matches!(rhs, Rhs::Expr(_)),
            StmtKind::Call { .. } | StmtKind::If(..) => true,
            StmtKind::Return(_) => faults::planted("kernel/scalars/helper-returns"),
            _ => false,
        };
        kind && stmt.exprs().into_iter().all(is_of_present)
    };
    let (mut all, mut count) = (true, 0);
    others.iter().for_each(|stmt| {
        stmt.walk(&mut |inner| {
            all &= ordinary(inner);
            count += 1;
        });
    });
    // With two values the second could look at a result that the first has assigned.
    let gives_back = |values: &Vec<Expr>| values.len() <= 1 && values.iter().all(is_of_present);
    all && count <= MAX_HELPER && last.is_none_or(gives_back)
}

fn is_of_present(e: &Expr) -> bool {
    !e.any(&|part| !is_ordinary(part))
}

/// Whether a part of an expression speaks of the present store alone.
fn is_ordinary(part: &Expr) -> bool {
    !matches!(part.kind, ExprKind::Old(_) | ExprKind::Fresh(_) | ExprKind::Reach(..) | ExprKind::Quant { .. })
}

fn local(at: usize) -> LocalId {
    LocalId(u32::try_from(at).unwrap_or(u32::MAX))
}

/// A new variable.
pub(super) fn added(locals: &mut Vec<Local>, one: Local) -> LocalId {
    locals.push(one);
    local(locals.len() - 1)
}

/// What a variable or a part of this type has at first.
pub(super) fn default(ty: Type, span: Span) -> Rhs {
    let kind = match ty {
        Type::Int => ExprKind::Int(BigInt::ZERO),
        Type::Bool => ExprKind::Bool(false),
        Type::Ref | Type::Class(_) | Type::Array(_) => ExprKind::Null,
    };
    Rhs::Expr(Expr { kind, ty, span })
}
