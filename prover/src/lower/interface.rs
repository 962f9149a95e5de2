//! Internal procedures get the parameters and results that matter, and no others.
//!
//! In: the procedures of one version, lowered, and which of them are *internal*: called by this version alone, and not compared
//! with anything for their own sake. Out: the same procedures; an internal one has lost the parameters whose value is known
//! without them or does not matter, and the results that are known or that nobody looks at; its callers are changed alike.
//!
//! So a loop and a recursive helper, or two helpers of which one takes a parameter more, come to be called alike where they
//! do the same.
//!
//! Invariant (rule *Interface*, `proofs/soundness.md`): every procedure that is not internal does what it did.

use super::fresh_local;
use super::is_loop;
use super::loops::SpokenOf;
use super::needed::needed;
use super::values::{Literal, Returned, known};
use super::visit::{as_call, assigns, may_err, mentioned, pinned, rename, replace};
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// What becomes of the parameters and results of a procedure, by position.
#[derive(Clone, Debug)]
struct Change {
    params: Vec<Param>,
    results: Vec<Result>,
}

/// What becomes of a parameter.
#[derive(Clone, Debug, PartialEq)]
enum Param {
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
enum Result {
    Kept,
    /// Nobody looks at it.
    Dropped,
    /// The caller knows it.
    Literal(Literal),
    /// The caller gave it as this argument.
    Param(usize),
}

/// Slims the internal procedures of one version.
pub(super) fn slim(procedures: &mut [Procedure], internal: &BTreeSet<ProcId>, spoken_of: &SpokenOf) {
    let known = known(procedures, internal);
    let changes = (0u32..).map(ProcId).zip(procedures.iter()).map(|(id, procedure)| {
        let pinned = pinned(procedure, spoken_of);
        let known = &known[id.index()];
        let param = |(at, local): (usize, LocalId)| match (known.literal(at), known.twin(at)) {
            _ if pinned.contains(&local) || !internal.contains(&id) => Param::Kept,
            (Some(literal), _) => Param::Literal(literal.clone()),
            (None, Some(twin)) => Param::Twin(twin),
            (None, None) => Param::Kept,
        };
        let result = |(at, local): (usize, LocalId)| match known.returned(at) {
            _ if pinned.contains(&local) || !internal.contains(&id) => Result::Kept,
            Returned::Literal(literal) => Result::Literal(literal.clone()),
            Returned::Param(at) => Result::Param(*at),
            Returned::Nothing | Returned::Anything => Result::Kept,
        };
        Change {
            params: procedure.param_ids().enumerate().map(param).collect(),
            results: procedure.result_ids().enumerate().map(result).collect(),
        }
    });
    let changes: Vec<Change> = changes.collect();
    apply(procedures, &changes);

    let needed = needed(procedures, internal, spoken_of);
    let changes = needed.into_iter().map(|needed| Change {
        params: needed.params.into_iter().map(|needed| if needed { Param::Kept } else { Param::Dropped }).collect(),
        results: needed.results.into_iter().map(|needed| if needed { Result::Kept } else { Result::Dropped }).collect(),
    });
    let changes: Vec<Change> = changes.collect();
    apply(procedures, &changes);
}

fn apply(procedures: &mut [Procedure], changes: &[Change]) {
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
                Param::Literal(literal) => literal.kind(),
                Param::Twin(at) => ExprKind::Local(LocalId(u32::try_from(*at).unwrap_or(u32::MAX))),
                Param::Kept | Param::Dropped => return None,
            };
            Some(set(Place::Local(id), value, procedure.local(id).ty.clone(), start))
        });
        body.stmts.splice(0..0, prologue.collect::<Vec<_>>());
        procedure.body = Some(body);
        let keeps = |at: usize| own.params.get(at).is_some_and(|param| *param == Param::Kept);
        let results = |at: usize| own.results.get(at).is_some_and(|result| *result == Result::Kept);
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
                Param::Literal(literal) if !assigns(body, id) => replace(&mut ensures, id, &literal.kind()),
                _ => {}
            }
        }
        let mut spoken_of = BTreeSet::new();
        mentioned(&ensures, &mut spoken_of);
        let gone = |params: bool, at: usize| {
            if params { own.params[at] != Param::Kept } else { own.results[at] != Result::Kept }
        };
        let params = procedure.param_ids().enumerate().filter(|(at, id)| gone(true, *at) || assigns(body, *id));
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
    rename(procedure, &to);
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
        if let Some((targets, callee, args)) = as_call(&stmt)
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
                    if *result == Result::Kept {
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
                Result::Kept => kept_targets.push(target.clone()),
                Result::Dropped => {}
                Result::Literal(literal) => after.push(set(target.clone(), literal.kind(), ty.clone(), span)),
                Result::Param(at) => {
                    let value = self.save(args[*at].clone(), out);
                    after.push(set(target.clone(), ExprKind::Local(value), ty.clone(), span));
                }
            }
        }
        let mut kept_args = Vec::new();
        for (arg, param) in args.into_iter().zip(&change.params) {
            if *param == Param::Kept {
                kept_args.push(arg);
            } else if may_err(&arg) {
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
        self.params.iter().any(|param| *param != Param::Kept) || self.results.iter().any(|r| *r != Result::Kept)
    }
}
