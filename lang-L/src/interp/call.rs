//! Calls: how they begin and end, and the checking of contracts.
//!
//! In: a machine about to call, or at the end of a body. Out: the machine in the callee, or back in the caller.
//!
//! Invariant: a clause that errs does not hold. At the start of a run that is [`Exclusion::Requires`]; elsewhere a violation.

use super::contract::{self, Context};
use super::environment::Event;
use super::external;
use super::frame::{Frame, Reply, Task, Variables};
use super::machine::Machine;
use super::outcome::{Budget, Clause, Divergence, Exclusion, Outcome, Step, Violation};
use crate::heap::value::{Addr, Value};
use crate::hir::{ProcId, Procedure};
use crate::source::Span;
use im::ordmap::DiffItem;

impl<'r> Machine<'r> {
    /// Turns a clause of the topmost frame that does not hold, or errs, into the end of the run.
    pub(super) fn check(&self, holds: Step<bool>, clause: Clause, span: Span, call: Option<Span>) -> Step<()> {
        let message = match holds {
            Ok(true) => return Ok(()),
            Ok(false) => format!("this {} clause does not hold", clause.keyword()),
            Err(outcome) => match *outcome {
                Outcome::Error(failure) => {
                    format!("this {} clause cannot be evaluated: {}", clause.keyword(), failure.kind.message())
                }
                other => return Err(Box::new(other)),
            },
        };
        let procedure = self.frames.last().map_or(String::new(), |frame| frame.procedure.name.clone());
        Err(Box::new(Outcome::Violation(Violation { clause, span, procedure, call, message })))
    }

    /// Begins a call. The results, when the callee is external and the run's own procedure.
    pub(super) fn enter(
        &mut self,
        id: ProcId,
        arguments: Variables,
        reply: Reply<'r>,
        call: Option<Span>,
    ) -> Step<Option<Vec<Value>>> {
        if self.frames.len() >= self.job.limits.depth {
            return Err(Box::new(Outcome::OutOfBudget(Budget::Depth)));
        }
        let procedure = self.job.unit.versions[self.job.version].procedure(id);
        self.memory.environment.trace(Event::Enter { procedure, arguments: &arguments });
        let mut old_locals = arguments;
        old_locals.resize(procedure.locals.len(), None);
        let mut locals = old_locals.clone();
        for (at, local) in procedure.locals.iter().enumerate().skip(procedure.params) {
            locals[at] = Some(Value::default_of(&local.ty));
        }
        let old_store = self.memory.store.clone();
        let (tasks, values) = (Vec::new(), Vec::new());
        let frame = Frame {
            id,
            procedure,
            locals,
            old_locals,
            old_store,
            begun: false,
            modifiable: None,
            tasks,
            values,
            reply,
            call,
        };
        self.frames.push(frame);

        self.check_requires(procedure, call)?;
        self.frame().begun = true;
        if self.job.limits.checks {
            self.frame().modifiable = self.modifiable()?;
        }
        if self.divergence.at_call(&self.frames, &self.memory) {
            let divergence = Divergence::CallRepeats {
                procedure: procedure.name.clone(),
                span: call.unwrap_or(procedure.name_span),
            };
            return Err(Box::new(Outcome::Diverged(divergence)));
        }
        if let Some(body) = &procedure.body {
            self.push(Task::Statements(&body.stmts));
            return Ok(None);
        }
        let arguments: Vec<Value> = procedure.param_ids().map(|id| self.local(id)).collect();
        let results = external::perform(&mut self.memory, procedure, &arguments)?;
        let frame = self.frame();
        for (id, value) in procedure.result_ids().zip(results) {
            frame.locals[id.index()] = Some(value);
        }
        self.end_call()
    }

    fn check_requires(&mut self, procedure: &'r Procedure, call: Option<Span>) -> Step<()> {
        for requires in &procedure.requires {
            if call.is_none() {
                if !satisfied(self.condition(requires))? {
                    return Err(Box::new(Outcome::Excluded(Exclusion::Requires, requires.span)));
                }
            } else if self.job.limits.checks {
                let holds = self.condition(requires);
                self.check(holds, Clause::Requires, requires.span, call)?;
            }
        }
        Ok(())
    }

    /// The objects that the `modifies` clause names; a place that cannot be evaluated names none.
    fn modifiable(&mut self) -> Step<Option<Vec<Addr>>> {
        let (frame, callers) = self.frames.split_last().expect("a call has a frame");
        let Some(modifies) = &frame.procedure.modifies else { return Ok(None) };
        let context = Context {
            procedure: frame.procedure,
            variables: &frame.locals,
            store: &frame.old_store,
            old_variables: &frame.old_locals,
            old_store: &frame.old_store,
            callers,
            also: &[],
        };
        let mut named = Vec::new();
        for place in &modifies.places {
            match contract::evaluate(&mut self.memory, &context, place) {
                Ok(value) => named.extend(value.object()),
                Err(outcome) if matches!(*outcome, Outcome::Error(_)) => {}
                Err(outcome) => return Err(outcome),
            }
        }
        Ok(Some(named))
    }

    /// Ends the topmost call. The results, when it was the run's own.
    pub(super) fn end_call(&mut self) -> Step<Option<Vec<Value>>> {
        self.check_exit()?;
        let frame = self.frames.pop().expect("a call that ends has a frame");
        self.divergence.call_ends(frame.id);
        let procedure = frame.procedure;
        let results: Vec<Value> = procedure.result_ids().filter_map(|id| frame.locals[id.index()].clone()).collect();
        self.memory.environment.trace(Event::Leave { procedure, results: &results });
        match frame.reply {
            Reply::Finish => return Ok(Some(results)),
            Reply::Value => self.frame().values.extend(results.into_iter().next()),
            Reply::Assign(targets) => {
                for (target, value) in targets.iter().zip(results) {
                    self.assign_variable(target, value);
                }
            }
        }
        Ok(None)
    }

    /// Checks `ensures`, where parameters stand for the arguments, and `modifies`.
    fn check_exit(&mut self) -> Step<()> {
        let (frame, callers) = self.frames.split_last().expect("a call that ends has a frame");
        let (procedure, call) = (frame.procedure, frame.call);
        let external = procedure.body.is_none();
        if !self.job.limits.checks && !external {
            return Ok(());
        }
        if !procedure.ensures.is_empty() {
            let mut variables = frame.locals.clone();
            variables[..procedure.params].clone_from_slice(&frame.old_locals[..procedure.params]);
            let store = self.memory.store.clone();
            for ensures in &procedure.ensures {
                let context = Context {
                    procedure,
                    variables: &variables,
                    store: &store,
                    old_variables: &frame.old_locals,
                    old_store: &frame.old_store,
                    callers,
                    also: &[&frame.locals],
                };
                let holds = contract::holds(&mut self.memory, &context, ensures);
                if !external {
                    self.check(holds, Clause::Ensures, ensures.span, call)?;
                } else if !satisfied(holds)? {
                    return Err(Box::new(Outcome::Excluded(Exclusion::ExternalEnsures, ensures.span)));
                }
            }
        }
        self.check_modifies()
    }

    fn check_modifies(&mut self) -> Step<()> {
        let frame = self.frames.last().expect("a call that ends has a frame");
        let (Some(named), Some(modifies)) = (&frame.modifiable, &frame.procedure.modifies) else { return Ok(()) };
        let (now, entry) = (self.memory.store.clone(), frame.old_store.clone());
        let touched = now.heap.diff(&entry.heap).map(|item| match item {
            DiffItem::Add(addr, _) | DiffItem::Remove(addr, _) | DiffItem::Update { new: (addr, _), .. } => *addr,
        });
        for addr in touched {
            if named.contains(&addr) || self.memory.view(&entry).kind(addr).is_none() {
                continue;
            }
            for slot in self.memory.view(&now).set_slots(addr) {
                // An equal value may have been written: what counts is what was there on entry.
                if self.memory.slot(&now, addr, slot, modifies.span)?
                    != self.memory.slot(&entry, addr, slot, modifies.span)?
                {
                    return Err(Box::new(Outcome::Violation(Violation {
                        clause: Clause::Modifies,
                        span: modifies.span,
                        procedure: frame.procedure.name.clone(),
                        call: frame.call,
                        message: "an object that this clause does not name has changed".to_owned(),
                    })));
                }
            }
        }
        Ok(())
    }
}

/// Whether a clause is satisfied: one without a value is not.
fn satisfied(holds: Step<bool>) -> Step<bool> {
    match holds {
        Err(outcome) if matches!(*outcome, Outcome::Error(_)) => Ok(false),
        other => other,
    }
}
