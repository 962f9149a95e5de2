//! Obligations without products: what is not linear becomes an opaque function.

use super::Obligation;
use super::border::{at_the_border, by_remainders, of_remainders};
use crate::arena::Arena;
use crate::term::{Func, Node, Opaque, Sort, Term};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// The obligation with products, and divisions by what is no literal, as functions of which nothing is known but what is true at
/// the borders of its conditions and of remainders: easier, and stronger. `None` when there are none.
pub fn linearised(arena: &mut Arena, obligation: &Obligation) -> Option<Obligation> {
    linearised_with(arena, obligation, &[]).map(|(linear, _)| linear)
}

/// The same, and the same of goals of which the obligation's is made.
pub fn linearised_with(arena: &mut Arena, obligation: &Obligation, goals: &[Term]) -> Option<(Obligation, Vec<Term>)> {
    let roots: Vec<Term> = obligation.assumptions.iter().copied().chain([obligation.goal]).collect();
    let parts = arena.terms.parts_of(&roots);
    if !parts.iter().any(|&part| opaque(arena, part).is_some()) {
        return None;
    }
    let mut lemmas = at_the_border(&mut arena.terms, &parts);
    lemmas.extend(of_remainders(&mut arena.terms, &parts));
    lemmas.extend(by_remainders(&mut arena.terms, &parts));
    let all: Vec<Term> = roots.into_iter().chain(lemmas).collect();
    let looked_at: Vec<Term> = all.iter().chain(goals).copied().collect();
    let found: BTreeSet<Term> =
        arena.terms.parts_of(&looked_at).into_iter().filter(|&part| opaque(arena, part).is_some()).collect();
    let mut by: HashMap<Term, Term> = HashMap::default();
    // What a term is made of was made before it.
    for term in found {
        let Some((function, args)) = opaque(arena, term) else { continue };
        let args: Vec<Term> = args.into_iter().map(|arg| arena.terms.substitute(arg, &by)).collect();
        let value = arena.terms.app(Func::Opaque(function), &args, Sort::Int);
        by.insert(term, value);
    }
    let goal = arena.terms.substitute(obligation.goal, &by);
    let goals = goals.iter().map(|&goal| arena.terms.substitute(goal, &by)).collect();
    let mut assumptions: Vec<Term> = all.into_iter().map(|fact| arena.terms.substitute(fact, &by)).collect();
    // The goal stands between what was assumed and what is true anyway.
    assumptions.remove(obligation.assumptions.len());
    Some((Obligation { assumptions, goal, tag: obligation.tag.clone() }, goals))
}

/// The function that a term applies if it is not linear, and to what.
fn opaque(arena: &Arena, term: Term) -> Option<(Opaque, Vec<Term>)> {
    let by_literal = |divisor: &Term| arena.terms.as_int(*divisor).is_some();
    match arena.terms.node(term) {
        Node::Mul(parts) => Some((Opaque::Product(u8::try_from(parts.len()).ok()?), parts.to_vec())),
        Node::Div(a, b) if !by_literal(b) => Some((Opaque::Quotient, vec![*a, *b])),
        Node::Rem(a, b) if !by_literal(b) => Some((Opaque::Remainder, vec![*a, *b])),
        _ => None,
    }
}
