//! Objects that a helper sees which calls itself: it is handed what their fields hold, and gives that back.
//!
//! In: a program. Out: the program in which such helpers have a second form, behind all procedures that there were, and in which that
//! form is called.
//!
//! Rule *Handed on* (`proofs/soundness.md`). Nothing is done with a new object but to read and write fields of it, and to hand it to helpers
//! that only this version has and that do no more with it. So whoever has it can have the fields' values in its stead, and give back what
//! they are at the end. Then nobody else sees the object, and rule *Scalars* takes it apart. The same goes for short arrays.

use super::in_place::is_plain;
use super::objects::{Handing, Kind, Part, Private, Uses, handing_of, kept_alike};
use super::variables::{added, arranged};
use crate::bounds::scalars::{MAX_CELLS, MAX_HANDED};
use lang_l::hir::same::same_signature;
use lang_l::hir::visit::{walk_exprs, walk_stmts, walk_stmts_mut};
use lang_l::hir::{
    Block, Expr, ExprKind, Field, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Unit, Version,
};
use lang_l::source::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;

/// What stands in the name of a second form between the helper's and that of a parameter. No loop or worker is named so.
const OF: &str = "@of:";

/// By the name of a second form, that of the helper, and of which parameters it is handed the parts; `None` for any other name.
pub(super) fn handed_apart(name: &str) -> Option<(&str, String)> {
    let (helper, parameters) = name.split_once(OF)?;
    Some((helper, parameters.replace('\'', "").replace(OF, " and ")))
}

/// Has parts handed on in place of objects, in each procedure that then still makes as many in each version.
pub(super) fn replace(unit: &mut Unit) {
    for at in 0..unit.versions.len() {
        for own in 0..unit.versions[at].procedures.len() {
            let procedure = &unit.versions[at].procedures[own];
            if objects(procedure).is_empty() {
                continue;
            }
            let (name, before) = (procedure.name.clone(), unit.clone());
            let mut kinds = Vec::new();
            while kinds.len() < MAX_HANDED
                && let Some(kind) = hand_on(unit, (at, own))
            {
                kinds.push(kind);
            }
            let alike = kept_alike(unit, &name);
            if !kinds.iter().all(|kind| alike.contains(kind)) {
                *unit = before;
            }
        }
    }
}

/// Has a procedure hand on the parts of one of its objects; what that is, or `None` where there is none.
fn hand_on(unit: &mut Unit, (at, own): (usize, usize)) -> Option<Kind> {
    let mut written = unit.versions[at].clone();
    written.procedures.iter_mut().for_each(name_returned);
    let mut objects = objects(&unit.versions[at].procedures[own]).into_iter();
    let others: Vec<&Version> =
        unit.versions.iter().enumerate().filter(|(other, _)| *other != at).map(|own| own.1).collect();
    let found = objects.find_map(|(kind, private, handed)| {
        let group = Group::of(&written, &others, &private, &handed)?;
        Some((kind, private, group))
    });
    let (kind, private, group) = found?;
    let ids = group.add(unit, at, &written)?;
    let Unit { versions, fields, .. } = unit;
    group.hand_over(&mut versions[at].procedures[own], &private, (&written, &ids, fields));
    Some(kind)
}

/// The objects that a procedure makes and hands to others, and does nothing else with but to look at their parts.
fn objects(procedure: &Procedure) -> Vec<(Kind, Private, Vec<Handing>)> {
    let mut procedure = procedure.clone();
    name_returned(&mut procedure);
    let Some(body) = &procedure.body else { return Vec::new() };
    let mut uses = Uses::default();
    uses.block(body);
    let is_own = |private: &Private| private.variable.index() >= procedure.params + procedure.results;
    let made = uses.made.iter().filter(|(_, private)| is_own(private));
    made.filter_map(|(kind, private)| {
        let handed = uses.handed_alone(private.variable, 1).filter(|handed| !handed.is_empty())?;
        Some((kind.clone(), private.clone(), handed))
    })
    .collect()
}

/// All helpers that see an object.
struct Group {
    /// How each of them knows it.
    known: BTreeMap<Handing, Private>,
    /// What they look at of it.
    parts: Vec<Part>,
}

impl Group {
    /// The helpers that see an object which is handed to some; `None` where one of them does more with it than to look at its parts and to hand
    /// it on, another version has one of them, or none calls itself.
    fn of(version: &Version, others: &[&Version], private: &Private, handed: &[Handing]) -> Option<Group> {
        let (mut known, mut parts) = (BTreeMap::new(), BTreeSet::new());
        let mut calls: BTreeMap<Handing, Vec<Handing>> = BTreeMap::new();
        let mut open = handed.to_vec();
        while let Some(handing) = open.pop() {
            if known.contains_key(&handing) {
                continue;
            }
            let helper = version.procedure(handing.0);
            let (own, further) = seen(helper, handing.1, private)?;
            let is_it = |other: &&Version| {
                other.find(&helper.name).is_some_and(|id| same_signature(other.procedure(id), helper))
            };
            if others.iter().any(is_it) {
                return None;
            }
            parts.extend(parts_of(helper, &own));
            open.extend(&further);
            calls.insert(handing, further);
            known.insert(handing, own);
        }
        let fits =
            known.len() <= MAX_HANDED && parts.len() <= MAX_CELLS && calls.keys().any(|own| returns_to(*own, &calls));
        fits.then(|| Group { known, parts: parts.into_iter().collect() })
    }

    /// Adds the second forms to a version of a program; none where one of them would still speak of the object.
    fn add(&self, unit: &mut Unit, at: usize, written: &Version) -> Option<BTreeMap<Handing, ProcId>> {
        let Unit { versions, fields, .. } = unit;
        let procedures = &mut versions[at].procedures;
        let numbered = (procedures.len()..).map(|at| ProcId(u32::try_from(at).unwrap_or(u32::MAX)));
        let ids: BTreeMap<Handing, ProcId> = self.known.keys().copied().zip(numbered).collect();
        let second_form = |(&(helper, parameter), own): (&Handing, &Private)| {
            self.second_form((written, written.procedure(helper)), parameter, (own, &ids, fields))
        };
        let all: Vec<Procedure> = self.known.iter().map(second_form).collect::<Option<_>>()?;
        for mut made in all {
            while procedures.iter().any(|other| other.name == made.name) {
                made.name.push('\'');
            }
            procedures.push(made);
        }
        Some(ids)
    }

    /// A helper that is handed what the parts hold, after its other parameters, and gives back what they are at the end, after its other
    /// results.
    fn second_form(
        &self,
        (written, helper): (&Version, &Procedure),
        parameter: usize,
        (own, ids, fields): (&Private, &BTreeMap<Handing, ProcId>, &[Field]),
    ) -> Option<Procedure> {
        let mut made = helper.clone();
        let Local { name, span, .. } = helper.locals[parameter].clone();
        made.name = format!("{}{OF}{name}", helper.name);
        let local = |part: &Part| Local { name: part.name(&name, fields), ty: part.ty(fields), span };
        let given: Vec<LocalId> = self.parts.iter().map(|part| added(&mut made.locals, local(part))).collect();
        let now: Vec<LocalId> = self.parts.iter().map(|part| added(&mut made.locals, local(part))).collect();
        let body = made.body.get_or_insert_with(|| Block { stmts: Vec::new(), span });
        own.put(body, &mut |part| self.parts.iter().position(|own| *own == part).map(|at| now[at]));
        let values = || now.iter().zip(&self.parts).map(|(&id, part)| value(id, part, (fields, span)));
        let mut caller = Caller { variable: own.variable, ids, locals: &mut made.locals, written };
        caller.block(body, &mut |_| (values().collect(), now.clone(), Vec::new()));
        walk_stmts_mut(body, &mut |stmt| match &mut stmt.kind {
            StmtKind::Return(returned) if !returned.is_empty() => returned.extend(values()),
            _ => {}
        });
        let first = given.iter().zip(&now).zip(&self.parts).map(|((&given, &now), part)| {
            let value = Rhs::Expr(value(given, part, (fields, span)));
            Stmt { kind: StmtKind::Assign(Place::Local(now), value), span }
        });
        body.stmts.splice(0..0, first);
        let mut remains = false;
        walk_exprs(body, &mut |part| remains |= part.kind == ExprKind::Local(own.variable));
        (!remains).then(|| reorder(made, helper, (parameter, &given, &now)))
    }

    /// Has a procedure hand the parts of its object to the second forms.
    fn hand_over(
        &self,
        procedure: &mut Procedure,
        private: &Private,
        (written, ids, fields): (&Version, &BTreeMap<Handing, ProcId>, &[Field]),
    ) {
        name_returned(procedure);
        let object = procedure.locals[private.variable.index()].clone();
        let Some(body) = &mut procedure.body else { return };
        let mut caller = Caller { variable: private.variable, ids, locals: &mut procedure.locals, written };
        caller.block(body, &mut |locals| {
            let (mut values, mut targets, mut behind) = (Vec::new(), Vec::new(), Vec::new());
            for part in &self.parts {
                let (name, ty, span) = (part.name(&object.name, fields), part.ty(fields), object.span);
                let target = added(locals, Local { name, ty: ty.clone(), span });
                let place = private.place(part, &object);
                values.extend(read(&place, ty));
                targets.push(target);
                let left = Rhs::Expr(value(target, part, (fields, span)));
                if !faults::planted("kernel/scalars/handed-back") {
                    behind.push(Stmt { kind: StmtKind::Assign(place, left), span });
                }
            }
            (values, targets, behind)
        });
    }
}

/// How a helper knows what it is handed by a parameter, and to whom it hands that on; `None` where it does something else with it but to look
/// at its parts, or is no plain helper without loops.
fn seen(helper: &Procedure, parameter: usize, private: &Private) -> Option<(Private, Vec<Handing>)> {
    let body = helper.body.as_ref().filter(|_| is_plain(helper))?;
    let variable = helper.param_ids().nth(parameter).filter(|_| !body.any(&Stmt::is_while))?;
    let own = Private { variable, ..private.clone() };
    let mut uses = Uses::default();
    uses.open(&own);
    uses.block(body);
    Some((own, uses.handed_alone(variable, 0)?))
}

/// What a helper looks at of what it is handed.
fn parts_of(helper: &Procedure, own: &Private) -> BTreeSet<Part> {
    let mut found = BTreeSet::new();
    walk_stmts(helper.body.as_ref().unwrap_or(&Block::default()), &mut |stmt| {
        found.extend(stmt.targets().iter().filter_map(|target| own.part_at(target)));
        stmt.exprs().into_iter().for_each(|e| e.walk(&mut |part| found.extend(own.part(part))));
    });
    found
}

/// Whether a helper comes to be called by those that it calls.
fn returns_to(own: Handing, calls: &BTreeMap<Handing, Vec<Handing>>) -> bool {
    let (mut reached, mut open) = (BTreeSet::new(), vec![own]);
    while let Some(next) = open.pop() {
        open.extend(calls.get(&next).into_iter().flatten().filter(|callee| reached.insert(**callee)));
    }
    reached.contains(&own)
}

/// The variables of a second form in their order: the parameters but the one of the object, with what the parts hold; the results, with
/// what the parts are now; and all others.
fn reorder(
    mut made: Procedure,
    helper: &Procedure,
    (parameter, given, now): (usize, &[LocalId], &[LocalId]),
) -> Procedure {
    let known = helper.params + helper.results;
    let own = |from: usize, to: usize| (from..to).map(|at| LocalId(u32::try_from(at).unwrap_or(u32::MAX)));
    let parameters = own(0, helper.params).filter(|id| id.index() != parameter);
    let parameters: Vec<LocalId> = parameters.chain(given.iter().copied()).collect();
    let results: Vec<LocalId> = own(helper.params, known).chain(now.iter().copied()).collect();
    let others = own(known, made.locals.len()).filter(|id| !given.contains(id) && !now.contains(id));
    (made.params, made.results) = (parameters.len(), results.len());
    let order: Vec<LocalId> = parameters.into_iter().chain(results).chain(others).collect();
    arranged(made, &order)
}

/// What a field or a cell holds.
fn read(place: &Place, ty: Type) -> Option<Expr> {
    let (kind, span) = match place {
        Place::Field(base, field) => (ExprKind::Field(Box::new(base.clone()), *field), base.span),
        Place::Index(base, index) => (ExprKind::Index(Box::new(base.clone()), Box::new(index.clone())), base.span),
        Place::Local(_) | Place::Global(_) => return None,
    };
    Some(Expr { kind, ty, span })
}

fn value(id: LocalId, part: &Part, (fields, span): (&[Field], Span)) -> Expr {
    Expr { kind: ExprKind::Local(id), ty: part.ty(fields), span }
}

/// What is handed over in place of an object, where it is to go, and what is done then.
type InItsStead = (Vec<Expr>, Vec<LocalId>, Vec<Stmt>);

/// Who hands over an object.
struct Caller<'c> {
    variable: LocalId,
    ids: &'c BTreeMap<Handing, ProcId>,
    locals: &'c mut Vec<Local>,
    /// The version as it was.
    written: &'c Version,
}

impl Caller<'_> {
    /// Has the calls of a block that hand over the object hand over something in its stead.
    fn block(&mut self, block: &mut Block, in_its_stead: &mut dyn FnMut(&mut Vec<Local>) -> InItsStead) {
        for mut stmt in mem::take(&mut block.stmts) {
            stmt.blocks_mut().into_iter().for_each(|inner| self.block(inner, in_its_stead));
            let Some(handing) = handing_of(&stmt, self.variable).filter(|own| self.ids.contains_key(own)) else {
                block.stmts.push(stmt);
                continue;
            };
            let (values, places, behind) = in_its_stead(self.locals);
            block.stmts.extend(self.call(&stmt, handing, values, &places));
            block.stmts.extend(behind);
        }
    }

    /// The call of a second form in place of a call.
    fn call(&mut self, stmt: &Stmt, handing: Handing, values: Vec<Expr>, places: &[LocalId]) -> Option<Stmt> {
        let (targets, helper, args) = stmt.as_call()?;
        let helper = self.written.procedure(helper);
        let mut targets = targets.to_vec();
        if targets.is_empty() {
            let ignored = helper.result_ids().map(|id| helper.local(id).clone());
            targets.extend(ignored.map(|local| Place::Local(added(self.locals, local))));
        }
        targets.extend(places.iter().copied().map(Place::Local));
        let others = args.iter().enumerate().filter(|(other, _)| *other != handing.1).map(|(_, arg)| arg.clone());
        let kind = StmtKind::Call { targets, callee: self.ids[&handing], args: others.chain(values).collect() };
        Some(Stmt { kind, span: stmt.span })
    }
}

/// Gives names to what a procedure returns of a call: `return f(…);` is `v := f(…); return v;`.
fn name_returned(procedure: &mut Procedure) {
    fn within(block: &mut Block, locals: &mut Vec<Local>) {
        for mut stmt in mem::take(&mut block.stmts) {
            if let StmtKind::Return(values) = &mut stmt.kind
                && let [value @ Expr { kind: ExprKind::Call(..), .. }] = &mut values[..]
            {
                let (ty, span) = (value.ty.clone(), value.span);
                let id = added(locals, Local { name: "returned".into(), ty: ty.clone(), span });
                let call = mem::replace(value, Expr { kind: ExprKind::Local(id), ty, span });
                block.stmts.push(Stmt { kind: StmtKind::Assign(Place::Local(id), Rhs::Expr(call)), span });
            }
            stmt.blocks_mut().into_iter().for_each(|inner| within(inner, locals));
            block.stmts.push(stmt);
        }
    }
    let Procedure { body, locals, .. } = procedure;
    body.iter_mut().for_each(|body| within(body, locals));
}

#[cfg(test)]
mod tests;
