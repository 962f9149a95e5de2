//! A cell that is made for a recursive helper alone becomes a parameter and a result.
//!
//! In: the procedures of one version, lowered, and which of them are internal. Out: the same procedures, where some internal
//! ones take the values of a cell's fields and give back the new ones, and there is no cell.
//!
//! Such a procedure calls itself and hands on the cell. All its callers make that cell themselves and use nothing but its
//! fields. So a helper that leaves its result in a cell comes to be one that returns it.
//!
//! Invariant (rule *Cell*, `proofs/soundness.md`): every procedure that is not internal does what it did.

use super::dead_arguments::{Literal, arrange};
use super::draft::{Draft, fresh_local};
use super::worker::calls_itself;
use lang_l::hir::visit::{walk_stmts, walk_stmts_mut};
use lang_l::hir::{Block, Expr, ExprKind, FieldId, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that take the place of a cell's fields.
type Fields = BTreeMap<FieldId, LocalId>;

/// Procedures that make cells for a helper, and the variables in which they keep these.
type Makers = BTreeMap<ProcId, BTreeSet<LocalId>>;

/// A cell of a helper: the parameter, and the fields that the helper uses.
struct Cell {
    helper: ProcId,
    param: usize,
    fields: BTreeSet<FieldId>,
}

/// Does away with the cells of internal procedures of one version.
#[expect(clippy::ptr_arg, reason = "all passes of the table have one type")]
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    if procedures.iter().any(sees_cells) {
        return;
    }
    let internal = draft.internal(procedures);
    for &helper in &internal {
        if !calls_itself(&procedures[helper.index()], helper) {
            continue;
        }
        // Each time there is a reference less among the parameters.
        while let Some((cell, makers)) = (0..procedures[helper.index()].params)
            .find_map(|param| fit(draft, procedures, Cell { helper, param, fields: BTreeSet::new() }))
        {
            for (maker, cells) in makers {
                unmake(draft.source, &mut procedures[maker.index()], &cell, &cells);
            }
            hand_on(draft.source, &mut procedures[helper.index()], &cell);
        }
    }
}

/// Whether a procedure looks at objects that it has no name for.
fn sees_cells(procedure: &Procedure) -> bool {
    any_expr(procedure, &|expr| match &expr.kind {
        ExprKind::Reach(..) | ExprKind::Fresh(_) | ExprKind::Old(_) => true,
        ExprKind::Quant { var, .. } => procedure.local(*var).ty.is_reference(),
        _ => false,
    })
}

/// Whether the test holds for an expression of a procedure, its contract included, or for a part of one.
fn any_expr(procedure: &Procedure, test: &impl Fn(&Expr) -> bool) -> bool {
    let in_body = |body: &Block| body.any_expr(test);
    procedure.contract_exprs().any(|expr| expr.any(test)) || procedure.body.as_ref().is_some_and(in_body)
}

/// Shows every call of a block: the callee and the arguments.
fn every_call(block: &Block, see: &mut impl FnMut(ProcId, &[Expr])) {
    walk_stmts(block, &mut |stmt| {
        if let Some((_, callee, args)) = stmt.as_call() {
            see(callee, args);
        }
    });
}

/// The cell with its fields, and the procedures that make one with the variables they keep it in; `None` where it is used in
/// any other way.
fn fit(draft: &Draft<'_>, procedures: &[Procedure], mut cell: Cell) -> Option<(Cell, Makers)> {
    cell.fields = fields_alone(draft, &procedures[cell.helper.index()], &cell)?;
    if !is_apart(procedures, &cell) && !faults::planted("lower/scalars/aliased") {
        return None;
    }
    let makers = makers(draft, procedures, &cell)?;
    (!makers.is_empty()).then_some((cell, makers))
}

/// The fields of its cell that a helper uses, which are numbers or booleans. `None` where it uses the cell in any other way, or
/// its contract speaks of it.
fn fields_alone(draft: &Draft<'_>, helper: &Procedure, cell: &Cell) -> Option<BTreeSet<FieldId>> {
    let param = helper.param_ids().nth(cell.param)?;
    let body = helper.body.as_ref()?;
    let mut spoken_about = draft.pinned(helper);
    helper.ensures.iter().for_each(|ensures| ensures.collect_locals(&mut spoken_about));
    let plain = helper.requires.is_empty() && helper.modifies.is_none() && !spoken_about.contains(&param);
    if !plain || !helper.local(param).ty.is_reference() || body.assigns(param) {
        return None;
    }
    let fields = uses(body, param, cell)?;
    let number = |field: &FieldId| !draft.source.fields[field.index()].ty.is_reference();
    let fits = !fields.is_empty() && fields.iter().all(number) && hands_on(body, param, cell);
    fits.then_some(fields)
}

/// Whether nothing that the helper can run looks at these fields of another object.
fn is_apart(procedures: &[Procedure], cell: &Cell) -> bool {
    let helper = &procedures[cell.helper.index()];
    let param = helper.param_ids().nth(cell.param);
    let apart = |other: ProcId| {
        let code = &procedures[other.index()];
        let recurs = reached(procedures, other).contains(&cell.helper);
        code.body.is_some() && !touches(code, &cell.fields, None) && !recurs
    };
    !touches(helper, &cell.fields, param) && reached(procedures, cell.helper).into_iter().all(apart)
}

/// The callers of the helper with the variables they keep its cell in; `None` where some call is given anything else.
fn makers(draft: &Draft<'_>, procedures: &[Procedure], cell: &Cell) -> Option<Makers> {
    let mut makers = Makers::new();
    for (id, maker) in (0u32..).map(ProcId).zip(procedures).filter(|(id, _)| *id != cell.helper) {
        let Some(body) = &maker.body else { continue };
        let mut cells = BTreeSet::new();
        let mut known = true;
        every_call(body, &mut |callee, args| {
            if callee == cell.helper {
                match args[cell.param].kind {
                    ExprKind::Local(local) => {
                        cells.insert(local);
                    }
                    _ => known = false,
                }
            }
        });
        if !known || !cells.iter().all(|&local| is_own(draft, maker, local, cell)) {
            return None;
        }
        if !cells.is_empty() {
            makers.insert(id, cells);
        }
    }
    Some(makers)
}

/// Whether a variable holds a cell that is made once, before it is used, and used for its fields and the helper alone.
fn is_own(draft: &Draft<'_>, maker: &Procedure, local: LocalId, cell: &Cell) -> bool {
    let Some(body) = &maker.body else { return false };
    let is_new = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign(Place::Local(to), Rhs::New(_)) if *to == local);
    let Some(made) = body.stmts.iter().position(is_new) else { return false };
    let (before, after) = (&body.stmts[..made], &body.stmts[made + 1..]);
    let block = |stmts: &[Stmt]| Block { stmts: stmts.to_vec(), span: body.span };
    let (before, after) = (block(before), block(after));
    local.index() >= maker.params + maker.results
        && !before.any_expr(&|expr| expr.kind == ExprKind::Local(local))
        && !before.assigns(local)
        && !after.assigns(local)
        && uses(&after, local, cell).is_some()
        && !draft.pinned(maker).contains(&local)
}

/// The fields of the object in a variable that a block uses; `None` where it uses the variable for anything but its fields,
/// and as the helper's cell.
fn uses(block: &Block, local: LocalId, cell: &Cell) -> Option<BTreeSet<FieldId>> {
    let is_it = |expr: &Expr| expr.kind == ExprKind::Local(local);
    let (mut fields, mut alone) = (BTreeSet::new(), true);
    walk_stmts(block, &mut |stmt| {
        alone &= !matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Break | StmtKind::Continue);
        let call = stmt.as_call();
        let handed_on = call.filter(|(_, callee, _)| *callee == cell.helper).map(|(.., args)| &args[cell.param]);
        let stored = match &stmt.kind {
            StmtKind::Assign(Place::Field(object, field), _) if call.is_none() => Some((object, *field)),
            _ => None,
        };
        for expr in stmt.exprs() {
            match stored {
                Some((object, field)) if std::ptr::eq(object, expr) && is_it(expr) => {
                    fields.insert(field);
                }
                _ if handed_on.is_some_and(|given| std::ptr::eq(given, expr)) && is_it(expr) => {}
                _ => alone &= only_fields(expr, &is_it, &mut fields),
            }
        }
    });
    alone.then_some(fields)
}

/// Whether an expression uses an object for its fields alone; these are collected.
fn only_fields(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool, fields: &mut BTreeSet<FieldId>) -> bool {
    match &expr.kind {
        ExprKind::Field(object, field) if is_it(object) => {
            fields.insert(*field);
            true
        }
        _ => !is_it(expr) && expr.parts().into_iter().all(|part| only_fields(part, is_it, fields)),
    }
}

/// Whether the helper gives each call of itself the very cell it was given.
fn hands_on(body: &Block, param: LocalId, cell: &Cell) -> bool {
    let mut always = true;
    every_call(body, &mut |callee, args| {
        always &= callee != cell.helper || args[cell.param].kind == ExprKind::Local(param);
    });
    always
}

/// Whether a procedure mentions these fields of any object but the one in a variable.
fn touches(procedure: &Procedure, fields: &BTreeSet<FieldId>, but: Option<LocalId>) -> bool {
    let other = |object: &Expr| !but.is_some_and(|but| object.kind == ExprKind::Local(but));
    let read =
        |expr: &Expr| matches!(&expr.kind, ExprKind::Field(object, field) if fields.contains(field) && other(object));
    let store = |place: &Place| matches!(place, Place::Field(object, field) if fields.contains(field) && other(object));
    let stores = |body: &Block| body.any(&|stmt| stmt.targets().iter().any(store));
    any_expr(procedure, &read) || procedure.body.as_ref().is_some_and(stores)
}

/// The procedures that one may call, directly or not, but for itself.
fn reached(procedures: &[Procedure], from: ProcId) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    let mut work = vec![from];
    while let Some(next) = work.pop() {
        if let Some(body) = &procedures[next.index()].body {
            every_call(body, &mut |callee, _| {
                if callee != from && found.insert(callee) {
                    work.push(callee);
                }
            });
        }
    }
    found
}

/// Has the helper take the fields and give them back.
fn hand_on(unit: &Unit, helper: &mut Procedure, cell: &Cell) {
    let span = helper.name_span;
    let Some(param) = helper.param_ids().nth(cell.param) else { return };
    let given = variables(unit, helper, param, &cell.fields);
    let held = variables(unit, helper, param, &cell.fields);
    let Some(mut body) = helper.body.take() else { return };
    let cells = BTreeMap::from([(param, held.clone())]);
    hand_fields(&mut body, cell, &cells, helper);
    return_fields(&mut body, &held, helper);
    replace_fields(&mut body, &cells);
    let start = held.iter().map(|(field, &to)| {
        let value = variable(helper, given[field]);
        Stmt { kind: StmtKind::Assign(Place::Local(to), Rhs::Expr(value)), span }
    });
    let start: Vec<Stmt> = start.collect();
    if !faults::planted("lower/scalars/start-forgotten") {
        body.stmts.splice(0..0, start);
    }
    helper.body = Some(body);
    let params: Vec<usize> =
        (0..helper.params).filter(|&at| at != cell.param).chain(given.values().map(|id| id.index())).collect();
    let results: Vec<usize> = (0..helper.results).chain(held.values().map(|id| id.index() - helper.params)).collect();
    arrange(helper, &params, &results);
}

/// Has a caller keep the fields of the cells it made for the helper.
fn unmake(unit: &Unit, maker: &mut Procedure, cell: &Cell, locals: &BTreeSet<LocalId>) {
    let Some(mut body) = maker.body.take() else { return };
    let mut cells = BTreeMap::new();
    for &local in locals {
        let mut fields = cell.fields.clone();
        fields.extend(uses(&body, local, cell).unwrap_or_default());
        cells.insert(local, variables(unit, maker, local, &fields));
    }
    hand_fields(&mut body, cell, &cells, maker);
    replace_fields(&mut body, &cells);
    let mut stmts = Vec::with_capacity(body.stmts.len());
    for stmt in body.stmts {
        match &stmt.kind {
            StmtKind::Assign(Place::Local(to), Rhs::New(_)) if cells.contains_key(to) => {
                for &id in cells[to].values() {
                    let ty = maker.local(id).ty.clone();
                    let value = Expr { kind: Literal::default_of(&ty).kind(), ty, span: stmt.span };
                    stmts.push(Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(value)), span: stmt.span });
                }
            }
            _ => stmts.push(stmt),
        }
    }
    maker.body = Some(Block { stmts, span: body.span });
}

/// New variables for the fields of the object in a variable.
fn variables(unit: &Unit, procedure: &mut Procedure, local: LocalId, fields: &BTreeSet<FieldId>) -> Fields {
    let name = procedure.local(local).name.clone();
    let span = procedure.local(local).span;
    let mut made = Fields::new();
    for &field in fields {
        let known = &unit.fields[field.index()];
        let name = format!("{name}@{}{}", known.name, procedure.locals.len());
        made.insert(field, fresh_local(procedure, name, known.ty.clone(), span));
    }
    made
}

fn variable(procedure: &Procedure, id: LocalId) -> Expr {
    let local = procedure.local(id);
    Expr { kind: ExprKind::Local(id), ty: local.ty.clone(), span: local.span }
}

/// Gives the helper the fields instead of the cell, and takes them back.
fn hand_fields(body: &mut Block, cell: &Cell, cells: &BTreeMap<LocalId, Fields>, within: &Procedure) {
    walk_stmts_mut(body, &mut |stmt| {
        let Some((targets, callee, args)) = stmt.as_call().filter(|(_, callee, _)| *callee == cell.helper) else {
            return;
        };
        let ExprKind::Local(local) = args[cell.param].kind else { return };
        let Some(fields) = cells.get(&local) else { return };
        let (mut targets, mut args) = (targets.to_vec(), args.to_vec());
        args.remove(cell.param);
        let from = targets.len();
        for id in cell.fields.iter().filter_map(|field| fields.get(field)) {
            args.push(variable(within, *id));
            targets.push(Place::Local(*id));
        }
        if faults::planted("lower/scalars/fields-crossed") {
            targets[from..].reverse();
        }
        stmt.kind = StmtKind::Call { targets, callee, args };
    });
}

/// Gives the fields back where other values are named.
fn return_fields(body: &mut Block, held: &Fields, within: &Procedure) {
    walk_stmts_mut(body, &mut |stmt| match &mut stmt.kind {
        StmtKind::Return(values) if !values.is_empty() => {
            values.extend(held.values().map(|&id| variable(within, id)));
        }
        _ => {}
    });
}

/// Puts variables in place of the fields of these cells.
fn replace_fields(body: &mut Block, cells: &BTreeMap<LocalId, Fields>) {
    let at = |object: &Expr, field: &FieldId| match object.kind {
        ExprKind::Local(local) => cells.get(&local).and_then(|fields| fields.get(field)).copied(),
        _ => None,
    };
    let mut within = |expr: &mut Expr| {
        if let ExprKind::Field(object, field) = &expr.kind
            && let Some(id) = at(object, field)
        {
            expr.kind = ExprKind::Local(id);
        }
    };
    walk_stmts_mut(body, &mut |stmt| {
        if let StmtKind::Assign(place, _) = &mut stmt.kind
            && let Place::Field(object, field) = place
            && let Some(id) = at(object, field)
        {
            *place = Place::Local(id);
        }
        stmt.exprs_mut().into_iter().for_each(|expr| expr.walk_mut(&mut within));
    });
}
