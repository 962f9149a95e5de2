//! Symbolic execution: a procedure of a lowered program, or a part of the source, to all its outcomes.
//!
//! In: a program without loops and with calls only as statements, and [`Effects`] about every procedure.
//! Out: [`Outcome`]s whose path conditions cover every initial store; each is a path, with the calls made on it.
//!
//! Invariant: no solver here; paths are dropped only when their condition is false by the simplifier alone.

mod call;
mod entry;
mod expr;
mod returned;
pub mod source;
pub mod state;
mod stmt;
pub mod sweep;

use crate::bounds::exec::{MAX_CALLS, MAX_OUTCOMES, MAX_WORK};
use crate::effects::cell_sort;
pub use entry::on_entry;
pub use expr::{ContractView, Freshness, before_call, existing};
pub use returned::returned;

use crate::effects::Effects;
use crate::exec::source::Source;
use crate::exec::state::{Fault, Outcome, State};
use crate::exec::sweep::Sweep;
use crate::places::{Place, Spot};
use lang_l::hir::{ProcId, Procedure, Unit, Version};
use lang_l::source::Span;
use smt::arena::Arena;
use smt::term::{Ending, Func, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The states in which a call returned, with its results.
pub type Returns = Vec<(State, Vec<Term>)>;

/// The states in which a call of a loop returns, found without executing it turn by turn; `None` where that cannot be said.
pub type AtOnce = fn(&mut Executor<'_>, &State, ProcId, &[Term], Span) -> Result<Option<Returns>, ExecError>;

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// More outcomes than this are too many.
    pub outcomes: usize,
    /// More calls than this are too many, on all paths together: calls in place that make calls in place multiply.
    pub calls: usize,
    /// More work with terms than this is too much.
    pub work: u64,
    /// Procedures whose calls are executed in place, as deep as `inline_depth`.
    pub inline: BTreeSet<ProcId>,
    /// How many inlined calls may be nested.
    pub inline_depth: usize,
    /// When given, only calls at this place are executed in place.
    pub inline_at: Option<Span>,
    /// Join the states after an `if` into one, so that paths do not multiply.
    pub join: bool,
    /// Who takes all iterations of a loop at once where that can be said. The kernel itself asks nobody.
    pub at_once: Option<AtOnce>,
    /// What all turns of some loops do together, where that is known.
    pub sweeps: BTreeMap<ProcId, Sweep>,
    /// Note at calls what is said to hold on entry of the callee.
    pub entries: bool,
    /// By which numbers the parameters go, where not by their own: one that differs from that of the other version takes another.
    pub parameter_numbers: Option<Vec<u32>>,
    /// Where the heap on entry holds what only this version knows of; by the numbers that the parameters go by.
    pub apart: Vec<Spot>,
    /// Of which loops the first turns of a call are executed in place, and how many.
    pub turns: BTreeMap<ProcId, usize>,
    /// The loops whose calls are told apart by whether they take a turn.
    pub told_apart: BTreeSet<ProcId>,
    /// Those of them that may be left within a turn.
    pub within: BTreeSet<ProcId>,
    /// Calls of recursion that are known to go no further are executed in place.
    pub known_ends: bool,
    /// Whether that is known by the first test of a procedure alone.
    pub by_first_test: bool,
    /// The run begins where the execution does: what is old then existed when the run began, so that quantifiers see it.
    pub whole_run: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            outcomes: MAX_OUTCOMES,
            calls: MAX_CALLS,
            work: MAX_WORK,
            inline: BTreeSet::new(),
            inline_depth: 0,
            inline_at: None,
            join: false,
            at_once: None,
            sweeps: BTreeMap::new(),
            entries: false,
            parameter_numbers: None,
            apart: Vec::new(),
            turns: BTreeMap::new(),
            told_apart: BTreeSet::new(),
            within: BTreeSet::new(),
            known_ends: false,
            by_first_test: false,
            whole_run: false,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecError {
    /// More outcomes than this limit.
    #[error("has more than {0} paths")]
    TooManyPaths(usize),
    /// More calls than this limit.
    #[error("makes more than {0} calls")]
    TooManyCalls(usize),
    /// More work than the limit.
    #[error("leads to terms that are too large")]
    TooLarge,
    /// A loop, where none is expected: whoever took the loops out of the program has left one.
    #[error("has a loop that was not lowered")]
    NotLowered,
    /// A part of the source is not what it is said to be.
    #[error("is not what stands for it: {0}")]
    Unlike(&'static str),
}

/// What an execution found.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// All ways to end.
    pub outcomes: Vec<Outcome>,
    /// Pre-conditions of callees that must hold.
    pub calls: Vec<CheckedCall>,
    /// What is said to hold on entry of callees, where that was asked for: conditions as in their `Effects::entry`.
    pub entries: Vec<CheckedCall>,
    /// Assertions that must hold.
    pub asserts: Vec<Check>,
}

/// Something that must hold at a place.
#[derive(Clone, Debug)]
pub struct Check {
    /// The path to it.
    pub path: Vec<Term>,
    /// The condition; `None` when it has a form that terms cannot say.
    pub condition: Option<Term>,
    /// The calls made before it.
    pub calls: Vec<smt::term::CallId>,
    /// Where.
    pub span: Span,
}

/// A callee's pre-condition at a call.
#[derive(Clone, Debug)]
pub struct CheckedCall {
    /// The callee.
    pub callee: ProcId,
    /// Which of its `requires`, or of its conditions on entry.
    pub clause: usize,
    /// What must hold there.
    pub check: Check,
}

/// All outcomes of a procedure, path by path; where these are too many, with branches joined.
///
/// # Errors
/// When there are too many outcomes even so, or too many calls.
pub fn execute(
    unit: &Unit,
    version: usize,
    effects: &[Effects],
    limits: &Limits,
    arena: &mut Arena,
    (procedure, assumed): (ProcId, &[Term]),
) -> Result<Execution, ExecError> {
    let paths = Executor::new(unit, version, effects, limits.clone(), arena).run(procedure, assumed);
    match paths {
        Err(ExecError::TooManyPaths(_)) if !limits.join => {
            let limits = Limits { join: true, ..limits.clone() };
            Executor::new(unit, version, effects, limits, arena).run(procedure, assumed)
        }
        done => done,
    }
}

/// Runs procedures of one version.
pub struct Executor<'a> {
    /// The program.
    pub unit: &'a Unit,
    /// Which version.
    pub version: usize,
    /// What is known of its procedures.
    pub effects: &'a [Effects],
    /// How far to go.
    pub limits: Limits,
    /// Terms, heaps, calls.
    pub arena: &'a mut Arena,
    /// What was found so far.
    pub found: Execution,
    /// How many calls were made.
    calls: usize,
    /// How much was done with terms before.
    started: u64,
    /// The procedures that are executed in place, each within the one before.
    within: Vec<ProcId>,
    /// Those among them that take no turn.
    ending: Vec<ProcId>,
    /// The source, where it is the source that is executed.
    source: Option<Source<'a>>,
    /// What is seen on entry of the procedure that is executed.
    began: Option<ContractView>,
    /// How many states are still to be executed, or were put by, at the branches around the present one.
    pending: usize,
    /// In how many iterations of loops, taken as one of many, this is.
    pub iteration_depth: u32,
}

/// Whether control goes on after a statement.
pub enum Flow {
    /// It does.
    Next(State),
    /// The procedure returns.
    Return(State),
}

impl Flow {
    /// The same state, returned.
    fn over(self) -> Flow {
        let (Flow::Next(state) | Flow::Return(state)) = self;
        Flow::Return(state)
    }
}

impl<'a> Executor<'a> {
    /// An executor for `version` of `unit`.
    pub fn new(unit: &'a Unit, version: usize, effects: &'a [Effects], limits: Limits, arena: &'a mut Arena) -> Self {
        let started = arena.terms.work();
        Executor {
            unit,
            version,
            effects,
            limits,
            arena,
            found: Execution::default(),
            calls: 0,
            started,
            within: Vec::new(),
            ending: Vec::new(),
            source: None,
            began: None,
            pending: 0,
            iteration_depth: 0,
        }
    }

    /// The version that is executed.
    pub fn code(&self) -> &'a Version {
        &self.unit.versions[self.version]
    }

    /// All outcomes of the body of `procedure` from an arbitrary store, with the n-th parameter [`Func::Param`] n.
    ///
    /// `assumed` holds on entry (the pre-conditions). An external procedure has no body and no outcomes.
    ///
    /// # Errors
    /// When there are more outcomes or calls than the limits.
    pub fn run(mut self, procedure: ProcId, assumed: &[Term]) -> Result<Execution, ExecError> {
        let code = self.code().procedure(procedure);
        let mut state = self.entry(code);
        self.begins(&state, code);
        for &condition in assumed {
            if !state.assume(&mut self.arena.terms, condition) {
                return Ok(self.found);
            }
        }
        let ends = self.body(state, procedure)?;
        for mut state in ends {
            self.flush(&mut state)?;
            let results = code.result_ids().map(|id| state.locals[id.index()]).collect();
            self.finish(&state, Ending::Normal, state.path.iter().copied().collect(), results, Vec::new())?;
        }
        Ok(self.found)
    }

    /// The state on entry: parameters and globals arbitrary, all else at its default.
    pub fn entry(&mut self, code: &Procedure) -> State {
        let terms = &mut self.arena.terms;
        let numbers = self.limits.parameter_numbers.as_ref();
        let number = |at: u32| numbers.and_then(|numbers| numbers.get(at as usize).copied()).unwrap_or(at);
        let locals: im::Vector<Term> = code
            .locals
            .iter()
            .zip(0u32..)
            .map(|(local, at)| {
                let sort = Sort::from(&local.ty);
                if (at as usize) < code.params {
                    let param = terms.app(Func::Param(number(at)), &[], sort);
                    terms.declare(param, &local.ty);
                    param
                } else {
                    terms.default_of(sort)
                }
            })
            .collect();
        let globals = self
            .unit
            .globals
            .iter()
            .zip(0u32..)
            .map(|(global, at)| terms.app(Func::Global(at), &[], Sort::from(&global.ty)))
            .collect();
        let places: Vec<Place> = (self.limits.apart.iter())
            .filter_map(|spot| {
                spot.place(|at, sort| Some(self.arena.terms.app(Func::Param(u32::try_from(at).ok()?), &[], sort)))
            })
            .collect();
        let heap = self.arena.heaps.initial();
        let heap = returned::with_own_places(self.arena, heap, &places, &Func::Param);
        State {
            locals,
            globals,
            heap,
            path: im::Vector::new(),
            known: smt::term::PathFacts::new(),
            calls: im::Vector::new(),
            news: im::Vector::new(),
            pending: im::Vector::new(),
            unflushed: 0,
            results: None,
        }
    }

    /// Runs the body of a procedure whose parameters are set; the states in which it returns.
    ///
    /// # Errors
    /// When there are too many.
    pub fn body(&mut self, state: State, procedure: ProcId) -> Result<Vec<State>, ExecError> {
        let code = self.code().procedure(procedure);
        let Some(block) = &code.body else { return Ok(Vec::new()) };
        // A procedure in place is one of the lowered program.
        let source = self.source.take();
        let flows = self.block(state, block, code);
        self.source = source;
        let state = |flow| match flow {
            Flow::Next(state) | Flow::Return(state) => state,
        };
        Ok(flows?.into_iter().map(state).collect())
    }

    fn check_size(&self, states: usize) -> Result<(), ExecError> {
        if self.arena.terms.work() - self.started > self.limits.work {
            return Err(ExecError::TooLarge);
        }
        let outcomes = states + self.found.outcomes.len() + self.pending;
        if outcomes > self.limits.outcomes { Err(ExecError::TooManyPaths(self.limits.outcomes)) } else { Ok(()) }
    }

    /// Turns the ways to err gathered since the last fork into one outcome.
    pub fn flush(&mut self, state: &mut State) -> Result<(), ExecError> {
        if state.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut state.pending);
        let conditions: Vec<Term> = pending.iter().map(|(condition, _)| *condition).collect();
        let any = self.arena.terms.or(&conditions);
        // What was assumed since the last flush is just that none of these happened.
        let base = state.path.len() - state.unflushed;
        state.unflushed = 0;
        let mut path: Vec<Term> = state.path.iter().take(base).copied().collect();
        path.push(any);
        let faults = pending.into_iter().map(|(_, fault)| fault).collect();
        self.finish(state, Ending::Error, path, Vec::new(), faults)
    }

    /// Notes one way to end.
    ///
    /// # Errors
    /// When there are too many.
    pub fn finish(
        &mut self,
        state: &State,
        ending: Ending,
        path: Vec<Term>,
        results: Vec<Term>,
        faults: Vec<Fault>,
    ) -> Result<(), ExecError> {
        self.found.outcomes.push(Outcome {
            ending,
            path,
            calls: state.calls.iter().copied().collect(),
            news: state.news.iter().copied().collect(),
            heap: state.heap,
            globals: state.globals.iter().copied().collect(),
            results,
            faults,
        });
        self.check_size(0)
    }

    /// Splits off the error that happens unless `ok`; false when nothing goes on.
    pub fn require(&mut self, state: &mut State, ok: Term, message: &'static str, span: Span) -> bool {
        let ok = self.arena.terms.simplify(ok, &state.known);
        if self.arena.terms.is_true(ok) {
            return true;
        }
        let bad = self.arena.terms.not(ok);
        state.pending.push_back((bad, Fault { message, span }));
        let before = state.path.len();
        let alive = state.assume(&mut self.arena.terms, ok);
        state.unflushed += state.path.len() - before;
        alive
    }
}
