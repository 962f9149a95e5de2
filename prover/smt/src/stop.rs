//! When to give up: the clock, a bound on memory, or somebody who asks.
//!
//! In: a deadline, a bound, a request from another thread. Out: work that ends early, with the [`Reason`].
//!
//! Work runs inside [`Stop::run`]. Loops and constructors below call [`check`], which costs next to nothing; when the stop has
//! fired it unwinds to the innermost `run`. So no function between the two has to know about stops. What was unwound is lost,
//! and its owner says that it is unknown. A search that holds something worth keeping asks [`fired`] instead.
//!
//! Invariant: what unwinds is never a verdict, and never a bug: [`Stopped`] is caught by [`Stop::run`], and starts only inside one.
//! Invariant: a stop that has fired stays so, with the same reason.
//! Invariant: without a deadline, a bound or a request nothing here changes what is done.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// How many calls of [`check`] pass between two looks at the clock.
const EVERY: u32 = 256;

/// How often memory is measured.
const MEASURED_EVERY: Duration = Duration::from_millis(20);

/// Why work was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The deadline passed.
    Time,
    /// The process reached its bound on memory.
    Memory,
    /// Somebody asked.
    Interrupted,
    /// A single proof reached the bound on its terms or heaps. It is counted, so it is the same on every machine.
    Size,
}

impl Reason {
    const ALL: [Reason; 4] = [Reason::Time, Reason::Memory, Reason::Interrupted, Reason::Size];

    /// The word for it in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Reason::Time => "time",
            Reason::Memory => "memory",
            Reason::Interrupted => "interrupted",
            Reason::Size => "size",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Time => "the time limit was reached",
            Reason::Memory => "the bound on memory was reached",
            Reason::Interrupted => "it was interrupted",
            Reason::Size => "it leads to more terms than one proof may have",
        })
    }
}

/// That work was given up, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped(pub Reason);

/// A bound on the memory of this process.
#[derive(Clone, Copy, Debug)]
pub struct MemoryBound {
    /// The most, in MB.
    pub megabytes: u64,
    /// How much is in use, in MB; `None` where that is not known.
    pub used: fn() -> Option<u64>,
}

/// Says when to give up; shared by all who look at it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// 0, or one more than the place of the reason in [`Reason::ALL`].
    fired: AtomicU8,
    parent: Option<Stop>,
    deadline: Option<Instant>,
    memory: Option<MemoryBound>,
}

thread_local! {
    /// The stop of the innermost [`Stop::run`] on this thread.
    static CURRENT: RefCell<Option<Stop>> = const { RefCell::new(None) };
    static UNTIL_LOOK: Cell<u32> = const { Cell::new(0) };
    static MEASURED: Cell<Option<Instant>> = const { Cell::new(None) };
}

impl Stop {
    /// One that fires only when it is asked to.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that fires with this one, and also when the deadline has passed.
    #[must_use]
    pub fn until(&self, deadline: Option<Instant>) -> Self {
        Stop(Arc::new(Inner { parent: Some(self.clone()), deadline, ..Inner::default() }))
    }

    /// One that fires with this one, and also when the process takes more memory than the bound.
    #[must_use]
    pub fn bounded(&self, memory: MemoryBound) -> Self {
        Stop(Arc::new(Inner { parent: Some(self.clone()), memory: Some(memory), ..Inner::default() }))
    }

    /// Has it fire now, unless it has fired before. Safe to call from any thread.
    pub fn request(&self, reason: Reason) {
        let code = Reason::ALL.iter().position(|&one| one == reason).map_or(0, |at| at as u8 + 1);
        // A first reason stays.
        let _ = self.0.fired.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether it has fired, and why. Looks at the clock.
    pub fn reason(&self) -> Option<Reason> {
        let inner = &*self.0;
        let known = || Reason::ALL.get(usize::from(inner.fired.load(Ordering::Relaxed)).wrapping_sub(1)).copied();
        if let Some(reason) = known() {
            return Some(reason);
        }
        let late = || inner.deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| Reason::Time);
        let full = || inner.memory.filter(MemoryBound::is_reached).map(|_| Reason::Memory);
        let reason = inner.parent.as_ref().and_then(Stop::reason).or_else(late).or_else(full)?;
        self.request(reason);
        known()
    }

    /// How long it is until the deadline; `None` without one.
    pub fn left(&self) -> Option<Duration> {
        let inner = &*self.0;
        let own = inner.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let outer = inner.parent.as_ref().and_then(Stop::left);
        own.into_iter().chain(outer).min()
    }

    /// Does the work unless, or until, this fires. Where the work is given up, what it has changed may be half done.
    ///
    /// # Errors
    /// Why it was given up.
    ///
    /// # Panics
    /// When the work does.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Stopped> {
        if let Some(reason) = self.reason() {
            return Err(Stopped(reason));
        }
        let _inside = Inside { outer: CURRENT.replace(Some(self.clone())) };
        UNTIL_LOOK.set(0);
        panic::catch_unwind(AssertUnwindSafe(work)).or_else(|payload| match payload.downcast::<Stopped>() {
            Ok(stopped) => Err(*stopped),
            Err(bug) => panic::resume_unwind(bug),
        })
    }
}

impl MemoryBound {
    fn is_reached(&self) -> bool {
        let now = Instant::now();
        if MEASURED.get().is_some_and(|last| now < last + MEASURED_EVERY) {
            return false;
        }
        MEASURED.set(Some(now));
        (self.used)().is_some_and(|used| used > self.megabytes)
    }
}

/// Puts the outer stop back when the work is over, however it ended.
struct Inside {
    outer: Option<Stop>,
}

impl Drop for Inside {
    fn drop(&mut self) {
        CURRENT.set(self.outer.take());
    }
}

/// The stop under which this thread works; outside of [`Stop::run`] one that never fires.
pub fn current() -> Stop {
    CURRENT.with_borrow(|stop| stop.clone().unwrap_or_default())
}

/// Whether the stop under which this thread works has fired, and why. For searches that keep what they have found.
pub fn fired() -> Option<Reason> {
    CURRENT.with_borrow(|stop| stop.as_ref().and_then(Stop::reason))
}

/// Gives the work up if its stop has fired; looks at the clock each time. For steps that take long.
pub fn look() {
    if let Some(reason) = fired() {
        unwind(reason);
    }
}

/// Gives the work up if its stop has fired; looks at the clock only every so many calls. For steps that are short.
pub fn check() {
    let left = UNTIL_LOOK.get();
    if left > 0 {
        return UNTIL_LOOK.set(left - 1);
    }
    UNTIL_LOOK.set(EVERY);
    look();
}

/// Goes on giving up, outside of a [`Stop::run`] that has caught it: for whoever hands work to another thread.
pub fn resume(Stopped(reason): Stopped) -> ! {
    unwind(reason)
}

/// Gives the work up because it is too large, if anybody waits for it.
pub fn too_large() {
    if CURRENT.with_borrow(Option::is_some) {
        unwind(Reason::Size);
    }
}

/// Unwinds to the innermost [`Stop::run`], without the noise of a panic.
fn unwind(reason: Reason) -> ! {
    panic::resume_unwind(Box::new(Stopped(reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks for ever.
    fn work() {
        loop {
            check();
        }
    }

    #[test]
    fn work_ends_when_it_is_finished() {
        assert_eq!(Stop::new().run(|| (0..1000).map(|n| (check(), n).1).sum::<u32>()), Ok(499_500));
    }

    #[test]
    fn outside_of_a_run_nothing_stops() {
        (0..1000).for_each(|_| check());
        look();
        too_large();
        assert_eq!(fired(), None);
    }

    #[test]
    fn a_deadline_ends_work() {
        let stop = Stop::new().until(Some(Instant::now() + Duration::from_millis(1)));
        assert_eq!(stop.run(work), Err(Stopped(Reason::Time)));
        // And what comes after it does not begin.
        assert_eq!(stop.run(|| ()), Err(Stopped(Reason::Time)));
    }

    #[test]
    fn a_request_from_another_thread_ends_work() {
        let stop = Stop::new();
        let child = stop.until(None);
        let ended = std::thread::scope(|scope| {
            let working = scope.spawn(|| child.run(work));
            stop.request(Reason::Interrupted);
            working.join()
        });
        assert!(matches!(ended, Ok(Err(Stopped(Reason::Interrupted)))));
    }

    #[test]
    fn the_first_reason_stays() {
        let stop = Stop::new();
        stop.request(Reason::Interrupted);
        stop.request(Reason::Memory);
        assert_eq!(stop.reason(), Some(Reason::Interrupted));
    }

    #[test]
    fn a_child_does_not_stop_its_parent() {
        let stop = Stop::new();
        let child = stop.until(Some(Instant::now()));
        assert_eq!((child.reason(), stop.reason()), (Some(Reason::Time), None));
    }

    #[test]
    fn memory_is_measured() {
        let bound = |used| Stop::new().bounded(MemoryBound { megabytes: 10, used });
        assert_eq!(bound(|| Some(11)).run(work), Err(Stopped(Reason::Memory)));
        assert_eq!(bound(|| Some(10)).run(look), Ok(()));
    }

    #[test]
    fn only_the_innermost_run_is_given_up() {
        let outer = Stop::new();
        let both = outer.run(|| {
            let inner = current().run(|| {
                too_large();
                1
            });
            (inner, 2)
        });
        assert_eq!(both, Ok((Err(Stopped(Reason::Size)), 2)));
        assert_eq!(fired(), None);
    }

    #[test]
    fn a_bug_is_not_a_stop() {
        let bug = panic::catch_unwind(|| Stop::new().run(|| panic::resume_unwind(Box::new("a bug")) as ()));
        assert!(bug.is_err());
    }
}
