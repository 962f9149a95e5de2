//! The grammar of files and items.
//!
//! In: tokens. Out: a [`File`]; an item that could not be read is reported and left out.

use super::Grammar;
use super::error::{Rule, SyntaxError};
use super::expression::{expression, operand, written_type};
use super::recover::{close, expect, name, no_item, no_statement, plain_name, semicolon};
use super::statement::{block, is_place};
use crate::ast::{Class, Equiv, Expr, File, Global, Item, Label, Name, Param, Procedure, Spec, Type, Version};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use chumsky::prelude::*;

/// `file`
pub(super) fn file<'t>(text: &'t str) -> Grammar<'t, File> {
    let items = item(text).repeated().collect::<Vec<_>>().map(|items| items.into_iter().flatten().collect()).boxed();
    let versions = version(text)
        .then(items.clone())
        .map(|((label, span), items)| Version { label, items, span })
        .repeated()
        .collect();
    items.then(versions).then_ignore(end()).map(|(shared, versions)| File { shared, versions }).boxed()
}

/// `version`
fn version<'t>(text: &'t str) -> Grammar<'t, (Option<Label>, Span)> {
    let label = select! { Token::Int => Token::Int, Token::Ident => Token::Ident, Token::Text => Token::Text };
    let label = label.map_with(move |token, extra| {
        let span: Span = extra.span();
        let written = &text[span.range()];
        match token {
            // The lexer lets only digits pass.
            Token::Int => Label::Int(written.parse().unwrap_or_default(), span),
            Token::Text => Label::Text(unescaped(written), span),
            _ => Label::Ident(Name { text: written.to_owned(), span }),
        }
    });
    choice((just(Token::Version), just(Token::VersionUpper)))
        .ignore_then(label.or_not())
        .map_with(|label, extra| (label, extra.span()))
        .boxed()
}

/// The text between quotes, escapes resolved.
fn unescaped(written: &str) -> String {
    let inside = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(written);
    let mut text = String::with_capacity(inside.len());
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        text.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            _ => c,
        });
    }
    text
}

/// An item, or `None` after an error. Fails only where a version starts or the file ends.
fn item<'t>(text: &'t str) -> Grammar<'t, Option<Item>> {
    let expression = expression(text);
    choice((
        procedure(text, expression.clone()).map(Item::Procedure),
        class(text).map(Item::Class),
        global(text).map(Item::Global),
        equiv(text, expression).map(Item::Equiv),
    ))
    .map(Some)
    .labelled(Rule::Item)
    .recover_with(via_parser(no_item().to(None)))
    .boxed()
}

/// `class`
fn class<'t>(text: &'t str) -> Grammar<'t, Class> {
    let field = plain_name(text)
        .then_ignore(expect(Token::Colon))
        .then(written_type(text))
        .then_ignore(semicolon(text))
        .map(Some)
        .recover_with(via_parser(no_statement(text).to(None)));
    just(Token::Class)
        .ignore_then(name(text))
        .then_ignore(expect(Token::LeftBrace))
        .then(field.repeated().collect::<Vec<_>>())
        .then_ignore(expect(Token::RightBrace))
        .map_with(|(name, fields), extra| Class {
            name,
            fields: fields.into_iter().flatten().collect(),
            span: extra.span(),
        })
        .boxed()
}

/// `global`
fn global<'t>(text: &'t str) -> Grammar<'t, Global> {
    just(Token::Global)
        .ignore_then(name(text))
        .then_ignore(expect(Token::Colon))
        .then(written_type(text))
        .then_ignore(semicolon(text))
        .map_with(|(name, ty), extra| Global { name, ty, span: extra.span() })
        .boxed()
}

/// `pair`
fn equiv<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Equiv> {
    just(Token::Equiv)
        .ignore_then(name(text))
        .then_ignore(expect(Token::Tilde))
        .then(name(text))
        .then(just(Token::When).ignore_then(expression).or_not())
        .then_ignore(semicolon(text))
        .map_with(|((left, right), when), extra| Equiv { left, right, when, span: extra.span() })
        .boxed()
}

/// `procedure`
fn procedure<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Procedure> {
    let results = just(Token::Returns).ignore_then(params(text));
    let body = choice((block(text, expression.clone()).map(Some), just(Token::Semicolon).map(|_| None)));
    // The `;` of the last clause may also be the one that says that there is no body.
    let specs_and_body = spec(text, expression)
        .repeated()
        .at_least(1)
        .collect::<Vec<_>>()
        .then(body.clone().or_not().map(Option::flatten))
        .or(body.map(|body| (Vec::new(), body)).recover_with(via_parser(empty().map(|()| (Vec::new(), None)))));
    just(Token::Procedure)
        .ignore_then(name(text))
        .then(params(text))
        .then(results.or_not().map(Option::unwrap_or_default))
        .then(specs_and_body)
        .map_with(|(((name, params), results), (specs, body)), extra| Procedure {
            name,
            params,
            results,
            specs,
            body,
            span: extra.span(),
        })
        .boxed()
}

/// Parameters or results, in parentheses.
fn params<'t>(text: &'t str) -> Grammar<'t, Vec<Param>> {
    let ty = just(Token::Colon).ignore_then(written_type(text)).or_not();
    let param = name(text).then(ty).map(|(name, ty): (Name, Option<Type>)| Param { name, ty });
    let some = param.separated_by(just(Token::Comma)).at_least(1).collect().then_ignore(close(Token::RightParen));
    expect(Token::LeftParen).ignore_then(just(Token::RightParen).map(|_| Vec::new()).or(some)).boxed()
}

/// `spec`
fn spec<'t>(text: &'t str, expression: Grammar<'t, Expr>) -> Grammar<'t, Spec> {
    let requires = just(Token::Requires)
        .ignore_then(expression.clone())
        .then_ignore(semicolon(text))
        .map_with(|expr, extra| Spec::Requires(expr, extra.span()));
    let ensures = just(Token::Ensures)
        .ignore_then(expression.clone())
        .then_ignore(semicolon(text))
        .map_with(|expr, extra| Spec::Ensures(expr, extra.span()));
    let place = operand(text, expression).validate(|place, _, emitter| {
        if !is_place(&place) {
            let report = Diagnostic::new("E0105", place.span, "`modifies` names places only", "not a place");
            let help = "a place is a name, followed by any number of `.field` and `[index]`";
            emitter.emit(SyntaxError::report(report.help(help)));
        }
        place
    });
    let places = place
        .clone()
        .separated_by(just(Token::Comma))
        .collect()
        .delimited_by(just(Token::LeftBrace), expect(Token::RightBrace));
    let nothing = empty().map(|()| Vec::new());
    let modifies = just(Token::Modifies)
        .ignore_then(places.or(place.map(|place| vec![place])).recover_with(via_parser(nothing)))
        .then_ignore(semicolon(text))
        .map_with(|places, extra| Spec::Modifies(places, extra.span()));
    choice((requires, ensures, modifies)).boxed()
}
