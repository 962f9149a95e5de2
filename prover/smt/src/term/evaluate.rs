//! The values of terms over numbers.

use super::{Func, Node, Selector, Term, Terms};
use crate::random_stores::RandomStore;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use rustc_hash::FxHashMap as HashMap;

impl Terms {
    /// The value of a term over integers and booleans, which are 0 and 1, and references, where null is 0; `None` when it has
    /// none, or has to do with something whose value is not among `values` nor in the store. What was found on the way is
    /// added to these.
    pub fn evaluate(
        &self,
        term: Term,
        values: &mut HashMap<Term, BigInt>,
        store: Option<RandomStore>,
    ) -> Option<BigInt> {
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
                    sum += coefficient * self.evaluate(*part, values, store)?;
                }
                sum
            }
            Node::Mul(parts) => {
                let mut product = BigInt::one();
                for &part in parts {
                    product *= self.evaluate(part, values, store)?;
                }
                product
            }
            Node::Div(a, b) | Node::Rem(a, b) => {
                let (x, y) = (self.evaluate(*a, values, store)?, self.evaluate(*b, values, store)?);
                if y.is_zero() {
                    return None;
                }
                // BigInt's own division truncates.
                if matches!(self.node(term), Node::Div(..)) { x / y } else { x % y }
            }
            Node::AtMostZero(t) => bit(!self.evaluate(*t, values, store)?.is_positive()),
            Node::IsZero(t) | Node::Not(t) => bit(self.evaluate(*t, values, store)?.is_zero()),
            // One part may decide where another has no value.
            Node::And(parts) => self.junction_value(parts, values, (store, false))?,
            Node::Or(parts) => self.junction_value(parts, values, (store, true))?,
            Node::Ite(cond, then, els) => {
                let cond = self.evaluate(*cond, values, store)?;
                self.evaluate(if cond.is_zero() { *els } else { *then }, values, store)?
            }
            Node::Null => BigInt::zero(),
            Node::SameRef(a, b) => bit(self.evaluate(*a, values, store)? == self.evaluate(*b, values, store)?),
            Node::App(Func::Initial(Selector::Field(field)), args) => {
                let object = self.evaluate(args[0], values, store)?;
                store?.field(field.0, &object, self.sort(term))
            }
            Node::App(Func::Initial(Selector::Cell(_)), args) => {
                let (array, index) = (self.evaluate(args[0], values, store)?, self.evaluate(args[1], values, store)?);
                store?.cell(&array, &index, self.sort(term))
            }
            Node::App(Func::Length, args) => {
                let array = self.evaluate(args[0], values, store)?;
                store?.length(&array)
            }
            Node::App(..) | Node::InClass(..) | Node::Forall(..) => return None,
        };
        values.insert(term, value.clone());
        Some(value)
    }

    /// The value of a conjunction or disjunction, which a part with the value `decides` decides.
    fn junction_value(
        &self,
        parts: &[Term],
        values: &mut HashMap<Term, BigInt>,
        (store, decides): (Option<RandomStore>, bool),
    ) -> Option<BigInt> {
        let found: Vec<Option<bool>> =
            parts.iter().map(|&part| self.evaluate(part, values, store).map(|value| !value.is_zero())).collect();
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
