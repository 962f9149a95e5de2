//! What is known of a procedure without looking at the other version.
//!
//! In: a lowered program. Out: one [`Facts`] per procedure: the syntactic ones (which fields and globals it and its callees
//! touch, whether it can recur) are found here; those that need symbolic execution are filled in by [`crate::analysis::inference`].
//!
//! Invariant: every fact is an upper bound on behaviour; forgetting one is always sound.

use crate::lower::is_loop;
use crate::lower::visit::mentions_entry;
use smt::term::{Selector, Sort};
use lang_l::hir::{Type, Block, Expr, ExprKind, GlobalId, LocalId, Place, ProcId, Procedure, Rhs, StmtKind, Unit};
use std::collections::BTreeSet;

/// What is known of one procedure, its callees included.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The selectors it may write.
    pub writes: BTreeSet<Selector>,
    /// The selectors it may read or write.
    pub accesses: BTreeSet<Selector>,
    /// The globals it may read or write.
    pub globals: BTreeSet<GlobalId>,
    /// The globals it may write.
    pub written_globals: BTreeSet<GlobalId>,
    /// The places that name on entry all that may change of what existed then; proved, or declared by an external.
    pub modifies: Option<Vec<Expr>>,
    /// When known: it errs only if one of these parameters is null. Empty: it never errs.
    pub errs_only_if_null: Option<Vec<usize>>,
    /// It errs if one of these parameters is null.
    pub needs: BTreeSet<usize>,
    /// What holds of the parameters whenever it is called; of loops alone, about which nobody asks.
    pub entry: Vec<Expr>,
    /// What holds of its parameters, as they were, and its results whenever it has returned; of loops alone.
    pub exit: Vec<Expr>,
    /// It always ends.
    pub terminates: bool,
    /// It may be blocked by an `assume`.
    pub blocks: bool,
    /// It looks at more than its arguments reach: it quantifies over references, or it is a loop's procedure and speaks of
    /// the entry of the procedure around it. Calls of it are then never related by a claim (rule *Locality*).
    pub sees_all: bool,
    /// One of its own assertions or assumptions speaks of its entry, by `old` or `fresh`.
    pub speaks_of_entry: bool,
    /// Its `ensures` may be assumed after a call.
    pub trust_ensures: bool,
    /// The procedures it may call, itself included when it is recursive, directly or not.
    pub callees: BTreeSet<ProcId>,
}

impl Facts {
    /// Whether it may call itself, directly or not.
    pub fn recursive(&self, own: ProcId) -> bool {
        self.callees.contains(&own)
    }
}

/// The syntactic facts of all procedures of a version: a least fixpoint over the call graph. `modifies` is left open but for
/// externals, whose contracts are all there is.
pub fn syntactic(unit: &Unit, version: usize) -> Vec<Facts> {
    let procedures = &unit.versions[version].procedures;
    let mut all: Vec<Facts> = procedures.iter().map(|procedure| own_facts(unit, procedure)).collect();
    loop {
        let mut changed = false;
        for at in 0..all.len() {
            let mut merged = all[at].clone();
            for callee in all[at].callees.clone() {
                let theirs = &all[callee.index()];
                merged.writes.extend(&theirs.writes);
                merged.accesses.extend(&theirs.accesses);
                merged.globals.extend(&theirs.globals);
                merged.written_globals.extend(&theirs.written_globals);
                merged.callees.extend(&theirs.callees);
                merged.blocks |= theirs.blocks;
                merged.sees_all |= theirs.sees_all;
            }
            if merged != all[at] {
                all[at] = merged;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    // Rule *Terminates*: no loops are left, so a procedure that reaches no recursion, no external and no `assume` ends.
    let endless: Vec<bool> = procedures
        .iter()
        .zip(0u32..)
        .map(|(p, at)| p.body.is_none() || all[at as usize].recursive(ProcId(at)))
        .collect();
    for at in 0..all.len() {
        all[at].terminates =
            !endless[at] && !all[at].blocks && all[at].callees.iter().all(|callee| !endless[callee.index()]);
    }
    all
}

/// The procedures that one calls itself.
pub fn direct_callees(unit: &Unit, procedure: &Procedure) -> BTreeSet<ProcId> {
    own_facts(unit, procedure).callees
}

fn own_facts(unit: &Unit, procedure: &Procedure) -> Facts {
    let mut facts = Facts {
        writes: BTreeSet::new(),
        accesses: BTreeSet::new(),
        globals: BTreeSet::new(),
        written_globals: BTreeSet::new(),
        modifies: None,
        errs_only_if_null: None,
        needs: BTreeSet::new(),
        entry: Vec::new(),
        exit: Vec::new(),
        terminates: false,
        blocks: false,
        sees_all: false,
        speaks_of_entry: false,
        trust_ensures: false,
        callees: BTreeSet::new(),
    };
    match &procedure.body {
        Some(body) => block(unit, body, &mut facts),
        None => {
            facts.writes = every_selector(unit);
            facts.accesses = facts.writes.clone();
            facts.globals = every_global(unit);
            facts.written_globals = facts.globals.clone();
            facts.modifies = procedure.modifies.as_ref().map(|modifies| modifies.places.clone());
            facts.trust_ensures = true;
        }
    }
    // A claim about a procedure holds where both versions' `requires` do; so what these look at must agree as well.
    procedure.requires.iter().for_each(|requires| expr(unit, requires, &mut facts));
    facts.sees_all |= is_loop(procedure) && facts.speaks_of_entry;
    facts
}

/// Every field and every kind of cell.
pub fn every_selector(unit: &Unit) -> BTreeSet<Selector> {
    let fields =
        (0..unit.fields.len()).map(|at| Selector::Field(lang_l::hir::FieldId(u32::try_from(at).unwrap_or(u32::MAX))));
    fields.chain([Sort::Int, Sort::Bool, Sort::Ref].map(Selector::Cell)).collect()
}

fn block(unit: &Unit, body: &Block, facts: &mut Facts) {
    for stmt in &body.stmts {
        match &stmt.kind {
            StmtKind::Assign(place, rhs) => {
                target(unit, place, facts);
                match rhs {
                    Rhs::Expr(e) | Rhs::NewArray(_, e) => expr(unit, e, facts),
                    Rhs::New(_) => {}
                }
            }
            StmtKind::Call { targets, callee, args } => {
                targets.iter().for_each(|place| target(unit, place, facts));
                facts.callees.insert(*callee);
                args.iter().for_each(|arg| expr(unit, arg, facts));
            }
            StmtKind::If(cond, then, els) => {
                expr(unit, cond, facts);
                block(unit, then, facts);
                block(unit, els, facts);
            }
            StmtKind::While { cond, body, .. } => {
                expr(unit, cond, facts);
                block(unit, body, facts);
            }
            StmtKind::Return(values) => values.iter().for_each(|value| expr(unit, value, facts)),
            StmtKind::Assert(e) | StmtKind::Assume(e) => {
                expr(unit, e, facts);
                facts.blocks |= matches!(stmt.kind, StmtKind::Assume(_));
                facts.speaks_of_entry |= mentions_entry(e);
            }
            StmtKind::Break | StmtKind::Continue => {}
        }
    }
}

fn target(unit: &Unit, place: &Place, facts: &mut Facts) {
    match place {
        Place::Local(_) => {}
        Place::Global(id) => {
            facts.globals.insert(*id);
            facts.written_globals.insert(*id);
        }
        Place::Field(object, field) => {
            expr(unit, object, facts);
            facts.writes.insert(Selector::Field(*field));
            facts.accesses.insert(Selector::Field(*field));
        }
        Place::Index(array, index) => {
            expr(unit, array, facts);
            expr(unit, index, facts);
            facts.writes.insert(Selector::Cell(cell_sort(&array.ty)));
            facts.accesses.insert(Selector::Cell(cell_sort(&array.ty)));
        }
    }
}

fn expr(unit: &Unit, e: &Expr, facts: &mut Facts) {
    match &e.kind {
        ExprKind::Global(id) => {
            facts.globals.insert(*id);
        }
        ExprKind::Field(_, field) => {
            facts.accesses.insert(Selector::Field(*field));
        }
        ExprKind::Index(array, _) => {
            facts.accesses.insert(Selector::Cell(cell_sort(&array.ty)));
        }
        // A quantifier over integers or booleans looks at no more than its body does.
        ExprKind::Quant { var, body, .. } if !quantifies_references(*var, body) => {}
        // These look at whatever can be reached or exists; only assertions and assumptions hold them.
        ExprKind::Reach(..) | ExprKind::Quant { .. } => {
            facts.sees_all |= matches!(e.kind, ExprKind::Quant { .. });
            facts.accesses.extend(every_selector(unit));
            facts.globals.extend(every_global(unit));
        }
        ExprKind::Call(callee, _) => {
            facts.callees.insert(*callee);
        }
        _ => {}
    }
    e.parts().into_iter().for_each(|part| expr(unit, part, facts));
}

/// Whether a bound variable is used as a reference.
fn quantifies_references(var: LocalId, body: &Expr) -> bool {
    body.any(&|part| part.kind == ExprKind::Local(var) && part.ty.is_reference())
}

/// The sort of an array's cells, by the array's type.
pub fn cell_sort(array: &Type) -> Sort {
    match array {
        Type::Array(element) => Sort::from(element.as_ref()),
        _ => Sort::Ref,
    }
}

/// All globals, for procedures about which nothing is known.
pub fn every_global(unit: &Unit) -> BTreeSet<GlobalId> {
    (0..unit.globals.len()).map(|at| GlobalId(u32::try_from(at).unwrap_or(u32::MAX))).collect()
}
