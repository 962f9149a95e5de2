//! Places of a heap: a field of an object, or a cell of an array.
//!
//! In: which variables lead to a place. Out: the place, given what these hold.

use crate::bounds::pair::APART;
use smt::term::{Selector, Sort, Term};

/// A place of what a variable refers to; variables by numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Spot {
    /// Which of the places that a relation names.
    pub number: u32,
    /// Which variable.
    pub base: usize,
    /// The field, or a cell.
    pub selector: Selector,
    /// The variable that is the index of the cell.
    pub index: Option<usize>,
}

/// A place of a heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the symbol for what it holds.
    pub symbol: u32,
    /// Of which object.
    pub object: Term,
    /// The field, or a cell.
    pub selector: Selector,
    /// The index of the cell.
    pub index: Option<Term>,
}

impl Spot {
    /// The number of the symbol for what it holds, among those of results or parameters: one of its own, whichever version names it.
    pub fn symbol(&self) -> u32 {
        let number = if faults::planted("kernel/places/one-name") { 0 } else { self.number };
        number.saturating_add(2 * APART)
    }

    /// The place, given the values of the variables; `None` where one has none.
    pub fn place(&self, mut value: impl FnMut(usize, Sort) -> Option<Term>) -> Option<Place> {
        let object = value(self.base, Sort::Ref)?;
        let index = match self.index {
            Some(at) => Some(value(at, Sort::Int)?),
            None => None,
        };
        Some(Place { symbol: self.symbol(), object, selector: self.selector, index })
    }

    /// The same with other numbers; `None` where a variable has none.
    pub fn renumbered(&self, mut number: impl FnMut(usize) -> Option<usize>) -> Option<Spot> {
        let base = number(self.base)?;
        let index = match self.index {
            Some(at) => Some(number(at)?),
            None => None,
        };
        Some(Spot { base, index, ..self.clone() })
    }
}
