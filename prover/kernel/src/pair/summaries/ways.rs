//! The ways through a procedure, as a summary sees them: values in, values out, and the calls between.
//!
//! In: a procedure and a plan. Out: its [`Way`]s, over variables of its own.
//!
//! Invariant: every run takes one of the ways, and what is known of a way holds of all runs that take it.

use super::{Frame, Slot};
use crate::bounds::pair::APART;
use crate::bounds::summaries::MAX_SLOTS;
use crate::exec::state::Outcome;
use crate::exec::{Executor, Limits, execute, on_entry};
use crate::rejection::{Rejection, reject};
use lang_l::hir::{GlobalId, Local, ProcId};
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::term::{CallId, Ending, Func, Sort, Term};
use std::collections::BTreeSet;

/// A call that returned, or a procedure as a whole: parameters, then globals; results, then globals.
#[derive(Clone, Debug)]
pub(super) struct Activation {
    pub(super) callee: ProcId,
    pub(super) input: Vec<Term>,
    /// Empty where it did not return.
    pub(super) output: Vec<Term>,
}

/// One way through a procedure.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) ending: Ending,
    pub(super) known: Vec<Term>,
    /// The calls that returned.
    pub(super) calls: Vec<Activation>,
    /// The call that never ends, where that is why the procedure does not.
    pub(super) open: Option<Activation>,
    pub(super) whole: Activation,
}

impl Frame<'_> {
    /// The ways through a call that a summary speaks of; the variables of the n-th such call are its own.
    pub(super) fn slot(
        &self,
        n: u32,
        (version, slot): (usize, Slot),
        arena: &mut Arena,
    ) -> Result<Vec<Way>, Rejection> {
        let ways = match slot.turns {
            0 => return Ok(vec![self.unopened(n, (version, slot.callee), arena)]),
            1 => self.ways((version, slot.callee), &[], arena)?,
            turns => {
                let inline = (BTreeSet::from([slot.callee]), turns - 1);
                self.executed((version, slot.callee), inline, &[], arena)?
            }
        };
        Ok(ways.into_iter().map(|way| way.renamed(n * APART, arena)).collect())
    }

    /// A call that returned, of which nothing is known.
    fn unopened(&self, n: u32, (version, id): (usize, ProcId), arena: &mut Arena) -> Way {
        let unit = self.goal.program.unit;
        let code = unit.procedure(version, id);
        let local = |arena: &mut Arena, (at, local): (u32, &Local)| {
            arena.terms.app(Func::Param(n * APART + at), &[], Sort::from(&local.ty))
        };
        let global = |arena: &mut Arena, shift: u32, global: &GlobalId| {
            let sort = Sort::from(&unit.globals[global.index()].ty);
            arena.terms.app(Func::Global(shift * APART + global.0), &[], sort)
        };
        let locals: Vec<Term> = (0..).zip(&code.locals).map(|own| local(arena, own)).collect();
        let [before, after] = [n, n + MAX_SLOTS]
            .map(|shift| self.globals.iter().map(|own| global(arena, shift, own)).collect::<Vec<Term>>());
        let input = [&locals[..code.params], &before].concat();
        let output = [&locals[code.params..code.params + code.results], &after].concat();
        let whole = Activation { callee: id, input, output };
        Way { ending: Ending::Normal, known: Vec::new(), calls: Vec::new(), open: None, whole }
    }

    /// All ways through a procedure of one version, executed as the plan says.
    pub(super) fn ways(
        &self,
        (version, id): (usize, ProcId),
        assumed: &[Term],
        arena: &mut Arena,
    ) -> Result<Vec<Way>, Rejection> {
        let inline = (self.plan.inline[version].clone(), self.plan.depths[version]);
        self.executed((version, id), inline, assumed, arena)
    }

    fn executed(
        &self,
        (version, id): (usize, ProcId),
        (inline, inline_depth): (BTreeSet<ProcId>, usize),
        assumed: &[Term],
        arena: &mut Arena,
    ) -> Result<Vec<Way>, Rejection> {
        let program = self.goal.program;
        let limits = Limits { inline, inline_depth, inline_at: self.plan.only_at, ..Limits::default() };
        let effects = program.effects[version];
        let (_, mut known, _) = on_entry(&mut Executor::new(program.unit, version, effects, limits.clone(), arena), id);
        known.extend(assumed);
        let executed = execute(program.unit, version, effects, &limits, arena, (id, &known));
        let Ok(execution) = executed else { return reject("there are too many paths") };
        // Of new objects more is known than the terms of a way say, and in the variables of the run that makes them.
        if execution.outcomes.iter().any(|outcome| !outcome.news.is_empty()) {
            return reject("a procedure with summaries makes objects");
        }
        Ok(execution.outcomes.iter().map(|outcome| self.way((version, id), outcome, arena)).collect())
    }

    fn way(&self, (version, id): (usize, ProcId), outcome: &Outcome, arena: &mut Arena) -> Way {
        let code = self.goal.program.unit.procedure(version, id);
        let returned = |arena: &mut Arena, call: CallId| {
            let normal = arena.terms.ended(call, Ending::Normal);
            outcome.ending == Ending::Normal || outcome.path.contains(&normal)
        };
        let calls: Vec<CallId> = outcome.calls.iter().copied().filter(|&call| returned(arena, call)).collect();
        let calls = calls.into_iter().map(|call| self.activation(version, call, arena)).collect();
        let open = outcome.endless_call(&mut arena.terms).map(|call| self.activation(version, call, arena));
        let params = (0u32..).zip(code.locals.iter().take(code.params));
        let mut input: Vec<Term> =
            params.map(|(at, local)| arena.terms.app(Func::Param(at), &[], Sort::from(&local.ty))).collect();
        let globals = self.globals.iter().map(|global| {
            let sort = Sort::from(&self.goal.program.unit.globals[global.index()].ty);
            arena.terms.app(Func::Global(global.0), &[], sort)
        });
        input.extend(globals);
        let mut output = Vec::new();
        if outcome.ending == Ending::Normal {
            output.extend(outcome.results.iter().copied().chain(self.read(&outcome.globals)));
        }
        let whole = Activation { callee: id, input, output };
        Way { ending: outcome.ending, known: outcome.path.clone(), calls, open, whole }
    }

    fn activation(&self, version: usize, call: CallId, arena: &mut Arena) -> Activation {
        let record = arena.record(call).clone();
        let effects = &self.goal.program.effects[version][record.callee.index()];
        let code = self.goal.program.unit.procedure(version, record.callee);
        let before: Vec<Term> = self.read(&record.globals).collect();
        let input = record.args.iter().copied().chain(before.iter().copied()).collect();
        let mut output: Vec<Term> = Vec::new();
        for (id, at) in code.result_ids().zip(effects.numbers_of_results(code.results)) {
            output.push(arena.terms.app(Func::Result(call, at), &[], Sort::from(&code.local(id).ty)));
        }
        for (&global, before) in self.globals.iter().zip(before) {
            let is_written = effects.written_globals.contains(&global);
            let sort = arena.terms.sort(before);
            output.push(match is_written {
                true => arena.terms.app(Func::GlobalAfter(call, global.0), &[], sort),
                false => before,
            });
        }
        Activation { callee: record.callee, input, output }
    }

    fn read<'v>(&'v self, values: &'v [Term]) -> impl Iterator<Item = Term> + 'v {
        self.globals.iter().map(|global: &GlobalId| values[global.index()])
    }
}

impl Way {
    /// The same over variables with other numbers.
    fn renamed(mut self, shift: u32, arena: &mut Arena) -> Self {
        let mut memo = HashMap::default();
        let apart = |func| match func {
            Func::Param(at) => Func::Param(at + shift),
            Func::Global(at) => Func::Global(at + shift),
            other => other,
        };
        let mut all = |list: &mut Vec<Term>| {
            list.iter_mut().for_each(|term| *term = arena.terms.map_functions(*term, &mut memo, &apart));
        };
        all(&mut self.known);
        for own in self.calls.iter_mut().chain(&mut self.open).chain([&mut self.whole]) {
            all(&mut own.input);
            all(&mut own.output);
        }
        self
    }
}
