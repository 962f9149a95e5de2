//! Searches for an input on which two procedures differ, or a contract fails, without a solver.
//!
//! In: a pair or a procedure, suggestions, and a budget. Out: a witness made by [`crate::search::witness`], or nothing.
//!
//! Both versions are run on an input that is made up as it is read (lazy initialisation, as in Korat and in generalised
//! symbolic execution). Each place that a run reads for the first time may hold anything that can matter within bounds. The
//! runs are repeated until every way has been taken or the budget is used. The bounds grow from round to round. Each round
//! first takes the ways in order and then draws some at random, which finds differences behind long series of choices.
//!
//! Invariant: deterministic; bounded by numbers of runs and steps. Only a stop ([`smt::stop`]), a safety net, ends it earlier.
//! Invariant: claims nothing: what it suspects is for [`crate::search::witness`] to see.

mod choices;
mod integers;
mod lazy;
mod rounds;
mod sample;
mod shrink;

use crate::budget::concrete::{MAX_PROOFS, MAX_SHRINK_REPLAYS, SEARCH, SHORT};
pub use crate::budget::concrete::{REPLAY, SearchBudget};
use crate::search::recurrent_set::RecurrentSet;
use crate::search::witness::{
    ContractWitness, RunPair, Target, Witness, compare, differs_once, is_blocked, replay, replay_blocked,
    replay_contract, replay_endless,
};
use lang_l::heap::{Input, Store, slot_type};
use lang_l::hir::{GlobalId, ProcId, Unit};
use lang_l::interp::{Behaviour, Environment, Job, Outcome, Stuck, holds, run};
use lang_l::value::{Addr, Location, Slot};
use lazy::Lazy;
use rounds::Rounds;
pub use sample::{Meeting, Sample, sample, samples};

/// An input, perhaps partial, that may show a difference, and what external procedures are to do.
pub type Hint = (Input, Behaviour);

/// Searches for an input on which the two procedures differ, and makes it small. Hints, and inputs near them, are tried first.
pub fn search(pair: &RunPair<'_>, hints: &[Hint], budget: SearchBudget) -> Option<Witness> {
    let found = first(pair, hints, budget)?;
    let replayed = |input: &Input, externals| replay(pair, input, externals, REPLAY);
    let found = plain(found.externals()).find_map(|other| replayed(found.input(), other)).unwrap_or(found);
    let shrunk = |passes: &dyn Fn(&Input) -> bool| {
        let smaller = shrink::shrink(pair.unit, pair.left_procedure(), found.input(), MAX_SHRINK_REPLAYS, passes);
        if smaller == *found.input() { Some(found.clone()) } else { replayed(&smaller, found.externals()) }
    };
    // Whatever passes one run passes nearly always under other addresses, too.
    let quick = shrunk(&|input| differs_once(pair, input, found.externals(), REPLAY));
    let smaller = quick.or_else(|| shrunk(&|input| replayed(input, found.externals()).is_some()));
    Some(smaller.unwrap_or(found))
}

/// Whether an input is found on which the two procedures differ.
pub fn differs(pair: &RunPair<'_>, budget: SearchBudget) -> bool {
    first(pair, &[], budget).is_some()
}

/// The first input found on which the two procedures differ.
fn first(pair: &RunPair<'_>, hints: &[Hint], budget: SearchBudget) -> Option<Witness> {
    let replayed = |input: &Input, externals| replay(pair, input, externals, REPLAY);
    let mut attempt = |base: Input, environment: &mut Lazy<'_>, steps: &mut u64| {
        let input = suspect(pair, base, environment, steps)?;
        replayed(&input, environment.externals)
    };
    hints
        .iter()
        .find_map(|(input, externals)| replayed(input, *externals))
        .or_else(|| Rounds::new(pair.unit, pair.left_procedure(), budget).explore(hints, &mut attempt))
}

/// Searches for an input on which one of the two ends and the other never does, though it comes back to no state it has
/// been in: `never_ends` is asked for the proof.
pub fn search_endless(
    pair: &RunPair<'_>,
    budget: SearchBudget,
    never_ends: &mut dyn FnMut(usize, &Stuck) -> Option<RecurrentSet>,
) -> Option<Witness> {
    let job = |version, procedure| Job { unit: pair.unit, version, procedure, limits: SHORT };
    let (left, right) = (job(0, pair.left), job(1, pair.right));
    let mut asked = 0;
    let mut attempt = |base: Input, environment: &mut Lazy<'_>, steps: &mut u64| {
        let first = run(&left, base, environment);
        let second = run(&right, first.input, environment);
        *steps += first.work + second.work;
        let stopped = [&first.outcome, &second.outcome].map(|outcome| matches!(outcome, Outcome::OutOfBudget(_)));
        if stopped[0] == stopped[1] || asked == MAX_PROOFS {
            return None;
        }
        asked += 1;
        replay_endless(pair, &second.input, environment.externals, REPLAY, never_ends)
    };
    Rounds::new(pair.unit, pair.left_procedure(), budget).explore(&[], &mut attempt)
}

/// Searches for an input on which one of the two ends and the other is blocked by an `assume`.
pub fn search_blocked(pair: &RunPair<'_>, budget: SearchBudget) -> Option<Witness> {
    let job = |version, procedure| Job { unit: pair.unit, version, procedure, limits: SEARCH };
    let (left, right) = (job(0, pair.left), job(1, pair.right));
    let mut attempt = |base: Input, environment: &mut Lazy<'_>, steps: &mut u64| {
        let first = run(&left, base, environment);
        let second = run(&right, first.input, environment);
        *steps += first.work + second.work;
        if is_blocked(&first.outcome) == is_blocked(&second.outcome) {
            return None;
        }
        replay_blocked(pair, &second.input, environment.externals, REPLAY)
    };
    Rounds::new(pair.unit, pair.left_procedure(), budget).explore(&[], &mut attempt)
}

/// Searches for an input from which a run of this procedure breaks what is `wanted`, and makes it small. Hints, and inputs near
/// them, are tried first.
pub fn search_contract(
    unit: &Unit,
    (version, procedure): (usize, ProcId),
    wanted: Target<'_>,
    hints: &[Hint],
    budget: SearchBudget,
) -> Option<ContractWitness> {
    let callee = unit.versions[version].procedure(procedure);
    let replayed = |input: &Input, externals, wanted| {
        replay_contract(unit, (version, procedure), wanted, input, externals, REPLAY)
    };
    let job = Job { unit, version, procedure, limits: SEARCH };
    let mut attempt = |base: Input, environment: &mut Lazy<'_>, steps: &mut u64| {
        let run = run(&job, base, environment);
        *steps += run.work;
        wanted.broken_by(run.outcome)?;
        replayed(&run.input, environment.externals, wanted)
    };
    let found = hints
        .iter()
        .find_map(|(input, externals)| replayed(input, *externals, wanted))
        .or_else(|| Rounds::new(unit, callee, budget).explore(hints, &mut attempt))?;
    // The same clause, whichever was wanted.
    let same = match wanted {
        Target::Contract => Target::Clause(found.violation().span),
        other => other,
    };
    let accept = |input: &Input| replayed(input, found.externals(), same);
    let passes = |input: &Input| accept(input).is_some();
    let smaller = shrink::shrink(unit, callee, found.input(), MAX_SHRINK_REPLAYS, &passes);
    Some(accept(&smaller).unwrap_or(found))
}

/// What external procedures might do instead that is easier to understand: nothing, or nothing but fail.
fn plain(externals: Behaviour) -> impl Iterator<Item = Behaviour> {
    [Behaviour::Skip, Behaviour::Error].into_iter().filter(move |_| matches!(externals, Behaviour::Seeded(_)))
}

/// Runs both versions on an input of which what `base` leaves unset is made up on the way; the input, if the outcomes differ.
fn suspect(pair: &RunPair<'_>, base: Input, environment: &mut Lazy<'_>, steps: &mut u64) -> Option<Input> {
    let job = |version, procedure| Job { unit: pair.unit, version, procedure, limits: SEARCH };
    let (left, right) = (job(0, pair.left), job(1, pair.right));
    let mut input = base;
    if let Some(when) = pair.when {
        let (holds, read) = holds(&left, when, input, environment);
        if !holds {
            return None;
        }
        input = read;
    }
    let first = run(&left, input, environment);
    *steps += first.work;
    if matches!(first.outcome, Outcome::Excluded(..) | Outcome::OutOfBudget(_) | Outcome::Unsupported { .. }) {
        return None;
    }
    let second = run(&right, first.input, environment);
    *steps += second.work;
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

#[cfg(test)]
mod tests;
