//! Rotation: a loop before which stands what each turn ends with begins its turns with that, where another version writes it like this.
//!
//! In: a program. Out: `while (true) { R if (c) { B } else { break; } }` in place of `R while (c) { B R }`.
//!
//! Rule *Rotation* (`proofs/soundness.md`). Both execute the same statements in the same order.
//! Invariant: the loop has another place than it had, as its head is another: what is known of a run at the one is not said of the other.

use crate::effects::callees_of;
use lang_l::hir::same::same_stmt;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, Procedure, Stmt, StmtKind, Type, Unit, Version};
use lang_l::source::Span;
use std::collections::BTreeSet;
use std::mem::{self, Discriminant};

/// What a turn begins with: the kind of a statement, and the names of what it calls.
type Beginning = (Discriminant<StmtKind>, BTreeSet<String>);

/// Rotates loops of all procedures of which another version has more loops that only a statement within them leaves; those whose turns
/// then begin as a turn of such a loop does.
pub(super) fn rotate(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        let version = &written.versions[at];
        for (procedure, code) in own.procedures.iter_mut().zip(&version.procedures) {
            let mine = beginnings(version, code).len();
            let others = written.versions.iter().enumerate().filter(|(other, _)| *other != at);
            let theirs =
                others.filter_map(|(_, other)| Some(beginnings(other, other.procedure(other.find(&code.name)?))));
            let wanted: Vec<Beginning> = theirs.filter(|theirs| theirs.len() > mine).flatten().collect();
            let rotation = Rotation { version, code, wanted };
            procedure.body.iter_mut().for_each(|body| rotation.block(body));
        }
    }
}

/// What the turns of a procedure's loops begin with that have `true` for their condition.
fn beginnings(version: &Version, procedure: &Procedure) -> Vec<Beginning> {
    let mut found = Vec::new();
    let mut look = |stmt: &Stmt| match &stmt.kind {
        StmtKind::While { cond, body, .. } if cond.kind == ExprKind::Bool(true) => {
            found.extend(body.stmts.first().map(|first| beginning(version, first)));
        }
        _ => {}
    };
    procedure.body.iter().for_each(|body| walk_stmts(body, &mut look));
    found
}

fn beginning(version: &Version, stmt: &Stmt) -> Beginning {
    let names = callees_of(stmt).into_iter().map(|callee| version.procedure(callee).name.clone());
    (mem::discriminant(&stmt.kind), names.collect())
}

/// The rotation of the loops of a procedure.
struct Rotation<'r> {
    version: &'r Version,
    code: &'r Procedure,
    /// What turns may begin with then.
    wanted: Vec<Beginning>,
}

impl Rotation<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in mem::take(&mut block.stmts) {
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let repeated = self.repeated(&block.stmts, &stmt);
            if repeated > 0 {
                let first = block.stmts.len() - repeated;
                let span = Span { start: block.stmts[first].span.start, ..stmt.span };
                block.stmts.truncate(first);
                stmt = rotated(stmt, repeated, span);
            }
            block.stmts.push(stmt);
        }
    }

    /// With how many statements that stand before a loop each turn of it ends as well, and does not go on without them. The first is one
    /// that a turn may begin with, and a call is among them: what no call is in is known of the heap at the head that is written as well.
    fn repeated(&self, before: &[Stmt], stmt: &Stmt) -> usize {
        let StmtKind::While { invariants, body, .. } = &stmt.kind else { return 0 };
        let skips = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Continue);
        if !invariants.is_empty() || body.any(&skips) && !faults::planted("kernel/scalars/continued") {
            return 0;
        }
        let same = |(mine, theirs): &(&Stmt, &Stmt)| is_straight(mine) && same_stmt(self.code, mine, theirs);
        let most = before.iter().rev().zip(body.stmts.iter().rev()).take_while(same).count();
        let fits = |count: &usize| {
            let repeated = &before[before.len() - count..];
            let calls = repeated.iter().any(|stmt| !callees_of(stmt).is_empty());
            calls && self.wanted.contains(&beginning(self.version, &repeated[0]))
        };
        (1..=most).rev().find(fits).unwrap_or(0)
    }
}

/// Whether a statement, and what is within it, is an assignment, a call or a branch.
pub(super) fn is_straight(stmt: &Stmt) -> bool {
    let plain = matches!(stmt.kind, StmtKind::Assign(..) | StmtKind::Call { .. } | StmtKind::If(..));
    plain && stmt.blocks().into_iter().all(|inner| inner.stmts.iter().all(is_straight))
}

/// A loop whose turns end with so many statements, with them at the beginning, at this place.
fn rotated(stmt: Stmt, repeated: usize, span: Span) -> Stmt {
    let StmtKind::While { cond, invariants, mut body } = stmt.kind else { return stmt };
    let mut stmts = body.stmts.split_off(body.stmts.len() - repeated);
    let leave = Block { stmts: vec![Stmt { kind: StmtKind::Break, span: stmt.span }], span: stmt.span };
    let always = Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span: cond.span };
    let turn = Block { span: body.span, ..body };
    stmts.push(Stmt { span: turn.span, kind: StmtKind::If(cond, turn, leave) });
    let body = Block { span: stmt.span, stmts };
    Stmt { kind: StmtKind::While { cond: always, invariants, body }, span }
}
