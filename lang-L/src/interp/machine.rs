//! Statements, expressions with calls, and calls, as a machine with a stack of its own.
//!
//! In: a procedure and an input. Out: the outcome, step by step.
//!
//! Each active call has a frame; a frame has a stack of [`Task`]s, the next on top, and a stack of values that the tasks leave
//! for one another. A task does one thing and may put others in its place: to evaluate `a + b` is to evaluate `a`, then `b`, then
//! to add.
//!
//! Invariant: between statements the value stack of a frame is empty.

use super::contract::{self, Context};
use super::environment::{Environment, Event, Variable};
use super::frame::{Frame, Loop, LoopMemory, Reply, Task, Variables};
use super::memory::Memory;
use super::operators::{binary, decided_by_left, ill_typed, is_short_circuit, truth, unary};
use super::outcome::{Budget, Clause, Divergence, ErrorKind, Exclusion, Outcome, Step, fail};
use super::{Job, Stuck, divergence};
use crate::heap::Input;
use crate::heap::isomorphism::Final;
use crate::heap::value::{Location, Slot, Value};
use crate::hir::{Expr, ExprKind, LocalId, Place, ProcId, Rhs, Stmt, StmtKind};
use crate::source::Span;

/// What a contract looks at takes about as long as so many steps.
const STEPS_OF_A_LOOK: u64 = 4;

/// A run.
pub(super) struct Machine<'r> {
    pub(super) job: &'r Job<'r>,
    pub(super) memory: Memory<'r>,
    pub(super) frames: Vec<Frame<'r>>,
    pub(super) divergence: divergence::Detector<'r>,
    steps: u64,
}

impl<'r> Machine<'r> {
    /// A machine about to call the job's procedure.
    pub(super) fn new(job: &'r Job<'r>, mut input: Input, environment: &'r mut dyn Environment) -> Self {
        let version = &job.unit.versions[job.version];
        input.arguments.resize(version.procedure(job.procedure).params, None);
        let memory = Memory::new(job.unit, &job.limits, environment, input);
        let divergence = divergence::Detector::new(version, &job.limits);
        Machine { job, memory, frames: Vec::new(), divergence, steps: 0 }
    }

    /// How many steps have been taken; what contracts and externals looked at counts as the steps that take as long.
    pub(super) fn work(&self) -> u64 {
        self.steps.saturating_add(self.memory.looked_at().saturating_mul(STEPS_OF_A_LOOK))
    }

    /// Where it is: of each procedure the innermost call, and the loops in it.
    pub(super) fn stuck(&self) -> Vec<Stuck> {
        // A run that is over before the last `requires` was looked at has not come to that call.
        let begun = &self.frames[..self.frames.iter().take_while(|frame| frame.begun).count()];
        let last = |at: usize, id: ProcId| begun[at + 1..].iter().all(|frame| frame.id != id);
        let mut stuck = Vec::new();
        for (at, frame) in begun.iter().enumerate().filter(|(at, frame)| last(*at, frame.id)) {
            let seen = |span: Option<Span>, variables: &Variables| {
                // What is unset of the run's own call is what it was given.
                let given = || divergence::known(variables, &self.memory).map(Option::<&Value>::cloned).collect();
                let locals = if at == 0 { given() } else { variables.clone() };
                Stuck { procedure: frame.id, at: span, locals }
            };
            stuck.push(seen(None, &frame.old_locals));
            for task in &frame.tasks {
                if let Task::Loop(head) = task
                    && let Some(earlier) = &head.seen.earlier
                {
                    stuck.push(seen(Some(head.span), &earlier.variables));
                }
            }
        }
        stuck
    }

    /// The input with all that was read of it.
    pub(super) fn into_input(self) -> Input {
        self.memory.input
    }

    /// Runs to the end.
    pub(super) fn run(&mut self) -> Outcome {
        let arguments = self.memory.input.arguments.clone();
        match self.enter(self.job.procedure, arguments, Reply::Finish, None) {
            Ok(Some(results)) => return self.finish(results),
            Ok(None) => {}
            Err(outcome) => return *outcome,
        }
        loop {
            match self.step() {
                Ok(None) => {}
                Ok(Some(results)) => return self.finish(results),
                Err(outcome) => return *outcome,
            }
        }
    }

    fn finish(&mut self, results: Vec<Value>) -> Outcome {
        let store = self.memory.store.over(&self.memory.input.store);
        Outcome::Normal(Final { store, results })
    }

    pub(super) fn frame(&mut self) -> &mut Frame<'r> {
        self.frames.last_mut().expect("a machine that steps has a frame")
    }

    pub(super) fn push(&mut self, task: Task<'r>) {
        self.frame().tasks.push(task);
    }

    fn leave(&mut self, value: Value) {
        self.frame().values.push(value);
    }

    fn take(&mut self) -> Value {
        self.frame().values.pop().expect("every task that takes a value follows one that leaves it")
    }

    /// Counts steps; for each some work may be done to see whether the run repeats itself.
    fn count(&mut self, steps: u64) {
        self.steps += steps;
        self.divergence.earn(steps);
    }

    /// Does one task. The results, when the run has ended.
    fn step(&mut self) -> Step<Option<Vec<Value>>> {
        self.count(1);
        if self.steps > self.job.limits.steps {
            return Err(Box::new(Outcome::OutOfBudget(Budget::Steps)));
        }
        let Some(task) = self.frame().tasks.pop() else { return self.end_call() };
        match task {
            Task::Statements([]) => {}
            Task::Statements([first, rest @ ..]) => {
                self.push(Task::Statements(rest));
                self.statement(first)?;
            }
            Task::Evaluate(e) => self.evaluate(e)?,
            Task::Apply(e) => {
                let value = self.apply(e)?;
                self.leave(value);
            }
            Task::ShortCircuit(op, right) => {
                let left = truth(&self.take(), right.span)?;
                match decided_by_left(op, left) {
                    Some(decided) => self.leave(decided.into()),
                    None => self.push(Task::Evaluate(right)),
                }
            }
            Task::Choose(then, els) => {
                let chosen = if truth(&self.take(), then.span)? { then } else { els };
                self.push(Task::Evaluate(chosen));
            }
            Task::Branch(cond, then, els) => {
                let chosen = if self.test(cond)? { then } else { els };
                self.push(Task::Statements(&chosen.stmts));
            }
            Task::Loop(head) => self.loop_head(head)?,
            Task::LoopTest(cond, body) => {
                if self.test(cond)? {
                    self.push(Task::Statements(&body.stmts));
                } else {
                    self.frame().tasks.pop();
                }
            }
            Task::New(class) => {
                let object = self.memory.allocate(class);
                self.leave(object);
            }
            Task::NewArray(element, span) => {
                let length = self.take();
                let array = self.memory.allocate_array(element, &length, span)?;
                self.leave(array);
            }
            Task::Assign(place, span) => self.assign(place, span)?,
            Task::Call { callee, reply, span } => return self.call(callee, reply, span),
            Task::Return => self.return_values(),
        }
        Ok(None)
    }

    /// Calls with the arguments left.
    fn call(&mut self, callee: ProcId, reply: Reply<'r>, span: Span) -> Step<Option<Vec<Value>>> {
        let count = self.job.unit.versions[self.job.version].procedure(callee).params;
        let frame = self.frame();
        let arguments = frame.values.split_off(frame.values.len() - count);
        let arguments = arguments.into_iter().map(Some).collect();
        self.enter(callee, arguments, reply, Some(span))
    }

    /// Assigns the values left to the results, and leaves the body.
    fn return_values(&mut self) {
        let frame = self.frame();
        let (procedure, values) = (frame.procedure, std::mem::take(&mut frame.values));
        for (id, value) in procedure.result_ids().zip(values) {
            self.assign_local(id, value);
        }
        self.frame().tasks.clear();
    }

    /// The value left by the condition of an `if` or `while`.
    fn test(&mut self, cond: &'r Expr) -> Step<bool> {
        let holds = truth(&self.take(), cond.span)?;
        self.memory.environment.trace(Event::Tested { span: cond.span, holds });
        Ok(holds)
    }

    fn statement(&mut self, stmt: &'r Stmt) -> Step<()> {
        self.memory.environment.trace(Event::Statement { statement: stmt });
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Assign(place, rhs) => {
                self.push(Task::Assign(place, span));
                match rhs {
                    Rhs::Expr(e) => self.push(Task::Evaluate(e)),
                    Rhs::New(class) => self.push(Task::New(*class)),
                    Rhs::NewArray(element, length) => {
                        self.push(Task::NewArray(element, span));
                        self.push(Task::Evaluate(length));
                    }
                }
                match place {
                    Place::Local(_) | Place::Global(_) => {}
                    Place::Field(object, _) => self.push(Task::Evaluate(object)),
                    Place::Index(object, index) => {
                        self.push(Task::Evaluate(index));
                        self.push(Task::Evaluate(object));
                    }
                }
            }
            StmtKind::Call { targets, callee, args } => {
                self.push(Task::Call { callee: *callee, reply: Reply::Assign(targets), span });
                self.push_all(args.iter());
            }
            StmtKind::If(cond, then, els) => {
                self.push(Task::Branch(cond, then, els));
                self.push(Task::Evaluate(cond));
            }
            StmtKind::While { cond, invariants, body } => {
                self.push(Task::Loop(Loop { cond, invariants, body, span, seen: LoopMemory::default() }));
            }
            StmtKind::Return(values) => {
                self.push(Task::Return);
                self.push_all(values.iter());
            }
            StmtKind::Break => while !matches!(self.frame().tasks.pop(), Some(Task::Loop(_)) | None) {},
            StmtKind::Continue => {
                while !matches!(self.frame().tasks.last(), Some(Task::Loop(_)) | None) {
                    self.frame().tasks.pop();
                }
            }
            StmtKind::Assert(e) => {
                if !self.condition(e)? {
                    return fail(ErrorKind::AssertionFailed, span);
                }
            }
            StmtKind::Assume(e) => {
                if !self.condition(e)? {
                    return Err(Box::new(Outcome::Excluded(Exclusion::Assume, span)));
                }
            }
        }
        Ok(())
    }

    /// Puts the evaluation of these in line, the first on top.
    fn push_all(&mut self, exprs: impl DoubleEndedIterator<Item = &'r Expr>) {
        self.frame().tasks.extend(exprs.rev().map(Task::Evaluate));
    }

    fn evaluate(&mut self, e: &'r Expr) -> Step<()> {
        match &e.kind {
            ExprKind::Local(id) => {
                let value = self.local(*id);
                self.leave(value);
            }
            ExprKind::Binary(op, left, right) if is_short_circuit(*op) => {
                self.push(Task::ShortCircuit(*op, right));
                self.push(Task::Evaluate(left));
            }
            ExprKind::Cond(cond, then, els) => {
                self.push(Task::Choose(then, els));
                self.push(Task::Evaluate(cond));
            }
            ExprKind::Call(callee, args) => {
                self.push(Task::Call { callee: *callee, reply: Reply::Value, span: e.span });
                self.push_all(args.iter());
            }
            ExprKind::Field(object, _) | ExprKind::Length(object) => self.operator(e, [object])?,
            ExprKind::Unary(_, operand) => self.operator(e, [operand])?,
            ExprKind::Index(left, right) | ExprKind::Binary(_, left, right) => self.operator(e, [left, right])?,
            _ => self.operator(e, [])?,
        }
        Ok(())
    }

    /// Evaluates an operator's operands, then applies it. Most operands are variables and numbers: then all is done here, and counted
    /// as the tasks that it would be.
    fn operator<const N: usize>(&mut self, e: &'r Expr, operands: [&'r Expr; N]) -> Step<()> {
        if !operands.iter().all(|operand| operand.is_leaf()) {
            self.push(Task::Apply(e));
            self.push_all(operands.into_iter());
            return Ok(());
        }
        for operand in operands {
            self.count(1);
            self.evaluate(operand)?;
        }
        self.count(1);
        let value = self.apply(e)?;
        self.leave(value);
        Ok(())
    }

    fn apply(&mut self, e: &Expr) -> Step<Value> {
        match &e.kind {
            ExprKind::Int(n) => Ok(Value::Int(n.clone())),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Null => Ok(Value::NULL),
            ExprKind::Global(id) => {
                let store = self.memory.store.clone();
                Ok(self.memory.global(&store, *id))
            }
            ExprKind::Field(..) | ExprKind::Length(_) => {
                let (object, store) = (self.take(), self.memory.store.clone());
                self.memory.access(&store, e, object, None)
            }
            ExprKind::Index(..) => {
                let (index, object, store) = (self.take(), self.take(), self.memory.store.clone());
                self.memory.access(&store, e, object, Some(index))
            }
            ExprKind::Unary(op, _) => unary(*op, self.take(), e.span),
            ExprKind::Binary(op, ..) => {
                let (right, left) = (self.take(), self.take());
                binary(*op, left, right, self.job.limits.int_bits, e.span)
            }
            _ => ill_typed(e.span),
        }
    }

    /// The value of a variable; an argument that is unset is settled.
    pub(super) fn local(&mut self, id: LocalId) -> Value {
        let at = id.index();
        let frame = self.frame();
        if let Some(value) = &frame.locals[at] {
            return value.clone();
        }
        let ty = &frame.procedure.local(id).ty;
        let value = match &self.memory.input.arguments[at] {
            Some(value) => value.clone(),
            None => self.memory.settle(Location::Argument(at), ty),
        };
        self.frame().locals[at] = Some(value.clone());
        value
    }

    fn assign(&mut self, place: &'r Place, span: Span) -> Step<()> {
        let value = self.take();
        match place {
            Place::Local(_) | Place::Global(_) => {
                self.assign_variable(place, value);
                Ok(())
            }
            Place::Field(_, field) => {
                let object = self.take();
                self.memory.write(object, Ok(Slot::Field(*field)), value, span)
            }
            Place::Index(..) => {
                let (index, object) = (self.take(), self.take());
                self.memory.write(object, Err(&index), value, span)
            }
        }
    }

    pub(super) fn assign_variable(&mut self, place: &Place, value: Value) {
        match place {
            Place::Local(id) => self.assign_local(*id, value),
            Place::Global(id) => self.memory.put_global(*id, value),
            Place::Field(..) | Place::Index(..) => {}
        }
    }

    fn assign_local(&mut self, id: LocalId, value: Value) {
        let frame = self.frames.last_mut().expect("a machine that assigns has a frame");
        let name = frame.procedure.local(id).name.as_str();
        self.memory.environment.trace(Event::Assigned { variable: Variable::Local(id), name, value: &value });
        frame.locals[id.index()] = Some(value);
    }

    fn loop_head(&mut self, mut head: Loop<'r>) -> Step<()> {
        if self.job.limits.checks {
            for invariant in head.invariants {
                let holds = self.condition(invariant);
                self.check(holds, Clause::Invariant, invariant.span, None)?;
            }
        }
        if self.divergence.at_loop(&mut head, &self.frames, &self.memory) {
            return Err(Box::new(Outcome::Diverged(Divergence::LoopRepeats { span: head.span })));
        }
        let (cond, body) = (head.cond, head.body);
        self.push(Task::Loop(head));
        self.push(Task::LoopTest(cond, body));
        self.push(Task::Evaluate(cond));
        Ok(())
    }

    /// Whether a contract expression holds now, in the topmost frame.
    pub(super) fn condition(&mut self, e: &Expr) -> Step<bool> {
        let (frame, callers) = self.frames.split_last().expect("contracts are evaluated in a frame");
        let store = self.memory.store.clone();
        let context = Context {
            procedure: frame.procedure,
            variables: &frame.locals,
            store: &store,
            old_variables: &frame.old_locals,
            old_store: &frame.old_store,
            callers,
            also: &[],
        };
        contract::holds(&mut self.memory, &context, e)
    }
}
