//! How the parser goes on after an error.
//!
//! In: a token that does not fit. Out: an error, and the input at a place where it makes sense again.
//!
//! Invariant: a rule of the grammar that has taken its first token never fails; it reports and recovers. So nothing is
//! ever read twice, and the time to parse is linear in the length of the file, well-formed or not.
//! Invariant: no rule skips a `}` it has not opened, or a word that starts an item, except between items; parentheses
//! never reach across `;`, `{` and `}`. [`super::limits`] relies on this.

use super::error::{SyntaxError, starts_line};
use super::{Extra, Grammar, Input};
use crate::ast::Name;
use crate::source::Span;
use crate::token::Token;
use chumsky::input::InputRef;
use chumsky::prelude::*;

type Tokens<'t, 'p> = InputRef<'t, 'p, Input<'t>, Extra>;

/// `token`, or an error as if it stood there.
pub(super) fn expect<'t>(token: Token) -> Grammar<'t, ()> {
    just(token).ignored().recover_with(via_parser(empty())).boxed()
}

/// `closer` of a parenthesis or bracket; after an error what stands before it is skipped.
pub(super) fn close<'t>(closer: Token) -> Grammar<'t, ()> {
    just(closer)
        .ignored()
        .recover_with(via_parser(attempt(move |tokens| {
            skip_to_closer(tokens, closer);
            true
        })))
        .boxed()
}

/// The `;` at the end of a statement or clause; after an error what is left of the line is skipped. Gives whether it
/// was there.
pub(super) fn semicolon<'t>(text: &'t str) -> Grammar<'t, bool> {
    let skip = attempt(move |tokens| {
        let goes_on = |token: Token| !starts_statement(token) && token != Token::LeftBrace;
        if tokens.peek().is_some_and(goes_on) && !at_line_start(tokens, text) {
            skip_statement(tokens, text);
        }
        true
    });
    just(Token::Semicolon).to(true).recover_with(via_parser(skip.to(false))).boxed()
}

/// A name. Fails where none stands.
pub(super) fn plain_name<'t>(text: &'t str) -> Grammar<'t, Name> {
    just(Token::Ident)
        .map_with(move |_, extra| {
            let span: Span = extra.span();
            Name { text: text[span.range()].to_owned(), span }
        })
        .boxed()
}

/// A name; after an error there is a name without text.
pub(super) fn name<'t>(text: &'t str) -> Grammar<'t, Name> {
    plain_name(text)
        .recover_with(via_parser(
            attempt(|tokens| {
                skip_keyword_used_as_name(tokens);
                true
            })
            .map_with(|(), extra| Name { text: String::new(), span: extra.span() }),
        ))
        .boxed()
}

/// Skips what cannot start a statement; fails where a block ends.
pub(super) fn no_statement<'t>(text: &'t str) -> Grammar<'t, ()> {
    attempt(move |tokens| skip_statement(tokens, text)).boxed()
}

/// Skips what cannot start an item; fails where a version starts or the file ends.
pub(super) fn no_item<'t>() -> Grammar<'t, ()> {
    attempt(|tokens| {
        let mut skipped = false;
        while tokens.peek().is_some_and(|token| !token.starts_item()) {
            tokens.skip();
            skipped = true;
        }
        skipped
    })
    .boxed()
}

/// A parser that succeeds when `skip` says so.
fn attempt<'t>(
    skip: impl Fn(&mut Tokens<'t, '_>) -> bool + Clone + 't,
) -> impl Parser<'t, Input<'t>, (), Extra> + Clone {
    custom(move |tokens| {
        let before = tokens.cursor();
        if skip(tokens) { Ok(()) } else { Err(SyntaxError::nothing(tokens.span_since(&before))) }
    })
}

/// How many tokens are looked at in search of a closer; a bound, so that many searches in vain stay linear.
const MAX_LOOK_AHEAD: usize = 1000;

/// Takes everything up to and with `closer`, if it comes before this statement ends and nothing else is closed first.
fn skip_to_closer(tokens: &mut Tokens<'_, '_>, closer: Token) {
    let before = tokens.save();
    let mut open = 0_usize;
    for _ in 0..MAX_LOOK_AHEAD {
        let Some(token) = tokens.peek() else { break };
        match token {
            Token::LeftParen | Token::LeftBracket => open += 1,
            Token::RightParen | Token::RightBracket if open > 0 => open -= 1,
            _ if token == closer => {
                tokens.skip();
                return;
            }
            Token::RightParen | Token::RightBracket => break,
            Token::Semicolon | Token::LeftBrace | Token::RightBrace => break,
            _ if token.starts_item() || starts_statement(token) => break,
            _ => {}
        }
        tokens.skip();
    }
    tokens.rewind(before);
}

/// Skips at least one token, up to where the next statement seems to start; `false` where a block ends.
fn skip_statement(tokens: &mut Tokens<'_, '_>, text: &str) -> bool {
    let mut skipped = false;
    while let Some(token) = tokens.peek() {
        match token {
            Token::RightBrace => return skipped,
            _ if token.starts_item() => return skipped,
            Token::Semicolon => {
                tokens.skip();
                return true;
            }
            Token::LeftBrace => {
                skip_braces(tokens);
                return true;
            }
            _ if skipped && (starts_statement(token) || at_line_start(tokens, text)) => return true,
            _ => tokens.skip(),
        }
        skipped = true;
    }
    skipped
}

/// Skips from `{` to its `}`, or to where an item starts.
fn skip_braces(tokens: &mut Tokens<'_, '_>) {
    let mut open = 0_usize;
    while let Some(token) = tokens.peek() {
        match token {
            Token::LeftBrace => open += 1,
            Token::RightBrace => open -= 1,
            _ if token.starts_item() => return,
            _ => {}
        }
        tokens.skip();
        if open == 0 {
            return;
        }
    }
}

/// Takes a keyword that stands where a name should, when what follows it is what follows names.
fn skip_keyword_used_as_name(tokens: &mut Tokens<'_, '_>) {
    use Token::{Assign, Colon, Comma, Dot, Equal, LeftBracket, LeftParen, RightParen, Semicolon};
    let before = tokens.save();
    if tokens.next().is_some_and(|token| token.is_keyword() && !token.starts_item()) {
        let next = tokens.peek();
        let after_names = [Assign, Colon, Comma, Dot, Equal, LeftBracket, LeftParen, RightParen, Semicolon];
        if next.is_some_and(|next| after_names.contains(&next)) {
            return;
        }
    }
    tokens.rewind(before);
}

/// Whether this word stands only at the start of a statement or clause.
fn starts_statement(token: Token) -> bool {
    use Token::{
        Assert, Assume, Break, Continue, Else, Ensures, If, Invariant, Modifies, Requires, Return, Skip, Var, While,
    };
    matches!(
        token,
        Assert
            | Assume
            | Break
            | Continue
            | Else
            | Ensures
            | If
            | Invariant
            | Modifies
            | Requires
            | Return
            | Skip
            | Var
            | While
    )
}

fn at_line_start(tokens: &mut Tokens<'_, '_>, text: &str) -> bool {
    let before = tokens.save();
    tokens.skip();
    let span = tokens.span_since(before.cursor());
    tokens.rewind(before);
    starts_line(text, span)
}
