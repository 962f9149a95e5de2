//! `ape serve` over TCP: answers, refusals, bounds, whatever is sent and whoever goes away.

mod common;

use common::server::{Answer, Server, answer};
use common::{ape, root};
use serde_json::{Value as Json, json};
use std::fs;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A program that takes all the time it is given, in texts: branches that each divide by what the last one may have changed.
fn endless() -> Json {
    let step = "if (y.f > i) { x.f := x.f + y.f / (x.f + i); } ";
    let version = |garbage: &str| {
        format!("procedure P(x, y: ref, i: int) returns (r: int) {{ {garbage}{}r := x.f; }}", step.repeat(40))
    };
    json!({ "old": version(""), "new": version("g := new(); ") })
}

fn easy() -> Json {
    json!({ "old": "procedure p(n: int) returns (r: int) { r := n + n; }", "new": "procedure p(n: int) returns (r: int) { r := 2 * n; }" })
}

/// A request that is sent, and not answered yet.
fn sent(server: &Server, what: &str, client: &str, texts: &Json) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(server.question(what, client, texts).as_bytes()).expect("it is sent");
    stream
}

/// Waits, not for ever, until something holds.
#[track_caller]
fn until(what: &str, holds: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < end, "it never holds that {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn answers_are_strict_and_complete() {
    let server = Server::start(&[]);
    for path in ["/", "/page.css", "/editor.css", "/editor.js", "/icon.svg", "/api/programs", "/nothing"] {
        let answer = server.get(path);
        assert_eq!(answer.status, if path == "/nothing" { 404 } else { 200 }, "{path}");
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let strict = [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-store"),
            ("cross-origin-resource-policy", "same-origin"),
            ("access-control-allow-origin", ""),
        ];
        for (name, value) in strict {
            assert_eq!(answer.header(name), value, "{path}");
        }
    }
    let page = server.get("/").body;
    assert!(
        !page.contains("<style") && !page.contains(" style=") && !page.contains(" on") && !page.contains("<script>")
    );
    let names = server.get("/api/programs").json()["groups"][0]["programs"].to_string();
    for example in common::programs(&root().join("examples")) {
        assert!(names.contains(&format!("\"name\":\"{}\"", example.file_stem().unwrap_or_default().to_string_lossy())));
    }
    let wrong_method = server.send(server.head("DELETE /api/check", &[]).as_bytes());
    assert_eq!(wrong_method.status, 405);
}

#[test]
fn verdicts_are_those_of_the_command() {
    let server = Server::start(&["--timeout", "60"]);
    for name in ["swap", "shared_default", "dropped_loop"] {
        let file = format!("examples/{name}.l");
        let text = fs::read_to_string(root().join(&file)).expect("an example can be read");
        let own = server.ask("verify", "", &json!({ "shared": text })).json();
        let other = ape(["verify", "--format", "json", &file]).json();
        assert_eq!((&own["legal"], &own["verdict"]), (&json!(true), &other["verdict"]));
        for key in ["verdict", "termination", "counterexample", "reason"] {
            let of = |report: &Json| -> Vec<Json> {
                report["pairs"].as_array().expect("pairs").iter().map(|pair| pair[key].clone()).collect()
            };
            let without_name = |all: Vec<Json>| json!(all).to_string().replace(&file, "program");
            assert_eq!(without_name(of(&own["report"])), without_name(of(&other)), "{file}");
        }
        let page = own["page"].as_str().expect("a page");
        assert!(page.starts_with("<!DOCTYPE html>") && page.contains("Content-Security-Policy"));
    }
    let wrong = server.ask("verify", "", &json!({ "old": "procedure p() { x = 1; }" })).json();
    assert_eq!((&wrong["legal"], &wrong["diagnostics"][0]["fix"]["text"]), (&json!(false), &json!(":=")));
}

#[test]
fn answers_to_exercises_are_judged() {
    let server = Server::start(&["--timeout", "60"]);
    let mark = |file: &str| {
        let text = fs::read_to_string(root().join(file)).expect("an exercise can be read");
        server.ask("grade", "", &json!({ "shared": text })).json()
    };
    let right = mark("tests/course/heaps_3.l");
    assert_eq!((&right["mark"], &right["points"], &right["of"]), (&json!("right"), &json!(1), &json!(1)), "{right}");
    assert_eq!(mark("examples/course/1-heaps/exercises/3.l")["mark"], "wrong");
    assert_eq!(mark("examples/course/1-heaps/exercises/1.l")["mark"], "not-answered");
    assert_eq!(mark("examples/swap.l")["mark"], "none");
}

#[test]
fn others_may_not_ask() {
    let server = Server::start(&[]);
    let status = |first: &str, host: &str, more: &str| {
        server.send(format!("{first} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}\r\n").as_bytes()).status
    };
    let port = server.address.split(':').nth(1).unwrap_or_default();
    assert_eq!(status("GET /", &server.address, ""), 200);
    assert_eq!(status("GET /", &format!("localhost:{port}"), ""), 200);
    assert_eq!(status("GET /", "rebound.example", ""), 403);
    assert_eq!(status("GET /", &format!("rebound.example:{port}"), ""), 403);
    assert_eq!(status("GET /api/programs", &server.address, "Origin: http://elsewhere.example\r\n"), 403);
    let post = "Content-Length: 2\r\nContent-Type: ";
    assert_eq!(status("POST /api/check", &server.address, &format!("{post}text/plain\r\n")), 415);
    assert_eq!(status("POST /api/check", &server.address, &format!("Origin: null\r\n{post}application/json\r\n")), 403);
    let asks_first = "Origin: http://elsewhere.example\r\nAccess-Control-Request-Method: POST\r\n";
    let refused = server
        .send(server.head("OPTIONS /api/check", &[]).replace("\r\n\r\n", &format!("\r\n{asks_first}\r\n")).as_bytes());
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, ""));
}

#[test]
fn any_bytes_are_answered_or_refused() {
    let server = Server::start(&[]);
    let body = |body: &[u8]| {
        let length = body.len().to_string();
        let headers = [("Content-Type", "application/json"), ("Content-Length", length.as_str())];
        [server.head("POST /api/check", &headers).as_bytes(), body].concat()
    };
    let long = |length: usize| json!({ "old": "x".repeat(length) }).to_string().into_bytes();
    let cases: [(Vec<u8>, u16); 14] = [
        (b"\0\xff\x16\x03\x01\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400),
        (format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(70_000)).into_bytes(), 431),
        (format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(100)).into_bytes(), 431),
        (body(b""), 400),
        (body(b"\xff\xfe"), 400),
        (body(b"[1]"), 400),
        (body(br#"{"old": 1}"#), 400),
        (body(br#"{"file": "/etc/passwd"}"#), 400),
        (body("[".repeat(100_000).as_bytes()), 400),
        (body(&long(65_537)), 413),
        (body(&long(1 << 20)), 413),
        (body(&long(65_536)), 200),
        (body(br#"{"old": "\u0000\ud834\udd1e\u202e<script>"}"#), 200),
    ];
    for (bytes, status) in cases {
        let start = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        let answer = server.send(&bytes);
        assert_eq!(answer.status, status, "{start}: {answer:?}");
    }
    // A body in pieces has no length beforehand.
    let headers = [("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")];
    let pieces = format!("10000\r\n{}\r\n", " ".repeat(0x10000)).repeat(8) + "0\r\n\r\n";
    assert_eq!(server.send((server.head("POST /api/check", &headers) + &pieces).as_bytes()).status, 413);
    // Half a request, and nobody there any more.
    for half in ["", "GET", "POST /api/check HTTP/1.1\r\nContent-Length: 9\r\n\r\n"] {
        let mut stream = server.connect();
        stream.write_all(half.as_bytes()).expect("it is sent");
        stream.shutdown(Shutdown::Both).expect("it is there");
    }
    assert_eq!(server.ask("check", "", &easy()).json()["legal"], true);
}

#[test]
fn what_cannot_be_served_is_told() {
    let server = Server::start(&[]);
    let port = server.address.split(':').nth(1).unwrap_or_default();
    let taken = ape(["serve", "--port", port]);
    assert_eq!((taken.status, taken.out.as_str()), (Some(2), ""));
    assert!(taken.err.contains("cannot listen on") && taken.err.contains("--port"), "{}", taken.err);
    // Nobody calls it by hand; and whoever does is told.
    let judge = Command::new(env!("CARGO_BIN_EXE_ape")).arg("judge").stdin(Stdio::null()).output();
    assert_eq!(judge.expect("ape can be started").status.code(), Some(2));
}

#[test]
fn connections_are_bounded() {
    let server = Server::start(&[]);
    let idle: Vec<TcpStream> = (0..512).map(|_| server.connect()).collect();
    until("there is no room", || server.get("/").status == 503);
    drop(idle);
    until("there is room again", || server.get("/").status == 200);
}

#[test]
fn clients_take_turns() {
    let server = Server::start(&["--jobs", "1", "--timeout", "10"]);
    // One is at work, and others wait, until there is no room for more of them.
    let (mut greedy, mut refusal) = (Vec::new(), None);
    let end = Instant::now() + Duration::from_secs(60);
    while refusal.is_none() {
        assert!(Instant::now() < end, "there is never too much of one client");
        let stream = sent(&server, "verify", "greedy", &endless());
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a timeout can be set");
        match stream.peek(&mut [0]) {
            Ok(_) => refusal = answer(stream).ok().filter(|answer: &Answer| answer.status == 429),
            Err(_) => greedy.push(stream),
        }
    }
    assert_eq!(refusal.map(|answer| answer.header("retry-after").to_string()), Some("2".into()));
    let modest = server.ask("verify", "modest", &easy()).json();
    assert_eq!(modest["verdict"], "equivalent");
    // Others have waited longer, and wait still.
    let unanswered = greedy.into_iter().filter(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout can be set");
        stream.peek(&mut [0]).is_err()
    });
    assert!(unanswered.count() >= 1);
}

#[cfg(target_os = "linux")]
mod processes {
    use super::*;
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    /// All that a process has started, and what these have.
    fn below(process: u32) -> Vec<u32> {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<u32> =
            children.flat_map(|text| text.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<u32>>()).collect();
        children.iter().copied().chain(children.iter().flat_map(|&child| below(child))).collect()
    }

    /// Whether a process is at work; one that has ended may stay listed until somebody looks at its status.
    fn is_alive(process: u32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with(['Z', 'X']))
    }

    fn living(process: u32) -> Vec<u32> {
        below(process).into_iter().filter(|&process| is_alive(process)).collect()
    }

    fn signal(process: u32, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(process).expect("ids are small")), signal).expect("it is there");
    }

    /// A server that works on an endless program, and its processes.
    fn at_work() -> (Server, TcpStream, Vec<u32>) {
        let server = Server::start(&["--timeout", "60"]);
        let stream = sent(&server, "verify", "a", &endless());
        let id = server.process.id();
        until("a worker and its solver are there", || living(id).len() >= 2);
        let processes = living(id);
        (server, stream, processes)
    }

    #[test]
    fn whoever_goes_takes_the_work_along() {
        let (server, stream, _) = at_work();
        drop(stream);
        until("nothing works any more", || living(server.process.id()).is_empty());
        assert_eq!(server.ask("verify", "a", &easy()).json()["verdict"], "equivalent");
    }

    #[test]
    fn nothing_is_left_behind() {
        for end in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGKILL] {
            let (mut server, _stream, processes) = at_work();
            signal(server.process.id(), end);
            let status = server.process.wait().expect("it ends");
            assert_eq!(status.code(), if end == Signal::SIGKILL { None } else { Some(0) }, "{end}");
            until("all have ended", || !processes.iter().any(|&process| is_alive(process)));
        }
    }

    #[test]
    fn a_worker_that_dies_costs_one_verdict() {
        let (server, stream, processes) = at_work();
        signal(processes[0], Signal::SIGKILL);
        let answer = answer(stream).expect("there is an answer").json();
        assert_eq!((&answer["legal"], answer["gave_up"].is_string()), (&json!(true), true), "{answer}");
        assert_eq!(server.ask("verify", "a", &easy()).json()["verdict"], "equivalent");
    }

    /// The memory of a process and of all below it, in MB. What they share counts for each.
    fn memory(process: u32) -> u64 {
        let pages = |process: u32| {
            let statm = fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
            statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0)
        };
        let all: u64 = [process].into_iter().chain(below(process)).map(pages).sum();
        (all * 4096) >> 20
    }

    #[test]
    fn a_hundred_clients_keep_nobody_from_checking() {
        let server = Server::start(&[]);
        let waiting: Vec<TcpStream> =
            (0..100).map(|client| sent(&server, "verify", &client.to_string(), &endless())).collect();
        let (mut slowest, mut most, mut asked) = (Duration::ZERO, 0, 0);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(4) {
            let before = Instant::now();
            assert_eq!(server.ask("check", "other", &endless()).json()["legal"], true);
            slowest = slowest.max(before.elapsed());
            most = most.max(memory(server.process.id()));
            asked += 1;
            thread::sleep(Duration::from_millis(20));
        }
        println!("{asked} checks, the slowest in {} ms; {most} MB", slowest.as_millis());
        // Ten times the bar: other tests keep this machine busy too.
        assert!(slowest < Duration::from_secs(10) && most < 2_000, "{slowest:?}, {most} MB");
        drop(waiting);
        // It takes a while until it is noticed that they are gone, and they have a share of the time until then.
        until("it is proved", || server.ask("verify", "other", &easy()).json()["verdict"] == "equivalent");
    }
}
