//! The language L: from bytes to values.
//!
//! The stages, in the order data flows: [`source`], tokens, [`ast`], [`hir`], values.

pub mod source;
pub mod ast;
pub mod hir;
