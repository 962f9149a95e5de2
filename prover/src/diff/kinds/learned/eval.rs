//! Terms over the store on entry, in a store that is at hand.
//!
//! In: a term and a store. Out: the value it has there; none where what it reads is not there.
//!
//! Invariant: a term has the value that the expression of its text has.

use lang_l::heap::{Input, Kind};
use lang_l::hir::{GlobalId, Type, Unit};
use lang_l::value::{Slot, Value};
use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};
use smt::arena::Arena;
use smt::term::{Func, Node, Selector, Sort, Term};

/// A store in which terms are evaluated.
#[derive(Clone, Copy)]
pub(super) struct There<'a> {
    pub(super) unit: &'a Unit,
    pub(super) input: &'a Input,
}

impl There<'_> {
    /// The value of a term.
    pub(super) fn value(self, arena: &mut Arena, term: Term) -> Option<Value> {
        let node = arena.terms.node(term).clone();
        Some(match node {
            Node::Int(value) => Value::Int(value),
            Node::Bool(value) => Value::Bool(value),
            Node::Null => Value::NULL,
            Node::App(func, args) => {
                let args: Option<Vec<Value>> = args.iter().map(|&arg| self.value(arena, arg)).collect();
                self.read(func, &args?)?
            }
            Node::Linear(constant, parts) => {
                let mut sum = constant;
                for (factor, part) in parts.iter() {
                    sum += factor * self.number(arena, *part)?;
                }
                Value::Int(sum)
            }
            Node::Mul(parts) => {
                let mut product = BigInt::from(1);
                for &part in parts.iter() {
                    product *= self.number(arena, part)?;
                }
                Value::Int(product)
            }
            Node::Div(a, b) | Node::Rem(a, b) => {
                let [left, right] = [self.number(arena, a)?, self.number(arena, b)?];
                if right.is_zero() {
                    return None;
                }
                let (left, right) = (arena.terms.int(left), arena.terms.int(right));
                let is_quotient = matches!(arena.terms.node(term), Node::Div(..));
                let folded = if is_quotient { arena.terms.div(left, right) } else { arena.terms.rem(left, right) };
                Value::Int(arena.terms.as_int(folded)?.clone())
            }
            Node::AtMostZero(of) => Value::Bool(!self.number(arena, of)?.is_positive()),
            Node::IsZero(of) => match self.value(arena, of)? {
                Value::Int(value) => Value::Bool(value.is_zero()),
                _ => return None,
            },
            Node::SameRef(a, b) => Value::Bool(self.value(arena, a)? == self.value(arena, b)?),
            Node::Not(of) => Value::Bool(!self.truth(arena, of)?),
            Node::And(parts) => self.all(arena, &parts, true)?,
            Node::Or(parts) => self.all(arena, &parts, false)?,
            Node::Ite(cond, then, els) => {
                let taken = if self.truth(arena, cond)? { then } else { els };
                self.value(arena, taken)?
            }
            Node::InClass(..) | Node::Forall(..) => return None,
        })
    }

    /// The truth of a test; none where it has no value.
    pub(super) fn truth(self, arena: &mut Arena, term: Term) -> Option<bool> {
        match self.value(arena, term)? {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The number that a term is.
    pub(super) fn number(self, arena: &mut Arena, term: Term) -> Option<BigInt> {
        match self.value(arena, term)? {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// A conjunction, or a disjunction; without a value where a part has none.
    fn all(self, arena: &mut Arena, parts: &[Term], all: bool) -> Option<Value> {
        let truths: Option<Vec<bool>> = parts.iter().map(|&part| self.truth(arena, part)).collect();
        let truths = truths?;
        Some(Value::Bool(if all { truths.iter().all(|&one| one) } else { truths.iter().any(|&one| one) }))
    }

    fn read(self, func: Func, args: &[Value]) -> Option<Value> {
        let store = &self.input.store;
        let object = || args.first()?.object();
        match func {
            Func::Param(at) => self.input.arguments.get(at as usize)?.clone(),
            Func::Global(at) => Some(store.global(self.unit, GlobalId(at))),
            Func::Length => match store.heap.get(&object()?)?.kind {
                Kind::Array { length, .. } => Some(Value::Int(length.into())),
                Kind::Fields(_) => None,
            },
            Func::Initial(Selector::Field(field)) => {
                let addr = object()?;
                let slot = Slot::Field(field);
                store.heap.get(&addr)?.all_slots(self.unit).contains(&slot).then(|| store.slot(self.unit, addr, slot))
            }
            Func::Initial(Selector::Cell(sort)) => {
                let addr = object()?;
                let Kind::Array { element, length } = &store.heap.get(&addr)?.kind else { return None };
                let Value::Int(index) = args.get(1)? else { return None };
                let index = index.to_u64().filter(|index| index < length && !is_other(element, sort))?;
                Some(store.slot(self.unit, addr, Slot::Cell(index)))
            }
            _ => None,
        }
    }
}

/// Whether cells of this type are of another sort.
fn is_other(element: &Type, sort: Sort) -> bool {
    Sort::from(element) != sort
}
