//! What is wrong with the user's program, as plain data.
//!
//! In: built by the lexer, the parser and [`crate::resolve`]. Out: text, by [`crate::source::render`], or JSON.
//!
//! Invariant: knows nothing of how it is shown.

use crate::source::{FileId, Sources, Span};

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
    /// The same as a change of the text, where it is one.
    pub fix: Option<Fix>,
}

/// A change of the text that mends something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, for a menu.
    pub title: String,
    /// The text that goes; empty where something is put in.
    pub span: Span,
    /// The text that comes.
    pub text: String,
    /// Whether nothing else can have been meant, so that it may be done without asking.
    pub certain: bool,
}

impl Diagnostic {
    /// A diagnostic with one place and no help.
    pub fn new(code: &'static str, span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            span,
            label: label.into(),
            others: Vec::new(),
            help: None,
            fix: None,
        }
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

    /// Adds a change that mends it for certain.
    #[must_use]
    pub fn replace(mut self, span: Span, text: &str) -> Self {
        let title = if span.start == span.end { format!("add `{text}`") } else { format!("write `{text}`") };
        self.fix = Some(Fix { title, span, text: text.to_owned(), certain: true });
        self
    }

    /// Adds a change that may be what was meant.
    #[must_use]
    pub fn propose(mut self, span: Span, text: &str) -> Self {
        self = self.replace(span, text);
        if let Some(fix) = &mut self.fix {
            fix.certain = false;
        }
        self
    }

    /// Proposes another name for the one at its place, if there is one that is near.
    pub(crate) fn suggest(&mut self, name: Option<&str>) {
        self.help = name.map(|name| format!("did you mean `{name}`?"));
        let fix = |name: &str| Fix {
            title: format!("write `{name}`"),
            span: self.span,
            text: name.to_owned(),
            certain: false,
        };
        self.fix = name.map(fix);
    }
}

impl Sources {
    /// Adds the bytes of a file, which may be anything; a byte order mark at the start is left out.
    ///
    /// When the bytes are not UTF-8, or too many, there is a diagnostic as well. The text of the file then serves only for
    /// the diagnostic to point into; it is not what the bytes say.
    pub fn add_bytes(&mut self, name: impl Into<String>, bytes: &[u8]) -> (FileId, Option<Diagnostic>) {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if u32::try_from(bytes.len()).is_err() {
            let file = self.add(name, "");
            let report = Diagnostic::new("E0005", Span::new(file, 0..0), "the file is larger than 4 GiB", "not read");
            return (file, Some(report));
        }
        let file = self.add(name, String::from_utf8_lossy(bytes));
        let report = std::str::from_utf8(bytes).err().map(|error| {
            let at = error.valid_up_to();
            let message = format!("the file is not UTF-8 text: byte {at} cannot be read");
            Diagnostic::new("E0005", Span::new(file, at..at), message, "first here").help("save it as UTF-8")
        });
        (file, report)
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
