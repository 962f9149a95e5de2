//! From the tree as written to the typed tree: names become ids, types are inferred, rules of use are checked.
//!
//! In: one [`ast::File`] (plain or a pair), or several of which each gives one version. Out: a [`hir::Unit`], or everything
//! that is wrong.
//!
//! The steps, each in a file of its own:
//! - `declare` fills the tables of classes, globals and signatures;
//! - `body` and `expr` walk each procedure once; they turn names into ids, and collect what is known of types in `types`;
//! - `access` decides what each `e.f` means once the type of `e` is known;
//! - `settle` writes the final types into the tree.
//!
//! Invariant: evaluates nothing, and looks at each node a bounded number of times.
//! Invariant: a mistake is reported once, at the place where it can be mended, with every other place it concerns.

mod access;
mod body;
mod declare;
mod equiv;
mod expr;
mod foreign;
mod names;
mod settle;
mod suggest;
mod types;

use crate::ast;
use crate::hir::{self, ClassId, FieldId};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::stack::deep;
use access::Access;
use declare::Names;
use std::collections::{HashMap, HashSet};
use types::{Clash, Reason, Shape, Ty, Types};

/// Resolves and checks a whole run: a plain file, a pair file, or one file for each version.
///
/// With several files, version *i* is the content of file *i*: its shared items and those of its one version, if it has one.
///
/// # Errors
/// Everything that is wrong, in the order of the source. The list is empty when the tree holds [`ast::ExprKind::Error`] and
/// nothing else is wrong: the parser has then reported it.
pub fn resolve(files: &[&ast::File]) -> Result<hir::Unit, Vec<Diagnostic>> {
    deep(|| resolve_here(files))
}

fn resolve_here(files: &[&ast::File]) -> Result<hir::Unit, Vec<Diagnostic>> {
    let mut cx = Context::default();
    let (labels, equivs) = declare::declare(&mut cx, files);
    let mut versions = Vec::new();
    for (version, label) in labels.into_iter().enumerate() {
        let procedures =
            (0..cx.names[version].signatures.len()).map(|at| body::procedure(&mut cx, version, at)).collect();
        versions.push(hir::Version { label, procedures });
    }
    equiv::link_versions(&mut cx);
    let equivs = equiv::resolve_all(&mut cx, &mut versions, &equivs);
    access::decide_all(&mut cx);
    let Context { classes, fields, globals, .. } = &mut cx;
    let (classes, fields, globals) = (std::mem::take(classes), std::mem::take(fields), std::mem::take(globals));
    let mut unit = hir::Unit { classes, fields, globals, versions, equivs };
    if cx.diagnostics.is_empty() && !cx.incomplete {
        settle::settle(&mut cx, &mut unit);
    }
    if cx.diagnostics.is_empty() && !cx.incomplete { Ok(unit) } else { Err(in_order(cx.diagnostics)) }
}

/// What all procedures of all versions share while they are being resolved.
///
/// The types in `fields` and `globals` are provisional, see [`settle`].
#[derive(Default)]
struct Context<'a> {
    types: Types,
    classes: Vec<hir::Class>,
    fields: Vec<hir::Field>,
    globals: Vec<hir::Global>,
    /// The fields by class and name; by name alone (class `None`) in a program without classes.
    field_ids: HashMap<(Option<ClassId>, &'a str), FieldId>,
    /// What each version can see.
    names: Vec<Names<'a>>,
    /// Every `e.f` in the program.
    accesses: Vec<Access<'a>>,
    diagnostics: Vec<Diagnostic>,
    /// What suggestions may still cost.
    comparisons: suggest::Comparisons,
    /// The tree holds a piece that the parser could not read.
    incomplete: bool,
}

impl Context<'_> {
    /// Whether the program declares no class, so that every object has every field.
    fn classless(&self) -> bool {
        self.classes.is_empty()
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports a clash of types at `span`, which is where the value of the wrong type stands.
    fn check(&mut self, outcome: Result<(), Clash>, span: Span) {
        if let Err(clash) = outcome {
            let diagnostic = self.describe_clash(&clash, span);
            self.report(diagnostic);
        }
    }

    fn describe_clash(&mut self, clash: &Clash, span: Span) -> Diagnostic {
        let (found, needed) = (self.describe(clash.found.0), self.describe(clash.needed.0));
        let mut diagnostic = if clash.endless {
            Diagnostic::new(
                "E0305",
                span,
                "array types nest too deeply",
                "this array would be nested in itself, or nearly without end",
            )
        } else {
            let message = format!("expected `{needed}`, found `{found}`");
            Diagnostic::new("E0301", span, message, format!("this is `{found}`"))
        };
        let mut place = |name: &str, (shape, reason): (Shape, Reason)| {
            if !matches!(shape, Shape::Open(false)) {
                diagnostic.others.push((reason.span, format!("`{name}`, because {}", reason.why)));
            }
        };
        place(&needed, clash.needed);
        if clash.found.1.span != span && clash.found.1.span != clash.needed.1.span {
            place(&found, clash.found);
        }
        diagnostic.help = match (clash.found.0, clash.needed.0) {
            (Shape::Ref, Shape::Array(_)) | (Shape::Array(_), Shape::Ref) if self.classless() => {
                Some("where there are no classes a `ref` has every field, so it cannot be an array".to_owned())
            }
            (Shape::Ref, Shape::Class(_) | Shape::Array(_)) => {
                Some(format!("a `ref` may be anything; declare the value as `{needed}`"))
            }
            _ => None,
        };
        let Some(nothing) = nothing_of(clash.found.0).filter(|_| !clash.endless) else { return diagnostic };
        let help = |op: &str| format!("a condition is true or false: compare it, as in `x {op} {nothing}`");
        match clash.needed.1 {
            Reason { why: CONDITION, span: place } if place != span => diagnostic,
            Reason { why: CONDITION | LOGIC, .. } => {
                let end = Span { start: span.end, ..span };
                diagnostic.help(help("!=")).propose(end, &format!(" != {nothing}"))
            }
            Reason { why: NEGATION, .. } => diagnostic.help(help("==")),
            _ => diagnostic,
        }
    }

    fn describe(&mut self, shape: Shape) -> String {
        let classes = &self.classes;
        self.types.describe(shape, |class| classes[class.index()].name.clone())
    }

    fn describe_ty(&mut self, ty: Ty) -> String {
        let shape = self.types.shape(ty);
        self.describe(shape)
    }
}

/// Why conditions are of the type `bool`.
const CONDITION: &str = "it is a condition";
/// Why operands of `&&`, `||` and `==>` are.
const LOGIC: &str = "logic is on `bool`";
/// Why operands of `!` are.
const NEGATION: &str = "`!` turns a condition round";

/// The value that counts as false in languages where a condition may be of another type than `bool`.
fn nothing_of(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Int => Some("0"),
        Shape::Ref | Shape::Class(_) | Shape::Array(_) => Some("null"),
        _ => None,
    }
}

/// Sorted by place, each once (what is wrong with a shared item is found in every version).
fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start, d.span.end));
    let mut seen = HashSet::new();
    diagnostics.retain(|d| seen.insert((d.code, d.span, d.message.clone())));
    diagnostics
}
