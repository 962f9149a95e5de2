//! What is known of a procedure without looking at the other version.
//!
//! In: a lowered program. Out: one [`Effects`] per procedure: the syntactic ones (which fields and globals it and its callees
//! touch, whether it can recur) are found here; those that need symbolic execution are filled in by the prover.
//!
//! Invariant: every fact is an upper bound on behaviour; forgetting one is always sound.

use crate::only_if::{Changing, OnlyIf};
use crate::places::Spot;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    Block, Expr, ExprKind, FieldId, GlobalId, LocalId, Origin, Place, ProcId, Procedure, Stmt, StmtKind, Type, Unit,
    Version,
};
use smt::term::{Selector, Sort};
use std::collections::BTreeSet;

/// What is known of one procedure, its callees included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
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
    pub errs_if_null: BTreeSet<usize>,
    /// What changes only if something held on entry.
    pub changes_only_if: Vec<OnlyIf>,
    /// What holds of the parameters whenever it is called; of loops alone, about which nobody asks.
    pub entry: Vec<Expr>,
    /// What holds of its parameters, as they were, and its results whenever it has returned; of loops alone.
    pub exit: Vec<Expr>,
    /// It always ends.
    pub terminates: bool,
    /// It may be blocked by an `assume`.
    pub may_block: bool,
    /// It looks at more than its arguments reach: it quantifies over references, or it is a loop's procedure and speaks of
    /// the entry of the procedure around it. Calls of it are then never related by a claim (rule *Locality*).
    pub non_local: bool,
    /// One of its own assertions or assumptions speaks of its entry, by `old` or `fresh`.
    pub speaks_of_entry: bool,
    /// Its `ensures` may be assumed after a call.
    pub trust_ensures: bool,
    /// What its calls leave, where these are matched under a relation.
    pub returned: Returned,
    /// The procedures it may call, itself included when it is recursive, directly or not.
    pub callees: BTreeSet<ProcId>,
}

/// What calls of a procedure leave, where two versions leave more than what they share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Returned {
    /// By which numbers the results go, where not by their own: two calls share only the results that correspond.
    pub numbers: Option<Vec<u32>>,
    /// Where the heap holds what only this version knows of; by the numbers of parameters, and behind them of results.
    pub apart: Vec<Spot>,
    /// What is left as it was, though the other version may write it.
    pub kept: Vec<Selector>,
}

impl Returned {
    /// Whether what calls leave behind this selector is what a call of the same name in the other version leaves, everywhere.
    pub fn shares(&self, selector: Selector) -> bool {
        let apart = self.apart.iter().any(|spot| spot.selector == selector);
        !apart && !self.kept.contains(&selector)
    }
}

impl Effects {
    /// The numbers by which so many results of its calls go.
    pub fn numbers_of_results(&self, count: usize) -> Vec<u32> {
        self.returned.numbers.clone().unwrap_or_else(|| (0u32..).take(count).collect())
    }

    /// Whether the results of its calls, of which there are so many, or the places that it alone knows of, have this number.
    pub fn is_own_number(&self, number: u32, count: usize) -> bool {
        self.returned.apart.iter().any(|spot| spot.symbol() == number)
            || self.numbers_of_results(count).contains(&number)
    }

    /// The parameter that a result always is, if it is one (rule *Only if*).
    pub fn given_back(&self, result: usize) -> Option<usize> {
        self.changes_only_if.iter().find_map(|own| match own.what {
            Changing::Result { result: at, parameter } if at == result && own.tests.is_empty() => Some(parameter),
            _ => None,
        })
    }

    /// Whether it looks at all that an expression does.
    pub fn looks_at(&self, unit: &Unit, seen: &Expr) -> bool {
        let mut read = Effects::default();
        expr(unit, seen, &mut read);
        read.accesses.is_subset(&self.accesses) && read.globals.is_subset(&self.globals)
    }

    /// Whether it may call itself, directly or not.
    pub fn recursive(&self, own: ProcId) -> bool {
        self.callees.contains(&own)
    }
}

/// The syntactic effects of all procedures of a version: a least fixpoint over the call graph. `modifies` is left open but for
/// externals, whose contracts are all there is.
pub fn syntactic(unit: &Unit, version: usize) -> Vec<Effects> {
    let procedures = &unit.versions[version].procedures;
    let mut all: Vec<Effects> = procedures.iter().map(|procedure| own_facts(unit, procedure)).collect();
    let direct: Vec<Vec<ProcId>> = all.iter().map(|own| own.callees.iter().copied().collect()).collect();
    // Callees first, so that one round finds everything where nothing recurs.
    let order = callees_first(&direct);
    loop {
        let mut changed = false;
        for &at in &order {
            let mut merged = all[at].clone();
            for callee in &direct[at] {
                let theirs = &all[callee.index()];
                merged.writes.extend(&theirs.writes);
                merged.accesses.extend(&theirs.accesses);
                merged.globals.extend(&theirs.globals);
                merged.written_globals.extend(&theirs.written_globals);
                merged.callees.extend(&theirs.callees);
                merged.may_block |= theirs.may_block;
                merged.non_local |= theirs.non_local;
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
            !endless[at] && !all[at].may_block && all[at].callees.iter().all(|callee| !endless[callee.index()]);
    }
    all
}

/// All procedures, each behind those that it calls, but where they recur.
fn callees_first(callees: &[Vec<ProcId>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(callees.len());
    let mut seen = vec![false; callees.len()];
    for root in 0..callees.len() {
        let mut path = if std::mem::replace(&mut seen[root], true) { Vec::new() } else { vec![(root, 0)] };
        while let Some((at, next)) = path.last_mut() {
            let Some(callee) = callees[*at].get(*next).map(|callee| callee.index()) else {
                order.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut seen[callee], true) {
                path.push((callee, 0));
            }
        }
    }
    order
}

/// The procedures that one calls itself, lowered or not. Contracts cannot call any.
pub fn direct_callees(procedure: &Procedure) -> BTreeSet<ProcId> {
    procedure.body.iter().flat_map(|body| &body.stmts).flat_map(callees_of).collect()
}

/// The procedures that a statement calls itself, or one within it.
pub fn callees_of(stmt: &Stmt) -> BTreeSet<ProcId> {
    let mut callees = BTreeSet::new();
    stmt.walk(&mut |inner| {
        callees.extend(inner.as_call().map(|(_, callee, _)| callee));
        inner.exprs().into_iter().for_each(|e| {
            e.walk(&mut |part| {
                if let ExprKind::Call(callee, _) = part.kind {
                    callees.insert(callee);
                }
            });
        });
    });
    callees
}

fn own_facts(unit: &Unit, procedure: &Procedure) -> Effects {
    let mut effects = Effects::default();
    match &procedure.body {
        Some(body) => block(unit, body, &mut effects),
        None => {
            effects.writes = every_selector(unit);
            effects.accesses = effects.writes.clone();
            effects.globals = every_global(unit);
            effects.written_globals = effects.globals.clone();
            effects.modifies = procedure.modifies.as_ref().map(|modifies| modifies.places.clone());
            effects.trust_ensures = true;
            // What it promises is what it is: who promises something of all objects looks at more than it is given.
            if !faults::planted("kernel/pair/external-promise") {
                procedure.ensures.iter().for_each(|ensures| expr(unit, ensures, &mut effects));
            }
        }
    }
    // A claim about a procedure holds where both versions' `requires` do; so what these look at must agree as well.
    procedure.requires.iter().for_each(|requires| expr(unit, requires, &mut effects));
    // What calls leave in a place that is named is one symbol for both versions; so how one comes to it must agree, and what was there.
    if !faults::planted("kernel/pair/named-unseen") {
        let named = procedure.modifies.iter().flat_map(|modifies| &modifies.places);
        named.for_each(|place| expr(unit, place, &mut effects));
    }
    effects.non_local |= is_loop(procedure) && effects.speaks_of_entry;
    effects
}

/// Every field and every kind of cell.
pub fn every_selector(unit: &Unit) -> BTreeSet<Selector> {
    let fields = (0..unit.fields.len()).map(|at| Selector::Field(FieldId(u32::try_from(at).unwrap_or(u32::MAX))));
    fields.chain([Sort::Int, Sort::Bool, Sort::Ref].map(Selector::Cell)).collect()
}

fn block(unit: &Unit, body: &Block, effects: &mut Effects) {
    walk_stmts(body, &mut |stmt| {
        stmt.targets().iter().for_each(|place| target(place, effects));
        stmt.exprs().into_iter().for_each(|e| expr(unit, e, effects));
        match &stmt.kind {
            StmtKind::Call { callee, .. } => {
                effects.callees.insert(*callee);
            }
            StmtKind::Assert(e) | StmtKind::Assume(e) => {
                effects.may_block |= matches!(stmt.kind, StmtKind::Assume(_));
                effects.speaks_of_entry |= e.mentions_entry();
            }
            _ => {}
        }
    });
}

fn target(place: &Place, effects: &mut Effects) {
    let mut writes = |selector: Selector| {
        effects.writes.insert(selector);
        effects.accesses.insert(selector);
    };
    match place {
        Place::Local(_) => {}
        Place::Global(id) => {
            effects.globals.insert(*id);
            effects.written_globals.insert(*id);
        }
        Place::Field(_, field) => writes(Selector::Field(*field)),
        Place::Index(array, _) => writes(Selector::Cell(cell_sort(&array.ty))),
    }
}

fn expr(unit: &Unit, e: &Expr, effects: &mut Effects) {
    match &e.kind {
        ExprKind::Global(id) => {
            effects.globals.insert(*id);
        }
        ExprKind::Field(_, field) => {
            effects.accesses.insert(Selector::Field(*field));
        }
        ExprKind::Index(array, _) => {
            effects.accesses.insert(Selector::Cell(cell_sort(&array.ty)));
        }
        // A quantifier over integers or booleans looks at no more than its body does.
        ExprKind::Quant { var, body, .. } if !quantifies_references(*var, body) => {}
        // These look at whatever can be reached or exists; only assertions and assumptions hold them.
        ExprKind::Reach(..) | ExprKind::Quant { .. } => {
            effects.non_local |= matches!(e.kind, ExprKind::Quant { .. });
            effects.accesses.extend(every_selector(unit));
            effects.globals.extend(every_global(unit));
        }
        ExprKind::Call(callee, _) => {
            effects.callees.insert(*callee);
        }
        _ => {}
    }
    e.parts().into_iter().for_each(|part| expr(unit, part, effects));
}

/// Whether a bound variable is used as a reference.
fn quantifies_references(var: LocalId, body: &Expr) -> bool {
    body.any(&|part| part.kind == ExprKind::Local(var) && part.ty.is_reference())
}

/// Whether a procedure, or one that runs when it is called, says something of all objects that there are: these are also those that its
/// variables refer to, whether anything reads them or not.
pub fn looks_at_all_objects(version: &Version, id: ProcId) -> bool {
    if faults::planted("kernel/outline/seen-by-quantifier") {
        return false;
    }
    let (mut open, mut run) = (vec![id], BTreeSet::from([id]));
    while let Some(id) = open.pop() {
        let code = version.procedure(id);
        if quantifies_over_references(code) {
            return true;
        }
        open.extend(direct_callees(code).into_iter().filter(|&callee| run.insert(callee)));
    }
    false
}

/// Whether a procedure itself does, in its body or contract.
pub fn quantifies_over_references(procedure: &Procedure) -> bool {
    let quantifies = |e: &Expr| e.quantifies_references(procedure);
    procedure.contract_exprs().any(quantifies) || procedure.body.iter().any(|body| body.any_expr(&quantifies))
}

/// The sort of an array's cells, by the array's type.
pub fn cell_sort(array: &Type) -> Sort {
    match array {
        Type::Array(element) => Sort::from(element.as_ref()),
        _ => Sort::Ref,
    }
}

/// Whether a procedure was made of a loop, or of recursion in place of one.
pub fn is_loop(procedure: &Procedure) -> bool {
    procedure.origin != Origin::Source
}

/// All globals, for procedures about which nothing is known.
pub fn every_global(unit: &Unit) -> BTreeSet<GlobalId> {
    (0..unit.globals.len()).map(|at| GlobalId(u32::try_from(at).unwrap_or(u32::MAX))).collect()
}
