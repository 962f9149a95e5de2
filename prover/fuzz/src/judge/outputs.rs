//! What `ape diff` says of outputs, evaluated over two runs.
//!
//! In: a relation or the name of a place as `ape diff` writes it (`2 * r' == 3 * r`, `old(l.head).next`, `a'[i]`, `err`), and two
//! runs from one store. Out: whether it holds, or the value.
//!
//! The marks of the second version are taken out of the text, which is an expression of L without them; where they stood is
//! remembered. References to objects that the runs have made are told apart from those to objects of the caller, and not from
//! one another: which new object of one version is which of the other is not known where the two differ.
//!
//! Invariant: nothing here is shared with what writes the text, but for the parser of L.

use lang_l::ast::{BinOp, Expr, ExprKind, Item, UnOp};
use lang_l::heap::{Input, Kind, Store};
use lang_l::hir::{FieldId, GlobalId, ProcId, Procedure, Unit};
use lang_l::interp::Outcome;
use lang_l::parse::parse;
use lang_l::source::FileId;
use lang_l::value::{Slot, Value};
use num_traits::Zero;
use std::collections::BTreeSet;

/// A text about outputs.
#[derive(Clone, Debug)]
pub(super) struct Said {
    expr: Expr,
    /// Where what belongs to the second version ends, in bytes.
    marks: BTreeSet<usize>,
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// The expression errs, or it speaks of what a version that errs would leave.
    NoValue,
    /// It depends on which new object is which, or is not understood.
    Unknown,
}

type Valued<T> = Result<T, Gap>;

/// Which store is meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    OnEntry,
    AtEnd(usize),
}

impl Said {
    /// Reads a text; `None` where it is no expression.
    pub(super) fn read(text: &str) -> Option<Self> {
        const BEFORE: &str = "equiv p ~ q when ";
        let mut plain = String::from(BEFORE);
        let mut marks = BTreeSet::new();
        for character in text.chars() {
            if character == '\'' {
                marks.insert(plain.len());
            } else {
                plain.push(character);
            }
        }
        plain.push(';');
        let parsed = parse(FileId(0), &plain);
        let [Item::Equiv(equiv)] = &parsed.file.shared[..] else { return None };
        let expr = equiv.when.clone().filter(|_| parsed.diagnostics.is_empty())?;
        Some(Said { expr, marks })
    }
}

/// Two runs from one store.
pub(super) struct Runs<'r> {
    unit: &'r Unit,
    procedure: &'r Procedure,
    input: &'r Input,
    /// What each leaves, with all that it did not write; `None` where it errs.
    left: [Option<(Store, Vec<Value>)>; 2],
}

impl<'r> Runs<'r> {
    /// The runs of a pair that both ended; `None` otherwise.
    pub(super) fn new(unit: &'r Unit, left: ProcId, input: &'r Input, outcomes: &[Outcome; 2]) -> Option<Self> {
        let of = |outcome: &Outcome| match outcome {
            Outcome::Normal(end) => Some(Some((end.store.over(&input.store), end.results.clone()))),
            Outcome::Error(_) => Some(None),
            _ => None,
        };
        let [first, second] = outcomes;
        let procedure = unit.versions[0].procedure(left);
        Some(Runs { unit, procedure, input, left: [of(first)?, of(second)?] })
    }

    /// Whether a relation holds of the final stores.
    pub(super) fn hold(&self, said: &Said) -> Valued<bool> {
        Reader { runs: self, said }.truth(&said.expr, When::AtEnd(0))
    }

    /// The value on entry.
    pub(super) fn on_entry(&self, said: &Said) -> Valued<Value> {
        Reader { runs: self, said }.value(&said.expr, When::OnEntry)
    }

    /// What a version leaves at a place that is named by the store on entry.
    pub(super) fn at(&self, place: &Said, side: usize) -> Valued<Value> {
        let reader = Reader { runs: self, said: place };
        match &place.expr.kind {
            ExprKind::Name(name) => reader.name(name, When::AtEnd(side)),
            ExprKind::Field(object, field) => {
                reader.field(&reader.value(object, When::OnEntry)?, &field.text, When::AtEnd(side))
            }
            ExprKind::Index(array, index) => {
                let [array, index] = [array, index].map(|part| reader.value(part, When::OnEntry));
                reader.cell(&array?, &index?, When::AtEnd(side))
            }
            _ => Err(Gap::Unknown),
        }
    }

    /// Whether two values are the same to a caller.
    pub(super) fn same(&self, one: &Value, other: &Value) -> Valued<bool> {
        match [one, other].map(|value| self.is_new(value)) {
            [true, true] => Err(Gap::Unknown),
            _ => Ok(one == other),
        }
    }

    fn is_new(&self, value: &Value) -> bool {
        value.object().is_some_and(|addr| !self.input.store.heap.contains_key(&addr))
    }

    fn store(&self, when: When) -> Valued<&Store> {
        match when {
            When::OnEntry => Ok(&self.input.store),
            When::AtEnd(side) => self.left[side].as_ref().map(|(store, _)| store).ok_or(Gap::NoValue),
        }
    }
}

struct Reader<'r> {
    runs: &'r Runs<'r>,
    said: &'r Said,
}

impl Reader<'_> {
    fn truth(&self, expr: &Expr, when: When) -> Valued<bool> {
        match self.value(expr, when)? {
            Value::Bool(truth) => Ok(truth),
            _ => Err(Gap::Unknown),
        }
    }

    fn value(&self, expr: &Expr, when: When) -> Valued<Value> {
        let when = self.marked(expr, when);
        match &expr.kind {
            ExprKind::Int(number) => Ok(Value::Int(number.clone())),
            ExprKind::Bool(truth) => Ok((*truth).into()),
            ExprKind::Null => Ok(Value::NULL),
            ExprKind::Name(name) => self.name(name, when),
            ExprKind::Field(object, field) => self.field(&self.value(object, self.way(when))?, &field.text, when),
            ExprKind::Index(array, index) => {
                // The mark of a cell stands behind the array.
                let cell_of = self.marked(array, when);
                let [array, index] = [array, index].map(|part| self.value(part, self.way(when)));
                self.cell(&array?, &index?, cell_of)
            }
            ExprKind::Call(call) => match (call.callee.text.as_str(), &call.args[..]) {
                ("old", [inner]) => self.value(inner, When::OnEntry),
                _ => Err(Gap::Unknown),
            },
            ExprKind::Unary(UnOp::Not, operand) => Ok((!self.truth(operand, when)?).into()),
            ExprKind::Unary(UnOp::Neg, operand) => match self.value(operand, when)? {
                Value::Int(number) => Ok(Value::Int(-number)),
                _ => Err(Gap::Unknown),
            },
            ExprKind::Binary(op, left, right) => self.binary(*op, [left, right], when),
            ExprKind::Cond(condition, then, els) => {
                self.value(if self.truth(condition, when)? { then } else { els }, when)
            }
            ExprKind::Quant { .. } | ExprKind::Error => Err(Gap::Unknown),
        }
    }

    /// The second version, where the expression is a place that is marked so.
    fn marked(&self, expr: &Expr, when: When) -> When {
        let is_place = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Field(..) | ExprKind::Call(_));
        let is_marked = is_place && self.said.marks.contains(&expr.span.range().end);
        if is_marked && when != When::OnEntry { When::AtEnd(1) } else { when }
    }

    /// From which version the way to a place is read: from the first, if it leaves anything.
    fn way(&self, when: When) -> When {
        match when {
            When::AtEnd(_) if self.runs.left[0].is_some() => When::AtEnd(0),
            _ => when,
        }
    }

    fn name(&self, name: &str, when: When) -> Valued<Value> {
        let Runs { unit, procedure, input, left } = self.runs;
        if let (When::AtEnd(side), "err") = (when, name) {
            return Ok(left[side].is_none().into());
        }
        if let (When::AtEnd(_), "ends") = (when, name) {
            return Ok(true.into());
        }
        let variables = procedure.locals.iter().take(procedure.params + procedure.results);
        match variables.enumerate().find(|(_, local)| local.name == name) {
            Some((at, _)) if at < procedure.params => input.arguments.get(at).cloned().flatten().ok_or(Gap::Unknown),
            Some((at, _)) => {
                let When::AtEnd(side) = when else { return Err(Gap::NoValue) };
                let (_, results) = left[side].as_ref().ok_or(Gap::NoValue)?;
                results.get(at - procedure.params).cloned().ok_or(Gap::Unknown)
            }
            None => {
                let global = (0..).zip(&unit.globals).find(|(_, global)| global.name == name);
                let (at, _) = global.ok_or(Gap::Unknown)?;
                Ok(self.runs.store(when)?.global(unit, GlobalId(at)))
            }
        }
    }

    fn field(&self, object: &Value, field: &str, when: When) -> Valued<Value> {
        let Runs { unit, .. } = self.runs;
        let store = self.runs.store(when)?;
        let addr = object.object().ok_or(Gap::NoValue)?;
        let is_called = |id: &FieldId| unit.fields[id.index()].name == field;
        let found = match &store.heap.get(&addr).ok_or(Gap::Unknown)?.kind {
            Kind::Array { length, .. } if field == "length" => return Ok(Value::Int((*length).into())),
            Kind::Array { .. } => None,
            Kind::Fields(Some(class)) => unit.classes[class.index()].fields.iter().copied().find(is_called),
            Kind::Fields(None) => (0..).zip(&unit.fields).map(|(at, _)| FieldId(at)).find(is_called),
        };
        found.map(|id| store.slot(unit, addr, Slot::Field(id))).ok_or(Gap::Unknown)
    }

    fn cell(&self, array: &Value, index: &Value, when: When) -> Valued<Value> {
        let store = self.runs.store(when)?;
        let addr = array.object().ok_or(Gap::NoValue)?;
        let (Some(object), Value::Int(index)) = (store.heap.get(&addr), index) else { return Err(Gap::Unknown) };
        let Kind::Array { length, .. } = object.kind else { return Err(Gap::Unknown) };
        let index = u64::try_from(index).ok().filter(|index| *index < length).ok_or(Gap::NoValue)?;
        Ok(store.slot(self.runs.unit, addr, Slot::Cell(index)))
    }

    fn binary(&self, op: BinOp, [left, right]: [&Expr; 2], when: When) -> Valued<Value> {
        if let BinOp::And | BinOp::Or | BinOp::Implies = op {
            // What the whole is where the first operand decides.
            let whole = op != BinOp::And;
            let left = self.truth(left, when).map(|truth| truth != (op == BinOp::Implies));
            let right = || self.truth(right, when);
            return match left {
                Ok(truth) if truth == whole => Ok(whole.into()),
                Ok(_) => Ok(right()?.into()),
                Err(Gap::NoValue) => Err(Gap::NoValue),
                Err(Gap::Unknown) if right() == Ok(whole) => Ok(whole.into()),
                Err(Gap::Unknown) => Err(Gap::Unknown),
            };
        }
        let (left, right) = (self.value(left, when)?, self.value(right, when)?);
        if let BinOp::Eq | BinOp::Ne = op {
            return Ok((self.runs.same(&left, &right)? == (op == BinOp::Eq)).into());
        }
        let (Value::Int(a), Value::Int(b)) = (left, right) else { return Err(Gap::Unknown) };
        Ok(match op {
            BinOp::Div | BinOp::Rem if b.is_zero() => return Err(Gap::NoValue),
            BinOp::Mul => Value::Int(a * b),
            BinOp::Div => Value::Int(a / b),
            BinOp::Rem => Value::Int(a % b),
            BinOp::Add => Value::Int(a + b),
            BinOp::Sub => Value::Int(a - b),
            BinOp::Lt => (a < b).into(),
            BinOp::Le => (a <= b).into(),
            BinOp::Gt => (a > b).into(),
            BinOp::Ge => (a >= b).into(),
            _ => return Err(Gap::Unknown),
        })
    }
}
