//! One version of a procedure as a flow graph.
//!
//! In: a lowered program, and a procedure of it that leaves the heap alone and recurs in no other way than by calls in tail
//! position, as loops do. Out: instructions over numbered variables, with everything called put in place and tail calls of
//! what is being executed as jumps.
//!
//! Invariant: every cycle of the graph goes through one of its [`Flow::loops`].

use crate::budget::product::{MAX_DEPTH, MAX_INSTRUCTIONS};
use crate::lower::Lowered;
use lang_l::hir::{Block, Expr, ExprKind, GlobalId, Place, ProcId, Procedure, Rhs, StmtKind};
use smt::term::Sort;
use std::collections::BTreeSet;

/// A variable: the globals come first, then the locals of every procedure put in place.
pub(super) type Var = usize;
/// The place of an instruction.
pub(super) type At = usize;

/// What a variable gets.
#[derive(Clone, Debug)]
pub(super) enum Value<'u> {
    /// An expression over the locals of the frame that begins at this variable.
    Of(Var, &'u Expr),
    /// The value of a variable.
    Copy(Var),
    /// What locals start with.
    Default(Sort),
}

/// What happens at a place.
#[derive(Clone, Debug)]
pub(super) enum Instr<'u> {
    /// All at once.
    Assign(Vec<(Var, Value<'u>)>, At),
    /// Where to go on: when the condition holds, and when not.
    Branch(Var, &'u Expr, At, At),
    /// Goes on if the condition holds, and errs if not.
    Assert(Var, &'u Expr, At),
    /// Goes on if the condition holds, and is blocked if not.
    Assume(Var, &'u Expr, At),
    /// Where the body of a procedure begins.
    Head(At),
    /// The end.
    Exit,
}

/// A flow graph.
#[derive(Clone, Debug)]
pub(super) struct Flow<'u> {
    pub(super) instrs: Vec<Instr<'u>>,
    pub(super) start: At,
    /// The heads that are jumped to: of loops, and of procedures that call themselves as their last act.
    pub(super) loops: BTreeSet<At>,
    /// The sort and the name of each variable.
    pub(super) vars: Vec<(Sort, String)>,
    /// The parameters.
    pub(super) params: Vec<Var>,
    /// The results, then the globals that either version looks at.
    pub(super) outputs: Vec<Var>,
    globals: usize,
}

/// A procedure being put in place.
struct Frame {
    procedure: ProcId,
    base: Var,
    /// Where it goes on when it returns.
    after: At,
    head: At,
    /// Whether its caller does nothing after it.
    tail: bool,
}

impl Instr<'_> {
    /// Where it can lead.
    pub(super) fn next(&self) -> Vec<At> {
        match *self {
            Instr::Assign(_, next) | Instr::Assert(_, _, next) | Instr::Assume(_, _, next) | Instr::Head(next) => {
                vec![next]
            }
            Instr::Branch(_, _, then, els) => vec![then, els],
            Instr::Exit => Vec::new(),
        }
    }
}

impl<'u> Flow<'u> {
    /// The graph of a procedure; `None` when it recurs in another way, is too big, or does what is not known here.
    pub(super) fn of(unit: &'u Lowered, version: usize, procedure: ProcId, globals: &[GlobalId]) -> Option<Flow<'u>> {
        let vars = unit.globals().iter().map(|global| (Sort::from(&global.ty), global.name.clone())).collect();
        let flow = Flow {
            instrs: vec![Instr::Exit],
            start: 0,
            loops: BTreeSet::new(),
            vars,
            params: Vec::new(),
            outputs: Vec::new(),
            globals: unit.globals().len(),
        };
        let mut builder = Builder { unit, version, flow, stack: Vec::new() };
        let code = builder.code(procedure);
        let base = builder.frame(code);
        let head = builder.enter(procedure, base, 0, true)?;
        let mut flow = builder.flow;
        let defaults = (code.params..code.locals.len()).map(|at| (base + at, Value::Default(flow.vars[base + at].0)));
        flow.instrs.push(Instr::Assign(defaults.collect(), head));
        flow.start = flow.instrs.len() - 1;
        flow.params = (base..base + code.params).collect();
        flow.outputs = code.result_ids().map(|id| base + id.index()).chain(globals.iter().map(|g| g.index())).collect();
        Some(flow)
    }

    /// How many of the variables are globals.
    pub(super) fn globals(&self) -> usize {
        self.globals
    }

    /// The variables an instruction reads.
    pub(super) fn reads(&self, instr: &Instr<'u>) -> Vec<Var> {
        let mut found = Vec::new();
        match instr {
            Instr::Assign(moves, _) => moves.iter().for_each(|(_, value)| match value {
                Value::Of(base, expr) => read_by(*base, expr, &mut found),
                Value::Copy(var) => found.push(*var),
                Value::Default(_) => {}
            }),
            Instr::Branch(base, expr, ..) | Instr::Assert(base, expr, _) | Instr::Assume(base, expr, _) => {
                read_by(*base, expr, &mut found);
            }
            Instr::Head(_) => {}
            Instr::Exit => found.extend(&self.outputs),
        }
        found
    }
}

struct Builder<'u> {
    unit: &'u Lowered,
    version: usize,
    flow: Flow<'u>,
    stack: Vec<Frame>,
}

impl<'u> Builder<'u> {
    fn code(&self, id: ProcId) -> &'u Procedure {
        self.unit.procedure(self.version, id)
    }

    fn emit(&mut self, instr: Instr<'u>) -> Option<At> {
        self.flow.instrs.push(instr);
        (self.flow.instrs.len() <= MAX_INSTRUCTIONS).then(|| self.flow.instrs.len() - 1)
    }

    /// New variables for the locals of a procedure; the first of them.
    fn frame(&mut self, code: &Procedure) -> Var {
        let base = self.flow.vars.len();
        self.flow.vars.extend(code.locals.iter().map(|local| (Sort::from(&local.ty), local.name.clone())));
        base
    }

    /// Puts the body of a procedure in place; its head.
    fn enter(&mut self, procedure: ProcId, base: Var, after: At, tail: bool) -> Option<At> {
        let code = self.code(procedure);
        let body = code.body.as_ref()?;
        if self.stack.len() >= MAX_DEPTH {
            return None;
        }
        let head = self.emit(Instr::Head(0))?;
        self.stack.push(Frame { procedure, base, after, head, tail });
        let first = self.block(body, after)?;
        self.stack.pop();
        self.flow.instrs[head] = Instr::Head(first);
        Some(head)
    }

    fn top(&self) -> Option<&Frame> {
        self.stack.last()
    }

    /// The instructions of a block that go on at `next`: built from its end. Where they begin.
    fn block(&mut self, block: &'u Block, mut next: At) -> Option<At> {
        for stmt in block.stmts.iter().rev() {
            let base = self.top()?.base;
            next = match &stmt.kind {
                StmtKind::Assign(place, Rhs::Expr(Expr { kind: ExprKind::Call(callee, args), .. })) => {
                    self.call(std::slice::from_ref(place), *callee, args, next)?
                }
                StmtKind::Assign(place, Rhs::Expr(value)) => {
                    let target = target(base, place)?;
                    self.emit(Instr::Assign(vec![(target, Value::Of(base, value))], next))?
                }
                StmtKind::Call { targets, callee, args } => self.call(targets, *callee, args, next)?,
                StmtKind::If(cond, then, els) => {
                    let (then, els) = (self.block(then, next)?, self.block(els, next)?);
                    self.emit(Instr::Branch(base, cond, then, els))?
                }
                StmtKind::Return(values) => {
                    let frame = self.top()?;
                    let after = frame.after;
                    let results = self.code(frame.procedure).result_ids();
                    let moves = results.zip(values).map(|(id, value)| (base + id.index(), Value::Of(base, value)));
                    self.emit(Instr::Assign(moves.collect(), after))?
                }
                StmtKind::Assert(cond) => self.emit(Instr::Assert(base, cond, next))?,
                StmtKind::Assume(cond) => self.emit(Instr::Assume(base, cond, next))?,
                StmtKind::Assign(_, Rhs::New(_) | Rhs::NewArray(..))
                | StmtKind::While { .. }
                | StmtKind::Break
                | StmtKind::Continue => return None,
            };
        }
        Some(next)
    }

    fn call(&mut self, targets: &[Place], callee: ProcId, args: &'u [Expr], next: At) -> Option<At> {
        let base = self.top()?.base;
        let targets: Vec<Var> = targets.iter().map(|place| target(base, place)).collect::<Option<_>>()?;
        let tail = self.is_last(&targets, callee, next);
        let code = self.code(callee);
        let arguments = |to: Var| (to..).zip(args).map(move |(param, arg)| (param, Value::Of(base, arg)));
        if let Some(at) = self.stack.iter().rposition(|frame| frame.procedure == callee) {
            // Recursion: only where nothing is left to be done, here and in those on the way.
            if !tail || !self.stack[at + 1..].iter().all(|frame| frame.tail) {
                return None;
            }
            let (to, head) = (self.stack[at].base, self.stack[at].head);
            self.flow.loops.insert(head);
            let mut moves: Vec<_> = arguments(to).collect();
            moves.extend(
                (code.params..code.locals.len()).map(|at| (to + at, Value::Default(self.flow.vars[to + at].0))),
            );
            return self.emit(Instr::Assign(moves, head));
        }
        let to = self.frame(code);
        let copies = targets.iter().zip(code.result_ids()).map(|(&target, id)| (target, Value::Copy(to + id.index())));
        let after = self.emit(Instr::Assign(copies.collect(), next))?;
        let head = self.enter(callee, to, after, tail)?;
        let mut moves: Vec<_> = arguments(to).collect();
        moves.extend((code.params..code.locals.len()).map(|at| (to + at, Value::Default(self.flow.vars[to + at].0))));
        self.emit(Instr::Assign(moves, head))
    }

    /// Whether all that happens after a call, of which `targets` get the results, is that these become the results of the
    /// procedure at hand.
    fn is_last(&self, targets: &[Var], callee: ProcId, next: At) -> bool {
        let Some(frame) = self.top() else { return false };
        let results: Vec<Var> = self.code(frame.procedure).result_ids().map(|id| frame.base + id.index()).collect();
        let distinct = targets.iter().collect::<BTreeSet<_>>().len() == targets.len();
        if results.len() != self.code(callee).results || targets.len() != results.len() || !distinct {
            return false;
        }
        // Variables of this frame that are set on the way, and never looked at: all that is left after it are the results.
        let unseen = |to: &Var| *to >= self.flow.globals && !results.contains(to) && !targets.contains(to);
        let mut next = next;
        while let Instr::Assign(moves, after) = &self.flow.instrs[next]
            && moves.iter().all(|(to, value)| is_literal(value) && unseen(to))
        {
            next = *after;
        }
        if next == frame.after {
            return targets == results;
        }
        let Instr::Assign(moves, after) = &self.flow.instrs[next] else { return false };
        let copied = |(&result, &target): (&Var, &Var)| {
            moves.iter().any(|(to, value)| match value {
                Value::Of(base, Expr { kind: ExprKind::Local(id), .. }) => *to == result && base + id.index() == target,
                _ => false,
            })
        };
        *after == frame.after && moves.len() == results.len() && results.iter().zip(targets).all(copied)
    }
}

fn is_literal(value: &Value<'_>) -> bool {
    matches!(value, Value::Of(_, Expr { kind: ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Null, .. }))
}

fn read_by(base: Var, expr: &Expr, found: &mut Vec<Var>) {
    match expr.kind {
        ExprKind::Local(id) => found.push(base + id.index()),
        ExprKind::Global(id) => found.push(id.index()),
        _ => {}
    }
    expr.parts().into_iter().for_each(|part| read_by(base, part, found));
}

fn target(base: Var, place: &Place) -> Option<Var> {
    match place {
        Place::Local(id) => Some(base + id.index()),
        Place::Global(id) => Some(id.index()),
        Place::Field(..) | Place::Index(..) => None,
    }
}
