//! Diagnostics to text for people.
//!
//! In: [`Diagnostic`]s and the sources their spans lie in. Out: text with the lines concerned, for a terminal.
//!
//! Invariant: this is the only file that imports `ariadne`.

use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};
use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::collections::HashMap;
use std::fmt::{self, Debug, Display};

/// The longest line that is shown; reports on longer ones name the place only.
const MAX_LINE: usize = 400;

/// The text of all diagnostics, one after the other.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut excerpts = Excerpts { sources, prepared: HashMap::new() };
    let mut out = Vec::new();
    for diagnostic in diagnostics {
        let places = std::iter::once(diagnostic.span).chain(diagnostic.others.iter().map(|(span, _)| *span));
        let shown = places.into_iter().all(|span| lines_are_short(sources, span))
            && report(diagnostic, color).write(&mut excerpts, &mut out).is_ok();
        if !shown {
            out.extend(in_words(sources, diagnostic).into_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A diagnostic as `ariadne` wants it.
fn report(diagnostic: &Diagnostic, color: bool) -> Report<'static, Place> {
    let config = Config::new().with_index_type(IndexType::Byte).with_color(color);
    let first =
        Label::new(Place(diagnostic.span)).with_message(&diagnostic.label).with_color(Color::Red).with_priority(1);
    let others = diagnostic.others.iter();
    let others = others.map(|(span, text)| Label::new(Place(*span)).with_message(text).with_color(Color::Blue));
    let mut report = Report::build(ReportKind::Error, Place(diagnostic.span))
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_label(first)
        .with_labels(others);
    if let Some(help) = &diagnostic.help {
        report.set_help(help);
    }
    report.finish()
}

/// A diagnostic without the text it is about.
fn in_words(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let at = |span: Span| format!("{}:{}:{}", sources.get(span.file).name, sources.line(span), sources.column(span));
    let mut out = format!(
        "[{}] Error: {}\n  at {}: {}\n",
        diagnostic.code,
        diagnostic.message,
        at(diagnostic.span),
        diagnostic.label
    );
    for (span, text) in &diagnostic.others {
        out.push_str(&format!("  at {}: {text}\n", at(*span)));
    }
    if let Some(help) = &diagnostic.help {
        out.push_str(&format!("  Help: {help}\n"));
    }
    out
}

/// Whether the first and the last line of a span can be shown.
fn lines_are_short(sources: &Sources, span: Span) -> bool {
    let text = sources.get(span.file).text.as_bytes();
    [span.start, span.end].into_iter().all(|at| {
        let at = (at as usize).min(text.len());
        let before = text[..at].iter().rev().take(MAX_LINE).take_while(|&&byte| byte != b'\n').count();
        let behind = text[at..].iter().take(MAX_LINE).take_while(|&&byte| byte != b'\n').count();
        before + behind < MAX_LINE
    })
}

/// A span, for `ariadne`.
struct Place(Span);

impl ariadne::Span for Place {
    type SourceId = FileId;

    fn source(&self) -> &FileId {
        &self.0.file
    }

    fn start(&self) -> usize {
        self.0.start as usize
    }

    fn end(&self) -> usize {
        self.0.end as usize
    }
}

/// The sources, cut into lines when first needed.
struct Excerpts<'a> {
    sources: &'a Sources,
    prepared: HashMap<FileId, Source<&'a str>>,
}

impl<'a> Cache<FileId> for &mut Excerpts<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, file: &FileId) -> Result<&Source<&'a str>, impl Debug> {
        let sources = self.sources;
        let prepare = || Source::from(sources.get(*file).text.as_str());
        Ok::<_, fmt::Error>(self.prepared.entry(*file).or_insert_with(prepare))
    }

    fn display<'b>(&self, file: &'b FileId) -> Option<impl Display + 'b> {
        Some(self.sources.get(*file).name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report on the one `#` in `text`.
    fn shown(text: &str) -> String {
        let mut sources = Sources::new();
        let file = sources.add("a.l", text);
        let at = text.find('#').unwrap_or(text.len());
        let span = Span::new(file, at..(at + 1).min(text.len()));
        let first = Span::new(file, 0..0);
        let report = Diagnostic::new("E0001", span, "what is wrong", "here").also(first, "also").help("do that");
        render(&sources, &[report], false)
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found = shown(text);
        assert!(!found.contains('\u{1b}'), "{found}");
        for part in expected {
            assert!(found.contains(part), "no {part:?} in\n{found}");
        }
    }

    #[test]
    fn places_are_bytes() {
        check("ä ö\n  # x", &["[E0001] Error: what is wrong", "a.l:2:3", "2 │   # x", "here", "also", "Help: do that"]);
        check("", &["what is wrong", "do that"]);
        check("x\r\n#", &["a.l:2:1"]);
    }

    #[test]
    fn long_lines_are_left_out() {
        let text = format!("{}#", "x".repeat(1_000_000));
        check(
            &text,
            &["[E0001] Error: what is wrong\n  at a.l:1:1000001: here\n  at a.l:1:1: also\n  Help: do that\n"],
        );
    }
}
