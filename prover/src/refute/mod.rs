//! Searches for an input on which two procedures differ, or a contract fails, without a solver.
//!
//! In: a pair or a procedure, suggestions, and a budget. Out: a witness made by [`crate::replay`], or nothing.
//!
//! Both versions are run on an input that is made up as it is read (lazy initialisation, as in Korat and in generalised symbolic
//! execution): each place that a run reads for the first time may hold anything that can matter within bounds, and the runs are
//! repeated until every way has been taken or the budget is used. The bounds grow from round to round; each round first takes the
//! ways in order and then draws some at random, which finds differences behind long series of choices.
//!
//! Invariant: deterministic; bounded by numbers of runs and steps, never by time.
//! Invariant: claims nothing: what it suspects is for [`crate::replay`] to see.

mod choices;
mod integers;
mod lazy;
mod shrink;

use crate::replay::{ContractWitness, Pair, Witness, compare, replay, replay_contract};
use choices::Choices;
use lang_l::heap::{Input, Store, slot_type};
use lang_l::hir::{GlobalId, ProcId, Unit};
use lang_l::interp::{Behaviour, Environment, Job, Limits, Outcome, Violation, holds, run};
use lang_l::value::{Addr, Location, Slot};
use lazy::{Bounds, Lazy};
use num_bigint::BigInt;

/// How much may be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most inputs.
    pub inputs: u64,
    /// The most steps of all runs together.
    pub steps: u64,
}

impl Budget {
    /// Some tens of milliseconds: what is worth trying before anything else.
    pub const QUICK: Budget = Budget { inputs: 1_500, steps: 300_000 };
    /// A few seconds: worth trying when no proof was found.
    pub const THOROUGH: Budget = Budget { inputs: 60_000, steps: 30_000_000 };
}

/// The rounds: ever larger inputs.
const ROUNDS: [Bounds; 5] = [
    Bounds { objects: 1, integers: 3, array: 1 },
    Bounds { objects: 2, integers: 5, array: 2 },
    Bounds { objects: 3, integers: 8, array: 3 },
    Bounds { objects: 4, integers: 12, array: 4 },
    Bounds { objects: 6, integers: usize::MAX, array: 6 },
];

/// How far a run of the search goes; a witness may need more when it is replayed.
const SEARCH: Limits = Limits { steps: 20_000, depth: 4_000, array_length: 1 << 12, int_bits: 1 << 12, checks: false };
/// How far a replay goes.
const REPLAY: Limits =
    Limits { steps: 200_000, depth: 40_000, array_length: 1 << 16, int_bits: 1 << 14, checks: false };
/// The most replays that making a witness smaller may take.
const SHRINK_REPLAYS: usize = 1_000;
/// How many of the seeded behaviours of external procedures are tried.
const SEEDED: u64 = 24;

/// An input, perhaps partial, that may show a difference, and what external procedures are to do.
pub type Hint = (Input, Behaviour);

/// Searches for an input on which the two procedures differ, and makes it small. Hints are tried first.
pub fn search(pair: &Pair<'_>, hints: &[Hint], budget: Budget) -> Option<Witness> {
    let try_input = |input: &Input, externals| replay(pair, input, externals, REPLAY);
    let found = hints.iter().find_map(|(input, externals)| try_input(input, *externals)).or_else(|| {
        Search::new(pair.unit, budget).explore(&mut |environment, steps| {
            let externals = environment.externals;
            let input = suspect(pair, environment, steps)?;
            try_input(&input, externals)
        })
    })?;
    let accept = |input: &Input| {
        replay(pair, input, found.externals(), REPLAY).filter(|smaller| smaller.contrast().same_sort(found.contrast()))
    };
    let smaller = shrink::shrink(pair.unit, pair.left_procedure(), found.input(), SHRINK_REPLAYS, &|input| {
        accept(input).is_some()
    });
    Some(accept(&smaller).unwrap_or(found))
}

/// Searches for an input from which a run of this procedure violates a clause that is `wanted`, and makes it small. Hints are
/// tried first.
pub fn search_contract(
    unit: &Unit,
    version: usize,
    procedure: ProcId,
    wanted: &dyn Fn(&Violation) -> bool,
    hints: &[Hint],
    budget: Budget,
) -> Option<ContractWitness> {
    let try_input = |input: &Input, externals| {
        replay_contract(unit, version, procedure, input, externals, REPLAY).filter(|found| wanted(found.violation()))
    };
    let limits = Limits { checks: true, ..SEARCH };
    let job = Job { unit, version, procedure, limits };
    let found = hints.iter().find_map(|(input, externals)| try_input(input, *externals)).or_else(|| {
        Search::new(unit, budget).explore(&mut |environment, steps| {
            let externals = environment.externals;
            let run = run(&job, Input::default(), environment);
            *steps += run.steps;
            match run.outcome {
                Outcome::Violation(violation) if wanted(&violation) => try_input(&run.input, externals),
                _ => None,
            }
        })
    })?;
    let accept = |input: &Input| {
        try_input(input, found.externals()).filter(|smaller| smaller.violation().span == found.violation().span)
    };
    let callee = unit.versions[version].procedure(procedure);
    let smaller = shrink::shrink(unit, callee, found.input(), SHRINK_REPLAYS, &|input| accept(input).is_some());
    Some(accept(&smaller).unwrap_or(found))
}

/// Runs both versions on an input made up on the way; the input, if the outcomes differ.
fn suspect(pair: &Pair<'_>, environment: &mut Lazy<'_>, steps: &mut u64) -> Option<Input> {
    let job = |version, procedure| Job { unit: pair.unit, version, procedure, limits: SEARCH };
    let (left, right) = (job(0, pair.left), job(1, pair.right));
    let mut input = Input { arguments: vec![None; pair.left_procedure().params], store: Store::default() };
    if let Some(when) = pair.when {
        let (holds, read) = holds(&left, when, input, environment);
        if !holds {
            return None;
        }
        input = read;
    }
    let first = run(&left, input, environment);
    *steps += first.steps;
    if matches!(first.outcome, Outcome::Excluded(..) | Outcome::OutOfBudget(_) | Outcome::Unsupported { .. }) {
        return None;
    }
    let second = run(&right, first.input, environment);
    *steps += second.steps;
    let mut input = second.input;
    if let (Outcome::Normal(left), Outcome::Normal(right)) = (&first.outcome, &second.outcome) {
        settle_overwritten(pair.unit, environment, &mut input, &left.store, &right.store);
    }
    compare(pair.unit, &input, &first.outcome, &second.outcome).map(|_| input)
}

/// Chooses what the places held that were never read, and overwritten by one version alone: the other still has it.
fn settle_overwritten(unit: &Unit, environment: &mut Lazy<'_>, input: &mut Input, left: &Store, right: &Store) {
    let globals = (0..).map(GlobalId).zip(&unit.globals).filter(|(id, _)| {
        left.globals.contains_key(id) != right.globals.contains_key(id) && !input.store.globals.contains_key(id)
    });
    let mut places: Vec<_> = globals.map(|(id, global)| (Location::Global(id), global.ty.clone())).collect();
    for (addr, object) in &input.store.heap {
        let written = |store: &Store, slot: &Slot| store.heap.get(addr).is_some_and(|o| o.slots.contains_key(slot));
        let mut slots: Vec<Slot> = slots_of(left, *addr).chain(slots_of(right, *addr)).copied().collect();
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            if written(left, &slot) != written(right, &slot) && !object.slots.contains_key(&slot) {
                places.push((Location::Slot(*addr, slot), slot_type(unit, &object.kind, slot).clone()));
            }
        }
    }
    for (location, ty) in places {
        let value = environment.unset(unit, location, &ty, input);
        input.set(location, value);
    }
}

fn slots_of(store: &Store, addr: Addr) -> impl Iterator<Item = &Slot> {
    store.heap.get(&addr).into_iter().flat_map(|object| object.slots.keys())
}

/// The rounds of a search.
struct Search {
    integers: Vec<BigInt>,
    externals: Vec<Behaviour>,
    budget: Budget,
    inputs: u64,
    steps: u64,
}

impl Search {
    fn new(unit: &Unit, budget: Budget) -> Self {
        let procedures = || unit.versions.iter().flat_map(|version| &version.procedures);
        let externals = match procedures().any(|procedure| procedure.body.is_none()) {
            true => [Behaviour::Skip, Behaviour::Error].into_iter().chain((0..SEEDED).map(Behaviour::Seeded)).collect(),
            false => vec![Behaviour::Skip],
        };
        Search { integers: integers::integers(unit), externals, budget, inputs: 0, steps: 0 }
    }

    /// Makes up inputs until `attempt` finds something or the budget is used. `attempt` adds to the steps what it ran.
    fn explore<T>(&mut self, attempt: &mut Attempt<'_, T>) -> Option<T> {
        for (round, bounds) in ROUNDS.into_iter().enumerate() {
            // Each round may use as much as all before it together, and half of that goes to ways drawn at random.
            let share = self.budget.inputs >> (ROUNDS.len() - round);
            let each = (share / 2 / self.externals.len() as u64).max(8);
            for (at, externals) in self.externals.clone().into_iter().enumerate() {
                let seed = (round * self.externals.len() + at) as u64;
                for choices in [Choices::default(), Choices::random(seed)] {
                    match self.take_ways(choices, bounds, externals, each, attempt) {
                        Taken::Found(found) => return Some(found),
                        Taken::All => break,
                        Taken::Some => {}
                    }
                }
            }
        }
        None
    }

    fn take_ways<T>(
        &mut self,
        mut choices: Choices,
        bounds: Bounds,
        externals: Behaviour,
        most: u64,
        attempt: &mut Attempt<'_, T>,
    ) -> Taken<T> {
        for _ in 0..most {
            if self.inputs >= self.budget.inputs || self.steps >= self.budget.steps {
                return Taken::Some;
            }
            self.inputs += 1;
            let mut environment = Lazy::new(&mut choices, bounds, &self.integers, externals);
            if let Some(found) = attempt(&mut environment, &mut self.steps) {
                return Taken::Found(found);
            }
            if !choices.next_run() {
                return Taken::All;
            }
        }
        Taken::Some
    }
}

type Attempt<'a, T> = dyn FnMut(&mut Lazy<'_>, &mut u64) -> Option<T> + 'a;

/// How far a series of runs got.
enum Taken<T> {
    Found(T),
    /// Every way was taken.
    All,
    /// The share was used before that.
    Some,
}

#[cfg(test)]
mod tests;
