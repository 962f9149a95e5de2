//! What two loops count or note, where all that matters is whether that is anything: numbers and flags that are zero together.
//!
//! In: a loop of each version. Out: facts that might hold where they begin, and where they end: where a value of one version is 0, or a
//! flag is not set, so is one of the other.

use crate::budget::loops::MAX_ZEROS;
use crate::goal::{Pair, Program};
use kernel::pair::loops::{parameters, results};
use kernel::relate::{Atom, Fact};
use lang_l::hir::{Procedure, Type};

/// A variable that a loop is given and hands out: as it is at first, and as it is in the end; with its type and name.
struct Kept<'c> {
    ends: [Atom; 2],
    ty: &'c Type,
    name: &'c str,
}

/// What might hold where both begin.
pub(super) fn on_entry(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    together(program, pair, 0)
}

/// What might hold where both end.
pub(super) fn at_ends(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    together(program, pair, 1)
}

fn together(program: &Program<'_>, pair: Pair, end: usize) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let [mine, theirs] = [kept(0, left), kept(1, right)];
    let mut both: Vec<(&Kept<'_>, &Kept<'_>)> = mine.iter().flat_map(|a| theirs.iter().map(move |b| (a, b))).collect();
    both.sort_by_key(|(a, b)| a.name != b.name);
    let under = |test: &Fact, value: &Fact| Fact::Under(Box::new([test.clone(), value.clone()]));
    let facts = both.into_iter().flat_map(|(a, b)| {
        let [a, b] = [a, b].map(|own| is_zero(own, end));
        [under(&a, &b), under(&b, &a)]
    });
    facts.take(MAX_ZEROS).collect()
}

fn is_zero(of: &Kept<'_>, end: usize) -> Fact {
    let atom = of.ends[end].clone();
    if *of.ty == Type::Bool { Fact::Truth(atom, false) } else { Fact::Is(atom, 0) }
}

fn kept(version: usize, code: &Procedure) -> Vec<Kept<'_>> {
    let ends = (code.params..).zip(results(code)).filter(|(_, local)| matches!(local.ty, Type::Int | Type::Bool));
    let all = ends.filter_map(|(to, local)| {
        let from = parameters(code).iter().position(|other| (&other.name, &other.ty) == (&local.name, &local.ty))?;
        let ends = [from, to].map(|parameter| Atom { version, parameter, steps: Vec::new() });
        Some(Kept { ends, ty: &local.ty, name: &local.name })
    });
    all.collect()
}
