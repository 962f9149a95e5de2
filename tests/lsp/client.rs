//! A small client: it starts the real binary, and speaks with it over pipes.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait for anything.
const PATIENCE: Duration = Duration::from_secs(60);

/// An editor.
pub(crate) struct Client {
    process: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came and was not waited for.
    aside: VecDeque<Value>,
    asked: i64,
}

impl Client {
    /// A server that was told about these capabilities of its client.
    pub(crate) fn with(args: &[&str], capabilities: Value) -> (Self, Value) {
        let mut client = Self::silent(args);
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        let answer = client.request("initialize", params).expect("it can be initialised");
        client.notify("initialized", json!({}));
        (client, answer)
    }

    /// A usual one.
    pub(crate) fn new() -> Self {
        Self::with(&[], json!({})).0
    }

    /// One that verifies nothing.
    pub(crate) fn quick() -> Self {
        Self::with(&["--no-verify"], json!({})).0
    }

    /// One that was told nothing yet.
    pub(crate) fn silent(args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ape"));
        command.arg("lsp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("ape can be started");
        let output = process.stdout.take().expect("it is piped");
        let (send, messages) = channel();
        thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let input = process.stdin.take();
        Client { process, input, messages, aside: VecDeque::new(), asked: 0 }
    }

    /// Bytes as they are.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it is not over");
        // Who ended is noticed elsewhere.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer to a request.
    #[track_caller]
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.asked += 1;
        let id = json!(self.asked);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut answer = self.wait(|message| message["id"] == id && message.get("method").is_none());
        match answer.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(answer["result"].take()),
        }
    }

    /// The first message that fits.
    #[track_caller]
    pub(crate) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&fits) {
            return self.aside.remove(at).expect("it is there");
        }
        let end = Instant::now() + PATIENCE;
        loop {
            match self.messages.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(message) if fits(&message) => return message,
                Ok(message) => self.aside.push_back(message),
                Err(RecvTimeoutError::Timeout) => panic!("no answer came; but {:?}", self.aside),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone; it said {:?}", self.aside),
            }
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "l", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces a whole text.
    pub(crate) fn change(&mut self, uri: &str, version: i64, text: &str) {
        self.edit(uri, version, json!([{ "text": text }]));
    }

    pub(crate) fn edit(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The next diagnostics of a document in this version of it.
    #[track_caller]
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let message = self.wait(|message| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        });
        message["params"]["diagnostics"].as_array().cloned().expect("it is a list")
    }

    /// The lines over procedures, once all are verified.
    #[track_caller]
    pub(crate) fn verdicts(&mut self, uri: &str) -> Vec<String> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let titles = self.lenses(uri);
            if !titles.iter().any(|title| title.ends_with("verifying …")) {
                return titles;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("no verdict came");
    }

    /// The lines over procedures now.
    #[track_caller]
    pub(crate) fn lenses(&mut self, uri: &str) -> Vec<String> {
        let params = json!({ "textDocument": { "uri": uri } });
        let lenses = self.request("textDocument/codeLens", params).expect("there are lenses");
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        lenses.iter().map(|lens| lens["command"]["title"].as_str().unwrap_or_default().to_string()).collect()
    }

    /// Asks about a position.
    #[track_caller]
    pub(crate) fn at(&mut self, method: &str, uri: &str, (line, character): (usize, usize)) -> Value {
        let position = json!({ "line": line, "character": character });
        let mut params = json!({ "textDocument": { "uri": uri }, "position": position });
        if method == "textDocument/references" {
            params["context"] = json!({ "includeDeclaration": true });
        }
        self.request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Says good-bye. Returns the exit status.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null).expect("it shuts down");
        self.notify("exit", Value::Null);
        self.status()
    }

    /// Says nothing more. Returns the exit status.
    pub(crate) fn status(&mut self) -> Option<i32> {
        self.input = None;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.process.try_wait().expect("it can be waited for") {
                return status.code();
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not end");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One message of the server.
fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim_end() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ").and_then(|n| n.parse().ok()).unwrap_or(length),
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// Where a text has a word for the so-many-th time: line and column, in UTF-16.
#[track_caller]
pub(crate) fn place(text: &str, word: &str, nth: usize) -> (usize, usize) {
    let (at, _) = text.match_indices(word).nth(nth).unwrap_or_else(|| panic!("{word} is not there"));
    let line = text[..at].matches('\n').count();
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    (line, text[start..at].encode_utf16().count())
}

/// What stands in a range of a text, which is on one line.
pub(crate) fn covered(text: &str, range: &Value) -> String {
    let line = text.lines().nth(range["start"]["line"].as_u64().unwrap_or(0) as usize).unwrap_or("");
    let units: Vec<u16> = line.encode_utf16().collect();
    let number = |end: &str| (range[end]["character"].as_u64().unwrap_or(0) as usize).min(units.len());
    let (start, end) = (number("start"), number("end"));
    String::from_utf16_lossy(units.get(start..end.max(start)).unwrap_or(&[]))
}
