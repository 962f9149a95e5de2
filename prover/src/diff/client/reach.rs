//! Which calls of a client some run reaches.
//!
//! In: a client and one of its calls. Out: whether a run reaches it, where that is known.
//!
//! Two copies of the client are compared, in which what is called fails in the one and goes on for ever in the other. They are
//! equivalent if, and only if, no run comes there: what comes before the call in its statement may fail by itself, or do without it.
//!
//! Invariant: that no run reaches a call is proved, and that one does was seen.

use crate::search::concrete;
use crate::search::witness::RunPair;
use crate::verify::boundaries::part::{Names, part};
use crate::verify::boundaries::prove::{Found, prove};
use crate::verify::boundaries::sites::Site;
use kernel::outline::range::block_mut;
use lang_l::hir::{Block, Expr, ExprKind, ProcId, Procedure, Stmt, StmtKind, Type, Unit};
use lang_l::source::Span;
use smt::solve::Solver;

/// What is called instead. No procedure of a source has such a name.
const MARK: &str = "reached@";

/// Whether some run of the client reaches the call, in either version; `None` where it is not known.
pub(super) fn reached(unit: &Unit, client: &str, site: &Site, solver: &mut Solver) -> Option<bool> {
    let old = reached_in(unit, 0, client, site, solver);
    if old == Some(true) {
        return old;
    }
    let new = reached_in(unit, 1, client, site, solver);
    if new == Some(true) { new } else { old.and(new) }
}

fn reached_in(unit: &Unit, version: usize, client: &str, site: &Site, solver: &mut Solver) -> Option<bool> {
    let mut unit = Unit { versions: vec![unit.versions[version].clone(); 2], ..unit.clone() };
    let id = unit.versions[0].find(client)?;
    for (version, code) in unit.versions.iter_mut().enumerate() {
        let mark = ProcId(u32::try_from(code.procedures.len()).ok()?);
        code.procedures.push(marked(version, code.procedure(site.callee), site.span));
        let body = code.procedures[id.index()].body.as_mut()?;
        redirect(&mut block_mut(body, &site.way).stmts[site.at], site, mark);
    }
    let roots = Names::from([client.to_string()]);
    let small = part(&unit, &roots);
    let both = small.versions[0].find(client)?;
    if seen(&small, both) {
        return Some(true);
    }
    let found = prove(&small, &Names::new(), [&Names::new(), &Names::new()], solver);
    found.get(client).is_some_and(Found::is_equal).then_some(false)
}

fn seen(unit: &Unit, id: ProcId) -> bool {
    let run = RunPair { unit, left: id, right: id, when: None };
    concrete::differs(&run, concrete::SearchBudget::QUICK)
}

/// What is called: it fails in the first copy, and comes to no end in the second.
fn marked(version: usize, callee: &Procedure, span: Span) -> Procedure {
    let truth = |value: bool| Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span };
    let body = Block { stmts: Vec::new(), span };
    let kind = match version {
        0 => StmtKind::Assert(truth(false)),
        _ => StmtKind::While { cond: truth(true), invariants: Vec::new(), body },
    };
    let body = Some(Block { stmts: vec![Stmt { kind, span }], span });
    let locals = callee.locals[..callee.params + callee.results].to_vec();
    let (requires, ensures) = (Vec::new(), Vec::new());
    Procedure { name: MARK.into(), locals, requires, ensures, modifies: None, body, ..callee.clone() }
}

/// Has the call of a statement go elsewhere.
fn redirect(stmt: &mut Stmt, site: &Site, to: ProcId) {
    if let StmtKind::Call { callee, .. } = &mut stmt.kind
        && stmt.span == site.span
    {
        *callee = to;
        return;
    }
    for expr in stmt.exprs_mut() {
        expr.walk_mut(&mut |part| match &mut part.kind {
            ExprKind::Call(callee, _) if part.span == site.span && *callee == site.callee => *callee = to,
            _ => {}
        });
    }
}
