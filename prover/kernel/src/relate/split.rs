//! Conditions on which a proof may be split: those whose truth does not depend on what corresponds to what.
//!
//! In: a condition on a path of one execution. Out: whether it speaks of that execution alone.
//!
//! Rule *Split* (`proofs/soundness.md`). In each case other calls may be matched, by whose names the symbols of this execution then go. So
//! the condition may use those alone that are one thing in the execution itself, whatever the name.

use super::Relater;
use crate::effects::Effects;
use crate::exec::state::Outcome;
use rustc_hash::FxHashSet as HashSet;
use smt::term::{CallId, Func, Node, Origin, PathFacts, Selector, Sort, Term};

impl Relater<'_> {
    /// Whether a condition speaks only of the entry store and of what this outcome made itself.
    ///
    /// Only such a condition keeps its truth whatever names the two sides are given later. One that compares
    /// an object of one side with one of the other does not, nor does one on the region of a call, so it must not be split on.
    pub fn speaks_of(&mut self, condition: Term, outcome: &Outcome) -> bool {
        let mut known = PathFacts::new();
        for &fact in &outcome.path {
            // On a path that contradicts itself any split will do.
            let _ = known.assume(&mut self.arena.terms, fact);
        }
        let mut seen = HashSet::default();
        let mut work = vec![condition];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(parts) = self.read_after(term, outcome) {
                work.extend(parts);
                continue;
            }
            let node = self.arena.terms.node(term).clone();
            if !self.is_of(&node, term, outcome, &known) {
                return false;
            }
            work.extend(node.children());
        }
        true
    }

    /// Whether a term is one thing in this outcome, apart from its parts.
    fn is_of(&mut self, node: &Node, term: Term, outcome: &Outcome, known: &PathFacts) -> bool {
        match node {
            Node::App(Func::New(alloc), _) => outcome.news.iter().any(|(own, _)| own == alloc),
            Node::App(Func::Effect(call, selector), args) => {
                self.leaves(outcome, *call, *selector) && self.is_left(*call, *selector, args[0], known)
            }
            Node::App(Func::Result(call, at), _) => {
                let record = self.arena.record(*call);
                let code = self.unit.procedure(record.version, record.callee);
                let effects = self.effects_of(*call);
                let mut numbers = effects.numbers_of_results(code.results).into_iter().zip(code.result_ids());
                let ty = numbers.find(|(number, _)| number == at).map(|(_, id)| Sort::from(&code.local(id).ty));
                let own = match ty {
                    Some(sort) => sort == self.arena.terms.sort(term),
                    None => effects.is_own_number(*at, code.results),
                };
                own && outcome.calls.contains(call)
            }
            Node::App(Func::GlobalAfter(call, at), _) => {
                let writes = self.effects_of(*call).written_globals.iter().any(|global| global.0 == *at);
                (writes || faults::planted("kernel/relate/split-unwritten")) && outcome.calls.contains(call)
            }
            Node::App(Func::Ending(call), _) => outcome.calls.contains(call),
            // It is told of the region of whatever call this one is matched with, and in the next case that may be another one.
            Node::App(Func::InRegion(_), _) => faults::planted("kernel/relate/split-region"),
            // The variable of a sum or a fold stands for many values, so a condition on it has no one answer.
            Node::App(Func::Bound(..) | Func::Witness(_), _) => faults::planted("kernel/relate/split-within"),
            Node::App(Func::Skolem(_), _) | Node::Forall(..) => false,
            Node::InClass(_, alloc) => match self.arena.terms.origin(*alloc) {
                Origin::Call(call) => outcome.calls.contains(call),
                _ => true,
            },
            _ => true,
        }
    }

    /// What is read from the heap that a call left: what the call left there, where it may change that, and else what was there before.
    /// That is what the place holds, by whatever name the call goes. Out: what else it speaks of.
    fn read_after(&mut self, term: Term, outcome: &Outcome) -> Option<Vec<Term>> {
        let Node::Ite(hit, after, before) = *self.arena.terms.node(term) else { return None };
        let Node::App(Func::Effect(call, selector), args) = self.arena.terms.node(after).clone() else { return None };
        let changes = self.arena.heaps.may_change(&mut self.arena.terms, call, selector, args[0]);
        (changes == hit && self.leaves(outcome, call, selector)).then(|| args.iter().copied().chain([before]).collect())
    }

    /// Whether what a call of this outcome leaves behind a selector is what it leaves itself, and not what a call of the other version does
    /// whose name it is to have.
    fn leaves(&self, outcome: &Outcome, call: CallId, selector: Selector) -> bool {
        outcome.calls.contains(&call) && self.effects_of(call).returned.shares(selector)
    }

    /// Whether the symbol for what a call leaves in an object stands for that: the call surely comes to the object. Of another one it
    /// stands for nothing, until the call is matched with one that comes there.
    fn is_left(&mut self, call: CallId, selector: Selector, object: Term, known: &PathFacts) -> bool {
        let changes = self.arena.heaps.may_change(&mut self.arena.terms, call, selector, object);
        let changes = self.arena.terms.simplify(changes, known);
        self.arena.terms.is_true(changes) || faults::planted("kernel/relate/split-unchanged")
    }

    /// What is said of the callee of a call.
    fn effects_of(&self, call: CallId) -> &Effects {
        let record = self.arena.record(call);
        &self.effects[record.version][record.callee.index()]
    }
}
