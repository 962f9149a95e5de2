//! The arguments of `ape`, as clap reads them.

use super::installation;
use clap::{Parser, Subcommand};

/// Proves that two versions of a program in the language L do the same, or shows that they do not.
#[derive(Debug, Parser)]
#[command(name = "ape", version = installation::long_version(), max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check that this installation works, and say how to mend it
    Doctor,
}
