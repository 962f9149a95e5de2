//! The arguments of `ape test`.

use clap::ValueEnum;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

/// What `ape test --help` ends with.
const STATUSES: &str = "What is expected of a pair stands in its file, in lines `// expect: PAIR VERDICT`, or in the baseline. \
PAIR is `p`, or `p~q` for an `equiv`; `p~q equal when COND` expects them to be equivalent from the stores of this condition.

Exit status: 0 all is as expected or better; 1 a pair is not what was expected, and what it is is known; \
2 bad usage, or a file that is not legal or expects what it does not have; 3 a pair is less settled than expected, or not settled; \
4 no pair was selected; 70 and 74 as of `ape verify`. A pair of which nothing is expected counts as with `ape verify`. \
The worst counts: 70, 74 or 2 before 1, 1 before 3, 3 before 0. With `--grade`: 0 all answers are right; 1 one is wrong, or what was \
given was changed; 3 one is missing or not settled; 4 there is no exercise.
Ctrl-C ends the run: what is done by then is reported, and the status is not 0. With --watch it ends the watching, and the status is \
that of the last run.";

/// What does not go with exercises.
const NOT_OF_EXERCISES: [&str; 10] = [
    "bless",
    "baseline",
    "filter",
    "changed_since",
    "partition",
    "fail_fast",
    "no_fail_fast",
    "slowest",
    "partial",
    "cache",
];

/// Arguments of `ape test`.
#[derive(Debug, clap::Args)]
#[command(after_help = STATUSES)]
pub(crate) struct TestArgs {
    /// Folders, which are walked for pairs; files; patterns such as `suites/**/*.l` [default: what `ape.toml` names, else `.`].
    /// A pair is a file with two versions, or `x.old.l` beside `x.new.l`, or `old/x.l` and `new/x.l`
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Write what was found where it is expected: into the files, or into the baseline if there is one
    #[arg(long)]
    pub(crate) bless: bool,
    /// A table of what is expected of pairs whose files do not say it: file, pair and verdict, between tabs
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Only these pairs, such as `name(copy) & !verdict(unknown) & changed`. There are `name`, `file`, `verdict` (the expected
    /// one), `changed` (not in the cache as it is), `new` (nothing is expected), and `!`, `&`, `|`. A text in `name` or `file` is
    /// a part, or the whole after `=`, or a pattern after `#`
    #[arg(long, value_name = "EXPR")]
    pub(crate) filter: Option<String>,
    /// Only pairs whose verdict may be another than in this revision of git: where a procedure that the pair may run has changed
    /// since, or what is expected of the pair
    #[arg(long, value_name = "REV")]
    pub(crate) changed_since: Option<String>,
    /// Only the second of five shares of the files, as `2/5`; all shares together are all files
    #[arg(long, value_name = "M/N")]
    pub(crate) partition: Option<Partition>,
    /// Stop after the first file, in their order, with anything that makes the run fail
    #[arg(long, overrides_with = "no_fail_fast")]
    pub(crate) fail_fast: bool,
    /// Look at all files, whatever is found: what happens unless told otherwise
    #[arg(long, overrides_with = "fail_fast")]
    pub(crate) no_fail_fast: bool,
    /// Print no results: the exit status tells, and complaints
    #[arg(long, conflicts_with = "failures_only")]
    pub(crate) quiet: bool,
    /// Print what makes the run fail, and the last line, and nothing else
    #[arg(long)]
    pub(crate) failures_only: bool,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = TestFormat::Text)]
    pub(crate) format: TestFormat,
    /// Also write the results into a file in another format, such as `junit:report.xml`; may be repeated
    #[arg(long = "report", value_name = "FORMAT:FILE")]
    pub(crate) reports: Vec<ReportFile>,
    /// Name so many of the slowest files on standard error, and say how many came from the cache [default: 3 on a terminal,
    /// else none]
    #[arg(long, value_name = "N")]
    pub(crate) slowest: Option<usize>,
    /// Count partially equivalent as success, where nothing is expected
    #[arg(long)]
    pub(crate) partial: bool,
    /// Stop after this many seconds on a file: what was decided by then stays [default: 60]
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout: Option<u64>,
    /// How much memory, in MB, the solver may take for one question [default: 2048]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub(crate) memory: Option<u64>,
    /// How many threads to use, at most four for each core [default: as many as there are cores]
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Where results are kept, to be replayed the next time: a folder, or an address that several machines share, such as
    /// `redis://host`, `https://host/path` (WebDAV), `s3://bucket/path` or `file:///path` [default: `APE_CACHE`, else `cache` of
    /// `ape.toml`, else `ape` in the user's folder for caches]
    #[arg(long, value_name = "PLACE", conflicts_with = "no_cache")]
    pub(crate) cache: Option<PathBuf>,
    /// Keep no results, and use none
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Grade the exercises in these files: a score for each, and for all. Each is held against the nearest `answers.key`, in its
    /// folder or above
    #[arg(long, conflicts_with_all = NOT_OF_EXERCISES)]
    pub(crate) grade: bool,
    /// Hold all exercises against this key. One of the key that is not there has no points
    #[arg(long, value_name = "FILE", requires = "grade")]
    pub(crate) key: Option<PathBuf>,
    /// Make this key from exercises with their solutions, which must all be right
    #[arg(long, value_name = "KEY", conflicts_with_all = NOT_OF_EXERCISES, conflicts_with = "grade")]
    pub(crate) seal: Option<PathBuf>,
    /// Do it again whenever a file changes, until Ctrl-C. What has not changed is told again only where it makes the run fail
    #[arg(long, conflicts_with_all = ["bless", "grade", "seal"])]
    pub(crate) watch: bool,
    /// Take options from this file [default: the `ape.toml` of this folder, or of the nearest one above it]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// Forms of the results of `ape test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// For people: a line for each pair
    Text,
    /// A JSON object in each line: one for each pair, and one for the whole
    JsonLines,
    /// `JUnit` XML, as most services of continuous integration read it
    Junit,
    /// SARIF 2.1.0: what is not as expected, with its places in both versions
    Sarif,
    /// A table for the text of a pull request
    Markdown,
    /// Annotations in a log of GitHub
    Github,
}

/// One share of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    /// Which, from 1.
    pub(crate) share: usize,
    /// Of how many.
    pub(crate) of: usize,
}

impl Partition {
    /// This share of so many, if there is such a one.
    pub(crate) fn new(share: usize, of: usize) -> Option<Self> {
        (1..=of).contains(&share).then_some(Partition { share, of })
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(share, of)| Some((share.parse().ok()?, of.parse().ok()?)));
        let partition = numbers.and_then(|(share, of)| Partition::new(share, of));
        partition.ok_or_else(|| "a share and how many there are, such as 2/5".to_string())
    }
}

/// A file that results are written into, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReportFile {
    /// In which form.
    pub(crate) format: TestFormat,
    /// Where.
    pub(crate) path: PathBuf,
}

impl FromStr for ReportFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = text.split_once(':').ok_or("a format and a file, such as junit:report.xml")?;
        Ok(ReportFile { format: TestFormat::from_str(format, false)?, path: path.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_report_files_are_read() {
        assert_eq!("2/5".parse(), Ok(Partition { share: 2, of: 5 }));
        for wrong in ["0/5", "6/5", "1/0", "2", "a/b", "-1/2"] {
            assert!(wrong.parse::<Partition>().is_err(), "{wrong}");
        }
        let file = ReportFile { format: TestFormat::Junit, path: "a:b.xml".into() };
        assert_eq!("junit:a:b.xml".parse(), Ok(file));
        assert!("xml:a".parse::<ReportFile>().is_err() && "junit".parse::<ReportFile>().is_err());
    }
}
