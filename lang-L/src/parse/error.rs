//! Syntax errors: what the combinators collect, and the [`Diagnostic`] each becomes.
//!
//! In: failures of single token tests, merged by `chumsky`, and reports made by the grammar itself. Out: diagnostics that
//! name tokens as the user writes them and, where a usual slip is recognised, say how to mend it.

use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use chumsky::DefaultExpected;
use chumsky::error::{Error, LabelError};
use chumsky::util::MaybeRef;

use super::Input;

/// A part of the grammar that stands for the many tokens it may start with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// An expression.
    Expression,
    /// An operator between two expressions.
    Operator,
    /// A statement.
    Statement,
    /// A class, global, procedure or pair.
    Item,
    /// A type.
    Type,
}

impl Rule {
    const ALL: [Rule; 5] = [Rule::Expression, Rule::Operator, Rule::Statement, Rule::Item, Rule::Type];

    fn text(self) -> &'static str {
        match self {
            Rule::Expression => "an expression",
            Rule::Operator => "an operator",
            Rule::Statement => "a statement",
            Rule::Item => "a class, global, procedure or pair",
            Rule::Type => "a type",
        }
    }
}

/// A set of tokens and rules, as bits, so that merging errors costs nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Expected(u128);

impl Expected {
    /// Where the bits of rules start; there are fewer tokens than this.
    const RULES: u32 = 96;
    const END: Expected = Expected(1 << 127);

    fn token(token: Token) -> Self {
        Expected(1 << (token as u32))
    }

    fn rule(rule: Rule) -> Self {
        Expected(1 << (Self::RULES + rule as u32))
    }

    fn or(self, other: Self) -> Self {
        Expected(self.0 | other.0)
    }

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// What is expected, for the user: rules first, then tokens.
    fn texts(self) -> Vec<&'static str> {
        let rules = Rule::ALL.into_iter().filter(|&rule| self.has(Self::rule(rule))).map(Rule::text);
        let tokens = [Token::Ident, Token::Int, Token::Text].iter().chain(Token::FIXED);
        // `=` is read only to be reported, so it is never what is missing.
        let tokens = tokens.filter(|&&token| token != Token::Equal && self.has(Self::token(token)));
        let tokens = tokens.map(|token| token.text());
        let end = self.has(Self::END).then_some("the end of the file");
        rules.chain(tokens).chain(end).collect()
    }
}

/// An error while parsing.
#[derive(Clone, Debug)]
pub(super) enum SyntaxError {
    /// A token was found where others were expected.
    Unexpected { span: Span, found: Option<Token>, expected: ExpectedSet },
    /// The grammar understood what was meant, and says what is wrong with it.
    Report(Box<Diagnostic>),
}

/// Opaque to the grammar, which only builds errors through `chumsky`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExpectedSet(Expected);

impl<'t> Error<'t, Input<'t>> for SyntaxError {
    fn merge(self, other: Self) -> Self {
        match (self, other) {
            (report @ SyntaxError::Report(_), _) | (_, report @ SyntaxError::Report(_)) => report,
            (SyntaxError::Unexpected { span, found, expected }, SyntaxError::Unexpected { expected: also, .. }) => {
                SyntaxError::Unexpected { span, found, expected: ExpectedSet(expected.0.or(also.0)) }
            }
        }
    }
}

impl<'t> LabelError<'t, Input<'t>, DefaultExpected<'t, Token>> for SyntaxError {
    fn expected_found<E: IntoIterator<Item = DefaultExpected<'t, Token>>>(
        expected: E,
        found: Option<MaybeRef<'t, Token>>,
        span: Span,
    ) -> Self {
        let expected = expected.into_iter().fold(Expected::default(), |set, one| match one {
            DefaultExpected::Token(token) => set.or(Expected::token(*token)),
            DefaultExpected::EndOfInput => set.or(Expected::END),
            _ => set,
        });
        SyntaxError::Unexpected { span, found: found.map(|token| *token), expected: ExpectedSet(expected) }
    }
}

impl<'t> LabelError<'t, Input<'t>, Rule> for SyntaxError {
    fn expected_found<E: IntoIterator<Item = Rule>>(
        expected: E,
        found: Option<MaybeRef<'t, Token>>,
        span: Span,
    ) -> Self {
        let expected = expected.into_iter().fold(Expected::default(), |set, rule| set.or(Expected::rule(rule)));
        SyntaxError::Unexpected { span, found: found.map(|token| *token), expected: ExpectedSet(expected) }
    }

    fn label_with(&mut self, label: Rule) {
        if let SyntaxError::Unexpected { expected, .. } = self {
            *expected = ExpectedSet(Expected::rule(label));
        }
    }
}

impl SyntaxError {
    /// The error of a parser that only skips, and so expects nothing.
    pub(super) fn nothing(span: Span) -> Self {
        SyntaxError::Unexpected { span, found: None, expected: ExpectedSet(Expected::default()) }
    }

    /// The place it is reported at.
    pub(super) fn span(&self) -> Span {
        match self {
            SyntaxError::Unexpected { span, .. } => *span,
            SyntaxError::Report(report) => report.span,
        }
    }

    /// A report by the grammar itself.
    pub(super) fn report(report: Diagnostic) -> Self {
        SyntaxError::Report(Box::new(report))
    }

    /// The error as a diagnostic.
    pub(super) fn into_diagnostic(self, text: &str, tokens: &[(Token, Span)]) -> Diagnostic {
        let (span, found, ExpectedSet(expected)) = match self {
            SyntaxError::Report(report) => return *report,
            SyntaxError::Unexpected { span, found, expected } => (span, found, expected),
        };
        let before = tokens[..tokens.partition_point(|(_, other)| other.start < span.start)].last();
        let missing = |token| expected.has(Expected::token(token));

        if let Some(report) = missing_semicolon(text, span, before, expected)
            .or_else(|| missing_brace(text, tokens, (found, span), expected))
        {
            return report;
        }

        let found_text = match found {
            None => "the end of the file".to_owned(),
            Some(token @ (Token::Ident | Token::Int | Token::Text)) => {
                let shown: String = text.get(span.range()).unwrap_or("").chars().take(40).collect();
                if token == Token::Text { shown } else { format!("`{shown}`") }
            }
            Some(token) if token.is_keyword() => format!("the keyword {}", token.text()),
            Some(token) => token.text().to_owned(),
        };
        let wanted = one_of(&expected.texts());
        let message = format!("expected {wanted}, found {found_text}");
        let mut report = Diagnostic::new("E0100", span, message, format!("expected {wanted}"));

        let closer = [(Token::RightParen, Token::LeftParen), (Token::RightBracket, Token::LeftBracket)]
            .into_iter()
            .find(|&(closer, _)| missing(closer));
        if let Some((closer, opener)) = closer
            && let Some(open) = unclosed(tokens, opener, closer, span)
        {
            report = report.also(open, format!("this {} is not closed", opener.text()));
        }
        match help(found, expected, before.map(|&(token, _)| token)) {
            Some(help) => report.help(help),
            None => report,
        }
    }
}

/// A missing `;`, shown where it belongs: behind the last token, not at the start of some later line.
fn missing_semicolon(text: &str, span: Span, before: Option<&(Token, Span)>, expected: Expected) -> Option<Diagnostic> {
    let missing = |token| expected.has(Expected::token(token));
    let &(_, before) = before?;
    if !missing(Token::Semicolon) || missing(Token::LeftBrace) || !starts_line(text, span) {
        return None;
    }
    if let Some(division) = commented_division(text, before) {
        let report = Diagnostic::new("E0101", division, "`//` starts a comment", "the rest of the line is no code");
        return Some(report.help("division is written `/`").propose(division, "/"));
    }
    let place = Span { start: before.end.saturating_sub(1).max(before.start), ..before };
    let report = Diagnostic::new("E0101", place, "missing `;`", "expected `;` after this");
    Some(report.help("end the statement with `;`").replace(Span { start: before.end, ..before }, ";"))
}

/// A missing `}`, shown at the block that is open.
fn missing_brace(
    text: &str,
    tokens: &[(Token, Span)],
    (found, span): (Option<Token>, Span),
    expected: Expected,
) -> Option<Diagnostic> {
    if !expected.has(Expected::token(Token::RightBrace)) || !found.is_none_or(Token::starts_item) {
        return None;
    }
    let open = unclosed_block(text, tokens, span)?;
    let item = tokens.iter().rfind(|(token, other)| token.starts_item() && other.start < span.start);
    let deeper =
        |&&(_, item): &&(Token, Span)| starts_line(text, span) && indentation(text, item) < indentation(text, span);
    if found == Some(Token::Procedure) && item.filter(deeper).is_some() {
        let report = Diagnostic::new("E0109", span, "a procedure cannot stand inside of another one", "not here");
        let report = report.also(open, "this block is still open");
        return Some(report.help("write it behind the other one, or close the block with `}`"));
    }
    let report = Diagnostic::new("E0109", open, "this `{` is never closed", "a block starts here");
    Some(report.also(span, "a `}` is missing before this").help("close it with `}`"))
}

/// The way to mend a slip that is recognised by what was found and what was expected there.
fn help(found: Option<Token>, expected: Expected, before: Option<Token>) -> Option<String> {
    let wants = |token| expected.has(Expected::token(token));
    let wants_name = wants(Token::Ident);
    let wants_expression = expected.has(Expected::rule(Rule::Expression));
    let wants_statement = expected.has(Expected::rule(Rule::Statement));
    let wants_item = expected.has(Expected::rule(Rule::Item));
    Some(match found {
        Some(Token::New) if wants_expression => {
            "`new` stands only right after `:=`: assign the object to a local first, then use the local".into()
        }
        Some(Token::Else) if wants_statement => {
            "an `else` follows the `}` of an `if`; both branches need braces".into()
        }
        Some(Token::LeftBrace) if wants_statement => {
            "a block stands only after `if`, `else` and `while`: leave the braces out".into()
        }
        Some(Token::RightBrace) if wants_item => "this `}` closes nothing; remove it".into(),
        Some(_) if wants_item => {
            "a program is made of `procedure p(x) { … }`, `class C { … }` and `global g: int;`".into()
        }
        Some(Token::Ident) if wants(Token::Comma) && wants(Token::RightParen) && before == Some(Token::Ident) => {
            "put a `,` between the two, or close the `(` with `)`".into()
        }
        Some(_) if wants(Token::LeftParen) && before == Some(Token::Ident) => {
            "the parentheses are needed also when there is nothing in them, as in `p()`".into()
        }
        Some(Token::LeftBrace)
            if wants(Token::Semicolon) && before == Some(Token::RightParen) && !wants(Token::LeftBrace) =>
        {
            "only `if`, `else if` and `while` have a block; anything else ends with `;`".into()
        }
        Some(token)
            if token.is_keyword() && (wants_name || wants_expression || wants_statement) && !token.starts_item() =>
        {
            let word = token.text().trim_matches('`');
            format!("`{word}` is a keyword, so it cannot be a name; `{word}'` and `{word}_` can")
        }
        _ if wants(Token::LeftBrace) && before == Some(Token::Else) => {
            "write `else { … }` or `else if (…) { … }`".into()
        }
        _ if wants(Token::LeftBrace) && !wants(Token::Semicolon) => {
            "the body needs braces, also when it is one statement".into()
        }
        _ if wants(Token::Semicolon) && wants(Token::LeftBrace) => {
            "a procedure has a body in braces, or ends in `;` when it is external".into()
        }
        _ if wants(Token::Semicolon) => "end it with `;`".into(),
        Some(_) if expected == Expected::token(Token::RightParen) => {
            "`new` takes no arguments; assign the fields afterwards".into()
        }
        _ if expected == Expected::token(Token::Colon) => "give its type, as in `x: int`".into(),
        _ if wants(Token::RightParen) => "close the `(` with `)`".into(),
        _ if wants(Token::RightBracket) => "close the `[` with `]`".into(),
        _ if wants(Token::LeftParen) && matches!(before, Some(Token::If | Token::While)) => {
            "the condition stands in parentheses".into()
        }
        _ => return None,
    })
}

/// Whether only white space, at least one line end among it, stands between this place and the token before it.
pub(super) fn starts_line(text: &str, span: Span) -> bool {
    let before = text.get(..span.start as usize).unwrap_or("");
    let gap = &before[before.trim_end_matches([' ', '\t', '\r', '\n', '\u{c}']).len()..];
    gap.contains('\n') || span.start as usize >= text.len()
}

/// The last opener before a place that no closer before it closes.
fn unclosed(tokens: &[(Token, Span)], opener: Token, closer: Token, place: Span) -> Option<Span> {
    let end = tokens.partition_point(|(_, span)| span.start < place.start);
    let mut closed = 0_usize;
    for &(token, span) in tokens[..end].iter().rev() {
        if token == closer {
            closed += 1;
        } else if token == opener {
            if closed == 0 {
                return Some(span);
            }
            closed -= 1;
        } else if token == Token::Semicolon {
            return None;
        }
    }
    None
}

/// The `//` just behind a place, if what follows looks like the end of a statement.
fn commented_division(text: &str, before: Span) -> Option<Span> {
    let rest = text.get(before.end as usize..)?;
    let line = rest.lines().next()?;
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let start = before.end + u32::try_from(blanks).ok()?;
    let divides = line[blanks..].starts_with("//") && line.trim_end().ends_with(';');
    divides.then_some(Span { start, end: start + 2, ..before })
}

/// The block before a place that is not closed: by the indentation of what closes the others, else the innermost one.
fn unclosed_block(text: &str, tokens: &[(Token, Span)], place: Span) -> Option<Span> {
    let end = tokens.partition_point(|(_, span)| span.start < place.start);
    let item = tokens[..end].iter().rposition(|(token, _)| token.starts_item()).unwrap_or(0);
    let (mut open, mut suspect): (Vec<(Span, usize)>, _) = (Vec::new(), None);
    for &(token, span) in &tokens[item..end] {
        match token {
            Token::LeftBrace => open.push((span, indentation(text, span))),
            Token::RightBrace => {
                let own = indentation(text, span);
                let same = open.iter().rposition(|&(_, other)| other == own).filter(|_| starts_line(text, span));
                match (same, open.last()) {
                    (Some(same), Some(&(last, _))) if same + 1 < open.len() => {
                        suspect = Some(last);
                        open.truncate(same);
                    }
                    _ => drop(open.pop()),
                }
            }
            _ => {}
        }
    }
    suspect.or(open.last().map(|&(span, _)| span))
}

/// How far the line of a place is indented; what stands far along a line counts as deeper than all else.
fn indentation(text: &str, span: Span) -> usize {
    const FAR: usize = 400;
    let before = &text.as_bytes()[..(span.start as usize).min(text.len())];
    let length = before.iter().rev().take(FAR).take_while(|&&byte| byte != b'\n').count();
    let line = &before[before.len() - length..];
    if length == FAR { FAR } else { line.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count() }
}

/// `a`, `a or b`, `a, b or c`.
fn one_of(texts: &[&str]) -> String {
    match texts {
        [] => "something else".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
