//! How the stores that differ do: rows of a condition, what stays equal, and both values of what does not.
//!
//! In: the paths of a pair that differ, and the condition that was proved for all of them. Out: [`Row`]s, each with a store that
//! was run.
//!
//! Invariant: the condition of a row implies one of the regions it was made of, so its values are those of the paths there.

use super::super::Task;
use super::super::outputs::{self, Place};
use super::super::regions::Region;
use super::super::text::{self, Binding, Names, Text};
use super::places::{Name, name};
use super::{Condition, Look, between, one_of};
use crate::goal::Pair;
use crate::search::witness::{Contrast, RunPair, Witness};
use crate::search::{bmc, concrete, recurrent_set};
use crate::verdict::comparison::procedures_run;
use kernel::exec::state::Outcome;
use lang_l::hir::{BinOp, Expr};
use lang_l::interp::Behaviour;
use smt::solve::Solver;
use smt::term::{AllocClass, Ending, PathFacts, Selector, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A value at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Value {
    /// The place: a result, a global, a field or cell; that a version ends in error.
    name: Name,
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
    held: Text,
    /// The outputs that are equal.
    equal: Vec<Name>,
    /// What version 0 leaves where they differ.
    pub left: Vec<Value>,
    /// What version 1 leaves there.
    pub right: Vec<Value>,
    /// Relations of the values of both, where no term says them.
    between: Vec<Text>,
    /// Whether all that may differ is named.
    told: bool,
    /// Whether all of these stores differ; else those that do differ in this way.
    settled: bool,
    /// A store that was run in both.
    pub witness: Box<Witness>,
}

impl Value {
    /// The place, over the store on entry: a result, a global, a field or cell; `err` where it is that a version ends in error.
    pub fn place(&self) -> &str {
        &self.name.on_entry
    }
}

impl Row {
    /// Whether one output differs in all of these stores that do, as far as the row says; then leaves nothing but what it says of that.
    pub(in crate::diff) fn keep_only(&mut self, place: &str) -> bool {
        let of = |values: &[Value]| values.iter().find(|value| value.place() == place).cloned();
        let (Some(left), Some(right)) = (of(&self.left), of(&self.right)) else { return false };
        let alone = self.told && [&self.left, &self.right].into_iter().all(|values| values.len() == 1);
        let literal = |value: &Value| value.value.as_deref().is_some_and(|value| matches!(value, "true" | "false"));
        let apart = self.settled && literal(&left) && literal(&right) && left.value != right.value;
        (self.left, self.right) = (vec![left], vec![right]);
        alone || apart
    }

    /// Whether the row says all values of all that may differ, and all its stores differ.
    pub fn is_exact(&self) -> bool {
        self.settled && self.told && self.left.iter().chain(&self.right).all(|value| value.value.is_some())
    }

    /// The outputs that are equal, over the store on entry.
    pub fn equal(&self) -> Vec<&str> {
        self.equal.iter().map(|name| name.on_entry.as_str()).collect()
    }

    /// A relation of the values of both, where no term says them and one is known.
    pub fn between(&self) -> Option<String> {
        match &self.between[..] {
            [] => None,
            [one] => Some(one.text.clone()),
            several => Some(several.iter().map(|one| one.within(Binding::And)).collect::<Vec<_>>().join(" && ")),
        }
    }

    /// Whether all stores of the row differ; else those that do differ in this way.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// What holds of the outputs in these stores.
    pub fn relation(&self) -> String {
        relation(&self.held, (&self.equal, &self.left, &self.right), &self.between)
    }
}

/// What holds of the outputs in stores that differ in one way.
fn relation(held: &Text, (equal, left, right): (&[Name], &[Value], &[Value]), between: &[Text]) -> String {
    let mut parts: Vec<String> = Vec::new();
    if held.text != "true" {
        parts.push(held.within(Binding::And));
    }
    let sides = left.iter().map(|value| (value, value.name.first().to_owned()));
    for (value, place) in sides.chain(right.iter().map(|value| (value, value.name.second()))) {
        match (value.name.is_error, value.value.as_deref(), &value.beside) {
            (true, Some("true"), _) => parts.push(place),
            (true, ..) => parts.push(format!("!{place}")),
            (_, _, Some(beside)) => parts.push(format!("{place} == {beside}")),
            _ => {}
        }
    }
    if !between.is_empty() {
        // Beside what is not known, what is equal is worth saying.
        parts.extend(between.iter().map(|one| one.within(Binding::And)));
        parts.extend(equal.iter().map(|name| format!("{} == {}", name.first(), name.second())));
    }
    if parts.is_empty() { "true".into() } else { parts.join(" && ") }
}

/// What rows are told apart by.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Signature {
    equal: Vec<Name>,
    left: Vec<Value>,
    right: Vec<Value>,
    /// Whether something may differ that is not named.
    untold: bool,
}

impl Signature {
    /// Whether a value is not known that differs.
    fn leaves_open(&self) -> bool {
        self.left.iter().chain(&self.right).any(|value| value.value.is_none())
    }

    /// The outputs that are equal, and both values of the others.
    fn outputs(&self) -> (&[Name], &[Value], &[Value]) {
        (&self.equal, &self.left, &self.right)
    }
}

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
    let mut groups: BTreeMap<(Signature, Vec<Text>), Vec<Term>> = BTreeMap::new();
    for region in look.regions.differ.clone() {
        let signature = signature(look, &region, &[region.condition], solver);
        let between = match signature.leaves_open() {
            true => between::relations(look, (&region, true), &region_facts(look, &region), solver),
            false => Vec::new(),
        };
        groups.entry((signature, between)).or_default().push(region.condition);
    }
    let mut found = Rows { rows: Vec::new(), relations: Some(Vec::new()), whole: true };
    for ((signature, between), parts) in groups {
        let Some((condition, held)) = condition(look, whole, &parts, solver) else {
            (found.relations, found.whole) = (None, false);
            continue;
        };
        if let Some(relations) = &mut found.relations {
            relations.push(relation(&held, signature.outputs(), &between));
        }
        let Some(witness) = witness(look, &condition, solver) else {
            found.whole = false;
            continue;
        };
        let Signature { equal, left, right, untold } = signature;
        let witness = Box::new(witness);
        let (when, told) = (condition.text, !untold);
        found.rows.push(Row { when, held, equal, left, right, between, told, settled: true, witness });
    }
    (!found.rows.is_empty()).then_some(found)
}

/// What holds in the stores of a region.
fn region_facts(look: &Look<'_>, region: &Region) -> Vec<Term> {
    let mut facts = look.meetings.pairs[region.meeting].when.clone();
    facts.push(region.condition);
    facts
}

/// A way to differ, and where it may be taken.
struct Way {
    signature: Signature,
    between: Vec<Text>,
    parts: Vec<Term>,
}

impl Way {
    /// Whether a version errs, so that outputs of it have no value.
    fn errs(&self) -> bool {
        self.signature.left.iter().chain(&self.signature.right).any(|value| value.name.is_error)
    }
}

/// The rows of stores of which no condition on entry says whether they differ: how they do if they do. Where nothing can be said of that,
/// it is still looked for a store that differs, if none is `seen`.
pub(in crate::diff) fn unsettled(look: &mut Look<'_>, seen: bool, solver: &mut Solver) -> Rows {
    let mut groups: BTreeMap<(Signature, Vec<Text>), Vec<Term>> = BTreeMap::new();
    for region in look.regions.unsettled.clone() {
        let facts = region_facts(look, &region);
        let signature = signature(look, &region, &facts, solver);
        let between = between::relations(look, (&region, false), &facts, solver);
        groups.entry((signature, between)).or_default().push(region.condition);
    }
    let mut found = Rows { rows: Vec::new(), relations: (!look.regions.silent).then(Vec::new), whole: true };
    let mut ways: Vec<Way> =
        groups.into_iter().map(|((signature, between), parts)| Way { signature, between, parts }).collect();
    ways.sort_by_key(|way| !way.errs());
    for Way { signature, between, parts } in &ways {
        match (covering(look, parts, solver), &mut found.relations) {
            (Some((_, held)), Some(relations)) => relations.push(relation(&held, signature.outputs(), between)),
            (None, relations) => *relations = None,
            _ => {}
        }
    }
    let rows: Vec<Way> = together(look, ways, solver);
    let (told, others): (Vec<Way>, Vec<Way>) = rows.into_iter().partition(|way| !way.between.is_empty());
    found.rows.extend(told.into_iter().filter_map(|way| unsettled_row(look, way, solver)));
    if found.rows.is_empty() && !seen {
        found.rows.extend(others.into_iter().find_map(|way| unsettled_row(look, way, solver)));
    }
    found
}

/// Ways to differ as one, where a store may take either: it differs as one of them says, if something is known of both.
fn together(look: &mut Look<'_>, ways: Vec<Way>, solver: &mut Solver) -> Vec<Way> {
    let mut apart: Vec<Vec<Way>> = Vec::new();
    for way in ways {
        let (meeting, others): (Vec<Vec<Way>>, Vec<Vec<Way>>) = apart
            .into_iter()
            .partition(|group| group.iter().any(|other| may_meet(look, [&way.parts, &other.parts], solver)));
        apart = others;
        apart.push(meeting.into_iter().flatten().chain([way]).collect());
    }
    let mut apart: Vec<Way> = apart.into_iter().map(one_or_other).collect();
    if look.regions.silent {
        for way in &mut apart {
            *way = Way { signature: Signature::default(), between: Vec::new(), parts: std::mem::take(&mut way.parts) };
        }
    }
    apart
}

/// One of these ways. An output has no value where a version errs, so that comes first.
fn one_or_other(mut ways: Vec<Way>) -> Way {
    if ways.len() == 1 {
        return ways.remove(0);
    }
    ways.sort_by_key(|way| !way.errs());
    let always = Text::new("true", Binding::Tightest);
    let said: Vec<String> = ways.iter().map(|way| relation(&always, way.signature.outputs(), &way.between)).collect();
    let silent = said.contains(&always.text);
    let between = if silent { Vec::new() } else { vec![Text::new(one_of(&said), Binding::Or)] };
    Way { signature: Signature::default(), between, parts: ways.into_iter().flat_map(|way| way.parts).collect() }
}

/// Whether a store may be where one of the first holds, and one of the others.
fn may_meet(look: &mut Look<'_>, parts: [&[Term]; 2], solver: &mut Solver) -> bool {
    let [one, other] = parts.map(|parts| look.arena.terms.or(parts));
    !look.impossible(&[one, other], solver)
}

/// The row of stores that may differ in this way.
fn unsettled_row(look: &mut Look<'_>, way: Way, solver: &mut Solver) -> Option<Row> {
    let (condition, held) = covering(look, &way.parts, solver)?;
    let witness = Box::new(near_witness(look, &condition, solver)?);
    let Way { signature: Signature { equal, left, right, untold }, between, .. } = way;
    let (when, told) = (condition.text, !untold);
    Some(Row { when, held, equal, left, right, between, told, settled: false, witness })
}

/// A condition that holds wherever one of these does.
fn covering(look: &mut Look<'_>, parts: &[Term], solver: &mut Solver) -> Option<(Condition, Text)> {
    let written = look.write(parts, solver)?;
    let condition = look.read(written.holds.text, solver)?;
    let union = look.arena.terms.or(parts);
    look.asker(solver).follows(&[union], condition.term).then_some((condition, written.held))
}

/// The condition of a row, and how it is said beside final values.
fn condition(look: &mut Look<'_>, whole: &Condition, parts: &[Term], solver: &mut Solver) -> Option<(Condition, Text)> {
    let written = look.write(parts, solver)?;
    let condition = look.read(written.holds.text, solver)?;
    let inside = look.arena.terms.or(parts);
    let goal = look.arena.terms.and(&[inside, whole.term]);
    look.asker(solver).follows(&[condition.term], goal).then_some((condition, written.held))
}

/// What is equal and what is not, in the stores of one pair of paths.
fn signature(look: &mut Look<'_>, region: &Region, facts: &[Term], solver: &mut Solver) -> Signature {
    let meeting = look.meetings.pairs[region.meeting].clone();
    let endings = [0, 1].map(|side| look.meetings.outcomes[side][meeting.paths[side]].ending);
    if endings[0] != endings[1] {
        let sides = [0, 1].map(|side| one_side(look, region, side, meeting.paths[side]));
        let [(left, mine), (right, theirs)] = sides;
        return Signature { equal: Vec::new(), left, right, untold: mine || theirs };
    }
    let mut found = Signature::default();
    for output in &meeting.outputs {
        let [a, b] = output.values;
        let same = look.arena.terms.eq(a, b);
        let (name, is_equal) = (name(look, output.place), look.asker(solver).follows(facts, same));
        match name {
            Some(name) if is_equal => {
                if !matches!(output.place, Place::Global(_)) || !is_untouched(look, output.place, [a, b]) {
                    found.equal.push(name);
                }
            }
            Some(name) => {
                found.left.push(value(look, region, &name, a));
                found.right.push(value(look, region, &name, b));
            }
            None => found.untold |= !is_equal,
        }
    }
    let [left, right] = [0, 1].map(|side| look.meetings.outcomes[side][meeting.paths[side]].clone());
    if !elsewhere_alike(look, [&left, &right], facts, solver) {
        found.untold = true;
    }
    found
}

/// Whether what loops and calls leave in objects that existed on entry is the same in both, place by place. What is stored is an output by
/// itself.
fn elsewhere_alike(look: &mut Look<'_>, sides: [&Outcome; 2], facts: &[Term], solver: &mut Solver) -> bool {
    let selectors: BTreeSet<Selector> =
        sides.into_iter().flat_map(|side| outputs::written_at_once(&look.arena, side.heap)).collect();
    let stored = outputs::written(&look.arena, sides);
    selectors.into_iter().all(|selector| {
        let arena = &mut look.arena;
        let object = arena.terms.representative(AllocClass::OLD);
        let index = matches!(selector, Selector::Cell(_)).then(|| arena.terms.any_index());
        let [a, b] = sides.map(|side| arena.heaps.read(&mut arena.terms, side.heap, selector, object, index));
        let mut alike = vec![arena.terms.eq(a, b)];
        for &(_, own, at) in stored.iter().filter(|(written, ..)| *written == selector) {
            let mut here = vec![arena.terms.eq(object, own)];
            here.extend(at.zip(index).map(|(at, index)| arena.terms.eq(at, index)));
            alike.push(arena.terms.and(&here));
        }
        let alike = arena.terms.or(&alike);
        look.asker(solver).follows(facts, alike)
    })
}

/// Whether a global is what it was on entry in both.
fn is_untouched(look: &mut Look<'_>, place: Place, values: [Term; 2]) -> bool {
    let Place::Global(at) = place else { return false };
    let Ok(at) = u32::try_from(at) else { return false };
    let sort = look.arena.terms.sort(values[0]);
    let before = look.arena.terms.app(smt::term::Func::Global(at), &[], sort);
    values == [before; 2]
}

/// How one version ends where the other ends otherwise; and whether it leaves something that is not named.
fn one_side(look: &mut Look<'_>, region: &Region, side: usize, path: usize) -> (Vec<Value>, bool) {
    let outcome = look.meetings.outcomes[side][path].clone();
    let errs = outcome.ending == Ending::Error;
    let text = errs.to_string();
    let mut values = vec![Value { name: Name::error(), value: Some(text.clone()), beside: Some(text) }];
    if errs {
        return (values, false);
    }
    let results = outcome.results.iter().enumerate().map(|(at, &result)| (Place::Result(at), result));
    let globals = outcome.globals.iter().enumerate().map(|(at, &global)| (Place::Global(at), global));
    let mut left: Vec<(Place, Term)> = results.chain(globals).collect();
    left.retain(|&(place, value)| !is_untouched(look, place, [value; 2]));
    left.extend(outputs::slots(&mut look.arena, &outcome));
    let mut untold = !outputs::written_at_once(&look.arena, outcome.heap).is_empty();
    for (place, is) in left {
        match name(look, place) {
            Some(name) => values.push(value(look, region, &name, is)),
            None => untold = true,
        }
    }
    (values, untold)
}

fn value(look: &mut Look<'_>, region: &Region, name: &Name, value: Term) -> Value {
    let mut known = PathFacts::new();
    let simple = if known.assume(&mut look.arena.terms, region.condition) {
        look.arena.terms.simplify(value, &known)
    } else {
        value
    };
    let names = look.names();
    let said = |names: Names<'_>| text::text(names, &look.arena, simple);
    let beside = said(Names { beside_final: true, ..names }).map(|text: Text| text.within(Binding::Sum));
    Value { name: name.clone(), value: said(names).map(|text| text.text), beside }
}

/// In what two versions differ, where it is proved of all stores with a condition.
pub(super) enum Told {
    /// Of each of these outputs version 1 leaves so much more than version 0, or the opposite.
    Shifted(Vec<(Place, Option<Term>)>),
    /// An output compares so with a value in each version, which excludes that it is the same.
    Apart(Place, [BinOp; 2], Term),
}

/// The row of the stores with a condition, of which it was proved how they differ; `None` where no store of them was run.
pub(super) fn told(
    look: &mut Look<'_>,
    condition: &Condition,
    held: Text,
    told: Told,
    solver: &mut Solver,
) -> Option<Row> {
    let (mut left, mut right, mut between) = (Vec::new(), Vec::new(), Vec::new());
    // That one output differs says nothing of the others.
    let tells_all = matches!(told, Told::Shifted(_)) || gives_one_thing(look);
    let unknown = |name: &Name| Value { name: name.clone(), value: None, beside: None };
    match told {
        Told::Shifted(outputs) => {
            for (place, by) in outputs {
                let name = name(look, place)?;
                let second = name.second();
                let said = match by {
                    None => format!("{second} == !{}", name.first()),
                    Some(by) => {
                        let names = Names { beside_final: true, ..look.names() };
                        let by = text::text(names, &look.arena, by)?;
                        match by.text.strip_prefix('-') {
                            Some(less) => format!("{second} == {} - {less}", name.first()),
                            None => format!("{second} == {} + {}", name.first(), by.within(Binding::Sum)),
                        }
                    }
                };
                between.push(Text::new(said, Binding::Comparison));
                left.push(unknown(&name));
                right.push(unknown(&name));
            }
        }
        Told::Apart(place, ops, value) => {
            let name = name(look, place)?;
            let known = |look: &Look<'_>, value: Term| {
                let plain = text::text(look.names(), &look.arena, value)?.text;
                let beside = text::text(Names { beside_final: true, ..look.names() }, &look.arena, value)?;
                Some(Value { name: name.clone(), value: Some(plain), beside: Some(beside.within(Binding::Sum)) })
            };
            let said = known(look, value)?;
            let is_bool = look.arena.terms.sort(value) == Sort::Bool;
            let opposite = if is_bool { Some(look.arena.terms.not(value)) } else { None };
            let names = [name.first().to_owned(), name.second()];
            for ((values, op), own) in [&mut left, &mut right].into_iter().zip(ops).zip(names) {
                values.push(match (op, opposite) {
                    (BinOp::Eq, _) => said.clone(),
                    (_, Some(opposite)) => known(look, opposite)?,
                    (_, None) => {
                        let beside = said.beside.as_deref().unwrap_or_default();
                        between.push(Text::new(format!("{own} {} {beside}", op.symbol()), Binding::Comparison));
                        unknown(&name)
                    }
                });
            }
        }
    }
    let witness = Box::new(witness(look, condition, solver)?);
    let when = condition.text.clone();
    Some(Row { when, held, equal: Vec::new(), left, right, between, told: tells_all, settled: true, witness })
}

/// Whether all that either version does is to give back one result.
fn gives_one_thing(look: &Look<'_>) -> bool {
    let Task { program, .. } = look.task;
    let (left, right) = look.comparison.pair;
    [left, right].into_iter().zip(&program.effects).all(|(id, effects)| {
        let own = &effects[id.index()];
        own.writes.is_empty() && own.written_globals.is_empty()
    }) && program.code(look.comparison.pair).0.results == 1
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

/// A store with the condition on which one ends, and the other never does: it comes back to where it was, or is blocked.
pub(in crate::diff) fn soon_endless(task: Task<'_>, (left, right): Pair, condition: &Expr) -> Option<Witness> {
    let pair = RunPair { unit: &task.source.unit, left, right, when: Some(condition) };
    let is_endless = |witness: &Witness| matches!(witness.contrast(), Contrast::Termination);
    let may_block = [left, right].into_iter().zip(&task.program.effects).any(|(id, own)| own[id.index()].may_block);
    let blocked = || concrete::search_blocked(&pair, concrete::SearchBudget::QUICK);
    let seen = concrete::search(&pair, &[], concrete::SearchBudget::QUICK).filter(is_endless);
    seen.or_else(|| may_block.then(blocked).flatten())
}

/// The same, where it is proved that the other goes on for ever.
pub(in crate::diff) fn proved_endless(
    task: Task<'_>,
    pair: Pair,
    condition: &Expr,
    solver: &mut Solver,
) -> Option<Witness> {
    let (unit, program) = (&task.source.unit, task.program);
    let run = procedures_run(program, pair, &BTreeSet::new());
    let pair = RunPair { unit, left: pair.0, right: pair.1, when: Some(condition) };
    concrete::search_endless(&pair, concrete::SearchBudget::ENDLESS, &mut |version, stuck| {
        let clauses = task.known.clauses;
        if !kernel::alone::clauses::contracts_hold(clauses, version, &run[version]) {
            return None;
        }
        let (effects, kernel) = (&program.effects[version][..], task.known.kernel);
        let of = recurrent_set::Version { unit: program.unit, version, effects, kernel };
        recurrent_set::never_ends(of, unit, stuck, solver)
    })
}
