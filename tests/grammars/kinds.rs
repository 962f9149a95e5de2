//! What the lexer says of a text: the kind of each token and comment.

use lang_l::source::FileId;
use lang_l::token::{Token, lex};
use std::ops::Range;

/// What a grammar for an editor must tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Keyword,
    Name,
    Number,
    Text,
    Comment,
    Operator,
    /// Brackets and marks between things; no grammar has to give them a colour.
    Mark,
}

/// The tokens and comments of a text, in order.
pub(crate) fn kinds(text: &str) -> Vec<(Kind, Range<usize>)> {
    let lexed = lex(FileId(0), text);
    let tokens = lexed.tokens.iter().map(|(token, span)| (kind(*token), span.range()));
    let comments = lexed.comments.iter().map(|comment| (Kind::Comment, comment.span.range()));
    let mut kinds: Vec<(Kind, Range<usize>)> = tokens.chain(comments).collect();
    kinds.sort_by_key(|(_, range)| range.start);
    kinds
}

fn kind(token: Token) -> Kind {
    match token {
        Token::Ident => Kind::Name,
        Token::Int => Kind::Number,
        Token::Text => Kind::Text,
        Token::LineComment | Token::BlockComment => Kind::Comment,
        // It stands in no program.
        Token::Equal => Kind::Mark,
        Token::LeftParen | Token::RightParen | Token::LeftBrace | Token::RightBrace => Kind::Mark,
        Token::LeftBracket | Token::RightBracket => Kind::Mark,
        Token::Comma | Token::Semicolon | Token::Dot | Token::Colon => Kind::Mark,
        token if token.is_keyword() => Kind::Keyword,
        _ => Kind::Operator,
    }
}
