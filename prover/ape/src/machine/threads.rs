//! Work on threads, each with a stack that is deep enough for any program.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};

/// Stack of a thread that does work, in bytes. Every stage may recurse over the user's program.
pub(crate) const STACK: usize = 512 << 20;

/// Does the work with so many threads, as many as there are cores if nothing is said.
pub(crate) fn in_threads<T: Send>(jobs: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    Ok(threads(jobs)?.install(work))
}

/// The most threads for each core. More find no core to run on, and each has a stack.
const MOST_PER_CORE: usize = 4;

/// How many threads to use when so many are asked for.
fn number(jobs: Option<NonZeroUsize>) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    jobs.map_or(cores, |jobs| jobs.get().min(cores * MOST_PER_CORE))
}

/// So many threads, as many as there are cores if nothing is said.
pub(crate) fn threads(jobs: Option<NonZeroUsize>) -> io::Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(number(jobs)).stack_size(STACK).build();
    pool.map_err(io::Error::other)
}

/// How many of so many items [`each`] works on at once.
pub(crate) fn workers(jobs: Option<NonZeroUsize>, items: usize) -> usize {
    number(jobs).min(items).max(1)
}

/// Does the work of each item, several at once; what came of them is in the order of the items.
///
/// Each worker has threads of its own: one that waits for its own helper must not begin another item meanwhile, as the
/// clock of its own item would go on.
pub(crate) fn each<A: Sync, T: Send>(
    jobs: Option<NonZeroUsize>,
    items: &[A],
    work: impl Fn(&A) -> T + Sync,
) -> io::Result<Vec<T>> {
    let threads = number(jobs);
    let workers = workers(jobs, items.len());
    let share = NonZeroUsize::new(threads / workers);
    let next = AtomicUsize::new(0);
    let worker = || {
        in_threads(share, || {
            let take = || next.fetch_add(1, Ordering::Relaxed);
            let taken = std::iter::repeat_with(take).map_while(|at| Some((at, items.get(at)?)));
            taken.map(|(at, item)| (at, work(item))).collect::<Vec<_>>()
        })
    };
    let mut done = Vec::with_capacity(items.len());
    if workers == 1 {
        done = worker()?;
    } else {
        let shares: Vec<_> = thread::scope(|scope| {
            let start = || thread::Builder::new().spawn_scoped(scope, worker);
            let started: Vec<_> = (0..workers).map(|_| start()).collect();
            let ended = started.into_iter().map(|worker| {
                // A panic of a worker is one of ours, and is told where this thread ends.
                let join = |worker: ScopedJoinHandle<'_, _>| worker.join().unwrap_or_else(|bug| resume_unwind(bug));
                worker.and_then(join)
            });
            ended.collect()
        });
        for share in shares {
            done.extend(share?);
        }
    }
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, made)| made).collect())
}

/// Does the work of each item, several at once, and hands over what came of them one by one, in the order of the items and as
/// soon as that is possible. Once that breaks off, no other item is begun, and nothing more is handed over.
pub(crate) fn in_order<A: Sync, T: Send>(
    jobs: Option<NonZeroUsize>,
    items: &[A],
    work: impl Fn(&A) -> T + Sync,
    hand_over: impl FnMut(T) -> ControlFlow<()>,
) -> io::Result<()> {
    let next = AtomicUsize::new(0);
    let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < items.len());
    in_order_of(jobs, items, next, work, hand_over)
}

/// The same, where something else says which item is begun next. It must name each of them once, before it says that there is none.
pub(crate) fn in_order_of<A: Sync, T: Send>(
    jobs: Option<NonZeroUsize>,
    items: &[A],
    next: impl Fn() -> Option<usize> + Sync,
    work: impl Fn(&A) -> T + Sync,
    mut hand_over: impl FnMut(T) -> ControlFlow<()>,
) -> io::Result<()> {
    let workers = workers(jobs, items.len());
    let share = NonZeroUsize::new(number(jobs) / workers);
    let over = AtomicBool::new(false);
    let worker = |done: mpsc::Sender<(usize, T)>| {
        in_threads(share, || {
            while !over.load(Ordering::Relaxed) {
                let Some((at, item)) = next().and_then(|at| Some((at, items.get(at)?))) else { break };
                // Nobody listens any more once it is broken off.
                if done.send((at, work(item))).is_err() {
                    break;
                }
            }
        })
    };
    thread::scope(|scope| {
        let (send, done) = mpsc::channel();
        let worker = &worker;
        let start = |send: mpsc::Sender<(usize, T)>| thread::Builder::new().spawn_scoped(scope, move || worker(send));
        let started: Vec<_> = (0..workers).map(|_| start(send.clone())).collect();
        drop(send);
        let (mut early, mut turn) = (BTreeMap::new(), 0);
        'all: for (at, made) in &done {
            early.insert(at, made);
            while let Some(made) = early.remove(&turn) {
                turn += 1;
                if hand_over(made).is_break() {
                    over.store(true, Ordering::Relaxed);
                    break 'all;
                }
            }
        }
        drop(done);
        // A panic of a worker is one of ours, and is told where this thread ends.
        let join = |worker: ScopedJoinHandle<'_, _>| worker.join().unwrap_or_else(|bug| resume_unwind(bug));
        // One worker is enough to do all the work; where there was none the reason is told.
        let ended: Vec<io::Result<()>> = started.into_iter().map(|worker| worker.and_then(join)).collect();
        if ended.iter().any(Result::is_ok) { Ok(()) } else { ended.into_iter().collect() }
    })
}

/// Does the work, while another thread does something beside it that ends by itself when the work has ended.
pub(crate) fn beside<T>(other: impl FnOnce() + Send, work: impl FnOnce() -> T) -> io::Result<T> {
    thread::scope(|scope| {
        let other = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, other)?;
        let done = work();
        // A panic of the other thread is one of ours, and is told where this one ends.
        other.join().unwrap_or_else(|bug| resume_unwind(bug));
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..20).collect();
        let work = |item: &u64| {
            thread::sleep(Duration::from_millis(20 - item));
            *item
        };
        let mut seen = Vec::new();
        let all = in_order(NonZeroUsize::new(2), &items, work, |item| {
            seen.push(item);
            ControlFlow::Continue(())
        });
        assert!(all.is_ok() && seen == items);
        let mut seen = Vec::new();
        let some = in_order(NonZeroUsize::new(2), &items, work, |item| {
            seen.push(item);
            if item == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(some.is_ok() && seen == [0, 1, 2, 3]);
    }
}
