//! Statements and comments that L has in another way or not at all.

use super::loops::{empty_block, end_of_colon_line};
use super::pieces::behind;
use super::reader::{Level, Reader, habit};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;

/// `-- a comment`
pub(super) fn comment(reader: &mut Reader<'_>) -> bool {
    let signs = (reader.peek(0), reader.peek(1)) == (Some(Token::Minus), Some(Token::Minus)) && reader.touches(0);
    let between = reader.starts_statement() || reader.level() == Level::File || reader.level() == Level::Class;
    let steps = reader.place(2).is_some_and(|end| reader.peek(end) == Some(Token::Semicolon));
    if !signs || !between || steps {
        return false;
    }
    let span = reader.across(0, 1);
    reader.skip_line();
    reader.report(habit(span, "`--` starts no comment in L", "a comment starts with `//`").replace(span, "//"));
    true
}

/// `elif (c) { … }`, also without parentheses.
pub(super) fn other_branch(reader: &mut Reader<'_>) -> bool {
    let word = matches!(reader.word(0), "elif" | "elseif" | "elsif" | "elsf") && reader.is_free_word(0);
    let followed =
        !matches!(reader.peek(1), Some(Token::Assign | Token::Equal | Token::Dot | Token::Comma | Token::LeftBracket));
    if !word || !followed || !reader.starts_statement() {
        return false;
    }
    let span = reader.span(0);
    let report = habit(span, format!("L has no `{}`", reader.word(0)), "write `else if (…) { … }`");
    reader.report(report.replace(span, "else if"));
    reader.skip(1);
    // After a block in the manner of Python there is none that this could belong to.
    if reader.before() == Some(Token::RightBrace) {
        reader.put(Token::Else, span);
    }
    reader.put(Token::If, span);
    bare_condition(reader, "if");
    true
}

/// `if x == 1 {`, `while x:`, `else:`, and a `then` or `do` behind a condition.
pub(super) fn condition(reader: &mut Reader<'_>) -> bool {
    match reader.peek(0) {
        Some(Token::If | Token::While) => {
            let word = reader.word(0);
            let Some(kind) = bare(reader, 1) else { return false };
            reader.copy(1);
            take_condition(reader, word, Bare { end: kind.end - 1, ..kind });
            true
        }
        Some(Token::Else) if reader.peek(1) == Some(Token::Colon) => {
            // Between blocks in the manner of Python there are statements, and no `if` that this could belong to.
            if reader.before() == Some(Token::RightBrace) {
                reader.copy(1);
            } else {
                let word = reader.span(0);
                reader.skip(1);
                put_always(reader, word);
            }
            reader.report(colon_report(reader.span(0)));
            empty_block(reader);
            true
        }
        Some(Token::Ident)
            if matches!(reader.word(0), "then" | "do")
                && reader.before() == Some(Token::RightParen)
                && reader.peek(1) == Some(Token::LeftBrace) =>
        {
            let span = reader.span(0);
            let report =
                habit(span, format!("L has no `{}`", reader.word(0)), "the block follows the condition: leave it out");
            reader.report(report.replace(span, ""));
            reader.skip(1);
            true
        }
        _ => false,
    }
}

/// A body of one statement without braces.
pub(super) fn body_of_one(reader: &mut Reader<'_>) -> bool {
    use Token::{Assert, Assume, Break, Call, Continue, Ident, Return, Skip, Var};
    let simple =
        matches!(reader.peek(0), Some(Assert | Assume | Break | Call | Continue | Ident | Return | Skip | Var));
    if !simple || !(reader.before() == Some(Token::Else) || reader.behind_condition()) {
        return false;
    }
    let Some(end) = reader.find(0, &[Token::Semicolon, Token::LeftBrace]) else { return false };
    if reader.peek(end) != Some(Token::Semicolon) {
        return false;
    }
    let span = reader.across(0, end);
    let mend = format!("{{ {} }}", reader.between(0, end + 1));
    let report = habit(span, "a body stands in braces, also when it is one statement", format!("write `{mend}`"));
    reader.report(report.replace(span, &mend));
    let first = reader.span(0);
    reader.put_block_of_one(Span { end: first.start, ..first });
    true
}

/// `a = b = 1;`
pub(super) fn chain(reader: &mut Reader<'_>) -> bool {
    let sign = |at: usize| {
        matches!(reader.peek(at), Some(Token::Equal | Token::Assign)) && reader.peek(at + 1) != Some(Token::Greater)
    };
    let first = if reader.starts_statement() { reader.place(0) } else { None };
    let Some(first) = first.filter(|&at| sign(at)) else { return false };
    let Some(second) = reader.place(first + 1).filter(|&at| sign(at)) else { return false };
    let Some(end) = reader.find(second, &[Token::Semicolon]) else { return false };
    let (a, b) = (reader.between(0, first), reader.between(first + 1, second));
    let value = reader.between(second + 1, end);
    let help = format!("write `{b} := {value}; {a} := {b};`; a comparison is written `==`");
    reader.report(habit(reader.across(0, end), "an assignment has no value", help));
    reader.skip(end + 1);
    true
}

/// Words of L in other letters: `Version`, `IF`, `While`; `returns` in a body and `return` in a head.
pub(super) fn capitals(reader: &mut Reader<'_>) -> bool {
    let behind = reader.peek(1);
    let meant = match (reader.peek(0), reader.level()) {
        (Some(Token::Returns), Level::Block | Level::Do) if reader.starts_statement() => Token::Return,
        (Some(Token::Return), Level::File) if reader.before() == Some(Token::RightParen) => Token::Returns,
        (Some(Token::Ident), level) if reader.is_free_word(0) => {
            let word = reader.word(0).to_ascii_lowercase();
            let Some(&meant) = Token::FIXED.iter().find(|token| token.text().trim_matches('`') == word) else {
                return false;
            };
            let fits = match level {
                Level::File => meant.starts_item(),
                Level::Class => false,
                Level::Block | Level::Do => match meant {
                    Token::If | Token::While => reader.starts_statement() && behind == Some(Token::LeftParen),
                    Token::Else => behind == Some(Token::LeftBrace),
                    Token::Return | Token::Var | Token::Assert => {
                        reader.starts_statement() && matches!(behind, Some(Token::Ident | Token::Int))
                    }
                    _ => false,
                },
            };
            if !fits {
                return false;
            }
            meant
        }
        _ => return false,
    };
    let (span, mend) = (reader.span(0), meant.text().trim_matches('`'));
    let report = habit(span, format!("`{}` is written `{mend}` here", reader.word(0)), format!("write `{mend}`"));
    reader.report(report.replace(span, mend));
    reader.skip(1);
    reader.put(meant, span);
    true
}

/// Where a condition ends that does not stand in parentheses, or that a `:` ends.
struct Bare {
    end: usize,
    parentheses: bool,
    colon: bool,
}

/// How the condition `ahead` is written, if not as in L.
fn bare(reader: &Reader<'_>, ahead: usize) -> Option<Bare> {
    let colon = end_of_colon_line(reader).filter(|&colon| colon > ahead);
    let whole = reader.peek(ahead) == Some(Token::LeftParen)
        && reader.closer(ahead).is_some_and(|close| {
            matches!(
                reader.peek(close + 1),
                Some(
                    Token::LeftBrace
                        | Token::Semicolon
                        | Token::Ident
                        | Token::Colon
                        | Token::Return
                        | Token::Invariant
                ) | None
            )
        });
    if let Some(colon) = colon {
        return Some(Bare { end: colon, parentheses: whole, colon: true });
    }
    if whole || reader.peek(ahead) == Some(Token::LeftBrace) {
        return None;
    }
    let end = reader.find(ahead, &[Token::LeftBrace, Token::Semicolon])?;
    let single = (ahead + 1..end).all(|at| !reader.starts_line(at));
    (reader.peek(end) == Some(Token::LeftBrace) && single).then_some(Bare { end, parentheses: false, colon: false })
}

/// The same after a word that was replaced.
fn bare_condition(reader: &mut Reader<'_>, word: &str) {
    if let Some(kind) = bare(reader, 0) {
        take_condition(reader, word, kind);
    }
}

/// Takes a condition in parentheses that are not there. Habits inside are not looked for.
fn take_condition(reader: &mut Reader<'_>, word: &str, kind: Bare) {
    let Bare { end, parentheses, colon } = kind;
    // `if x then {`
    let end_of_condition = if end > 0 && matches!(reader.word(end - 1), "then" | "do") { end - 1 } else { end };
    if !parentheses && end_of_condition > 0 {
        let place = reader.across(0, end_of_condition - 1);
        let shown = reader.between(0, end_of_condition);
        let mend = format!("({shown})");
        let whole = reader.across(0, end - 1);
        let report = habit(
            place,
            format!("the condition of `{word}` stands in parentheses"),
            format!("write `{word} {mend} {{ … }}`"),
        );
        let report = if colon { report } else { report.replace(whole, &mend) };
        reader.report(report);
    } else if colon {
        reader.report(colon_report(reader.span(end)));
    }
    let first = reader.span(0);
    if !parentheses {
        reader.put(Token::LeftParen, Span { end: first.start, ..first });
    }
    reader.copy(end_of_condition);
    let last = reader.span(0);
    reader.skip(end - end_of_condition);
    if !parentheses {
        reader.put(Token::RightParen, behind(last));
    }
    if colon {
        empty_block(reader);
    }
}

/// What is to be said of a `:` where a block starts in Python.
fn colon_report(colon: Span) -> Diagnostic {
    let help = "the statements of a block stand in `{ … }`, whatever their indentation";
    habit(colon, "a block does not start with `:` in L", help)
}

/// Words that start statements of other languages, what is said of them, and how to go on.
const FOREIGN: &[(&str, &str, &str, Rest)] = &[
    ("switch", "L has no `switch`", "write `if (x == 1) { … } else if (x == 2) { … } else { … }`", Rest::All),
    ("match", "L has no `match`", "write `if (x == 1) { … } else if (x == 2) { … } else { … }`", Rest::All),
    ("case", "L has no `case`", "write `if (x == 1) { … } else if (x == 2) { … } else { … }`", Rest::Statement),
    (
        "try",
        "L has no exceptions",
        "an error ends the whole run and cannot be caught: test for it before, with `if`",
        Rest::Block,
    ),
    ("catch", "", "", Rest::Block),
    ("except", "", "", Rest::Block),
    ("finally", "", "", Rest::Block),
    ("throw", "L has no exceptions", "`assert false;` ends the run in an error", Rest::Statement),
    ("raise", "L has no exceptions", "`assert false;` ends the run in an error", Rest::Statement),
    ("goto", "L has no `goto`", "`break` leaves a loop, and `return` a procedure", Rest::Statement),
    (
        "delete",
        "nothing is deleted in L",
        "what cannot be reached any more counts as gone: leave this out",
        Rest::Statement,
    ),
    (
        "del",
        "nothing is deleted in L",
        "what cannot be reached any more counts as gone: leave this out",
        Rest::Statement,
    ),
    ("pass", "L has no `pass`", "a block may be empty; a statement that does nothing is `skip;`", Rest::Statement),
    ("yield", "L has no `yield`", "put the values into an array or a list, and return that", Rest::Statement),
    ("unless", "L has no `unless`", "write `if (!(…)) { … }`", Rest::Block),
    ("until", "L has no `until`", "write `while (!(…)) { … }`", Rest::Block),
    ("loop", "L has no `loop`", "write `while (true) { … }`", Rest::Block),
    ("repeat", "L has no `repeat`", "write `while (true) { … if (…) { break; } }`", Rest::Block),
    ("synchronized", "L has no threads", "leave it out", Rest::Block),
    ("begin", "a block stands in braces", "write `{ … }`", Rest::Word),
    ("end", "a block stands in braces", "write `{ … }`", Rest::Word),
];

/// What of a statement is left out.
#[derive(Clone, Copy)]
enum Rest {
    /// All, with its block.
    All,
    /// All but its block, which is read as the one of an `if`.
    Block,
    /// All up to its `;`, or the end of the line.
    Statement,
    /// The word.
    Word,
}

/// A statement that starts with a word of another language.
pub(super) fn foreign(reader: &mut Reader<'_>) -> bool {
    if !reader.starts_statement() || !reader.is_free_word(0) {
        return false;
    }
    let word = reader.word(0);
    let Some(&(_, message, help, rest)) = FOREIGN.iter().find(|(known, ..)| *known == word) else { return false };
    if matches!(reader.peek(1), Some(Token::Assign | Token::Equal | Token::Dot | Token::LeftBracket | Token::Comma)) {
        return false;
    }
    let span = reader.span(0);
    let open = if reader.peek(1) == Some(Token::LeftParen) {
        reader.closer(1).map_or(1, |close| close + 1)
    } else {
        reader.find(1, &[Token::LeftBrace, Token::Semicolon]).unwrap_or(1)
    };
    let has_block = reader.peek(open) == Some(Token::LeftBrace);
    match rest {
        Rest::All | Rest::Block if !has_block => return false,
        Rest::All => {
            let close = reader.closer(open).unwrap_or(open);
            reader.skip(close + 1);
        }
        Rest::Block => {
            reader.skip(open);
            put_always(reader, span);
        }
        Rest::Statement => skip_statement(reader),
        Rest::Word => reader.skip(1),
    }
    if !message.is_empty() {
        reader.report(habit(span, message, help));
    }
    true
}

/// `if (true)`, all where one word stands.
fn put_always(reader: &mut Reader<'_>, word: Span) {
    for token in [Token::If, Token::LeftParen, Token::True, Token::RightParen] {
        reader.put(token, word);
    }
}

/// Skips to behind the next `;`, or to the end of the line.
fn skip_statement(reader: &mut Reader<'_>) {
    reader.skip(1);
    while !reader.at_end() && !reader.starts_line(0) && reader.peek(0) != Some(Token::RightBrace) {
        let ends = reader.peek(0) == Some(Token::Semicolon);
        reader.skip(1);
        if ends {
            return;
        }
    }
}

/// A `;` with nothing before it, such as that of `};`.
pub(super) fn empty(reader: &mut Reader<'_>) -> bool {
    let nothing = match reader.level() {
        Level::Block | Level::Do => reader.starts_statement(),
        Level::Class => matches!(reader.before(), Some(Token::Semicolon | Token::LeftBrace)),
        Level::File => {
            reader.before() == Some(Token::RightBrace) && reader.peek(1).is_none_or(|token| token.starts_item())
        }
    };
    // A condition without a block is something else.
    if reader.peek(0) != Some(Token::Semicolon) || !nothing {
        return false;
    }
    let span = reader.span(0);
    reader.report(habit(span, "nothing ends with this `;`", "leave it out").replace(span, ""));
    reader.skip(1);
    true
}
