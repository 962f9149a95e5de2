//! Rule *Sweep*: that all turns of a loop or of recursion together write some cells, add some numbers up, and take steps at some values.
//!
//! In: a procedure that calls itself, and a [`Sweep`] of it. Out: that every call of it that returns does just that, and that all return of
//! which that is said; or where the statement is wrong.
//!
//! By induction over the number of calls in a run. The body is executed once, each call on the way by what is said of it. Then an
//! arbitrary cell or field of an arbitrary object holds what is said, and so does each result; and no other end is open.
//!
//! Invariant: all that the procedure may write is compared.

use super::Both;
use super::products::Asked;
use crate::bounds::pair::MAX_INLINE_DEPTH;
use crate::effects::is_loop;
use crate::exec::state::Outcome;
use crate::exec::sweep::{Before, Cells, Sweep};
use crate::exec::{Executor, Limits, execute, on_entry};
use crate::rejection::{Rejection, reject};
use lang_l::hir::ProcId;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::Solver;
use smt::term::{AllocClass, CallId, Ending, Selector, Sort, Term};
use std::collections::BTreeMap;

/// Checks what is said of some loops of one version, all of them under one another.
///
/// # Errors
/// What is not shown.
pub fn check(
    program: Both<'_>,
    version: usize,
    sweeps: &BTreeMap<ProcId, Sweep>,
    solver: &mut Solver,
) -> Result<(), Rejection> {
    let of = |(&id, own)| Swept { program, version, id, sweeps, own };
    // What is said of one is used of its calls when another is looked at.
    sweeps.iter().map(of).try_for_each(|one| one.shape().map(|_| ()))?;
    sweeps.iter().map(of).try_for_each(|one| one.check(&Asked::of(&one.own.exact), solver))
}

/// For engines: what is said of one loop, with the questions that need all that is true of products, if it is so.
pub fn with_exact(program: Both<'_>, version: usize, id: ProcId, own: Sweep, solver: &mut Solver) -> Option<Sweep> {
    let (sweeps, asked) = (BTreeMap::from([(id, own.clone())]), Asked::trying());
    Swept { program, version, id, sweeps: &sweeps, own: &own }.check(&asked, solver).ok()?;
    Some(Sweep { exact: asked.exact(), ..own })
}

/// How a turn of a loop is executed: helpers that do not recur and have no contract are in place.
pub fn limits(program: Both<'_>, version: usize, id: ProcId) -> Limits {
    let (Some(code), effects) = (program.unit.versions.get(version), program.effects[version]) else {
        return Limits::default();
    };
    let is_helper = |&callee: &ProcId| {
        let own = code.procedure(callee);
        own.body.is_some() && !is_loop(own) && !own.has_contract() && !effects[callee.index()].recursive(callee)
    };
    let inline = effects[id.index()].callees.iter().copied().filter(is_helper).collect();
    Limits { inline, inline_depth: MAX_INLINE_DEPTH, ..Limits::default() }
}

struct Swept<'s> {
    program: Both<'s>,
    version: usize,
    id: ProcId,
    sweeps: &'s BTreeMap<ProcId, Sweep>,
    own: &'s Sweep,
}

impl Swept<'_> {
    fn check(&self, asked: &Asked, solver: &mut Solver) -> Result<(), Rejection> {
        let given = self.shape()?;
        let Both { unit, effects, .. } = self.program;
        let (version, effects) = (self.version, effects[self.version]);
        let mut arena = Arena::new(unit);
        // How its own calls end is looked at, so nothing is said of that.
        let mut sweeps = self.sweeps.clone();
        sweeps.insert(self.id, Sweep { returns: None, ..self.own.clone() });
        let limits = Limits { sweeps, ..limits(self.program, version, self.id) };
        let (view, assumed, _) =
            on_entry(&mut Executor::new(unit, version, effects, limits.clone(), &mut arena), self.id);
        let executed = execute(unit, version, effects, &limits, &mut arena, (self.id, &assumed));
        let Ok(execution) = executed else { return reject("a loop that is taken as a whole has too many paths") };
        let arguments: Vec<Term> = view.locals.iter().take(given).copied().collect();
        let before = Before { arguments: &arguments, heap: view.heap };
        self.commute(before, asked, &mut arena, solver)?;
        self.returns(&execution.outcomes, before, asked, &mut arena, solver)?;
        for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal) {
            let swept = |&call: &CallId| self.sweeps.contains_key(&arena.record(call).callee);
            // So no object is made: of one that comes out of the loop nothing would be known.
            let makes_none = outcome.news.is_empty() && outcome.calls.iter().all(swept);
            if !makes_none && !faults::planted("kernel/sweep/objects") {
                return reject("a loop that is taken as a whole makes objects, or calls what may");
            }
            let goals = self.goals(outcome, before, &mut arena);
            let goal = arena.terms.and(&goals);
            let obligation = self.obligation(outcome.path.clone(), goal);
            let looked_at = !arena.terms.is_true(goal) && !faults::planted("kernel/sweep/unshown");
            if looked_at && !asked.holds(&obligation, &mut arena, solver) {
                return reject("what all turns of a loop do together is not shown");
            }
        }
        Ok(())
    }

    fn obligation(&self, assumptions: Vec<Term>, goal: Term) -> Obligation {
        let place = self.program.unit.procedure(self.version, self.id).name_span;
        Obligation { assumptions, goal, tag: Purpose::Swept.within(self.version, vec![place]) }
    }

    /// Steps of which it is said do commute: whatever is known of a call, so that it is true of all terms that are made of the statement.
    fn commute(
        &self,
        before: Before<'_>,
        asked: &Asked,
        arena: &mut Arena,
        solver: &mut Solver,
    ) -> Result<(), Rejection> {
        for goal in self.own.commuting(arena, before) {
            let obligation = self.obligation(Vec::new(), goal);
            let looked_at = !arena.terms.is_true(goal) && !faults::planted("kernel/sweep/order");
            if looked_at && !asked.holds(&obligation, arena, solver) {
                return reject("that the order of turns does not matter is not shown");
            }
        }
        Ok(())
    }

    /// Where a call is said to return, it ends otherwise only if the call of its next turn does, which is said to return and has a smaller
    /// measure.
    fn returns(
        &self,
        outcomes: &[Outcome],
        before: Before<'_>,
        asked: &Asked,
        arena: &mut Arena,
        solver: &mut Solver,
    ) -> Result<(), Rejection> {
        let Some((when, measure)) = self.own.returning(arena, before) else { return Ok(()) };
        let effects = self.program.effects[self.version];
        if effects[self.id.index()].may_block && !faults::planted("kernel/sweep/blocked") {
            return reject("what is said to return may be blocked");
        }
        // The measure is of this procedure alone, so none of the others may come back to it.
        let comes_back = |id: &ProcId| *id != self.id && effects[id.index()].callees.contains(&self.id);
        if effects[self.id.index()].callees.iter().any(comes_back) && !faults::planted("kernel/sweep/comes-back") {
            return reject("what is said to return calls something that calls it");
        }
        for outcome in outcomes.iter().filter(|outcome| outcome.ending != Ending::Normal) {
            let goal = self.is_closer(outcome, measure, arena);
            let assumptions = outcome.path.iter().copied().chain([when]).collect();
            let looked_at = !faults::planted("kernel/sweep/other-ends");
            if looked_at && !asked.holds(&self.obligation(assumptions, goal), arena, solver) {
                return reject("that all turns of a loop return is not shown");
            }
        }
        Ok(())
    }

    /// That an outcome is ruled out by the induction: it is how the next turn ends, that turn is said to return, its measure is less, and the
    /// measure of this one is not negative.
    fn is_closer(&self, outcome: &Outcome, measure: Term, arena: &mut Arena) -> Term {
        let last = outcome.calls.last().map(|&call| arena.record(call).clone()).filter(|last| last.callee == self.id);
        let Some(last) = last else { return arena.terms.bool(false) };
        let ended = arena.terms.ended(last.call, outcome.ending);
        let next = Before { arguments: &last.args, heap: last.heap };
        match self.own.returning(arena, next).filter(|_| outcome.path.contains(&ended)) {
            Some((when, next)) => {
                let zero = arena.terms.int(0);
                let closer = [arena.terms.le(zero, measure), arena.terms.lt(next, measure)];
                let closer = if faults::planted("kernel/sweep/measure") { Vec::new() } else { closer.to_vec() };
                arena.terms.and(&[closer, vec![when]].concat())
            }
            None => arena.terms.bool(false),
        }
    }

    /// How many parameters the procedure has, where what is said of it has a meaning.
    fn shape(&self) -> Result<usize, Rejection> {
        let unit = self.program.unit;
        let procedures = unit.versions.get(self.version).map(|code| &code.procedures);
        let code = procedures.and_then(|all| all.get(self.id.index()));
        let effects = self.program.effects.get(self.version).and_then(|all| all.get(self.id.index()));
        let (Some(code), Some(effects)) = (code, effects) else { return reject("there is no such loop") };
        // What is said on entry of a loop holds at all its calls, and so does what is required (rule *Contracts*).
        let promises = !is_loop(code) && (!code.ensures.is_empty() || code.modifies.is_some());
        if code.body.is_none() || promises || !effects.written_globals.is_empty() {
            return reject("only what writes no global and promises nothing is taken as a whole");
        }
        // Those kinds of cells are compared, and no others.
        let compared = |own: &Cells| effects.writes.contains(&Selector::Cell(own.sort));
        if !self.own.cells.iter().all(compared) && !faults::planted("kernel/sweep/kind-never-written") {
            return reject("a loop is said to write cells of a kind that it never writes");
        }
        let sort = |at: usize| Sort::from(&code.locals[at].ty);
        let given: Vec<Sort> = (0..code.params).map(sort).collect();
        let results: Vec<Sort> = (code.params..code.params + code.results).map(sort).collect();
        let fields: Vec<Sort> = unit.fields.iter().map(|field| Sort::from(&field.ty)).collect();
        match self.own.fits(&given, &results, &fields) {
            true => Ok(code.params),
            false => reject("what is said of all turns of a loop has no meaning"),
        }
    }

    /// What has to hold where it returned: each result is what is said, and so is every place that it may write.
    fn goals(&self, outcome: &Outcome, before: Before<'_>, arena: &mut Arena) -> Vec<Term> {
        let said = self.own.results(arena, before);
        let results = outcome.results.iter().zip(said);
        let mut goals: Vec<Term> =
            results.filter_map(|(&value, said)| said.map(|said| arena.terms.eq(value, said))).collect();
        let after = self.own.heap(arena, before);
        let object = arena.terms.representative(AllocClass::OLD);
        for &selector in &self.program.effects[self.version][self.id.index()].writes {
            let index = matches!(selector, Selector::Cell(_)).then(|| arena.terms.any_index());
            let [done, said] =
                [outcome.heap, after].map(|heap| arena.heaps.read(&mut arena.terms, heap, selector, object, index));
            goals.push(arena.terms.eq(done, said));
        }
        goals
    }
}
