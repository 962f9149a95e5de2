//! The last step: final types and the meaning of `e.f` are written into the tree.
//!
//! In: a [`hir::Unit`] whose types and field ids are provisional. Out: the same unit with the final ones.
//!
//! While procedures are walked, types are still being found out. Until then the tree carries, in place of a type, the index
//! of an entry of `types` (dressed as `Type::Class`, see `provisional`), and in place of a field the index of an access.
//!
//! Invariant: only a unit without errors gets here; afterwards nothing provisional is left.

use super::Context;
use super::access::Outcome;
use super::types::provisional_ty;
use crate::hir::{Block, Expr, ExprKind, FieldId, Place, Rhs, Stmt, StmtKind, Type, Unit};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;

/// Replaces all that is provisional.
pub(super) fn settle(cx: &mut Context, unit: &mut Unit) {
    let mut settler = Settler { cx };
    for field in &mut unit.fields {
        settler.ty(&mut field.ty, field.span);
    }
    for global in &mut unit.globals {
        settler.ty(&mut global.ty, global.span);
    }
    for procedure in unit.versions.iter_mut().flat_map(|version| &mut version.procedures) {
        for local in &mut procedure.locals {
            settler.ty(&mut local.ty, local.span);
        }
        let places = procedure.modifies.iter_mut().flat_map(|modifies| &mut modifies.places);
        for expr in procedure.requires.iter_mut().chain(&mut procedure.ensures).chain(places) {
            settler.expr(expr);
        }
        if let Some(body) = &mut procedure.body {
            settler.block(body);
        }
    }
    for when in unit.equivs.iter_mut().filter_map(|equiv| equiv.when.as_mut()) {
        settler.expr(when);
    }
}

struct Settler<'c, 'a> {
    cx: &'c mut Context<'a>,
}

impl Settler<'_, '_> {
    fn ty(&mut self, ty: &mut Type, span: Span) {
        *ty = self.cx.types.settled(provisional_ty(ty)).unwrap_or_else(|| {
            self.cx.report(Diagnostic::new("E0305", span, "array types nest too deeply", "of this type"));
            Type::Ref
        });
    }

    fn field(&self, access: FieldId) -> Outcome {
        // An access without an outcome was reported, and a unit with errors does not get here.
        self.cx.accesses[access.index()].outcome.unwrap_or(Outcome::Length)
    }

    fn block(&mut self, block: &mut Block) {
        block.stmts.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Assign(place, rhs) => {
                self.place(place);
                match rhs {
                    Rhs::Expr(expr) => self.expr(expr),
                    Rhs::New(_) => {}
                    Rhs::NewArray(element, length) => {
                        self.ty(element, stmt.span);
                        self.expr(length);
                    }
                }
            }
            StmtKind::Call { targets, args, .. } => {
                targets.iter_mut().for_each(|place| self.place(place));
                self.exprs(args);
            }
            StmtKind::If(cond, then, els) => {
                self.expr(cond);
                self.block(then);
                self.block(els);
            }
            StmtKind::While { cond, invariants, body } => {
                self.expr(cond);
                self.exprs(invariants);
                self.block(body);
            }
            StmtKind::Return(values) => self.exprs(values),
            StmtKind::Assert(cond) | StmtKind::Assume(cond) => self.expr(cond),
            StmtKind::Break | StmtKind::Continue => {}
        }
    }

    fn place(&mut self, place: &mut Place) {
        match place {
            Place::Local(_) | Place::Global(_) => {}
            Place::Field(object, field) => {
                self.expr(object);
                if let Outcome::Field(known) = self.field(*field) {
                    *field = known;
                }
            }
            Place::Index(array, index) => {
                self.expr(array);
                self.expr(index);
            }
        }
    }

    fn exprs(&mut self, exprs: &mut [Expr]) {
        exprs.iter_mut().for_each(|expr| self.expr(expr));
    }

    /// Goes down the leftmost operands in a loop, since chains of operators lean left and may be long.
    fn expr(&mut self, expr: &mut Expr) {
        let mut at = expr;
        loop {
            self.ty(&mut at.ty, at.span);
            if let ExprKind::Field(object, field) = &mut at.kind {
                match self.field(*field) {
                    Outcome::Field(known) => *field = known,
                    Outcome::Length => {
                        let nothing = Expr { kind: ExprKind::Null, ty: Type::Ref, span: at.span };
                        let array = std::mem::replace(&mut **object, nothing);
                        at.kind = ExprKind::Length(Box::new(array));
                    }
                }
            }
            // Only the default value that a `var` in a loop starts from is a `null` of another type.
            match (&at.kind, &at.ty) {
                (ExprKind::Null, Type::Int) => at.kind = ExprKind::Int(0.into()),
                (ExprKind::Null, Type::Bool) => at.kind = ExprKind::Bool(false),
                _ => {}
            }
            at = match &mut at.kind {
                ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Local(_) | ExprKind::Global(_) => {
                    return;
                }
                ExprKind::Field(inner, _)
                | ExprKind::Length(inner)
                | ExprKind::Unary(_, inner)
                | ExprKind::Old(inner)
                | ExprKind::Fresh(inner)
                | ExprKind::Quant { body: inner, .. } => inner,
                ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) | ExprKind::Reach(left, right) => {
                    self.expr(right);
                    left
                }
                ExprKind::Cond(cond, then, els) => {
                    self.expr(then);
                    self.expr(els);
                    cond
                }
                ExprKind::Call(_, args) => return self.exprs(args),
            };
        }
    }
}
