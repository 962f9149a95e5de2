//! What a solver process and its client say to each other.
//!
//! A request is a length, as four bytes, and so much JSON; a question's says how long the text is, which follows. A reply is
//! a line of JSON.
//!
//! Invariant: a request is read to its end and no further, for the next one may be for another process.
//! Invariant: what is not a whole question or reply is an error, and nothing else is ever made of it.

use crate::solve::{Answer, Logic, Question, SolverFailure};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::time::Duration;

/// What comes back.
pub(super) type Reply = Result<Answer, SolverFailure>;

/// A request that was read.
pub(super) enum Request {
    /// Decide this.
    Decide(Received),
    /// What is asked next belongs to another task: let another process answer it.
    Next,
    /// There are no more.
    End,
}

/// A question that was read.
pub(super) struct Received {
    smt2: String,
    header: Header,
}

#[derive(Serialize, Deserialize)]
enum Line {
    Decide(Header),
    Next,
}

#[derive(Serialize, Deserialize)]
struct Header {
    length: usize,
    logic: Logic,
    rlimit: u32,
    clock: Duration,
    seed: u32,
}

impl Received {
    pub(super) fn question(&self) -> Question<'_> {
        let Header { logic, rlimit, clock, seed, .. } = self.header;
        Question { smt2: &self.smt2, logic, rlimit, clock, seed, task: None }
    }
}

/// Writes a question.
pub(super) fn ask(to: &mut impl Write, question: &Question<'_>) -> io::Result<()> {
    let Question { smt2, logic, rlimit, clock, seed, task: _ } = *question;
    let header = Header { length: smt2.len(), logic, rlimit, clock, seed };
    send(to, &Line::Decide(header), smt2)
}

/// Writes that another process is to go on.
pub(super) fn next(to: &mut impl Write) -> io::Result<()> {
    send(to, &Line::Next, "")
}

fn send(to: &mut impl Write, line: &Line, text: &str) -> io::Result<()> {
    let line = serde_json::to_vec(line)?;
    let length = u32::try_from(line.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_be_bytes(), line.as_slice(), text.as_bytes()].concat())?;
    to.flush()
}

/// Reads a request.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Request> {
    let length = take(from, 4)?;
    let Ok(length) = <[u8; 4]>::try_from(length.as_slice()) else {
        return if length.is_empty() { Ok(Request::End) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
    };
    let line = take(from, u32::from_be_bytes(length).into())?;
    let header = match serde_json::from_slice(&line)? {
        Line::Decide(header) => header,
        Line::Next => return Ok(Request::Next),
    };
    let text = take(from, header.length as u64)?;
    if text.len() != header.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let smt2 = String::from_utf8(text).map_err(io::Error::other)?;
    Ok(Request::Decide(Received { smt2, header }))
}

/// So many bytes, or fewer where there are no more.
fn take(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a reply, at once, so that it comes whole or not at all.
pub(super) fn reply(to: &mut impl Write, reply: &Reply) -> io::Result<()> {
    let mut message = serde_json::to_vec(reply)?;
    message.push(b'\n');
    to.write_all(&message)?;
    to.flush()
}

/// Reads a reply from a line.
pub(super) fn parse_reply(line: &[u8]) -> io::Result<Reply> {
    Ok(serde_json::from_slice(line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUESTION: Question<'static> = Question {
        smt2: "(assert true)\nä",
        logic: Logic::ByTriggers,
        rlimit: 7,
        clock: Duration::from_millis(1500),
        seed: 3,
        task: None,
    };

    #[test]
    fn requests_are_read_to_their_end_and_no_further() {
        let mut stream = Vec::new();
        ask(&mut stream, &QUESTION).expect("a vector takes everything");
        next(&mut stream).expect("a vector takes everything");
        ask(&mut stream, &QUESTION).expect("a vector takes everything");
        let mut rest = stream.as_slice();
        for _ in 0..2 {
            let Ok(Request::Decide(received)) = receive(&mut rest) else { panic!("no question") };
            assert_eq!(format!("{:?}", received.question()), format!("{QUESTION:?}"));
            assert!(matches!(receive(&mut rest), Ok(Request::Next | Request::End)));
        }
        assert!(matches!(receive(&mut rest), Ok(Request::End)));
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let mut stream = Vec::new();
        ask(&mut stream, &QUESTION).expect("a vector takes everything");
        for length in 1..stream.len() {
            assert!(receive(&mut &stream[..length]).is_err(), "{length} bytes");
        }
        assert!(receive(&mut [0, 0, 0, 1, b'x'].as_slice()).is_err());
        assert!(parse_reply(b"{\"Ok\":\"Hol").is_err());
    }

    #[test]
    fn replies_come_back_as_they_were() {
        let unknown = Answer::Unknown("a \"reason\"\nin lines".into());
        for one in [Ok(Answer::Holds), Ok(unknown), Err(SolverFailure("killed".into()))] {
            let mut line = Vec::new();
            reply(&mut line, &one).expect("a vector takes everything");
            assert_eq!(parse_reply(&line).expect("a reply"), one);
        }
    }
}
