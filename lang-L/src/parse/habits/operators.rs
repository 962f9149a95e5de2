//! Operators and numbers that L writes in another way: `i++`, `x += 1`, `===`, `->`, `and`, `0x1F`.

use super::pieces::{arithmetic, behind, doubled, ends_operand, grouped, starts_operand};
use super::reader::{Reader, habit};
use crate::token::Token;

/// `i++`, `--i`
pub(super) fn step(reader: &mut Reader<'_>) -> bool {
    let Some(sign) = doubled(reader, 0) else { return false };
    let op = reader.across(0, 1);
    let written = reader.written(op);
    if ends_operand(reader.before()) {
        // `x--y` is a subtraction.
        if starts_operand(reader.peek(2)) {
            return false;
        }
        let place = reader.operand_before().to_vec();
        let (Some(&(_, first)), true) = (place.first(), reader.statement_starts_before(place.len())) else {
            let help = format!("a step is a statement of its own, as in `i := i {sign} 1;`: write it behind this one");
            reader.report(habit(op, format!("L has no `{written}`"), help));
            reader.skip(2);
            return true;
        };
        let name = reader.written(first.to(place[place.len() - 1].1));
        let mend = format!("{name} := {name} {sign} 1");
        let report = habit(op, format!("L has no `{written}`"), format!("write `{mend}`"));
        reader.report(report.replace(first.to(op), &mend));
        reader.skip(2);
        reader.put(Token::Assign, op);
        reader.put(Token::Int, op);
        return true;
    }
    let Some(end) = reader.place(2) else { return false };
    let name = reader.between(2, end);
    if reader.starts_statement() && reader.peek(end) == Some(Token::Semicolon) {
        let mend = format!("{name} := {name} {sign} 1");
        let report = habit(op, format!("L has no `{written}`"), format!("write `{mend}`"));
        reader.report(report.replace(reader.across(0, end - 1), &mend));
        reader.skip(2);
        reader.copy(end - 2);
        reader.put(Token::Assign, op);
        reader.put(Token::Int, op);
        return true;
    }
    if sign == "-" {
        return false;
    }
    let help = format!("a step is a statement of its own: write `{name} := {name} {sign} 1;` before this one");
    reader.report(habit(op, format!("L has no `{written}`"), help));
    reader.skip(2);
    true
}

/// `x += e`
pub(super) fn compound(reader: &mut Reader<'_>) -> bool {
    let assigns = reader.peek(0).is_some_and(arithmetic) && reader.peek(1) == Some(Token::Equal) && reader.touches(0);
    if !assigns || !ends_operand(reader.before()) {
        return false;
    }
    let op = reader.across(0, 1);
    let place = reader.operand_before();
    let (Some(&(_, first)), Some(&(_, last))) = (place.first(), place.last()) else { return false };
    let calls = place.iter().any(|&(token, _)| token == Token::LeftParen);
    let name = reader.written(first.to(last));
    let message = format!("L has no `{}`", reader.written(op));
    let report = match reader.find(2, &[Token::Semicolon]) {
        Some(end) if end > 2 => {
            let value = reader.between(2, end);
            let mend = format!("{name} := {name} {} {}", reader.word(0), grouped(&value));
            let report = habit(op, message, format!("write `{mend}`"));
            if calls { report } else { report.replace(first.to(reader.span(end - 1)), &mend) }
        }
        _ => habit(op, message, format!("write `{name} := {name} {} …`", reader.word(0))),
    };
    reader.report(report);
    reader.skip(2);
    reader.put(Token::Assign, op);
    true
}

/// Signs of two characters or more.
pub(super) fn sign(reader: &mut Reader<'_>) -> bool {
    let (Some(first), Some(second), true) = (reader.peek(0), reader.peek(1), reader.touches(0)) else { return false };
    let (mend, meant, help) = match (first, second) {
        (Token::EqualEqual, Token::Equal) => ("==", Token::EqualEqual, "equality is written `==`"),
        (Token::BangEqual, Token::Equal) => ("!=", Token::BangEqual, "inequality is written `!=`"),
        (Token::Less, Token::Greater) => ("!=", Token::BangEqual, "inequality is written `!=`"),
        (Token::Equal, Token::Less) => ("<=", Token::LessEqual, "at most is written `<=`"),
        (Token::Equal, Token::Greater) => (">=", Token::GreaterEqual, "at least is written `>=`; implication is `==>`"),
        (Token::Minus, Token::Greater) => (".", Token::Dot, "a field is written `x.f`: every object is a reference"),
        (Token::Less, Token::Less) => ("", Token::Star, "L has no shifts: `x << 3` is `x * 8`"),
        (Token::Greater, Token::Greater) => {
            ("", Token::Slash, "L has no shifts: `x >> 3` is `x / 8` where x is not negative")
        }
        (Token::Star, Token::Star) => ("", Token::Star, "L has no powers: multiply, or write a procedure with a loop"),
        _ => return false,
    };
    if !ends_operand(reader.before()) {
        return false;
    }
    let span = reader.across(0, 1);
    let report = habit(span, format!("L has no `{}`", reader.written(span)), help);
    reader.report(match mend {
        "" => report,
        // It may also have been meant as a function.
        ">=" => report.propose(span, mend),
        _ => report.replace(span, mend),
    });
    reader.skip(2);
    reader.put(meant, span);
    true
}

/// Operators that are words.
pub(super) fn word(reader: &mut Reader<'_>) -> bool {
    if !reader.is_free_word(0) || matches!(reader.level(), super::reader::Level::Class) {
        return false;
    }
    let between = ends_operand(reader.before());
    let (mend, meant, count) = match reader.word(0) {
        "and" if between => ("&&", Token::AndAnd, 1),
        "or" if between => ("||", Token::OrOr, 1),
        "is" if between && reader.word(1) == "not" => ("!=", Token::BangEqual, 2),
        "is" if between => ("==", Token::EqualEqual, 1),
        "mod" if between => ("%", Token::Percent, 1),
        "div" if between => ("/", Token::Slash, 1),
        "not" if !between && starts_operand(reader.peek(1)) => ("!", Token::Bang, 1),
        "instanceof" if between => {
            let help = "the class of an object cannot be asked: keep it in a field, as in `x.kind == 1`";
            reader.report(habit(reader.span(0), "L has no `instanceof`", help));
            reader.skip(1);
            reader.put(Token::EqualEqual, reader.span(0));
            return true;
        }
        _ => return false,
    };
    // What binds tighter behind `!` than behind `not` stands in parentheses then.
    let span = reader.across(0, count - 1);
    let mut report = habit(span, format!("L has no `{}`", reader.written(span)), format!("it is written `{mend}`"));
    if meant != Token::Bang {
        report = report.replace(span, mend);
    } else {
        let whole = span.to(reader.span(1));
        let single = reader.place(1).is_some_and(|end| !reader.peek(end).is_some_and(compares))
            || reader.peek(1) == Some(Token::LeftParen);
        if single {
            let gap = crate::source::Span { end: reader.span(1).start, ..whole };
            report = report.replace(gap, "!");
        } else {
            report.help = Some("it is written `!`, as in `!(x == y)`".to_owned());
        }
    }
    reader.report(report);
    reader.skip(count);
    reader.put(meant, span);
    true
}

/// Whether `not` reaches further than this operator, but `!` does not.
fn compares(token: Token) -> bool {
    use Token::{
        BangEqual, EqualEqual, Greater, GreaterEqual, LeftParen, Less, LessEqual, Minus, Percent, Plus, Slash, Star,
    };
    matches!(
        token,
        EqualEqual
            | BangEqual
            | Greater
            | GreaterEqual
            | Less
            | LessEqual
            | Minus
            | Percent
            | Plus
            | Slash
            | Star
            | LeftParen
    )
}

/// `3.14`, `0x1F`, `10L`, `1_000`
pub(super) fn number(reader: &mut Reader<'_>) -> bool {
    if reader.peek(0) != Some(Token::Int) || !reader.touches(0) {
        return false;
    }
    if (reader.peek(1), reader.peek(2)) == (Some(Token::Dot), Some(Token::Int)) && reader.touches(1) {
        let parts = if reader.touches(2) && reader.peek(3) == Some(Token::Ident) { 4 } else { 3 };
        let help = "an `int` is a whole number of any size: count in hundredths, for one";
        reader.report(habit(reader.across(0, parts - 1), "L has no fractions", help));
        reader.copy(1);
        reader.skip(parts - 1);
        return true;
    }
    if reader.peek(1) != Some(Token::Ident) {
        return false;
    }
    let (digits, tail) = (reader.word(0), reader.word(1));
    let span = reader.across(0, 1);
    let hexadecimal = tail.strip_prefix(['x', 'X']).filter(|_| digits == "0");
    let mend = match hexadecimal {
        Some(hexadecimal) => u128::from_str_radix(hexadecimal, 16).ok().map(|value| value.to_string()),
        None if matches!(tail, "L" | "l" | "u" | "U" | "UL") => Some(digits.to_owned()),
        None if tail.starts_with('_') && tail.chars().all(|c| c == '_' || c.is_ascii_digit()) => {
            Some(format!("{digits}{}", tail.replace('_', "")))
        }
        None => None,
    };
    let report = match mend {
        Some(mend) => {
            habit(span, "a number is written with digits alone", format!("write `{mend}`")).replace(span, &mend)
        }
        None => {
            let help = format!("a name does not start with a digit; a factor is written `{digits} * {tail}`");
            habit(behind(reader.span(0)).to(reader.span(1)), "a number ends here and a name starts", help)
        }
    };
    reader.report(report);
    reader.copy(1);
    reader.skip(1);
    true
}
