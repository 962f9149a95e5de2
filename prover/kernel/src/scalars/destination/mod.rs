//! Recursion that builds a structure from its first node on: it is told where to put what it makes, and calls itself last.
//!
//! In: a program. Out: the program in which such procedures have a second form, behind all procedures that there were, and call that.
//!
//! Rule *Destination* (`proofs/soundness.md`; tail recursion modulo cons). `x := new C(); x.f := p(…); return x;` waits for a call with an
//! object in hand that nobody else knows. As well the object may be where it belongs before the call, and the call may put what it makes
//! into its field. So recursion makes nodes in the order in which a loop with a last node does. What such a loop stores behind it is stored where
//! it is left (`leaving`).

mod changes;
mod leaving;
mod placing;

use super::expansion::with_helpers;
use super::in_place::is_plain;
use super::may_be;
use super::variables::{added, arranged, default};
use crate::effects::direct_callees;
use lang_l::hir::same::same_signature;
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    Block, Expr, ExprKind, Field, FieldId, Local, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, Unit,
    Version,
};
use lang_l::source::Span;
use placing::{Cons, Placing};
use std::collections::BTreeSet;

/// What stands in the name of a second form between the procedure's and that of the field. No loop or worker is named so.
const TO: &str = "@to:";

/// By the name of a second form, that of the procedure, and into which field its result is put; `None` for any other name.
pub(super) fn put_into(name: &str) -> Option<(&str, &str)> {
    let (own, field) = name.split_once(TO)?;
    Some((own, field.trim_end_matches('\'')))
}

/// Gives second forms to the procedures that build a structure by recursion, where another version does it by other means.
pub(super) fn replace(unit: &mut Unit) {
    let written = unit.versions.clone();
    for (at, version) in written.iter().enumerate() {
        let others = || written.iter().enumerate().filter(|(other, _)| *other != at);
        let theirs: Vec<&Procedure> = others().flat_map(|(_, other)| recursive(other)).collect();
        let alone = |id: &ProcId| !theirs.iter().any(|one| may_be(one, version.procedure(*id), version));
        let found: Vec<ProcId> = builders(version, &unit.fields).into_iter().filter(alone).collect();
        found.iter().for_each(|&id| add(unit, (at, id)));
        for own in callers(version, &found) {
            for (other, others) in others() {
                let theirs = others.find(&own.name).filter(|&id| same_signature(others.procedure(id), own));
                if let Some(id) = theirs {
                    leaving::bring_in(&mut unit.versions[other].procedures[id.index()]);
                }
            }
        }
    }
}

/// The procedures without loops of their own that come to call one of these, or are one.
fn callers<'v>(version: &'v Version, found: &[ProcId]) -> Vec<&'v Procedure> {
    let mut reaching: BTreeSet<ProcId> = found.iter().copied().collect();
    loop {
        let calls = |id: &ProcId| !direct_callees(version.procedure(*id)).is_disjoint(&reaching);
        let further: Vec<ProcId> = ids(version).filter(|id| !reaching.contains(id) && calls(id)).collect();
        if further.is_empty() {
            break;
        }
        reaching.extend(further);
    }
    let all = reaching.into_iter().map(|id| version.procedure(id));
    all.filter(|own| own.body.as_ref().is_some_and(|body| !body.any(&Stmt::is_while))).collect()
}

fn ids(version: &Version) -> impl Iterator<Item = ProcId> + use<> {
    (0u32..).map(ProcId).take(version.procedures.len())
}

/// The procedures of a version that call themselves.
fn recursive(version: &Version) -> impl Iterator<Item = &Procedure> {
    let calls_itself = |id: &ProcId| direct_callees(version.procedure(*id)).contains(id);
    ids(version).filter(move |id| calls_itself(id)).map(|id| version.procedure(id))
}

/// The procedures of a version that build by recursion.
fn builders(version: &Version, fields: &[Field]) -> Vec<ProcId> {
    ids(version).filter(|&id| Second::of((version, id), id, fields).is_some()).collect()
}

/// Adds the second form of a procedure, and has the procedure call it.
fn add(unit: &mut Unit, (at, id): (usize, ProcId)) {
    let Unit { versions, fields, .. } = unit;
    let number = ProcId(u32::try_from(versions[at].procedures.len()).unwrap_or(u32::MAX));
    let Some(mut second) = Second::of((&versions[at], id), number, fields) else { return };
    let procedures = &mut versions[at].procedures;
    while procedures.iter().any(|other| other.name == second.form.name) {
        second.form.name.push('\'');
    }
    second.called_by(&mut procedures[id.index()], number, fields);
    procedures.push(second.form);
}

/// The second form of a procedure: it has an object as one more parameter, and puts its result into a field of that.
struct Second {
    form: Procedure,
    field: FieldId,
    /// How the first such object in the text is made, and where it waits for the call.
    cons: Cons,
}

impl Second {
    /// The second form of a procedure, where it will have this number; `None` where it does not build by recursion, be it with
    /// helpers in place.
    fn of((version, id): (&Version, ProcId), number: ProcId, fields: &[Field]) -> Option<Second> {
        let own = version.procedure(id);
        if !direct_callees(own).contains(&id) {
            return None;
        }
        let as_written = Self::placed((version, id), own, (number, fields));
        as_written.or_else(|| Self::placed((version, id), &with_helpers(version, id)?, (number, fields)))
    }

    /// The second form of a procedure that is written so.
    fn placed(
        (version, id): (&Version, ProcId),
        own: &Procedure,
        (number, fields): (ProcId, &[Field]),
    ) -> Option<Second> {
        let body = own.body.as_ref().filter(|_| is_plain(own) && own.results == 1)?;
        let promises = |callee: ProcId| version.procedure(callee).has_contract();
        let stops = direct_callees(own).into_iter().any(promises);
        let result = own.result_ids().next().filter(|_| !stops && !body.any(&Stmt::is_while))?;
        let fits = |field: &FieldId| {
            let object = destination(*field, (own, fields)).ty;
            fields[field.index()].ty == object && own.local(result).ty == object
        };
        stored(body).into_iter().filter(fits).find_map(|field| {
            let mut form = own.clone();
            let object = added(&mut form.locals, destination(field, (own, fields)));
            let mut placing = Placing::new((version, id, number), (field, object, result), &mut form.locals);
            let stmts = placing.body(body)?;
            let cons = placing.cons?;
            let nothing = default(own.local(result).ty.clone(), body.span);
            let first = Stmt { kind: StmtKind::Assign(Place::Local(result), nothing), span: body.span };
            form.body = Some(Block { stmts: [first].into_iter().chain(stmts).collect(), span: body.span });
            form.name = format!("{}{TO}{}", own.name, fields[field.index()].name);
            let parameters = own.param_ids().chain([object]);
            let others = (0u32..).map(LocalId).take(form.locals.len()).skip(own.params).filter(|id| *id != object);
            let order: Vec<LocalId> = parameters.chain(others).collect();
            form = arranged(form, &order);
            (form.params, form.results) = (own.params + 1, 0);
            Some(Second { form, field, cons })
        })
    }

    /// Has the procedure call it: `d := new C(); p'(…, d); r := d.f;`.
    fn called_by(&self, own: &mut Procedure, number: ProcId, fields: &[Field]) {
        let Some(result) = own.result_ids().next() else { return };
        let local = destination(self.field, (own, fields));
        let object = added(&mut own.locals, local);
        let read = |id: LocalId, span: Span| Expr { kind: ExprKind::Local(id), ty: own.local(id).ty.clone(), span };
        let [made, call] = [self.cons.made, self.cons.call];
        let args = own.param_ids().chain([object]).map(|id| read(id, call)).collect();
        let field = ExprKind::Field(Box::new(read(object, made)), self.field);
        let value = Rhs::Expr(Expr { kind: field, ty: own.local(result).ty.clone(), span: made });
        let stmt = |kind: StmtKind, span: Span| Stmt { kind, span };
        let stmts = vec![
            stmt(StmtKind::Assign(Place::Local(object), Rhs::New(fields[self.field.index()].class)), made),
            stmt(StmtKind::Call { targets: Vec::new(), callee: number, args }, call),
            stmt(StmtKind::Assign(Place::Local(result), value), made),
        ];
        own.body = Some(Block { stmts, span: own.span });
    }
}

/// The variable for an object with this field.
fn destination(field: FieldId, (own, fields): (&Procedure, &[Field])) -> Local {
    let ty = fields[field.index()].class.map_or(Type::Ref, Type::Class);
    Local { name: "destination".into(), ty, span: own.name_span }
}

/// The fields that are stored to.
fn stored(body: &Block) -> BTreeSet<FieldId> {
    let mut found = BTreeSet::new();
    walk_stmts(body, &mut |stmt| {
        found.extend(stmt.targets().iter().filter_map(|target| match target {
            Place::Field(_, field) => Some(*field),
            _ => None,
        }));
    });
    found
}

#[cfg(test)]
mod tests;
