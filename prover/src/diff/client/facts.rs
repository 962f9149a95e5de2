//! What holds of a client's variables wherever it comes to a call.
//!
//! In: a call of a client. Out: the tests round it that still hold there, as an expression over the client's variables.
//!
//! Invariant: nothing that a test reads was changed between the test and the call.

use super::super::opposite::pushed;
use crate::verify::boundaries::sites::Site;
use kernel::liveness::Live;
use kernel::outline::range::block;
use lang_l::hir::print::expr_text;
use lang_l::hir::{Block, Expr, ExprKind, Place, Procedure, Stmt, StmtKind, Unit, Version};

/// The tests that hold at a call; `true` when there are none.
pub(super) fn called_when(unit: &Unit, version: &Version, client: &Procedure, site: &Site) -> String {
    let Some(body) = &client.body else { return "true".into() };
    let mut held: Vec<Expr> = Vec::new();
    for depth in 0..site.way.len() {
        let (at, which) = site.way[depth];
        let stmt = &block(body, &site.way[..depth]).stmts[at];
        let test = match &stmt.kind {
            StmtKind::If(cond, ..) if which == 0 => cond.clone(),
            StmtKind::If(cond, ..) => pushed(cond, false),
            StmtKind::While { cond, .. } => cond.clone(),
            _ => continue,
        };
        if still_holds(&test, &between(body, site, depth), calls_first(body, site)) {
            held.push(test);
        }
    }
    let texts: Vec<String> = held
        .iter()
        .filter(|test| test.kind != ExprKind::Bool(true))
        .map(|test| text(unit, version, client, test))
        .collect();
    if texts.is_empty() { "true".into() } else { texts.join(" && ") }
}

fn text(unit: &Unit, version: &Version, client: &Procedure, test: &Expr) -> String {
    let text = expr_text(unit, version, client, test);
    let weak = matches!(&test.kind, ExprKind::Binary(op, ..) if matches!(op.symbol(), "||" | "==>"));
    if weak || matches!(test.kind, ExprKind::Cond(..) | ExprKind::Quant { .. }) { format!("({text})") } else { text }
}

/// The statements that are executed between a test and the call.
fn between<'b>(body: &'b Block, site: &Site, depth: usize) -> Vec<&'b Stmt> {
    let mut found = Vec::new();
    for inner in depth + 1..=site.way.len() {
        let here = block(body, &site.way[..inner]);
        let to = site.way.get(inner).map_or(site.at, |(at, _)| *at);
        found.extend(&here.stmts[..to]);
        // What a loop's turns change holds no more at its head, where its condition is asked again.
        if let Some(StmtKind::While { .. }) = here.stmts.get(to).map(|stmt| &stmt.kind) {
            found.push(&here.stmts[to]);
        }
    }
    found
}

/// Whether something else may be called in the statement of a call, before it.
fn calls_first(body: &Block, site: &Site) -> bool {
    let Some(stmt) = block(body, &site.way).stmts.get(site.at) else { return false };
    let mut calls = usize::from(matches!(stmt.kind, StmtKind::Call { .. }));
    for expr in stmt.exprs() {
        expr.walk(&mut |part| calls += usize::from(matches!(part.kind, ExprKind::Call(..))));
    }
    calls > 1
}

/// Whether a test holds after these statements if it held before; and, where `called` says so, after calls.
fn still_holds(test: &Expr, between: &[&Stmt], called: bool) -> bool {
    let calls = |e: &Expr| matches!(e.kind, ExprKind::Call(..));
    if test.any(&calls) {
        return false;
    }
    let changed: Live = between.iter().flat_map(|stmt| stmt.assigned()).collect();
    let mut read = Live::new();
    test.collect_locals(&mut read);
    if changed.intersection(&read).next().is_some() {
        return false;
    }
    let of_store = test.any(&|e| matches!(e.kind, ExprKind::Global(_) | ExprKind::Field(..) | ExprKind::Index(..)));
    !of_store || !called && !between.iter().any(|stmt| changes_store(stmt))
}

/// Whether a statement may change globals or objects.
fn changes_store(stmt: &Stmt) -> bool {
    let own = |stmt: &Stmt| {
        let writes = stmt.targets().iter().any(|place| !matches!(place, Place::Local(_)));
        let calls = stmt.exprs().into_iter().any(|e| e.any(&|part| matches!(part.kind, ExprKind::Call(..))));
        writes || calls || matches!(stmt.kind, StmtKind::Call { .. })
    };
    own(stmt) || stmt.blocks().into_iter().any(|inner| inner.any(&own))
}

/// The arguments of a call, as they are written.
pub(super) fn arguments(unit: &Unit, version: &Version, client: &Procedure, site: &Site) -> String {
    site.args.iter().map(|arg| expr_text(unit, version, client, arg)).collect::<Vec<_>>().join(", ")
}
