//! Habits from other languages: what is written as in C, Java, Python or Pascal, and how L says it.
//!
//! In: the tokens of a text that is not legal. Out: its tokens with such habits replaced by what L has for them, and a
//! [`Diagnostic`] for each, so that what follows is read as it was meant.
//!
//! Invariant: a legal text is never looked at, so nothing here changes what a program means.
//! Invariant: takes linear time. A search for what closes a bracket looks at a bounded number of tokens.

mod calls;
mod declarations;
mod header;
mod items;
mod loops;
mod operators;
mod pieces;
mod reader;
mod statements;

use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::token::Token;
use reader::Reader;

/// What was found.
pub(super) struct Habits {
    /// The tokens, with what L has in place of what it has not.
    pub(super) tokens: Vec<(Token, Span)>,
    /// A report for each habit.
    pub(super) reports: Vec<Diagnostic>,
    /// Stretches that were meant as comments: nothing in them is wrong.
    pub(super) comments: Vec<Span>,
}

/// Takes the tokens in front of the reader if they are such a habit; whether it did.
type Habit = fn(&mut Reader<'_>) -> bool;

/// All of them. The first that takes something wins.
const HABITS: &[Habit] = &[
    statements::comment,
    statements::capitals,
    items::in_class,
    header::procedure,
    items::in_file,
    declarations::reserved,
    statements::body_of_one,
    loops::counting,
    loops::until_false,
    statements::other_branch,
    statements::condition,
    statements::chain,
    statements::foreign,
    declarations::several,
    declarations::local,
    operators::step,
    operators::compound,
    operators::sign,
    operators::word,
    operators::number,
    calls::text,
    calls::method,
    calls::list,
    statements::empty,
];

/// Looks for habits in the tokens of a text.
pub(super) fn replaced(text: &str, tokens: &[(Token, Span)]) -> Habits {
    let mut reader = Reader::new(text, tokens);
    while !reader.at_end() {
        if !HABITS.iter().any(|habit| habit(&mut reader)) {
            reader.copy(1);
        }
    }
    reader.finish()
}
