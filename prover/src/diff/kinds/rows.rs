//! How the stores that differ do: rows of a condition, what stays equal, and both values of what does not.
//!
//! In: the paths of a pair that differ, and the condition that was proved for all of them. Out: [`Row`]s, each with a store that
//! was run.
//!
//! Invariant: the condition of a row implies one of the regions it was made of, so its values are those of the paths there.

use super::super::outputs::Place;
use super::super::regions::Region;
use super::super::text::{self, Binding, Names, Text};
use super::places::{place, primed};
use super::{Condition, Look, between};
use crate::search::witness::{Contrast, RunPair, Witness};
use crate::search::{bmc, concrete, recurrent_set};
use crate::verdict::comparison::procedures_run;
use lang_l::interp::Behaviour;
use smt::solve::Solver;
use smt::term::{Ending, PathFacts, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A value at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    /// The place: a result, a global, a field or cell; `err` where it is that a version ends in error.
    pub place: String,
    /// The value, over the store on entry; `None` where no term says it.
    pub value: Option<String>,
    /// The same, said beside final values.
    beside: Option<String>,
}

/// Stores that differ in one way.
#[derive(Clone, Debug)]
pub struct Row {
    /// Which stores.
    pub when: String,
    /// The same, said beside final values.
    held: String,
    /// The outputs that are equal.
    pub equal: Vec<String>,
    /// What version 0 leaves where they differ.
    pub left: Vec<Value>,
    /// What version 1 leaves there.
    pub right: Vec<Value>,
    /// Relations of the values of both, where no term says them.
    between: Vec<String>,
    /// Whether all of these stores differ; else those that do differ in this way.
    settled: bool,
    /// A store that was run in both.
    pub witness: Box<Witness>,
}

impl Row {
    /// Whether the row says all values, and all its stores differ.
    pub fn is_exact(&self) -> bool {
        self.settled && self.left.iter().chain(&self.right).all(|value| value.value.is_some())
    }

    /// Relations of the values of both, where no term says them.
    pub fn between(&self) -> &[String] {
        &self.between
    }

    /// Whether all stores of the row differ; else those that do differ in this way.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// What holds of the outputs in these stores.
    pub fn relation(&self) -> String {
        relation(&self.held, &(self.equal.clone(), self.left.clone(), self.right.clone()), &self.between)
    }
}

/// What holds of the outputs in stores that differ in one way.
fn relation(held: &str, (equal, left, right): &Signature, between: &[String]) -> String {
    let mut parts: Vec<String> = Vec::new();
    if held != "true" {
        parts.push(if held.contains("||") { format!("({held})") } else { held.to_string() });
    }
    for (values, prime) in [(left, ""), (right, "'")] {
        for value in values {
            let place = primed(&value.place, prime);
            match (value.place.as_str(), value.value.as_deref(), &value.beside) {
                ("err", Some("true"), _) => parts.push(place),
                ("err", _, _) => parts.push(format!("!{place}")),
                (_, _, Some(beside)) => parts.push(format!("{place} == {beside}")),
                _ => {}
            }
        }
    }
    if !between.is_empty() {
        // Beside what is not known, what is equal is worth saying.
        parts.extend(between.iter().cloned());
        parts.extend(equal.iter().map(|place| format!("{place} == {}", primed(place, "'"))));
    }
    if parts.is_empty() { "true".into() } else { parts.join(" && ") }
}

/// What rows are told apart by.
type Signature = (Vec<String>, Vec<Value>, Vec<Value>);

/// Rows, and what all of them together say of the outputs.
pub(in crate::diff) struct Rows {
    /// The rows, each with a store that was run.
    pub(in crate::diff) rows: Vec<Row>,
    /// What holds of the outputs in each way to differ; `None` where not all ways can be told.
    pub(in crate::diff) relations: Option<Vec<String>>,
    /// Whether each way to differ has a row.
    pub(in crate::diff) whole: bool,
}

/// The rows of all stores that differ; `None` when no store was found to differ in a run.
pub(in crate::diff) fn rows(look: &mut Look<'_>, whole: &Condition, solver: &mut Solver) -> Option<Rows> {
    let mut groups: BTreeMap<Signature, Vec<Term>> = BTreeMap::new();
    for region in look.regions.differ.clone() {
        let signature = signature(look, &region, &[region.condition], solver);
        groups.entry(signature).or_default().push(region.condition);
    }
    let mut found = Rows { rows: Vec::new(), relations: Some(Vec::new()), whole: true };
    for (signature, parts) in groups {
        let Some((condition, held)) = condition(look, whole, &parts, solver) else {
            (found.relations, found.whole) = (None, false);
            continue;
        };
        if let Some(relations) = &mut found.relations {
            relations.push(relation(&held, &signature, &[]));
        }
        let Some(witness) = witness(look, &condition, solver) else {
            found.whole = false;
            continue;
        };
        let (equal, left, right) = signature;
        let (between, witness) = (Vec::new(), Box::new(witness));
        found.rows.push(Row { when: condition.text, held, equal, left, right, between, settled: true, witness });
    }
    (!found.rows.is_empty()).then_some(found)
}

/// The rows of stores of which no condition on entry says whether they differ: how they do if they do.
pub(in crate::diff) fn unsettled(look: &mut Look<'_>, solver: &mut Solver) -> Rows {
    let mut groups: BTreeMap<(Signature, Vec<String>), Vec<Term>> = BTreeMap::new();
    for region in look.regions.unsettled.clone() {
        let mut facts = look.meetings.pairs[region.meeting].when.clone();
        facts.push(region.condition);
        let signature = signature(look, &region, &facts, solver);
        let between = between::relations(look, &region, &facts, solver);
        groups.entry((signature, between)).or_default().push(region.condition);
    }
    let mut found = Rows { rows: Vec::new(), relations: (!look.regions.silent).then(Vec::new), whole: true };
    for ((signature, between), parts) in groups {
        let Some((condition, held)) = covering(look, &parts, solver) else {
            found.relations = None;
            continue;
        };
        if let Some(relations) = &mut found.relations {
            relations.push(relation(&held, &signature, &between));
        }
        let (equal, left, right) = signature;
        if between.is_empty() {
            continue;
        }
        let Some(witness) = near_witness(look, &condition, solver) else { continue };
        let (when, witness) = (condition.text, Box::new(witness));
        found.rows.push(Row { when, held, equal, left, right, between, settled: false, witness });
    }
    found
}

/// A condition that holds wherever one of these does.
fn covering(look: &mut Look<'_>, parts: &[Term], solver: &mut Solver) -> Option<(Condition, String)> {
    let written = look.write(parts, solver)?;
    let condition = look.read(written.holds.text, solver)?;
    let union = look.arena.terms.or(parts);
    look.asker(solver).follows(&[union], condition.term).then_some((condition, written.held.text))
}

/// The condition of a row, and how it is said beside final values.
fn condition(
    look: &mut Look<'_>,
    whole: &Condition,
    parts: &[Term],
    solver: &mut Solver,
) -> Option<(Condition, String)> {
    let written = look.write(parts, solver)?;
    let condition = look.read(written.holds.text, solver)?;
    let inside = look.arena.terms.or(parts);
    let goal = look.arena.terms.and(&[inside, whole.term]);
    look.asker(solver).follows(&[condition.term], goal).then_some((condition, written.held.text))
}

/// What is equal and what is not, in the stores of one pair of paths.
fn signature(look: &mut Look<'_>, region: &Region, facts: &[Term], solver: &mut Solver) -> Signature {
    let meeting = look.meetings.pairs[region.meeting].clone();
    let endings = [0, 1].map(|side| look.meetings.outcomes[side][meeting.paths[side]].ending);
    if endings[0] != endings[1] {
        let sides = [0, 1].map(|side| one_side(look, region, side, meeting.paths[side]));
        let [left, right] = sides;
        return (Vec::new(), left, right);
    }
    let (mut equal, mut left, mut right) = (Vec::new(), Vec::new(), Vec::new());
    for output in &meeting.outputs {
        let Some(place) = place(look, output.place) else { continue };
        let [a, b] = output.values;
        let same = look.arena.terms.eq(a, b);
        if look.asker(solver).follows(facts, same) {
            if !matches!(output.place, Place::Global(_)) || !is_untouched(look, output.place, [a, b]) {
                equal.push(place);
            }
            continue;
        }
        left.push(value(look, region, &place, a));
        right.push(value(look, region, &place, b));
    }
    (equal, left, right)
}

/// Whether a global is what it was on entry in both.
fn is_untouched(look: &mut Look<'_>, place: Place, values: [Term; 2]) -> bool {
    let Place::Global(at) = place else { return false };
    let Ok(at) = u32::try_from(at) else { return false };
    let sort = look.arena.terms.sort(values[0]);
    let before = look.arena.terms.app(smt::term::Func::Global(at), &[], sort);
    values == [before; 2]
}

/// How one version ends where the other ends otherwise.
fn one_side(look: &mut Look<'_>, region: &Region, side: usize, path: usize) -> Vec<Value> {
    let outcome = look.meetings.outcomes[side][path].clone();
    let errs = outcome.ending == Ending::Error;
    let text = errs.to_string();
    let mut values = vec![Value { place: "err".into(), value: Some(text.clone()), beside: Some(text) }];
    if errs {
        return values;
    }
    for (at, &result) in outcome.results.iter().enumerate() {
        if let Some(place) = place(look, Place::Result(at)) {
            values.push(value(look, region, &place, result));
        }
    }
    for (at, &global) in outcome.globals.iter().enumerate() {
        if !is_untouched(look, Place::Global(at), [global; 2])
            && let Some(place) = place(look, Place::Global(at))
        {
            values.push(value(look, region, &place, global));
        }
    }
    values
}

fn value(look: &mut Look<'_>, region: &Region, place: &str, value: Term) -> Value {
    let mut known = PathFacts::new();
    let simple = if known.assume(&mut look.arena.terms, region.condition) {
        look.arena.terms.simplify(value, &known)
    } else {
        value
    };
    let names = look.names();
    let said = |names: Names<'_>| text::text(names, &look.arena, simple);
    let beside = said(Names { beside_final: true, ..names }).map(|text: Text| text.within(Binding::Sum));
    Value { place: place.to_string(), value: said(names).map(|text| text.text), beside }
}

/// A store with the condition on which both end, and differ.
fn witness(look: &Look<'_>, condition: &Condition, solver: &mut Solver) -> Option<Witness> {
    near_witness(look, condition, solver).or_else(|| {
        let pair = run_pair(look, condition);
        concrete::search(&pair, &[], concrete::SearchBudget::THOROUGH).filter(ends)
    })
}

/// The same, where it need not be searched for long.
fn near_witness(look: &Look<'_>, condition: &Condition, solver: &mut Solver) -> Option<Witness> {
    let pair = run_pair(look, condition);
    let mut near =
        |input| concrete::search(&pair, &[(input, Behaviour::Skip)], concrete::SearchBudget::NEAR).filter(ends);
    let program = look.task.program;
    concrete::search(&pair, &[], concrete::SearchBudget::QUICK)
        .filter(ends)
        .or_else(|| bmc::explore(program, look.comparison.pair, Some(&condition.expr), solver, &mut near))
}

/// Runs of both from stores with the condition.
fn run_pair<'r>(look: &'r Look<'_>, condition: &'r Condition) -> RunPair<'r> {
    let (left, right) = look.comparison.pair;
    RunPair { unit: &look.task.source.unit, left, right, when: Some(&condition.expr) }
}

fn ends(witness: &Witness) -> bool {
    !matches!(witness.contrast(), Contrast::Termination)
}

/// A store with the condition on which one ends, and the other never does.
pub(in crate::diff) fn endless(look: &Look<'_>, condition: &Condition, solver: &mut Solver) -> Option<Witness> {
    let unit = &look.task.source.unit;
    let program = look.task.program;
    let pair = run_pair(look, condition);
    let is_endless = |witness: &Witness| matches!(witness.contrast(), Contrast::Termination);
    if let Some(found) = concrete::search(&pair, &[], concrete::SearchBudget::QUICK).filter(is_endless) {
        return Some(found);
    }
    let run = procedures_run(program, look.comparison.pair, &BTreeSet::new());
    concrete::search_endless(&pair, concrete::SearchBudget::ENDLESS, &mut |version, stuck| {
        let clauses = look.task.known.clauses;
        if !kernel::alone::clauses::contracts_hold(clauses, version, &run[version]) {
            return None;
        }
        let (effects, kernel) = (&program.effects[version][..], look.task.known.kernel);
        let of = recurrent_set::Version { unit: program.unit, version, effects, kernel };
        recurrent_set::never_ends(of, unit, stuck, solver)
    })
}
