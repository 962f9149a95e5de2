//! What `e.f` means: a field, or the length of an array.
//!
//! In: each access as its procedure is walked. Out: an [`Outcome`] for each, at once when the type of `e` is known, and
//! otherwise after all procedures have been walked.
//!
//! Invariant: an access whose `outcome` is `None` at the end has been reported.

use super::Context;
use super::suggest::nearest;
use super::types::{Reason, Shape, Ty, provisional, provisional_ty};
use crate::ast::Name;
use crate::hir::{self, ClassId, FieldId};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use std::collections::hash_map::Entry;

/// One `e.f`.
pub(super) struct Access<'a> {
    /// In which version.
    version: usize,
    /// The type of `e`.
    object: Ty,
    /// Where `e` stands.
    object_span: Span,
    /// `f`
    name: &'a Name,
    /// The type of the whole.
    value: Ty,
    /// It is assigned to.
    assigned: bool,
    /// What it means, once that is known.
    pub(super) outcome: Option<Outcome>,
    /// Neither known nor reported yet.
    waiting: bool,
}

/// What an access means.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    /// A field.
    Field(FieldId),
    /// The length of an array.
    Length,
}

/// Notes an access. Returns its provisional field id, an index into the accesses, and the type of its value.
pub(super) fn access<'a>(
    cx: &mut Context<'a>,
    version: usize,
    (object, object_span): (Ty, Span),
    name: &'a Name,
    assigned: bool,
) -> (FieldId, Ty) {
    let value = cx.types.open(name.span);
    let id = FieldId(u32::try_from(cx.accesses.len()).unwrap_or(u32::MAX));
    cx.accesses.push(Access { version, object, object_span, name, value, assigned, outcome: None, waiting: true });
    decide(cx, id.index());
    (id, value)
}

/// Decides all accesses that are still waiting; those that stay undecided are reported.
pub(super) fn decide_all(cx: &mut Context) {
    let mut waiting: Vec<usize> = (0..cx.accesses.len()).filter(|&at| cx.accesses[at].waiting).collect();
    loop {
        let before = waiting.len();
        waiting.retain(|&at| {
            decide(cx, at);
            cx.accesses[at].waiting
        });
        if waiting.len() == before {
            break;
        }
    }
    for at in waiting {
        // What was done for one may have settled another.
        decide(cx, at);
        if cx.accesses[at].waiting {
            give_up(cx, at);
        }
    }
}

fn decide(cx: &mut Context, at: usize) {
    let Access { version, object, object_span, name, value, assigned, .. } = cx.accesses[at];
    let length = name.text == "length";
    let outcome = match cx.types.shape(object) {
        Shape::Array(_) if length => array_length(cx, name, value, assigned),
        Shape::Class(class) => field_of(cx, class, version, name),
        Shape::Ref if cx.classless() => Some(Outcome::Field(any_field(cx, name))),
        Shape::Open(_) if cx.classless() && (!length || assigned) => {
            let any = cx.types.add(Shape::Ref, object_span, "a field is taken of it");
            let outcome = cx.types.unify(object, any);
            cx.check(outcome, object_span);
            Some(Outcome::Field(any_field(cx, name)))
        }
        Shape::Open(_) if cx.classless() => return,
        Shape::Open(_) => match cx.names[version].homes.get(name.text.as_str()).map(Vec::as_slice) {
            None if length => {
                let element = cx.types.open(object_span);
                let array = cx.types.add(Shape::Array(element), object_span, "its length is asked for");
                let outcome = cx.types.unify(object, array);
                cx.check(outcome, object_span);
                array_length(cx, name, value, assigned)
            }
            None => {
                no_such_field(cx, version, name, "no class has a", Vec::new());
                None
            }
            // Nothing else has this field, so nothing else can stand here.
            Some(&[class]) if !length => {
                let only = cx.types.add(Shape::Class(class), object_span, "only this class has the field taken of it");
                let outcome = cx.types.unify(object, only);
                cx.check(outcome, object_span);
                field_of(cx, class, version, name)
            }
            Some(_) => return,
        },
        Shape::Wrong => None,
        shape @ (Shape::Int | Shape::Bool | Shape::Ref | Shape::Array(_)) => {
            no_fields(cx, version, (shape, object, object_span), name);
            None
        }
    };
    cx.accesses[at].waiting = false;
    cx.accesses[at].outcome = outcome;
    match outcome {
        Some(Outcome::Field(field)) => {
            let ty = provisional_ty(&cx.fields[field.index()].ty);
            let outcome = if assigned { cx.types.flow(value, ty) } else { cx.types.flow(ty, value) };
            cx.check(outcome, name.span);
        }
        Some(Outcome::Length) => {}
        None => cx.types.give_up(value, name.span),
    }
}

/// Nothing says what `e` is.
fn give_up(cx: &mut Context, at: usize) {
    let Access { version, object, object_span, name, value, .. } = cx.accesses[at];
    if cx.classless() {
        // Only `e.length` gets here: it is the length of an array, unless the program has objects with such a field.
        let any = if cx.field_ids.contains_key(&(None, "length")) {
            cx.types.add(Shape::Ref, object_span, "a field is taken of it")
        } else {
            let element = cx.types.open(object_span);
            cx.types.add(Shape::Array(element), object_span, "its length is asked for")
        };
        let outcome = cx.types.unify(object, any);
        cx.check(outcome, object_span);
        return decide(cx, at);
    }
    cx.accesses[at].waiting = false;
    let mut homes: Vec<ClassId> = cx.names[version].homes.get(name.text.as_str()).cloned().unwrap_or_default();
    homes.truncate(3);
    let message = format!("nothing says of which class this is, and several things have `{}`", name.text);
    let mut diagnostic = Diagnostic::new("E0302", object_span, message, "of which class?");
    for home in &homes {
        let class = &cx.classes[home.index()];
        diagnostic.others.push((class.span, format!("`{}` has a field `{}`", class.name, name.text)));
    }
    if let Some(home) = homes.first() {
        diagnostic.help = Some(format!("declare its type, as in `x: {}`", cx.classes[home.index()].name));
    }
    cx.report(diagnostic);
    cx.types.give_up(object, object_span);
    cx.types.give_up(value, name.span);
}

fn array_length(cx: &mut Context, name: &Name, value: Ty, assigned: bool) -> Option<Outcome> {
    let int = cx.types.add(Shape::Int, name.span, "it is the length of an array");
    let outcome = cx.types.unify(int, value);
    cx.check(outcome, name.span);
    if assigned {
        cx.report(
            Diagnostic::new("E0414", name.span, "the length of an array cannot be assigned", "not assignable")
                .help("make a new array with `new T[n]`"),
        );
    }
    Some(Outcome::Length)
}

fn field_of(cx: &mut Context, class: ClassId, version: usize, name: &Name) -> Option<Outcome> {
    if let Some(field) = cx.field_ids.get(&(Some(class), name.text.as_str())) {
        return Some(Outcome::Field(*field));
    }
    let hir::Class { name: class_name, span, fields } = &cx.classes[class.index()];
    let also = vec![(*span, format!("`{class_name}` is declared here"))];
    let mut known: Vec<String> = fields.iter().map(|field| cx.fields[field.index()].name.clone()).collect();
    known.sort();
    let who = format!("class `{class_name}` has no");
    let other = nearest(&cx.comparisons, &name.text, known.iter().map(String::as_str));
    no_such_field(cx, version, name, &who, also);
    if let Some(last) = cx.diagnostics.last_mut() {
        last.suggest(other);
    }
    None
}

fn no_such_field(cx: &mut Context, version: usize, name: &Name, who: &str, others: Vec<(Span, String)>) {
    let message = format!("{who} field `{}`", name.text);
    let mut diagnostic = Diagnostic::new("E0204", name.span, message, "no such field");
    diagnostic.suggest(nearest(&cx.comparisons, &name.text, cx.names[version].homes.keys().copied()));
    diagnostic.others = others;
    cx.report(diagnostic);
}

fn no_fields(cx: &mut Context, version: usize, (shape, object, object_span): (Shape, Ty, Span), name: &Name) {
    let Reason { span, why } = cx.types.get(object).1;
    let described = cx.describe(shape);
    let message = format!("a value of type `{described}` has no field `{}`", name.text);
    let mut diagnostic = Diagnostic::new("E0303", object_span, message, format!("this is `{described}`"));
    diagnostic.others.push((span, format!("`{described}`, because {why}")));
    let home = cx.names[version].homes.get(name.text.as_str()).and_then(|homes| homes.first());
    if let (Shape::Ref, Some(home)) = (shape, home) {
        let class = &cx.classes[home.index()].name;
        diagnostic.help =
            Some(format!("a `ref` may be anything; declare it as `{class}`, and make it by `new {class}()`"));
    }
    cx.report(diagnostic);
}

/// The field of this name in a program without classes; the first use makes it.
fn any_field<'a>(cx: &mut Context<'a>, name: &'a Name) -> FieldId {
    let next = FieldId(u32::try_from(cx.fields.len()).unwrap_or(u32::MAX));
    match cx.field_ids.entry((None, &name.text)) {
        Entry::Occupied(entry) => *entry.get(),
        Entry::Vacant(entry) => {
            entry.insert(next);
            let ty = provisional(cx.types.open(name.span));
            cx.fields.push(hir::Field { name: name.text.clone(), class: None, ty, span: name.span });
            next
        }
    }
}
