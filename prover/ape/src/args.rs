//! The arguments of `ape`, as clap reads them.

use crate::machine::installation;
use clap::{Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
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
    /// Prove that two versions are equivalent, or show that they are not
    Verify(VerifyArgs),
    /// Say from which stores two versions differ, and how
    Diff(DiffArgs),
    /// Say whether files are legal L, and what is wrong with those that are not
    Check(CheckArgs),
    /// Check certificates of what was verified again, without searching
    Replay(ReplayArgs),
    /// Lay out files in the one usual way
    Fmt(FmtArgs),
    /// Run a procedure
    Run(RunArgs),
    /// Verify pairs made up at random, and hold what is said of them against many runs
    Fuzz(FuzzArgs),
    /// Verify files again with other names, in another order, with other seeds: does any verdict waver?
    Stability(StabilityArgs),
    /// Check that this installation works, and say how to mend it
    Doctor,
    /// Answer the questions of another `ape`
    #[command(hide = true)]
    Solver(SolverArgs),
}

/// What `ape verify --help` ends with.
const STATUSES: &str = "Exit status: 0 all equivalent; 1 something differs, or a contract is broken; 2 bad usage, or a file that is not legal; \
3 something is open (with --partial, partially equivalent is not); 4 there was nothing to compare; 70 a bug of ours; \
74 the environment failed, such as a full disk, or no memory for a thread. \
Of several files the worst counts: 70, 74 or 2 before 1, 1 before 3, 3 before 0, and 4 only when no file had anything to compare.
Ctrl-C ends the search: what is decided by then is reported, and the rest is unknown, for this reason. A second Ctrl-C ends `ape` at once.";

/// Arguments of `ape verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub(crate) struct VerifyArgs {
    /// Pair files, each verified on its own; or two files, of the old version and of the new one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Only look at the pairs of this procedure, and at what they rest on, and at the files that have it; may be repeated
    #[arg(long = "proc", value_name = "NAME")]
    pub(crate) procedures: Vec<String>,
    /// Stop after this many seconds on a file, a safety net: what was decided by then stays, and what is open is unknown
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question. `ape` itself may take so much, and 1 GB, for each
    /// file at work: a file that needs more is unknown
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Count partially equivalent as success
    #[arg(long)]
    pub(crate) partial: bool,
    /// How to prove
    #[arg(long, value_enum, default_value_t = Strategy::Default)]
    pub(crate) strategy: Strategy,
    /// Print what a stage makes of the files instead of a report
    #[arg(long, value_enum, value_name = "STAGE")]
    pub(crate) dump: Option<Stage>,
    /// Say how each verdict came about
    #[arg(long)]
    pub(crate) explain: bool,
    /// Write what was found into this directory, so that `ape replay` can check it; a certificate there is replaced.
    /// Of several files, into directories below it that are named after them. Pairs whose proof leaves no evidence to
    /// check are named on standard error
    #[arg(long, value_name = "DIR", conflicts_with_all = ["dump"])]
    pub(crate) certificate: Option<PathBuf>,
    /// Ask cvc5 too about everything that was proved
    #[arg(long, conflicts_with_all = ["dump"])]
    pub(crate) cross_check: bool,
}

/// What `ape diff --help` ends with.
const DIFF_STATUSES: &str =
    "Exit status: 0 all stores of all pairs are equal; 1 something differs, or only one version ends; \
3 something is open and nothing is seen to differ; 2, 4 and 70 as of `ape verify`.
Ctrl-C ends the search: what is known by then is reported, and the rest is open.";

/// Arguments of `ape diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = DIFF_STATUSES)]
pub(crate) struct DiffArgs {
    /// Pair files, each compared on its own; or two files, of the old version and of the new one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only look at the pairs of this procedure, and at the files that have it; may be repeated
    #[arg(long = "proc", value_name = "NAME")]
    pub(crate) procedures: Vec<String>,
    /// Show all rows, and what is equal in them
    #[arg(long)]
    pub(crate) rows: bool,
    /// Count a run that does not end as equal to anything
    #[arg(long)]
    pub(crate) partial: bool,
    /// Stop after this many seconds on a file: what is known by then stays, and the rest is open
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// Arguments of `ape replay`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// Directories with certificates; or one of these, and the file or the two files it must belong to; `-` is standard input
    #[arg(required = true, value_name = "DIR")]
    pub(crate) paths: Vec<PathBuf>,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Which solver is asked
    #[arg(long, value_enum, default_value_t = Checker::Z3)]
    pub(crate) solver: Checker,
}

/// Solvers that check certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checker {
    /// Z3
    Z3,
    /// cvc5, where it is there
    Cvc5,
    /// One after the other; both must agree
    Both,
}

/// Forms of a report, or of what came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One JSON object
    Json,
}

/// Ways to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Strategy {
    /// Path by path, with guided correspondence
    Default,
    /// As the paper does: all strategies in one query
    Paper,
}

/// Stages that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Stage {
    /// The trees as written
    Ast,
    /// The typed tree
    Hir,
    /// The tree without loops, and with calls as statements
    Lowered,
    /// What is known of each procedure alone
    Effects,
    /// The symbolic paths of each procedure
    Paths,
    /// What was to be proved, and the answers
    Obligations,
    /// What the kernel made of what was found
    Kernel,
    /// The queries, as scripts for any SMT-LIB solver
    Smt2,
}

/// Arguments of `ape stability`.
#[derive(Debug, clap::Args)]
pub(crate) struct StabilityArgs {
    /// Pair files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How many variants of each file to verify, beside the file as it is
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) runs: u64,
    /// The seed; the same seed makes the same variants
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How to print what was seen
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// How much memory, in MB, the solver may take for one question
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// Arguments of `ape solver`.
#[derive(Debug, clap::Args)]
pub(crate) struct SolverArgs {
    /// How much memory, in MB, one question may take
    #[arg(long, value_name = "MB")]
    pub(crate) memory: u64,
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
    /// Start from the arguments, globals and heap in this JSON file: a store, or a report with a counterexample; of a
    /// report on several files the one for this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// How to print what came of it; as JSON it is what a report has as `left` or `right`
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print each step to standard error
    #[arg(long)]
    pub(crate) trace: bool,
    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    pub(crate) steps: u64,
}

/// Arguments of `ape fuzz`.
#[derive(Debug, clap::Args)]
pub(crate) struct FuzzArgs {
    /// How many pairs to make
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) pairs: u64,
    /// The seed; the same seed makes the same pairs
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// The number of the first pair, to go on where an earlier run ended
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) first: u64,
    /// Plant differences that small stores do not show, as where `k * k * k` is one large number, at the millionth turn of a
    /// loop, or in the fortieth cell of an array. Each pair comes with the store that shows it: `unknown` is a good answer,
    /// and `equivalent` a fault, as is `never ends` of a run that ends
    #[arg(long, conflicts_with_all = ["bars", "unproved"])]
    pub(crate) far: bool,
    /// Offer the kernel so many lies instead: evidence that was tampered with, or belongs to another program, about pairs that
    /// are known to differ. None may be believed
    #[arg(long, value_name = "N", conflicts_with_all = ["far", "pairs", "first", "only", "list", "certificates", "unproved", "bars", "save"])]
    pub(crate) lies: Option<u64>,
    /// The lies are about these pair files, so many about each that differs, and not about pairs made up at random
    #[arg(long, value_name = "FILE", requires = "lies", num_args = 1..)]
    pub(crate) about: Vec<PathBuf>,
    /// Only the pairs that one mutation of this kind made, by its name in the tables
    #[arg(long, value_name = "KIND")]
    pub(crate) only: Option<String>,
    /// Print a line for each pair
    #[arg(long)]
    pub(crate) list: bool,
    /// Print the pairs, and verify nothing
    #[arg(long)]
    pub(crate) print: bool,
    /// Make certificates of what is proved, and replay them
    #[arg(long)]
    pub(crate) certificates: bool,
    /// Make mutants small too that keep the meaning and are not proved
    #[arg(long)]
    pub(crate) unproved: bool,
    /// Fail too when less than 90 % of the mutants that keep the meaning are proved, or less than 60 % of a kind
    #[arg(long)]
    pub(crate) bars: bool,
    /// Write faulty pairs into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
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
