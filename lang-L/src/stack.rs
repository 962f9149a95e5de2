//! Stacks that are deep enough, on whatever thread the crate is called.
//!
//! In: work that recurses. Out: its result.
//!
//! The parser bounds how deep a tree can be. So there is a stack that is always deep enough; where the thread has less left,
//! the work gets a stack of its own.

/// How much must be left of a stack for work to stay on it, in bytes.
const ENOUGH: usize = 16 << 20;

/// How much a stack of its own has, in bytes; the system provides what is touched of it only.
const OWN: usize = 64 << 20;

/// Does the work on a stack that is deep enough for any tree.
pub(crate) fn deep<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ENOUGH, OWN, work)
}
