//! Limits on nesting, checked on the tokens before anything recursive sees them.
//!
//! In: the tokens of a file. Out: a diagnostic when the tree they could make is deeper than every later stage can walk
//! recursively on an ordinary stack.
//!
//! Invariant: the bounds hold for ill-formed text too, whatever the parser's recovery makes of it. For that they count
//! cautiously: a closer closes only an opener of its own kind; `;`, `{` and `}` end all parentheses, as they do for the
//! parser; the words that start an item end everything.

use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;

/// How deep blocks, brackets, `else if`, unary operators and operators that nest to the right may nest together.
pub const MAX_NESTING: usize = 300;

/// How deep the tree of one expression may be; what counts beyond [`MAX_NESTING`] is chains such as `a + b + c`.
pub const MAX_OPERATORS: usize = 500;

/// An open bracket, or the file itself.
#[derive(Clone, Copy)]
struct Level {
    /// Its opening token; `None` for the file.
    opener: Option<Token>,
    /// The nesting at which it stands.
    base: usize,
    /// How many operators that nest to the right this part of it has; in a block, how long the `else if` chain is.
    right: usize,
    /// How many unary operators stand before the next operand.
    unary: usize,
    /// How many operators this part of it has.
    operators: usize,
    /// The deepest tree inside a bracket of this part.
    inner: usize,
    /// The deepest tree of an earlier part, as of an earlier argument.
    earlier: usize,
    /// How deep in the tree of its expression this bracket stands.
    outer: usize,
}

impl Level {
    fn new(opener: Option<Token>, base: usize, outer: usize) -> Self {
        Level { opener, base, right: 0, unary: 0, operators: 0, inner: 0, earlier: 0, outer }
    }

    fn nesting(&self) -> usize {
        self.base + self.right + self.unary
    }

    /// How deep the tree of this part can be.
    fn depth(&self) -> usize {
        self.operators + self.inner
    }

    /// Starts a new part: another argument or another statement.
    fn part(&mut self) {
        let earlier = self.earlier.max(self.depth());
        *self = Level { earlier, ..Level::new(self.opener, self.base, self.outer) };
    }
}

/// The first place where nesting is too deep, if there is one.
pub(super) fn check(tokens: &[(Token, Span)]) -> Option<Diagnostic> {
    let mut levels = vec![Level::new(None, 0, 0)];
    let mut before = None;
    for &(token, span) in tokens {
        step(&mut levels, before, token);
        before = Some(token);
        let top = levels.last()?;
        if top.nesting() > MAX_NESTING {
            return Some(
                Diagnostic::new("E0110", span, format!("nested more than {MAX_NESTING} deep"), "too deep from here on")
                    .help("move the inner part to a procedure or a local of its own"),
            );
        }
        if top.outer + top.depth() > MAX_OPERATORS {
            let message = format!("an expression with more than {MAX_OPERATORS} operators");
            return Some(
                Diagnostic::new("E0111", span, message, "too long from here on")
                    .help("compute it in several steps, with a local for each"),
            );
        }
    }
    None
}

/// Takes one token into account. `levels` is never empty.
fn step(levels: &mut Vec<Level>, before: Option<Token>, token: Token) {
    match token {
        Token::LeftParen | Token::LeftBracket => {
            let top = innermost(levels);
            // An index nests to the left; a call's arguments and a parenthesis are one node more.
            top.operators += 1;
            let (base, outer) = (top.nesting() + 1, top.outer + top.operators);
            levels.push(Level::new(Some(token), base, outer));
        }
        Token::RightParen => close(levels, Token::LeftParen),
        Token::RightBracket => close(levels, Token::LeftBracket),
        Token::LeftBrace => {
            let top = statement_level(levels);
            let base = top.base + top.right + 1;
            // What stands before a block is a finished expression.
            *top = Level { right: top.right, ..Level::new(top.opener, top.base, 0) };
            levels.push(Level::new(Some(token), base, 0));
        }
        Token::RightBrace => {
            statement_level(levels);
            if levels.len() > 1 {
                levels.pop();
            }
        }
        Token::Semicolon => statement_level(levels).part(),
        Token::Comma => innermost(levels).part(),
        Token::If if before == Some(Token::Else) => {
            let chain = statement_level(levels).right + 1;
            innermost(levels).part();
            innermost(levels).right = chain;
        }
        Token::If | Token::While => statement_level(levels).part(),
        _ if token.starts_item() => {
            levels.truncate(1);
            innermost(levels).part();
        }
        Token::Implies | Token::Question | Token::Forall | Token::Exists => {
            let top = innermost(levels);
            top.right += 1;
            top.operators += 1;
            top.unary = 0;
        }
        Token::Bang => unary(levels),
        Token::Minus if !ends_operand(before) => unary(levels),
        _ if nests_left(token) => {
            let top = innermost(levels);
            top.operators += 1;
            top.unary = 0;
        }
        _ => innermost(levels).unary = 0,
    }
}

/// Whether this token makes a chain whose tree leans left, as `a + b + c` does.
fn nests_left(token: Token) -> bool {
    matches!(
        token,
        Token::Star
            | Token::Slash
            | Token::Percent
            | Token::Plus
            | Token::Minus
            | Token::Less
            | Token::LessEqual
            | Token::Greater
            | Token::GreaterEqual
            | Token::EqualEqual
            | Token::Equal
            | Token::Assign
            | Token::BangEqual
            | Token::AndAnd
            | Token::OrOr
            | Token::Dot
    )
}

fn unary(levels: &mut [Level]) {
    let top = innermost(levels);
    top.unary += 1;
    top.operators += 1;
}

/// Whether a `-` after this token is binary.
fn ends_operand(token: Option<Token>) -> bool {
    use Token::{False, Ident, Int, Null, RightBracket, RightParen, True};
    matches!(token, Some(False | Ident | Int | Null | RightBracket | RightParen | True))
}

/// Closes the nearest `opener` of this statement and all that is open inside it, if there is one.
fn close(levels: &mut Vec<Level>, opener: Token) {
    let inside = |level: &Level| matches!(level.opener, Some(Token::LeftParen | Token::LeftBracket));
    let open = levels.iter().rev().take_while(|level| inside(level)).position(|level| level.opener == Some(opener));
    if let Some(position) = open {
        for _ in 0..=position {
            if let Some(closed) = levels.pop() {
                let top = innermost(levels);
                top.inner = top.inner.max(closed.depth()).max(closed.earlier);
            }
        }
    }
    innermost(levels).unary = 0;
}

/// Ends all open parentheses and brackets, and gives the level of the block.
fn statement_level(levels: &mut Vec<Level>) -> &mut Level {
    while matches!(innermost(levels).opener, Some(Token::LeftParen | Token::LeftBracket)) {
        levels.pop();
    }
    innermost(levels)
}

fn innermost(levels: &mut [Level]) -> &mut Level {
    levels.last_mut().expect("the level of the file is never closed")
}
