//! Connections: bytes to requests, and answers to bytes.
//!
//! In: a listener, and who answers. Out: nothing, for ever.
//!
//! Invariant: bounded in number, in the size of heads, and in the time that any part of a request or an answer may take.

use super::bounds::{CONNECTIONS, HEADERS, PATIENCE};
use super::routes::Peer;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use tokio_io_timeout::TimeoutStream;

/// The most bytes of the head of a request.
const HEAD: usize = 16 << 10;

/// How long to wait where the system gives no connection, such as when it has no more files.
const PAUSE: Duration = Duration::from_millis(50);

/// What is said to those for whom there is no room.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Takes connections, and has each answered.
pub(super) async fn accept(listener: TcpListener, router: Router) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok((mut stream, address)) = listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            // What fits into the system's buffer is written at once; nobody waits for more.
            let _ = tokio::time::timeout(PAUSE, stream.write_all(FULL)).await;
            continue;
        };
        let router = router.clone().layer(Extension(Peer(address)));
        tokio::spawn(async move {
            answer(stream, router).await;
            drop(place);
        });
    }
}

/// Answers one request after the other. When the other side goes, the request at work is dropped.
async fn answer(stream: TcpStream, router: Router) {
    // An answer is written at once, and not gathered.
    let _ = stream.set_nodelay(true);
    let mut stream = Box::pin(TimeoutStream::new(stream));
    stream.as_mut().set_write_timeout_pinned(Some(PATIENCE));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_headers(HEADERS).max_buf_size(HEAD);
    // That a connection breaks is no failure of ours.
    let _ = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)).await;
}
