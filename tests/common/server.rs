//! `ape serve`, started, and asked over TCP.

use super::root;
use serde_json::Value as Json;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// How long an answer may take before a test gives up.
const LIMIT: Duration = Duration::from_secs(120);

/// A server at work, which ends with this.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// Where it listens, as `127.0.0.1:80`.
    pub(crate) address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What it answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in small letters.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header; empty where it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Server {
    /// One on a port that is free.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ape"))
            .current_dir(root())
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("ape can be started");
        let mut line = String::new();
        let out = process.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_string();
        Server { process, address }
    }

    /// A connection.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(LIMIT)).expect("a timeout can be set");
        stream
    }

    /// The head of a request with these headers more.
    pub(crate) fn head(&self, first: &str, headers: &[(&str, &str)]) -> String {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("{first} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\r\n", self.address)
    }

    /// A request for texts.
    pub(crate) fn question(&self, what: &str, client: &str, texts: &Json) -> String {
        let body = texts.to_string();
        let length = body.len().to_string();
        let headers = [("Content-Type", "application/json"), ("Content-Length", &length), ("Ape-Client", client)];
        self.head(&format!("POST /api/{what}"), &headers) + &body
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(self.head(&format!("GET {path}"), &[]).as_bytes())
    }

    pub(crate) fn ask(&self, what: &str, client: &str, texts: &Json) -> Answer {
        self.send(self.question(what, client, texts).as_bytes())
    }

    /// The answer to these bytes.
    pub(crate) fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // It may have refused what it has not read to its end.
        let _ = stream.write_all(bytes);
        answer(stream).unwrap_or_else(|error| panic!("no answer: {error}"))
    }
}

/// What comes on a connection until it ends.
pub(crate) fn answer(mut stream: TcpStream) -> io::Result<Answer> {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes)
        && bytes.is_empty()
    {
        return Err(error);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").ok_or_else(|| io::Error::other(format!("no head in {text:?}")))?;
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_string()));
    Ok(Answer { status, headers: lines.filter_map(header).collect(), body: body.to_string() })
}
