//! A report as JSON: section 6 of the language reference, with some keys more.
//!
//! Invariant: `counterexample` is what `ape run --store` reads, so that everybody can see for themselves.

use super::counterexample::parting;
use super::explain::{Basis, basis};
use super::one_line;
use super::{Subject, overall};
use crate::goal::{Checked, PairProof};
use crate::search::localize::Mark;
use crate::search::witness::{ContractWitness, Contrast, Witness};
use crate::verdict::{ClauseReport, ClauseStatus, PairReport, Verdict};
use lang_l::interp::Outcome;
use lang_l::show::difference_text;
use lang_l::source::Span;
use lang_l::store_json::{externals_json, input_json, outcome_json};
use serde_json::{Value as Json, json};
use smt::solve;
use smt::stop;

/// The version of the format; it grows when a key is renamed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// The whole report.
pub fn report(subject: Subject<'_>) -> Json {
    let report = subject.report;
    let mut json = head(overall(report), report.stopped);
    json["pairs"] = report.pairs.iter().map(|pair| pair_json(subject, pair)).collect();
    json["contracts"] = report.contracts.iter().map(|clause| clause_json(subject, clause)).collect();
    if let Some(check) = &report.cross_check {
        json["cross_check"] = json!({
            "solver": check.solver,
            "agreed": check.agreed,
            "undecided": check.undecided,
            "disagreed": check.disagreed.len(),
        });
    }
    json
}

/// What a report begins with.
pub(super) fn head(verdict: &str, stopped: Option<stop::Reason>) -> Json {
    let mut json = json!({
        "schema_version": SCHEMA_VERSION,
        "ape_version": env!("CARGO_PKG_VERSION"),
        "z3_version": solve::version(),
        "verdict": verdict,
        "timed_out": stopped == Some(stop::Reason::Time),
    });
    if let Some(reason) = stopped {
        json["stopped"] = reason.word().into();
    }
    json
}

fn pair_json(subject: Subject<'_>, pair: &PairReport) -> Json {
    let mut json = json!({
        "left": pair.left,
        "right": pair.right,
        "when": pair.when,
        "verdict": pair.verdict.word(),
        "termination": pair.termination.word(),
        "time_ms": u64::try_from(pair.time.as_millis()).unwrap_or(u64::MAX),
        "reason": null,
        "rests_on": pair.rests_on.iter().map(|premise| premise.name.as_str()).collect::<Vec<_>>(),
        "counterexample": null,
    });
    let Basis { compared, assumed } = basis(subject, pair);
    json["compared"] = compared.into();
    json["assumed"] = assumed.into();
    if pair.unreached.iter().any(|places| !places.is_empty()) {
        json["unreached"] = places_json(subject, &pair.unreached);
    }
    match &pair.verdict {
        Verdict::Equivalent(proof) => json["proof"] = proof_json(subject, proof),
        Verdict::PartiallyEquivalent(proof) => {
            json["proof"] = proof_json(subject, proof);
            if let Some(failed_goal) = &proof.failed_goal {
                json["reason"] = failed_goal.what.as_str().into();
                json["places"] = places_json(subject, &failed_goal.places);
            }
        }
        Verdict::NotEquivalent(witness) => json["counterexample"] = witness_json(subject, pair, witness),
        Verdict::ContractViolation(witness) => {
            json["reason"] = witness.violation().message.as_str().into();
            json["counterexample"] = violation_json(subject, witness);
        }
        Verdict::Unknown(reason) => {
            json["reason"] = reason.what.as_str().into();
            json["hint"] = reason.hint.as_str().into();
            json["places"] = places_json(subject, &reason.places);
        }
    }
    json
}

/// How a pair was proved: the rule, and by line which `new` and which call corresponds to which.
fn proof_json(subject: Subject<'_>, proof: &PairProof) -> Json {
    let lines = |places: &mut dyn Iterator<Item = &(Span, Span)>| -> Vec<[usize; 2]> {
        places.map(|&(left, right)| [subject.sources.line(left), subject.sources.line(right)]).collect()
    };
    let mut json = json!({
        "rule": proof.rule.name,
        "path_pairs": proof.matches.paths,
        "allocations": lines(&mut proof.matches.allocations.iter()),
        "calls": lines(&mut proof.matches.calls.iter()),
    });
    match &proof.checked {
        Checked::Proved(_) => json["checked"] = true.into(),
        Checked::Not(why) => {
            json["checked"] = false.into();
            json["not_checked"] = why.as_str().into();
        }
    }
    if !proof.relations_of_loops.is_empty() {
        json["relations"] = json!(proof.relations_of_loops);
    }
    json
}

fn places_json(subject: Subject<'_>, places: &[Vec<Span>; 2]) -> Json {
    json!({ "left": subject.lines(&places[0]), "right": subject.lines(&places[1]) })
}

fn witness_json(subject: Subject<'_>, pair: &PairReport, witness: &Witness) -> Json {
    let [left, right] = subject.procedures(pair);
    let mut json = input_json(subject.unit, left, witness.input());
    json["externals"] = externals_json(witness.externals());
    if let Contrast::Stores(difference) = witness.contrast() {
        let first = difference_text(subject.unit, left, witness.input(), difference, ["left", "right"]);
        json["difference"] = first.into();
    }
    if let Some([left, right]) = parting(subject, pair, witness) {
        json["divergence"] = json!({ "left": mark_json(subject, left), "right": mark_json(subject, right) });
    }
    json["left"] = outcome_json(subject.unit, left, subject.sources, witness.left());
    json["right"] = outcome_json(subject.unit, right, subject.sources, witness.right());
    json
}

/// Where a version goes its own way, and how.
fn mark_json(subject: Subject<'_>, mark: Mark) -> Json {
    json!({
        "file": subject.sources.get(mark.span.file).name,
        "line": subject.sources.line(mark.span),
        "column": subject.sources.column(mark.span),
        "text": one_line(subject, mark.span),
        "what": mark.role.word(),
    })
}

/// The run of one version that breaks a contract; the other side is null.
fn violation_json(subject: Subject<'_>, witness: &ContractWitness) -> Json {
    let procedure = subject.unit.versions[witness.version()].procedure(witness.procedure());
    let mut json = input_json(subject.unit, procedure, witness.input());
    json["externals"] = externals_json(witness.externals());
    let outcome = Outcome::Violation(witness.violation().clone());
    let outcome = outcome_json(subject.unit, procedure, subject.sources, &outcome);
    let [mine, other] = if witness.version() == 0 { ["left", "right"] } else { ["right", "left"] };
    json[mine] = outcome;
    json[other] = Json::Null;
    json
}

fn clause_json(subject: Subject<'_>, clause: &ClauseReport) -> Json {
    let mut json = json!({
        "version": clause.version,
        "procedure": clause.procedure,
        "clause": clause.kind.keyword(),
        "line": subject.sources.line(clause.span),
        "status": clause.status.word(),
    });
    match &clause.status {
        ClauseStatus::Holds => {}
        ClauseStatus::Violated(witness) => json["counterexample"] = violation_json(subject, witness),
        ClauseStatus::Unknown(why) => json["reason"] = why.as_str().into(),
    }
    json
}
