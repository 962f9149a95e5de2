//! Where things are: declarations, uses, and what corresponds in the other version.
//!
//! In: a program and a position. Out: places.
//!
//! Invariant: what is named at a use and at each of its declarations is spelled the same.

use super::board::Board;
use super::index::Kind;
use super::loops::Link;
use super::program::Program;
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};
use lang_l::source::Span;
use std::collections::BTreeSet;

/// Where what is named at a position is declared.
pub(super) fn definition(program: &Program, uri: &str, at: Position) -> Vec<Location> {
    let named = program.named(uri, at);
    let spans: BTreeSet<Span> =
        named.iter().flat_map(|one| &program.index.symbols[one.symbol].declarations).copied().collect();
    spans.into_iter().map(|span| program.location(span)).collect()
}

/// All places where it is named.
pub(super) fn references(program: &Program, uri: &str, at: Position, declarations: bool) -> Vec<Location> {
    let mut spans = BTreeSet::new();
    for one in program.named(uri, at) {
        let declared = &program.index.symbols[one.symbol].declarations;
        let uses = program.index.uses(one.symbol).map(|one| one.span);
        spans.extend(uses.filter(|span| declarations || !declared.contains(span)));
    }
    spans.into_iter().map(|span| program.location(span)).collect()
}

/// The same within the document, with what is assigned told apart.
pub(super) fn highlights(program: &Program, uri: &str, at: Position) -> Vec<DocumentHighlight> {
    let file = program.file(uri);
    let symbols: BTreeSet<usize> = program.named(uri, at).iter().map(|one| one.symbol).collect();
    let uses = program.index.occurrences.iter();
    let uses = uses.filter(|one| symbols.contains(&one.symbol) && Some(one.span.file) == file);
    let highlight = |one: &super::index::Occurrence| {
        let kind = if one.writes { DocumentHighlightKind::Write } else { DocumentHighlightKind::Read };
        DocumentHighlight { range: program.range(one.span), kind: Some(kind) }
    };
    uses.map(highlight).collect()
}

/// What corresponds in the other version to what is at a position.
pub(super) fn counterparts(program: &Program, board: &Board, uri: &str, at: Position) -> Vec<Span> {
    let named = program.named(uri, at);
    let mut spans: BTreeSet<Span> = named.iter().flat_map(|one| of_symbol(program, one.symbol)).collect();
    spans.retain(|span| !named.iter().any(|one| one.span == *span));
    if named.iter().all(|one| program.index.symbols[one.symbol].kind == Kind::Procedure) {
        // A call may correspond to another call, which says more than where the callee is declared.
        let links = links(program, board, uri, at);
        if !links.is_empty() {
            return links.into_iter().map(|partner| partner.span).collect();
        }
    }
    spans.into_iter().collect()
}

/// The declarations of a symbol in other versions.
fn of_symbol(program: &Program, symbol: usize) -> Vec<Span> {
    let index = &program.index;
    let of = &index.symbols[symbol];
    match of.kind {
        Kind::Procedure => {
            partners(program, symbol).iter().flat_map(|&p| index.symbols[p].declarations.clone()).collect()
        }
        Kind::Class | Kind::Field | Kind::Global => of.declarations.clone(),
        _ => {
            let partners = of.owner.map(|owner| partners(program, owner)).unwrap_or_default();
            let alike = index.symbols.iter().filter(|other| {
                other.kind.is_variable() && other.name == of.name && other.owner.is_some_and(|p| partners.contains(&p))
            });
            alike.take(1).flat_map(|other| other.declarations.clone()).collect()
        }
    }
}

/// The procedures of other versions that one is compared with, or would be called for.
fn partners(program: &Program, procedure: usize) -> Vec<usize> {
    let index = &program.index;
    let of = &index.symbols[procedure];
    let mut partners = BTreeSet::new();
    for version in 0..program.unit.as_ref().map_or(2, |unit| unit.versions.len()) {
        if !of.versions.contains(&version) {
            partners.extend(index.procedure(version, &of.name));
        }
    }
    let named =
        program.pairs.iter().map(|pair| &pair.asked).filter(|asked| [&asked.left, &asked.right].contains(&&of.name));
    for asked in named {
        let (left, right) = (index.procedure(0, &asked.left), index.procedure(1, &asked.right));
        if left == Some(procedure) {
            partners.extend(right);
        } else if right == Some(procedure) {
            partners.extend(left);
        }
    }
    partners.remove(&procedure);
    partners.into_iter().collect()
}

/// What corresponds to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Partner {
    /// Where it is.
    pub(super) span: Span,
    /// What both are: `new`, `call` or `loop`.
    pub(super) what: &'static str,
    /// How it was proved, of loops.
    pub(super) how: Option<&'static str>,
}

/// What proofs say of the innermost allocation, call or loop at a position.
pub(super) fn links(program: &Program, board: &Board, uri: &str, at: Position) -> Vec<Partner> {
    let Some((unit, (file, offset))) = program.unit.as_ref().zip(program.offset(uri, at)) else { return Vec::new() };
    let touches = |link: &Link, span: Span| {
        // Of a loop only its first word: what is within has its own.
        let end = if link.what == "loop" { span.start as usize + "while".len() } else { span.end as usize };
        span.file == file && (span.start as usize..=end).contains(&offset)
    };
    let mut found: Vec<(u32, Partner)> = Vec::new();
    let holds = |span: Span| span.file == file && span.range().contains(&offset);
    let here = program.pairs.iter().filter(|pair| {
        let (left, right) = pair.asked.pair;
        holds(unit.procedure(0, left).span) || holds(unit.procedure(1, right).span)
    });
    for card in here.filter_map(|pair| board.of(pair)) {
        for link in card.links(unit) {
            for (own, other) in [(0, 1), (1, 0)] {
                if touches(&link, link.places[own]) {
                    let length = link.places[own].end - link.places[own].start;
                    found.push((length, Partner { span: link.places[other], what: link.what, how: link.how }));
                }
            }
        }
    }
    let smallest = found.iter().map(|(length, _)| *length).min();
    let innermost: BTreeSet<Partner> =
        found.into_iter().filter(|(length, _)| Some(*length) == smallest).map(|(_, partner)| partner).collect();
    innermost.into_iter().collect()
}
