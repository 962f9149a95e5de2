//! The tables: what is declared in which version.
//!
//! In: the files. Out: [`Names`] per version in the context, labels, and the `equiv` declarations still to be resolved.
//!
//! Invariant: after this stage every signature has a type for each parameter and result, known or open.

use super::Context;
use super::foreign;
use super::suggest::nearest;
use super::types::{Shape, Ty, provisional};
use crate::ast::{self, Item, TypeKind};
use crate::hir::{self, ClassId, FieldId, GlobalId, ProcId};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// What one version can see.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) classes: HashMap<&'a str, ClassId>,
    pub(super) globals: HashMap<&'a str, GlobalId>,
    pub(super) procedures: HashMap<&'a str, ProcId>,
    /// By [`ProcId`].
    pub(super) signatures: Vec<Signature<'a>>,
    /// Which visible classes have a field of this name.
    pub(super) homes: HashMap<&'a str, Vec<ClassId>>,
}

/// A procedure as its callers see it.
#[derive(Clone)]
pub(super) struct Signature<'a> {
    pub(super) declaration: &'a ast::Procedure,
    pub(super) params: Vec<Ty>,
    pub(super) results: Vec<Ty>,
}

/// The content of one version.
struct Content<'a> {
    label: Option<&'a ast::Label>,
    items: Vec<&'a Item>,
}

/// Fills the tables. Returns the labels of the versions and the `equiv` declarations, each once.
pub(super) fn declare<'a>(cx: &mut Context<'a>, files: &[&'a ast::File]) -> (Vec<String>, Vec<&'a ast::Equiv>) {
    let contents = contents(cx, files);
    cx.names = contents.iter().map(|_| Names::default()).collect();
    classes(cx, &contents);
    cx.types.array_is_ref = !cx.classless();
    globals(cx, &contents);
    procedures(cx, &contents);
    let mut equivs: Vec<&ast::Equiv> = Vec::new();
    let mut seen = HashSet::new();
    for item in contents.iter().flat_map(|content| &content.items) {
        // A shared one stands in each version.
        if let Item::Equiv(equiv) = item
            && seen.insert(std::ptr::from_ref(equiv))
        {
            equivs.push(equiv);
        }
    }
    let labels = contents.iter().enumerate().map(|(at, content)| label(content.label, at)).collect();
    (labels, equivs)
}

fn contents<'a>(cx: &mut Context<'a>, files: &[&'a ast::File]) -> Vec<Content<'a>> {
    let mut contents = Vec::new();
    for file in files {
        let of = |version: Option<&'a ast::Version>| Content {
            label: version.and_then(|version| version.label.as_ref()),
            items: file.shared.iter().chain(version.iter().flat_map(|version| &version.items)).collect(),
        };
        match (file.versions.as_slice(), files.len()) {
            ([], _) => contents.push(of(None)),
            (versions, 1) => contents.extend(versions.iter().map(|version| of(Some(version)))),
            ([first, rest @ ..], _) => {
                contents.push(of(Some(first)));
                if let Some(second) = rest.first() {
                    cx.report(
                        Diagnostic::new(
                            "E0410",
                            second.span,
                            "each of several files gives one version",
                            "a second version in the same file",
                        )
                        .also(first.span, "the first version")
                        .help("give the pair file alone"),
                    );
                }
            }
        }
    }
    contents
}

fn label(label: Option<&ast::Label>, at: usize) -> String {
    match label {
        Some(ast::Label::Int(number, _)) => number.to_string(),
        Some(ast::Label::Ident(name)) => name.text.clone(),
        Some(ast::Label::Text(text, _)) => text.clone(),
        None => at.to_string(),
    }
}

fn twice(what: &str, name: &ast::Name, first: Span) -> Diagnostic {
    Diagnostic::new("E0205", name.span, format!("{what} `{}` is declared twice", name.text), "declared again here")
        .also(first, "first declared here")
}

fn classes<'a>(cx: &mut Context<'a>, contents: &[Content<'a>]) {
    let mut known: HashMap<&str, (ClassId, &ast::Class, usize)> = HashMap::new();
    for (version, content) in contents.iter().enumerate() {
        for item in &content.items {
            let Item::Class(class) = item else { continue };
            let id = match known.entry(&class.name.text) {
                Entry::Vacant(entry) => {
                    let id = ClassId(u32::try_from(cx.classes.len()).unwrap_or(u32::MAX));
                    cx.classes.push(hir::Class { name: class.name.text.clone(), fields: Vec::new(), span: class.span });
                    entry.insert((id, class, version)).0
                }
                Entry::Occupied(entry) => {
                    let (id, first, _) = *entry.get();
                    if !std::ptr::eq(first, class) && !cx.names[version].classes.contains_key(class.name.text.as_str())
                    {
                        same_fields(cx, first, class);
                    }
                    id
                }
            };
            if cx.names[version].classes.insert(&class.name.text, id).is_some() {
                let first = cx.classes[id.index()].span;
                cx.report(twice("class", &class.name, first));
            }
        }
    }
    let mut known: Vec<_> = known.into_values().collect();
    known.sort_by_key(|&(id, ..)| id);
    for (id, class, version) in known {
        fields(cx, id, class, version);
    }
    for names in &mut cx.names {
        for &(class, name) in cx.field_ids.keys() {
            if let Some(id) = class
                && names.classes.get(cx.classes[id.index()].name.as_str()) == Some(&id)
            {
                names.homes.entry(name).or_default().push(id);
            }
        }
        names.homes.values_mut().for_each(|homes| homes.sort());
    }
}

fn fields<'a>(cx: &mut Context<'a>, id: ClassId, class: &'a ast::Class, version: usize) {
    for (name, ty) in &class.fields {
        let ty = written_type(cx, version, ty);
        let field = FieldId(u32::try_from(cx.fields.len()).unwrap_or(u32::MAX));
        match cx.field_ids.entry((Some(id), &name.text)) {
            Entry::Vacant(entry) => entry.insert(field),
            Entry::Occupied(entry) => {
                let first = cx.fields[entry.get().index()].span;
                cx.report(twice("field", name, first));
                continue;
            }
        };
        let (text, class) = (name.text.clone(), Some(id));
        cx.fields.push(hir::Field { name: text, class, ty: provisional(ty), span: name.span });
        cx.classes[id.index()].fields.push(field);
    }
}

/// Two versions may both declare a class if they give it the same fields, in any order.
fn same_fields(cx: &mut Context, first: &ast::Class, second: &ast::Class) {
    let has = |class: &ast::Class, (name, ty): &(ast::Name, ast::Type)| {
        class.fields.iter().any(|(other, other_ty)| other.text == name.text && same_type(other_ty, ty))
    };
    let odd = (second.fields.iter().find(|field| !has(first, field)))
        .or_else(|| first.fields.iter().find(|field| !has(second, field)));
    if let Some((name, _)) = odd {
        cx.report(
            Diagnostic::new(
                "E0413",
                second.name.span,
                format!("the versions declare class `{}` differently", second.name.text),
                "one declaration",
            )
            .also(first.name.span, "the other declaration")
            .also(name.span, "this field is not the same in both")
            .help("both versions start from the same store, so they must agree on its classes"),
        );
    }
}

fn same_type(a: &ast::Type, b: &ast::Type) -> bool {
    let (mut a, mut b) = (a, b);
    while let (TypeKind::Array(x), TypeKind::Array(y)) = (&a.kind, &b.kind) {
        (a, b) = (x, y);
    }
    match (&a.kind, &b.kind) {
        (TypeKind::Array(_), _) | (_, TypeKind::Array(_)) => false,
        (a, b) => a == b,
    }
}

fn globals<'a>(cx: &mut Context<'a>, contents: &[Content<'a>]) {
    let mut known: HashMap<&str, (GlobalId, &ast::Global)> = HashMap::new();
    for (version, content) in contents.iter().enumerate() {
        for item in &content.items {
            let Item::Global(global) = item else { continue };
            let name = &global.name;
            if let Some(first) = cx.names[version].globals.get(name.text.as_str()) {
                let first = cx.globals[first.index()].span;
                cx.report(twice("global", name, first));
                continue;
            }
            let id = match known.entry(&name.text) {
                Entry::Vacant(entry) => {
                    let id = GlobalId(u32::try_from(cx.globals.len()).unwrap_or(u32::MAX));
                    entry.insert((id, global));
                    let ty = provisional(written_type(cx, version, &global.ty));
                    cx.globals.push(hir::Global { name: name.text.clone(), ty, span: global.span });
                    id
                }
                Entry::Occupied(entry) => {
                    let (id, first) = *entry.get();
                    if !same_type(&first.ty, &global.ty) {
                        cx.report(
                            Diagnostic::new(
                                "E0413",
                                global.ty.span,
                                format!("the versions declare global `{}` with different types", name.text),
                                "one type",
                            )
                            .also(first.ty.span, "the other type")
                            .help("both versions start from the same store, so they must agree on its globals"),
                        );
                    }
                    id
                }
            };
            cx.names[version].globals.insert(&name.text, id);
        }
    }
}

fn procedures<'a>(cx: &mut Context<'a>, contents: &[Content<'a>]) {
    for (version, content) in contents.iter().enumerate() {
        for item in &content.items {
            let Item::Procedure(procedure) = item else { continue };
            variables_once(cx, procedure);
            let mut types = |params: &'a [ast::Param]| -> Vec<Ty> {
                params
                    .iter()
                    .map(|param| match &param.ty {
                        Some(ty) => written_type(cx, version, ty),
                        None => cx.types.open(param.name.span),
                    })
                    .collect()
            };
            let (params, results) = (types(&procedure.params), types(&procedure.results));
            let names = &mut cx.names[version];
            let id = ProcId(u32::try_from(names.signatures.len()).unwrap_or(u32::MAX));
            names.signatures.push(Signature { declaration: procedure, params, results });
            match names.procedures.entry(&procedure.name.text) {
                Entry::Vacant(entry) => {
                    entry.insert(id);
                }
                Entry::Occupied(entry) => {
                    let first = names.signatures[entry.get().index()].declaration.name.span;
                    cx.report(twice("procedure", &procedure.name, first));
                }
            }
        }
    }
}

fn variables_once(cx: &mut Context, procedure: &ast::Procedure) {
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for param in procedure.params.iter().chain(&procedure.results) {
        match seen.entry(&param.name.text) {
            Entry::Vacant(entry) => {
                entry.insert(param.name.span);
            }
            Entry::Occupied(entry) => cx.report(twice("variable", &param.name, *entry.get())),
        }
    }
}

/// A type as the user wrote it.
pub(super) fn written_type(cx: &mut Context, version: usize, written: &ast::Type) -> Ty {
    const WHY: &str = "it is declared so";
    let (mut base, mut arrays) = (written, Vec::new());
    while let TypeKind::Array(element) = &base.kind {
        arrays.push(base.span);
        base = element;
    }
    let shape = match &base.kind {
        TypeKind::Int => Shape::Int,
        TypeKind::Bool => Shape::Bool,
        TypeKind::Class(name) => match class_named(cx, version, name, base.span) {
            Some(class) => Shape::Class(class),
            None => Shape::Wrong,
        },
        TypeKind::Ref | TypeKind::Array(_) => Shape::Ref,
    };
    let mut ty = cx.types.add(shape, base.span, WHY);
    while let Some(span) = arrays.pop() {
        ty = cx.types.add(Shape::Array(ty), span, WHY);
    }
    ty
}

/// The class with this name; reported when there is none.
pub(super) fn class_named(cx: &mut Context, version: usize, name: &str, span: Span) -> Option<ClassId> {
    let names = &cx.names[version];
    if let Some(id) = names.classes.get(name) {
        return Some(*id);
    }
    let known = names.classes.keys().copied().chain(["int", "bool", "ref"]);
    let mut diagnostic = Diagnostic::new("E0203", span, format!("there is no class `{name}`"), "not declared");
    diagnostic.suggest(nearest(&cx.comparisons, name, known));
    if let Some(advice) = foreign::ty(name) {
        diagnostic = advice.on(diagnostic);
    }
    if let Some(class) = cx.classes.iter().find(|class| class.name == name) {
        diagnostic.others.push((class.span, "another version declares it".to_owned()));
    }
    cx.report(diagnostic);
    None
}
