//! Quantified conditions, as terms.
//!
//! A quantifier is a term like any other: equal when built equal. What follows from one is said where it is asked, by
//! instances ([`crate::obligation`], rule *Instances*).
//!
//! Invariant: the variable of a quantifier occurs in its body only; those of nested quantifiers differ by their depth.

use super::{CallId, Func, Node, Sort, Term, Terms};
use lang_l::hir::Type;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// The depth of the variables of sums and of what fills cells; those of quantifiers have smaller ones.
const INNERMOST: u32 = 1 << 20;

impl Terms {
    /// A term over some constant, with a variable in its place that depends on the term alone: of a depth that none within has,
    /// so that it is bound once.
    pub fn over_bound(&mut self, each: Term, constant: Term) -> (Term, Term) {
        let depth = self.free_depth(each);
        let variable = self.bound(depth, &Type::Int);
        (variable, self.substitute(each, &HashMap::from_iter([(constant, variable)])))
    }

    /// The same over two constants, of which the second is an integer; the first may be a boolean.
    pub fn over_two_bound(&mut self, each: Term, [first, second]: [Term; 2]) -> ([Term; 2], Term) {
        let depth = self.free_depth(each);
        let ty = if self.sort(first) == Sort::Bool { Type::Bool } else { Type::Int };
        let variables = [self.bound(depth, &ty), self.bound(depth + 1, &Type::Int)];
        let by = HashMap::from_iter([(first, variables[0]), (second, variables[1])]);
        (variables, self.substitute(each, &by))
    }

    /// A depth that no variable of a sum or fold within a term has, nor one deeper.
    fn free_depth(&self, within: Term) -> u32 {
        let depth = |term: Term| match self.node(term) {
            Node::App(Func::Bound(depth, _), _) if *depth >= INNERMOST => Some(depth + 1),
            _ => None,
        };
        self.parts_of(&[within]).into_iter().filter_map(depth).max().unwrap_or(INNERMOST)
    }

    /// Whether `body` holds for all values of `bound`. There is always one, so a body that does not speak of it is all there is.
    pub fn forall(&mut self, bound: Term, body: Term) -> Term {
        if self.occurs(bound, body) { self.intern(Node::Forall(bound, body), Sort::Bool) } else { body }
    }

    /// Whether a term occurs in another.
    pub fn occurs(&self, wanted: Term, within: Term) -> bool {
        let mut seen = HashSet::default();
        let mut work = vec![within];
        while let Some(term) = work.pop() {
            if term == wanted {
                return true;
            }
            if seen.insert(term) {
                work.extend(self.node(term).subterms());
            }
        }
        false
    }

    /// Whether a term speaks of what a call did.
    pub fn speaks_of_call(&self, call: CallId, within: Term) -> bool {
        self.parts_of(&[within]).into_iter().any(|term| match self.node(term) {
            Node::App(
                Func::Effect(by, _)
                | Func::Result(by, _)
                | Func::GlobalAfter(by, _)
                | Func::Ending(by)
                | Func::InRegion(by),
                _,
            ) => *by == call,
            Node::InClass(_, alloc) => *alloc == self.reach(call).fresh,
            _ => false,
        })
    }

    /// All terms within these, each once, themselves included, in the order first met.
    pub fn parts_of(&self, roots: &[Term]) -> Vec<Term> {
        let mut seen = HashSet::default();
        let mut found = Vec::new();
        let mut work: Vec<Term> = roots.iter().rev().copied().collect();
        while let Some(term) = work.pop() {
            if seen.insert(term) {
                found.push(term);
                work.extend(self.node(term).subterms());
            }
        }
        found
    }

    /// The body of a quantifier or a sum for one value of its variable. What binds the variable again within speaks of another one.
    pub fn instance(&mut self, bound: Term, body: Term, value: Term) -> Term {
        let mut by = HashMap::from_iter([(bound, value)]);
        for part in self.parts_of(&[body]) {
            match *self.node(part) {
                Node::Forall(again, _) if again == bound => {
                    by.insert(part, part);
                }
                Node::App(Func::SumBelow, ref args) if args[0] == bound => {
                    let (each, end) = (args[1], args[2]);
                    let end = self.instance(bound, end, value);
                    by.insert(part, self.app(Func::SumBelow, &[bound, each, end], Sort::Int));
                }
                Node::App(func @ Func::Folded { .. }, ref args) if args[..2].contains(&bound) => {
                    let (mut args, sort) = (args.clone(), self.sort(part));
                    for own in &mut args[3..] {
                        *own = self.instance(bound, *own, value);
                    }
                    by.insert(part, self.app(func, &args, sort));
                }
                _ => {}
            }
        }
        self.substitute(body, &by)
    }

    /// Whether an object could be seen when the procedure that is executed was entered: from globals, from the variables of all
    /// calls that were active then, or because it existed when the run began. What cannot is garbage that the caller made.
    pub fn seen_on_entry(&mut self, object: Term) -> Term {
        let of = self.seen_on_entry.unwrap_or_else(|| self.predicate());
        self.seen_on_entry = Some(of);
        self.app(of, &[object], Sort::Bool)
    }

    /// The same, where it has been asked of anything before.
    pub fn seen_on_entry_if_asked(&mut self, object: Term) -> Option<Term> {
        let of = self.seen_on_entry?;
        Some(self.app(of, &[object], Sort::Bool))
    }

    /// Whether an object that existed on entry can be seen at some point of an execution that is not spoken of again.
    pub fn seen_here(&mut self, object: Term) -> Term {
        let of = self.predicate();
        self.app(of, &[object], Sort::Bool)
    }

    /// A value for which the body of a quantifier fails, if it does for any.
    pub fn witness(&mut self, forall: Term) -> Option<Term> {
        let Node::Forall(bound, _) = *self.node(forall) else { return None };
        let sort = self.sort(bound);
        Some(self.app(Func::Witness(forall), &[], sort))
    }
}
