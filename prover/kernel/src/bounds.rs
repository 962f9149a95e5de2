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
