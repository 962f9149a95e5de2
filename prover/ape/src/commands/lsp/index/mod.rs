//! What each name in a program stands for.
//!
//! In: the trees of a program, and what is known of its fields. Out: [`Symbol`]s, and the places where they are named.
//!
//! It works on trees with errors too, of which there are more than of others while somebody types. What a name stands for is as
//! `lang_l::resolve` has it; that one keeps no places of names.
//!
//! Invariant: of a legal program each name has a symbol, and one of the declarations of a symbol is spelled as its name.

mod body;
mod build;
mod tables;

use lang_l::source::{FileId, Span};
use std::collections::BTreeSet;

pub(super) use build::index;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Class,
    Field,
    Global,
    Procedure,
    Parameter,
    Result,
    Local,
    /// Bound by a quantifier.
    Bound,
}

impl Kind {
    /// The word for it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Class => "class",
            Kind::Field => "field",
            Kind::Global => "global",
            Kind::Procedure => "procedure",
            Kind::Parameter => "parameter",
            Kind::Result => "result",
            Kind::Local => "local",
            Kind::Bound => "bound variable",
        }
    }

    /// Whether it belongs to a procedure.
    pub(super) fn is_variable(self) -> bool {
        matches!(self, Kind::Parameter | Kind::Result | Kind::Local | Kind::Bound)
    }
}

/// Something that has a name.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) kind: Kind,
    pub(super) name: String,
    /// Where it is declared: a class, a global or a field may be so in both versions. Of what is declared nowhere, the first use.
    pub(super) declarations: Vec<Span>,
    /// Of a variable, its procedure; of a field, its class, if there are classes.
    pub(super) owner: Option<usize>,
    /// The versions that have it.
    pub(super) versions: BTreeSet<usize>,
}

/// A place where a symbol is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Occurrence {
    pub(super) span: Span,
    pub(super) symbol: usize,
    /// It is assigned there.
    pub(super) writes: bool,
}

/// All symbols of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) symbols: Vec<Symbol>,
    /// In the order of the text. What is shared by both versions may stand for several things in one place.
    pub(super) occurrences: Vec<Occurrence>,
}

impl Index {
    /// What is named at a byte, or just before it.
    pub(super) fn at(&self, file: FileId, offset: usize) -> Vec<Occurrence> {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let end = self.occurrences.partition_point(|one| (one.span.file, one.span.start) <= (file, offset));
        let before = self.occurrences[..end].iter().rev();
        let near = before.take_while(|one| one.span.file == file && one.span.end >= offset);
        near.copied().collect()
    }

    /// All places of a symbol and of those that share a place with it, which can only be renamed together.
    pub(super) fn together(&self, symbol: usize) -> (BTreeSet<usize>, BTreeSet<Span>) {
        let (mut symbols, mut spans) = (BTreeSet::from([symbol]), BTreeSet::new());
        loop {
            let before = (symbols.len(), spans.len());
            for one in &self.occurrences {
                if symbols.contains(&one.symbol) {
                    spans.insert(one.span);
                }
                if spans.contains(&one.span) {
                    symbols.insert(one.symbol);
                }
            }
            if before == (symbols.len(), spans.len()) {
                return (symbols, spans);
            }
        }
    }

    /// Where a symbol is named.
    pub(super) fn uses(&self, symbol: usize) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.symbol == symbol)
    }

    /// Procedures of a version and a name.
    pub(super) fn procedure(&self, version: usize, name: &str) -> Option<usize> {
        let is = |one: &Symbol| one.kind == Kind::Procedure && one.name == name && one.versions.contains(&version);
        self.symbols.iter().position(is)
    }
}
