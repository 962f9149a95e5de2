//! `ape explain`: why a verdict holds, in plain words.
//!
//! In: files with two versions, and the procedures that are asked about. Out: for each pair the argument for its verdict.

use super::verify::programs::{self, Chosen};
use crate::args::ExplainArgs;
use crate::machine::terminal;
use crate::machine::threads::{self, workers};
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use prover::report::argument::{Background, argument};
use prover::report::text::{Detail, USUAL_WIDTH, pair_text};
use prover::report::{Subject, several};
use prover::verdict::Report;
use prover::verify::{self, Config};
use std::io::Write;
use std::path::Path;

/// Explains. The status is that of `ape verify`.
pub(crate) fn explain(args: &ExplainArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let choose = |paths: &[&Path]| programs::chosen(paths, &args.procedures);
    let (backend, chosen) = match programs::begin(&args.files, args.memory, choose)? {
        Ok(begun) => begun,
        Err(status) => return Ok(status),
    };
    let at_once = workers(args.jobs, chosen.programs.len());
    let explained = |program: &Loaded| {
        let config = solvers::config((args.timeout, args.memory), at_once, &backend);
        explained(program, &Config { procedures: args.procedures.clone(), ..config })
    };
    let explained = threads::each(args.jobs, &chosen.programs, explained).map_err(Failure::Thread)?;
    let (reports, texts): (Vec<Report>, Vec<String>) = explained.into_iter().unzip();
    print(&chosen, &texts, out)?;
    let overall = several::overall(&reports);
    if overall == "none" {
        writeln!(out, "nothing to explain: no procedure is in both versions")?;
    }
    Ok(verdict_status(overall))
}

fn print(chosen: &Chosen, texts: &[String], out: &mut impl Write) -> Result<(), Failure> {
    for (at, (program, text)) in chosen.programs.iter().zip(texts).enumerate() {
        if at > 0 {
            writeln!(out)?;
        }
        if chosen.several {
            writeln!(out, "== {}", programs::name(program))?;
        }
        write!(out, "{text}")?;
    }
    Ok(())
}

/// The report on a program, and the arguments for its verdicts.
fn explained(program: &Loaded, config: &Config) -> (Report, String) {
    let Loaded { unit, sources } = program;
    let report = verify::verify(unit, config);
    let subject = Subject { unit, sources, report: &report };
    let width = terminal::width().unwrap_or(USUAL_WIDTH);
    let arguments: Vec<String> = match Background::of(unit, &report) {
        Some(background) => {
            let known = background.known(subject);
            report.pairs.iter().map(|pair| argument(&known, pair, width)).collect()
        }
        None => {
            let detail = Detail { explain: false, width };
            report.pairs.iter().map(|pair| pair_text(subject, pair, detail)).collect()
        }
    };
    let text = arguments.join("\n");
    (report, text)
}

fn verdict_status(overall: &str) -> Status {
    match overall {
        "none" => Status::NothingSelected,
        "equivalent" => Status::Success,
        "partially-equivalent" | "unknown" => Status::Undecided,
        _ => Status::Failed,
    }
}
