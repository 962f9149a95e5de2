//! The arguments of `ape`, as clap reads them.

pub(crate) mod report;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod test;

use crate::machine::installation;
use clap::{Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Proves that two versions of a program in the language L do the same, or shows that they do not.
#[derive(Debug, Parser)]
#[command(name = "ape", version = installation::long_version(), max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colours; `auto` looks at the terminal, and at `NO_COLOR` and `CLICOLOR_FORCE`
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal
    Auto,
    /// Wherever output goes
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// What the words of a command line ask for, so that it is known before they are understood: help and complaints about
    /// the words themselves have colours too.
    pub(crate) fn asked_for<'w>(words: impl IntoIterator<Item = &'w OsStr>) -> Self {
        let mut words = words.into_iter().take_while(|word| *word != "--");
        let mut asked = Color::Auto;
        while let Some(word) = words.next() {
            let value = match word.to_str() {
                Some("--color") => words.next().and_then(OsStr::to_str),
                other => other.and_then(|word| word.strip_prefix("--color=")),
            };
            asked = value.and_then(|value| Color::from_str(value, false).ok()).unwrap_or(asked);
        }
        asked
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prove that two versions are equivalent, or show that they are not
    Verify(VerifyArgs),
    /// Verify many pairs, and say which are not as expected
    Test(Box<test::TestArgs>),
    /// Make one report of several
    Report(report::ReportArgs),
    /// Say in plain words why a verdict holds, or where its proof fails
    Explain(ExplainArgs),
    /// Draw the stores from which two versions differ, and what each version leaves
    Picture(PictureArgs),
    /// Say from which stores two versions differ, and how
    Diff(DiffArgs),
    /// Say whether clients notice what was changed in the procedures they call
    Client(ClientArgs),
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
    /// Serve an editor: mistakes, verdicts and what corresponds, while one types
    Lsp(LspArgs),
    /// Serve a page on this machine: an editor for two versions, with verdicts, pictures and runs while one types
    Serve(serve::ServeArgs),
    /// Print a script that completes the words of this command in a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write all pages into a folder
    Man(ManArgs),
    /// Print the JSON schema of what a command prints, or write all schemas into a folder
    Schema(schema::SchemaArgs),
    /// Check that this installation works, and say how to mend it
    Doctor,
    /// Answer the questions of another `ape`
    #[command(hide = true)]
    Solver(SolverArgs),
    /// Verify one program of `ape serve`
    #[command(hide = true)]
    Judge,
}

/// What `ape verify --help` ends with.
const STATUSES: &str = "Exit status: 0 all equivalent; 1 something differs, or a contract is broken; 2 bad usage, or a file that is not legal; \
3 something is open (with --partial, partially equivalent is not); 4 there was nothing to compare; 70 a bug of ours; \
74 the environment failed, such as a full disk, or no memory for a thread. \
Of several files the worst counts: 70, 74 or 2 before 1, 1 before 3, 3 before 0, and 4 only when no file had anything to compare.
Ctrl-C ends the search: what is decided by then is reported, and the rest is unknown, for this reason. A second Ctrl-C ends `ape` at once.
With --watch Ctrl-C ends the watching, and the status is that of the last run. A file that is not there or not legal is shown, and \
does not end it.";

/// Arguments of `ape verify`.
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub(crate) struct VerifyArgs {
    /// Pair files, each verified on its own; or two files, of the old version and of the new one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
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
    /// Compare the file in two revisions of git, as in `--git main..topic a.l`, or one revision with the file as it is, as in
    /// `--git HEAD a.l`. Of a file that was renamed give the old path and the new one
    #[arg(long, value_name = "A..B")]
    pub(crate) git: Option<String>,
    /// Do it again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["dump"])]
    pub(crate) watch: bool,
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
    /// Compare the values that variables of both versions have where these lines begin a statement, one of each version: for which
    /// stores and values only one of them has the value there. Control comes to a loop once and after each turn
    #[arg(long, value_name = "LINE~LINE", value_parser = lines, conflicts_with_all = ["procedures", "partial", "certificate"])]
    pub(crate) at: Option<[usize; 2]>,
    /// Count a run that does not end as equal to anything
    #[arg(long)]
    pub(crate) partial: bool,
    /// Build conditions of these tests alone, expressions over the store on entry, as in `x == null,n > 0`: what cannot be said
    /// with them is open
    #[arg(long, value_name = "P1,P2,…", value_delimiter = ',')]
    pub(crate) predicates: Vec<String>,
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
    /// Do it again whenever a file changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
    /// Write the proofs of where the pairs are equal, and the stores that differ, to this directory, for `ape replay`: a certificate
    /// of the program that claims them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["watch", "partial"])]
    pub(crate) certificate: Option<PathBuf>,
}

/// A line of each version.
fn lines(text: &str) -> Result<[usize; 2], String> {
    let read = |line: &str| line.trim().parse::<usize>().ok().filter(|&line| line > 0);
    let both = text.split_once('~').and_then(|(left, right)| Some([read(left)?, read(right)?]));
    both.ok_or_else(|| "it takes a line of each version, as in 12~15".into())
}

/// What `ape client --help` ends with.
const CLIENT_STATUSES: &str =
    "Exit status: of the clients alone, as of `ape verify`; 4 when no client calls what was changed.
Ctrl-C ends the search: what is known by then is reported, and the rest is open.";

/// Arguments of `ape client`.
#[derive(Debug, clap::Args)]
#[command(after_help = CLIENT_STATUSES)]
pub(crate) struct ClientArgs {
    /// Pair files, each looked at on its own; or an old and a new version; or the client alone, the old library and the new one;
    /// `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// A procedure that must not notice; may be repeated [default: each that is the same code in both versions and calls what was
    /// changed]
    #[arg(long = "client", value_name = "P")]
    pub(crate) clients: Vec<String>,
    /// A procedure that was changed; may be repeated [default: each that is not the same code in both versions]
    #[arg(long = "library", value_name = "L")]
    pub(crate) libraries: Vec<String>,
    /// Show all boundaries that were tried, also of a client that was seen to differ
    #[arg(long)]
    pub(crate) boundaries: bool,
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
    /// Write what is proved of the clients, and the stores on which they differ, to this directory, for `ape replay`: a certificate of
    /// the program whose clients call their boundaries
    #[arg(long, value_name = "DIR")]
    pub(crate) certificate: Option<PathBuf>,
}

/// Arguments of `ape explain`.
#[derive(Debug, clap::Args)]
pub(crate) struct ExplainArgs {
    /// Pair files, each on its own; or two files, of the old version and of the new one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only explain the pairs of this procedure, and look at the files that have it; may be repeated
    #[arg(long = "proc", value_name = "NAME")]
    pub(crate) procedures: Vec<String>,
    /// Stop after this many seconds on a file: what is not decided by then is unknown
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// Arguments of `ape picture`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit status: 0 something was drawn; 4 no pair was refuted; 2, 70 and 74 as of `ape verify`.")]
pub(crate) struct PictureArgs {
    /// Pair files, each on its own; or two files, of the old version and of the new one; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Only the pairs of this procedure, and the files that have it; may be repeated
    #[arg(long = "proc", value_name = "NAME")]
    pub(crate) procedures: Vec<String>,
    /// How to draw
    #[arg(long, value_enum, default_value_t = PictureFormat::Text)]
    pub(crate) format: PictureFormat,
    /// Stop after this many seconds on a file
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
}

/// Forms of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// Boxes and arrows for a terminal
    Text,
    /// One SVG document, for dark pages and for light ones
    Svg,
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

/// Forms of the report of `ape verify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// One JSON object
    Json,
    /// One page for a browser, with both sources, the proofs, and the runs of counterexamples step by step; it needs no network
    Html,
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

/// Arguments of `ape lsp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "It speaks the Language Server Protocol over standard input and output. An editor starts it; \
prover/editors/ has what VS Code and Neovim need. \
Programs with more than 1,000 procedures in a version are checked and not verified.
Exit status: 0 after the editor has said `shutdown` and `exit`; 1 when it went away without.")]
pub(crate) struct LspArgs {
    /// Give up on procedures that belong together after this many seconds: what is not decided by then is unknown
    #[arg(long, value_name = "SECS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: u64,
    /// How much memory, in MB, the solver may take for one question
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: u64,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Say mistakes and answer questions, but verify nothing
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Ignored: how editors say that they speak over standard input and output
    #[arg(long, hide = true)]
    pub(crate) stdio: bool,
}

/// Arguments of `ape completions`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Arguments of `ape man`.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The page of this command [default: the one on `ape` itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Write the pages of all commands into this folder, which is made if it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub(crate) dir: Option<PathBuf>,
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
    /// Mend what can be mended in one way alone, such as `=` for `:=`, or a `;` that is missing. Changes the files
    #[arg(long)]
    pub(crate) fix: bool,
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
    /// The file of the other version, where `ape verify FILE OTHER` was given two: its store is one of both
    #[arg(long, value_name = "OTHER")]
    pub(crate) with: Option<PathBuf>,
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
    /// Hold what `ape diff` and `ape client` say of so many pairs against runs instead: no store may be of a kind that it is seen not
    /// to be
    #[arg(long, value_name = "N", conflicts_with_all = ["far", "lies", "pairs", "only", "list", "certificates", "unproved", "bars", "save", "print"])]
    pub(crate) diff: Option<u64>,
    /// Plant a fault in one test of each of so many pairs instead, and look at what is marked: the fault, and no other test
    #[arg(long, value_name = "N", conflicts_with_all = ["far", "lies", "diff", "pairs", "first", "only", "list", "certificates", "unproved", "bars", "save", "print"])]
    pub(crate) marks: Option<u64>,
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

    #[test]
    fn colours_are_asked_for_before_anything_else_is_known() {
        let table = [
            (&["verify", "a.l"][..], Color::Auto),
            (&["--color", "never", "verify"], Color::Never),
            (&["verify", "--color=always"], Color::Always),
            (&["--color=always", "--color=never"], Color::Never),
            (&["run", "--", "--color=never"], Color::Auto),
            (&["--color"], Color::Auto),
            (&["--color=purple"], Color::Auto),
        ];
        for (words, right) in table {
            assert_eq!(Color::asked_for(words.iter().map(OsStr::new)), right, "{words:?}");
        }
    }
}
