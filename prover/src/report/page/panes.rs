//! Which parts of the sources stand beside each other.
//!
//! In: the sources of a program. Out: a pane for each version, and one for what both share.
//!
//! Of one file the first version ends where the second begins. What comes before the first version is both's.
//!
//! Invariant: no place of a source is in two panes.

use super::super::Subject;
use super::words::visible;
use crate::budget::page::MAX_SOURCE;
use lang_l::source::{FileId, Source, Sources, Span};
use lang_l::token::{Token, lex};
use std::ops::Range;

/// A part of a source.
pub(super) struct Pane<'a> {
    /// A letter for names of elements.
    pub(super) key: char,
    /// What stands over it.
    pub(super) title: String,
    pub(super) file: FileId,
    pub(super) source: &'a Source,
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// How many lines of it are left out at its end.
    pub(super) left_out: usize,
}

/// The parts of the sources of a program.
pub(super) struct Panes<'a> {
    /// What both versions share, then one for each version.
    pub(super) all: Vec<Pane<'a>>,
    sources: &'a Sources,
}

impl<'a> Panes<'a> {
    /// Those of a program that is one of so many on its page.
    pub(super) fn of(subject: Subject<'a>, programs: usize) -> Self {
        let titles = [0, 1].map(|version| subject.version_name(version));
        let files: Vec<(FileId, &Source)> = subject.sources.iter().collect();
        let mut all = Vec::new();
        let mut pane = |key, title: &str, (file, source): (FileId, &'a Source), range: Range<usize>| {
            all.push(Pane { key, title: visible(title), file, source, range, left_out: 0 });
        };
        match files.as_slice() {
            [] => {}
            [only] => {
                let [first, second] = starts(only.0, &only.1.text);
                if !only.1.text[..first].trim().is_empty() {
                    pane('s', "both versions", *only, 0..first);
                }
                pane('a', &titles[0], *only, first..second);
                pane('b', &titles[1], *only, second..only.1.text.len());
            }
            [left, right, ..] => {
                for (key, title, file) in [('a', &titles[0], left), ('b', &titles[1], right)] {
                    pane(key, &format!("{title}, {}", file.1.name), *file, 0..file.1.text.len());
                }
            }
        }
        let share = (all.len() * programs).max(1);
        all.iter_mut().for_each(|pane| pane.shorten(share));
        Panes { all, sources: subject.sources }
    }

    /// The pane that a place is in.
    pub(super) fn at(&self, span: Span) -> Option<&Pane<'a>> {
        self.all.iter().find(|pane| pane.file == span.file && pane.range.contains(&(span.start as usize)))
    }

    /// The name of the line that a place is on; nothing where that is left out.
    pub(super) fn line_id(&self, program: usize, span: Span) -> Option<String> {
        Some(line_id(program, self.at(span)?.key, self.sources.line(span)))
    }
}

/// The name of a line.
pub(super) fn line_id(program: usize, key: char, line: usize) -> String {
    format!("p{program}{key}{line}")
}

/// Where the two versions of a file begin.
fn starts(file: FileId, text: &str) -> [usize; 2] {
    let tokens = lex(file, text).tokens.into_iter();
    let versions = tokens.filter(|(token, _)| matches!(token, Token::Version | Token::VersionUpper));
    let mut starts = versions.map(|(_, span)| {
        let start = span.start as usize;
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        // Versions may share a line.
        if text[line..start].trim().is_empty() { line } else { start }
    });
    let first = starts.next().unwrap_or(0);
    [first, starts.next().unwrap_or(text.len())]
}

impl Pane<'_> {
    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.source.text[self.range.clone()]
    }

    /// Takes white space off its end, and what is more than its share of a page.
    fn shorten(&mut self, share: usize) {
        let (bytes, lines) = (MAX_SOURCE.0 / share, (MAX_SOURCE.1 / share).max(1));
        let text = self.text().trim_end();
        let by_lines = text.match_indices('\n').nth(lines - 1).map_or(text.len(), |(at, _)| at);
        let mut end = by_lines.min(text.len());
        if end > bytes {
            end = (0..=bytes).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            end = text[..end].rfind('\n').unwrap_or(end);
        }
        self.left_out = if end < text.len() { text[end..].lines().count().max(2) - 1 } else { 0 };
        self.range.end = self.range.start + end;
    }
}
