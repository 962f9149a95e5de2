//! Faults on demand: mistakes that a test build of the prover can be made to make, one at a time.
//!
//! In: the name of the one fault that is switched on. Out: at each place where a fault is planted, whether it is that one.
//!
//! The engines, the analyses and the lowering are not believed; the kernel is. So a fault anywhere outside the kernel may cost
//! answers, and must not make a wrong one. Faults in the kernel are there to see whether the tests would notice.
//!
//! Invariant: without the feature `planted` nothing can be switched on, and every question is the constant `false`.

mod table;

pub use table::{ALL, Fault};

#[cfg(not(feature = "planted"))]
mod never {
    /// Whether this fault is switched on: never in this build.
    #[inline(always)]
    pub const fn planted(_name: &'static str) -> bool {
        false
    }

    /// Whether nobody looks for differences, so that engines and kernel are on their own: never in this build.
    #[inline(always)]
    pub const fn blind() -> bool {
        false
    }
}

#[cfg(feature = "planted")]
mod live {
    use super::{ALL, Fault};
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// What a process is told by its environment, if nobody switches anything.
    const VARIABLE: &str = "APE_FAULT";
    /// The number of no fault.
    const NONE: usize = usize::MAX;

    static ON: AtomicUsize = AtomicUsize::new(NONE);
    static BLIND: AtomicBool = AtomicBool::new(false);
    /// Whether it is noted who comes by which fault: only where somebody switches them.
    static NOTED: AtomicBool = AtomicBool::new(false);
    static TOLD: OnceLock<()> = OnceLock::new();

    thread_local! {
        /// The faults that this thread has come by.
        static ASKED: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }

    /// The faults that this thread has come by since it last asked: others would change nothing of what it did. None before a fault
    /// was switched.
    pub fn come_by() -> BTreeSet<&'static str> {
        ASKED.take()
    }

    /// Whether this fault is switched on, by itself or by one that hides it.
    pub fn planted(name: &'static str) -> bool {
        if NOTED.load(Ordering::Relaxed) {
            ASKED.with_borrow_mut(|asked| asked.insert(name));
        }
        TOLD.get_or_init(|| set(std::env::var(VARIABLE).ok().as_deref()));
        ALL.get(ON.load(Ordering::Relaxed)).is_some_and(|fault| fault.name == name || fault.hides == Some(name))
    }

    /// Whether nobody looks for differences, so that engines and kernel are on their own.
    pub fn blind() -> bool {
        BLIND.load(Ordering::Relaxed)
    }

    /// Switches on the fault of this name and no other; none where there is no such fault. With `blind` nobody looks for
    /// differences.
    pub fn switch(name: Option<&str>, blind: bool) {
        let _ = TOLD.set(());
        NOTED.store(true, Ordering::Relaxed);
        set(name);
        BLIND.store(blind, Ordering::Relaxed);
    }

    fn set(name: Option<&str>) {
        let is = |fault: &Fault| Some(fault.name) == name;
        ON.store(ALL.iter().position(is).unwrap_or(NONE), Ordering::Relaxed);
    }
}

#[cfg(feature = "planted")]
pub use live::{blind, come_by, planted, switch};
#[cfg(not(feature = "planted"))]
pub use never::{blind, planted};
