//! Expressions, places and calls of one procedure.
//!
//! In: [`ast::Expr`]. Out: [`hir::Expr`] with provisional types (see `settle`).
//!
//! Invariant: an expression that was reported has a type that agrees with everything.

use super::access;
use super::body::{Body, Mode};
use super::declare::{Signature, class_named, written_type};
use super::foreign;
use super::suggest::nearest;
use super::types::{Reason, Shape, Ty, provisional, provisional_ty};
use super::{CONDITION, LOGIC, NEGATION};
use crate::ast;
use crate::hir::{self, BinOp, Expr, ExprKind, Place, ProcId, Rhs, UnOp};
use crate::source::Span;
use crate::source::diagnostic::{Diagnostic, counted};

/// What a name stands for.
enum Variable {
    Local(hir::LocalId),
    Global(hir::GlobalId),
}

fn make(kind: ExprKind, ty: Ty, span: Span) -> Expr {
    Expr { kind, ty: provisional(ty), span }
}

fn ty_of(expr: &Expr) -> Ty {
    provisional_ty(&expr.ty)
}

/// Whether an operator says which of two numbers is the greater one.
fn is_order(op: BinOp) -> bool {
    matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

impl<'a> Body<'_, 'a> {
    /// An expression whose value goes to a place of type `needed`.
    pub(super) fn expr_to(&mut self, expr: &'a ast::Expr, needed: Ty) -> Expr {
        let value = self.expr(expr);
        let outcome = self.cx.types.flow(ty_of(&value), needed);
        self.cx.check(outcome, expr.span);
        value
    }

    /// An expression that must have this shape.
    pub(super) fn expr_as(&mut self, expr: &'a ast::Expr, shape: Shape, span: Span, why: &'static str) -> Expr {
        let needed = self.cx.types.add(shape, span, why);
        self.expr_to(expr, needed)
    }

    /// A condition of `if`, `while`, `assert`, contracts and the like.
    pub(super) fn condition(&mut self, expr: &'a ast::Expr, mode: Mode) -> Expr {
        self.in_mode(mode, |body| body.expr_as(expr, Shape::Bool, expr.span, CONDITION))
    }

    pub(super) fn in_mode<T>(&mut self, mode: Mode, walk: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.mode, mode);
        let result = walk(self);
        self.mode = before;
        result
    }

    /// Any expression. Goes down the leftmost operands in a loop, since chains of operators lean left and may be long.
    pub(super) fn expr(&mut self, expr: &'a ast::Expr) -> Expr {
        let (mut at, mut chain) = (expr, Vec::new());
        while let ast::ExprKind::Binary(_, inner, _) | ast::ExprKind::Field(inner, _) | ast::ExprKind::Index(inner, _) =
            &at.kind
        {
            chain.push(at);
            at = inner;
        }
        let mut value = self.simple(at);
        while let Some(outer) = chain.pop() {
            value = match &outer.kind {
                ast::ExprKind::Binary(op, _, right) => self.binary(*op, value, right, outer.span),
                ast::ExprKind::Index(_, index) => {
                    let (element, index) = self.index(&value, index);
                    make(ExprKind::Index(Box::new(value), Box::new(index)), element, outer.span)
                }
                ast::ExprKind::Field(_, name) => {
                    let (field, ty) = self.field(&value, name, false);
                    make(ExprKind::Field(Box::new(value), field), ty, outer.span)
                }
                _ => unreachable!("the loop above collects these three forms"),
            };
        }
        value
    }

    fn simple(&mut self, expr: &'a ast::Expr) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Int(number) => {
                let ty = self.cx.types.add(Shape::Int, span, "it is a number");
                make(ExprKind::Int(number.clone()), ty, span)
            }
            ast::ExprKind::Bool(truth) => {
                let ty = self.cx.types.add(Shape::Bool, span, "it is a truth value");
                make(ExprKind::Bool(*truth), ty, span)
            }
            ast::ExprKind::Null => {
                let ty = self.cx.types.add(Shape::Open(true), span, "`null` is a reference");
                make(ExprKind::Null, ty, span)
            }
            ast::ExprKind::Name(name) => match self.variable(name, span) {
                Some(variable) => self.read(&variable, span),
                None => self.wrong(span),
            },
            ast::ExprKind::Call(call) => self.call_value(call),
            ast::ExprKind::Unary(op, inner) => {
                let (shape, why) = match op {
                    UnOp::Neg => (Shape::Int, "arithmetic is on `int`"),
                    UnOp::Not => (Shape::Bool, NEGATION),
                };
                let inner = self.expr_as(inner, shape, span, why);
                let ty = self.cx.types.add(shape, span, why);
                make(ExprKind::Unary(*op, Box::new(inner)), ty, span)
            }
            ast::ExprKind::Cond(cond, then, els) => self.choice(cond, then, els, span),
            ast::ExprKind::Quant { forall, var, ty, body } => self.quantifier(*forall, var, ty, body, span),
            ast::ExprKind::Error => {
                self.cx.incomplete = true;
                self.wrong(span)
            }
            ast::ExprKind::Binary(..) | ast::ExprKind::Field(..) | ast::ExprKind::Index(..) => {
                unreachable!("`expr` takes these apart")
            }
        }
    }

    /// Stands for an expression that was reported.
    fn wrong(&mut self, span: Span) -> Expr {
        let ty = self.cx.types.wrong(span);
        make(ExprKind::Null, ty, span)
    }

    fn read(&mut self, variable: &Variable, span: Span) -> Expr {
        match *variable {
            Variable::Local(id) => make(ExprKind::Local(id), self.local_ty(id), span),
            Variable::Global(id) => make(ExprKind::Global(id), provisional_ty(&self.cx.globals[id.index()].ty), span),
        }
    }

    /// What a name stands for; reported when it is nothing.
    fn variable(&mut self, name: &'a str, span: Span) -> Option<Variable> {
        if let Some(id) = self.scope.find(name) {
            return Some(Variable::Local(id));
        }
        if let Some(id) = self.cx.names[self.version].globals.get(name) {
            return Some(Variable::Global(*id));
        }
        if self.unknown.insert(name) {
            let diagnostic = self.unknown_variable(name, span);
            self.cx.report(diagnostic);
        }
        None
    }

    fn unknown_variable(&self, name: &str, span: Span) -> Diagnostic {
        let elsewhere = |message: String, at: Span, label: &str| {
            Diagnostic::new("E0207", span, message, "not known here").also(at, label)
        };
        if let Some(result) = self.signature.declaration.results.iter().find(|result| result.name.text == name) {
            let message = format!("`{name}` is a result, which has no value on entry");
            return elsewhere(message, result.name.span, "the result");
        }
        if let Some(declared) = self.mentioned.declared.get(name) {
            let message = format!("`{name}` is not in scope here");
            return elsewhere(message, *declared, "it is known from here to the end of its block");
        }
        if let Some(assigned) = self.mentioned.assigned_at(name) {
            let message = format!("`{name}` is a local of the body, which a contract cannot see");
            return elsewhere(message, assigned, "the local");
        }
        let mut diagnostic =
            Diagnostic::new("E0201", span, format!("nothing assigns or declares `{name}`"), "not known");
        let globals = self.cx.names[self.version].globals.keys().copied();
        diagnostic.suggest(nearest(&self.cx.comparisons, name, self.scope.names().chain(globals)));
        if let Some(advice) = foreign::variable(name) {
            diagnostic = advice.on(diagnostic);
        }
        if let Some(global) = self.cx.globals.iter().find(|global| global.name == name) {
            return diagnostic.also(global.span, "another version declares it");
        }
        diagnostic
    }

    fn field(&mut self, object: &Expr, name: &'a ast::Name, assigned: bool) -> (hir::FieldId, Ty) {
        access::access(self.cx, self.version, (ty_of(object), object.span), name, assigned)
    }

    /// The type of the element, and the index.
    fn index(&mut self, array: &Expr, index: &'a ast::Expr) -> (Ty, Expr) {
        let element = self.cx.types.open(array.span);
        let needed = self.cx.types.add(Shape::Array(element), array.span, "it is indexed");
        let outcome = self.cx.types.unify(ty_of(array), needed);
        if outcome.is_err() {
            self.cx.types.give_up(element, array.span);
        }
        self.cx.check(outcome, array.span);
        (element, self.expr_as(index, Shape::Int, index.span, "it is an index"))
    }

    fn binary(&mut self, op: BinOp, left: Expr, right: &'a ast::Expr, span: Span) -> Expr {
        let (operands, why) = match op {
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::Add | BinOp::Sub => (Shape::Int, "arithmetic is on `int`"),
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => (Shape::Int, "only `int`s have an order"),
            BinOp::And | BinOp::Or | BinOp::Implies => (Shape::Bool, LOGIC),
            BinOp::Eq | BinOp::Ne => {
                let right = self.expr(right);
                let outcome = self.cx.types.meet(ty_of(&right), ty_of(&left));
                self.cx.check(outcome, right.span);
                let ty = self.cx.types.add(Shape::Bool, span, "it is a comparison");
                return make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span);
            }
        };
        let needed = self.cx.types.add(operands, span, why);
        if let Err(clash) = self.cx.types.flow(ty_of(&left), needed) {
            let report = self.cx.describe_clash(&clash, left.span);
            let is_chained = is_order(op) && matches!(&left.kind, ExprKind::Binary(first, ..) if is_order(*first));
            self.cx.report(if is_chained {
                report.help("one comparison at a time: write `a < b && b < c`")
            } else {
                report
            });
        }
        let right = self.expr_as(right, operands, span, why);
        let ty = match is_order(op) {
            true => self.cx.types.add(Shape::Bool, span, "it is a comparison"),
            false => self.cx.types.add(operands, span, why),
        };
        make(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span)
    }

    fn choice(&mut self, cond: &'a ast::Expr, then: &'a ast::Expr, els: &'a ast::Expr, span: Span) -> Expr {
        let cond = self.expr_as(cond, Shape::Bool, cond.span, CONDITION);
        let (then, els) = (self.expr(then), self.expr(els));
        let outcome = self.cx.types.meet(ty_of(&els), ty_of(&then));
        self.cx.check(outcome, els.span);
        let ty = if matches!(self.cx.types.shape(ty_of(&els)), Shape::Ref) { ty_of(&els) } else { ty_of(&then) };
        make(ExprKind::Cond(Box::new(cond), Box::new(then), Box::new(els)), ty, span)
    }

    fn quantifier(
        &mut self,
        forall: bool,
        var: &'a ast::Name,
        ty: &ast::Type,
        body: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let word = if forall { "forall" } else { "exists" };
        match self.mode {
            Mode::Code => self.only_in_contracts(word, span),
            Mode::Modifies => self.not_in_modifies(word, span),
            Mode::Contract | Mode::Old => {}
        }
        let ty = written_type(self.cx, self.version, ty);
        let id = self.add_local(&var.text, ty, var.span);
        let mark = self.scope.open();
        self.scope.declare(&var.text, id);
        let body = self.expr_as(body, Shape::Bool, body.span, CONDITION);
        self.scope.close(mark);
        let truth = self.cx.types.add(Shape::Bool, span, CONDITION);
        make(ExprKind::Quant { forall, var: id, body: Box::new(body) }, truth, span)
    }

    fn only_in_contracts(&mut self, what: &str, span: Span) {
        self.cx.report(
            Diagnostic::new("E0406", span, format!("`{what}` cannot be run"), "not in ordinary code")
                .help("it may stand in `requires`, `ensures`, `invariant`, `assert`, `assume` and `when` only"),
        );
    }

    fn not_in_modifies(&mut self, what: &str, span: Span) {
        self.cx.report(
            Diagnostic::new("E0415", span, format!("`{what}` cannot stand in `modifies`"), "not in a place")
                .help("`modifies` names objects as they are on entry: write places such as `x`, `x.next` or `a[i]`"),
        );
    }

    /// A call as an expression, or one of the forms that look like calls in contracts.
    fn call_value(&mut self, call: &'a ast::Call) -> Expr {
        let span = call.span;
        let name = call.callee.text.as_str();
        let special = matches!(name, "old" | "fresh" | "reach");
        if self.mode != Mode::Code {
            if special {
                return self.special(name, call);
            }
            self.cx.report(
                Diagnostic::new("E0405", span, "a contract cannot call a procedure", "a call")
                    .help("contracts are checked without running anything"),
            );
            return self.wrong(span);
        }
        if special && !self.cx.names[self.version].procedures.contains_key(name) {
            self.only_in_contracts(name, span);
            return self.wrong(span);
        }
        let Some((callee, args)) = self.call(call) else { return self.wrong(span) };
        let Signature { declaration, results, .. } = &self.cx.names[self.version].signatures[callee.index()];
        if let &[result] = results.as_slice() {
            return make(ExprKind::Call(callee, args), result, span);
        }
        let (count, at) = (results.len(), declaration.name.span);
        self.cx.report(
            Diagnostic::new(
                "E0402",
                span,
                format!("`{name}` has {}, and one is needed", counted(count, "result")),
                "its value is used",
            )
            .also(at, "declared here")
            .help(if count == 0 {
                format!("call it as a statement: `{name}(…);`")
            } else {
                format!("take all of them: `x, y := {name}(…);`")
            }),
        );
        self.wrong(span)
    }

    fn special(&mut self, name: &str, call: &'a ast::Call) -> Expr {
        let span = call.span;
        if self.mode == Mode::Modifies {
            self.not_in_modifies(name, span);
            return self.wrong(span);
        }
        if self.mode == Mode::Old && name != "reach" {
            let message = format!("`{name}` cannot stand inside `old`");
            self.cx.report(Diagnostic::new("E0407", span, message, "already on entry"));
            return self.wrong(span);
        }
        match (name, call.args.as_slice()) {
            ("old", [inner]) => {
                let inner = self.in_mode(Mode::Old, |body| body.expr(inner));
                let ty = ty_of(&inner);
                make(ExprKind::Old(Box::new(inner)), ty, span)
            }
            ("fresh", [inner]) => {
                let inner = self.reference(inner, span, "`fresh` is asked of objects");
                let ty = self.cx.types.add(Shape::Bool, span, CONDITION);
                make(ExprKind::Fresh(Box::new(inner)), ty, span)
            }
            ("reach", [from, to]) => {
                let from = self.reference(from, span, "`reach` is asked of objects");
                let to = self.reference(to, span, "`reach` is asked of objects");
                let ty = self.cx.types.add(Shape::Bool, span, CONDITION);
                make(ExprKind::Reach(Box::new(from), Box::new(to)), ty, span)
            }
            (_, args) => {
                let wanted = if name == "reach" { "two arguments" } else { "one argument" };
                let message = format!("`{name}` takes {wanted}, found {}", args.len());
                self.cx.report(Diagnostic::new("E0401", span, message, "in this contract"));
                self.wrong(span)
            }
        }
    }

    /// An expression that must be a reference of any kind.
    pub(super) fn reference(&mut self, expr: &'a ast::Expr, span: Span, why: &'static str) -> Expr {
        let value = self.expr(expr);
        let outcome = self.cx.types.need_reference(ty_of(&value), Reason { span, why });
        self.cx.check(outcome, expr.span);
        value
    }

    /// A call: the callee and the arguments; `None` when it was reported.
    pub(super) fn call(&mut self, call: &'a ast::Call) -> Option<(ProcId, Vec<Expr>)> {
        let args: Vec<Expr> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let names = &self.cx.names[self.version];
        let Some(&callee) = names.procedures.get(call.callee.text.as_str()) else {
            let name = &call.callee;
            let message = format!("there is no procedure `{}`", name.text);
            let mut diagnostic = Diagnostic::new("E0202", name.span, message, "not declared");
            diagnostic.suggest(nearest(&self.cx.comparisons, &name.text, names.procedures.keys().copied()));
            if let Some(advice) = foreign::procedure(&name.text, names.classes.contains_key(name.text.as_str())) {
                diagnostic = advice.on(diagnostic);
            }
            for other in &self.cx.names {
                if let Some(id) = other.procedures.get(name.text.as_str()) {
                    let at = other.signatures[id.index()].declaration.name.span;
                    diagnostic.others.push((at, "another version has it".to_owned()));
                }
            }
            self.cx.report(diagnostic);
            return None;
        };
        let Signature { declaration, params, .. } = &names.signatures[callee.index()];
        let (params, declared) = (params.clone(), declaration.name.span);
        if params.len() != args.len() {
            let (wanted, given) = (params.len(), args.len());
            let message = format!("`{}` takes {}, found {given}", call.callee.text, counted(wanted, "argument"));
            let label = counted(given, "argument");
            self.cx.report(Diagnostic::new("E0401", call.span, message, label).also(declared, "declared here"));
            return None;
        }
        for (arg, param) in args.iter().zip(params) {
            let outcome = self.cx.types.flow(ty_of(arg), param);
            self.cx.check(outcome, arg.span);
        }
        Some((callee, args))
    }

    /// The right side of an assignment, and its type.
    pub(super) fn rhs(&mut self, rhs: &'a ast::Rhs, needed: Ty) -> Option<Rhs> {
        let (value, ty, span) = match rhs {
            ast::Rhs::Expr(expr) => return Some(Rhs::Expr(self.expr_to(expr, needed))),
            ast::Rhs::New { class: None, span } => (
                Rhs::New(None),
                self.cx.types.add(Shape::Ref, *span, "`new` without a class makes a plain object"),
                *span,
            ),
            ast::Rhs::New { class: Some(name), span } => {
                let class = class_named(self.cx, self.version, &name.text, name.span)?;
                (Rhs::New(Some(class)), self.cx.types.add(Shape::Class(class), *span, "`new` makes one"), *span)
            }
            ast::Rhs::NewArray { element, length, span } => {
                let element = written_type(self.cx, self.version, element);
                let length = self.expr_as(length, Shape::Int, length.span, "it is a length");
                let ty = self.cx.types.add(Shape::Array(element), *span, "`new` makes one");
                (Rhs::NewArray(provisional(element), length), ty, *span)
            }
        };
        let outcome = self.cx.types.flow(ty, needed);
        self.cx.check(outcome, span);
        Some(value)
    }

    /// What is assigned to, and its type; `None` when it was reported.
    pub(super) fn place(&mut self, place: &'a ast::Expr) -> Option<(Place, Ty)> {
        match &place.kind {
            ast::ExprKind::Name(name) => self.name_place(name, place.span),
            ast::ExprKind::Field(object, name) => {
                let object = self.expr(object);
                let (field, ty) = self.field(&object, name, true);
                Some((Place::Field(object, field), ty))
            }
            ast::ExprKind::Index(array, index) => {
                let array = self.expr(array);
                let (element, index) = self.index(&array, index);
                Some((Place::Index(array, index), element))
            }
            ast::ExprKind::Error => {
                self.cx.incomplete = true;
                None
            }
            _ => {
                self.cx.report(Diagnostic::new("E0414", place.span, "this cannot be assigned to", "not a place"));
                None
            }
        }
    }

    /// A variable that is assigned to, and its type.
    pub(super) fn name_place(&mut self, name: &'a str, span: Span) -> Option<(Place, Ty)> {
        Some(match self.variable(name, span)? {
            Variable::Local(id) => (Place::Local(id), self.local_ty(id)),
            Variable::Global(id) => (Place::Global(id), provisional_ty(&self.cx.globals[id.index()].ty)),
        })
    }
}
