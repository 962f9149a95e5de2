//! The language L: from bytes to values.
//!
//! The stages, in the order data flows: [`source`], [`token`], [`ast`] by [`parse`] (and back by [`print`](mod@print)),
//! [`hir`] by [`resolve`], [`value`]s and [`heap`]s by [`interp`].

// Blank lines keep the order in which data flows; without them rustfmt sorts by name.
pub mod source;

pub mod diagnostic;

pub mod render;

pub mod token;

pub mod ast;

pub mod parse;

pub mod print;

pub mod hir;

pub mod resolve;

pub mod hir_print;

pub mod hir_same;

pub mod value;

pub mod heap;

pub mod isomorphism;

pub mod naming;

pub mod random;

pub mod interp;

pub mod store_json;

pub mod statements;

pub mod show;
