//! What stands in files and classes of other languages: imports, `struct`, fields with their type first, methods.

use super::header::{modifiers, read, written};
use super::loops::end_of_colon_line;
use super::pieces::declared;
use super::reader::{Level, Reader, habit};
use crate::token::Token;

/// Between items.
pub(super) fn in_file(reader: &mut Reader<'_>) -> bool {
    if reader.level() != Level::File {
        return false;
    }
    imported(reader) || class_head(reader) || global(reader)
}

/// `import a.b;`
fn imported(reader: &mut Reader<'_>) -> bool {
    let word = matches!(reader.word(0), "import" | "package" | "using" | "include" | "from" | "namespace" | "use");
    if !word || reader.peek(1) == Some(Token::LeftParen) || reader.before() == Some(Token::Version) {
        return false;
    }
    let help = "all that a program needs stands in its file, or in the shared part before the first `version`";
    reader.report(habit(reader.span(0), format!("L has no `{}`", reader.word(0)), help));
    reader.skip(1);
    while !reader.at_end() && !reader.starts_line(0) {
        reader.skip(1);
    }
    true
}

/// `struct Node {`, `public class Node extends Base {`, `class Node:`
fn class_head(reader: &mut Reader<'_>) -> bool {
    let start = modifiers(reader) + usize::from(reader.word(modifiers(reader)) == "typedef");
    let class = reader.peek(start) == Some(Token::Class);
    let record = matches!(reader.word(start), "struct" | "record" | "interface" | "type" | "object" | "enum");
    if !(class || record) || reader.peek(start + 1) != Some(Token::Ident) {
        return false;
    }
    let name = reader.word(start + 1);
    let brace = (start + 2..start + 20).find(|&at| reader.peek(at) == Some(Token::LeftBrace));
    let colon = end_of_colon_line(reader);
    if class && start == 0 && brace == Some(2) {
        return false;
    }
    let (span, mend) = match (brace, colon) {
        (Some(brace), None) => (reader.across(0, brace - 1), Some(brace)),
        (_, Some(colon)) => (reader.across(0, colon), None),
        _ => return false,
    };
    let help = format!("write `class {name} {{ … }}`, with fields such as `next: {name};`");
    let message = if class && start == 0 && mend.is_some() {
        "a class of L has a name and fields, nothing else"
    } else {
        "a class is declared as `class C { … }`"
    };
    let report = habit(span, message, help);
    let heritage = mend.is_some_and(|brace| brace > start + 2);
    reader.report(if mend.is_some() && !heritage { report.replace(span, &format!("class {name}")) } else { report });
    let (first, class) = (reader.span(0), reader.span(start + 1));
    reader.skip(mend.unwrap_or_else(|| colon.map_or(1, |colon| colon + 1)));
    reader.put(Token::Class, first);
    reader.put(Token::Ident, class);
    if mend.is_none() {
        reader.skip_indented(first);
        reader.put(Token::LeftBrace, class);
        reader.put(Token::RightBrace, class);
    }
    true
}

/// `int counter = 0;` or `var counter: int;` outside of procedures
fn global(reader: &mut Reader<'_>) -> bool {
    let start =
        modifiers(reader) + usize::from(matches!(reader.peek(modifiers(reader)), Some(Token::Global | Token::Var)));
    let Some((ty, name)) = declared(reader, start) else { return with_value(reader) };
    if !matches!(reader.peek(name + 1), Some(Token::Semicolon | Token::Equal | Token::Assign)) {
        return false;
    }
    let Some(end) = reader.find(name, &[Token::Semicolon]) else { return false };
    let mend = format!("global {}: {ty};", reader.word(name));
    report_global(reader, end, name, &mend);
    true
}

/// `global x: int := 3;`
fn with_value(reader: &mut Reader<'_>) -> bool {
    let named = matches!(reader.peek(0), Some(Token::Global | Token::Var))
        && (reader.peek(1), reader.peek(2)) == (Some(Token::Ident), Some(Token::Colon));
    if !named {
        return false;
    }
    let Some(end) = reader.find(1, &[Token::Semicolon]) else { return false };
    let value = reader.find(3, &[Token::Equal, Token::Assign]).filter(|&at| at < end);
    if value.is_none() && reader.peek(0) == Some(Token::Global) {
        return false;
    }
    let mend = format!("global {}: {};", reader.word(1), reader.between(3, value.unwrap_or(end)));
    report_global(reader, end, 1, &mend);
    true
}

/// Reports what should be this global, and leaves it out.
fn report_global(reader: &mut Reader<'_>, end: usize, name: usize, mend: &str) {
    let span = reader.across(0, end);
    let value = reader.find(name, &[Token::Equal, Token::Assign]).is_some_and(|at| at < end);
    let (message, help) = if value {
        (
            "a global has no value of its own",
            format!("write `{mend}`: its value is part of the store that a run starts from"),
        )
    } else {
        ("a global is declared in another way", format!("write `{mend}`"))
    };
    let report = habit(span, message, help);
    reader.report(if value { report } else { report.replace(span, mend) });
    reader.skip(end + 1);
}

/// Among the fields of a class.
pub(super) fn in_class(reader: &mut Reader<'_>) -> bool {
    let starts = matches!(reader.before(), Some(Token::LeftBrace | Token::Semicolon));
    if reader.level() != Level::Class || !starts {
        return false;
    }
    method(reader) || field(reader)
}

/// A method: skipped with its body.
fn method(reader: &mut Reader<'_>) -> bool {
    let class = reader.class();
    let Some(head) = read(reader) else { return false };
    let open = reader.find(head.end, &[Token::LeftBrace, Token::Semicolon]).unwrap_or(head.end);
    let name = reader.word(head.name);
    let help = if name == class {
        format!(
            "a class has no constructor: a procedure can make an object, as in `{}: {class})` with `new {class}()` in it",
            written(reader, &head, None).replacen(&format!("procedure {class}"), &format!("procedure make{class}"), 1)
                + " returns (made"
        )
    } else {
        format!(
            "write it outside of the class, with the object as a parameter: `{}`",
            written(reader, &head, Some(class))
        )
    };
    reader.report(habit(reader.across(0, head.end - 1), "a class of L has fields, and no methods", help));
    let end = match reader.peek(open) {
        Some(Token::LeftBrace) => reader.closer(open).unwrap_or(open),
        _ => open,
    };
    reader.skip(end + 1);
    true
}

/// `int x;`, `private Node next = null;`, `var x: int;`, `x, y: int;`
fn field(reader: &mut Reader<'_>) -> bool {
    let start = modifiers(reader) + usize::from(reader.peek(modifiers(reader)) == Some(Token::Var));
    let Some(end) = reader.find(start, &[Token::Semicolon]) else { return false };
    let (ty, names) = if let Some((ty, name)) = declared(reader, start) {
        (ty, name..end)
    } else if let Some(colon) = reader.find(start, &[Token::Colon]).filter(|&colon| colon < end) {
        let value = reader.find(colon, &[Token::Equal, Token::Assign]).filter(|&at| at < end);
        let several = reader.find(start, &[Token::Comma]).is_some_and(|at| at < colon);
        if start == 0 && value.is_none() && !several {
            return false;
        }
        (reader.between(colon + 1, value.unwrap_or(end)), start..colon)
    } else {
        return false;
    };
    let mut fields = Vec::new();
    let mut at = names.start;
    while at < names.end {
        fields.push(format!("{}: {ty};", reader.word(at)));
        at = reader.find(at, &[Token::Comma]).filter(|&comma| comma < names.end).map_or(names.end, |comma| comma + 1);
    }
    let value = reader.find(start, &[Token::Equal, Token::Assign]).is_some_and(|at| at < end);
    let (span, mend) = (reader.across(0, end), fields.join(" "));
    let (message, help) = if value {
        ("a field has no value of its own", format!("write `{mend}`: a new object has null, 0 or false in it"))
    } else {
        ("a field is declared as `name: type;`", format!("write `{mend}`"))
    };
    let report = habit(span, message, help);
    reader.report(if value { report } else { report.replace(span, &mend) });
    reader.skip(end + 1);
    true
}
