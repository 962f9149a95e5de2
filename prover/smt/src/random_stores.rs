//! Stores that are made up from a number, for runs that propose and prove nothing. References are numbers; 0 is null.

use crate::term::{Func, Leaves, Node, Selector, Sort, Term, Terms, Values};
use lang_l::random::Random;
use num_bigint::BigInt;
use num_traits::Zero;

/// How many objects there are.
const OBJECTS: i64 = 8;
/// Stands for lengths where fields and arrays are numbers.
const LENGTH: u64 = u64::MAX;

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
        let value = draw(&mut self.random([u64::from(field), bits(object)]), sort);
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
        draw(&mut self.random([bits(array), bits(index)]), sort)
    }

    /// How long an array is.
    pub fn length(self, array: &BigInt) -> BigInt {
        draw(&mut self.random([LENGTH, bits(array)]), Sort::Ref)
    }

    /// The numbers that belong to a place in this store.
    fn random(self, [what, place]: [u64; 2]) -> Random {
        let of_kind = Random::item(self.0, what).number();
        Random::item(of_kind, place)
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

fn bits(number: &BigInt) -> u64 {
    i64::try_from(number).unwrap_or(0).cast_unsigned()
}

/// A small number of a sort; a reference is null or one of the objects.
pub fn draw(random: &mut Random, sort: Sort) -> BigInt {
    match sort {
        Sort::Bool => BigInt::from(random.below(2)),
        Sort::Ref => BigInt::from(random.below(OBJECTS as usize + 1)),
        Sort::Int => BigInt::from(random.below(11)) - 2,
    }
}
