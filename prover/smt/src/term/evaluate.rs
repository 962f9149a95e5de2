//! The values of terms.
//!
//! In: a term, and who says what the applications in it are: parameters, reads of a heap, results of calls. Out: its value, an
//! integer. Booleans are 0 and 1, references are numbers, and null is 0.
//!
//! Invariant: this is the only interpreter of terms; what differs between its users is a [`Leaves`].

use super::{Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;

/// The values that are known, given at first and found since.
pub type Values = HashMap<Term, BigInt>;

/// Says what applications are.
pub trait Leaves {
    /// The value of an application that is not among `values`; `None` when it has none.
    fn application(&mut self, terms: &Terms, term: Term, values: &mut Values) -> Option<BigInt>;
}

/// Applications have the values that were given at first, or none.
impl Leaves for () {
    fn application(&mut self, _: &Terms, _: Term, _: &mut Values) -> Option<BigInt> {
        None
    }
}

impl Terms {
    /// The value of a term, `None` when it has none. The values found on the way are added to those that are known.
    pub fn evaluate(&self, term: Term, values: &mut Values, leaves: &mut dyn Leaves) -> Option<BigInt> {
        if let Some(value) = values.get(&term) {
            return Some(value.clone());
        }
        let value = match self.node(term) {
            Node::App(..) => leaves.application(self, term, values)?,
            // One part may decide where another has no value.
            Node::And(parts) => self.junction_value(parts, false, values, leaves)?,
            Node::Or(parts) => self.junction_value(parts, true, values, leaves)?,
            Node::Ite(cond, then, els) => {
                let cond = self.evaluate(*cond, values, leaves)?;
                self.evaluate(if cond.is_zero() { *els } else { *then }, values, leaves)?
            }
            node => operation(node, &self.evaluate_all(&node.children(), values, leaves)?)?,
        };
        values.insert(term, value.clone());
        Some(value)
    }

    /// The values of several terms, if all have one.
    pub fn evaluate_all(&self, terms: &[Term], values: &mut Values, leaves: &mut dyn Leaves) -> Option<Vec<BigInt>> {
        terms.iter().map(|&term| self.evaluate(term, values, leaves)).collect()
    }

    /// Whether a condition has a value and holds.
    pub fn is_satisfied(&self, condition: Term, values: &mut Values, leaves: &mut dyn Leaves) -> bool {
        self.evaluate(condition, values, leaves).is_some_and(|value| !value.is_zero())
    }

    /// The value of a conjunction or disjunction, which a part with the value `decides` decides. What stands after such a part
    /// is not looked at: it may be a call that would never end.
    fn junction_value(
        &self,
        parts: &[Term],
        decides: bool,
        values: &mut Values,
        leaves: &mut dyn Leaves,
    ) -> Option<BigInt> {
        let mut open = false;
        for &part in parts {
            match self.evaluate(part, values, leaves) {
                Some(value) if value.is_zero() != decides => return Some(bit(decides)),
                Some(_) => {}
                None => open = true,
            }
        }
        (!open).then(|| bit(!decides))
    }
}

/// The value of an operation on these values; `None` for what is no operation.
fn operation(node: &Node, values: &[BigInt]) -> Option<BigInt> {
    Some(match (node, values) {
        (Node::Int(value), _) => value.clone(),
        (Node::Bool(value), _) => bit(*value),
        (Node::Null, _) => BigInt::zero(),
        (Node::Linear(constant, parts), _) => {
            parts.iter().zip(values).fold(constant.clone(), |sum, ((coefficient, _), value)| sum + coefficient * value)
        }
        (Node::Mul(_), _) => values.iter().product(),
        (Node::Div(..) | Node::Rem(..), [_, divisor]) if divisor.is_zero() => return None,
        // BigInt's own division truncates.
        (Node::Div(..), [dividend, divisor]) => dividend / divisor,
        (Node::Rem(..), [dividend, divisor]) => dividend % divisor,
        (Node::AtMostZero(_), [value]) => bit(!value.is_positive()),
        (Node::IsZero(_) | Node::Not(_), [value]) => bit(value.is_zero()),
        (Node::SameRef(..), [left, right]) => bit(left == right),
        _ => return None,
    })
}

fn bit(holds: bool) -> BigInt {
    if holds { BigInt::one() } else { BigInt::zero() }
}
