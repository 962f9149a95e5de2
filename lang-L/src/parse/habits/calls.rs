//! Operands that L has not: texts, methods, lists of values.

use super::reader::{Level, Reader, habit};
use crate::token::Token;

/// `"hello"`
pub(super) fn text(reader: &mut Reader<'_>) -> bool {
    let label = matches!(reader.before(), Some(Token::Version | Token::VersionUpper));
    if reader.peek(0) != Some(Token::Text) || label {
        return false;
    }
    let span = reader.span(0);
    if reader.before() == Some(Token::Comma) && reader.statement_word() == Some(Token::Assert) {
        reader.report(habit(
            span,
            "an `assert` has no message",
            "leave the text and its comma out; a comment can say it",
        ));
        reader.skip(1);
        reader.unput();
        return true;
    }
    let help = "an `int[]` or a `ref` can stand for one, and a number for a message";
    reader.report(habit(span, "L has no strings", help));
    reader.skip(1);
    reader.put(Token::Null, span);
    true
}

/// `n.push(1)`, `a.length()`
pub(super) fn method(reader: &mut Reader<'_>) -> bool {
    let calls = (reader.peek(0), reader.peek(1), reader.peek(2))
        == (Some(Token::Dot), Some(Token::Ident), Some(Token::LeftParen));
    if !calls || reader.level() == Level::File {
        return false;
    }
    let Some(close) = reader.closer(2) else { return false };
    let object = reader.operand_before().to_vec();
    let (Some(&(_, first)), Some(&(_, last))) = (object.first(), object.last()) else { return false };
    let (name, object_text) = (reader.word(1), reader.written(first.to(last)).to_owned());
    let (span, whole) = (reader.across(0, 1), first.to(reader.span(close)));
    let arguments = reader.between(3, close);
    if matches!(name, "length" | "size" | "len") && arguments.is_empty() && !reader.is_procedure(name) {
        let mend = format!("{object_text}.length");
        let report = habit(
            span.to(reader.span(close)),
            format!("L has no method `{name}`"),
            format!("the length of an array is `{mend}`"),
        );
        reader.report(report.replace(whole, &mend));
        reader.copy(2);
        reader.skip(close - 1);
        return true;
    }
    if object_text.starts_with("System.") || object_text == "console" || object_text == "fmt" {
        let help = "an external procedure can stand for it: `procedure print(n: int);`, and then `print(n);`";
        reader.report(habit(whole, "L prints nothing", help));
    } else if object.windows(2).any(|pair| pair[1].1.start < pair[0].1.start) {
        // Behind another one: what it takes has been written anew.
        let help = format!("a procedure takes the object as a parameter: `{name}(…)`");
        reader.report(habit(span, "objects have no methods in L", help));
    } else {
        let comma = if arguments.is_empty() { "" } else { ", " };
        let mend = format!("{name}({object_text}{comma}{arguments})");
        let help = format!("a procedure takes the object as a parameter: `{mend}`");
        reader.report(habit(span, "objects have no methods in L", help).replace(whole, &mend));
    }
    let callee = reader.span(1);
    reader.put_before(object.len(), &[(Token::Ident, callee), (Token::LeftParen, callee)]);
    reader.skip(3);
    if close > 3 {
        reader.put(Token::Comma, callee);
    }
    true
}

/// `[1, 2]`, `{1, 2}` as a value
pub(super) fn list(reader: &mut Reader<'_>) -> bool {
    let opens = matches!(reader.peek(0), Some(Token::LeftBracket | Token::LeftBrace));
    let value = matches!(reader.before(), Some(Token::Assign | Token::Equal | Token::Comma | Token::Return));
    if !opens || !value || reader.level() == Level::File {
        return false;
    }
    let Some(close) = reader.closer(0) else { return false };
    let span = reader.across(0, close);
    let count = if close == 1 { 0 } else { 1 + commas(reader, close) };
    let help = format!("make an array and assign its cells: `a := new int[{count}]; a[0] := …;`");
    reader.report(habit(span, "L has no values in brackets", help));
    reader.skip(close + 1);
    reader.put(Token::Null, span);
    true
}

/// How many commas stand between the brackets ahead.
fn commas(reader: &Reader<'_>, close: usize) -> usize {
    let (mut count, mut at) = (0, 1);
    while let Some(comma) = reader.find(at, &[Token::Comma]).filter(|&comma| comma < close) {
        (count, at) = (count + 1, comma + 1);
    }
    count
}
