//! Calls that never end, told apart from those of which nothing is known.
//!
//! In: the outcomes of a procedure in which calls stand for themselves. Out: the same stores by other outcomes: where the first
//! call is proved never to end, an endless outcome that speaks of the store on entry alone.
//!
//! Rule *Endless*: a procedure never ends from a set of arguments when each run from there first calls the procedure itself, with
//! arguments of the set. The set is a condition on numbers and booleans that it is given.
//!
//! Invariant: a set is used only after the solver has proved that no run leaves it.

use super::atoms::of_entry;
use crate::budget::diff::{MAX_SETS, SHARE};
use crate::goal::Program;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits};
use lang_l::hir::ProcId;
use num_bigint::BigInt;
use num_traits::{One, Signed};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{CallId, Ending, Func, Node, Sort, Term};
use std::collections::BTreeMap;

/// The outcomes of a procedure, with endless calls told apart, its own first of all.
pub(super) fn told_apart(
    program: &Program<'_>,
    (version, own): (usize, ProcId),
    outcomes: Vec<Outcome>,
    arena: &mut Arena,
    solver: &mut Solver,
) -> Vec<Outcome> {
    let mut sets: BTreeMap<ProcId, Vec<Term>> = BTreeMap::new();
    let outcomes = itself(outcomes, &endless_sets(program, version, own, arena, solver), arena);
    let mut found = Vec::new();
    for outcome in outcomes {
        let Some(&call) = outcome.calls.first() else {
            found.push(outcome);
            continue;
        };
        let callee = arena.record(call).callee;
        if callee == own {
            // From its own sets nothing is left.
            found.push(outcome);
            continue;
        }
        let of_callee =
            sets.entry(callee).or_insert_with(|| endless_sets(program, version, callee, arena, solver)).clone();
        let ways: Vec<Term> = of_callee.into_iter().map(|set| applied(arena, set, call)).collect();
        let endless = arena.terms.or(&ways);
        if arena.terms.is_false(endless) || !of_entry(arena, endless) {
            found.push(outcome);
            continue;
        }
        if outcome.ending == Ending::Diverges && outcome.calls.len() == 1 {
            found.push(without_call(arena, &outcome, endless));
        }
        let mut rest = outcome;
        rest.path.push(arena.terms.not(endless));
        found.push(rest);
    }
    found
}

/// The outcomes of a procedure that never ends from some sets of its own arguments.
fn itself(outcomes: Vec<Outcome>, sets: &[Term], arena: &mut Arena) -> Vec<Outcome> {
    let endless = arena.terms.or(sets);
    let Some(form) = outcomes.iter().find(|outcome| outcome.ending == Ending::Diverges) else { return outcomes };
    if sets.is_empty() {
        return outcomes;
    }
    let form = Outcome { path: vec![endless], calls: Vec::new(), ..form.clone() };
    let elsewhere = arena.terms.not(endless);
    let rest = outcomes.into_iter().map(|mut outcome| {
        outcome.path.push(elsewhere);
        outcome
    });
    [form].into_iter().chain(rest).collect()
}

/// The stores of an outcome that comes to its one call, and in which that never ends.
fn without_call(arena: &Arena, outcome: &Outcome, endless: Term) -> Outcome {
    let before = outcome.path.iter().copied().filter(|&condition| of_entry(arena, condition));
    Outcome { path: before.chain([endless]).collect(), calls: Vec::new(), ..outcome.clone() }
}

/// A condition on parameters, of the arguments of a call.
fn applied(arena: &mut Arena, set: Term, call: CallId) -> Term {
    let mut by: HashMap<Term, Term> = HashMap::default();
    for (at, argument) in (0u32..).zip(arena.record(call).args.clone()) {
        let sort = arena.terms.sort(argument);
        by.insert(arena.terms.app(Func::Param(at), &[], sort), argument);
    }
    arena.terms.substitute(set, &by)
}

/// Conditions on the parameters of a procedure from which it never ends.
fn endless_sets(
    program: &Program<'_>,
    version: usize,
    id: ProcId,
    arena: &mut Arena,
    solver: &mut Solver,
) -> Vec<Term> {
    let effects = &program.effects[version][id.index()];
    if effects.terminates || !effects.recursive(id) || !effects.errs_if_null.is_empty() {
        return Vec::new();
    }
    let Some(outcomes) = executed(program, version, id, arena) else { return Vec::new() };
    let mut found: Vec<Term> = Vec::new();
    for candidate in candidates(program, version, id, &outcomes, arena) {
        let known = found.iter().any(|&set| proved(&[candidate], set, arena, solver));
        if !known && recurs(id, &outcomes, candidate, arena, solver) {
            found.push(candidate);
        }
    }
    found
}

/// All outcomes of a procedure from any store; `None` when they are too many.
pub(super) fn executed(program: &Program<'_>, version: usize, id: ProcId, arena: &mut Arena) -> Option<Vec<Outcome>> {
    let effects = &program.effects[version];
    let executor = Executor::new(program.unit.as_unit(), version, effects, Limits::default(), arena);
    Some(executor.run(id, &[]).ok()?.outcomes)
}

/// Conditions under which the procedure may call itself for ever: its tests as they are, and for arguments of one sign; arguments that
/// steps of a fixed length, or divisions, do not bring to what is tested for.
fn candidates(program: &Program<'_>, version: usize, id: ProcId, outcomes: &[Outcome], arena: &mut Arena) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    let code = program.unit.procedure(version, id);
    let numbers = (0u32..).zip(code.locals.iter().take(code.params));
    let numbers: Vec<u32> = numbers.filter(|(_, local)| Sort::from(&local.ty) == Sort::Int).map(|(at, _)| at).collect();
    let parameters: Vec<Term> = numbers.iter().map(|&at| arena.terms.app(Func::Param(at), &[], Sort::Int)).collect();
    for outcome in outcomes.iter().filter(|outcome| outcome.ending == Ending::Diverges && outcome.calls.len() == 1) {
        let tests: Vec<Term> = outcome.path.iter().copied().filter(|&test| of_parameters(arena, test)).collect();
        let whole = arena.terms.and(&tests);
        let mut all = vec![whole];
        for &parameter in &parameters {
            let zero = arena.terms.int(0);
            let kinds =
                [arena.terms.lt(parameter, zero), arena.terms.lt(zero, parameter), arena.terms.eq(parameter, zero)];
            for kind in kinds {
                all.push(arena.terms.and(&[whole, kind]));
            }
        }
        for (&at, &parameter) in numbers.iter().zip(&parameters) {
            let Some(by) = step(arena, outcome.calls[0], at, parameter) else { continue };
            let by = arena.terms.int(by);
            for value in missed(arena, &tests, parameter) {
                let rest = arena.terms.rem(value, by);
                let zero = arena.terms.int(0);
                let met = arena.terms.eq(rest, zero);
                all.push(arena.terms.not(met));
            }
        }
        for candidate in all {
            if !found.contains(&candidate) && !arena.terms.is_false(candidate) {
                found.push(candidate);
            }
        }
    }
    found.truncate(MAX_SETS);
    found
}

/// By how much a call changes a parameter, where that is a number of at least two.
fn step(arena: &mut Arena, call: CallId, at: u32, parameter: Term) -> Option<BigInt> {
    let argument = *arena.record(call).args.get(at as usize)?;
    let step = arena.terms.sub(argument, parameter);
    let size = arena.terms.as_int(step)?.abs();
    (size > BigInt::one()).then_some(size)
}

/// What some tests say is not zero: a parameter, or a number more or less.
fn missed(arena: &Arena, tests: &[Term], parameter: Term) -> Vec<Term> {
    let of_it = |test: &Term| {
        let Node::Not(inner) = *arena.terms.node(*test) else { return None };
        let Node::IsZero(value) = *arena.terms.node(inner) else { return None };
        let (_, parts) = arena.terms.linear_parts(value);
        (parts == [(BigInt::one(), parameter)]).then_some(value)
    };
    tests.iter().filter_map(of_it).collect()
}

/// Whether a term speaks of numbers and booleans that the procedure is given, and of nothing else.
fn of_parameters(arena: &Arena, term: Term) -> bool {
    arena.terms.parts_of(&[term]).into_iter().all(|part| match arena.terms.node(part) {
        Node::App(func, _) => matches!(func, Func::Param(_)) && arena.terms.sort(part) != Sort::Ref,
        Node::InClass(..) | Node::Forall(..) | Node::SameRef(..) => false,
        _ => true,
    })
}

/// Whether each run from the set first calls the procedure itself, with arguments of the set.
fn recurs(id: ProcId, outcomes: &[Outcome], set: Term, arena: &mut Arena, solver: &mut Solver) -> bool {
    outcomes.iter().all(|outcome| {
        let blocked = outcome.calls.is_empty() && outcome.ending == Ending::Diverges;
        let mut facts: Vec<Term> = outcome.path.iter().copied().filter(|&test| of_entry(arena, test)).collect();
        facts.push(set);
        let itself = outcome.calls.first().copied().filter(|&call| arena.record(call).callee == id);
        let goal = match itself {
            _ if blocked => return true,
            // What the call did then does not matter if it never ends, and its endless outcome is looked at too.
            Some(_) if outcome.ending != Ending::Diverges || outcome.calls.len() > 1 => return true,
            Some(call) => applied(arena, set, call),
            None => arena.terms.bool(false),
        };
        proved(&facts, goal, arena, solver)
    })
}

fn proved(facts: &[Term], goal: Term, arena: &mut Arena, solver: &mut Solver) -> bool {
    let obligation = Obligation { assumptions: facts.to_vec(), goal, tag: Purpose::ConditionRecurs.into() };
    solver.with_share(SHARE, |solver| solver.prove(arena, &obligation)) == Answer::Holds
}
