//! What corresponds in the two sources: words that lead to each other.
//!
//! In: what proofs have matched. Out: for each word that is matched the words it leads to.
//!
//! Invariant: nothing is linked that no proof has matched, but for the names of the procedures that are compared.

use super::super::argument::{Sort, corresponding};
use super::Program;
use super::panes::Panes;
use super::words::visible;
use lang_l::source::{FileId, Span};
use lang_l::token::{Token, lex};
use std::collections::{BTreeMap, BTreeSet};

/// A word that corresponds to others.
pub(super) struct Link {
    /// Its name in the page.
    pub(super) id: String,
    /// The names of those it corresponds to.
    pub(super) to: Vec<String>,
    /// That in words.
    pub(super) title: String,
}

/// All of a program's, by where the word begins.
pub(super) type Links = BTreeMap<(FileId, usize), Link>;

/// What corresponds in a program.
pub(super) fn links(program: &Program<'_>, panes: &Panes<'_>) -> Links {
    let subject = program.subject;
    let tokens: BTreeMap<FileId, Vec<(Token, Span)>> =
        subject.sources.iter().map(|(file, source)| (file, lex(file, &source.text).tokens)).collect();
    let mut matched: BTreeSet<(Sort, Span, Span)> = BTreeSet::new();
    for pair in &subject.report.pairs {
        let [left, right] = subject.procedures(pair);
        matched.insert((Sort::Name, left.name_span, right.name_span));
        matched.extend(program.known.iter().flat_map(|known| corresponding(known, pair)));
    }
    let mut partners: BTreeMap<(FileId, usize), [BTreeSet<Span>; 2]> = BTreeMap::new();
    for (sort, left, right) in matched {
        let words = [left, right].map(|span| word(sort, span, tokens.get(&span.file).map_or(&[], Vec::as_slice)));
        let [Some(left), Some(right)] = words else { continue };
        if left != right && panes.at(left).is_some() && panes.at(right).is_some() {
            partners.entry(key(left)).or_default()[1].insert(right);
            partners.entry(key(right)).or_default()[0].insert(left);
        }
    }
    let named = |(file, start): (FileId, usize)| format!("p{}w{}-{start}", program.number, file.0);
    let link = |(at, sides): (&(FileId, usize), &[BTreeSet<Span>; 2])| {
        let all = sides.iter().enumerate().flat_map(|(version, spans)| spans.iter().map(move |span| (version, *span)));
        let said: Vec<String> =
            all.clone().map(|(version, span)| subject.version_name(version) + &subject.at(span)).collect();
        let to = all.map(|(_, span)| named(key(span))).collect();
        (*at, Link { id: named(*at), to, title: visible(&format!("corresponds to {}", said.join(" and to "))) })
    };
    partners.iter().map(link).collect()
}

fn key(span: Span) -> (FileId, usize) {
    (span.file, span.start as usize)
}

/// The word of a statement or expression that stands for it: `new`, `while`, or the name of what is called.
fn word(sort: Sort, span: Span, tokens: &[(Token, Span)]) -> Option<Span> {
    let within = tokens.iter().enumerate().filter(|(_, (_, own))| span.start <= own.start && own.end <= span.end);
    let mut within = within.map(|(at, (token, own))| (at, *token, *own));
    let found = match sort {
        Sort::Name => within.next(),
        Sort::New => within.find(|(_, token, _)| *token == Token::New),
        Sort::Call => within.find(|(at, token, _)| {
            let is_called = || tokens.get(at + 1).is_some_and(|(next, _)| *next == Token::LeftParen);
            *token == Token::While || (*token == Token::Ident && is_called())
        }),
    };
    found.map(|(_, _, own)| own)
}
