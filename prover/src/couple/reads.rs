//! Procedures that look at the heap and leave it alone.

use crate::horn::MAX_PROCEDURES;
use crate::pairs::Program;
use crate::term::Selector;
use lang_l::hir::{Block, Local, ProcId, Rhs, StmtKind};
use std::collections::BTreeSet;

/// Whether a procedure and its callees read fields, write nothing to the heap, make no objects, and give back nothing but
/// integers and booleans: so they all see one and the same heap.
pub(super) fn only_reads(program: &Program<'_>, version: usize, id: ProcId) -> bool {
    let facts = &program.facts[version];
    let own = &facts[id.index()];
    let reached: BTreeSet<ProcId> = own.callees.iter().copied().chain([id]).collect();
    let is_plain = |local: &Local| !local.ty.is_reference();
    let harmless = |id: &ProcId| {
        let code = program.unit.versions[version].procedure(*id);
        let results = code.locals.iter().skip(code.params).take(code.results);
        code.body.as_ref().is_some_and(|body| !makes_objects(body))
            && results.into_iter().all(is_plain)
            && !facts[id.index()].speaks_of_entry
    };
    reached.len() <= MAX_PROCEDURES
        && own.writes.is_empty()
        && !own.sees_all
        && own.accesses.iter().all(|selector| matches!(selector, Selector::Field(_)))
        && own.globals.iter().all(|global| !program.unit.globals[global.index()].ty.is_reference())
        && reached.iter().all(harmless)
}

fn makes_objects(block: &Block) -> bool {
    block.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign(_, rhs) => !matches!(rhs, Rhs::Expr(_)),
        StmtKind::If(_, then, els) => makes_objects(then) || makes_objects(els),
        StmtKind::While { body, .. } => makes_objects(body),
        _ => false,
    })
}
