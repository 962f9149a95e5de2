//! `ape replay`: checks certificates again, without searching.
//!
//! In: directories, perhaps the files that one must belong to. Out: what each proves; the status says whether all of it was
//! confirmed.
//!
//! Invariant: with `--format json` nothing but one JSON object goes to standard output.

use crate::args::{Checker, Format, ReplayArgs};
use crate::files::{certificate, load};
use crate::solvers::second_solver;
use crate::status::{Failure, Status};
use prover::certificate::{Refusal, Replay, Solvers, replay_with};
use prover::report::count;
use serde_json::{Value as Json, json};
use smt::solve;
use smt::solve::cvc5::Cvc5;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Replays. The status is
/// - 1 when something was refused;
/// - 2 when something is no certificate;
/// - 3 when nothing was refused, but some pair was not confirmed: it is unknown, or was proved in a way that no certificate
///   tells of; or the certificate is about no pair.
pub(crate) fn replay(args: &ReplayArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.paths.iter().map(AsRef::as_ref))?;
    let (directories, files): (Vec<&PathBuf>, Vec<&PathBuf>) = args.paths.iter().partition(|path| path.is_dir());
    let program = match (&directories[..], &files[..]) {
        ([_, ..], []) => None,
        ([_], [_] | [_, _]) => {
            let files: Vec<&Path> = files.iter().map(|path| path.as_path()).collect();
            Some(load::load(&files)?.sources)
        }
        ([], _) => return Err(Failure::Usage(format!("{} is no directory", args.paths[0].display()))),
        _ => return Err(Failure::Usage("files can be given for one certificate alone".into())),
    };
    let cvc5 = if args.solver == Checker::Z3 { None } else { Some(second_solver()?) };
    let solvers = Solvers { z3: args.solver != Checker::Cvc5, cvc5: cvc5.as_ref() };
    let asked = asked(&solvers, cvc5.as_ref());

    let mut status = Status::Success;
    let mut found = Vec::new();
    for directory in directories {
        let replayed = certificate::read(directory).and_then(|files| {
            replay_with(&files, program.as_ref(), &solvers).map_err(|refusal| match refusal {
                Refusal::Unreadable(_) => Failure::Usage(refusal.to_string()),
                Refusal::Solver(cause) => Failure::Solver(cause),
                refused @ Refusal::Rejection { .. } => Failure::Refused(refused),
            })
        });
        let this = match &replayed {
            Ok(replay) if all_confirmed(replay) => Status::Success,
            Ok(_) => Status::Undecided,
            Err(failure) => failure.status(),
        };
        if rank(this) > rank(status) {
            status = this;
        }
        match args.format {
            Format::Text => tell(directory, &replayed, &asked, out)?,
            Format::Json => found.push(to_json(directory, &replayed)),
        }
    }
    if args.format == Format::Json {
        let json = json!({
            "schema_version": 1,
            "ape_version": env!("CARGO_PKG_VERSION"),
            "solvers": asked,
            "certificates": found,
        });
        writeln!(out, "{json:#}")?;
    }
    Ok(status)
}

/// Whether all that the certificate says was confirmed, and it says something. Whoever makes it chooses what it is about, as by
/// `--proc` or as `ape client` does; what it leaves out is named.
fn all_confirmed(replay: &Replay) -> bool {
    !replay.pairs.is_empty() && replay.pairs.iter().all(|pair| pair.confirmed)
}

/// The names of the solvers that are asked.
fn asked(solvers: &Solvers<'_>, cvc5: Option<&Cvc5>) -> Vec<String> {
    let z3 = solvers.z3.then(|| format!("Z3 {}", solve::version()));
    z3.into_iter().chain(cvc5.map(Cvc5::name)).collect()
}

/// How bad a status is.
fn rank(status: Status) -> u8 {
    match status {
        Status::Success => 0,
        Status::Undecided => 1,
        Status::Failed => 2,
        Status::Illegal => 3,
        _ => 4,
    }
}

fn tell(
    directory: &Path,
    replayed: &Result<Replay, Failure>,
    asked: &[String],
    out: &mut impl Write,
) -> Result<(), Failure> {
    let name = directory.display();
    match replayed {
        Err(refused) => writeln!(out, "{name}: {refused}")?,
        Ok(replay) => {
            let questions: usize = replay.scripts.values().sum();
            let solvers: Vec<&str> = asked.iter().filter_map(|name| name.split(' ').next()).collect();
            let confirmed = replay.pairs.iter().filter(|pair| pair.confirmed).count();
            let what = match replay.pairs.len() + replay.left_out.len() {
                all if all == confirmed => "confirmed".to_string(),
                all => format!("{confirmed} of {} confirmed", count(all, "pair")),
            };
            let questions = count(questions, "question");
            writeln!(out, "{name}: {what}, {questions} answered by {}", solvers.join(" and "))?;
            for pair in &replay.pairs {
                let beside = if pair.confirmed { "" } else { "not checked: " };
                writeln!(out, "  {}: {} ({beside}{})", pair.name, pair.verdict, pair.how)?;
            }
            for name in &replay.left_out {
                writeln!(out, "  {name}: left out (the certificate says nothing of it)")?;
            }
        }
    }
    Ok(())
}

fn to_json(directory: &Path, replayed: &Result<Replay, Failure>) -> Json {
    let name = directory.display().to_string();
    match replayed {
        Err(Failure::Refused(why)) => json!({ "directory": name, "status": "refused", "reason": why.to_string() }),
        Err(why) => json!({ "directory": name, "status": "unreadable", "reason": why.to_string() }),
        Ok(replay) => json!({
            "directory": name,
            "status": if all_confirmed(replay) { "confirmed" } else { "open" },
            "scripts": replay.scripts,
            "pairs": replay.pairs.iter().map(|pair| json!({
                "pair": pair.name,
                "verdict": pair.verdict,
                "how": pair.how,
                "questions": pair.obligations,
                "confirmed": pair.confirmed,
            })).collect::<Vec<_>>(),
            "left_out": replay.left_out,
        }),
    }
}
