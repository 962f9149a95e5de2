//! The arguments of `ape`, as clap reads them.

use super::installation;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

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
    /// Say whether files are legal L, and what is wrong with those that are not
    Check(CheckArgs),
    /// Lay out files in the one usual way
    Fmt(FmtArgs),
    /// Run a procedure
    Run(RunArgs),
    /// Check that this installation works, and say how to mend it
    Doctor,
}

/// Arguments of `ape check`.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The files, each looked at alone; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Arguments of `ape fmt`.
#[derive(Debug, clap::Args)]
pub(crate) struct FmtArgs {
    /// Change nothing; name the files that would change, and exit with 1 if there are any
    #[arg(long)]
    pub(crate) check: bool,
    /// The files, changed in place; `-` is standard input, laid out to standard output
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

/// Arguments of `ape run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// The file; `-` is standard input
    pub(crate) file: PathBuf,
    /// The procedure to run
    #[arg(value_name = "PROC")]
    pub(crate) procedure: String,
    /// Its arguments: integers, `true`, `false` or `null`
    #[arg(value_name = "ARGS", allow_negative_numbers = true, conflicts_with = "store")]
    pub(crate) arguments: Vec<String>,
    /// Run this version, by its label or as 0 or 1 [default: the first that has the procedure]
    #[arg(long, value_name = "V", id = "program_version")]
    pub(crate) version: Option<String>,
    /// Start from the arguments, globals and heap in this JSON file, such as a counterexample
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Print each step to standard error
    #[arg(long)]
    pub(crate) trace: bool,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) steps: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Args::command().debug_assert();
    }
}
