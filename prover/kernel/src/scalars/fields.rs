//! Promotion of fields: one that a loop looks at through one variable alone is a variable while the loop runs.
//!
//! In: a program. Out: the program with `h := v.f; while (…) {…} v.f := h;` in place of a loop that has `v.f` wherever it now has `h`.
//! Where v may be null, and each turn comes to a field of it, all of that stands under the condition of the loop. Where the loop returns,
//! it breaks off instead, and returns once the field is stored. Where one version does, the others do so too.
//!
//! Rule *Promotion* (`proofs/soundness.md`). Nothing in the loop reads or writes that field of any object but by `v.f`, and v is not
//! assigned: so the field holds there what the variable does. It is stored behind the loop.

use super::helpers::added;
use super::returns::{Around, break_off};
use crate::effects::{Effects, syntactic};
use lang_l::hir::visit::{walk_stmts, walk_stmts_mut};
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, Field, FieldId, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type,
    Unit, Version,
};
use lang_l::source::Span;
use smt::term::Selector;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// Promotes fields in all procedures; nothing in them quantifies over references. Where one version writes a field in loops or recursion
/// as before, the others do so too.
pub(super) fn promote(unit: &mut Unit) {
    let mut all = unit.clone();
    let mut found = BTreeSet::new();
    for procedure in all.versions.iter_mut().flat_map(|version| &mut version.procedures) {
        let promoted = promote_in(procedure, &unit.fields, &|_| true, false);
        found.extend(promoted.into_iter().map(|field| (procedure.name.clone(), field)));
    }
    if found.is_empty() {
        return;
    }
    let versions: Vec<_> = all.versions.iter().enumerate().map(|(at, own)| (own, syntactic(&all, at))).collect();
    found.retain(|(name, field)| {
        let own = versions.iter().filter_map(|(own, effects)| Some(written(own, effects, own.find(name)?, *field)));
        own.collect::<BTreeSet<_>>().len() == 1
    });
    let Unit { versions, fields, .. } = unit;
    for procedure in versions.iter_mut().flat_map(|version| &mut version.procedures) {
        let name = procedure.name.clone();
        let breaks_off = found.iter().any(|(own, _)| *own == name);
        promote_in(procedure, fields, &|field| found.contains(&(name.clone(), field)), breaks_off);
    }
}

/// Promotes those fields in a procedure that are wanted; which they were. Where loops are to break off, those do too that only store
/// something before they return.
fn promote_in(
    procedure: &mut Procedure,
    fields: &[Field],
    wanted: &dyn Fn(FieldId) -> bool,
    breaks_off: bool,
) -> BTreeSet<FieldId> {
    // Where a loop takes no turn the field is written all the same.
    if procedure.modifies.is_some() {
        return BTreeSet::new();
    }
    let results: Vec<LocalId> = procedure.result_ids().collect();
    let Procedure { body: Some(body), locals, requires, .. } = procedure else { return BTreeSet::new() };
    let mut known = BTreeSet::new();
    requires.iter().for_each(|clause| not_null(clause, &mut known));
    let (variables, held) = (BTreeMap::new(), BTreeSet::new());
    let mut promotion =
        Promotion { fields, wanted, breaks_off, results: &results, locals, variables, held, broken_off: 0 };
    promotion.block(body, &mut known);
    promotion.variables.into_keys().map(|(_, field)| field).collect()
}

/// How many loops and recursive procedures write a field when one is called; what is not known counts as well.
fn written(version: &Version, effects: &[Effects], id: ProcId, field: FieldId) -> usize {
    // A helper that writes it does so for whoever calls it.
    let by_call = |id: ProcId| {
        let own = &effects[id.index()];
        !own.recursive(id) && own.writes.contains(&Selector::Field(field))
    };
    let count = |id: ProcId| match &version.procedure(id).body {
        None => 1,
        Some(body) => {
            let goes_on_after = |block: &Block| goes_on_after(block, field, &by_call);
            let mut loops = 0;
            walk_stmts(body, &mut |stmt| {
                loops += usize::from(matches!(&stmt.kind, StmtKind::While { body, .. } if goes_on_after(body)));
            });
            loops + usize::from(goes_on_after(body) && effects[id.index()].recursive(id))
        }
    };
    let run: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
    run.into_iter().map(count).sum()
}

/// Whether a block, or one within it, assigns a field, itself or by a call, and then does more than to return.
fn goes_on_after(block: &Block, field: FieldId, by_call: &dyn Fn(ProcId) -> bool) -> bool {
    let is_store = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign(Place::Field(..), _));
    let is_last = |rest: &[Stmt]| match rest.split_last() {
        Some((last, between)) => matches!(last.kind, StmtKind::Return(_)) && between.iter().all(is_store),
        None => false,
    };
    let is_field = |target: &Place| matches!(target, Place::Field(_, own) if *own == field);
    let calls = |e: &Expr| e.any(&|part| matches!(part.kind, ExprKind::Call(callee, _) if by_call(callee)));
    let assigns = |stmt: &Stmt| {
        stmt.targets().iter().any(is_field)
            || matches!(stmt.kind, StmtKind::Call { callee, .. } if by_call(callee))
            || stmt.exprs().into_iter().any(calls)
    };
    block.stmts.iter().enumerate().any(|(at, stmt)| {
        assigns(stmt) && !is_last(&block.stmts[at + 1..])
            || stmt.blocks().into_iter().any(|inner| goes_on_after(inner, field, by_call))
    })
}

/// The fields of one procedure that are promoted.
struct Promotion<'p> {
    fields: &'p [Field],
    wanted: &'p dyn Fn(FieldId) -> bool,
    results: &'p [LocalId],
    locals: &'p mut Vec<Local>,
    /// What stands for a field of what a variable refers to.
    variables: BTreeMap<(LocalId, FieldId), LocalId>,
    /// The fields that are variables already where we are.
    held: BTreeSet<(LocalId, FieldId)>,
    /// Whether loops break off where they store something before they return, though no field in them is promoted.
    breaks_off: bool,
    /// How many loops break off in place of returning.
    broken_off: usize,
}

impl Promotion<'_> {
    /// Promotes fields in the loops of a block, where these variables are not null.
    fn block(&mut self, block: &mut Block, known: &mut BTreeSet<LocalId>) {
        for mut stmt in mem::take(&mut block.stmts) {
            match &mut stmt.kind {
                StmtKind::While { .. } => {
                    forget(known, &stmt);
                    let stmts = self.looped(stmt, known);
                    block.stmts.extend(stmts);
                    continue;
                }
                StmtKind::If(condition, then, els) => {
                    surely_read(condition, known);
                    let mut both = [known.clone(), known.clone()];
                    not_null(condition, &mut both[0]);
                    self.block(then, &mut both[0]);
                    self.block(els, &mut both[1]);
                    forget(known, &stmt);
                }
                _ => {
                    surely_come_to(&stmt, known);
                    forget(known, &stmt);
                    if let StmtKind::Assign(Place::Local(id), Rhs::New(_)) = stmt.kind {
                        known.insert(id);
                    }
                }
            }
            block.stmts.push(stmt);
        }
    }

    /// A loop with its fields promoted, and with what stands before and behind it then. The variables that are known are not assigned
    /// in it.
    fn looped(&mut self, mut stmt: Stmt, known: &mut BTreeSet<LocalId>) -> Vec<Stmt> {
        if let StmtKind::While { cond, invariants, .. } = &stmt.kind {
            let mut read = BTreeSet::new();
            surely_read(cond, &mut read);
            let assigned = stmt.assigned();
            // What an invariant says is said before the condition is looked at.
            known.extend(read.into_iter().filter(|id| invariants.is_empty() && !assigned.contains(id)));
        }
        let span = stmt.span;
        let (outside, locals) = (self.held.clone(), self.locals.len());
        let mut promoted = stmt.clone();
        let around = break_off(&mut promoted, self.broken_off, self.results, self.locals);
        // As it is written: a variable that stands for a field is set only behind it.
        let first_test = condition(&promoted);
        let come_to = come_to_in_a_turn(&promoted);
        let (mut before, mut behind, mut under_guard) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (object, field) in fields_written(&promoted).difference(&outside).copied() {
            let alone = looks_at_alone(&promoted, object, field) || faults::planted("kernel/scalars/aliased");
            let is_known = known.contains(&object) || faults::planted("kernel/scalars/null");
            if alone && (is_known || come_to.contains(&object)) && (self.wanted)(field) {
                if !is_known {
                    under_guard.insert(object);
                }
                let held = self.variable(object, field);
                let [load, store] = self.moves((object, field), held, span);
                promoted = replaced(promoted, (object, field), held);
                before.push(load);
                behind.push(store);
                self.held.insert((object, field));
            }
        }
        let is_better = |around: &Around| !behind.is_empty() || self.breaks_off && around.stores;
        match around.filter(is_better) {
            Some(around) => {
                self.broken_off += 1;
                before.extend(around.before);
                let at = if faults::planted("kernel/scalars/not-stored") { 0 } else { behind.len() };
                behind.insert(at, around.behind);
                stmt = promoted;
            }
            None if behind.is_empty() => self.locals.truncate(locals),
            None => stmt = promoted,
        }
        if let StmtKind::While { cond, body, .. } = &mut stmt.kind {
            let mut within = known.clone();
            within.extend(&under_guard);
            not_null(cond, &mut within);
            self.block(body, &mut within);
        }
        self.held = outside;
        let stmts: Vec<Stmt> = before.into_iter().chain([stmt]).chain(behind).collect();
        match first_test.filter(|_| !under_guard.is_empty()) {
            None => stmts,
            Some(guard) => {
                let kind = StmtKind::If(guard, Block { span, stmts }, Block { span, stmts: Vec::new() });
                vec![Stmt { kind, span }]
            }
        }
    }

    /// The variable that stands for a field of what another one refers to.
    fn variable(&mut self, object: LocalId, field: FieldId) -> LocalId {
        let Local { name, span, .. } = self.locals[object.index()].clone();
        let Field { name: field_name, ty, .. } = &self.fields[field.index()];
        let (locals, name) = (&mut *self.locals, format!("{name}.{field_name}"));
        let variable = self.variables.entry((object, field));
        *variable.or_insert_with(|| added(locals, Local { name, ty: ty.clone(), span }))
    }

    /// `h := v.f` and `v.f := h`.
    fn moves(&self, (object, field): (LocalId, FieldId), held: LocalId, span: Span) -> [Stmt; 2] {
        let of = |kind: ExprKind, ty: Type| Expr { kind, ty, span };
        let ty = &self.fields[field.index()].ty;
        let object = of(ExprKind::Local(object), self.locals[object.index()].ty.clone());
        let read = of(ExprKind::Field(Box::new(object.clone()), field), ty.clone());
        let held_value = of(ExprKind::Local(held), ty.clone());
        let assign = |place: Place, value: Expr| Stmt { kind: StmtKind::Assign(place, Rhs::Expr(value)), span };
        [assign(Place::Local(held), read), assign(Place::Field(object, field), held_value)]
    }
}

/// A loop with a variable in the place of a field.
fn replaced(stmt: Stmt, (object, field): (LocalId, FieldId), held: LocalId) -> Stmt {
    let mut block = Block { span: stmt.span, stmts: vec![stmt] };
    let is_it = |base: &Expr, own: FieldId| own == field && variable(base) == Some(object);
    walk_stmts_mut(&mut block, &mut |stmt| {
        for target in stmt.targets_mut() {
            if matches!(target, Place::Field(base, own) if is_it(base, *own)) {
                *target = Place::Local(held);
            }
        }
        for e in stmt.exprs_mut() {
            e.walk_mut(&mut |e| {
                if matches!(&e.kind, ExprKind::Field(base, own) if is_it(base, *own)) {
                    e.kind = ExprKind::Local(held);
                }
            });
        }
    });
    block.stmts.remove(0)
}

/// The fields that a loop writes of what a variable refers to.
fn fields_written(stmt: &Stmt) -> BTreeSet<(LocalId, FieldId)> {
    let mut found = BTreeSet::new();
    stmt.walk(&mut |inner| {
        found.extend(inner.targets().iter().filter_map(|target| match target {
            Place::Field(object, field) => Some((variable(object)?, *field)),
            _ => None,
        }));
    });
    found
}

/// Whether all that a loop does with a field of any object it does through this variable, which it does not assign; and whether it
/// shows the store to nobody else.
fn looks_at_alone(stmt: &Stmt, object: LocalId, field: FieldId) -> bool {
    let mut alone = !stmt.assigned().contains(&object);
    let through = |base: &Expr, own: FieldId| own != field || variable(base) == Some(object);
    stmt.walk(&mut |inner| {
        let place = |target: &Place| !matches!(target, Place::Field(base, own) if !through(base, *own));
        let read = |part: &Expr| match &part.kind {
            ExprKind::Field(base, own) => !through(base, *own),
            ExprKind::Call(..) | ExprKind::Old(_) | ExprKind::Reach(..) => true,
            _ => false,
        };
        alone &= !matches!(inner.kind, StmtKind::Call { .. })
            && inner.targets().iter().all(place)
            && !inner.exprs().into_iter().any(|e| e.any(&read));
    });
    alone
}

/// The condition of a loop, as it is written.
fn condition(stmt: &Stmt) -> Option<Expr> {
    match &stmt.kind {
        StmtKind::While { cond, .. } => Some(cond.clone()),
        _ => None,
    }
}

/// The variables that a loop does not assign and of which each turn comes to a field, before it may do anything but to err: each turn
/// errs where one is null. None where there are invariants, which are looked at before the condition is. That the loop calls nobody is
/// looked at elsewhere ([`looks_at_alone`]).
fn come_to_in_a_turn(stmt: &Stmt) -> BTreeSet<LocalId> {
    let mut found = BTreeSet::new();
    if let StmtKind::While { invariants, body, .. } = &stmt.kind
        && invariants.is_empty()
    {
        for inner in &body.stmts {
            match &inner.kind {
                StmtKind::Assign(..) => surely_come_to(inner, &mut found),
                StmtKind::If(cond, ..) => surely_read(cond, &mut found),
                StmtKind::While { cond, invariants, .. } if invariants.is_empty() => surely_read(cond, &mut found),
                _ => {}
            }
            let mut goes_on = true;
            inner.walk(&mut |part| goes_on &= matches!(part.kind, StmtKind::Assign(..) | StmtKind::If(..)));
            if !goes_on && !faults::planted("kernel/scalars/left-before") {
                break;
            }
        }
    }
    let assigned = stmt.assigned();
    found.retain(|id| !assigned.contains(id));
    found
}

/// What a statement assigns may be null after it.
fn forget(known: &mut BTreeSet<LocalId>, stmt: &Stmt) {
    let assigned = stmt.assigned();
    known.retain(|id| !assigned.contains(id));
}

fn variable(e: &Expr) -> Option<LocalId> {
    match e.kind {
        ExprKind::Local(id) => Some(id),
        _ => None,
    }
}

/// Adds the variables that are not null after a statement without blocks, since it reads or writes a field of what they refer to.
fn surely_come_to(stmt: &Stmt, found: &mut BTreeSet<LocalId>) {
    stmt.exprs().into_iter().for_each(|e| surely_read(e, found));
    found.extend(stmt.targets().iter().filter_map(|target| match target {
        Place::Field(object, _) => variable(object),
        _ => None,
    }));
}

/// Adds the variables that are not null where an expression has a value, since a field of what they refer to is read for it.
fn surely_read(e: &Expr, found: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, first, _) | ExprKind::Cond(first, ..) => {
            surely_read(first, found)
        }
        ExprKind::Old(_) | ExprKind::Quant { .. } => {}
        ExprKind::Field(base, _) => {
            found.extend(variable(base));
            surely_read(base, found);
        }
        _ => e.parts().into_iter().for_each(|part| surely_read(part, found)),
    }
}

/// Adds the variables that are not null where an expression is true, since it says so.
fn not_null(e: &Expr, found: &mut BTreeSet<LocalId>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => [a, b].into_iter().for_each(|part| not_null(part, found)),
        ExprKind::Binary(BinOp::Ne, a, b) if b.kind == ExprKind::Null => found.extend(variable(a)),
        _ => {}
    }
}
