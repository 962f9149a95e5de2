//! Another name for something.
//!
//! In: a program, a position, and the new name. Out: changes of the texts, or why there are none.
//!
//! Invariant: in the changed texts each name stands for what it stood for before, and a legal program stays legal. This is
//! looked at in the changed texts themselves.

use super::index::{Index, Kind};
use super::mistakes::workspace_edit;
use super::program::Program;
use gen_lsp_types::{Position, Range, TextEdit, WorkspaceEdit};
use lang_l::source::{FileId, Span};
use lang_l::token::{Token, lex};
use std::collections::{BTreeMap, BTreeSet};

/// What would be renamed at a position: its place, and the name that it has.
pub(super) fn prepared(program: &Program, uri: &str, at: Position) -> Option<(Range, String)> {
    let one = *program.named(uri, at).first()?;
    Some((program.range(one.span), program.index.symbols[one.symbol].name.clone()))
}

/// The changes.
pub(super) fn renamed(program: &Program, uri: &str, at: Position, name: &str) -> Result<WorkspaceEdit, String> {
    let named = program.named(uri, at);
    let one = named.first().ok_or("there is no name here")?;
    let old = program.index.symbols[one.symbol].name.clone();
    legal(name, program.index.symbols[one.symbol].kind)?;
    let (_, spans) = program.index.together(one.symbol);
    let texts = changed(program, &spans, name);
    keeps_meaning(program, &program.with_texts(texts), &spans, (&old, name))?;
    let mut edits: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
    for span in spans {
        let edit = TextEdit { range: program.range(span), new_text: name.to_string() };
        edits.entry(span.file).or_default().push(edit);
    }
    Ok(workspace_edit(program, edits))
}

/// Whether a text may be a name of such a thing.
fn legal(name: &str, kind: Kind) -> Result<(), String> {
    let lexed = lex(FileId(0), name);
    let alone = lexed.diagnostics.is_empty() && lexed.comments.is_empty() && name.trim() == name;
    match lexed.tokens.as_slice() {
        [(Token::Ident, _)] if alone => {}
        [(token, _)] if alone && token.is_keyword() => return Err(format!("`{name}` is a keyword of L")),
        _ => return Err(format!("`{name}` is no name: names are made of letters, digits, `_` and `'`")),
    }
    match kind {
        Kind::Field if name == "length" => Err("`length` is what arrays have".to_string()),
        Kind::Procedure if matches!(name, "old" | "fresh" | "reach") => {
            Err(format!("`{name}(…)` has a meaning of its own in contracts"))
        }
        _ => Ok(()),
    }
}

/// The texts with another name in some places.
fn changed(program: &Program, spans: &BTreeSet<Span>, name: &str) -> Vec<String> {
    let mut texts: Vec<String> = program.texts.iter().map(|text| text.text.clone()).collect();
    for span in spans.iter().rev() {
        if let Some(text) = texts.get_mut(span.file.0 as usize).filter(|text| text.get(span.range()).is_some()) {
            text.replace_range(span.range(), name);
        }
    }
    texts
}

/// Whether each name of the changed program stands for what it stood for.
fn keeps_meaning(
    before: &Program,
    after: &Program,
    spans: &BTreeSet<Span>,
    (old, new): (&str, &str),
) -> Result<(), String> {
    if before.unit.is_some()
        && let Some(wrong) = after.diagnostics.first()
    {
        return Err(format!("`{new}` cannot be the name: {}", wrong.message));
    }
    let growth = i64::try_from(new.len()).unwrap_or(0) - i64::try_from(old.len()).unwrap_or(0);
    let moved = |span: Span| {
        let earlier = spans.range(Span { file: span.file, start: 0, end: 0 }..span).count();
        let start = i64::from(span.start) + growth * i64::try_from(earlier).unwrap_or(0);
        (span.file, u32::try_from(start).unwrap_or(u32::MAX))
    };
    let was = meaning(&before.index, moved);
    let is = meaning(&after.index, |span| (span.file, span.start));
    if was == is { Ok(()) } else { Err(format!("`{new}` is taken: some name would stand for something else")) }
}

/// For each place where something is named the first place where the same is named.
fn meaning<P: Ord + Copy>(index: &Index, place: impl Fn(Span) -> P) -> BTreeSet<(P, P)> {
    let mut first: BTreeMap<usize, P> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for one in &index.occurrences {
        let here = place(one.span);
        all.insert((*first.entry(one.symbol).or_insert(here), here));
    }
    all
}
