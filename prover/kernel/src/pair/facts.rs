//! Whether what is said of two loops can be said: variables and what is read from them must be there, and of one type.

use super::{Both, Pair};
use crate::bounds::pair::{MAX_PREMISES, MAX_STEPS};
use crate::fact::{Atom, Fact, Step, field_of};
use lang_l::hir::{Local, Type, Unit};
use smt::term::Sort;
use std::collections::BTreeSet;

/// Whether pairs of variables are of one type each, and each variable is in one pair at most.
pub(super) fn are_partners(pairs: &[(usize, usize)], [left, right]: [&[Local]; 2]) -> bool {
    let ends = |end: fn(&(usize, usize)) -> usize| pairs.iter().map(end).collect::<BTreeSet<_>>().len() == pairs.len();
    let alike = |&(mine, theirs): &(usize, usize)| match (left.get(mine), right.get(theirs)) {
        (Some(a), Some(b)) => a.ty == b.ty,
        _ => false,
    };
    ends(|pair| pair.0) && ends(|pair| pair.1) && pairs.iter().all(alike)
}

/// Whether a fact about a pair has a meaning: of its parameters, or at the exit of its parameters and results.
pub(super) fn is_typed(program: Both<'_>, pair: Pair, fact: &Fact, at_exit: bool) -> bool {
    match fact {
        // What is said of each cell is said of plain values, or that they are not so.
        Fact::Each(from, held) => {
            let is_number = |from: &Atom| is_said((program, pair), &Fact::AtLeast(from.clone(), 0), at_exit, false);
            let is_plain = held.is_plain() || matches!(&**held, Fact::Not(of) if of.is_plain());
            from.as_ref().is_none_or(is_number) && is_plain && is_said((program, pair), held, at_exit, true)
        }
        fact => is_said((program, pair), fact, at_exit, false),
    }
}

/// The same of a fact that is about no cells in general, or of what it says of each.
fn is_said((program, pair): (Both<'_>, Pair), fact: &Fact, at_exit: bool, of_each: bool) -> bool {
    let code = program.code(pair);
    let sort = |atom: &Atom| {
        let own = code.get(atom.version)?;
        let values = own.params + if at_exit { own.results } else { 0 };
        let other = code.get(1 - atom.version)?;
        let others = other.params + if at_exit { other.results } else { 0 };
        let variables = [own.locals.get(..values)?, other.locals.get(..others)?];
        let is_one = of_each || !atom.steps.iter().any(|step| matches!(step, Step::Each(_)));
        type_of(program.unit, variables, atom).filter(|_| is_one).map(|ty| Sort::from(&ty))
    };
    let is = |atom: &Atom, wanted: Sort| sort(atom) == Some(wanted);
    match fact {
        Fact::Equal(one, other, more) => {
            sort(one).is_some_and(|own| is(other, own) && (*more == 0 || own == Sort::Int))
        }
        Fact::Sum(parts, whole, _) => parts.iter().chain([whole]).all(|part| is(part, Sort::Int)),
        Fact::Polynomial(parts, whole) => {
            parts.iter().flat_map(|(_, factors)| factors).chain([whole]).all(|part| is(part, Sort::Int))
        }
        Fact::Change(one, other) => one.iter().chain(other).all(|end| is(end, Sort::Int)),
        Fact::AtMost(one, other, _) | Fact::Multiple(_, one, other, _) => is(one, Sort::Int) && is(other, Sort::Int),
        Fact::AtLeast(one, _) | Fact::Is(one, _) | Fact::NotZero(one) => is(one, Sort::Int),
        Fact::Null(reference) | Fact::NotNull(reference) => is(reference, Sort::Ref),
        Fact::Truth(one, _) => is(one, Sort::Bool),
        Fact::Not(other) => other.is_plain() && is_said((program, pair), other, at_exit, of_each),
        Fact::Under(both) => {
            let [first, second] = &**both;
            let is_formed = !matches!(first, Fact::Under(_)) && !matches!(second, Fact::Not(_));
            is_formed
                && fact.premises() <= MAX_PREMISES
                && both.iter().all(|fact| is_said((program, pair), fact, at_exit, of_each))
        }
        Fact::Each(..) => false,
    }
}

/// The type of a value that is read from some variables, given also those of the other version; `None` where it cannot be read.
fn type_of(unit: &Unit, [own, others]: [&[Local]; 2], atom: &Atom) -> Option<Type> {
    let of = |variables: &[Local], at: usize| variables.get(at).map(|local| local.ty.clone());
    let is_number = |variables: &[Local], at: usize| of(variables, at) == Some(Type::Int);
    let read = |ty: Type, step: &Step| match (ty, step) {
        (Type::Array(_), Step::Length) => Some(Type::Int),
        (Type::Array(element), Step::Cell(index, sort) | Step::Before(index, _, sort)) => {
            let fits = Sort::from(&*element) == *sort && is_number(own, *index);
            fits.then_some(*element)
        }
        (Type::Array(element), Step::Beside(index, sort)) => {
            let fits = Sort::from(&*element) == *sort && is_number(others, *index);
            fits.then_some(*element)
        }
        (Type::Array(element), Step::First(sort) | Step::Each(sort)) => {
            (Sort::from(&*element) == *sort).then_some(*element)
        }
        (ty, Step::Field(field)) => field_of(unit, &ty, *field).cloned(),
        _ => None,
    };
    let first = of(own, atom.parameter).filter(|_| atom.steps.len() <= MAX_STEPS)?;
    atom.steps.iter().try_fold(first, read)
}
