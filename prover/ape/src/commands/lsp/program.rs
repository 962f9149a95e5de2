//! A program as an editor shows it: the texts that make it up, and all that is known of them without a proof.
//!
//! In: a document. Out: its [`Program`], which may have a second file: the old version, or the new one.
//!
//! Invariant: whatever the texts, there is a program; one that is not legal has no unit, and says what is wrong.

use super::documents::{Document, Documents};
use super::index::{Index, Occurrence, index};
use super::position::{Encoding, Lines, starts};
use super::{types, uri};
use crate::commands::test::find;
use crate::commands::verify::pairs::{Pair, pairs};
use crate::files::load;
use crate::machine::input;
use gen_lsp_types::{Location, Position, Range, Uri};
use lang_l::ast;
use lang_l::diagnostic::Diagnostic;
use lang_l::hir::Unit;
use lang_l::parse::parse;
use lang_l::resolve::resolve;
use lang_l::source::{FileId, Sources, Span};
use lang_l::token::Comment;
use std::path::Path;
use std::sync::Arc;

/// The most procedures in a version of a program that is verified while somebody types.
const LARGEST: usize = 1000;

/// One text of a program.
pub(super) struct Text {
    /// The name of its document.
    pub(super) uri: String,
    /// The text.
    pub(super) text: String,
    /// The document's version, where it is open.
    pub(super) version: Option<i32>,
    /// Its revision, where it is open.
    revision: Option<u64>,
    /// Where its lines start.
    starts: Vec<usize>,
}

impl Text {
    fn new(uri: &str, text: String, document: Option<&Document>) -> Self {
        let (version, revision) = document.map(|document| (document.version, document.revision)).unzip();
        Text { uri: uri.to_string(), starts: starts(&text), text, version, revision }
    }
}

/// A program.
pub(super) struct Program {
    /// One text, or that of the old version and that of the new one.
    pub(super) texts: Vec<Text>,
    /// The texts, as places refer to them. They have as many bytes as the documents.
    pub(super) sources: Arc<Sources>,
    pub(super) trees: Vec<ast::File>,
    pub(super) comments: Vec<Vec<Comment>>,
    /// What is wrong.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The program, if it is legal.
    pub(super) unit: Option<Unit>,
    pub(super) index: Index,
    /// The pairs of procedures to compare, if there are two versions.
    pub(super) pairs: Vec<Pair>,
    /// What it depends on beside the texts of open documents.
    surroundings: u64,
    encoding: Encoding,
}

impl Program {
    /// The program that a document belongs to.
    pub(super) fn of(documents: &Documents, uri: &str, encoding: Encoding) -> Option<Self> {
        Some(Self::read(texts(documents, uri)?, documents.surroundings(), encoding))
    }

    fn read(texts: Vec<Text>, surroundings: u64, encoding: Encoding) -> Self {
        let mut sources = Sources::new();
        let (mut trees, mut comments, mut diagnostics) = (Vec::new(), Vec::new(), Vec::new());
        for (text, name) in texts.iter().zip(names(&texts)) {
            let id = sources.add(name, without_mark(&text.text));
            let parsed = parse(id, &sources.get(id).text);
            trees.push(parsed.file);
            comments.push(parsed.comments);
            diagnostics.extend(parsed.diagnostics);
        }
        let mut unit = None;
        if diagnostics.is_empty() {
            match resolve(&trees.iter().collect::<Vec<_>>()) {
                Ok(legal) => unit = Some(legal),
                Err(wrong) => diagnostics = wrong,
            }
        }
        let members = unit.as_ref().map(types::members).unwrap_or_default();
        let index = index(&trees, &members);
        let pairs = unit.as_ref().map(|unit| worth_proving(unit, &sources)).unwrap_or_default();
        let sources = Arc::new(sources);
        Program { texts, sources, trees, comments, diagnostics, unit, index, pairs, surroundings, encoding }
    }

    /// The same program with other texts, in the order of its own.
    pub(super) fn with_texts(&self, changed: Vec<String>) -> Self {
        let with = |(text, changed): (&Text, String)| Text::new(&text.uri, changed, None);
        Self::read(self.texts.iter().zip(changed).map(with).collect(), self.surroundings, self.encoding)
    }

    /// Whether it is still what the documents say.
    pub(super) fn is_current(&self, documents: &Documents) -> bool {
        let same = |text: &Text| documents.get(&text.uri).map(|document| document.revision) == text.revision;
        self.surroundings == documents.surroundings() && self.texts.iter().all(same)
    }

    /// Which of its texts a document is.
    pub(super) fn file(&self, uri: &str) -> Option<FileId> {
        let at = self.texts.iter().position(|text| text.uri == uri)?;
        Some(FileId(u32::try_from(at).unwrap_or(u32::MAX)))
    }

    /// The lines of one of its texts.
    pub(super) fn lines(&self, file: FileId) -> Lines<'_> {
        match self.texts.get(file.0 as usize) {
            Some(text) => Lines::known(&text.text, &text.starts, self.encoding),
            None => Lines::new("", self.encoding),
        }
    }

    /// Where a position of a document is.
    pub(super) fn offset(&self, uri: &str, position: Position) -> Option<(FileId, usize)> {
        let file = self.file(uri)?;
        Some((file, self.lines(file).offset(position)))
    }

    /// What is named at a position of a document.
    pub(super) fn named(&self, uri: &str, position: Position) -> Vec<Occurrence> {
        self.offset(uri, position).map(|(file, offset)| self.index.at(file, offset)).unwrap_or_default()
    }

    /// A place as editors count it.
    pub(super) fn range(&self, span: Span) -> Range {
        self.lines(span.file).range(span.range())
    }

    /// A place with its document.
    pub(super) fn location(&self, span: Span) -> Location {
        let uri = self.texts.get(span.file.0 as usize).map_or("", |text| &text.uri);
        Location { uri: Uri::from(uri), range: self.range(span) }
    }
}

/// A text without the mark of byte order at its start: as many bytes that mean nothing.
fn without_mark(text: &str) -> String {
    text.strip_prefix('\u{feff}').map_or_else(|| text.to_string(), |rest| format!("   {rest}"))
}

/// What messages call the texts: their last parts, as many as tell them apart.
fn names(texts: &[Text]) -> Vec<String> {
    let short = |text: &Text, parts: usize| {
        let name = uri::path(&text.uri).map_or_else(|| text.uri.clone(), |path| path.display().to_string());
        let mut last: Vec<&str> = name.rsplit('/').take(parts).collect();
        last.reverse();
        last.join("/")
    };
    for parts in 1..64 {
        let names: Vec<String> = texts.iter().map(|text| short(text, parts)).collect();
        if names.windows(2).all(|pair| pair[0] != pair[1]) {
            return names;
        }
    }
    texts.iter().map(|text| text.uri.clone()).collect()
}

/// The text of a document, and that of the other version where that is a file or a document of its own.
fn texts(documents: &Documents, uri: &str) -> Option<Vec<Text>> {
    let document = documents.get(uri)?;
    for [old, new] in uri::path(uri).map(|path| find::partners(&path)).unwrap_or_default() {
        let found = [&old, &new].map(|path| text_of(documents, path));
        if let [Some(old), Some(new)] = found
            && ![&old, &new].iter().any(|text| load::holds_a_pair(&text.uri, text.text.as_bytes()))
            && [&old, &new].iter().any(|text| text.uri == uri)
        {
            return Some(vec![old, new]);
        }
    }
    Some(vec![Text::new(uri, document.text.clone(), Some(document))])
}

/// The text of a file: as it is in the editor, or else on the disk.
fn text_of(documents: &Documents, path: &Path) -> Option<Text> {
    if let Some((uri, document)) = documents.of_path(path) {
        return Some(Text::new(uri, document.text.clone(), Some(document)));
    }
    if !path.is_file() {
        return None;
    }
    let text = String::from_utf8(input::bytes(path).ok()?).ok()?;
    Some(Text::new(&uri::uri(path), text, None))
}

/// The pairs of a program, without those of which nothing can be found out; none where there are too many.
fn worth_proving(unit: &Unit, sources: &Sources) -> Vec<Pair> {
    if unit.versions.iter().any(|version| version.procedures.len() > LARGEST) {
        return Vec::new();
    }
    pairs(unit, sources).into_iter().filter(|pair| pair.asked.defined).collect()
}
