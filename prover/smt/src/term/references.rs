//! What can be asked of a reference: whether it is another, what it was made by, whether a call's arguments reach it.
//!
//! In: references, which may be choices. Out: conditions, decided by allocs where these decide.

use super::{AllocClass, CallId, Func, Node, Origin, Sort, Term, Terms};

/// A question about a reference that is answered for both sides when the reference is a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    Same(Term, Term),
    InClass(Term, AllocClass),
    Inside(Term, CallId),
}

impl Terms {
    /// Rule *Births*: references of disjoint allocs differ; a `new` has an alloc of its own.
    pub(super) fn same_ref(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        if self.allocs(a).disjoint(self.allocs(b)) {
            return self.bool(false);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        // A choice compared with anything becomes a choice of comparisons where that decides a side.
        for (choice, other) in [(a, b), (b, a)] {
            if let Node::Ite(cond, then, els) = *self.node(choice) {
                let decided =
                    |terms: &Self, side: Term| side == other || terms.allocs(side).disjoint(terms.allocs(other));
                if decided(self, then) || decided(self, els) {
                    return self.by_cases(Question::Same(choice, other), cond, |terms, left| {
                        terms.same_ref(if left { then } else { els }, other)
                    });
                }
            }
        }
        self.intern(Node::SameRef(a, b), Sort::Bool)
    }

    /// Whether a reference has this alloc.
    pub fn born(&mut self, reference: Term, alloc: AllocClass) -> Term {
        let allocs = self.allocs(reference);
        if !allocs.contains(alloc) {
            return self.bool(false);
        }
        if allocs.single() == Some(alloc) {
            return self.bool(true);
        }
        match self.origin(alloc) {
            Origin::New(_) => {
                let object = self.app(Func::New(alloc), &[], Sort::Ref);
                self.same_ref(reference, object)
            }
            Origin::Entry if alloc == AllocClass::NULL => {
                let null = self.null();
                self.same_ref(reference, null)
            }
            _ => {
                if let Node::Ite(cond, then, els) = *self.node(reference) {
                    return self.by_cases(Question::InClass(reference, alloc), cond, |terms, left| {
                        terms.born(if left { then } else { els }, alloc)
                    });
                }
                self.intern(Node::InClass(reference, alloc), Sort::Bool)
            }
        }
    }

    /// Whether a reference lies in the region that a call's arguments reach.
    pub fn in_region(&mut self, call: CallId, reference: Term) -> Term {
        if self.allocs(reference).disjoint(&self.reach(call).region) {
            return self.bool(false);
        }
        if self.reach(call).roots.contains(&reference) {
            let null = self.null();
            let is_null = self.same_ref(reference, null);
            return self.not(is_null);
        }
        if let Node::Ite(cond, then, els) = *self.node(reference) {
            return self.by_cases(Question::Inside(reference, call), cond, |terms, left| {
                terms.in_region(call, if left { then } else { els })
            });
        }
        self.app(Func::InRegion(call), &[reference], Sort::Bool)
    }

    /// What is asked of a choice, answered for both sides of it. Choices share their parts: as a tree one can be exponentially
    /// larger than it is, so an answer is remembered.
    fn by_cases(&mut self, question: Question, cond: Term, mut side: impl FnMut(&mut Self, bool) -> Term) -> Term {
        if let Some(&known) = self.answers.get(&question) {
            return known;
        }
        let (then, els) = (side(self, true), side(self, false));
        let answer = self.ite(cond, then, els);
        self.answers.insert(question, answer);
        answer
    }
}
