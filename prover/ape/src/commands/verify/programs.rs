//! Which programs are verified.
//!
//! In: paths, and the procedures that were asked for. Out: the programs to compare, each in two versions; and what is said of each
//! as JSON.

use crate::files::load::{self, Programs};
use crate::files::revisions;
use crate::machine::{limits, signals};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use serde_json::{Value, json};
use smt::solve::Shared;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The programs that a run is about.
pub(in crate::commands) struct Chosen {
    /// In the order of the files.
    pub(in crate::commands) programs: Vec<Loaded>,
    /// Whether each file is a program of its own, and is reported under its name.
    pub(in crate::commands) several: bool,
}

/// What a command that verifies begins with: who answers questions, and the programs that `choose` makes of the files. Where some
/// of these are not legal that is told, and the status is what is left.
pub(in crate::commands) fn begin(
    files: &[PathBuf],
    memory: u64,
    choose: impl FnOnce(&[&Path]) -> Result<Chosen, Vec<Failure>>,
) -> Result<Result<(Shared, Chosen), Status>, Failure> {
    load::at_most_one_is_standard_input(files.iter().map(AsRef::as_ref))?;
    // First of all, so that it is ready when the first question is.
    let backend = solvers::start(memory)?;
    signals::stop_on_interrupt(limits::interruption()).map_err(Failure::Signals)?;
    Ok(legal(files, choose).map(|chosen| (backend, chosen)))
}

/// The programs that `choose` makes of the files. Where some of these are not legal that is told, and the status is what is left.
pub(in crate::commands) fn legal(
    files: &[PathBuf],
    choose: impl FnOnce(&[&Path]) -> Result<Chosen, Vec<Failure>>,
) -> Result<Chosen, Status> {
    let paths: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let told = |failures: Vec<Failure>| failures.iter().fold(Status::Illegal, |_, failure| failure.report());
    choose(&paths).map_err(told)
}

/// Reads the programs, and takes those that have one of the procedures that were asked for.
pub(in crate::commands) fn chosen(paths: &[&Path], procedures: &[String]) -> Result<Chosen, Vec<Failure>> {
    among(load::programs(paths)?, procedures)
}

/// The same of a client and its libraries, which three files may be.
pub(in crate::commands) fn of_clients(paths: &[&Path], procedures: &[String]) -> Result<Chosen, Vec<Failure>> {
    among(load::client(paths)?, procedures)
}

/// The same of a file in two revisions.
pub(in crate::commands) fn of_revisions(
    revisions: &str,
    paths: &[&Path],
    procedures: &[String],
) -> Result<Chosen, Vec<Failure>> {
    let program = revisions::versions(revisions, paths).and_then(load::resolved).map_err(|failure| vec![failure])?;
    among(Programs::One(program), procedures)
}

fn among(programs: Programs, procedures: &[String]) -> Result<Chosen, Vec<Failure>> {
    let (programs, several) = match programs {
        Programs::One(program) => (vec![program], false),
        Programs::Each(programs) => (programs, true),
    };
    let uneven: Vec<Failure> = programs.iter().filter_map(|program| uneven(program).err()).collect();
    if !uneven.is_empty() {
        return Err(uneven);
    }
    let programs = selected(programs, procedures).map_err(|failure| vec![failure])?;
    Ok(Chosen { programs, several })
}

/// What a program is called: its file, or the first of two.
pub(in crate::commands) fn name(program: &Loaded) -> &str {
    program.sources.iter().next().map_or("", |(_, source)| &source.name)
}

/// Prints what is said of each program: one object, which names the files where there are several.
pub(in crate::commands) fn print_json(chosen: &Chosen, parts: Vec<Value>, out: &mut impl Write) -> Result<(), Failure> {
    if !chosen.several {
        parts.iter().try_for_each(|json| writeln!(out, "{json:#}"))?;
        return Ok(());
    }
    let named = chosen.programs.iter().zip(parts).map(|(program, mut json)| {
        json["file"] = name(program).into();
        json
    });
    let files: Vec<Value> = named.collect();
    writeln!(out, "{:#}", json!({ "schema_version": 1, "files": files }))?;
    Ok(())
}

fn uneven(program: &Loaded) -> Result<(), Failure> {
    let file = name(program);
    let message = match program.unit.versions.len() {
        2 => return Ok(()),
        1 if program.unit.versions[0].procedures.is_empty() => {
            format!("there is no procedure in {file}, and so nothing to compare")
        }
        1 => format!(
            "there is one version in {file}, and two are compared: put each under a `version` heading, or give an old and a new file"
        ),
        count => format!("there are {count} versions in {file}, and two are compared"),
    };
    Err(Failure::Usage(message))
}

/// The programs that have one of the procedures that were asked for; all when none was.
fn selected(programs: Vec<Loaded>, procedures: &[String]) -> Result<Vec<Loaded>, Failure> {
    let has = |program: &Loaded, name: &String| program.unit.versions.iter().any(|v| v.find(name).is_some());
    if let Some(unknown) = procedures.iter().find(|name| !programs.iter().any(|program| has(program, name))) {
        return Err(Failure::Usage(format!("there is no procedure {unknown}")));
    }
    let wanted = |program: &Loaded| procedures.is_empty() || procedures.iter().any(|name| has(program, name));
    Ok(programs.into_iter().filter(wanted).collect())
}
