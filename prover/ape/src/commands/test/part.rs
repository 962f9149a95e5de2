//! Parts of a program that are proved, and kept, by themselves.
//!
//! In: a program, and some of its pairs. Out: [`Part`]s that have no code in common, each a program of its own: a certificate speaks
//! of a text, and what else stands in a file is no reason to prove anything again.
//!
//! Invariant: a part has the pairs that are wanted, with the same keys and places; where no text is found that has, the part is the
//! whole program.

use crate::commands::verify::pairs::{Group, Pair, groups, pairs};
use lang_l::hir::Unit;
use lang_l::parse::parse;
use lang_l::source::{FileId, Source, Span};
use lang_l::{Loaded, ast};
use std::collections::BTreeSet;

/// A part of a program.
pub(super) struct Part {
    /// The part as a program: its texts have blanks where there is something else in the whole.
    pub(super) program: Loaded,
    /// The pairs that are wanted.
    pub(super) pairs: Vec<Pair>,
}

/// The parts of a program that these of its pairs depend on.
pub(super) fn parts(program: &Loaded, wanted: impl IntoIterator<Item = Pair>) -> Vec<Part> {
    let part = |Group { unit, wanted }| {
        let alone = alone(program, &unit, &wanted);
        Part { program: alone.unwrap_or_else(|| program.clone()), pairs: wanted }
    };
    groups(&program.unit, wanted).into_iter().map(part).collect()
}

/// A part as a program; `None` where that would be another program, as types may be told by what is left out.
fn alone(program: &Loaded, part: &Unit, wanted: &[Pair]) -> Option<Loaded> {
    let sources = program.sources.iter();
    let loaded = lang_l::load(sources.map(|(id, source)| (source.name.clone(), text(id, source, part)))).ok()?;
    let keys: BTreeSet<String> = pairs(&loaded.unit, &loaded.sources).into_iter().map(|pair| pair.key).collect();
    wanted.iter().all(|pair| keys.contains(&pair.key)).then_some(loaded)
}

/// What of a file belongs to a part, where it stands; blanks for all else.
fn text(id: FileId, source: &Source, part: &Unit) -> String {
    let procedures = part.versions.iter().flat_map(|version| &version.procedures);
    let kept: BTreeSet<Span> =
        procedures.map(|procedure| procedure.span).chain(part.equivs.iter().map(|equiv| equiv.span)).collect();
    let file = parse(id, &source.text).file;
    let items = file.shared.iter().chain(file.versions.iter().flat_map(|version| &version.items));
    let item = |item: &ast::Item| match item {
        ast::Item::Class(class) => Some(class.span),
        ast::Item::Global(global) => Some(global.span),
        ast::Item::Procedure(ast::Procedure { span, .. }) | ast::Item::Equiv(ast::Equiv { span, .. }) => {
            kept.contains(span).then_some(*span)
        }
    };
    let mut shown: Vec<Span> = items.filter_map(item).chain(file.versions.iter().map(|version| version.span)).collect();
    shown.sort();
    let (mut text, mut done) = (String::with_capacity(source.text.len()), 0);
    for span in shown {
        blank(&source.text[done..span.range().start], &mut text);
        text.push_str(&source.text[span.range()]);
        done = span.range().end;
    }
    blank(&source.text[done..], &mut text);
    text
}

/// As many bytes, in as many lines.
fn blank(hidden: &str, text: &mut String) {
    text.extend(hidden.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { char::from(byte) } else { ' ' }));
}
