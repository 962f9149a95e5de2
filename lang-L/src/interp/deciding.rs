//! Which variables decide how a loop goes on.
//!
//! In: what a loop evaluates at its head, and its body. Out: for each variable of the procedure, whether it is one of these.
//!
//! Deciding is what is tested, handed to a call, read from, or stored to the heap or to a global; what may make an expression err; and
//! whatever such a variable is given. A counter that is only counted on, or a sum that is only added to, decides nothing: around a ring
//! the loop never ends, though the counter is never as it was.

use crate::hir::visit::walk_stmts;
use crate::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Rhs, StmtKind};

/// For each of so many variables, whether it decides how the loop goes on.
pub(super) fn deciding<'h>(count: usize, head: impl IntoIterator<Item = &'h Expr>, body: &'h Block) -> Vec<bool> {
    let mut found = Deciding { variables: vec![false; count] };
    head.into_iter().for_each(|e| found.all_of(e));
    let mut given: Vec<(LocalId, &Expr)> = Vec::new();
    walk_stmts(body, &mut |stmt| match &stmt.kind {
        StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) => {
            found.what_may_err(value);
            given.push((*id, value));
        }
        // The loop is over, whatever is returned.
        StmtKind::Return(_) => {}
        _ => stmt.exprs().into_iter().for_each(|e| found.all_of(e)),
    });
    loop {
        let before = found.variables.clone();
        for (id, value) in &given {
            if found.variables.get(id.index()) == Some(&true) {
                found.all_of(value);
            }
        }
        if found.variables == before {
            return found.variables;
        }
    }
}

struct Deciding {
    variables: Vec<bool>,
}

impl Deciding {
    /// All that an expression looks at.
    fn all_of(&mut self, e: &Expr) {
        e.walk(&mut |part| {
            if let ExprKind::Local(id) = part.kind
                && let Some(decides) = self.variables.get_mut(id.index())
            {
                *decides = true;
            }
        });
    }

    /// What an expression looks at in parts that may err, or call; and where such a part is evaluated only sometimes, what says when.
    fn what_may_err(&mut self, e: &Expr) {
        let parts = e.parts();
        let sometimes = match &e.kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => false,
            ExprKind::Unary(..) => false,
            ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, ..) | ExprKind::Cond(..) => true,
            ExprKind::Binary(BinOp::Div | BinOp::Rem, _, by) => {
                self.all_of(by);
                false
            }
            ExprKind::Binary(..) => false,
            _ => return self.all_of(e),
        };
        if sometimes && parts.iter().skip(1).any(|part| may_err(part)) {
            return self.all_of(e);
        }
        parts.into_iter().for_each(|part| self.what_may_err(part));
    }
}

/// Whether an expression may err or call.
fn may_err(e: &Expr) -> bool {
    e.any(&|part| match &part.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => false,
        ExprKind::Binary(op, ..) => matches!(op, BinOp::Div | BinOp::Rem),
        ExprKind::Unary(..) | ExprKind::Cond(..) => false,
        _ => true,
    })
}
