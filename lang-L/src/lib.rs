//! The language L: from bytes to values.
//!
//! The stages, in the order data flows: [`source`], tokens, [`ast`], [`hir`], values.

pub mod ast;
pub mod diagnostic;
pub mod hir;
pub mod hir_print;
pub mod hir_same;
pub mod resolve;
pub mod source;
