//! Calls that hand such an object to a helper, in place: the helper's body stands where it is called.
//!
//! In: a procedure, the version it is of, and a variable that holds a new object. Out: the procedure with those calls in place to which
//! the variable is handed as it is, as far as that can be.
//!
//! Rule *In place* (`proofs/soundness.md`). A helper has no contract, no loop and no `return` but at its end; what it is given goes into
//! new variables, and so does all that it has of its own. One that gives back the value of one expression stands for that within others.

use super::in_place::{Call, has_no_contract, in_place, in_rounds, is_of_present, is_plain, is_simple};
use crate::bounds::scalars::MAX_IN_PLACE;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Version};
use std::mem;

/// The procedure with all calls in place that are handed a variable; `None` where there are none, or too many.
pub(super) fn expanded(procedure: &Procedure, version: &Version, variable: LocalId) -> Option<Procedure> {
    in_rounds(procedure, |body, locals| {
        let mut caller = Caller { version, variable, locals, done: 0 };
        caller.block(body);
        caller.done
    })
}

/// Who makes the calls.
struct Caller<'v> {
    version: &'v Version,
    variable: LocalId,
    locals: &'v mut Vec<Local>,
    /// How many calls are in place now.
    done: usize,
}

impl Caller<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in mem::take(&mut block.stmts) {
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
        let of_parameters = |part: &Expr| match part.kind {
            ExprKind::Local(id) => id.index() < helper.params,
            ExprKind::Call(..) => false,
            _ => is_of_present(part),
        };
        let mut value =
            value.filter(|value| args.iter().all(is_simple) && !value.any(&|part| !of_parameters(part)))?.clone();
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
        if !simple || !self.is_wanted(args) || !is_straight(helper) {
            return None;
        }
        let stmts = in_place(helper, &Call { targets, args, span: stmt.span }, self.locals)?;
        self.done += 1;
        Some(stmts)
    }
}

/// Whether a plain helper goes from its first statement to its last, without loops, and makes nothing.
fn is_straight(helper: &Procedure) -> bool {
    let Some(body) = helper.body.as_ref().filter(|_| is_plain(helper)) else { return false };
    let others = match body.stmts.split_last() {
        Some((Stmt { kind: StmtKind::Return(_), .. }, others)) => others,
        _ => &body.stmts[..],
    };
    let is_step = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(_, rhs) => matches!(rhs, Rhs::Expr(_)),
        StmtKind::Call { .. } | StmtKind::If(..) => true,
        _ => false,
    };
    let mut all = true;
    others.iter().for_each(|stmt| stmt.walk(&mut |inner| all &= is_step(inner)));
    all
}
