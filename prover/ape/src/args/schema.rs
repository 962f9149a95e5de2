//! The arguments of `ape schema`.

use clap::ValueEnum;
use std::path::PathBuf;

/// Arguments of `ape schema`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The schemas are of the draft 2020-12. They are strict: a key that a schema does not have is an error. \
A later `ape` may print keys more, and its schemas have them."
)]
pub(crate) struct SchemaArgs {
    /// What to print the schema of [default: a list of these]
    #[arg(value_enum, value_name = "NAME")]
    pub(crate) form: Option<Form>,
    /// Write all schemas into this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "form")]
    pub(crate) dir: Option<PathBuf>,
}

/// What is printed, or read, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// The report of `ape verify`
    Verify,
    /// The report of `ape diff`
    Diff,
    /// The report of `ape client`
    Client,
    /// A line of `ape test` or `ape report merge`, with `--format json-lines`
    Test,
    /// A line of `ape test --grade --format json-lines`
    Grade,
    /// What `ape test` writes of SARIF
    Sarif,
    /// What `ape replay` prints
    Replay,
    /// What `ape run` prints
    Run,
    /// What `ape run --store` reads
    Store,
    /// What `ape stability` prints
    Stability,
}
