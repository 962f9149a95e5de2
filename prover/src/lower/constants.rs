//! Which parameters and results always have a value that is known without them.
//!
//! In: the procedures of one version, lowered, and which of them are *internal*: called by this version alone, and by all of
//! its callers in plain sight. Out, for each internal procedure:
//! - the parameters that are always given the same literal, or always the same as another parameter;
//! - of loops, the results that are always a literal, or the value of a parameter on entry. Only the literals go: the kernel does
//!   not follow the others, but with them more parameters are known. It follows nothing of what helpers and recursion give back.
//!
//! A value is a literal or a number; equal numbers within one procedure are equal values. At first all parameters are alike,
//! and no result has come back yet. Each round runs every procedure over such values, and takes back what it sees
//! contradicted, until nothing is.
//!
//! Invariant: what is left is true of every call of every execution, by induction over its length. The round that took
//! nothing back is the step.

use super::dead_arguments::{Change, Literal, ParamChange, ResultChange, apply};
use super::draft::Draft;
use lang_l::hir::{Block, Expr, ExprKind, LocalId, Origin, Place, ProcId, Procedure, Rhs, Stmt, StmtKind, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Does away with the parameters and results of internal procedures whose value is known without them.
#[expect(clippy::ptr_arg, reason = "all passes of the table have one type")]
pub(super) fn run(draft: &Draft<'_>, procedures: &mut Vec<Procedure>) {
    let internal = draft.internal(procedures);
    let facts = facts(procedures, &internal);
    let changes = (0u32..).map(ProcId).zip(procedures.iter()).map(|(id, procedure)| {
        let pinned = draft.pinned(procedure);
        let facts = &facts[id.index()];
        let fixed = |local: &LocalId| pinned.contains(local) || !internal.contains(&id);
        let param = |(at, local): (usize, LocalId)| match (facts.literal(at), facts.twin(at)) {
            _ if fixed(&local) => ParamChange::Kept,
            (Some(literal), _) => ParamChange::Literal(literal.clone()),
            (None, Some(twin)) => ParamChange::Twin(twin),
            (None, None) => ParamChange::Kept,
        };
        let result = |(at, local): (usize, LocalId)| match facts.returned(at) {
            // The kernel follows what a loop gives back, not what recursion does.
            _ if fixed(&local) || !matches!(procedure.origin, Origin::Loop { .. }) => ResultChange::Kept,
            ResultValue::Literal(literal) => ResultChange::Literal(literal.clone()),
            ResultValue::Param(_) | ResultValue::Nothing | ResultValue::Anything => ResultChange::Kept,
        };
        Change {
            params: procedure.param_ids().enumerate().map(param).collect(),
            results: procedure.result_ids().enumerate().map(result).collect(),
        }
    });
    let changes: Vec<Change> = changes.collect();
    apply(procedures, &changes);
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Literal(Literal),
    /// Something; equal numbers, equal values.
    Number(usize),
}

/// What a parameter always is when its procedure is called.
#[derive(Clone, Debug, PartialEq)]
enum ParamValue {
    /// No call was seen yet.
    Nothing,
    Literal(Literal),
    Anything,
}

/// What a result always is when its procedure returns.
#[derive(Clone, Debug, PartialEq)]
enum ResultValue {
    /// No return was seen yet.
    Nothing,
    /// This.
    Literal(Literal),
    /// What the parameter of this position was on entry.
    Param(usize),
    /// This or that.
    Anything,
}

/// What is known of the calls of one procedure.
#[derive(Clone, Debug, PartialEq)]
struct CallFacts {
    given: Vec<ParamValue>,
    /// For each parameter the first that is always given the same.
    same: Vec<usize>,
    returned: Vec<ResultValue>,
}

impl CallFacts {
    /// The literal that a parameter always is.
    fn literal(&self, param: usize) -> Option<&Literal> {
        match &self.given[param] {
            ParamValue::Literal(literal) => Some(literal),
            ParamValue::Nothing | ParamValue::Anything => None,
        }
    }

    /// An earlier parameter that a parameter always equals.
    fn twin(&self, param: usize) -> Option<usize> {
        (self.same[param] != param && self.called()).then_some(self.same[param])
    }

    /// What a result always is.
    fn returned(&self, result: usize) -> &ResultValue {
        &self.returned[result]
    }

    /// Whether a call was seen. One without parameters counts as called: to look at it only takes back more.
    fn called(&self) -> bool {
        !self.given.contains(&ParamValue::Nothing)
    }

    /// Before anything was seen of an internal procedure.
    fn hoped(procedure: &Procedure) -> Self {
        let types: Vec<&Type> = procedure.locals.iter().take(procedure.params).map(|local| &local.ty).collect();
        let first = |ty: &Type| types.iter().position(|other| *other == ty).unwrap_or(0);
        CallFacts {
            given: vec![ParamValue::Nothing; procedure.params],
            same: types.iter().map(|ty| first(ty)).collect(),
            returned: vec![ResultValue::Nothing; procedure.results],
        }
    }

    /// Of a procedure that anyone may call.
    fn nothing(procedure: &Procedure) -> Self {
        CallFacts {
            given: vec![ParamValue::Anything; procedure.params],
            same: (0..procedure.params).collect(),
            returned: vec![ResultValue::Anything; procedure.results],
        }
    }

    /// Takes in one more call.
    fn give(&mut self, args: &[Value]) {
        for (given, arg) in self.given.iter_mut().zip(args) {
            *given = match (&*given, arg) {
                (ParamValue::Nothing, Value::Literal(literal)) => ParamValue::Literal(literal.clone()),
                (ParamValue::Literal(known), Value::Literal(literal))
                    if known == literal || faults::planted("lower/constants/first-call") =>
                {
                    continue;
                }
                _ => ParamValue::Anything,
            };
        }
        if faults::planted("lower/constants/twins-stay") {
            return;
        }
        let mut first: BTreeMap<(usize, &Value), usize> = BTreeMap::new();
        let keys: Vec<(usize, &Value)> = self.same.iter().copied().zip(args).collect();
        self.same = keys.into_iter().zip(0..).map(|(key, at)| *first.entry(key).or_insert(at)).collect();
    }

    /// Takes in one more return.
    fn come_back(&mut self, results: &[Value], params: &[Value]) {
        for (returned, result) in self.returned.iter_mut().zip(results) {
            let seen = match result {
                Value::Literal(literal) => ResultValue::Literal(literal.clone()),
                number => params.iter().position(|p| p == number).map_or(ResultValue::Anything, ResultValue::Param),
            };
            *returned = match &*returned {
                ResultValue::Nothing => seen,
                known if *known == seen || faults::planted("lower/constants/first-return") => known.clone(),
                _ => ResultValue::Anything,
            };
        }
    }
}

/// What is known of the calls of each procedure.
fn facts(procedures: &[Procedure], internal: &BTreeSet<ProcId>) -> Vec<CallFacts> {
    let ids = || (0u32..).map(ProcId).zip(procedures);
    let hope = |(id, p): (ProcId, &Procedure)| {
        if internal.contains(&id) { CallFacts::hoped(p) } else { CallFacts::nothing(p) }
    };
    let mut known: Vec<CallFacts> = ids().map(hope).collect();
    let is_loop = |p: &Procedure| matches!(p.origin, Origin::Loop { .. });
    let loops: BTreeSet<ProcId> = ids().filter(|(_, p)| is_loop(p)).map(|(id, _)| id).collect();
    loop {
        // What comes back is found anew whenever more calls are known: which parameter a result equals hangs on these.
        for (id, procedure) in ids().filter(|(id, _)| internal.contains(id)) {
            known[id.index()].returned = vec![ResultValue::Nothing; procedure.results];
        }
        let calls =
            |known: &[CallFacts]| -> Vec<_> { known.iter().map(|k| (k.given.clone(), k.same.clone())).collect() };
        let seen = calls(&known);
        loop {
            let before = known.clone();
            for (id, procedure) in ids() {
                if let (Some(body), true) = (&procedure.body, !internal.contains(&id) || known[id.index()].called()) {
                    Round { procedure, id, internal, loops: &loops, known: &mut known, next: 0 }.run(body);
                }
            }
            if known == before {
                break;
            }
        }
        if calls(&known) == seen {
            return known;
        }
    }
}

/// Runs one procedure over values.
struct Round<'a> {
    procedure: &'a Procedure,
    id: ProcId,
    internal: &'a BTreeSet<ProcId>,
    /// Those that were made of loops.
    loops: &'a BTreeSet<ProcId>,
    known: &'a mut Vec<CallFacts>,
    /// The next number.
    next: usize,
}

/// The values of all variables; nothing where control does not come.
type Values = Option<Vec<Value>>;

impl Round<'_> {
    fn run(&mut self, body: &Block) {
        let entry = self.entry();
        let params = entry[..self.procedure.params].to_vec();
        let end = self.block(body, Some(entry), &params);
        self.leave(end, &params);
    }

    fn entry(&mut self) -> Vec<Value> {
        let known = self.known[self.id.index()].clone();
        let mut values: Vec<Value> = Vec::with_capacity(self.procedure.locals.len());
        for (at, local) in self.procedure.locals.iter().enumerate() {
            let value = if at >= self.procedure.params {
                Value::Literal(Literal::default_of(&local.ty))
            } else if let ParamValue::Literal(literal) = &known.given[at] {
                Value::Literal(literal.clone())
            } else if known.same[at] < at {
                values[known.same[at]].clone()
            } else {
                self.fresh()
            };
            values.push(value);
        }
        values
    }

    fn fresh(&mut self) -> Value {
        self.next += 1;
        Value::Number(self.next)
    }

    fn leave(&mut self, values: Values, params: &[Value]) {
        if let Some(values) = values
            && self.internal.contains(&self.id)
        {
            let results: Vec<Value> = self.procedure.result_ids().map(|id| values[id.index()].clone()).collect();
            self.known[self.id.index()].come_back(&results, params);
        }
    }

    fn block(&mut self, block: &Block, mut values: Values, params: &[Value]) -> Values {
        for stmt in &block.stmts {
            values = self.stmt(stmt, values?, params);
        }
        values
    }

    fn stmt(&mut self, stmt: &Stmt, mut values: Vec<Value>, params: &[Value]) -> Values {
        if let Some((targets, callee, args)) = stmt.as_call() {
            return self.call(targets, callee, args, values);
        }
        match &stmt.kind {
            StmtKind::Assign(Place::Local(id), Rhs::Expr(e)) => values[id.index()] = self.value(e, &values),
            StmtKind::Assign(Place::Local(id), _) => values[id.index()] = self.fresh(),
            StmtKind::If(cond, then, els) => {
                if let Value::Literal(Literal::Bool(holds)) = self.value(cond, &values) {
                    return self.block(if holds { then } else { els }, Some(values), params);
                }
                let left = self.block(then, Some(values.clone()), params);
                let right = self.block(els, Some(values), params);
                return self.meet(left, right);
            }
            StmtKind::Return(results) => {
                let results: Vec<Value> = results.iter().map(|e| self.value(e, &values)).collect();
                for (id, value) in self.procedure.result_ids().zip(results) {
                    values[id.index()] = value;
                }
                self.leave(Some(values), params);
                return None;
            }
            _ => {}
        }
        Some(values)
    }

    fn value(&mut self, e: &Expr, values: &[Value]) -> Value {
        match &e.kind {
            ExprKind::Local(id) => values[id.index()].clone(),
            ExprKind::Null => Value::Literal(Literal::Null),
            ExprKind::Bool(value) => Value::Literal(Literal::Bool(*value)),
            ExprKind::Int(value) => Value::Literal(Literal::Int(value.clone())),
            _ => self.fresh(),
        }
    }

    fn call(&mut self, targets: &[Place], callee: ProcId, args: &[Expr], mut values: Vec<Value>) -> Values {
        let args: Vec<Value> = args.iter().map(|arg| self.value(arg, &values)).collect();
        if self.internal.contains(&callee) {
            self.known[callee.index()].give(&args);
        }
        let returned = self.known[callee.index()].returned.clone();
        for (target, returned) in targets.iter().zip(returned) {
            let value = match returned {
                // It has not come back so far; if it does, another round sees what comes after.
                ResultValue::Nothing => return None,
                ResultValue::Literal(literal) if self.loops.contains(&callee) => Value::Literal(literal),
                ResultValue::Param(at) if self.loops.contains(&callee) => args[at].clone(),
                _ => self.fresh(),
            };
            if let Place::Local(id) = target {
                values[id.index()] = value;
            }
        }
        Some(values)
    }

    /// Where two branches meet, a variable holds what it held in both; two that were alike in both stay alike.
    fn meet(&mut self, left: Values, right: Values) -> Values {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left, right),
            (one, other) => return one.or(other),
        };
        let mut met: BTreeMap<(Value, Value), Value> = BTreeMap::new();
        let mut values = Vec::with_capacity(left.len());
        for (a, b) in left.into_iter().zip(right) {
            let value = if a == b || faults::planted("lower/constants/meet-keeps-left") {
                a
            } else {
                let next = &mut self.next;
                met.entry((a, b))
                    .or_insert_with(|| {
                        *next += 1;
                        Value::Number(*next)
                    })
                    .clone()
            };
            values.push(value);
        }
        Some(values)
    }
}
