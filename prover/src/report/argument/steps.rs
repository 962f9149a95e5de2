//! The steps of a proof: the pair itself, then all that it rests on.

use super::super::text::SHOWN_CORRESPONDENCES;
use super::super::{count, one_line};
use super::outline::{Point, Section};
use super::{Known, equations};
use crate::goal::{LoopEvidence, Pair, PairProof, ProofEvidence};
use crate::verdict::PairReport;
use kernel::pair::plan::InliningPlan;
use kernel::relate::Level;
use lang_l::hir::print::expr_text;
use lang_l::hir::{ProcId, Procedure};
use lang_l::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// How many steps are told in full.
const SHOWN_STEPS: usize = 8;

/// The steps that a proof has: its own, then those of what it rests on, nearest first.
pub(super) fn order<'p>(known: &Known<'p>, pair: Pair, proof: &'p PairProof) -> Vec<(Pair, &'p PairProof)> {
    let mut steps = vec![(pair, proof)];
    let mut seen = BTreeSet::from([pair]);
    let mut at = 0;
    while let Some((_, proof)) = steps.get(at) {
        let more = proof.used.always.keys().filter_map(|used| Some((*used, known.subject.report.proofs.get(used)?)));
        let more: Vec<(Pair, &PairProof)> = more.filter(|(used, _)| seen.insert(*used)).collect();
        steps.extend(more);
        at += 1;
    }
    steps
}

/// The proof, step by step.
pub(super) fn proof(known: &Known<'_>, report: &PairReport, proof: &PairProof) -> Section {
    let steps = order(known, report.pair, proof);
    let numbers: BTreeMap<Pair, usize> = steps.iter().map(|(pair, _)| *pair).zip(1..).collect();
    let step = |(number, (pair, proof)): (usize, &(Pair, &PairProof))| {
        let level = if proof.level == Some(Level::Partial) { ", where both end" } else { "" };
        let text = format!("{}{level}: {} (rule {})", known.titles(*pair), proof.rule.sentence, proof.rule.name);
        Point { number: Some(number), inner: details(known, *pair, proof, &numbers), ..text.into() }
    };
    let mut points: Vec<Point> = (1..).zip(&steps).take(SHOWN_STEPS).map(step).collect();
    if steps.len() > SHOWN_STEPS {
        points.push(format!("and {}, each in one of these ways", count(steps.len() - SHOWN_STEPS, "more step")).into());
    }
    Section::new("How it is proved", points)
}

/// What a step did, and what it uses.
fn details(known: &Known<'_>, pair: Pair, proof: &PairProof, numbers: &BTreeMap<Pair, usize>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(invariants(known, pair));
    if proof.matches.paths > 0 {
        let pairs = count(proof.matches.paths, "pair");
        lines.push(format!(
            "{pairs} of paths, one of each version, can start from one store; each ends alike, or cannot happen"
        ));
    }
    lines.extend(evidence(known, pair, proof));
    if !proof.relations_of_loops.is_empty() {
        lines.push(format!("at the head of the loops: {}", proof.relations_of_loops.join(", ")));
    }
    lines.extend(correspondences(known, "new", &proof.matches.allocations));
    lines.extend(correspondences(known, "call", &proof.matches.calls));
    for used in proof.used.always.keys() {
        let titles = known.titles(*used);
        lines.push(match numbers.get(used) {
            _ if *used == pair => {
                format!("its own calls of {titles} are taken to be equal: by induction on the length of the runs")
            }
            Some(number) => format!("calls of {titles} are equal by step {number}"),
            None => format!("calls of {titles} are equal: it is the same unknown procedure in both versions"),
        });
    }
    lines
}

/// What was found to hold of a loop of each version alone.
fn invariants(known: &Known<'_>, (left, right): Pair) -> Vec<String> {
    let mut lines = Vec::new();
    for (version, id) in [(0, left), (1, right)] {
        let name = known.subject.version_name(version);
        for (when, shown) in conditions(known, version, id) {
            lines.push(format!("{when}, in {name}: {shown}"));
        }
    }
    lines
}

/// What was found to hold of a loop alone, each with when it does.
pub(super) fn conditions(known: &Known<'_>, version: usize, id: ProcId) -> Vec<(&'static str, String)> {
    let Some(own) = known.effects[version].get(id.index()) else { return Vec::new() };
    let unit = known.lowered.as_unit();
    let code = known.lowered.procedure(version, id);
    let written = |condition| expr_text(unit, &unit.versions[version], code, condition);
    let all = [("whenever it begins a turn", &own.entry), ("when it is over", &own.exit)];
    let some = all.into_iter().filter(|(_, conditions)| !conditions.is_empty());
    some.map(|(when, conditions)| (when, conditions.iter().map(written).collect::<Vec<_>>().join(", "))).collect()
}

/// What the evidence of a step tells beyond its correspondences.
fn evidence(known: &Known<'_>, pair: Pair, proof: &PairProof) -> Vec<String> {
    match &proof.evidence {
        Some(ProofEvidence::Paths(paths)) => in_place(known, &paths.plan),
        Some(ProofEvidence::Summaries(summaries)) => equations::summaries(known, summaries),
        Some(ProofEvidence::Loops(loops)) => {
            let mut lines = in_place(known, &loops.whole.plan);
            lines.extend(loops.loops.iter().map(|own| in_step(known, own)));
            lines
        }
        Some(ProofEvidence::Plain) => Vec::new(),
        None => {
            let names = known.titles(pair);
            vec![format!("the invariants of {names} are not kept; `--dump smt2` shows what was asked of the solver")]
        }
    }
}

/// Which calls are executed in place.
fn in_place(known: &Known<'_>, plan: &InliningPlan) -> Vec<String> {
    let of = |version: usize| {
        let names: Vec<String> = plan.inline[version].iter().map(|&id| known.lowered.title(version, id)).collect();
        let recursive = |id: &ProcId| known.effects[version].get(id.index()).is_some_and(|own| own.recursive(*id));
        let times = match plan.inline[version].iter().any(recursive) {
            true => format!(", at most {} deep", plan.depths[version]),
            false => String::new(),
        };
        let name = known.subject.version_name(version);
        (!names.is_empty()).then(|| format!("in {name} calls of {} are executed in place{times}", names.join(", ")))
    };
    (0..2).filter_map(of).collect()
}

/// What is equal whenever two loops begin a turn, and when they are over.
fn in_step(known: &Known<'_>, evidence: &LoopEvidence) -> String {
    let how = if evidence.compared { "both are compared, turn by turn" } else { "both run in step" };
    let mut text = format!("{}: {how}", known.titles(evidence.pair));
    for (when, shown) in equalities(known, evidence) {
        text += &format!("; {when} {shown}");
    }
    text + &format!(" (a prime marks {})", known.subject.version_name(1))
}

/// The variables that two loops have in common, each with when they do; a prime marks those of version 1.
pub(super) fn equalities(known: &Known<'_>, evidence: &LoopEvidence) -> Vec<(&'static str, String)> {
    let (left, right) = evidence.pair;
    let [mine, theirs] = [known.lowered.procedure(0, left), known.lowered.procedure(1, right)];
    let name = |code: &Procedure, at: usize| code.locals.get(at).map_or("?".into(), |local| local.name.clone());
    let equal = |pairs: &[(usize, usize)], from: [usize; 2]| -> Vec<String> {
        pairs.iter().map(|&(a, b)| format!("{} == {}'", name(mine, from[0] + a), name(theirs, from[1] + b))).collect()
    };
    let turns = equal(&evidence.equal, [0, 0]);
    let over = equal(&evidence.results, [mine.params, theirs.params]);
    let all = [("at each turn", turns), ("at the end", over)].into_iter();
    all.filter(|(_, shown)| !shown.is_empty()).map(|(when, shown)| (when, shown.join(", "))).collect()
}

fn correspondences(known: &Known<'_>, what: &str, places: &BTreeSet<(Span, Span)>) -> Vec<String> {
    let subject = known.subject;
    let shown = places.iter().take(SHOWN_CORRESPONDENCES).map(|&(left, right)| {
        // A loop is lowered to a call.
        let is_loop = one_line(subject, left).starts_with("while");
        let what = if is_loop { "loop" } else { what };
        let [left, right] = [left, right].map(|span| format!("`{}`{}", one_line(subject, span), subject.at(span)));
        match what {
            "new" => format!("the object of {left}, is that of {right}"),
            "loop" => format!("{left}, does what {right}, does"),
            _ => format!("{left}, gets and gives the same as {right}"),
        }
    });
    let mut lines: Vec<String> = shown.collect();
    if places.len() > SHOWN_CORRESPONDENCES {
        lines.push(format!("… and {} more", places.len() - SHOWN_CORRESPONDENCES));
    }
    lines
}
