//! Whether what is handed over has the shape that it should: every name is there, and every value of the type it is used as.
//!
//! In: a [`Dossier`]. Out: that it can be looked at, or what is wrong with it.
//!
//! Nothing is learnt here about what programs do. The source is legal as it was resolved; the lowered program and what is said of
//! it may come from anywhere.
//!
//! Invariant: what has this shape leads the kernel to an answer, and never out of a table.

use super::Dossier;
use crate::effects::{Effects, is_loop};
use crate::fact::field_of;
use crate::rejection::{Rejection, reject};
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit,
};
use smt::term::{Selector, Sort};

/// Whether a dossier can be looked at, with the source after its cuts.
///
/// # Errors
/// What is wrong with it.
pub(super) fn check(dossier: &Dossier<'_>, source: &Unit) -> Result<(), Rejection> {
    let Dossier { lowered, simulations, effects, .. } = dossier;
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
            && own.changes_only_if.iter().all(|own| own.can_be_said(self.unit, self.code))
    }

    fn callee(&self, id: ProcId) -> Option<&Procedure> {
        self.unit.versions[self.version].procedures.get(id.index())
    }

    fn local(&self, id: LocalId) -> Option<&Type> {
        self.code.locals.get(id.index()).map(|local| &local.ty)
    }

    /// Whether a value of one type may go to where one of another is. What is declared with a type is of that type then, and it is among what
    /// a quantifier over the type speaks of (rule *Instances*).
    fn flows(&self, found: &Type, needed: &Type) -> bool {
        // A `ref` may be anything where there are classes. Else it is an object, and no array.
        let any = *needed == Type::Ref && found.is_reference() && !self.unit.classes.is_empty();
        found == needed || any || faults::planted("kernel/shape/types")
    }

    /// The same of what an expression gives; null goes to all references.
    fn goes(&self, value: &Expr, needed: &Type) -> bool {
        (value.kind == ExprKind::Null && needed.is_reference()) || self.flows(&value.ty, needed)
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
                StmtKind::Assign(place, Rhs::Expr(value)) => self.takes(place, |ty| self.goes(value, ty)),
                StmtKind::Assign(place, Rhs::New(class)) => {
                    let there = class.is_none_or(|class| class.index() < self.unit.classes.len());
                    let made = class.map_or(Type::Ref, Type::Class);
                    there && self.takes(place, |ty| self.flows(&made, ty))
                }
                StmtKind::Assign(place, Rhs::NewArray(element, length)) => {
                    let made = Type::Array(Box::new(element.clone()));
                    length.ty == Type::Int && self.takes(place, |ty| self.flows(&made, ty))
                }
                StmtKind::Call { targets, callee, args } => self.is_call(*callee, args).is_some_and(|code| {
                    let results = &code.locals[code.params..code.params + code.results];
                    let takes =
                        |(target, result): (&Place, &Local)| self.takes(target, |ty| self.flows(&result.ty, ty));
                    targets.is_empty() || (targets.len() == results.len() && targets.iter().zip(results).all(takes))
                }),
                StmtKind::If(condition, ..) | StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                    condition.ty == Type::Bool
                }
                StmtKind::While { cond, invariants, .. } => invariants.iter().chain([cond]).all(|e| e.ty == Type::Bool),
                StmtKind::Return(values) => {
                    let results = &self.code.locals[self.code.params..self.code.params + self.code.results];
                    let go = |(value, result): (&Expr, &Local)| self.goes(value, &result.ty);
                    values.is_empty() || (values.len() == results.len() && values.iter().zip(results).all(go))
                }
                StmtKind::Break | StmtKind::Continue => true,
            }
    }

    /// The procedure that is called with these arguments, if it can be.
    fn is_call(&self, callee: ProcId, args: &[Expr]) -> Option<&Procedure> {
        let code = self.callee(callee)?;
        let known = code.params.checked_add(code.results).is_some_and(|known| known <= code.locals.len());
        let go = |(arg, param): (&Expr, &Local)| self.goes(arg, &param.ty);
        (known && args.len() == code.params && args.iter().zip(&code.locals).all(go)).then_some(code)
    }

    /// Whether what is of a type that satisfies a condition can be assigned to a place; its parts are looked at elsewhere.
    fn takes(&self, place: &Place, fits: impl Fn(&Type) -> bool) -> bool {
        let ty = match place {
            Place::Local(id) => self.local(*id),
            Place::Global(id) => self.unit.globals.get(id.index()).map(|global| &global.ty),
            Place::Field(object, field) => field_of(self.unit, &object.ty, *field),
            Place::Index(array, index) => cell(array, index),
        };
        ty.is_some_and(fits)
    }

    /// Whether the parts of an expression are there, and of the types that it takes, and it is of the type that it gives.
    fn is_expr(&self, expr: &Expr) -> bool {
        let own = Sort::from(&expr.ty);
        let sort = |part: &Expr| Sort::from(&part.ty);
        let is = match &expr.kind {
            ExprKind::Int(_) => own == Sort::Int,
            ExprKind::Bool(_) => own == Sort::Bool,
            ExprKind::Null => own == Sort::Ref,
            ExprKind::Local(id) => self.code.locals.get(id.index()).is_some_and(|local| local.ty == expr.ty),
            ExprKind::Global(id) => self.unit.globals.get(id.index()).is_some_and(|global| global.ty == expr.ty),
            ExprKind::Field(object, field) => field_of(self.unit, &object.ty, *field) == Some(&expr.ty),
            ExprKind::Index(array, index) => cell(array, index) == Some(&expr.ty),
            ExprKind::Length(array) => own == Sort::Int && array.ty.is_reference(),
            ExprKind::Unary(UnOp::Neg, a) => (own, sort(a)) == (Sort::Int, Sort::Int),
            ExprKind::Unary(UnOp::Not, a) => (own, sort(a)) == (Sort::Bool, Sort::Bool),
            ExprKind::Binary(op, a, b) => operands(*op, sort(a)) == Some(own) && sort(a) == sort(b),
            ExprKind::Cond(cond, a, b) => {
                sort(cond) == Sort::Bool && [a, b].iter().all(|part| self.goes(part, &expr.ty))
            }
            ExprKind::Call(callee, args) => self
                .is_call(*callee, args)
                .is_some_and(|code| code.results == 1 && code.locals[code.params].ty == expr.ty),
            ExprKind::Old(a) => self.goes(a, &expr.ty),
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

/// The type of what an array holds.
fn cell<'t>(array: &'t Expr, index: &Expr) -> Option<&'t Type> {
    match &array.ty {
        Type::Array(element) if index.ty == Type::Int => Some(element),
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
