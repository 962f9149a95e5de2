//! What an editor asks, answered in the order in which it asks.
//!
//! In: messages, and verdicts as they are found. Out: messages.
//!
//! Invariant: each request is answered once, if only by an error; a bug of ours in one costs that one alone.
//! Invariant: verification of code that is no longer there is stopped at once.

use super::position::Encoding;
use super::program::Program;
use super::session::{Refusal, Session};
use super::wire::Received;
use super::worker::{Cards, Task};
use super::{answers, mistakes};
use crate::commands::verify::pairs::{Pair, groups};
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, PublishDiagnosticsParams, Uri,
};
use lsp_server::{ErrorCode, Message, Notification, Request};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use smt::stop::{Reason, Stop};
use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long after the last change it is before procedures are verified.
const PAUSE: Duration = Duration::from_millis(250);

/// What happens.
pub(super) enum Event {
    /// The editor has sent something.
    Read(Received),
    /// Some pairs were verified.
    Found(Cards),
}

/// How far the conversation has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Start,
    Open,
    ShutDown,
    /// Over; whether it ended as it should.
    Over(bool),
}

/// What is being verified.
struct Running {
    stop: Stop,
    keys: BTreeSet<String>,
}

/// All that is known of the editor and its documents.
pub(super) struct Server {
    session: Session,
    phase: Phase,
    /// Documents of which something has to be said again.
    dirty: BTreeSet<String>,
    /// Documents of which something wrong was said.
    published: BTreeSet<String>,
    /// When to begin to verify.
    due: Option<Instant>,
    running: Option<Running>,
    /// Who verifies; nobody, where that is not wanted.
    tasks: Option<Sender<Task>>,
    /// Whether the editor can be told that verdicts have changed.
    refreshes: bool,
    asked: u32,
    out: Vec<Value>,
}

impl Server {
    pub(super) fn new(tasks: Option<Sender<Task>>) -> Self {
        Server {
            session: Session::new(tasks.is_some()),
            phase: Phase::Start,
            dirty: BTreeSet::new(),
            published: BTreeSet::new(),
            due: None,
            running: None,
            tasks,
            refreshes: false,
            asked: 0,
            out: Vec::new(),
        }
    }

    /// When something is to be done, if nothing happens before.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Whether it is over, and then whether it ended as it should.
    pub(super) fn over(&self) -> Option<bool> {
        match self.phase {
            Phase::Over(well) => Some(well),
            _ => None,
        }
    }

    /// What is to be sent.
    pub(super) fn outgoing(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.out)
    }

    /// Something happens.
    pub(super) fn take(&mut self, event: Event) {
        if self.over().is_some() {
            return;
        }
        match event {
            Event::Read(Received::Message(Message::Request(request))) => self.request(request),
            Event::Read(Received::Message(Message::Notification(note))) => {
                // The hook has told of the bug. There is nobody to answer.
                let _ = catch_unwind(AssertUnwindSafe(|| self.notification(note)));
            }
            Event::Read(Received::Message(Message::Response(_))) => {}
            Event::Read(Received::Garbled(why)) => {
                let error = json!({ "code": ErrorCode::ParseError as i32, "message": why });
                self.out.push(json!({ "jsonrpc": "2.0", "id": null, "error": error }));
            }
            Event::Read(Received::End) => self.phase = Phase::Over(false),
            Event::Found(cards) => self.found(cards),
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        let bug = |_| Err(Refusal::new(ErrorCode::InternalError, "an internal error of ape; please report it"));
        self.out.push(match answer.unwrap_or_else(bug) {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(Refusal { code, message }) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
            }
        });
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, Refusal> {
        match (self.phase, method) {
            (Phase::Start, "initialize") => {
                self.phase = Phase::Open;
                Ok(self.initialize(&params))
            }
            (Phase::Start, _) => Err(Refusal::new(ErrorCode::ServerNotInitialized, "`initialize` comes first")),
            (Phase::Open, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.cancel();
                Ok(Value::Null)
            }
            (Phase::Open, "initialize") => Err(Refusal::new(ErrorCode::InvalidRequest, "it is initialised already")),
            (Phase::Open, _) => answers::answer(&mut self.session, method, params),
            (Phase::ShutDown | Phase::Over(_), _) => {
                Err(Refusal::new(ErrorCode::InvalidRequest, "it was told to shut down"))
            }
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        // Not as a typed message: what else a client can do is no reason to refuse it.
        let offered = params.pointer("/capabilities/general/positionEncodings").and_then(Value::as_array);
        self.session.encoding = Encoding::negotiated(offered.into_iter().flatten().filter_map(Value::as_str));
        let refreshes = params.pointer("/capabilities/workspace/codeLens/refreshSupport");
        self.refreshes = refreshes.and_then(Value::as_bool) == Some(true);
        answers::capabilities(self.session.encoding)
    }

    fn notification(&mut self, note: Notification) {
        let Notification { method, params } = note;
        match (self.phase, method.as_str()) {
            (phase, "exit") => self.phase = Phase::Over(phase == Phase::ShutDown),
            (Phase::Open, "textDocument/didOpen") => {
                if let Some(DidOpenTextDocumentParams { text_document: document }) = read(params) {
                    let uri = document.uri.to_string();
                    self.session.documents.open(uri.clone(), document.text, document.version);
                    self.dirty.insert(uri);
                }
            }
            (Phase::Open, "textDocument/didChange") => {
                if let Some(DidChangeTextDocumentParams { text_document, content_changes }) = read(params) {
                    let uri = text_document.text_document_identifier.uri.to_string();
                    self.session.documents.change(&uri, text_document.version, content_changes, self.session.encoding);
                    self.dirty.insert(uri);
                }
            }
            (Phase::Open, "textDocument/didClose") => {
                if let Some(DidCloseTextDocumentParams { text_document }) = read(params) {
                    self.close(text_document.uri.as_ref());
                }
            }
            (Phase::Open, "textDocument/didSave" | "workspace/didChangeWatchedFiles") => {
                self.session.documents.outside();
                self.dirty.extend(self.session.documents.names().cloned());
            }
            _ => {}
        }
    }

    fn close(&mut self, uri: &str) {
        let program = self.session.close(uri);
        self.publish(uri, None, Vec::new());
        if let Some(program) = program {
            for text in &program.texts {
                match self.session.documents.get(&text.uri) {
                    Some(_) => drop(self.dirty.insert(text.uri.clone())),
                    None if self.published.contains(&text.uri) => self.publish(&text.uri, None, Vec::new()),
                    None => {}
                }
            }
        }
    }

    /// Does what is due: says what is wrong with what has changed, and has it verified after a pause.
    pub(super) fn settle(&mut self, now: Instant) {
        if self.phase != Phase::Open {
            return;
        }
        // The hook has told of the bug; the next change is looked at again.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let dirty = std::mem::take(&mut self.dirty);
            if !dirty.is_empty() {
                dirty.iter().for_each(|uri| self.say(uri));
                self.due = self.tasks.as_ref().map(|_| now + PAUSE);
                self.stop_what_nobody_wants();
            }
            if self.due.is_some_and(|due| due <= now) {
                self.due = None;
                self.verify();
            }
        }));
    }

    /// Says what there is to say of the program that a document belongs to.
    fn say(&mut self, uri: &str) {
        let Some(program) = self.session.program(uri) else { return };
        for text in &program.texts {
            let file = program.file(&text.uri).unwrap_or_default();
            let found = mistakes::of(&program, &self.session.board, file);
            if text.version.is_some() || !found.is_empty() || self.published.contains(&text.uri) {
                self.publish(&text.uri, text.version, found);
            }
        }
    }

    fn publish(&mut self, uri: &str, version: Option<i32>, diagnostics: Vec<gen_lsp_types::Diagnostic>) {
        if diagnostics.is_empty() {
            self.published.remove(uri);
        } else {
            self.published.insert(uri.to_string());
        }
        let params = PublishDiagnosticsParams { uri: Uri::from(uri), version, diagnostics };
        self.out.push(json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params }));
    }

    /// The pairs of all open documents whose verdict is not known, each once.
    fn wanted(&mut self) -> Vec<(Arc<Program>, Vec<Pair>)> {
        let names: Vec<String> = self.session.documents.names().cloned().collect();
        let mut seen = BTreeSet::new();
        let mut wanted = Vec::new();
        for uri in names {
            let Some(program) = self.session.program(&uri) else { continue };
            let new = |pair: &&Pair| self.session.board.of(pair).is_none() && seen.insert(pair.key.clone());
            let pairs: Vec<Pair> = program.pairs.iter().filter(new).cloned().collect();
            if !pairs.is_empty() {
                wanted.push((program, pairs));
            }
        }
        wanted
    }

    fn stop_what_nobody_wants(&mut self) {
        let Some(running) = self.running.take() else { return };
        let wanted: BTreeSet<String> =
            self.wanted().into_iter().flat_map(|(_, pairs)| pairs).map(|pair| pair.key).collect();
        if running.keys.is_subset(&wanted) {
            self.running = Some(running);
        } else {
            running.stop.request(Reason::Interrupted);
        }
    }

    fn cancel(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.request(Reason::Interrupted);
        }
    }

    /// Has verified what is not known.
    fn verify(&mut self) {
        if self.running.is_some() {
            return;
        }
        let (mut parts, mut keys) = (VecDeque::new(), BTreeSet::new());
        for (program, pairs) in self.wanted() {
            let Some(unit) = &program.unit else { continue };
            keys.extend(pairs.iter().map(|pair| pair.key.clone()));
            parts.extend(groups(unit, pairs).into_iter().map(|group| (Arc::clone(&program.sources), group)));
        }
        if parts.is_empty() {
            return;
        }
        let stop = Stop::new();
        let task = Task { groups: parts, stop: stop.clone() };
        if self.tasks.as_ref().is_some_and(|tasks| tasks.send(task).is_ok()) {
            self.running = Some(Running { stop, keys });
        }
    }

    /// Some pairs were verified.
    fn found(&mut self, cards: Cards) {
        if let Some(running) = &mut self.running {
            let found: BTreeSet<&String> = cards.iter().map(|(key, _)| key).collect();
            running.keys.retain(|key| !found.contains(key));
            if running.keys.is_empty() {
                self.running = None;
                self.due = Some(Instant::now());
            }
        }
        if cards.is_empty() {
            return;
        }
        self.session.board.put(cards);
        let names: Vec<String> = self.session.documents.names().cloned().collect();
        names.iter().for_each(|uri| self.say(uri));
        if self.refreshes {
            self.asked += 1;
            let id = format!("ape-{}", self.asked);
            self.out.push(json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/codeLens/refresh" }));
        }
    }
}

/// The parameters of a message; nothing where they are not what they should be.
fn read<P: DeserializeOwned>(params: Value) -> Option<P> {
    serde_json::from_value(params).ok()
}
