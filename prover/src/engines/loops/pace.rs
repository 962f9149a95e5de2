//! How many turns of two loops go together, by how far each comes in one.
//!
//! In: a pair of loops. Out: turns of each, where these are not one by one: a loop that takes four cells at a time goes three turns
//! while one that takes three goes four.
//!
//! Invariant: this only proposes.

use crate::budget::loops::MAX_STRIDE;
use crate::goal::{Pair, Program};
use kernel::bounds::pair::MAX_TURNS;
use kernel::exec::{Limits, execute};
use kernel::pair::plan::Turns;
use lang_l::hir::{ProcId, Type};
use num_integer::lcm;
use num_traits::ToPrimitive;
use smt::term::{Func, Sort};

/// A variable, and by how much it changes in each turn.
type Stride<'p> = (&'p str, i64);

/// The turns that keep two variables in step which move at different speeds, those of one name rather than others; `None` where they
/// move alike, or are seldom where the other one is.
pub(super) fn turns(program: &Program<'_>, pair: Pair) -> Option<Turns> {
    let lefts = strides(program, 0, pair.0)?;
    let rights = strides(program, 1, pair.1)?;
    let all = lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b)));
    let mut along: Vec<(&Stride<'_>, &Stride<'_>)> = all.filter(|(a, b)| a.1.signum() == b.1.signum()).collect();
    along.sort_by_key(|(a, b)| a.0 != b.0);
    let (left, right) = *along.first()?;
    let common = lcm(left.1.abs(), right.1.abs());
    let more = [left.1, right.1].map(|own| usize::try_from(common / own.abs() - 1).unwrap_or(usize::MAX));
    (more != [0, 0] && more.iter().all(|&more| more <= MAX_TURNS)).then_some(Turns {
        first: [0, 0],
        more,
        told_apart: true,
        within: false,
    })
}

/// The numbers that change by the same amount in each turn of a loop.
fn strides<'p>(program: &'p Program<'_>, version: usize, id: ProcId) -> Option<Vec<Stride<'p>>> {
    let mut arena = program.unit.arena();
    let unit = program.unit.as_unit();
    let effects = &program.effects[version];
    let execution = execute(unit, version, effects, &Limits::default(), &mut arena, (id, &[])).ok()?;
    let calls = execution.outcomes.iter().flat_map(|outcome| outcome.calls.iter().copied());
    let next: Vec<_> = calls.map(|call| arena.record(call).clone()).filter(|record| record.callee == id).collect();
    let code = program.unit.procedure(version, id);
    let mut found = Vec::new();
    for (at, local) in code.locals.iter().enumerate().take(code.params).filter(|(_, local)| local.ty == Type::Int) {
        let before = arena.terms.app(Func::Param(u32::try_from(at).ok()?), &[], Sort::Int);
        let mut steps = next.iter().map(|record| {
            let step = arena.terms.sub(record.args[at], before);
            arena.terms.as_int(step).and_then(ToPrimitive::to_i64)
        });
        let first = steps.next().flatten();
        if let Some(step) = first.filter(|step| (1..=MAX_STRIDE).contains(&step.unsigned_abs()))
            && steps.all(|other| other == first)
        {
            found.push((local.name.as_str(), step));
        }
    }
    Some(found)
}
