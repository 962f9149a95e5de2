//! Choices in a normal form, so that what was written in another order is the same term.
//!
//! In: a term. Out: an equal one. From the inside out,
//! - what both sides of a choice between sums have stands before it: `c ? s + a : s + b` is `s + (c ? a : b)`. Where `c` says
//!   that two references are the same, one stands for the other on the side where `c` holds;
//! - of choices by what one number is, no two of which can be made at once, that of the least number comes first.
//!
//! Invariant: the value is the same whatever the parts are, as with any other rewrite (rule *Simplify*).

use super::{Func, Node, Parts, Sort, Term, Terms};
use num_bigint::BigInt;
use num_traits::Zero;
use rustc_hash::FxHashMap as HashMap;

/// A term is left as it is where more parts than this would have to be looked at.
const MAX_STEPS: usize = 200_000;

/// What was done so far, and how much more may be.
struct Work {
    done: HashMap<Term, Term>,
    left: usize,
}

impl Work {
    /// Notes so many steps; `None` where they are too many.
    fn takes(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

impl Terms {
    /// An equal term, whose choices are in their normal form; the same term where that takes too long.
    pub fn arranged(&mut self, term: Term) -> Term {
        self.arrange(term, &mut Work { done: HashMap::default(), left: MAX_STEPS }).unwrap_or(term)
    }

    fn arrange(&mut self, term: Term, work: &mut Work) -> Option<Term> {
        if let Some(&done) = work.done.get(&term) {
            return Some(done);
        }
        let arranged = match self.node(term) {
            Node::Ite(..) => self.arrange_choices(term, work)?,
            // Of these what is inside has a meaning of its own.
            Node::Forall(..) | Node::InClass(..) | Node::App(Func::InRegion(_), _) => term,
            node => {
                let old = node.children();
                work.takes(old.len() + 1)?;
                let parts = old.iter().map(|&part| self.arrange(part, work)).collect::<Option<Parts>>()?;
                match self.node(term).clone() {
                    _ if parts == old => term,
                    Node::App(f, _) => self.app(f, &parts, self.sort(term)),
                    node => self.rebuild(term, node, &parts),
                }
            }
        };
        work.done.insert(term, arranged);
        Some(arranged)
    }

    /// A choice with all those that are made where it is not.
    fn arrange_choices(&mut self, term: Term, work: &mut Work) -> Option<Term> {
        let mut choices = Vec::new();
        let mut rest = term;
        while let Node::Ite(cond, then, els) = *self.node(rest) {
            work.takes(1)?;
            choices.push((self.arrange(cond, work)?, self.arrange(then, work)?));
            rest = els;
        }
        let mut value = self.arrange(rest, work)?;
        for (cond, then) in self.in_order(choices).into_iter().rev() {
            value = self.choice(cond, then, value, work)?;
        }
        Some(value)
    }

    /// Conditions with what is chosen where each holds and none before it. Those that exclude each other by a number change
    /// places.
    fn in_order(&mut self, choices: Vec<(Term, Term)>) -> Vec<(Term, Term)> {
        type Numbered = (Option<(Term, BigInt)>, (Term, Term));
        let mut all: Vec<Numbered> = choices.into_iter().map(|choice| (self.number(choice.0), choice)).collect();
        let alike =
            |(a, _): &Numbered, (b, _): &Numbered| a.is_some() && a.as_ref().map(|a| a.0) == b.as_ref().map(|b| b.0);
        // Of one number the order stays.
        all.chunk_by_mut(alike).for_each(|run| run.sort_by(|(a, _), (b, _)| a.cmp(b)));
        all.into_iter().map(|(_, choice)| choice).collect()
    }

    /// A sum without constant, and a number, such that the two are zero together where the condition holds.
    fn number(&mut self, cond: Term) -> Option<(Term, BigInt)> {
        let parts = match self.node(cond) {
            Node::And(parts) => parts.to_vec(),
            _ => vec![cond],
        };
        let is_zero = |part: Term| match self.node(part) {
            Node::IsZero(sum) => Some(*sum),
            _ => None,
        };
        let sum = parts.into_iter().find_map(is_zero)?;
        let (constant, parts) = self.linear_parts(sum);
        Some((self.linear(BigInt::zero(), parts), constant))
    }

    /// `cond ? then : els`, behind what both sides have.
    fn choice(&mut self, cond: Term, then: Term, els: Term, work: &mut Work) -> Option<Term> {
        if self.sort(then) != Sort::Int {
            return Some(self.ite(cond, then, els));
        }
        let then = self.like(cond, then, els);
        let (constant, theirs) = self.linear_parts(els);
        work.takes(theirs.len())?;
        let shared = self.shared(then, &theirs);
        let shared = self.linear(constant, shared);
        let (then, els) = (self.sub(then, shared), self.sub(els, shared));
        let choice = self.ite(cond, then, els);
        Some(self.add(shared, choice))
    }

    /// The parts of a sum that are among those of another.
    fn shared(&self, sum: Term, other: &[(BigInt, Term)]) -> Vec<(BigInt, Term)> {
        let among = |part: &(BigInt, Term)| {
            other.binary_search_by_key(&part.1, |(_, term)| *term).is_ok_and(|at| other[at].0 == part.0)
        };
        self.linear_parts(sum).1.into_iter().filter(among).collect()
    }

    /// What is chosen where two references are the same, with one for the other if that makes it more like the other side.
    fn like(&mut self, cond: Term, then: Term, els: Term) -> Term {
        let Node::SameRef(a, b) = *self.node(cond) else { return then };
        let theirs = self.linear_parts(els).1;
        let mut best = (self.shared(then, &theirs).len(), then);
        for (from, to) in [(a, b), (b, a)] {
            let renamed = self.substitute(then, &HashMap::from_iter([(from, to)]));
            let count = self.shared(renamed, &theirs).len();
            if count > best.0 {
                best = (count, renamed);
            }
        }
        best.1
    }
}
