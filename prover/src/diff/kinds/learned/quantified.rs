//! Tests of many cells: that one cell of a range satisfies a test of the program.
//!
//! In: tests over the store on entry, among them those of first turns: `0 < n`, `a[0] == x`. Out: what each says of the cells of the range
//! that the turns go through: `0 <= k`, `k < n`, `a[k] == x`.
//!
//! Invariant: claims nothing.

use crate::budget::learned::MAX_QUANTIFIED;
use num_bigint::BigInt;
use num_traits::{One, Signed};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::term::{Func, Node, Selector, Term};

/// What may be asked of one cell of a range: its number, `bound`, is in the range, and the cell satisfies a test. Tests of the program
/// come first, in ranges as the program has them; then those that are met one sooner or one later.
pub(super) fn of_cells(arena: &mut Arena, tests: &[Term], bound: Term) -> Vec<[Term; 3]> {
    let mut found: [Vec<[Term; 3]>; 2] = Default::default();
    for &test in tests {
        let cells = cells(arena, test);
        let [(cell, array, index)] = cells[..] else { continue };
        let Node::App(func, _) = *arena.terms.node(cell) else { continue };
        let sort = arena.terms.sort(cell);
        let other = arena.terms.app(func, &[array, bound], sort);
        let by: HashMap<Term, Term> = [(cell, other)].into_iter().collect();
        let of_other = arena.terms.substitute(test, &by);
        for (range, as_it_is) in ranges(arena, tests, (index, bound)) {
            let near = near(arena, of_other);
            let all = [(of_other, as_it_is)].into_iter().chain(near.into_iter().map(|near| (near, false)));
            for (of_other, as_it_is) in all {
                let parts = [range[0], range[1], of_other];
                if found.iter().all(|all| !all.contains(&parts)) {
                    found[usize::from(!as_it_is)].push(parts);
                }
            }
        }
    }
    let mut found = found.concat();
    found.truncate(MAX_QUANTIFIED);
    found
}

/// A bound that is one less, or one more.
fn near(arena: &mut Arena, test: Term) -> Vec<Term> {
    let Node::AtMostZero(least) = *arena.terms.node(test) else { return Vec::new() };
    let (one, zero) = (arena.terms.int(1), arena.terms.int(0));
    let sides = [arena.terms.add(least, one), arena.terms.sub(least, one)];
    sides.map(|side| arena.terms.le(side, zero)).into()
}

/// The arrays that some tests look at.
pub(super) fn arrays(arena: &Arena, tests: &[Term]) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for part in arena.terms.parts_of(tests) {
        if let Node::App(Func::Initial(Selector::Cell(_)) | Func::Length, args) = arena.terms.node(part)
            && !found.contains(&args[0])
        {
            found.push(args[0]);
        }
    }
    found
}

/// The cells that a test reads: each with its array and its index.
fn cells(arena: &Arena, test: Term) -> Vec<(Term, Term, Term)> {
    let parts = arena.terms.parts_of(&[test]).into_iter();
    parts
        .filter_map(|part| match arena.terms.node(part) {
            Node::App(Func::Initial(Selector::Cell(_)), args) => Some((part, args[0], args[1])),
            _ => None,
        })
        .collect()
}

/// Ranges that begin or end with an index, by tests that it is within; and whether they end, or begin, with what the program names.
fn ranges(arena: &mut Arena, tests: &[Term], (index, bound): (Term, Term)) -> Vec<([Term; 2], bool)> {
    let mut found = Vec::new();
    let one = arena.terms.int(1);
    for &test in tests {
        let Node::AtMostZero(least) = *arena.terms.node(test) else { continue };
        // `index - end + 1 <= 0`
        let next = arena.terms.add(index, one);
        let end = arena.terms.sub(next, least);
        if let Some(offset) = place(arena, end) {
            found.push(([arena.terms.le(index, bound), arena.terms.lt(bound, end)], offset == BigInt::ZERO));
        }
        // `begin - index <= 0`
        let begin = arena.terms.add(least, index);
        if arena.terms.as_int(index).is_none() && (place(arena, begin).is_some() || arena.terms.as_int(begin).is_some())
        {
            found.push(([arena.terms.le(begin, bound), arena.terms.le(bound, index)], true));
        }
    }
    found
}

/// By how much a number is more than a parameter, a global or a length, if it is next to one.
fn place(arena: &Arena, number: Term) -> Option<BigInt> {
    let (constant, parts) = arena.terms.linear_parts(number);
    let is_place =
        |part: Term| matches!(arena.terms.node(part), Node::App(Func::Param(_) | Func::Global(_) | Func::Length, _));
    let of_place = matches!(&parts[..], [(factor, part)] if factor.is_one() && is_place(*part));
    (of_place && constant.abs() <= BigInt::one()).then_some(constant)
}
