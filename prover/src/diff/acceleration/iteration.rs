//! One iteration of a loop: what it does, as terms over its number.
//!
//! In: a state before a loop. Out: an [`Iteration`], if the loop is of the kind the module above names.
//!
//! The iteration is executed twice. The first time each variable that is assigned has a value of its own, to see which grow
//! by a constant. The second time those have what they have grown to, and the array that is written is in an arbitrary
//! state.
//!
//! Invariant: in an [`Iteration`] nothing but the number of the iteration stands for what earlier iterations did.

use super::sums::Index;
use super::{Accelerator, split};
use kernel::exec::state::State;
use kernel::exec::{Execution, Flow};
use lang_l::hir::{Block, Expr, ExprKind, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use num_bigint::BigInt;
use num_traits::Signed;
use rustc_hash::FxHashMap as HashMap;
use smt::heap::{Footprint, HeapId, HeapNode, Members};
use smt::term::{AllocSet, CallId, Ending, Func, Node, Selector, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// A variable that a loop assigns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Variable {
    /// A parameter of the loop's procedure.
    Param(usize),
    Global(usize),
}

impl Variable {
    fn value(self, state: &State) -> Term {
        match self {
            Variable::Param(at) => state.locals[at],
            Variable::Global(at) => state.globals[at],
        }
    }

    fn set(self, state: &mut State, value: Term) {
        match self {
            Variable::Param(at) => state.locals.set(at, value),
            Variable::Global(at) => state.globals.set(at, value),
        };
    }
}

/// The cell that an iteration writes.
pub(super) struct Write {
    pub(super) selector: Selector,
    pub(super) array: Term,
    pub(super) index: Index,
    pub(super) value: Term,
}

/// What the n-th iteration of a loop does, counted from 0.
pub(super) struct Iteration {
    /// Its number.
    pub(super) number: Term,
    /// Whether it takes place.
    pub(super) condition: Term,
    /// Whether finding that out is an error.
    pub(super) condition_errs: Term,
    /// Conjunctions, one of which holds if the iteration errs.
    pub(super) errors: Vec<Vec<Term>>,
    /// What it adds to each variable that is assigned.
    pub(super) growth: BTreeMap<Variable, Term>,
    pub(super) write: Option<Write>,
    /// Which parameters the loop's procedure returns.
    pub(super) results: Vec<usize>,
}

impl Iteration {
    /// All terms that say what it does.
    fn terms(&self) -> Vec<Term> {
        let written = self.write.iter().flat_map(|write| [write.value, write.index.start]);
        let all = self.growth.values().copied().chain(written).chain(self.errors.iter().flatten().copied());
        all.chain([self.condition, self.condition_errs]).collect()
    }
}

/// A loop's procedure, taken apart.
struct Parts<'c> {
    condition: &'c Expr,
    body: Block,
    results: Vec<usize>,
    assigned: BTreeSet<usize>,
}

/// One execution of the condition and the body.
struct Pass {
    end: State,
    condition: Term,
    condition_errs: Term,
    errors: Vec<Vec<Term>>,
}

impl<'a> Accelerator<'_, 'a> {
    /// What an iteration does; `None` when that depends on more than its number.
    pub(super) fn one_iteration(
        &mut self,
        state: &State,
        callee: ProcId,
        args: &[Term],
        number: Term,
    ) -> Option<Iteration> {
        let code = self.executor.code().procedure(callee);
        let parts = take_apart(code, callee)?;
        let entry = self.start(state, code, args);
        let variables = self.assigned(&parts, callee);
        if variables.iter().any(|variable| self.executor.arena.terms.sort(variable.value(&entry)) != Sort::Int) {
            return None;
        }
        // Once with arbitrary values.
        let mut first = entry.clone();
        let mut own = Vec::new();
        for variable in &variables {
            let value = self.arbitrary(&mut own);
            variable.set(&mut first, value);
        }
        let end = self.iteration_from(first.clone(), &parts, code)?.end;
        let place = self.written_place(end.heap, state.heap)?;
        if place.is_some_and(|(_, array)| own.iter().any(|&value| self.executor.arena.terms.occurs(value, array))) {
            return None;
        }
        // Then in the iteration of this number.
        let mut again = entry.clone();
        let (mut arbitrary, mut steps) = (Vec::new(), Vec::new());
        for &variable in &variables {
            let growth = self.growth(variable, &first, &end);
            let value = match self.executor.arena.terms.as_int(growth).cloned() {
                Some(step) => {
                    steps.push((variable, step.clone()));
                    self.after_steps(variable.value(&entry), step, number)
                }
                None => self.arbitrary(&mut arbitrary),
            };
            variable.set(&mut again, value);
        }
        let earlier = place.map(|place| self.write_earlier(&entry, place, (callee, args)));
        if let Some((_, heap)) = earlier {
            again.heap = heap;
        }
        let seen = self.iteration_from(again.clone(), &parts, code)?;
        let growth: BTreeMap<Variable, Term> =
            variables.iter().map(|&variable| (variable, self.growth(variable, &again, &seen.end))).collect();
        // What grew by a constant from arbitrary values has to do so from where it has grown to.
        if steps.iter().any(|(variable, step)| self.executor.arena.terms.as_int(growth[variable]) != Some(step)) {
            return None;
        }
        let write = match place {
            Some(place) => Some(self.write(&seen.end, again.heap, place, number)?),
            None => None,
        };
        let Pass { condition, condition_errs, errors, .. } = seen;
        let results = parts.results;
        let iteration = Iteration { number, condition, condition_errs, errors, growth, write, results };
        self.by_number_alone(iteration, &arbitrary, earlier.map(|(call, _)| (call, entry.heap)))
    }

    /// The iteration, where nothing but its number says what it does: no arbitrary value, and nothing that earlier iterations
    /// have written (as `earlier` says, from a heap), but for what they have not reached.
    fn by_number_alone(
        &mut self,
        mut iteration: Iteration,
        arbitrary: &[Term],
        earlier: Option<(CallId, HeapId)>,
    ) -> Option<Iteration> {
        if let Some((call, before)) = earlier {
            self.forget_earlier(&mut iteration, call, before)?;
        }
        let terms = &self.executor.arena.terms;
        let is_unknown = |term: Term| {
            arbitrary.iter().any(|&value| terms.occurs(value, term))
                || earlier.is_some_and(|(call, _)| terms.speaks_of_call(call, term))
        };
        let is_known = !iteration.terms().into_iter().any(is_unknown);
        (is_known && !terms.occurs(iteration.number, iteration.condition_errs)).then_some(iteration)
    }

    /// The variables that a loop assigns.
    fn assigned(&self, parts: &Parts<'_>, callee: ProcId) -> Vec<Variable> {
        let globals = &self.executor.effects[callee.index()].written_globals;
        let globals = globals.iter().map(|global| Variable::Global(global.index()));
        parts.assigned.iter().map(|&at| Variable::Param(at)).chain(globals).collect()
    }

    /// What a variable has gained from one state to another.
    fn growth(&mut self, variable: Variable, start: &State, end: &State) -> Term {
        grown(&mut self.executor.arena.terms, variable.value(start), variable.value(end))
    }

    /// Earlier iterations have left an array in some state, and nothing else changed: as a call that they stand for.
    fn write_earlier(
        &mut self,
        before: &State,
        (selector, array): (Selector, Term),
        (callee, args): (ProcId, &[Term]),
    ) -> (CallId, HeapId) {
        let call = self.executor.arena.terms.new_call(AllocSet::everything(), Vec::new());
        let record = smt::arena::CallRecord {
            call,
            version: self.executor.version,
            callee,
            args: args.to_vec(),
            globals: before.globals.iter().copied().collect(),
            heap: before.heap,
            span: self.executor.code().procedure(callee).span,
        };
        self.executor.arena.keep(record);
        let selectors = BTreeSet::from([selector]);
        let footprint =
            Footprint { writes: selectors.clone(), accesses: selectors, modifies: Some(vec![(array, Members::Cells)]) };
        (call, self.executor.arena.heaps.call(before.heap, call, footprint))
    }

    /// A state in which an iteration begins, with nothing on its path.
    fn start(&mut self, state: &State, code: &Procedure, args: &[Term]) -> State {
        State {
            locals: self.executor.frame(code, args),
            path: im::Vector::new(),
            pending: im::Vector::new(),
            unflushed: 0,
            ..state.clone()
        }
    }

    fn after_steps(&mut self, start: Term, step: BigInt, number: Term) -> Term {
        let step = self.executor.arena.terms.int(step);
        let grown = self.executor.arena.terms.mul(step, number);
        self.executor.arena.terms.add(start, grown)
    }

    fn arbitrary(&mut self, all: &mut Vec<Term>) -> Term {
        let value = self.executor.arena.terms.skolem_int();
        all.push(value);
        value
    }

    /// Executes the condition and the body once.
    fn iteration_from(&mut self, mut state: State, parts: &Parts<'_>, code: &'a Procedure) -> Option<Pass> {
        let (calls, news) = (state.calls.len(), state.news.len());
        let condition = self.executor.eval(&mut state, parts.condition)?;
        let bad: Vec<Term> = state.pending.iter().map(|(condition, _)| *condition).collect();
        let condition_errs = self.executor.arena.terms.or(&bad);
        // That it does not err is known from here on.
        (state.pending, state.unflushed, state.path) = (im::Vector::new(), 0, im::Vector::new());
        self.executor.found = Execution::default();
        if !state.known.assume(&mut self.executor.arena.terms, condition) {
            return None;
        }
        let flows = self.executor.block(state, &parts.body, code).ok()?;
        let [Flow::Next(end)] = flows.as_slice() else { return None };
        let mut end = end.clone();
        self.executor.flush(&mut end).ok()?;
        let whole = self.executor.found.outcomes.iter().all(|o| o.ending == Ending::Error && o.calls.len() == calls);
        if !whole || end.calls.len() != calls || end.news.len() != news {
            return None;
        }
        let errors = self.executor.found.outcomes.iter().map(|outcome| outcome.path.clone()).collect();
        Some(Pass { end, condition, condition_errs, errors })
    }

    /// The one array that was written on the way from a heap to another, and with what sort of cell; the outer `None` when
    /// more was written.
    fn written_place(&self, end: HeapId, start: HeapId) -> Option<Option<(Selector, Term)>> {
        let mut place = None;
        let mut work = vec![end];
        while let Some(heap) = work.pop() {
            if heap == start {
                continue;
            }
            match self.executor.arena.heaps.node(heap) {
                HeapNode::Store { prev, selector: selector @ Selector::Cell(_), object, .. } => {
                    if place.is_some_and(|known| known != (*selector, *object)) {
                        return None;
                    }
                    place = Some((*selector, *object));
                    work.push(*prev);
                }
                HeapNode::Join { then, els, .. } => work.extend([*then, *els]),
                _ => return None,
            }
        }
        Some(place)
    }

    /// The cell that was written in this iteration, and what it holds afterwards.
    fn write(
        &mut self,
        end: &State,
        start: HeapId,
        (selector, array): (Selector, Term),
        number: Term,
    ) -> Option<Write> {
        let mut written = BTreeSet::new();
        let mut work = vec![end.heap];
        while let Some(heap) = work.pop() {
            if heap == start {
                continue;
            }
            match self.executor.arena.heaps.node(heap) {
                HeapNode::Store { prev, selector: own, object, index: Some(index), .. }
                    if (*own, *object) == (selector, array) =>
                {
                    written.insert(*index);
                    work.push(*prev);
                }
                HeapNode::Join { then, els, .. } => work.extend([*then, *els]),
                _ => return None,
            }
        }
        let [at] = written.into_iter().collect::<Vec<_>>()[..] else { return None };
        let (slope, first) = split(&mut self.executor.arena.terms, at, number)?;
        let index = Index::of(&slope, first)?;
        let value = self.executor.arena.heaps.read(&mut self.executor.arena.terms, end.heap, selector, array, Some(at));
        Some(Write { selector, array, index, value })
    }

    /// Puts what was there before the loop in the place of what earlier iterations left, where they have not been.
    fn forget_earlier(&mut self, iteration: &mut Iteration, call: CallId, before: HeapId) -> Option<()> {
        let write = iteration.write.as_ref()?;
        let (selector, index) = (write.selector, write.index.clone());
        let at = index.at(&mut self.executor.arena.terms, iteration.number);
        let mut instead = HashMap::default();
        for term in self.executor.arena.terms.parts_of(&iteration.terms()) {
            let Node::App(Func::Effect(by, _), args) = self.executor.arena.terms.node(term).clone() else { continue };
            if by != call {
                continue;
            }
            // Only cells that lie ahead, or the one that is this iteration's own.
            let ahead = self.executor.arena.terms.sub(args[1], at);
            let ahead = self.executor.arena.terms.as_int(ahead)?;
            let unwritten = if index.up { !ahead.is_negative() } else { !ahead.is_positive() };
            if !unwritten {
                return None;
            }
            let value = self.executor.arena.heaps.read(
                &mut self.executor.arena.terms,
                before,
                selector,
                args[0],
                Some(args[1]),
            );
            instead.insert(term, value);
        }
        let terms = &mut self.executor.arena.terms;
        for growth in iteration.growth.values_mut() {
            *growth = terms.substitute(*growth, &instead);
        }
        iteration.condition = terms.substitute(iteration.condition, &instead);
        for error in iteration.errors.iter_mut().flatten() {
            *error = terms.substitute(*error, &instead);
        }
        if let Some(write) = &mut iteration.write {
            write.value = terms.substitute(write.value, &instead);
        }
        Some(())
    }
}

/// `end - start`, taken into choices, so that a variable that grows in one case alone does not occur in its growth.
fn grown(terms: &mut Terms, start: Term, end: Term) -> Term {
    let (constant, parts) = terms.linear_parts(end);
    let choice = parts.iter().enumerate().find_map(|(at, (coefficient, part))| match *terms.node(*part) {
        Node::Ite(cond, then, els) if terms.occurs(start, *part) => Some((at, coefficient.clone(), cond, [then, els])),
        _ => None,
    });
    let Some((at, coefficient, cond, sides)) = choice else { return terms.sub(end, start) };
    let mut rest = terms.int(constant);
    for (_, (coefficient, part)) in parts.into_iter().enumerate().filter(|(other, _)| *other != at) {
        let coefficient = terms.int(coefficient);
        let product = terms.mul(coefficient, part);
        rest = terms.add(rest, product);
    }
    let coefficient = terms.int(coefficient);
    let [then, els] = sides.map(|side| {
        let product = terms.mul(coefficient, side);
        let end = terms.add(rest, product);
        grown(terms, start, end)
    });
    terms.ite(cond, then, els)
}

/// A loop's procedure as the lowering makes it, if it holds no `break`, `continue` or `return`.
fn take_apart(code: &Procedure, own: ProcId) -> Option<Parts<'_>> {
    let [enter, leave] = &code.body.as_ref()?.stmts[..] else { return None };
    let StmtKind::If(condition, then, els) = &enter.kind else { return None };
    let StmtKind::Return(values) = &leave.kind else { return None };
    let (again, body) = then.stmts.split_last()?;
    let StmtKind::Call { targets, callee, args } = &again.kind else { return None };
    let local = |e: &Expr| match e.kind {
        ExprKind::Local(id) => Some(id.index()),
        _ => None,
    };
    let passed: Vec<usize> = args.iter().map(local).collect::<Option<_>>()?;
    let returned: Vec<usize> = values.iter().map(local).collect::<Option<_>>()?;
    let kept: Option<Vec<usize>> = targets
        .iter()
        .map(|target| match target {
            Place::Local(id) => Some(id.index()),
            _ => None,
        })
        .collect();
    let same = passed.iter().copied().eq(0..code.params) && kept? == returned;
    if *callee != own || !els.stmts.is_empty() || !same || !returned.iter().all(|&at| at < code.params) {
        return None;
    }
    let mut assigned = BTreeSet::new();
    body.iter().all(|stmt| assigned_in(stmt, own, &mut assigned)).then_some(())?;
    assigned.retain(|&at| at < code.params);
    let body = Block { stmts: body.to_vec(), span: then.span };
    Some(Parts { condition, body, results: returned, assigned })
}

/// Notes the locals that a statement assigns; false when it leaves the loop.
fn assigned_in(stmt: &Stmt, own: ProcId, assigned: &mut BTreeSet<usize>) -> bool {
    let mut note = |place: &Place| {
        if let Place::Local(id) = place {
            assigned.insert(id.index());
        }
    };
    match &stmt.kind {
        StmtKind::Assign(place, rhs) => {
            note(place);
            !matches!(rhs, Rhs::Expr(e) if e.any(&|part| matches!(part.kind, ExprKind::Call(callee, _) if callee == own)))
        }
        StmtKind::Call { targets, callee, .. } => {
            targets.iter().for_each(note);
            *callee != own
        }
        StmtKind::If(_, then, els) => then.stmts.iter().chain(&els.stmts).all(|stmt| assigned_in(stmt, own, assigned)),
        StmtKind::Assert(_) | StmtKind::Assume(_) => true,
        StmtKind::While { .. } | StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => false,
    }
}
