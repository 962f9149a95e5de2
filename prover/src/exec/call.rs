//! Calls: in place, or by what is known of the callee.
//!
//! In: a state before a call. Out: the states in which it returned, with its results; that it errs or never ends becomes an
//! outcome of its own.

use super::{Check, CheckedCall, ExecError, Executor, Flow};
use crate::heap::Footprint;
use crate::state::{CallRecord, State};
use crate::term::{BirthSet, Ending, Func, Sort, Term};
use lang_l::hir::{Place, ProcId, Procedure};
use lang_l::source::Span;

impl Executor<'_> {
    /// Evaluates the arguments and makes the call: in place where the limits say so, else by its summary.
    pub(super) fn call(
        &mut self,
        mut state: State,
        targets: &[Place],
        callee: ProcId,
        args: &[lang_l::hir::Expr],
        span: Span,
    ) -> Result<Vec<Flow>, ExecError> {
        self.calls += 1;
        if self.calls > self.limits.calls {
            return Err(ExecError::TooManyCalls(self.limits.calls));
        }
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let Some(value) = self.eval(&mut state, arg) else { return self.go_on(state, false) };
            values.push(value);
        }
        self.flush(&mut state)?;
        self.check_requires(&state, callee, &values, span);
        let code = self.code().procedure(callee);
        let wanted = self.limits.inline.contains(&callee) && self.limits.inline_at.is_none_or(|only| only == span);
        let at_once = self.all_turns(&state, callee, &values, span)?;
        let returned = if let Some(ends) = at_once {
            ends
        } else if wanted && self.depth < self.limits.inline_depth && code.body.is_some() {
            self.inline(state, callee, &values)?
        } else {
            self.abstract_call(state, callee, values, span)?
        };
        let mut flows = Vec::new();
        for (mut state, results) in returned {
            for (target, value) in targets.iter().zip(results) {
                match target {
                    Place::Local(id) => {
                        state.locals.set(id.index(), value);
                    }
                    Place::Global(id) => {
                        state.globals.set(id.index(), value);
                    }
                    // The lowering stores results of calls in locals.
                    Place::Field(..) | Place::Index(..) => {}
                }
            }
            flows.push(Flow::Next(state));
        }
        Ok(flows)
    }

    fn check_requires(&mut self, state: &State, callee: ProcId, args: &[Term], span: Span) {
        for (clause, condition) in self.code().procedure(callee).requires.iter().enumerate() {
            let view = self.view_of_call(state, callee, args);
            let condition = self.contract(&view, condition);
            let path = state.path.iter().copied().collect();
            let calls = state.calls.iter().copied().collect();
            self.found.calls.push(CheckedCall { callee, clause, check: Check { path, condition, calls, span } });
        }
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
        self.depth += 1;
        let ends = self.body(state, callee);
        self.depth -= 1;
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
    pub(super) fn frame(&mut self, code: &Procedure, args: &[Term]) -> im::Vector<Term> {
        let mut locals: im::Vector<Term> = args.iter().copied().collect();
        for local in code.locals.iter().skip(args.len()) {
            locals.push_back(self.world.terms.default_of(Sort::from(&local.ty)));
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
        let facts = &self.facts[callee.index()];
        let mut roots: Vec<Term> =
            args.iter().copied().filter(|&arg| self.world.terms.sort(arg) == Sort::Ref).collect();
        for global in &facts.globals {
            let value = state.globals[global.index()];
            if self.world.terms.sort(value) == Sort::Ref {
                roots.push(value);
            }
        }
        let mut hung_on = BirthSet::new();
        for &root in &roots {
            hung_on.extend(self.world.terms.births(root));
        }
        let accesses = facts.accesses.clone();
        let region = self.world.heaps.closure(&self.world.terms, state.heap, &hung_on, Some(&accesses));
        let view = self.view_of_call(&state, callee, &args);
        let modifies =
            facts.modifies.as_ref().map(|places| places.iter().filter_map(|p| self.place_on_entry(&view, p)).collect());
        let call = self.world.terms.new_call(region, roots);
        let before = state.clone();
        self.world.keep(CallRecord {
            call,
            version: self.version,
            callee,
            args: args.clone(),
            globals: state.globals.iter().copied().collect(),
            heap: state.heap,
            span,
        });
        state.heap =
            self.world.heaps.call(state.heap, call, Footprint { writes: facts.writes.clone(), accesses, modifies });
        state.calls.push_back(call);
        self.bad_endings(&state, callee, &args)?;
        let normal = self.world.terms.ended(call, Ending::Normal);
        if !state.assume(&mut self.world.terms, normal) {
            return Ok(Vec::new());
        }
        for &global in &facts.written_globals {
            let sort = Sort::from(&self.unit.globals[global.index()].ty);
            let after = self.world.terms.app(Func::GlobalAfter(call, global.0), &[], sort);
            state.globals.set(global.index(), after);
        }
        let code = self.code().procedure(callee);
        let results: Vec<Term> = code
            .result_ids()
            .zip(0u32..)
            .map(|(id, at)| self.world.terms.app(Func::Result(call, at), &[], Sort::from(&code.local(id).ty)))
            .collect();
        let alive = self.assume_ensures(&mut state, &before, callee, &args, &results, call);
        Ok(if alive { vec![(state, results)] } else { Vec::new() })
    }

    /// The outcomes in which the call just made errs or never ends.
    fn bad_endings(&mut self, state: &State, callee: ProcId, args: &[Term]) -> Result<(), ExecError> {
        let facts = &self.facts[callee.index()];
        let Some(&call) = state.calls.last() else { return Ok(()) };
        if !facts.terminates {
            let mut diverging = state.clone();
            let ended = self.world.terms.ended(call, Ending::Diverges);
            if diverging.assume(&mut self.world.terms, ended) {
                let path = diverging.path.iter().copied().collect();
                self.finish(&diverging, Ending::Diverges, path, Vec::new(), Vec::new())?;
            }
        }
        let mut erring = state.clone();
        let ended = self.world.terms.ended(call, Ending::Error);
        let mut possible = erring.assume(&mut self.world.terms, ended);
        if let Some(needs) = &facts.errs_only_if_null {
            let null = self.world.terms.null();
            let missing: Vec<Term> = needs.iter().map(|&param| self.world.terms.eq(args[param], null)).collect();
            let missing = self.world.terms.or(&missing);
            possible = possible && erring.assume(&mut self.world.terms, missing);
        }
        if possible {
            let path = erring.path.iter().copied().collect();
            self.finish(&erring, Ending::Error, path, Vec::new(), Vec::new())?;
        }
        Ok(())
    }
}
