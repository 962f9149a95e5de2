//! The names in one procedure.
//!
//! Invariant: what is in sight where is as in `lang_l::resolve`: a contract sees parameters, `ensures` results too; a `var` is
//! seen behind its first value and up to the end of its block; what is assigned and nothing else is a local of the whole body.

use super::Kind;
use super::tables::Builder;
use lang_l::ast::{Block, Call, Expr, ExprKind, Procedure, Rhs, Spec, Stmt, StmtKind};
use lang_l::source::Span;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The parameters of a procedure, by name.
pub(super) type Params = HashMap<String, usize>;

/// One procedure while it is being walked.
pub(super) struct Body<'b, 'm> {
    builder: &'b mut Builder<'m>,
    procedure: usize,
    versions: BTreeSet<usize>,
    /// What is in sight, the innermost last.
    scope: HashMap<String, Vec<usize>>,
    /// What is to go out of sight when blocks close.
    hidden: Vec<String>,
    /// In a contract `old` and its like are no calls.
    contract: bool,
}

impl<'b, 'm> Body<'b, 'm> {
    /// All of a procedure. Returns its parameters.
    pub(super) fn walk(
        builder: &'b mut Builder<'m>,
        procedure: &Procedure,
        symbol: usize,
        versions: &BTreeSet<usize>,
    ) -> Params {
        let mut body = Body::new(builder, symbol, versions.clone());
        body.variables(Kind::Parameter, procedure);
        let params = body.scope.iter().filter_map(|(name, ids)| Some((name.clone(), *ids.first()?))).collect();
        for spec in &procedure.specs {
            match spec {
                Spec::Requires(condition, _) => body.clause(condition),
                Spec::Modifies(places, _) => places.iter().for_each(|place| body.clause(place)),
                Spec::Ensures(..) => {}
            }
        }
        body.variables(Kind::Result, procedure);
        for spec in &procedure.specs {
            if let Spec::Ensures(condition, _) = spec {
                body.clause(condition);
            }
        }
        if let Some(block) = &procedure.body {
            body.assigned(block);
            body.block(block);
        }
        params
    }

    /// A condition over the parameters of a procedure.
    pub(super) fn condition(builder: &'b mut Builder<'m>, condition: &Expr, procedure: usize, params: Params) {
        let versions = builder.index.symbols[procedure].versions.clone();
        let mut body = Body::new(builder, procedure, versions);
        body.scope = params.into_iter().map(|(name, symbol)| (name, vec![symbol])).collect();
        body.clause(condition);
    }

    fn new(builder: &'b mut Builder<'m>, procedure: usize, versions: BTreeSet<usize>) -> Self {
        Body { builder, procedure, versions, scope: HashMap::new(), hidden: Vec::new(), contract: false }
    }

    fn variables(&mut self, kind: Kind, procedure: &Procedure) {
        let list = if kind == Kind::Result { &procedure.results } else { &procedure.params };
        for param in list {
            let symbol = self.declare(kind, &param.name.text, param.name.span);
            // Of two with one name, which is a mistake, the first counts.
            self.scope.entry(param.name.text.clone()).or_insert_with(|| vec![symbol]);
            param.ty.iter().for_each(|ty| self.builder.ty(ty));
        }
    }

    fn declare(&mut self, kind: Kind, name: &str, span: Span) -> usize {
        let symbol = self.builder.add(kind, name, span, Some(self.procedure));
        self.builder.index.symbols[symbol].versions.clone_from(&self.versions);
        symbol
    }

    fn see(&mut self, name: &str, symbol: usize) {
        self.scope.entry(name.to_string()).or_default().push(symbol);
        self.hidden.push(name.to_string());
    }

    fn close(&mut self, mark: usize) {
        for name in self.hidden.drain(mark..) {
            self.scope.get_mut(&name).map(Vec::pop);
        }
    }

    fn visible(&self, name: &str) -> Option<usize> {
        let local = self.scope.get(name).and_then(|known| known.last());
        let global = || self.versions.iter().find_map(|&version| self.builder.globals.get(version)?.get(name));
        local.or_else(global).copied()
    }

    /// The locals that come to be by assignment alone.
    fn assigned(&mut self, block: &Block) {
        let mut mentioned = Mentioned::default();
        mentioned.block(block);
        for (name, span) in mentioned.assigned {
            if !mentioned.declared.contains(name) && self.visible(name).is_none() {
                let symbol = self.declare(Kind::Local, name, span);
                self.scope.insert(name.to_string(), vec![symbol]);
            }
        }
    }

    fn clause(&mut self, condition: &Expr) {
        let before = std::mem::replace(&mut self.contract, true);
        self.expr(condition);
        self.contract = before;
    }

    fn block(&mut self, block: &Block) {
        let mark = self.hidden.len();
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.close(mark);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Var { name, ty, init } => {
                ty.iter().for_each(|ty| self.builder.ty(ty));
                init.iter().for_each(|init| self.rhs(init));
                let symbol = self.declare(Kind::Local, &name.text, name.span);
                self.see(&name.text, symbol);
            }
            StmtKind::Assign { place, rhs } => {
                match &place.kind {
                    ExprKind::Name(name) => self.name(name, place.span, true),
                    ExprKind::Field(object, name) => {
                        self.expr(object);
                        self.builder.member(object.span, name, &self.versions, true);
                    }
                    _ => self.expr(place),
                }
                self.rhs(rhs);
            }
            StmtKind::CallAssign { targets, call } => {
                targets.iter().for_each(|target| self.name(&target.text, target.span, true));
                self.call(call);
            }
            StmtKind::Call(call) => self.call(call),
            StmtKind::If { cond, then, els } => {
                self.expr(cond);
                self.block(then);
                els.iter().for_each(|els| self.block(els));
            }
            StmtKind::While { cond, invariants, body } => {
                self.expr(cond);
                invariants.iter().for_each(|invariant| self.clause(invariant));
                self.block(body);
            }
            StmtKind::Return(values) => values.iter().for_each(|value| self.expr(value)),
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => self.clause(condition),
            StmtKind::Break | StmtKind::Continue | StmtKind::Skip => {}
        }
    }

    fn rhs(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Expr(expr) => self.expr(expr),
            Rhs::New { class, .. } => class.iter().for_each(|class| self.builder.class_name(&class.text, class.span)),
            Rhs::NewArray { element, length, .. } => {
                self.builder.ty(element);
                self.expr(length);
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, writes: bool) {
        if let Some(symbol) = self.visible(name) {
            self.builder.mention(symbol, span, writes);
        }
    }

    fn call(&mut self, call: &Call) {
        let special = matches!(call.callee.text.as_str(), "old" | "fresh" | "reach");
        if !(special && (self.contract || !self.builder.has_procedure(&call.callee.text, &self.versions))) {
            self.builder.callee(&call.callee, &self.versions);
        }
        call.args.iter().for_each(|arg| self.expr(arg));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, expr.span, false),
            ExprKind::Field(object, name) => {
                self.expr(object);
                self.builder.member(object.span, name, &self.versions, false);
            }
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Call(call) => self.call(call),
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Cond(cond, then, els) => [cond, then, els].into_iter().for_each(|part| self.expr(part)),
            ExprKind::Quant { var, ty, body, .. } => {
                self.builder.ty(ty);
                let symbol = self.declare(Kind::Bound, &var.text, var.span);
                let mark = self.hidden.len();
                self.see(&var.text, symbol);
                self.expr(body);
                self.close(mark);
            }
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null | ExprKind::Error => {}
        }
    }
}

/// The names that a body assigns, and those that it declares.
#[derive(Default)]
struct Mentioned<'a> {
    assigned: Vec<(&'a str, Span)>,
    declared: HashSet<&'a str>,
}

impl<'a> Mentioned<'a> {
    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Var { name, .. } => {
                    self.declared.insert(&name.text);
                }
                StmtKind::Assign { place, .. } => {
                    if let ExprKind::Name(name) = &place.kind {
                        self.assigned.push((name, place.span));
                    }
                }
                StmtKind::CallAssign { targets, .. } => {
                    self.assigned.extend(targets.iter().map(|target| (target.text.as_str(), target.span)));
                }
                StmtKind::If { then, els, .. } => {
                    self.block(then);
                    els.iter().for_each(|els| self.block(els));
                }
                StmtKind::While { body, .. } => self.block(body),
                _ => {}
            }
        }
    }
}
