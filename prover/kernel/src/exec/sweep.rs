//! What all turns of a loop or of recursion do together: the cells that they write, one after the other, and results that are sums, or that
//! change by a step in each turn.
//!
//! In: a [`Sweep`], and what a call is given. Out: the heap that the call leaves and the results that it gives back, as terms; and where it
//! is known to return.
//!
//! Rule *Sweep* (`proofs/soundness.md`): such a statement is shown by `pair::sweep`. For any term over an integer there is a function that
//! grows by the term's value from each integer to the next; so a sum from one place to another is a difference of two values of it,
//! whichever way it was added up. And for any term over a value and an integer there is one that takes it at each integer of a range, in
//! order, whatever the value at first.
//!
//! Invariant: a [`Sweep`] that [`Sweep::fits`] a procedure has a meaning for all its calls.

use lang_l::hir::FieldId;
use serde::{Deserialize, Serialize};
use smt::arena::Arena;
use smt::heap::{Fill, HeapId};
use smt::term::{Func, PathFacts, Selector, Sort, Term, Terms};
use std::collections::BTreeSet;

/// A value in one turn, over what the call was given and the heap that it found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Value {
    /// The index by which turns are told apart.
    Index,
    /// What a result has become by then.
    SoFar,
    /// What a parameter was given.
    Given(usize),
    /// A truth value.
    Truth(bool),
    /// No object.
    Null,
    /// The length of an array.
    Length(Box<Value>),
    /// A field, by its number, of an object.
    Field(u32, Box<Value>),
    /// The cell of an array at an index; what it holds is of this sort.
    Cell(Sort, Box<Value>, Box<Value>),
    /// A number, and multiples of others.
    Linear(i64, Vec<(i64, Value)>),
    /// The product of numbers.
    Product(Vec<Value>),
    /// What is left of a division.
    Quotient(Box<Value>, Box<Value>),
    /// And what remains.
    Remainder(Box<Value>, Box<Value>),
    /// A number is 0 or less.
    AtMostZero(Box<Value>),
    /// Two values of one sort are the same.
    Same(Box<Value>, Box<Value>),
    /// Something does not hold.
    Not(Box<Value>),
    /// All of some hold.
    All(Vec<Value>),
    /// One of two values, by a condition.
    Choice(Box<Value>, Box<Value>, Box<Value>),
}

/// The indices from the first up to but not including the second; none where that is no more.
pub type Range = [Value; 2];

/// Cells of one array that are written, each once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cells {
    /// The array.
    pub array: Value,
    /// What its cells hold.
    pub sort: Sort,
    /// Which of them.
    pub range: Range,
    /// What each holds afterwards.
    pub value: Value,
}

/// A result that something happens to at each index of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Total {
    /// What it was.
    pub start: Value,
    /// The indices.
    pub range: Range,
    /// By how much it grows, or what it becomes.
    pub each: Value,
    /// Which of the two.
    #[serde(skip_serializing_if = "Steps::are_added", default)]
    pub steps: Steps,
}

/// What happens to a result at each index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    /// Something is added to it.
    #[default]
    Added,
    /// It becomes something that depends on what it was, in the order of the indices.
    InOrder,
    /// The same, and the order does not matter.
    InAnyOrder,
}

impl Steps {
    fn are_added(&self) -> bool {
        *self == Steps::Added
    }
}

/// What all turns of a loop do together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// What is written, in this order. Nothing else is.
    pub cells: Vec<Cells>,
    /// Which results are totals, by their position; of the others nothing is said.
    pub totals: Vec<Option<Total>>,
    /// The questions, by number in the order in which they are asked, for which all is known of products of two variables.
    #[serde(skip_serializing_if = "BTreeSet::is_empty", default)]
    pub exact: BTreeSet<usize>,
    /// Which calls return for sure; of others nothing is said.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub returns: Option<Returns>,
}

/// Which calls neither err nor go on for ever.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Returns {
    /// What holds of what they are given.
    pub when: Value,
    /// A number that is less for the next turn, and not negative before it.
    pub measure: Value,
}

/// What a call is given: its arguments, and the heap that it finds.
#[derive(Clone, Copy)]
pub struct Before<'b> {
    /// The arguments.
    pub arguments: &'b [Term],
    /// The heap.
    pub heap: HeapId,
}

/// What a turn is about.
#[derive(Clone, Copy)]
struct Turn {
    index: Term,
    so_far: Term,
}

impl Turn {
    /// None: for what is said once, and speaks of no turn.
    fn none(arena: &mut Arena) -> Self {
        let number = arena.terms.skolem_int();
        Turn { index: number, so_far: number }
    }
}

/// The sorts of what values speak of.
#[derive(Clone, Copy)]
struct Sorts<'s> {
    given: &'s [Sort],
    fields: &'s [Sort],
    /// That of a result; `None` outside what is said of its steps.
    so_far: Option<Sort>,
}

impl Value {
    /// Its sort; `None` where it has no meaning.
    fn sort(&self, of: Sorts<'_>) -> Option<Sort> {
        let is = |value: &Value, wanted: Sort| value.sort(of) == Some(wanted);
        let all = |values: &[Value], wanted: Sort| values.iter().all(|value| is(value, wanted));
        let (sort, has_meaning) = match self {
            Value::Index => (Sort::Int, true),
            Value::SoFar => (of.so_far?, true),
            Value::Given(at) => (*of.given.get(*at)?, true),
            Value::Truth(_) => (Sort::Bool, true),
            Value::Null => (Sort::Ref, true),
            Value::Length(array) => (Sort::Int, is(array, Sort::Ref)),
            Value::Field(field, object) => (*of.fields.get(*field as usize)?, is(object, Sort::Ref)),
            Value::Cell(sort, array, index) => (*sort, is(array, Sort::Ref) && is(index, Sort::Int)),
            Value::Linear(_, parts) => (Sort::Int, parts.iter().all(|(_, part)| is(part, Sort::Int))),
            Value::Product(factors) => (Sort::Int, all(factors, Sort::Int)),
            Value::Quotient(a, b) | Value::Remainder(a, b) => (Sort::Int, is(a, Sort::Int) && is(b, Sort::Int)),
            Value::AtMostZero(number) => (Sort::Bool, is(number, Sort::Int)),
            Value::Same(a, b) => (Sort::Bool, a.sort(of).is_some_and(|sort| is(b, sort))),
            Value::Not(inner) => (Sort::Bool, is(inner, Sort::Bool)),
            Value::All(parts) => (Sort::Bool, all(parts, Sort::Bool)),
            Value::Choice(condition, then, els) => {
                let sort = then.sort(of)?;
                (sort, is(condition, Sort::Bool) && is(els, sort))
            }
        };
        has_meaning.then_some(sort)
    }

    /// Whether it speaks of the index: there is none outside what is said of each.
    pub fn is_by_index(&self) -> bool {
        match self {
            Value::Index => true,
            Value::SoFar | Value::Given(_) | Value::Truth(_) | Value::Null => false,
            Value::Length(part) | Value::Field(_, part) | Value::AtMostZero(part) | Value::Not(part) => {
                part.is_by_index()
            }
            Value::Linear(_, parts) => parts.iter().any(|(_, part)| part.is_by_index()),
            Value::Product(parts) | Value::All(parts) => parts.iter().any(Value::is_by_index),
            Value::Cell(_, a, b) | Value::Quotient(a, b) | Value::Remainder(a, b) | Value::Same(a, b) => {
                a.is_by_index() || b.is_by_index()
            }
            Value::Choice(a, b, c) => [a, b, c].into_iter().any(|part| part.is_by_index()),
        }
    }

    /// The value in this turn.
    fn term(&self, arena: &mut Arena, before: Before<'_>, turn: Turn) -> Term {
        let mut go = |value: &Value| value.term(arena, before, turn);
        match self {
            Value::Index => turn.index,
            Value::SoFar => turn.so_far,
            Value::Given(at) => before.arguments[*at],
            Value::Truth(value) => arena.terms.bool(*value),
            Value::Null => arena.terms.null(),
            Value::Length(array) => {
                let array = go(array);
                arena.heaps.length(&mut arena.terms, array)
            }
            Value::Field(field, object) => {
                let (selector, object) = (Selector::Field(FieldId(*field)), go(object));
                arena.heaps.read(&mut arena.terms, before.heap, selector, object, None)
            }
            Value::Cell(sort, array, index) => {
                let (array, index) = (go(array), go(index));
                arena.heaps.read(&mut arena.terms, before.heap, Selector::Cell(*sort), array, Some(index))
            }
            Value::Linear(constant, parts) => {
                let parts: Vec<(i64, Term)> = parts.iter().map(|(factor, part)| (*factor, go(part))).collect();
                linear(arena, *constant, parts)
            }
            Value::Product(factors) => {
                let factors: Vec<Term> = factors.iter().map(go).collect();
                let one = arena.terms.int(1);
                factors.into_iter().fold(one, |product, factor| arena.terms.mul(product, factor))
            }
            Value::Quotient(a, b) => {
                let (a, b) = (go(a), go(b));
                arena.terms.div(a, b)
            }
            Value::Remainder(a, b) => {
                let (a, b) = (go(a), go(b));
                arena.terms.rem(a, b)
            }
            Value::AtMostZero(number) => {
                let (number, zero) = (go(number), arena.terms.int(0));
                arena.terms.le(number, zero)
            }
            Value::Same(a, b) => {
                let (a, b) = (go(a), go(b));
                arena.terms.eq(a, b)
            }
            Value::Not(inner) => {
                let inner = go(inner);
                arena.terms.not(inner)
            }
            Value::All(parts) => {
                let parts: Vec<Term> = parts.iter().map(go).collect();
                arena.terms.and(&parts)
            }
            Value::Choice(condition, then, els) => {
                let (condition, then, els) = (go(condition), go(then), go(els));
                arena.terms.ite(condition, then, els)
            }
        }
    }
}

/// A number and multiples of others, added up.
fn linear(arena: &mut Arena, constant: i64, parts: Vec<(i64, Term)>) -> Term {
    let sum = arena.terms.int(constant);
    parts.into_iter().fold(sum, |sum, (factor, part)| {
        let factor = arena.terms.int(factor);
        let product = arena.terms.mul(factor, part);
        arena.terms.add(sum, product)
    })
}

impl Sweep {
    /// Whether it has a meaning for calls with arguments and results of these sorts, in a program with fields of these sorts. A result that
    /// something is said of is a number, or a boolean where it takes steps.
    pub fn fits(&self, given: &[Sort], results: &[Sort], fields: &[Sort]) -> bool {
        let sorts = Sorts { given, fields, so_far: None };
        let is = |value: &Value, wanted: Sort| value.sort(sorts) == Some(wanted);
        let once = |value: &Value, wanted: Sort| is(value, wanted) && !value.is_by_index();
        let is_range = |range: &Range| range.iter().all(|end| once(end, Sort::Int));
        let written = |own: &Cells| once(&own.array, Sort::Ref) && is_range(&own.range) && is(&own.value, own.sort);
        let total = |(own, &sort): (&Option<Total>, &Sort)| {
            let stepped = Sorts { so_far: Some(sort), ..sorts };
            let says = |own: &Total| {
                let steps = match own.steps {
                    Steps::Added => sort == Sort::Int && is(&own.each, Sort::Int),
                    // What allocations a reference may be of is not said of a step.
                    Steps::InOrder | Steps::InAnyOrder => sort != Sort::Ref && own.each.sort(stepped) == Some(sort),
                };
                steps && once(&own.start, sort) && is_range(&own.range)
            };
            own.as_ref().is_none_or(says)
        };
        self.totals.len() == results.len()
            && self.returns.as_ref().is_none_or(|own| once(&own.when, Sort::Bool) && once(&own.measure, Sort::Int))
            && self.cells.iter().all(written)
            && self.totals.iter().zip(results).all(total)
    }

    /// The heap that the call leaves.
    pub fn heap(&self, arena: &mut Arena, before: Before<'_>) -> HeapId {
        let turn = Turn::none(arena);
        let number = turn.index;
        let mut heap = before.heap;
        for own in &self.cells {
            let array = own.array.term(arena, before, turn);
            let [from, to] = own.range.each_ref().map(|end| end.term(arena, before, turn));
            let value = own.value.term(arena, before, turn);
            let value = within(&mut arena.terms, (number, value), from, to);
            let (index, value) = arena.terms.over_bound(value, number);
            let fill = Fill { selector: Selector::Cell(own.sort), array, from, to, index, value };
            heap = arena.heaps.fill(heap, fill);
        }
        heap
    }

    /// The results of the call, where something is said of them.
    pub fn results(&self, arena: &mut Arena, before: Before<'_>) -> Vec<Option<Term>> {
        self.totals.iter().map(|own| own.as_ref().map(|own| own.term(arena, before))).collect()
    }

    /// That the call is one of which it is said that it returns, and the measure of it.
    pub fn returning(&self, arena: &mut Arena, before: Before<'_>) -> Option<(Term, Term)> {
        let none = Turn::none(arena);
        let mut of = |value: &Value| value.term(arena, before, none);
        self.returns.as_ref().map(|own| (of(&own.when), of(&own.measure)))
    }

    /// For each result the order of whose steps is said not to matter: that two of them give the same in both orders, for any two indices
    /// and whatever the value.
    pub fn commuting(&self, arena: &mut Arena, before: Before<'_>) -> Vec<Term> {
        let claimed = self.totals.iter().flatten().filter(|own| own.steps == Steps::InAnyOrder);
        claimed.map(|own| own.commutes(arena, before)).collect()
    }
}

impl Total {
    fn term(&self, arena: &mut Arena, before: Before<'_>) -> Term {
        let turn = Turn::none(arena);
        let number = turn.index;
        let start = self.start.term(arena, before, turn);
        let [from, to] = self.range.each_ref().map(|end| end.term(arena, before, turn));
        let commutes = match self.steps {
            Steps::Added => {
                let each = self.each.term(arena, before, turn);
                return total(&mut arena.terms, start, (number, each), [from, to]);
            }
            Steps::InOrder => false,
            Steps::InAnyOrder => true,
        };
        let sort = arena.terms.sort(start);
        let so_far = arena.terms.skolem_of(sort);
        let each = self.each.term(arena, before, Turn { so_far, ..turn });
        let each = within(&mut arena.terms, (number, each), from, to);
        if each == so_far {
            return start;
        }
        let ([values, numbers], each) = arena.terms.over_two_bound(each, [so_far, number]);
        arena.terms.app(Func::Folded { commutes }, &[numbers, values, each, start, from, to], sort)
    }

    /// That two steps give the same in both orders.
    fn commutes(&self, arena: &mut Arena, before: Before<'_>) -> Term {
        let none = Turn::none(arena);
        let numbers = [none.index, arena.terms.skolem_int()];
        let start = self.start.term(arena, before, none);
        let sort = arena.terms.sort(start);
        let value = arena.terms.skolem_of(sort);
        let mut both = |[first, second]: [Term; 2]| {
            let so_far = self.each.term(arena, before, Turn { index: first, so_far: value });
            self.each.term(arena, before, Turn { index: second, so_far })
        };
        let [one, other] = [both(numbers), both([numbers[1], numbers[0]])];
        arena.terms.eq(one, other)
    }
}

/// A value with a term added for each number of a range.
fn total(terms: &mut Terms, start: Term, (number, each): (Term, Term), [from, to]: [Term; 2]) -> Term {
    let each = within(terms, (number, each), from, to);
    let sum = sum(terms, (number, each), from, to);
    let (some, zero) = (terms.lt(from, to), terms.int(0));
    let sum = terms.ite(some, sum, zero);
    terms.add(start, sum)
}

/// What a term is for the numbers of a range; nobody asks for others.
fn within(terms: &mut Terms, (number, each): (Term, Term), from: Term, to: Term) -> Term {
    let mut known = PathFacts::new();
    let ends = [terms.le(from, number), terms.lt(number, to)];
    match ends.into_iter().all(|end| known.assume(terms, end)) {
        true => terms.simplify(each, &known),
        false => each,
    }
}

/// The sum of a term for all numbers from one up to but not including another, which is no less: part by part, so that what is
/// added up together and what is added up in two loops is the same.
fn sum(terms: &mut Terms, (number, each): (Term, Term), from: Term, to: Term) -> Term {
    let (constant, parts) = terms.linear_parts(each);
    let (count, constant) = (terms.sub(to, from), terms.int(constant));
    let mut sum = terms.mul(constant, count);
    for (factor, part) in parts {
        let whole = if terms.occurs(number, part) {
            let (bound, part) = terms.over_bound(part, number);
            let [low, high] = [from, to].map(|end| terms.app(Func::SumBelow, &[bound, part, end], Sort::Int));
            terms.sub(high, low)
        } else {
            terms.mul(part, count)
        };
        let factor = terms.int(factor);
        let whole = terms.mul(factor, whole);
        sum = terms.add(sum, whole);
    }
    sum
}
