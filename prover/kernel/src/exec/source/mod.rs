//! The source, executed as it was written, from cut point to cut point: procedure entry, loop head, call, exit.
//!
//! In: a part of the source ([`Site`]): a procedure, or one turn of a loop; and how each part is called ([`Simulation`]). Out: its
//! outcomes. A loop that is come to is a call, and so is its next turn; what a call does is what is known of the procedure of
//! the lowered program that stands for the part.
//!
//! Calls are taken out of expressions as they are met, in the order of evaluation.
//!
//! Invariant: what a part does not hand over is an arbitrary value, so that nothing can rest on it.

mod loops;
mod operands;

pub use loops::{invariants_of, loop_at};

pub(super) use operands::has_call;

use super::state::State;
use super::{ExecError, Execution, Executor, Flow};
use lang_l::hir::{Expr, LocalId, Place, ProcId, Procedure, Type, Unit};
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
    /// What it always gives back, and so not as a result.
    pub known: Vec<(Given, Literal)>,
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

impl<'a> Executor<'a> {
    /// All outcomes of a part of the source, in the terms of the lowered procedure that stands for it.
    ///
    /// # Errors
    /// When there are too many, or the part is not called as it is said to be.
    pub fn run_source(mut self, source: Source<'a>, assumed: &[Term]) -> Result<Execution, ExecError> {
        let code = source.unit.procedure(self.version, source.own.site.procedure());
        let mut state = self.entry_of_site(source, code);
        self.begins(&state, code);
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
    pub(super) fn entry_of_site(&mut self, source: Source<'_>, code: &Procedure) -> State {
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
        for (given, literal) in &source.own.known {
            let value =
                self.given_back(state, *given, &values).map(|value| self.arena.terms.simplify(value, &state.known));
            if value.is_some() && value != Some(literal.term(&mut self.arena.terms)) {
                return Err(ExecError::Unlike("a part gives back something else than it is said to give always"));
            }
        }
        for &(given, at) in &source.own.outputs {
            let value = self.given_back(state, given, &values).or_else(|| match given {
                // Nobody looks at it.
                Given::Result(result) => {
                    let whole = source.unit.procedure(self.version, source.own.site.procedure());
                    let local = whole.locals.get(whole.params + result);
                    local.map(|local| self.arena.terms.default_of(Sort::from(&local.ty)))
                }
                _ => None,
            });
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

    /// What a part gives back as one thing; `None` for a result of the procedure where that does not return.
    fn given_back(&mut self, state: &State, given: Given, values: &Option<Vec<Term>>) -> Option<Term> {
        match (given, values) {
            (Given::Local(id), _) => state.locals.get(id.index()).copied(),
            (Given::Returned, values) => Some(self.arena.terms.bool(values.is_some())),
            (Given::Result(result), values) => values.as_ref()?.get(result).copied(),
        }
    }

    /// What a call of a part has given back as one thing, given its results.
    fn output(&mut self, of: &Simulation, given: &[Term], wanted: Given) -> Option<Term> {
        if let Some((_, literal)) = of.known.iter().find(|(known, _)| *known == wanted) {
            return Some(literal.term(&mut self.arena.terms));
        }
        let (_, at) = of.outputs.iter().find(|(output, _)| *output == wanted)?;
        given.get(*at).copied()
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
            let known: Vec<Option<Term>> =
                (0..results).map(|result| self.output(of, &given, Given::Result(result))).collect();
            let code = source.unit.procedure(self.version, callee);
            let values = known.into_iter().zip(code.result_ids());
            let values = values.map(|(value, id)| self.or_arbitrary(value, &code.local(id).ty)).collect();
            ends.push((state, values));
        }
        Ok(ends)
    }
}

/// The state with the results of a call in their places.
pub(in crate::exec) fn assigned(mut state: State, targets: &[Place], results: Vec<Term>) -> State {
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
