//! `ape verify --dump`: what a stage makes of the programs, instead of a report.
//!
//! In: the paths, or the programs and what bounds the work. Out: the text of the stage, under a heading where there are
//! several files.

use super::Run;
use super::programs::name;
use crate::args::Stage;
use crate::files::load::{self, Written};
use crate::machine::input;
use crate::status::Failure;
use lang_l::{Loaded, ast, hir};
use prover::lower::{Lowered, lower};
use prover::report::{self, dump};
use prover::verify::{self, Config};
use smt::stop::Stopped;
use std::io::Write;
use std::path::Path;

/// Prints the trees as written; they need not be programs.
pub(super) fn trees(paths: &[&Path], out: &mut impl Write) -> Result<(), Failure> {
    for path in paths {
        let Written { sources, parsed, .. } = load::parsed(path)?;
        if paths.len() > 1 {
            writeln!(out, "{}", heading(Stage::Ast, &input::name(path)))?;
        }
        write!(out, "{}", ast::tree::print(&parsed.file, &sources))?;
    }
    Ok(())
}

/// Prints what a later stage makes of each program.
pub(super) fn programs(run: &Run<'_>, stage: Stage, out: &mut impl Write) -> Result<(), Failure> {
    let texts = run.each(|program, config| dump(program, stage, config))?;
    for (program, text) in run.chosen.programs.iter().zip(texts) {
        if run.chosen.several {
            writeln!(out, "{}", heading(stage, name(program)))?;
        }
        write!(out, "{text}")?;
    }
    Ok(())
}

/// A line over what a stage made of one of several files; a comment, where the text is to be read by a program.
fn heading(stage: Stage, file: &str) -> String {
    match stage {
        Stage::Ast | Stage::Hir | Stage::Lowered => format!("// {file}"),
        Stage::Smt2 => format!("; {file}"),
        Stage::Effects | Stage::Paths | Stage::Obligations | Stage::Kernel => format!("== {file}"),
    }
}

/// What a stage makes of the program; that it was given up, where it was.
fn dump(program: &Loaded, stage: Stage, config: &Config) -> String {
    let whole = config.stop.run(|| whole_dump(program, stage, config));
    whole.unwrap_or_else(|Stopped(reason)| format!("{}\n", heading(stage, &reason.to_string())))
}

fn whole_dump(Loaded { unit, sources }: &Loaded, stage: Stage, config: &Config) -> String {
    let alone = |lowered: &Lowered| prover::analysis::analyse(lowered, &mut config.solver()).effects;
    match stage {
        // The trees were printed before they were resolved.
        Stage::Ast => String::new(),
        Stage::Hir => hir::print::print(unit),
        Stage::Lowered => hir::print::print(lower(unit).as_unit()),
        Stage::Effects | Stage::Paths => {
            let lowered = lower(unit);
            let [left, right] = &alone(&lowered);
            match stage {
                Stage::Effects => dump::effects(&lowered, [left, right], &config.procedures),
                _ => dump::paths(&lowered, sources, [left, right], &config.procedures),
            }
        }
        Stage::Obligations => {
            let report = verify::verify(unit, config);
            dump::obligations(&lower(&report.program(unit)), sources, &report.queries)
        }
        Stage::Kernel => {
            let report = verify::verify(unit, config);
            report::checks::checks(&lower(&report.program(unit)), &report.kernel)
        }
        Stage::Smt2 => dump::queries(&verify::verify(unit, config).queries),
    }
}
