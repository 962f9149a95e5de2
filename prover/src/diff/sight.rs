//! What can be told of conditions without the solver.
//!
//! In: facts and a goal, or the truth of tests. Out: whether the goal follows in plain sight; the truth of a condition.
//!
//! Invariant: claims nothing; it only spares questions.

use num_traits::Zero;
use rustc_hash::FxHashMap as HashMap;
use smt::term::{Node, PathFacts, Term, Terms};

/// A store, by the truth of tests.
pub(super) type Store = HashMap<Term, bool>;

/// Whether a goal follows from facts by what each of them says alone: of numbers that have one value, and of what numbers lie between.
pub(super) fn follows_in_sight(terms: &mut Terms, facts: &[Term], goal: Term) -> bool {
    if terms.is_true(goal) {
        return true;
    }
    let facts = with_equations(terms, facts);
    let values = values(terms, &facts);
    let mut known = PathFacts::new();
    for fact in facts {
        let of_values = terms.substitute(fact, &values);
        if !known.assume(terms, fact) || !known.assume(terms, of_values) {
            return true;
        }
    }
    let goal = terms.substitute(goal, &values);
    let goal = terms.simplify(goal, &known);
    terms.is_true(goal)
}

/// The numbers of which facts say the value.
fn values(terms: &mut Terms, facts: &[Term]) -> HashMap<Term, Term> {
    let mut values = HashMap::default();
    for &fact in facts {
        let Node::IsZero(t) = *terms.node(fact) else { continue };
        let (constant, parts) = terms.linear_parts(t);
        if let [(factor, part)] = parts.as_slice()
            && (&constant % factor).is_zero()
        {
            let value = terms.int(-constant / factor);
            values.insert(*part, value);
        }
    }
    values
}

/// The facts with one equation in the place of two bounds that meet.
pub(super) fn with_equations(terms: &mut Terms, facts: &[Term]) -> Vec<Term> {
    let mut kept: Vec<Term> = Vec::new();
    for &literal in facts {
        let Node::AtMostZero(t) = *terms.node(literal) else {
            kept.push(literal);
            continue;
        };
        let zero = terms.int(0);
        let other = terms.le(zero, t);
        match kept.iter().position(|&known| known == other) {
            Some(at) => kept[at] = terms.eq(t, zero),
            None => kept.push(literal),
        }
    }
    kept
}

/// The truth of a condition in a store, if the tests that are known there decide it.
pub(super) fn truth(terms: &Terms, condition: Term, known: &Store) -> Option<bool> {
    if let Some(&value) = known.get(&condition) {
        return Some(value);
    }
    match terms.node(condition) {
        Node::Bool(value) => Some(*value),
        Node::Not(inner) => truth(terms, *inner, known).map(|value| !value),
        Node::And(parts) | Node::Or(parts) => {
            let decides = matches!(terms.node(condition), Node::Or(_));
            let mut all = true;
            for &part in parts.iter() {
                match truth(terms, part, known) {
                    Some(value) if value == decides => return Some(decides),
                    Some(_) => {}
                    None => all = false,
                }
            }
            all.then_some(!decides)
        }
        _ => None,
    }
}
