//! Rule *Sweep*: that all turns of a loop together write some cells and add some numbers up.
//!
//! In: a procedure that calls itself, and a [`Sweep`] of it. Out: that every call of it that returns does just that; or where the
//! statement is wrong.
//!
//! By induction over the number of calls in a run that returns. The body is executed once, each call on the way by what is said of
//! it. Then an arbitrary cell or field of an arbitrary object holds what is said, and so does each result.
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
    sweeps.iter().try_for_each(|(&id, own)| {
        let asked = Asked::of(&own.exact);
        Swept { program, version, id, sweeps, own }.check(&asked, solver)
    })
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
        let Both { unit, effects } = self.program;
        let (version, effects) = (self.version, effects[self.version]);
        let mut arena = Arena::new(unit);
        let limits = Limits { sweeps: self.sweeps.clone(), ..limits(self.program, version, self.id) };
        let (view, assumed, _) =
            on_entry(&mut Executor::new(unit, version, effects, limits.clone(), &mut arena), self.id);
        let executed = execute(unit, version, effects, &limits, &mut arena, (self.id, &assumed));
        let Ok(execution) = executed else { return reject("a loop that is taken as a whole has too many paths") };
        let arguments: Vec<Term> = view.locals.iter().take(given).copied().collect();
        let before = Before { arguments: &arguments, heap: view.heap };
        for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending == Ending::Normal) {
            let swept = |&call: &CallId| self.sweeps.contains_key(&arena.record(call).callee);
            // So no object is made: of one that comes out of the loop nothing would be known.
            let makes_none = outcome.news.is_empty() && outcome.calls.iter().all(swept);
            if !makes_none && !faults::planted("kernel/sweep/objects") {
                return reject("a loop that is taken as a whole makes objects, or calls what may");
            }
            let goals = self.goals(outcome, before, &mut arena);
            let goal = arena.terms.and(&goals);
            let tag = Purpose::Swept.within(version, vec![unit.procedure(version, self.id).name_span]);
            let obligation = Obligation { assumptions: outcome.path.clone(), goal, tag };
            let looked_at = !arena.terms.is_true(goal) && !faults::planted("kernel/sweep/unshown");
            if looked_at && !asked.holds(&obligation, &mut arena, solver) {
                return reject("what all turns of a loop do together is not shown");
            }
        }
        Ok(())
    }

    /// How many parameters the procedure has, where what is said of it has a meaning.
    fn shape(&self) -> Result<usize, Rejection> {
        let unit = self.program.unit;
        let procedures = unit.versions.get(self.version).map(|code| &code.procedures);
        let code = procedures.and_then(|all| all.get(self.id.index()));
        let effects = self.program.effects.get(self.version).and_then(|all| all.get(self.id.index()));
        let (Some(code), Some(effects)) = (code, effects) else { return reject("there is no such loop") };
        // What is said on entry of a loop holds at all its calls; nobody has checked the `requires` of others here.
        if code.body.is_none() || !is_loop(code) || !code.requires.is_empty() || !effects.written_globals.is_empty() {
            return reject("only a loop that writes no global is taken as a whole");
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
