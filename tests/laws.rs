//! Laws of the stages, on the programs of the fuzzer's generator and random stores: what a stage says of a program, the
//! interpreter shows.
//!
//! Lowering keeps the meaning. Of the paths of a symbolic execution exactly one fits a store, and what it says of the end is
//! what happens. What is claimed of each procedure alone (its footprint, when it errs, that it ends, what loops keep) holds
//! on runs.

mod common;

use ape_fuzz::case::Case;
use ape_fuzz::stores::large;
use common::on_a_large_stack;
use kernel::effects::Effects;
use kernel::exec::state::Outcome as Path;
use kernel::exec::{Limits, execute};
use kernel::only_if::{Changing, OnlyIf, Operand};
use lang_l::heap::{Input, Kind, Object, Store, slot_type};
use lang_l::hir::{GlobalId, Modifies, ProcId, Procedure, Type, Unit};
use lang_l::interp::{self, Job, Outcome, Sequential, run};
use lang_l::isomorphism::{Final, same_outcome};
use lang_l::random::Random;
use lang_l::value::{Addr, Slot, Value};
use num_bigint::BigInt;
use prover::analysis::{Analysis, analyse};
use prover::lower::{Lowered, lower};
use smt::arena::Arena;
use smt::heap::{Comparison, Test};
use smt::solve::{QueryBudget, Solver};
use smt::term::{AllocSet, Ending, Func, Leaves, Node, Selector, Sort, Term, Terms, Values};
use std::collections::BTreeMap;

/// How many programs each law is tried on, and on how many stores each procedure.
const PROGRAMS: usize = 120;
const STORES: usize = 12;
/// How far runs go.
const LIMITS: interp::Limits = interp::Limits {
    steps: 4_000,
    depth: 400,
    array_length: 1 << 10,
    int_bits: 1 << 10,
    checks: false,
    divergence: true,
};

/// The first programs of a seed.
fn programs(seed: u64, count: usize) -> impl Iterator<Item = Unit> {
    (0..).filter_map(move |number| Case::new(seed, number)?.unit()).take(count)
}

/// The procedures of a version that have a body.
fn procedures(unit: &Unit, version: usize) -> impl Iterator<Item = (ProcId, &Procedure)> {
    let all = (0..).map(ProcId).zip(&unit.versions[version].procedures);
    all.filter(|(_, procedure)| procedure.body.is_some())
}

/// Random stores for a procedure.
fn stores(unit: &Unit, procedure: &Procedure, random: &mut Random) -> Vec<Input> {
    (0..STORES).map(|at| large(unit, procedure, 1 + at % 5, random)).collect()
}

fn ran(unit: &Unit, version: usize, procedure: ProcId, input: &Input, checks: bool) -> Outcome {
    let job = Job { unit, version, procedure, limits: interp::Limits { checks, ..LIMITS } };
    run(&job, input.clone(), &mut Sequential::after(input)).outcome
}

/// The parameters and results of a procedure, in order.
fn interface(procedure: &Procedure) -> Vec<(&str, &Type)> {
    let params = procedure.locals.iter().take(procedure.params);
    let results = procedure.result_ids().map(|id| procedure.local(id));
    params.chain(results).map(|local| (local.name.as_str(), &local.ty)).collect()
}

#[test]
fn lowering_keeps_the_meaning() {
    let mut told = 0;
    for unit in programs(21, PROGRAMS) {
        let lowered = lower(&unit);
        let mut random = Random::new(1);
        for version in 0..2 {
            for (id, procedure) in procedures(&unit, version) {
                // A helper that nobody asks about may have lost parameters, or have them in another order.
                if interface(procedure) != interface(lowered.procedure(version, id)) {
                    continue;
                }
                for input in stores(&unit, procedure, &mut random) {
                    let [before, after] = [&unit, lowered.as_unit()].map(|unit| ran(unit, version, id, &input, false));
                    let same = match (&before, &after) {
                        (Outcome::Normal(left), Outcome::Normal(right)) => {
                            same_outcome(&unit, left, right, &input).is_ok()
                        }
                        (Outcome::Error(_), Outcome::Error(_)) | (Outcome::Excluded(..), Outcome::Excluded(..)) => true,
                        (
                            Outcome::OutOfBudget(_) | Outcome::Diverged(_),
                            Outcome::OutOfBudget(_) | Outcome::Diverged(_),
                        ) => true,
                        // The same work takes other steps.
                        (Outcome::OutOfBudget(_), _) | (_, Outcome::OutOfBudget(_)) => continue,
                        _ => false,
                    };
                    told += usize::from(matches!(before, Outcome::Normal(_)));
                    let name = &procedure.name;
                    assert!(
                        same,
                        "{name} of version {version} on {input:?}: {before:?} and lowered {after:?}\n{unit:?}"
                    );
                }
            }
        }
    }
    assert!(told > PROGRAMS, "only {told} runs told something");
}

#[test]
fn one_path_fits_each_store_and_says_how_it_ends() {
    let counts = on_a_large_stack(|| {
        let mut counts = Counts::default();
        for unit in programs(22, PROGRAMS) {
            let lowered = lower(&unit);
            let effects = [0, 1].map(|version| kernel::effects::syntactic(lowered.as_unit(), version));
            let mut random = Random::new(2);
            for (version, effects) in effects.iter().enumerate() {
                for (id, procedure) in procedures(lowered.as_unit(), version) {
                    paths_fit(&lowered, (version, id, procedure), effects, &mut random, &mut counts);
                }
            }
        }
        counts
    });
    assert!(counts.compared > 5 * PROGRAMS && counts.decided > 10 * PROGRAMS, "{counts:?}");
}

/// How much was looked at.
#[derive(Debug, Default)]
struct Counts {
    /// Stores for which each path was known to fit or not to.
    decided: usize,
    /// Runs whose ends were compared with what a path says.
    compared: usize,
}

fn paths_fit(
    unit: &Lowered,
    (version, id, procedure): (usize, ProcId, &Procedure),
    effects: &[Effects],
    random: &mut Random,
    counts: &mut Counts,
) {
    let limits =
        Limits { inline: (0..).map(ProcId).take(effects.len()).collect(), inline_depth: 3, ..Limits::default() };
    let mut arena = Arena::new(unit.as_unit());
    let Ok(execution) = execute(unit.as_unit(), version, effects, &limits, &mut arena, (id, &[])) else { return };
    for input in stores(unit.as_unit(), procedure, random) {
        let outcome = ran(unit.as_unit(), version, id, &input, false);
        let what = || format!("{} of version {version} on {input:?}: {outcome:?}\n{unit:?}", procedure.name);
        let mut concrete = Concrete::new(unit.as_unit(), procedure, &input);
        let fits: Vec<Option<bool>> =
            execution.outcomes.iter().map(|path| concrete.all_hold(&arena, &path.path)).collect();
        let fitting = fits.iter().filter(|fits| **fits == Some(true)).count();
        assert!(fitting <= 1, "{fitting} paths fit: {}", what());
        if fits.contains(&None) || matches!(outcome, Outcome::Excluded(..)) {
            continue;
        }
        counts.decided += 1;
        let path = fits.iter().position(|fits| *fits == Some(true)).map(|at| &execution.outcomes[at]);
        let Some(path) = path else { panic!("no path fits: {}", what()) };
        if path.calls.is_empty() {
            counts.compared += 1;
            let wrong = concrete.differs(&mut arena, path, &outcome);
            assert!(wrong.is_none(), "{}: {}", wrong.unwrap_or_default(), what());
        }
    }
}

/// What terms mean for one input: null is 0, the object at an address is that address, and new objects are beyond.
struct Concrete<'a> {
    unit: &'a Unit,
    procedure: &'a Procedure,
    input: &'a Input,
    values: Values,
}

/// What an input says of parameters, of globals and of the heap on entry. What calls do it does not say.
struct OnEntry<'a>(&'a Input);

/// Where the numbers of objects begin that are made on the way.
const NEW: u64 = 1 << 40;

impl Leaves for OnEntry<'_> {
    fn application(&mut self, terms: &Terms, term: Term, values: &mut Values) -> Option<BigInt> {
        let Node::App(func, args) = terms.node(term) else { return None };
        let store = &self.0.store;
        match func {
            Func::Param(at) => number(self.0.arguments[*at as usize].as_ref()?),
            Func::Global(at) => number(store.globals.get(&GlobalId(*at))?),
            Func::New(alloc) => Some((NEW + u64::from(alloc.0)).into()),
            Func::Initial(selector) => {
                let args = terms.evaluate_all(args, values, self)?;
                let slot = match selector {
                    Selector::Field(field) => Slot::Field(*field),
                    Selector::Cell(_) => Slot::Cell(u64::try_from(&args[1]).ok()?),
                };
                number(store.heap.get(&address(&args[0])?)?.slots.get(&slot)?)
            }
            Func::Length => {
                let array = terms.evaluate(args[0], values, self)?;
                match &store.heap.get(&address(&array)?)?.kind {
                    Kind::Array { length, .. } => Some((*length).into()),
                    Kind::Fields(_) => None,
                }
            }
            _ => None,
        }
    }
}

impl<'a> Concrete<'a> {
    fn new(unit: &'a Unit, procedure: &'a Procedure, input: &'a Input) -> Self {
        Concrete { unit, procedure, input, values: Values::default() }
    }

    /// Whether all conditions hold; `None` when that depends on what calls do.
    fn all_hold(&mut self, arena: &Arena, conditions: &[Term]) -> Option<bool> {
        let zero = BigInt::from(0);
        let found: Vec<Option<bool>> =
            conditions.iter().map(|&condition| Some(self.value(arena, condition)? != zero)).collect();
        let unknown = found.contains(&None);
        if found.contains(&Some(false)) { Some(false) } else { (!unknown).then_some(true) }
    }

    fn value(&mut self, arena: &Arena, term: Term) -> Option<BigInt> {
        arena.terms.evaluate(term, &mut self.values, &mut OnEntry(self.input))
    }

    /// In what a run ended otherwise than a path without calls says.
    fn differs(&mut self, arena: &mut Arena, path: &Path, outcome: &Outcome) -> Option<String> {
        let end = match (path.ending, outcome) {
            (Ending::Normal, Outcome::Normal(end)) => end,
            (Ending::Error, Outcome::Error(_)) => return None,
            (_, Outcome::OutOfBudget(_)) => return None,
            (ending, _) => return Some(format!("the path ends as {ending:?}")),
        };
        let store = end.store.over(&self.input.store);
        let new = allocated(end, self.input);
        if new.len() != path.news.len() {
            return Some(format!("{} objects are new, not {}", path.news.len(), new.len()));
        }
        let made: BTreeMap<BigInt, Addr> =
            path.news.iter().zip(new).map(|((alloc, _), addr)| ((NEW + u64::from(alloc.0)).into(), addr)).collect();
        let mut wrong = Vec::new();
        let mut compare = |what: String, term: Option<BigInt>, ty: &Type, value: &Value| {
            let Some(term) = term else { return };
            let is_ref = Sort::from(ty) == Sort::Ref;
            let found = made.get(&term).filter(|_| is_ref).map_or(term, |addr| addr.0.into());
            if Some(&found) != number(value).as_ref() {
                wrong.push(format!("{what} is {found} on the path, and {value}"));
            }
        };
        for ((id, &result), value) in self.procedure.result_ids().zip(&path.results).zip(&end.results) {
            let local = self.procedure.local(id);
            compare(format!("result {}", local.name), self.value(arena, result), &local.ty, value);
        }
        for ((at, &global), declared) in (0..).map(GlobalId).zip(&path.globals).zip(&self.unit.globals) {
            let value = store.global(self.unit, at);
            compare(format!("global {}", declared.name), self.value(arena, global), &declared.ty, &value);
        }
        for (addr, slot, ty) in slots(self.unit, self.input) {
            let found = self.read(arena, path, addr, slot, &ty);
            compare(format!("{slot:?} of {addr}"), found, &ty, &store.slot(self.unit, addr, slot));
        }
        wrong.into_iter().next()
    }

    /// What a path leaves in a place of an object that existed on entry.
    fn read(&mut self, arena: &mut Arena, path: &Path, addr: Addr, slot: Slot, ty: &Type) -> Option<BigInt> {
        // Any object that existed on entry; which, is said by its value.
        let object = arena.terms.skolem(AllocSet::entry());
        self.values.insert(object, addr.0.into());
        let (selector, index) = match slot {
            Slot::Field(field) => (Selector::Field(field), None),
            Slot::Cell(index) => (Selector::Cell(Sort::from(ty)), Some(arena.terms.int(index))),
        };
        let read = arena.heaps.read(&mut arena.terms, path.heap, selector, object, index);
        self.value(arena, read)
    }
}

fn number(value: &Value) -> Option<BigInt> {
    Some(match value {
        Value::Int(number) => number.clone(),
        Value::Bool(truth) => u8::from(*truth).into(),
        Value::Ref(object) => object.map_or(0, |addr| addr.0).into(),
    })
}

/// The address that a number is, if it is that of an object that existed on entry.
fn address(number: &BigInt) -> Option<Addr> {
    u64::try_from(number).ok().filter(|number| (1..NEW).contains(number)).map(Addr)
}

/// All places of the objects of an input.
fn slots(unit: &Unit, input: &Input) -> Vec<(Addr, Slot, Type)> {
    let of = |(addr, object): (&Addr, &Object)| {
        let slots = object.all_slots(unit).into_iter();
        let kind = object.kind.clone();
        let addr = *addr;
        slots.map(move |slot| (addr, slot, slot_type(unit, &kind, slot).clone())).collect::<Vec<_>>()
    };
    input.store.heap.iter().flat_map(of).collect()
}

#[test]
fn what_is_claimed_of_a_procedure_holds_on_runs() {
    let counts = on_a_large_stack(|| {
        let mut counts = BTreeMap::new();
        // Programs with contracts in doubt are passed over; there are enough others among so many.
        for unit in programs(23, PROGRAMS) {
            let lowered = lower(&unit);
            let mut solver = Solver::new(QueryBudget::default());
            let Analysis { effects, clauses, .. } = analyse(&lowered, &mut solver);
            // Effects say what a procedure does where contracts hold.
            if clauses.iter().any(|clause| clause.status != kernel::alone::clauses::Status::Holds) {
                continue;
            }
            let mut random = Random::new(3);
            for (version, effects) in effects.iter().enumerate() {
                let claimed = with_claims(lowered.as_unit(), version, effects);
                for (id, procedure) in procedures(lowered.as_unit(), version) {
                    for input in stores(lowered.as_unit(), procedure, &mut random) {
                        // Loops are entered as others call them, and not from any store.
                        let effects = &effects[id.index()];
                        if effects.entry.is_empty() {
                            let wrong = refuted(lowered.as_unit(), (version, id), effects, &input, &mut counts);
                            assert!(
                                wrong.is_none(),
                                "{}: {wrong:?} {effects:?} on {input:?}\n{unit:?}",
                                procedure.name
                            );
                        }
                        if let Outcome::Violation(violation) = ran(&claimed, version, id, &input, true) {
                            panic!("{}: {violation:?} on {input:?}\n{unit:?}", procedure.name);
                        }
                    }
                }
            }
        }
        counts
    });
    for claim in ["ends", "footprint", "errs only if null", "errs if null"] {
        assert!(counts.get(claim).is_some_and(|&count| count > PROGRAMS / 3), "{claim}: {counts:?}");
    }
}

/// The program with what is claimed of its procedures as contracts, which runs check.
fn with_claims(unit: &Unit, version: usize, effects: &[Effects]) -> Unit {
    let mut claimed = unit.clone();
    for (procedure, effects) in claimed.versions[version].procedures.iter_mut().zip(effects) {
        if procedure.body.is_none() {
            continue;
        }
        procedure.requires.extend(effects.entry.iter().cloned());
        procedure.ensures.extend(effects.exit.iter().cloned());
        if let (None, Some(places)) = (&procedure.modifies, &effects.modifies) {
            procedure.modifies = Some(Modifies { places: places.clone(), span: procedure.span });
        }
    }
    claimed
}

/// The claim that a run shows to be false. Counts how often each was put to the test.
fn refuted(
    unit: &Unit,
    (version, id): (usize, ProcId),
    effects: &Effects,
    input: &Input,
    counts: &mut BTreeMap<&'static str, usize>,
) -> Option<&'static str> {
    let outcome = ran(unit, version, id, input, false);
    let null = |at: &usize| input.arguments[*at] == Some(Value::NULL);
    let mut test = |claim: &'static str, holds: bool| {
        *counts.entry(claim).or_default() += 1;
        (!holds).then_some(claim)
    };
    if matches!(outcome, Outcome::Excluded(..) | Outcome::Unsupported { .. }) {
        return None;
    }
    let mut wrong = None;
    if effects.terminates {
        wrong = wrong.or(test("ends", !matches!(outcome, Outcome::Diverged(_))));
    }
    if effects.errs_if_null.iter().any(null) {
        wrong = wrong.or(test("errs if null", !matches!(outcome, Outcome::Normal(_) | Outcome::Diverged(_))));
    }
    match (&outcome, &effects.errs_only_if_null) {
        (Outcome::Error(_), Some(parameters)) => {
            wrong = wrong.or(test("errs only if null", parameters.iter().any(null)));
        }
        (Outcome::Normal(end), _) => {
            let kept = keeps_footprint(unit, effects, input, &end.store.over(&input.store));
            wrong = wrong.or(test("footprint", kept));
            for own in &effects.changes_only_if {
                wrong = wrong.or(test("only if", is_unchanged_or_allowed(unit, own, input, end)));
            }
        }
        _ => {}
    }
    wrong
}

/// Whether nothing changed that is not said to.
fn keeps_footprint(unit: &Unit, effects: &Effects, input: &Input, end: &Store) -> bool {
    let globals = (0..).map(GlobalId).take(unit.globals.len());
    let same_globals = globals
        .filter(|global| !effects.written_globals.contains(global))
        .all(|global| end.global(unit, global) == input.store.global(unit, global));
    same_globals
        && slots(unit, input).into_iter().all(|(addr, slot, ty)| {
            let selector = match slot {
                Slot::Field(field) => Selector::Field(field),
                Slot::Cell(_) => Selector::Cell(Sort::from(&ty)),
            };
            effects.writes.contains(&selector) || end.slot(unit, addr, slot) == input.store.slot(unit, addr, slot)
        })
}

/// Whether what is said to change only if something held is as it was, or that held.
fn is_unchanged_or_allowed(unit: &Unit, own: &OnlyIf, input: &Input, end: &Final) -> bool {
    let allowed = |object: &Value| own.tests.iter().any(|test| holds(unit, test, input, object));
    match own.what {
        Changing::Field(field) => {
            let after = end.store.over(&input.store);
            let fields = slots(unit, input).into_iter().filter(|(_, slot, _)| *slot == Slot::Field(field));
            fields.map(|(addr, slot, _)| (addr, slot)).all(|(addr, slot)| {
                after.slot(unit, addr, slot) == input.store.slot(unit, addr, slot) || allowed(&Value::from(addr))
            })
        }
        Changing::Result { result, parameter } => {
            input.arguments[parameter].as_ref().is_none_or(|given| end.results[result] == *given || allowed(given))
        }
    }
}

/// Whether a test holds of an object on entry.
fn holds(unit: &Unit, test: &Test<Operand>, input: &Input, object: &Value) -> bool {
    let mut read = object.clone();
    for &field in &test.path {
        let Value::Ref(Some(addr)) = read else { return true };
        read = input.store.slot(unit, addr, Slot::Field(field));
    }
    let more = |given: &Value| match given {
        Value::Int(number) => Value::Int(number + test.value.more),
        other => other.clone(),
    };
    let value = match (test.value.parameter, &read) {
        // What was not given is whatever the test would like.
        (Some(at), _) => match &input.arguments[at] {
            Some(given) => more(given),
            None => return true,
        },
        (None, Value::Int(_)) => Value::Int(BigInt::from(test.value.more)),
        (None, Value::Bool(_)) => Value::Bool(test.value.more != 0),
        (None, Value::Ref(_)) => Value::NULL,
    };
    match test.comparison {
        Comparison::Equal => read == value,
        Comparison::Unequal => read != value,
        Comparison::AtMost => read <= value,
        Comparison::AtLeast => read >= value,
    }
}

/// The objects a run made, in order.
fn allocated(end: &Final, input: &Input) -> Vec<Addr> {
    end.store.heap.keys().copied().filter(|addr| !input.store.heap.contains_key(addr)).collect()
}
