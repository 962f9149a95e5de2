//! `ape test --grade`: answers of students, held against a key; and `ape test --seal`, which makes the key from solutions.
//!
//! 1. [`exercise`]: a file, read: its name, what was answered, and a digest of what was given.
//! 2. [`key`]: what each exercise is held against. Verdicts are digests there, and conditions are under a mask ([`digest`]).
//! 3. [`judge`]: what each answer is worth.
//! 4. [`report`]: the scores, for people and for machines.
//!
//! Invariant: one file that is not legal does not keep another from being graded; it makes the status 2.
//! Invariant: no cache is asked. A key is written only when every solution has all points.

mod digest;
mod exercise;
mod judge;
mod key;
mod report;

use super::INDENTED;
use super::find;
use super::outcome::worse;
use super::progress::Progress;
use super::settings::Settings;
use crate::args::test::TestArgs;
use crate::files::replace::create_or_replace;
use crate::machine::threads::{self, workers};
use crate::machine::{input, limits, signals, terminal};
use crate::solvers;
use crate::status::{Failure, Status};
use exercise::Exercise;
use judge::{Bench, Finding, Mark};
use key::{Entry, Key};
use prover::report::count;
use prover::report::text::{Detail, USUAL_WIDTH};
use prover::verify::Config;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// An exercise that was graded.
struct Graded {
    /// What it is called; empty where that cannot be read.
    id: String,
    /// Its file; empty where there is none.
    file: String,
    /// What is asked for, in a word.
    kind: &'static str,
    /// What was found of it.
    result: Result<Finding, Failure>,
    /// The reasons that are given, which nobody but people can judge.
    reasons: Vec<String>,
    /// What it was held against.
    entry: Option<Entry>,
}

impl Graded {
    /// The status that this exercise alone makes.
    fn status(&self) -> Status {
        match &self.result {
            Err(failure) => failure.status(),
            Ok(finding) => match finding.mark {
                Mark::Right => Status::Success,
                Mark::Wrong | Mark::Changed => Status::Failed,
                Mark::NotAnswered | Mark::Undecided | Mark::Missing => Status::Undecided,
            },
        }
    }
}

/// Grades. The status says how bad the worst answer is.
pub(super) fn grade(args: &TestArgs, out: &mut impl Write) -> Result<Status, Failure> {
    report::supported(args)?;
    let settings = Settings::of(args)?;
    let named = args.key.as_deref().map(Key::read).transpose()?;
    let files = files(&settings)?;
    let first = first_files(&files, args.key.as_deref());
    let of_file = |bench: &Bench<'_>, file: &Path| {
        let task = || -> Result<(Exercise, Entry), Failure> {
            let exercise = read(file)?;
            let (path, key) = key_of(file, args.key.as_deref())?;
            let id = &exercise.id;
            match first.get(&(path.clone(), id.clone())) {
                Some(other) if other != file => {
                    let what = format!("exercise {id} was handed in already, in {}", input::name(other));
                    return Err(Failure::Usage(format!("{}: {what}", exercise.file)));
                }
                _ => {}
            }
            let none = || Failure::Usage(format!("{}: {} has no exercise {id}", exercise.file, path.display()));
            let entry = key.exercises.get(id).ok_or_else(none)?.clone();
            Ok((exercise, entry))
        };
        graded(file, task(), |exercise, entry| bench.judge(exercise, entry))
    };
    let mut all = run(args, &settings, &files, &of_file, out)?;
    for (id, entry) in named.map(|key| key.exercises).unwrap_or_default() {
        if !all.iter().any(|graded| graded.id == id) {
            let missing = missing(id, entry);
            report::print(args, &missing, out)?;
            all.push(missing);
        }
    }
    report::finish(args, &all, out)?;
    Ok(status(&all))
}

/// What an answer is worth that is a text, as JSON. It is held against the text of a key.
pub(in crate::commands) fn of_text(
    text: String,
    key: &str,
    config: &(dyn Fn() -> Config + Sync),
) -> Result<Value, Failure> {
    let none = |why: String| json!({ "mark": "none", "points": 0, "of": 0, "why": why, "detail": "" });
    let exercise = match exercise::of_text("the answer", text) {
        Ok(Some(exercise)) => exercise,
        Ok(None) => return Ok(none("this is no exercise: its first line names none".into())),
        Err((line, wrong)) => return Ok(none(format!("line {line}: {wrong}"))),
    };
    let key = Key::of_text(key).map_err(Failure::Internal)?;
    let Some(entry) = key.exercises.get(&exercise.id) else {
        return Ok(none(format!("the course has no exercise {}", exercise.id)));
    };
    let bench = Bench { config, detail: Detail { explain: false, width: USUAL_WIDTH } };
    let Finding { mark, points, of, why, detail } = bench.judge(&exercise, entry)?;
    Ok(json!({ "mark": mark.text(), "points": points, "of": of, "why": why, "detail": detail }))
}

/// Makes a key from solutions, if all of them are right.
pub(super) fn seal(args: &TestArgs, path: &Path, out: &mut impl Write) -> Result<Status, Failure> {
    report::supported(args)?;
    let settings = Settings::of(args)?;
    let files = files(&settings)?;
    let first = first_files(&files, Some(path));
    let of_file = |bench: &Bench<'_>, file: &Path| {
        let task = || -> Result<(Exercise, Entry), Failure> {
            let exercise = read(file)?;
            let wrong = |what: &str| Failure::Usage(format!("{}: {what}", exercise.file));
            match first.get(&(path.to_path_buf(), exercise.id.clone())) {
                Some(other) if other != file => {
                    return Err(wrong(&format!("{} also solves exercise {}", input::name(other), exercise.id)));
                }
                _ => {}
            }
            let entry = Entry::of(&exercise).map_err(|what| wrong(&what))?;
            Ok((exercise, entry))
        };
        graded(file, task(), |exercise, entry| bench.judge_solution(exercise, entry))
    };
    let all = run(args, &settings, &files, &of_file, out)?;
    report::finish(args, &all, out)?;
    let status = status(&all);
    if status == Status::Success {
        let entries: BTreeMap<String, Entry> =
            all.into_iter().filter_map(|graded| Some((graded.id, graded.entry?))).collect();
        let sealed = count(entries.len(), "exercise");
        create_or_replace(path, &Key::of(entries).text()?).map_err(|error| Failure::write(path, error))?;
        report::note(args, &format!("{sealed} sealed in {}", path.display()), out)?;
    }
    Ok(status)
}

/// The files that hold exercises, or cannot be read.
fn files(settings: &Settings) -> Result<Vec<PathBuf>, Failure> {
    let files = find::cases(&settings.paths)?.into_iter().flat_map(|case| case.files);
    Ok(files.filter(|file| !matches!(exercise::read(file), Ok(None))).collect())
}

/// The exercise of a file that holds one.
fn read(file: &Path) -> Result<Exercise, Failure> {
    let none = || Failure::Usage(format!("{} holds no exercise any more", input::name(file)));
    exercise::read(file)?.ok_or_else(none)
}

/// The key of a file: the one that is named, else the nearest.
fn key_of(file: &Path, named: Option<&Path>) -> Result<(PathBuf, Key), Failure> {
    let none = || {
        let what = format!("there is no {} in its folder or above; `--key` names one", key::FILE);
        Failure::Usage(format!("{}: {what}", input::name(file)))
    };
    let path = named.map(Path::to_path_buf).or_else(|| key::nearest(file)).ok_or_else(none)?;
    let key = Key::read(&path)?;
    Ok((path, key))
}

/// By key and name the first file with an exercise: nobody can answer twice.
fn first_files(files: &[PathBuf], named: Option<&Path>) -> BTreeMap<(PathBuf, String), PathBuf> {
    let mut first = BTreeMap::new();
    for file in files {
        let key = named.map(Path::to_path_buf).or_else(|| key::nearest(file));
        if let (Some(key), Ok(Some(exercise))) = (key, exercise::read(file)) {
            first.entry((key, exercise.id)).or_insert_with(|| file.clone());
        }
    }
    first
}

/// A file, graded.
fn graded(
    file: &Path,
    task: Result<(Exercise, Entry), Failure>,
    judge: impl FnOnce(&Exercise, &Entry) -> Result<Finding, Failure>,
) -> Graded {
    let file = input::name(file);
    let (exercise, entry) = match task {
        Ok(task) => task,
        Err(failure) => {
            let id = String::new();
            return Graded { id, file, kind: "exercise", result: Err(failure), reasons: Vec::new(), entry: None };
        }
    };
    let reasons = exercise.answers.iter().filter(|answer| !answer.because.is_empty());
    let reasons = reasons.map(|answer| format!("{}: {}", answer.pair, answer.because)).collect();
    let result = match limits::interruption().reason() {
        Some(_) => Ok(Finding::none(Mark::Undecided, judge::points(&entry), "the run was interrupted")),
        None => judge(&exercise, &entry),
    };
    Graded { id: exercise.id, file, kind: entry.kind.text(), result, reasons, entry: Some(entry) }
}

/// An exercise that nobody handed in.
fn missing(id: String, entry: Entry) -> Graded {
    let result = Ok(Finding::none(Mark::Missing, judge::points(&entry), "it was not handed in"));
    Graded { id, file: String::new(), kind: entry.kind.text(), result, reasons: Vec::new(), entry: Some(entry) }
}

/// Grades each file, several at once, and prints what came of each, in the order of the files.
fn run(
    args: &TestArgs,
    settings: &Settings,
    files: &[PathBuf],
    of_file: &(dyn Fn(&Bench<'_>, &Path) -> Graded + Sync),
    out: &mut impl Write,
) -> Result<Vec<Graded>, Failure> {
    let backend = solvers::start(settings.memory)?;
    signals::stop_on_interrupt(limits::interruption()).map_err(Failure::Signals)?;
    let at_once = workers(settings.jobs, files.len());
    let config = || solvers::config((settings.timeout, settings.memory), at_once, &backend);
    let width = terminal::width().unwrap_or(USUAL_WIDTH).saturating_sub(INDENTED);
    let bench = Bench { config: &config, detail: Detail { explain: false, width } };
    let progress = Progress::new(files.len(), !args.quiet);
    let (mut all, mut done) = (Vec::new(), Ok(()));
    let work = |file: &PathBuf| progress.during(&input::name(file), || of_file(&bench, file));
    let ran = threads::in_order(settings.jobs, files, work, |graded| {
        done = progress.aside(|| report::print(args, &graded, out));
        all.push(graded);
        if done.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    progress.end();
    ran.map_err(Failure::Thread).and(done)?;
    Ok(all)
}

/// The worst of all.
fn status(all: &[Graded]) -> Status {
    match all {
        [] => Status::NothingSelected,
        all => all.iter().map(Graded::status).fold(Status::Success, worse),
    }
}
