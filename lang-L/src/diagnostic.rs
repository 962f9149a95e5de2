//! What is wrong with the user's program, as plain data.
//!
//! In: built by the lexer, the parser and [`crate::resolve`]. Out: text, by [`crate::render`], or JSON.
//!
//! Invariant: knows nothing of how it is shown.

use crate::source::Span;

/// One thing that is wrong, with every place it concerns and a way to mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `E0201`: `E00xx` lexical, `E01xx` syntax, `E02xx` names, `E03xx` types, `E04xx` rules of use.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The place it is reported at.
    pub span: Span,
    /// What to say at that place.
    pub label: String,
    /// Other places it concerns, each with what to say there.
    pub others: Vec<(Span, String)>,
    /// How to mend it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic with one place and no help.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic { code, message: message.into(), span, label: label.into(), others: Vec::new(), help: None }
    }

    /// Adds a second place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.others.push((span, label.into()));
        self
    }

    /// Adds the way to mend it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// "no arguments", "one argument", "3 arguments"
pub(crate) fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
