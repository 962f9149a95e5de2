//! A stand-in for object storage: it keeps what is put, speaks as S3 does where a cache needs it, and believes every signature.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Objects by their paths.
pub(crate) type Objects = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Serves objects until the process ends: its address, and the objects.
pub(crate) fn serve() -> (String, Objects) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let objects = Objects::default();
    let all = Arc::clone(&objects);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let all = Arc::clone(&all);
            thread::spawn(move || while answer(&stream, &all).is_some() {});
        }
    });
    (address, objects)
}

/// Answers one request; `None` where there is no other.
fn answer(stream: &TcpStream, objects: &Objects) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
    let mut words = line.split(' ');
    let (method, path) = (words.next()?.to_string(), words.next()?.split('?').next()?.to_string());
    let (mut length, mut only_new) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "if-none-match" => only_new = value == "*",
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut objects = objects.lock().expect("no request has failed");
    let (status, body) = match (method.as_str(), objects.get(&path).cloned()) {
        ("GET" | "HEAD", Some(object)) => ("200 OK", object),
        ("GET" | "HEAD", None) => ("404 Not Found", Vec::new()),
        ("PUT", Some(_)) if only_new => ("412 Precondition Failed", Vec::new()),
        ("PUT", _) => {
            objects.insert(path, body);
            ("200 OK", Vec::new())
        }
        ("DELETE", _) => {
            objects.remove(&path);
            ("204 No Content", Vec::new())
        }
        _ => ("405 Method Not Allowed", Vec::new()),
    };
    drop(objects);
    let mut answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
    if method != "HEAD" {
        answer.extend(body);
    }
    let mut stream = stream;
    stream.write_all(&answer).ok()
}
