//! The value of a contract expression: `requires`, `ensures`, `invariant`, `assert`, `assume`, `when`.
//!
//! In: an expression without calls, the variables, the present store and the store on entry. Out: its value, or the error.
//!
//! Invariant: changes nothing, except that it may settle what was unset in the initial store.
//! Invariant: recursion is as deep as the expression, whose depth the parser bounds; heaps are walked with a queue.

use super::frame::{Frame, Variables};
use super::memory::Memory;
use super::operators::{binary, decided_by_left, ill_typed, is_short_circuit, truth, unary};
use super::outcome::{Outcome, Step};
use super::visible::{Roots, reference_slots, visible};
use crate::heap::value::{Addr, Location, Value};
use crate::heap::{Store, may_refer};
use crate::hir::{BinOp, Expr, ExprKind, LocalId, Procedure, Type};
use crate::source::Span;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// What a contract expression is evaluated in.
pub(crate) struct Context<'c> {
    /// Whose variables.
    pub(crate) procedure: &'c Procedure,
    /// The variables now.
    pub(crate) variables: &'c Variables,
    /// The store now.
    pub(crate) store: &'c Store,
    /// The variables on entry, of which only the parameters count: inside `old` others have their present values.
    pub(crate) old_variables: &'c Variables,
    /// The store on entry.
    pub(crate) old_store: &'c Store,
    /// The calls around this one, outermost first: what their variables reach, quantifiers see.
    pub(super) callers: &'c [Frame<'c>],
    /// More variables of the present that quantifiers see, where `variables` are not those of the moment.
    pub(super) also: &'c [&'c Variables],
}

/// Whether a contract expression holds.
pub(crate) fn holds(memory: &mut Memory<'_>, context: &Context<'_>, e: &Expr) -> Step<bool> {
    let value = evaluate(memory, context, e)?;
    truth(&value, e.span)
}

/// The value of a contract expression.
pub(crate) fn evaluate(memory: &mut Memory<'_>, context: &Context<'_>, e: &Expr) -> Step<Value> {
    Evaluation { memory, context, old: false, bound: Vec::new(), seen: [None, None], walks: Default::default() }
        .value(e)
}

/// What quantifiers see.
struct Seen {
    /// Of how many initial objects it was found out.
    initial: usize,
    objects: Vec<Addr>,
    /// The same for each type that was asked for, with null.
    of_type: Vec<(Type, Rc<[Value]>)>,
}

/// A search for what an object reaches, as far as somebody has asked yet.
struct Walk {
    /// What was come to and looked into.
    passed: HashSet<Addr>,
    /// What was come to.
    reached: HashSet<Addr>,
    /// What was come to and not looked into.
    queue: VecDeque<Addr>,
}

impl Walk {
    fn new(from: Addr) -> Walk {
        Walk { passed: HashSet::default(), reached: HashSet::from_iter([from]), queue: VecDeque::from([from]) }
    }
}

struct Evaluation<'e, 'r> {
    memory: &'e mut Memory<'r>,
    context: &'e Context<'e>,
    /// Inside `old`.
    old: bool,
    /// The variables of the quantifiers around.
    bound: Vec<(LocalId, Value)>,
    /// What quantifiers see, now and inside `old`, once one has asked.
    seen: [Option<Seen>; 2],
    /// What is known of what objects reach, now and inside `old`: a quantifier asks the same of each object.
    walks: [HashMap<Addr, Walk>; 2],
}

impl<'e> Evaluation<'e, '_> {
    fn store(&self) -> &'e Store {
        if self.old { self.context.old_store } else { self.context.store }
    }

    fn value(&mut self, e: &Expr) -> Step<Value> {
        match &e.kind {
            ExprKind::Int(n) => Ok(Value::Int(n.clone())),
            ExprKind::Bool(b) => Ok(Value::Bool(*b)),
            ExprKind::Null => Ok(Value::NULL),
            ExprKind::Local(id) => Ok(self.variable(*id)),
            ExprKind::Global(id) => Ok(self.memory.global(self.store(), *id)),
            ExprKind::Field(object, _) | ExprKind::Length(object) => {
                let object = self.value(object)?;
                self.memory.access(self.store(), e, object, None)
            }
            ExprKind::Index(object, index) => {
                let object = self.value(object)?;
                let index = self.value(index)?;
                self.memory.access(self.store(), e, object, Some(index))
            }
            ExprKind::Unary(op, operand) => unary(*op, self.value(operand)?, e.span),
            ExprKind::Binary(op, left, right) if is_short_circuit(*op) => {
                let left = self.truth(left)?;
                match decided_by_left(*op, left) {
                    Some(decided) => Ok(Value::Bool(decided)),
                    None => self.value(right),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.value(left)?;
                let right = self.value(right)?;
                binary(*op, left, right, self.memory.limits.int_bits, e.span)
            }
            ExprKind::Cond(cond, then, els) => {
                let chosen = if self.truth(cond)? { then } else { els };
                self.value(chosen)
            }
            ExprKind::Old(inner) => {
                let outside = std::mem::replace(&mut self.old, true);
                let value = self.value(inner);
                self.old = outside;
                value
            }
            ExprKind::Fresh(inner) => {
                let value = self.value(inner)?;
                let entry = self.memory.view(self.context.old_store);
                Ok(Value::Bool(value.object().is_some_and(|addr| entry.kind(addr).is_none())))
            }
            ExprKind::Reach(from, to) => {
                let from = self.value(from)?;
                let to = self.value(to)?;
                match (from.object(), to.object()) {
                    (Some(from), Some(to)) => Ok(Value::Bool(self.reaches(from, to, e.span)?)),
                    _ => Ok(Value::Bool(false)),
                }
            }
            ExprKind::Quant { forall, var, body } => self.quantifier(*forall, *var, body, e.span).map(Value::Bool),
            ExprKind::Call(..) => unsupported("a call in a contract", e.span),
        }
    }

    fn truth(&mut self, e: &Expr) -> Step<bool> {
        let value = self.value(e)?;
        truth(&value, e.span)
    }

    fn variable(&mut self, id: LocalId) -> Value {
        if let Some((_, value)) = self.bound.iter().rev().find(|(bound, _)| *bound == id) {
            return value.clone();
        }
        let at = id.index();
        let then = self.old && at < self.context.procedure.params;
        let variables = if then { self.context.old_variables } else { self.context.variables };
        let known = variables.get(at).cloned().flatten();
        known
            .or_else(|| self.memory.input.arguments.get(at).cloned().flatten())
            .unwrap_or_else(|| self.memory.settle(Location::Argument(at), &self.context.procedure.local(id).ty))
    }

    fn reaches(&mut self, from: Addr, to: Addr, span: Span) -> Step<bool> {
        let at = usize::from(self.old);
        let mut walk = self.walks[at].remove(&from).unwrap_or_else(|| Walk::new(from));
        let reaches = self.walk_on(&mut walk, to, span)?;
        self.walks[at].insert(from, walk);
        Ok(reaches)
    }

    /// Goes on with a search until an object is come to, or nothing more is.
    fn walk_on(&mut self, walk: &mut Walk, to: Addr, span: Span) -> Step<bool> {
        let store = self.store();
        if walk.passed.contains(&to) {
            return Ok(true);
        }
        while let Some(&addr) = walk.queue.front() {
            if addr == to {
                return Ok(true);
            }
            walk.queue.pop_front();
            walk.passed.insert(addr);
            self.memory.work(1)?;
            for slot in reference_slots(self.memory, store, addr) {
                if let Value::Ref(Some(next)) = self.memory.slot(store, addr, slot, span)?
                    && walk.reached.insert(next)
                {
                    walk.queue.push_back(next);
                }
            }
        }
        Ok(false)
    }

    /// An instance that errs makes the whole quantifier err, whatever the others say: so the order of objects means nothing.
    fn quantifier(&mut self, forall: bool, var: LocalId, body: &Expr, span: Span) -> Step<bool> {
        let mut result = forall;
        let candidates = self.candidates(forall, var, body, span)?;
        // All at once: nor does the order mean anything to what is counted.
        self.memory.work(candidates.len() as u64)?;
        for value in candidates.iter() {
            self.bound.push((var, value.clone()));
            let holds = self.truth(body);
            self.bound.pop();
            if holds? != forall {
                result = !forall;
            }
        }
        Ok(result)
    }

    /// The values for which the body may decide.
    fn candidates(&mut self, forall: bool, var: LocalId, body: &Expr, span: Span) -> Step<Rc<[Value]>> {
        let procedure = self.context.procedure;
        match &procedure.local(var).ty {
            Type::Bool => Ok([false, true].map(Value::Bool).into()),
            Type::Int => {
                let Some((low, high)) = self.range(forall, var, body)? else {
                    return unsupported("a quantifier over integers without bounds", span);
                };
                let most = self.memory.limits.array_length;
                match (&high - &low).to_i128() {
                    Some(count) if count <= i128::from(most) => Ok((0..count).map(|n| Value::Int(&low + n)).collect()),
                    _ => unsupported("a quantifier over very many integers", span),
                }
            }
            ty => self.objects(ty, span),
        }
    }

    /// The objects of a type that a quantifier here sees, and null. Inside `old` these are the ones it would have seen on entry.
    fn objects(&mut self, ty: &Type, span: Span) -> Step<Rc<[Value]>> {
        let at = usize::from(self.old);
        let initial = self.memory.input.store.heap.len();
        let mut seen = match self.seen[at].take().filter(|seen| seen.initial == initial) {
            Some(seen) => seen,
            None => {
                let objects = self.visible(span)?;
                // To find them out may have settled more of the initial store.
                Seen { initial: self.memory.input.store.heap.len(), objects, of_type: Vec::new() }
            }
        };
        let known = seen.of_type.iter().find(|(of, _)| of == ty).map(|(_, values)| Rc::clone(values));
        let values = known.unwrap_or_else(|| {
            let view = self.memory.view(self.store());
            let is_of_type = |addr: &&Addr| view.kind(**addr).is_some_and(|kind| may_refer(view.unit, ty, kind));
            let objects = seen.objects.iter().filter(is_of_type).map(|addr| Value::from(*addr));
            let values: Rc<[Value]> = std::iter::once(Value::NULL).chain(objects).collect();
            seen.of_type.push((ty.clone(), Rc::clone(&values)));
            values
        });
        self.seen[at] = Some(seen);
        Ok(values)
    }

    /// All objects that a quantifier here sees.
    fn visible(&mut self, span: Span) -> Step<Vec<Addr>> {
        let context = self.context;
        let own = if self.old { context.old_variables } else { context.variables };
        self.memory.work(context.callers.len() as u64)?;
        let mut roots = Roots::default();
        context.callers.iter().for_each(|frame| roots.add(&frame.locals));
        roots.add(own);
        if !self.old {
            context.also.iter().for_each(|variables| roots.add(variables));
        }
        let (procedure, variables) =
            context.callers.first().map_or((context.procedure, own), |frame| (frame.procedure, &frame.locals));
        roots.add_given(procedure, variables, &self.memory.input);
        visible(self.memory, self.store(), roots, span)
    }

    /// The range of a quantified integer, its end exclusive, where the form of the body gives one.
    ///
    /// The forms are `forall x: int :: guard ==> …` and `exists x: int :: guard && …`. The guard is a conjunction. It begins
    /// with a lower and an upper bound of `x`, and conditions that do not mention `x`. For integers outside, short circuit
    /// keeps everything after the bounds from being evaluated.
    fn range(&mut self, forall: bool, var: LocalId, body: &Expr) -> Step<Option<(BigInt, BigInt)>> {
        let guard = match (&body.kind, forall) {
            (ExprKind::Binary(BinOp::Implies, guard, _), true) => guard,
            (_, true) => return Ok(None),
            (_, false) => body,
        };
        let (mut low, mut high) = (None, None);
        let mut conjuncts = vec![guard];
        while let Some(e) = conjuncts.pop() {
            if let ExprKind::Binary(BinOp::And, left, right) = &e.kind {
                conjuncts.extend([&**right, &**left]);
            } else if !e.mentions(var) {
                if !self.truth(e)? {
                    return Ok(Some((BigInt::ZERO, BigInt::ZERO)));
                }
            } else if let Some((op, bound)) = bound_of(e, var) {
                let Value::Int(n) = self.value(bound)? else { return ill_typed(bound.span) };
                match op {
                    BinOp::Lt => high = Some(n),
                    BinOp::Le => high = Some(n + 1),
                    BinOp::Gt => low = Some(n + 1),
                    _ => low = Some(n),
                }
                if let (Some(low), Some(high)) = (&low, &high) {
                    return Ok(Some((low.clone(), high.clone())));
                }
            } else {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// `e` as a bound of `var`: `var op bound`.
fn bound_of(e: &Expr, var: LocalId) -> Option<(BinOp, &Expr)> {
    let ExprKind::Binary(op, left, right) = &e.kind else { return None };
    let is_var = |e: &Expr| e.kind == ExprKind::Local(var);
    let (mirrored, bound) = match (is_var(left), is_var(right)) {
        (true, false) => (*op, right),
        (false, true) => match op {
            BinOp::Lt => (BinOp::Gt, left),
            BinOp::Le => (BinOp::Ge, left),
            BinOp::Gt => (BinOp::Lt, left),
            BinOp::Ge => (BinOp::Le, left),
            _ => return None,
        },
        _ => return None,
    };
    let orders = matches!(mirrored, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
    (orders && !bound.mentions(var)).then_some((mirrored, bound))
}

fn unsupported<T>(what: &'static str, span: Span) -> Step<T> {
    Err(Box::new(Outcome::Unsupported { what, span }))
}
