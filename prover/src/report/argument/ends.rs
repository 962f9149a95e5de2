//! Why both versions end from the same stores.

use super::Known;
use super::steps::order;
use super::sums::summand;
use crate::goal::{Pair, PairProof, ProofEvidence};
use kernel::alone::measures::{Measure, Ranking};
use lang_l::hir::{ProcId, Procedure};
use num_traits::Zero;
use std::collections::BTreeSet;

/// The reasons, for all that the two run.
pub(super) fn reasons(known: &Known<'_>, pair: Pair, proof: &PairProof) -> Vec<String> {
    let steps = order(known, pair, proof);
    let (mut lines, mut open) = (Vec::new(), Vec::new());
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let run = known.run_by(version, id);
        let recursive = |id: &ProcId| known.effects[version].get(id.index()).is_some_and(|own| own.recursive(*id));
        let going_on: BTreeSet<ProcId> = run.into_iter().filter(recursive).collect();
        let rankings = known.subject.report.evidence[version].rankings.iter();
        let about = |ranking: &&Ranking| ranking.component.iter().any(|id| going_on.contains(id));
        let rankings: Vec<&Ranking> = rankings.filter(about).collect();
        let ranked: BTreeSet<ProcId> = rankings.iter().flat_map(|ranking| ranking.component.iter().copied()).collect();
        lines.extend(rankings.iter().map(|ranking| measured(known, version, ranking)));
        open.extend(going_on.difference(&ranked).map(|&id| known.one(version, id)));
    }
    if !open.is_empty() {
        lines.push(format!("no measure bounds {}: {}", open.join(" and "), together(&steps)));
    }
    if lines.is_empty() {
        lines.push("neither has a loop or a call of itself that could go on for ever".to_string());
    }
    lines
}

/// Why one ends if the other does, where no measure says that it ends.
fn together(steps: &[(Pair, &PairProof)]) -> &'static str {
    let by_paths = |proof: &PairProof| {
        matches!(proof.evidence, Some(ProofEvidence::Plain | ProofEvidence::Paths(_) | ProofEvidence::Loops(_)))
    };
    if steps.iter().all(|(_, proof)| by_paths(proof)) {
        "but each call of one has its partner in the other, so that one goes on as long as the other does"
    } else {
        "that one ends where the other does is part of the rules above"
    }
}

/// Why a loop or recursion ends.
fn measured(known: &Known<'_>, version: usize, ranking: &Ranking) -> String {
    let names: Vec<String> = ranking.component.iter().map(|&id| known.lowered.title(version, id)).collect();
    let title = format!("{} ({})", names.join(", "), known.subject.version_name(version));
    let Some(&first) = ranking.component.first() else { return title };
    let code = known.lowered.procedure(version, first);
    format!("{title} {}", shrinks(code, ranking))
}

/// Why a loop or recursion ends, to follow its name.
pub(super) fn shrinks(code: &Procedure, ranking: &Ranking) -> String {
    let shown: Vec<String> = ranking.measures.iter().map(|measure| written(code, measure)).collect();
    match shown.as_slice() {
        [] => "ends: no path of it comes back to it".to_string(),
        [only] => format!("ends: `{only}` is at least 0 whenever it goes on, and shrinks each time"),
        [one, other, ..] => {
            format!("ends: each time `{one}` shrinks, or it does not grow and `{other}` shrinks; neither falls below 0")
        }
    }
}

/// A measure as an expression of L.
fn written(code: &Procedure, measure: &Measure) -> String {
    let mut text = String::new();
    for (at, factor) in &measure.coefficients {
        let name = code.locals.get(*at as usize).map_or("?", |local| local.name.as_str());
        summand(&mut text, factor, Some(name));
    }
    for (at, factor) in &measure.lengths {
        let name = code.locals.get(*at as usize).map_or("?", |local| local.name.as_str());
        summand(&mut text, factor, Some(&format!("{name}.length")));
    }
    if !measure.constant.is_zero() || text.is_empty() {
        summand(&mut text, &measure.constant, None);
    }
    text
}
