//! Calls out of expressions: each becomes a statement before the one it stood in.
//!
//! What is evaluated before a call keeps its value in a temporary; `&&`, `||`, `==>` and `?:` with calls on their lazy sides
//! become `if`s.

use super::draft::{Draft, fresh_local};
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Procedure, Rhs, Stmt, StmtKind, Type, UnOp};
use lang_l::source::Span;

/// Takes the calls out of the expressions of every procedure.
#[expect(clippy::ptr_arg, reason = "all passes of the table have one type")]
pub(super) fn run(_: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    procedures.iter_mut().for_each(hoist);
}

/// Takes the calls out of the expressions of a procedure.
pub(super) fn hoist(procedure: &mut Procedure) {
    if let Some(body) = procedure.body.take() {
        let body = Hoister { procedure }.block(body);
        procedure.body = Some(body);
    }
}

struct Hoister<'a> {
    procedure: &'a mut Procedure,
}

impl Hoister<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for stmt in block.stmts {
            self.stmt(stmt, &mut stmts);
        }
        Block { stmts, span: block.span }
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let span = stmt.span;
        let kind = match stmt.kind {
            StmtKind::Assign(place, rhs) => self.assign(place, rhs, out),
            StmtKind::Call { targets, callee, args } => StmtKind::Call { targets, callee, args: self.all(args, out) },
            StmtKind::If(cond, then, els) => {
                let cond = self.expr(cond, out);
                StmtKind::If(cond, self.block(then), self.block(els))
            }
            StmtKind::While { cond, invariants, body } if has_call(&cond) => {
                let mut stmts = Vec::new();
                let cond_span = cond.span;
                let cond =
                    self.expr(cond, if faults::planted("lower/calls/condition-once") { &mut *out } else { &mut stmts });
                let leave = Block { stmts: vec![Stmt { kind: StmtKind::Break, span: cond_span }], span: cond_span };
                let go_on = Block { stmts: Vec::new(), span: cond_span };
                stmts.push(Stmt { kind: StmtKind::If(cond, go_on, leave), span: cond_span });
                let body = self.block(body);
                stmts.extend(body.stmts);
                let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond_span };
                StmtKind::While { cond: always, invariants, body: Block { stmts, span: body.span } }
            }
            StmtKind::While { cond, invariants, body } => StmtKind::While { cond, invariants, body: self.block(body) },
            StmtKind::Return(values) => StmtKind::Return(self.all(values, out)),
            kind @ (StmtKind::Break | StmtKind::Continue | StmtKind::Assert(_) | StmtKind::Assume(_)) => kind,
        };
        out.push(Stmt { kind, span });
    }

    fn assign(&mut self, place: Place, rhs: Rhs, out: &mut Vec<Stmt>) -> StmtKind {
        // `x := p(…)` is what calls are lowered to.
        if let (Place::Local(_) | Place::Global(_), Rhs::Expr(Expr { kind: ExprKind::Call(..), .. })) = (&place, &rhs) {
            let Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), ty, span }) = rhs else {
                return StmtKind::Assign(place, rhs);
            };
            let args = self.all(args, out);
            return StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), ty, span }));
        }
        let calls_right = match &rhs {
            Rhs::Expr(e) | Rhs::NewArray(_, e) => has_call(e),
            Rhs::New(_) => false,
        };
        let place = match place {
            Place::Field(object, field) => Place::Field(self.before(object, calls_right, out), field),
            Place::Index(array, index) => {
                let array = self.before(array, calls_right || has_call(&index), out);
                Place::Index(array, self.before(index, calls_right, out))
            }
            variable => variable,
        };
        let rhs = match rhs {
            Rhs::Expr(e) => Rhs::Expr(self.expr(e, out)),
            Rhs::NewArray(element, length) => Rhs::NewArray(element, self.expr(length, out)),
            new @ Rhs::New(_) => new,
        };
        StmtKind::Assign(place, rhs)
    }

    /// An operand; its value is kept when a call comes after it.
    fn before(&mut self, operand: Expr, call_follows: bool, out: &mut Vec<Stmt>) -> Expr {
        let operand = self.expr(operand, out);
        let literal = matches!(operand.kind, ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null);
        if call_follows && !literal && !faults::planted("lower/calls/operand-not-kept") {
            self.save(operand, out)
        } else {
            operand
        }
    }

    /// Operands evaluated left to right.
    fn all(&mut self, operands: Vec<Expr>, out: &mut Vec<Stmt>) -> Vec<Expr> {
        let last_call = operands.iter().rposition(has_call);
        let mut done = Vec::with_capacity(operands.len());
        for (at, operand) in operands.into_iter().enumerate() {
            done.push(self.before(operand, last_call.is_some_and(|last| at < last), out));
        }
        done
    }

    /// The value of `expr` now, as a variable.
    fn save(&mut self, expr: Expr, out: &mut Vec<Stmt>) -> Expr {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let id = self.temporary(&ty, span);
        out.push(set(id, expr));
        Expr { kind: ExprKind::Local(id), ty, span }
    }

    fn temporary(&mut self, ty: &Type, span: Span) -> LocalId {
        let name = format!("t@{}", self.procedure.locals.len());
        fresh_local(self.procedure, name, ty.clone(), span)
    }

    fn expr(&mut self, expr: Expr, out: &mut Vec<Stmt>) -> Expr {
        if !has_call(&expr) {
            return expr;
        }
        let Expr { kind, ty, span } = expr;
        let kind = match kind {
            ExprKind::Call(callee, args) => {
                let args = self.all(args, out);
                let id = self.temporary(&ty, span);
                out.push(set(id, Expr { kind: ExprKind::Call(callee, args), ty: ty.clone(), span }));
                ExprKind::Local(id)
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b)
                if has_call(&b) && !faults::planted("lower/calls/lazy-side-strict") =>
            {
                let a = self.expr(*a, out);
                let literal = |value| Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span };
                let (cond, then, els) = match op {
                    BinOp::And => (a, *b, literal(false)),
                    BinOp::Or => (a, literal(true), *b),
                    _ => (
                        Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(a)), ty: Type::Bool, span },
                        literal(true),
                        *b,
                    ),
                };
                self.choose([cond, then, els], &ty, span, out)
            }
            ExprKind::Cond(cond, then, els) if has_call(&then) || has_call(&els) => {
                let cond = self.expr(*cond, out);
                self.choose([cond, *then, *els], &ty, span, out)
            }
            ExprKind::Cond(cond, then, els) => ExprKind::Cond(Box::new(self.expr(*cond, out)), then, els),
            ExprKind::Binary(op, a, b) => {
                let a = self.before(*a, has_call(&b), out);
                ExprKind::Binary(op, Box::new(a), Box::new(self.expr(*b, out)))
            }
            ExprKind::Index(a, b) => {
                let a = self.before(*a, has_call(&b), out);
                ExprKind::Index(Box::new(a), Box::new(self.expr(*b, out)))
            }
            ExprKind::Field(object, field) => ExprKind::Field(Box::new(self.expr(*object, out)), field),
            ExprKind::Length(array) => ExprKind::Length(Box::new(self.expr(*array, out))),
            ExprKind::Unary(op, inner) => ExprKind::Unary(op, Box::new(self.expr(*inner, out))),
            // Contract forms contain no calls; leaves neither.
            other => other,
        };
        Expr { kind, ty, span }
    }

    /// `t := cond ? then : els` with statements.
    fn choose(&mut self, [cond, then, els]: [Expr; 3], ty: &Type, span: Span, out: &mut Vec<Stmt>) -> ExprKind {
        let id = self.temporary(ty, span);
        let side = |hoister: &mut Self, value: Expr| {
            let mut stmts = Vec::new();
            let value = hoister.expr(value, &mut stmts);
            stmts.push(set(id, value));
            Block { stmts, span }
        };
        let then = side(self, then);
        let els = side(self, els);
        let (then, els) = if faults::planted("lower/calls/choice-crossed") { (els, then) } else { (then, els) };
        out.push(Stmt { kind: StmtKind::If(cond, then, els), span });
        ExprKind::Local(id)
    }
}

fn set(id: LocalId, value: Expr) -> Stmt {
    let span = value.span;
    Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(value)), span }
}

fn has_call(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Call(..)))
}
