//! Lowering: loops become procedures, calls become statements of their own.
//!
//! In: a checked program. Out: the same program without `while`, `break` and `continue`, in which a call is a statement
//! whose results go to locals, and every other expression is free of calls.
//!
//! A loop of `p` becomes a procedure `p@loopN` (N counts in source order) that takes the variables the loop uses and
//! that matter at its head, in the order of their first occurrence, runs one iteration and calls itself; it returns those
//! it assigns that matter afterwards, or of which an invariant in either version speaks. A
//! `return` within the loop is told to the caller by one more result. Source: the paper, section 3.1 ("we assume loops have
//! been encoded as recursive procedures").
//!
//! Invariant: the order in which anything can err, call or allocate is that of the source.

mod calls;
mod live;
mod loops;

use lang_l::hir::{Local, LocalId, Procedure, Type, Unit};
use lang_l::source::Span;

/// Lowers every version.
pub fn lower(unit: &Unit) -> Unit {
    let mut unit = unit.clone();
    let mut known: Vec<Procedure> = Vec::new();
    let spoken_of = loops::spoken_of(&unit);
    for version in &mut unit.versions {
        let originals = version.procedures.len();
        for at in 0..originals {
            let mut procedure = version.procedures[at].clone();
            calls::hoist(&mut procedure);
            let kept = spoken_of.get(&procedure.name).cloned().unwrap_or_default();
            let mut made = loops::extract(&mut procedure, version.procedures.len(), (&known, &kept));
            version.procedures[at] = procedure;
            version.procedures.append(&mut made);
        }
        known = version.procedures.iter().filter(|procedure| is_loop(procedure)).cloned().collect();
    }
    unit
}

/// Whether this procedure was a loop, by its name; source names hold no `@`.
pub fn is_loop(procedure: &Procedure) -> bool {
    procedure.name.contains('@')
}

/// A new variable of the procedure.
fn fresh_local(procedure: &mut Procedure, name: String, ty: Type, span: Span) -> LocalId {
    let id = LocalId(u32::try_from(procedure.locals.len()).unwrap_or(u32::MAX));
    procedure.locals.push(Local { name, ty, span });
    id
}
