//! Inversion: a loop whose condition may err looks at it before the first turn and at the end of each, where another version reads ahead.
//!
//! In: a program. Out: `goes := c; while (goes) { B goes := c; }` in place of `while (c) { B }`, with a new variable.
//!
//! Rule *Inversion* (`proofs/soundness.md`). Both execute the same statements in the same order.
//! Invariant: the loop has another place than it had, as its head is another: what is known of a run at the one is not said of the other.

use super::variables::added;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, Local, Place, Procedure, Rhs, Stmt, StmtKind, Type, Unit};
use lang_l::source::Span;
use std::mem::{self, Discriminant};

/// What kind of value is looked at, and of which type.
type Look = (Discriminant<ExprKind>, Type);

/// Inverts loops of all procedures of which another version reads ahead what their conditions look at.
pub(super) fn invert(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        for procedure in &mut own.procedures {
            let others = written.versions.iter().enumerate().filter(|(other, _)| *other != at);
            let theirs = others.filter_map(|(_, other)| Some(other.procedure(other.find(&procedure.name)?)));
            let ahead: Vec<Look> = theirs.flat_map(read_ahead).collect();
            if !ahead.is_empty() {
                let mut inversion = Inversion { ahead: &ahead, locals: &mut procedure.locals };
                procedure.body.iter_mut().for_each(|body| inversion.block(body));
            }
        }
    }
}

/// What the turns of a procedure's loops end with reading into a variable that the condition asks for, and the condition itself does not read;
/// or with asking, where they are left by that alone.
fn read_ahead(procedure: &Procedure) -> Vec<Look> {
    let mut found = Vec::new();
    let mut look = |stmt: &Stmt| {
        let StmtKind::While { cond, body, .. } = &stmt.kind else { return };
        if let (ExprKind::Bool(true), Some(StmtKind::If(asked, ..))) =
            (&cond.kind, body.stmts.last().filter(|last| leaves(last)).map(|last| &last.kind))
        {
            found.extend(looks(asked));
        }
        for stmt in body.stmts.iter().rev().take_while(|stmt| matches!(stmt.kind, StmtKind::Assign(..))) {
            if let StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) = &stmt.kind
                && cond.mentions(*id)
                // To go on to the next node is no look ahead.
                && !value.mentions(*id)
                && looks(cond).is_empty()
            {
                found.extend(looks(value));
            }
        }
    };
    procedure.body.iter().for_each(|body| walk_stmts(body, &mut look));
    found
}

/// Whether a branch statement leaves a loop, and does nothing else.
fn leaves(stmt: &Stmt) -> bool {
    let is_way_out = |inner: &Stmt| matches!(inner.kind, StmtKind::Break | StmtKind::Return(_));
    let sides = stmt.blocks();
    sides.iter().all(|side| side.stmts.iter().all(is_way_out)) && sides.iter().any(|side| !side.stmts.is_empty())
}

/// What an expression looks at that may err.
fn looks(e: &Expr) -> Vec<Look> {
    let mut found = Vec::new();
    e.walk(&mut |part| {
        let may_err = match &part.kind {
            ExprKind::Index(..) | ExprKind::Field(..) | ExprKind::Call(..) => true,
            ExprKind::Binary(op, ..) => matches!(op, BinOp::Div | BinOp::Rem),
            _ => false,
        };
        found.extend(may_err.then(|| (mem::discriminant(&part.kind), part.ty.clone())));
    });
    found
}

/// The inversion of the loops of a procedure.
struct Inversion<'i> {
    ahead: &'i [Look],
    locals: &'i mut Vec<Local>,
}

impl Inversion<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in mem::take(&mut block.stmts) {
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            if self.is_wanted(&stmt) {
                block.stmts.extend(self.inverted(stmt));
            } else {
                block.stmts.push(stmt);
            }
        }
    }

    /// Whether a loop looks at such a thing in its condition, and has no invariants, and no turn of it goes on elsewhere than at its end.
    fn is_wanted(&self, stmt: &Stmt) -> bool {
        let StmtKind::While { cond, invariants, body } = &stmt.kind else { return false };
        let skips = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Continue);
        let skips = body.any(&skips) && !faults::planted("kernel/scalars/not-asked");
        // Of several tests one that calls is looked at by itself: the other version may keep what the call gives back, and nothing else.
        let calls = cond.conjuncts().len() > 1 && cond.any(&|part| matches!(part.kind, ExprKind::Call(..)));
        invariants.is_empty() && !skips && !calls && looks(cond).iter().any(|look| self.ahead.contains(look))
    }

    fn inverted(&mut self, stmt: Stmt) -> Vec<Stmt> {
        let span = stmt.span;
        let StmtKind::While { cond, invariants, mut body } = stmt.kind else { return vec![stmt] };
        let at = cond.span;
        let goes = added(self.locals, Local { name: "goes".to_owned(), ty: Type::Bool, span: at });
        let asked = Stmt { kind: StmtKind::Assign(Place::Local(goes), Rhs::Expr(cond)), span: at };
        body.stmts.push(asked.clone());
        let cond = Expr { kind: ExprKind::Local(goes), ty: Type::Bool, span: at };
        let place = Span { start: at.start, ..span };
        vec![asked, Stmt { kind: StmtKind::While { cond, invariants, body }, span: place }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scalarised;
    use super::super::second_forms::{becomes, loaded};
    use lang_l::hir::print::print;

    const HEAD: &str = "procedure p(t: T, n: int) returns (r: int)";
    const AHEAD: &str = "c := t.v; while (c != n) { r := r + 1; t := t.l; c := t.v; }";

    /// The loop of the first version, beside this one of the second, becomes what stands here.
    #[track_caller]
    fn is_inverted(own: &str, ahead: &str, expected: &str) {
        let unit = loaded(&format!("{HEAD} {{ {own} }}"), &format!("{HEAD} {{ {ahead} }}"));
        let replaced = Scalarised::of(&unit);
        let wanted = loaded(&format!("{HEAD} {{ {expected} }}"), "");
        let [found, wanted] = [replaced.unit(), &wanted].map(|unit| &unit.versions[0].procedures[0]);
        assert!(lang_l::hir::same::same_code(found, wanted, |p, q| p == q), "{}", print(replaced.unit()));
    }

    /// Nothing is done to it.
    #[track_caller]
    fn stays(own: &str, ahead: &str) {
        is_inverted(own, ahead, own);
    }

    #[test]
    fn what_may_err_is_asked_at_the_end_of_each_turn() {
        let asked = "goes := t.v != n; while (goes) { r := r + 1; t := t.l; goes := t.v != n; }";
        is_inverted("while (t.v != n) { r := r + 1; t := t.l; }", AHEAD, asked);
        let left = "while (true) { r := r + 1; t := t.l; if (t.v == n) { break; } }";
        is_inverted("while (t.v != n) { r := r + 1; t := t.l; }", left, asked);
    }

    #[test]
    fn loops_stay_that_go_on_elsewhere_or_have_invariants() {
        stays("while (t.v != n) { t := t.l; if (r > 3) { continue; } r := r + 1; }", AHEAD);
        stays("while (t.v != n) invariant r >= 0; { t := t.l; r := r + 1; }", AHEAD);
    }

    #[test]
    fn loops_stay_that_cannot_err_or_beside_which_nothing_is_read_ahead() {
        stays("while (r != n) { t := t.l; r := r + 1; }", AHEAD);
        stays("while (t.v != n) { t := t.l; r := r + 1; }", "while (t.v != n) { r := r + 1; t := t.l; }");
        stays(
            "while (t != null && t.v != n) { t := t.l; }",
            "while (t != null) { if (t.v == n) { break; } t := t.l; }",
        );
    }

    #[test]
    fn a_loop_that_reads_ahead_stays() {
        becomes(&format!("{HEAD} {{ {AHEAD} }}"), &format!("{HEAD} {{ {AHEAD} }}"));
    }
}
