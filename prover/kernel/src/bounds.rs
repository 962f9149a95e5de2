//! Every bound on the work of the kernel: counts, never times.
//!
//! What comes to a bound is not proved.

/// Symbolic execution: how far [`Limits`](crate::exec::Limits) go where nothing else is said.
pub mod exec {
    /// More outcomes than this are too many.
    pub const MAX_OUTCOMES: usize = 600;
    /// More calls than this are too many, on all paths together.
    pub const MAX_CALLS: usize = 4_000;
    /// More work with terms than this is too much.
    pub const MAX_WORK: u64 = 4_000_000;
}

/// Relating two outcomes.
pub mod relate {
    /// A condition of more parts than this is not written; nor one that is nested deeper than [`MAX_DEPTH`].
    pub const MAX_NODES: usize = 2_000;
    /// How deep a condition may be nested.
    pub const MAX_DEPTH: usize = 100;
    /// How deep to split on open aliases.
    pub const MAX_SPLITS: usize = 10;
}

/// Pairs of procedures.
pub mod pair {
    /// How many calls that are executed in place may be nested.
    pub const MAX_INLINE_DEPTH: usize = 8;
    /// Loops and recursion that come to an end by themselves are executed to it: so deep.
    pub const MAX_EVALUATED_DEPTH: usize = 64;
    /// The most outcomes of each side then.
    pub const MAX_EVALUATED_OUTCOMES: usize = 6;
    /// Two loops are not related by more facts than this.
    pub const MAX_FACTS: usize = 240;
    /// No more than this is read in a fact, one from the other.
    pub const MAX_STEPS: usize = 8;
    /// The parameters and results of version 1 that have no partner are numbered from here on; no loop has so many.
    pub const APART: u32 = 1 << 16;
}
