//! The types of a program at its places.
//!
//! In: a checked program. Out: what each `e.f` means, the types of variables, and of the smallest expression round a place.

use lang_l::hir::print::type_text;
use lang_l::hir::{Expr, ExprKind, Place, Procedure, StmtKind, Unit, visit};
use lang_l::source::Span;
use std::collections::HashMap;

/// What `e.f` means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// A field, of this class if there are classes.
    Of(Option<String>),
    /// The length of an array.
    Length,
}

/// What each `e.f` means, by the place of `e`.
pub(super) type Members = HashMap<Span, Member>;

/// All of a program.
pub(super) fn members(unit: &Unit) -> Members {
    let mut members = Members::new();
    let class = |field: &lang_l::hir::FieldId| {
        let class = unit.fields.get(field.index()).and_then(|field| field.class);
        Member::Of(class.map(|class| unit.classes[class.index()].name.clone()))
    };
    for procedure in unit.versions.iter().flat_map(|version| &version.procedures) {
        exprs(procedure, &mut |expr| match &expr.kind {
            ExprKind::Field(object, field) => drop(members.insert(object.span, class(field))),
            ExprKind::Length(object) => drop(members.insert(object.span, Member::Length)),
            _ => {}
        });
        if let Some(body) = &procedure.body {
            visit::walk_stmts(body, &mut |stmt| {
                if let StmtKind::Assign(Place::Field(object, field), _) = &stmt.kind {
                    members.insert(object.span, class(field));
                }
            });
        }
    }
    let conditions = unit.equivs.iter().filter_map(|equiv| equiv.when.as_ref());
    conditions.for_each(|when| {
        when.walk(&mut |expr| {
            if let ExprKind::Field(object, field) = &expr.kind {
                members.insert(object.span, class(field));
            } else if let ExprKind::Length(object) = &expr.kind {
                members.insert(object.span, Member::Length);
            }
        });
    });
    members
}

/// Every expression of a procedure, and every part of one.
fn exprs<'h>(procedure: &'h Procedure, look: &mut impl FnMut(&'h Expr)) {
    procedure.contract_exprs().for_each(|expr| expr.walk(look));
    procedure.body.iter().for_each(|body| visit::walk_exprs(body, look));
}

/// The type of the variable that is declared at a place.
pub(super) fn of_variable(unit: &Unit, span: Span, name: &str) -> Option<String> {
    let all = unit.versions.iter().flat_map(|version| &version.procedures).flat_map(|procedure| &procedure.locals);
    let mut found = all.filter(|local| local.span == span && local.name == name);
    found.next().map(|local| type_text(unit, &local.ty))
}

/// The smallest expression round a byte, and its type.
pub(super) fn of_expression(unit: &Unit, at: Span) -> Option<(Span, String)> {
    let within = |span: Span| span.file == at.file && span.start <= at.start && at.start <= span.end;
    let mut best: Option<&Expr> = None;
    let procedures = unit.versions.iter().flat_map(|version| &version.procedures);
    for procedure in procedures.filter(|procedure| within(procedure.span)) {
        exprs(procedure, &mut |expr| {
            let size = |expr: &Expr| expr.span.end - expr.span.start;
            if within(expr.span) && best.is_none_or(|best| size(expr) < size(best)) {
                best = Some(expr);
            }
        });
    }
    best.map(|expr| (expr.span, type_text(unit, &expr.ty)))
}
