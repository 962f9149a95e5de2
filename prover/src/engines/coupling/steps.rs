//! The paths of both versions over variables of their own, in one arena.

use crate::budget::coupling::MAX_STEPS;
use crate::chc::templates::{Templates, compared, constants, divisors, tests};
use crate::goal::{Pair, Program};
use kernel::bounds::pair::MAX_INLINE_DEPTH;
use kernel::effects::Effects;
use kernel::exec::on_entry;
use kernel::exec::state::Outcome;
use kernel::exec::{Executor, Limits, execute};
use kernel::pair::plan::InliningPlan;
use lang_l::hir::{GlobalId, ProcId};
use num_bigint::BigInt;
use rustc_hash::FxHashMap as HashMap;
use smt::arena::Arena;
use smt::term::{CallId, Ending, Func, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// Inputs of version 1 are numbered from here on, so that they are not those of version 0.
const SHIFT: u32 = 1 << 20;
/// Outputs of a procedure taken whole are results of a call with this number, or with one below it.
const WHOLE: u32 = u32::MAX;

/// A call, or a procedure taken whole: values in, values out; globals come after parameters and results.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) callee: ProcId,
    pub(super) input: Vec<Term>,
    pub(super) output: Vec<Term>,
    pub(super) id: Option<CallId>,
}

/// One path that returns.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) path: Vec<Term>,
    pub(super) calls: Vec<Call>,
    pub(super) output: Vec<Term>,
}

/// One path on which the procedure never ends.
#[derive(Clone, Debug)]
pub(super) struct EndlessPath {
    pub(super) path: Vec<Term>,
    /// The calls that ended.
    pub(super) ended: Vec<Call>,
    /// The call that did not, if that is why.
    pub(super) open: Option<Call>,
}

/// The paths of all procedures that take part.
pub(super) struct Steps<'p> {
    program: &'p Program<'p>,
    arena: Arena,
    globals: Vec<GlobalId>,
    steps: BTreeMap<(usize, ProcId), Vec<Step>>,
    endless: BTreeMap<(usize, ProcId), Vec<EndlessPath>>,
    inputs: BTreeMap<(usize, ProcId), Vec<Term>>,
    /// What holds whenever a procedure is called.
    assumed: BTreeMap<(usize, ProcId), Vec<Term>>,
    unroll: [usize; 2],
}

impl<'p> Steps<'p> {
    /// The paths of the pair and of the recursive procedures it reaches, recursion executed in place as often as `unroll`
    /// says; `None` when there are too many.
    pub(super) fn of(program: &'p Program<'p>, pair: Pair, unroll: [usize; 2]) -> Option<Self> {
        let roots = [pair.0, pair.1];
        let mut globals = BTreeSet::new();
        for (effects, root) in program.effects.iter().zip(roots) {
            globals.extend(effects[root.index()].globals.iter().copied());
        }
        let globals = globals.into_iter().collect();
        let mut steps = Steps {
            program,
            arena: program.unit.arena(),
            globals,
            steps: BTreeMap::new(),
            endless: BTreeMap::new(),
            inputs: BTreeMap::new(),
            assumed: BTreeMap::new(),
            unroll,
        };
        for (version, root) in roots.into_iter().enumerate() {
            let effects = &program.effects[version];
            let recursive =
                effects[root.index()].callees.iter().copied().filter(|id| effects[id.index()].recursive(*id));
            for id in recursive.chain([root]).collect::<BTreeSet<_>>() {
                steps.execute(version, id)?;
            }
        }
        Some(steps)
    }

    /// The outcomes of a procedure that are normal, the others, and what holds whenever it is called; `None` when there are too
    /// many, or not all can be said.
    fn outcomes(
        &mut self,
        (version, id): (usize, ProcId),
        (inline, inline_depth): (BTreeSet<ProcId>, usize),
    ) -> Option<([Vec<Outcome>; 2], Vec<Term>)> {
        let unit = self.program.unit;
        let effects = &self.program.effects[version];
        let mut executor = Executor::new(unit.as_unit(), version, effects, Limits::default(), &mut self.arena);
        let (_, assumed, sayable) = on_entry(&mut executor, id);
        let limits = Limits { inline, inline_depth, ..Limits::default() };
        let execution = execute(unit.as_unit(), version, effects, &limits, &mut self.arena, (id, &assumed)).ok()?;
        let (normal, other): (Vec<Outcome>, Vec<Outcome>) =
            execution.outcomes.into_iter().partition(|outcome| outcome.ending == Ending::Normal);
        (normal.len() <= MAX_STEPS && sayable).then_some(([normal, other], assumed))
    }

    /// The paths of a recursive procedure, with so many calls of it by itself executed in place, each within the other but for
    /// one that is left.
    pub(super) fn deeper(&mut self, version: usize, id: ProcId, turns: usize) -> Option<Vec<Step>> {
        if turns <= 1 {
            return Some(self.steps(version, id));
        }
        let ([normal, _], _) = self.outcomes((version, id), (BTreeSet::from([id]), turns - 1))?;
        Some(normal.iter().map(|outcome| self.step(version, outcome)).collect())
    }

    fn execute(&mut self, version: usize, id: ProcId) -> Option<()> {
        let in_place = self.in_place(version, id);
        let ([normal, other], assumed) = self.outcomes((version, id), in_place)?;
        let steps = normal.iter().map(|outcome| self.step(version, outcome)).collect();
        self.steps.insert((version, id), steps);
        let endless = other.iter().filter(|outcome| outcome.ending == Ending::Diverges);
        let endless = endless.map(|outcome| self.never_ends(version, outcome)).collect();
        self.endless.insert((version, id), endless);
        let whole = self.whole(version, id);
        self.inputs.insert((version, id), whole.input);
        let assumed = assumed.into_iter().map(|term| self.shifted(version, term)).collect();
        self.assumed.insert((version, id), assumed);
        Some(())
    }

    /// The calls that are executed in place, and how deep.
    fn in_place(&self, version: usize, id: ProcId) -> (BTreeSet<ProcId>, usize) {
        let effects = &self.program.effects[version];
        let unroll = self.unroll[version];
        let inline = |callee: &ProcId| unroll > 0 || !effects[callee.index()].recursive(*callee);
        let all = effects[id.index()].callees.iter().copied().filter(inline).collect();
        (all, if unroll > 0 { unroll } else { MAX_INLINE_DEPTH })
    }

    /// The plan by which a pair and all that it comes to are executed.
    pub(super) fn plan(&self, pair: Pair) -> InliningPlan {
        let [left, right] = [self.in_place(0, pair.0), self.in_place(1, pair.1)];
        InliningPlan::of([left.0, right.0], [left.1, right.1])
    }

    fn step(&mut self, version: usize, outcome: &Outcome) -> Step {
        let calls = outcome.calls.iter().map(|&call| self.call(version, call)).collect();
        let output: Vec<Term> =
            outcome.results.iter().copied().chain(self.globals.iter().map(|g| outcome.globals[g.index()])).collect();
        Step {
            path: outcome.path.iter().map(|&t| self.shifted(version, t)).collect(),
            calls,
            output: output.into_iter().map(|t| self.shifted(version, t)).collect(),
        }
    }

    /// A path over the variables of the n-th of some calls, as [`Steps::another`] has them.
    pub(super) fn apart(&mut self, n: usize, version: usize, step: &Step) -> Step {
        let from = u32::try_from(version).unwrap_or(0) * SHIFT;
        let to = u32::try_from(n + 2).unwrap_or(0) * SHIFT;
        let mut memo = HashMap::default();
        let mut moved = |list: &[Term]| -> Vec<Term> {
            let apart = |func| match func {
                Func::Param(at) if at >= from && at < from + SHIFT => Func::Param(at - from + to),
                Func::Global(at) if at >= from && at < from + SHIFT => Func::Global(at - from + to),
                other => other,
            };
            list.iter().map(|&term| self.arena.terms.map_functions(term, &mut memo, &apart)).collect()
        };
        let calls = step.calls.iter().map(|call| Call {
            input: moved(&call.input),
            output: moved(&call.output),
            ..call.clone()
        });
        let calls = calls.collect();
        Step { path: moved(&step.path), calls, output: moved(&step.output) }
    }

    fn never_ends(&mut self, version: usize, outcome: &Outcome) -> EndlessPath {
        let mut ended: Vec<Call> = outcome.calls.iter().map(|&call| self.call(version, call)).collect();
        // A path may also end in an assumption that fails, or a loop taken at once.
        let last = outcome.calls.last().copied();
        let open = last.filter(|&call| {
            let diverges = self.arena.terms.ended(call, Ending::Diverges);
            outcome.path.contains(&diverges)
        });
        let open = match open {
            Some(_) => ended.pop(),
            None => {
                // Which of them ended is not looked into.
                ended.clear();
                None
            }
        };
        EndlessPath { path: outcome.path.iter().map(|&t| self.shifted(version, t)).collect(), ended, open }
    }

    fn call(&mut self, version: usize, call: CallId) -> Call {
        let record = self.arena.record(call).clone();
        let effects = &self.program.effects[version][record.callee.index()];
        let code = self.program.unit.procedure(version, record.callee);
        let before: Vec<Term> = self.globals.iter().map(|g| record.globals[g.index()]).collect();
        let input: Vec<Term> = record.args.iter().chain(&before).map(|&t| self.shifted(version, t)).collect();
        let mut output = Vec::new();
        for (at, id) in (0u32..).zip(code.result_ids()) {
            let sort = Sort::from(&code.local(id).ty);
            output.push(self.arena.terms.app(Func::Result(call, at), &[], sort));
        }
        for (global, before) in self.globals.clone().into_iter().zip(before) {
            let after = if effects.written_globals.contains(&global) {
                let sort = self.arena.terms.sort(before);
                self.arena.terms.app(Func::GlobalAfter(call, global.0), &[], sort)
            } else {
                self.shifted(version, before)
            };
            output.push(after);
        }
        Call { callee: record.callee, input, output, id: Some(call) }
    }

    fn shifted(&mut self, version: usize, term: Term) -> Term {
        if version == 0 {
            return term;
        }
        self.arena.terms.map_functions(term, &mut HashMap::default(), &|func| match func {
            Func::Param(at) => Func::Param(at + SHIFT),
            Func::Global(at) => Func::Global(at + SHIFT),
            other => other,
        })
    }

    pub(super) fn terms(&mut self) -> &mut Terms {
        &mut self.arena.terms
    }

    pub(super) fn terms_ref(&self) -> &Terms {
        &self.arena.terms
    }

    pub(super) fn steps_ref(&self, version: usize, id: ProcId) -> &[Step] {
        self.steps.get(&(version, id)).map_or(&[], Vec::as_slice)
    }

    /// The variables for a procedure's inputs.
    pub(super) fn inputs_ref(&self, version: usize, id: ProcId) -> &[Term] {
        self.inputs.get(&(version, id)).map_or(&[], Vec::as_slice)
    }

    /// What holds whenever a procedure is called.
    pub(super) fn assumed(&self, version: usize, id: ProcId) -> &[Term] {
        self.assumed.get(&(version, id)).map_or(&[], Vec::as_slice)
    }

    /// Whether a call may be given these values, as far as that can be seen without a heap.
    pub(super) fn may_begin(&self, version: usize, id: ProcId, input: &[BigInt]) -> bool {
        let mut values = self.inputs_ref(version, id).iter().copied().zip(input.iter().cloned()).collect();
        let truth = |&fact: &Term| self.arena.terms.evaluate(fact, &mut values, &mut ());
        self.assumed(version, id).iter().filter_map(truth).all(|truth| truth != BigInt::default())
    }

    pub(super) fn arena(&mut self) -> &mut Arena {
        &mut self.arena
    }

    /// The numbers that paths compare something with, the smallest first; no more than so many.
    pub(super) fn compared_with(&self, most: usize) -> Vec<BigInt> {
        let paths: Vec<Term> = self.steps.values().flatten().flat_map(|step| step.path.iter().copied()).collect();
        // What is drawn anyway is near the small ones.
        let far = constants(&self.arena.terms, &paths).into_iter().filter(|number| *number > BigInt::from(4));
        far.take(most).collect()
    }

    /// The names of what a procedure is given.
    pub(super) fn parameters(&self, version: usize, id: ProcId) -> Vec<&'p str> {
        let code = self.program.unit.procedure(version, id);
        code.locals[..code.params].iter().map(|local| local.name.as_str()).collect()
    }

    /// The procedures that take part and recur.
    pub(super) fn all_recursive(&self) -> Vec<(usize, ProcId)> {
        self.steps.keys().copied().filter(|&(version, id)| self.recursive(version, id)).collect()
    }

    /// Whether more than one procedure of a version recurs.
    pub(super) fn has_several_recursive(&self) -> bool {
        let all = self.all_recursive();
        (0..2).any(|version| all.iter().filter(|own| own.0 == version).count() > 1)
    }

    pub(super) fn recursive(&self, version: usize, id: ProcId) -> bool {
        self.program.effects[version][id.index()].recursive(id)
    }

    pub(super) fn steps(&self, version: usize, id: ProcId) -> Vec<Step> {
        self.steps.get(&(version, id)).cloned().unwrap_or_default()
    }

    /// The paths on which a procedure that takes part never ends.
    pub(super) fn endless(&self, version: usize, id: ProcId) -> Option<Vec<EndlessPath>> {
        self.endless.get(&(version, id)).cloned()
    }

    pub(super) fn effects(&self, version: usize, id: ProcId) -> &'p Effects {
        &self.program.effects[version][id.index()]
    }

    /// The sorts of inputs and of outputs.
    pub(super) fn sorts(&self, version: usize, id: ProcId) -> (Vec<Sort>, Vec<Sort>) {
        let unit = self.program.unit;
        let code = unit.procedure(version, id);
        let globals: Vec<Sort> = self.globals.iter().map(|g| Sort::from(&unit.globals()[g.index()].ty)).collect();
        let locals = |from: usize, count: usize| -> Vec<Sort> {
            code.locals[from..from + count].iter().map(|local| Sort::from(&local.ty)).collect()
        };
        let (mut input, mut output) = (locals(0, code.params), locals(code.params, code.results));
        input.extend(&globals);
        output.extend(globals);
        (input, output)
    }

    /// A procedure as one call: its own inputs, and variables for its outputs.
    pub(super) fn whole(&mut self, version: usize, id: ProcId) -> Call {
        self.over(u32::try_from(version).unwrap_or(0), (version, id))
    }

    /// The n-th of some calls that are looked at as wholes, besides those that [`Steps::whole`] has.
    pub(super) fn another(&mut self, n: usize, version: usize, id: ProcId) -> Call {
        self.over(u32::try_from(n + 2).unwrap_or(0), (version, id))
    }

    /// A procedure as one call over the variables with this number.
    fn over(&mut self, number: u32, (version, id): (usize, ProcId)) -> Call {
        let (inputs, outputs) = self.sorts(version, id);
        let params = self.program.unit.procedure(version, id).params;
        let shift = SHIFT * number;
        let mut input = Vec::new();
        for (at, sort) in inputs.into_iter().enumerate() {
            let func = match at.checked_sub(params) {
                None => Func::Param(u32::try_from(at).unwrap_or(u32::MAX) + shift),
                Some(global) => Func::Global(self.globals[global].0 + shift),
            };
            input.push(self.arena.terms.app(func, &[], sort));
        }
        let number = CallId(WHOLE - number);
        let output =
            (0u32..).zip(outputs).map(|(at, sort)| self.arena.terms.app(Func::Result(number, at), &[], sort)).collect();
        Call { callee: id, input, output, id: None }
    }

    /// Values, and the lengths of those that are references.
    pub(super) fn with_lengths(&mut self, mut values: Vec<Term>) -> Vec<Term> {
        let is_reference = |value: &Term| self.arena.terms.sort(*value) == Sort::Ref;
        let references: Vec<Term> = values.iter().copied().filter(is_reference).collect();
        for reference in references {
            values.push(self.arena.heaps.length(&mut self.arena.terms, reference));
        }
        values
    }

    /// What to look for in what calls of some procedures have in common, over these columns.
    pub(super) fn templates(&self, of: &[(usize, ProcId)], columns: &[Term], degree: u32) -> Templates {
        let steps = || of.iter().flat_map(|&(version, id)| self.steps_ref(version, id));
        let conditions: Vec<Term> = steps().flat_map(|step| step.path.iter().copied()).collect();
        let handed_on = steps().flat_map(|step| step.calls.iter().flat_map(|call| call.input.iter().copied()));
        let roots: Vec<Term> = conditions.iter().copied().chain(handed_on).collect();
        let columns: BTreeMap<Term, usize> = columns.iter().copied().zip(0..).collect();
        let conditions = compared(&self.arena.terms, &conditions, &columns);
        Templates { degree, conditions, ..Templates::near(&constants(&self.arena.terms, &roots)) }
    }

    /// The same, with bounds on what is divided.
    pub(super) fn templates_of_quotients(&self, of: &[(usize, ProcId)], columns: &[Term]) -> Templates {
        let steps = || of.iter().flat_map(|&(version, id)| self.steps_ref(version, id));
        let conditions: Vec<Term> = steps().flat_map(|step| step.path.iter().copied()).collect();
        let positions: BTreeMap<Term, usize> = columns.iter().copied().zip(0..).collect();
        let tests = tests(&self.arena.terms, &conditions, &positions).into_iter().collect();
        Templates { tests, divisors: self.divisors(), ..self.templates(of, columns, 1) }
    }

    /// The numbers that something is divided by.
    pub(super) fn divisors(&self) -> BTreeSet<BigInt> {
        let steps = self.steps.values().flatten();
        let all = steps.flat_map(|step| step.calls.iter().flat_map(|call| &call.input).chain(&step.path).copied());
        divisors(&self.arena.terms, &all.collect::<Vec<_>>())
    }

    pub(super) fn equal_inputs(&mut self, pair: Pair) -> Vec<Term> {
        let (a, b) = (self.whole(0, pair.0), self.whole(1, pair.1));
        a.input.iter().zip(&b.input).map(|(&a, &b)| self.arena.terms.eq(a, b)).collect()
    }

    pub(super) fn equal_outputs(&mut self, pair: Pair) -> Term {
        let (a, b) = (self.whole(0, pair.0), self.whole(1, pair.1));
        let same: Vec<Term> = a.output.iter().zip(&b.output).map(|(&a, &b)| self.arena.terms.eq(a, b)).collect();
        self.arena.terms.and(&same)
    }

    /// The outputs of a side taken whole are those of this path.
    pub(super) fn output_is(&mut self, version: usize, id: ProcId, step: &Step) -> Vec<Term> {
        let whole = self.whole(version, id);
        whole.output.iter().zip(&step.output).map(|(&a, &b)| self.arena.terms.eq(a, b)).collect()
    }

    pub(super) fn outputs_are(&mut self, pair: Pair, left: &Step, right: &Step) -> Vec<Term> {
        let mut known = self.output_is(0, pair.0, left);
        known.extend(self.output_is(1, pair.1, right));
        known
    }
}
