//! Rule *Recurrent*: that a run which has come to a loop, or to a call of a procedure, never ends.
//!
//! In: where a run was, with what its variables held, and a condition that holds there. Out: an [`Endless`], where wherever the
//! condition holds each way on leads to another turn, or call, in which it holds again; or what is not shown.
//!
//! Invariant: nothing is assumed of the heap and of globals; so the condition speaks for every store.
//! Invariant: that a turn errs where an argument is null is not assumed of the very turn that is to be shown not to err.

use super::{Kernel, shape};
use crate::effects::Effects;
use crate::exec::source::{Input, Literal, Simulation, Site, loop_at};
use crate::exec::{ContractView, Executor, Limits, execute, on_entry};
use crate::lemma;
use crate::rejection::{Rejection, reject};
use lang_l::hir::{Expr, ExprKind, ProcId, Unit};
use lang_l::interp::Stuck;
use lang_l::source::Span;
use lang_l::value::Value;
use smt::arena::Arena;
use smt::obligation::{Obligation, Purpose};
use smt::solve::{Answer, Solver};
use smt::term::{AllocClass, AllocSet, Ending, Term};
use std::collections::{BTreeMap, BTreeSet};

/// That a run never ends which has come to some place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endless {
    span: Span,
}

impl Endless {
    /// The loop, or the procedure.
    pub fn span(&self) -> Span {
        self.span
    }
}

/// The ways through one turn of a loop, or one call of a procedure that calls itself.
#[derive(Clone, Debug)]
pub struct Turns {
    /// Those on which it goes on with another turn, which then never ends: the path, and what that one is given.
    pub next: Vec<(Vec<Term>, Vec<Term>)>,
    /// Those on which it ends without one, or is blocked.
    pub over: Vec<Vec<Term>>,
}

impl Turns {
    /// All ways through one turn; `None` where there are too many.
    pub fn of(unit: &Unit, version: usize, effects: &[Effects], id: ProcId, arena: &mut Arena) -> Option<Turns> {
        let mut weaker = effects.to_vec();
        weaker[id.index()].errs_if_null.clear();
        let execution = execute(unit, version, &weaker, &Limits::default(), arena, (id, &[])).ok()?;
        let mut turns = Turns { next: Vec::new(), over: Vec::new() };
        for outcome in execution.outcomes {
            let own = outcome.calls.iter().position(|&call| arena.record(call).callee == id);
            let endless = outcome.endless_call(&mut arena.terms).map(|call| arena.record(call).callee);
            let blocked = |callee: ProcId| effects[callee.index()].may_block;
            match (own, outcome.ending) {
                // The first call of itself is looked at where it is taken not to end.
                (Some(at), Ending::Diverges) if at + 1 == outcome.calls.len() => {
                    turns.next.push((outcome.path, arena.record(outcome.calls[at]).args.clone()));
                }
                (Some(_), _) => {}
                // Another call that never ends is as good, unless it may be blocked; that this one is blocked itself is not.
                (None, _)
                    if endless.is_some_and(|callee| faults::planted("kernel/endless/blocked") || !blocked(callee)) => {}
                (None, _) => turns.over.push(outcome.path),
            }
        }
        Some(turns)
    }
}

impl Kernel<'_> {
    /// The proof that a run of a version never ends which is stuck here, where conditions on the parameters of the lowered procedure
    /// hold again and again.
    ///
    /// # Errors
    /// What is not shown.
    pub fn never_ends(
        &self,
        version: usize,
        (id, stuck): (ProcId, &Stuck),
        conditions: &[Expr],
        solver: &mut Solver,
    ) -> Result<Endless, Rejection> {
        self.alone[version].clone()?;
        let (unit, effects) = (self.dossier.lowered, self.dossier.effects[version]);
        if unit.versions[version].procedures.get(id.index()).is_none_or(|code| code.body.is_none()) {
            return reject("there is no such loop or procedure");
        }
        if !conditions.iter().all(|own| is_plain(own) && shape::is_condition(unit, version, id, own)) {
            return reject("the condition speaks of more than numbers, truth values and null");
        }
        if let Some(shown) = lemma::check(self.lowering(version), &BTreeSet::from([id])).remove(&id) {
            shown?;
        }
        let run: BTreeSet<ProcId> = effects[id.index()].callees.iter().copied().chain([id]).collect();
        if !self.contracts_hold(version, &run) {
            return reject("a contract that the run may break is not proved");
        }
        let mut arena = Arena::new(unit);
        let mut stage = Stage::new(self, version, id, &mut arena);
        let span = stage.holds_at(stuck, conditions, solver)?;
        stage.recurs(conditions, solver)?;
        Ok(Endless { span })
    }
}

/// A loop or a procedure of the lowered program, about to take a turn.
struct Stage<'s, 'k> {
    kernel: &'s Kernel<'k>,
    version: usize,
    id: ProcId,
    arena: &'s mut Arena,
    view: ContractView,
}

impl<'s, 'k> Stage<'s, 'k> {
    fn new(kernel: &'s Kernel<'k>, version: usize, id: ProcId, arena: &'s mut Arena) -> Self {
        let (unit, effects) = (kernel.dossier.lowered, kernel.dossier.effects[version]);
        let mut executor = Executor::new(unit, version, effects, Limits::default(), arena);
        let (view, ..) = on_entry(&mut executor, id);
        Stage { kernel, version, id, arena, view }
    }

    /// What conditions say of these parameters, all together.
    fn said(&mut self, parameters: &[Term], conditions: &[Expr]) -> Result<Term, Rejection> {
        let (unit, effects) = (self.kernel.dossier.lowered, self.kernel.dossier.effects[self.version]);
        let mut view = self.view.clone();
        for (at, &value) in parameters.iter().enumerate() {
            view.locals.set(at, value);
        }
        let mut executor = Executor::new(unit, self.version, effects, Limits::default(), self.arena);
        let all = conditions.iter().map(|condition| executor.contract(&view, condition)).collect::<Option<Vec<Term>>>();
        all.map_or_else(|| reject("the condition cannot be said"), |all| Ok(self.arena.terms.and(&all)))
    }

    /// The place at which the run is, where the conditions hold there. So does what holds whenever the lowered program comes to it: the run
    /// is one of the source, and may have come from where the lowered program calls nothing. What is known of all that is
    /// called from there rests on this.
    fn holds_at(&mut self, stuck: &Stuck, conditions: &[Expr], solver: &mut Solver) -> Result<Span, Rejection> {
        let of = self.kernel.dossier.simulations[self.version].get(self.id.index()).and_then(Option::as_ref);
        let Some(of) = of else { return reject("it stands for no part of the source") };
        let code = self.kernel.source.unit().procedure(self.version, of.site.procedure());
        let place = match of.site {
            Site::Procedure(_) => None,
            Site::Loop { number, .. } => code.body.as_ref().and_then(|body| loop_at(body, number)),
        };
        let here = (of.site.procedure(), place) == (stuck.procedure, stuck.at);
        if !here || matches!(of.site, Site::Loop { .. }) && place.is_none() {
            return reject("the run is at another place");
        }
        let parameters = self.held(of, stuck)?;
        let said = self.said(&parameters, conditions)?;
        if !self.arena.terms.is_true(said) && !faults::planted("kernel/endless/start") {
            return reject("the condition does not hold where the run is");
        }
        let entry = self.said(&parameters, &self.kernel.dossier.effects[self.version][self.id.index()].entry)?;
        let always = self.arena.terms.bool(true);
        if !self.follows(always, &[], entry, solver) && !faults::planted("kernel/endless/entry") {
            return reject("the run is where the lowered program never comes");
        }
        Ok(place.unwrap_or(code.span))
    }

    /// What the parameters of the lowered procedure are given there; of an object no more than that there is one.
    fn held(&mut self, of: &Simulation, stuck: &Stuck) -> Result<Vec<Term>, Rejection> {
        let mut parameters: Vec<Term> = self.view.locals.iter().copied().collect();
        parameters.truncate(self.kernel.dossier.lowered.procedure(self.version, self.id).params);
        let mut given: BTreeMap<usize, &Value> = BTreeMap::new();
        for (local, input) in &of.inputs {
            let value = stuck.locals.get(local.index()).and_then(Option::as_ref);
            match (input, value) {
                (Input::Param(at), Some(value)) => {
                    let term = self.value(value);
                    match parameters.get_mut(*at) {
                        Some(own) if self.arena.terms.sort(*own) == self.arena.terms.sort(term) => *own = term,
                        _ => return reject("a variable holds what it cannot hold"),
                    }
                    if given.insert(*at, value).is_some_and(|other| other != value) {
                        return reject("two variables hold different things that the lowering knows to be the same");
                    }
                }
                // Of one that is not known nothing is said: it stays arbitrary.
                (Input::Param(_), None) => {}
                (Input::Literal(literal), Some(value)) if is_literal(literal, value) => {}
                (Input::Literal(_), _) => return reject("a variable does not hold what the lowering knows of it"),
            }
        }
        Ok(parameters)
    }

    fn value(&mut self, value: &Value) -> Term {
        let terms = &mut self.arena.terms;
        match value {
            Value::Int(number) => terms.int(number.clone()),
            Value::Bool(value) => terms.bool(*value),
            Value::Ref(None) => terms.null(),
            Value::Ref(Some(_)) if faults::planted("kernel/endless/one-object") => {
                terms.representative(AllocClass::OLD)
            }
            // Each time another one: whether two are the same is not said.
            Value::Ref(Some(_)) => terms.skolem(AllocSet::of(AllocClass::OLD)),
        }
    }

    /// From each turn that begins where the conditions hold another one does, and that is the only way on.
    fn recurs(&mut self, conditions: &[Expr], solver: &mut Solver) -> Result<(), Rejection> {
        let (unit, effects) = (self.kernel.dossier.lowered, self.kernel.dossier.effects[self.version]);
        let Some(turns) = Turns::of(unit, self.version, effects, self.id, self.arena) else {
            return reject("a turn has too many paths");
        };
        let begins = self.said(&[], conditions)?;
        let never = self.arena.terms.bool(false);
        for (path, given) in &turns.next {
            let again = self.said(given, conditions)?;
            if !self.follows(begins, path, again, solver) && !faults::planted("kernel/endless/not-kept") {
                return reject("a turn does not keep the condition");
            }
        }
        for path in &turns.over {
            if !self.follows(begins, path, never, solver) && !faults::planted("kernel/endless/over") {
                return reject("there is a way out");
            }
        }
        match turns.next.is_empty() {
            true => reject("there is no way on"),
            false => Ok(()),
        }
    }

    fn follows(&mut self, begins: Term, path: &[Term], goal: Term, solver: &mut Solver) -> bool {
        let assumptions = [begins].into_iter().chain(path.iter().copied()).collect();
        let tag = Purpose::ConditionRecurs.into();
        solver.prove(self.arena, &Obligation { assumptions, goal, tag }) == Answer::Holds
    }
}

/// Whether a condition looks at nothing that a store holds, and always has a value.
fn is_plain(condition: &Expr) -> bool {
    !condition.any(&|part| {
        !matches!(
            part.kind,
            ExprKind::Local(_)
                | ExprKind::Int(_)
                | ExprKind::Bool(_)
                | ExprKind::Null
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
        )
    })
}

fn is_literal(literal: &Literal, value: &Value) -> bool {
    match (literal, value) {
        (Literal::Null, Value::Ref(None)) => true,
        (Literal::Bool(one), Value::Bool(other)) => one == other,
        (Literal::Int(one), Value::Int(other)) => one == other,
        _ => false,
    }
}
