//! A loop that breaks off and says so in place of returning, so that something can be done between the loop and the return.
//!
//! In: a loop. Out: the loop with `left := true; break;` in place of a `return`, what has to stand before it, and what has to stand behind
//! it and behind all that is to be done first. Where a loop returns in one place and stores something right before, that
//! stands there as it is written. Otherwise the values are kept, by `kept := E;` before the loop is left.
//!
//! Rule *Promotion* (`proofs/soundness.md`). A loop within that is left like this is followed by `if (left) { break; }`, and nothing
//! else runs on the way out. `left` and `kept` are new variables.

use super::variables::{added, default};
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Place, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use std::{iter, mem};

/// What stands before and behind a loop that breaks off where it returned.
pub(super) struct Around {
    pub(super) before: Vec<Stmt>,
    pub(super) behind: Stmt,
    /// Whether something is stored behind it, in the heap or a global, before it is returned.
    pub(super) stores: bool,
}

/// Has a loop break off where it returns from a procedure with these results, as the loop of this number that does; `None` where it does not
/// return.
pub(super) fn break_off(
    stmt: &mut Stmt,
    number: usize,
    results: &[LocalId],
    locals: &mut Vec<Local>,
) -> Option<Around> {
    let span = stmt.span;
    let mut found = Vec::new();
    stmt.blocks().into_iter().for_each(|block| returns(block, &mut found));
    if found.is_empty() {
        return None;
    }
    let stores = matches!(&found[..], [only] if only.iter().any(is_store));
    let of_results: Vec<Local> = results.iter().map(|id| locals[id.index()].clone()).collect();
    let mut fresh = |name: String, ty: Type| added(locals, Local { name, ty, span });
    let left = fresh(format!("left@{number}"), Type::Bool);
    let kept = of_results.into_iter().filter(|_| !stores);
    let kept: Vec<LocalId> = kept.map(|own| fresh(format!("left@{number}.{}", own.name), own.ty)).collect();
    let mut way_out = WayOut { locals, results, left, kept: &kept, moved: stores.then(Vec::new) };
    stmt.blocks_mut().into_iter().for_each(|block| {
        way_out.become_breaks(block);
    });
    let all = iter::once(&left).chain(&kept);
    let before = all.map(|&id| way_out.assign(id, default(way_out.ty(id), span), span)).collect();
    let values = kept.iter().map(|&id| way_out.value(id, span)).collect();
    let last = way_out.moved.take().unwrap_or_else(|| vec![Stmt { kind: StmtKind::Return(values), span }]);
    Some(Around { before, behind: way_out.where_left(last, span), stores })
}

/// Adds the assignments right before each return in a block.
fn returns<'b>(block: &'b Block, found: &mut Vec<&'b [Stmt]>) {
    for (at, stmt) in block.stmts.iter().enumerate() {
        if matches!(stmt.kind, StmtKind::Return(_)) {
            found.push(&block.stmts[assigned_last(&block.stmts[..at])..at]);
        }
        stmt.blocks().into_iter().for_each(|inner| returns(inner, found));
    }
}

/// Where the assignments begin with which some statements end.
fn assigned_last(stmts: &[Stmt]) -> usize {
    let last = stmts.iter().rposition(|stmt| !matches!(stmt.kind, StmtKind::Assign(..)));
    last.map_or(0, |at| at + 1)
}

fn is_store(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Assign(Place::Field(..) | Place::Index(..) | Place::Global(_), _))
}

/// What the returns of a loop become.
struct WayOut<'r> {
    locals: &'r [Local],
    results: &'r [LocalId],
    /// Whether the loop was left.
    left: LocalId,
    /// What is to be returned then, unless the return is moved.
    kept: &'r [LocalId],
    /// The return that is moved, with the assignments before it.
    moved: Option<Vec<Stmt>>,
}

impl WayOut<'_> {
    /// Whether there were any in a block.
    fn become_breaks(&mut self, block: &mut Block) -> bool {
        let mut found = false;
        for mut stmt in mem::take(&mut block.stmts) {
            let span = stmt.span;
            if let StmtKind::Return(values) = stmt.kind {
                found = true;
                self.come_to(block, values, span);
                continue;
            }
            let mut within = false;
            for inner in stmt.blocks_mut() {
                within |= self.become_breaks(inner);
            }
            let is_loop = matches!(stmt.kind, StmtKind::While { .. });
            block.stmts.push(stmt);
            if within && is_loop {
                block.stmts.push(self.where_left(vec![Stmt { kind: StmtKind::Break, span }], span));
            }
            found |= within;
        }
        found
    }

    /// A return of these values, behind a block.
    fn come_to(&mut self, block: &mut Block, values: Vec<Expr>, span: Span) {
        if let Some(moved) = &mut self.moved {
            *moved = block.stmts.split_off(assigned_last(&block.stmts));
            moved.push(Stmt { kind: StmtKind::Return(values), span });
        } else {
            let own = self.results.iter().map(|&id| self.value(id, span));
            let values: Vec<Expr> = if values.is_empty() { own.collect() } else { values };
            let kept = self.kept.iter().zip(values);
            block.stmts.extend(kept.map(|(&id, value)| self.assign(id, Rhs::Expr(value), span)));
        }
        let yes = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span };
        block.stmts.push(self.assign(self.left, Rhs::Expr(yes), span));
        block.stmts.push(Stmt { kind: StmtKind::Break, span });
    }

    /// `if (left) { … }`
    fn where_left(&self, stmts: Vec<Stmt>, span: Span) -> Stmt {
        let (then, els) = (Block { stmts, span }, Block { stmts: Vec::new(), span });
        Stmt { kind: StmtKind::If(self.value(self.left, span), then, els), span }
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
