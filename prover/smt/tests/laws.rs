//! Laws of terms and heaps. What the smart constructors build means what was asked for. Reads after writes agree with a
//! concrete heap.

use lang_l::hir::{FieldId, Unit};
use lang_l::{parse, resolve, source::FileId};
use num_bigint::BigInt;
use num_traits::Zero;
use proptest::prelude::*;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::heap::HeapId;
use smt::term::{Func, Kind, PathFacts, Selector, Sort, Term, Terms};
use std::collections::BTreeMap;

/// An expression as it is asked for.
#[derive(Clone, Debug)]
enum Tree {
    Number(i64),
    Truth(bool),
    /// The n-th variable of a sort: a number, a truth, or a reference.
    Variable(Sort, u32),
    Null,
    /// Negation of a number or a truth.
    Not(Box<Tree>),
    Two(Operator, Box<Tree>, Box<Tree>),
    Choice(Box<Tree>, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Le,
    Lt,
    Eq,
    And,
    Or,
    Implies,
}

/// How many variables of each sort there are.
const VARIABLES: u32 = 3;

fn leaf(sort: Sort) -> BoxedStrategy<Tree> {
    let variable = (0..VARIABLES).prop_map(move |at| Tree::Variable(sort, at));
    match sort {
        Sort::Int => prop_oneof![(-4i64..5).prop_map(Tree::Number), variable].boxed(),
        Sort::Bool => prop_oneof![1 => any::<bool>().prop_map(Tree::Truth), 5 => variable].boxed(),
        Sort::Ref => prop_oneof![1 => Just(Tree::Null), 3 => variable].boxed(),
    }
}

/// Expressions of a sort, at most so deep.
fn trees(sort: Sort, depth: u32) -> BoxedStrategy<Tree> {
    use Operator::{Add, And, Div, Eq, Implies, Le, Lt, Mul, Or, Rem, Sub};
    if depth == 0 {
        return leaf(sort);
    }
    let below = |sort| trees(sort, depth - 1).prop_map(Box::new);
    let two = |operators: &'static [Operator], of| {
        (prop::sample::select(operators), below(of), below(of)).prop_map(|(operator, a, b)| Tree::Two(operator, a, b))
    };
    let choice = (below(Sort::Bool), below(sort), below(sort)).prop_map(|(c, a, b)| Tree::Choice(c, a, b));
    let not = below(sort).prop_map(Tree::Not);
    match sort {
        Sort::Int => {
            prop_oneof![2 => leaf(sort), 4 => two(&[Add, Sub, Mul, Div, Rem], sort), 1 => choice, 1 => not].boxed()
        }
        Sort::Bool => prop_oneof![
            1 => leaf(sort),
            4 => two(&[Le, Lt, Eq], Sort::Int),
            3 => two(&[And, Or, Implies, Eq], Sort::Bool),
            1 => two(&[Eq], Sort::Ref),
            1 => choice,
            2 => not
        ]
        .boxed(),
        Sort::Ref => prop_oneof![2 => leaf(sort), 1 => choice].boxed(),
    }
}

/// What the variables hold.
#[derive(Clone, Debug)]
struct Values {
    numbers: Vec<i64>,
    truths: Vec<bool>,
    references: Vec<u8>,
}

fn values() -> impl Strategy<Value = Values> {
    let count = VARIABLES as usize;
    (
        prop::collection::vec(-5i64..6, count),
        prop::collection::vec(any::<bool>(), count),
        prop::collection::vec(0u8..3, count),
    )
        .prop_map(|(numbers, truths, references)| Values { numbers, truths, references })
}

impl Values {
    fn of(&self, sort: Sort, at: u32) -> BigInt {
        match sort {
            Sort::Int => self.numbers[at as usize].into(),
            Sort::Bool => u8::from(self.truths[at as usize]).into(),
            Sort::Ref => self.references[at as usize].into(),
        }
    }

    /// What the terms of the variables hold.
    fn terms(&self, terms: &mut Terms) -> HashMap<Term, BigInt> {
        let all =
            [Sort::Int, Sort::Bool, Sort::Ref].into_iter().flat_map(|sort| (0..VARIABLES).map(move |at| (sort, at)));
        all.map(|(sort, at)| (variable(terms, sort, at), self.of(sort, at))).collect()
    }
}

fn variable(terms: &mut Terms, sort: Sort, at: u32) -> Term {
    terms.app(Func::Param(at), &[], sort)
}

/// The value of an expression, by the book; truths are 0 and 1. `None` where something is divided by zero.
fn value(tree: &Tree, values: &Values) -> Option<BigInt> {
    use Operator::{Add, And, Div, Eq, Implies, Le, Lt, Mul, Or, Rem, Sub};
    let bit = |holds: bool| BigInt::from(u8::from(holds));
    Some(match tree {
        Tree::Number(number) => (*number).into(),
        Tree::Truth(truth) => bit(*truth),
        Tree::Variable(sort, at) => values.of(*sort, *at),
        Tree::Null => BigInt::zero(),
        Tree::Not(inner) if sort_of(inner) == Sort::Int => -value(inner, values)?,
        Tree::Not(inner) => bit(value(inner, values)?.is_zero()),
        Tree::Choice(condition, then, els) => {
            let (condition, then, els) = (value(condition, values)?, value(then, values)?, value(els, values)?);
            if condition.is_zero() { els } else { then }
        }
        Tree::Two(operator, a, b) => {
            let (a, b) = (value(a, values)?, value(b, values)?);
            match operator {
                Add => a + b,
                Sub => a - b,
                Mul => a * b,
                Div | Rem if b.is_zero() => return None,
                Div => a / b,
                Rem => a % b,
                Le => bit(a <= b),
                Lt => bit(a < b),
                Eq => bit(a == b),
                And => bit(!a.is_zero() && !b.is_zero()),
                Or => bit(!a.is_zero() || !b.is_zero()),
                Implies => bit(a.is_zero() || !b.is_zero()),
            }
        }
    })
}

fn sort_of(tree: &Tree) -> Sort {
    use Operator::{Add, Div, Mul, Rem, Sub};
    match tree {
        Tree::Number(_) | Tree::Two(Add | Sub | Mul | Div | Rem, ..) => Sort::Int,
        Tree::Truth(_) | Tree::Two(..) => Sort::Bool,
        Tree::Variable(sort, _) => *sort,
        Tree::Null => Sort::Ref,
        Tree::Not(inner) | Tree::Choice(_, inner, _) => sort_of(inner),
    }
}

/// The term that the smart constructors make.
fn build(tree: &Tree, terms: &mut Terms) -> Term {
    use Operator::{Add, And, Div, Eq, Implies, Le, Lt, Mul, Or, Rem, Sub};
    match tree {
        Tree::Number(number) => terms.int(*number),
        Tree::Truth(truth) => terms.bool(*truth),
        Tree::Variable(sort, at) => variable(terms, *sort, *at),
        Tree::Null => terms.null(),
        Tree::Not(inner) => {
            let built = build(inner, terms);
            if sort_of(inner) == Sort::Int { terms.neg(built) } else { terms.not(built) }
        }
        Tree::Choice(condition, then, els) => {
            let [condition, then, els] = [condition, then, els].map(|part| build(part, terms));
            terms.ite(condition, then, els)
        }
        Tree::Two(operator, a, b) => {
            let (a, b) = (build(a, terms), build(b, terms));
            match operator {
                Add => terms.add(a, b),
                Sub => terms.sub(a, b),
                Mul => terms.mul(a, b),
                Div => terms.div(a, b),
                Rem => terms.rem(a, b),
                Le => terms.le(a, b),
                Lt => terms.lt(a, b),
                Eq => terms.eq(a, b),
                And => terms.and(&[a, b]),
                Or => terms.or(&[a, b]),
                Implies => terms.implies(a, b),
            }
        }
    }
}

/// The value of a term.
fn evaluate(terms: &mut Terms, term: Term, values: &Values) -> Option<BigInt> {
    let mut values = values.terms(terms);
    terms.evaluate(term, &mut values, &mut ())
}

fn any_sort(depth: u32) -> impl Strategy<Value = Tree> {
    prop_oneof![3 => trees(Sort::Bool, depth), 2 => trees(Sort::Int, depth), 1 => trees(Sort::Ref, depth)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rule *Simplify*: what a constructor makes has the value that was asked for.
    #[test]
    fn constructors_keep_the_meaning(tree in any_sort(4), values in values()) {
        let mut terms = Terms::new();
        let term = build(&tree, &mut terms);
        prop_assert_eq!(terms.sort(term), sort_of(&tree));
        if let Some(value) = value(&tree, &values) {
            prop_assert_eq!(evaluate(&mut terms, term, &values), Some(value));
        }
    }

    /// Simplification under facts keeps the value wherever the facts hold, and they are then not found to contradict.
    #[test]
    fn facts_keep_the_meaning(
        facts in prop::collection::vec(trees(Sort::Bool, 2), 1..5),
        tree in any_sort(3),
        values in values(),
    ) {
        let mut terms = Terms::new();
        let mut known = PathFacts::new();
        for fact in &facts {
            let Some(holds) = value(fact, &values) else { return Ok(()) };
            // The fact, or its negation: what holds of these values.
            let built = build(fact, &mut terms);
            let fact = if holds.is_zero() { terms.not(built) } else { built };
            prop_assert!(known.assume(&mut terms, fact), "a fact that holds contradicts others that hold");
        }
        let term = build(&tree, &mut terms);
        let simple = terms.simplify(term, &known);
        if let Some(value) = value(&tree, &values) {
            prop_assert_eq!(evaluate(&mut terms, simple, &values), Some(value));
        }
    }

    /// The normal form of choices has the same value; what was divided by zero may have none in either form.
    #[test]
    fn arranged_choices_keep_the_meaning(tree in any_sort(5), values in values()) {
        let mut terms = Terms::new();
        let term = build(&tree, &mut terms);
        let arranged = terms.arranged(term);
        let (before, after) = (evaluate(&mut terms, term, &values), evaluate(&mut terms, arranged, &values));
        if let (Some(before), Some(after)) = (before, after) {
            prop_assert_eq!(before, after);
        }
    }

    /// Sums of choices, and choices by what a number is, are the same term in whatever order they were made.
    #[test]
    fn the_order_of_independent_choices_is_lost(order in Just((0u32..6).collect::<Vec<_>>()).prop_shuffle()) {
        let mut terms = Terms::new();
        let made = [(0..6).collect(), order].map(|order: Vec<u32>| {
            let (mut sum, mut cell) = (terms.int(0), variable(&mut terms, Sort::Int, 9));
            for at in order {
                let [number, index] = [at, 7].map(|at| variable(&mut terms, Sort::Int, at));
                let (zero, mine) = (terms.int(0), terms.int(at));
                let (positive, here) = (terms.lt(zero, number), terms.eq(index, mine));
                let more = terms.add(sum, number);
                sum = terms.ite(positive, more, sum);
                cell = terms.ite(here, number, cell);
            }
            [terms.arranged(sum), terms.arranged(cell)]
        });
        prop_assert_eq!(made[0], made[1]);
    }

    /// A term with another in place of a variable means what it does when the variable has the other's value.
    #[test]
    fn substitution_is_assignment(tree in any_sort(3), at in 0..VARIABLES, by in trees(Sort::Int, 2), values in values()) {
        let Some(new) = value(&by, &values).and_then(|new| i64::try_from(&new).ok()) else { return Ok(()) };
        let mut terms = Terms::new();
        let (term, by) = (build(&tree, &mut terms), build(&by, &mut terms));
        let place = variable(&mut terms, Sort::Int, at);
        let replaced = terms.substitute(term, &HashMap::from_iter([(place, by)]));
        let mut assigned = values.clone();
        assigned.numbers[at as usize] = new;
        if let Some(value) = value(&tree, &assigned) {
            prop_assert_eq!(evaluate(&mut terms, replaced, &values), Some(value));
        }
    }
}

/// A sum within a sum may have its variable, which then is another one: only what is outside it is replaced.
#[test]
fn what_binds_a_variable_again_speaks_of_another() {
    let mut terms = Terms::new();
    let [number, end, factor, index] = [0, 1, 2, 3].map(|at| variable(&mut terms, Sort::Int, at));
    let square = terms.mul(number, number);
    let (bound, each) = terms.over_bound(square, number);
    let sum = |terms: &mut Terms, each: Term, end: Term| terms.app(Func::SumBelow, &[bound, each, end], Sort::Int);
    let closed = sum(&mut terms, each, end);
    // bound * closed * (the sum of bound * closed below bound)
    let product = terms.mul(bound, closed);
    let inner = sum(&mut terms, product, bound);
    let body = terms.mul(product, inner);
    let wanted = {
        let outer = terms.mul(index, closed);
        let inner = sum(&mut terms, product, index);
        terms.mul(outer, inner)
    };
    assert_eq!(terms.instance(bound, body, index), wanted);
    let other = terms.mul(factor, closed);
    assert_eq!(terms.instance(bound, other, index), other);
}

/// What is done to a heap. Objects and arrays are named by numbers: see [`Objects`].
#[derive(Clone, Debug)]
enum Step {
    /// A field of an object becomes a number, or what a field of another holds.
    Field { object: usize, field: u32, value: Result<i64, (usize, u32)> },
    /// A cell of an array.
    Cell { array: usize, index: i64, value: i64 },
    /// Two ways, by whether the n-th truth holds.
    Branch(u32, Vec<Step>, Vec<Step>),
}

const OBJECTS: usize = 5;
const FIELDS: u32 = 2;

fn step() -> impl Strategy<Value = Step> {
    let value = prop_oneof![(-9i64..10).prop_map(Ok), (0..OBJECTS, 0..FIELDS).prop_map(Err)];
    let field = (0..OBJECTS, 0..FIELDS, value).prop_map(|(object, field, value)| Step::Field { object, field, value });
    let cell = (0..OBJECTS, 0i64..3, -9i64..10).prop_map(|(array, index, value)| Step::Cell { array, index, value });
    let simple = prop_oneof![3 => field, 2 => cell];
    simple.prop_recursive(2, 8, 3, |inner| {
        let steps = || prop::collection::vec(inner.clone(), 0..3);
        (0..VARIABLES, steps(), steps()).prop_map(|(at, then, els)| Step::Branch(at, then, els))
    })
}

/// The objects of a test: three parameters, which may be the same, and two that are new.
struct Objects {
    terms: [Term; OBJECTS],
    addresses: [u64; OBJECTS],
}

/// A heap of numbers: by object and field, or by array and index; what is not there is as it was on entry.
type Concrete = BTreeMap<(u64, Result<u32, i64>), BigInt>;

/// What the heap on entry holds; new objects hold nothing but zeros.
fn initial(address: u64, at: Result<u32, i64>) -> BigInt {
    let at = at.map_or_else(|index| 7 * index + 3, |field| 100 * i64::from(field));
    if address < 10 { (i64::try_from(address).expect("small") * 11 + at).into() } else { BigInt::zero() }
}

fn get(heap: &Concrete, address: u64, at: Result<u32, i64>) -> BigInt {
    heap.get(&(address, at)).cloned().unwrap_or_else(|| initial(address, at))
}

fn run(steps: &[Step], objects: &Objects, values: &Values, heap: &mut Concrete) {
    for step in steps {
        match step {
            Step::Field { object, field, value } => {
                let value = match value {
                    Ok(number) => (*number).into(),
                    Err((other, field)) => get(heap, objects.addresses[*other], Ok(*field)),
                };
                heap.insert((objects.addresses[*object], Ok(*field)), value);
            }
            Step::Cell { array, index, value } => {
                heap.insert((objects.addresses[*array], Err(*index)), (*value).into());
            }
            Step::Branch(at, then, els) => {
                run(if values.truths[*at as usize] { then } else { els }, objects, values, heap);
            }
        }
    }
}

fn execute(steps: &[Step], objects: &Objects, arena: &mut Arena, mut heap: HeapId) -> HeapId {
    let field = |field: u32| Selector::Field(FieldId(field));
    for step in steps {
        heap = match step {
            Step::Field { object, field: at, value } => {
                let value = match value {
                    Ok(number) => arena.terms.int(*number),
                    Err((other, at)) => {
                        arena.heaps.read(&mut arena.terms, heap, field(*at), objects.terms[*other], None)
                    }
                };
                arena.heaps.store(heap, field(*at), objects.terms[*object], None, value)
            }
            Step::Cell { array, index, value } => {
                let (index, value) = (arena.terms.int(*index), arena.terms.int(*value));
                arena.heaps.store(heap, Selector::Cell(Sort::Int), objects.terms[*array], Some(index), value)
            }
            Step::Branch(at, then, els) => {
                let condition = variable(&mut arena.terms, Sort::Bool, *at);
                let then = execute(then, objects, arena, heap);
                let els = execute(els, objects, arena, heap);
                arena.heaps.join(condition, then, els)
            }
        };
    }
    heap
}

/// A program with two fields of numbers.
fn unit() -> Unit {
    let text = "procedure p(x, a: int[]) { x.f := x.f + 1; x.g := x.g + 1; a[0] := 1; }";
    let parsed = parse::parse(FileId(0), text);
    resolve::resolve(&[&parsed.file]).expect("a legal program")
}

/// The value of a term where the parameters are these objects and the heap on entry is [`initial`].
fn evaluate_in(arena: &mut Arena, term: Term, objects: &Objects, values: &Values) -> Option<BigInt> {
    let mut known = values.terms(&mut arena.terms);
    known.extend(objects.terms.iter().zip(objects.addresses).map(|(&term, address)| (term, address.into())));
    for (term, address) in objects.terms.into_iter().zip(objects.addresses) {
        for field in 0..FIELDS {
            let place = arena.terms.app(Func::Initial(Selector::Field(FieldId(field))), &[term], Sort::Int);
            known.insert(place, initial(address, Ok(field)));
        }
        for index in 0..3 {
            let at = arena.terms.int(index);
            let place = arena.terms.app(Func::Initial(Selector::Cell(Sort::Int)), &[term, at], Sort::Int);
            known.insert(place, initial(address, Err(index)));
        }
    }
    arena.terms.evaluate(term, &mut known, &mut ())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Reads after writes agree with a concrete heap, whichever parameters are the same object.
    #[test]
    fn reads_after_writes_are_those_of_a_heap(steps in prop::collection::vec(step(), 0..9), values in values()) {
        let mut arena = Arena::new(&unit());
        let references = [0, 1, 2].map(|at| variable(&mut arena.terms, Sort::Ref, at));
        let [(_, first), (_, second)] = [(); 2].map(|()| arena.terms.new_object(Kind::Object(None)));
        let address = |at: usize| u64::from(values.references[at]) + 1;
        let objects = Objects {
            terms: [references[0], references[1], references[2], first, second],
            addresses: [address(0), address(1), address(2), 11, 12],
        };
        let mut concrete = Concrete::new();
        run(&steps, &objects, &values, &mut concrete);
        let start = arena.heaps.initial();
        let heap = execute(&steps, &objects, &mut arena, start);
        for (&object, address) in objects.terms.iter().zip(objects.addresses) {
            for field in 0..FIELDS {
                let read = arena.heaps.read(&mut arena.terms, heap, Selector::Field(FieldId(field)), object, None);
                let found = evaluate_in(&mut arena, read, &objects, &values);
                prop_assert_eq!(found, Some(get(&concrete, address, Ok(field))));
            }
            for index in 0..3 {
                let at = arena.terms.int(index);
                let read = arena.heaps.read(&mut arena.terms, heap, Selector::Cell(Sort::Int), object, Some(at));
                let found = evaluate_in(&mut arena, read, &objects, &values);
                prop_assert_eq!(found, Some(get(&concrete, address, Err(index))));
            }
        }
    }
}
