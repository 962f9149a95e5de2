//! Which case is next.
//!
//! Where no other run shares the cache, they are taken in their order. Else one thread looks ahead: it claims a few cases for this
//! run, and comes back later to those that another run has claimed. The threads that prove never wait for the place that is shared
//! while there is something to do.
//!
//! Invariant: each case is named once, whatever claims say.

use super::cache::{Claims, Turn};
use smt::stop::Stop;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long it takes until a case of another run is asked for again, and at most until it is noticed that the run is to stop.
const LATER: Duration = Duration::from_millis(500);
/// How many cases are claimed ahead for each thread: at first, and at most. It grows when threads wait.
const AHEAD: [usize; 2] = [4, 32];
/// No run claims more ahead than this part of what is left, so that at the end all have something to do.
const SHARE: usize = 3;

/// The cases of a run, by their numbers.
pub(super) struct Turns<'a> {
    claims: Option<&'a Claims>,
    threads: usize,
    stop: Stop,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// Nobody has asked for these yet.
    fresh: VecDeque<usize>,
    /// Another run is at these, which are asked for again at these times.
    later: VecDeque<(Instant, usize)>,
    /// These are being asked for.
    asked: Vec<usize>,
    /// It is the turn of this run.
    ready: VecDeque<usize>,
    /// How many are claimed ahead.
    ahead: usize,
    over: bool,
}

impl<'a> Turns<'a> {
    /// So many cases, for so many threads.
    pub(super) fn new(cases: usize, threads: usize, claims: Option<&'a Claims>, stop: Stop) -> Self {
        let (fresh, ready) = if claims.is_some() { (0..cases, 0..0) } else { (0..0, 0..cases) };
        let state = State {
            fresh: fresh.collect(),
            later: VecDeque::new(),
            asked: Vec::new(),
            ready: ready.collect(),
            ahead: threads * AHEAD[0],
            over: false,
        };
        Turns { claims, threads, stop, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The next case, as soon as there is one; `None` when there will be none.
    pub(super) fn next(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            if let Some(case) = state.ready.pop_front() {
                self.changed.notify_all();
                return Some(case);
            }
            if state.over || (state.left() == 0 && state.asked.is_empty()) {
                return None;
            }
            if !state.asked.is_empty() {
                state.ahead = (state.ahead * 2).min(self.threads * AHEAD[1]);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks ahead until all cases have had their turn, or it is over. The names are those of entries; of a case without one there is
    /// nothing to claim.
    pub(super) fn look_ahead(&self, name: impl Fn(usize) -> Option<String>) {
        let Some(claims) = self.claims else { return };
        // Whatever ends it, also a bug of ours: what is left then has its turn at once.
        let _all = OnDrop(|| self.give(State::give_all));
        while let Some(cases) = self.ask() {
            let (mut named, mut names, mut plain) = (Vec::new(), Vec::new(), Vec::new());
            for case in cases {
                match name(case) {
                    Some(name) => {
                        named.push(case);
                        names.push(name);
                    }
                    None => plain.push(case),
                }
            }
            let turns = claims.turns(&names);
            let again = Instant::now() + LATER;
            self.give(|state| {
                state.asked.clear();
                state.ready.extend(plain);
                for (case, turn) in named.into_iter().zip(turns) {
                    match turn {
                        Turn::Ours => state.ready.push_back(case),
                        Turn::Theirs => state.later.push_back((again, case)),
                    }
                }
            });
        }
    }

    /// The cases to ask for, once there is room for some; `None` when there will be none.
    fn ask(&self) -> Option<Vec<usize>> {
        let mut state = self.state();
        loop {
            if state.over || state.left() == 0 || self.stop.reason().is_some() {
                return None;
            }
            let ahead = state.ahead.min(state.left().div_ceil(SHARE)).max(self.threads);
            if state.ready.len() * 2 <= ahead {
                let now = Instant::now();
                let room = ahead - state.ready.len();
                state.asked = std::iter::from_fn(|| state.take(now)).take(room).collect();
                if !state.asked.is_empty() {
                    return Some(state.asked.clone());
                }
            }
            state = self.changed.wait_timeout(state, LATER).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends them all when it goes, also where that is for a bug of ours.
    pub(super) fn ending(&self) -> impl Drop + '_ {
        OnDrop(|| self.end())
    }

    /// Nothing else is begun.
    pub(super) fn end(&self) {
        self.give(|state| state.over = true);
    }

    fn give(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that failed while it held the state has left it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// How many nobody is asking for.
    fn left(&self) -> usize {
        self.fresh.len() + self.later.len()
    }

    /// The next case to ask for: one that is to be asked for again by now, or a fresh one.
    fn take(&mut self, now: Instant) -> Option<usize> {
        match self.later.front() {
            Some((again, _)) if *again <= now => self.later.pop_front().map(|(_, case)| case),
            _ => self.fresh.pop_front(),
        }
    }

    /// Makes ready what is not.
    fn give_all(&mut self) {
        self.ready.extend(self.asked.drain(..));
        self.ready.extend(self.later.drain(..).map(|(_, case)| case));
        self.ready.extend(self.fresh.drain(..));
    }
}

/// Does something when it goes.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alone_all_cases_come_in_their_order() {
        let turns = Turns::new(3, 2, None, Stop::new());
        assert_eq!([(); 5].map(|()| turns.next()), [Some(0), Some(1), Some(2), None, None]);
    }
}
