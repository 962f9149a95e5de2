//! `ape lsp`: a server for editors, which speaks the Language Server Protocol over standard input and output.
//!
//! 1. [`wire`]: bytes to messages, on a thread of its own, so that the editor is never kept waiting.
//! 2. [`server`]: one message after the other, in their order.
//! 3. [`program`]: what a document is part of, checked whenever somebody wants to know something of it.
//! 4. [`worker`]: the verdicts, on a thread of its own.
//!
//! Invariant: what is wrong with a text is said at once, whatever is being verified.
//! Invariant: a message that is not understood is answered or passed over, and never the end.

mod answers;
mod board;
mod card;
mod complete;
mod documents;
mod hover;
mod index;
mod lens;
mod loops;
mod mistakes;
mod outline;
mod places;
mod position;
mod program;
mod rename;
mod server;
mod session;
mod types;
mod uri;
mod wire;
mod worker;

use crate::args::LspArgs;
use crate::solvers;
use crate::status::{Failure, Status};
use server::{Event, Server};
use std::io::{self, BufReader, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};
use worker::Bounds;

/// How many messages are taken at once before what changed is looked at.
const AT_ONCE: usize = 100;

/// How long to wait where nothing is due.
const IDLE: Duration = Duration::from_secs(3600);

/// Serves an editor until it says `exit`, or goes away.
pub(super) fn serve(args: &LspArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let (send, events) = channel();
    let tasks = if args.no_verify { None } else { Some(verifier(args, send.clone())?) };
    let listen = move || listen(&send);
    thread::Builder::new().name("listen".to_string()).spawn(listen).map_err(Failure::Thread)?;
    let mut server = Server::new(tasks);
    loop {
        let wait = server.due().map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
        if !wait_for(&mut server, &events, wait) {
            return Ok(Status::Failed);
        }
        server.settle(Instant::now());
        for message in server.outgoing() {
            wire::write(out, &message)?;
        }
        if let Some(well) = server.over() {
            return Ok(if well { Status::Success } else { Status::Failed });
        }
    }
}

/// Takes what comes, for so long. Whether somebody may still send something.
fn wait_for(server: &mut Server, events: &Receiver<Event>, wait: Duration) -> bool {
    match events.recv_timeout(wait) {
        Ok(event) => server.take(event),
        Err(RecvTimeoutError::Timeout) => return true,
        Err(RecvTimeoutError::Disconnected) => return false,
    }
    for event in events.try_iter().take(AT_ONCE) {
        server.take(event);
    }
    true
}

/// The thread that verifies.
fn verifier(args: &LspArgs, send: Sender<Event>) -> Result<Sender<worker::Task>, Failure> {
    let limits = (args.timeout, args.memory);
    let bounds = Bounds { limits, jobs: args.jobs, backend: solvers::start(args.memory)? };
    worker::start(bounds, move |cards| send.send(Event::Found(cards)).is_ok()).map_err(Failure::Thread)
}

/// Passes on what the editor sends.
fn listen(send: &Sender<Event>) {
    let mut input = BufReader::new(io::stdin());
    loop {
        let read = wire::read(&mut input).unwrap_or(wire::Received::End);
        let end = matches!(read, wire::Received::End);
        if send.send(Event::Read(read)).is_err() || end {
            return;
        }
    }
}
