//! `ape judge`: verifies one program for `ape serve`, in a process that may be killed.
//!
//! In: a [`Task`] as a line of JSON on standard input. Out: the answer as JSON.
//!
//! Nobody calls it by hand. It ends when standard input does, since nobody waits for its answer then.
//!
//! Invariant: bounded in memory and in time, and behind all else that runs on this machine. It writes no file.

use super::super::test::grade;
use super::super::verify::page::page;
use super::bounds;
use super::check::{Checked, check};
use super::programs;
use super::texts::Texts;
use crate::machine::limits;
use crate::machine::threads::{self, STACK};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use nix::sys::resource::{Resource, setrlimit};
use prover::report::several::{Part, overall};
use prover::report::{Subject, json};
use prover::verify::{Config, verify};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use smt::solve::Shared;
use std::io::{self, BufRead, Read, Write};
use std::num::NonZeroUsize;
use std::time::Duration;
use std::{process, thread};

/// Beyond its stacks and the bound for a program, in MB: for the code, its libraries, and what their allocator sets apart.
const SLACK: u64 = 512;

/// How much later than other processes it gets a core: as late as there is.
const NICE: i32 = 19;

/// What is to be done.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) texts: Texts,
    /// Whether it answers an exercise.
    pub(super) exercise: bool,
    pub(super) seconds: u64,
    pub(super) megabytes: u64,
}

/// Verifies one program.
pub(in super::super) fn judge(out: &mut impl Write) -> Result<Status, Failure> {
    let task = task()?;
    bound(&task)?;
    // Nobody waits for the answer of a process whose input has ended.
    let watch = || {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(1);
    };
    thread::Builder::new().spawn(watch).map_err(Failure::Thread)?;
    let backend = solvers::start(task.megabytes)?;
    let answer = threads::in_threads(NonZeroUsize::new(1), || answer(&task, &backend)).map_err(Failure::Thread)?;
    writeln!(out, "{}", answer?)?;
    Ok(Status::Success)
}

fn task() -> Result<Task, Failure> {
    let mut line = String::new();
    io::stdin().lock().take(2 * bounds::BODY as u64).read_line(&mut line)?;
    serde_json::from_str(&line).map_err(|error| Failure::Usage(format!("this is no task of `ape serve`: {error}")))
}

/// Bounds what this process may take, and whatever it starts.
fn bound(task: &Task) -> Result<(), Failure> {
    // As a system may refuse it, it is no condition.
    let _ = rustix::process::nice(NICE);
    let stacks = 2 * (STACK as u64 >> 20);
    let memory = (stacks + SLACK + task.megabytes) << 20;
    let cores = 2 * (task.seconds + bounds::GRACE.as_secs());
    let all = [
        (Resource::RLIMIT_AS, memory),
        (Resource::RLIMIT_CPU, cores),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
    ];
    let set = |(resource, most)| setrlimit(resource, most, most).map_err(io::Error::from);
    Ok(all.into_iter().try_for_each(set)?)
}

fn answer(task: &Task, backend: &Shared) -> Result<Value, Failure> {
    let Checked { mut answer, loaded, text } = check(&task.texts);
    let Some(program) = loaded else { return Ok(answer) };
    let limit = Duration::from_secs(task.seconds);
    let stop = limits::stop_alone(limit, task.megabytes);
    let config = || Config { stop: stop.clone(), ..solvers::config((task.seconds, task.megabytes), 1, backend) };
    let found =
        if task.exercise { grade::of_text(text, programs::key()?, &config)? } else { verified(&program, &config()) };
    answer["seconds"] = task.seconds.into();
    if let (Value::Object(answer), Value::Object(found)) = (&mut answer, found) {
        answer.extend(found);
    }
    Ok(answer)
}

/// The report of a run, and its page.
fn verified(program: &Loaded, config: &Config) -> Value {
    let Loaded { unit, sources } = program;
    let report = verify(unit, config);
    let subject = Subject { unit, sources, report: &report };
    let file = sources.iter().next().map_or("", |(_, source)| &source.name);
    let page = page(&[Part { file, subject }]);
    json!({ "verdict": overall([&report]), "report": json::report(subject), "page": page })
}
