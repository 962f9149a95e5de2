//! The values of terms over numbers.

use super::{Node, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;

impl Terms {
    /// The value of a term over integers and booleans, which are 0 and 1; `None` when it has none, or has to do with
    /// something whose value is not among `values`. What was found on the way is added to these.
    pub fn evaluate(&self, term: Term, values: &mut HashMap<Term, BigInt>) -> Option<BigInt> {
        if let Some(value) = values.get(&term) {
            return Some(value.clone());
        }
        let bit = |holds: bool| if holds { BigInt::one() } else { BigInt::zero() };
        let value = match self.node(term) {
            Node::Int(value) => value.clone(),
            Node::Bool(value) => bit(*value),
            Node::Linear(constant, parts) => {
                let mut sum = constant.clone();
                for (coefficient, part) in parts {
                    sum += coefficient * self.evaluate(*part, values)?;
                }
                sum
            }
            Node::Mul(parts) => {
                let mut product = BigInt::one();
                for &part in parts {
                    product *= self.evaluate(part, values)?;
                }
                product
            }
            Node::Div(a, b) | Node::Rem(a, b) => {
                let (x, y) = (self.evaluate(*a, values)?, self.evaluate(*b, values)?);
                if y.is_zero() {
                    return None;
                }
                // BigInt's own division truncates.
                if matches!(self.node(term), Node::Div(..)) { x / y } else { x % y }
            }
            Node::AtMostZero(t) => bit(!self.evaluate(*t, values)?.is_positive()),
            Node::IsZero(t) | Node::Not(t) => bit(self.evaluate(*t, values)?.is_zero()),
            // One part may decide where another has no value.
            Node::And(parts) => self.junction_value(parts, values, false)?,
            Node::Or(parts) => self.junction_value(parts, values, true)?,
            Node::Ite(cond, then, els) => {
                let cond = self.evaluate(*cond, values)?;
                self.evaluate(if cond.is_zero() { *els } else { *then }, values)?
            }
            Node::Null | Node::App(..) | Node::SameRef(..) | Node::Born(..) | Node::Forall(..) => return None,
        };
        values.insert(term, value.clone());
        Some(value)
    }

    /// The value of a conjunction or disjunction, which a part with the value `decides` decides.
    fn junction_value(&self, parts: &[Term], values: &mut HashMap<Term, BigInt>, decides: bool) -> Option<BigInt> {
        let found: Vec<Option<bool>> =
            parts.iter().map(|&part| self.evaluate(part, values).map(|value| !value.is_zero())).collect();
        let holds = if found.contains(&Some(decides)) {
            decides
        } else if found.contains(&None) {
            return None;
        } else {
            !decides
        };
        Some(BigInt::from(u8::from(holds)))
    }
}
