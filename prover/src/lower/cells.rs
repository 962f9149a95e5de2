//! A cell that is made for a recursive helper alone becomes a parameter and a result.
//!
//! In: the procedures of one version, lowered, and which of them are internal. Out: the same procedures; where an internal one
//! that calls itself hands on a cell, and all its callers make that cell themselves and use nothing but its fields, it takes
//! the values of the fields and gives back the new ones, and there is no cell.
//!
//! So a helper that leaves its result in a cell comes to be one that returns it.
//!
//! Invariant (rule *Cell*, `proofs/soundness.md`): every procedure that is not internal does what it did.

use super::fresh_local;
use super::interface::arrange;
use super::loops::SpokenOf;
use super::visit::{as_call, assigns, mentioned, parts_mut, pinned};
use super::worker::calls_itself;
use lang_l::hir::{Block, Expr, ExprKind, FieldId, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Unit};
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
pub(super) fn dissolve(unit: &Unit, procedures: &mut [Procedure], internal: &BTreeSet<ProcId>, spoken_of: &SpokenOf) {
    if procedures.iter().any(sees_cells) {
        return;
    }
    for &helper in internal {
        if !calls_itself(&procedures[helper.index()], helper) {
            continue;
        }
        // Each time there is a reference less among the parameters.
        while let Some((cell, makers)) = (0..procedures[helper.index()].params)
            .find_map(|param| fit(unit, procedures, Cell { helper, param, fields: BTreeSet::new() }, spoken_of))
        {
            for (maker, cells) in makers {
                unmake(unit, &mut procedures[maker.index()], &cell, &cells);
            }
            hand_on(unit, &mut procedures[helper.index()], &cell);
        }
    }
}

/// Whether a procedure looks at objects that it has no name for.
fn sees_cells(procedure: &Procedure) -> bool {
    let mut seen = false;
    every_expr(procedure, &mut |expr| {
        seen |= match &expr.kind {
            ExprKind::Reach(..) | ExprKind::Fresh(_) | ExprKind::Old(_) => true,
            ExprKind::Quant { var, .. } => procedure.local(*var).ty.is_reference(),
            _ => false,
        }
    });
    seen
}

/// The cell with its fields, and the procedures that make one with the variables they keep it in; `None` where it is used in
/// any other way.
fn fit(unit: &Unit, procedures: &[Procedure], mut cell: Cell, spoken_of: &SpokenOf) -> Option<(Cell, Makers)> {
    let code = &procedures[cell.helper.index()];
    let param = code.param_ids().nth(cell.param)?;
    let body = code.body.as_ref()?;
    let mut spoken_about = pinned(code, spoken_of);
    code.ensures.iter().for_each(|ensures| mentioned(ensures, &mut spoken_about));
    let plain = code.requires.is_empty() && code.modifies.is_none() && !spoken_about.contains(&param);
    if !plain || !code.local(param).ty.is_reference() || assigns(body, param) {
        return None;
    }
    let mut fields = BTreeSet::new();
    if !uses(body, param, &cell, &mut Some(&mut fields)) {
        return None;
    }
    cell.fields = fields;
    let number = |field: &FieldId| !unit.fields[field.index()].ty.is_reference();
    if cell.fields.is_empty() || !cell.fields.iter().all(number) || !hands_on(body, param, &cell) {
        return None;
    }
    // Nothing else that the helper can run looks at these fields, of whatever object.
    if touches(code, &cell.fields, Some(param)) {
        return None;
    }
    for other in reached(procedures, cell.helper) {
        let theirs = &procedures[other.index()];
        if theirs.body.is_none()
            || touches(theirs, &cell.fields, None)
            || reached(procedures, other).contains(&cell.helper)
        {
            return None;
        }
    }
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
        if !known || !cells.iter().all(|&local| is_own(maker, local, &cell, spoken_of)) {
            return None;
        }
        if !cells.is_empty() {
            makers.insert(id, cells);
        }
    }
    (!makers.is_empty()).then_some((cell, makers))
}

/// Whether a variable holds a cell that is made once, before it is used, and used for its fields and the helper alone.
fn is_own(maker: &Procedure, local: LocalId, cell: &Cell, spoken_of: &SpokenOf) -> bool {
    let Some(body) = &maker.body else { return false };
    let is_new = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Assign(Place::Local(to), Rhs::New(_)) if *to == local);
    let Some(made) = body.stmts.iter().position(is_new) else { return false };
    let (before, after) = (&body.stmts[..made], &body.stmts[made + 1..]);
    let block = |stmts: &[Stmt]| Block { stmts: stmts.to_vec(), span: body.span };
    let (before, after) = (block(before), block(after));
    let mut looked_at = false;
    every_expr_of(&before, &mut |expr| looked_at |= expr.kind == ExprKind::Local(local));
    local.index() >= maker.params + maker.results
        && !looked_at
        && !assigns(&before, local)
        && !assigns(&after, local)
        && uses(&after, local, cell, &mut None)
        && !pinned(maker, spoken_of).contains(&local)
}

/// Whether a variable is used for its fields, which are collected, and as the helper's cell, and for nothing else.
fn uses(block: &Block, local: LocalId, cell: &Cell, fields: &mut Option<&mut BTreeSet<FieldId>>) -> bool {
    let is_it = |expr: &Expr| expr.kind == ExprKind::Local(local);
    fn within(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool, fields: &mut Option<&mut BTreeSet<FieldId>>) -> bool {
        match &expr.kind {
            ExprKind::Field(object, field) if is_it(object) => {
                if let Some(fields) = fields {
                    fields.insert(*field);
                }
                true
            }
            _ => !is_it(expr) && expr.parts().into_iter().all(|part| within(part, is_it, fields)),
        }
    }
    let mut fine = true;
    for stmt in &block.stmts {
        if let Some((targets, callee, args)) = as_call(stmt) {
            for (at, arg) in args.iter().enumerate() {
                fine &= (callee == cell.helper && at == cell.param && is_it(arg)) || within(arg, &is_it, fields);
            }
            for target in targets {
                every_expr_of_place(target, &mut |expr| fine &= !is_it(expr));
            }
            continue;
        }
        match &stmt.kind {
            StmtKind::If(cond, then, els) => {
                fine &= within(cond, &is_it, fields);
                fine &= uses(then, local, cell, fields);
                fine &= uses(els, local, cell, fields);
            }
            StmtKind::Assign(place, rhs) => {
                match place {
                    Place::Field(object, field) if is_it(object) => {
                        if let Some(fields) = fields {
                            fields.insert(*field);
                        }
                    }
                    Place::Field(object, _) => fine &= within(object, &is_it, fields),
                    Place::Index(array, index) => {
                        fine &= within(array, &is_it, fields) && within(index, &is_it, fields);
                    }
                    Place::Local(_) | Place::Global(_) => {}
                }
                if let Rhs::Expr(expr) | Rhs::NewArray(_, expr) = rhs {
                    fine &= within(expr, &is_it, fields);
                }
            }
            StmtKind::Return(values) => fine &= values.iter().all(|value| within(value, &is_it, fields)),
            StmtKind::Assert(expr) | StmtKind::Assume(expr) => fine &= within(expr, &is_it, fields),
            // There are no loops any more; a call was looked at above.
            _ => fine = false,
        }
    }
    fine
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
    let mut found = false;
    every_expr(procedure, &mut |expr| {
        found |= matches!(&expr.kind, ExprKind::Field(object, field) if fields.contains(field) && other(object));
    });
    let mut stores = |place: &Place| {
        found |= matches!(place, Place::Field(object, field) if fields.contains(field) && other(object));
    };
    if let Some(body) = &procedure.body {
        every_place(body, &mut stores);
    }
    found
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
    calls(&mut body, cell, &cells, helper);
    returns(&mut body, &held, helper);
    replace_fields(&mut body, &cells);
    let start = held.iter().map(|(field, &to)| {
        let value = variable(helper, given[field]);
        Stmt { kind: StmtKind::Assign(Place::Local(to), Rhs::Expr(value)), span }
    });
    let start: Vec<Stmt> = start.collect();
    body.stmts.splice(0..0, start);
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
        uses(&body, local, cell, &mut Some(&mut fields));
        cells.insert(local, variables(unit, maker, local, &fields));
    }
    calls(&mut body, cell, &cells, maker);
    replace_fields(&mut body, &cells);
    let mut stmts = Vec::with_capacity(body.stmts.len());
    for stmt in body.stmts {
        match &stmt.kind {
            StmtKind::Assign(Place::Local(to), Rhs::New(_)) if cells.contains_key(to) => {
                for &id in cells[to].values() {
                    let ty = maker.local(id).ty.clone();
                    let value = Expr { kind: default(&ty), ty, span: stmt.span };
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

fn default(ty: &Type) -> ExprKind {
    match ty {
        Type::Int => ExprKind::Int(0.into()),
        Type::Bool => ExprKind::Bool(false),
        _ => ExprKind::Null,
    }
}

/// Gives the helper the fields instead of the cell, and takes them back.
fn calls(block: &mut Block, cell: &Cell, cells: &BTreeMap<LocalId, Fields>, within: &Procedure) {
    for stmt in &mut block.stmts {
        if let StmtKind::If(_, then, els) = &mut stmt.kind {
            calls(then, cell, cells, within);
            calls(els, cell, cells, within);
            continue;
        }
        let Some((targets, callee, args)) = as_call(stmt) else { continue };
        if callee != cell.helper {
            continue;
        }
        let ExprKind::Local(local) = args[cell.param].kind else { continue };
        let Some(fields) = cells.get(&local) else { continue };
        let (mut targets, mut args) = (targets.to_vec(), args.to_vec());
        args.remove(cell.param);
        for id in cell.fields.iter().filter_map(|field| fields.get(field)) {
            args.push(variable(within, *id));
            targets.push(Place::Local(*id));
        }
        stmt.kind = StmtKind::Call { targets, callee, args };
    }
}

/// Gives the fields back where other values are named.
fn returns(block: &mut Block, held: &Fields, within: &Procedure) {
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::If(_, then, els) => {
                returns(then, held, within);
                returns(els, held, within);
            }
            StmtKind::Return(values) if !values.is_empty() => {
                values.extend(held.values().map(|&id| variable(within, id)));
            }
            _ => {}
        }
    }
}

/// Puts variables in place of the fields of these cells.
fn replace_fields(block: &mut Block, cells: &BTreeMap<LocalId, Fields>) {
    let at = |object: &Expr, field: &FieldId| match object.kind {
        ExprKind::Local(local) => cells.get(&local).and_then(|fields| fields.get(field)).copied(),
        _ => None,
    };
    fn within(expr: &mut Expr, at: &dyn Fn(&Expr, &FieldId) -> Option<LocalId>) {
        if let ExprKind::Field(object, field) = &expr.kind
            && let Some(id) = at(object, field)
        {
            expr.kind = ExprKind::Local(id);
        }
        parts_mut(expr).into_iter().for_each(|part| within(part, at));
    }
    for stmt in &mut block.stmts {
        match &mut stmt.kind {
            StmtKind::Assign(place, rhs) => {
                match place {
                    Place::Field(object, field) => match at(object, field) {
                        Some(id) => *place = Place::Local(id),
                        None => within(object, &at),
                    },
                    Place::Index(array, index) => {
                        within(array, &at);
                        within(index, &at);
                    }
                    Place::Local(_) | Place::Global(_) => {}
                }
                if let Rhs::Expr(expr) | Rhs::NewArray(_, expr) = rhs {
                    within(expr, &at);
                }
            }
            StmtKind::Call { args, .. } => args.iter_mut().for_each(|arg| within(arg, &at)),
            StmtKind::If(cond, then, els) => {
                within(cond, &at);
                replace_fields(then, cells);
                replace_fields(els, cells);
            }
            StmtKind::Return(values) => values.iter_mut().for_each(|value| within(value, &at)),
            StmtKind::Assert(expr) | StmtKind::Assume(expr) => within(expr, &at),
            _ => {}
        }
    }
}

/// All expressions of a procedure, contracts included, with all their parts.
fn every_expr(procedure: &Procedure, see: &mut dyn FnMut(&Expr)) {
    let places = procedure.modifies.iter().flat_map(|modifies| &modifies.places);
    procedure.requires.iter().chain(&procedure.ensures).chain(places).for_each(|expr| parts(expr, see));
    if let Some(body) = &procedure.body {
        every_expr_of(body, see);
    }
}

fn every_expr_of(block: &Block, see: &mut dyn FnMut(&Expr)) {
    every_place(block, &mut |place| every_expr_of_place(place, see));
    every_stmt(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign(_, Rhs::Expr(expr) | Rhs::NewArray(_, expr))
        | StmtKind::If(expr, ..)
        | StmtKind::Assert(expr)
        | StmtKind::Assume(expr) => parts(expr, see),
        StmtKind::Call { args: all, .. } | StmtKind::Return(all) => all.iter().for_each(|one| parts(one, see)),
        StmtKind::While { cond, invariants, .. } => {
            parts(cond, see);
            invariants.iter().for_each(|invariant| parts(invariant, see));
        }
        StmtKind::Assign(_, Rhs::New(_)) | StmtKind::Break | StmtKind::Continue => {}
    });
}

fn every_expr_of_place(place: &Place, see: &mut dyn FnMut(&Expr)) {
    match place {
        Place::Local(_) | Place::Global(_) => {}
        Place::Field(object, _) => parts(object, see),
        Place::Index(array, index) => {
            parts(array, see);
            parts(index, see);
        }
    }
}

fn parts(expr: &Expr, see: &mut dyn FnMut(&Expr)) {
    see(expr);
    expr.parts().into_iter().for_each(|part| parts(part, see));
}

/// All places that are assigned.
fn every_place(block: &Block, see: &mut dyn FnMut(&Place)) {
    every_stmt(block, &mut |stmt| match &stmt.kind {
        StmtKind::Assign(place, _) => see(place),
        StmtKind::Call { targets, .. } => targets.iter().for_each(&mut *see),
        _ => {}
    });
}

fn every_call(block: &Block, see: &mut dyn FnMut(ProcId, &[Expr])) {
    every_stmt(block, &mut |stmt| {
        if let Some((_, callee, args)) = as_call(stmt) {
            see(callee, args);
        }
    });
}

fn every_stmt(block: &Block, see: &mut dyn FnMut(&Stmt)) {
    for stmt in &block.stmts {
        see(stmt);
        match &stmt.kind {
            StmtKind::If(_, then, els) => {
                every_stmt(then, see);
                every_stmt(els, see);
            }
            StmtKind::While { body, .. } => every_stmt(body, see),
            _ => {}
        }
    }
}
