//! The state of one symbolic execution, and what an execution ends in.
//!
//! Invariant: the conditions in [`State::path`] hold on the path; nothing else is assumed.

use lang_l::source::Span;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::{Arena, CallRecord};
use smt::heap::HeapId;
use smt::term::{AllocClass, CallId, Ending, PathFacts, Renaming, Term, Terms};

/// A state on the way.
#[derive(Clone, Debug)]
pub struct State {
    /// The locals of the procedure.
    pub locals: im::Vector<Term>,
    /// The globals.
    pub globals: im::Vector<Term>,
    /// The heap.
    pub heap: HeapId,
    /// The path condition, as a conjunction.
    pub path: im::Vector<Term>,
    /// The path condition, for look-up.
    pub known: PathFacts,
    /// The calls made, in order.
    pub calls: im::Vector<CallId>,
    /// The allocations made, in order, each with its place.
    pub news: im::Vector<(AllocClass, Span)>,
    /// Ways to err since the last fork, each under the assumption that those before did not happen.
    pub pending: im::Vector<(Term, Fault)>,
    /// How many of the last conditions of `path` say that nothing pending happened.
    pub unflushed: usize,
    /// The results of the procedure, once they are set otherwise than by its variables.
    pub results: Option<Vec<Term>>,
}

impl State {
    /// Adds a condition; false when it contradicts the path outright.
    #[must_use]
    pub fn assume(&mut self, terms: &mut Terms, condition: Term) -> bool {
        let condition = terms.simplify(condition, &self.known);
        if terms.is_true(condition) {
            return true;
        }
        self.path.push_back(condition);
        self.known.assume(terms, condition)
    }
}

/// Why and where an execution errs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The message, as the interpreter words it.
    pub message: &'static str,
    /// Where.
    pub span: Span,
}

/// One way for an execution to end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ends.
    pub ending: Ending,
    /// The path condition.
    pub path: Vec<Term>,
    /// The calls made; the last one ended as `ending` says when that is by a call.
    pub calls: Vec<CallId>,
    /// The allocations made, in order, each with its place.
    pub news: Vec<(AllocClass, Span)>,
    /// The heap at the end.
    pub heap: HeapId,
    /// The globals at the end.
    pub globals: Vec<Term>,
    /// The results; empty unless it ends normally.
    pub results: Vec<Term>,
    /// The places where it errs, for an error that no call made.
    pub faults: Vec<Fault>,
}

impl Outcome {
    /// The call that never ends, where that is why the execution does not. It may also be blocked by an `assume`, or be a loop
    /// that was taken at once.
    pub fn endless_call(&self, terms: &mut Terms) -> Option<CallId> {
        let last = self.calls.last().copied().filter(|_| self.ending == Ending::Diverges)?;
        let endless = terms.ended(last, Ending::Diverges);
        self.path.contains(&endless).then_some(last)
    }

    /// The outcome with allocs and calls renamed. Calls without an image of their own get one whenever the renaming touches
    /// what is known of them, and the renaming is extended by it.
    pub fn rename(&self, arena: &mut Arena, renaming: &mut Renaming) -> Outcome {
        let mut terms_memo = HashMap::default();
        let mut heaps_memo = HashMap::default();
        // Calls in order: what is known of one speaks only of allocs and calls before it.
        for &call in &self.calls {
            if renaming.calls.contains_key(&call) {
                continue;
            }
            let record = arena.record(call).clone();
            let reach = arena.terms.reach(call).clone();
            let footprint = arena.heaps.footprint(call).clone();
            let mut go = |arena: &mut Arena, term: Term| arena.terms.rename(term, renaming, &mut terms_memo);
            let roots: Vec<Term> = reach.roots.iter().map(|&root| go(arena, root)).collect();
            let args: Vec<Term> = record.args.iter().map(|&arg| go(arena, arg)).collect();
            let globals: Vec<Term> = record.globals.iter().map(|&global| go(arena, global)).collect();
            let modifies = footprint
                .modifies
                .as_ref()
                .map(|places| places.iter().map(|&(p, members)| (go(arena, p), members)).collect());
            let heap = arena.heaps.rename(&mut arena.terms, record.heap, renaming, &mut heaps_memo, &mut terms_memo);
            let region = renaming.set(&reach.region);
            let image = arena.terms.new_call(region, roots);
            renaming.allocs.insert(reach.fresh, arena.terms.reach(image).fresh);
            renaming.calls.insert(call, image);
            arena.heaps.call(heap, image, smt::heap::Footprint { modifies, ..footprint });
            arena.keep(CallRecord { call: image, args, globals, heap, ..record });
        }
        let heap = arena.heaps.rename(&mut arena.terms, self.heap, renaming, &mut heaps_memo, &mut terms_memo);
        let mut all = |list: &[Term]| -> Vec<Term> {
            list.iter().map(|&term| arena.terms.rename(term, renaming, &mut terms_memo)).collect()
        };
        Outcome {
            ending: self.ending,
            path: all(&self.path),
            globals: all(&self.globals),
            results: all(&self.results),
            calls: self.calls.iter().map(|&call| renaming.call(call)).collect(),
            news: self.news.iter().map(|&(alloc, span)| (renaming.alloc(alloc), span)).collect(),
            heap,
            faults: self.faults.clone(),
        }
    }
}
