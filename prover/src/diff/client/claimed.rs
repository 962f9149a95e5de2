//! What is said of clients, as a program and the report on it: for a certificate.
//!
//! In: the report on the clients of a program. Out: the program whose clients call their boundaries, and what `verify` says of
//! the clients there.
//!
//! Invariant: rule *Outlining*: what holds of a client there holds of it as it is written.

use super::{ClientReport, may_be_partly_equal};
use crate::verdict::Report;
use crate::verify::{Config, verify};
use kernel::outline::cuts::{Cut, cut};
use lang_l::hir::Unit;

/// What a certificate of clients is of.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// The program in which the boundaries are procedures.
    pub unit: Unit,
    /// The cuts that have made them.
    pub cuts: Vec<Cut>,
    /// What is said of the clients there.
    pub report: Report,
}

/// Verifies the clients of a report, as they call their boundaries; `None` where there are none.
pub fn claimed(unit: &Unit, found: &ClientReport, config: &Config) -> Option<Claimed> {
    let unit = cut(unit, &found.cuts)?;
    let procedures: Vec<String> = found.clients.iter().map(|client| client.name.clone()).collect();
    if procedures.is_empty() {
        return None;
    }
    let differs = found.library.values().filter(|one| !may_be_partly_equal(&one.report));
    let given_up = differs.map(|one| one.name.clone()).collect();
    let report = verify(&unit, &Config { procedures, given_up, ..config.clone() });
    // What was verified may have been cut further.
    let cuts = found.cuts.iter().chain(&report.cuts).cloned().collect();
    Some(Claimed { unit: report.program(&unit).into_owned(), cuts, report })
}
