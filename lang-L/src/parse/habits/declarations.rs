//! Locals as other languages declare them: `int x = 0;`, `let x = 0;`, `x: int := 0;`.

use super::pieces::{declared, foreign_type};
use super::reader::{Level, Reader, habit};
use crate::token::Token;

/// A word of L where a name should stand.
pub(super) fn reserved(reader: &mut Reader<'_>) -> bool {
    use Token::{
        Assign, Class, Colon, Comma, Dot, Equal, Equiv, Global, LeftBrace, LeftBracket, LeftParen, Procedure,
        Semicolon, Var,
    };
    let Some(token) = reader.peek(0).filter(|token| token.is_keyword()) else { return false };
    let behind = reader.peek(1);
    if matches!(reader.before(), Some(Token::Version | Token::VersionUpper)) && !token.starts_item() {
        let (span, word) = (reader.span(0), reader.word(0));
        let mend = format!("\"{word}\"");
        let help = format!("a label that is no name stands in quotes: write `version {mend}`");
        reader.report(habit(span, format!("`{word}` is a reserved word of L"), help).replace(span, &mend));
        reader.skip(1);
        reader.put(Token::Text, span);
        return true;
    }
    let wants_name = match reader.before() {
        Some(Var | Dot | Class | Global | Procedure | Equiv) => !matches!(behind, Some(Token::Ident)),
        Some(LeftParen | Comma) => behind == Some(Colon),
        Some(LeftBrace | Semicolon) if reader.level() == Level::Class => behind == Some(Colon),
        _ => {
            let assigned = matches!(behind, Some(Assign | Equal)) || behind == Some(Dot) || behind == Some(LeftBracket);
            reader.starts_statement() && assigned && !matches!(token, Token::Var | Token::Return)
        }
    };
    if !wants_name {
        return false;
    }
    let (span, word) = (reader.span(0), reader.word(0));
    let help = format!("it cannot be a name; `{word}_` and `{word}'` can");
    reader.report(habit(span, format!("`{word}` is a reserved word of L"), help).propose(span, &format!("{word}_")));
    reader.skip(1);
    reader.put(Token::Ident, span);
    true
}

/// A local that starts with its type, with a word that is not `var`, or with its own name.
pub(super) fn local(reader: &mut Reader<'_>) -> bool {
    if !reader.starts_statement() {
        return false;
    }
    let var = usize::from(reader.peek(0) == Some(Token::Var));
    if let Some((ty, name)) = declared(reader, var)
        && matches!(reader.peek(name + 1), Some(Token::Equal | Token::Assign | Token::Semicolon | Token::LeftBracket))
    {
        return typed(reader, &ty, name);
    }
    if var == 1 {
        return type_behind(reader);
    }
    other_word(reader) || bare_name(reader)
}

/// `int x = 0;`, `int[] a;`, `int a[10];`
fn typed(reader: &mut Reader<'_>, ty: &str, name: usize) -> bool {
    let written = reader.word(name);
    let sign = matches!(reader.peek(name + 1), Some(Token::Equal | Token::Assign));
    let mut end = name + 1 + usize::from(sign);
    let mut mend = format!("var {written}: {ty}{}", if sign { " :=" } else { "" });
    let length = (reader.peek(name + 1) == Some(Token::LeftBracket)).then(|| reader.closer(name + 1)).flatten();
    if let Some(close) = length {
        let length = reader.between(name + 2, close);
        end = close + 1;
        mend = match length.as_str() {
            "" => format!("var {written}: {ty}[]"),
            _ => format!("var {written}: {ty}[] := new {ty}[{length}]"),
        };
    }
    let span = reader.across(0, end - 1);
    let report = habit(span, "a local is not declared by its type first", format!("write `{mend}`"));
    reader.report(report.replace(span, &mend));
    let first = reader.span(0);
    reader.skip(name);
    reader.put(Token::Var, first);
    reader.copy(1);
    if sign {
        let span = reader.span(0);
        reader.put(Token::Assign, span);
    }
    reader.skip(end - name - 1);
    true
}

/// `var x int`
fn type_behind(reader: &mut Reader<'_>) -> bool {
    if reader.peek(1) != Some(Token::Ident) {
        return false;
    }
    let Some((ty, end)) = foreign_type(reader, 2) else { return false };
    if !matches!(reader.peek(end), Some(Token::Semicolon | Token::Equal | Token::Assign)) {
        return false;
    }
    let mend = format!("var {}: {ty}", reader.word(1));
    let span = reader.across(0, end - 1);
    let report = habit(span, "a `:` stands between a name and its type", format!("write `{mend}`"));
    reader.report(report.replace(span, &mend));
    reader.copy(2);
    reader.skip(end - 2);
    true
}

/// `let x = 0;`
fn other_word(reader: &mut Reader<'_>) -> bool {
    let word = matches!(reader.word(0), "let" | "const" | "auto" | "val" | "final" | "local" | "dim" | "mut");
    let mutable = usize::from(reader.word(1) == "mut");
    let follows =
        matches!(reader.peek(2 + mutable), Some(Token::Equal | Token::Assign | Token::Semicolon | Token::Colon));
    if !word || reader.peek(1 + mutable) != Some(Token::Ident) || !follows {
        return false;
    }
    let span = reader.across(0, mutable);
    let report = habit(span, format!("L has no `{}`", reader.written(span)), "a local is declared by `var`");
    reader.report(report.replace(span, "var"));
    reader.skip(1 + mutable);
    reader.put(Token::Var, span);
    true
}

/// `x: int := 0;`
fn bare_name(reader: &mut Reader<'_>) -> bool {
    if (reader.peek(0), reader.peek(1)) != (Some(Token::Ident), Some(Token::Colon)) {
        return false;
    }
    let Some((ty, end)) = foreign_type(reader, 2) else { return false };
    if !matches!(reader.peek(end), Some(Token::Semicolon | Token::Equal | Token::Assign)) {
        return false;
    }
    let (name, at) = (reader.span(0), reader.across(0, end - 1));
    let help = format!("write `var {}: {ty}`", reader.word(0));
    let start = crate::source::Span { end: name.start, ..name };
    reader.report(habit(at, "a local with a type starts with `var`", help).replace(start, "var "));
    reader.put(Token::Var, start);
    reader.copy(1);
    true
}

/// `int a = 0, b;`, `var x, y: int;`
pub(super) fn several(reader: &mut Reader<'_>) -> bool {
    if !reader.starts_statement() {
        return false;
    }
    let var = reader.peek(0) == Some(Token::Var);
    let (ty, mut at) = match declared(reader, usize::from(var)) {
        Some(declared) => declared,
        None if var => (String::new(), 1),
        None => return false,
    };
    let Some(end) = reader.find(at, &[Token::Semicolon]) else { return false };
    let (mut locals, mut last_type) = (Vec::new(), ty);
    while at < end {
        if reader.peek(at) != Some(Token::Ident) {
            return false;
        }
        let next = reader.find(at, &[Token::Comma, Token::Semicolon]).unwrap_or(end);
        let mut value = at + 1;
        if reader.peek(value) == Some(Token::Colon) {
            let Some((ty, behind)) = foreign_type(reader, value + 1) else { return false };
            (last_type, value) = (ty, behind);
        }
        let sign = matches!(reader.peek(value), Some(Token::Equal | Token::Assign));
        locals.push((reader.word(at), sign.then(|| reader.between(value + 1, next))));
        at = next + 1;
    }
    if locals.len() < 2 {
        return false;
    }
    let each = locals.iter().map(|(name, value)| {
        let ty = if last_type.is_empty() { String::new() } else { format!(": {last_type}") };
        let value = value.as_ref().map_or(String::new(), |value| format!(" := {value}"));
        format!("var {name}{ty}{value};")
    });
    let mend = each.collect::<Vec<_>>().join(" ");
    let span = reader.across(0, end);
    let report = habit(span, "each local has a `var` of its own", format!("write `{mend}`"));
    reader.report(report.replace(span, &mend));
    reader.skip(end + 1);
    true
}
