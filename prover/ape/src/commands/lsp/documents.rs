//! The documents that an editor has open.
//!
//! In: what it says of them. Out: their texts.
//!
//! Invariant: a change with places that are not there changes what is nearest to them.

use super::position::{Encoding, Lines};
use super::uri;
use gen_lsp_types::TextDocumentContentChangeEvent;
use std::collections::BTreeMap;
use std::path::Path;

/// An open document.
pub(super) struct Document {
    /// Its text now.
    pub(super) text: String,
    /// Its number in the order of changes, as the editor counts.
    pub(super) version: i32,
    /// As it is counted here, where no two texts have the same.
    pub(super) revision: u64,
}

/// All of them, by name.
#[derive(Default)]
pub(super) struct Documents {
    open: BTreeMap<String, Document>,
    revision: u64,
    /// How often something changed that is not the text of an open document.
    outside: u64,
}

impl Documents {
    pub(super) fn open(&mut self, uri: String, text: String, version: i32) {
        self.outside();
        self.revision += 1;
        self.open.insert(uri, Document { text, version, revision: self.revision });
    }

    pub(super) fn close(&mut self, uri: &str) {
        self.outside();
        self.open.remove(uri);
    }

    /// Says that something outside has changed, perhaps a file.
    pub(super) fn outside(&mut self) {
        self.outside += 1;
    }

    /// Changes one, if it is open.
    pub(super) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(uri) else { return };
        self.revision += 1;
        (document.version, document.revision) = (version, self.revision);
        for change in changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let lines = Lines::new(&document.text, encoding);
                    let (start, end) = (lines.offset(part.range.start), lines.offset(part.range.end));
                    document.text.replace_range(start..end.max(start), &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    document.text = whole.text;
                }
            }
        }
    }

    /// What all that is not in open documents depends on.
    pub(super) fn surroundings(&self) -> u64 {
        self.outside
    }

    pub(super) fn get(&self, uri: &str) -> Option<&Document> {
        self.open.get(uri)
    }

    /// The one that is this file, with its name.
    pub(super) fn of_path(&self, path: &Path) -> Option<(&str, &Document)> {
        let known = |uri: &str| uri::path(uri).is_some_and(|other| other == path);
        self.open.iter().find(|(uri, _)| known(uri)).map(|(uri, document)| (uri.as_str(), document))
    }

    /// The names of all that are open.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.open.keys()
    }
}
