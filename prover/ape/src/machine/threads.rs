//! Work on threads, each with a stack that is deep enough for any program.

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
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
