//! Whether what is said of two loops can be said: variables and what is read from them must be there, and of one type.

use super::{Both, Pair};
use crate::bounds::pair::MAX_STEPS;
use crate::relate::{Atom, Fact, Step};
use lang_l::hir::{Local, Procedure, Type, Unit};
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

/// Whether a fact about the parameters of a pair has a meaning.
pub(super) fn is_typed(program: Both<'_>, pair: Pair, fact: &Fact) -> bool {
    let code = program.code(pair);
    let sort = |atom: &Atom| {
        let own = code.get(atom.version)?;
        type_of(program.unit, own, atom).map(|ty| Sort::from(&ty))
    };
    let is = |atom: &Atom, wanted: Sort| sort(atom) == Some(wanted);
    match fact {
        Fact::Equal(one, other, more) => {
            sort(one).is_some_and(|own| is(other, own) && (*more == 0 || own == Sort::Int))
        }
        Fact::Sum(parts, whole, _) => parts.iter().chain([whole]).all(|part| is(part, Sort::Int)),
        Fact::AtMost(one, other) => is(one, Sort::Int) && is(other, Sort::Int),
        Fact::NotNull(reference) => is(reference, Sort::Ref),
    }
}

/// The type of a value that is read from parameters; `None` where it cannot be read.
fn type_of(unit: &Unit, code: &Procedure, atom: &Atom) -> Option<Type> {
    let parameter = |at: usize| code.locals.get(..code.params)?.get(at).map(|local| local.ty.clone());
    let read = |ty: Type, step: &Step| match (ty, step) {
        (Type::Array(_), Step::Length) => Some(Type::Int),
        (Type::Array(element), Step::Cell(index, sort)) => {
            let fits = Sort::from(&*element) == *sort && parameter(*index) == Some(Type::Int);
            fits.then_some(*element)
        }
        (Type::Class(class), Step::Field(field)) => {
            unit.fields.get(field.index()).filter(|field| field.class == Some(class)).map(|field| field.ty.clone())
        }
        (Type::Ref, Step::Field(field)) => {
            unit.fields.get(field.index()).filter(|field| field.class.is_none()).map(|field| field.ty.clone())
        }
        _ => None,
    };
    let own = parameter(atom.parameter).filter(|_| atom.steps.len() <= MAX_STEPS)?;
    atom.steps.iter().try_fold(own, read)
}
