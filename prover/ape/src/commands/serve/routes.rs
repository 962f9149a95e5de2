//! A request to its answer.
//!
//! In: requests that are for this server. Out: the page and its parts; JSON.
//!
//! Invariant: a text is checked here, under a bound on its size; it is verified in a process of its own.

use super::bounds::{self, HURRY, PATIENCE};
use super::check::check;
use super::guard::guard;
use super::judge::Task;
use super::programs;
use super::texts::Texts;
use super::turns::{Client, Full, Turns};
use super::worker::{Outcome, work};
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use prover::report::page;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// What JSON is sent as.
const JSON: &str = "application/json";

/// In how many seconds to ask again.
const AGAIN: &str = "2";

/// The most letters of the name of a client.
const NAME: usize = 40;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) SocketAddr);

/// What requests share.
#[derive(Clone, Debug)]
pub(super) struct Site(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    /// This program, to verify with.
    program: PathBuf,
    /// Seconds and MB for a program.
    limits: (u64, u64),
    checks: Turns,
    verdicts: Turns,
}

impl Site {
    /// One that verifies so many programs at the same time.
    pub(super) fn new(program: PathBuf, jobs: usize, limits: (u64, u64)) -> Self {
        let (checks, verdicts) = (Turns::new(bounds::CHECKS), Turns::new(jobs));
        Site(Arc::new(Shared { program, limits, checks, verdicts }))
    }
}

/// All that there is to ask for.
pub(super) fn router(site: Site) -> Router {
    let script = concat!(
        "\"use strict\";\n(() => {\n",
        include_str!("assets/colours.js"),
        include_str!("assets/pane.js"),
        include_str!("assets/verdict.js"),
        include_str!("assets/editor.js"),
        "})();\n"
    );
    Router::new()
        .route("/", part("text/html; charset=utf-8", include_str!("assets/editor.html")))
        .route("/page.css", part("text/css; charset=utf-8", page::STYLE))
        .route("/editor.css", part("text/css; charset=utf-8", include_str!("assets/editor.css")))
        .route("/editor.js", part("text/javascript; charset=utf-8", script))
        .route("/icon.svg", part("image/svg+xml", include_str!("assets/icon.svg")))
        .route("/api/programs", part(JSON, programs::all().to_string()))
        .route("/api/check", post(of_check))
        .route("/api/verify", post(|site, peer, request| of_judge(site, peer, request, false)))
        .route("/api/grade", post(|site, peer, request| of_judge(site, peer, request, true)))
        .layer(DefaultBodyLimit::max(bounds::BODY))
        .layer(middleware::from_fn(guard))
        .with_state(site)
}

/// What is the same for everybody.
fn part(kind: &'static str, body: impl Into<Bytes>) -> MethodRouter<Site> {
    let body: Bytes = body.into();
    get(async move || ([(CONTENT_TYPE, kind)], body))
}

async fn of_check(State(site): State<Site>, Extension(peer): Extension<Peer>, request: Request) -> Response {
    let answer = async {
        let (client, texts) = asked(peer, request).await?;
        checked(&site, &client, texts).await
    };
    answer.await.map_or_else(IntoResponse::into_response, |(answer, _)| json_response(answer.to_string().into()))
}

async fn of_judge(
    State(site): State<Site>,
    Extension(peer): Extension<Peer>,
    request: Request,
    exercise: bool,
) -> Response {
    let answer = async {
        let (client, texts) = asked(peer, request).await?;
        // What is not legal takes no place from what is.
        let (answer, texts) = checked(&site, &client, texts).await?;
        if answer["legal"] == true {
            judged(&site, &client, texts, exercise, answer).await
        } else {
            Ok(answer.to_string().into())
        }
    };
    answer.await.map_or_else(IntoResponse::into_response, json_response)
}

fn json_response(json: Bytes) -> Response {
    ([(CONTENT_TYPE, JSON)], json).into_response()
}

/// Why there is no answer.
struct Refusal(StatusCode, &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let Refusal(status, why) = self;
        let mut response = (status, [(CONTENT_TYPE, JSON)], json!({ "error": why }).to_string()).into_response();
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            response.headers_mut().insert(RETRY_AFTER, AGAIN.parse().unwrap_or_else(|_| 2.into()));
        }
        response
    }
}

impl From<Full> for Refusal {
    fn from(full: Full) -> Self {
        match full {
            Full::Client => Refusal(StatusCode::TOO_MANY_REQUESTS, "you ask for too much at once"),
            Full::All => Refusal(StatusCode::SERVICE_UNAVAILABLE, "too many wait"),
        }
    }
}

const BROKEN: Refusal = Refusal(StatusCode::INTERNAL_SERVER_ERROR, "an internal error of `ape`; please report it");

/// Who asks, and of what.
async fn asked(peer: Peer, request: Request) -> Result<(Client, Texts), Refusal> {
    let client = client(peer, request.headers());
    let late = Refusal(StatusCode::REQUEST_TIMEOUT, "the request takes too long");
    let body = timeout(PATIENCE, Bytes::from_request(request, &())).await.map_err(|_| late)?;
    let long = || Refusal(StatusCode::PAYLOAD_TOO_LARGE, "together the texts may have 64 kB");
    let body = body.map_err(|wrong| match wrong.into_response().status() {
        StatusCode::PAYLOAD_TOO_LARGE => long(),
        _ => Refusal(StatusCode::BAD_REQUEST, "the body cannot be read"),
    })?;
    let wrong = "the body must be JSON with the texts `shared`, `old` and `new`";
    let texts: Texts = serde_json::from_slice(&body).map_err(|_| Refusal(StatusCode::BAD_REQUEST, wrong))?;
    if texts.are_too_long() { Err(long()) } else { Ok((client, texts)) }
}

/// Who asks: by the name that is given, or by the connection.
fn client(peer: Peer, headers: &HeaderMap) -> Client {
    let named = headers.get("ape-client").and_then(|name| name.to_str().ok());
    let proper =
        |name: &&str| name.len() <= NAME && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    named.filter(proper).map_or_else(|| format!("@{}", peer.0), str::to_string)
}

/// What is wrong with a program; with its texts, which are given back.
async fn checked(site: &Site, client: &Client, texts: Texts) -> Result<(Value, Texts), Refusal> {
    let turn = site.0.checks.turn(client).await?;
    let checked = spawn_blocking(move || {
        let answer = check(&texts).answer;
        drop(turn);
        (answer, texts)
    });
    checked.await.map_err(|_| BROKEN)
}

/// What a worker says of a program that is legal.
async fn judged(site: &Site, client: &Client, texts: Texts, exercise: bool, checked: Value) -> Result<Bytes, Refusal> {
    let shared = &site.0;
    let _turn = shared.verdicts.turn(client).await?;
    let (seconds, megabytes) = shared.limits;
    // While others wait a program has less time, so that nobody waits long.
    let seconds = if shared.verdicts.waiting() > 0 { (seconds / HURRY).max(1) } else { seconds };
    let task = Task { texts, exercise, seconds, megabytes };
    let unable = Refusal(StatusCode::INTERNAL_SERVER_ERROR, "no process can be started");
    match work(&shared.program, &task).await.map_err(|_| unable)? {
        Outcome::Answer(answer) => Ok(answer.into()),
        Outcome::GaveUp(why) => {
            let mut answer = checked;
            answer["seconds"] = seconds.into();
            answer["gave_up"] = why.into();
            Ok(answer.to_string().into())
        }
    }
}
