//! Messages as bytes.
//!
//! In: what an editor sends. Out: its messages, one by one; and back.
//!
//! Invariant: whatever the bytes, what comes out is a message, or says what is wrong; no length that is claimed is believed
//! before so much was read.

use lsp_server::Message;
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// The largest message that is read, in bytes.
const LARGEST: u64 = 64 << 20;

/// The longest line of a header that is read, in bytes.
const LONGEST_LINE: u64 = 4096;

/// What was read.
pub(super) enum Received {
    /// A message.
    Message(Message),
    /// Something else, and what is wrong with it. What follows may be fine.
    Garbled(String),
    /// The other side has stopped writing.
    End,
}

/// Reads the next message.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Received> {
    let Some(length) = header(input)? else { return Ok(Received::End) };
    let Some(length) = length else { return Ok(Received::Garbled("a message without `Content-Length`".into())) };
    if length > LARGEST {
        io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(Received::Garbled(format!("a message of more than {} MiB", LARGEST >> 20)));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(Received::End);
    }
    Ok(serde_json::from_slice(&body).map_or_else(|wrong| Received::Garbled(wrong.to_string()), Received::Message))
}

/// The length that a header gives, if it gives one; `None` at the end of all.
fn header(input: &mut impl BufRead) -> io::Result<Option<Option<u64>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Ok(Some(length));
        }
        let field = line.split_once(':').filter(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"));
        if let Some((_, value)) = field {
            length = value.trim().parse().ok();
        }
    }
}

/// Writes a message.
pub(super) fn write(out: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of some bytes: methods, `?` for what is no message.
    fn all(mut bytes: &[u8]) -> String {
        let mut seen = String::new();
        while let Ok(read) = read(&mut bytes) {
            match read {
                Received::Message(Message::Notification(message)) => seen.push_str(&message.method),
                Received::Message(_) => seen.push('!'),
                Received::Garbled(_) => seen.push('?'),
                Received::End => break,
            }
        }
        seen
    }

    #[test]
    fn what_is_no_message_costs_no_more_than_itself() {
        let good = "Content-Length: 14\r\n\r\n{\"method\":\"a\"}";
        assert_eq!(all(good.repeat(2).as_bytes()), "aa");
        assert_eq!(all(format!("content-length:14\r\nX: y\r\n\r\n{{\"method\":\"b\"}}{good}").as_bytes()), "ba");
        assert_eq!(all(format!("\r\n{good}").as_bytes()), "?a");
        assert_eq!(all(format!("Content-Length: 3\r\n\r\n{{{{{{{good}").as_bytes()), "?a");
        assert_eq!(all(format!("Content-Length: x\r\n\r\n{good}").as_bytes()), "?a");
        assert_eq!(all(b"Content-Length: 99999999999999999\r\n\r\nshort"), "?");
        assert_eq!(all(b"Content-Length: 20\r\n\r\nshort"), "");
        assert_eq!(all(&[b'x'; 10_000]), "");
    }
}
