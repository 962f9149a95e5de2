//! In what two versions differ, as runs show it.
//!
//! In: samples that differ, and values over the store on entry. Out: by how much each output of one version is more than that of the
//! other; or a value that an output has in one version, and not in the other.
//!
//! Invariant: claims nothing: each is a candidate for [`twin`](crate::diff::twin).

use super::eval::There;
use crate::diff::twin::Output;
use crate::search::concrete::Sample;
use lang_l::ast::BinOp;
use lang_l::heap::isomorphism::Final;
use lang_l::hir::{GlobalId, Type, Unit};
use lang_l::interp::Outcome;
use lang_l::value::Value;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Zero;
use smt::arena::Arena;
use smt::term::Term;

/// By how much an output differs: for numbers what version 1 has more; booleans are turned round.
pub(super) type Shift = (Output, Option<Term>);

/// That an output compares so with a value in one of the versions, and does not in the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Apart {
    pub(super) output: Output,
    /// How it compares in each version.
    pub(super) ops: [BinOp; 2],
    pub(super) value: Term,
}

/// The outputs of a pair that are numbers or booleans.
pub(super) fn outputs(unit: &Unit, results: &[Type]) -> Vec<(Output, Type)> {
    let results = results.iter().cloned().enumerate().map(|(at, ty)| (Output::Result(at), ty));
    let globals = (0..).map(GlobalId).zip(&unit.globals).map(|(id, global)| (Output::Global(id), global.ty.clone()));
    results.chain(globals).filter(|(_, ty)| matches!(ty, Type::Int | Type::Bool)).collect()
}

/// What both left in an output, sample by sample; `None` where one did not return.
fn left(unit: &Unit, samples: &[&Sample], output: Output) -> Option<Vec<[Value; 2]>> {
    samples.iter().map(|sample| left_by(unit, sample, output)).collect()
}

fn left_by(unit: &Unit, sample: &Sample, output: Output) -> Option<[Value; 2]> {
    let of = |outcome: &Outcome| {
        let Outcome::Normal(Final { store, results }) = outcome else { return None };
        match output {
            Output::Result(at) => results.get(at).cloned(),
            Output::Global(id) => {
                Some(store.globals.get(&id).cloned().unwrap_or_else(|| sample.input.store.global(unit, id)))
            }
        }
    };
    Some([of(&sample.outcomes[0])?, of(&sample.outcomes[1])?])
}

/// By how much the outputs differ in all of the samples, where that can be said of all that differ.
pub(super) fn shifts(
    unit: &Unit,
    samples: &[&Sample],
    outputs: &[(Output, Type)],
    numbers: &[Term],
    arena: &mut Arena,
) -> Option<Vec<Shift>> {
    let mut found = Vec::new();
    for (output, ty) in outputs {
        let both = left(unit, samples, *output)?;
        if both.iter().all(|[a, b]| a == b) {
            continue;
        }
        if *ty == Type::Bool {
            both.iter().all(|[a, b]| a != b).then_some(())?;
            found.push((*output, None));
            continue;
        }
        let differences: Vec<BigInt> = both
            .iter()
            .map(|pair| match pair {
                [Value::Int(a), Value::Int(b)] => b - a,
                _ => BigInt::zero(),
            })
            .collect();
        found.push((*output, Some(linear(unit, samples, &differences, numbers, arena)?)));
    }
    (!found.is_empty()).then_some(found)
}

/// A number that is so much in each sample: a constant, with a multiple of one number, or with the difference of two.
fn linear(unit: &Unit, samples: &[&Sample], wanted: &[BigInt], numbers: &[Term], arena: &mut Arena) -> Option<Term> {
    let first = wanted.first()?;
    if wanted.iter().all(|value| value == first) {
        return Some(arena.terms.int(first.clone()));
    }
    let mut known: Vec<(Term, Vec<BigInt>)> = Vec::new();
    for &number in numbers {
        let values: Option<Vec<BigInt>> =
            samples.iter().map(|sample| There { unit, input: &sample.input }.number(arena, number)).collect();
        known.extend(values.map(|values| (number, values)));
    }
    for (number, values) in &known {
        let other = values.iter().zip(wanted).find(|(value, _)| *value != &values[0]);
        let Some((value, want)) = other else { continue };
        let (factor, rest) = (want - first).div_rem(&(value - &values[0]));
        let constant = first - &factor * &values[0];
        if rest.is_zero() && values.iter().zip(wanted).all(|(value, want)| &factor * value + &constant == *want) {
            let (factor, constant) = (arena.terms.int(factor), arena.terms.int(constant));
            let product = arena.terms.mul(factor, *number);
            return Some(arena.terms.add(product, constant));
        }
    }
    for (at, (one, first_values)) in known.iter().enumerate() {
        for (beside, (other, second_values)) in known.iter().enumerate() {
            for sum in [true, false] {
                let both = |at: usize| {
                    if sum { &first_values[at] + &second_values[at] } else { &first_values[at] - &second_values[at] }
                };
                let constant = first - both(0);
                let fits = (0..wanted.len()).all(|at| both(at) + &constant == wanted[at]);
                if fits && at != beside && (!sum || at < beside) {
                    let both = if sum { arena.terms.add(*one, *other) } else { arena.terms.sub(*one, *other) };
                    let constant = arena.terms.int(constant);
                    return Some(arena.terms.add(both, constant));
                }
            }
        }
    }
    None
}

/// Values that an output has in all of the samples in one version, and in none in the other; or that it is less than there, and not
/// here.
pub(super) fn apart(
    unit: &Unit,
    samples: &[&Sample],
    outputs: &[(Output, Type)],
    values_on_entry: &[Term],
    arena: &mut Arena,
) -> Vec<Apart> {
    let mut found = Vec::new();
    for (output, ty) in outputs {
        let Some(both) = left(unit, samples, *output).filter(|both| !both.is_empty()) else { continue };
        let mut candidates: Vec<Term> = Vec::new();
        for value in &both[0] {
            match value {
                Value::Int(number) => candidates.push(arena.terms.int(number.clone())),
                Value::Bool(truth) => candidates.push(arena.terms.bool(*truth)),
                Value::Ref(_) => {}
            }
        }
        if *ty == Type::Int {
            candidates.extend(values_on_entry);
        }
        let ways: &[[BinOp; 2]] = match ty {
            Type::Int => &[
                [BinOp::Eq, BinOp::Ne],
                [BinOp::Ne, BinOp::Eq],
                [BinOp::Lt, BinOp::Ge],
                [BinOp::Ge, BinOp::Lt],
                [BinOp::Le, BinOp::Gt],
                [BinOp::Gt, BinOp::Le],
            ],
            _ => &[[BinOp::Eq, BinOp::Ne]],
        };
        for &ops in ways {
            for &value in &candidates {
                let fits = samples.iter().zip(&both).all(|(sample, [a, b])| {
                    let here = There { unit, input: &sample.input }.value(arena, value);
                    here.is_some_and(|value| compares(a, ops[0], &value) && compares(b, ops[1], &value))
                });
                if fits {
                    found.push(Apart { output: *output, ops, value });
                }
            }
        }
    }
    found
}

fn compares(a: &Value, op: BinOp, b: &Value) -> bool {
    match op {
        BinOp::Eq => a == b,
        BinOp::Ne => a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        _ => a >= b,
    }
}
