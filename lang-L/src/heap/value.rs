//! What variables, fields and cells hold, and the names of the places that hold them.
//!
//! In: nothing. Out: input to [`crate::heap`] and [`crate::interp`].
//!
//! Invariant: an address has no meaning of its own; programs only ask whether two are the same.

use crate::hir::{FieldId, GlobalId, Type};
use num_bigint::BigInt;
use std::fmt;

/// The identity of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Addr(pub u64);

impl fmt::Display for Addr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// A value of L.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// An integer of any size.
    Int(BigInt),
    /// A boolean.
    Bool(bool),
    /// A reference; `None` is `null`.
    Ref(Option<Addr>),
}

impl Value {
    /// `null`
    pub const NULL: Value = Value::Ref(None);

    /// What variables, fields and cells of this type hold before anything is assigned: `0`, `false`, `null`.
    pub fn default_of(ty: &Type) -> Value {
        match ty {
            Type::Int => Value::Int(BigInt::ZERO),
            Type::Bool => Value::Bool(false),
            Type::Ref | Type::Class(_) | Type::Array(_) => Value::NULL,
        }
    }

    /// The object a reference refers to; `None` for `null` and for what is no reference.
    pub fn object(&self) -> Option<Addr> {
        match self {
            Value::Ref(to) => *to,
            Value::Int(_) | Value::Bool(_) => None,
        }
    }
}

impl From<Addr> for Value {
    fn from(addr: Addr) -> Self {
        Value::Ref(Some(addr))
    }
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n.into())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(n) => write!(f, "{n}"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Ref(None) => f.write_str("null"),
            Value::Ref(Some(addr)) => write!(f, "{addr}"),
        }
    }
}

/// A place inside an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A field of an object that is no array.
    Field(FieldId),
    /// A cell of an array, from 0.
    Cell(u64),
}

/// A place of the initial state, which may be left unset until it is first read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// The argument at this position.
    Argument(usize),
    /// A global.
    Global(GlobalId),
    /// A place inside an object that exists at the start.
    Slot(Addr, Slot),
}
