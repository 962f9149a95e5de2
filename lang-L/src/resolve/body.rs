//! Procedures and statements.
//!
//! In: [`ast::Procedure`]. Out: [`hir::Procedure`] with provisional types (see `settle`).
//!
//! Invariant: parameters, then results, are the first locals; a contract sees no other local but those it binds itself.

use super::Context;
use super::declare::Signature;
use super::names::{Mentioned, Scope};
use super::types::{Ty, provisional, provisional_ty};
use crate::ast::{self, Spec};
use crate::hir::{self, Expr, ExprKind, LocalId, Place, Rhs, Stmt, StmtKind};
use crate::source::Span;
use crate::source::diagnostic::{Diagnostic, counted};
use std::collections::HashSet;

/// What may stand in an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Ordinary code: calls.
    Code,
    /// Contracts, `assert`, `assume`, `when`: `old`, `fresh`, `reach` and quantifiers, but no calls.
    Contract,
    /// Inside `old`: as in contracts, but neither `old` nor `fresh`.
    Old,
    /// `modifies`: neither calls nor any form that contracts have beyond ordinary code.
    Modifies,
}

/// One procedure while it is being walked.
pub(super) struct Body<'c, 'a> {
    pub(super) cx: &'c mut Context<'a>,
    pub(super) version: usize,
    pub(super) signature: Signature<'a>,
    pub(super) locals: Vec<hir::Local>,
    pub(super) scope: Scope<'a>,
    pub(super) mode: Mode,
    pub(super) mentioned: Mentioned<'a>,
    /// Unknown names, each of which is reported once.
    pub(super) unknown: HashSet<&'a str>,
    /// How many loops are around the current statement.
    loops: usize,
}

/// Resolves one procedure.
pub(super) fn procedure(cx: &mut Context, version: usize, at: usize) -> hir::Procedure {
    let signature = cx.names[version].signatures[at].clone();
    let declaration = signature.declaration;
    let mut body = Body::new(cx, version, signature.clone());
    body.add_variables(&declaration.params, &signature.params);
    body.add_variables(&declaration.results, &signature.results);

    body.see_variables(0, &declaration.params);
    let (mut requires, mut ensures, mut modifies) = (Vec::new(), Vec::new(), None);
    for spec in &declaration.specs {
        match spec {
            Spec::Requires(condition, _) => requires.push(body.condition(condition, Mode::Contract)),
            Spec::Modifies(places, span) => {
                let clause = modifies.get_or_insert_with(|| hir::Modifies { places: Vec::new(), span: *span });
                for place in places {
                    let why = "`modifies` names objects";
                    clause.places.push(body.in_mode(Mode::Modifies, |body| body.reference(place, *span, why)));
                }
            }
            Spec::Ensures(..) => {}
        }
    }
    body.see_variables(declaration.params.len(), &declaration.results);
    for spec in &declaration.specs {
        if let Spec::Ensures(condition, _) = spec {
            ensures.push(body.condition(condition, Mode::Contract));
        }
    }
    body.add_assigned();
    let code = declaration.body.as_ref().map(|block| body.block(block));
    hir::Procedure {
        name: declaration.name.text.clone(),
        locals: body.locals,
        params: declaration.params.len(),
        results: declaration.results.len(),
        requires,
        ensures,
        modifies,
        body: code,
        origin: hir::Origin::Source,
        name_span: declaration.name.span,
        span: declaration.span,
    }
}

impl<'c, 'a> Body<'c, 'a> {
    fn new(cx: &'c mut Context<'a>, version: usize, signature: Signature<'a>) -> Self {
        Body {
            cx,
            version,
            mentioned: Mentioned::of(signature.declaration.body.as_ref()),
            signature,
            locals: Vec::new(),
            scope: Scope::default(),
            mode: Mode::Code,
            unknown: HashSet::new(),
            loops: 0,
        }
    }

    /// A procedure whose parameters alone are visible, for the condition of an `equiv`; it may bind more locals.
    pub(super) fn over_params(
        cx: &'c mut Context<'a>,
        version: usize,
        signature: Signature<'a>,
        locals: Vec<hir::Local>,
    ) -> Self {
        let params = &signature.declaration.params;
        let mut body = Body::new(cx, version, signature);
        body.locals = locals;
        body.see_variables(0, params);
        body
    }

    pub(super) fn local_ty(&self, id: LocalId) -> Ty {
        provisional_ty(&self.locals[id.index()].ty)
    }

    pub(super) fn add_local(&mut self, name: &str, ty: Ty, span: Span) -> LocalId {
        let id = LocalId(u32::try_from(self.locals.len()).unwrap_or(u32::MAX));
        self.locals.push(hir::Local { name: name.to_owned(), ty: provisional(ty), span });
        id
    }

    fn add_variables(&mut self, params: &'a [ast::Param], types: &[Ty]) {
        for (param, &ty) in params.iter().zip(types) {
            self.add_local(&param.name.text, ty, param.name.span);
        }
    }

    /// Makes parameters or results visible, whose locals start at `from`. Of two with one name, which was reported, the
    /// first counts.
    fn see_variables(&mut self, from: usize, params: &'a [ast::Param]) {
        for (at, param) in params.iter().enumerate() {
            if self.scope.find(&param.name.text).is_none() {
                self.scope.declare(&param.name.text, LocalId(u32::try_from(from + at).unwrap_or(u32::MAX)));
            }
        }
    }

    /// The locals that come to be by assignment alone.
    fn add_assigned(&mut self) {
        for (name, span) in std::mem::take(&mut self.mentioned.assigned) {
            let known = self.scope.find(name).is_some()
                || self.mentioned.declared.contains_key(name)
                || self.cx.names[self.version].globals.contains_key(name);
            if !known {
                let ty = self.cx.types.open(span);
                let id = self.add_local(name, ty, span);
                self.scope.declare(name, id);
            }
        }
    }

    fn block(&mut self, block: &'a ast::Block) -> hir::Block {
        let mark = self.scope.open();
        let stmts = block.stmts.iter().filter_map(|stmt| self.stmt(stmt)).collect();
        self.scope.close(mark);
        hir::Block { stmts, span: block.span }
    }

    /// A statement; `None` when nothing is left of it, or it was reported.
    fn stmt(&mut self, stmt: &'a ast::Stmt) -> Option<Stmt> {
        let kind = match &stmt.kind {
            ast::StmtKind::Var { name, ty, init } => self.declaration(name, ty.as_ref(), init.as_ref())?,
            ast::StmtKind::Assign { place, rhs } => match self.place(place) {
                Some((place, ty)) => StmtKind::Assign(place, self.rhs(rhs, ty)?),
                None => {
                    let ty = self.cx.types.wrong(place.span);
                    self.rhs(rhs, ty);
                    return None;
                }
            },
            ast::StmtKind::CallAssign { targets, call } => self.call_assign(targets, call)?,
            ast::StmtKind::Call(call) => {
                let (callee, args) = self.call(call)?;
                StmtKind::Call { targets: Vec::new(), callee, args }
            }
            ast::StmtKind::If { cond, then, els } => {
                let cond = self.condition(cond, Mode::Code);
                let then = self.block(then);
                let els = match els {
                    Some(block) => self.block(block),
                    None => hir::Block { stmts: Vec::new(), span: stmt.span },
                };
                StmtKind::If(cond, then, els)
            }
            ast::StmtKind::While { cond, invariants, body } => {
                let cond = self.condition(cond, Mode::Code);
                let invariants = invariants.iter().map(|expr| self.condition(expr, Mode::Contract)).collect();
                self.loops += 1;
                let body = self.block(body);
                self.loops -= 1;
                StmtKind::While { cond, invariants, body }
            }
            ast::StmtKind::Return(values) => self.return_values(values, stmt.span)?,
            ast::StmtKind::Break | ast::StmtKind::Continue if self.loops == 0 => {
                let word = if matches!(stmt.kind, ast::StmtKind::Break) { "break" } else { "continue" };
                self.cx.report(Diagnostic::new("E0404", stmt.span, format!("`{word}` outside a loop"), "no loop here"));
                return None;
            }
            ast::StmtKind::Break => StmtKind::Break,
            ast::StmtKind::Continue => StmtKind::Continue,
            ast::StmtKind::Assert(cond) => StmtKind::Assert(self.condition(cond, Mode::Contract)),
            ast::StmtKind::Assume(cond) => StmtKind::Assume(self.condition(cond, Mode::Contract)),
            ast::StmtKind::Skip => return None,
        };
        Some(Stmt { kind, span: stmt.span })
    }

    fn declaration(
        &mut self,
        name: &'a ast::Name,
        ty: Option<&ast::Type>,
        init: Option<&'a ast::Rhs>,
    ) -> Option<StmtKind> {
        let ty = match ty {
            Some(ty) => super::declare::written_type(self.cx, self.version, ty),
            None => self.cx.types.open(name.span),
        };
        // The variable is not yet visible in its own first value.
        let rhs = init.map(|rhs| self.rhs(rhs, ty));
        if let Some(first) = self.scope.find(&name.text) {
            let message = format!("`{}` is already a variable here", name.text);
            let first = self.locals[first.index()].span;
            self.cx.report(Diagnostic::new("E0206", name.span, message, "declared again").also(first, "already known"));
        }
        let id = self.add_local(&name.text, ty, name.span);
        self.scope.declare(&name.text, id);
        match rhs {
            Some(rhs) => Some(StmtKind::Assign(Place::Local(id), rhs?)),
            None if self.loops == 0 => None,
            // Each turn of a loop has a variable of its own, which starts from the default of its type; see `settle`.
            None => {
                let default = Expr { kind: ExprKind::Null, ty: provisional(ty), span: name.span };
                Some(StmtKind::Assign(Place::Local(id), Rhs::Expr(default)))
            }
        }
    }

    fn call_assign(&mut self, targets: &'a [ast::Name], call: &'a ast::Call) -> Option<StmtKind> {
        let mut seen: Vec<&ast::Name> = Vec::new();
        for target in targets {
            if let Some(first) = seen.iter().find(|name| name.text == target.text) {
                let message = format!("`{}` would get two results", target.text);
                self.cx.report(Diagnostic::new("E0412", target.span, message, "again").also(first.span, "first"));
            }
            seen.push(target);
        }
        let places: Vec<_> = targets.iter().map(|name| self.name_place(&name.text, name.span)).collect();
        let (callee, args) = self.call(call)?;
        let Signature { declaration, results, .. } = &self.cx.names[self.version].signatures[callee.index()];
        let (results, declared) = (results.clone(), declaration.name.span);
        if results.len() != targets.len() {
            let (name, have) = (&call.callee.text, counted(results.len(), "result"));
            let message = format!("`{name}` has {have}, but {} are assigned", targets.len());
            self.cx.report(Diagnostic::new("E0408", call.span, message, have).also(declared, "declared here"));
            return None;
        }
        let mut known = Vec::new();
        for ((place, target), result) in places.into_iter().zip(targets).zip(results) {
            let (place, ty) = place?;
            let outcome = self.cx.types.flow(result, ty);
            self.cx.check(outcome, target.span);
            known.push(place);
        }
        Some(StmtKind::Call { targets: known, callee, args })
    }

    fn return_values(&mut self, values: &'a [ast::Expr], span: Span) -> Option<StmtKind> {
        let results = self.signature.results.clone();
        if !values.is_empty() && values.len() != results.len() {
            values.iter().for_each(|value| {
                self.expr(value);
            });
            let declared = self.signature.declaration.name.span;
            let (have, given) = (counted(results.len(), "result"), counted(values.len(), "value"));
            let message = format!("{given} returned, but `{}` has {have}", self.signature.declaration.name.text);
            self.cx.report(Diagnostic::new("E0403", span, message, given).also(declared, "declared here").help(
                if results.is_empty() {
                    "what is returned is declared in the head, as in `returns (r: int)`"
                } else {
                    "a `return` without values returns what the results hold"
                },
            ));
            return None;
        }
        let values = values.iter().zip(results).map(|(value, result)| self.expr_to(value, result)).collect();
        Some(StmtKind::Return(values))
    }
}
