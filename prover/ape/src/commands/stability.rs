//! `ape stability`: verifies files again and again, with other names, in another order and with other seeds of the solver.
//!
//! In: pair files. Out: which verdicts were seen of each pair; the status says whether any wavers.

use crate::args::{Format, StabilityArgs};
use crate::files::load;
use crate::machine::input;
use crate::machine::threads::in_threads;
use crate::solvers;
use crate::status::{Failure, Status};
use ape_fuzz::stability::{self, PairSeen};
use prover::verify::Config;
use serde_json::{Value as Json, json};
use smt::solve::{QueryBudget, Shared};
use std::io::Write;
use std::path::Path;

/// Looks at every file, whatever is wrong with the ones before it.
pub(crate) fn stability(args: &StabilityArgs, out: &mut impl Write) -> Result<Status, Failure> {
    load::at_most_one_is_standard_input(args.files.iter().map(AsRef::as_ref))?;
    let backend = solvers::start(args.memory)?;
    let mut status = Status::Success;
    let mut files = Vec::new();
    for path in &args.files {
        match seen(path, args, &backend) {
            Ok(pairs) => {
                if status == Status::Success && pairs.iter().any(PairSeen::wavers) {
                    status = Status::Failed;
                }
                match args.format {
                    Format::Text => write!(out, "{}", text(path, &pairs, args.runs))?,
                    Format::Json => files.push(file_json(path, &pairs)),
                }
            }
            Err(failure) => status = failure.report(),
        }
    }
    if args.format == Format::Json {
        let wavers = files.iter().any(|file| file["wavers"] == true);
        let report = json!({
            "schema_version": 1, "runs": args.runs, "seed": args.seed, "wavers": wavers, "files": files
        });
        writeln!(out, "{report:#}")?;
    }
    Ok(status)
}

fn seen(path: &Path, args: &StabilityArgs, backend: &Shared) -> Result<Vec<PairSeen>, Failure> {
    let (file, unit) = load::parsed_and_resolved(path)?;
    let versions = unit.versions.len();
    if versions != 2 {
        return Err(Failure::Usage(format!("{} has {versions} versions, not 2", input::name(path))));
    }
    let config = Config { backend: backend.clone(), budget: QueryBudget::default(), ..Config::default() };
    let check = || stability::check(&file, &config, args.runs, args.seed);
    in_threads(args.jobs, check).map_err(Failure::Thread)
}

fn text(path: &Path, pairs: &[PairSeen], runs: u64) -> String {
    let wavering = pairs.iter().filter(|pair| pair.wavers()).count();
    let mut text = match wavering {
        0 => format!("{}: no verdict wavers in {} runs\n", input::name(path), runs + 1),
        _ => format!("{}: {wavering} of {} verdicts waver in {} runs\n", input::name(path), pairs.len(), runs + 1),
    };
    for pair in pairs {
        let when = pair.when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
        let name = if pair.left == pair.right { pair.left.clone() } else { format!("{}~{}", pair.left, pair.right) };
        let seen: Vec<String> = pair.verdicts.iter().map(|(verdict, runs)| one_verdict(pair, verdict, runs)).collect();
        text.push_str(&format!("  {name}{when}: {}\n", seen.join("; ")));
    }
    text
}

/// A verdict; and in which runs it was seen, where there are others.
fn one_verdict(pair: &PairSeen, verdict: &str, runs: &[u64]) -> String {
    if !pair.wavers() {
        return verdict.to_string();
    }
    let numbers: Vec<String> = runs.iter().map(u64::to_string).collect();
    format!("{verdict} in {} ({})", runs.len(), numbers.join(" "))
}

fn file_json(path: &Path, pairs: &[PairSeen]) -> Json {
    let pair_json = |pair: &PairSeen| {
        json!({
            "left": pair.left, "right": pair.right, "when": pair.when, "wavers": pair.wavers(), "verdicts": pair.verdicts
        })
    };
    let wavers = pairs.iter().any(PairSeen::wavers);
    json!({ "file": input::name(path), "wavers": wavers, "pairs": pairs.iter().map(pair_json).collect::<Vec<_>>() })
}
