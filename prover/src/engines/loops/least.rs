//! A bound that one loop has in a variable, and that is the least of those that the other one tests for in each turn.
//!
//! In: a loop of each version. Out: facts that might hold of both: where one bound is at most the others, it is that variable.

use super::under::bounds;
use crate::budget::loops::MAX_BOUNDS;
use crate::goal::{Pair, Program};
use kernel::relate::{Atom, Fact};

/// What might hold: for each of the bounds that the variable is that one where that is the least.
pub(super) fn facts(program: &Program<'_>, pair: Pair) -> Vec<Fact> {
    let (left, right) = program.code(pair);
    let [mine, theirs] = [(0, left, pair.0), (1, right, pair.1)].map(|(version, code, id)| bounds(version, code, id));
    let both = [(&mine, &theirs), (&theirs, &mine)];
    both.into_iter().flat_map(|(several, others)| others.iter().flat_map(|least| least_of(several, least))).collect()
}

/// That a number is the least of several.
fn least_of(several: &[Atom], least: &Atom) -> Vec<Fact> {
    if !(2..=MAX_BOUNDS).contains(&several.len()) {
        return Vec::new();
    }
    let is_it = |one: &Atom| {
        let others = several.iter().filter(|other| *other != one);
        others.fold(Fact::Equal(least.clone(), one.clone(), 0), |fact, other| {
            Fact::Under(Box::new([Fact::AtMost(one.clone(), other.clone(), 0), fact]))
        })
    };
    several.iter().map(is_it).collect()
}
