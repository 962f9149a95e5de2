//! The certificates of a run.
//!
//! In: where they are wanted, and the report on each program. Out: a directory for each program, and on standard error the
//! pairs that were proved in a way no certificate tells of.

use super::programs::{Chosen, name};
use crate::args::{Strategy, VerifyArgs};
use crate::files::certificate;
use crate::status::{Failure, complain};
use lang_l::Loaded;
use lang_l::hir::Unit;
use prover::certificate::{Certificate, Decision, Decisions, Refusal};
use prover::diff::client::claimed::Claimed;
use prover::verdict::{PairReport, Report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A certificate, and what it leaves out.
pub(in super::super) struct Made {
    certificate: Certificate,
    /// In words, for each pair that was proved and has no proof in it.
    gaps: Vec<String>,
}

/// Where the certificates go, one for each program, if they are wanted and may be written there: of several programs into
/// directories named after the files.
pub(super) fn directories(args: &VerifyArgs, chosen: &Chosen) -> Result<Vec<PathBuf>, Failure> {
    let Some(directory) = &args.certificate else { return Ok(Vec::new()) };
    if args.strategy == Strategy::Paper {
        return Err(Failure::Usage("a certificate holds no quantifiers, as the paper's strategy needs".into()));
    }
    of_programs(directory, chosen)
}

/// Where the certificates of some programs go, below this directory, if they may be written there.
pub(in super::super) fn of_programs(directory: &Path, chosen: &Chosen) -> Result<Vec<PathBuf>, Failure> {
    let mut directories = vec![directory.to_path_buf()];
    if chosen.several {
        certificate::may_hold_others(directory)?;
        let last = |program| Path::new(name(program)).file_name().unwrap_or_default();
        directories = chosen.programs.iter().map(|program| directory.join(last(program))).collect();
        let mut taken = BTreeSet::new();
        if let Some(twice) = directories.iter().find(|directory| !taken.insert(*directory)) {
            return Err(Failure::Usage(format!("the certificates of two files would go to {}", twice.display())));
        }
    }
    directories.iter().try_for_each(|directory| certificate::replaceable(directory))?;
    Ok(directories)
}

/// The certificate of a program; that it cannot be confirmed is a bug of ours.
pub(in super::super) fn make(program: &Loaded, report: &Report) -> Result<Made, Failure> {
    let certificate = prover::certificate::make(&program.unit, &program.sources, report);
    made(certificate, &program.unit, report)
}

/// The same of clients, as they call their boundaries.
pub(in super::super) fn make_of_clients(program: &Loaded, claimed: &Claimed) -> Result<Made, Failure> {
    let Claimed { unit, cuts, report } = claimed;
    made(prover::certificate::make_cut(&program.unit, cuts, &program.sources, report), unit, report)
}

fn made(certificate: Result<Certificate, Refusal>, unit: &Unit, report: &Report) -> Result<Made, Failure> {
    let certificate = certificate.map_err(|refusal| Failure::Internal(format!("no certificate: {refusal}")))?;
    let answered = Decisions::of(unit, report).pairs;
    let left_out = report.pairs.iter().zip(answered).filter_map(|(pair, answered)| match answered.answer {
        Decision::Uncertified(why) => Some(gap(pair, &why)),
        _ => None,
    });
    Ok(Made { certificate, gaps: left_out.collect() })
}

/// Writes a certificate, and says what it leaves out.
pub(in super::super) fn save(directory: &Path, made: &Made) -> Result<(), Failure> {
    certificate::save(directory, &made.certificate)?;
    for gap in &made.gaps {
        complain(&format!("{}: {gap}", directory.display()));
    }
    Ok(())
}

/// That a pair has no certificate, and why.
fn gap(pair: &PairReport, why: &str) -> String {
    let names = if pair.left == pair.right { pair.left.clone() } else { format!("{} ~ {}", pair.left, pair.right) };
    let when = pair.when.as_ref().map(|when| format!(" when {when}")).unwrap_or_default();
    format!("no certificate for {names}{when}: {why}")
}
