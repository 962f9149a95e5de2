//! Signals that would end the process: they are turned into a request, or into a write that fails.
//!
//! In: nothing. Out: handlers that set a flag, and for interrupts a thread that passes the request on.

use signal_hook::consts::{SIGINT, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use smt::stop::{Reason, Stop};
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

/// Has a write beyond the size that files may have fail like one on a full disk, instead of ending the process.
pub(crate) fn survive_full_files() -> io::Result<()> {
    // That there is a handler is enough; nobody looks at the flag.
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}

/// Has Ctrl-C ask for a stop, so that what is decided can still be told. A second one ends the process at once.
pub(crate) fn stop_on_interrupt(stop: &Stop) -> io::Result<()> {
    let stop = stop.clone();
    on_interrupt(move || stop.request(Reason::Interrupted))
}

/// Has Ctrl-C do something instead of ending the process. A second one ends it at once.
pub(crate) fn on_interrupt(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let asked = Arc::new(AtomicBool::new(false));
    // In this order: no signal is lost; and the first one finds the flag unset, and sets it.
    let mut signals = Signals::new([SIGINT])?;
    flag::register_conditional_default(SIGINT, Arc::clone(&asked))?;
    flag::register(SIGINT, asked)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            act();
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}
