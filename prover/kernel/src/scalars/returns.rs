//! A loop that breaks off and says so in place of returning, so that something can be done between the loop and the return.
//!
//! In: a loop. Out: the loop with `kept := E; left := true; break;` in place of each `return E;`, what has to stand before it, and the
//! return that has to stand behind it and all that is to be done first. `left` and `kept` are new variables.
//!
//! Rule *Promotion* (`proofs/soundness.md`). A loop within that is left like this is followed by `if (left) { break; }`, and nothing
//! else runs on the way out.

use super::helpers::default;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use std::{iter, mem};

/// What stands before and behind a loop that breaks off where it returned.
pub(super) struct Frame {
    pub(super) before: Vec<Stmt>,
    pub(super) behind: Stmt,
}

/// Has a loop break off where it returns from a procedure with these results, as the so-manieth that does; `None` where it does not
/// return.
pub(super) fn break_off(stmt: &mut Stmt, number: usize, results: &[LocalId], locals: &mut Vec<Local>) -> Option<Frame> {
    let span = stmt.span;
    if !stmt.blocks().into_iter().any(|block| block.any(&|inner| matches!(inner.kind, StmtKind::Return(_)))) {
        return None;
    }
    let of_results: Vec<Local> = results.iter().map(|id| locals[id.index()].clone()).collect();
    let mut fresh = |name: String, ty: Type| {
        locals.push(Local { name, ty, span });
        LocalId(u32::try_from(locals.len() - 1).unwrap_or(u32::MAX))
    };
    let left = fresh(format!("left@{number}"), Type::Bool);
    let kept = of_results.into_iter().map(|own| fresh(format!("left@{number}.{}", own.name), own.ty));
    let kept: Vec<LocalId> = kept.collect();
    let returns = Returns { locals, results, left, kept: &kept };
    stmt.blocks_mut().into_iter().for_each(|block| {
        returns.become_breaks(block);
    });
    let all = iter::once(&left).chain(&kept);
    let before = all.map(|&id| returns.assign(id, default(returns.ty(id), span), span)).collect();
    let values = kept.iter().map(|&id| returns.value(id, span)).collect();
    let behind = returns.where_left(StmtKind::Return(values), span);
    Some(Frame { before, behind })
}

/// What the returns of a loop become.
struct Returns<'r> {
    locals: &'r [Local],
    results: &'r [LocalId],
    /// Whether the loop was left.
    left: LocalId,
    /// What is to be returned then.
    kept: &'r [LocalId],
}

impl Returns<'_> {
    /// Whether there were any in a block.
    fn become_breaks(&self, block: &mut Block) -> bool {
        let mut found = false;
        for mut stmt in mem::take(&mut block.stmts) {
            let span = stmt.span;
            if let StmtKind::Return(values) = stmt.kind {
                found = true;
                let own = self.results.iter().map(|&id| self.value(id, span));
                let values: Vec<Expr> = if values.is_empty() { own.collect() } else { values };
                let kept = self.kept.iter().zip(values);
                block.stmts.extend(kept.map(|(&id, value)| self.assign(id, Rhs::Expr(value), span)));
                let yes = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span };
                block.stmts.push(self.assign(self.left, Rhs::Expr(yes), span));
                block.stmts.push(Stmt { kind: StmtKind::Break, span });
                continue;
            }
            // Each block is looked at.
            let within = stmt.blocks_mut().into_iter().fold(false, |any, inner| self.become_breaks(inner) || any);
            let is_loop = matches!(stmt.kind, StmtKind::While { .. });
            block.stmts.push(stmt);
            if within && is_loop {
                block.stmts.push(self.where_left(StmtKind::Break, span));
            }
            found |= within;
        }
        found
    }

    /// `if (left) { … }`
    fn where_left(&self, kind: StmtKind, span: Span) -> Stmt {
        let then = Block { stmts: vec![Stmt { kind, span }], span };
        Stmt { kind: StmtKind::If(self.value(self.left, span), then, Block { stmts: Vec::new(), span }), span }
    }

    fn assign(&self, id: LocalId, value: Rhs, span: Span) -> Stmt {
        Stmt { kind: StmtKind::Assign(Place::Local(id), value), span }
    }

    fn value(&self, id: LocalId, span: Span) -> Expr {
        Expr { kind: ExprKind::Local(id), ty: self.ty(id), span }
    }

    fn ty(&self, id: LocalId) -> Type {
        self.locals[id.index()].ty.clone()
    }
}
