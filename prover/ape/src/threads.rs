//! Work on threads, each with a stack that is deep enough for any program.

use super::STACK;
use super::status::Failure;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Does the work with so many threads, as many as there are cores if nothing is said.
pub(super) fn in_threads<T: Send>(jobs: Option<NonZeroUsize>, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    Ok(threads(jobs)?.install(work))
}

/// So many threads, as many as there are cores if nothing is said.
pub(super) fn threads(jobs: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.map_or(0, NonZeroUsize::get)).stack_size(STACK).build();
    pool.map_err(|error| Failure::Thread(io::Error::other(error)))
}

/// Does the work of each item, several at once; what came of them is in the order of the items.
///
/// Each worker has threads of its own: one that waits for its own helper must not begin another item meanwhile, as the
/// clock of its own item would go on.
pub(super) fn each<A: Sync, T: Send>(
    jobs: Option<NonZeroUsize>,
    items: &[A],
    work: impl Fn(&A) -> T + Sync,
) -> Result<Vec<T>, Failure> {
    let threads = jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let workers = threads.min(items.len()).max(1);
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
            let started: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
            // A panic of a worker is one of ours, and is told where this thread ends.
            started.into_iter().map(|one| one.join().unwrap_or_else(|bug| std::panic::resume_unwind(bug))).collect()
        });
        for share in shares {
            done.extend(share?);
        }
    }
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, made)| made).collect())
}
