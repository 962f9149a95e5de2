//! What follows a loop that returns, or looks on in the heap, is taken into it.
//!
//! In: the body of a procedure, its calls hoisted. Out: the same, where `while (c) { B } R` at its top has become
//! `while (true) { if (c) { B } else { R return; } }`, with `R return;` in place of each `break` of that loop.
//!
//! A loop that may `return` would have to tell its caller whether it did, and a recursive procedure that does the same does not:
//! its last call ends with what follows the loop. Like this they come to be called alike. So do a loop that takes two cells at a time
//! and then looks whether one is left, and one that takes each by itself.
//!
//! Invariant: the same statements are executed in the same order. `R` holds no loop, so that nothing is taken in twice, and
//! says nothing of the procedure's entry, which inside the loop would be another one.

use super::draft::Draft;
use crate::budget::lower::MAX_REST;
use lang_l::hir::{Block, Expr, ExprKind, Place, Procedure, Rhs, Stmt, StmtKind, Type};
use lang_l::source::Span;

/// Takes what follows such a loop into it, in every procedure.
pub(super) fn run(_: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    for procedure in procedures {
        procedure.body = procedure.body.take().map(taken_in);
    }
}

/// The place of the loop that takes in what follows it, if one does; in the body before or after that.
pub(super) fn absorbs(body: &Block) -> Option<Span> {
    absorbing(body).map(|at| body.stmts[at].span)
}

/// The position of the first loop that returns, or of one after which something is looked for, if what follows can be taken in.
fn absorbing(body: &Block) -> Option<usize> {
    let returns = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { body, .. } => body.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))),
        _ => false,
    };
    let at = body.stmts.iter().position(returns).or_else(|| looked_on(body))?;
    let fixed = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { .. } => true,
        StmtKind::Assert(e) | StmtKind::Assume(e) => e.mentions_entry(),
        _ => false,
    };
    let rest = &body.stmts[at + 1..];
    let open = rest.iter().all(|stmt| !fixed(stmt) && !stmt.blocks().into_iter().any(|inner| inner.any(&fixed)));
    (open && rest.len() <= MAX_REST).then_some(at)
}

/// The position of the only loop of a body that writes nothing to the heap, calls nothing and looks for one thing more in the heap
/// after it.
fn looked_on(body: &Block) -> Option<usize> {
    let is_loop = |stmt: &Stmt| matches!(stmt.kind, StmtKind::While { .. });
    let at = body.stmts.iter().position(is_loop)?;
    let writes = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Call { .. } => true,
        StmtKind::Assign(place, value) => {
            matches!(place, Place::Field(..) | Place::Index(..)) || !matches!(value, Rhs::Expr(_))
        }
        _ => false,
    };
    let reads = |part: &Expr| matches!(part.kind, ExprKind::Field(..) | ExprKind::Index(..));
    let looks = |stmt: &Stmt| match &stmt.kind {
        StmtKind::If(_, then, els) => then.any_expr(&reads) || els.any_expr(&reads),
        _ => false,
    };
    (body.stmts[at + 1..].iter().any(looks) && !body.any(&writes)).then_some(at)
}

fn taken_in(body: Block) -> Block {
    let Some(at) = absorbing(&body) else { return body };
    let mut stmts = body.stmts;
    let mut rest = Block { stmts: stmts.split_off(at + 1), span: body.span };
    if let Some(Stmt { kind: StmtKind::While { cond, invariants, body }, span }) = stmts.pop() {
        if !faults::planted("lower/tail/return-forgotten") {
            rest.stmts.push(Stmt { kind: StmtKind::Return(Vec::new()), span });
        }
        let body = without_breaks(body, &rest);
        let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond.span };
        let turn = Stmt { kind: StmtKind::If(cond, body, rest), span };
        let body = Block { stmts: vec![turn], span };
        stmts.push(Stmt { kind: StmtKind::While { cond: always, invariants, body }, span });
    }
    Block { stmts, span: body.span }
}

/// The body of a loop with `rest` in place of its own `break`s.
fn without_breaks(block: Block, rest: &Block) -> Block {
    let mut stmts = Vec::with_capacity(block.stmts.len());
    for stmt in block.stmts {
        match stmt.kind {
            StmtKind::Break if faults::planted("lower/tail/break-skips-rest") => {
                stmts.extend(rest.stmts.last().cloned())
            }
            StmtKind::Break => stmts.extend(rest.stmts.iter().cloned()),
            StmtKind::If(cond, then, els) => {
                let kind = StmtKind::If(cond, without_breaks(then, rest), without_breaks(els, rest));
                stmts.push(Stmt { kind, span: stmt.span });
            }
            kind => stmts.push(Stmt { kind, span: stmt.span }),
        }
    }
    Block { stmts, span: block.span }
}
