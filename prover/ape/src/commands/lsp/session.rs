//! What is known of the documents that an editor has open.
//!
//! In: documents as they change, and verdicts. Out: programs, read when somebody asks for them and they have changed.

use super::board::Board;
use super::documents::Documents;
use super::position::Encoding;
use super::program::Program;
use lsp_server::ErrorCode;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why a request has no result.
pub(super) struct Refusal {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into() }
    }
}

/// Documents, and all that is known of them.
#[derive(Default)]
pub(super) struct Session {
    pub(super) documents: Documents,
    /// The verdicts.
    pub(super) board: Board,
    pub(super) encoding: Encoding,
    /// Whether somebody verifies.
    pub(super) verifies: bool,
    /// The programs of open documents, by the names of these.
    programs: BTreeMap<String, Arc<Program>>,
    /// The last of them that was legal.
    legal: BTreeMap<String, Arc<Program>>,
}

impl Session {
    pub(super) fn new(verifies: bool) -> Self {
        Session { verifies, ..Session::default() }
    }

    /// A document is no longer open. Returns the program that it belonged to.
    pub(super) fn close(&mut self, uri: &str) -> Option<Arc<Program>> {
        self.documents.close(uri);
        self.legal.remove(uri);
        self.programs.remove(uri)
    }

    /// The program that an open document belongs to.
    pub(super) fn program(&mut self, uri: &str) -> Option<Arc<Program>> {
        if let Some(program) = self.programs.get(uri)
            && program.is_current(&self.documents)
        {
            return Some(Arc::clone(program));
        }
        let program = Arc::new(Program::of(&self.documents, uri, self.encoding)?);
        for text in program.texts.iter().filter(|text| text.version.is_some()) {
            self.programs.insert(text.uri.clone(), Arc::clone(&program));
            if program.unit.is_some() {
                self.legal.insert(text.uri.clone(), Arc::clone(&program));
            }
        }
        Some(program)
    }

    /// The last program of a document that was legal.
    pub(super) fn legal(&self, uri: &str) -> Option<Arc<Program>> {
        self.legal.get(uri).cloned()
    }
}
