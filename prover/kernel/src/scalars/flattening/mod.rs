//! Flattening: a loop within a loop is one loop, whose turns are those of both, where another version writes one.
//!
//! In: a program. Out: `if (c) { P while (true) { if (d) { B } else { R if (c) { P } else { break; } } } }` in place of
//! `while (c) { P while (d) { B } R }`; or the same with `if (d) { B } if (!d) { R … }` in its turns.
//!
//! Rule *Flattening* (`proofs/soundness.md`). All of them execute the same statements in the same order.
//! Invariant: the loop has another place than the two had, as its head is another: what is known of a run at these is not said of it.

#[cfg(test)]
mod tests;

use super::locations::variable;
use super::rotation::is_straight;
use crate::effects::callees_of;
use lang_l::hir::print::expr_text;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{BinOp, Block, Expr, ExprKind, LocalId, Place, Procedure, Stmt, StmtKind, Type, UnOp, Unit, Version};
use lang_l::source::Span;
use std::collections::BTreeSet;
use std::mem;

/// Flattens loops of all procedures that another version writes with loops, but none within another.
pub(super) fn flatten(unit: &mut Unit) {
    let written = unit.clone();
    for (at, own) in unit.versions.iter_mut().enumerate() {
        let version = &written.versions[at];
        for (procedure, code) in own.procedures.iter_mut().zip(&version.procedures) {
            let others = written.versions.iter().enumerate().filter(|(other, _)| *other != at);
            let mut theirs = others.filter_map(|(_, other)| Some((other, other.procedure(other.find(&code.name)?))));
            if let Some((other, theirs)) = theirs.find(|(other, theirs)| is_flat(other, theirs)) {
                let flattening = Flattening { version: [version, other], code: [code, theirs], unit: &written };
                procedure.body.iter_mut().for_each(|body| flattening.block(body));
            }
        }
    }
}

/// Whether a procedure has loops, and none of them, nor of what it calls, is within another one.
fn is_flat(version: &Version, procedure: &Procedure) -> bool {
    let Some(body) = &procedure.body else { return false };
    let nested = |stmt: &Stmt| stmt.is_while() && stmt.blocks().into_iter().any(|inner| inner.any(&Stmt::is_while));
    let has_body = |stmt: &Stmt| callees_of(stmt).into_iter().any(|id| version.procedure(id).body.is_some());
    let goes_on = |stmt: &Stmt| {
        let bodies: Vec<&Block> =
            callees_of(stmt).into_iter().filter_map(|id| version.procedure(id).body.as_ref()).collect();
        bodies.into_iter().any(|body| body.any(&Stmt::is_while) || body.any(&has_body))
    };
    body.any(&Stmt::is_while) && !body.any(&nested) && !body.any(&goes_on)
}

/// What the loops of a procedure compare counters with.
fn limits(procedure: &Procedure) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut look = |stmt| found.extend(limits_of(stmt).into_iter().map(|(_, limit)| limit));
    procedure.body.iter().for_each(|body| walk_stmts(body, &mut look));
    found
}

/// The variables that a loop assigns and compares, each with what it is compared with.
fn limits_of(stmt: &Stmt) -> Vec<(LocalId, &Expr)> {
    let StmtKind::While { cond, .. } = &stmt.kind else { return Vec::new() };
    let assigned = stmt.assigned();
    let mut found = Vec::new();
    for part in cond.conjuncts() {
        if let ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, b) = &part.kind {
            let two_sides = [(variable(a), &**b), (variable(b), &**a)];
            found.extend(two_sides.into_iter().filter_map(|(counter, limit)| Some((counter?, limit))));
        }
    }
    found.retain(|(counter, _)| assigned.contains(counter));
    found
}

/// What a turn of the one loop is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// One of the inner loop, or what follows that.
    Either,
    /// One of the inner loop, and what follows that, if it was the last.
    Both,
}

/// The flattening of the loops of a procedure.
struct Flattening<'f> {
    version: [&'f Version; 2],
    code: [&'f Procedure; 2],
    unit: &'f Unit,
}

impl Flattening<'_> {
    fn block(&self, block: &mut Block) {
        for mut stmt in mem::take(&mut block.stmts) {
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let turn = inner_loop(&stmt).and_then(|at| self.turn(&stmt, at));
            block.stmts.push(match turn {
                Some((at, turn)) => flattened(stmt, at, turn),
                None => stmt,
            });
        }
    }

    /// What a turn is to be; `None` where the other version's loop is likely to take the turns of the outer loop, or nothing is known. That
    /// is for the sake of proofs, and no premise.
    fn turn(&self, outer: &Stmt, at: usize) -> Option<(usize, Turn)> {
        let StmtKind::While { cond, body, .. } = &outer.kind else { return None };
        let inner = &body.stmts[at];
        let StmtKind::While { cond: within, .. } = &inner.kind else { return None };
        let begun: BTreeSet<LocalId> = body.stmts[..at].iter().flat_map(Stmt::assigned).collect();
        let counts_anew = limits_of(inner).iter().any(|(counter, _)| begun.contains(counter));
        let counted = limits_of(outer).into_iter().map(|(counter, _)| counter);
        let outside: BTreeSet<LocalId> = counted.chain(body.stmts[at + 1..].iter().flat_map(Stmt::assigned)).collect();
        let chosen = self.chosen([&outside, &begun]);
        if counts_anew && (!self.have_a_limit_in_common(outer) || chosen == Some(Turn::Both)) {
            return Some((at, Turn::Both));
        }
        let [outer_asks, inner_asks] = [cond, within].map(|condition| {
            let mut found = BTreeSet::new();
            condition.collect_locals(&mut found);
            found
        });
        let goes_on = !counts_anew && inner_asks.is_disjoint(&begun) && !inner_asks.is_disjoint(&outer_asks);
        (goes_on || chosen == Some(Turn::Either)).then_some((at, Turn::Either))
    }

    /// Whether a loop of the other version compares a counter with what this loop compares one with.
    fn have_a_limit_in_common(&self, outer: &Stmt) -> bool {
        let text =
            |version: usize, limit: &Expr| expr_text(self.unit, self.version[version], self.code[version], limit);
        let theirs: BTreeSet<String> = limits(self.code[1]).into_iter().map(|limit| text(1, limit)).collect();
        limits_of(outer).iter().any(|(_, limit)| theirs.contains(&text(0, limit)))
    }

    /// What a turn of a loop of the other version is that assigns in some of its turns, and not in others, what is done outside of an inner
    /// loop; given that, and what is begun before the inner loop. In the others it does something else, or no more than go on in the row.
    fn chosen(&self, [outside, begun]: [&BTreeSet<LocalId>; 2]) -> Option<Turn> {
        let names = |own: &BTreeSet<LocalId>| -> BTreeSet<&str> {
            own.iter().map(|&id| self.code[0].local(id).name.as_str()).collect()
        };
        let (outside, begun) = (names(outside), names(begun));
        let is_one = |id: &LocalId, of: &BTreeSet<&str>| of.contains(self.code[1].local(*id).name.as_str());
        let ends_row = |side: &Block| side.any(&|stmt| stmt.assigned().iter().any(|id| is_one(id, &outside)));
        let goes_on = |stmt: &Stmt| match &stmt.kind {
            StmtKind::Assign(Place::Local(id), _) => is_one(id, &begun),
            _ => false,
        };
        let choice = |stmt: &Stmt| {
            let StmtKind::If(_, then, els) = &stmt.kind else { return None };
            let other = match [then, els].map(ends_row) {
                [true, false] => els,
                [false, true] => then,
                _ => return None,
            };
            Some(if other.stmts.iter().all(goes_on) { Turn::Both } else { Turn::Either })
        };
        let mut found = None;
        let mut look = |stmt: &Stmt| found = found.or_else(|| choice(stmt));
        let mut in_turns = |stmt: &Stmt| {
            if stmt.is_while() {
                stmt.blocks().into_iter().for_each(|body| walk_stmts(body, &mut look));
            }
        };
        self.code[1].body.iter().for_each(|body| walk_stmts(body, &mut in_turns));
        found
    }
}

/// Where in its body a loop has a loop, if the two may be one: beside it are assignments, calls and branches alone, no turn of it breaks off
/// or goes on elsewhere, and neither condition calls anything.
fn inner_loop(outer: &Stmt) -> Option<usize> {
    let StmtKind::While { cond, invariants, body } = &outer.kind else { return None };
    let at = body.stmts.iter().position(Stmt::is_while)?;
    let StmtKind::While { cond: within, invariants: own, body: inner } = &body.stmts[at].kind else { return None };
    let jumps = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::While { .. })
            && !faults::planted("kernel/scalars/jumped")
    };
    let is_call = |part: &Expr| matches!(part.kind, ExprKind::Call(..));
    let calls = |e: &Expr| e.any(&is_call) && !faults::planted("kernel/scalars/asked-by-call");
    let mut beside = body.stmts[..at].iter().chain(&body.stmts[at + 1..]);
    let fits = invariants.is_empty() && own.is_empty() && beside.all(is_straight) && !inner.any(&jumps);
    (fits && !calls(cond) && !calls(within)).then_some(at)
}

/// A loop as one with the loop at this position of its body.
fn flattened(outer: Stmt, at: usize, turn: Turn) -> Stmt {
    let (span, kind) = (outer.span, outer.kind);
    let StmtKind::While { cond, invariants, body: mut before } = kind else { return Stmt { kind, span } };
    let mut after = before.stmts.split_off(at);
    let inner = after.remove(0);
    let StmtKind::While { cond: within, body, .. } = inner.kind else { return inner };
    let first = before.stmts.first().map_or(inner.span, |first| first.span);
    let start = if faults::planted("kernel/scalars/same-head") { span.start } else { first.start };
    let place = Span { start, ..span };
    let made = |kind: StmtKind| Stmt { kind, span };
    let block = |stmts: Vec<Stmt>| Block { stmts, span };
    let asked = within.span;
    let bool = |kind: ExprKind| Expr { kind, ty: Type::Bool, span: asked };
    after.push(made(StmtKind::If(cond.clone(), before.clone(), block(vec![made(StmtKind::Break)]))));
    let turns = match turn {
        Turn::Either => vec![made(StmtKind::If(within, body, block(after)))],
        Turn::Both => {
            let ended = bool(ExprKind::Unary(UnOp::Not, Box::new(within.clone())));
            let rest = made(StmtKind::If(ended, block(after), block(Vec::new())));
            vec![made(StmtKind::If(within, body, block(Vec::new()))), rest]
        }
    };
    let looped = StmtKind::While { cond: bool(ExprKind::Bool(true)), invariants, body: block(turns) };
    before.stmts.push(Stmt { kind: looped, span: place });
    made(StmtKind::If(cond, before, block(Vec::new())))
}
