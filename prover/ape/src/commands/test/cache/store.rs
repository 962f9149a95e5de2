//! Entries and claims where several machines look: in Redis, at a `WebDAV` server, in object storage, in a folder.
//!
//! Invariant: each question has an answer within [`PATIENCE`], and after [`MOST_TROUBLES`] in a row nothing is asked any more. So a
//! place that is gone, full or slow costs a bounded time. The user is told once.
//! Invariant: names and passwords come from the environment, and go nowhere but to the place itself.

use super::address::{Address, Service};
use crate::status::complain;
use futures_util::TryStreamExt;
use opendal::services::{Fs, Redis, S3, Webdav};
use opendal::{Error, ErrorKind, Operator};
use std::env;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer that takes longer than this is trouble too: entries are small.
const SLOW: Duration = Duration::from_secs(2);
/// After so many troubles in a row a place is given up for the rest of the run.
const MOST_TROUBLES: usize = 5;
/// How long Redis keeps an entry, and a claim, which is renewed long before. Other places are cleared by who owns them.
const REDIS_KEEPS: [Duration; 2] = [Duration::from_secs(30 * 24 * 60 * 60), Duration::from_secs(60)];
/// The longest reason that is shown, in characters.
const LONGEST_REASON: usize = 160;

/// A place that is shared.
pub(super) struct Store {
    /// As the user wrote it.
    name: String,
    /// `None` only while it ends.
    runtime: Option<Runtime>,
    entries: Operator,
    claims: Operator,
    reading: Way,
    writing: Way,
    told: AtomicBool,
}

/// Whether something still works.
#[derive(Default)]
struct Way {
    /// Troubles in a row.
    troubles: AtomicUsize,
}

/// The place does not answer.
pub(super) struct Gone;

/// What came of leaving something where nothing should be.
pub(super) enum Left {
    /// It is there now.
    Alone,
    /// Something else is there.
    Occupied,
    /// The place does not know how to tell.
    Unclear,
}

impl Drop for Store {
    fn drop(&mut self) {
        // What still waits for an answer, such as a search for a host, holds up nobody.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Store {
    /// Opens a place. That this fails is told, and then there is none.
    pub(super) fn open(address: &Address) -> Option<Self> {
        let open = || -> Result<Self, String> {
            // That another has been chosen before is as good.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            let [entries, claims] = {
                let _inside = runtime.enter();
                [operator(address, true), operator(address, false)]
            };
            let [entries, claims] = [entries, claims].map(|made| made.map_err(|error| reason(&error)));
            Ok(Store {
                name: address.text.clone(),
                runtime: Some(runtime),
                entries: entries?,
                claims: claims?,
                reading: Way::default(),
                writing: Way::default(),
                told: AtomicBool::new(false),
            })
        };
        let opened = open().map_err(|why| complain(&format!("there is no cache at {}: {why}", address.text))).ok()?;
        if matches!(address.service, Service::WebDav { .. }) {
            // The folder that everything is in. Where it cannot be made, nothing can be written either, and that is told.
            opened.wait(opened.ask(&opened.writing, opened.entries.create_dir("/")));
        }
        Some(opened)
    }

    /// Waits for an answer on a thread that does other work.
    pub(super) fn wait<T>(&self, work: impl Future<Output = Result<T, Gone>>) -> Option<T> {
        self.runtime.as_ref().and_then(|runtime| runtime.block_on(work).ok())
    }

    /// Has something go on beside all other work, until the place is closed.
    pub(super) fn beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.wait(self.is_there(name)).unwrap_or_default()
    }

    pub(super) async fn is_there(&self, name: &str) -> Result<bool, Gone> {
        Ok(self.ask(&self.reading, self.entries.stat(&entry(name))).await?.is_some())
    }

    /// An entry that has at most so many bytes.
    pub(super) fn read(&self, name: &str, largest: u64) -> Option<Vec<u8>> {
        self.wait(self.ask(&self.reading, bytes(&self.entries, &entry(name), largest)))?
    }

    pub(super) fn write(&self, name: &str, text: String) {
        self.wait(self.ask(&self.writing, self.entries.write(&entry(name), text)));
    }

    /// What a claim says, if there is one.
    pub(super) async fn claim(&self, name: &str) -> Result<Option<String>, Gone> {
        let bytes = self.ask(&self.reading, bytes(&self.claims, &claim(name), LONGEST_CLAIM)).await?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    pub(super) async fn leave_claim(&self, name: &str, text: String) -> Result<(), Gone> {
        self.ask(&self.writing, self.claims.write(&claim(name), text)).await.map(drop)
    }

    /// Leaves a claim where none is, in one step, where the place can do that.
    pub(super) async fn leave_first_claim(&self, name: &str, text: String) -> Result<Left, Gone> {
        if !self.claims.info().full_capability().write_with_if_not_exists {
            return Ok(Left::Unclear);
        }
        let path = claim(name);
        let work = async {
            match self.claims.write_with(&path, text).if_not_exists(true).await {
                Ok(_) => Ok(Left::Alone),
                Err(error) => match error.kind() {
                    ErrorKind::ConditionNotMatch | ErrorKind::AlreadyExists => Ok(Left::Occupied),
                    ErrorKind::Unsupported => Ok(Left::Unclear),
                    _ => Err(error),
                },
            }
        };
        Ok(self.ask(&self.writing, work).await?.unwrap_or(Left::Unclear))
    }

    pub(super) async fn take_claim_back(&self, name: &str) -> Result<(), Gone> {
        self.ask(&self.writing, self.claims.delete(&claim(name))).await.map(drop)
    }

    /// Asks one thing: `None` where it is not there.
    async fn ask<T>(&self, way: &Way, work: impl Future<Output = Result<T, Error>>) -> Result<Option<T>, Gone> {
        if way.is_given_up() || self.reading.is_given_up() {
            return Err(Gone);
        }
        let start = Instant::now();
        let (answer, trouble) = match timeout(PATIENCE, work).await {
            Err(_) => (Err(Gone), Some("it does not answer".to_string())),
            Ok(Err(error)) if error.kind() != ErrorKind::NotFound => (Err(Gone), Some(reason(&error))),
            Ok(answer) => (Ok(answer.ok()), (start.elapsed() > SLOW).then(|| "it is too slow".to_string())),
        };
        match trouble {
            None => way.troubles.store(0, Ordering::Relaxed),
            Some(why) => {
                let troubles = way.troubles.fetch_add(1, Ordering::Relaxed) + 1;
                if troubles >= MOST_TROUBLES && !self.told.swap(true, Ordering::Relaxed) {
                    let name = &self.name;
                    complain(&format!("the cache at {name} is given up: {why}; what it does not give is proved here"));
                }
            }
        }
        answer
    }
}

impl Way {
    fn is_given_up(&self) -> bool {
        self.troubles.load(Ordering::Relaxed) >= MOST_TROUBLES
    }
}

/// The most bytes of a claim that are read.
const LONGEST_CLAIM: u64 = 1 << 10;

fn entry(name: &str) -> String {
    format!("{name}.json")
}

fn claim(name: &str) -> String {
    format!("{name}.claim")
}

/// A file of at most so many bytes; a larger one is as good as none. It may be endless, so it is read in pieces.
async fn bytes(from: &Operator, path: &str, largest: u64) -> Result<Vec<u8>, Error> {
    let mut stream = from.reader(path).await?.into_stream(..).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = stream.try_next().await? {
        bytes.extend(piece.to_bytes());
        if bytes.len() as u64 > largest {
            return Err(Error::new(ErrorKind::NotFound, "it is too large"));
        }
    }
    Ok(bytes)
}

/// Access to entries, or else to claims.
fn operator(address: &Address, is_of_entries: bool) -> Result<Operator, Error> {
    let secret = |name: &str| env::var(name).unwrap_or_default();
    let (user, password) = (secret("APE_CACHE_USER"), secret("APE_CACHE_PASSWORD"));
    let root = address.root.as_str();
    Ok(match &address.service {
        Service::Redis { endpoint, database } => {
            let keeps = REDIS_KEEPS[usize::from(!is_of_entries)];
            let redis = Redis::default().endpoint(endpoint).db(*database).root(root).default_ttl(keeps);
            Operator::new(redis.username(&user).password(&password))?.finish()
        }
        Service::WebDav { endpoint } => {
            // One folder holds everything, so that nothing need be made or looked for before a file is written.
            let dav = Webdav::default().endpoint(endpoint).root(root).disable_create_dir(true);
            Operator::new(dav.username(&user).password(&password).token(&secret("APE_CACHE_TOKEN")))?.finish()
        }
        Service::S3 { bucket } => {
            let storage = S3::default().bucket(bucket).root(root);
            let has_region = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().any(|name| env::var_os(name).is_some());
            // Storage that has no regions goes by the name of the first one.
            Operator::new(if has_region { storage } else { storage.region("us-east-1") })?.finish()
        }
        Service::Files => {
            let files = Fs::default().root(root);
            // An entry is whole at any time. Of two claims the first counts, which is known only where they are written in place.
            let beside = format!("{root}/.unfinished");
            Operator::new(if is_of_entries { files.atomic_write_dir(&beside) } else { files })?.finish()
        }
    })
}

/// Why something failed: what is at the root of it, in one short line.
fn reason(error: &Error) -> String {
    let mut root: &dyn std::error::Error = error;
    while let Some(source) = root.source() {
        root = source;
    }
    // The whole text of an error of the library tells of the request too.
    let text = if std::error::Error::source(error).is_none() { error.message().to_string() } else { root.to_string() };
    let line = text.lines().next().unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}
