//! Conditions as a person would write them: few cases, and no test in a case that could be left out.
//!
//! In: a condition over stores on entry, and the tests it may be built of. Out: *cubes*, conjunctions of tests, such that the
//! condition holds where one of them does.
//!
//! Method: a store in which the condition holds and no cube does, from the solver; the tests that hold in it; each left out
//! unless the condition would not follow. At the end cubes that the others cover are left out.
//!
//! Invariant: claims nothing; what is made of cubes is proved elsewhere.

use super::ask::{Asker, Sought};
use super::sight::with_equations;
use super::text;
use crate::budget::diff::{MAX_ASKED, MAX_CUBES, MAX_LONG, MAX_TESTS};
use smt::term::{Node, Term, Terms};

/// Tests that hold together.
pub(super) type Cube = Vec<Term>;

/// The cubes of a condition; `None` when they are too many, or the solver does not know.
pub(super) fn cover(asker: &mut Asker<'_>, condition: Term, atoms: &[Term]) -> Option<Vec<Cube>> {
    let mut cubes: Vec<Cube> = Vec::new();
    let mut outside = vec![condition];
    while let Some(cube) = cube_of(asker, &outside, atoms)? {
        if cubes.len() == MAX_CUBES || cubes.iter().filter(|cube| cube.len() > MAX_TESTS).count() > MAX_LONG {
            return None;
        }
        let cube = reduced(asker, condition, cube)?;
        // Once it was met with its guards it is left out without them, so that there is an end.
        let again = cubes.contains(&cube);
        let all = if again { asker.arena.terms.and(&cube) } else { guarded(asker, &cube) };
        outside.push(asker.arena.terms.not(all));
        if !again {
            cubes.push(cube);
        }
    }
    let cubes = irredundant(asker, cubes);
    if cubes.iter().any(|cube| cube.len() > MAX_TESTS) {
        return None;
    }
    Some(with_inequations(&mut asker.arena.terms, cubes))
}

/// All tests as they are in a store that satisfies the facts; `Some(None)` when there is no such store.
fn cube_of(asker: &mut Asker<'_>, facts: &[Term], atoms: &[Term]) -> Option<Option<Cube>> {
    match asker.store(facts, atoms) {
        Sought::Store(values) => {
            Some(Some(atoms.iter().zip(values).map(|(&atom, holds)| literal(asker, atom, holds)).collect()))
        }
        Sought::Nothing => Some(None),
        Sought::Open => None,
    }
}

/// The cubes of a condition that says of a few tests that one of them holds, as it stands.
pub(super) fn plain(terms: &mut Terms, condition: Term) -> Option<Vec<Cube>> {
    let tests: Vec<Term> = match terms.node(condition).clone() {
        Node::Or(parts) => parts.to_vec(),
        Node::Not(all) => match terms.node(all).clone() {
            Node::And(parts) => parts.iter().map(|&part| terms.not(part)).collect(),
            _ => return None,
        },
        _ => return None,
    };
    let is_one = |test: Term| !matches!(terms.node(test), Node::And(_) | Node::Or(_) | Node::Ite(..));
    let is_test = |&test: &Term| match *terms.node(test) {
        Node::Not(inner) => is_one(inner),
        _ => is_one(test),
    };
    (tests.len() <= MAX_CUBES && tests.iter().all(is_test)).then(|| tests.into_iter().map(|test| vec![test]).collect())
}

/// As [`cover`], where the tests need not suffice: cubes that are within the condition. Stores that no such cube has are left out.
pub(super) fn within(asker: &mut Asker<'_>, condition: Term, atoms: &[Term]) -> Option<Vec<Cube>> {
    let mut cubes: Vec<Cube> = Vec::new();
    let mut outside = vec![condition];
    while let Some(cube) = cube_of(asker, &outside, atoms)? {
        let mut all = asker.arena.terms.and(&cube);
        if let Some(cube) = reduced(asker, condition, cube)
            && !cubes.contains(&cube)
        {
            if cubes.len() == MAX_CUBES {
                return None;
            }
            let wider = guarded(asker, &cube);
            all = asker.arena.terms.or(&[all, wider]);
            cubes.push(cube);
        }
        outside.push(asker.arena.terms.not(all));
    }
    Some(irredundant(asker, cubes))
}

fn literal(asker: &mut Asker<'_>, atom: Term, holds: bool) -> Term {
    if holds { atom } else { asker.arena.terms.not(atom) }
}

/// The cube as it will be written: with what its tests need to have a value.
fn guarded(asker: &mut Asker<'_>, cube: &[Term]) -> Term {
    let mut all = cube.to_vec();
    for &literal in cube {
        all.extend(text::guards(asker.arena, literal));
    }
    asker.arena.terms.and(&all)
}

/// The cube without the tests that are not needed for the condition to follow; `None` where it does not follow from all of them.
fn reduced(asker: &mut Asker<'_>, condition: Term, cube: Cube) -> Option<Cube> {
    if !asker.follows(&cube, condition) {
        return None;
    }
    let mut kept = with_values(asker, condition, cube);
    let mut order: Vec<Term> = kept.clone();
    order.sort_by_key(|&literal| rank(&asker.arena.terms, literal));
    if order.len() > MAX_ASKED {
        // Of so many most can go in plain sight.
        for literal in order.clone() {
            let rest: Cube = kept.iter().copied().filter(|&other| other != literal).collect();
            if asker.is_in_sight(&rest, condition) {
                kept = rest;
            }
        }
        order.retain(|literal| kept.contains(literal));
    }
    for half in order.chunks(order.len().div_ceil(2).max(1)) {
        leave_out(asker, condition, &mut kept, half);
    }
    Some(with_equations(&mut asker.arena.terms, &kept))
}

/// The cube without the tests that have no value where it holds, such as `t.flag` beside `t == null`: written with what they need they
/// would hold nowhere.
fn with_values(asker: &mut Asker<'_>, condition: Term, cube: Cube) -> Cube {
    let has_value = |literal: &Term| {
        let guards = text::guards(asker.arena, *literal);
        guards.into_iter().all(|guard| !cube.contains(&asker.arena.terms.not(guard)))
    };
    let valued: Cube = cube.iter().copied().filter(has_value).collect();
    if valued.len() < cube.len() && asker.follows(&valued, condition) { valued } else { cube }
}

/// Leaves out some tests that are not needed: all at once, or each half for itself.
fn leave_out(asker: &mut Asker<'_>, condition: Term, kept: &mut Cube, some: &[Term]) {
    let rest: Cube = kept.iter().copied().filter(|other| !some.contains(other)).collect();
    if asker.clearly_follows(&rest, condition) {
        *kept = rest;
    } else if some.len() > 1 {
        for half in some.chunks(some.len().div_ceil(2)) {
            leave_out(asker, condition, kept, half);
        }
    }
}

/// What is left out first: equations, which are strong; long tests; strong bounds.
fn rank(terms: &Terms, literal: Term) -> (u8, std::cmp::Reverse<usize>, std::cmp::Reverse<num_bigint::BigInt>) {
    let kind = match terms.node(literal) {
        Node::IsZero(_) => 0,
        Node::AtMostZero(_) => 1,
        _ => 2,
    };
    let strength = match terms.node(literal) {
        Node::AtMostZero(t) => terms.linear_parts(*t).0,
        _ => num_bigint::BigInt::default(),
    };
    (kind, std::cmp::Reverse(terms.parts_of(&[literal]).len()), std::cmp::Reverse(strength))
}

/// The cubes with one inequation in the place of two that are the bounds on both sides of a value.
fn with_inequations(terms: &mut Terms, cubes: Vec<Cube>) -> Vec<Cube> {
    let single = |cube: &Cube| if let [literal] = cube.as_slice() { Some(*literal) } else { None };
    let negated: Vec<Term> = cubes.iter().filter_map(single).map(|literal| terms.not(literal)).collect();
    let merged: Vec<Cube> = with_equations(terms, &negated).into_iter().map(|fact| vec![terms.not(fact)]).collect();
    merged.into_iter().chain(cubes.into_iter().filter(|cube| single(cube).is_none())).collect()
}

/// The cubes without those that the others cover.
fn irredundant(asker: &mut Asker<'_>, mut cubes: Vec<Cube>) -> Vec<Cube> {
    let mut at = 0;
    while at < cubes.len() && cubes.len() > 1 {
        let rest = cubes.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<Term> = rest.map(|(_, cube)| guarded(asker, cube)).collect();
        let covered = asker.arena.terms.or(&others);
        if asker.clearly_follows(&cubes[at].clone(), covered) {
            cubes.remove(at);
        } else {
            at += 1;
        }
    }
    cubes
}
