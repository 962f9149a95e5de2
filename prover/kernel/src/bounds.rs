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
    /// Whether a loop is left within a turn is not looked for behind more tests than this, one within the other.
    pub const MAX_TESTS_OF_TURN: usize = 6;
}

/// Objects that are variables.
pub mod scalars {
    /// An array of more cells than this is not taken apart.
    pub const MAX_CELLS: usize = 16;
    /// Of more variables that hold objects for helpers than this the helpers stay where they are.
    pub const MAX_HANDED: usize = 16;
    /// More calls than this are not put in place at once.
    pub const MAX_IN_PLACE: usize = 16;
    /// A helper of more statements than this is not put in place.
    pub const MAX_HELPER: usize = 32;
    /// Recursion that builds is given no second form where more statements than this are looked at, those on several paths each time.
    pub const MAX_PLACED: usize = 256;
    /// No more statements than this that stand behind a loop are done where it is left.
    pub const MAX_LEAVING: usize = 8;
    /// A loop with more assignments than this is not split.
    pub const MAX_ASSIGNMENTS: usize = 32;
    /// So deep are helpers looked into for loops.
    pub const MAX_LOOKED_INTO: usize = 1;
    /// Helpers that call helpers are put in place so deep.
    pub const MAX_ROUNDS: usize = 4;
    /// A procedure that begins with more calls of itself than this is not unfolded.
    pub const MAX_MENDED: usize = 3;
}

/// What changes only if something held.
pub mod only_if {
    /// More tests than this are not said of one thing.
    pub const MAX_TESTS: usize = 16;
    /// No more than this is read in a test, one from the other.
    pub const MAX_STEPS: usize = 4;
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
    pub const MAX_EVALUATED_OUTCOMES: usize = 24;
    /// Two loops are not related by more facts than this.
    pub const MAX_FACTS: usize = 900;
    /// Two heaps differ at no more places than this.
    pub const MAX_APART: usize = 8;
    /// No more turns of a loop than this are executed in place.
    pub const MAX_TURNS: usize = 4;
    /// No more than this is read in a fact, one from the other.
    pub const MAX_STEPS: usize = 8;
    /// A fact that holds where others do has no more of these than this.
    pub const MAX_PREMISES: usize = 8;
    /// The parameters and results of version 1 that have no partner are numbered from here on; no loop has so many.
    pub const APART: u32 = 1 << 16;
}

/// Summaries of calls.
pub mod summaries {
    /// More summaries than this are too many.
    pub const MAX_SUMMARIES: usize = 48;
    /// So are more formulas than this in one part of one.
    pub const MAX_FORMULAS: usize = 200;
    /// And more calls on two paths that they can be told of.
    pub const MAX_USES: usize = 200;
    /// More calls than this are not spoken of by one summary.
    pub const MAX_SLOTS: u32 = 6;
    /// Nor are more executed of one, each within the other.
    pub const MAX_TURNS: usize = 16;
    /// And more ways through all calls of a summary are too many.
    pub const MAX_WAYS: usize = 1_000;
    /// A sum has no more parts than this.
    pub const MAX_SUMMANDS: usize = 100;
    /// And a part no more factors.
    pub const MAX_FACTORS: usize = 8;
    /// How deep formulas may be nested.
    pub const MAX_DEPTH: usize = 4;
}
