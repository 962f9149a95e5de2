//! Tokens to the tree as written.
//!
//! In: the text of one file. Out: an [`ast::File`], the comments beside it, and everything that is wrong with the text.
//!
//! Invariant: never fails and never panics; with no diagnostics the tree says all the text says.
//! Invariant: no tree is deeper than [`MAX_NESTING`] blocks and [`MAX_OPERATORS`] operators, so later stages may recurse.
//! Invariant: only the files of this folder import `chumsky`.

mod error;
mod expression;
mod habits;
mod item;
mod limits;
mod recover;
mod statement;

pub use limits::{MAX_NESTING, MAX_OPERATORS};

use crate::ast::{self, Expr, ExprKind};
use crate::source::diagnostic::Diagnostic;
use crate::source::{FileId, Span};
use crate::stack::deep;
use crate::token::{Comment, Token, lex};
use chumsky::input::{Input as _, MappedInput, Stream};
use chumsky::{Boxed, Parser as _, extra};
use error::SyntaxError;
use std::collections::HashSet;
use std::ops::Range;

/// How many things that are wrong are reported for one file.
const MAX_DIAGNOSTICS: usize = 100;

/// What [`parse`] makes of a file.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The tree; partial when there are diagnostics.
    pub file: ast::File,
    /// The comments in order.
    pub comments: Vec<Comment>,
    /// What is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file.
pub fn parse(file: FileId, text: &str) -> Parsed {
    deep(|| parse_here(file, text))
}

fn parse_here(file: FileId, text: &str) -> Parsed {
    let lexed = lex(file, text);
    let mut parsed = Parsed { comments: lexed.comments, diagnostics: lexed.diagnostics, file: ast::File::default() };
    if let Some(too_deep) = limits::check(&lexed.tokens) {
        parsed.diagnostics.push(too_deep);
    } else {
        let (tree, errors) = read(file, text, &lexed.tokens);
        parsed.file = tree;
        let legal = errors.is_empty() && parsed.diagnostics.is_empty();
        parsed.diagnostics.extend(errors);
        if !legal {
            read_as_meant(file, text, &lexed.tokens, &mut parsed);
        }
    }
    parsed.diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    if parsed.diagnostics.len() > MAX_DIAGNOSTICS {
        parsed.diagnostics.truncate(MAX_DIAGNOSTICS);
        if let Some(last) = parsed.diagnostics.last() {
            let message = "there are more errors than are shown";
            parsed.diagnostics.push(Diagnostic::new("E0102", last.span, message, "shown up to here"));
        }
    }
    parsed
}

/// Reads a text that is not legal once more, with habits from other languages replaced, if it has any.
fn read_as_meant(file: FileId, text: &str, tokens: &[(Token, Span)], parsed: &mut Parsed) {
    let habits = habits::replaced(text, tokens);
    if habits.reports.is_empty() || limits::check(&habits.tokens).is_some() {
        return;
    }
    let (tree, errors) = read(file, text, &habits.tokens);
    parsed.file = tree;
    // What is wrong with characters stays, but not in what was meant as a comment.
    parsed.diagnostics.retain(|wrong| wrong.code.starts_with("E00"));
    let commented = |wrong: &Diagnostic| {
        let behind = habits.comments.partition_point(|comment| comment.start <= wrong.span.start);
        behind > 0 && wrong.span.start < habits.comments[behind - 1].end
    };
    parsed.diagnostics.retain(|wrong| !commented(wrong));
    let reported: HashSet<u32> = habits.reports.iter().map(|report| report.span.start).collect();
    parsed.diagnostics.extend(errors.into_iter().filter(|error| !reported.contains(&error.span.start)));
    parsed.diagnostics.extend(habits.reports);
}

/// Runs the grammar.
fn read(file: FileId, text: &str, tokens: &[(Token, Span)]) -> (ast::File, Vec<Diagnostic>) {
    let end = Span::new(file, text.len()..text.len());
    let as_is: fn((Token, Span)) -> (Token, Span) = |token| token;
    let input = Stream::from_iter(tokens.to_vec()).map(end, as_is);
    let (tree, mut errors) = item::file(text).parse(input).into_output_errors();
    // What goes wrong at a place where something went wrong before is a consequence of it.
    errors.sort_by_key(|error| error.span().start);
    errors.dedup_by_key(|error| error.span().start);
    errors.truncate(MAX_DIAGNOSTICS + 1);
    let diagnostics = errors.into_iter().map(|error| error.into_diagnostic(text, tokens)).collect();
    (tree.unwrap_or_default(), diagnostics)
}

/// The tokens as `chumsky` sees them.
type Input<'t> =
    MappedInput<'t, Token, Span, Stream<std::vec::IntoIter<(Token, Span)>>, fn((Token, Span)) -> (Token, Span)>;

/// What parsing collects besides its result.
type Extra = extra::Err<SyntaxError>;

/// A rule of the grammar.
type Grammar<'t, T> = Boxed<'t, 't, Input<'t>, T, Extra>;

/// An expression at a place.
fn at(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span }
}

impl chumsky::span::Span for Span {
    type Context = FileId;
    type Offset = u32;

    /// An empty match between two tokens has the end of the one before and the start of the one behind: it lies there.
    fn new(file: FileId, range: Range<u32>) -> Self {
        Span { file, start: range.start, end: range.end.max(range.start) }
    }

    fn context(&self) -> FileId {
        self.file
    }

    fn start(&self) -> u32 {
        self.start
    }

    fn end(&self) -> u32 {
        self.end
    }
}

#[cfg(test)]
pub(crate) mod tests;
