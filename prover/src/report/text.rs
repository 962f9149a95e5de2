//! A report for people: a paragraph per pair, the contracts that are not proved, and one line for all of it.
//!
//! Colour is in the text as escape sequences; whoever prints it strips them where they are not wanted.

use super::counterexample::{difference, violation};
use super::layout;
pub use super::layout::USUAL_WIDTH;
use super::{Subject, count, explain, one_line, overall};
use crate::engines::same_code::SAME_CODE;
use crate::goal::{Checked, PairProof};
use crate::verdict::{ClauseReport, ClauseStatus, PairReport, Reason, Report, Verdict, stopped};
use anstyle::{AnsiColor, Style};
use lang_l::hir::ProcId;
use lang_l::hir::same::same_code;
use lang_l::source::Span;
use smt::solve::CrossCheck;
use std::fmt::Write as _;

/// How many correspondences of one kind are listed.
pub(super) const SHOWN_CORRESPONDENCES: usize = 8;

/// How many places are shown per version.
const SHOWN_PLACES: usize = 4;

/// How much is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Also say what was compared, and what was assumed.
    pub explain: bool,
    /// How many columns there are for tables and marked lines, as of a terminal. More than [`USUAL_WIDTH`] are not used.
    pub width: usize,
}

impl Default for Detail {
    fn default() -> Self {
        Detail { explain: false, width: USUAL_WIDTH }
    }
}

/// The whole report.
pub fn report(subject: Subject<'_>, detail: Detail) -> String {
    let mut text = String::new();
    for pair in &subject.report.pairs {
        text.push_str(&pair_text(subject, pair, detail));
        text.push('\n');
    }
    for clause in &subject.report.contracts {
        if let Some(paragraph) = clause_text(subject, clause, detail) {
            text.push_str(&paragraph);
            text.push('\n');
        }
    }
    text.push_str(&summary(overall(subject.report), &[subject.report]));
    if let Some(check) = &subject.report.cross_check {
        text.push_str(&cross_check_text(check));
    }
    text
}

/// One line on what another solver says.
fn cross_check_text(check: &CrossCheck) -> String {
    let CrossCheck { solver, agreed, undecided, disagreed } = check;
    let mut text = format!("{solver} agrees on all {}", count(*agreed, "query"));
    let asked = agreed + undecided + disagreed.len();
    if asked > *agreed {
        text = format!("{solver} agrees on {agreed} of {asked} queries that hold, and does not decide {undecided}");
    }
    text + "\n"
}

/// The word in its colour: green for what is proved, red for what is refuted, yellow for what is open.
pub fn painted(word: &str) -> String {
    let color = match word {
        "equivalent" | "holds" => AnsiColor::Green,
        "not-equivalent" | "contract-violation" | "violated" => AnsiColor::Red,
        _ => AnsiColor::Yellow,
    };
    let style = Style::new().bold().fg_color(Some(color.into()));
    format!("{style}{word}{style:#}")
}

/// The paragraph on one pair.
pub fn pair_text(subject: Subject<'_>, pair: &PairReport, detail: Detail) -> String {
    let names = if pair.left == pair.right { pair.left.clone() } else { format!("{} ~ {}", pair.left, pair.right) };
    let when = pair.when.as_ref().map_or(String::new(), |when| format!(" when {when}"));
    let mut text = format!("{names}{when}: {}\n", painted(pair.verdict.word()));
    if detail.explain {
        text.push_str(&explain::text(subject, pair));
    }
    match &pair.verdict {
        Verdict::Equivalent(proof) => text.push_str(&proof_text(subject, pair, proof)),
        Verdict::PartiallyEquivalent(proof) => {
            text.push_str(&proof_text(subject, pair, proof));
            text.push_str("  that both end from the same stores is not proved");
            match &proof.failed_goal {
                Some(failed_goal) => {
                    let _ = writeln!(text, ": {}", failed_goal.what);
                    text.push_str(&places_text(subject, &failed_goal.places));
                }
                None => text.push_str(": a pair it rests on may not\n"),
            }
        }
        Verdict::NotEquivalent(witness) => {
            text.push_str(&difference(subject, pair, witness, detail.width));
            if let Some(when) = &pair.differs_when {
                let stores = if when == "true" { "always".to_string() } else { format!("when {when}") };
                text.push_str(&layout::sentence(&format!("differs {stores}, see `ape diff`"), detail.width));
            }
        }
        Verdict::ContractViolation(witness) => text.push_str(&violation(subject, witness, detail.width)),
        Verdict::Unknown(reason) => text.push_str(&unknown_text(subject, reason)),
    }
    text
}

fn proof_text(subject: Subject<'_>, pair: &PairReport, proof: &PairProof) -> String {
    let mut text = format!("  {}\n", sentence(subject, pair, proof));
    if let Checked::Not(why) = &proof.checked {
        let _ = writeln!(text, "  not checked by the kernel: {why}");
    }
    if !pair.rests_on.is_empty() {
        let names: Vec<&str> = pair.rests_on.iter().map(|premise| premise.title.as_str()).collect();
        let _ = writeln!(text, "  rests on {}", names.join(", "));
    }
    for premise in &pair.rests_on {
        if let Some(how) = premise.how {
            let _ = writeln!(text, "    {}: {how}", premise.title);
        }
    }
    if proof.used.always.contains_key(&pair.pair) {
        text.push_str("  by induction: its own calls of itself are taken to be equivalent\n");
    }
    if !proof.relations_of_loops.is_empty() {
        let shown = proof.relations_of_loops.iter().take(SHOWN_CORRESPONDENCES).cloned().collect::<Vec<_>>();
        let _ = writeln!(text, "  at the loops {}; a prime marks {}", shown.join(", "), subject.version_name(1));
    }
    for (what, places) in [("new", &proof.matches.allocations), ("call", &proof.matches.calls)] {
        for &(left, right) in places.iter().take(SHOWN_CORRESPONDENCES) {
            // A loop is lowered to a call. One that the kernel rotated, flattened or split begins with what its turns do.
            let is_loop = [left, right].iter().any(|&place| one_line(subject, place).contains(['{', '}']));
            let what = if is_loop { "loop" } else { what };
            let [left, right] = [(0, left), (1, right)].map(|(version, span)| {
                format!("`{}` ({}{})", one_line(subject, span), subject.version_name(version), subject.at(span))
            });
            let _ = writeln!(text, "  {what} {left} corresponds to {right}");
        }
        if places.len() > SHOWN_CORRESPONDENCES {
            let _ = writeln!(text, "  … and {} more", places.len() - SHOWN_CORRESPONDENCES);
        }
    }
    text
}

/// How a pair was proved. What is the same code once its loops are procedures may well be written in another way.
fn sentence(subject: Subject<'_>, pair: &PairReport, proof: &PairProof) -> &'static str {
    let [left, right] = subject.procedures(pair);
    let versions = &subject.unit.versions;
    let same_name = |p: ProcId, q: ProcId| versions[0].procedure(p).name == versions[1].procedure(q).name;
    if *proof.rule == SAME_CODE && !same_code(left, right, same_name) {
        return "the same code but for loops and calls, which are proved on their own";
    }
    proof.rule.sentence
}

fn unknown_text(subject: Subject<'_>, reason: &Reason) -> String {
    let mut text = format!("  not settled: {}\n", reason.what);
    text.push_str(&places_text(subject, &reason.places));
    let _ = writeln!(text, "  what could help: {}", reason.hint);
    text
}

/// Source lines of both versions.
pub(super) fn places_text(subject: Subject<'_>, places: &[Vec<Span>; 2]) -> String {
    let mut text = String::new();
    for (version, places) in places.iter().enumerate() {
        for &span in places.iter().take(SHOWN_PLACES) {
            let _ = writeln!(
                text,
                "    {}{}: {}",
                subject.version_name(version),
                subject.at(span),
                one_line(subject, span)
            );
        }
        if places.len() > SHOWN_PLACES {
            let _ = writeln!(text, "    … and {} more places", places.len() - SHOWN_PLACES);
        }
    }
    text
}

/// A contract that is not proved; `None` when it is, or when a pair has told of it.
fn clause_text(subject: Subject<'_>, clause: &ClauseReport, detail: Detail) -> Option<String> {
    let head = format!(
        "{} of {} ({}{}): {}\n",
        clause.kind.keyword(),
        clause.procedure,
        subject.version_name(clause.version),
        subject.at(clause.span),
        painted(clause.status.word())
    );
    match &clause.status {
        ClauseStatus::Holds => None,
        ClauseStatus::Violated(witness) => {
            let told = subject.report.pairs.iter().any(|pair| match &pair.verdict {
                Verdict::ContractViolation(other) => {
                    other.violation().span == clause.span && other.version() == clause.version
                }
                _ => false,
            });
            (!told).then(|| head + &violation(subject, witness, detail.width))
        }
        ClauseStatus::Unknown(why) => {
            Some(format!("{head}  {}\n  not settled: {why}\n", one_line(subject, clause.span)))
        }
    }
}

/// One line for a whole run: its word, and what is counted of all reports together.
pub(super) fn summary(word: &str, reports: &[&Report]) -> String {
    if word == "none" {
        return "nothing to verify: no procedure is in both versions; `equiv p ~ q;` pairs procedures of different names\n".to_string();
    }
    let pairs = || reports.iter().flat_map(|report| &report.pairs);
    let contracts = || reports.iter().flat_map(|report| &report.contracts);
    let mut parts = Vec::new();
    for verdict in ["equivalent", "partially-equivalent", "unknown", "contract-violation", "not-equivalent"] {
        let count = pairs().filter(|pair| pair.verdict.word() == verdict).count();
        if count > 0 {
            parts.push(format!("{count} {verdict}"));
        }
    }
    let mut text = format!("{} ({}: {}", painted(word), count(pairs().count(), "pair"), parts.join(", "));
    let holding = contracts().filter(|clause| matches!(clause.status, ClauseStatus::Holds)).count();
    if contracts().next().is_some() {
        let all = count(contracts().count(), "contract clause");
        let _ = write!(text, "; {holding} of {all} proved");
    }
    text.push_str(")\n");
    if let Some(reason) = reports.iter().find_map(|report| report.stopped) {
        let _ = writeln!(text, "{reason}: {}", stopped::consequence(reason));
    }
    text
}
