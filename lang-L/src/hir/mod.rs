//! The typed tree: names are ids, every type is known, and only well-formed programs have one.
//!
//! In: what [`crate::resolve`] made of an [`crate::ast::File`] (or of two). Out: input to [`crate::interp`] and to the prover.
//!
//! How it differs from `ast`:
//! - variables, fields, classes, globals and procedures are ids;
//! - every expression has a type;
//! - shared items stand in each version;
//! - classes, fields and globals are one table for all versions, since the versions start from the same store.
//!
//! Beside it: [`print`](mod@print) shows it, [`same`] compares two procedures, [`visit`] walks over it.
//!
//! Invariant: a value of type [`Unit`] is a legal program:
//! - ids are in range, and types agree;
//! - `break` and `continue` stand in loops;
//! - [`ExprKind::Old`], [`ExprKind::Fresh`], [`ExprKind::Reach`] and [`ExprKind::Quant`] stand only in `assert`, `assume`,
//!   `when`, and contracts other than `modifies`;
//! - none of these, nor `modifies`, contains a call.

pub mod print;
pub mod same;
pub mod visit;

use crate::source::Span;
use num_bigint::BigInt;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);
        impl $name {
            /// The id as an index.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

id! {
    /// Index into [`Unit::classes`].
    ClassId;
    /// Index into [`Unit::fields`].
    FieldId;
    /// Index into [`Unit::globals`].
    GlobalId;
    /// Index into [`Version::procedures`].
    ProcId;
    /// Index into [`Procedure::locals`].
    LocalId;
}

/// All that one run looks at: the tables the versions share, the versions, and the pairs asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// Classes; empty when the program declares none (then every object has every field).
    pub classes: Vec<Class>,
    /// All fields of all classes.
    pub fields: Vec<Field>,
    /// All globals of all versions.
    pub globals: Vec<Global>,
    /// One version for a plain program, two for a pair.
    pub versions: Vec<Version>,
    /// The `equiv` declarations.
    pub equivs: Vec<Equiv>,
}

impl Unit {
    /// The procedure of a version.
    pub fn procedure(&self, version: usize, id: ProcId) -> &Procedure {
        self.versions[version].procedure(id)
    }
}

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Its fields in the order declared.
    pub fields: Vec<FieldId>,
    /// Its declaration.
    pub span: Span,
}

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The class that declares it; `None` in a program without classes.
    pub class: Option<ClassId>,
    /// The type of its values.
    pub ty: Type,
    /// Its declaration or first use.
    pub span: Span,
}

/// A global variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its declaration.
    pub span: Span,
}

/// One version of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Version {
    /// Its label for reports; `"0"`, `"1"` when the source gives none.
    pub label: String,
    /// Its procedures, shared ones included, in source order.
    pub procedures: Vec<Procedure>,
}

impl Version {
    /// What reports call it.
    pub fn title(&self) -> String {
        format!("version {}", self.label)
    }

    /// The procedure of this name.
    pub fn find(&self, name: &str) -> Option<ProcId> {
        self.procedures.iter().position(|p| p.name == name).map(|at| ProcId(u32::try_from(at).unwrap_or(u32::MAX)))
    }

    /// The procedure with this id.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.index()]
    }
}

/// A procedure. Its locals are the parameters, then the results, then all others.
#[derive(Clone, Debug, PartialEq)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// All its variables, those bound by quantifiers included.
    pub locals: Vec<Local>,
    /// How many of the locals, from the first, are parameters.
    pub params: usize,
    /// How many of the locals, from `params` on, are results.
    pub results: usize,
    /// Pre-conditions.
    pub requires: Vec<Expr>,
    /// Post-conditions.
    pub ensures: Vec<Expr>,
    /// `None`: anything may change. Otherwise no object that existed on entry but those these places name on entry.
    pub modifies: Option<Modifies>,
    /// Its body; `None` when it is external.
    pub body: Option<Block>,
    /// Where it comes from.
    pub origin: Origin,
    /// Its name's place.
    pub name_span: Span,
    /// The whole procedure.
    pub span: Span,
}

/// Where a procedure comes from. What resolution makes is of the source; the other forms are for lowerings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The source has it.
    Source,
    /// It runs a loop.
    Loop {
        /// The procedure of the source that the loop is in.
        of: ProcId,
        /// Which loop of that procedure, in the order of the source, from 1.
        number: usize,
        /// Whether one of its results says that the loop ended with a `return`.
        returns: bool,
    },
    /// It does the work of a procedure of the source that calls itself.
    Worker {
        /// That procedure.
        of: ProcId,
    },
}

impl Origin {
    /// The procedure of the source that this one is a part of; `None` for one of the source.
    pub fn part_of(self) -> Option<ProcId> {
        match self {
            Origin::Source => None,
            Origin::Loop { of, .. } | Origin::Worker { of } => Some(of),
        }
    }
}

impl Procedure {
    /// The parameters.
    pub fn param_ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        ids(0, self.params)
    }

    /// The results.
    pub fn result_ids(&self) -> impl Iterator<Item = LocalId> + use<> {
        ids(self.params, self.results)
    }

    /// A variable.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }
}

fn ids(from: usize, count: usize) -> impl Iterator<Item = LocalId> {
    (from..from + count).map(|at| LocalId(u32::try_from(at).unwrap_or(u32::MAX)))
}

/// A variable of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its declaration or first use.
    pub span: Span,
}

/// All `modifies` clauses of a procedure taken together.
#[derive(Clone, Debug, PartialEq)]
pub struct Modifies {
    /// The places; evaluated on entry they name the objects that may change. All have a reference type.
    pub places: Vec<Expr>,
    /// The clause (the first, when there are several).
    pub span: Span,
}

/// `equiv left ~ right when condition;`
#[derive(Clone, Debug, PartialEq)]
pub struct Equiv {
    /// A procedure of version 0.
    pub left: ProcId,
    /// A procedure of version 1, with parameters and results of the same types.
    pub right: ProcId,
    /// The condition, over the left procedure's parameters (whose ids it uses) and the globals; variables bound in it are
    /// among the left procedure's locals.
    pub when: Option<Expr>,
    /// The declaration.
    pub span: Span,
}

/// Array types nest no deeper than this, so that every stage may walk them recursively.
pub(crate) const DEEPEST_ARRAY: usize = 64;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Unbounded integers.
    Int,
    /// Booleans.
    Bool,
    /// Any reference: objects of every class, arrays, null. In a program without classes: objects (each with every field)
    /// and null, but no arrays.
    Ref,
    /// References to objects of one class, or null.
    Class(ClassId),
    /// References to arrays with this element type, or null.
    Array(Box<Type>),
}

impl Type {
    /// Whether values of this type are references.
    pub fn is_reference(&self) -> bool {
        !matches!(self, Type::Int | Type::Bool)
    }
}

/// A sequence of statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// The statements; `skip` is gone, and so is `var` without a value, but inside a loop it assigns the default of its type.
    pub stmts: Vec<Stmt>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Its place.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `place := rhs`. Order: the place's object (and index), then `rhs`, then the store with its null and bounds checks.
    Assign(Place, Rhs),
    /// `p(…);` or `x, y := p(…);`: no targets, or as many as the callee has results.
    Call {
        /// Locals or globals.
        targets: Vec<Place>,
        /// The callee.
        callee: ProcId,
        /// The arguments, evaluated left to right.
        args: Vec<Expr>,
    },
    /// `if`
    If(Expr, Block, Block),
    /// `while`
    While {
        /// The condition.
        cond: Expr,
        /// The invariants, checked each time before the condition is.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `return e, …;`: none, or as many as there are results; all are evaluated, then assigned.
    Return(Vec<Expr>),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `assert e;`
    Assert(Expr),
    /// `assume e;`
    Assume(Expr),
}

/// What can be assigned.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A variable.
    Local(LocalId),
    /// A global.
    Global(GlobalId),
    /// `e.f`
    Field(Expr, FieldId),
    /// `e[i]`
    Index(Expr, Expr),
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum Rhs {
    /// An expression.
    Expr(Expr),
    /// `new()` (no class: only in a program without classes, or as a bare `ref`), `new C()`
    New(Option<ClassId>),
    /// `new T[n]`: element type and length.
    NewArray(Type, Expr),
}

/// An expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
    /// Its place.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Int(BigInt),
    /// A literal.
    Bool(bool),
    /// `null`
    Null,
    /// A variable.
    Local(LocalId),
    /// A global.
    Global(GlobalId),
    /// `e.f`
    Field(Box<Expr>, FieldId),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e.length`
    Length(Box<Expr>),
    /// `-e`, `!e`
    Unary(UnOp, Box<Expr>),
    /// `e op f`; `Eq` and `Ne` on any type, both sides of compatible types.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// `c ? e : f`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call of a procedure with one result.
    Call(ProcId, Vec<Expr>),
    /// The value in the store on entry.
    Old(Box<Expr>),
    /// Not null, and allocated since entry.
    Fresh(Box<Expr>),
    /// There is a path of fields and array cells, of length 0 or more; false when either side is null.
    Reach(Box<Expr>, Box<Expr>),
    /// A quantifier over all integers, both booleans, or null and the objects of the type that existed when the run began or
    /// can be reached now. It has no value if its body has none for one value of its range.
    Quant {
        /// `true` for `forall`.
        forall: bool,
        /// The bound variable.
        var: LocalId,
        /// The body.
        body: Box<Expr>,
    },
}

pub use crate::ast::{BinOp, UnOp};
