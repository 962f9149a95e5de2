//! A place in the tokens of a text, and what has been made of those before it.

use super::Habits;
use crate::parse::error::starts_line;
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use std::collections::HashSet;

/// How many tokens are looked at in search of what closes a bracket.
const MAX_LOOK_AHEAD: usize = 1000;

/// What the innermost open brace belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// No brace is open.
    File,
    /// The fields of a class.
    Class,
    /// Statements.
    Block,
    /// The statements of a `do`.
    Do,
}

/// Reads tokens one after the other.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    tokens: &'a [(Token, Span)],
    at: usize,
    out: Vec<(Token, Span)>,
    levels: Vec<Level>,
    /// At how many open braces the blocks stand that end with a statement.
    blocks_of_one: Vec<usize>,
    reports: Vec<Diagnostic>,
    comments: Vec<Span>,
    procedures: HashSet<&'a str>,
    classes: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [(Token, Span)]) -> Self {
        let named = |word: Token| {
            let pairs = tokens.windows(2).filter(move |pair| pair[0].0 == word);
            pairs.filter_map(|pair| text.get(pair[1].1.range())).collect()
        };
        Reader {
            text,
            tokens,
            at: 0,
            out: Vec::new(),
            levels: Vec::new(),
            blocks_of_one: Vec::new(),
            reports: Vec::new(),
            comments: Vec::new(),
            procedures: named(Token::Procedure),
            classes: named(Token::Class),
        }
    }

    pub(super) fn finish(self) -> Habits {
        Habits { tokens: self.out, reports: self.reports, comments: self.comments }
    }

    pub(super) fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The token `ahead` of the next one.
    pub(super) fn peek(&self, ahead: usize) -> Option<Token> {
        self.tokens.get(self.at + ahead).map(|&(token, _)| token)
    }

    /// Where the token `ahead` of the next one stands; the end of the text behind the last.
    pub(super) fn span(&self, ahead: usize) -> Span {
        let last = self.tokens.last().map(|&(_, span)| Span { start: span.end, ..span });
        let found = self.tokens.get(self.at + ahead).map(|&(_, span)| span);
        found.or(last).expect("a reader without tokens is at its end")
    }

    /// What is written there.
    pub(super) fn word(&self, ahead: usize) -> &'a str {
        if self.at + ahead < self.tokens.len() { self.written(self.span(ahead)) } else { "" }
    }

    /// What is written in a place.
    pub(super) fn written(&self, span: Span) -> &'a str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// From one token ahead to another one, both included.
    pub(super) fn across(&self, from: usize, to: usize) -> Span {
        self.span(from).to(self.span(to))
    }

    /// What is written from one token ahead up to, and without, another one, on one line.
    pub(super) fn between(&self, from: usize, to: usize) -> String {
        if from >= to {
            return String::new();
        }
        let words: Vec<&str> = self.written(self.across(from, to - 1)).split_whitespace().collect();
        words.join(" ")
    }

    /// Whether nothing stands between the token `ahead` and the one behind it.
    pub(super) fn touches(&self, ahead: usize) -> bool {
        self.at + ahead + 1 < self.tokens.len() && self.span(ahead).end == self.span(ahead + 1).start
    }

    /// Whether this is a name that no procedure of the text has.
    pub(super) fn is_free_word(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some(Token::Ident) && !self.procedures.contains(self.word(ahead))
    }

    /// Whether the token `ahead` is the first of its line.
    pub(super) fn starts_line(&self, ahead: usize) -> bool {
        self.at + ahead == 0 || starts_line(self.text, self.span(ahead))
    }

    /// The token before this place, as L has it.
    pub(super) fn before(&self) -> Option<Token> {
        self.out.last().map(|&(token, _)| token)
    }

    /// What the innermost open brace belongs to.
    pub(super) fn level(&self) -> Level {
        self.levels.last().copied().unwrap_or(Level::File)
    }

    /// Whether a statement may start here.
    pub(super) fn starts_statement(&self) -> bool {
        matches!(self.level(), Level::Block | Level::Do)
            && matches!(self.before(), Some(Token::Semicolon | Token::LeftBrace | Token::RightBrace))
    }

    /// How far ahead the bracket is that closes the one `ahead`.
    pub(super) fn closer(&self, ahead: usize) -> Option<usize> {
        let open = self.peek(ahead)?;
        let close = match open {
            Token::LeftParen => Token::RightParen,
            Token::LeftBracket => Token::RightBracket,
            _ => Token::RightBrace,
        };
        let mut depth = 0_usize;
        for at in ahead..ahead + MAX_LOOK_AHEAD {
            let token = self.peek(at)?;
            if token == open {
                depth += 1;
            } else if token == close {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            } else if open != Token::LeftBrace && matches!(token, Token::LeftBrace | Token::RightBrace) {
                return None;
            }
        }
        None
    }

    /// How far ahead the first token is, from `ahead` on, outside of brackets, that is one of these.
    pub(super) fn find(&self, ahead: usize, wanted: &[Token]) -> Option<usize> {
        let mut at = ahead;
        while at < ahead + MAX_LOOK_AHEAD {
            let token = self.peek(at)?;
            if wanted.contains(&token) {
                return Some(at);
            }
            at = match token {
                Token::LeftParen | Token::LeftBracket => self.closer(at)? + 1,
                Token::RightBrace => return None,
                _ => at + 1,
            };
        }
        None
    }

    /// How far ahead the place that starts `ahead` ends, as in `x.f[i]`.
    pub(super) fn place(&self, ahead: usize) -> Option<usize> {
        if self.peek(ahead) != Some(Token::Ident) {
            return None;
        }
        let mut end = ahead + 1;
        loop {
            end = match (self.peek(end), self.peek(end + 1)) {
                (Some(Token::Dot), Some(Token::Ident)) => end + 2,
                (Some(Token::LeftBracket), _) => self.closer(end)? + 1,
                _ => return Some(end),
            };
        }
    }

    /// The tokens of the operand just before this place, such as `x.f[i]` or `f(x).g`.
    pub(super) fn operand_before(&self) -> &[(Token, Span)] {
        let mut start = self.out.len();
        let mut wants_base = true;
        while wants_base && start > 0 && self.out.len() - start < MAX_LOOK_AHEAD {
            start -= 1;
            while matches!(self.out[start].0, Token::RightBracket | Token::RightParen) {
                let Some(open) = self.opener(start) else { return &[] };
                let Some(base) = open.checked_sub(1) else { return &self.out[open..] };
                let of_operand = matches!(self.out[base].0, Token::Ident | Token::RightBracket | Token::RightParen);
                start = if of_operand { base } else { return &self.out[open..] };
            }
            wants_base = start > 0 && self.out[start - 1].0 == Token::Dot;
            start -= usize::from(wants_base);
        }
        &self.out[start..]
    }

    /// What opens the bracket at a place before this one.
    fn opener(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (close.saturating_sub(MAX_LOOK_AHEAD)..=close).rev() {
            match self.out[at].0 {
                Token::RightBracket | Token::RightParen => depth += 1,
                Token::LeftBracket | Token::LeftParen => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                Token::Semicolon | Token::LeftBrace | Token::RightBrace => return None,
                _ => {}
            }
        }
        None
    }

    /// Whether what is before this place, but for so many tokens, ends a statement.
    pub(super) fn statement_starts_before(&self, tokens: usize) -> bool {
        let before = self.out.len().checked_sub(tokens + 1).map(|at| self.out[at].0);
        matches!(before, Some(Token::Semicolon | Token::LeftBrace | Token::RightBrace))
    }

    /// Takes tokens as they are.
    pub(super) fn copy(&mut self, count: usize) {
        for _ in 0..count {
            let Some(&(token, span)) = self.tokens.get(self.at) else { return };
            self.at += 1;
            self.put(token, span);
        }
    }

    /// Leaves tokens out.
    pub(super) fn skip(&mut self, count: usize) {
        self.at = (self.at + count).min(self.tokens.len());
    }

    /// Leaves out what was meant as a comment: all up to the end of the line.
    pub(super) fn skip_line(&mut self) -> Span {
        let span = self.span(0);
        let rest = self.text.get(span.start as usize..).unwrap_or("");
        let end = span.start + u32::try_from(rest.find('\n').unwrap_or(rest.len())).unwrap_or(0);
        while !self.at_end() && self.span(0).start < end {
            self.at += 1;
        }
        let line = Span { end, ..span };
        self.comments.push(line);
        line
    }

    /// Puts a token where another one stands.
    pub(super) fn put(&mut self, token: Token, span: Span) {
        match token {
            Token::LeftBrace => self.levels.push(self.opened()),
            Token::RightBrace => drop(self.levels.pop()),
            _ if token.starts_item() => {
                self.levels.clear();
                self.blocks_of_one.clear();
            }
            _ => {}
        }
        self.out.push((token, span));
        if token == Token::Semicolon && self.blocks_of_one.last() == Some(&self.levels.len()) {
            self.blocks_of_one.pop();
            self.put(Token::RightBrace, Span { start: span.end, ..span });
        }
    }

    /// The level that a brace opens here.
    fn opened(&self) -> Level {
        match self.out.as_slice() {
            [.., (Token::Class, _), (Token::Ident, _)] => Level::Class,
            _ => Level::Block,
        }
    }

    /// Opens the block of a `do`.
    pub(super) fn put_do(&mut self, brace: Span) {
        self.put(Token::LeftBrace, brace);
        if let Some(level) = self.levels.last_mut() {
            *level = Level::Do;
        }
    }

    /// Puts a token before the last so many.
    pub(super) fn put_before(&mut self, count: usize, tokens: &[(Token, Span)]) {
        let at = self.out.len() - count.min(self.out.len());
        self.out.splice(at..at, tokens.iter().copied());
    }

    /// The name of the class whose fields stand here.
    pub(super) fn class(&self) -> &'a str {
        let names = self.out.windows(2).rev().find(|pair| pair[0].0 == Token::Class);
        names.map_or("", |pair| self.written(pair[1].1))
    }

    /// Takes the last token away.
    pub(super) fn unput(&mut self) {
        self.out.pop();
    }

    /// The first token of the statement in front of this place.
    pub(super) fn statement_word(&self) -> Option<Token> {
        let ends = |token: Token| matches!(token, Token::Semicolon | Token::LeftBrace | Token::RightBrace);
        let near = self.out.len().saturating_sub(MAX_LOOK_AHEAD);
        let start = self.out[near..].iter().rposition(|&(token, _)| ends(token)).map_or(near, |at| near + at + 1);
        self.out.get(start).map(|&(token, _)| token)
    }

    /// Whether the parentheses just before this place are those of an `if` or a `while`.
    pub(super) fn behind_condition(&self) -> bool {
        let Some(close) = self.out.len().checked_sub(1) else { return false };
        if self.out[close].0 != Token::RightParen {
            return false;
        }
        let open = self.opener(close).and_then(|open| open.checked_sub(1));
        open.is_some_and(|at| matches!(self.out[at].0, Token::If | Token::While))
    }

    /// Opens a block that ends with the next statement.
    pub(super) fn put_block_of_one(&mut self, place: Span) {
        self.put(Token::LeftBrace, place);
        self.blocks_of_one.push(self.levels.len());
    }

    /// Whether a procedure of the text has this name.
    pub(super) fn is_procedure(&self, name: &str) -> bool {
        self.procedures.contains(name)
    }

    /// Whether a class of the text has this name.
    pub(super) fn is_class(&self, name: &str) -> bool {
        self.classes.contains(name)
    }

    /// Leaves out all lines from the next one on that are indented deeper than this one.
    pub(super) fn skip_indented(&mut self, of: Span) {
        let column = |at: u32| {
            let before = self.text.get(..at as usize).unwrap_or("");
            before.len() - before.rfind('\n').map_or(0, |line| line + 1)
        };
        let (own, mut end) = (column(of.start), self.at);
        while let Some(&(token, span)) = self.tokens.get(end) {
            if token.starts_item() || starts_line(self.text, span) && column(span.start) <= own {
                break;
            }
            end += 1;
        }
        self.at = end;
    }

    /// Says what is wrong.
    pub(super) fn report(&mut self, report: Diagnostic) {
        self.reports.push(report);
    }
}

/// The report on something that L has in another way.
pub(super) fn habit(span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new("E0108", span, message, "not in L").help(help)
}
