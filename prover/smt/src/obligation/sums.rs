//! What is known of sums.
//!
//! In: the sums that a text speaks of. Out: a function for each term that is summed up, and how neighbouring values of it differ; and that
//! two of them grow alike where the terms are equal.
//!
//! Rules *Sweep* and *Acceleration* (`proofs/soundness.md`): for any term over an integer there is a function that grows by the term's
//! value from each integer to the next. Over a range two of them grow alike, or there is an integer in it at which their terms differ.
//!
//! Invariant: functions are the same only if what they sum up is the same term over the same variable.

use super::Writer;
use crate::arena::Arena;
use crate::term::Term;
use num_traits::ToPrimitive;
use std::collections::BTreeSet;

/// Values of a sum further apart than this are not related step by step.
const FURTHEST: i64 = 3;
/// More sums than this are not compared with one another, nor more values of them.
const MAX_COMPARED: usize = 4;

impl Writer {
    /// Writes one value of a sum.
    pub(super) fn sum(&mut self, arena: &Arena, term: Term, (bound, each): (Term, Term), end: Term) {
        self.visit(arena, end);
        let known = self.sums.iter().position(|(b, e, _)| (*b, *e) == (bound, each));
        let at = known.unwrap_or_else(|| {
            self.sums.push((bound, each, Vec::new()));
            self.sums.len() - 1
        });
        self.sums[at].2.push(end);
        let symbol = format!("sum{at}");
        self.declarations.insert(symbol.clone(), format!("(declare-fun {symbol} (Int) Int)"));
        let value = format!("({symbol} {})", self.names[&end]);
        self.names.insert(term, value);
    }

    /// Says how values of a sum that are a few steps apart differ.
    pub(super) fn sum_facts(&mut self, arena: &mut Arena) {
        for at in 0..self.sums.len() {
            let (bound, each, ends) = self.sums[at].clone();
            for &low in &ends {
                for &high in &ends {
                    let apart = arena.terms.sub(high, low);
                    let Some(steps) = arena.terms.as_int(apart).and_then(ToPrimitive::to_i64) else { continue };
                    if !(1..=FURTHEST).contains(&steps) {
                        continue;
                    }
                    let mut sum = vec![format!("(sum{at} {})", self.names[&low])];
                    for step in 0..steps {
                        let step = arena.terms.int(step);
                        let index = arena.terms.add(low, step);
                        let value = arena.terms.instance(bound, each, index);
                        self.visit(arena, value);
                        sum.push(self.names[&value].clone());
                    }
                    self.facts.push(format!("(= (sum{at} {}) (+ {}))", self.names[&high], sum.join(" ")));
                }
            }
        }
    }

    /// Says of each two sums that they grow alike between two values if their terms are equal at all integers in between. What follows from
    /// that condition, and from that it does not hold, is said by instances.
    pub(super) fn sums_compared(&mut self, arena: &mut Arena) {
        let sums: Vec<_> = self.sums.iter().take(MAX_COMPARED).cloned().collect();
        let ends: BTreeSet<Term> = sums.iter().flat_map(|(_, _, ends)| ends).copied().collect();
        let ends: Vec<Term> = ends.into_iter().take(MAX_COMPARED).collect();
        for (at, one) in sums.iter().enumerate() {
            for (other_at, other) in sums.iter().enumerate().skip(at + 1) {
                let index = arena.terms.skolem_int();
                let [a, b] = [one, other].map(|(bound, each, _)| arena.terms.instance(*bound, *each, index));
                let equal = arena.terms.eq(a, b);
                for (&low, &high) in ends.iter().flat_map(|low| ends.iter().map(move |high| (low, high))) {
                    if low == high {
                        continue;
                    }
                    let within = [arena.terms.le(low, index), arena.terms.lt(index, high)];
                    let within = arena.terms.and(&within);
                    let there = arena.terms.implies(within, equal);
                    let (bound, body) = arena.terms.over_bound(there, index);
                    let everywhere = arena.terms.forall(bound, body);
                    let [low, high, everywhere] = [low, high, everywhere].map(|term| {
                        self.visit(arena, term);
                        self.names[&term].clone()
                    });
                    let grows = |at: usize| format!("(- (sum{at} {high}) (sum{at} {low}))");
                    let alike = format!("(= {} {})", grows(at), grows(other_at));
                    self.facts.push(format!("(or {alike} (< {high} {low}) (not {everywhere}))"));
                }
            }
        }
    }
}
