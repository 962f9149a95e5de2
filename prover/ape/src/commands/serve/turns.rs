//! Whose turn it is: so many at once, and the others one after the other, client by client.
//!
//! In: clients that want a turn. Out: turns, each given back when it is dropped.
//!
//! There are two kinds of clients: those whose last turn was long, and the others. Where both wait, the kinds alternate. So one with a
//! short task need not wait for all who have long ones.
//!
//! Invariant: a client that waits is passed over by each other client of its kind at most once before it has its turn.
//! Invariant: whoever stops waiting leaves no trace.

use super::bounds;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot::{self, Sender};

/// A client, by its own name or by its connection.
pub(super) type Client = String;

/// Why there is no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// This client waits for too much already.
    Client,
    /// Too many wait.
    All,
}

/// What turns are taken at.
#[derive(Clone, Debug)]
pub(super) struct Turns(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    free: usize,
    /// Of each kind the clients in the order of their next turns, each with what it waits for; none of them is empty.
    kinds: [VecDeque<(Client, VecDeque<Waiting>)>; 2],
    /// Whose turn is next, where both kinds wait.
    kind: usize,
    /// Clients whose last turn was long, the latest of them.
    long: VecDeque<Client>,
    /// The number of the next that waits.
    next: u64,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    give: Sender<Turn>,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    /// Where it is given back, unless that is done.
    of: Option<Turns>,
    client: Client,
    since: Instant,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.of.take() {
            turns.pass_on(&self.client, self.since.elapsed() >= bounds::LONG);
        }
    }
}

impl Turns {
    /// So many at once.
    pub(super) fn new(free: usize) -> Self {
        Turns(Arc::new(Mutex::new(State { free, ..State::default() })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many wait.
    pub(super) fn waiting(&self) -> usize {
        self.state().waiting()
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self, client: &Client) -> Result<Turn, Full> {
        let (give, given) = oneshot::channel();
        let number = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Ok(self.begun(client));
            }
            state.wait(client, give)?
        };
        let _place = Place { turns: self, number };
        // A turn is given to each that waits, unless it stops waiting first.
        given.await.map_err(|_| Full::All)
    }

    fn begun(&self, client: &Client) -> Turn {
        Turn { of: Some(self.clone()), client: client.clone(), since: Instant::now() }
    }

    /// Gives the turn of a client, which ends, to the next that waits.
    fn pass_on(&self, client: &Client, long: bool) {
        self.state().remember(client, long);
        while let Some((client, next)) = self.next_or_free() {
            match next.give.send(self.begun(&client)) {
                Ok(()) => return,
                // It does not wait any more, and the turn is for somebody else.
                Err(mut turn) => turn.of = None,
            }
        }
    }

    fn next_or_free(&self) -> Option<(Client, Waiting)> {
        self.state().next_or_free()
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.kinds.iter().flatten().map(|(_, queue)| queue.len()).sum()
    }

    /// Puts a request behind those of its client; the number by which it can be taken away.
    fn wait(&mut self, client: &Client, give: Sender<Turn>) -> Result<u64, Full> {
        if self.waiting() >= bounds::WAITING {
            return Err(Full::All);
        }
        let number = self.next;
        let waiting = Waiting { number, give };
        match self.kinds.iter_mut().flatten().find(|(name, _)| name == client) {
            Some((_, queue)) if queue.len() >= bounds::WAITING_OF_ONE => return Err(Full::Client),
            Some((_, queue)) => queue.push_back(waiting),
            None => {
                let kind = usize::from(self.long.contains(client));
                self.kinds[kind].push_back((client.clone(), VecDeque::from([waiting])));
            }
        }
        self.next += 1;
        Ok(number)
    }

    /// Of which kind a client is from now on.
    fn remember(&mut self, client: &Client, long: bool) {
        self.long.retain(|known| known != client);
        if long {
            self.long.push_back(client.clone());
            if self.long.len() > bounds::REMEMBERED {
                self.long.pop_front();
            }
        }
        let other = usize::from(!long);
        if let Some(at) = self.kinds[other].iter().position(|(known, _)| known == client) {
            let moved = self.kinds[other].remove(at);
            self.kinds[1 - other].extend(moved);
        }
    }

    /// The next that waits; its client goes behind all others of its kind. Where nobody waits, one turn more is free.
    fn next_or_free(&mut self) -> Option<(Client, Waiting)> {
        let kind = if self.kinds[self.kind].is_empty() { 1 - self.kind } else { self.kind };
        self.kind = 1 - kind;
        let next = self.kinds[kind].pop_front().and_then(|(client, mut queue)| {
            let next = queue.pop_front()?;
            if !queue.is_empty() {
                self.kinds[kind].push_back((client.clone(), queue));
            }
            Some((client, next))
        });
        self.free += usize::from(next.is_none());
        next
    }

    fn leave(&mut self, number: u64) {
        for clients in &mut self.kinds {
            for (_, queue) in clients.iter_mut() {
                queue.retain(|waiting| waiting.number != number);
            }
            clients.retain(|(_, queue)| !queue.is_empty());
        }
    }
}

/// A place in the queue, until it is dropped.
struct Place<'t> {
    turns: &'t Turns,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.turns.state().leave(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    type Wanted<'t> = Pin<Box<dyn Future<Output = Result<Turn, Full>> + 't>>;

    fn wanted<'t>(turns: &'t Turns, client: &str) -> Wanted<'t> {
        let client = client.to_string();
        let mut wanted: Wanted<'t> = Box::pin(async move { turns.turn(&client).await });
        assert!(now(&mut wanted).is_none());
        wanted
    }

    fn now(wanted: &mut Wanted<'_>) -> Option<Result<Turn, Full>> {
        match wanted.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    /// The turn that is there at once.
    fn first(turns: &Turns) -> Turn {
        let client = String::new();
        let mut wanted: Wanted<'_> = Box::pin(turns.turn(&client));
        now(&mut wanted).expect("nobody waits").expect("it is free")
    }

    #[test]
    fn clients_take_turns() {
        let turns = Turns::new(1);
        let mut at_work = Some(first(&turns));
        let mut waiting: Vec<(&str, Wanted<'_>)> =
            ["a", "a", "a", "b", "c", "b"].iter().map(|client| (*client, wanted(&turns, client))).collect();
        let mut order = String::new();
        while !waiting.is_empty() {
            drop(at_work.take());
            let (client, turn) = next(&mut waiting);
            order += client;
            at_work = Some(turn);
        }
        assert_eq!(order, "abcaba");
        drop(at_work);
        drop(first(&turns));
    }

    /// Who has the turn that was given.
    fn next<'t>(waiting: &mut Vec<(&'t str, Wanted<'_>)>) -> (&'t str, Turn) {
        let given = waiting.iter_mut().enumerate().find_map(|(at, (_, wanted))| Some((at, now(wanted)?)));
        let (at, turn) = given.expect("somebody has a turn");
        (waiting.remove(at).0, turn.expect("there is room"))
    }

    #[test]
    fn who_takes_long_does_not_hold_up_all_others() {
        let turns = Turns::new(1);
        let at_work = first(&turns);
        let mut waiting: Vec<(&str, Wanted<'_>)> = Vec::new();
        let clients = |names: [&'static str; 4]| names.map(|name| (name, wanted(&turns, name)));
        waiting.extend(clients(["a", "b", "a", "c"]));
        // Also where it waits already.
        for long in ["a", "b", "c"] {
            turns.state().remember(&long.to_string(), true);
        }
        waiting.extend(clients(["d", "e", "d", "c"]));
        turns.state().remember(&"c".to_string(), false);
        let mut order = String::new();
        let mut at_work = Some(at_work);
        while !waiting.is_empty() {
            let mut ends = at_work.take().expect("there is one");
            // As if it had taken as long as before.
            let long = matches!(ends.client.as_str(), "a" | "b");
            ends.of = None;
            turns.pass_on(&ends.client, long);
            let (client, turn) = next(&mut waiting);
            order += client;
            at_work = Some(turn);
        }
        assert_eq!(order, "daebcadc");
        drop(at_work);
        drop(first(&turns));
    }

    #[test]
    fn whoever_goes_leaves_no_trace() {
        let turns = Turns::new(1);
        let at_work = first(&turns);
        let (gone, stays) = (wanted(&turns, "a"), wanted(&turns, "b"));
        // It has the turn when it goes.
        let mut late = wanted(&turns, "c");
        drop(gone);
        assert_eq!(turns.waiting(), 2);
        drop(at_work);
        drop(stays);
        let turn = now(&mut late).expect("the other is gone").expect("there is room");
        assert_eq!(turns.waiting(), 0);
        drop(turn);
        drop(first(&turns));
    }

    #[test]
    fn not_too_many_wait() {
        let turns = Turns::new(1);
        let at_work = first(&turns);
        let mut waiting: Vec<Wanted<'_>> = (0..bounds::WAITING_OF_ONE).map(|_| wanted(&turns, "a")).collect();
        let refused = |client: &str| {
            let client = client.to_string();
            let mut wanted: Wanted<'_> = Box::pin(turns.turn(&client));
            now(&mut wanted).and_then(Result::err)
        };
        assert_eq!(refused("a"), Some(Full::Client));
        while turns.waiting() < bounds::WAITING {
            waiting.push(wanted(&turns, &waiting.len().to_string()));
        }
        assert_eq!(refused("b"), Some(Full::All));
        drop(waiting);
        drop(at_work);
        drop(first(&turns));
    }
}
