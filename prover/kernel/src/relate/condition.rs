//! Conditions as text, to be kept and read again: the notation of SMT-LIB, with names that say which execution's they are.
//!
//! In: a condition on a path of one execution; out: its text. In: a text; out: the condition, in another run's terms.
//!
//! Invariant: what is read is built by the constructors of terms, from symbols of the given outcome alone: its own
//! allocations and calls, and the entry store. A text that says anything else is no condition.

use crate::bounds::relate::{MAX_DEPTH, MAX_NODES};
use crate::exec::state::Outcome;
use lang_l::hir::FieldId;
use num_bigint::BigInt;
use num_traits::Zero;
use smt::arena::Arena;
use smt::term::{AllocClass, CallId, Func, Node, Selector, Sort, Term};

/// The condition as text; `None` when it is too big, or speaks of what no text can name.
pub fn write(arena: &Arena, term: Term) -> Option<String> {
    let mut text = String::new();
    write_term(arena, term, &mut text, &mut MAX_NODES.clone(), MAX_DEPTH)?;
    Some(text)
}

fn write_term(arena: &Arena, term: Term, text: &mut String, left: &mut usize, depth: usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    let depth = depth.checked_sub(1)?;
    let node = arena.terms.node(term);
    let head = match node {
        Node::Int(value) => {
            text.push_str(&value.to_string());
            return Some(());
        }
        Node::Bool(value) => {
            text.push_str(&value.to_string());
            return Some(());
        }
        Node::Null => {
            text.push_str("null");
            return Some(());
        }
        Node::App(func, _) => symbol(*func, arena.terms.sort(term))?,
        Node::Linear(constant, parts) => {
            text.push_str(&format!("(+ {constant}"));
            for (coefficient, part) in parts {
                text.push_str(&format!(" (* {coefficient} "));
                write_term(arena, *part, text, left, depth)?;
                text.push(')');
            }
            text.push(')');
            return Some(());
        }
        Node::Mul(_) => "*".into(),
        Node::Div(..) => "/".into(),
        Node::Rem(..) => "%".into(),
        Node::AtMostZero(_) => "<=0".into(),
        Node::IsZero(_) => "=0".into(),
        Node::SameRef(..) => "=".into(),
        Node::InClass(_, alloc) => format!("born {}", alloc.0),
        Node::Not(_) => "not".into(),
        Node::And(_) => "and".into(),
        Node::Or(_) => "or".into(),
        Node::Ite(..) => "ite".into(),
        Node::Forall(..) => return None,
    };
    text.push('(');
    text.push_str(&head);
    for part in node.children() {
        text.push(' ');
        write_term(arena, part, text, left, depth)?;
    }
    text.push(')');
    Some(())
}

fn symbol(func: Func, sort: Sort) -> Option<String> {
    let sort = sort_word(sort);
    let place = |selector| match selector {
        Selector::Field(FieldId(at)) => format!("field {at}"),
        Selector::Cell(sort) => format!("cell {}", sort_word(sort)),
    };
    Some(match func {
        Func::Param(at) => format!("param {at} {sort}"),
        Func::Global(at) => format!("global {at} {sort}"),
        Func::New(alloc) => format!("new {}", alloc.0),
        Func::Initial(selector) => format!("initial {}", place(selector)),
        Func::Length => "length".into(),
        Func::Effect(call, selector) => format!("effect {} {}", call.0, place(selector)),
        Func::Result(call, at) => format!("result {} {at} {sort}", call.0),
        Func::GlobalAfter(call, at) => format!("after {} {at} {sort}", call.0),
        Func::Ending(call) => format!("ending {}", call.0),
        Func::InRegion(call) => format!("within {}", call.0),
        Func::Reach => "reach".into(),
        Func::Skolem(_)
        | Func::Bound(..)
        | Func::Witness(_)
        | Func::SumBelow
        | Func::Folded { .. }
        | Func::Opaque(_) => return None,
    })
}

fn sort_word(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "int",
        Sort::Bool => "bool",
        Sort::Ref => "ref",
    }
}

/// The condition that a text says of an outcome; `None` when it says none.
pub(super) fn read(arena: &mut Arena, outcome: &Outcome, text: &str) -> Option<Term> {
    let tokens = tokens(text)?;
    let mut reader = Reader { arena, outcome, tokens: &tokens };
    let term = reader.term(MAX_DEPTH)?;
    let whole = reader.tokens.is_empty();
    (whole && arena.terms.sort(term) == Sort::Bool).then_some(term)
}

fn tokens(text: &str) -> Option<Vec<&str>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.as_bytes()[0] {
            b'(' | b')' => 1,
            _ => rest.find(['(', ')', ' ']).unwrap_or(rest.len()),
        };
        tokens.push(&rest[..end]);
        rest = rest[end..].trim_start();
        if tokens.len() > 8 * MAX_NODES {
            return None;
        }
    }
    Some(tokens)
}

struct Reader<'a> {
    arena: &'a mut Arena,
    outcome: &'a Outcome,
    tokens: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (&first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn number<T: std::str::FromStr>(&mut self) -> Option<T> {
        self.next()?.parse().ok()
    }

    fn sort(&mut self) -> Option<Sort> {
        [Sort::Int, Sort::Bool, Sort::Ref]
            .into_iter()
            .find(|&sort| self.tokens.first() == Some(&sort_word(sort)))
            .inspect(|_| {
                self.next();
            })
    }

    /// A call of the outcome.
    fn call(&mut self) -> Option<CallId> {
        let call = CallId(self.number()?);
        self.outcome.calls.contains(&call).then_some(call)
    }

    /// A field or a kind of cell, with the sort of what is there and of what leads to it.
    fn place(&mut self) -> Option<(Selector, Vec<Sort>)> {
        match self.next()? {
            "field" => {
                let selector = Selector::Field(FieldId(self.number()?));
                self.arena.heaps.has(selector).then_some((selector, vec![Sort::Ref]))
            }
            "cell" => Some((Selector::Cell(self.sort()?), vec![Sort::Ref, Sort::Int])),
            _ => None,
        }
    }

    fn term(&mut self, depth: usize) -> Option<Term> {
        let depth = depth.checked_sub(1)?;
        let word = self.next()?;
        let terms = &mut self.arena.terms;
        match word {
            "(" => {}
            "null" => return Some(terms.null()),
            word @ ("true" | "false") => return Some(terms.bool(word == "true")),
            word => return word.parse::<BigInt>().ok().map(|value| terms.int(value)),
        }
        let head = self.next()?;
        if let Some((func, from, to)) = self.symbol(head)? {
            let args = self.rest(depth)?;
            let sorts: Vec<Sort> = args.iter().map(|&arg| self.arena.terms.sort(arg)).collect();
            return (sorts == from).then(|| match func {
                Func::InRegion(call) => self.arena.terms.in_region(call, args[0]),
                func => self.arena.terms.app(func, &args, to),
            });
        }
        if head == "born" {
            let alloc = AllocClass(self.number()?);
            let [term] = self.rest(depth)?[..] else { return None };
            let known = alloc == AllocClass::NULL || alloc == AllocClass::OLD || self.made(alloc);
            return (known && self.arena.terms.sort(term) == Sort::Ref).then(|| self.arena.terms.born(term, alloc));
        }
        let args = self.rest(depth)?;
        self.operation(head, &args)
    }

    /// Whether a alloc is an allocation of the outcome, or what one of its calls made.
    fn made(&self, alloc: AllocClass) -> bool {
        self.outcome.news.iter().any(|(own, _)| *own == alloc)
            || self.outcome.calls.iter().any(|&call| self.arena.terms.reach(call).fresh == alloc)
    }

    /// The terms up to the closing parenthesis.
    fn rest(&mut self, depth: usize) -> Option<Vec<Term>> {
        let mut terms = Vec::new();
        while self.tokens.first() != Some(&")") {
            terms.push(self.term(depth)?);
        }
        self.next();
        Some(terms)
    }

    /// What a word applies, with the sorts of its arguments and of the whole; the inner `None` when it is an operation.
    #[expect(clippy::option_option, reason = "the outer one is that there is no such thing")]
    fn symbol(&mut self, head: &str) -> Option<Option<(Func, Vec<Sort>, Sort)>> {
        Some(Some(match head {
            "param" => (Func::Param(self.number()?), vec![], self.sort()?),
            "global" => (Func::Global(self.number()?), vec![], self.sort()?),
            "new" => {
                let alloc = AllocClass(self.number()?);
                let own = self.outcome.news.iter().any(|(own, _)| *own == alloc);
                (Func::New(own.then_some(alloc)?), vec![], Sort::Ref)
            }
            "initial" => {
                let (selector, from) = self.place()?;
                (Func::Initial(selector), from, self.arena.heaps.sort(selector))
            }
            "length" => (Func::Length, vec![Sort::Ref], Sort::Int),
            "effect" => {
                let call = self.call()?;
                let (selector, from) = self.place()?;
                (Func::Effect(call, selector), from, self.arena.heaps.sort(selector))
            }
            "result" => (Func::Result(self.call()?, self.number()?), vec![], self.sort()?),
            "after" => (Func::GlobalAfter(self.call()?, self.number()?), vec![], self.sort()?),
            "ending" => (Func::Ending(self.call()?), vec![], Sort::Int),
            "reach" => (Func::Reach, vec![Sort::Ref; 2], Sort::Bool),
            "within" => (Func::InRegion(self.call()?), vec![Sort::Ref], Sort::Bool),
            _ => return Some(None),
        }))
    }

    fn operation(&mut self, head: &str, args: &[Term]) -> Option<Term> {
        let terms = &mut self.arena.terms;
        let all = |sort| args.iter().all(|&arg| terms.sort(arg) == sort);
        let (ints, bools, refs) = (all(Sort::Int), all(Sort::Bool), all(Sort::Ref));
        Some(match (head, args) {
            ("+", _) if ints => {
                let zero = terms.int(0);
                args.iter().fold(zero, |sum, &arg| terms.add(sum, arg))
            }
            ("*", _) if ints => {
                let one = terms.int(1);
                args.iter().fold(one, |product, &arg| terms.mul(product, arg))
            }
            ("/" | "%", &[a, b]) if ints && terms.as_int(b).is_none_or(|b| !b.is_zero()) => {
                if head == "/" {
                    terms.div(a, b)
                } else {
                    terms.rem(a, b)
                }
            }
            ("<=0", &[t]) if ints => {
                let zero = terms.int(0);
                terms.le(t, zero)
            }
            ("=0", &[t]) if ints => {
                let zero = terms.int(0);
                terms.eq(t, zero)
            }
            ("=", &[a, b]) if refs => terms.eq(a, b),
            ("not", &[t]) if bools => terms.not(t),
            ("and", _) if bools => terms.and(args),
            ("or", _) if bools => terms.or(args),
            ("ite", &[cond, then, els]) if terms.sort(cond) == Sort::Bool && terms.sort(then) == terms.sort(els) => {
                terms.ite(cond, then, els)
            }
            _ => return None,
        })
    }
}
