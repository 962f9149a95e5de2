//! Terms over the store on entry as expressions of L.
//!
//! In: a term. Out: its text, or nothing where L cannot say it: what a call did, a new object, a sum over a loop.
//! With it come the *guards* of the term: what must hold for the expression to have a value.
//!
//! Invariant: a text stands for its term wherever all its guards hold.

use crate::budget::diff::MAX_NODES;
use crate::lower::Lowered;
use lang_l::hir::Procedure;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use smt::arena::Arena;
use smt::term::{Func, Node, Selector, Term};
use std::collections::BTreeSet;

/// What the constants of a term are called.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    /// The program.
    pub(super) unit: &'a Lowered,
    /// Whose parameters are meant.
    pub(super) procedure: &'a Procedure,
    /// The numbers that the sources mention: a bound is written with one of them where that can be.
    pub(super) numbers: &'a BTreeSet<BigInt>,
    /// Whether the text stands beside final values, so that what is meant on entry must be said to be.
    pub(super) beside_final: bool,
}

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    /// `?:`, quantifiers
    Loosest,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`, `<=` and the like
    Comparison,
    /// `+`, `-`
    Sum,
    /// `/`, `%`: not where a product is asked for, as `k * (n / 2)` is another number than `k * n / 2`
    Quotient,
    /// `*`
    Product,
    /// `-e`, `!e`
    Sign,
    /// names, literals, places
    Tightest,
}

/// An expression as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Text {
    /// The text.
    pub(super) text: String,
    /// How tightly it binds.
    pub(super) binding: Binding,
}

impl Text {
    /// A text with this outermost operator.
    pub(super) fn new(text: impl Into<String>, binding: Binding) -> Self {
        Text { text: text.into(), binding }
    }

    /// The text as an operand of what binds like this; in parentheses if it binds less tightly.
    pub(super) fn within(&self, binding: Binding) -> String {
        if self.binding >= binding { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// A term as text; `None` where L has no words for it.
pub(super) fn text(names: Names<'_>, arena: &Arena, term: Term) -> Option<Text> {
    Writer { names, arena, left: MAX_NODES }.term(term)
}

/// A sum as text; terms may stand in it more than once.
pub(super) fn linear(names: Names<'_>, arena: &Arena, constant: &BigInt, parts: &[(BigInt, Term)]) -> Option<Text> {
    let mut together: Vec<(BigInt, Term)> = Vec::new();
    for (factor, part) in parts {
        match together.iter_mut().find(|(_, known)| known == part) {
            Some((sum, _)) => *sum += factor,
            None => together.push((factor.clone(), *part)),
        }
    }
    together.retain(|(factor, _)| !factor.is_zero());
    Writer { names, arena, left: MAX_NODES }.sum(constant, &together)
}

/// The place of a field or cell as text.
pub(super) fn place(
    names: Names<'_>,
    arena: &Arena,
    selector: Selector,
    (object, index): (Term, Option<Term>),
) -> Option<Text> {
    let mut writer = Writer { names, arena, left: MAX_NODES };
    writer.slot(selector, object, index)
}

/// What must hold for a term to have a value, what others need first.
pub(super) fn guards(arena: &mut Arena, term: Term) -> Vec<Term> {
    let mut found = Vec::new();
    collect(arena, term, &mut found, &mut BTreeSet::new());
    found
}

fn collect(arena: &mut Arena, term: Term, found: &mut Vec<Term>, seen: &mut BTreeSet<Term>) {
    if !seen.insert(term) {
        return;
    }
    let node = arena.terms.node(term).clone();
    for child in node.children() {
        collect(arena, child, found, seen);
    }
    let needed = match &node {
        Node::App(Func::Initial(Selector::Field(_)) | Func::Length, args) => vec![given(arena, args[0])],
        Node::App(Func::Initial(Selector::Cell(_)), args) => cell(arena, args[0], args[1]),
        Node::Div(_, divisor) | Node::Rem(_, divisor) => {
            let zero = arena.terms.int(0);
            let is_zero = arena.terms.eq(*divisor, zero);
            vec![arena.terms.not(is_zero)]
        }
        _ => Vec::new(),
    };
    for guard in needed {
        if !arena.terms.is_true(guard) && !found.contains(&guard) {
            found.push(guard);
        }
    }
}

fn given(arena: &mut Arena, object: Term) -> Term {
    let null = arena.terms.null();
    let is_null = arena.terms.eq(object, null);
    arena.terms.not(is_null)
}

fn cell(arena: &mut Arena, array: Term, index: Term) -> Vec<Term> {
    let given = given(arena, array);
    let zero = arena.terms.int(0);
    let low = arena.terms.le(zero, index);
    let length = arena.heaps.length(&mut arena.terms, array);
    let high = arena.terms.lt(index, length);
    vec![given, low, high]
}

struct Writer<'a> {
    names: Names<'a>,
    arena: &'a Arena,
    left: usize,
}

impl Writer<'_> {
    fn term(&mut self, term: Term) -> Option<Text> {
        self.left = self.left.checked_sub(1)?;
        let arena = self.arena;
        match arena.terms.node(term) {
            Node::Int(value) => Some(number(value)),
            Node::Bool(value) => Some(Text::new(value.to_string(), Binding::Tightest)),
            Node::Null => Some(Text::new("null", Binding::Tightest)),
            Node::App(func, args) => self.application(*func, args),
            Node::Linear(constant, parts) => {
                let parts: Vec<(BigInt, Term)> = parts.to_vec();
                self.sum(constant, &parts)
            }
            Node::Mul(parts) => self.chain(parts, " * ", Binding::Product),
            Node::Div(a, b) => self.operation([*a, *b], " / "),
            Node::Rem(a, b) => self.operation([*a, *b], " % "),
            Node::AtMostZero(t) => self.at_most_zero(*t),
            Node::IsZero(t) => self.is_zero(*t, "=="),
            Node::SameRef(a, b) => self.compared([*a, *b], "=="),
            Node::InClass(..) => None,
            Node::Not(t) => match arena.terms.node(*t) {
                Node::SameRef(a, b) => self.compared([*a, *b], "!="),
                Node::IsZero(t) => self.is_zero(*t, "!="),
                _ => {
                    let inner = self.term(*t)?.within(Binding::Sign);
                    Some(Text::new(format!("!{inner}"), Binding::Sign))
                }
            },
            Node::And(parts) => self.chain(parts, " && ", Binding::And),
            Node::Or(parts) => self.chain(parts, " || ", Binding::Or),
            Node::Ite(cond, then, els) => {
                let [cond, then, els] = [*cond, *then, *els].map(|part| self.term(part));
                let [cond, then, els] = [cond?, then?, els?].map(|part| part.within(Binding::Or));
                Some(Text::new(format!("{cond} ? {then} : {els}"), Binding::Loosest))
            }
            Node::Forall(..) => None,
        }
    }

    fn application(&mut self, func: Func, args: &[Term]) -> Option<Text> {
        let Names { unit, procedure, .. } = self.names;
        let name = |name: &String| Text::new(name.clone(), Binding::Tightest);
        match func {
            Func::Param(at) => procedure.locals.get(at as usize).map(|local| name(&local.name)),
            Func::Global(at) => {
                let global = &unit.globals().get(at as usize)?.name;
                // A variable of the procedure hides it; a result does where it is spoken of.
                let seen = procedure.params + if self.names.beside_final { procedure.results } else { 0 };
                let hidden = procedure.locals.iter().take(seen).any(|local| local.name == *global);
                (!hidden).then(|| self.on_entry(name(global)))
            }
            Func::Length => {
                let of = self.plainly(|writer| writer.object(args[0]))?;
                Some(self.on_entry(Text::new(format!("{of}.length"), Binding::Tightest)))
            }
            Func::Initial(selector) => {
                let slot = self.plainly(|writer| writer.slot(selector, args[0], args.get(1).copied()))?;
                Some(self.on_entry(slot))
            }
            _ => None,
        }
    }

    /// A value on entry, said to be one where final values stand beside it.
    fn on_entry(&self, text: Text) -> Text {
        if self.names.beside_final { Text::new(format!("old({})", text.text), Binding::Tightest) } else { text }
    }

    /// Writes something that stands within `old` already.
    fn plainly<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let usual = std::mem::replace(&mut self.names.beside_final, false);
        let written = write(self);
        self.names.beside_final = usual;
        written
    }

    /// A reference before a dot: only places stand there.
    fn object(&mut self, object: Term) -> Option<String> {
        let text = self.term(object)?;
        let is_place = matches!(self.arena.terms.node(object), Node::App(..)) && text.binding == Binding::Tightest;
        is_place.then_some(text.text)
    }

    fn slot(&mut self, selector: Selector, object: Term, index: Option<Term>) -> Option<Text> {
        let object = self.object(object)?;
        let text = match selector {
            Selector::Field(field) => format!("{object}.{}", self.names.unit.fields().get(field.index())?.name),
            Selector::Cell(_) => format!("{object}[{}]", self.term(index?)?.text),
        };
        Some(Text::new(text, Binding::Tightest))
    }

    fn chain(&mut self, parts: &[Term], sign: &str, binding: Binding) -> Option<Text> {
        let texts: Option<Vec<String>> = parts.iter().map(|&part| Some(self.term(part)?.within(binding))).collect();
        Some(Text::new(texts?.join(sign), binding))
    }

    fn operation(&mut self, [a, b]: [Term; 2], sign: &str) -> Option<Text> {
        let (a, b) = (self.term(a)?.within(Binding::Product), self.term(b)?.within(Binding::Sign));
        Some(Text::new(format!("{a}{sign}{b}"), Binding::Quotient))
    }

    fn compared(&mut self, [a, b]: [Term; 2], sign: &str) -> Option<Text> {
        // Null stands on the right.
        let (a, b) = if *self.arena.terms.node(a) == Node::Null { (b, a) } else { (a, b) };
        let (a, b) = (self.term(a)?.within(Binding::Sum), self.term(b)?.within(Binding::Sum));
        Some(Text::new(format!("{a} {sign} {b}"), Binding::Comparison))
    }

    fn sum(&mut self, constant: &BigInt, parts: &[(BigInt, Term)]) -> Option<Text> {
        let mut text = String::new();
        // What is added goes before what is subtracted.
        let (plus, minus): (Vec<_>, Vec<_>) = parts.iter().partition(|(coefficient, _)| coefficient.is_positive());
        let mut bindings = Vec::new();
        for (coefficient, part) in plus.into_iter().chain(minus) {
            let factor = self.term(*part)?;
            let size = coefficient.abs();
            let summand = match size.is_one() {
                true => Text::new(factor.within(Binding::Quotient), factor.binding.max(Binding::Quotient)),
                false => Text::new(format!("{size} * {}", factor.within(Binding::Product)), Binding::Product),
            };
            add(&mut text, coefficient.is_negative(), &summand.text);
            bindings.push(summand.binding);
        }
        if !constant.is_zero() || bindings.is_empty() {
            add(&mut text, constant.is_negative(), &constant.abs().to_string());
            bindings.push(Binding::Tightest);
        }
        let binding = match bindings[..] {
            [single] if !text.starts_with('-') => single,
            _ => Binding::Sum,
        };
        Some(Text::new(text, binding))
    }

    /// The two sides of `term sign 0`: what is added to the left, what is subtracted to the right; and the constant.
    fn sides(&self, term: Term) -> [Vec<(BigInt, Term)>; 2] {
        let (_, parts) = self.arena.terms.linear_parts(term);
        let (left, right): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(c, _)| c.is_positive());
        [left, right.into_iter().map(|(c, t)| (-c, t)).collect()]
    }

    fn is_zero(&mut self, term: Term, sign: &str) -> Option<Text> {
        let (constant, _) = self.arena.terms.linear_parts(term);
        let [mut left, mut right] = self.sides(term);
        let mut constant = -constant;
        if left.is_empty() {
            (left, right) = (right, left);
            constant = -constant;
        }
        let zero = BigInt::zero();
        let moved = constant.is_negative() && !right.is_empty();
        let left = self.sum(&if moved { -constant.clone() } else { zero.clone() }, &left)?;
        let right = self.sum(&if moved { zero } else { constant }, &right)?;
        Some(Text::new(
            format!("{} {sign} {}", left.within(Binding::Sum), right.within(Binding::Sum)),
            Binding::Comparison,
        ))
    }

    /// `term <= 0`, as a person would write it.
    fn at_most_zero(&mut self, term: Term) -> Option<Text> {
        let (constant, _) = self.arena.terms.linear_parts(term);
        let [left, right] = self.sides(term);
        let zero = BigInt::zero();
        let (left, sign, right) = if right.is_empty() {
            let (sign, bound) = self.bound(-constant, "<=", "<", 1);
            (self.sum(&zero, &left)?, sign, number(&bound))
        } else if left.is_empty() {
            let (sign, bound) = self.bound(constant, ">=", ">", -1);
            (self.sum(&zero, &right)?, sign, number(&bound))
        } else if constant.is_one() {
            (self.sum(&zero, &left)?, "<", self.sum(&zero, &right)?)
        } else if constant.is_positive() {
            (self.sum(&constant, &left)?, "<=", self.sum(&zero, &right)?)
        } else {
            (self.sum(&zero, &left)?, "<=", self.sum(&-constant, &right)?)
        };
        let text = format!("{} {sign} {}", left.within(Binding::Sum), right.within(Binding::Sum));
        Some(Text::new(text, Binding::Comparison))
    }

    /// A bound as the sources have it: `x < 5` rather than `x <= 4` where they mention 5 and not 4.
    fn bound(&self, bound: BigInt, weak: &'static str, strict: &'static str, step: i32) -> (&'static str, BigInt) {
        let other = &bound + step;
        let known = |number: &BigInt| number.is_zero() || self.names.numbers.contains(&number.abs());
        if !known(&bound) && known(&other) { (strict, other) } else { (weak, bound) }
    }
}

fn number(value: &BigInt) -> Text {
    let binding = if value.is_negative() { Binding::Sign } else { Binding::Tightest };
    Text::new(value.to_string(), binding)
}

fn add(text: &mut String, negative: bool, summand: &str) {
    text.push_str(match (text.is_empty(), negative) {
        (true, true) => "-",
        (true, false) => "",
        (false, true) => " - ",
        (false, false) => " + ",
    });
    text.push_str(summand);
}
