//! What follows from quantified conditions, by instances.
//!
//! In: the quantifiers that a text speaks of. Out: facts without quantifiers. A quantifier is a boolean of its own: if it holds,
//! its body holds for each value at hand; if not, there is a value for which it does not.
//!
//! Rule *Instances* (`proofs/soundness.md`): both are consequences, whatever the boolean stands under; so more instances
//! prove more and none proves what is not so.
//!
//! Invariant: bounded in rounds and in number.

use super::Writer;
use crate::arena::Arena;
use crate::term::{Func, Node, Sort, Term};
use num_traits::One;
use std::collections::BTreeSet;

/// Instances may bring values that make further instances; so often.
const ROUNDS: usize = 3;
/// More instances than this are not made for one text.
const MOST: usize = 240;
/// Where fewer indexes than this are at hand, other integers are tried as well.
const FEW: usize = 6;

/// More integers than this are not tried because the body compares the variable with them.
const BOUNDARIES: usize = 12;

/// The integers about which a comparison in the body changes: a quantifier that fails somewhere, or has no value somewhere, mostly
/// does so there.
fn boundaries(arena: &mut Arena, bound: Term, body: Term) -> Vec<Term> {
    let mut found = Vec::new();
    for part in arena.terms.parts_of(&[body]) {
        let (Node::AtMostZero(compared) | Node::IsZero(compared)) = *arena.terms.node(part) else { continue };
        let (_, parts) = arena.terms.linear_parts(compared);
        let Some((factor, _)) = parts.iter().find(|(factor, term)| *term == bound && factor.magnitude().is_one())
        else {
            continue;
        };
        // factor * bound + rest changes its sign at -factor * rest.
        let factor = arena.terms.int(factor.clone());
        let own = arena.terms.mul(factor, bound);
        let rest = arena.terms.sub(compared, own);
        let inner = |&part: &Term| matches!(arena.terms.node(part), Node::App(Func::Bound(..), _));
        if arena.terms.parts_of(&[rest]).iter().any(inner) {
            continue;
        }
        let negated = arena.terms.neg(rest);
        let here = arena.terms.mul(factor, negated);
        for step in [0, -1, 1] {
            let step = arena.terms.int(step);
            found.push(arena.terms.add(here, step));
        }
    }
    found.truncate(BOUNDARIES);
    found
}

/// What has been instantiated.
#[derive(Default)]
pub(super) struct Instances {
    done: BTreeSet<(Term, Term)>,
    witnessed: usize,
    rounds: usize,
}

impl Writer {
    /// One round of instances; false when there is nothing more to say.
    pub(super) fn instantiate(&mut self, arena: &mut Arena, instances: &mut Instances) -> bool {
        if self.quantifiers.is_empty() || instances.rounds == ROUNDS {
            return false;
        }
        instances.rounds += 1;
        let mut more = false;
        while let Some(&quantifier) = self.quantifiers.get(instances.witnessed) {
            instances.witnessed += 1;
            let Node::Forall(bound, body) = *arena.terms.node(quantifier) else { continue };
            let Some(value) = arena.terms.witness(quantifier) else { continue };
            if arena.terms.sort(bound) == Sort::Int {
                self.indexes.insert(value);
            }
            self.instance(arena, quantifier, (bound, body), value, "(or {all} (not {body}))");
            more = true;
        }
        for quantifier in self.quantifiers.clone() {
            let Node::Forall(bound, body) = *arena.terms.node(quantifier) else { continue };
            for value in self.values(arena, bound, body) {
                if instances.done.len() < MOST && instances.done.insert((quantifier, value)) {
                    self.instance(arena, quantifier, (bound, body), value, "(=> {all} {body})");
                    more = true;
                }
            }
        }
        more
    }

    /// The values at hand that a variable ranges over.
    fn values(&self, arena: &mut Arena, bound: Term, body: Term) -> Vec<Term> {
        match arena.terms.sort(bound) {
            Sort::Bool => [true, false].map(|value| arena.terms.bool(value)).to_vec(),
            Sort::Ref => {
                self.references.iter().copied().filter(|&value| arena.terms.ranges_over(bound, value)).collect()
            }
            Sort::Int => {
                let mut values: Vec<Term> = self.indexes.iter().copied().collect();
                if values.len() < FEW {
                    let plain = |term: &Term| {
                        matches!(
                            arena.terms.node(*term),
                            Node::Int(_) | Node::App(Func::Param(_) | Func::Global(_) | Func::Result(..), _)
                        ) && arena.terms.sort(*term) == Sort::Int
                    };
                    values.extend(self.names.keys().filter(|term| plain(term)).take(FEW));
                }
                values.extend(boundaries(arena, bound, body));
                values
            }
        }
    }

    fn instance(&mut self, arena: &mut Arena, quantifier: Term, (bound, body): (Term, Term), value: Term, form: &str) {
        let body = arena.terms.instance(bound, body, value);
        self.visit(arena, body);
        let fact = form.replace("{all}", &self.names[&quantifier]).replace("{body}", &self.names[&body]);
        self.facts.push(fact);
    }
}
