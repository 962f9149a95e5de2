//! Signals: those that end a process unless it says otherwise.
//!
//! In: nothing. Out: handlers, which only set a flag.

use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use std::io;
use std::sync::Arc;

/// Has a write beyond the size that files may have fail like one on a full disk, instead of ending the process.
pub(super) fn survive_full_files() -> io::Result<()> {
    // That there is a handler is enough; nobody looks at the flag.
    flag::register(SIGXFSZ, Arc::default()).map(drop)
}
