//! Obligations without products: what is not linear becomes an opaque function.

use super::Obligation;
use crate::arena::Arena;
use crate::term::{Func, Node, Opaque, Sort, Term};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// The obligation with products, and divisions by what is no literal, as functions of which nothing is known: easier, and stronger.
/// `None` when there are none.
pub fn linearised(arena: &mut Arena, obligation: &Obligation) -> Option<Obligation> {
    let mut work: Vec<Term> = obligation.assumptions.iter().copied().chain([obligation.goal]).collect();
    let mut seen: BTreeSet<Term> = work.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some(term) = work.pop() {
        if opaque(arena, term).is_some() {
            found.insert(term);
        }
        work.extend(arena.terms.node(term).children().into_iter().filter(|part| seen.insert(*part)));
    }
    if found.is_empty() {
        return None;
    }
    let mut by: HashMap<Term, Term> = HashMap::default();
    // What a term is made of was made before it.
    for term in found {
        let Some((function, args)) = opaque(arena, term) else { continue };
        let args: Vec<Term> = args.into_iter().map(|arg| arena.terms.substitute(arg, &by)).collect();
        let value = arena.terms.app(Func::Opaque(function), &args, Sort::Int);
        by.insert(term, value);
    }
    let assumptions = obligation.assumptions.iter().map(|&fact| arena.terms.substitute(fact, &by)).collect();
    let goal = arena.terms.substitute(obligation.goal, &by);
    Some(Obligation { assumptions, goal, tag: obligation.tag.clone() })
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
