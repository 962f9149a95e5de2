//! Whether what is handed over has the shape that it should: every name is there, and every value of the sort it is used as.
//!
//! In: a [`Dossier`]. Out: that it can be looked at, or what is wrong with it.
//!
//! Nothing is learnt here about what programs do. The source is legal as it was resolved; the lowered program and what is said of
//! it may come from anywhere.
//!
//! Invariant: what has this shape leads the kernel to an answer, and never out of a table.

use super::Dossier;
use crate::effects::{Effects, is_loop};
use crate::rejection::{Rejection, reject};
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit,
};
use smt::term::{Selector, Sort};

/// Whether a dossier can be looked at.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(dossier: &Dossier<'_>) -> Result<(), Rejection> {
    let Dossier { source, lowered, simulations, effects, .. } = dossier;
    let tables =
        (&source.classes, &source.fields, &source.globals) == (&lowered.classes, &lowered.fields, &lowered.globals);
    if !tables || source.versions.len() < 2 || source.versions.len() != lowered.versions.len() {
        return reject("the lowered program is not one of this source");
    }
    for version in 0..2 {
        let procedures = &lowered.versions[version].procedures;
        if effects[version].len() != procedures.len() || simulations[version].len() != procedures.len() {
            return reject("something is said of procedures that there are not");
        }
        for (at, (code, own)) in procedures.iter().zip(effects[version]).enumerate() {
            // What the source has is called from any store: nothing but its `requires` holds there.
            let of_source = at < source.versions[version].procedures.len();
            if of_source == is_loop(code) || (of_source && !own.entry.is_empty()) {
                return reject(format!("more is said of {} than that it is a procedure of the source", code.name));
            }
            let shape = Shape { unit: lowered, version, code };
            if !shape.is_procedure() || !shape.has_effects(own) {
                return reject(format!("{}, or what is said of it, makes no sense", code.name));
            }
        }
    }
    Ok(())
}

/// Whether an expression is a condition on the parameters of a procedure.
pub(super) fn is_condition(unit: &Unit, version: usize, id: ProcId, condition: &Expr) -> bool {
    let shape = Shape { unit, version, code: unit.procedure(version, id) };
    let is_wrong = |part: &Expr| match part.kind {
        ExprKind::Local(local) if local.index() >= shape.code.params => true,
        _ => !shape.is_expr(part),
    };
    condition.ty == Type::Bool && !condition.any(&is_wrong)
}

/// Whether an expression is a condition that can be said on the entry of a procedure.
pub(super) fn is_said(unit: &Unit, version: usize, id: ProcId, condition: &Expr) -> bool {
    let shape = Shape { unit, version, code: unit.procedure(version, id) };
    condition.ty == Type::Bool && shape.is_expr(condition)
}

/// A procedure of the lowered program.
struct Shape<'a> {
    unit: &'a Unit,
    version: usize,
    code: &'a Procedure,
}

impl Shape<'_> {
    fn is_procedure(&self) -> bool {
        let code = self.code;
        code.params.checked_add(code.results).is_some_and(|known| known <= code.locals.len())
            && code.contract_exprs().all(|part| self.is_expr(part))
            && code.body.as_ref().is_none_or(|body| self.is_block(body))
    }

    /// Whether what is said of it alone can be.
    fn has_effects(&self, own: &Effects) -> bool {
        let field = |selector: &Selector| match selector {
            Selector::Field(field) => field.index() < self.unit.fields.len(),
            Selector::Cell(_) => true,
        };
        let reference = |at: &usize| *at < self.code.params && self.code.locals[*at].ty.is_reference();
        let globals = own.globals.iter().chain(&own.written_globals);
        let exprs = own.modifies.iter().flatten().chain(&own.entry).chain(&own.exit);
        own.writes.iter().chain(&own.accesses).all(field)
            && globals.into_iter().all(|global| global.index() < self.unit.globals.len())
            && own.callees.iter().all(|callee| self.callee(*callee).is_some())
            && own.errs_only_if_null.iter().flatten().chain(&own.errs_if_null).all(reference)
            && exprs.into_iter().all(|expr| self.is_expr(expr))
            && own.entry.iter().all(|condition| is_timeless(condition, self.code.params))
            && own.exit.iter().all(|condition| is_timeless(condition, self.code.params + self.code.results))
    }

    fn callee(&self, id: ProcId) -> Option<&Procedure> {
        self.unit.versions[self.version].procedures.get(id.index())
    }

    fn local(&self, id: LocalId) -> Option<Sort> {
        self.code.locals.get(id.index()).map(|local| Sort::from(&local.ty))
    }

    fn is_block(&self, block: &Block) -> bool {
        block.stmts.iter().all(|stmt| self.is_stmt(stmt))
    }

    fn is_stmt(&self, stmt: &Stmt) -> bool {
        let parts = stmt.exprs().into_iter().all(|expr| self.is_expr(expr));
        let blocks = stmt.blocks().into_iter().all(|block| self.is_block(block));
        parts
            && blocks
            && (calls_stand_alone(stmt) || faults::planted("kernel/shape/calls-within"))
            && match &stmt.kind {
                StmtKind::Assign(place, Rhs::Expr(value)) => self.place(place) == Some(Sort::from(&value.ty)),
                StmtKind::Assign(place, Rhs::New(class)) => {
                    let there = class.is_none_or(|class| class.index() < self.unit.classes.len());
                    there && self.place(place) == Some(Sort::Ref)
                }
                StmtKind::Assign(place, Rhs::NewArray(_, length)) => {
                    length.ty == Type::Int && self.place(place) == Some(Sort::Ref)
                }
                StmtKind::Call { targets, callee, args } => {
                    let targets: Vec<Option<Sort>> = targets.iter().map(|target| self.place(target)).collect();
                    self.is_call(*callee, args).is_some_and(|code| {
                        let results = code.locals[code.params..code.params + code.results].iter();
                        targets.is_empty() || targets.into_iter().eq(results.map(|local| Some(Sort::from(&local.ty))))
                    })
                }
                StmtKind::If(condition, ..) | StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                    condition.ty == Type::Bool
                }
                StmtKind::While { cond, invariants, .. } => invariants.iter().chain([cond]).all(|e| e.ty == Type::Bool),
                StmtKind::Return(values) => {
                    let results = self.code.locals[self.code.params..].iter().take(self.code.results);
                    let sorts = values.iter().map(|value| Sort::from(&value.ty));
                    values.is_empty() || sorts.eq(results.map(|local| Sort::from(&local.ty)))
                }
                StmtKind::Break | StmtKind::Continue => true,
            }
    }

    /// The procedure that is called with these arguments, if it can be.
    fn is_call(&self, callee: ProcId, args: &[Expr]) -> Option<&Procedure> {
        let code = self.callee(callee)?;
        let known = code.params.checked_add(code.results).is_some_and(|known| known <= code.locals.len());
        let params = code.locals.iter().take(code.params).map(|local| Sort::from(&local.ty));
        (known && args.iter().map(|arg| Sort::from(&arg.ty)).eq(params)).then_some(code)
    }

    /// The sort of what can be assigned to a place; its parts are looked at elsewhere.
    fn place(&self, place: &Place) -> Option<Sort> {
        match place {
            Place::Local(id) => self.local(*id),
            Place::Global(id) => self.unit.globals.get(id.index()).map(|global| Sort::from(&global.ty)),
            Place::Field(object, field) => {
                let field = self.unit.fields.get(field.index()).filter(|_| object.ty.is_reference());
                field.map(|field| Sort::from(&field.ty))
            }
            Place::Index(array, index) => cell(array, index),
        }
    }

    /// Whether the parts of an expression are there, and of the sorts that it takes, and it is of the sort that it gives.
    fn is_expr(&self, expr: &Expr) -> bool {
        let own = Sort::from(&expr.ty);
        let sort = |part: &Expr| Sort::from(&part.ty);
        let is = match &expr.kind {
            ExprKind::Int(_) => own == Sort::Int,
            ExprKind::Bool(_) => own == Sort::Bool,
            ExprKind::Null => own == Sort::Ref,
            ExprKind::Local(id) => self.code.locals.get(id.index()).is_some_and(|local| local.ty == expr.ty),
            ExprKind::Global(id) => self.unit.globals.get(id.index()).is_some_and(|global| global.ty == expr.ty),
            ExprKind::Field(object, field) => {
                object.ty.is_reference() && self.unit.fields.get(field.index()).is_some_and(|field| field.ty == expr.ty)
            }
            ExprKind::Index(array, index) => cell(array, index) == Some(own),
            ExprKind::Length(array) => own == Sort::Int && array.ty.is_reference(),
            ExprKind::Unary(UnOp::Neg, a) => (own, sort(a)) == (Sort::Int, Sort::Int),
            ExprKind::Unary(UnOp::Not, a) => (own, sort(a)) == (Sort::Bool, Sort::Bool),
            ExprKind::Binary(op, a, b) => operands(*op, sort(a)) == Some(own) && sort(a) == sort(b),
            ExprKind::Cond(cond, a, b) => sort(cond) == Sort::Bool && sort(a) == own && sort(b) == own,
            ExprKind::Call(callee, args) => self
                .is_call(*callee, args)
                .is_some_and(|code| code.results == 1 && Sort::from(&code.locals[code.params].ty) == own),
            ExprKind::Old(a) => sort(a) == own,
            ExprKind::Fresh(a) => own == Sort::Bool && a.ty.is_reference(),
            ExprKind::Reach(a, b) => own == Sort::Bool && a.ty.is_reference() && b.ty.is_reference(),
            ExprKind::Quant { var, body, .. } => {
                own == Sort::Bool && sort(body) == Sort::Bool && self.local(*var).is_some()
            }
        };
        is && expr.parts().into_iter().all(|part| self.is_expr(part))
    }
}

/// Whether a condition speaks of values that no store changes: of the first so many variables, and of lengths. What holds of a loop is
/// assumed of other stores than those in which it was shown.
fn is_timeless(condition: &Expr, variables: usize) -> bool {
    let moves = |part: &Expr| match &part.kind {
        ExprKind::Local(id) => id.index() >= variables,
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null => false,
        kind => !matches!(kind, ExprKind::Length(_) | ExprKind::Unary(..) | ExprKind::Binary(..)),
    };
    condition.ty == Type::Bool && (!condition.any(&moves) || faults::planted("kernel/shape/holds-of-store"))
}

/// Whether a call is all that a statement does, and its results go to variables. Of any other call there would be no path.
fn calls_stand_alone(stmt: &Stmt) -> bool {
    let is_variable = |place: &Place| matches!(place, Place::Local(_) | Place::Global(_));
    let is_free = |expr: &Expr| !expr.any(&|part| matches!(part.kind, ExprKind::Call(..)));
    match &stmt.kind {
        StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(_, args), .. })) => {
            is_variable(place) && args.iter().all(is_free)
        }
        StmtKind::Call { targets, .. } => targets.iter().all(is_variable) && stmt.exprs().into_iter().all(is_free),
        _ => stmt.exprs().into_iter().all(is_free),
    }
}

/// The sort of what an array holds.
fn cell(array: &Expr, index: &Expr) -> Option<Sort> {
    match &array.ty {
        Type::Array(element) if index.ty == Type::Int => Some(Sort::from(element.as_ref())),
        _ => None,
    }
}

/// What an operator gives for operands of a sort; `None` where it takes none of them.
fn operands(op: BinOp, of: Sort) -> Option<Sort> {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => (of == Sort::Int).then_some(Sort::Int),
        BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => (of == Sort::Int).then_some(Sort::Bool),
        BinOp::And | BinOp::Or | BinOp::Implies => (of == Sort::Bool).then_some(Sort::Bool),
        BinOp::Eq | BinOp::Ne => Some(Sort::Bool),
    }
}
