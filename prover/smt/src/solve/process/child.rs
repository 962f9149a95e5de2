//! Making copies of this process, and ending them: the only unsafe code there is.
//!
//! Invariant: used by [`super::serve`] alone, in a process in which one thread works and the others, if any, only wait for
//! that one to end.

#![allow(unsafe_code)]

use nix::libc;
use nix::unistd::{self, ForkResult, Pid};
use std::io;

/// Which of the two processes this is after a fork.
pub(super) enum Side {
    /// The one there was; with the id of the new one.
    Parent(Pid),
    /// The new one.
    Child,
}

/// Copies this process.
pub(super) fn fork() -> io::Result<Side> {
    // SAFETY: after a fork the child has the calling thread alone, so what another thread holds locked at that moment is
    // locked for ever. By the module's invariant the other threads wait in `join`, and hold nothing.
    match unsafe { unistd::fork() }? {
        ForkResult::Parent { child } => Ok(Side::Parent(child)),
        ForkResult::Child => Ok(Side::Child),
    }
}

/// Ends a copy at once. Exit handlers and destructors are the business of the process that was copied; Z3's take longer
/// than most queries.
pub(super) fn leave(status: i32) -> ! {
    // SAFETY: the function has no preconditions; what it leaves undone is undone by the end of the process.
    unsafe { libc::_exit(status) }
}
