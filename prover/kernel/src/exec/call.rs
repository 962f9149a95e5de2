//! Calls: in place, or by what is known of the callee.
//!
//! In: a state before a call. Out: the states in which it returned, with its results; that it errs or never ends becomes an
//! outcome of its own.

use super::expr::{ContractView, Return};
use super::returned::returned;
use super::source::assigned;
use super::{Check, CheckedCall, ExecError, Executor, Flow, Returns};
use crate::bounds::exec::MAX_TESTS_OF_TURN;
use crate::effects::is_loop;
use crate::exec::state::State;
use crate::exec::sweep::Before;
use crate::only_if::Changing;
use lang_l::hir::{Block, Expr, ExprKind, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind};
use lang_l::source::Span;
use smt::arena::CallRecord;
use smt::heap::{Footprint, HeapId, Members};
use smt::term::{AllocSet, Ending, Func, PathFacts, Sort, Term};

impl Executor<'_> {
    /// Evaluates the arguments and makes the call: in place where the limits say so, else by its summary.
    pub fn call(
        &mut self,
        mut state: State,
        targets: &[Place],
        callee: ProcId,
        args: &[Expr],
        span: Span,
    ) -> Result<Vec<Flow>, ExecError> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let Some(value) = self.eval(&mut state, arg) else { return self.go_on(state, false) };
            values.push(value);
        }
        let returned = self.call_with(state, callee, values, span)?;
        Ok(returned.into_iter().map(|(state, results)| Flow::Next(assigned(state, targets, results))).collect())
    }

    /// Makes a call: in place where the limits say so, else by its summary. The states in which it returned.
    pub(super) fn call_with(
        &mut self,
        mut state: State,
        callee: ProcId,
        values: Vec<Term>,
        span: Span,
    ) -> Result<Returns, ExecError> {
        self.calls += 1;
        if self.calls > self.limits.calls {
            return Err(ExecError::TooManyCalls(self.limits.calls));
        }
        self.flush(&mut state)?;
        self.check_requires(&state, callee, &values, span);
        let code = self.code().procedure(callee);
        let wanted = self.limits.inline.contains(&callee)
            && self.limits.inline_at.is_none_or(|only| only == span)
            && self.within.len() < self.limits.inline_depth
            && code.body.is_some();
        let at_once = match self.limits.at_once {
            Some(at_once) => at_once(self, &state, callee, &values, span)?,
            None => None,
        };
        if let Some(ends) = at_once {
            return Ok(ends);
        }
        let in_place = wanted || self.is_turn_in_place(callee);
        if in_place {
            return self.inline(state, callee, &values);
        }
        // A call that takes no turn makes no other, whether or not the terms show that.
        let over = if self.ending.contains(&callee) { None } else { self.over(&state, callee, &values) };
        if over.is_some_and(|over| self.arena.terms.is_true(over)) {
            return self.end(state, callee, &values);
        }
        match over.filter(|_| self.limits.told_apart.contains(&callee)) {
            Some(over) => self.told_apart(state, callee, values, (over, span)),
            None => self.abstract_call(state, callee, values, span),
        }
    }

    /// Whether this call of a loop is one of the first turns that are executed in place.
    fn is_turn_in_place(&self, callee: ProcId) -> bool {
        let turns = self.limits.turns.get(&callee).copied().unwrap_or(0);
        self.within.iter().filter(|own| **own == callee).count() < turns
    }

    /// Executes in place a call that takes no turn.
    fn end(&mut self, state: State, callee: ProcId, args: &[Term]) -> Result<Returns, ExecError> {
        self.ending.push(callee);
        let ends = self.inline(state, callee, args);
        self.ending.pop();
        ends
    }

    /// A call of a loop, in place where it takes no turn.
    fn told_apart(
        &mut self,
        mut state: State,
        callee: ProcId,
        args: Vec<Term>,
        (over, span): (Term, Span),
    ) -> Result<Returns, ExecError> {
        let mut found = Vec::new();
        let mut done = state.clone();
        if done.assume(&mut self.arena.terms, over) {
            found.extend(self.end(done, callee, &args)?);
        }
        let goes_on = self.arena.terms.not(over);
        if state.assume(&mut self.arena.terms, goes_on) {
            found.extend(self.abstract_call(state, callee, args, span)?);
        }
        Ok(found)
    }

    /// When a call of a loop takes no turn, or one that is told apart goes no further; `None` where that cannot be said. A
    /// loop that is left by its condition, once a flag is set, is so left where the flag is set, as by a `return`.
    ///
    /// Nothing rests on this being right: it only says which calls are executed in place.
    fn over(&mut self, state: &State, callee: ProcId, args: &[Term]) -> Option<Term> {
        let code = self.code().procedure(callee);
        let told_apart = self.limits.told_apart.contains(&callee);
        let may_be_known = self.limits.known_ends && self.effects[callee.index()].recursive(callee);
        let body = code.body.as_ref().filter(|_| is_loop(code) || told_apart || may_be_known)?;
        let view = self.view_of_call(state, callee, args);
        let recurs = !matches!(code.origin, Origin::Loop { .. });
        let stmts: Vec<&Stmt> = body.stmts.iter().collect();
        let over = if self.limits.within.contains(&callee) {
            self.leaves_within(view, &stmts, (code.params, false, MAX_TESTS_OF_TURN))?
        } else {
            let tests = Tests { either_side: recurs, first_alone: self.limits.by_first_test };
            self.leaves_at_once(view, &stmts, (tests, false))?
        };
        Some(self.arena.terms.simplify(over, &state.known))
    }

    /// When no call follows, as far as so many `tests` say, one within the other, with nothing stored before. The first variables, so many as are
    /// `given`, are those that go from turn to turn. Where one was assigned the loop has `stepped`: then it is not left but to store something.
    fn leaves_within(
        &mut self,
        mut view: ContractView,
        stmts: &[&Stmt],
        (given, mut stepped, tests): (usize, bool, usize),
    ) -> Option<Term> {
        let stores = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Assign(Place::Field(..) | Place::Index(..), _));
        let mut needed = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            let rest = &stmts[at + 1..];
            match &stmt.kind {
                _ if !stmts[at..].iter().any(|stmt| self.goes_further(stmt)) => {
                    if stepped && !stmts[at..].iter().any(stores) {
                        return None;
                    }
                    break;
                }
                StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) => {
                    stepped |= id.index() < given;
                    let (value, has_value) = self.value(&view, value)?;
                    needed.push(has_value);
                    view.locals.set(id.index(), value);
                }
                StmtKind::If(condition, then, els) => {
                    let further = (given, stepped, tests.checked_sub(1)?);
                    let (value, has_value) = self.value(&view, condition)?;
                    let not = self.arena.terms.not(value);
                    let [on, off] = [(then, value), (els, not)].map(|(side, taken)| {
                        let follows = if returns(side) { &[] } else { rest };
                        let leaves = self.leaves_within(view.clone(), &behind(side, follows), further);
                        let leaves = leaves.unwrap_or_else(|| self.arena.terms.bool(false));
                        self.where_it_holds(taken, leaves)
                    });
                    needed.extend([has_value, self.either_side([value, not], [on, off])]);
                    break;
                }
                _ => return None,
            }
        }
        Some(self.arena.terms.and(&needed))
    }

    /// When the first statement that decides something leads to no call; `goes_on` says whether one follows the statements. A loop is
    /// left where its condition fails. Recursion may end on either side of its first test, or of one that follows where that does not hold.
    fn leaves_at_once(
        &mut self,
        mut view: ContractView,
        stmts: &[&Stmt],
        (tests, goes_on): (Tests, bool),
    ) -> Option<Term> {
        let mut has_values = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            match &stmt.kind {
                // Parameters that the lowering found to be known, results as they are at first, and where a turn goes on.
                StmtKind::Assign(Place::Local(id), Rhs::Expr(value)) => {
                    let (value, has_value) = self.value(&view, value)?;
                    if !self.arena.terms.is_true(has_value) {
                        return None;
                    }
                    has_values.push(has_value);
                    view.locals.set(id.index(), value);
                }
                StmtKind::If(condition, then, els) => {
                    let rest = &stmts[at + 1..];
                    let followed = goes_on || rest.iter().any(|stmt| self.goes_further(stmt));
                    // A loop that has taken in what follows it turns for ever, and its own condition stands within.
                    if matches!(condition.kind, ExprKind::Bool(true)) {
                        let over = self.leaves_at_once(view, &behind(then, rest), (tests, goes_on))?;
                        has_values.push(over);
                        return Some(self.arena.terms.and(&has_values));
                    }
                    let goes_further = |side: &Block| side.stmts.iter().any(|stmt| self.goes_further(stmt));
                    let leaves = |side: &Block| !goes_further(side) && (!followed || returns(side));
                    let (leaves_else, leaves_then) = (leaves(els), tests.either_side && leaves(then));
                    if !leaves_else && !leaves_then {
                        return None;
                    }
                    let (value, has_value) = self.value(&view, condition)?;
                    let mut over = if leaves_else { self.arena.terms.not(value) } else { value };
                    if leaves_then && !leaves_else && !tests.first_alone {
                        let later = self.leaves_at_once(view, &behind(els, rest), (tests, goes_on));
                        over = later.map_or(over, |later| self.either(over, later));
                    }
                    has_values.extend([has_value, over]);
                    return Some(self.arena.terms.and(&has_values));
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether there is a call in a statement that may recur, or is an external's. One of a helper that does neither goes no further.
    fn goes_further(&self, stmt: &Stmt) -> bool {
        let own = |own: ProcId| self.effects[own.index()].recursive(own) || self.code().procedure(own).body.is_none();
        let mut found = false;
        stmt.walk(&mut |stmt| {
            let made = stmt.as_call().map(|(_, callee, _)| callee);
            found |= made
                .is_some_and(|made| own(made) || self.effects[made.index()].callees.iter().any(|&inner| own(inner)));
        });
        found
    }

    /// One or the other, where the other counts only if the first does not hold.
    fn either(&mut self, one: Term, other: Term) -> Term {
        let without = self.arena.terms.not(one);
        let other = self.where_it_holds(without, other);
        self.arena.terms.or(&[one, other])
    }

    /// One condition where a test holds, and another where it does not.
    fn either_side(&mut self, [value, not]: [Term; 2], [on, off]: [Term; 2]) -> Term {
        let terms = &mut self.arena.terms;
        let both = match (terms.is_true(on), terms.is_true(off)) {
            (_, true) => [not, on],
            (true, false) => [value, off],
            (false, false) => [terms.and(&[value, on]), terms.and(&[not, off])],
        };
        terms.or(&both)
    }

    /// What the second of two conditions comes to where the first holds.
    fn where_it_holds(&mut self, first: Term, second: Term) -> Term {
        let mut known = PathFacts::new();
        known.assume(&mut self.arena.terms, first);
        self.arena.terms.simplify(second, &known)
    }

    fn check_requires(&mut self, state: &State, callee: ProcId, args: &[Term], span: Span) {
        let requires = self.checked(state, callee, args, span, &self.code().procedure(callee).requires);
        self.found.calls.extend(requires);
        if self.limits.entries {
            let entries = self.checked(state, callee, args, span, &self.effects[callee.index()].entry);
            self.found.entries.extend(entries);
        }
    }

    /// Conditions on the entry of a callee, as they are to hold at a call.
    fn checked(
        &mut self,
        state: &State,
        callee: ProcId,
        args: &[Term],
        span: Span,
        conditions: &[Expr],
    ) -> Vec<CheckedCall> {
        let mut found = Vec::with_capacity(conditions.len());
        for (clause, condition) in conditions.iter().enumerate() {
            let view = self.view_of_call(state, callee, args);
            let condition = self.contract(&view, condition);
            let path = state.path.iter().copied().collect();
            let calls = state.calls.iter().copied().collect();
            found.push(CheckedCall { callee, clause, check: Check { path, condition, calls, span } });
        }
        found
    }

    /// Executes the callee's body in place.
    fn inline(
        &mut self,
        mut state: State,
        callee: ProcId,
        args: &[Term],
    ) -> Result<Vec<(State, Vec<Term>)>, ExecError> {
        let code = self.code().procedure(callee);
        let caller = std::mem::replace(&mut state.locals, self.frame(code, args));
        self.within.push(callee);
        let ends = self.body(state, callee);
        self.within.pop();
        Ok(ends?
            .into_iter()
            .map(|mut state| {
                let results = code.result_ids().map(|id| state.locals[id.index()]).collect();
                state.locals = caller.clone();
                (state, results)
            })
            .collect())
    }

    /// The locals of a procedure just entered.
    pub fn frame(&mut self, code: &Procedure, args: &[Term]) -> im::Vector<Term> {
        let mut locals: im::Vector<Term> = args.iter().copied().collect();
        for local in code.locals.iter().skip(args.len()) {
            locals.push_back(self.arena.terms.default_of(Sort::from(&local.ty)));
        }
        locals
    }

    /// Rule *Call*: the call ends somehow; if it returns, what it may have changed has new values that only its matching with
    /// a call of the other version can say more about.
    fn abstract_call(
        &mut self,
        mut state: State,
        callee: ProcId,
        args: Vec<Term>,
        span: Span,
    ) -> Result<Vec<(State, Vec<Term>)>, ExecError> {
        let effects = &self.effects[callee.index()];
        let roots = self.roots(&state, callee, &args);
        let mut reached = AllocSet::new();
        for &root in &roots {
            reached.extend(self.arena.terms.allocs(root));
        }
        let accesses = effects.accesses.clone();
        let region = self.arena.heaps.closure(&self.arena.terms, state.heap, &reached, Some(&accesses));
        let view = self.view_of_call(&state, callee, &args);
        let modifies = self.modified(callee, &view);
        let call = self.arena.terms.new_call(region, roots);
        let before = state.clone();
        let record = CallRecord {
            call,
            version: self.version,
            callee,
            args: args.clone(),
            globals: state.globals.iter().copied().collect(),
            heap: state.heap,
            span,
        };
        self.arena.keep(record.clone());
        let footprint = Footprint { writes: effects.writes.clone(), accesses, modifies };
        let code = self.code().procedure(callee);
        let (after, results) = returned(self.arena, (effects, code), &record, footprint);
        let (after, results) = self.swept(&record, after, results);
        state.heap = after;
        state.calls.push_back(call);
        self.bad_endings(&state, &record)?;
        let normal = self.arena.terms.ended(call, Ending::Normal);
        if !state.assume(&mut self.arena.terms, normal) || !self.assume_errs_if_null(&mut state, callee, &args) {
            return Ok(Vec::new());
        }
        for &global in &effects.written_globals {
            let sort = Sort::from(&self.unit.globals[global.index()].ty);
            let after = self.arena.terms.app(Func::GlobalAfter(call, global.0), &[], sort);
            state.globals.set(global.index(), after);
        }
        let alive = self.assume_exit(&mut state, callee, &args, &results)
            && self.assume_given_back(&mut state, &record, &results)
            && self.assume_ensures(&mut state, &before, Return { callee, args: &args, results: &results, call });
        Ok(if alive { vec![(state, results)] } else { Vec::new() })
    }

    /// What a callee may modify of what there was; `None` where that is not known, or one place of it cannot be said. Without
    /// that place the frame would be too wide.
    fn modified(&mut self, callee: ProcId, view: &ContractView) -> Option<Vec<(Term, Members)>> {
        let places = self.effects[callee.index()].modifies.as_ref()?;
        if faults::planted("kernel/exec/frame-too-wide") {
            let said = places.iter().filter_map(|own| self.places_on_entry(view, std::slice::from_ref(own)));
            return Some(said.flatten().collect());
        }
        self.places_on_entry(view, places)
    }

    /// What a call leaves and gives back, where more is known of it: what all turns of a loop do together (rule *Sweep*).
    fn swept(&mut self, record: &CallRecord, after: HeapId, mut results: Vec<Term>) -> (HeapId, Vec<Term>) {
        let Some(sweep) = self.limits.sweeps.get(&record.callee) else { return (after, results) };
        let before = Before { arguments: &record.args, heap: record.heap };
        for (result, said) in results.iter_mut().zip(sweep.results(self.arena, before)) {
            *result = said.unwrap_or(*result);
        }
        (sweep.heap(self.arena, before), results)
    }

    /// When a call may end in another way than by returning, as far as it is said of all its turns together (rule *Sweep*).
    fn not_said_to_return(&mut self, record: &CallRecord) -> Term {
        let before = Before { arguments: &record.args, heap: record.heap };
        let sweep = self.limits.sweeps.get(&record.callee);
        match sweep.and_then(|sweep| sweep.returning(self.arena, before)) {
            Some((when, _)) => self.arena.terms.not(when),
            None => self.arena.terms.bool(true),
        }
    }

    /// The references from which a callee starts: its arguments, and the globals that it looks at.
    fn roots(&self, state: &State, callee: ProcId, args: &[Term]) -> Vec<Term> {
        let globals = self.effects[callee.index()].globals.iter().map(|global| state.globals[global.index()]);
        let all = args.iter().copied().chain(globals);
        all.filter(|&value| self.arena.terms.sort(value) == Sort::Ref).collect()
    }

    /// Assumes what holds whenever a loop has returned; false when that contradicts the path.
    fn assume_exit(&mut self, state: &mut State, callee: ProcId, args: &[Term], results: &[Term]) -> bool {
        let effects = self.effects;
        let conditions = &effects[callee.index()].exit;
        if conditions.is_empty() {
            return true;
        }
        let mut view = self.view_of_call(state, callee, args);
        for (id, &value) in self.code().procedure(callee).result_ids().zip(results) {
            view.locals.set(id.index(), value);
        }
        conditions.iter().all(|condition| match self.contract(&view, condition) {
            Some(condition) => state.assume(&mut self.arena.terms, condition),
            None => true,
        })
    }

    /// Rule *Only if*: assumes which results are references that the call was given; false when that contradicts the path.
    fn assume_given_back(&mut self, state: &mut State, record: &CallRecord, results: &[Term]) -> bool {
        let effects = self.effects;
        effects[record.callee.index()].changes_only_if.iter().all(|own| {
            let Changing::Result { result, parameter } = own.what else { return true };
            let given = record.args[parameter];
            let same = self.arena.terms.eq(results[result], given);
            let other = own.allows(self.arena, &record.args, record.heap, given);
            let either = self.arena.terms.or(&[same, other]);
            state.assume(&mut self.arena.terms, either)
        })
    }

    /// Assumes, of a call that did not err, that no argument is null without which it would have; false when one is.
    fn assume_errs_if_null(&mut self, state: &mut State, callee: ProcId, args: &[Term]) -> bool {
        let null = self.arena.terms.null();
        self.effects[callee.index()].errs_if_null.iter().all(|&param| {
            let is_null = self.arena.terms.eq(args[param], null);
            let given = self.arena.terms.not(is_null);
            state.assume(&mut self.arena.terms, given)
        })
    }

    /// The outcomes in which the call just made errs or never ends.
    fn bad_endings(&mut self, state: &State, record: &CallRecord) -> Result<(), ExecError> {
        let CallRecord { call, callee, ref args, .. } = *record;
        let effects = &self.effects[callee.index()];
        let unsaid = self.not_said_to_return(record);
        if !effects.terminates {
            let mut diverging = state.clone();
            let ended = self.arena.terms.ended(call, Ending::Diverges);
            if diverging.assume(&mut self.arena.terms, ended)
                && diverging.assume(&mut self.arena.terms, unsaid)
                && self.assume_errs_if_null(&mut diverging, callee, args)
            {
                let path = diverging.path.iter().copied().collect();
                self.finish(&diverging, Ending::Diverges, path, Vec::new(), Vec::new())?;
            }
        }
        let mut erring = state.clone();
        let ended = self.arena.terms.ended(call, Ending::Error);
        let mut possible = erring.assume(&mut self.arena.terms, ended) && erring.assume(&mut self.arena.terms, unsaid);
        if let Some(needs) = &effects.errs_only_if_null {
            let null = self.arena.terms.null();
            let missing: Vec<Term> = needs.iter().map(|&param| self.arena.terms.eq(args[param], null)).collect();
            let missing = self.arena.terms.or(&missing);
            possible = possible && erring.assume(&mut self.arena.terms, missing);
        }
        if possible {
            let path = erring.path.iter().copied().collect();
            self.finish(&erring, Ending::Error, path, Vec::new(), Vec::new())?;
        }
        Ok(())
    }
}

/// Which tests say whether a call goes further.
#[derive(Clone, Copy)]
struct Tests {
    /// Both sides of a test are looked at, and not only where a loop's condition fails.
    either_side: bool,
    /// No other than the first.
    first_alone: bool,
}

/// Whether a block ends by returning.
fn returns(block: &Block) -> bool {
    block.stmts.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_)))
}

/// The statements of a block, and those that follow it.
fn behind<'s>(block: &'s Block, rest: &[&'s Stmt]) -> Vec<&'s Stmt> {
    block.stmts.iter().chain(rest.iter().copied()).collect()
}
