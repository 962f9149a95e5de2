//! `ape picture`: the stores of counterexamples, drawn.
//!
//! In: files with two versions. Out: of each pair that was refuted where the runs start, and what each version leaves.
//!
//! Invariant: with `--format svg` nothing but one document goes to standard output.

use super::verify::programs;
use crate::args::{PictureArgs, PictureFormat};
use crate::machine::terminal;
use crate::machine::threads::in_threads;
use crate::solvers;
use crate::status::{Failure, Status};
use lang_l::Loaded;
use prover::report::Subject;
use prover::report::picture::{Picture, pictures, svg, text};
use prover::report::text::USUAL_WIDTH;
use prover::verify::{self, Config};
use std::io::Write;
use std::path::Path;

/// Draws. The status says whether there was anything to draw.
pub(crate) fn picture(args: &PictureArgs, out: &mut impl Write) -> Result<Status, Failure> {
    let choose = |paths: &[&Path]| programs::chosen(paths, &args.procedures);
    let (backend, chosen) = match programs::begin(&args.files, args.memory, choose)? {
        Ok(begun) => begun,
        Err(status) => return Ok(status),
    };
    let config =
        || Config { procedures: args.procedures.clone(), ..solvers::config((args.timeout, args.memory), 1, &backend) };
    let draw = || chosen.programs.iter().flat_map(|program| drawn(program, &config())).collect::<Vec<_>>();
    let drawn = in_threads(args.jobs, draw).map_err(Failure::Thread)?;
    let width = terminal::width().unwrap_or(USUAL_WIDTH);
    match args.format {
        PictureFormat::Text => {
            for (at, pictures) in drawn.iter().enumerate() {
                let between = if at > 0 { "\n" } else { "" };
                write!(out, "{between}{}", text(pictures, width))?;
            }
            if drawn.is_empty() {
                writeln!(out, "nothing to draw: no difference is known")?;
            }
        }
        PictureFormat::Svg => {
            let all: Vec<Picture> = drawn.iter().flatten().cloned().collect();
            write!(out, "{}", svg(&all))?;
        }
    }
    Ok(if drawn.is_empty() { Status::NothingSelected } else { Status::Success })
}

/// The pictures of each pair that was refuted.
fn drawn(Loaded { unit, sources }: &Loaded, config: &Config) -> Vec<Vec<Picture>> {
    let report = verify::verify(unit, config);
    let of = |pair| pictures(Subject { unit, sources, report: &report }, pair);
    report.pairs.iter().map(of).filter(|pictures| !pictures.is_empty()).collect()
}
