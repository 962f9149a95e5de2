//! The sources of a program, side by side, with colours, links and notes.
//!
//! In: panes, what corresponds in them and what is said of their lines. Out: markup.
//!
//! Invariant: all that is shown of a source is its text, character by character; only what is invisible is replaced.

use super::links::Links;
use super::notes::{Notes, Sort};
use super::panes::{Pane, Panes, line_id};
use super::words::{prose, visible};
use super::{Program, count};
use crate::budget::page::MAX_NOTES;
use lang_l::source::Span;
use lang_l::token::{Token, lex};
use maud::{Markup, html};
use std::ops::Range;

/// A stretch of a source that is shown in its own way.
struct Piece {
    range: Range<usize>,
    look: Look,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Keyword,
    Comment,
    Number,
    Plain,
}

/// Both sources.
pub(super) fn both(program: &Program<'_>, panes: &Panes<'_>, links: &Links, notes: &Notes) -> Markup {
    let (shared, versions): (Vec<&Pane<'_>>, Vec<&Pane<'_>>) = panes.all.iter().partition(|pane| pane.key == 's');
    let lines = |pane: &Pane<'_>| lines(program, pane, links, notes);
    html! {
        div.sources {
            @for pane in shared {
                details.shared {
                    summary { "What " (pane.title) " share" }
                    div.code tabindex="0" role="region" aria-label=(pane.title) { (lines(pane)) }
                }
            }
            div.sides {
                @for pane in versions {
                    section.side {
                        h3 { (pane.title) }
                        div.code tabindex="0" role="region" aria-label=(pane.title) { (lines(pane)) }
                    }
                }
            }
        }
    }
}

/// The lines of a pane, each with what is said of it.
fn lines(program: &Program<'_>, pane: &Pane<'_>, links: &Links, notes: &Notes) -> Markup {
    let pieces = pieces(pane);
    let first = program.subject.sources.line(Span::new(pane.file, pane.range.start..pane.range.start));
    let mut start = pane.range.start;
    let mut rows = Vec::new();
    let mut next = 0;
    for (line, text) in (first..).zip(pane.text().split('\n')) {
        let range = start..start + text.len();
        while pieces.get(next).is_some_and(|piece| piece.range.end <= range.start) {
            next += 1;
        }
        rows.push(html! {
            div.l id=(line_id(program.number, pane.key, line)) data-n=(line) { (shown(pane, &range, &pieces[next..], links)) }
            @if let Some(notes) = notes.get(&(pane.file, line)) { (said(notes)) }
        });
        start = range.end + 1;
    }
    html! {
        @for row in rows { (row) }
        @if pane.left_out > 0 { p.more { "… and " (count(pane.left_out, "more line")) } }
    }
}

fn said(notes: &std::collections::BTreeSet<(Sort, String)>) -> Markup {
    html! {
        @for (sort, text) in notes.iter().take(MAX_NOTES) {
            @let (class, sign) = match sort {
                Sort::Holds => ("holds", "⊢"),
                Sort::Open => ("open", "?"),
                Sort::Differs => ("differs", "≠"),
            };
            div.note.(class) { span aria-hidden="true" { (sign) " " } (prose(text)) }
        }
        @if notes.len() > MAX_NOTES { div.note { "… and " (count(notes.len() - MAX_NOTES, "more note")) } }
    }
}

/// What is not plain in a pane, in order, and the words that may be links.
fn pieces(pane: &Pane<'_>) -> Vec<Piece> {
    let lexed = lex(pane.file, &pane.source.text);
    let look = |token: Token| match token {
        Token::Int => Look::Number,
        Token::Text => Look::Comment,
        token if token.is_keyword() => Look::Keyword,
        _ => Look::Plain,
    };
    let tokens = lexed.tokens.iter().filter(|(token, _)| *token == Token::Ident || look(*token) != Look::Plain);
    let tokens = tokens.map(|(token, span)| Piece { range: span.range(), look: look(*token) });
    let comments = lexed.comments.iter().map(|comment| Piece { range: comment.span.range(), look: Look::Comment });
    let mut pieces: Vec<Piece> = tokens.chain(comments).collect();
    pieces.retain(|piece| piece.range.end > pane.range.start && piece.range.start < pane.range.end);
    pieces.sort_by_key(|piece| piece.range.start);
    pieces
}

/// A line.
fn shown(pane: &Pane<'_>, line: &Range<usize>, pieces: &[Piece], links: &Links) -> Markup {
    let text = |range: Range<usize>| visible(pane.source.text.get(range).unwrap_or_default());
    let mut at = line.start;
    let mut parts = Vec::new();
    for piece in pieces.iter().take_while(|piece| piece.range.start < line.end) {
        let range = piece.range.start.max(line.start)..piece.range.end.min(line.end);
        parts.push(html! { (text(at..range.start)) });
        at = range.end;
        let own = text(range.clone());
        let link = links.get(&(pane.file, piece.range.start));
        parts.push(html! {
            @match (link, piece.look) {
                (Some(link), _) => a.k id=(link.id) href=(format!("#{}", link.to[0])) data-to=(link.to.join(" ")) title=(link.title) { (own) },
                (None, Look::Keyword) => b { (own) },
                (None, Look::Comment) => i { (own) },
                (None, Look::Number) => u { (own) },
                (None, Look::Plain) => (own),
            }
        });
    }
    parts.push(html! { (text(at..line.end)) });
    html! { @for part in parts { (part) } }
}
