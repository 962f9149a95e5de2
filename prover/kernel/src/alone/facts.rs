//! What is said of one procedure beyond its text and its contract: what it may modify, when it errs, and what holds of a loop
//! whenever it is entered and whenever it has returned.
//!
//! In: a procedure, and what is said of it and of its callees. Out: that it is so, or what is not.

use super::Said;
use crate::effects::Effects;
use crate::exec::state::Outcome;
use crate::exec::{ContractView, Execution, Executor, Limits, execute, on_entry};
use crate::only_if::{Changing, OnlyIf};
use crate::rejection::{Rejection, reject};
use lang_l::hir::{Expr, ProcId, Procedure};
use smt::arena::Arena;
use smt::heap::Members;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{AllocClass, Ending, Func, PathFacts, Selector, Sort, Term};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Checks what is said of one procedure with a body.
pub(super) fn check(said: Said<'_>, id: ProcId, solver: &mut Solver) -> Result<(), Rejection> {
    let own = &said.effects[id.index()];
    let loops = |callee: &ProcId| !said.effects[callee.index()].entry.is_empty();
    let silent = own.modifies.is_none()
        && own.errs_only_if_null.is_none()
        && own.exit.is_empty()
        && own.changes_only_if.is_empty();
    if !silent || own.callees.iter().any(loops) {
        let mut arena = Arena::new(said.unit);
        let limits = Limits { entries: true, ..Limits::default() };
        let mut executor = Executor::new(said.unit, said.version, said.effects, limits.clone(), &mut arena);
        let (entry, assumed, _) = on_entry(&mut executor, id);
        let executed = execute(said.unit, said.version, said.effects, &limits, &mut arena, (id, &assumed));
        let code = said.unit.procedure(said.version, id);
        let Ok(execution) = executed else {
            return reject(format!("{} is too large for what is said of it", code.name));
        };
        Facts { said, id, code, arena: &mut arena, solver, entry: &entry }.all(&execution)?;
    }
    needs(said, id)
}

struct Facts<'c, 'a> {
    said: Said<'a>,
    id: ProcId,
    code: &'a Procedure,
    arena: &'c mut Arena,
    solver: &'c mut Solver,
    entry: &'c ContractView,
}

impl Facts<'_, '_> {
    fn all(&mut self, execution: &Execution) -> Result<(), Rejection> {
        let own = &self.said.effects[self.id.index()];
        for call in &execution.entries {
            let name = &self.said.unit.procedure(self.said.version, call.callee).name;
            self.holds(
                &call.check.path,
                call.check.condition,
                Purpose::LoopCondition,
                &format!("the entry of {name}"),
            )?;
        }
        for outcome in &execution.outcomes {
            match outcome.ending {
                Ending::Error => self.error(own, outcome)?,
                Ending::Normal => {
                    self.modified(own, outcome)?;
                    self.exit(&own.exit, outcome)?;
                    self.changed(&own.changes_only_if, outcome)?;
                }
                Ending::Diverges => {}
            }
        }
        Ok(())
    }

    /// It errs only if one of some parameters is null.
    fn error(&mut self, own: &Effects, outcome: &Outcome) -> Result<(), Rejection> {
        let Some(needs) = own.errs_only_if_null.as_ref().filter(|_| !faults::planted("kernel/alone/errors")) else {
            return Ok(());
        };
        let mut path = outcome.path.clone();
        for &at in needs {
            if !self.code.locals.get(at).is_some_and(|local| at < self.code.params && local.ty.is_reference()) {
                return reject(format!("a fact about {} names what is no reference parameter", self.code.name));
            }
            let is_null = null_at(self.arena, at);
            path.push(self.arena.terms.not(is_null));
        }
        let impossible = self.arena.terms.bool(false);
        self.holds(&path, Some(impossible), Purpose::CannotErr, "when it errs")
    }

    /// No object that existed on entry has changed but those that are named: for an arbitrary one, field by field.
    fn modified(&mut self, own: &Effects, outcome: &Outcome) -> Result<(), Rejection> {
        // What is declared is a clause of the contract, which has to be proved as that where it is relied upon.
        let declared = self.code.modifies.as_ref().map(|modifies| &modifies.places);
        let inferred = own.modifies.as_ref().filter(|places| Some(*places) != declared);
        let Some(places) = inferred.filter(|_| !faults::planted("kernel/alone/modifies")) else {
            return Ok(());
        };
        let mut executor =
            Executor::new(self.said.unit, self.said.version, self.said.effects, Limits::default(), self.arena);
        let Some(places) = executor.places_on_entry(self.entry, places) else {
            return reject(format!("a place of {} cannot be said", self.code.name));
        };
        let goal = confined(self.arena, outcome, &own.writes, &places);
        self.holds(&outcome.path, Some(goal), Purpose::WriteConfined, "what it may modify")
    }

    /// What is said to hold whenever a loop has returned.
    fn exit(&mut self, conditions: &[Expr], outcome: &Outcome) -> Result<(), Rejection> {
        let mut view = self.entry.clone();
        for (result, &value) in self.code.result_ids().zip(&outcome.results) {
            view.locals.set(result.index(), value);
        }
        for condition in conditions.iter().filter(|_| !faults::planted("kernel/alone/exit")) {
            let mut executor =
                Executor::new(self.said.unit, self.said.version, self.said.effects, Limits::default(), self.arena);
            let condition = executor.contract(&view, condition);
            self.holds(&outcome.path, condition, Purpose::LoopCondition, "what holds when it has returned")?;
        }
        Ok(())
    }

    /// Rule *Only if*: what is said to change only if a test held on entry is as it was, or one did.
    fn changed(&mut self, all: &[OnlyIf], outcome: &Outcome) -> Result<(), Rejection> {
        let params: Vec<Term> = self.entry.locals.iter().take(self.code.params).copied().collect();
        for own in all.iter().filter(|_| !faults::planted("kernel/alone/only-if")) {
            let goal = unchanged_or_allowed(own, self.arena, &params, outcome);
            self.holds(&outcome.path, Some(goal), Purpose::WriteConfined, "what changes only if something held")?;
        }
        Ok(())
    }

    /// A condition follows at the end of a path.
    fn holds(&mut self, path: &[Term], condition: Option<Term>, purpose: Purpose, what: &str) -> Result<(), Rejection> {
        let refused = || reject(format!("{what} is not shown for {}", self.code.name));
        let Some(goal) = condition else { return refused() };
        let mut known = PathFacts::new();
        if !path.iter().all(|&fact| known.assume(&mut self.arena.terms, fact)) {
            return Ok(());
        }
        let goal = self.arena.terms.simplify(goal, &known);
        if self.arena.terms.is_true(goal) {
            return Ok(());
        }
        let tag = purpose.within(self.said.version, vec![self.code.name_span]);
        match self.solver.prove(self.arena, &Obligation { assumptions: path.to_vec(), goal, tag }) {
            Answer::Holds => Ok(()),
            _ => refused(),
        }
    }
}

/// That what changes only under tests is as it was, in an arbitrary object that existed on entry, or that one of the tests held.
pub fn unchanged_or_allowed(own: &OnlyIf, arena: &mut Arena, params: &[Term], outcome: &Outcome) -> Term {
    let initial = arena.heaps.initial();
    let (object, same) = match own.what {
        Changing::Field(field) => {
            let object = arena.terms.representative(AllocClass::OLD);
            let [before, after] = [initial, outcome.heap]
                .map(|heap| arena.heaps.read(&mut arena.terms, heap, Selector::Field(field), object, None));
            (object, arena.terms.eq(before, after))
        }
        Changing::Result { result, parameter } => {
            (params[parameter], arena.terms.eq(outcome.results[result], params[parameter]))
        }
    };
    let allowed = own.allows(arena, params, initial, object);
    arena.terms.or(&[same, allowed])
}

/// That an arbitrary object that existed on entry is as it was, selector by selector, but where a place names it that may have such
/// a part.
pub(super) fn confined(
    arena: &mut Arena,
    outcome: &Outcome,
    writes: &BTreeSet<Selector>,
    places: &[(Term, Members)],
) -> Term {
    let object = arena.terms.representative(AllocClass::OLD);
    let initial = arena.heaps.initial();
    let mut goals = Vec::new();
    for &selector in writes {
        let index = matches!(selector, Selector::Cell(_)).then(|| arena.terms.any_index());
        let [before, after] =
            [initial, outcome.heap].map(|heap| arena.heaps.read(&mut arena.terms, heap, selector, object, index));
        let mut cases = vec![arena.terms.eq(before, after)];
        for (place, _) in places.iter().filter(|(_, members)| members.may_hold(selector)) {
            cases.push(arena.terms.eq(object, *place));
        }
        goals.push(arena.terms.or(&cases));
    }
    arena.terms.and(&goals)
}

/// It errs if one of some parameters is null: on no other path may one be null. Of calls that may lead back to it neither anything of
/// the kind is assumed, nor that they end: a run that never ends does not err, and that calls end is shown by what is shown here.
fn needs(said: Said<'_>, id: ProcId) -> Result<(), Rejection> {
    let own = &said.effects[id.index()];
    if own.errs_if_null.is_empty() {
        return Ok(());
    }
    let code = said.unit.procedure(said.version, id);
    let mut effects = Cow::Borrowed(said.effects);
    // Only what recurs calls what may lead back to it.
    if own.recursive(id) {
        for other in effects.to_mut().iter_mut().filter(|other| other.callees.contains(&id)) {
            other.errs_if_null.clear();
            other.terminates &= faults::planted("kernel/alone/needs-ends");
        }
    }
    let mut arena = Arena::new(said.unit);
    let limits = Limits::default();
    let executed = execute(said.unit, said.version, &effects, &limits, &mut arena, (id, &[]));
    let Ok(execution) = executed else { return reject(format!("{} is too large for what is said of it", code.name)) };
    for outcome in execution.outcomes.iter().filter(|outcome| outcome.ending != Ending::Error) {
        for &at in &own.errs_if_null {
            let is_null = null_at(&mut arena, at);
            let mut known = PathFacts::new();
            let possible = known.assume(&mut arena.terms, is_null)
                && outcome.path.iter().all(|&fact| known.assume(&mut arena.terms, fact));
            if possible && !faults::planted("kernel/alone/needs") || at >= code.params {
                return reject(format!("{} is said to err where it may not", code.name));
            }
        }
    }
    Ok(())
}

/// That a reference parameter is null.
fn null_at(arena: &mut Arena, at: usize) -> Term {
    let param = arena.terms.app(Func::Param(u32::try_from(at).unwrap_or(u32::MAX)), &[], Sort::Ref);
    let null = arena.terms.null();
    arena.terms.eq(param, null)
}
