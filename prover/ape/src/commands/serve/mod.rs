//! `ape serve`: a page on this machine, with an editor for two versions and their verdict while one types.
//!
//! 1. [`connections`]: bytes to requests, on one thread, bounded in number and in time.
//! 2. [`guard`]: what comes from another site is refused, and what goes out is kept from doing harm.
//! 3. [`routes`]: a request to its answer. What is wrong with a text is said by [`check`], here and at once.
//! 4. [`turns`]: whose program is next; clients take turns.
//! 5. [`worker`]: a process of this program verifies one program ([`mod@judge`]), and is killed when nobody waits for it.
//!
//! Invariant: a request reads and writes no file. What the page shows of examples is part of this program.
//! Invariant: a check never waits for a proof.

mod bounds;
mod check;
mod connections;
mod guard;
mod judge;
mod programs;
mod routes;
mod texts;
mod turns;
mod worker;

pub(super) use judge::judge;

use crate::args::serve::ServeArgs;
use crate::machine::threads;
use crate::status::{Failure, Status};
use routes::Site;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::task::{Context, Poll};
use std::{env, future};
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Serves until somebody ends it.
pub(super) fn serve(args: &ServeArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let program = env::current_exe().map_err(Failure::Process)?;
    let jobs = threads::workers(args.jobs, usize::MAX);
    let site = Site::new(program, jobs, (args.timeout, args.memory));
    // Dropping it ends all that it runs, and kills the processes that work for it.
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(bounds::CHECKS)
        .build()
        .map_err(Failure::Thread)?;
    runtime.block_on(async {
        let caught = |kind| signal(kind).map_err(Failure::Signals);
        let ended = ended(caught(SignalKind::interrupt())?, caught(SignalKind::terminate())?);
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
        let taken = |error| Failure::Usage(format!("cannot listen on {address}: {error}; another --port may be free"));
        let listener = TcpListener::bind(address).await.map_err(taken)?;
        let address = listener.local_addr()?;
        writeln!(out, "ape serves http://{address}/ until Ctrl-C")?;
        out.flush()?;
        tokio::spawn(connections::accept(listener, routes::router(site)));
        ended.await;
        Ok(Status::Success)
    })
}

/// Waits for somebody to end this process.
async fn ended(mut interrupt: Signal, mut terminate: Signal) {
    let either = |context: &mut Context<'_>| match (interrupt.poll_recv(context), terminate.poll_recv(context)) {
        (Poll::Pending, Poll::Pending) => Poll::Pending,
        _ => Poll::Ready(()),
    };
    future::poll_fn(either).await;
}
