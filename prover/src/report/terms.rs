//! Terms in the notation of L, as far as it goes.
//!
//! Invariant: short whatever the term; what is left out is an ellipsis.

use crate::lower::Lowered;
use lang_l::hir::Procedure;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};
use smt::arena::Arena;
use smt::term::{CallId, Func, Node, Opaque, Selector, Term};

/// How many nodes of one term are written.
const SHOWN_NODES: usize = 60;

/// What the constants of a term are called.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) unit: &'a Lowered,
    /// Whose parameters the term speaks of.
    pub(super) procedure: &'a Procedure,
    pub(super) arena: &'a Arena,
    /// The calls of the path, in order; they are numbered from 1.
    pub(super) calls: &'a [CallId],
}

/// A term as text.
pub(super) fn term_text(names: Names<'_>, term: Term) -> String {
    Writer { names, left: SHOWN_NODES }.term(term)
}

/// A place in the heap, such as `x.next`.
pub(super) fn place_text(names: Names<'_>, selector: Selector, object: Term, index: Option<Term>) -> String {
    let mut writer = Writer { names, left: SHOWN_NODES };
    let object = writer.operand(object);
    let index = index.map(|index| writer.term(index));
    writer.slot(selector, &object, index.as_deref())
}

/// What a call is called: its number on the path.
pub(super) fn call_text(names: Names<'_>, call: CallId) -> String {
    match names.calls.iter().position(|&other| other == call) {
        Some(at) => format!("call {}", at + 1),
        None => "another call".to_string(),
    }
}

struct Writer<'a> {
    names: Names<'a>,
    left: usize,
}

impl Writer<'_> {
    fn term(&mut self, term: Term) -> String {
        if self.left == 0 {
            return "…".to_string();
        }
        self.left -= 1;
        match self.names.arena.terms.node(term) {
            Node::Int(value) => value.to_string(),
            Node::Bool(value) => value.to_string(),
            Node::Null => "null".to_string(),
            Node::App(func, args) => self.application(*func, args),
            Node::Linear(constant, parts) => {
                let mut text = String::new();
                for (coefficient, part) in parts {
                    self.summand(&mut text, coefficient, Some(*part));
                }
                if !constant.is_zero() {
                    self.summand(&mut text, constant, None);
                }
                text
            }
            Node::Mul(parts) => self.joined(parts, " * "),
            Node::Div(a, b) => self.joined(&[*a, *b], " / "),
            Node::Rem(a, b) => self.joined(&[*a, *b], " % "),
            Node::AtMostZero(t) => self.comparison(*t, "<="),
            Node::IsZero(t) => self.comparison(*t, "=="),
            Node::SameRef(a, b) => self.joined(&[*a, *b], " == "),
            Node::InClass(t, alloc) => format!("{} was made by alloc {}", self.operand(*t), alloc.0),
            Node::Not(t) => match self.names.arena.terms.node(*t) {
                Node::SameRef(a, b) => self.joined(&[*a, *b], " != "),
                Node::IsZero(t) => self.comparison(*t, "!="),
                Node::AtMostZero(t) => self.comparison(*t, ">"),
                _ => format!("!{}", self.operand(*t)),
            },
            Node::And(parts) => self.joined(parts, " && "),
            Node::Or(parts) => self.joined(parts, " || "),
            Node::Forall(bound, body) => {
                let bound = self.term(*bound);
                format!("forall {bound} :: {}", self.operand(*body))
            }
            Node::Ite(cond, then, els) => {
                let (cond, then) = (self.operand(*cond), self.operand(*then));
                format!("{cond} ? {then} : {}", self.operand(*els))
            }
        }
    }

    /// A term that stands within another.
    fn operand(&mut self, term: Term) -> String {
        let text = self.term(term);
        let node = self.names.arena.terms.node(term);
        let plain = matches!(node, Node::Int(_) | Node::Bool(_) | Node::Null | Node::App(..)) && !text.contains(' ');
        if plain || text == "…" { text } else { format!("({text})") }
    }

    fn joined(&mut self, parts: &[Term], sign: &str) -> String {
        let texts: Vec<String> = parts.iter().map(|&part| self.operand(part)).collect();
        texts.join(sign)
    }

    fn summand(&mut self, text: &mut String, coefficient: &BigInt, part: Option<Term>) {
        let negative = coefficient.sign() == Sign::Minus;
        text.push_str(match (text.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        });
        let size = coefficient.abs();
        let factor = part.map(|part| self.operand(part));
        match factor {
            Some(factor) if size.is_one() => text.push_str(&factor),
            Some(factor) => text.push_str(&format!("{size} * {factor}")),
            None => text.push_str(&size.to_string()),
        }
    }

    /// `sum sign 0`, with what is subtracted on the right. How a call ends is said in words.
    fn comparison(&mut self, term: Term, sign: &str) -> String {
        let zero = BigInt::zero();
        let single = [(BigInt::one(), term)];
        let (constant, parts) = match self.names.arena.terms.node(term) {
            Node::Linear(constant, parts) => (constant, &parts[..]),
            _ => (&zero, &single[..]),
        };
        if let [(_, part)] = parts
            && let Node::App(Func::Ending(call), _) = self.names.arena.terms.node(*part)
            && matches!(sign, "==" | "!=")
        {
            let ending = if constant.is_zero() {
                "returns"
            } else if constant.abs().is_one() {
                "errs"
            } else {
                "never ends"
            };
            let negation = if sign == "==" { "" } else { "not: " };
            return format!("{negation}{} {ending}", call_text(self.names, *call));
        }
        let (mut left, mut right) = (String::new(), String::new());
        for (coefficient, part) in parts {
            let side = if coefficient.is_negative() { &mut right } else { &mut left };
            self.summand(side, &coefficient.abs(), Some(*part));
        }
        if !constant.is_zero() {
            let side = if constant.is_negative() { &mut right } else { &mut left };
            self.summand(side, &constant.abs(), None);
        }
        for side in [&mut left, &mut right] {
            if side.is_empty() {
                side.push('0');
            }
        }
        format!("{left} {sign} {right}")
    }

    fn application(&mut self, func: Func, args: &[Term]) -> String {
        let Names { unit, procedure, .. } = self.names;
        let call = |writer: &Self, call| call_text(writer.names, call);
        match func {
            Func::Param(at) => procedure.locals[at as usize].name.clone(),
            Func::Global(at) => unit.globals()[at as usize].name.clone(),
            Func::New(alloc) => format!("new#{}", alloc.0),
            Func::Skolem(at) => format!("any#{at}"),
            Func::Length => format!("{}.length", self.operand(args[0])),
            Func::Initial(selector) => {
                let object = self.operand(args[0]);
                let index = args.get(1).map(|&index| self.term(index));
                self.slot(selector, &object, index.as_deref())
            }
            Func::Effect(by, selector) => {
                let object = self.operand(args[0]);
                let index = args.get(1).map(|&index| self.term(index));
                format!("{} after {}", self.slot(selector, &object, index.as_deref()), call(self, by))
            }
            Func::Result(of, at) => format!("result {} of {}", at + 1, call(self, of)),
            Func::GlobalAfter(by, at) => format!("{} after {}", unit.globals()[at as usize].name, call(self, by)),
            Func::Ending(of) => format!("ending of {}", call(self, of)),
            Func::SumBelow => format!("sum of {} below {}", self.operand(args[1]), self.operand(args[2])),
            Func::Folded { .. } => {
                let [next, start, from, to] = [2, 3, 4, 5].map(|at| self.operand(args[at]));
                format!("{start} after {next} from {from} below {to}")
            }
            Func::Reach => format!("reach({}, {})", self.term(args[0]), self.term(args[1])),
            Func::Bound(depth, _) => format!("k{depth}"),
            Func::Witness(_) => "some k".to_string(),
            Func::Opaque(of) => {
                let sign = match of {
                    Opaque::Product(_) => " * ",
                    Opaque::Quotient => " / ",
                    Opaque::Remainder => " % ",
                };
                args.iter().map(|&arg| self.operand(arg)).collect::<Vec<_>>().join(sign)
            }
            Func::InRegion(of) => format!("{} is within reach of {}", self.operand(args[0]), call(self, of)),
        }
    }

    fn slot(&self, selector: Selector, object: &str, index: Option<&str>) -> String {
        match selector {
            Selector::Field(field) => format!("{object}.{}", self.names.unit.fields()[field.index()].name),
            Selector::Cell(_) => format!("{object}[{}]", index.unwrap_or("?")),
        }
    }
}
