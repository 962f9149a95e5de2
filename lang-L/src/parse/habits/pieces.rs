//! Small pieces of other languages, as text of L.
//!
//! In: a few tokens in front of a reader. Out: what they would be in L, as text.

use super::reader::Reader;
use crate::source::{FileId, Span};
use crate::token::{Token, lex};

/// Whether an operand ends with this token.
pub(super) fn ends_operand(token: Option<Token>) -> bool {
    use Token::{False, Ident, Int, Null, RightBracket, RightParen, True};
    matches!(token, Some(False | Ident | Int | Null | RightBracket | RightParen | True))
}

/// Whether an operand may start with this token.
pub(super) fn starts_operand(token: Option<Token>) -> bool {
    use Token::{Bang, Exists, False, Forall, Ident, Int, LeftParen, Minus, Null, Text, True};
    matches!(token, Some(Bang | Exists | False | Forall | Ident | Int | LeftParen | Minus | Null | Text | True))
}

/// A simple statement of C or Java, such as `int i = 0` or `i++`, as one of L without its `;`.
pub(super) fn statement(written: &str) -> String {
    let lexed = lex(FileId(0), written);
    let reader = Reader::new(written, &lexed.tokens);
    if reader.at_end() {
        return String::new();
    }
    let last = lexed.tokens.len();
    let words = |from: usize, to: usize| reader.between(from, to);
    // `++i`
    if let (Some(op), true) = (doubled(&reader, 0), reader.place(2) == Some(last)) {
        let place = words(2, last);
        return format!("{place} := {place} {op} 1");
    }
    // `int i = 0`
    let start = match declared(&reader, 0) {
        Some((_, name)) => name,
        None => usize::from(matches!(reader.word(0), "let" | "var" | "auto")),
    };
    let Some(end) = reader.place(start) else { return words(0, last) };
    let place = words(start, end);
    if let Some(op) = doubled(&reader, end) {
        return format!("{place} := {place} {op} 1");
    }
    match (reader.peek(end), reader.peek(end + 1)) {
        (Some(Token::Equal | Token::Assign), _) => format!("{place} := {}", words(end + 1, last)),
        (Some(token), Some(Token::Equal)) if arithmetic(token) => {
            format!("{place} := {place} {} {}", reader.word(end), grouped(&words(end + 2, last)))
        }
        _ => words(start, last),
    }
}

/// The sign of `++` or `--`.
pub(super) fn doubled(reader: &Reader<'_>, ahead: usize) -> Option<&'static str> {
    match (reader.peek(ahead), reader.peek(ahead + 1)) {
        (Some(Token::Plus), Some(Token::Plus)) if reader.touches(ahead) => Some("+"),
        (Some(Token::Minus), Some(Token::Minus)) if reader.touches(ahead) => Some("-"),
        _ => None,
    }
}

/// Whether this operator makes an assignment with a `=` behind it, in C.
pub(super) fn arithmetic(token: Token) -> bool {
    matches!(token, Token::Plus | Token::Minus | Token::Star | Token::Slash | Token::Percent)
}

/// An operand as text, in parentheses where it has an operator of its own.
pub(super) fn grouped(written: &str) -> String {
    let mut depth = 0_usize;
    let single = written.chars().all(|c| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => return depth > 0 || c.is_alphanumeric() || matches!(c, '_' | '.' | '\''),
        }
        true
    });
    if single { written.to_owned() } else { format!("({written})") }
}

/// A type as C, Java or another language writes it, in L's words, and how far ahead it ends.
pub(super) fn foreign_type(reader: &Reader<'_>, ahead: usize) -> Option<(String, usize)> {
    let mut end = ahead + usize::from(is_qualifier(reader.word(ahead)));
    let base = match reader.peek(end)? {
        Token::IntType | Token::BoolType | Token::RefType | Token::Ident => named_type(reader.word(end)),
        _ => return None,
    };
    end += 1;
    if reader.peek(end) == Some(Token::Less) {
        end = reader.find(end, &[Token::Greater])? + 1;
    }
    // A pointer to an object is what every variable of its class is.
    while reader.peek(end) == Some(Token::Star) {
        end += 1;
    }
    let mut name = base.to_owned();
    while (reader.peek(end), reader.peek(end + 1)) == (Some(Token::LeftBracket), Some(Token::RightBracket)) {
        name.push_str("[]");
        end += 2;
    }
    Some((name, end))
}

/// The type and the place of the name of a declaration such as `int x`, where one stands.
pub(super) fn declared(reader: &Reader<'_>, ahead: usize) -> Option<(String, usize)> {
    let word = ahead + usize::from(is_qualifier(reader.word(ahead)));
    if reader.peek(word) == Some(Token::Ident) && !is_type(reader, word) {
        return None;
    }
    let (name, end) = foreign_type(reader, ahead)?;
    (reader.peek(end) == Some(Token::Ident)).then_some((name, end))
}

/// A word that may stand before a type.
fn is_qualifier(word: &str) -> bool {
    matches!(word, "final" | "const" | "unsigned" | "struct")
}

/// Whether a name is that of a type, by all that can be told from the text.
fn is_type(reader: &Reader<'_>, ahead: usize) -> bool {
    let word = reader.word(ahead);
    let known = matches!(word, "char" | "float" | "double" | "string" | "str" | "void");
    known || named_type(word) != word || reader.is_class(word) || word.starts_with(|c: char| c.is_ascii_uppercase())
}

/// L's name of a type that other languages name otherwise.
pub(super) fn named_type(word: &str) -> &str {
    match word {
        "integer" | "Integer" | "long" | "Long" | "short" | "byte" | "i32" | "i64" | "u32" | "u64" | "usize"
        | "size_t" | "number" | "nat" | "Int" => "int",
        "boolean" | "Boolean" | "Bool" | "_Bool" => "bool",
        "Object" | "object" | "any" => "ref",
        _ => word,
    }
}

/// The place just behind one.
pub(super) fn behind(span: Span) -> Span {
    Span { start: span.end, ..span }
}
