//! The tables of a program: classes, fields, globals and procedures of each version.

use super::{Index, Kind, Occurrence, Symbol};
use crate::commands::lsp::types::{Member, Members};
use lang_l::ast::{self, File, Item, TypeKind};
use lang_l::source::Span;
use std::collections::{BTreeSet, HashMap};

/// An item, and the versions that have it.
pub(super) struct Part<'a> {
    pub(super) item: &'a Item,
    pub(super) versions: BTreeSet<usize>,
}

pub(super) fn parts(files: &[File]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let alone = files.len() == 1;
        let all = if alone { (0..file.versions.len().max(1)).collect() } else { BTreeSet::from([at]) };
        parts.extend(file.shared.iter().map(|item| Part { item, versions: all.clone() }));
        for (number, version) in file.versions.iter().enumerate() {
            let own = BTreeSet::from([if alone { number } else { at }]);
            parts.extend(version.items.iter().map(|item| Part { item, versions: own.clone() }));
        }
    }
    parts
}

/// The tables while they are being filled.
pub(super) struct Builder<'m> {
    pub(super) index: Index,
    classes: HashMap<String, usize>,
    /// By class and name; by name alone where there are no classes.
    fields: HashMap<(Option<String>, String), usize>,
    /// Which classes have a field of this name.
    homes: HashMap<String, Vec<String>>,
    pub(super) globals: Vec<HashMap<String, usize>>,
    procedures: Vec<HashMap<String, usize>>,
    members: &'m Members,
}

impl<'m> Builder<'m> {
    /// Empty tables for so many versions.
    pub(super) fn new(versions: usize, members: &'m Members) -> Self {
        Builder {
            index: Index::default(),
            classes: HashMap::new(),
            fields: HashMap::new(),
            homes: HashMap::new(),
            globals: vec![HashMap::new(); versions],
            procedures: vec![HashMap::new(); versions],
            members,
        }
    }

    /// The procedure of a version and a name.
    pub(super) fn procedure(&self, version: usize, name: &str) -> Option<usize> {
        self.procedures.get(version)?.get(name).copied()
    }

    /// A new symbol, declared here.
    pub(super) fn add(&mut self, kind: Kind, name: &str, span: Span, owner: Option<usize>) -> usize {
        let versions = BTreeSet::new();
        let symbol = Symbol { kind, name: name.to_string(), declarations: vec![span], owner, versions };
        self.index.symbols.push(symbol);
        let symbol = self.index.symbols.len() - 1;
        self.mention(symbol, span, false);
        symbol
    }

    /// A symbol is named here.
    pub(super) fn mention(&mut self, symbol: usize, span: Span, writes: bool) {
        self.index.occurrences.push(Occurrence { span, symbol, writes });
    }

    /// A symbol that may be declared in several versions is declared here.
    fn again(&mut self, known: Option<usize>, kind: Kind, name: &ast::Name, owner: Option<usize>) -> usize {
        let Some(symbol) = known else { return self.add(kind, &name.text, name.span, owner) };
        self.index.symbols[symbol].declarations.push(name.span);
        self.mention(symbol, name.span, false);
        symbol
    }

    pub(super) fn class(&mut self, part: &Part<'_>) {
        let Item::Class(class) = part.item else { return };
        let known = self.classes.get(&class.name.text).copied();
        let symbol = self.again(known, Kind::Class, &class.name, None);
        self.classes.insert(class.name.text.clone(), symbol);
        self.index.symbols[symbol].versions.extend(&part.versions);
        for (name, _) in &class.fields {
            let key = (Some(class.name.text.clone()), name.text.clone());
            let known = self.fields.get(&key).copied();
            let field = self.again(known, Kind::Field, name, Some(symbol));
            self.index.symbols[field].versions.extend(&part.versions);
            self.fields.insert(key, field);
            let homes = self.homes.entry(name.text.clone()).or_default();
            if !homes.contains(&class.name.text) {
                homes.push(class.name.text.clone());
            }
        }
    }

    /// Types of fields, and globals.
    pub(super) fn declare(&mut self, part: &Part<'_>) {
        match part.item {
            Item::Class(class) => class.fields.iter().for_each(|(_, ty)| self.ty(ty)),
            Item::Global(global) => {
                let name = &global.name;
                let known = self.globals.iter().find_map(|globals| globals.get(&name.text)).copied();
                let symbol = self.again(known, Kind::Global, name, None);
                self.index.symbols[symbol].versions.extend(&part.versions);
                for &version in &part.versions {
                    self.globals[version].entry(name.text.clone()).or_insert(symbol);
                }
                self.ty(&global.ty);
            }
            Item::Procedure(_) | Item::Equiv(_) => {}
        }
    }

    pub(super) fn signature(&mut self, part: &Part<'_>) -> Option<usize> {
        let Item::Procedure(procedure) = part.item else { return None };
        let symbol = self.add(Kind::Procedure, &procedure.name.text, procedure.name.span, None);
        self.index.symbols[symbol].versions.extend(&part.versions);
        for &version in &part.versions {
            self.procedures[version].entry(procedure.name.text.clone()).or_insert(symbol);
        }
        Some(symbol)
    }

    /// A type as written.
    pub(super) fn ty(&mut self, ty: &ast::Type) {
        let mut base = ty;
        while let TypeKind::Array(element) = &base.kind {
            base = element;
        }
        if let TypeKind::Class(name) = &base.kind {
            self.class_name(name, base.span);
        }
    }

    pub(super) fn class_name(&mut self, name: &str, span: Span) {
        if let Some(&symbol) = self.classes.get(name) {
            self.mention(symbol, span, false);
        }
    }

    /// A call: of what is shared, one procedure in each version.
    pub(super) fn callee(&mut self, name: &ast::Name, versions: &BTreeSet<usize>) {
        let of = |version: &usize| self.procedures.get(*version)?.get(&name.text).copied();
        let callees: BTreeSet<usize> = versions.iter().filter_map(of).collect();
        callees.into_iter().for_each(|symbol| self.mention(symbol, name.span, false));
    }

    /// Whether a version has a procedure of this name.
    pub(super) fn has_procedure(&self, name: &str, versions: &BTreeSet<usize>) -> bool {
        versions.iter().any(|version| self.procedures.get(*version).is_some_and(|known| known.contains_key(name)))
    }

    /// `object.name`
    pub(super) fn member(&mut self, object: Span, name: &ast::Name, versions: &BTreeSet<usize>, writes: bool) {
        let class = match self.members.get(&object) {
            Some(Member::Length) => return,
            Some(Member::Of(class)) => class.clone(),
            None if self.classes.is_empty() && name.text == "length" => return,
            None if self.classes.is_empty() => None,
            None => match self.homes.get(&name.text).map(Vec::as_slice) {
                Some([only]) => Some(only.clone()),
                _ => return,
            },
        };
        let key = (class, name.text.clone());
        let symbol = match self.fields.get(&key) {
            Some(&symbol) => symbol,
            // Where there are no classes the first use is all the declaration there is.
            None if key.0.is_none() => self.add(Kind::Field, &name.text, name.span, None),
            None => return,
        };
        self.fields.insert(key, symbol);
        self.index.symbols[symbol].versions.extend(versions);
        self.mention(symbol, name.span, writes);
    }
}
