//! Fragments of L that relational engines cover: procedures over integers alone, and procedures that only read a heap.

use crate::budget::fragments::MAX_PROCEDURES;
use crate::goal::Program;
use lang_l::hir::{Block, Local, ProcId, Procedure, Rhs, StmtKind};
use std::collections::BTreeSet;

/// Whether a procedure and its callees touch nothing but integers and booleans.
pub(crate) fn heapless(program: &Program<'_>, version: usize, id: ProcId) -> bool {
    let effects = &program.effects[version];
    let reached: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    let plain = |code: &Procedure| {
        code.body.is_some() && code.locals.iter().take(code.params + code.results).all(|l| !l.ty.is_reference())
    };
    reached.len() <= MAX_PROCEDURES
        && effects[id.index()].accesses.is_empty()
        && effects[id.index()].globals.iter().all(|g| !program.unit.globals()[g.index()].ty.is_reference())
        && reached.iter().all(|id| plain(program.unit.procedure(version, *id)))
}

/// Whether a procedure and its callees read fields and cells, write nothing to the heap and make no objects.
///
/// So they all see one and the same heap, and every reference in them is null or was there on entry.
pub(crate) fn only_reads(program: &Program<'_>, version: usize, id: ProcId) -> bool {
    let effects = &program.effects[version];
    let own = &effects[id.index()];
    let reached = reached(program, version, id);
    let harmless = |id: &ProcId| {
        let code = program.unit.procedure(version, *id);
        code.body.as_ref().is_some_and(|body| !makes_objects(body)) && !effects[id.index()].speaks_of_entry
    };
    reached.len() <= MAX_PROCEDURES
        && own.writes.is_empty()
        && !own.non_local
        && own.globals.iter().all(|global| !program.unit.globals()[global.index()].ty.is_reference())
        && reached.iter().all(harmless)
}

/// Whether a procedure and its callees give back nothing but integers and booleans: a reference that a call gives back is one
/// of which terms do not know that it was there on entry.
pub(crate) fn gives_numbers(program: &Program<'_>, version: usize, id: ProcId) -> bool {
    let is_plain = |local: &Local| !local.ty.is_reference();
    reached(program, version, id).into_iter().all(|id| {
        let code = program.unit.procedure(version, id);
        code.locals.iter().skip(code.params).take(code.results).all(is_plain)
    })
}

fn reached(program: &Program<'_>, version: usize, id: ProcId) -> BTreeSet<ProcId> {
    program.effects[version][id.index()].callees.iter().copied().chain([id]).collect()
}

fn makes_objects(block: &Block) -> bool {
    block.any(&|stmt| matches!(stmt.kind, StmtKind::Assign(_, Rhs::New(_) | Rhs::NewArray(..))))
}
