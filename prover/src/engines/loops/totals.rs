//! Totals: a field in which one loop counts, where the other one knows from its own variables how far that has come.
//!
//! In: a pair of loops. Out: what the field may hold on entry, or at the end: where it began and a counter of the other loop more, or
//! less. And how the bounds and counters of one loop are to each other.
//!
//! A stack that is emptied is the standing example: one version sets its height with each number that it takes, the other one once.

use crate::budget::loops::{MAX_LITERALS, MAX_SUMMED};
use crate::goal::{Pair, Program};
use kernel::pair::loops::{parameters, results};
use kernel::relate::{Atom, Fact, Step};
use lang_l::hir::visit::walk_exprs;
use lang_l::hir::{BinOp, ExprKind, FieldId, LocalId, Procedure, Type, Unit};
use num_traits::ToPrimitive;
use smt::term::Selector;
use std::collections::BTreeSet;

/// What the fields of numbers may hold that one of the two loops alone writes.
pub(super) fn facts(program: &Program<'_>, pair: Pair, at_end: bool) -> Vec<Fact> {
    let code = <[&Procedure; 2]>::from(program.code(pair));
    let unit = program.unit.as_unit();
    let writes = |version: usize, field: FieldId| {
        program.effects[version][[pair.0, pair.1][version].index()].writes.contains(&Selector::Field(field))
    };
    let mut found = Vec::new();
    for version in [0, 1] {
        let other = 1 - version;
        let totals = fields(unit, version, code[version]);
        for total in totals.into_iter().filter(|(field, _)| writes(version, *field) && !writes(other, *field)) {
            let mut counters = counters(other, code[other], at_end);
            let mut starts = bounds(other, code[other]);
            // Nobody may look at the counter again; then it has come to its bound.
            counters.extend(starts.iter().filter(|_| at_end).cloned());
            starts.extend(fields(unit, other, code[other]).into_iter().filter(|own| own.0 == total.0).map(|own| own.1));
            let both = counters.iter().flat_map(|counter| starts.iter().map(move |start| (counter, start)));
            for (counter, start) in both.filter(|(counter, start)| counter != start) {
                let sum = |a: &Atom, whole: &Atom| Fact::Sum([a.clone(), counter.clone()], whole.clone(), 0);
                found.extend([sum(&total.1, start), sum(start, &total.1)]);
            }
        }
    }
    found
}

/// That the counters of a loop are below those of its bounds that are variables, or above.
pub(super) fn beside_bounds(version: usize, code: &Procedure) -> Vec<Fact> {
    let counters = counters(version, code, false);
    let mut limits = bounds(version, code);
    limits.retain(|limit| limit.steps.is_empty());
    let both = counters.iter().flat_map(|own| limits.iter().map(move |limit| (own, limit)));
    both.flat_map(|both| [both, (both.1, both.0)]).map(|(a, b)| Fact::AtMost(a.clone(), b.clone(), -1)).collect()
}

/// That the counters of a loop have come to a number, or past it, that one of the two compares something with.
pub(super) fn past_literals(code: [&Procedure; 2]) -> Vec<Fact> {
    let mut literals = BTreeSet::new();
    for body in code.iter().filter_map(|code| code.body.as_ref()) {
        walk_exprs(body, &mut |e| {
            if let ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, b) = &e.kind {
                literals.extend([a, b].into_iter().filter_map(|side| match &side.kind {
                    ExprKind::Int(value) => value.to_i64().filter(|value| *value > 1),
                    _ => None,
                }));
            }
        });
    }
    let counters = [0, 1].map(|version| counters(version, code[version], false)).concat();
    let numbers: Vec<i64> = literals.into_iter().take(MAX_LITERALS).flat_map(|value| [value, value + 1]).collect();
    counters.iter().flat_map(|own| numbers.iter().map(move |&number| Fact::AtLeast(own.clone(), number))).collect()
}

/// That one of the bounds of a loop is the sum of two others: what an array has room for.
pub(super) fn sums_of_bounds(version: usize, code: &Procedure) -> Vec<Fact> {
    let mut all = bounds(version, code);
    all.truncate(MAX_SUMMED);
    let mut found = Vec::new();
    for (at, first) in all.iter().enumerate() {
        for second in &all[at..] {
            let wholes = all.iter().filter(|&whole| whole != first && whole != second);
            found.extend(wholes.map(|whole| Fact::Sum([first.clone(), second.clone()], whole.clone(), 0)));
        }
    }
    found
}

/// The fields of numbers of what the parameters of a version refer to.
fn fields(unit: &Unit, version: usize, code: &Procedure) -> Vec<(FieldId, Atom)> {
    let mut found = Vec::new();
    for (parameter, local) in parameters(code).iter().enumerate() {
        let Type::Class(class) = local.ty else { continue };
        for (field, at) in unit.fields.iter().zip(0u32..) {
            if field.class == Some(class) && field.ty == Type::Int {
                let steps = vec![Step::Field(FieldId(at))];
                found.push((FieldId(at), Atom { version, parameter, steps }));
            }
        }
    }
    found
}

/// The numbers that a loop changes: as they are on entry, or as it leaves them.
pub(super) fn counters(version: usize, code: &Procedure, at_end: bool) -> Vec<Atom> {
    let changed = |id: LocalId| code.body.as_ref().is_some_and(|body| body.assigns(id));
    let numbers = code.param_ids().zip(parameters(code)).enumerate();
    let numbers = numbers.filter(|(_, (id, local))| local.ty == Type::Int && changed(*id));
    let last = |name: &str| results(code).iter().position(|local| local.name == name).map(|at| code.params + at);
    let at = numbers.filter_map(|(at, (_, local))| if at_end { last(&local.name) } else { Some(at) });
    at.map(|parameter| Atom { version, parameter, steps: Vec::new() }).collect()
}

/// The numbers that a loop does not change, and the lengths of its arrays.
pub(super) fn bounds(version: usize, code: &Procedure) -> Vec<Atom> {
    let changed = |id: LocalId| code.body.as_ref().is_some_and(|body| body.assigns(id));
    let mut found = Vec::new();
    for (parameter, (id, local)) in code.param_ids().zip(parameters(code)).enumerate() {
        let atom = |steps: Vec<Step>| Atom { version, parameter, steps };
        match local.ty {
            Type::Int if !changed(id) => found.push(atom(Vec::new())),
            Type::Array(_) if !changed(id) => found.push(atom(vec![Step::Length])),
            _ => {}
        }
    }
    found
}
