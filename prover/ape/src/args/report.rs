//! The arguments of `ape report`.

use super::test::{ReportFile, TestFormat};
use clap::Subcommand;
use std::path::PathBuf;

/// Arguments of `ape report`.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportArgs {
    #[command(subcommand)]
    pub(crate) command: ReportCommand,
}

/// What to do with reports.
#[derive(Debug, Subcommand)]
pub(crate) enum ReportCommand {
    /// Make one report of those that the shares of `ape test --partition` have made, each on its machine
    Merge(MergeArgs),
}

/// What `ape report merge --help` ends with.
const STATUSES: &str = "A share makes its report with `ape test --partition 2/5 --report json-lines:FILE`. The results are in the order \
of the names of files. What two reports say of one pair must not contradict; the verdict that is more settled counts.

Exit status: as `ape test` would have ended, had it done all; 2 also where a file is no report, or reports contradict or do not belong \
together. A share that is missing is named, and makes the status 3 where it would have been 0. One that is there twice is named.";

/// Arguments of `ape report merge`.
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub(crate) struct MergeArgs {
    /// Reports as JSON lines; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub(crate) format: TestFormat,
    /// Also write the results into a file in another format, such as `junit:report.xml`; may be repeated
    #[arg(long = "report", value_name = "FORMAT:FILE")]
    pub(crate) reports: Vec<ReportFile>,
    /// Print what makes the run fail, and the last line, and nothing else
    #[arg(long)]
    pub(crate) failures_only: bool,
}
