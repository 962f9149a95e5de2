//! The shape of a document: what is declared in it, what can be folded, and the text as it is usually laid out.
//!
//! In: a program and one of its texts. Out: symbols, ranges of lines, or a change of the text.

use super::position::Lines;
use super::program::Program;
use gen_lsp_types::{DocumentSymbol, FoldingRange, FoldingRangeKind, SymbolKind, TextEdit};
use lang_l::ast::{Block, File, Item, Label, Name, Stmt, StmtKind, Version};
use lang_l::print;
use lang_l::source::{FileId, Span};
use lang_l::token::Comment;

/// What is declared in a text.
pub(super) fn symbols(program: &Program, file: FileId) -> Vec<DocumentSymbol> {
    let Some(tree) = program.trees.get(file.0 as usize) else { return Vec::new() };
    let outline = Outline { lines: program.lines(file) };
    let shared = tree.shared.iter().filter_map(|item| outline.item(item));
    shared.chain(tree.versions.iter().map(|version| outline.version(version))).collect()
}

/// The text by its lines.
struct Outline<'p> {
    lines: Lines<'p>,
}

impl Outline<'_> {
    fn version(&self, version: &Version) -> DocumentSymbol {
        let end = version.items.iter().map(span).fold(version.span, Span::to);
        let label = match &version.label {
            None => String::new(),
            Some(Label::Int(number, _)) => format!(" {number}"),
            Some(Label::Ident(name)) => format!(" {}", name.text),
            Some(Label::Text(text, _)) => format!(" {text}"),
        };
        let children = version.items.iter().filter_map(|item| self.item(item)).collect();
        self.symbol((SymbolKind::Module, format!("version{label}"), None), [end, version.span], children)
    }

    fn item(&self, item: &Item) -> Option<DocumentSymbol> {
        let plain =
            |kind, name: &Name, whole| self.symbol((kind, name.text.clone(), None), [whole, name.span], Vec::new());
        match item {
            Item::Class(class) => {
                let field = |(name, ty): &(Name, _)| {
                    let detail = Some(print::type_text(ty));
                    self.symbol((SymbolKind::Field, name.text.clone(), detail), [name.span; 2], Vec::new())
                };
                let fields = class.fields.iter().map(field).collect();
                let head = (SymbolKind::Class, class.name.text.clone(), None);
                Some(self.symbol(head, [class.span, class.name.span], fields))
            }
            Item::Global(global) => Some(plain(SymbolKind::Variable, &global.name, global.span)),
            Item::Procedure(procedure) => Some(plain(SymbolKind::Function, &procedure.name, procedure.span)),
            Item::Equiv(_) => None,
        }
    }

    fn symbol(
        &self,
        (kind, name, detail): (SymbolKind, String, Option<String>),
        [whole, own]: [Span; 2],
        children: Vec<DocumentSymbol>,
    ) -> DocumentSymbol {
        #[expect(deprecated, reason = "the type has the field")]
        DocumentSymbol {
            // The protocol forbids an empty name, which a broken declaration may have.
            name: if name.is_empty() { "?".to_string() } else { name },
            detail,
            kind,
            tags: None,
            deprecated: None,
            range: self.lines.range(whole.to(own).range()),
            selection_range: self.lines.range(own.range()),
            children: Some(children),
        }
    }
}

fn span(item: &Item) -> Span {
    match item {
        Item::Class(class) => class.span,
        Item::Global(global) => global.span,
        Item::Procedure(procedure) => procedure.span,
        Item::Equiv(equiv) => equiv.span,
    }
}

/// What can be folded in a text: versions, items, blocks and comments of more than one line.
pub(super) fn folds(program: &Program, file: FileId) -> Vec<FoldingRange> {
    let at = file.0 as usize;
    let (Some(tree), Some(comments)) = (program.trees.get(at), program.comments.get(at)) else { return Vec::new() };
    let lines = program.lines(file);
    let mut folds: Vec<(Span, Option<FoldingRangeKind>)> = Vec::new();
    of_tree(tree, &mut |span| folds.push((span, None)));
    folds.extend(of_comments(comments, &lines).into_iter().map(|span| (span, Some(FoldingRangeKind::Comment))));
    let mut ranges: Vec<FoldingRange> = folds
        .into_iter()
        .map(|(span, kind)| {
            let range = lines.range(span.range());
            FoldingRange { start_line: range.start.line, end_line: range.end.line, kind, ..FoldingRange::default() }
        })
        .filter(|fold| fold.start_line < fold.end_line)
        .collect();
    ranges.sort_by_key(|fold| (fold.start_line, fold.end_line));
    ranges.dedup_by_key(|fold| (fold.start_line, fold.end_line));
    ranges
}

fn of_tree(tree: &File, fold: &mut impl FnMut(Span)) {
    for version in &tree.versions {
        fold(version.items.iter().map(span).fold(version.span, Span::to));
    }
    for item in tree.shared.iter().chain(tree.versions.iter().flat_map(|version| &version.items)) {
        fold(span(item));
        if let Item::Procedure(procedure) = item {
            procedure.body.iter().for_each(|body| block(body, fold));
        }
    }
}

fn block(of: &Block, fold: &mut impl FnMut(Span)) {
    fold(of.span);
    for Stmt { kind, .. } in &of.stmts {
        match kind {
            StmtKind::If { then, els, .. } => {
                block(then, fold);
                els.iter().for_each(|els| block(els, fold));
            }
            StmtKind::While { body, .. } => block(body, fold),
            _ => {}
        }
    }
}

/// Comments; those on lines of their own, one after the other, are one.
fn of_comments(comments: &[Comment], lines: &Lines<'_>) -> Vec<Span> {
    let mut found: Vec<(Span, bool)> = Vec::new();
    for comment in comments {
        let alone = comment.is_line() && !comment.trailing;
        match found.last_mut() {
            Some((last, true)) if alone && next_line(lines, *last, comment.span) => *last = last.to(comment.span),
            _ => found.push((comment.span, alone)),
        }
    }
    found.into_iter().map(|(span, _)| span).collect()
}

fn next_line(lines: &Lines<'_>, last: Span, next: Span) -> bool {
    lines.position(last.end as usize).line + 1 == lines.position(next.start as usize).line
}

/// The change that lays a text out as `ape fmt` does; none where it is so already, or is not legal.
pub(super) fn formatted(program: &Program, file: FileId) -> Option<TextEdit> {
    let at = file.0 as usize;
    let (text, tree, comments) = (program.texts.get(at)?, program.trees.get(at)?, program.comments.get(at)?);
    let syntax = |code: &str| code.starts_with("E00") || code.starts_with("E01");
    if program.diagnostics.iter().any(|wrong| wrong.span.file == file && syntax(wrong.code)) {
        return None;
    }
    let new = print::print(tree, comments);
    if new == text.text {
        return None;
    }
    // What is the same at both ends stays, so that the cursor does.
    let (old, new) = (text.text.as_str(), new.as_str());
    let before = old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    let before = before.unwrap_or_else(|| old.len().min(new.len()));
    let (rest_old, rest_new) = (&old[before..], &new[before..]);
    let behind = rest_old.chars().rev().zip(rest_new.chars().rev()).take_while(|(a, b)| a == b);
    let behind: usize = behind.map(|(a, _)| a.len_utf8()).sum();
    let range = program.lines(file).range(before..old.len() - behind);
    Some(TextEdit { range, new_text: rest_new[..rest_new.len() - behind].to_string() })
}
