//! What is said of the thing under the mouse.
//!
//! In: a program, the verdicts that are known, and a position. Out: a few lines of Markdown.
//!
//! Invariant: what is said of types is what the type checker found, and of proofs what a report says.

use super::board::Board;
use super::index::{Kind, Symbol};
use super::places::Partner;
use super::program::Program;
use super::{places, types};
use gen_lsp_types::{Contents, Hover, MarkupContent, MarkupKind, Position};
use lang_l::ast::{Item, Procedure, Spec};
use lang_l::hir::print::type_text;
use lang_l::hir::{self, Unit};
use lang_l::print;
use lang_l::source::Span;
use std::fmt::Write as _;

/// What is said at a position; `None` where there is nothing to say.
pub(super) fn of(program: &Program, board: &Board, uri: &str, at: Position) -> Option<Hover> {
    let named = program.named(uri, at);
    let mut parts: Vec<String> = Vec::new();
    let mut range = named.first().map(|one| one.span);
    for one in &named {
        let declares = program.index.symbols[one.symbol].declarations.contains(&one.span);
        parts.extend(symbol(program, board, one.symbol, declares));
    }
    if named.is_empty() {
        let (file, offset) = program.offset(uri, at)?;
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let here = Span { file, start: offset, end: offset };
        if let Some((span, ty)) = program.unit.as_ref().and_then(|unit| types::of_expression(unit, here)) {
            let text = program.sources.text(span).lines().next().unwrap_or_default();
            parts.push(code(&format!("{text}: {ty}")));
            range = Some(span);
        }
    }
    parts.extend(linked(program, board, uri, at));
    if parts.is_empty() {
        return None;
    }
    let content = MarkupContent { kind: MarkupKind::Markdown, value: parts.join("\n\n") };
    Some(Hover { contents: Contents::MarkupContent(content), range: range.map(|span| program.range(span)) })
}

fn code(text: &str) -> String {
    format!("```l\n{text}\n```")
}

/// What a symbol is; where it is declared with the whole proof or counterexample.
fn symbol(program: &Program, board: &Board, at: usize, whole: bool) -> Vec<String> {
    let of = &program.index.symbols[at];
    let first = of.declarations.first().copied().unwrap_or_default();
    let owner = of.owner.map(|owner| program.index.symbols[owner].name.as_str());
    let typed = |ty: Option<String>| ty.map_or(of.name.clone(), |ty| format!("{}: {ty}", of.name));
    match of.kind {
        Kind::Procedure => procedure(program, board, of, whole),
        Kind::Class => class(program, &of.name).into_iter().collect(),
        Kind::Global => {
            let global = program.unit.iter().flat_map(|unit| unit.globals.iter().zip(std::iter::repeat(unit)));
            let ty = global.filter(|(global, _)| global.name == of.name).map(|(g, unit)| type_text(unit, &g.ty)).next();
            vec![code(&format!("global {}", typed(ty)))]
        }
        Kind::Field => {
            let ty = program.unit.as_ref().and_then(|unit| field_type(unit, owner, &of.name));
            let dotted = owner.map_or(String::new(), |class| format!("{class}."));
            vec![code(&format!("{dotted}{}", typed(ty)))]
        }
        Kind::Parameter | Kind::Result | Kind::Local | Kind::Bound => {
            let ty = program.unit.as_ref().and_then(|unit| types::of_variable(unit, first, &of.name));
            let of_whom = owner.map_or(String::new(), |owner| format!(" of `{owner}`"));
            vec![code(&typed(ty)), format!("{}{of_whom}", of.kind.word())]
        }
    }
}

fn field_type(unit: &Unit, class: Option<&str>, name: &str) -> Option<String> {
    let of = |field: &&hir::Field| {
        field.name == name && field.class.map(|class| unit.classes[class.index()].name.as_str()) == class
    };
    unit.fields.iter().find(of).map(|field| type_text(unit, &field.ty))
}

fn items(program: &Program) -> impl Iterator<Item = &Item> {
    let trees = program.trees.iter();
    trees.flat_map(|tree| tree.shared.iter().chain(tree.versions.iter().flat_map(|version| &version.items)))
}

fn class(program: &Program, name: &str) -> Option<String> {
    let is = |item: &&Item| matches!(item, Item::Class(class) if class.name.text == name);
    let Some(Item::Class(class)) = items(program).find(is) else { return None };
    let field = |(name, ty): &(lang_l::ast::Name, _)| format!(" {}: {};", name.text, print::type_text(ty));
    let fields: String = class.fields.iter().map(field).collect();
    Some(code(&format!("class {name} {{{fields} }}")))
}

/// Its signature with its contract, then the verdict.
fn procedure(program: &Program, board: &Board, of: &Symbol, whole: bool) -> Vec<String> {
    let first = of.declarations.first().copied().unwrap_or_default();
    let is = |item: &&Item| matches!(item, Item::Procedure(procedure) if procedure.name.span == first);
    let Some(Item::Procedure(written)) = items(program).find(is) else { return Vec::new() };
    let mut parts = vec![code(&signature(program, written))];
    let Some(unit) = &program.unit else { return parts };
    for pair in &program.pairs {
        let (left, right) = pair.asked.pair;
        if ![unit.procedure(0, left).name_span, unit.procedure(1, right).name_span].contains(&first) {
            continue;
        }
        let with = if pair.asked.left == pair.asked.right {
            String::new()
        } else {
            format!(" `{} ~ {}`", pair.asked.left, pair.asked.right)
        };
        let when = pair.asked.when.as_ref().map_or(String::new(), |when| format!(" when `{when}`"));
        match board.of(pair) {
            Some(card) if !whole => parts.push(format!("**{}**{with}{when}: {}", card.word, card.why)),
            Some(card) => {
                let text = card.text(unit, &program.sources);
                let text = if text.trim().is_empty() { card.why.clone() } else { text.trim_end().to_string() };
                parts.push(format!("**{}**{with}{when}\n\n```text\n{text}\n```", card.word));
            }
            None => parts.push(format!("not verified yet{with}{when}")),
        }
    }
    parts
}

fn signature(program: &Program, written: &Procedure) -> String {
    let typed = |params: &[lang_l::ast::Param]| {
        let one = |param: &lang_l::ast::Param| {
            let found = program.unit.as_ref();
            let found = found.and_then(|unit| types::of_variable(unit, param.name.span, &param.name.text));
            let ty = found.or_else(|| param.ty.as_ref().map(print::type_text));
            ty.map_or(param.name.text.clone(), |ty| format!("{}: {ty}", param.name.text))
        };
        params.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!("procedure {}({})", written.name.text, typed(&written.params));
    if !written.results.is_empty() {
        let _ = write!(text, " returns ({})", typed(&written.results));
    }
    for spec in &written.specs {
        let clause = match spec {
            Spec::Requires(expr, _) => format!("requires {};", print::expr_text(expr)),
            Spec::Ensures(expr, _) => format!("ensures {};", print::expr_text(expr)),
            Spec::Modifies(places, _) => {
                let places: Vec<String> = places.iter().map(print::expr_text).collect();
                format!("modifies {{{}}};", places.join(", "))
            }
        };
        let _ = write!(text, "\n  {clause}");
    }
    text
}

/// What corresponds to an allocation, a call or a loop, and what holds at a loop.
fn linked(program: &Program, board: &Board, uri: &str, at: Position) -> Vec<String> {
    let mut parts = Vec::new();
    for Partner { span, what, how } in places::links(program, board, uri, at) {
        let line = program.sources.text(span).lines().next().unwrap_or_default().trim_end();
        let (name, number) = (&program.sources.get(span.file).name, program.sources.line(span));
        parts.push(format!("this {what} corresponds to `{line}` ({name}, line {number})"));
        parts.extend(how.map(|how| format!("of the loops: {how}")));
        if what == "loop" {
            parts.extend(relations(program, board, span));
        }
    }
    parts.dedup();
    parts
}

/// What relates the variables of the loops of a proof, of which one is at this place.
fn relations(program: &Program, board: &Board, span: Span) -> Vec<String> {
    let Some(unit) = &program.unit else { return Vec::new() };
    let second = unit.versions.get(1).map(hir::Version::title).unwrap_or_default();
    let of = |card: &super::card::Card| card.links(unit).iter().any(|link| link.places.contains(&span));
    let cards = program.pairs.iter().filter_map(|pair| board.of(pair)).filter(|card| of(card));
    let with = cards.filter(|card| !card.relations.is_empty());
    with.map(|card| format!("at the loops `{}`; a prime marks {second}", card.relations.join("`, `"))).collect()
}
