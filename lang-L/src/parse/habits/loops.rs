//! Loops that L has not: each stands for a `while`.

use super::pieces::statement;
use super::reader::{Level, Reader, habit};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;

/// `for (int i = 0; i < n; i++) { … }`, `for (x : xs) { … }`, `for i in range(n):`
pub(super) fn counting(reader: &mut Reader<'_>) -> bool {
    if !matches!(reader.word(0), "for" | "foreach") || !reader.starts_statement() || !reader.is_free_word(0) {
        return false;
    }
    let word = reader.span(0);
    let header = if reader.peek(1) == Some(Token::LeftParen) { reader.closer(1) } else { None };
    // Go, Rust and Python have none round it.
    let (from, to, end) = match header {
        Some(close) => (2, close, close + 1),
        None => match reader.find(1, &[Token::LeftBrace, Token::Semicolon]) {
            Some(brace) if reader.peek(brace) == Some(Token::LeftBrace) && !has_colon_line(reader, brace) => {
                (1, brace, brace)
            }
            _ => match end_of_colon_line(reader) {
                Some(colon) => (1, colon, colon),
                None => return false,
            },
        },
    };
    let report = three_parts(reader, from, to, end).or_else(|| over_cells(reader, from, to));
    let report = report.unwrap_or_else(|| habit(word, "L has no `for`", "write it as `while (…) { … }`"));
    reader.report(report);
    reader.skip(end);
    put_endless(reader, word);
    if header.is_none() && reader.peek(0) == Some(Token::Colon) {
        empty_block(reader);
    }
    true
}

/// An empty block in place of a `:`, so that what follows is read as statements.
pub(super) fn empty_block(reader: &mut Reader<'_>) {
    let colon = reader.span(0);
    reader.skip(1);
    reader.put(Token::LeftBrace, colon);
    reader.put(Token::RightBrace, colon);
}

fn has_colon_line(reader: &Reader<'_>, before: usize) -> bool {
    end_of_colon_line(reader).is_some_and(|colon| colon < before)
}

/// How far ahead the `:` is that ends this line, as in Python.
pub(super) fn end_of_colon_line(reader: &Reader<'_>) -> Option<usize> {
    let mut at = 0;
    loop {
        if at > 200 || (at > 0 && reader.starts_line(at)) {
            return None;
        }
        match reader.peek(at)? {
            Token::Colon if reader.peek(at + 1).is_none() || reader.starts_line(at + 1) => return Some(at),
            Token::LeftBrace | Token::RightBrace | Token::Semicolon => return None,
            _ => at += 1,
        }
    }
}

/// `while (true)`, all where one word stands.
fn put_endless(reader: &mut Reader<'_>, word: Span) {
    for token in [Token::While, Token::LeftParen, Token::True, Token::RightParen] {
        reader.put(token, word);
    }
}

/// The `while` that stands for `init; condition; step`.
fn three_parts(reader: &Reader<'_>, from: usize, to: usize, end: usize) -> Option<Diagnostic> {
    let first = reader.find(from, &[Token::Semicolon]).filter(|&at| at < to)?;
    let second = reader.find(first + 1, &[Token::Semicolon]).filter(|&at| at < to)?;
    let [init, condition, step] =
        [(from, first), (first + 1, second), (second + 1, to)].map(|(from, to)| reader.between(from, to));
    let (init, step) = (list(&init), list(&step));
    let condition = if condition.is_empty() { "true".to_owned() } else { condition };
    let short = format!("{init} while ({condition}) {{ … {step} }}");
    let report = habit(reader.span(0), "L has no `for`", format!("write `{}`", short.trim_start()));
    let Some(close) = reader.closer(end).filter(|_| reader.peek(end) == Some(Token::LeftBrace)) else {
        return Some(report);
    };
    // A `continue` would leave the step out.
    if (end..close).any(|at| reader.peek(at) == Some(Token::Continue)) {
        let help = format!("write `{}`, with `{step}` before each `continue` too", short.trim_start());
        return Some(report.help(help));
    }
    let whole = reader.across(0, close);
    let indent = indent(reader.text, whole);
    let body = reader.written(reader.across(end, close - 1)).trim_end().to_owned();
    let init = if init.is_empty() { init } else { format!("{init}\n{indent}") };
    let mend = format!("{init}while ({condition}) {body}\n{indent}  {step}\n{indent}}}");
    let mut report = report.replace(whole, &mend);
    if let Some(fix) = &mut report.fix {
        fix.title = "write a `while`".to_owned();
    }
    Some(report)
}

/// Simple statements with commas between them, each with its `;`.
fn list(written: &str) -> String {
    let parts = written.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| format!("{};", statement(part))).collect::<Vec<_>>().join(" ")
}

/// The `while` that goes over the cells of an array, or counts.
fn over_cells(reader: &Reader<'_>, from: usize, to: usize) -> Option<Diagnostic> {
    let at = (from..to)
        .find(|&at| reader.peek(at) == Some(Token::Colon) || matches!(reader.word(at), "in" | "of") && at > from)?;
    let name = reader.word(at.checked_sub(1)?);
    let over = reader.between(at + 1, to);
    let range =
        over.strip_prefix("range(").or_else(|| over.strip_prefix("range (")).and_then(|rest| rest.strip_suffix(')'));
    let help = match range {
        Some(bounds) => {
            let (low, high) = bounds.split_once(',').map_or(("0", bounds), |(low, high)| (low.trim(), high.trim()));
            format!("write `{name} := {low}; while ({name} < {high}) {{ … {name} := {name} + 1; }}`")
        }
        None => format!(
            "go over an array by index: `i := 0; while (i < {over}.length) {{ {name} := {over}[i]; … i := i + 1; }}`"
        ),
    };
    Some(habit(reader.span(0), "L has no `for`", help))
}

/// The blanks at the start of the line of a place.
fn indent(text: &str, span: Span) -> String {
    let before = text.get(..span.start as usize).unwrap_or("");
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    line.chars().take_while(|c| c.is_whitespace()).collect()
}

/// `do { … } while (c);`
pub(super) fn until_false(reader: &mut Reader<'_>) -> bool {
    if reader.peek(0) == Some(Token::RightBrace) && reader.level() == Level::Do {
        reader.copy(1);
        let end = reader.closer(1).filter(|&end| reader.peek(end + 1) == Some(Token::Semicolon));
        if let (Some(Token::While), Some(end)) = (reader.peek(0), end) {
            reader.skip(end + 2);
        }
        return true;
    }
    let starts = reader.word(0) == "do" && reader.peek(1) == Some(Token::LeftBrace) && reader.starts_statement();
    if !starts {
        return false;
    }
    let close = reader.closer(1);
    let condition = close.and_then(|close| {
        let open = close + 2;
        let end = (reader.peek(close + 1) == Some(Token::While)).then(|| reader.closer(open))??;
        Some(reader.between(open + 1, end))
    });
    let condition = condition.unwrap_or_else(|| "…".to_owned());
    let help = format!("write `while (true) {{ … if (!({condition})) {{ break; }} }}`");
    let (word, brace) = (reader.span(0), reader.span(1));
    reader.report(habit(word, "L has no `do`", help));
    reader.skip(2);
    put_endless(reader, word);
    reader.put_do(brace);
    true
}
