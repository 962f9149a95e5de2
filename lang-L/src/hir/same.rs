//! Whether two procedures are the same code, or two statements of one are.
//!
//! In: two procedures, usually of the two versions of a [`crate::hir::Unit`]. Out: whether they differ in nothing but places
//! and the names of variables.
//!
//! Invariant: parameters and results correspond by position; other locals one to one, as they are met; so the same code run
//! from the same store does the same, if the callees that correspond do.

use crate::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type};
use crate::stack::deep;
use std::collections::HashMap;

/// Whether the procedures have the same contract and the same code; `callee_eq(p, q)` says whether a call of `p` in `a` and
/// one of `q` in `b` count as the same. External procedures are the same when they have the same name.
pub fn same_code(a: &Procedure, b: &Procedure, callee_eq: impl Fn(ProcId, ProcId) -> bool) -> bool {
    deep(|| same_here(a, b, callee_eq))
}

/// Whether two procedures can be called alike, and compared.
pub fn same_signature(a: &Procedure, b: &Procedure) -> bool {
    let types = |p: &Procedure| -> Vec<Type> {
        p.locals.iter().take(p.params + p.results).map(|local| local.ty.clone()).collect()
    };
    (a.params, a.results) == (b.params, b.results) && types(a) == types(b) && a.body.is_some() == b.body.is_some()
}

/// Whether two statements of one procedure are the same code, with the same variables.
pub fn same_stmt(of: &Procedure, one: &Stmt, other: &Stmt) -> bool {
    deep(|| {
        let mut same = Same { a: of, b: of, to: HashMap::new(), from: HashMap::new(), callee_eq: |p, q| p == q };
        same.stmt(one, other) && same.to.iter().all(|(a, b)| a == b)
    })
}

fn same_here(a: &Procedure, b: &Procedure, callee_eq: impl Fn(ProcId, ProcId) -> bool) -> bool {
    if (a.params, a.results) != (b.params, b.results) {
        return false;
    }
    let mut same = Same { a, b, to: HashMap::new(), from: HashMap::new(), callee_eq };
    a.param_ids().chain(a.result_ids()).all(|id| same.local(id, id))
        && same.exprs(&a.requires, &b.requires)
        && same.exprs(&a.ensures, &b.ensures)
        && match (&a.modifies, &b.modifies) {
            (Some(a), Some(b)) => same.exprs(&a.places, &b.places),
            (a, b) => a.is_none() && b.is_none(),
        }
        && match (&a.body, &b.body) {
            (Some(a), Some(b)) => same.block(a, b),
            (None, None) => a.name == b.name,
            _ => false,
        }
}

struct Same<'p, F> {
    a: &'p Procedure,
    b: &'p Procedure,
    to: HashMap<LocalId, LocalId>,
    from: HashMap<LocalId, LocalId>,
    callee_eq: F,
}

impl<F: Fn(ProcId, ProcId) -> bool> Same<'_, F> {
    fn local(&mut self, a: LocalId, b: LocalId) -> bool {
        self.a.local(a).ty == self.b.local(b).ty
            && *self.to.entry(a).or_insert(b) == b
            && *self.from.entry(b).or_insert(a) == a
    }

    fn block(&mut self, a: &Block, b: &Block) -> bool {
        a.stmts.len() == b.stmts.len() && a.stmts.iter().zip(&b.stmts).all(|(a, b)| self.stmt(a, b))
    }

    fn stmt(&mut self, a: &Stmt, b: &Stmt) -> bool {
        match (&a.kind, &b.kind) {
            (StmtKind::Assign(a, x), StmtKind::Assign(b, y)) => self.place(a, b) && self.rhs(x, y),
            (StmtKind::Call { targets: a, callee: p, args: x }, StmtKind::Call { targets: b, callee: q, args: y }) => {
                (self.callee_eq)(*p, *q)
                    && a.len() == b.len()
                    && a.iter().zip(b).all(|(a, b)| self.place(a, b))
                    && self.exprs(x, y)
            }
            (StmtKind::If(a, then_a, else_a), StmtKind::If(b, then_b, else_b)) => {
                self.expr(a, b) && self.block(then_a, then_b) && self.block(else_a, else_b)
            }
            (
                StmtKind::While { cond: a, invariants: x, body: left },
                StmtKind::While { cond: b, invariants: y, body: right },
            ) => self.expr(a, b) && self.exprs(x, y) && self.block(left, right),
            (StmtKind::Return(a), StmtKind::Return(b)) => self.exprs(a, b),
            (StmtKind::Assert(a), StmtKind::Assert(b)) | (StmtKind::Assume(a), StmtKind::Assume(b)) => self.expr(a, b),
            (StmtKind::Break, StmtKind::Break) | (StmtKind::Continue, StmtKind::Continue) => true,
            _ => false,
        }
    }

    fn place(&mut self, a: &Place, b: &Place) -> bool {
        match (a, b) {
            (Place::Local(a), Place::Local(b)) => self.local(*a, *b),
            (Place::Global(a), Place::Global(b)) => a == b,
            (Place::Field(a, f), Place::Field(b, g)) => f == g && self.expr(a, b),
            (Place::Index(a, i), Place::Index(b, j)) => self.expr(a, b) && self.expr(i, j),
            _ => false,
        }
    }

    fn rhs(&mut self, a: &Rhs, b: &Rhs) -> bool {
        match (a, b) {
            (Rhs::Expr(a), Rhs::Expr(b)) => self.expr(a, b),
            (Rhs::New(a), Rhs::New(b)) => a == b,
            (Rhs::NewArray(a, n), Rhs::NewArray(b, m)) => a == b && self.expr(n, m),
            _ => false,
        }
    }

    fn exprs(&mut self, a: &[Expr], b: &[Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.expr(a, b))
    }

    fn expr(&mut self, a: &Expr, b: &Expr) -> bool {
        match (&a.kind, &b.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => a == b,
            (ExprKind::Bool(a), ExprKind::Bool(b)) => a == b,
            (ExprKind::Null, ExprKind::Null) => true,
            (ExprKind::Local(a), ExprKind::Local(b)) => self.local(*a, *b),
            (ExprKind::Global(a), ExprKind::Global(b)) => a == b,
            (ExprKind::Field(a, f), ExprKind::Field(b, g)) => f == g && self.expr(a, b),
            (ExprKind::Length(a), ExprKind::Length(b))
            | (ExprKind::Old(a), ExprKind::Old(b))
            | (ExprKind::Fresh(a), ExprKind::Fresh(b)) => self.expr(a, b),
            (ExprKind::Index(a, x), ExprKind::Index(b, y)) | (ExprKind::Reach(a, x), ExprKind::Reach(b, y)) => {
                self.expr(a, b) && self.expr(x, y)
            }
            (ExprKind::Unary(p, a), ExprKind::Unary(q, b)) => p == q && self.expr(a, b),
            (ExprKind::Binary(p, a, x), ExprKind::Binary(q, b, y)) => p == q && self.expr(a, b) && self.expr(x, y),
            (ExprKind::Cond(a, x, u), ExprKind::Cond(b, y, v)) => self.expr(a, b) && self.expr(x, y) && self.expr(u, v),
            (ExprKind::Call(p, x), ExprKind::Call(q, y)) => (self.callee_eq)(*p, *q) && self.exprs(x, y),
            (ExprKind::Quant { forall: p, var: v, body: a }, ExprKind::Quant { forall: q, var: w, body: b }) => {
                p == q && self.local(*v, *w) && self.expr(a, b)
            }
            _ => false,
        }
    }
}
