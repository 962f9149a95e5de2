//! What a pass of the lowering is given, beside the procedures it changes.
//!
//! In: the source and which of its versions is being lowered. Out: which procedures are *internal*, and which variables a pass
//! has to leave as they are.

use super::handed_out::{HandedOut, elsewhere};
use super::is_loop;
use lang_l::hir::same::same_signature;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{Block, Expr, ExprKind, Local, LocalId, Origin, ProcId, Procedure, StmtKind, Type, Unit};
use lang_l::source::Span;
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// By procedure of the source, the names of the variables that matter to its loops with invariants.
pub(super) type SpokenOf = HashMap<String, BTreeSet<String>>;

/// A version on its way through the passes.
pub(super) struct Draft<'a> {
    /// The program as it was written.
    pub(super) source: &'a Unit,
    /// Which version of it this is.
    pub(super) version: usize,
    /// Of which variables invariants speak, in either version.
    pub(super) spoken_of: &'a SpokenOf,
    /// Which references the loops of each version hand out.
    pub(super) handed_out: &'a HandedOut,
    /// The procedures of version 0 after the pass that now runs on version 1.
    pub(super) before: Option<&'a [Procedure]>,
}

impl Draft<'_> {
    /// The ids of the procedures that the source has.
    pub(super) fn originals(&self) -> impl Iterator<Item = ProcId> + use<> {
        (0u32..).take(self.source.versions[self.version].procedures.len()).map(ProcId)
    }

    /// The other versions' procedures of the same name, with their ids there.
    pub(super) fn namesakes(&self, id: ProcId) -> impl Iterator<Item = (ProcId, &Procedure)> {
        let name = &self.source.versions[self.version].procedures[id.index()].name;
        let others = self.source.versions.iter().enumerate().filter(|(other, _)| *other != self.version);
        others.filter_map(move |(_, version)| version.find(name).map(|theirs| (theirs, version.procedure(theirs))))
    }

    /// The procedures that are *internal*: called by this version alone, not compared with anything for their own sake, and without
    /// a contract. The kernel reads a contract as the source has it, so it stays about the parameters that stand there.
    pub(super) fn internal(&self, procedures: &[Procedure]) -> BTreeSet<ProcId> {
        (0u32..).take(procedures.len()).map(ProcId).filter(|&id| !self.is_compared(id)).collect()
    }

    /// Whether a procedure of the source may be compared for its own sake, or something is known of it by its declaration. Those
    /// that the lowering made have ids beyond those of the source.
    fn is_compared(&self, id: ProcId) -> bool {
        let Some(own) = self.source.versions[self.version].procedures.get(id.index()) else { return false };
        let named = self.source.equivs.iter().any(|equiv| [equiv.left, equiv.right].get(self.version) == Some(&id));
        own.body.is_none()
            || own.has_contract()
            || named
            || self.source.versions.len() < 2
            || self.namesakes(id).any(|(_, theirs)| same_signature(own, theirs))
    }

    /// The names of variables that a loop of a procedure returns even if nothing reads them afterwards: those that invariants of the
    /// loops around or beside it speak of, and what it hands out in the other version. They count from 1.
    pub(super) fn kept(&self, of: ProcId, number: usize) -> BTreeSet<String> {
        let name = &self.source.versions[self.version].procedure(of).name;
        let mut kept = elsewhere(self.handed_out, self.version, name, number);
        kept.extend(self.spoken_of.get(name).into_iter().flatten().cloned());
        kept
    }

    /// The variables that contracts of the procedure speak of, or its assertions under `old`. What these mean depends on the
    /// procedure's entry and exit, so they stay as they are. What a loop ensures nobody wrote; it gives way, except where some
    /// loop of the procedure has invariants that speak of the variable.
    pub(super) fn pinned(&self, procedure: &Procedure) -> BTreeSet<LocalId> {
        let mut found = BTreeSet::new();
        if is_loop(procedure) {
            let places = procedure.modifies.iter().flat_map(|modifies| &modifies.places);
            procedure.requires.iter().chain(places).for_each(|e| e.collect_locals(&mut found));
        } else {
            procedure.contract_exprs().for_each(|e| e.collect_locals(&mut found));
        }
        if let Some(body) = &procedure.body {
            olds_in(body, &mut found);
        }
        let part = match procedure.origin {
            Origin::Source => None,
            Origin::Loop { of, number, .. } => Some((of, number)),
            Origin::Worker { of } => Some((of, 0)),
        };
        if let Some((of, number)) = part {
            let kept = self.kept(of, number);
            found.extend(procedure.result_ids().filter(|&id| kept.contains(&procedure.local(id).name)));
        }
        found
    }
}

/// By procedure, the variables that matter to loops with invariants: what these ensure is said of their last values.
pub(super) fn spoken_of(unit: &Unit) -> SpokenOf {
    let mut found = SpokenOf::default();
    for procedure in unit.versions.iter().flat_map(|version| &version.procedures) {
        let Some(body) = &procedure.body else { continue };
        let names = found.entry(procedure.name.clone()).or_default();
        let mut note = |part: &Expr| {
            if let ExprKind::Local(id) = part.kind {
                names.insert(procedure.local(id).name.clone());
            }
        };
        walk_stmts(body, &mut |stmt| {
            if let StmtKind::While { cond, invariants, .. } = &stmt.kind
                && !invariants.is_empty()
            {
                invariants.iter().chain([cond]).for_each(|e| e.walk(&mut note));
            }
        });
    }
    found
}

/// The variables of which the assertions and invariants of a block speak under `old`.
fn olds_in(block: &Block, found: &mut BTreeSet<LocalId>) {
    walk_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assert(e) | StmtKind::Assume(e) => e.collect_old_locals(found),
        StmtKind::While { invariants, .. } => invariants.iter().for_each(|e| e.collect_old_locals(found)),
        _ => {}
    });
}

/// A new variable of the procedure.
pub(super) fn fresh_local(procedure: &mut Procedure, name: String, ty: Type, span: Span) -> LocalId {
    let id = LocalId(u32::try_from(procedure.locals.len()).unwrap_or(u32::MAX));
    procedure.locals.push(Local { name, ty, span });
    id
}
