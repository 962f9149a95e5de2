//! Heads of procedures as other languages write them: `int f(int x) {`, `def f(x):`, `procedure f(x: int): int {`.

use super::pieces::{declared, foreign_type};
use super::reader::{Level, Reader, habit};
use crate::source::Span;
use crate::token::Token;

/// A head that was read.
pub(super) struct Head {
    /// How far ahead its name is.
    pub(super) name: usize,
    /// Names of parameters, how far ahead each is, and their types.
    params: Vec<(usize, String)>,
    /// The type of what it returns, if it returns something.
    result: Option<String>,
    /// How far ahead the head ends.
    pub(super) end: usize,
    /// Whether the parameters are not as in L.
    odd_params: bool,
    /// Whether what follows them is not.
    odd_result: bool,
    /// Whether a `:` starts its body, as in Python.
    pub(super) colon: bool,
}

/// Words that stand before a procedure elsewhere.
const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "static",
    "final",
    "abstract",
    "export",
    "pub",
    "override",
    "inline",
    "extern",
    "async",
];

/// Words that start a procedure elsewhere.
const STARTS: &[&str] =
    &["def", "fn", "function", "func", "fun", "proc", "method", "void", "sub", "predicate", "lemma"];

/// How many modifiers stand ahead.
pub(super) fn modifiers(reader: &Reader<'_>) -> usize {
    (0..).take_while(|&ahead| MODIFIERS.contains(&reader.word(ahead))).count()
}

/// A head in a file.
pub(super) fn procedure(reader: &mut Reader<'_>) -> bool {
    if reader.level() != Level::File || reader.before() == Some(Token::Procedure) {
        return false;
    }
    let Some(head) = read(reader) else { return false };
    let starts_well = reader.peek(0) == Some(Token::Procedure);
    if starts_well && !head.odd_params && !head.odd_result && !head.colon {
        return false;
    }
    let message = match (starts_well, head.odd_params, head.odd_result) {
        (true, true, false) => "a parameter is declared as `x: int`",
        (true, false, true) => "what a procedure returns is declared by `returns`",
        (true, ..) => "a procedure is declared in another way",
        (false, ..) => "a procedure starts with `procedure`",
    };
    let (span, mend) = (reader.across(0, head.end - 1), written(reader, &head, None));
    let report =
        habit(span, message, format!("write `{mend}`{}", if head.colon { ", and the body in `{ … }`" } else { "" }));
    reader.report(if head.colon { report } else { report.replace(span, &mend) });
    put(reader, &head, span);
    true
}

/// The head as L has it, with the object before the other parameters if it belongs to a class.
pub(super) fn written(reader: &Reader<'_>, head: &Head, class: Option<&str>) -> String {
    let object = class.map(|class| format!("{}: {class}", class.to_lowercase()));
    let one = |(name, ty): &(usize, String)| {
        if ty.is_empty() { reader.word(*name).to_owned() } else { format!("{}: {ty}", reader.word(*name)) }
    };
    let params: Vec<String> = object.into_iter().chain(head.params.iter().map(one)).collect();
    let taken = head.params.iter().any(|(name, _)| reader.word(*name) == "r");
    let result = match &head.result {
        Some(ty) => {
            let name = if taken { "result" } else { "r" };
            format!(" returns ({name}{}{ty})", if ty.is_empty() { "" } else { ": " })
        }
        None => String::new(),
    };
    format!("procedure {}({}){result}", reader.word(head.name), params.join(", "))
}

/// Puts the head as L has it.
fn put(reader: &mut Reader<'_>, head: &Head, span: Span) {
    let first = reader.span(0);
    let name = reader.span(head.name);
    let params: Vec<Span> = head.params.iter().map(|&(param, _)| reader.span(param)).collect();
    reader.put(Token::Procedure, first);
    reader.put(Token::Ident, name);
    reader.put(Token::LeftParen, name);
    for (at, param) in params.iter().enumerate() {
        if at > 0 {
            reader.put(Token::Comma, *param);
        }
        reader.put(Token::Ident, *param);
    }
    reader.put(Token::RightParen, span);
    reader.skip(head.end);
    if head.colon {
        let colon = reader.span(0);
        reader.skip(1);
        reader.skip_indented(first);
        reader.put(Token::LeftBrace, colon);
        reader.put(Token::RightBrace, colon);
    }
}

/// Reads a head, of L or of another language.
pub(super) fn read(reader: &Reader<'_>) -> Option<Head> {
    let start = modifiers(reader);
    let mut result = None;
    let name = if reader.peek(start) == Some(Token::Procedure) || STARTS.contains(&reader.word(start)) {
        start + 1
    } else if let Some((ty, name)) = declared(reader, start) {
        result = Some(ty).filter(|ty| ty != "void");
        name
    } else {
        start
    };
    let typed = result.is_some();
    if (reader.peek(name), reader.peek(name + 1)) != (Some(Token::Ident), Some(Token::LeftParen)) {
        return None;
    }
    let close = reader.closer(name + 1)?;
    let (params, odd_params) = params(reader, name + 2, close)?;
    let mut head = Head { name, params, result, end: close + 1, odd_params, odd_result: typed, colon: false };
    tail(reader, &mut head)?;
    if reader.word(head.end) == "throws" {
        head.end = reader.find(head.end, &[Token::LeftBrace, Token::Semicolon])?;
        head.odd_result = true;
    }
    let follows = reader.peek(head.end);
    head.colon = follows == Some(Token::Colon) && reader.starts_line(head.end + 1);
    let body =
        matches!(follows, Some(Token::LeftBrace | Token::Returns | Token::Requires | Token::Ensures | Token::Modifies));
    let external = follows == Some(Token::Semicolon) && (name > start || typed);
    if head.result.is_none() && reader.peek(head.end) != Some(Token::Returns) && gives_value(reader, &head) {
        head.result = Some(String::new());
    }
    (body || head.colon || external).then_some(head)
}

/// Whether the body has a `return` with a value, in a language that does not say so in the head.
fn gives_value(reader: &Reader<'_>, head: &Head) -> bool {
    let end = if head.colon { head.end + 200 } else { reader.closer(head.end).unwrap_or(head.end) };
    let own =
        |at: &usize| reader.peek(*at).is_some_and(|token| !token.starts_item()) && !STARTS.contains(&reader.word(*at));
    (head.end + 1..end).take_while(own).any(|at| {
        reader.peek(at) == Some(Token::Return)
            && reader.peek(at + 1) != Some(Token::Semicolon)
            && !reader.starts_line(at + 1)
    })
}

/// Parameters, and whether some are not as in L.
fn params(reader: &Reader<'_>, from: usize, close: usize) -> Option<(Vec<(usize, String)>, bool)> {
    let (mut params, mut odd, mut at) = (Vec::new(), false, from);
    while at < close {
        let next = reader.find(at, &[Token::Comma, Token::RightParen])?;
        if (reader.peek(at), reader.peek(at + 1)) == (Some(Token::Ident), Some(Token::Colon)) {
            let (ty, end) = foreign_type(reader, at + 2)?;
            odd |= end != next || ty != reader.between(at + 2, end);
            params.push((at, ty));
        } else if at + 1 == next && reader.peek(at) == Some(Token::Ident) {
            if reader.word(at) != "void" {
                params.push((at, String::new()));
            }
        } else {
            let (mut ty, name) = typed_param(reader, at)?;
            if reader.peek(name + 1) == Some(Token::LeftBracket) {
                ty.push_str("[]");
            }
            odd = true;
            params.push((name, ty));
        }
        at = next + 1;
    }
    Some((params, odd))
}

/// `int x` or `Node n`
fn typed_param(reader: &Reader<'_>, at: usize) -> Option<(String, usize)> {
    let (ty, name) = declared(reader, at)?;
    let ends = matches!(reader.peek(name + 1), Some(Token::Comma | Token::RightParen | Token::LeftBracket));
    ends.then_some((ty, name))
}

/// What is said of the result behind the parameters.
fn tail(reader: &Reader<'_>, head: &mut Head) -> Option<()> {
    let at = head.end;
    let arrow = (reader.peek(at), reader.peek(at + 1)) == (Some(Token::Minus), Some(Token::Greater));
    let colon = reader.peek(at) == Some(Token::Colon) && !reader.starts_line(at + 1);
    let returns = reader.peek(at) == Some(Token::Returns);
    let open = reader.peek(at + 1) == Some(Token::LeftParen);
    let (ty, end) = if arrow {
        foreign_type(reader, at + 2)?
    } else if colon {
        foreign_type(reader, at + 1)?
    } else if returns && !open {
        // `returns int` or `returns r: int`
        let named = reader.peek(at + 2) == Some(Token::Colon);
        foreign_type(reader, if named { at + 3 } else { at + 1 })?
    } else if returns {
        let close = reader.closer(at + 1)?;
        let bare = matches!(reader.peek(at + 2), Some(Token::IntType | Token::BoolType | Token::RefType));
        if !bare {
            // As in L: kept as it is.
            return Some(());
        }
        (foreign_type(reader, at + 2)?.0, close + 1)
    } else {
        return Some(());
    };
    head.odd_result = true;
    head.end = end;
    head.result = Some(ty).filter(|ty| ty != "void" && ty != "None" && ty != "unit");
    Some(())
}
