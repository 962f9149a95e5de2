//! Proof obligations: assumptions, a goal, and their text for a solver.
//!
//! In: terms. Out: SMT-LIB 2 without quantifiers, complete in itself, that any solver reads; `unsat` means proved.
//!
//! The text adds the *facts* about the references that occur: what allocs they can have, that a `new` is the only one of
//! its alloc, what regions are bounded by. Each is an instance, for a term at hand, of a rule in `proofs/soundness.md`. So
//! the solver needs no axiom and no trigger.
//!
//! Invariant: the text depends on the terms alone, so the same proof makes the same text.

mod border;
mod folds;
mod instances;
mod linearise;
mod reach;
mod sums;
mod tag;

pub use linearise::{linearised, linearised_with};
pub use tag::{Purpose, Tag};

use crate::arena::Arena;
use crate::stop;
use crate::term::{AllocClass, Func, Node, Opaque, Origin, Selector, Sort, Term};
use folds::Folds;
use instances::Instances;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A proof that asks with a longer text than this is given up; in bytes.
const MAX_TEXT: usize = 1 << 26;

/// What every text opens with.
pub const PREAMBLE: &str = "(set-logic ALL)\n(declare-sort Ref 0)\n(declare-fun alloc (Ref) Int)\n";

/// Something to be proved.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What may be assumed.
    pub assumptions: Vec<Term>,
    /// What must follow; literally false where the assumptions must contradict each other.
    pub goal: Term,
    /// What it is for, and where.
    pub tag: Tag,
}

impl Obligation {
    /// The text: satisfiable exactly when the goal can fail.
    pub fn smt2(&self, arena: &mut Arena) -> String {
        self.smt2_with(arena, &[])
    }

    /// The same, with constants `want0`, `want1`, … that are equal to these terms.
    pub fn smt2_with(&self, arena: &mut Arena, wanted: &[Term]) -> String {
        let mut asserted: Vec<Term> = self.assumptions.clone();
        let negated = arena.terms.not(self.goal);
        asserted.push(negated);
        let mut writer = Writer::default();
        for &term in asserted.iter().chain(wanted) {
            writer.visit(arena, term);
        }
        writer.facts(arena);
        let mut text = format!("; {}\n", self.tag);
        text.push_str(PREAMBLE);
        for declaration in writer.declarations.values() {
            text.push_str(declaration);
            text.push('\n');
        }
        text.push_str(&writer.definitions);
        if !writer.facts.is_empty() {
            text.push_str(
                "; true of these values whatever the program: instances of the rules on allocs, calls and regions\n",
            );
        }
        for fact in &writer.facts {
            let _ = writeln!(text, "(assert {fact})");
        }
        text.push_str("; what is assumed, and last that the goal does not hold\n");
        for &term in &asserted {
            let _ = writeln!(text, "(assert {})", writer.names[&term]);
        }
        for (at, term) in wanted.iter().enumerate() {
            let sort = sort_name(arena.terms.sort(*term));
            let _ = writeln!(text, "(declare-fun want{at} () {sort})\n(assert (= want{at} {}))", writer.names[term]);
        }
        text.push_str("(check-sat)\n");
        text
    }
}

#[derive(Default)]
struct Writer {
    names: BTreeMap<Term, String>,
    /// In the order first met, so that facts about them come in that order.
    references: Vec<Term>,
    declarations: BTreeMap<String, String>,
    definitions: String,
    facts: Vec<String>,
    /// The quantifiers met, in that order.
    quantifiers: Vec<Term>,
    /// The functions that sum something up: the variable, the term, and all that the function is applied to.
    sums: Vec<(Term, Term, Vec<Term>)>,
    /// The folds met, by what a step does.
    folds: Vec<Folds>,
    /// Indexes of cells that were read.
    indexes: BTreeSet<Term>,
}

impl Writer {
    fn visit(&mut self, arena: &Arena, term: Term) {
        if self.names.contains_key(&term) {
            return;
        }
        stop::check();
        if self.definitions.len() > MAX_TEXT {
            stop::too_large();
        }
        let node = arena.terms.node(term).clone();
        if let Node::Forall(..) = node {
            // Its name alone; what follows from it is said by instances.
            let name = format!("all{}", self.quantifiers.len());
            self.declarations.insert(name.clone(), format!("(declare-fun {name} () Bool)"));
            self.names.insert(term, name);
            self.quantifiers.push(term);
            return;
        }
        if let Node::App(Func::SumBelow, args) = &node {
            return self.sum(arena, term, (args[0], args[1]), args[2]);
        }
        if let Node::App(Func::Folded { commutes }, args) = &node {
            return self.fold(arena, term, args, *commutes);
        }
        for part in node.children() {
            self.visit(arena, part);
        }
        if let Node::App(Func::Initial(_) | Func::Effect(..), args) = &node
            && let Some(index) = args.get(1)
        {
            self.indexes.insert(*index);
        }
        let text = self.form(arena, &node, term);
        let sort = arena.terms.sort(term);
        let leaf = matches!(&node, Node::Int(_) | Node::Bool(_) | Node::Null)
            || matches!(&node, Node::App(_, args) if args.is_empty());
        let name = if leaf {
            text
        } else {
            let name = format!("t{}", self.names.len());
            let _ = writeln!(self.definitions, "(define-fun {name} () {} {text})", sort_name(sort));
            name
        };
        self.names.insert(term, name);
        if sort == Sort::Ref {
            self.references.push(term);
        }
    }

    fn form(&mut self, arena: &Arena, node: &Node, term: Term) -> String {
        match node {
            Node::Null => {
                self.declarations.insert("null".into(), "(declare-fun null () Ref)".into());
                "null".into()
            }
            Node::App(func, args) => {
                let symbol = self.symbol(arena, *func, args, arena.terms.sort(term));
                let args: Vec<&str> = args.iter().map(|arg| self.names[arg].as_str()).collect();
                if args.is_empty() { symbol } else { format!("({symbol} {})", args.join(" ")) }
            }
            _ => operation(node, &|t| self.names[&t].clone()),
        }
    }

    fn symbol(&mut self, arena: &Arena, func: Func, args: &[Term], sort: Sort) -> String {
        let symbol = match func {
            Func::Param(_) | Func::Global(_) => input_name(func).unwrap_or_default(),
            Func::New(alloc) => format!("new{}", alloc.0),
            Func::Skolem(at) => format!("any{at}"),
            Func::Initial(selector) => format!("initial_{}", selector_name(selector)),
            Func::Length => "length".into(),
            Func::Effect(call, selector) => format!("effect{}_{}", call.0, selector_name(selector)),
            Func::Result(call, at) => format!("result{}_{at}", call.0),
            Func::GlobalAfter(call, at) => format!("after{}_global{at}", call.0),
            Func::Ending(call) => format!("ending{}", call.0),
            Func::InRegion(call) => format!("region{}", call.0),
            Func::Reach => "reach".into(),
            // Written by `sum`, under a name that says of what it is the sum.
            Func::SumBelow => "sum".into(),
            // As well, by `fold`.
            Func::Folded { .. } => "fold".into(),
            Func::Opaque(Opaque::Product(factors)) => format!("product{factors}"),
            Func::Opaque(Opaque::Quotient) => "quotient".into(),
            Func::Opaque(Opaque::Remainder) => "remainder".into(),
            Func::Bound(depth, ty) => format!("bound{depth}_{ty}"),
            Func::Witness(of) => format!("witness_{}", self.names.get(&of).map_or("none", String::as_str)),
        };
        let sorts: Vec<&str> = args.iter().map(|&arg| sort_name(arena.terms.sort(arg))).collect();
        let declared = |symbol: &str| format!("(declare-fun {symbol} ({}) {})", sorts.join(" "), sort_name(sort));
        // Terms of one function and of two sorts are two values: under one name a solver that takes booleans for numbers would
        // make them one.
        let declaration = declared(&symbol);
        let taken = self.declarations.get(&symbol).is_some_and(|known| *known != declaration);
        let symbol = if taken { format!("{symbol}_{}", sort_name(sort)) } else { symbol };
        self.declarations.insert(symbol.clone(), declared(&symbol));
        symbol
    }

    /// Facts about every reference met, and about those that the facts bring in.
    fn facts(&mut self, arena: &mut Arena) {
        self.reach_steps(arena);
        self.sums_compared(arena);
        self.fold_facts(arena);
        let mut at = 0;
        let mut instances = Instances::default();
        loop {
            while at < self.references.len() {
                let term = self.references[at];
                at += 1;
                self.reference_facts(arena, term);
            }
            if !self.instantiate(arena, &mut instances) {
                break;
            }
        }
        self.sum_facts(arena);
        self.reach_facts(arena);
        self.value_facts(arena);
    }

    fn reference_facts(&mut self, arena: &mut Arena, term: Term) {
        let name = self.names[&term].clone();
        let allocs = arena.terms.allocs(term).clone();
        let node = arena.terms.node(term).clone();
        if matches!(node, Node::Ite(..)) {
            // Its sides have facts of their own.
            return;
        }
        if allocs.is_everything() {
            return;
        }
        let cases: Vec<String> = allocs.iter().map(|alloc| format!("(= (alloc {name}) {})", alloc.0)).collect();
        self.facts.push(match cases.as_slice() {
            [one] => one.clone(),
            _ => format!("(or {})", cases.join(" ")),
        });
        self.seen_on_entry(arena, term, &node);
        // Rule *Births*: null and each `new` are alone in their alloc.
        for alloc in allocs.iter() {
            let alone = match arena.terms.origin(alloc) {
                Origin::Entry if alloc == AllocClass::NULL => arena.terms.null(),
                Origin::New(_) => arena.terms.app(Func::New(alloc), &[], Sort::Ref),
                _ => continue,
            };
            if alone != term {
                self.visit(arena, alone);
                self.facts.push(format!("(=> (= (alloc {name}) {}) (= {name} {}))", alloc.0, self.names[&alone]));
            }
        }
        // Rule *Call*: what a call hands out is null, its own, or from its region.
        if let Node::App(Func::Effect(call, _) | Func::Result(call, _) | Func::GlobalAfter(call, _), _) = node {
            let fresh = arena.terms.reach(call).fresh;
            let inside = arena.terms.in_region(call, term);
            self.visit(arena, inside);
            let inside = &self.names[&inside];
            self.facts.push(format!("(or (= (alloc {name}) 0) (= (alloc {name}) {}) {inside})", fresh.0));
        }
    }

    /// Rule *Instances*: what parameters and globals held on entry could be seen then, and so could what they led to.
    fn seen_on_entry(&mut self, arena: &mut Arena, term: Term, node: &Node) {
        let from = match node {
            Node::App(Func::Param(_) | Func::Global(_), _) => None,
            Node::App(Func::Initial(_), args) => Some(args[0]),
            _ => return,
        };
        if self.quantifiers.is_empty() {
            return;
        }
        let Some(seen) = arena.terms.seen_on_entry_if_asked(term) else { return };
        self.visit(arena, seen);
        let mut cases = vec![format!("(= (alloc {}) 0)", self.names[&term]), self.names[&seen].clone()];
        if let Some(from) = from.and_then(|from| arena.terms.seen_on_entry_if_asked(from)) {
            self.visit(arena, from);
            cases.push(format!("(not {})", self.names[&from]));
        }
        self.facts.push(format!("(or {})", cases.join(" ")));
    }

    /// Facts about applications that are no references, or that hold beside the allocs.
    fn value_facts(&mut self, arena: &Arena) {
        let terms: Vec<(Term, String)> = self.names.iter().map(|(t, n)| (*t, n.clone())).collect();
        for (term, name) in terms {
            match arena.terms.node(term) {
                // Rule *Region*: a region holds objects of its allocs only.
                Node::App(Func::InRegion(call), args) => {
                    let arg = &self.names[&args[0]];
                    let allocs: BTreeSet<AllocClass> = arena.terms.reach(*call).region.iter().collect();
                    let cases: Vec<String> = allocs.iter().map(|b| format!("(= (alloc {arg}) {})", b.0)).collect();
                    self.facts.push(format!("(=> {name} (or false {}))", cases.join(" ")));
                }
                // Rule *Defaults*: the entry heap is default at what is not old.
                Node::App(Func::Initial(_), args)
                    if arena.terms.allocs(args[0]).single() != Some(AllocClass::OLD)
                        && !arena.terms.allocs(args[0]).is_everything() =>
                {
                    let default = match arena.terms.sort(term) {
                        Sort::Int => "0",
                        Sort::Bool => "false",
                        Sort::Ref => "null",
                    };
                    if default == "null" {
                        self.declarations.insert("null".into(), "(declare-fun null () Ref)".into());
                    }
                    self.facts.push(format!("(or (= (alloc {}) 1) (= {name} {default}))", self.names[&args[0]]));
                }
                Node::App(Func::Ending(_), _) => self.facts.push(format!("(and (<= 0 {name}) (<= {name} 2))")),
                Node::App(Func::Length, _) => self.facts.push(format!("(<= 0 {name})")),
                _ => {}
            }
        }
    }
}

/// The name that a parameter or a global on entry has in the text.
pub fn input_name(func: Func) -> Option<String> {
    match func {
        Func::Param(at) => Some(format!("param{at}")),
        Func::Global(at) => Some(format!("global{at}")),
        _ => None,
    }
}

/// The text of a term that is no application and not null, given the texts of its parts.
pub fn operation(node: &Node, name: &dyn Fn(Term) -> String) -> String {
    let list = |ts: &[Term]| ts.iter().map(|&t| name(t)).collect::<Vec<_>>().join(" ");
    match node {
        Node::Int(value) => integer(value),
        Node::Bool(value) => value.to_string(),
        Node::Linear(constant, parts) => {
            let mut sum = vec![integer(constant)];
            sum.extend(parts.iter().map(|(c, t)| format!("(* {} {})", integer(c), name(*t))));
            format!("(+ {})", sum.join(" "))
        }
        Node::Mul(parts) => format!("(* {})", list(parts)),
        // SMT-LIB's `div` rounds so that the remainder is not negative; L truncates.
        Node::Div(a, b) => truncated(&name(*a), &name(*b)),
        Node::Rem(a, b) => format!("(- {} (* {} {}))", name(*a), name(*b), truncated(&name(*a), &name(*b))),
        Node::AtMostZero(t) => format!("(<= {} 0)", name(*t)),
        Node::IsZero(t) => format!("(= {} 0)", name(*t)),
        Node::SameRef(a, b) => format!("(= {} {})", name(*a), name(*b)),
        Node::InClass(t, alloc) => format!("(= (alloc {}) {})", name(*t), alloc.0),
        Node::Not(t) => format!("(not {})", name(*t)),
        Node::And(parts) => format!("(and {})", list(parts)),
        Node::Or(parts) => format!("(or {})", list(parts)),
        Node::Ite(cond, then, els) => format!("(ite {} {} {})", name(*cond), name(*then), name(*els)),
        Node::Null | Node::App(..) | Node::Forall(..) => String::new(),
    }
}

fn truncated(a: &str, b: &str) -> String {
    format!("(ite (>= {a} 0) (div {a} {b}) (- (div (- {a}) {b})))")
}

fn integer(value: &num_bigint::BigInt) -> String {
    if value.sign() == num_bigint::Sign::Minus { format!("(- {})", value.magnitude()) } else { value.to_string() }
}

/// A sort's name in SMT-LIB.
pub fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Bool => "Bool",
        Sort::Ref => "Ref",
    }
}

fn selector_name(selector: Selector) -> String {
    match selector {
        Selector::Field(field) => format!("f{}", field.0),
        Selector::Cell(sort) => format!("cells_{}", sort_name(sort)),
    }
}
