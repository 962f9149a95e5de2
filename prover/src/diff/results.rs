//! What recursion gives back, by closed forms: both versions of a pair that recurs over numbers, case by case.
//!
//! In: a pair that recurs. Out: its outcomes, where closed forms are known and the recursion ends as terms over what it is given; as
//! they were elsewhere.
//!
//! Rule *Closed form* says what a call gives back that ends. Rule *Given back*: it ends from a set that its calls do not leave, in which
//! a number that is not negative falls with each call.
//!
//! Invariant: the outcomes cover the same stores as before.

use super::endless::executed;
use super::paths::{self, Plan, Question};
use crate::budget::diff::SHARE;
use crate::chc::polynomial::Polynomial;
use crate::engines::coupling::closed_form::{Form, forms};
use crate::goal::Program;
use kernel::exec::state::Outcome;
use lang_l::hir::ProcId;
use num_traits::Zero;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{Ending, Func, Sort, Term, Terms};
use std::collections::BTreeMap;

/// The outcomes of both versions, with what is known of what they give back; `None` where nothing is.
pub(super) fn outcomes(
    question: Question<'_>,
    plan: &Plan,
    assumed: &[Term],
    arena: &mut Arena,
    solver: &mut Solver,
) -> Option<[Vec<Outcome>; 2]> {
    let Question { program, pair, .. } = question;
    let forms = forms(program, pair, plan.forms.as_ref()?, solver);
    let mut both = paths::outcomes(question, plan, assumed, arena)?;
    let mut is_known = false;
    for (version, id) in [(0, pair.0), (1, pair.1)] {
        let Some(own) = forms.get(&(version, id)).filter(|own| !own.is_empty()) else { continue };
        let Some(ends) = ends(program, version, id, arena, solver) else { continue };
        let cases = cases(program, (version, id), own, arena);
        is_known |= !cases.is_empty();
        let usual = std::mem::take(&mut both[version]);
        both[version] = given_back(usual, (ends, cases), assumed, arena);
    }
    is_known.then_some(both)
}

/// The outcomes of a procedure, of which it is known what it gives back in some cases where it ends.
fn given_back(
    usual: Vec<Outcome>,
    (ends, cases): (Term, Vec<(Term, Vec<Term>)>),
    assumed: &[Term],
    arena: &mut Arena,
) -> Vec<Outcome> {
    let Some(form) = usual.iter().find(|outcome| outcome.ending == Ending::Normal && outcome.calls.is_empty()) else {
        return usual;
    };
    let form = form.clone();
    let told: Vec<Term> = cases.iter().map(|(case, _)| *case).collect();
    let some = arena.terms.or(&told);
    let known = arena.terms.and(&[ends, some]);
    let elsewhere = arena.terms.not(known);
    let mut found: Vec<Outcome> = cases
        .into_iter()
        .map(|(case, results)| {
            let path = assumed.iter().copied().chain([ends, case]).collect();
            Outcome { path, results, ..form.clone() }
        })
        .collect();
    found.extend(usual.into_iter().map(|mut outcome| {
        outcome.path.push(elsewhere);
        outcome
    }));
    found
}

/// The cases in which all that a procedure gives back is known, as conditions on its parameters, and what that is.
fn cases(
    program: &Program<'_>,
    (version, id): (usize, ProcId),
    forms: &[Form],
    arena: &mut Arena,
) -> Vec<(Term, Vec<Term>)> {
    let code = program.unit.procedure(version, id);
    let mut parameters = Vec::new();
    for (at, local) in (0u32..).zip(code.locals.iter().take(code.params)) {
        parameters.push(arena.terms.app(Func::Param(at), &[], Sort::from(&local.ty)));
    }
    let sorts: Vec<Sort> = code.result_ids().map(|id| Sort::from(&code.local(id).ty)).collect();
    let mut by_case: BTreeMap<Term, BTreeMap<usize, Term>> = BTreeMap::new();
    for form in forms {
        let conditions: Vec<Term> =
            form.case.iter().map(|condition| condition.term(&mut arena.terms, &parameters)).collect();
        let case = arena.terms.and(&conditions);
        if let Some((at, value)) = solved(&mut arena.terms, &form.equation, &parameters, &sorts) {
            by_case.entry(case).or_default().insert(at, value);
        }
    }
    by_case.retain(|_, values| values.len() == sorts.len());
    by_case.into_iter().map(|(case, values)| (case, values.into_values().collect())).collect()
}

/// The result that an equation is about, and its value where the equation holds.
fn solved(terms: &mut Terms, equation: &Polynomial, parameters: &[Term], sorts: &[Sort]) -> Option<(usize, Term)> {
    let count = parameters.len();
    let is_result = |factors: &[usize]| matches!(factors, [one] if *one >= count);
    let (of_result, rest): (Vec<_>, Vec<_>) =
        equation.parts.iter().cloned().partition(|(_, factors)| is_result(factors));
    let [(factor, at)] = &of_result.iter().map(|(factor, at)| (factor, at[0] - count)).collect::<Vec<_>>()[..] else {
        return None;
    };
    let within = rest.iter().flat_map(|(_, factors)| factors).all(|factor| *factor < count);
    if !within || factor.is_zero() {
        return None;
    }
    let rest = Polynomial { parts: rest }.term(terms, parameters);
    let value = if sorts[*at] == Sort::Bool {
        // It is 1 or 0.
        let one = terms.int((*factor).clone());
        let sum = terms.add(one, rest);
        let zero = terms.int(0);
        terms.eq(sum, zero)
    } else {
        let negated = terms.neg(rest);
        let factor = terms.int((*factor).clone());
        terms.div(negated, factor)
    };
    Some((*at, value))
}

/// A condition on its parameters from which a procedure over numbers ends, and does not err.
fn ends(program: &Program<'_>, version: usize, id: ProcId, arena: &mut Arena, solver: &mut Solver) -> Option<Term> {
    let effects = &program.effects[version];
    let own = &effects[id.index()];
    let never_errs = own.errs_only_if_null.as_ref().is_some_and(Vec::is_empty);
    if !never_errs || own.may_block {
        return None;
    }
    if own.terminates {
        return Some(arena.terms.bool(true));
    }
    let component: Vec<ProcId> =
        own.callees.iter().copied().filter(|other| effects[other.index()].callees.contains(&id)).collect();
    let parameters = component.iter().map(|&id| program.unit.procedure(version, id).params).min()?;
    let numbers = (0..parameters).filter(|&at| {
        component.iter().all(|&id| Sort::from(&program.unit.procedure(version, id).locals[at].ty) == Sort::Int)
    });
    let measures: Vec<(usize, i32)> = numbers.flat_map(|at| [(at, 1), (at, -1)]).collect();
    let (at, sign) = measures.into_iter().find(|measure| {
        component.iter().all(|&id| falls(program, (version, id), &component, *measure, (arena, solver)))
    })?;
    let parameter = arena.terms.app(Func::Param(u32::try_from(at).ok()?), &[], Sort::Int);
    Some(not_negative(&mut arena.terms, parameter, sign))
}

fn not_negative(terms: &mut Terms, number: Term, sign: i32) -> Term {
    let zero = terms.int(0);
    if sign > 0 { terms.le(zero, number) } else { terms.le(number, zero) }
}

/// Whether where a parameter, or its negative, is not negative, that is so at each call of the component, and less.
fn falls(
    program: &Program<'_>,
    (version, id): (usize, ProcId),
    component: &[ProcId],
    (at, sign): (usize, i32),
    (arena, solver): (&mut Arena, &mut Solver),
) -> bool {
    let Some(outcomes) = executed(program, version, id, arena) else { return false };
    let Ok(number) = u32::try_from(at) else { return false };
    let parameter = arena.terms.app(Func::Param(number), &[], Sort::Int);
    let within = not_negative(&mut arena.terms, parameter, sign);
    outcomes.iter().filter(|outcome| outcome.ending == Ending::Diverges).all(|outcome| {
        let last = outcome.endless_call(&mut arena.terms).map(|call| arena.record(call).clone());
        let Some(record) = last.filter(|record| component.contains(&record.callee)) else { return false };
        let argument = record.args[at];
        let stays = not_negative(&mut arena.terms, argument, sign);
        let less = if sign > 0 { arena.terms.lt(argument, parameter) } else { arena.terms.lt(parameter, argument) };
        let goal = arena.terms.and(&[stays, less]);
        let assumptions = outcome.path.iter().copied().chain([within]).collect();
        let obligation = Obligation { assumptions, goal, tag: Purpose::ConditionRecurs.into() };
        solver.with_share(SHARE, |solver| solver.prove(arena, &obligation)) == Answer::Holds
    })
}
