//! What the operators of L mean on values.
//!
//! In: operands. Out: a value, or the error.
//!
//! Invariant: `&&`, `||` and `==>` do not come here with both operands: whether the right one is evaluated is up to the caller.

use super::outcome::{Budget, ErrorKind, Outcome, Step, fail};
use crate::heap::value::Value;
use crate::hir::{BinOp, UnOp};
use crate::source::Span;
use num_bigint::BigInt;
use num_traits::Zero;

/// `op operand`
pub(crate) fn unary(op: UnOp, operand: Value, span: Span) -> Step<Value> {
    match (op, operand) {
        (UnOp::Neg, Value::Int(n)) => Ok(Value::Int(-n)),
        (UnOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        _ => ill_typed(span),
    }
}

/// `left op right`. Integers of more than `int_bits` bits stop the run.
pub(crate) fn binary(op: BinOp, left: Value, right: Value, int_bits: u64, span: Span) -> Step<Value> {
    match (op, left, right) {
        (BinOp::Eq, left, right) => Ok(Value::Bool(left == right)),
        (BinOp::Ne, left, right) => Ok(Value::Bool(left != right)),
        (op, Value::Int(left), Value::Int(right)) => {
            if op == BinOp::Mul && left.bits() + right.bits() > int_bits {
                return Err(Box::new(Outcome::OutOfBudget(Budget::Size)));
            }
            arithmetic(op, &left, &right, span)
        }
        _ => ill_typed(span),
    }
}

fn arithmetic(op: BinOp, left: &BigInt, right: &BigInt, span: Span) -> Step<Value> {
    Ok(match op {
        BinOp::Div | BinOp::Rem if right.is_zero() => return fail(ErrorKind::DivisionByZero, span),
        BinOp::Mul => Value::Int(left * right),
        // `BigInt` truncates towards zero, and the remainder has the sign of the dividend, as L wants.
        BinOp::Div => Value::Int(left / right),
        BinOp::Rem => Value::Int(left % right),
        BinOp::Add => Value::Int(left + right),
        BinOp::Sub => Value::Int(left - right),
        BinOp::Lt => Value::Bool(left < right),
        BinOp::Le => Value::Bool(left <= right),
        BinOp::Gt => Value::Bool(left > right),
        BinOp::Ge => Value::Bool(left >= right),
        BinOp::Eq | BinOp::Ne | BinOp::And | BinOp::Or | BinOp::Implies => return ill_typed(span),
    })
}

/// The value of `left op right` when `left` alone decides it.
pub(crate) fn decided_by_left(op: BinOp, left: bool) -> Option<bool> {
    match (op, left) {
        (BinOp::And, false) => Some(false),
        (BinOp::Or, true) | (BinOp::Implies, false) => Some(true),
        _ => None,
    }
}

/// Whether the operator looks at its right operand only when the left one does not decide.
pub(crate) fn is_short_circuit(op: BinOp) -> bool {
    matches!(op, BinOp::And | BinOp::Or | BinOp::Implies)
}

/// The truth of a condition.
pub(crate) fn truth(value: &Value, span: Span) -> Step<bool> {
    match value {
        Value::Bool(b) => Ok(*b),
        _ => ill_typed(span),
    }
}

/// Where a `hir` value is not what its types say: only inputs made by hand get here.
pub(crate) fn ill_typed<T>(span: Span) -> Step<T> {
    Err(Box::new(Outcome::Unsupported { what: "a value of another type than the program gives it", span }))
}
