//! What is asked of a run: the arguments, and where they are silent `ape.toml`.
//!
//! In: arguments. Out: [`Settings`]. The file is the one that is named, or the `ape.toml` of this folder or of the nearest above it.
//!
//! Invariant: an argument wins over the environment, and that over the file. Paths in the file are from the folder it is in. A key that is not known is refused.

use super::cache::{self, Place};
use super::filter::Filter;
use crate::args::test::TestArgs;
use crate::files::load;
use crate::status::Failure;
use serde::Deserialize;
use std::env;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// What the file is called.
const FILE: &str = "ape.toml";
/// The variable of the environment that says where results are kept.
const CACHE: &str = "APE_CACHE";

/// How long a file is looked at, in seconds, and how much memory the solver may take, in MB, if nothing is said.
const USUAL: (u64, u64) = (60, 2048);
/// The least memory that the solver can work with, in MB, and the most that can be asked for.
const MEMORY: std::ops::RangeInclusive<u64> = 16..=1 << 20;

/// What is asked of a run.
pub(super) struct Settings {
    /// What is tested.
    pub(super) paths: Vec<PathBuf>,
    /// The table of what is expected.
    pub(super) baseline: Option<PathBuf>,
    /// Which pairs.
    pub(super) filter: Filter,
    /// Whether the first failure ends the run.
    pub(super) fail_fast: bool,
    /// Whether partially equivalent is a success.
    pub(super) partial: bool,
    /// Seconds for a file.
    pub(super) timeout: u64,
    /// MB for a question.
    pub(super) memory: u64,
    /// Threads.
    pub(super) jobs: Option<NonZeroUsize>,
    /// Where results are kept, if they are.
    pub(super) cache: Option<Place>,
    /// The files that all results depend on: the one with these options, and the table.
    pub(super) files: Vec<PathBuf>,
}

/// What a file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    test: Options,
}

/// What it may say of `ape test`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Options {
    paths: Vec<String>,
    baseline: Option<PathBuf>,
    filter: Option<String>,
    fail_fast: bool,
    partial: bool,
    timeout: Option<u64>,
    memory: Option<u64>,
    jobs: Option<NonZeroUsize>,
    cache: Option<CacheOption>,
}

/// A folder or an address, or `false` for no cache.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum CacheOption {
    Place(PathBuf),
    Wanted(bool),
}

impl Settings {
    /// What is asked for.
    pub(super) fn of(args: &TestArgs) -> Result<Self, Failure> {
        let path = args.config.clone().or_else(nearest);
        let (options, folder) = match &path {
            Some(path) => (read(path)?, path.parent().unwrap_or(Path::new("")).to_path_buf()),
            None => (Options::default(), PathBuf::new()),
        };
        let timeout = args.timeout.or(options.timeout).unwrap_or(USUAL.0);
        let memory = args.memory.or(options.memory).unwrap_or(USUAL.1);
        let paths = match (&args.paths[..], &options.paths[..]) {
            ([], []) => vec![PathBuf::from(".")],
            ([], named) => named.iter().map(|path| folder.join(path)).collect(),
            (given, _) => given.to_vec(),
        };
        let filter = match args.filter.as_ref().or(options.filter.as_ref()) {
            Some(text) => Filter::read(text).map_err(Failure::Usage)?,
            None => Filter::All,
        };
        let cache = place_of_cache(args, options.cache, &folder)?;
        let baseline = args.baseline.clone().or_else(|| options.baseline.map(|path| folder.join(path)));
        Ok(Settings {
            paths,
            files: [file(args)].into_iter().chain(baseline.clone()).collect(),
            baseline,
            filter,
            fail_fast: args.fail_fast || options.fail_fast && !args.no_fail_fast,
            partial: args.partial || options.partial,
            timeout,
            memory,
            jobs: args.jobs.or(options.jobs),
            cache,
        })
    }

    /// The options that what is not settled may depend on.
    pub(super) fn bounds(&self) -> String {
        format!("timeout {}, memory {}", self.timeout, self.memory)
    }
}

/// Where results are kept: where the arguments say it, or the environment, or the file with options.
fn place_of_cache(args: &TestArgs, option: Option<CacheOption>, folder: &Path) -> Result<Option<Place>, Failure> {
    let here = Path::new("");
    let named = env::var_os(CACHE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let place = match (args.cache.as_ref().or(named.as_ref()), &option) {
        _ if args.no_cache => return Ok(None),
        (Some(given), _) => Place::read(given, here),
        (None, Some(CacheOption::Wanted(false))) => return Ok(None),
        (None, Some(CacheOption::Place(named))) => Place::read(named, folder),
        (None, None | Some(CacheOption::Wanted(true))) => return Ok(cache::usual_folder().map(Place::Folder)),
    };
    place.map(Some).map_err(Failure::Usage)
}

/// The file with options; where there is none, the one that would be.
pub(super) fn file(args: &TestArgs) -> PathBuf {
    args.config.clone().or_else(nearest).unwrap_or_else(|| PathBuf::from(FILE))
}

/// The file of this folder, or of the nearest above it. It is named as one would from here.
fn nearest() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    let levels = here.ancestors().count();
    let above = |level| (0..level).fold(PathBuf::new(), |path, _| path.join("..")).join(FILE);
    (0..levels).map(above).find(|path| path.is_file())
}

fn read(path: &Path) -> Result<Options, Failure> {
    let wrong = |what: &str| Failure::Usage(format!("{}: {what}", path.display()));
    let File { test } = toml::from_str(&load::text(path)?).map_err(|error| wrong(error.to_string().trim_end()))?;
    if test.timeout == Some(0) {
        return Err(wrong("`timeout` is at least 1 second"));
    }
    if test.memory.is_some_and(|memory| !MEMORY.contains(&memory)) {
        return Err(wrong(&format!("`memory` is from {} to {} MB", MEMORY.start(), MEMORY.end())));
    }
    Ok(test)
}
