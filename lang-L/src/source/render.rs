//! Diagnostics to text for people.
//!
//! In: [`Diagnostic`]s and the sources their spans lie in. Out: text with the lines concerned, for a terminal.
//!
//! Invariant: this is the only file that imports `ariadne`.

use crate::source::diagnostic::Diagnostic;
use crate::source::{FileId, Sources, Span};
use ariadne::{Cache, Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::collections::HashMap;
use std::fmt::{self, Debug, Display};

/// The longest line that is shown; reports on longer ones name the place only.
const MAX_LINE: usize = 400;

/// The text of all diagnostics, one after the other.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut excerpts = Excerpts { sources, prepared: HashMap::new(), lines: HashMap::new() };
    let mut out = Vec::new();
    for diagnostic in diagnostics {
        let places = std::iter::once(diagnostic.span).chain(diagnostic.others.iter().map(|(span, _)| *span));
        let shown = places.into_iter().all(|span| lines_are_short(sources, span))
            && report(diagnostic, &mut excerpts, color).write(&mut excerpts, &mut out).is_ok();
        if !shown {
            out.extend(in_words(sources, diagnostic).into_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A diagnostic as `ariadne` wants it.
///
/// `ariadne` shows places that follow each other in a file in one excerpt, and heads every excerpt of the file of the first place
/// with that place. So other places that are not in its excerpt are given as those of another file, which has the same text.
fn report(diagnostic: &Diagnostic, excerpts: &mut Excerpts<'_>, color: bool) -> Report<'static, Place> {
    let sources = excerpts.sources;
    let first = diagnostic.span;
    let last_line = |span: Span| sources.line(Span { start: span.end.saturating_sub(1).max(span.start), ..span });
    let follows = |span: Span| span.file == first.file && last_line(span) >= last_line(first);
    let (mut behind, elsewhere): (Vec<_>, Vec<_>) = diagnostic.others.iter().partition(|(span, _)| follows(*span));
    behind.sort_by_key(|(span, _)| last_line(*span));

    let config = Config::new().with_index_type(IndexType::Char).with_color(color);
    let main = excerpts.place(first, Excerpt::First);
    let mut report = Report::build(ReportKind::Error, main.clone())
        .with_config(config)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_label(Label::new(main).with_message(&diagnostic.label).with_color(Color::Red).with_priority(1));
    for (others, excerpt) in [(behind, Excerpt::First), (elsewhere, Excerpt::Other)] {
        for (span, text) in others {
            report.add_label(Label::new(excerpts.place(*span, excerpt)).with_message(text).with_color(Color::Blue));
        }
    }
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

/// Where a place is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Excerpt {
    /// With the first place.
    First,
    /// In an excerpt of its own.
    Other,
}

/// A span in characters, for `ariadne`.
#[derive(Clone)]
struct Place {
    shown: (FileId, Excerpt),
    start: usize,
    end: usize,
}

impl ariadne::Span for Place {
    type SourceId = (FileId, Excerpt);

    fn source(&self) -> &Self::SourceId {
        &self.shown
    }

    fn start(&self) -> usize {
        self.start
    }

    fn end(&self) -> usize {
        self.end
    }
}

/// The sources, cut into lines when first needed.
struct Excerpts<'a> {
    sources: &'a Sources,
    prepared: HashMap<FileId, Source<&'a str>>,
    /// At which byte and at which character each line starts.
    lines: HashMap<FileId, Vec<(usize, usize)>>,
}

impl Excerpts<'_> {
    fn place(&mut self, span: Span, excerpt: Excerpt) -> Place {
        let (start, end) = (span.start as usize, span.end as usize);
        Place {
            shown: (span.file, excerpt),
            start: self.character(span.file, start),
            end: self.character(span.file, end),
        }
    }

    /// How many characters stand before a byte.
    fn character(&mut self, file: FileId, byte: usize) -> usize {
        let text = &self.sources.get(file).text;
        let lines = self.lines.entry(file).or_insert_with(|| {
            let mut lines = vec![(0, 0)];
            for line in text.split_inclusive('\n') {
                let (bytes, characters) = lines.last().copied().unwrap_or_default();
                lines.push((bytes + line.len(), characters + line.chars().count()));
            }
            lines
        });
        let at = lines.partition_point(|(start, _)| *start <= byte).saturating_sub(1);
        let (start, before) = lines[at];
        before + text[start..].char_indices().take_while(|(offset, _)| start + offset < byte).count()
    }
}

impl<'a> Cache<(FileId, Excerpt)> for &mut Excerpts<'a> {
    type Storage = &'a str;

    fn fetch(&mut self, (file, _): &(FileId, Excerpt)) -> Result<&Source<&'a str>, impl Debug> {
        let sources = self.sources;
        let prepare = || Source::from(sources.get(*file).text.as_str());
        Ok::<_, fmt::Error>(self.prepared.entry(*file).or_insert_with(prepare))
    }

    fn display<'b>(&self, (file, _): &'b (FileId, Excerpt)) -> Option<impl Display + 'b> {
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

    /// Each place is headed with its own line, also in another file and behind letters of several bytes.
    #[test]
    fn every_place_has_its_own_heading() {
        let mut sources = Sources::new();
        let first = sources.add("a.l", "ä\nä\nä\nä\nx");
        let second = sources.add("b.l", "ä\nä\nyy y\n");
        let at = |file, from: usize| Span::new(file, from..from + 1);
        let report = Diagnostic::new("E0301", at(first, 12), "wrong", "here").also(at(second, 9), "there");
        let found = render(&sources, &[report], false);
        assert!(found.contains("a.l:5:1") && found.contains("b.l:3:4"), "{found}");
        let far = sources.add("c.l", "x\n\n\n\n\n\n\n\ny");
        let report = Diagnostic::new("E0301", at(far, 9), "wrong", "here").also(at(far, 0), "there");
        let found = render(&sources, &[report.also(at(second, 9), "and there")], false);
        assert!(found.contains("c.l:9:1") && found.contains("c.l:1:1") && found.contains("b.l:3:4"), "{found}");
        let ordered = Diagnostic::new("E0301", at(far, 0), "wrong", "here").also(at(far, 9), "there");
        let found = render(&sources, &[ordered], false);
        assert!(found.contains("c.l:1:1") && !found.contains("c.l:9:1"), "one excerpt is enough: {found}");
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
