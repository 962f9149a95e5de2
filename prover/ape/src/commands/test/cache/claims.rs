//! Who is about to prove what, where several runs share a place.
//!
//! A claim is a text with the name of the run that left it and a number, which grows as long as the run is alive. Others do
//! something else meanwhile. They never compare clocks: a claim that has been the same for [`DEAD`] belongs to a run that is gone.
//!
//! Some places can leave a file only where none is. Others cannot, so there the last claim wins: who leaves one waits for
//! [`AWAIT`], and it is theirs if it is still there. One that took longer than that to leave may have covered another, so it does
//! not count. The argument is Fischer's, for mutual exclusion by reading and writing alone.
//!
//! Invariant: a claim decides when something is done, never what comes of it. Whatever claims say, nobody waits for another longer
//! than the user would for the proof itself.

use super::store::{Gone, Left, Store};
use futures_util::future::join_all;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync;
use tokio::time::sleep;

/// How often claims are renewed.
const BEAT: Duration = Duration::from_secs(2);
/// A claim that was not renewed for so long is of nobody.
const DEAD: Duration = Duration::from_secs(10);
/// How long a claim must stand until it counts.
const AWAIT: Duration = Duration::from_millis(100);
/// How often a place may be slower than that until a claim counts all the same: then two may prove one thing.
const MOST_TRIES: usize = 3;

/// Whose turn it is to prove something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Turn {
    /// That of this run, or nobody is there to ask: there may be a result already.
    Ours,
    /// That of another run: its result is to be asked for later.
    Theirs,
}

/// The claims of one run.
pub(in super::super) struct Claims(Arc<Run>);

struct Run {
    store: Arc<Store>,
    /// What nobody else is called.
    name: String,
    beats: AtomicU64,
    /// The longest that a claim of others is respected.
    longest: Duration,
    state: Mutex<State>,
    /// Held while claims are renewed.
    renewing: sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    /// What this run has claimed.
    held: BTreeSet<String>,
    /// Claims of this run that do not count.
    void: BTreeSet<String>,
    /// Claims of others, as they were seen.
    seen: BTreeMap<String, Seen>,
    /// Since when others are waited for.
    waiting: BTreeMap<String, Instant>,
    /// How often it took too long to claim something.
    slow: BTreeMap<String, usize>,
}

struct Seen {
    text: String,
    since: Instant,
}

impl Claims {
    /// None yet. Those of others are respected for so long.
    pub(super) fn new(store: Arc<Store>, longest: Duration) -> Self {
        let random = || RandomState::new().hash_one(std::process::id());
        let name = format!("{:016x}{:016x}", random(), random());
        let (state, renewing) = (Mutex::default(), sync::Mutex::default());
        let run = Arc::new(Run { store, name, beats: AtomicU64::new(0), longest, state, renewing });
        run.store.beside(renew(Arc::downgrade(&run)));
        Claims(run)
    }

    /// Whose turn it is to prove each of these, by the names of their entries.
    pub(in super::super) fn turns(&self, names: &[String]) -> Vec<Turn> {
        let all = async { Ok(join_all(names.iter().map(|name| self.0.turn(name))).await) };
        self.0.store.wait(all).unwrap_or_else(|| vec![Turn::Ours; names.len()])
    }

    /// This is done, or given up.
    pub(in super::super) fn release(&self, name: &str) {
        if self.0.state().held.remove(name) {
            self.0.store.wait(self.0.store.take_claim_back(name));
        }
    }
}

impl Drop for Claims {
    /// Others need not wait for what was begun and not ended.
    fn drop(&mut self) {
        let all = async {
            let _last = self.0.renewing.lock().await;
            let state = std::mem::take(&mut *self.0.state());
            Ok(join_all(state.held.union(&state.void).map(|name| self.0.store.take_claim_back(name))).await)
        };
        self.0.store.wait(all);
    }
}

/// Renews what a run has claimed, as long as it goes on.
async fn renew(run: Weak<Run>) {
    loop {
        sleep(BEAT).await;
        let Some(run) = run.upgrade() else { break };
        let _turn = run.renewing.lock().await;
        let held: Vec<String> = run.state().held.iter().cloned().collect();
        join_all(held.iter().map(|name| run.renew(name))).await;
    }
}

impl Run {
    async fn renew(&self, name: &str) {
        // What cannot be renewed will be proved by somebody else too.
        let _ = self.store.leave_claim(name, self.text()).await;
        // It may have been taken back meanwhile, and then this came after that.
        let held = self.state().held.contains(name);
        if !held {
            let _ = self.store.take_claim_back(name).await;
        }
    }

    async fn turn(&self, name: &str) -> Turn {
        if self.state().held.contains(name) {
            // The same program in another file: it is at work.
            return Turn::Theirs;
        }
        // Nobody is there to ask: it is proved here.
        let turn = self.asked(name).await.unwrap_or(Turn::Ours);
        let mut state = self.state();
        let since = *state.waiting.entry(name.to_string()).or_insert_with(Instant::now);
        if turn == Turn::Theirs && since.elapsed() < self.longest { Turn::Theirs } else { Turn::Ours }
    }

    async fn asked(&self, name: &str) -> Result<Turn, Gone> {
        if self.store.is_there(name).await? {
            let left = self.state().void.remove(name);
            if left {
                self.store.take_claim_back(name).await?;
            }
            return Ok(Turn::Ours);
        }
        let start = Instant::now();
        let before = self.store.claim(name).await?;
        if before.as_ref().is_some_and(|text| self.is_alive(name, text)) {
            return Ok(Turn::Theirs);
        }
        let first = match before {
            None => self.store.leave_first_claim(name, self.text()).await?,
            Some(_) => Left::Unclear,
        };
        match first {
            Left::Alone => {}
            Left::Occupied => return Ok(Turn::Theirs),
            Left::Unclear => {
                self.state().void.insert(name.to_string());
                self.store.leave_claim(name, self.text()).await?;
                if start.elapsed() > AWAIT && self.may_try_again(name) {
                    return Ok(Turn::Theirs);
                }
                sleep(AWAIT).await;
                if !self.store.claim(name).await?.is_some_and(|text| text.starts_with(&self.name)) {
                    return Ok(Turn::Theirs);
                }
            }
        }
        let mut state = self.state();
        state.void.remove(name);
        state.held.insert(name.to_string());
        Ok(Turn::Ours)
    }

    /// Whether a claim is to be respected.
    fn is_alive(&self, name: &str, text: &str) -> bool {
        if text.starts_with(&self.name) {
            return false;
        }
        let now = Instant::now();
        let mut state = self.state();
        let seen = state.seen.entry(name.to_string());
        let seen = seen.or_insert_with(|| Seen { text: text.to_string(), since: now });
        if seen.text != text {
            seen.text = text.to_string();
            seen.since = now;
        }
        seen.since.elapsed() < DEAD
    }

    fn may_try_again(&self, name: &str) -> bool {
        let mut state = self.state();
        let tries = state.slow.entry(name.to_string()).or_default();
        *tries += 1;
        *tries < MOST_TRIES
    }

    /// The next text of a claim.
    fn text(&self) -> String {
        format!("{} {}", self.name, self.beats.fetch_add(1, Ordering::Relaxed))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that failed while it held the state has left it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
