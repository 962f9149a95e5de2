//! What conditions are built of: tests of the store on entry.
//!
//! In: conditions as terms. Out: the same conditions with choices and products taken apart, and their tests in the order in
//! which they are met.
//!
//! Invariant: a condition that is taken apart holds in the same stores.

use crate::budget::diff::{MAX_ATOMS, MAX_LIFTED};
use smt::arena::Arena;
use smt::term::{Func, Node, PathFacts, Sort, Term, Terms};

/// Whether a term speaks of the store on entry alone, in a way L has words for.
pub(super) fn of_entry(arena: &Arena, term: Term) -> bool {
    arena.terms.parts_of(&[term]).into_iter().all(|part| match arena.terms.node(part) {
        Node::App(func, _) => matches!(func, Func::Param(_) | Func::Global(_) | Func::Initial(_) | Func::Length),
        Node::InClass(..) | Node::Forall(..) => false,
        _ => true,
    })
}

/// The condition with choices within tests, and products that are zero, taken apart.
pub(super) fn apart(terms: &mut Terms, condition: Term) -> Term {
    take_apart(terms, condition, MAX_LIFTED)
}

fn take_apart(terms: &mut Terms, condition: Term, left: usize) -> Term {
    let node = terms.node(condition).clone();
    match node {
        Node::And(parts) => {
            let parts: Vec<Term> = parts.iter().map(|&part| take_apart(terms, part, left)).collect();
            terms.and(&parts)
        }
        Node::Or(parts) => {
            let parts: Vec<Term> = parts.iter().map(|&part| take_apart(terms, part, left)).collect();
            terms.or(&parts)
        }
        Node::Not(inner) => {
            let inner = take_apart(terms, inner, left);
            terms.not(inner)
        }
        Node::Ite(cond, then, els) => {
            let [cond, then, els] = [cond, then, els].map(|part| take_apart(terms, part, left));
            either(terms, cond, then, els)
        }
        Node::IsZero(t) => match factors(terms, t) {
            Some(factors) => {
                let zero = terms.int(0);
                let cases: Vec<Term> = factors.into_iter().map(|factor| terms.eq(factor, zero)).collect();
                terms.or(&cases)
            }
            None => lifted(terms, condition, left),
        },
        _ => lifted(terms, condition, left),
    }
}

/// `(cond && then) || (!cond && els)`
fn either(terms: &mut Terms, cond: Term, then: Term, els: Term) -> Term {
    let other = terms.not(cond);
    let first = terms.and(&[cond, then]);
    let second = terms.and(&[other, els]);
    terms.or(&[first, second])
}

/// The factors of a term that is a multiple of a product.
fn factors(terms: &Terms, term: Term) -> Option<Vec<Term>> {
    match terms.node(term) {
        Node::Mul(parts) => Some(parts.to_vec()),
        Node::Linear(constant, parts) => match parts.as_ref() {
            [(_, part)] if *constant == 0.into() => factors(terms, *part),
            _ => None,
        },
        _ => None,
    }
}

/// A test in which a choice stands, as a choice between tests.
fn lifted(terms: &mut Terms, atom: Term, left: usize) -> Term {
    let choice = terms.parts_of(&[atom]).into_iter().find_map(|part| match *terms.node(part) {
        Node::Ite(cond, ..) if part != atom => Some(cond),
        _ => None,
    });
    let (Some(cond), Some(left)) = (choice, left.checked_sub(1)) else { return atom };
    let sides = [true, false].map(|positive| {
        let fact = if positive { cond } else { terms.not(cond) };
        let mut known = PathFacts::new();
        if !known.assume(terms, fact) {
            return terms.bool(false);
        }
        let side = terms.simplify(atom, &known);
        if side == atom { side } else { take_apart(terms, side, left) }
    });
    let cond = take_apart(terms, cond, left);
    either(terms, cond, sides[0], sides[1])
}

/// The tests of some conditions, in order, each once whether negated or not; with weaker ones beside equations. `None` when
/// they are too many.
pub(super) fn of(terms: &mut Terms, conditions: &[Term]) -> Option<Vec<Term>> {
    let mut found = Vec::new();
    for &condition in conditions {
        gather(terms, condition, &mut found);
    }
    for atom in found.clone() {
        if let Node::IsZero(t) = *terms.node(atom)
            && terms.sort(t) == Sort::Int
        {
            let zero = terms.int(0);
            let (low, high) = (terms.le(zero, t), terms.le(t, zero));
            note(terms, low, &mut found);
            note(terms, high, &mut found);
        }
    }
    (found.len() <= MAX_ATOMS).then_some(found)
}

fn gather(terms: &mut Terms, condition: Term, found: &mut Vec<Term>) {
    match terms.node(condition).clone() {
        Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|&part| gather(terms, part, found)),
        Node::Not(inner) => gather(terms, inner, found),
        Node::Ite(a, b, c) => [a, b, c].into_iter().for_each(|part| gather(terms, part, found)),
        Node::Bool(_) => {}
        _ => note(terms, condition, found),
    }
}

fn note(terms: &mut Terms, atom: Term, found: &mut Vec<Term>) {
    if !found.contains(&atom) && terms.as_bool(atom).is_none() {
        let negated = terms.not(atom);
        if !found.contains(&negated) {
            found.push(atom);
        }
    }
}
