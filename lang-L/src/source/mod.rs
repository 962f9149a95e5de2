//! Source texts and places in them.
//!
//! In: the bytes of one or more files. Out: [`Span`]s, which every later stage carries along, and which name a file, a
//! byte range in it and, by [`Sources::line`], a line.

pub mod diagnostic;
pub mod render;

use std::ops::Range;

/// Which file of a run a span lies in; an index into [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A half-open byte range in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `range` in `file`.
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: clip(range.start), end: clip(range.end) }
    }

    /// The smallest span that covers both, which must lie in the same file (else `self`).
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The byte range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One source text with the name it is reported under.
#[derive(Clone, Debug)]
pub struct Source {
    /// Usually the path as the user gave it.
    pub name: String,
    /// The whole text.
    pub text: String,
    line_starts: Vec<u32>,
}

/// All source texts of a run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text and returns its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|&(_, byte)| byte == b'\n')
                .map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)),
        );
        self.files.push(Source { name: name.into(), text, line_starts });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// The file with this id.
    ///
    /// # Panics
    /// When the id comes from other `Sources`.
    pub fn get(&self, file: FileId) -> &Source {
        &self.files[file.0 as usize]
    }

    /// All files with their ids, in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &Source)> {
        self.files.iter().enumerate().map(|(at, source)| (FileId(u32::try_from(at).unwrap_or(u32::MAX)), source))
    }

    /// The text a span covers (empty when it lies outside the file).
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.range()).unwrap_or("")
    }

    /// The 1-based line on which a span starts.
    pub fn line(&self, span: Span) -> usize {
        self.get(span.file).line_starts.partition_point(|&start| start <= span.start)
    }

    /// The 1-based column, in characters, at which a span starts.
    pub fn column(&self, span: Span) -> usize {
        let source = self.get(span.file);
        let start = source.line_starts[self.line(span) - 1] as usize;
        source.text.get(start..span.start as usize).map_or(1, |text| text.chars().count() + 1)
    }
}
