//! Stores that are made up from a number, for runs that propose and prove nothing. References are numbers; 0 is null.

use crate::term::{Func, Leaves, Node, Selector, Sort, Term, Terms, Values};
use num_bigint::BigInt;
use num_traits::Zero;

/// How many objects there are.
const OBJECTS: i64 = 8;

/// A store: what every field and cell holds, and how long arrays are.
#[derive(Clone, Copy, Debug)]
pub struct RandomStore(u64);

impl RandomStore {
    /// The store of this number.
    pub fn new(number: u64) -> Self {
        RandomStore(number)
    }

    /// What a field, a cell or a length is, with these values for its arguments; `None` when it is none of these.
    pub fn read(self, terms: &Terms, term: Term, args: &[BigInt]) -> Option<BigInt> {
        let Node::App(func, _) = terms.node(term) else { return None };
        match (func, args) {
            (Func::Initial(Selector::Field(field)), [object]) => Some(self.field(field.0, object, terms.sort(term))),
            (Func::Initial(Selector::Cell(_)), [array, index]) => Some(self.cell(array, index, terms.sort(term))),
            (Func::Length, [array]) => Some(self.length(array)),
            _ => None,
        }
    }

    /// What a field holds. References lead from an object to later ones, so that every path comes to null.
    fn field(self, field: u32, object: &BigInt, sort: Sort) -> BigInt {
        let Ok(at) = i64::try_from(object) else { return BigInt::zero() };
        let mut seed = self.0 ^ (u64::from(field) << 32) ^ scattered(object);
        draw(&mut seed, Sort::Int);
        let value = draw(&mut seed, sort);
        if sort != Sort::Ref {
            return value;
        }
        let step = i64::try_from(&value).unwrap_or(0);
        // Mostly the next one: long lists show more.
        let next = at + if step == 0 { OBJECTS } else { 1 + step % 2 };
        BigInt::from(if next > OBJECTS { 0 } else { next })
    }

    /// What a cell holds.
    fn cell(self, array: &BigInt, index: &BigInt, sort: Sort) -> BigInt {
        let mut seed = self.0 ^ scattered(array) ^ scattered(index).rotate_left(17);
        draw(&mut seed, Sort::Int);
        draw(&mut seed, sort)
    }

    /// How long an array is.
    pub fn length(self, array: &BigInt) -> BigInt {
        let mut seed = self.0 ^ scattered(array).rotate_left(31);
        draw(&mut seed, Sort::Int);
        draw(&mut seed, Sort::Ref)
    }
}

/// What is read from the heap on entry is what the store holds; other applications have no values.
impl Leaves for RandomStore {
    fn application(&mut self, terms: &Terms, term: Term, values: &mut Values) -> Option<BigInt> {
        let Node::App(Func::Initial(_) | Func::Length, args) = terms.node(term) else { return None };
        let args = terms.evaluate_all(args, values, self)?;
        self.read(terms, term, &args)
    }
}

/// A store, or none, of which nothing is known.
impl Leaves for Option<RandomStore> {
    fn application(&mut self, terms: &Terms, term: Term, values: &mut Values) -> Option<BigInt> {
        self.as_mut()?.application(terms, term, values)
    }
}

fn scattered(number: &BigInt) -> u64 {
    i64::try_from(number).unwrap_or(0).unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A small number, by a linear congruential generator: the same ones each time.
pub fn draw(seed: &mut u64, sort: Sort) -> BigInt {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let value = i64::try_from(*seed >> 40).unwrap_or(0);
    BigInt::from(match sort {
        Sort::Bool => value % 2,
        Sort::Ref => value % (OBJECTS + 1),
        Sort::Int => value % 11 - 2,
    })
}
