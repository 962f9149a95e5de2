//! What bounds the work: time, memory, and whoever interrupts it.
//!
//! In: the bounds of the command line. Out: the [`Stop`] that each file is verified under.

use smt::stop::{MemoryBound, Stop};
use std::fs;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Beyond `--memory`, in MB: for the program, its stack and its input, as for a solver process.
const SLACK: u64 = 1024;

/// The size of a page, in bytes, by which memory is counted.
const PAGE: u64 = 4096;

/// Fires when the run is interrupted: what is not decided by then is unknown. Whoever handles signals requests it.
pub(crate) fn interruption() -> &'static Stop {
    static INTERRUPTION: OnceLock<Stop> = OnceLock::new();
    INTERRUPTION.get_or_init(Stop::new)
}

/// For a file that is begun now: fires with [`interruption`], when so much time has passed, and when this process takes more
/// than so many MB for each of the files that are at work.
pub(crate) fn stop(limit: Duration, megabytes: u64, files: usize) -> Stop {
    stop_under(interruption(), limit, megabytes, files)
}

/// The same for work that may also be stopped in another way.
pub(crate) fn stop_under(outer: &Stop, limit: Duration, megabytes: u64, files: usize) -> Stop {
    let files = u64::try_from(files.max(1)).unwrap_or(u64::MAX);
    let megabytes = megabytes.saturating_add(SLACK).saturating_mul(files);
    // No deadline where no clock goes so far.
    let deadline = Instant::now().checked_add(limit);
    outer.bounded(MemoryBound { megabytes, used }).until(deadline)
}

/// For a process that does nothing else: fires when so much time has passed, and when it takes more than so many MB.
pub(crate) fn stop_alone(limit: Duration, megabytes: u64) -> Stop {
    Stop::new().bounded(MemoryBound { megabytes, used }).until(Instant::now().checked_add(limit))
}

/// The memory that this process has now, in MB; unknown where the system does not tell.
fn used() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some((pages * PAGE) >> 20)
}
