//! The texts of a request as one program, and back from places in that program to places in the texts.
//!
//! In: what both versions share, the old version, the new one. Out: the text of a pair.
//!
//! Invariant: each text stands in the program as it is. Only a line that begins a version is put before one that has none.

use super::bounds;
use lang_l::source::FileId;
use lang_l::token::{Token, lex};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::ops::Range;

/// The texts, in the order in which they make a program.
const PANES: [&str; 3] = ["shared", "old", "new"];

/// What begins a version that does not say it.
const HEADS: [&str; 3] = ["", "version before\n", "version after\n"];

/// The texts of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Texts {
    shared: String,
    old: String,
    new: String,
}

/// The texts as one program.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) text: String,
    /// Where each text stands in it.
    parts: [Range<usize>; 3],
}

impl Texts {
    /// The texts of a pair file.
    pub(super) fn of(file: &str) -> Self {
        let mut starts = version_starts(file);
        let first = starts.next().unwrap_or(file.len());
        let second = starts.next().unwrap_or(file.len());
        let text = |range: Range<usize>| file[range].to_string();
        Texts { shared: text(0..first), old: text(first..second), new: text(second..file.len()) }
    }

    /// How many bytes they have.
    pub(super) fn len(&self) -> usize {
        self.all().map(str::len).iter().sum()
    }

    /// Whether that is more than is looked at.
    pub(super) fn are_too_long(&self) -> bool {
        self.len() > bounds::TEXT
    }

    fn all(&self) -> [&str; 3] {
        [&self.shared, &self.old, &self.new]
    }

    /// The program that they are.
    pub(super) fn program(&self) -> Program {
        let versions = self.all().map(|text| version_words(text).count());
        let pair = versions.iter().sum::<usize>() >= 2;
        let mut text = String::with_capacity(self.len() + 64);
        let parts = [0, 1, 2].map(|at| {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            if !pair && versions[at] == 0 {
                text.push_str(HEADS[at]);
            }
            let start = text.len();
            text.push_str(self.all()[at]);
            start..text.len()
        });
        Program { text, parts }
    }
}

/// Where the versions of a file begin: at the start of a line, where nothing stands before the word.
fn version_starts(file: &str) -> impl Iterator<Item = usize> {
    version_words(file).map(|start| {
        let line = file[..start].rfind('\n').map_or(0, |end| end + 1);
        if file[line..start].trim().is_empty() { line } else { start }
    })
}

fn version_words(text: &str) -> impl Iterator<Item = usize> {
    let tokens = lex(FileId(0), text).tokens.into_iter();
    let versions = tokens.filter(|(token, _)| matches!(token, Token::Version | Token::VersionUpper));
    versions.map(|(_, span)| span.start as usize)
}

impl Program {
    /// The number of the first line of each text.
    pub(super) fn lines(&self) -> Value {
        PANES.iter().zip(&self.parts).map(|(pane, part)| ((*pane).to_string(), json!(self.line(part.start)))).collect()
    }

    fn line(&self, at: usize) -> usize {
        1 + self.text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count()
    }

    /// A place of the program, as the text that it is in, and offsets there that count as JavaScript does.
    pub(super) fn place(&self, range: Range<usize>) -> Value {
        // The parser counts without a mark of byte order.
        let mark = self.text.len() - self.text.strip_prefix('\u{feff}').unwrap_or(&self.text).len();
        let (start, end) = (range.start + mark, range.end + mark);
        let at = self.parts.iter().rposition(|part| part.start <= start).unwrap_or(0);
        let part = &self.parts[at];
        let clip = |place: usize| {
            let place = place.clamp(part.start, part.end);
            (part.start..=place).rev().find(|&place| self.text.is_char_boundary(place)).unwrap_or(part.start)
        };
        let (start, end) = (clip(start), clip(end.max(start)));
        let offset = |place: usize| self.text[part.start..place].encode_utf16().count();
        json!({ "pane": PANES[at], "start": offset(start), "end": offset(end), "line": self.line(start) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(shared: &str, old: &str, new: &str) -> Texts {
        Texts { shared: shared.into(), old: old.into(), new: new.into() }
    }

    #[test]
    fn a_file_comes_apart_and_together() {
        for file in [
            "// a\nclass C { }\n\nVERSION a\nx\n  version b\ny\n",
            "version a version b",
            "",
            "procedure p() { }",
            "// version\nversion a\nversion b\nversion c\n",
        ] {
            let texts = Texts::of(file);
            assert_eq!(texts.all().concat(), file);
        }
        assert_eq!(Texts::of("s\nversion a\no\nversion b\nn"), texts("s\n", "version a\no\n", "version b\nn"));
    }

    #[test]
    fn versions_begin_somewhere() {
        let text = |shared, old, new| texts(shared, old, new).program().text;
        assert_eq!(text("", "o", "n"), "version before\no\nversion after\nn");
        assert_eq!(text("s", "o", ""), "s\nversion before\no\nversion after\n");
        assert_eq!(text("s\n", "version a\n", "n"), "s\nversion a\nversion after\nn");
        assert_eq!(text("", "version a\nversion b\n", ""), "version a\nversion b\n");
    }

    #[test]
    fn places_are_in_their_texts() {
        let program = texts("// é𝄞\n", "version a\nx", "version b").program();
        let old = program.text.find("version a").expect("it is there");
        assert_eq!(program.lines(), json!({ "shared": 1, "old": 2, "new": 4 }));
        let place = |pane: &str, start: usize, end: usize, line: usize| json!({ "pane": pane, "start": start, "end": end, "line": line });
        assert_eq!(program.place(old..old + 7), place("old", 0, 7, 2));
        assert_eq!(program.place(3..9), place("shared", 3, 6, 1));
        assert_eq!(program.place(old + 10..program.text.len()), place("old", 10, 11, 3));
        assert_eq!(program.place(program.text.len() + 5..program.text.len() + 9), place("new", 9, 9, 4));
        let marked = texts("\u{feff}x", "", "").program();
        assert_eq!(marked.place(0..1), place("shared", 1, 2, 1));
    }
}
