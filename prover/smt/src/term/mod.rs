//! Terms: sorted, hash-consed, simplified as they are built.
//!
//! In: calls of the smart constructors of [`Terms`]. Out: [`Term`]s, equal exactly when they were built equal.
//!
//! Invariant: no solver here; a term is plain data, `Send` and `Sync`.
//! Invariant: every rewrite a constructor makes is an equality in L's semantics (`proofs/soundness.md`, rule *Simplify*).

mod alloc_classes;
mod choices;
mod evaluate;
mod integers;
mod parts;
mod quantifiers;
mod references;
mod rewrite;
mod types;

pub use alloc_classes::{AllocClass, AllocSet};
pub use evaluate::{Leaves, Values};
pub use parts::Parts;
use references::Question;
pub use rewrite::{PathFacts, Renaming};
use types::Types;

use crate::stop;
use lang_l::hir::{FieldId, Type};
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use serde::{Deserialize, Serialize};

/// A term; an index into the [`Terms`] that made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u32);

/// A dynamic call of one symbolic execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(pub u32);

/// What kind of value a term has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// Unbounded integers.
    Int,
    /// Booleans.
    Bool,
    /// References.
    Ref,
}

impl From<&Type> for Sort {
    fn from(ty: &Type) -> Self {
        match ty {
            Type::Int => Sort::Int,
            Type::Bool => Sort::Bool,
            Type::Ref | Type::Class(_) | Type::Array(_) => Sort::Ref,
        }
    }
}

/// Which map of a heap: one per field, and one per sort of array cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Selector {
    /// A field.
    Field(FieldId),
    /// The cells of arrays of this sort; applied to an array and an index.
    Cell(Sort),
}

/// What an application applies. Nothing is known of these but what [`Terms::allocs`] and the obligations' facts say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Func {
    /// The n-th parameter.
    Param(u32),
    /// A global on entry.
    Global(u32),
    /// The object that a `new` made.
    New(AllocClass),
    /// An arbitrary value, made to prove a goal for all values; with an argument, an arbitrary predicate.
    Skolem(u32),
    /// The heap on entry.
    Initial(Selector),
    /// The length of an array that a `new` did not make in plain sight.
    Length,
    /// The heap a call leaves, where the call may have changed it.
    Effect(CallId, Selector),
    /// The n-th result of a call.
    Result(CallId, u32),
    /// A global after a call.
    GlobalAfter(CallId, u32),
    /// How a call ended: see [`Ending`].
    Ending(CallId),
    /// Whether a reference lies in the region that a call's arguments reach.
    InRegion(CallId),
    /// Whether there is a path from one reference to another in the heap on entry.
    Reach,
    /// The sum of a term over all values of a variable from a fixed one up to, but not including, some value (and the
    /// negated sum downwards). Applied to the variable, the term and the value.
    SumBelow,
    /// What a value has become once a step was taken at each number from a first one up to, but not including, a last one, in this
    /// order. Applied to the variable of the number, that of the value, the value after a step, the value at first, and the range.
    /// `commutes`: what two steps do together does not depend on which comes first, whatever the numbers and the value.
    Folded {
        /// Whether the order of the steps is known not to matter.
        commutes: bool,
    },
    /// The variable of a [`Node::Forall`] of this depth and of this type, by its place in a list of types.
    Bound(u32, u32),
    /// A value for which the body of this [`Node::Forall`] does not hold, if there is one. Of a fold, or of whether two are the same: a number,
    /// or a value, at which a step changes something or two steps differ.
    Witness(Term),
    /// An operation on numbers of which no more is to be known than that it is a function.
    Opaque(Opaque),
}

/// Operations that [`Func::Opaque`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Opaque {
    /// The product of so many numbers.
    Product(u8),
    /// `a / b`
    Quotient,
    /// `a % b`
    Remainder,
}

/// How a call ends, as the integer that [`Func::Ending`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ending {
    /// It returns.
    Normal = 0,
    /// It ends the execution in *error*.
    Error = 1,
    /// It never ends.
    Diverges = 2,
}

/// The form of a term. Boxed slices are sorted where order has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A literal.
    Int(BigInt),
    /// A literal.
    Bool(bool),
    /// The null reference.
    Null,
    /// An application; constants have no arguments.
    App(Func, Box<[Term]>),
    /// `constant + Σ coefficient · term`; at least one term, and not just `0 + 1 · t`.
    Linear(BigInt, Box<[(BigInt, Term)]>),
    /// A product of two or more terms, none a literal.
    Mul(Box<[Term]>),
    /// Division truncated towards zero; the divisor is not zero.
    Div(Term, Term),
    /// The remainder that goes with [`Node::Div`].
    Rem(Term, Term),
    /// `t <= 0`
    AtMostZero(Term),
    /// `t == 0`
    IsZero(Term),
    /// Equality of references.
    SameRef(Term, Term),
    /// The reference has this alloc. Only for allocs that more than one object can have.
    InClass(Term, AllocClass),
    /// Negation.
    Not(Term),
    /// Conjunction of two or more.
    And(Box<[Term]>),
    /// Disjunction of two or more.
    Or(Box<[Term]>),
    /// Choice; of booleans only when both sides are not literals.
    Ite(Term, Term, Term),
    /// Whether the second term holds for all values of the first, which is a [`Func::Bound`].
    Forall(Term, Term),
}

/// What an alloc is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Null, or all that existed on entry.
    Entry,
    /// One object, made by a `new` of this kind.
    New(Kind),
    /// All objects that a call made and left reachable.
    Call(CallId),
}

/// The run-time class of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An object with fields; its class, if the program has classes.
    Object(Option<lang_l::hir::ClassId>),
    /// An array of this element type; its length is a term.
    Array(Type, Term),
}

/// What is known of the objects a call can touch.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The alloc of the objects it makes.
    pub fresh: AllocClass,
    /// Bounds the region its arguments reach; never holds null or `fresh`.
    pub region: AllocSet,
    /// The arguments and globals that the region hangs on: they lie in it unless null.
    pub roots: Vec<Term>,
}

/// Looking at so many terms is as much work as asking for one.
const LOOKS_PER_TERM: u64 = 8;

/// A proof with more terms than this is given up: each takes some hundred bytes.
const MAX_TERMS: usize = 3_000_000;

/// The arena of terms of one proof.
#[derive(Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    allocs: Vec<AllocSet>,
    /// By form and sort: the same parameter is of different sorts in different procedures.
    index: HashMap<(Node, Sort), Term>,
    origins: Vec<Origin>,
    calls: Vec<Reach>,
    skolems: Vec<AllocSet>,
    representatives: HashMap<AllocClass, Term>,
    index_anywhere: Option<Term>,
    /// The predicate that says what could be seen on entry, once somebody has asked.
    seen_on_entry: Option<Func>,
    /// What is known of the types of references.
    types: Types,
    /// What was answered by both sides of a choice.
    answers: HashMap<Question, Term>,
    /// The negations of comparisons.
    negations: HashMap<Term, Term>,
    /// How many terms were asked for, those that were there among them.
    asked: u64,
    /// How many were looked at, to be written in another way.
    looked_at: u64,
}

impl Terms {
    /// An arena with nothing in it but null and old.
    pub fn new() -> Self {
        Terms { origins: vec![Origin::Entry, Origin::Entry], ..Self::default() }
    }

    /// The form of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.0 as usize]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.0 as usize]
    }

    /// What a reference term can be; empty for other sorts.
    pub fn allocs(&self, term: Term) -> &AllocSet {
        &self.allocs[term.0 as usize]
    }

    /// What an alloc is.
    pub fn origin(&self, alloc: AllocClass) -> &Origin {
        &self.origins[alloc.0 as usize]
    }

    /// What a call can touch.
    pub fn reach(&self, call: CallId) -> &Reach {
        &self.calls[call.0 as usize]
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How much was done with terms: how often one was asked for by its form, and in how many something was looked for.
    pub fn work(&self) -> u64 {
        self.asked + self.looked_at / LOOKS_PER_TERM
    }

    fn intern(&mut self, node: Node, sort: Sort) -> Term {
        self.asked += 1;
        stop::check();
        let key = (node, sort);
        if let Some(&term) = self.index.get(&key) {
            return term;
        }
        if self.nodes.len() >= MAX_TERMS {
            stop::too_large();
        }
        let node = key.0.clone();
        let allocs = if sort == Sort::Ref { self.births_of(&node) } else { AllocSet::new() };
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.sorts.push(sort);
        self.allocs.push(allocs);
        self.index.insert(key, term);
        term
    }

    /// Rule *Births*: what existed on entry points to what existed on entry; what a call hands out is null, its own, or from
    /// the region of its arguments.
    fn births_of(&self, node: &Node) -> AllocSet {
        match node {
            Node::Null => AllocSet::of(AllocClass::NULL),
            Node::Ite(_, then, els) => {
                let mut allocs = self.allocs(*then).clone();
                allocs.extend(self.allocs(*els));
                allocs
            }
            Node::App(func, _) => match *func {
                Func::New(alloc) => AllocSet::of(alloc),
                Func::Skolem(at) => self.skolems[at as usize].clone(),
                Func::Bound(..) | Func::Witness(_) => AllocSet::everything(),
                Func::Effect(call, _) | Func::Result(call, _) | Func::GlobalAfter(call, _) => {
                    let reach = self.reach(call);
                    let mut allocs = reach.region.clone();
                    allocs.insert(AllocClass::NULL);
                    allocs.insert(reach.fresh);
                    allocs
                }
                _ => AllocSet::entry(),
            },
            _ => AllocSet::entry(),
        }
    }

    /// A new alloc for the object that a `new` makes, and the object.
    pub fn new_object(&mut self, kind: Kind) -> (AllocClass, Term) {
        let alloc = self.new_alloc(Origin::New(kind));
        (alloc, self.app(Func::New(alloc), &[], Sort::Ref))
    }

    /// A new call whose arguments and globals `roots` reach at most `region`.
    pub fn new_call(&mut self, region: AllocSet, roots: Vec<Term>) -> CallId {
        let call = CallId(u32::try_from(self.calls.len()).expect("fewer than 2^32 calls"));
        let fresh = self.new_alloc(Origin::Call(call));
        self.calls.push(Reach { fresh, region: region.without_null(), roots });
        call
    }

    /// An arbitrary reference of one of these allocs.
    pub fn skolem(&mut self, allocs: AllocSet) -> Term {
        let at = u32::try_from(self.skolems.len()).expect("fewer than 2^32 Skolem constants");
        self.skolems.push(allocs);
        self.app(Func::Skolem(at), &[], Sort::Ref)
    }

    /// An arbitrary object of this alloc: the object itself, for a `new`. The same term each time.
    pub fn representative(&mut self, alloc: AllocClass) -> Term {
        if let Origin::New(_) = self.origin(alloc) {
            return self.app(Func::New(alloc), &[], Sort::Ref);
        }
        if let Some(&term) = self.representatives.get(&alloc) {
            return term;
        }
        let term = self.skolem(AllocSet::of(alloc));
        self.representatives.insert(alloc, term);
        term
    }

    /// An arbitrary index. The same term each time.
    pub fn any_index(&mut self) -> Term {
        match self.index_anywhere {
            Some(term) => term,
            None => {
                let term = self.skolem_int();
                self.index_anywhere = Some(term);
                term
            }
        }
    }

    /// An arbitrary integer.
    pub fn skolem_int(&mut self) -> Term {
        self.skolem_of(Sort::Int)
    }

    /// An arbitrary value of a sort; a reference may be to no object.
    pub fn skolem_of(&mut self, sort: Sort) -> Term {
        let func = self.predicate();
        self.app(func, &[], sort)
    }

    /// An arbitrary predicate, to be applied to references.
    fn predicate(&mut self) -> Func {
        let at = u32::try_from(self.skolems.len()).expect("fewer than 2^32 Skolem constants");
        self.skolems.push(AllocSet::new());
        Func::Skolem(at)
    }

    fn new_alloc(&mut self, origin: Origin) -> AllocClass {
        self.origins.push(origin);
        AllocClass(u32::try_from(self.origins.len() - 1).expect("fewer than 2^32 allocs"))
    }

    /// An application.
    pub fn app(&mut self, func: Func, args: &[Term], sort: Sort) -> Term {
        self.intern(Node::App(func, args.into()), sort)
    }

    /// A boolean literal.
    pub fn bool(&mut self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// The null reference.
    pub fn null(&mut self) -> Term {
        self.intern(Node::Null, Sort::Ref)
    }

    /// What fields, locals and results start with.
    pub fn default_of(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Int => self.int(0),
            Sort::Bool => self.bool(false),
            Sort::Ref => self.null(),
        }
    }

    /// The literal a boolean term is, if it is one.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match self.node(term) {
            Node::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Whether the term is literally true.
    pub fn is_true(&self, term: Term) -> bool {
        self.as_bool(term) == Some(true)
    }

    /// Whether the term is literally false.
    pub fn is_false(&self, term: Term) -> bool {
        self.as_bool(term) == Some(false)
    }

    /// Negation. `!(t <= 0)` becomes `1 - t <= 0`, so that comparisons stand under no negation.
    pub fn not(&mut self, term: Term) -> Term {
        match *self.node(term) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            Node::AtMostZero(t) => {
                if let Some(&negation) = self.negations.get(&term) {
                    return negation;
                }
                let one = self.int(1);
                let flipped = self.sub(one, t);
                let negation = self.at_most_zero(flipped);
                self.negations.insert(term, negation);
                negation
            }
            _ => self.intern(Node::Not(term), Sort::Bool),
        }
    }

    /// Conjunction.
    pub fn and(&mut self, terms: &[Term]) -> Term {
        self.junction(terms, true)
    }

    /// Disjunction.
    pub fn or(&mut self, terms: &[Term]) -> Term {
        self.junction(terms, false)
    }

    /// `a && b` when `conjunction`, else `a || b`: flat, sorted, without duplicates; `x` with `!x` collapses.
    fn junction(&mut self, terms: &[Term], conjunction: bool) -> Term {
        let mut flat = Vec::with_capacity(terms.len());
        for &term in terms {
            match self.node(term) {
                Node::Bool(value) if *value == conjunction => {}
                Node::Bool(_) => return term,
                Node::And(parts) if conjunction => flat.extend_from_slice(parts),
                Node::Or(parts) if !conjunction => flat.extend_from_slice(parts),
                _ => flat.push(term),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        for at in 0..flat.len() {
            let negated = self.not(flat[at]);
            if flat.binary_search(&negated).is_ok() {
                return self.bool(!conjunction);
            }
        }
        match flat.as_slice() {
            [] => self.bool(conjunction),
            [one] => *one,
            _ if conjunction => self.intern(Node::And(flat.into()), Sort::Bool),
            _ => self.intern(Node::Or(flat.into()), Sort::Bool),
        }
    }

    /// `a ==> b`
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// `cond ? then : els`
    pub fn ite(&mut self, cond: Term, then: Term, els: Term) -> Term {
        if let Some(value) = self.as_bool(cond) {
            return if value { then } else { els };
        }
        if then == els {
            return then;
        }
        if let Node::Not(inner) = *self.node(cond) {
            return self.ite(inner, els, then);
        }
        // One of a comparison and its negation, so that `a > 0 ? x : y` and `a <= 0 ? y : x` are one term.
        if let Node::AtMostZero(_) = self.node(cond) {
            let negated = self.not(cond);
            if negated < cond {
                return self.ite_of(negated, els, then);
            }
        }
        self.ite_of(cond, then, els)
    }

    fn ite_of(&mut self, cond: Term, then: Term, els: Term) -> Term {
        let then = match *self.node(then) {
            Node::Ite(c, inner, _) if c == cond => inner,
            _ => then,
        };
        let els = match *self.node(els) {
            Node::Ite(c, _, inner) if c == cond => inner,
            _ => els,
        };
        if then == els {
            return then;
        }
        let sort = self.sort(then);
        if sort == Sort::Bool {
            match (self.as_bool(then), self.as_bool(els)) {
                (Some(true), _) => return self.or(&[cond, els]),
                (Some(false), _) => {
                    let not = self.not(cond);
                    return self.and(&[not, els]);
                }
                (_, Some(true)) => return self.implies(cond, then),
                (_, Some(false)) => return self.and(&[cond, then]),
                _ => {}
            }
        }
        self.intern(Node::Ite(cond, then, els), sort)
    }

    /// Equality of two terms of one sort.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        match self.sort(a) {
            Sort::Int => {
                let difference = self.sub(a, b);
                self.is_zero(difference)
            }
            Sort::Bool => {
                let not_b = self.not(b);
                if let Node::Not(inner) = *self.node(b) {
                    return self.ite(a, b, inner);
                }
                self.ite(a, b, not_b)
            }
            Sort::Ref => self.same_ref(a, b),
        }
    }

    /// The condition that a call ended this way.
    pub fn ended(&mut self, call: CallId, ending: Ending) -> Term {
        let actual = self.ending(call);
        let wanted = self.int(ending as i64);
        self.eq(actual, wanted)
    }

    /// How a call ended.
    pub fn ending(&mut self, call: CallId) -> Term {
        self.app(Func::Ending(call), &[], Sort::Int)
    }
}
