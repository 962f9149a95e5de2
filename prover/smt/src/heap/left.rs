//! What a call leaves as it was, though it may write there.
//!
//! In: what is known of a call, and a place. Out: when the place may hold something else after the call.

use super::{HeapId, Heaps};
use crate::term::{Selector, Term, Terms};
use lang_l::hir::FieldId;
use serde::{Deserialize, Serialize};

/// What a call leaves as it was, of what it or a call of the same name in the other version may write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Left {
    /// The selectors of which all is left alone, though the call of the same name may write there. Behind them are no references.
    pub kept: Vec<Selector>,
    /// What changes in an object that existed only if something held of that object before.
    pub only_if: Vec<ChangesOnlyIf<Term>>,
}

/// A field that changes in an object, that existed before, only if one of some tests held of the object before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ChangesOnlyIf<V> {
    /// The field.
    pub field: FieldId,
    /// The tests.
    pub tests: Vec<Test<V>>,
}

/// A comparison of something that is read from an object. It holds as well where that cannot be read, as something on the way is null.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test<V> {
    /// The fields that are read, one from the other; the object itself is meant where there are none.
    pub path: Vec<FieldId>,
    /// How what is read is compared.
    pub comparison: Comparison,
    /// With what.
    pub value: V,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// They are the same.
    Equal,
    /// They are not the same.
    Unequal,
    /// A number is at most another.
    AtMost,
    /// A number is at least another.
    AtLeast,
}

impl Test<Term> {
    /// The test of an object in a heap.
    fn term(&self, heaps: &mut Heaps, terms: &mut Terms, heap: HeapId, object: Term) -> Term {
        let null = terms.null();
        let mut cases = Vec::with_capacity(self.path.len() + 1);
        let mut read = object;
        for &field in &self.path {
            cases.push(terms.eq(read, null));
            read = heaps.read(terms, heap, Selector::Field(field), read, None);
        }
        cases.push(match self.comparison {
            Comparison::Equal => terms.eq(read, self.value),
            Comparison::Unequal => {
                let same = terms.eq(read, self.value);
                terms.not(same)
            }
            Comparison::AtMost => terms.le(read, self.value),
            Comparison::AtLeast => terms.le(self.value, read),
        });
        terms.or(&cases)
    }
}

/// That one of some tests holds of an object in a heap.
pub fn any_holds(tests: &[Test<Term>], heaps: &mut Heaps, terms: &mut Terms, heap: HeapId, object: Term) -> Term {
    let all: Vec<Term> = tests.iter().map(|test| test.term(heaps, terms, heap, object)).collect();
    terms.or(&all)
}

impl<V> Test<V> {
    /// The same test with another value.
    pub fn with<W>(&self, value: impl FnOnce(&V) -> W) -> Test<W> {
        Test { path: self.path.clone(), comparison: self.comparison, value: value(&self.value) }
    }
}

impl Left {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty() && self.only_if.is_empty()
    }

    /// The same with values changed.
    pub(super) fn map(&self, mut value: impl FnMut(Term) -> Term) -> Left {
        let mut tests = |all: &[Test<Term>]| all.iter().map(|test| test.with(|&old| value(old))).collect();
        let only_if =
            self.only_if.iter().map(|own| ChangesOnlyIf { field: own.field, tests: tests(&own.tests) }).collect();
        Left { kept: self.kept.clone(), only_if }
    }

    /// Rule *Only if*: what is said of an object that existed before the call, given the heap before.
    pub(super) fn allows(
        &self,
        heaps: &mut Heaps,
        terms: &mut Terms,
        before: HeapId,
        (selector, object): (Selector, Term),
    ) -> Term {
        let mut all = Vec::new();
        for own in self.only_if.iter().filter(|own| Selector::Field(own.field) == selector) {
            all.push(any_holds(&own.tests, heaps, terms, before, object));
        }
        terms.and(&all)
    }
}
