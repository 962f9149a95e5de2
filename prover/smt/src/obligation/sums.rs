//! What is known of sums.
//!
//! In: the sums that a text speaks of. Out: a function for each term that is summed up, and how neighbouring values of it differ.
//!
//! Rule *Acceleration* (`proofs/soundness.md`): for any term over an integer there is a function that grows by the term's value from
//! each integer to the next.
//!
//! Invariant: functions are the same only if what they sum up is the same term over the same variable.

use super::Writer;
use crate::arena::Arena;
use crate::term::Term;
use num_traits::ToPrimitive;

/// Values of a sum further apart than this are not related step by step.
const FURTHEST: i64 = 3;

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
}
