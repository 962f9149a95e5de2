//! Parameters and results are taken away, at the procedure and at all of its calls.
//!
//! In: the procedures of one version, lowered, and what becomes of each parameter and result. Out: the same procedures with
//! fewer parameters and results; their callers are changed alike.
//!
//! Two passes decide what goes: [`super::constants`] finds values that are known, [`super::dead_parameters`] those that do not
//! matter. So a loop and a recursive helper, or two helpers of which one takes a parameter more, come to be called alike where
//! they do the same.
//!
//! Invariant (rule *Interface*, `proofs/soundness.md`): every procedure that is not internal does what it did.

use super::draft::fresh_local;
use super::errors::may_err;
use super::is_loop;
use lang_l::hir::visit::walk_locals_mut;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Literal {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Int(BigInt),
}

impl Literal {
    /// What a variable of the type holds before it is assigned.
    pub(super) fn default_of(ty: &Type) -> Self {
        match ty {
            Type::Int => Literal::Int(BigInt::ZERO),
            Type::Bool => Literal::Bool(false),
            Type::Ref | Type::Class(_) | Type::Array(_) => Literal::Null,
        }
    }

    /// The literal as an expression.
    pub(super) fn kind(&self) -> ExprKind {
        match self {
            Literal::Null => ExprKind::Null,
            Literal::Bool(value) => ExprKind::Bool(*value),
            Literal::Int(value) => ExprKind::Int(value.clone()),
        }
    }
}

/// What becomes of the parameters and results of a procedure, by position.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The parameters.
    pub(super) params: Vec<ParamChange>,
    /// The results.
    pub(super) results: Vec<ResultChange>,
}

/// What becomes of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ParamChange {
    /// Nothing.
    Kept,
    /// It is a variable from now on, and whatever it holds does not matter.
    Dropped,
    /// It is a variable that starts as this.
    Literal(Literal),
    /// It is a variable that starts as this parameter.
    Twin(usize),
}

/// What becomes of a result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ResultChange {
    /// Nothing.
    Kept,
    /// Nobody looks at it.
    Dropped,
    /// The caller knows it.
    Literal(Literal),
}

/// Changes the interfaces of procedures, and their calls and returns alike.
pub(super) fn apply(procedures: &mut [Procedure], changes: &[Change]) {
    let types = |p: &Procedure| -> Vec<Type> { p.result_ids().map(|id| p.local(id).ty.clone()).collect() };
    let results: Vec<Vec<Type>> = procedures.iter().map(types).collect();
    for (procedure, own) in procedures.iter_mut().zip(changes) {
        let Some(body) = procedure.body.take() else { continue };
        if is_loop(procedure) {
            procedure.ensures = still_ensured(procedure, &body, own);
        }
        let mut body = Rewrite { procedure, own, changes, results: &results }.block(body);
        let start = procedure.name_span;
        let prologue = own.params.iter().zip(procedure.param_ids()).filter_map(|(param, id)| {
            let value = match param {
                ParamChange::Literal(literal) => literal.kind(),
                ParamChange::Twin(at) => ExprKind::Local(LocalId(u32::try_from(*at).unwrap_or(u32::MAX))),
                ParamChange::Kept | ParamChange::Dropped => return None,
            };
            Some(set(Place::Local(id), value, procedure.local(id).ty.clone(), start))
        });
        if !faults::planted("lower/arguments/prologue-forgotten") {
            body.stmts.splice(0..0, prologue.collect::<Vec<_>>());
        }
        procedure.body = Some(body);
        let keeps = |at: usize| own.params.get(at).is_some_and(|param| *param == ParamChange::Kept);
        let results = |at: usize| own.results.get(at).is_some_and(|result| *result == ResultChange::Kept);
        let params: Vec<usize> = (0..procedure.params).filter(|&at| keeps(at)).collect();
        let results: Vec<usize> = (0..procedure.results).filter(|&at| results(at)).collect();
        arrange(procedure, &params, &results);
    }
}

/// What a loop ensures of the parameters and results it keeps: what it ensured, with literals in place of parameters that are
/// literals. A caller takes a parameter in an `ensures` for what it gave, so none may be spoken of that the loop assigns.
fn still_ensured(procedure: &Procedure, body: &Block, own: &Change) -> Vec<Expr> {
    let sayable = |ensures: &Expr| -> Option<Expr> {
        let mut ensures = ensures.clone();
        for (param, id) in own.params.iter().zip(procedure.param_ids()) {
            match param {
                ParamChange::Literal(literal) if !body.assigns(id) => ensures.walk_mut(&mut |part| {
                    if part.kind == ExprKind::Local(id) {
                        part.kind = literal.kind();
                    }
                }),
                _ => {}
            }
        }
        let mut spoken_of = BTreeSet::new();
        ensures.collect_locals(&mut spoken_of);
        let gone = |params: bool, at: usize| {
            if params { own.params[at] != ParamChange::Kept } else { own.results[at] != ResultChange::Kept }
        };
        let params = procedure.param_ids().enumerate().filter(|(at, id)| gone(true, *at) || body.assigns(*id));
        let results = procedure.result_ids().enumerate().filter(|(at, _)| gone(false, *at));
        let mut lost = params.chain(results).map(|(_, id)| id);
        lost.all(|id| !spoken_of.contains(&id)).then_some(ensures)
    };
    procedure.ensures.iter().filter_map(sayable).collect()
}

/// Makes these, in this order, the parameters and results; those left out become variables.
pub(super) fn arrange(procedure: &mut Procedure, params: &[usize], results: &[usize]) {
    let front: Vec<usize> =
        params.iter().copied().chain(results.iter().map(|result| procedure.params + result)).collect();
    let rest = (0..procedure.locals.len()).filter(|at| !front.contains(at));
    let order: Vec<usize> = front.iter().copied().chain(rest).collect();
    let mut to = vec![LocalId(0); order.len()];
    for (new, &old) in (0u32..).zip(&order) {
        to[old] = LocalId(new);
    }
    walk_locals_mut(procedure, &mut |id| *id = to[id.index()]);
    procedure.locals = order.iter().map(|&old| procedure.locals[old].clone()).collect();
    (procedure.params, procedure.results) = (params.len(), results.len());
}

fn set(place: Place, kind: ExprKind, ty: Type, span: Span) -> Stmt {
    Stmt { kind: StmtKind::Assign(place, Rhs::Expr(Expr { kind, ty, span })), span }
}

/// Changes the calls and returns in the body of a procedure.
struct Rewrite<'a> {
    procedure: &'a mut Procedure,
    own: &'a Change,
    changes: &'a [Change],
    /// The types of the results each procedure had.
    results: &'a [Vec<Type>],
}

impl Rewrite<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in block.stmts {
            self.stmt(stmt, &mut stmts);
        }
        Block { stmts, span: block.span }
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        if let Some((targets, callee, args)) = stmt.as_call()
            && self.changes[callee.index()].changes()
        {
            let (targets, args) = (targets.to_vec(), args.to_vec());
            return self.call(targets, callee, args, stmt.span, out);
        }
        let kind = match stmt.kind {
            StmtKind::If(cond, then, els) => StmtKind::If(cond, self.block(then), self.block(els)),
            StmtKind::Return(values) if !values.is_empty() => {
                let mut kept = Vec::new();
                for (value, result) in values.into_iter().zip(&self.own.results) {
                    if *result == ResultChange::Kept {
                        kept.push(value);
                    } else if may_err(&value) {
                        self.save(value, out);
                    }
                }
                StmtKind::Return(kept)
            }
            kind => kind,
        };
        out.push(Stmt { kind, span: stmt.span });
    }

    /// Arguments are evaluated without effects, and all errors are one: it does not matter which comes first.
    fn call(&mut self, targets: Vec<Place>, callee: ProcId, args: Vec<Expr>, span: Span, out: &mut Vec<Stmt>) {
        let change = &self.changes[callee.index()];
        let mut kept_targets = Vec::new();
        let mut after = Vec::new();
        let types = &self.results[callee.index()];
        for ((target, result), ty) in targets.iter().zip(&change.results).zip(types) {
            match result {
                ResultChange::Kept => kept_targets.push(target.clone()),
                ResultChange::Dropped => {}
                ResultChange::Literal(literal) => after.push(set(target.clone(), literal.kind(), ty.clone(), span)),
            }
        }
        let mut kept_args = Vec::new();
        for (arg, param) in args.into_iter().zip(&change.params) {
            if *param == ParamChange::Kept {
                kept_args.push(arg);
            } else if may_err(&arg) && !faults::planted("lower/arguments/error-dropped") {
                self.save(arg, out);
            }
        }
        out.push(Stmt { kind: StmtKind::Call { targets: kept_targets, callee, args: kept_args }, span });
        out.append(&mut after);
    }

    /// The value of an expression now, as a variable.
    fn save(&mut self, value: Expr, out: &mut Vec<Stmt>) -> LocalId {
        let name = format!("t@{}", self.procedure.locals.len());
        let id = fresh_local(self.procedure, name, value.ty.clone(), value.span);
        let span = value.span;
        out.push(Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(value)), span });
        id
    }
}

impl Change {
    fn changes(&self) -> bool {
        self.params.iter().any(|param| *param != ParamChange::Kept)
            || self.results.iter().any(|r| *r != ResultChange::Kept)
    }
}
