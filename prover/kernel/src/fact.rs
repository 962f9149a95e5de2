//! Facts: what holds of the variables of two procedures, and of what is read from these.
//!
//! In: values of both versions, and their heaps. Out: facts as terms over them, and as they are written.

use lang_l::hir::{FieldId, Procedure, Type, Unit};
use smt::arena::Arena;
use smt::heap::HeapId;
use smt::term::{Selector, Sort, Term};

/// A way on from a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// What a field holds.
    Field(FieldId),
    /// The length of an array.
    Length,
    /// The cell of an array whose index is this parameter; what it holds is of this sort.
    Cell(usize, Sort),
    /// The first cell of an array.
    First(Sort),
    /// The cell so many before the one whose index is this parameter.
    Before(usize, u32, Sort),
    /// The cell whose index is this parameter of the other version.
    Beside(usize, Sort),
    /// Each cell of an array, one at a time ([`Fact::Each`]).
    Each(Sort),
}

impl Step {
    /// What is read in the heap; `None` where it is a length.
    pub fn selector(&self) -> Option<Selector> {
        match *self {
            Step::Field(field) => Some(Selector::Field(field)),
            Step::Cell(_, sort) | Step::Before(_, _, sort) | Step::Beside(_, sort) => Some(Selector::Cell(sort)),
            Step::First(sort) | Step::Each(sort) => Some(Selector::Cell(sort)),
            Step::Length => None,
        }
    }
}

/// A value that a version is given, or that it can read from there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Atom {
    /// Which version.
    pub version: usize,
    /// Which parameter.
    pub parameter: usize,
    /// What is read from it, one after the other.
    pub steps: Vec<Step>,
}

/// A number times some values: `2 * i * n`; of no values the number alone.
pub type Product = (i64, Vec<Atom>);

/// Something that holds of the arguments of both versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fact {
    /// A value is another and a number more.
    Equal(Atom, Atom, i64),
    /// Two numbers have a third as their sum, and a number more.
    Sum([Atom; 2], Atom, i64),
    /// The sum of some products is a number.
    Polynomial(Vec<Product>, Atom),
    /// So many times a number is another one, and a number more.
    Multiple(i64, Atom, Atom, i64),
    /// A number is as far from a second one as a third is from a fourth.
    Change([Atom; 2], [Atom; 2]),
    /// A number is at most another and a number more.
    AtMost(Atom, Atom, i64),
    /// A number is at least this.
    AtLeast(Atom, i64),
    /// A number is this.
    Is(Atom, i64),
    /// A number is not 0.
    NotZero(Atom),
    /// A reference is null.
    Null(Atom),
    /// A reference is not null.
    NotNull(Atom),
    /// A boolean is this.
    Truth(Atom, bool),
    /// Another one does not hold.
    Not(Box<Fact>),
    /// The second holds where the first does; it may be one that holds where another does.
    Under(Box<[Fact; 2]>),
    /// It holds of each cell that it speaks of by [`Step::Each`]; of those alone whose index is not below this.
    Each(Option<Atom>, Box<Fact>),
}

/// What facts are read in: what each version is given, and its heap.
#[derive(Clone, Copy)]
pub struct Given<'g> {
    /// The arguments.
    pub arguments: [&'g [Term]; 2],
    /// The heaps.
    pub heaps: [HeapId; 2],
    /// The index of the cell that is spoken of, where each is.
    index: Option<Term>,
}

impl<'g> Given<'g> {
    /// What each version is given, in its heap.
    pub fn new(arguments: [&'g [Term]; 2], heaps: [HeapId; 2]) -> Self {
        Given { arguments, heaps, index: None }
    }
}

impl Atom {
    /// The value; what must hold for it to have one goes to `needed`.
    fn read(&self, arena: &mut Arena, given: Given<'_>, needed: &mut Vec<Term>) -> Term {
        let (arguments, heap) = (given.arguments[self.version], given.heaps[self.version]);
        let mut value = arguments[self.parameter];
        for step in &self.steps {
            let null = arena.terms.null();
            let is_null = arena.terms.eq(value, null);
            needed.push(arena.terms.not(is_null));
            value = match *step {
                Step::Field(field) => arena.heaps.read(&mut arena.terms, heap, Selector::Field(field), value, None),
                Step::Length => arena.heaps.length(&mut arena.terms, value),
                Step::Cell(index, sort) => cell(arena, heap, (value, arguments[index], sort), needed),
                Step::Beside(index, sort) => {
                    cell(arena, heap, (value, given.arguments[1 - self.version][index], sort), needed)
                }
                Step::First(sort) => {
                    let zero = arena.terms.int(0);
                    cell(arena, heap, (value, zero, sort), needed)
                }
                Step::Before(index, back, sort) => {
                    let before = plus(arena, arguments[index], -i64::from(back));
                    cell(arena, heap, (value, before, sort), needed)
                }
                Step::Each(sort) => {
                    // Of no cell nothing is said.
                    needed.extend(given.index.is_none().then(|| arena.terms.bool(false)));
                    let index = given.index.unwrap_or_else(|| arena.terms.int(0));
                    cell(arena, heap, (value, index, sort), needed)
                }
            };
        }
        value
    }

    /// As it is written; a prime marks version 1.
    fn words(&self, unit: &Unit, code: [&Procedure; 2]) -> String {
        let name = |version: usize, parameter: usize| {
            format!("{}{}", code[version].locals[parameter].name, ["", "'"][version])
        };
        let own = |parameter: usize| name(self.version, parameter);
        self.steps.iter().fold(own(self.parameter), |text, step| match *step {
            Step::Field(field) => format!("{text}.{}", unit.fields[field.index()].name),
            Step::Length => format!("{text}.length"),
            Step::Cell(index, _) => format!("{text}[{}]", own(index)),
            Step::First(_) => format!("{text}[0]"),
            Step::Before(index, back, _) => format!("{text}[{} - {back}]", own(index)),
            Step::Beside(index, _) => format!("{text}[{}]", name(1 - self.version, index)),
            Step::Each(_) => format!("{text}[k]"),
        })
    }

    fn is(&self, version: usize, parameter: usize) -> bool {
        self.version == version && self.parameter == parameter && self.steps.is_empty()
    }
}

impl Fact {
    /// All that is read in it.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.atoms().into_iter().flat_map(|atom| &atom.steps)
    }

    /// All that it speaks of.
    fn atoms(&self) -> Vec<&Atom> {
        match self {
            Fact::Equal(one, other, _) | Fact::AtMost(one, other, _) | Fact::Multiple(_, one, other, _) => {
                vec![one, other]
            }
            Fact::Sum([a, b], whole, _) => vec![a, b, whole],
            Fact::Polynomial(parts, whole) => parts.iter().flat_map(|(_, factors)| factors).chain([whole]).collect(),
            Fact::Change(one, other) => one.iter().chain(other).collect(),
            Fact::AtLeast(one, _) | Fact::Is(one, _) | Fact::NotZero(one) | Fact::Null(one) => vec![one],
            Fact::NotNull(one) | Fact::Truth(one, _) => vec![one],
            Fact::Not(other) => other.atoms(),
            Fact::Under(both) => both.iter().flat_map(Fact::atoms).collect(),
            Fact::Each(from, held) => from.iter().chain(held.atoms()).collect(),
        }
    }

    /// How many others have to hold for it to say something.
    pub fn premises(&self) -> usize {
        std::iter::successors(Some(self), |fact| match fact {
            Fact::Under(both) => Some(&both[1]),
            _ => None,
        })
        .skip(1)
        .count()
    }

    /// Whether it is not made of others.
    pub fn is_plain(&self) -> bool {
        !matches!(self, Fact::Not(_) | Fact::Under(_) | Fact::Each(..))
    }

    /// Whether it says what a parameter is.
    pub fn defines(&self, version: usize, parameter: usize) -> bool {
        match self {
            Fact::Truth(one, _) | Fact::Is(one, _) | Fact::Null(one) => one.is(version, parameter),
            Fact::Equal(one, other, _) | Fact::Multiple(_, one, other, _) => {
                one.is(version, parameter) || other.is(version, parameter)
            }
            Fact::Sum(..) | Fact::Polynomial(..) => self.atoms().into_iter().any(|part| part.is(version, parameter)),
            Fact::Under(both) => both[1].defines(version, parameter),
            Fact::Change(..) | Fact::AtMost(..) | Fact::AtLeast(..) | Fact::NotZero(_) | Fact::NotNull(_) => false,
            Fact::Not(_) | Fact::Each(..) => false,
        }
    }

    /// The version and the result that it says is read from something else of that version, and what that is; the two have so many
    /// parameters.
    pub fn definition(&self, params: [usize; 2]) -> Option<(usize, usize, &Atom)> {
        match self {
            Fact::Equal(one, other, 0) if one.version == other.version && one.steps.is_empty() => {
                let result = one.parameter.checked_sub(*params.get(one.version)?)?;
                let alone = !other.steps.iter().any(|step| matches!(step, Step::Beside(..)));
                alone.then_some((one.version, result, other))
            }
            _ => None,
        }
    }

    /// As it is written; a prime marks what is of version 1.
    pub fn words(&self, unit: &Unit, code: [&Procedure; 2]) -> String {
        let word = |atom: &Atom| atom.words(unit, code);
        let more = |number: &i64| match number {
            0 => String::new(),
            1.. => format!(" + {number}"),
            _ => format!(" - {}", number.unsigned_abs()),
        };
        match self {
            Fact::Equal(one, other, number) => format!("{} == {}{}", word(one), word(other), more(number)),
            Fact::Sum([a, b], whole, number) => {
                format!("{} + {} == {}{}", word(a), word(b), word(whole), more(number))
            }
            Fact::Polynomial(parts, whole) => {
                let product = |(times, factors): &Product| {
                    let number =
                        (times.unsigned_abs() != 1 || factors.is_empty()).then(|| times.unsigned_abs().to_string());
                    number.into_iter().chain(factors.iter().map(word)).collect::<Vec<_>>().join(" * ")
                };
                let signed = |(at, own): (usize, &Product)| match (at, own.0 < 0) {
                    (0, false) => product(own),
                    (0, true) => format!("-{}", product(own)),
                    (_, false) => format!(" + {}", product(own)),
                    (_, true) => format!(" - {}", product(own)),
                };
                let sum: String = parts.iter().enumerate().map(signed).collect();
                format!("{sum} == {}", word(whole))
            }
            Fact::Multiple(times, one, other, number) => {
                format!("{times} * {} == {}{}", word(one), word(other), more(number))
            }
            Fact::Change([a, b], [c, d]) => format!("{} - {} == {} - {}", word(a), word(b), word(c), word(d)),
            Fact::AtMost(one, other, number) => format!("{} <= {}{}", word(one), word(other), more(number)),
            Fact::AtLeast(one, number) => format!("{} >= {number}", word(one)),
            Fact::Is(one, number) => format!("{} == {number}", word(one)),
            Fact::NotZero(one) => format!("{} != 0", word(one)),
            Fact::Null(reference) => format!("{} == null", word(reference)),
            Fact::NotNull(reference) => format!("{} != null", word(reference)),
            Fact::Truth(one, true) => word(one),
            Fact::Truth(one, false) => format!("!{}", word(one)),
            Fact::Not(other) => format!("!({})", other.words(unit, code)),
            Fact::Under(both) => format!("({} implies {})", both[0].words(unit, code), both[1].words(unit, code)),
            Fact::Each(None, held) => format!("(forall k: {})", held.words(unit, code)),
            Fact::Each(Some(from), held) => {
                format!("(forall k: k >= {} implies {})", word(from), held.words(unit, code))
            }
        }
    }

    /// The fact as a term. Where a value cannot be read nothing is said.
    pub fn term(&self, arena: &mut Arena, given: Given<'_>) -> Term {
        let [needed, holds] = self.parts(arena, given);
        arena.terms.implies(needed, holds)
    }

    /// The same, where all values can be read.
    pub(crate) fn strictly(&self, arena: &mut Arena, given: Given<'_>) -> Term {
        let parts = self.parts(arena, given);
        arena.terms.and(&parts)
    }

    /// That its values can be read, and that it holds of them.
    fn parts(&self, arena: &mut Arena, given: Given<'_>) -> [Term; 2] {
        let mut needed = Vec::new();
        let holds = match self {
            Fact::Equal(one, other, more) => {
                let [one, other] = both(arena, given, [one, other], *more, &mut needed);
                arena.terms.eq(one, other)
            }
            Fact::Sum(parts, whole, more) => {
                let [a, b] = parts.each_ref().map(|part| part.read(arena, given, &mut needed));
                let whole = whole.read(arena, given, &mut needed);
                let whole = plus(arena, whole, *more);
                let sum = arena.terms.add(a, b);
                arena.terms.eq(sum, whole)
            }
            Fact::Polynomial(parts, whole) => {
                let sum = polynomial(arena, given, parts, &mut needed);
                let whole = whole.read(arena, given, &mut needed);
                arena.terms.eq(sum, whole)
            }
            Fact::Multiple(times, one, other, more) => {
                let [one, other] = both(arena, given, [one, other], *more, &mut needed);
                let times = arena.terms.int(*times);
                let multiple = arena.terms.mul(times, one);
                arena.terms.eq(multiple, other)
            }
            Fact::Change(one, other) => as_far(arena, given, [one, other], &mut needed),
            Fact::AtMost(one, other, more) => {
                let [one, other] = both(arena, given, [one, other], *more, &mut needed);
                arena.terms.le(one, other)
            }
            Fact::AtLeast(one, least) => {
                let one = one.read(arena, given, &mut needed);
                let least = arena.terms.int(*least);
                arena.terms.le(least, one)
            }
            Fact::Is(one, number) => {
                let one = one.read(arena, given, &mut needed);
                let number = arena.terms.int(*number);
                arena.terms.eq(one, number)
            }
            Fact::Null(reference) => {
                let (reference, null) = (reference.read(arena, given, &mut needed), arena.terms.null());
                arena.terms.eq(reference, null)
            }
            Fact::NotZero(one) => return Fact::Is(one.clone(), 0).negated(arena, given),
            Fact::NotNull(reference) => return Fact::Null(reference.clone()).negated(arena, given),
            Fact::Not(other) => return other.negated(arena, given),
            Fact::Truth(one, truth) => {
                let one = one.read(arena, given, &mut needed);
                if *truth { one } else { arena.terms.not(one) }
            }
            Fact::Under(both) => {
                let first = both[0].strictly(arena, given);
                let second = both[1].term(arena, given);
                arena.terms.implies(first, second)
            }
            Fact::Each(from, held) => of_each(arena, given, (from.as_ref(), held), &mut needed),
        };
        [arena.terms.and(&needed), holds]
    }

    /// That its values can be read, and that it does not hold of them.
    fn negated(&self, arena: &mut Arena, given: Given<'_>) -> [Term; 2] {
        let [needed, holds] = self.parts(arena, given);
        [needed, arena.terms.not(holds)]
    }
}

/// That a fact holds of each cell, from an index on.
fn of_each(arena: &mut Arena, given: Given<'_>, (from, held): (Option<&Atom>, &Fact), needed: &mut Vec<Term>) -> Term {
    let index = arena.terms.skolem_int();
    let from = from.map(|from| from.read(arena, given, needed));
    let holds = held.term(arena, Given { index: Some(index), ..given });
    let within = match from {
        Some(from) => arena.terms.le(from, index),
        None => arena.terms.bool(true),
    };
    let holds = arena.terms.implies(within, holds);
    let (index, holds) = arena.terms.over_bound(holds, index);
    arena.terms.forall(index, holds)
}

/// Two values, with a number more than the second.
fn both(arena: &mut Arena, given: Given<'_>, atoms: [&Atom; 2], more: i64, needed: &mut Vec<Term>) -> [Term; 2] {
    let [one, other] = atoms.map(|atom| atom.read(arena, given, needed));
    [one, plus(arena, other, more)]
}

/// A sum of products.
fn polynomial(arena: &mut Arena, given: Given<'_>, parts: &[Product], needed: &mut Vec<Term>) -> Term {
    let mut sum = arena.terms.int(0);
    for (times, factors) in parts {
        let mut product = arena.terms.int(*times);
        for factor in factors {
            let factor = factor.read(arena, given, needed);
            product = arena.terms.mul(product, factor);
        }
        sum = arena.terms.add(sum, product);
    }
    sum
}

/// That two numbers are as far from one another as two others.
fn as_far(arena: &mut Arena, given: Given<'_>, both: [&[Atom; 2]; 2], needed: &mut Vec<Term>) -> Term {
    let [one, other] = both.map(|ends| {
        let [to, from] = ends.each_ref().map(|end| end.read(arena, given, needed));
        arena.terms.sub(to, from)
    });
    arena.terms.eq(one, other)
}

/// What a cell of an array holds, of this sort.
fn cell(arena: &mut Arena, heap: HeapId, (array, index, sort): (Term, Term, Sort), needed: &mut Vec<Term>) -> Term {
    let zero = arena.terms.int(0);
    let length = arena.heaps.length(&mut arena.terms, array);
    needed.extend([arena.terms.le(zero, index), arena.terms.lt(index, length)]);
    arena.heaps.read(&mut arena.terms, heap, Selector::Cell(sort), array, Some(index))
}

/// `term + more`; the term itself where nothing is added, whatever its sort.
fn plus(arena: &mut Arena, term: Term, more: i64) -> Term {
    if more == 0 {
        return term;
    }
    let more = arena.terms.int(more);
    arena.terms.add(term, more)
}

/// The type of a field of what a variable of this type refers to; `None` where there is no such field.
pub(crate) fn field_of<'u>(unit: &'u Unit, ty: &Type, field: FieldId) -> Option<&'u Type> {
    let field = unit.fields.get(field.index())?;
    let fits = match ty {
        Type::Class(class) => field.class == Some(*class),
        Type::Ref => field.class.is_none(),
        _ => false,
    };
    fits.then_some(&field.ty)
}
