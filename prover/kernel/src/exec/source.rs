//! The source, executed as it was written, from cut point to cut point: procedure entry, loop head, call, exit.
//!
//! In: a part of the source ([`Site`]): a procedure, or one turn of a loop; and how each part is called ([`Simulation`]). Out: its
//! outcomes. A loop that is come to is a call, and so is its next turn; what a call does is what is known of the procedure of
//! the lowered program that stands for the part.
//!
//! Calls are taken out of expressions as they are met, in the order of evaluation.
//!
//! Invariant: what a part does not hand over is an arbitrary value, so that nothing can rest on it.

use super::state::State;
use super::{ExecError, Execution, Executor, Flow};
use lang_l::hir::visit::walk_stmts;
use lang_l::hir::{
    BinOp, Block, Expr, ExprKind, LocalId, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type, UnOp, Unit,
};
use lang_l::source::Span;
use num_bigint::BigInt;
use smt::term::{AllocSet, Ending, Func, Sort, Term, Terms};

/// A part of the source that is executed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// A procedure.
    Procedure(ProcId),
    /// A loop: from its head to where it is left.
    Loop {
        /// The procedure it is in.
        of: ProcId,
        /// Which loop of that procedure, in the order of the source, from 1.
        number: usize,
        /// It goes on to the end of the procedure: what follows it there belongs to it.
        to_end: bool,
    },
}

impl Site {
    /// The procedure it is, or is in.
    pub fn procedure(self) -> ProcId {
        match self {
            Site::Procedure(id) | Site::Loop { of: id, .. } => id,
        }
    }

    fn to_end(self) -> bool {
        matches!(self, Site::Loop { to_end: true, .. })
    }
}

/// A value that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Int(BigInt),
}

impl Literal {
    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        match self {
            Literal::Null => Sort::Ref,
            Literal::Bool(_) => Sort::Bool,
            Literal::Int(_) => Sort::Int,
        }
    }

    fn term(&self, terms: &mut Terms) -> Term {
        match self {
            Literal::Null => terms.null(),
            Literal::Bool(value) => terms.bool(*value),
            Literal::Int(value) => terms.int(value.clone()),
        }
    }
}

/// What a variable holds on entry of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// What the procedure that stands for the part is given as this parameter.
    Param(usize),
    /// Always this.
    Literal(Literal),
}

/// Something that a part gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// A variable.
    Local(LocalId),
    /// Of a loop: whether it was left by a `return`.
    Returned,
    /// A result of the procedure: of a loop, where it was left by a `return`.
    Result(usize),
}

/// A procedure of the lowered program that is said to do what a part of the source does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// The part.
    pub site: Site,
    /// The variables that it is given; what others hold does not matter.
    pub inputs: Vec<(LocalId, Input)>,
    /// What it gives back, and as which result.
    pub outputs: Vec<(Given, usize)>,
    /// When it calls its own procedure, the procedure that stands for that.
    pub itself: Option<ProcId>,
}

/// The source of what is executed.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The program.
    pub unit: &'a Unit,
    /// By procedure of the lowered program: what it stands for.
    pub simulations: &'a [Option<Simulation>],
    /// The one that is executed.
    pub own: &'a Simulation,
    /// It, in the lowered program.
    pub id: ProcId,
}

/// A state on the way through the operands of a statement, with those that are free of calls by now.
struct Partial {
    state: State,
    done: Vec<Expr>,
}

impl<'a> Executor<'a> {
    /// All outcomes of a part of the source, in the terms of the lowered procedure that stands for it.
    ///
    /// # Errors
    /// When there are too many, or the part is not called as it is said to be.
    pub fn run_source(mut self, source: Source<'a>, assumed: &[Term]) -> Result<Execution, ExecError> {
        let code = source.unit.procedure(self.version, source.own.site.procedure());
        let mut state = self.entry_of_site(source, code);
        for &condition in assumed {
            if !state.assume(&mut self.arena.terms, condition) {
                return Ok(self.found);
            }
        }
        self.source = Some(source);
        let flows = match (source.own.site, &code.body) {
            (_, None) => Vec::new(),
            (Site::Procedure(_), Some(body)) => self.statements(vec![state], &body.stmts, code)?,
            (Site::Loop { number, .. }, Some(body)) => self.turn(state, number, body, code)?,
        };
        for flow in flows {
            let (Flow::Next(mut state) | Flow::Return(mut state)) = flow;
            self.flush(&mut state)?;
            if state.results.is_none() {
                let values = code.result_ids().map(|id| state.locals[id.index()]).collect();
                self.leave(&mut state, Some(values))?;
            }
            let results = state.results.take().unwrap_or_default();
            self.finish(&state, Ending::Normal, state.path.iter().copied().collect(), results, Vec::new())?;
        }
        Ok(self.found)
    }

    /// The state in which a part begins.
    fn entry_of_site(&mut self, source: Source<'_>, code: &Procedure) -> State {
        let mut state = self.entry(code);
        let procedure = matches!(source.own.site, Site::Procedure(_));
        for at in 0..code.locals.len() {
            let local = &code.locals[at];
            let input = source.own.inputs.iter().find(|(id, _)| id.index() == at).map(|(_, input)| input);
            let value = match input {
                Some(input) => self.input(input, &local.ty),
                // Results and other variables of a procedure start with the default of their type.
                None if procedure && at >= code.params => continue,
                None => self.arbitrary(&local.ty),
            };
            state.locals.set(at, value);
        }
        state
    }

    fn input(&mut self, input: &Input, ty: &Type) -> Term {
        match input {
            Input::Literal(literal) => literal.term(&mut self.arena.terms),
            Input::Param(at) => {
                let func = Func::Param(u32::try_from(*at).unwrap_or(u32::MAX));
                self.arena.terms.app(func, &[], Sort::from(ty))
            }
        }
    }

    /// Whether a value can be held by a variable of this type.
    fn is_of(&self, value: Term, ty: &Type) -> bool {
        self.arena.terms.sort(value) == Sort::from(ty)
    }

    /// What is handed over as a value of this type; an arbitrary one where nothing is that can be one.
    fn or_arbitrary(&mut self, given: Option<Term>, ty: &Type) -> Term {
        match given.filter(|value| self.is_of(*value, ty)) {
            Some(value) => value,
            None => self.arbitrary(ty),
        }
    }

    /// A value of which nothing is known.
    fn arbitrary(&mut self, ty: &Type) -> Term {
        match Sort::from(ty) {
            Sort::Int => self.arena.terms.skolem_int(),
            Sort::Bool => self.unknown_bool(),
            Sort::Ref => self.arena.terms.skolem(AllocSet::everything()),
        }
    }

    /// One turn of a loop, with its calls of the next.
    fn turn(
        &mut self,
        state: State,
        number: usize,
        within: &'a Block,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let Some(own) = loop_of(within, number) else { return Err(ExecError::Unlike("there is no such loop")) };
        let StmtKind::While { cond, body, .. } = &own.kind else { return Err(ExecError::Unlike("this is no loop")) };
        let after = self.source.is_some_and(|source| source.own.site.to_end()) || has_call(cond);
        let (mut next, mut done) = (Vec::new(), Vec::new());
        if has_call(cond) {
            for Partial { mut state, done: operands } in self.hoisted(vec![state], &[cond])? {
                let Some(value) = operands.first().and_then(|cond| self.eval(&mut state, cond)) else {
                    done.extend(self.go_on(state, false)?);
                    continue;
                };
                let flows = self.branch(state, value, &mut |executor, state, entered| match entered {
                    true => Ok(vec![Flow::Next(state)]),
                    false => Ok(executor.past(state, code)?.into_iter().map(Flow::over).collect()),
                })?;
                split(flows, &mut next, &mut done);
            }
            let flows = self.statements(next, &body.stmts, code)?;
            next = Vec::new();
            split(flows, &mut next, &mut done);
        } else {
            let mut state = state;
            let Some(value) = self.eval(&mut state, cond) else { return self.go_on(state, false) };
            let flows = self.branch(state, value, &mut |executor, state, entered| match entered {
                true if after => executor.statements(vec![state], &body.stmts, code),
                true => {
                    let flows = executor.statements(vec![state], &body.stmts, code)?;
                    executor.and_again(flows)
                }
                false => executor.past(state, code),
            })?;
            split(flows, &mut next, &mut done);
        }
        let mut last = Vec::new();
        for state in next {
            last.extend(if after { self.again(state)? } else { vec![Flow::Return(state)] });
        }
        Ok(done.into_iter().chain(last).collect())
    }

    /// Goes on with the next turn where a turn has come to its end.
    fn and_again(&mut self, flows: Vec<Flow>) -> Result<Vec<Flow>, ExecError> {
        let (mut next, mut done) = (Vec::new(), Vec::new());
        split(flows, &mut next, &mut done);
        let mut last = Vec::new();
        for state in next {
            for flow in self.again(state)? {
                // The results are there; control has not left the turn yet, as its lowered form has not.
                let (Flow::Next(state) | Flow::Return(state)) = flow;
                last.push(Flow::Next(state));
            }
        }
        Ok(done.into_iter().chain(last).collect())
    }

    /// The next turn, from the end of a turn or from a `continue`.
    pub(super) fn again(&mut self, mut state: State) -> Result<Vec<Flow>, ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let locals = state.locals.clone();
        let args =
            self.arguments(&mut state, (source.id, source.own), &|id: LocalId| locals.get(id.index()).copied())?;
        let span = self.code().procedure(source.id).span;
        let mut flows = Vec::new();
        for (mut state, results) in self.call_with(state, source.id, args, span)? {
            let results = results.into_iter().map(|value| self.arena.terms.simplify(value, &state.known));
            state.results = Some(results.collect());
            flows.push(Flow::Return(state));
        }
        Ok(flows)
    }

    /// Where the loop that is executed is left, but not by a `return`: its end, or the rest of the procedure.
    pub(super) fn past(&mut self, mut state: State, code: &'a Procedure) -> Result<Vec<Flow>, ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let (Site::Loop { number, to_end, .. }, Some(body)) = (source.own.site, &code.body) else {
            return Err(ExecError::NotLowered);
        };
        if !to_end {
            self.leave(&mut state, None)?;
            return Ok(vec![Flow::Next(state)]);
        }
        let own = loop_of(body, number);
        let at = body.stmts.iter().position(|stmt| own.is_some_and(|own| std::ptr::eq(own, stmt)));
        let Some(at) = at else { return Err(ExecError::Unlike("a loop within another statement has no rest")) };
        let mut all = Vec::new();
        for flow in self.statements(vec![state], &body.stmts[at + 1..], code)? {
            match flow {
                Flow::Next(mut state) => {
                    let values = code.result_ids().map(|id| state.locals[id.index()]).collect();
                    self.leave(&mut state, Some(values))?;
                    all.push(Flow::Return(state));
                }
                done @ Flow::Return(_) => all.push(done),
            }
        }
        Ok(all)
    }

    /// A `return` with these values.
    pub(super) fn returned(
        &mut self,
        mut state: State,
        values: Vec<Term>,
        code: &Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        match self.source.map(|source| source.own.site) {
            Some(Site::Loop { .. }) => {
                let values = if values.is_empty() {
                    code.result_ids().map(|id| state.locals[id.index()]).collect()
                } else {
                    values
                };
                self.leave(&mut state, Some(values))?;
            }
            _ => {
                for (id, value) in code.result_ids().zip(values) {
                    state.locals.set(id.index(), value);
                }
            }
        }
        Ok(vec![Flow::Return(state)])
    }

    /// Sets the results of the lowered procedure: `values` are those of the procedure of the source, if it returns.
    fn leave(&mut self, state: &mut State, values: Option<Vec<Term>>) -> Result<(), ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let code = self.code().procedure(source.id);
        let mut results = vec![None; code.results];
        for &(given, at) in &source.own.outputs {
            let value = match (given, &values) {
                (Given::Local(id), _) => state.locals.get(id.index()).copied(),
                (Given::Returned, values) => Some(self.arena.terms.bool(values.is_some())),
                (Given::Result(result), Some(values)) => values.get(result).copied(),
                // Nobody looks at it.
                (Given::Result(result), None) => {
                    let whole = source.unit.procedure(self.version, source.own.site.procedure());
                    let local = whole.locals.get(whole.params + result);
                    local.map(|local| self.arena.terms.default_of(Sort::from(&local.ty)))
                }
            };
            let simplified = value.map(|value| self.arena.terms.simplify(value, &state.known));
            match results.get_mut(at) {
                Some(slot) if slot.is_none() => *slot = simplified,
                _ => return Err(ExecError::Unlike("a result is given twice, or there is no such result")),
            }
        }
        let all: Option<Vec<Term>> = results.into_iter().collect();
        state.results = Some(all.ok_or(ExecError::Unlike("a result is not given"))?);
        Ok(())
    }

    /// What a part is called with; `value` is what its variables hold.
    fn arguments(
        &mut self,
        state: &mut State,
        (id, of): (ProcId, &Simulation),
        value: &dyn Fn(LocalId) -> Option<Term>,
    ) -> Result<Vec<Term>, ExecError> {
        let code = self.code().procedure(id);
        let mut args: Vec<Option<Term>> = vec![None; code.params];
        for (id, input) in &of.inputs {
            let value = value(*id).ok_or(ExecError::Unlike("there is no such variable"))?;
            let value = self.arena.terms.simplify(value, &state.known);
            let known = match input {
                Input::Literal(literal) => Some(literal.term(&mut self.arena.terms)),
                Input::Param(at) => {
                    let fits = *at < code.params && self.is_of(value, &code.locals[*at].ty);
                    let given = args.get_mut(*at).filter(|_| fits).map(|given| *given.get_or_insert(value));
                    given.filter(|given| *given == value)
                }
            };
            if known != Some(value) {
                return Err(ExecError::Unlike("a part of the source is not called with what is said to be known"));
            }
        }
        let all: Option<Vec<Term>> = args.into_iter().collect();
        all.ok_or(ExecError::Unlike("a parameter is not given"))
    }

    /// A call of a procedure of the source whose arguments are free of calls.
    pub(super) fn call_of_source(
        &mut self,
        mut state: State,
        callee: ProcId,
        args: &[Expr],
        span: Span,
    ) -> Result<Vec<(State, Vec<Term>)>, ExecError> {
        let Some(source) = self.source else { return Err(ExecError::NotLowered) };
        let itself = source.own.itself.filter(|_| source.own.site == Site::Procedure(callee));
        let id = itself.unwrap_or(callee);
        let of = source.simulations.get(id.index()).and_then(Option::as_ref);
        let Some(of) = of.filter(|of| of.site == Site::Procedure(callee)) else {
            return Err(ExecError::Unlike("a procedure is called that nothing stands for"));
        };
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let Some(value) = self.eval(&mut state, arg) else {
                self.go_on(state, false)?;
                return Ok(Vec::new());
            };
            values.push(value);
        }
        let args = self.arguments(&mut state, (id, of), &|id: LocalId| values.get(id.index()).copied())?;
        let results = source.unit.procedure(self.version, callee).results;
        let mut ends = Vec::new();
        for (state, given) in self.call_with(state, id, args, span)? {
            let of_result = |result: usize| {
                let output = of.outputs.iter().find(|(of, _)| *of == Given::Result(result));
                output.and_then(|(_, at)| given.get(*at).copied())
            };
            let known: Vec<Option<Term>> = (0..results).map(of_result).collect();
            let code = source.unit.procedure(self.version, callee);
            let values = known.into_iter().zip(code.result_ids());
            let values = values.map(|(value, id)| self.or_arbitrary(value, &code.local(id).ty)).collect();
            ends.push((state, values));
        }
        Ok(ends)
    }

    /// A loop that is come to.
    pub(super) fn loop_call(
        &mut self,
        mut state: State,
        stmt: &Stmt,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        let (Some(source), StmtKind::While { body, .. }, Some(whole)) = (self.source, &stmt.kind, &code.body) else {
            return Err(ExecError::NotLowered);
        };
        let stands_for = |of: &&(usize, &Simulation)| match of.1.site {
            Site::Loop { of, number, .. } => {
                of == source.own.site.procedure() && loop_of(whole, number).is_some_and(|own| std::ptr::eq(own, stmt))
            }
            Site::Procedure(_) => false,
        };
        let all = source.simulations.iter().enumerate();
        let all: Vec<(usize, &Simulation)> = all.filter_map(|(at, of)| Some((at, of.as_ref()?))).collect();
        let Some(&(id, of)) = all.iter().find(stands_for) else {
            return Err(ExecError::Unlike("a loop is come to that nothing stands for"));
        };
        let locals = state.locals.clone();
        let id = ProcId(u32::try_from(id).unwrap_or(u32::MAX));
        let args = self.arguments(&mut state, (id, of), &|id: LocalId| locals.get(id.index()).copied())?;
        let mut flows = Vec::new();
        for (state, given) in self.call_with(state, id, args, stmt.span)? {
            flows.extend(self.after_loop(state, of, &given, (body, code))?);
        }
        Ok(flows)
    }

    /// After a loop: its variables hold what it gave back, and where it was left by a `return`, so is what it is in.
    fn after_loop(
        &mut self,
        mut state: State,
        of: &Simulation,
        given: &[Term],
        (body, code): (&Block, &'a Procedure),
    ) -> Result<Vec<Flow>, ExecError> {
        let output = |wanted: Given| {
            let found = of.outputs.iter().find(|(given, _)| *given == wanted);
            found.and_then(|(_, at)| given.get(*at).copied())
        };
        let results: Vec<Option<Term>> = (0..code.results).map(|at| output(Given::Result(at))).collect();
        let results: Vec<Term> = results
            .into_iter()
            .zip(code.result_ids())
            .map(|(value, id)| self.or_arbitrary(value, &code.local(id).ty))
            .collect();
        for (at, local) in code.locals.iter().enumerate() {
            let id = LocalId(u32::try_from(at).unwrap_or(u32::MAX));
            match output(Given::Local(id)) {
                Some(value) if self.is_of(value, &local.ty) => state.locals.set(at, value),
                _ if body.assigns(id) => state.locals.set(at, self.arbitrary(&local.ty)),
                _ => continue,
            };
        }
        if of.site.to_end() {
            let results = results.into_iter().map(|value| self.arena.terms.simplify(value, &state.known)).collect();
            return self.returned(state, results, code);
        }
        if !body.any(&|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
            return Ok(vec![Flow::Next(state)]);
        }
        let Some(left) = output(Given::Returned).filter(|left| self.is_of(*left, &Type::Bool)) else {
            return Err(ExecError::Unlike("nothing says whether a loop was left by a return"));
        };
        let left = self.arena.terms.simplify(left, &state.known);
        self.branch(state, left, &mut |executor, state, returns| match returns {
            true => {
                let known = state.known.clone();
                let results = results.iter().map(|&value| executor.arena.terms.simplify(value, &known)).collect();
                executor.returned(state, results, code)
            }
            false => Ok(vec![Flow::Next(state)]),
        })
    }

    /// A statement with calls among its operands, in several states at once: first all operands, then the statement.
    pub(super) fn with_calls(
        &mut self,
        states: Vec<State>,
        stmt: &Stmt,
        code: &'a Procedure,
    ) -> Result<Vec<Flow>, ExecError> {
        if let StmtKind::Assign(place @ (Place::Local(_) | Place::Global(_)), Rhs::Expr(value)) = &stmt.kind
            && let ExprKind::Call(callee, args) = &value.kind
        {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.call_statement(states, (std::slice::from_ref(place), *callee, &operands), stmt.span);
        }
        if let StmtKind::Call { targets, callee, args } = &stmt.kind {
            let operands: Vec<&Expr> = args.iter().collect();
            return self.call_statement(states, (targets, *callee, &operands), stmt.span);
        }
        let mut flows = Vec::new();
        for Partial { mut state, done } in self.hoisted(states, &stmt.exprs())? {
            if let (StmtKind::If(_, then, els), [cond]) = (&stmt.kind, &done[..]) {
                let Some(cond) = self.eval(&mut state, cond) else {
                    flows.extend(self.go_on(state, false)?);
                    continue;
                };
                flows.extend(self.sides(state, cond, [then, els], code)?);
                continue;
            }
            let mut plain = stmt.clone();
            for (operand, value) in plain.exprs_mut().into_iter().zip(done) {
                *operand = value;
            }
            flows.extend(self.statement(state, &plain, code)?);
        }
        Ok(flows)
    }

    fn call_statement(
        &mut self,
        states: Vec<State>,
        (targets, callee, operands): (&[Place], ProcId, &[&Expr]),
        span: Span,
    ) -> Result<Vec<Flow>, ExecError> {
        let mut flows = Vec::new();
        for Partial { state, done } in self.hoisted(states, operands)? {
            for (state, results) in self.call_of_source(state, callee, &done, span)? {
                flows.push(Flow::Next(assigned(state, targets, results)));
            }
        }
        Ok(flows)
    }

    /// Takes the calls out of operands that are evaluated one after the other.
    fn hoisted(&mut self, states: Vec<State>, operands: &[&Expr]) -> Result<Vec<Partial>, ExecError> {
        let parts = states.into_iter().map(|state| Partial { state, done: Vec::new() }).collect();
        self.hoist_all(parts, operands)
    }

    fn hoist_all(&mut self, mut parts: Vec<Partial>, operands: &[&Expr]) -> Result<Vec<Partial>, ExecError> {
        let last = operands.iter().rposition(|operand| has_call(operand));
        for (at, operand) in operands.iter().enumerate() {
            parts = self.hoist(parts, operand)?;
            let literal = matches!(operand.kind, ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null);
            if last.is_some_and(|last| at < last) && !literal {
                parts = self.saved(parts)?;
            }
        }
        Ok(parts)
    }

    /// The last operand, evaluated now.
    fn saved(&mut self, parts: Vec<Partial>) -> Result<Vec<Partial>, ExecError> {
        let mut kept = Vec::new();
        for Partial { mut state, mut done } in parts {
            let Some(operand) = done.pop() else { continue };
            match self.eval(&mut state, &operand) {
                Some(value) => {
                    done.push(temporary(&mut state, value, &operand));
                    kept.push(Partial { state, done });
                }
                None => {
                    self.go_on(state, false)?;
                }
            }
        }
        Ok(kept)
    }

    /// Takes the calls out of one more operand, which goes to the end of those that are done.
    fn hoist(&mut self, mut parts: Vec<Partial>, expr: &Expr) -> Result<Vec<Partial>, ExecError> {
        if !has_call(expr) {
            parts.iter_mut().for_each(|part| part.done.push(expr.clone()));
            return Ok(parts);
        }
        match &expr.kind {
            ExprKind::Call(callee, args) => {
                let operands: Vec<&Expr> = args.iter().collect();
                let parts = self.hoist_all(parts, &operands)?;
                let mut ends = Vec::new();
                for Partial { state, mut done } in parts {
                    let args = done.split_off(done.len() - operands.len());
                    for (mut state, results) in self.call_of_source(state, *callee, &args, expr.span)? {
                        let mut done = done.clone();
                        let Some(&value) = results.first() else { return Err(ExecError::NotLowered) };
                        done.push(temporary(&mut state, value, expr));
                        ends.push(Partial { state, done });
                    }
                }
                Ok(ends)
            }
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Implies), a, b) if has_call(b) => {
                let literal = |value| Expr { kind: ExprKind::Bool(value), ty: Type::Bool, span: expr.span };
                let (parts, sides) = (self.hoist(parts, a)?, [b.as_ref().clone(), literal(*op != BinOp::And)]);
                let [with, without] = sides;
                let sides = if *op == BinOp::Or { [without, with] } else { [with, without] };
                self.choose(parts, &sides, *op == BinOp::Implies, expr)
            }
            ExprKind::Cond(cond, then, els) if has_call(then) || has_call(els) => {
                let parts = self.hoist(parts, cond)?;
                self.choose(parts, &[then.as_ref().clone(), els.as_ref().clone()], false, expr)
            }
            _ => {
                let operands: Vec<&Expr> = match &expr.kind {
                    ExprKind::Cond(cond, ..) => vec![cond],
                    _ => expr.parts(),
                };
                let mut parts = self.hoist_all(parts, &operands)?;
                for part in &mut parts {
                    let own = part.done.split_off(part.done.len() - operands.len());
                    let mut whole = expr.clone();
                    for (operand, value) in whole.parts_mut().into_iter().zip(own) {
                        *operand = value;
                    }
                    part.done.push(whole);
                }
                Ok(parts)
            }
        }
    }

    /// One of two operands, as the last one that is done says.
    fn choose(
        &mut self,
        parts: Vec<Partial>,
        sides: &[Expr; 2],
        negated: bool,
        whole: &Expr,
    ) -> Result<Vec<Partial>, ExecError> {
        let mut ends = Vec::new();
        for Partial { mut state, mut done } in parts {
            let Some(mut cond) = done.pop() else { continue };
            let sides = if negated {
                // The lowered form asks for the contrary, with a literal where it holds.
                cond = Expr { kind: ExprKind::Unary(UnOp::Not, Box::new(cond)), ty: Type::Bool, span: whole.span };
                [&sides[1], &sides[0]]
            } else {
                [&sides[0], &sides[1]]
            };
            let Some(cond) = self.eval(&mut state, &cond) else {
                self.go_on(state, false)?;
                continue;
            };
            let mut found = Vec::new();
            self.branch(state, cond, &mut |executor, state, holds| {
                let start = Partial { state, done: done.clone() };
                let parts = executor.hoist(vec![start], sides[usize::from(!holds)])?;
                found.extend(executor.saved(parts)?);
                Ok(Vec::new())
            })?;
            ends.extend(found);
        }
        Ok(ends)
    }
}

/// The state with the results of a call in their places.
pub(super) fn assigned(mut state: State, targets: &[Place], results: Vec<Term>) -> State {
    for (target, value) in targets.iter().zip(results) {
        match target {
            Place::Local(id) => {
                state.locals.set(id.index(), value);
            }
            Place::Global(id) => {
                state.globals.set(id.index(), value);
            }
            // Results of calls go to variables.
            Place::Field(..) | Place::Index(..) => {}
        }
    }
    state
}

/// A new variable that holds a value.
fn temporary(state: &mut State, value: Term, like: &Expr) -> Expr {
    let id = LocalId(u32::try_from(state.locals.len()).unwrap_or(u32::MAX));
    state.locals.push_back(value);
    Expr { kind: ExprKind::Local(id), ty: like.ty.clone(), span: like.span }
}

/// Whether there is a call in an expression.
pub(super) fn has_call(expr: &Expr) -> bool {
    expr.any(&|part| matches!(part.kind, ExprKind::Call(..)))
}

/// A loop of a procedure, by its number in the order of the source.
fn loop_of(body: &Block, number: usize) -> Option<&Stmt> {
    let mut loops = Vec::new();
    walk_stmts(body, &mut |stmt| {
        if let StmtKind::While { .. } = stmt.kind {
            loops.push(stmt);
        }
    });
    loops.get(number.checked_sub(1)?).copied()
}

/// States in which control goes on, and those in which it does not.
fn split(flows: Vec<Flow>, next: &mut Vec<State>, done: &mut Vec<Flow>) {
    for flow in flows {
        match flow {
            Flow::Next(state) => next.push(state),
            Flow::Return(_) => done.push(flow),
        }
    }
}
